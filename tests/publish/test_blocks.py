"""Every renderer of blocks handles every kind of them, and makes the texts of strangers harmless."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from memreport.advise.decide import decide
from memreport.advise.verdict import FITS
from memreport.commands.main import main
from memreport.publish.markdown.blocks import blocks_markdown
from memreport.publish.pdf.blocks import block_html
from memreport.publish.text.answer import blocks_text
from memreport.report.answer.screen import screen_of
from memreport.report.records.advice import StepRow, Steps
from memreport.report.records.blocks import Block, Notes, SourceList, StartLine
from memreport.report.records.portfolio import CountedCost, MonthBars, MonthPart, SaidTable
from memreport.report.records.report import RentOrBuy
from tests.built import KNOWN, published_files
from tests.support import ROOT

MONTHS = MonthBars("Spend", "USD", ("2027-01",), (MonthPart("GPUs", (1.0,)),), ("$1",), "In dollars.")
COMMITTED = CountedCost("Commit", "USD", (2.0, 1.0), 1, "$1", "One GPU costs least.")
OWNED = RentOrBuy((0.0, 1.0), (0.0, 2.0), (1.0, 1.0), 0.5, 1.0, "Buying pays", "From half a month on.",
                  (("Rent", "$2", "a month"),), "0.5 months", ("$2", "$1"), "Two lines cross.")  # fmt: skip
STEPS = Steps("Checklist", (StepRow("ZeRO-3", None, None, None, "passed over", FITS),), "It fits.")
TABLE = SaidTable("Spend by month", ("month", "USD"), (("2027-01", "$1,200"), ("a|b", "$3")), "In US dollars.")
Rendered = Callable[[Sequence[Any]], str]


def screen() -> tuple[Block, ...]:
    report = published_files("serving-mi300x").report
    assert report.tornado
    listed: tuple[Block, ...] = (*report.worked[:1], SourceList(report.sources), STEPS)
    drawn: tuple[Block, ...] = (
        report.parts_of_peak,
        *report.curves[:1],
        *report.rooflines[:1],
        report.tornado,
        OWNED,
        MONTHS,
        COMMITTED,
    )
    return (*screen_of(decide(KNOWN["serving-mi300x"], sensitivity=False), ()), TABLE, *drawn, *listed)


def html(blocks: Sequence[Block]) -> str:
    return "".join(map(block_html, blocks))


renderer = pytest.mark.parametrize("rendered", [blocks_text, blocks_markdown, html])


@renderer
def test_every_kind_of_block_is_rendered(rendered: Rendered) -> None:
    blocks = screen()
    assert {type(one) for one in blocks} == set(get_args(Block))
    assert all(rendered((one,)).strip() for one in blocks)


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
