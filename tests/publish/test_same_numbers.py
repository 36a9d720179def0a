"""Every number of the sheet is that of the JSON, after rounding; the workbook's tests compare it with the JSON."""

from __future__ import annotations

import json
import re
from functools import cache
from html.parser import HTMLParser
from math import floor, fsum, log10

import pytest

from memreport.advise.decide import decide
from memreport.catalogue.quantities import parse_quantity
from memreport.compute import Computed
from memreport.figures.beside import seconds_of
from memreport.figures.registry import figures_by_name
from memreport.publish.json.scenario import record
from memreport.publish.pdf.sheet import sheet_html
from memreport.publish.svg.roofline import roofline_drawing
from memreport.publish.xlsx.scenario.speed.roofline import COLUMNS
from memreport.publish.xlsx.scenario.speed.step_time import TITLE as SECONDS
from memreport.report.view import View
from tests.built import IDS, published_files
from tests.publish.pages import text_of
from tests.publish.workbook_cases import cached, opened, row_of
from tests.support import published

each = pytest.mark.parametrize("computed", published(), ids=IDS)
NUMBER = re.compile(r"-?[0-9][0-9,]*(\.[0-9]+)?(e[-+]?[0-9]+)?")
PER_MILLION = "/M tokens"
LEAST = 5
"""Figures that a sheet shows at least."""
OF_RUN = ("training_hours",)
"""Shown of the whole run by the clock, of which the JSON has another name for the useful part."""


