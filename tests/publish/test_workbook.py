"""The workbook says what the engine says: as built, recalculated by strangers, and after its inputs were changed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from memreport.compute import Computed
from memreport.figures.registry import PHASES
from memreport.publish.json.scenario import record
from memreport.publish.xlsx.common.draft import FIRST
from tests.built import IDS, KNOWN, published_files
from tests.libreoffice import libreoffice_recalculate_all
from tests.part import part
from tests.publish.workbook_cases import (
    PARTS,
    cached,
    case,
    cells_of_lines,
    differing,
    input_cell,
    lines,
    opened,
    row_of,
    same,
    saved,
    shared_case,
    strangers_differ,
)
from tests.typed_workbook import recalculate_with, recalculated

ALLOWED = {
    "ABS", "CHOOSE", "COLUMNS", "COUNT", "FIXED", "IF", "INDEX", "ISERROR", "LN", "MATCH", "MAX", "MIN", "OR", "POWER",
    "ROUND", "ROUNDDOWN", "ROUNDUP", "SQRT", "SUM", "SUMPRODUCT",
}  # fmt: skip
"""Functions that Excel 2007 knew; none is volatile."""
SHEETS = ["Summary", "Inputs", "Cost", "Roofline", "Calculation", "Hardware", "Reference", "Checks", "Sources"]
IN_FRONT = ("Summary", "Inputs", "Options", "Table ", "Load", "Cost", "Rent or buy")
"""Beginnings of the titles of what readers read; all behind is looked up."""
ADDED = (
    *("Options", "Load", "Sensitivity", "Quotes side by side", "Rent or buy", "FOCUS"),
    *("Documented", "Documented calculation"),
)
"""Sheets that only some workbooks have."""
TYPED_ON = (
    "Inputs",
    "Quotes side by side",
    "Sensitivity",
    "Roofline",
    "Rent or buy",
    "FOCUS",
    "Documented",
    "Documented calculation",
)
"""Sheets with inputs, beside the tables."""
ON_ROOFLINE = ("intensity.", "intensity_loads.", "attainable_flop_per_second.", "bound.", "share_of_step.")
LONGEST_FORMULA = 260


@pytest.fixture(params=[*part(IDS, 6, 1), *PARTS])
def made(request: pytest.FixtureRequest) -> tuple[Computed, Path]:
    """A scenario and its workbook."""
    if request.param in KNOWN:
        return KNOWN[request.param], published_files(request.param).workbook
    return shared_case(request.param)


def test_every_workbook_says_what_the_engine_says_and_keeps_the_rules_of_models(made: tuple[Computed, Path]) -> None:
    computed, path = made
    strangers_agree(computed, path)
    copied_across(path)
    short_and_old(path)
    only_inputs_are_unlocked(path)
    inputs_are_ruled(path)
    charts_are_described(computed, path)
    in_order(computed, path)


def strangers_agree(computed: Computed, path: Path) -> None:
    """Two independent programs and other readers find the engine's values."""
    seen = cached(path)
    assert not strangers_differ(path)
    assert not [place for place, value in seen.items() if isinstance(value, bool)], "1 and 0, never TRUE and FALSE"
    told = list(lines(path, computed))
    assert not [(name, place) for name, place, expected in told if not same(seen[place], expected)]
    says_what_the_json_says(computed, path)
    missing = {line.name for line in computed.lines} - {name for name, place, _ in told if place[0] == "Calculation"}
    assert not [name for name in missing if not name.startswith(ON_ROOFLINE)]


def says_what_the_json_says(computed: Computed, path: Path) -> None:
    """Figures of every variant, and every point of every table: to the last digits."""
    data, seen = record(computed, {}), cached(path)
    figures = [one["inputs"] | one["figures"] for one in data["variants"].values()]
    tables = [(one["figure"], [value for row in one["values"] for value in row]) for one in data["tables"]]
    found = []
    for name, place, at in cells_of_lines(path, computed):
        table = int(place[0].split()[1]) - 1 if place[0].startswith("Table ") else None
        if table is None:
            found.append((place, figures[at][name]))
        elif name == tables[table][0]:
            found.append((place, tables[table][1][computed.resolved.points(table).index(at)]))
    assert len(found) > 150 * len(figures)
    assert not [(place, value) for place, value in found if seen[place] != pytest.approx(value, rel=1e-12)]


