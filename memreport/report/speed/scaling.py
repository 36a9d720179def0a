"""Scaling tables as grids of values, texts and verdicts, with the frontier in words."""

from __future__ import annotations

from typing import Any

from memreport.advise.verdict import WHOLE, Word, host_lacks
from memreport.catalogue.names import title_of
from memreport.catalogue.quantities import GIB, brief
from memreport.figures.registry import shown_in
from memreport.report.records.report import Grid, GridAxis, GridFigure, GridPoints
from memreport.report.verdicts import word_of
from memreport.report.view import View, counted
from memreport.resolve import Case

VERDICT = "fits"
NO_AXIS: tuple[str, list[Any]] = ("", [])


def grids(view: View) -> tuple[Grid, ...]:
    """The scaling tables of the scenario, in the order of the file."""
    return tuple(grid(view, index) for index in range(len(view.scenario.tables)))


def grid(view: View, index: int) -> Grid:
    """One scaling table."""
    table = view.scenario.tables[index]
    base = next(case for case in view.variants if case.name == (table.variant or view.variants[0].name))
    fields = next(iter(table.rows.items())), next(iter(table.columns.items()), NO_AXIS)
    down, across = (_axis(view, base, *field) for field in fields)
    cells = _cells(view, index, len(down.labels), len(across.labels))
    words = tuple(tuple(word_of(view, number) for number in row) for row in cells)
    marked = table.figure in shown_in("with verdicts", view.workload)
    shown = (_frontier(words), _of_the_host(view, cells)) if marked else ()
    said = (*shown, view.spread(table.figure, view.resolved.points(index)))
    return Grid(
        title=table.title,
        figure=GridFigure(table.figure, view.meaning(table.figure), view.unit(table.figure)),
        variant=base.name,
        down=down,
        across=across,
        points=GridPoints(
            tuple(tuple(view.value(table.figure, number) for number in row) for row in cells),
            words if table.figure == VERDICT else _texts(view, table.figure, cells),
            words,
        ),
        capacity=view.value("usable_bytes", cells[0][0]),
        marked=marked,
        frontier=" ".join(filter(None, said)),
    )


def _axis(view: View, base: Case, field: str, values: list[Any]) -> GridAxis:
    """The values of a field; of no field, one column without a name."""
    if not field:
        return GridAxis("", ("",), -1)
    labels = tuple(_label(view, field, value) for value in values)
    return GridAxis(title_of(field), labels, _position(base.settings, field, values))


def _cells(view: View, index: int, rows: int, columns: int) -> list[list[int]]:
    """The case behind each point of a table, row by row."""
    cases = {(view.resolved.cases[point].row, view.resolved.cases[point].column): point
             for point in view.resolved.points(index)}  # fmt: skip
    return [[cases[row, column] for column in range(columns)] for row in range(rows)]


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


def _of_the_host(view: View, cells: list[list[int]]) -> str:
    """That some points have room on the GPU and fail all the same; nothing where none does."""
    listed = [number for row in cells for number in row]
    lacking = any(host_lacks(word_of(view, number), view.value("headroom_bytes", number)) for number in listed)
    return "Where the GPU has room, the host lacks memory for what is offloaded." if lacking else ""
