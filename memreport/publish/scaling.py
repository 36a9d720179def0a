"""Scaling tables as grids of values, texts and verdicts, with the frontier in words."""

from __future__ import annotations

from typing import Any

from memreport.publish.shown import DOES_NOT_FIT, Grid, Word
from memreport.publish.verdicts import word_of
from memreport.publish.view import View, title_of


def grids(view: View) -> tuple[Grid, ...]:
    """The scaling tables of the scenario, in the order of the file."""
    return tuple(grid(view, at) for at in range(len(view.scenario.tables)))


def grid(view: View, at: int) -> Grid:
    """One scaling table."""
    table = view.scenario.tables[at]
    variant = table.variant or view.variants[0].name
    (row_field, row_values), *_ = table.rows.items()
    column_field, column_values = next(iter(table.columns.items()), ("", [0]))
    points = {(view.resolved.cases[one].row, view.resolved.cases[one].column): one for one in view.resolved.points(at)}
    cells = [[points[row, column] for column in range(len(column_values))] for row in range(len(row_values))]
    words = tuple(tuple(word_of(view, one) for one in row) for row in cells)
    base = next(case for case in view.variants if case.name == variant)
    return Grid(
        title=table.title,
        name=table.figure,
        meaning=view.meaning(table.figure),
        unit=view.unit(table.figure),
        variant=variant,
        row_field=row_field,
        column_field=column_field,
        row_title=title_of(row_field),
        column_title=title_of(column_field) if column_field else "",
        row_labels=tuple(_label(view, row_field, value) for value in row_values),
        column_labels=tuple(_label(view, column_field, value) if column_field else "" for value in column_values),
        row_values=tuple(_number(value) for value in row_values),
        column_values=tuple(_number(value) for value in column_values),
        values=tuple(tuple(view.value(table.figure, one) for one in row) for row in cells),
        texts=tuple(tuple(view.text(table.figure, one) for one in row) for row in cells),
        words=words,
        capacity=view.value("usable_bytes", cells[0][0]),
        asked=(_position(base.settings, row_field, row_values), _position(base.settings, column_field, column_values)),
        frontier=_frontier(words),
    )


def _label(view: View, key: str, value: Any) -> str:
    name = key.rpartition(".")[2]
    if name not in view.fields or isinstance(value, str):
        return str(value)
    return view.worded(name, value)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _position(settings: Any, key: str, values: list[Any]) -> int:
    """Where the variant itself stands on an axis, -1 where it does not."""
    name = key.rpartition(".")[2]
    asked = settings.get(name)
    return next((at for at, value in enumerate(values) if value == asked), -1)


def _frontier(words: tuple[tuple[Word, ...], ...]) -> str:
    points = [word for row in words for word in row]
    fitting = sum(word != DOES_NOT_FIT for word in points)
    if fitting == len(points):
        return "Every point fits."
    return f"{fitting} of {len(points)} points fit." if fitting else "No point fits."
