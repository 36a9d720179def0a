"""The sheet GPUs: those that are owned or reserved, with counts and prices that may be typed, and cost by month."""

from __future__ import annotations

from typing import Any

from memreport.catalogue.records import Numbers
from memreport.portfolio.calendar import HOURS_PER_DAY
from memreport.portfolio.spend import CapacityCost, capacity_cost
from memreport.publish.xlsx.planned.places import (
    DAY,
    FIRST_ENTRY,
    FIRST_THERE,
    GPUS,
    HOURS_OF_A_DAY,
    MONTHS_OF_A_YEAR,
    PortfolioDraft,
)
from memreport.publish.xlsx.sheet.book import Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import (
    DECIMAL,
    HEADER,
    HEADER_NUMBER,
    LABEL,
    MONEY,
    WHOLE,
    given,
    number,
    typed,
)

HEADS = ("GPUs", "From", "To", "Purchase", "Life, years", "Running a month", "USD an hour")
KINDS = ("borne", "capital", "billed")
"""What is written of each month: what it bears, the depreciation in that, what is billed."""


def month_column(made: PortfolioDraft, kind: str, index: int) -> str:
    """The column of one kind of cost in a month."""
    return letter(FIRST_THERE + KINDS.index(kind) * (len(made.months) + 1) + index)


def write_gpus(made: PortfolioDraft) -> None:
    """A row for each span of GPUs that are there."""
    sheet, given_ = made.sheet(GPUS, "Owned and reserved GPUs in USD; counts and prices may be typed."), None
    sheet.widths(22, 10, 10, 12, 12, 14, 10, 12, 12)
    sheet.row(FIRST_ENTRY - 1, 1, ["GPU", "Kind"], HEADER)
    sheet.row(FIRST_ENTRY - 1, 3, list(HEADS), HEADER_NUMBER)
    for index, kind in enumerate(KINDS):
        first = FIRST_THERE + index * (len(made.months) + 1)
        sheet.row(FIRST_ENTRY - 1, first, [f"{month} {kind}" for month in made.months], HEADER_NUMBER)
    given_ = made.planned.portfolio.given
    for index, capacity in enumerate((*given_.owned, *given_.reserved)):
        _row(made, sheet, index, capacity, owned=index < len(given_.owned))


def _row(made: PortfolioDraft, sheet: Sheet, index: int, gpus: Any, *, owned: bool) -> None:
    portfolio, row = made.planned.portfolio, FIRST_ENTRY + index
    sheet.row(row, 1, [gpus.accelerator, "owned" if owned else "reserved"], LABEL)
    sheet.put(row, 3, float(gpus.count), typed(WHOLE))
    sheet.row(row, 4, [hour / HOURS_PER_DAY for hour in made.spans[index]], given(DAY))
    sheet.put(row, 6, portfolio.usd(gpus.purchase) if owned else 0.0, typed(MONEY))
    sheet.put(row, 7, gpus.life_years if owned else 1.0, typed(DECIMAL))
    sheet.put(row, 8, portfolio.usd(gpus.running) if owned else 0.0, typed(MONEY))
    sheet.put(row, 9, 0.0 if owned else portfolio.usd(gpus.price), typed(MONEY))
    alone = capacity_cost(portfolio, [gpus] if owned else [], [] if owned else [gpus])
    _months(made, sheet, row, alone, bought=owned and gpus.first is not None)


def _months(made: PortfolioDraft, sheet: Sheet, row: int, alone: CapacityCost, *, bought: bool) -> None:
    """What a row costs in each month; a purchase is billed in its first month, unless it was made before."""
    billed: Numbers = alone.effective - alone.depreciation + alone.purchases
    for index in range(len(made.months)):
        begin, after = made.ends_of_month(index)
        there = f"AND({begin}>=$D{row},{begin}<$E{row})"
        hours = f"$I{row}*{HOURS_OF_A_DAY}*({after}-{begin})"
        capital = f"$F{row}/($G{row}*{MONTHS_OF_A_YEAR})"
        borne, own, paid = (month_column(made, kind, index) for kind in KINDS)
        purchase = f"+IF({begin}=$D{row},$C{row}*$F{row},0)" if bought else ""
        formulas = {
            borne: (f"IF({there},$C{row}*({capital}+$H{row}+{hours}),0)", alone.effective[index]),
            own: (f"IF({there},$C{row}*{capital},0)", alone.depreciation[index]),
            paid: (f"{borne}{row}-{own}{row}{purchase}", billed[index]),
        }
        for column, (formula, value) in formulas.items():
            place = sheet.worksheet[f"{column}{row}"].column
            sheet.put(row, place, Formula(formula, float(value)), number(MONEY))
