"""A workbook is published only once its own checks were computed by an independent program, and pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memreport.build.workers import Task, publish_one
from memreport.errors import FINDING, FailedCheckError
from memreport.report.peak import parts
from memreport.resolve.rules import doubtful_capacity
from tests.publish.workbook_cases import book_of, input_cell, opened, saved, shared_case
from tests.slim import slim
from tests.support import ROOT, packaged, run, scenario_text
from tests.typed_workbook import recalculate_with, recalculated


def wrong_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that is another figure than the peak is made of: values and formulas agree, and do not add up."""
    listed = [
        replace(one, figure="stored_activation_bytes") if one.id == "activations" else one
        for one in parts.COMPONENTS["training"]
    ]
    monkeypatch.setitem(parts.COMPONENTS, "training", tuple(listed))


def test_a_failing_check_is_named_and_nothing_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    computed = run(tmp_path, scenario_text(), catalogue=slim())
    wrong_part(monkeypatch)
    with pytest.raises(FailedCheckError, match=r"case\.xlsx: not published, its own check fails: peak parts .* base"):
        book_of(computed)
    task = Task(computed.resolved.loaded, packaged().folders, ("xlsx",), tmp_path / "out")
    outcome = publish_one(task)
    assert outcome.code == FINDING
    assert "peak parts" in outcome.fault
    assert not (tmp_path / "out").exists()


def strings_of(path: Path, sheet: str) -> set[str]:
    return {str(cell.value) for row in opened(path)[sheet].iter_rows() for cell in row}


def test_a_card_of_ones_own_with_two_capacities_far_apart_is_a_warning_not_a_failed_build(tmp_path: Path) -> None:
    cards = packaged().tables["accelerators"]
    assert not [card for card in cards.ids if doubtful_capacity(cards, card)], "packaged cards are checked"
    (tmp_path / "hardware" / "accelerators").mkdir(parents=True)
    own = (ROOT / "hardware" / "accelerators" / "l4.yaml").read_text(encoding="utf-8").replace("id: l4", "id: mine", 1)
    own = own.replace("marketed_capacity_bytes:     {value: 24 GB", "marketed_capacity_bytes:     {value: 32 GB")
    (tmp_path / "hardware" / "accelerators" / "mine.yaml").write_text(own, encoding="utf-8")
    computed = run(tmp_path, scenario_text(model="llama-3.2-1b", hardware="{accelerator: mine, count: 1}"))
    (said,) = [one.sentence for one in computed.resolved.warnings if one.field == "accelerator"]
    assert "more than 15 % from its marketed_capacity_bytes" in said
    book = saved(computed, tmp_path)
    assert recalculated(book)["Checks", "F5"] == 0
    beside = run(
        tmp_path, scenario_text("beside", model="llama-3.2-1b", hardware="{accelerator: l4, count: 1}"), "beside"
    )
    checked = ["capacity fails" in strings_of(one, "Checks") for one in (book, saved(beside, tmp_path))]
    assert checked == [False, True], "the check is left out for the GPU of one's own alone"


def test_an_edit_is_counted_once_however_many_variants_follow() -> None:
    _, path = shared_case("training")
    field = input_cell(path, "micro_batch_size")
    other = input_cell(path, "zero_stage", 1)
    assert recalculate_with(path, {field: 3})["Checks", "F6"] == 1
    assert recalculate_with(path, {field: 3, other: 2})["Checks", "F6"] == 2
