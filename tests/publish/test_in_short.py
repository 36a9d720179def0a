"""What a terminal shows in the end: the verdict, the parts of the peak and the cost, in columns it has room for."""

from __future__ import annotations

import shutil
import sys
from os import terminal_size

import pytest

from memreport.commands.main import main
from memreport.compute import Computed
from memreport.publish.text.table import fitted, folded
from memreport.report import in_short
from tests.support import ROOT, published, value


@pytest.mark.parametrize("computed", published(), ids=lambda one: one.resolved.loaded.scenario.id)
def test_summary_has_a_cell_for_each_variant_and_the_verdict_of_the_figures(computed: Computed) -> None:
    columns = range(len(computed.resolved.variants))
    rows = {row[0]: row[1:] for row in in_short.rows(computed, columns)}
    assert {len(cells) for cells in rows.values()} == {len(columns)}
    fits = [bool(value(computed, "fits", at)) for at in columns]
    assert [word != "Does not fit" for word in rows["Verdict"]] == fits


def test_show_of_all_figures_ends_with_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / "scenarios" / "llama3-70b-8xa100.yaml")
    assert main(["show", path]) == 0
    question, answer, *_ = capsys.readouterr().out.split("\n\n")
    assert main(["show", path, "--all"]) == 0
    assert capsys.readouterr().out.endswith(f"\n\n{question}\n{answer}\n")


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> int:
    """The columns of a terminal that is narrower than most tables."""
    for module in ("width", "table"):
        monkeypatch.setattr(f"memreport.publish.text.{module}.terminal", lambda: 60)
    return 60


def test_the_plan_in_full_answers_with_the_figures_that_are_asked_for_however_narrow_the_terminal_is(
    capsys: pytest.CaptureFixture[str], narrow: int
) -> None:
    assert main(["plan", str(ROOT / "scenarios" / "min-gpus-7b-to-700b.yaml"), "--why"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= narrow
    said = " ".join(out.split())
    assert "weights alone: 1 for 7B, 2 for 70B, 5 for 175B, 18 for 700B." in said


def test_wide_tables_are_folded_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["", "one", "two", "three"], ["peak", "1 GiB", "2 GiB", "3 GiB"]]
    assert len(folded(rows).splitlines()) == 2
    with monkeypatch.context() as patch:  # pytest asks the same before a test's own patches are undone
        patch.setattr(sys.stdout, "isatty", lambda: True)
        patch.setattr(shutil, "get_terminal_size", lambda *_: terminal_size((20, 50)))
        lines = folded(rows).splitlines()
    assert max(map(len, lines)) <= 20
    assert [line.split()[-1] for line in lines if line.startswith("peak")] == ["GiB"] * 2
    assert "".join(lines).count("peak") == 2


def test_a_table_that_is_too_wide_has_cells_of_several_lines_and_loses_no_word(narrow: int) -> None:
    rows = [["", "free", "price"], ["optimizer offload to host memory, tensor parallel size 2", "1.5 GiB", "a " * 40]]
    made = fitted(rows, lefts=(0, 2))
    assert max(map(len, made.splitlines())) <= narrow
    assert "1.5 GiB" in made, "a number stays with its unit"
    assert sorted(made.split()) == sorted(" ".join(text for row in rows for text in row).split())
    many = [["name", *(f"column{index}" for index in range(12))], ["row", *("1" for _ in range(12))]]
    parts = fitted(many).split("\n\n")
    assert len(parts) > 1
    assert all(part.startswith("name") and max(map(len, part.splitlines())) <= narrow for part in parts)
