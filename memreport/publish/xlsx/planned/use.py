"""The sheets Load and GPU-hours: who runs when on which GPUs, and by month what is there, used, short and idle."""

from __future__ import annotations

from typing import Any

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.portfolio.calendar import HOURS_PER_DAY
from memreport.portfolio.load import TypeUse
from memreport.publish.xlsx.planned.places import (
    COLUMNS,
    DAY,
    DAYS,
    ENTRIES,
    FIRST_ENTRY,
    FIRST_MONTH,
    FIRST_THERE,
    FIRST_TYPE,
    GPUS,
    HOURS_OF_A_DAY,
    LOAD,
    USE,
    PortfolioDraft,
)
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import DECIMAL, HEADER_NUMBER, LABEL, MONEY, WHOLE, given, number
from memreport.report.portfolio.tables import hours_words

USES = {
    "there": "are there", "used": "in use", "short": "short, rented", "idle": "idle", "cost": "cost, USD",
    "rate": "USD a GPU-hour",
}  # fmt: skip
"""Rows of each type of GPU."""


def use_row(index: int, name: str) -> int:
    """The row of one number of a type."""
    return FIRST_ENTRY + index * len(USES) + list(USES).index(name)


def write_load(made: PortfolioDraft) -> None:
    """Steps of time between which nothing changes; GPUs there and in use, and who runs on those that are there."""
    sheet = made.sheet(LOAD, "Every day on which something begins or ends, sorted, and the GPUs from then on.")
    heads = ["Step", "A day", "From day", "Days"]
    for use in made.uses:
        heads += [f"{use.accelerator} there", f"{use.accelerator} in use"]
    heads += [f"{position + 1} {name}" for position, name in enumerate(made.planned.jobs.named.scenarios)]
    sheet.widths(6, 10, 10, 10, *[14] * (len(heads) - 4))
    sheet.row(FIRST_ENTRY - 1, 1, heads, HEADER_NUMBER)
    edges, taken = made.edges / HOURS_PER_DAY, _taken(made)
    for index, (source, value) in enumerate(_points(made)):
        row = FIRST_ENTRY + index
        sheet.put(row, 1, float(index + 1), given(WHOLE))
        sheet.put(row, 2, Formula(source, value), number(DAY))
        _step(made, sheet, index, edges)
        _types(made, sheet, index)
        for entry in range(made.count):
            gpus = Formula(_taken_by(made, entry, row), float(taken[entry][index]))
            sheet.put(row, FIRST_TYPE + 2 * len(made.uses) + entry, gpus, number(DECIMAL))


def _step(made: PortfolioDraft, sheet: Sheet, index: int, edges: Numbers) -> None:
    """From which day a step lasts, and how long: the next in order of all days, within the horizon."""
    row = FIRST_ENTRY + index
    end = f"{DAYS}!${letter(FIRST_MONTH + len(made.months))}${FIRST_ROW}"
    found = f"SMALL($B${made.steps[0]}:$B${made.steps[1]},$A{row})"
    sheet.put(row, 3, Formula(f"MIN({end},MAX(0,{found}))", float(edges[index])), number(DAY))
    last = index == len(edges) - 1
    days = 0.0 if last else float(edges[index + 1] - edges[index])
    sheet.put(row, 4, Formula(f"{end}-C{row}" if last else f"C{row + 1}-C{row}", days), number(DAY))


def _points(made: PortfolioDraft) -> list[tuple[str, float]]:
    """Where each day stands that the steps are sorted from, and its value."""
    calendar, jobs = made.planned.portfolio.calendar, made.planned.jobs
    found = [
        (f"{DAYS}!{letter(FIRST_MONTH + position)}${FIRST_ROW}", hour)
        for position, hour in enumerate(calendar.edges.tolist())
    ]
    for name, hours in (("start", jobs.start), ("end", jobs.stop)):
        found += [
            (f"{ENTRIES}!{COLUMNS[name]}{FIRST_ENTRY + position}", hour) for position, hour in enumerate(hours.tolist())
        ]
    for index, span in enumerate(made.spans):
        found += [(f"{GPUS}!{column}{FIRST_ENTRY + index}", hour) for column, hour in zip("DE", span, strict=True)]
    return [(source, hour / HOURS_PER_DAY) for source, hour in found]


def _running(made: PortfolioDraft, row: int) -> str:
    """Which entries run at a step, as ones and zeros."""
    return f"({made.entries('start')}<=$C{row})*({made.entries('end')}>$C{row})"


def _types(made: PortfolioDraft, sheet: Sheet, step: int) -> None:
    row, edges = FIRST_ENTRY + step, made.edges
    for index, use in enumerate(made.uses):
        of = f'"{use.accelerator}"'
        spans = f"({made.gpus('D')}<=$C{row})*({made.gpus('E')}>$C{row})"
        there = f"SUMPRODUCT(({made.gpus('A')}={of})*{spans}*{made.gpus('C')})"
        used = f"SUMPRODUCT(({made.entries('accelerator')}={of})*{_running(made, row)}*{made.entries('gpus')})"
        now = float(edges[step])
        values = _there_at(made, use, now), float(_running_at(made, use, now).sum())
        for more, (formula, value) in enumerate(zip((there, used), values, strict=True)):
            sheet.put(row, FIRST_TYPE + 2 * index + more, Formula(formula, value), number(DECIMAL))