def copied_across(path: Path) -> None:
    """Each line is one formula."""
    for sheet in opened(path).worksheets:
        if sheet.title == "Calculation" or sheet.title.startswith("Table"):
            for row in sheet.iter_rows(min_row=row_of(path, sheet.title, "Name") + 1, min_col=FIRST):
                here = [(get_column_letter(cell.column or 0), str(cell.value)) for cell in row if cell.data_type == "f"]
                relative = {re.sub(rf"(?<![$A-Z]){letter}(?=\$?\d)", "@", text) for letter, text in here}
                assert len(relative) <= 1, (sheet.title, row[0].row, relative)


def short_and_old(path: Path) -> None:
    """Formulas hold few, old functions and no typed numbers but 0, 1 and the 9 digits that counts are rounded to."""
    formulas = [str(cell.value) for sheet in opened(path) for row in sheet for cell in row if cell.data_type == "f"]
    bare = [re.sub(r"\"[^\"]*\"|'[^']*'!", "", formula) for formula in formulas]
    assert {word for formula in bare for word in re.findall(r"([A-Z][A-Z0-9.]*)\(", formula)} <= ALLOWED
    assert {one for formula in bare for one in re.findall(r"(?<![A-Z$\d.])\d+\.?\d*", formula)} <= {"0", "1", "9"}
    assert max(map(len, formulas)) <= LONGEST_FORMULA


def only_inputs_are_unlocked(path: Path) -> None:
    """What may be typed is yellow, everything else is locked."""
    for sheet in opened(path).worksheets:
        assert sheet.protection.sheet == (sheet.title != "Inputs"), "whose folded groups have to open"
        for cell in (cell for row in sheet.iter_rows() for cell in row if not cell.protection.locked):
            assert sheet.title in TYPED_ON or sheet.title.startswith("Table"), cell
            assert cell.fill.fgColor.rgb in ("00FFF4CC", "00FDFBF0"), cell


def inputs_are_ruled(path: Path) -> None:
    """Every input has a label, what is allowed, where it came from, and a validation with words."""
    sheet = opened(path)["Inputs"]
    rules = sheet.data_validations.dataValidation
    ruled = {area.min_row for rule in rules for area in rule.sqref.ranges}
    rows = {row[0].row: row for row in sheet.iter_rows(min_row=6) if not row[FIRST - 1].protection.locked}
    assert rows.keys() == ruled, "what is ruled is typed, and what is typed is ruled"
    for row in rows.values():
        assert all(row[at].value for at in (0, 1, 3, 4)), row[1].value
    assert all(rule.showErrorMessage and rule.showInputMessage for rule in rules)


def charts_are_described(computed: Computed, path: Path) -> None:
    """Every sheet has the charts that it should have, with titles and axes that Excel shows."""
    book = opened(path)
    charts = {sheet.title: sheet._charts for sheet in book.worksheets if sheet._charts}  # type: ignore[attr-defined]
    tables = [sheet.title for sheet in book.worksheets if sheet.title.startswith("Table")]
    phases = len(PHASES[computed.resolved.workload])
    compared = any(line.name == "break_even_months" for line in computed.lines)
    priced = {"Cost": 1} if computed.resolved.loaded.scenario.cost else {}
    priced |= {"Rent or buy": 1} if compared else {}
    found = {title: len(drawn) for title, drawn in charts.items() if title not in ADDED or title == "Rent or buy"}
    parts = computed.resolved.workload == "training"  # beside its roofline, where the seconds of a step go
    assert found == {"Summary": 1, "Roofline": phases + parts, **priced, **dict.fromkeys(tables, 1)}
    for chart in (chart for drawn in charts.values() for chart in drawn):
        assert chart.title
        assert all(axis.title and axis.delete is False for axis in (chart.x_axis, chart.y_axis))


