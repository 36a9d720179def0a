"""Scaling tables as grids of values, texts and verdicts, with the frontier in words."""

from __future__ import annotations

from typing import Any

from memreport.advise.verdict import WHOLE, Word
from memreport.catalogue.names import title_of
from memreport.catalogue.quantities import GIB, brief
from memreport.figures.registry import shown_in
from memreport.report.records.report import Grid
from memreport.report.verdicts import word_of
from memreport.report.view import View, counted

VERDICT = "fits"


def grids(view: View) -> tuple[Grid, ...]:
    """The scaling tables of the scenario, in the order of the file."""
    return tuple(grid(view, index) for index in range(len(view.scenario.tables)))


def grid(view: View, index: int) -> Grid:
    """One scaling table."""
    table = view.scenario.tables[index]
    variant = table.variant or view.variants[0].name
    (row_field, row_values), *_ = table.rows.items()
    column_field, column_values = next(iter(table.columns.items()), ("", [0]))
    points = {
        (view.resolved.cases[point].row, view.resolved.cases[point].column): point
        for point in view.resolved.points(index)
    }
    cells = [[points[row, column] for column in range(len(column_values))] for row in range(len(row_values))]
    words = tuple(tuple(word_of(view, number) for number in row) for row in cells)
    row_labels = tuple(_label(view, row_field, value) for value in row_values)
    column_labels = tuple(_label(view, column_field, value) if column_field else "" for value in column_values)
    marked = table.figure in shown_in("with verdicts", view.workload)
    base = next(case for case in view.variants if case.name == variant)
    return Grid(
        title=table.title,
        name=table.figure,
        meaning=view.meaning(table.figure),
        unit=view.unit(table.figure),
        variant=variant,
        row_title=title_of(row_field),
        column_title=title_of(column_field) if column_field else "",
        row_labels=row_labels,
        column_labels=column_labels,
        values=tuple(tuple(view.value(table.figure, number) for number in row) for row in cells),
        texts=words if table.figure == VERDICT else _texts(view, table.figure, cells),
        words=words,
        capacity=view.value("usable_bytes", cells[0][0]),
        asked=(_position(base.settings, row_field, row_values), _position(base.settings, column_field, column_values)),
        marked=marked,
        frontier=" ".join(
            said
            for said in (_frontier(words) if marked else "", view.spread(table.figure, view.resolved.points(index)))
            if said
        ),
    )


def _label(view: View, key: str, value: Any) -> str:
    name = key.rpartition(".")[2]
    if isinstance(value, str) and name in view.fields and view.fields[name].kind == "choice":
        return value
    if name in view.fields and view.fields[name].kind == "choice":
        return f"{value:g}"
    if name in view.fields and not isinstance(value, str):
        return view.worded(name, value)
    return str(value) if isinstance(value, str) else counted(float(value), view.unit(name))


def _position(settings: Any, key: str, values: list[Any]) -> int:
    """Where the variant itself stands on an axis, -1 where it does not."""
    name = key.rpartition(".")[2]
    asked = settings.get(name)
    return next((index for index, value in enumerate(values) if value == asked), -1)


def _texts(view: View, name: str, cells: list[list[int]]) -> tuple[tuple[str, ...], ...]:
    """In one unit: sizes in GiB where any is as large, times in that of the longest."""
    unit, values = view.unit(name), [[view.value(name, number) for number in row] for row in cells]
    most = max(abs(value) for row in values for value in row)
    if unit == "byte" and most >= GIB:
        return tuple(tuple(brief(value / GIB, "GiB") for value in row) for row in values)
    if unit in ("s", "h") or "/s" in unit:
        return tuple(tuple(brief(value, unit, most) for value in row) for row in values)
    return tuple(tuple(view.text(name, number) for number in row) for row in cells)


def _frontier(words: tuple[tuple[Word, ...], ...]) -> str:
    """How many points fit, in one sentence; which ones, the marks say."""
    points = [word for row in words for word in row]
    fitting = sum(word in WHOLE for word in points)
    if fitting in (0, len(points)):
        return "Every point fits." if fitting else "No point fits."
    return f"{fitting} of {len(points)} points fit."