def _there_at(made: PortfolioDraft, use: TypeUse, now: float) -> float:
    """GPUs of a type that are there at an hour."""
    given_ = made.planned.portfolio.given
    rows = zip((*given_.owned, *given_.reserved), made.spans, strict=True)
    return float(sum(row.count for row, (a, b) in rows if row.accelerator == use.accelerator and a <= now < b))


def _running_at(made: PortfolioDraft, use: TypeUse, now: float) -> Numbers:
    jobs = made.planned.jobs
    of = np.array([name == use.accelerator for name in jobs.named.accelerators])
    return np.asarray(of * (jobs.start <= now) * (jobs.stop > now) * jobs.gpus)


def _taken_by(made: PortfolioDraft, entry: int, row: int) -> str:
    """GPUs that are there on which an entry runs: what those before it in turn leave."""
    index = [use.accelerator for use in made.uses].index(made.planned.jobs.named.accelerators[entry])
    own = {name: f"{ENTRIES}!${COLUMNS[name]}${FIRST_ENTRY + entry}" for name in COLUMNS}
    before = f"({made.entries('accelerator')}={own['accelerator']})*({made.entries('rank')}<{own['rank']})"
    earlier = f"SUMPRODUCT({before}*{_running(made, row)}*{made.entries('gpus')})"
    left = f"MAX(0,{made.type_column(index)}{row}-{earlier})"
    return f"IF(AND({own['start']}<=$C{row},{own['end']}>$C{row}),MIN({own['gpus']},{left}),0)"


def _taken(made: PortfolioDraft) -> Numbers:
    """The same at build: entries by steps."""
    jobs, edges = made.planned.jobs, made.edges
    found = np.zeros((made.count, len(edges)))
    order = np.lexsort((np.arange(made.count), jobs.start, jobs.priority))
    for use in made.uses:
        left = np.array([_there_at(made, use, float(now)) for now in edges])
        for index in order:
            if jobs.named.accelerators[index] == use.accelerator:
                runs = (jobs.start[index] <= edges) & (jobs.stop[index] > edges)
                found[index] = np.where(runs, np.minimum(left, jobs.gpus[index]), 0.0)
                left = left - found[index]
    return found


def write_use(made: PortfolioDraft) -> None:
    """By type and month: GPU-hours that are there, in use, short and idle; what those that are there cost an hour."""
    sheet = made.sheet(USE, f"GPU-hours by month; short ones are rented. {hours_words(made.planned)}".rstrip())
    sheet.widths(30, 16, *[11] * len(made.months))
    sheet.row(FIRST_ENTRY - 1, FIRST_MONTH, list(made.months), HEADER_NUMBER)
    for index, use in enumerate(made.uses):
        for name, title in USES.items():
            sheet.row(use_row(index, name), 1, [use.accelerator, title], LABEL)
        for month in range(len(made.months)):
            _use(made, sheet, index, month)


def _use(made: PortfolioDraft, sheet: Sheet, index: int, month: int) -> None:
    use, column = made.uses[index], letter(FIRST_MONTH + month)
    cost = made.planned.spend.capacity.get(use.accelerator)
    whole = float(cost.effective[month]) if cost else 0.0
    hours = {name: float(getattr(use, name)[month]) for name in ("there", "used", "short", "idle")}
    values: dict[str, Any] = hours | {"cost": whole, "rate": whole / hours["there"] if hours["there"] else 0.0}
    formulas = _formulas(made, index, month, column)
    for name, value in values.items():
        live = made.is_live or name in ("cost", "rate")
        shown = MONEY if name in ("cost", "rate") else WHOLE
        content = Formula(formulas[name], value) if live else value
        sheet.put(use_row(index, name), FIRST_MONTH + month, content, number(shown) if live else given(shown))


def _formulas(made: PortfolioDraft, index: int, month: int, column: str) -> dict[str, str]:
    there, used = (made.step(made.type_column(index, what)) for what in (0, 1))
    hours = f"{HOURS_OF_A_DAY}*SUMPRODUCT({made.in_month(month)}*"
    gpus = letter(FIRST_THERE + month)
    rows = {name: f"{column}{use_row(index, name)}" for name in USES}
    return {
        "there": f"{hours}{there})",
        "used": f"{hours}{used})",
        "short": f"{hours}({used}>{there})*({used}-{there}))",
        "idle": f"{hours}({there}>{used})*({there}-{used}))",
        "cost": f"SUMPRODUCT(({made.gpus('A')}=$A{use_row(index, 'cost')})*{made.gpus(gpus)})",
        "rate": f"IF({rows['there']}>0,{rows['cost']}/{rows['there']},0)",
    }
