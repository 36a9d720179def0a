"""The first sheet of a portfolio's workbook: sentences as built, then spend by month and quarter, which follow."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.records import Numbers
from memreport.portfolio.calendar import quarter_of
from memreport.publish.xlsx.planned.gpus import month_column
from memreport.publish.xlsx.planned.places import (
    DAYS,
    FIRST_ENTRY,
    FIRST_MONTH,
    GPUS,
    HOURS_OF_A_DAY,
    SPEND,
    SUMMARY,
    UNIT,
    PortfolioDraft,
)
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER, LABEL, STRONG, TEXT_BARE, WHOLE, number
from memreport.report.portfolio.tables import sides
from memreport.report.records.portfolio import PortfolioReport

COLUMNS = ("Operating", "Capital", "Borne", "Billed")


def write_summary(made: PortfolioDraft, sheet: Sheet, report: PortfolioReport) -> None:
    """In the portfolio's currency: operating and capital cost of every month, what it bears, what is billed in it."""
    currency = made.planned.portfolio.given.currency
    sheet.widths(18, 12, 16, 16, 16, 16)
    for index, line in enumerate(report.said.answer):
        sheet.put(FIRST_ROW + index, 1, line, TEXT_BARE)
    row = FIRST_ROW + len(report.said.answer) + 1
    sheet.row(row, 1, ["Month", "Quarter"], HEADER)
    sheet.row(row, 3, [f"{name}, {currency}" for name in COLUMNS], HEADER_NUMBER)
    values = _values(made)
    for index, month in enumerate(made.months):
        sheet.row(row + 1 + index, 1, [month, quarter_of(month)], LABEL)
        for column, (name, formula) in enumerate(_month(made, index, row + 1 + index).items(), 3):
            sheet.put(row + 1 + index, column, Formula(formula, float(values[name][index])), number(WHOLE))
    _quarters(made, sheet, row + 1, values)


def _values(made: PortfolioDraft) -> Mapping[str, Numbers]:
    spend = made.planned.spend
    rate = made.rate
    operating, capital = sides(made.planned)
    found = dict(zip(COLUMNS, (operating, capital, spend.effective, spend.billed), strict=True))
    return {name: column / rate for name, column in found.items()}


def _month(made: PortfolioDraft, index: int, row: int) -> dict[str, str]:
    month = letter(FIRST_MONTH + index)
    jobs = f"SUM({SPEND}!{month}${FIRST_ENTRY}:{month}${made.last_entry})"
    days = f"{DAYS}!{month}${FIRST_ENTRY}:{month}${made.last_entry}"
    own = f"{HOURS_OF_A_DAY}*SUMPRODUCT({days},{made.entries('capital')},{made.entries('chance')})"
    sums = {kind: _gpus(made, month_column(made, kind, index)) for kind in ("borne", "capital", "billed")}
    return {
        "Operating": f"E{row}-D{row}",
        "Capital": f"({own}+{sums['capital']})/{UNIT}",
        "Borne": f"({jobs}+{sums['borne']})/{UNIT}",
        "Billed": f"({jobs}+{sums['billed']})/{UNIT}",
    }


def _gpus(made: PortfolioDraft, column: str) -> str:
    last = FIRST_ENTRY + max(made.capacity_rows, 1) - 1
    return f"SUM({GPUS}!{column}${FIRST_ENTRY}:{column}${last})"


def _quarters(made: PortfolioDraft, sheet: Sheet, first: int, values: Mapping[str, Numbers]) -> None:
    """The whole horizon, then its quarters."""
    last = first + len(made.months) - 1
    sheet.put(last + 1, 1, "all", STRONG)
    made.totals["borne"] = f"{SUMMARY}!$E${last + 1}*{UNIT}"
    for column, name in enumerate(COLUMNS, 3):
        place = letter(column)
        whole = Formula(f"SUM({place}{first}:{place}{last})", float(values[name].sum()))
        sheet.put(last + 1, column, whole, number(WHOLE, bold=True))
    for row, (quarter, mask) in enumerate(made.planned.spend.quarters, last + 3):
        sheet.put(row, 1, quarter, LABEL)
        months = (first + mask.nonzero()[0]).tolist()
        for column, name in enumerate(COLUMNS, 3):
            place = letter(column)
            summed = "+".join(f"{place}{month}" for month in months)
            sheet.put(row, column, Formula(summed, float(values[name][mask].sum())), number(WHOLE))
