"""Every renderer of blocks handles every kind of them, and makes the texts of strangers harmless."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from openpyxl import load_workbook

from memreport.advise.decide import decide
from memreport.advise.verdict import FITS
from memreport.commands.main import main
from memreport.publish.markdown.blocks import blocks_markdown
from memreport.publish.pdf.blocks import block_html
from memreport.publish.pdf.sheet import sheet_html
from memreport.publish.text.answer import blocks_text
from memreport.report.answer.screen import screen_of
from memreport.report.records.advice import StepRow, Steps
from memreport.report.records.blocks import (
    Bill,
    Block,
    GridShown,
    InputList,
    KernelTable,
    KeyFacts,
    Listed,
    Notes,
    QuoteList,
    RiskTable,
    Signatures,
    SourceList,
    StartLine,
    VariantVerdicts,
)
from memreport.report.records.money.ownership import Crossing, PaidByMonth, RentOrBuy
from memreport.report.records.money.quotes import QuotedAmounts, QuotedOffer, QuoteRank, QuoteRow
from memreport.report.records.portfolio import CountedCost, MonthBars, MonthPart, SaidTable
from memreport.report.records.report import Report
from memreport.report.said_blocks import said_table_of
from tests.built import KNOWN, published_files
from tests.publish.same_pairs import plain
from tests.publish.web_page import page_of
from tests.support import ROOT

MONTHS = MonthBars("Spend", "USD", ("2027-01",), (MonthPart("GPUs", (1.0,)),), ("$1",), "In dollars.")
COMMITTED = CountedCost("Commit", "USD", (2.0, 1.0), 1, "$1", "One GPU costs least.")
PAID = PaidByMonth((0.0, 1.0), (0.0, 2.0), (1.0, 1.0), ("$2", "$1"))
MEET = Crossing(0.5, 1.0, "0.5 months", "Buying pays")
OWNED = RentOrBuy(PAID, MEET, "From half a month on.", (("Rent", "$2", "a month"),), "Two lines cross.")
OFFERED = QuotedOffer("$2.10/h", "12 months", "2027-01-31", False, ("staff",), "")
AMOUNTS = QuotedAmounts("$900", "$0.40", "$9,000", "from 40 %")
QUOTED = QuoteRow("q", "Vendor", "h100", "base", OFFERED, {}, {}, AMOUNTS, QuoteRank())
QUOTES = QuoteList((QUOTED,))
STEPS = Steps("Checklist", (StepRow("ZeRO-3", None, None, None, "passed over", FITS),), "It fits.")
TABLE = SaidTable("Spend by month", ("month", "USD"), (("2027-01", "$1,200"), ("a|b", "$3")), "In US dollars.")
Rendered = Callable[[Sequence[Any]], str]


def screen() -> tuple[Block, ...]:
    report = published_files("serving-mi300x").report
    assert report.tornado
    listed: tuple[Block, ...] = (*report.derivation.groups[:1], SourceList(report.sources), STEPS)
    drawn: tuple[Block, ...] = (
        report.parts_of_peak,
        *report.speed.curves[:1],
        *report.speed.rooflines[:1],
        report.tornado,
        OWNED,
        MONTHS,
        COMMITTED,
    )
    told = screen_of(decide(KNOWN["serving-mi300x"], sensitivity=False), ())
    return (*told, TABLE, *drawn, *listed, *tables(report), QUOTES)


def tables(report: Report) -> tuple[Listed, ...]:
    """What the sheet and the page of a scenario show as tables, whole."""
    assert report.budget
    grid, roof = report.grids[0], report.speed.rooflines[0]
    return (
        KeyFacts(report.budget.facts, report.chosen),
        RiskTable(report.budget.risks),
        GridShown(grid, 0, range(len(grid.down.labels)), range(len(grid.across.labels))),
        KernelTable(roof.kernels),
        Bill(report.chosen, report.money.lines),
        InputList(tuple(one for one in report.assumptions if one.decisive)),
        VariantVerdicts(report.verdicts, report.bars),
        Signatures("A. Adams", "B. Brown", "C. Clark"),
    )


def html(blocks: Sequence[Block]) -> str:
    return "".join(map(block_html, blocks))


renderer = pytest.mark.parametrize("rendered", [blocks_text, blocks_markdown, html])


@renderer
def test_every_kind_of_block_is_rendered(rendered: Rendered) -> None:
    blocks = screen()
    assert {type(one) for one in blocks} == set(get_args(Block))
    assert all(rendered((one,)).strip() for one in blocks)


def pairs(said: str, block: Any) -> set[tuple[str, str]]:
    """Of the rows of a block those names and texts, side by side, that an output says in one of its lines."""
    lines = [plain(line.replace("\\", "").replace("|", " ")) for line in re.split(r"\n|</tr>|</div></div>", said)]
    wanted = {(row[0], text) for row in said_table_of(block).rows for text in row[1:] if text}
    return {(name, text) for name, text in wanted if any(plain(name) in one and plain(text) in one for one in lines)}


@pytest.mark.parametrize("id_", ["llama3-70b-8xa100", "serving-mi300x"])
def test_every_table_says_the_same_names_and_texts_in_every_output(id_: str) -> None:
    report = published_files(id_).report
    for block in (*tables(report), QUOTES):
        wanted = pairs(blocks_markdown((block,)), block)
        assert {name for name, _ in wanted} == {row[0] for row in said_table_of(block).rows if any(row[1:])}
        assert pairs(blocks_text((block,)), block) == wanted
        assert wanted - pairs(html((block,)), block) == set()


@pytest.mark.parametrize("id_", ["llama3-70b-8xa100", "serving-mi300x"])
def test_the_sheet_holds_the_tables_that_it_shows(id_: str) -> None:
    """What a block says is on the sheet, or on the page for the browser: of a long one the rows that have room."""
    report = published_files(id_).report
    for block in tables(report)[:-1]:  # nobody has signed yet
        said = page_of(id_) if isinstance(block, VariantVerdicts) else sheet_html(report)
        told = {name for name, _ in pairs(said, block)}
        assert told, type(block).__name__


@pytest.mark.parametrize("id_", ["llama3-70b-8xa100", "serving-mi300x"])
def test_the_workbook_names_every_row_of_every_table(id_: str) -> None:
    made = published_files(id_)
    book = load_workbook(made.workbook, data_only=True, read_only=True)
    cells = {str(one) for sheet in book for row in sheet.iter_rows(values_only=True) for one in row if one is not None}
    assert made.report.tornado
    assert {one.title for one in made.report.tornado.swings} <= cells  # of which risks are a sentence each
    assert {one.title for one in made.report.grids} <= cells  # whose rows are numbers there
    assert {one.name for one in made.report.assumptions if one.decisive} <= cells
    for block in (
        one for one in tables(made.report) if not isinstance(one, RiskTable | GridShown | InputList | Signatures)
    ):
        lacking = {row[0] for row in said_table_of(block).rows if not any(row[0] in cell for cell in cells)}
        assert not lacking, (type(block).__name__, lacking)


@renderer
def test_a_kind_that_is_none_is_an_error(rendered: Rendered) -> None:
    with pytest.raises((KeyError, AttributeError)):
        rendered(("a text",))


@pytest.mark.parametrize("rendered", [blocks_text, blocks_markdown])
def test_a_table_of_texts_and_notes_are_said_whole(rendered: Rendered) -> None:
    said = rendered((TABLE, Notes(("Prices are of June.",)))).replace("\\", "")
    assert all(text in said for row in (TABLE.heads, *TABLE.rows) for text in row)
    assert all(text in said for text in (TABLE.title, TABLE.about, "Prices are of June."))


def test_markdown_lets_no_cell_end_early() -> None:
    row = next(line for line in blocks_markdown((TABLE,)).splitlines() if "$3" in line)
    assert row == "| a\\|b | $3 |"
    assert blocks_markdown((StartLine(""),)) == "\n"


def test_show_prints_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(Path(ROOT) / "scenarios" / "serving-mi300x.yaml")
    assert main(["show", file, "--format", "markdown"]) == 0
    said = capsys.readouterr().out
    assert said.count("\n| ") == 7  # the heads and six variants
    assert "~~~sh\nvllm serve" in said
    assert main(["show", file, "--format", "markdown", "--all"]) == 2
