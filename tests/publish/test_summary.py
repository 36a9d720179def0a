"""The Summary says what the report says, follows the inputs, and the front sheets take few pages."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from memreport.advise.decide import decide
from memreport.build.outputs import files_of, reported
from memreport.catalogue.quantities import GIB
from memreport.publish.xlsx.file.cells import Place, Value
from memreport.publish.xlsx.scenario.front.answer import FAILING, UNKNOWN
from memreport.publish.xlsx.scenario.front.said import as_fixed, fixed, said, where_number
from memreport.publish.xlsx.sheet.book import Formula
from memreport.publish.xlsx.sheet.paper import ACROSS, SMALLEST
from memreport.report.live.levers import LEVERS
from memreport.report.records.report import Report
from tests.built import IDS, published_files
from tests.part import part
from tests.publish.same_pairs import SCALED
from tests.publish.workbook_cases import cached, case, input_cell, opened, row_of, same, saved
from tests.support import run, scenario_text
from tests.typed_workbook import recalculate_with

MOST_PAGES = 10
FRONT = ("Summary", "Inputs", "Options", "Table ", "Cost", "Rent or buy")


def rows_below(path: Path, heading: str, count: int, found: dict[Place, Value]) -> list[list[Value]]:
    """What stands below the titles of a table of the Summary, as a reader sees it."""
    sheet, first = opened(path)["Summary"], row_of(path, "Summary", heading) + 1
    rows = sheet.iter_rows(min_row=first, max_row=first + count - 1, min_col=2, max_col=9)
    return [[_seen(found, cell) for cell in row] for row in rows]


def _seen(found: dict[Place, Value], cell: Cell | MergedCell) -> Value:
    typed = "" if cell.value is None else cell.value
    assert isinstance(typed, str | float | int)
    return found.get(("Summary", cell.coordinate), typed)


@pytest.mark.parametrize("id_", ["llama3-70b-8xa100", "serving-mi300x"])
def test_variants_and_options_are_those_of_the_report(id_: str) -> None:
    made = published_files(id_)
    report, path = made.report, made.workbook
    assert report.answer
    for one, shown in zip(report.rows, rows_below(path, "Variant", len(report.rows), cached(path)), strict=True):
        told: list[Value] = [
            one.word,
            one.memory.peak.value / GIB,
            one.memory.usable.value / GIB,
            one.memory.headroom.value / GIB,
        ]
        scale = SCALED.get(one.takes.time.amount.text.rpartition(" ")[2], 1) if one.takes.time else 1
        told += [part.amount.value / by if part else "–" for part, by in ((one.takes.time, scale), (one.takes.cost, 1))]
        assert all(same(a, b) for a, b in zip(shown[1:7], told, strict=True)), one.name
    options = rows_below(path, "Option", len(report.answer.options), cached(path))
    for option, line in zip(report.answer.options, options, strict=True):
        assert str(line[0]).startswith(option.role.value)
        assert line[1] == option.word
        assert same(line[2], option.memory.peak.value / GIB)


@pytest.mark.parametrize("id_", ["llama3-70b-8xa100", "serving-mi300x"])
def test_the_answer_of_every_output_is_the_first_thing_that_the_workbook_says(id_: str) -> None:
    made = published_files(id_)
    answer = made.report.answer
    assert answer
    assert opened(made.workbook).sheetnames[0] == "Summary"
    lines = [str(cached(made.workbook).get(("Summary", f"B{row}"), "")) for row in range(3, 12)]
    assert " ".join(line for line in lines if line).startswith(f"{answer.headline} {answer.detail}")


def advised(folder: Path, **replaced: str) -> tuple[Report, Path]:
    """A priced scenario that does not fit as submitted, with what is recommended as a column."""
    training = "{precision: bf16-mixed, micro_batch_size: 1, sequence_length: 1024, training_tokens: 1e9}"
    decision = decide(case(folder, "priced", variants="{plain: {}}", **{"training": training} | replaced))
    report = reported(decision, derived=False)
    path = folder / "case.xlsx"
    path.write_bytes(files_of(decision, report, ("xlsx",))["case.xlsx"])
    return report, path


def test_the_answer_follows_the_inputs(tmp_path: Path) -> None:
    """As built it is the report's; after an edit it says what the chosen column then gives."""
    report, path = advised(tmp_path)
    assert report.answer
    assert str(cached(path)["Summary", "B4"]).startswith(report.answer.headline[:60])
    found = recalculate_with(path, {input_cell(path, "micro_batch_size"): 64.0})
    head, below = str(found["Summary", "B4"]), " ".join(str(found.get(("Summary", f"B{row}"), "")) for row in (5, 6, 7))
    at = [one.name for one in report.rows].index(report.chosen) if report.answer.chosen.own else len(report.rows)
    column = get_column_letter(6 + at)
    peak, usable = (float(found[calculated(path, name, column)]) / GIB for name in ("peak_bytes", "usable_bytes"))
    word = found[calculated(path, "verdict (words)", column)]
    assert head.startswith(
        f"Inputs changed. {report.chosen}: {word}, peak {as_fixed(peak, 1)} of {as_fixed(usable, 1)}"
    )
    assert "memreport plan searches again" in below
    assert peak > 1.5 * report.answer.chosen.memory.peak.value / GIB