def in_order(computed: Computed, path: Path) -> None:
    """The sheets stand as readers expect them, and the cover leads to each."""
    names = opened(path).sheetnames
    expected = [name for name in SHEETS if name != "Cost" or computed.resolved.loaded.scenario.cost]
    assert [name for name in names if not name.startswith("Table") and name not in ADDED] == expected
    links = [cell.hyperlink.location for row in opened(path)["Summary"] for cell in row if cell.hyperlink]
    assert [str(link).rpartition("!")[0].strip("'") for link in links] == names[1:]
    front = [name for name in names if name.startswith(IN_FRONT)]
    assert names[: len(front)] == front
    grey = {name for name in names if opened(path)[name].sheet_properties.tabColor is not None}
    assert grey == set(names) - set(front)


def test_libreoffice_computes_every_value(tmp_path: Path) -> None:
    if shutil.which("soffice") is None and not os.environ.get("CI"):
        pytest.skip("LibreOffice is not installed")
    paths = [published_files(id_).workbook for id_ in part(IDS, 6, 1)]
    for path, found in libreoffice_recalculate_all(paths, tmp_path / "office").items():
        assert not differing(found, cached(path)), path.name


CHANGES = [
    ("training", "hardware", "accelerator", "h100-80gb-sxm"),
    ("training", "hardware", "accelerator", "rtx-4070"),
    ("training", "hardware", "count", 4),
    ("training", "training", "micro_batch_size", 8),
    ("training", "training", "sequence_length", 4096),
    ("training", "training", "zero_stage", 2),
    ("training", "training", "optimizer", "lion"),
    ("training", "training", "precision", "fp32"),
    ("training", "training", "attention", "eager"),
    ("training", "training", "framework", "megatron"),
    ("priced", "cost", "contingency", 0.3),
    ("priced", "cost", "basis", "buy"),
    ("priced", "cost", "hours", 100),
    ("serving", "hardware", "accelerator", "mi300x"),
    ("serving", "serving", "context_length", 8000),
    ("serving", "serving", "kv_cache_dtype", "fp8"),
    ("serving", "serving", "max_num_seqs", 5),
    ("serving", "serving", "engine", "tgi"),
    ("serving", "serving", "gpu_memory_utilization", 0.7),
]


@pytest.fixture(scope="session")
def book() -> Callable[[str], tuple[Computed, Path]]:
    """Workbooks of the scenarios of `PARTS`, each made once."""
    return shared_case


Books = Callable[[str], tuple[Computed, Path]]


@pytest.mark.parametrize(("kind", "section", "field", "value"), part(CHANGES, 3))
def test_a_change_in_the_workbook_is_a_change_of_the_scenario(
    kind: str, section: str, field: str, value: str | float, book: Books, tmp_path: Path
) -> None:
    original, path = book(kind)
    found = recalculate_with(path, {input_cell(path, field): value})
    block = original.resolved.loaded.document.data.get(section) or {}
    text = ", ".join(f"{name}: {one}" for name, one in (dict(block) | {field: value}).items())
    changed = case(tmp_path, kind, **{section: f"{{{text}}}"})
    told, before = list(lines(path, changed)), cached(path)
    assert any(not same(before[place], expected) for _, place, expected in told), "the change changes nothing"
    assert not [(name, place) for name, place, expected in told if not same(found[place], expected)]
    assert found["Checks", "F5"] == 0
    assert float(found["Checks", "F6"]) >= 1


def test_a_summary_without_a_price_says_how_long_the_run_takes(book: Books) -> None:
    _, path = book("training")
    titles = [str(cell.value) for row in opened(path)["Summary"].iter_rows() for cell in row if cell.value]
    assert any(title.startswith("Run time (") for title in titles)
    assert not any(title.endswith("(USD)") for title in titles)


def edited(path: Path, folder: Path, sheet: str, place: str, value: float) -> Path:
    """The workbook as another program saves it after a cell was typed over."""
    copy = load_workbook(path)
    copy[sheet][place] = value
    copy.save(folder / "edited.xlsx")
    return folder / "edited.xlsx"


