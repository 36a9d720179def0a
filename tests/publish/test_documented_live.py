"""The workbooks of documented figures are live: an edit of an input or of a printed value changes what follows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from memreport.audit.import_inputs import EditedScenario, edits_of
from memreport.audit.opening import opened as safely_opened
from memreport.audit.origin import changed_inputs, origin_findings
from memreport.audit.recalculate import Place, Value
from memreport.audit.report import audit
from memreport.ledger.cited import judged
from memreport.ledger.judging import ARGUED, CONFLICTS, Judgement
from memreport.publish.xlsx.common.draft import FIRST, NOT_GIVEN
from memreport.publish.xlsx.common.titles import DOCUMENTED_STEPS
from memreport.publish.xlsx.file.cells import Value as Content
from memreport.publish.xlsx.ledger.book import KIND_COLUMN
from memreport.publish.xlsx.ledger.sheet import DIFFERENCE, LOW, OURS, TITLES, VERDICT_COLUMN
from tests.built import documented_book
from tests.libreoffice import libreoffice_recalculate_all
from tests.publish.workbook_cases import cached, differing, opened, same, strangers_differ
from tests.typed_workbook import recalculate_with

Edits = Mapping[Place, Value]
VALUES = get_column_letter(FIRST)
CHANGED = [
    # statement, input of its own, new value, our value then, verdict then
    ("d000-weights-7b", "parameters", 8e9, 16.0, "contradicts itself"),
    ("d000-running-84", "parameters", 7.5e9, 120.0, "contradicts itself"),
    ("d002-kv-13b-52", "max_num_seqs", 16.0, 53.687091, "contradicts itself"),
    ("d003-70b-over-1tb", "optimizer_state_bytes", 565e9, 1005.0, "right"),
    ("d003-gc-sequential", "sequential_segments", 8.0, 2.0, "contradicts itself"),
    ("d003-iv-kv-68", "context_length", 4054.0, 68.182605, "right"),
]

PRINTED = {"d002-act-13b-64": 1.7, "d001-tbl-weights": 27.0}


@pytest.fixture(scope="module")
def book() -> Path:
    return documented_book()


def statement(id_: str) -> int:
    """The row of a statement on Statements."""
    return next(at for at, one in enumerate(judged().judgements, 6) if one.id == id_)


def printed(id_: str) -> Place:
    """Where the printed value of a statement may be typed."""
    return "Statements", f"{get_column_letter(LOW)}{statement(id_)}"


def shown(found: Mapping[Place, Content], id_: str) -> dict[str, Content | None]:
    """What Statements says of a statement: our value, difference, verdict."""
    row = statement(id_)
    columns = {"ours": OURS, "difference": DIFFERENCE, "verdict": VERDICT_COLUMN, "kind": KIND_COLUMN}
    return {name: found.get(("Statements", f"{get_column_letter(at)}{row}")) for name, at in columns.items()}


def step(path: Path, id_: str, name: str) -> Place:
    """Where an input or result of a statement stands."""
    rows = opened(path)[DOCUMENTED_STEPS].iter_rows(min_col=1, max_col=2, values_only=True)
    row = next(at for at, (whose, named) in enumerate(rows, 1) if (whose, named) == (id_, name))
    return DOCUMENTED_STEPS, f"{VALUES}{row}"


def test_every_judged_statement_has_live_values_and_a_live_verdict(book: Path) -> None:
    seen = cached(book)
    missing = [one.id for one in judged().judgements if one.entry.value and not live(seen, one)]
    assert missing == []


def live(seen: Mapping[Place, Content], one: Judgement) -> bool:
    said = shown(seen, one.id)
    return said["ours"] is not None and (one.kind == ARGUED or None not in (said["verdict"], said["kind"]))


def test_the_live_values_are_those_of_the_ledger(book: Path) -> None:
    seen = cached(book)
    for one in (one for one in judged().judgements if one.computed and one.kind != ARGUED):
        said = shown(seen, one.id)
        value = one.entry.converted.value if one.kind == "reproduces under" else one.entry.value
        assert value
        assert one.computed
        assert same(said["ours"] or 0.0, one.computed[0] / value.factor), one.id
        assert said["kind"] == one.kind, one.id
        assert str(said["verdict"]).startswith("conflicts with") == (one.kind == CONFLICTS), one.id


@pytest.fixture(scope="module")
def edited(book: Path) -> Mapping[Place, Content]:
    """The workbook computed again after an edit of each of several statements."""
    edits: dict[Place, Value] = {step(book, id_, name): value for id_, name, value, _, _ in CHANGED}
    edits |= {printed(id_): value for id_, value in PRINTED.items()}
    return recalculate_with(book, edits | {step(book, "d003-70b-moments", "half digit"): 300.0})


@pytest.mark.parametrize(("id_", "name", "value", "ours", "verdict"), CHANGED, ids=[one[0] for one in CHANGED])
def test_an_edited_input_changes_value_difference_and_verdict(
    book: Path, edited: Mapping[Place, Content], id_: str, name: str, value: float, ours: float, verdict: str
) -> None:
    said, before = shown(edited, id_), shown(cached(book), id_)
    assert float(said["ours"] or 0) == pytest.approx(ours, rel=1e-6), (name, value)
    assert said["verdict"] == verdict
    assert said["ours"] != before["ours"]
    assert said["difference"] is None or said["difference"] != before["difference"] or said["difference"] == NOT_GIVEN


def test_an_edit_changes_its_own_statement_alone(book: Path, edited: Mapping[Place, Content]) -> None:
    seen = cached(book)
    changed = {place[1] for place in seen if place[0] == "Statements" and not same(edited[place], seen[place])}
    rows = {int(place.lstrip("ABCDEFGHIJKLMNO")) for place in changed}
    assert rows == {statement(id_) for id_ in (*(one[0] for one in CHANGED), *PRINTED, "d003-70b-moments")}


def test_an_edited_printed_value_changes_difference_and_verdict(book: Path, edited: Mapping[Place, Content]) -> None:
    said = shown(edited, "d002-act-13b-64")
    assert (said["verdict"], said["kind"]) == ("right", "reproduces")
    assert float(said["difference"] or 0) == pytest.approx(1.6777216 / 1.7 - 1, rel=1e-6)
    assert float(edited["Cover", "C8"]) == float(cached(book)["Cover", "C8"]) + 1, "one more of 002 is right"
    assert edited["Contradictions", place_of(book, "1.6 GB times 40 layers")] == "right"
    assert shown(edited, "d001-tbl-weights")["verdict"] == "contradicts itself"


def test_a_wider_tolerance_is_live(edited: Mapping[Place, Content]) -> None:
    assert shown(edited, "d003-70b-moments")["verdict"] == "right"


def place_of(path: Path, begins: str) -> str:
    sheet = opened(path)["Contradictions"]
    row = next(cell.row for cell in sheet["C"] if str(cell.value).startswith(begins))
    return f"{get_column_letter(VERDICT_COLUMN)}{row}"


def test_a_shared_input_changes_all_statements_that_read_it(book: Path) -> None:
    rows = opened(book)[DOCUMENTED_STEPS].iter_rows(min_col=1, max_col=5, values_only=True)
    at = next(
        at
        for at, row in enumerate(rows, 1)
        if (row[0], row[1], row[4]) == ("all", "num_hidden_layers", "model llama-2-7b")
    )
    found, seen = recalculate_with(book, {(DOCUMENTED_STEPS, f"{VALUES}{at}"): 16.0}), cached(book)
    changed = [one.id for one in judged().judgements if shown(found, one.id)["ours"] != shown(seen, one.id)["ours"]]
    assert len(changed) > 20
    assert float(shown(found, "d003-code-kv-7b")["ours"] or 0) == pytest.approx(34.359738, rel=1e-6)


def test_the_audit_finds_nothing_in_a_workbook_as_built(book: Path) -> None:
    assert audit(book).findings == ()


def test_edits_are_named_and_belong_to_the_ledger(book: Path, tmp_path: Path) -> None:
    place, formula = step(book, "d000-weights-7b", "parameters"), step(book, "d002-kv-13b-52", "max_num_seqs")
    typed = load_workbook(book)
    typed[place[0]][place[1]] = 8e9
    typed[formula[0]][formula[1]] = "=1+1"
    typed["Statements"][f"{get_column_letter(LOW)}6"] = 2.0
    typed.save(tmp_path / "edited.xlsx")
    saved = safely_opened(tmp_path / "edited.xlsx")
    assert {(one.rule, one.cell) for one in origin_findings(saved)} == {("formulas", formula[1])}
    changed = {(one.cell, one.field, one.variant) for one in changed_inputs(saved)}
    assert (place[1], "parameters", "d000-weights-7b") in changed
    assert any(field == "printed value" for _, field, _ in changed)
    edits, notes = edits_of(saved, EditedScenario("", {}, {}))
    assert not edits
    assert len(notes) == 3
    assert all("documented figures are a ledger's" in note for note in notes)


def test_formulas_are_short_and_only_yellow_cells_are_open(book: Path) -> None:
    for sheet in opened(book).worksheets:
        for cell in (cell for row in sheet.iter_rows() for cell in row):
            assert cell.data_type != "f" or len(str(cell.value)) <= 260, cell
            if not cell.protection.locked:
                assert cell.fill.fgColor.rgb in ("00FFF4CC", "00FDFBF0"), cell
    assert [cell.value for cell in opened(book)["Statements"][5]][: len(TITLES)] == list(TITLES)


def test_strangers_see_and_compute_the_same(book: Path) -> None:
    assert not strangers_differ(book)


def test_libreoffice_computes_the_same(book: Path, tmp_path: Path) -> None:
    if shutil.which("soffice") is None and not os.environ.get("CI"):
        pytest.skip("LibreOffice is not installed")
    found = libreoffice_recalculate_all([book], tmp_path / "office")[book]
    assert not differing(found, cached(book))