class Cells(HTMLParser):
    """Texts of the elements that say of which figure and variant, or of which point of a table, they are."""

    def __init__(self) -> None:
        super().__init__()
        self.open: tuple[str, str] | None = None
        self.found: list[tuple[tuple[str, str], str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "data-figure" in given or "data-table" in given:
            figure, place = (
                given.get("data-figure", given.get("data-table")),
                given.get("data-variant", given.get("data-at")),
            )
            self.open = str(figure), str(place)
            self.found.append((self.open, ""))
        elif tag in ("td", "th", "p"):
            self.open = None

    def handle_endtag(self, tag: str) -> None:
        self.open = None if tag in ("td", "p") else self.open

    def handle_data(self, data: str) -> None:
        if self.open:
            self.found[-1] = self.open, self.found[-1][1] + data


@cache
def cells(id_: str) -> list[tuple[tuple[str, str], str]]:
    reader = Cells()
    reader.feed(sheet_html(published_files(id_).report))
    return reader.found


def read(text: str, unit: str) -> tuple[float, float, float] | None:
    """The number that a text says, in base units, how far it may be rounded, the size of its unit; None for words."""
    plain = text.replace("−", "-").replace("\u00a0", " ").strip(" ✓!…✗*\n")
    if plain.startswith(("$", "-$")):
        plain = plain.replace("$", "", 1)
        plain = plain.replace(PER_MILLION, " USD/Mtoken") if PER_MILLION in plain else plain.replace("/h", " USD/h")
    match = NUMBER.match(plain)
    if not match:
        return None
    digits, rest = match[0].replace(",", ""), plain[match.end() :]
    whole = digits.partition("e")[0].partition(".")
    step = 10.0 ** -len(whole[2]) * 10 ** int(digits.partition("e")[2] or 0)
    words = {"billion": 1e9, "million": 1e6, "trillion": 1e12}
    scale = next((size for word, size in words.items() if word in rest), 1.0)
    name = rest.replace("billion", "").replace("million", "").replace("trillion", "").strip().replace("µs", "us")
    factor = parse_quantity(f"1 {name}" if name else 1.0, unit) * scale
    return float(digits) * factor, step * factor / 2, factor


def in_three_digits(text: str, unit: str, value: float) -> bool:
    """Whether a text says a value to three significant digits, as people read them."""
    found = read(text, unit)
    if found is None or not value:
        return False
    size = abs(value) / found[2]
    return abs(found[0] - value) <= 0.5 * 10.0 ** (floor(log10(size)) - 2) * found[2] * (1 + 1e-9)


def agrees(text: str, unit: str, value: float) -> bool:
    found = read(text, unit)
    return found is not None and abs(found[0] - value) <= found[1] * (1 + 1e-9) + 1e-12 * abs(value)


@pytest.mark.parametrize("id_", IDS)
def test_every_number_of_the_page_is_in_the_pdf(id_: str) -> None:
    drawn = set(text_of(published_files(id_).sheet).split())
    told = cells(id_)
    assert len(told) > LEAST
    assert [(place, text) for place, text in told if not set(text.split()) <= drawn] == []


@each
def test_figures_of_the_sheet_are_those_of_the_json(computed: Computed) -> None:
    made = decide(computed).computed
    view, data = View(made), record(made, {})
    words = {line.name for line in computed.lines if line.figure.labels}
    wrong, checked = [], 0
    for (figure, variant), text in cells(computed.resolved.loaded.scenario.id):
        if figure.isdigit() or figure in words:
            continue
        one = data["variants"][variant]
        value = one["figures"].get(figure, one["inputs"].get(figure))
        unit = view.unit(figure)
        if figure.startswith("peak_parts."):
            value, unit = one["peak_parts"][figure.removeprefix("peak_parts.")], "byte"
        value = abs(value) if figure == "headroom_bytes" and "−" not in text else value
        if figure in OF_RUN:
            continue
        checked += 1
        if not agrees(text, unit, value) and not in_three_digits(text, unit, value):
            wrong.append((figure, variant, text, value))
    assert wrong == []
    assert checked > LEAST
    for one in data["variants"].values():
        assert fsum(one["peak_parts"].values()) == pytest.approx(one["figures"]["peak_bytes"], rel=1e-12)


@each
def test_tables_of_the_sheet_are_those_of_the_json(computed: Computed) -> None:
    report, tables = published_files(computed.resolved.loaded.scenario.id).report, record(computed, {})["tables"]
    found = [(int(table), at, text) for (table, at), text in cells(report.identity.id) if table.isdigit()]
    assert (
        len(found) >= min(len(row) for grid in report.grids for row in grid.points.texts) if report.grids else not found
    )
    for table, at, text in found:
        row, column = map(int, at.split(","))
        figure = figures_by_name(computed.resolved.workload)[report.grids[table].figure.name]
        if not figure.labels and figure.name != "fits":
            unit, value = report.grids[table].figure.unit, tables[table]["values"][row][column]
            holds = in_three_digits if unit == "byte" and value else agrees  # sizes as in every other table
            assert holds(text, unit, value), (table, at, text)


def test_seconds_and_reached_rates_are_those_of_the_json_in_sheet_and_workbook() -> None:
    files = published_files("qlora-7b-rtx4070")
    report, values = files.report, cached(files.workbook)
    figures = json.loads(files.data)["variants"][report.chosen]["figures"]
    names = list(json.loads(files.data)["variants"])
    titles = row_of(files.workbook, "Roofline", f"{SECONDS} (s)") + 1
    row = titles + 1 + names.index(report.chosen)
    heads = {cell.value: cell.coordinate.rstrip("0123456789") for cell in opened(files.workbook)["Roofline"][titles]}
    told = " ".join(text_of(files.sheet).lower().split())
    assert report.budget is not None
    assert len(report.budget.seconds) > 3
    for part in report.budget.seconds:
        column = heads[part.id.partition(".")[2]]
        assert part.value == figures[part.id] == pytest.approx(float(values["Roofline", f"{column}{row}"]), rel=1e-9)
        assert agrees(part.text, "s", part.value)
        assert f"{part.title} {part.text}".lower() in told
    for kernel in report.speed.rooflines[0].kernels:
        seconds = fsum(figures[line] for line in seconds_of(kernel.id, "training"))
        place = "Roofline", f"{COLUMNS['reached']}{row_of(files.workbook, 'Roofline', kernel.id)}"
        assert kernel.reached.value == pytest.approx(figures[f"{kernel.id}_flop"] / seconds if seconds else 0, rel=1e-9)
        assert float(values.get(place) or 0) == pytest.approx(kernel.reached.value, rel=1e-9)
        assert not kernel.reached.value or kernel.reached.text in roofline_drawing(report.speed.rooflines[0]).svg()


@pytest.mark.parametrize(
    ("text", "unit", "value", "right"),
    [
        ("140.6 GiB", "byte", 140.6 * 2**30, True),
        ("140.6 GiB", "byte", 140.7 * 2**30, False),
        ("$6,136.76", "USD", 6136.764, True),
        ("$0.428/M tokens", "USD/token", 0.428e-6, True),
        ("−1,583 %", "share", -15.83, True),
        ("1 billion tokens", "token", 1e9, True),
        ("5.13 min", "s", 5.13 * 60, True),
        ("51.3 min", "s", 5.13 * 60, False),
    ],
)
def test_texts_are_read_as_people_read_them(text: str, unit: str, value: float, right: bool) -> None:
    assert agrees(text, unit, value) is right