def test_what_does_not_run_has_no_time_and_no_cost(tmp_path: Path) -> None:
    _, path = advised(tmp_path)
    found = recalculate_with(path, {input_cell(path, "micro_batch_size"): 4096.0})
    (first,) = rows_below(path, "Variant", 1, found)
    assert first[1] == "Does not fit"
    assert first[5:7] == ["–", "–"]


def _answer_after(path: Path, typed: dict[str, Value]) -> list[str]:
    found = recalculate_with(path, {input_cell(path, name): value for name, value in typed.items()})
    return [str(found.get(("Summary", f"B{row}"), "")) for row in (4, 5, 6)]


def test_a_changed_workbook_says_what_does_not_count_or_hold(tmp_path: Path) -> None:
    path = saved(run(tmp_path, scenario_text(workload="serving", cost="{price: 2.5 USD/h, months: 1}")), tmp_path)
    other: dict[str, Value] = {"accelerator": "h200-141gb-sxm", "usd_per_accelerator_hour (override)": 5.0}
    assert "The price on Inputs is of a100-80gb-sxm: not counted." in _answer_after(path, other)[0]
    stated: dict[str, Value] = {"usd_per_accelerator_hour (stated for)": "h200-141gb-sxm"}
    assert "not counted" not in _answer_after(path, other | stated)[0]
    assert _answer_after(path, {"accelerator": "nonsense"})[:2] == [UNKNOWN, ""]
    assert _answer_after(path, {"months": -5.0})[0].startswith(FAILING)


def calculated(path: Path, name: str, column: str) -> Place:
    return "Calculation", f"{column}{row_of(path, 'Calculation', name)}"


@pytest.mark.parametrize("kind", ["training", "serving", "priced"])
def test_levers_stand_first_and_the_rest_is_folded(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "case.xlsx"
    decision = decide(case(tmp_path, kind))
    path.write_bytes(files_of(decision, reported(decision, derived=False), ("xlsx",))["case.xlsx"])
    sheet = opened(path)["Inputs"]
    names = {row[0].value: row[0].row for row in sheet.iter_rows(min_row=7, max_col=1) if row[0].value}
    shown = [name for name, row in names.items() if not sheet.row_dimensions[row].hidden]
    wanted = [name for name in LEVERS[decision.scenario.resolved.workload] if name in shown]
    assert shown[: len(wanted)][:6] == wanted[:6]
    assert len(wanted) >= 6
    folded = [row for row in names.values() if sheet.row_dimensions[row].hidden]
    assert len(folded) > 20
    assert all(sheet.row_dimensions[row].outlineLevel == 1 for row in folded)


def test_sentences_of_formulas_say_their_values() -> None:
    assert fixed(Formula("A1", 1234.5)) == Formula("FIXED(ROUND(A1,0),0)", "1,235")
    assert [as_fixed(0.25, 1), as_fixed(-0.04, 1), as_fixed(62.65, 1), as_fixed(-1266.29, 1)] == [
        "0.3", "0.0", "62.7", "-1,266.3"
    ]  # fmt: skip
    assert said('say "so" ', Formula("A1", "on")) == Formula('"say ""so"" "&A1', 'say "so" on')
    assert where_number(Formula("A1", "–"), "x").value == ""


def pages_of(path: Path) -> int:
    """Pages on which the front sheets print: down by the ends of pages that are set, across by the widths."""
    front = [sheet for sheet in opened(path).worksheets if sheet.title.startswith(FRONT)]
    return sum(_across(sheet) * (len(sheet.row_breaks.brk) + 1) for sheet in front)


def _across(sheet: Worksheet) -> int:
    """Pages side by side: one where a sheet is fitted to the page, else as its printed columns need at its scale."""
    fit = sheet.sheet_properties.pageSetUpPr
    if fit is not None and fit.fitToPage:
        return 1
    left, _, right, _ = range_boundaries(sheet.print_area.rpartition("!")[2])
    widths = [sheet.column_dimensions[get_column_letter(at)].width for at in range(int(left or 1), int(right or 1) + 1)]
    return math.ceil(sum(widths) / (ACROSS / SMALLEST))


@pytest.mark.parametrize("id_", part(IDS, 2))
def test_front_sheets_print_on_few_pages(id_: str) -> None:
    assert pages_of(published_files(id_).workbook) <= MOST_PAGES
