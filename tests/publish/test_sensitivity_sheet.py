"""The Sensitivity sheet says what the engine says, as built and after an input was changed in the workbook."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from memreport.advise.decide import decide
from memreport.advise.plan import plan
from memreport.advise.rerun import first_that_fits, job_of
from memreport.advise.sensitivity import Tornado, tornado
from memreport.audit.report import audit
from memreport.catalogue.names import title_of
from memreport.compute import Computed
from memreport.publish.xlsx.common.draft import LINE_COLUMN, NAME_COLUMN
from memreport.publish.xlsx.common.titles import SENSITIVITY
from memreport.publish.xlsx.file.cells import Place, Value
from memreport.publish.xlsx.scenario.sensitivity import COST, FREE, STEPS, WORDS
from memreport.publish.xlsx.sheet.book import FIRST_ROW
from memreport.publish.xlsx.workbook import workbook_bytes
from memreport.report.advice.plan import with_advice
from memreport.report.build import report_of
from memreport.report.records.report import Build
from tests.part import part
from tests.publish.workbook_cases import cached, case, differing, input_cell, opened, row_of, same
from tests.typed_workbook import recalculate_with, recalculated

EFFECTS = {"headroom_bytes": FREE, "step_seconds": STEPS["training"], "cost_usd": COST}


def saved(computed: Computed, folder: Path) -> Path:
    """The workbook with its advice, about the first of its own variants that fits."""
    path = folder / "advised.xlsx"
    made = plan(job_of(computed.resolved.loaded, computed.resolved.catalogue))
    assert made.tornado
    decision = replace(decide(computed), computed=computed, plan=made, chosen=made.tornado.variant)
    report = with_advice(report_of(decision.computed, Build("0"), decision.chosen), decision)
    path.write_bytes(workbook_bytes(decision.computed, report))
    return path


def tornado_of(computed: Computed, variant: str = "") -> Tornado:
    """Of the first variant that fits, or of the named one."""
    job = job_of(computed.resolved.loaded, computed.resolved.catalogue, variant)
    return tornado(job if variant else first_that_fits(job))


def calculated(path: Path, found: Mapping[Place, Value]) -> Iterator[tuple[str, list[Value]]]:
    """Every line of the calculation: its name and its value in each case."""
    sheet = opened(path)[SENSITIVITY]
    first = row_of(path, SENSITIVITY, "Name")
    cases = [cell.column_letter for cell in sheet[first][WORDS - 4 :] if cell.value is not None]
    for row in range(first + 1, sheet.max_row + 1):
        places = [(SENSITIVITY, f"{column}{row}") for column in cases]
        if sheet.cell(row, NAME_COLUMN).value and places[-1] in found:
            yield str(sheet.cell(row, NAME_COLUMN).value), [found[place] for place in places]


def told(path: Path, found: Mapping[Place, Value]) -> dict[str, tuple[Value, ...]]:
    """What the table says of each input: both ends of every effect, in GiB, seconds and USD."""
    sheet = opened(path)[SENSITIVITY]
    rows: dict[str, tuple[Value, ...]] = {}
    for row in range(FIRST_ROW + 2, sheet.max_row):
        if not sheet.cell(row, LINE_COLUMN).value:
            return rows
        cells = [get_column_letter(effect.column + end) for effect in EFFECTS.values() for end in (0, 1)]
        rows[str(sheet.cell(row, LINE_COLUMN).value)] = tuple(
            found.get((SENSITIVITY, f"{cell}{row}"), "") for cell in cells
        )
    return rows


def expected(made: Tornado) -> dict[str, tuple[Value, ...]]:
    return {
        title_of(one.name): tuple(
            "" if value != value else value / effect.divisor  # noqa: PLR0124  # NaN where nothing has a price
            for name, effect in EFFECTS.items()
            for value in getattr(one, name)
        )
        for one in made.swings
    }


Books = Callable[[str], tuple[Computed, Path]]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Books:
    """Workbooks of the small scenarios, each made once."""

    @cache
    def made_once(kind: str) -> tuple[Computed, Path]:
        folder = tmp_path_factory.mktemp(kind)
        computed = case(folder, kind, tables="[]")
        return computed, saved(computed, folder)

    return made_once


@pytest.mark.parametrize("kind", ["training", "priced", "serving"])
def test_every_line_is_the_engine_s_in_every_case(kind: str, book: Books) -> None:
    computed, path = book(kind)
    made = tornado_of(computed)
    assert made.variant == {"training": "zero3", "priced": "other card", "serving": "plain"}[kind]
    assert str(opened(path)[SENSITIVITY]["A2"].value).startswith(f"Variant {made.variant}")
    found = recalculated(path)
    assert not differing(found, cached(path))
    lines = dict(calculated(path, found))
    assert {"headroom_bytes", "fits", "peak_bytes"} <= set(lines)
    for name, values in lines.items():
        if name in made.values:
            assert all(map(same, values, map(float, made.values[name]))), name
    assert told(path, found) == {name: pytest.approx(row) for name, row in expected(made).items()}


CHANGES = [
    ("training", "training", "micro_batch_size", 8),
    ("training", "training", "sequence_length", 2048),
    ("training", "hardware", "accelerator", "mi300x"),
    ("priced", "cost", "goodput", 0.5),
    ("priced", "training", "zero_stage", 3),
    ("serving", "serving", "context_length", 8000),
    ("serving", "serving", "max_num_seqs", 7),
]


@pytest.mark.parametrize(("kind", "section", "field", "value"), part(CHANGES, 3))
def test_a_changed_input_moves_the_table_and_its_order(
    kind: str, section: str, field: str, value: Any, book: Books, tmp_path: Path
) -> None:
    original, path = book(kind)
    found = recalculate_with(path, {input_cell(path, field): value})
    block = dict(original.resolved.loaded.document.data.get(section) or {}) | {field: value}
    changed = case(tmp_path, kind, **{section: "{" + ", ".join(f"{key}: {one}" for key, one in block.items()) + "}"})
    made, before = expected(tornado_of(changed, tornado_of(original).variant)), told(path, cached(path))
    now = told(path, found)
    assert now != before, "the change changes nothing"
    for name in set(now) & set(made):
        assert all(map(same, now[name], made[name])), name
    assert drawn(path, found) == sorted(now, key=lambda name: -round(abs(now[name][1] - now[name][0]), 9))  # type: ignore[operator]


def drawn(path: Path, found: Mapping[Place, Value]) -> list[Value]:
    """The inputs in the order in which the chart of free memory draws them."""
    sheet = opened(path)[SENSITIVITY]
    first = next(row for row in range(1, sheet.max_row) if sheet.cell(row, 4).value == "Rank") + 1
    count = len(told(path, found))
    return [found[SENSITIVITY, f"B{row}"] for row in range(first, first + count)]


def test_the_audit_knows_the_sheet(book: Books, tmp_path: Path) -> None:
    """Each line of the calculation is one formula, and nothing is typed into it."""
    _, path = book("serving")
    assert audit(path).findings == ()
    row, other = (row_of(path, SENSITIVITY, name) for name in ("headroom_bytes", "peak_bytes"))
    copy = load_workbook(path)
    copy[SENSITIVITY][f"G{row}"] = "=H1"
    copy[SENSITIVITY][f"G{other}"] = 1.0
    copy.save(tmp_path / "broken.xlsx")
    found = {(one.rule, one.sheet, one.cell) for one in audit(tmp_path / "broken.xlsx").findings}
    assert {("one-formula", SENSITIVITY, f"G{row}"), ("typed", SENSITIVITY, f"G{other}")} <= found
