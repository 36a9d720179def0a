"""What renderers may do: each handles every kind of block, none formats a number or compares a figure."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import get_args

import pytest

from memreport.publish.pdf import blocks as html_blocks
from memreport.report import said_blocks
from memreport.report.records import blocks
from tests.house import PACKAGE, TREES, imported_names, multiplies, names_for, of_figures, reads_figure, used_by, within

KINDS = {one.__name__ for one in get_args(blocks.Block)}
TEXT_RENDERERS = ("memreport.publish.text.answer", "memreport.publish.markdown.blocks")
MACROS = set(
    re.findall(r"\{% macro ([A-Z]\w+)\(", (PACKAGE.parent / "templates" / "blocks.html.j2").read_text(encoding="utf-8"))
)
SHEETS = {
    "Answer": "scenario.front.page.write",
    "OptionTable": "scenario.front.page.write",
    "StackedBar": "scenario.front.page.write",
    "ReportCurve": "scenario.speed.curves.write",
    "Roofline": "scenario.speed.roofline.write",
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
    "KernelTable": "scenario.speed.roofline.write",
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
DIGITS = re.compile(r".*[deEfFgGn%]|.*,")
PLACE_OF_DIGITS = re.compile(r"%[-+ #0-9]*\.[0-9]+[eEfFgG]|\{\w*:[,0-9]*(?:\.[0-9]+)?[eEfFgGn%]\}|\{\w*:[0-9]*,\}")
MAY_FORMAT = {
    "memreport.publish.pdf.bars": "lengths of a style sheet",
    "memreport.publish.svg.axes": "ticks, which belong to a drawing alone",
    "memreport.publish.svg.drawing": "coordinates",
    "memreport.publish.text.lists": "the sign of a unit",
    "memreport.publish.xlsx.common.named_numbers": "how many digits a cell has to show",
    "memreport.publish.web.index": "lengths of bars",
    "memreport.publish.xlsx.ledger.results": "rounds a value, and writes none",
    "memreport.publish.xlsx.sheet.record": "the digits that a digest of a cell sees",
    "memreport.publish.xlsx.scenario.front.said": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.money.cost": "a switch, as the place of a word",
    "memreport.publish.xlsx.scenario.speed.roofline": "a label, as the place of a word",
    "memreport.publish.xlsx.scenario.sensitivity": "an order of inputs, as equal ones may differ in their last digit",
}


def writes_digits(tree: ast.AST) -> bool:
    """Whether a module writes a number in digits of its own choice."""
    nodes = list(ast.walk(tree))
    specs = (node.format_spec for node in nodes if isinstance(node, ast.FormattedValue) and node.format_spec)
    return (
        any(DIGITS.fullmatch(ast.unparse(one)[2:-1]) for one in specs)
        or any(map(_rounds, nodes))
        or any(_tells(node, names) for names, node in _with_names(tree))
    )


def _with_names(tree: ast.AST) -> Iterator[tuple[Collection[str], ast.AST]]:
    """Every node of every function, with the names that hold a number there."""
    for function in _functions(tree):
        names = names_for(function, is_a_number)
        yield from ((names, node) for node in ast.walk(function))


def _tells(node: ast.AST, names: Collection[str]) -> bool:
    """Whether it makes a text of the value of a figure: `f"{a.value} GiB"`, `str(int(a.value))`, `"%s" % a.value`."""
    return any(is_a_number(one, names) for one in _written(node))


def _written(node: ast.AST) -> list[ast.expr]:
    """What is made a text."""
    if isinstance(node, ast.FormattedValue):
        return [node.value]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        text = isinstance(node.left, ast.JoinedStr) or isinstance(getattr(node.left, "value", None), str)
        parts = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return parts if text else []
    called = node.func if isinstance(node, ast.Call) else None
    given = [*node.args, *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else []
    name = getattr(called, "id", getattr(called, "attr", ""))
    if name in ("int", "round"):  # which cut what is drawn, too
        return [one for one in given if is_a_figure(one, ())]
    return given if name in ("str", "repr", "format", "format_map") else []


def is_a_number(node: ast.expr, names: Collection[str]) -> bool:
    """Whether an expression is the value of a figure, or what is computed from one."""
    if isinstance(node, ast.BinOp):
        return any(is_a_number(one, names) for one in (node.left, node.right))
    if isinstance(node, ast.IfExp):
        return any(is_a_number(one, names) for one in (node.body, node.orelse))
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    if isinstance(node, ast.Call) and name in ("abs", "float", "fsum", "int", "max", "min", "round", "sum"):
        return any(is_a_number(one, names) for one in node.args)
    return is_a_figure(node, names)


def _rounds(node: ast.AST) -> bool:
    """Whether it rounds to digits, or is a text with a place for a number of so many digits."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(PLACE_OF_DIGITS.search(node.value))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("round", "around") and bool(node.args)
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return name == "format" or (name == "round" and isinstance(node, ast.Call) and len(node.args) > 1)


