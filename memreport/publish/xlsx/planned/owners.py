"""The sheet Owners: what each owner and cost centre bears by quarter, and every budget against it."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.catalogue.records import Numbers
from memreport.portfolio.fields import IDLE
from memreport.publish.xlsx.planned.places import BORNE, FIRST_ENTRY, FIRST_MONTH, OWNERS, UNIT, PortfolioDraft
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER, LABEL, WHOLE, number, typed

NONE = "none"


def write_owners(made: PortfolioDraft) -> None:
    """Owners, then cost centres where there are some, then budgets; in the portfolio's currency."""
    currency = made.planned.portfolio.given.currency
    sheet = made.sheet(OWNERS, f"{currency} by quarter, with each one's part of owned and reserved GPUs.")
    sheet.widths(24, 14, *[13] * (len(made.planned.portfolio.calendar.quarters) + 1))
    row = _names(made, sheet, FIRST_ROW, "Owner", "owner", made.planned.jobs.named.owners)
    if any(made.planned.jobs.named.cost_centres):
        row = _names(made, sheet, row + 1, "Cost centre", "centre", made.planned.jobs.named.cost_centres)
    _budgets(made, sheet, row + 1)


def _quarter(made: PortfolioDraft, mask: Numbers, name: str, own: str) -> str:
    """The sum of a name's rows over the months of a quarter."""
    parts = []
    for index in mask.nonzero()[0].tolist():
        month = letter(FIRST_MONTH + index)
        parts.append(
            f"SUMPRODUCT(({made.entries(name)}={own})*{BORNE}!{month}${FIRST_ENTRY}:{month}${made.last_entry})"
        )
    return f"({'+'.join(parts)})/{UNIT}"


def _names(made: PortfolioDraft, sheet: Sheet, row: int, title: str, name: str, values: Sequence[str]) -> int:
    quarters = made.planned.spend.quarters
    sheet.row(row, 1, [title, None], HEADER)
    sheet.row(row, FIRST_MONTH, [quarter for quarter, _ in quarters], HEADER_NUMBER)
    found = made.planned.spend.by(values)
    for line, (key, amounts) in enumerate(found.items(), row + 1):
        sheet.put(line, 1, key or NONE, LABEL)
        for column, (_, mask) in enumerate(quarters, FIRST_MONTH):
            formula = _idle(made, mask) if key == IDLE else _quarter(made, mask, name, f"$A{line}" if key else '""')
            sheet.put(line, column, Formula(formula, float(amounts[mask].sum()) / made.rate), number(WHOLE))
    return row + 1 + len(found)


def _idle(made: PortfolioDraft, mask: Numbers) -> str:
    """What nobody uses: what GPUs cost, less what entries bear of them."""
    from memreport.publish.xlsx.planned.gpus import month_column
    from memreport.publish.xlsx.planned.places import GPUS, SPEND

    parts = []
    last = FIRST_ENTRY + max(made.capacity_rows, 1) - 1
    for index in mask.nonzero()[0].tolist():
        month, gpus = letter(FIRST_MONTH + index), month_column(made, "borne", index)
        rows = f"{month}${FIRST_ENTRY}:{month}${made.last_entry}"
        parts.append(f"SUM({GPUS}!{gpus}${FIRST_ENTRY}:{gpus}${last})+SUM({SPEND}!{rows})-SUM({BORNE}!{rows})")
    return f"({'+'.join(parts)})/{UNIT}"


def _budgets(made: PortfolioDraft, sheet: Sheet, row: int) -> None:
    rate, quarters = made.rate, dict(made.planned.spend.quarters)
    if not made.planned.budgets:
        return
    sheet.row(row, 1, ["Budget of", "Quarter"], HEADER)
    sheet.row(row, FIRST_MONTH, ["Budget", "Spend", "Over"], HEADER_NUMBER)
    for line, budget in enumerate(made.planned.budgets, row + 1):
        sheet.row(line, 1, [budget.owner, budget.quarter], LABEL)
        sheet.put(line, 3, budget.budget / rate, typed(WHOLE))
        spent = _quarter(made, quarters[budget.quarter], "owner", f"$A{line}")
        sheet.put(line, 4, Formula(spent, budget.spend / rate), number(WHOLE))
        sheet.put(line, 5, Formula(f"D{line}-C{line}", budget.over / rate), number(WHOLE))
