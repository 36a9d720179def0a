"""Every renderer of blocks handles every kind of them, and makes the texts of strangers harmless."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from memreport.advise.decide import decide
from memreport.commands.main import main
from memreport.publish.markdown.blocks import blocks_markdown
from memreport.publish.text.answer import blocks_text
from memreport.report.answer.screen import screen_of
from memreport.report.records.blocks import Block, Notes, StartLine
from memreport.report.records.portfolio import SaidTable
from tests.built import KNOWN
from tests.support import ROOT

TABLE = SaidTable("Spend by month", ("month", "USD"), (("2027-01", "$1,200"), ("a|b", "$3")), "In US dollars.")
renderer = pytest.mark.parametrize("rendered", [blocks_text, blocks_markdown])
Rendered = Callable[[Sequence[Any]], str]


def screen() -> tuple[Block, ...]:
    return (*screen_of(decide(KNOWN["serving-mi300x"], sensitivity=False), ()), TABLE)


@renderer
def test_every_kind_of_block_is_rendered(rendered: Rendered) -> None:
    blocks = screen()
    assert {type(one) for one in blocks} == set(get_args(Block))
    assert all(rendered((one,)).strip() for one in blocks)


@renderer
def test_a_kind_that_is_none_is_an_error(rendered: Rendered) -> None:
    with pytest.raises(AssertionError):
        rendered(("a text",))


@renderer
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