def calls_formatter(name: str) -> bool:
    """Whether it refers to what formats a number, by its name or as a member of a module."""
    used = used_by(name, TREES[name]) | {*imported_names(name)}
    ours = (one for one in used if one.startswith(("memreport.catalogue", "memreport.report")))
    return bool(FORMATTERS & {one.rpartition(".")[2] for one in ours})


@pytest.mark.parametrize(
    "text",
    [
        "f'{x:.2f}'",
        "'%.2f' % x",
        "'{:.3g}'.format(x)",
        "'{one:,.0f}'.format(one=x)",
        "format(x, '.2f')",
        "round(x, 2)",
        "f'{x:>8.2f}'",
        "np.round(x, 2)",
        "f'{x:d}'",
        "def f(a): return f'{a.peak.value} GiB'",
        "def f(a): return str(a.peak.value)",
        "def f(a): return f'{int(a.peak.value)} GPUs'",
        "def f(a):\n    x = a.peak.value\n    return f'{x} GiB'",
        "def f(a):\n    x, y = a.peak.value / 2, 1\n    return str(x)",
        "def f(a): return '%d GPUs' % a.peak.value",
        "def f(a): return '%s of %s' % (a.name, a.peak.value)",
        "def f(a): return '{} GiB'.format(a.peak.value)",
        "def f(view): return f'{abs(view.value(NAME, 0))}'",
    ],
)
def test_a_number_in_digits_would_be_found(text: str) -> None:
    assert writes_digits(ast.parse(text))


def test_no_renderer_formats_a_number() -> None:
    assert {name for name in within("publish") if writes_digits(TREES[name]) or calls_formatter(name)} == set(
        MAY_FORMAT
    )


COMPARING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
MAY_COMPARE = {
    "memreport.publish.pdf.bars": "cuts a bar that is too long for the page",
    "memreport.publish.svg.roofline": "leaves out lines beside the plot",
    "memreport.publish.svg.tornado": "how long its longest bar is, and where texts have room",
    "memreport.publish.text.answer": "divides by what is usable, where that is anything",
    "memreport.publish.xlsx.sheet.record": "properties of a file, which are no figures",
    "memreport.publish.xlsx.ledger.calculation": "whether a cell is the one before it again",
    "memreport.publish.xlsx.ledger.results": "a printed range, whose ends may be one number",
    "memreport.publish.xlsx.scenario.checks": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.front.amounts": "how many digits a formula has at build",
    "memreport.publish.xlsx.scenario.front.tables": "how many digits a formula has at build",
    "memreport.publish.xlsx.scenario.front.memory_chart": "how long its axis is",
    "memreport.publish.xlsx.scenario.front.said": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.money.cost": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.speed.roofline": "what its formula says of the same cells",
}


def compares_figures(tree: ast.AST) -> bool:
    """Whether a function compares the value of a figure with anything, or puts things in order by one."""
    functions = ((node, of_figures(node)) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return any(_compares(node, held) for function, held in functions for node in ast.walk(function))


def _compares(node: ast.AST, held: set[str]) -> bool:
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(isinstance(sign, COMPARING) for sign in node.ops) and any(is_a_figure(one, held) for one in sides)
    orders = isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    name = getattr(node.func, "id", getattr(node.func, "attr", "")) if orders else ""  # type: ignore[attr-defined]
    return name in ("min", "max", "sorted", "sort") and reads_figure(node, set())


def is_a_figure(node: ast.AST, held: Collection[str]) -> bool:
    """Whether an operand is the value of a figure: `one.peak.value`, `view.value(name, at)`, a name that holds one."""
    called = node.func if isinstance(node, ast.Call) else node
    return (isinstance(called, ast.Attribute) and called.attr == "value") or (
        isinstance(node, ast.Name) and node.id in held
    )


@pytest.mark.parametrize(
    "text",
    [
        "return a.peak.value > b.peak.value",
        "x = a.peak.value\n    return x > b",
        "return a.peak.value == b.peak.value",
        "return max(a, key=lambda one: one.peak.value)",
        "a.sort(key=lambda one: one.peak.value)",
    ],
)
def test_a_comparison_of_figures_would_be_found(text: str) -> None:
    assert compares_figures(ast.parse(f"def f(a, b):\n    {text}"))


def test_no_renderer_compares_a_figure() -> None:
    assert {name for name in within("publish") if compares_figures(TREES[name])} == set(MAY_COMPARE)


MAY_MULTIPLY = {
    "memreport.publish.pdf.bars": "lengths on paper",
    "memreport.publish.svg.roofline": "places in a drawing",
    "memreport.publish.text.answer": "characters of a bar",
    "memreport.publish.xlsx.scenario.calculation": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.front.amounts": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.front.bill": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.front.memory_chart": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.front.page": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.front.said": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.front.tables": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.money.cost": "what its formula says of the same cells",
    "memreport.publish.xlsx.scenario.speed.roofline": "what its formula says of the same cells",
}


def test_no_renderer_multiplies_a_figure() -> None:
    found = {name for name in within("publish") if any(map(multiplies, _functions(TREES[name])))}
    assert found == set(MAY_MULTIPLY)


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


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
