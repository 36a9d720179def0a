"""What renderers may do: each handles every kind of block, none formats a number or compares a figure."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

from memreport.publish.pdf import blocks as html_blocks
from memreport.report import said_blocks
from memreport.report.records import blocks
from tests.house import PACKAGE, TREES, imported_names, used_by, within

KINDS = {one.__name__ for one in get_args(blocks.Block)}
TEXT_RENDERERS = ("memreport.publish.text.answer", "memreport.publish.markdown.blocks")
MACROS = set(
    re.findall(r"\{% macro ([A-Z]\w+)\(", (PACKAGE.parent / "templates" / "blocks.html.j2").read_text(encoding="utf-8"))
)
SHEETS = {
    "Answer": "scenario.front.page.write",
    "OptionTable": "scenario.front.page.write",
    "StackedBar": "scenario.front.page.write",
    "ReportCurve": "scenario.curves.write",
    "Roofline": "scenario.roofline.write",
    "RentOrBuy": "scenario.money.ownership.write",
    "Sensitivity": "scenario.sensitivity.write",
    "Steps": "scenario.plan.write",
    "WorkedGroup": "scenario.calculation.write",
    "SourceList": "scenario.sources.write",
    "Notes": "scenario.sources.write",
    "SaidTable": "planned.summary.write_summary",
    "MonthBars": "planned.entries.write_spend",
    "CountedCost": "planned.offers.write_offers",
    "KeyFacts": "scenario.front.page.write",
    "RiskTable": "scenario.sensitivity.write",
    "GridShown": "scenario.tables.writer",
    "KernelTable": "scenario.roofline.write",
    "Bill": "scenario.money.cost.write",
    "QuoteList": "scenario.money.cost.write",
    "InputList": "scenario.inputs.write",
    "VariantVerdicts": "scenario.front.page.write",
    "Signatures": "scenario.front.page.write",
}
"""By kind of block who writes it in a workbook, with formulas in place of texts."""
NO_SHEET = {"StartLine": "is for a shell"}


def matched(name: str) -> set[str]:
    """The kinds for which a renderer has a case of its own."""
    cases = (case.pattern for node in ast.walk(TREES[name]) if isinstance(node, ast.Match) for case in node.cases)
    return {str(one.cls.id) for one in cases if isinstance(one, ast.MatchClass) and isinstance(one.cls, ast.Name)}


@pytest.mark.parametrize("name", TEXT_RENDERERS)
def test_every_kind_of_block_is_text(name: str) -> None:
    said = {one.__name__ for one in said_blocks.SAID}
    assert matched(name) | said == KINDS
    assert not matched(name) & said


def test_every_kind_of_block_is_html() -> None:
    drawn = {one.__name__ for one in html_blocks.DRAWINGS}
    assert drawn | MACROS == KINDS
    assert not drawn & MACROS


def test_every_kind_of_block_is_in_a_workbook() -> None:
    assert set(SHEETS) | set(NO_SHEET) == KINDS
    books = ("memreport.publish.xlsx.workbook", "memreport.publish.xlsx.planned.book")
    written = set().union(*(used_by(name, TREES[name]) for name in books))
    assert not {one for one in SHEETS.values() if f"memreport.publish.xlsx.{one}" not in written}


FORMATTERS = {"display", "brief", "in_gib", "pair_in_gib", "display_pair", "shown", "counted", "percent", "signed"}
DIGITS = re.compile(r"[.,0-9]*[eEfFgGn%]|,|[0-9]*,")
MAY_FORMAT = {
    "memreport.publish.pdf.bars": "lengths of a style sheet",
    "memreport.publish.svg.axes": "ticks, which belong to a drawing alone",
    "memreport.publish.svg.drawing": "coordinates",
    "memreport.publish.text.lists": "the sign of a unit",
    "memreport.publish.xlsx.common.named_numbers": "how many digits a cell has to show",
    "memreport.publish.xlsx.ledger.results": "rounds a value, and writes none",
}


def writes_digits(name: str) -> bool:
    """Whether a module writes a number in digits of its own choice, or calls what does."""
    specs = (node for node in ast.walk(TREES[name]) if isinstance(node, ast.FormattedValue) and node.format_spec)
    texts = (ast.unparse(one.format_spec)[2:-1] for one in specs if one.format_spec)
    ours = (one for one in imported_names(name) if one.startswith(("memreport.catalogue", "memreport.report")))
    imports = {one.rpartition(".")[2] for one in ours}
    return bool(FORMATTERS & imports) or any(DIGITS.fullmatch(text) for text in texts)


def test_no_renderer_formats_a_number() -> None:
    assert {name for name in within("publish") if writes_digits(name)} == set(MAY_FORMAT)


COMPARING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
MAY_COMPARE = {
    "memreport.publish.pdf.bars": "cuts a bar that is too long for the page",
    "memreport.publish.svg.roofline": "leaves out lines beside the plot",
    "memreport.publish.text.answer": "divides by what is usable, where that is anything",
}


def is_a_figure(node: ast.AST) -> bool:
    """Whether an operand is the value of a figure: `one.peak.value`, `view.value(name, at)`."""
    called = node.func if isinstance(node, ast.Call) else node
    return isinstance(called, ast.Attribute) and called.attr == "value"


def compares_figures(name: str) -> bool:
    compared = (node for node in ast.walk(TREES[name]) if isinstance(node, ast.Compare))
    return any(
        isinstance(sign, COMPARING) and any(map(is_a_figure, (one.left, *one.comparators)))
        for one in compared
        for sign in one.ops
    )


def test_no_renderer_compares_a_figure() -> None:
    assert {name for name in within("publish") if compares_figures(name)} == set(MAY_COMPARE)


TEMPLATES = sorted((PACKAGE.parent / "templates").glob("*.j2"))
SUMS = re.compile(
    r"\{\{[^}]*(?:\| *round|%[.0-9]*[dfeg]|\.value\b[^}]*[-+*/<>])[^}]*\}\}|\{%-? *(?:if|elif)[^%]*\.value\b[^%]*[<>]"
)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.name))
def test_no_template_computes_or_compares_a_figure(path: Path) -> None:
    assert not SUMS.findall(path.read_text(encoding="utf-8"))


def test_what_is_reported_is_shown() -> None:
    """Every field of a record of report/ is read somewhere: what nothing shows any more is deleted."""
    texts = [ast.unparse(tree) for tree in TREES.values()] + [path.read_text(encoding="utf-8") for path in TEMPLATES]
    read = set(re.findall(r"\.(\w+)\b", "\n".join(texts)))
    fields = {
        f"{node.name}.{field.target.id}"
        for name in within("report.records")
        for node in TREES[name].body
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }
    assert len(fields) > 150
    assert not {one for one in fields if one.rpartition(".")[2] not in read}


def test_every_table_is_printed_in_one_place() -> None:
    tables = {path.name: path.read_text(encoding="utf-8").count("<table") for path in TEMPLATES}
    assert {name: count for name, count in tables.items() if count} == {"table.html.j2": 1}
