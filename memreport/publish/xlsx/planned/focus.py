"""The sheet FOCUS: every row of a month that a cost tool could load, whose costs follow what is typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memreport.publish.xlsx.planned.gpus import month_column
from memreport.publish.xlsx.planned.places import (
    BORNE,
    COLUMNS,
    COVERED,
    DAYS,
    ENTRIES,
    FIRST_ENTRY,
    FIRST_MONTH,
    FOCUS,
    HOURS_OF_A_DAY,
    SPEND,
    UNIT,
    USE_SHEET,
    PortfolioDraft,
)
from memreport.publish.xlsx.planned.use import use_row
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import HEADER, LABEL, MONEY, number
from memreport.report.portfolio.focus import (
    AMOUNTS,
    BOUGHT,
    FOCUS_COLUMNS,
    OTHER_COSTS,
    RENTED,
    RESERVED,
    RUNNING,
    rows_by_month,
)

MOST_ROWS = 4_000
QUANTITY = "PricingQuantity"
LIVE_COLUMNS = (QUANTITY, *AMOUNTS)
PLACES = {name: letter(rank) for rank, name in enumerate(FOCUS_COLUMNS, 1)}


def write_focus(made: PortfolioDraft) -> None:
    """Rows of all months, of which those are nothing that the CSV leaves out; nothing where they are very many."""
    rows = [(index, row) for index, rows in enumerate(rows_by_month(made.planned)) for row in rows]
    if len(rows) > MOST_ROWS:
        return
    sheet = made.sheet(FOCUS, "Columns of FOCUS 1.2; costs follow what is typed, rows of 0 are not in the CSV.")
    sheet.widths(*[14] * len(FOCUS_COLUMNS))
    sheet.row(FIRST_ROW, 1, list(FOCUS_COLUMNS), HEADER)
    for line, (month, row) in enumerate(rows, FIRST_ROW + 1):
        formulas = _of_entry(row, month, line) if row["x_Entry"] is not None else _of_gpus(made, row, month)
        _row(sheet, line, row, formulas)


def _row(sheet: Sheet, index: int, row: Mapping[str, Any], formulas: Mapping[str, str]) -> None:
    for column, name in enumerate(FOCUS_COLUMNS, 1):
        if name in formulas:
            sheet.put(index, column, Formula(formulas[name], float(row[name])), number(MONEY))
        elif row[name] is not None and row[name] != "":
            sheet.put(index, column, row[name], number(MONEY) if name in LIVE_COLUMNS else LABEL)


def _of_entry(row: Mapping[str, Any], month: int, index: int) -> dict[str, str]:
    """What an entry rents, what else it costs, what it bears of GPUs that are there; the rest follows the rent."""
    line, column = FIRST_ENTRY + row["x_Entry"], letter(FIRST_MONTH + month)
    own = {name: f"{ENTRIES}!${place}${line}" for name, place in COLUMNS.items()}
    spend, borne = (f"{sheet}!{column}{line}" for sheet in (SPEND, BORNE))
    sure = {"x_Probability": own["chance"]}
    hours = f"{HOURS_OF_A_DAY}*{DAYS}!{column}{line}*(1-{COVERED}!{column}{line})"
    if row["ServiceName"] == RENTED:
        cost = f"{hours}*{own['rent']}*{own['factor']}*{own['chance']}/{UNIT}"
        return {QUANTITY: f"{hours}*{own['gpus']}", **dict.fromkeys(AMOUNTS, cost), **sure}
    if row["ServiceName"] == OTHER_COSTS:
        return {name: f"{spend}/{UNIT}-{PLACES[name]}{index - 1}" for name in AMOUNTS} | sure
    return {AMOUNTS[0]: f"({borne}-{spend})/{UNIT}"} | sure


def _of_gpus(made: PortfolioDraft, row: Mapping[str, Any], month: int) -> dict[str, str]:
    """What is invoiced for owned and reserved GPUs of a type, and what of their cost no entry bears."""
    of, column = f'"{row["x_Accelerator"]}"', letter(FIRST_MONTH + month)
    borne, capital, billed = (made.gpus(month_column(made, kind, month)) for kind in ("borne", "capital", "billed"))
    services: Mapping[str, tuple[str, str]] = {
        RESERVED: ("reserved", borne),
        RUNNING: ("owned", f"({borne}-{capital})"),
        BOUGHT: ("owned", f"({billed}-{borne}+{capital})"),
    }
    if row["ServiceName"] in services:
        kind, amount = services[row["ServiceName"]]
        rows = f'({made.gpus("A")}={of})*({made.gpus("B")}="{kind}")'
        return {AMOUNTS[1]: f"SUMPRODUCT({rows}*{amount})/{UNIT}"}
    names = [use.accelerator for use in made.uses]
    cost = f"{USE_SHEET}!{column}{use_row(names.index(row['x_Accelerator']), 'cost')}"
    parts = (f"{sheet}!{column}${FIRST_ENTRY}:{column}${made.last_entry}" for sheet in (BORNE, SPEND))
    return {AMOUNTS[0]: f"({cost}-SUMPRODUCT(({made.entries('accelerator')}={of})*({'-'.join(parts)})))/{UNIT}"}