def test_a_variant_can_be_changed_alone(book: Books, tmp_path: Path) -> None:
    computed, path = book("training")
    found = recalculated(edited(path, tmp_path, *input_cell(path, "micro_batch_size", at=1), 8))
    row = row_of(path, "Calculation", "activation_bytes")
    assert same(found["Calculation", f"F{row}"], float(computed.values["activation_bytes"][0]))
    assert float(found["Calculation", f"G{row}"]) > 3 * float(computed.values["activation_bytes"][1])


def test_a_constant_in_place_of_a_formula_fails_the_checks(book: Books, tmp_path: Path) -> None:
    _, path = book("training")
    place = f"F{row_of(path, 'Calculation', 'activation_bytes')}"
    found = recalculated(edited(path, tmp_path, "Calculation", place, 1e9))
    assert float(found["Checks", "F5"]) >= 1
    assert found["Checks", "F7"] == "CHECKS FAIL"


def test_an_override_typed_into_the_workbook_replaces_the_figure(book: Books) -> None:
    _, path = book("training")
    found = recalculate_with(path, {input_cell(path, "parameters (override)"): 1e9})
    row = row_of(path, "Calculation", "parameters")
    assert [found["Calculation", f"{column}{row}"] for column in "FGH"] == [1e9, 1e9, 7e9]
    assert found["Checks", "F5"] == 0


def test_the_roofline_follows_its_drop_down(book: Books) -> None:
    computed, path = book("training")
    found = recalculate_with(path, {("Roofline", "B5"): "other model"})
    for kernel in ("mlp", "norm", "optimizer_step"):
        row = row_of(path, "Roofline", kernel)
        for column, name in {"G": "intensity", "I": "attainable_flop_per_second", "M": "share_of_step"}.items():
            assert same(found["Roofline", f"{column}{row}"], float(computed.values[f"{name}.{kernel}"][3]))


def test_a_grid_follows_its_yellow_cells(book: Books) -> None:
    _, path = book("training")
    sheet = next(name for name in opened(path).sheetnames if name.startswith("Table 1"))
    found = recalculate_with(path, {(sheet, "E8"): 4096, (sheet, "G6"): "a100-80gb-sxm"})
    assert same(found[sheet, "F8"], found[sheet, "G8"])


def test_a_gpu_without_a_price_fails_the_checks(book: Books) -> None:
    _, path = book("priced")
    found = recalculate_with(path, {input_cell(path, "accelerator"): "v100-32gb-sxm"})
    assert float(found["Checks", "F5"]) >= 1, "a bill that is not made for want of a price"
    said = found["Summary", f"C{row_of(path, 'Summary', 'Master check')}"]
    assert str(said).endswith(": see Checks")


def test_text_of_the_scenario_never_becomes_a_formula(tmp_path: Path) -> None:
    computed = case(
        tmp_path,
        "serving",
        title='"=1+1"',
        question='"+cmd"',
        variants='\n  "=SUM(A1)": {}\n  "@risk": {serving.max_num_seqs: 2}',
        tables='\n  - {title: "=2*3", figure: peak_bytes, rows: {serving.max_num_seqs: [1, 2]}}',
    )
    book = opened(saved(computed, tmp_path))
    texts = [book["Summary"]["A1"], book["Summary"]["A2"], book["Inputs"]["F5"], book["Table 1 Peak memory"]["A1"]]
    assert [cell.data_type for cell in texts] == ["s"] * 4


def test_two_builds_are_the_same_bytes(tmp_path: Path) -> None:
    assert saved(case(tmp_path, "training"), tmp_path).read_bytes() == shared_case("training")[1].read_bytes()


def test_a_scenario_without_a_price_has_no_cost() -> None:
    _, path = shared_case("serving")
    assert "Cost" not in opened(path).sheetnames
    assert not [cell for row in opened(path)["Inputs"] for cell in row if cell.value == "contingency"]
