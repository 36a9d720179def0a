"""The sheet Range: the low and high end of the whole spend, and the largest risks, which follow what is typed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.portfolio.spend import TOKENS_MORE, every_risk
from memreport.publish.xlsx.planned.places import FIRST_ENTRY, FIRST_MONTH, RANGE, SPEND, UNIT, PortfolioDraft
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import (
    DECIMAL,
    HEADER,
    HEADER_NUMBER,
    LABEL,
    MONEY,
    PERCENT,
    WHOLE,
    given,
    number,
)

FACTORS = ("price_low", "price_high", "time_low", "time_high")
ENTRY = ("scenario", "accelerator", "cost", *FACTORS, "trains", "square_low", "square_high")
"""Columns of an entry; the last two are its part times that of its whole scenario, which sum to squares of these."""
HEADS = ("Cost", "price low", "price high", "time low", "time high", "trains", "square low", "square high")
ABOUT = (
    "Prices move all entries together, so that their parts add up; the error of a time is a scenario's own, so that "
    "parts of scenarios add as the root of squares."
)
ENDS, FIRST_RISK, FIRST_COLUMN = ("low", "likely", "high"), FIRST_ROW + 7, 6
TOKENS = f"$C${FIRST_ROW + 4}"
"""By how much more tokens the risk is said."""


def write_ranges(made: PortfolioDraft) -> None:
    """Ends of the range, then risks; beside them a row an entry with its cost and factors."""
    currency, last = made.planned.portfolio.given.currency, FIRST_ROW + made.count
    sheet = made.sheet(RANGE, ABOUT)
    sheet.widths(14, 36, 16, 8, 4, 28, 22, 14, *[11] * 5, 14, 14)
    sheet.row(FIRST_ROW, 1, ["Spend", None], HEADER)
    sheet.put(FIRST_ROW, 3, currency, HEADER_NUMBER)
    sheet.put(FIRST_ROW + 4, 1, "More tokens", LABEL)
    sheet.put(FIRST_ROW + 4, 3, TOKENS_MORE, given(PERCENT))
    of = {
        name: f"${letter(rank)}${FIRST_ROW + 1}:${letter(rank)}${last}" for rank, name in enumerate(ENTRY, FIRST_COLUMN)
    }
    _entries(made, sheet, of)
    _ends(made, sheet, of)
    _risks(made, sheet, of)


def _risks(made: PortfolioDraft, sheet: Sheet, of: Mapping[str, str]) -> None:
    """What each cause adds to the cost of the entries that it meets, and its rank."""
    found = every_risk(made.planned.spend)
    more = {
        "prices": f"({of['price_high']}-1)*({of['accelerator']}=",
        "time": f"({of['time_high']}-1)*({of['scenario']}=",
        "tokens": f"{TOKENS}*{of['trains']}*({of['scenario']}=",
    }
    sheet.row(FIRST_RISK - 1, 1, ["Risk", "of"], HEADER)
    sheet.row(FIRST_RISK - 1, 3, [f"more, {made.planned.portfolio.given.currency}", "rank"], HEADER_NUMBER)
    ranked = f"$C${FIRST_RISK}:$C${FIRST_RISK + len(found) - 1}"
    for row, ((cause, name), usd) in enumerate(found.items(), FIRST_RISK):
        sheet.row(row, 1, [cause, name], LABEL)
        formula = f"SUMPRODUCT({of['cost']}*{more[cause]}$B{row}))/{UNIT}"
        sheet.put(row, 3, Formula(formula, usd / made.rate), number(WHOLE))
        rank = 1.0 + sum(other > usd for other in found.values())
        sheet.put(row, 4, Formula(f"1+SUMPRODUCT(1*({ranked}>$C{row}))", rank), number(WHOLE))


def _entries(made: PortfolioDraft, sheet: Sheet, of: Mapping[str, str]) -> None:
    jobs, months = made.planned.jobs, letter(FIRST_MONTH + len(made.months) - 1)
    cost: Numbers = made.planned.spend.net.sum(axis=1)
    sheet.row(FIRST_ROW, FIRST_COLUMN, ["Scenario", "GPU"], HEADER)
    sheet.row(FIRST_ROW, FIRST_COLUMN + 2, list(HEADS), HEADER_NUMBER)
    for index, name in enumerate(jobs.named.scenarios):
        row, line = FIRST_ROW + 1 + index, FIRST_ENTRY + index
        sheet.row(row, FIRST_COLUMN, [name, jobs.named.accelerators[index]], LABEL)
        spent = f"SUM({SPEND}!${letter(FIRST_MONTH)}${line}:${months}${line})"
        sheet.put(row, FIRST_COLUMN + 2, Formula(spent, float(cost[index])), number(MONEY))
        sheet.row(row, FIRST_COLUMN + 3, [float(getattr(jobs.ranges, key)[index]) for key in FACTORS], given(DECIMAL))
        sheet.put(row, FIRST_COLUMN + 7, float(jobs.named.trains[index]), given(WHOLE))
        own = np.array([key == name for key in jobs.named.scenarios])
        for column, end in ((8, "low"), (9, "high")):
            factor = letter(FIRST_COLUMN + ENTRY.index(f"time_{end}"))
            whole = f"SUMPRODUCT(({of['scenario']}=$F{row})*{of['cost']}*({of[f'time_{end}']}-1))"
            part = cost * (getattr(jobs.ranges, f"time_{end}") - 1)
            value = float(part[index] * part[own].sum())
            formula = f"$H{row}*({factor}{row}-1)*{whole}"
            sheet.put(row, FIRST_COLUMN + column, Formula(formula, value), number(MONEY))


def _ends(made: PortfolioDraft, sheet: Sheet, of: Mapping[str, str]) -> None:
    """Low, likely and high: common causes add up, independent ones as the root of the sum of squares."""
    found, rate = made.planned.range, made.rate
    values = dict(zip(ENDS, (found.low, float(made.planned.spend.effective.sum()), found.high), strict=True))
    moved = {
        "low": f"+SUMPRODUCT({of['cost']}*({of['price_low']}-1))-SQRT(SUM({of['square_low']}))",
        "high": f"+SUMPRODUCT({of['cost']}*({of['price_high']}-1))+SQRT(SUM({of['square_high']}))",
    }
    for row, end in enumerate(ENDS, FIRST_ROW + 1):
        sheet.put(row, 1, end, LABEL)
        formula = Formula(f"({made.totals['borne']}{moved.get(end, '')})/{UNIT}", values[end] / rate)
        sheet.put(row, 3, formula, number(WHOLE))
