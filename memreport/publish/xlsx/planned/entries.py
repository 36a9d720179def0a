"""The sheets Entries, Days, Covered, Spend and Borne: what is planned, when it falls, what each month bears of it."""

from __future__ import annotations

import numpy as np

from memreport.figures.constants import HOURS_PER_MONTH
from memreport.portfolio.calendar import HOURS_PER_DAY, MONTHS
from memreport.publish.xlsx.planned.places import (
    BEGIN,
    BORNE,
    COLUMNS,
    COVERED,
    DAY,
    DAYS,
    ENTRIES,
    FIRST_ENTRY,
    FIRST_MONTH,
    HOURS_OF_A_DAY,
    HOURS_OF_A_MONTH,
    MONTHS_OF_A_YEAR,
    QUOTE_TABLES,
    QUOTES,
    SPEND,
    USE_SHEET,
    PortfolioDraft,
)
from memreport.publish.xlsx.planned.use import use_row
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
    typed,
)

WORDS = ("Scenario", "Variant", "Owner", "Cost centre", "GPU")
NUMBERS = (
    "GPUs", "Starts on day", "Hours", "USD an hour", "of it rent", "Price factor", "Probability", "Ends on day",
    "of it capital", "Priority", "Entry", "Turn", "Rented days", "Rent price",
    "GPU-hours of a job", "Quote",
)  # fmt: skip
AS_BUILT = (
    "Share of each entry's GPU-hours that run on owned or reserved GPUs, as built: this portfolio is too large to work "
    "priorities out again here. After a change of dates or GPUs, build again."
)
BORNE_OF_A_QUOTE, AT_IT = ("D", "F", "J", "E"), QUOTE_TABLES[2]
"""Columns of the sheet Quotes: price of an hour, GPU-hours that entries at it use, and are billed, egress of a job."""
LIVE = "Share of each entry's GPU-hours that run on owned or reserved GPUs, by priority, then by start."


def write_entries(made: PortfolioDraft) -> None:
    """One row an entry; its terms may be typed."""
    about = "One row an entry; starting days, price factors, probabilities and priorities may be typed."
    sheet, jobs = made.sheet(ENTRIES, about), made.planned.jobs
    _constants(made, sheet)
    sheet.widths(28, 22, 16, 14, 20, 8, 12, 10, 12, 12, 10, 11, 12, 12, 9, 7, 7, 11, 11, 18, 16)
    sheet.row(FIRST_ENTRY - 1, 1, list(WORDS), HEADER)
    sheet.row(FIRST_ENTRY - 1, 1 + len(WORDS), list(NUMBERS), HEADER_NUMBER)
    turns = np.lexsort((np.arange(made.count), jobs.start, jobs.priority))
    turn = {int(place): float(number_) for number_, place in enumerate(turns, 1)}
    for index, name in enumerate(jobs.named.scenarios):
        words = [
            name,
            jobs.named.variants[index],
            jobs.named.owners[index],
            jobs.named.cost_centres[index],
            jobs.named.accelerators[index],
        ]
        sheet.row(FIRST_ENTRY + index, 1, words, LABEL)
        _numbers(made, sheet, index)
        sheet.put(FIRST_ENTRY + index, 17, Formula(_turn(made, FIRST_ENTRY + index), turn[index]), number(WHOLE))
        _rented(made, sheet, index)


def _numbers(made: PortfolioDraft, sheet: Sheet, index: int) -> None:
    """What is computed of an entry, and what may be typed."""
    jobs, row = made.planned.jobs, FIRST_ENTRY + index
    start, hours = float(jobs.start[index]) / HOURS_PER_DAY, float(jobs.stop[index] - jobs.start[index])
    sheet.put(row, 6, float(jobs.gpus[index]), given(WHOLE))
    sheet.put(row, 7, start, typed(DAY))
    sheet.put(row, 8, hours, given(DECIMAL))
    rent, factor = float(jobs.hourly.rent[index] / jobs.hourly.factor[index]), float(jobs.hourly.factor[index])
    sheet.put(row, 9, float(jobs.hourly.usd[index] - jobs.hourly.rent[index]) + rent, given(MONEY))
    sheet.put(row, 10, rent, given(MONEY))
    if jobs.named.quotes[index]:
        sheet.put(row, 11, Formula(_quoted(made, index), factor), number(DECIMAL))
    else:
        sheet.put(row, 11, factor, typed(DECIMAL))
    sheet.put(row, 12, float(jobs.probability[index]), typed(PERCENT))
    end = f"{COLUMNS['start']}{row}+{COLUMNS['hours']}{row}/{HOURS_OF_A_DAY}"
    sheet.put(row, 13, Formula(end, start + hours / HOURS_PER_DAY), number(DAY))
    sheet.put(row, 14, float(jobs.hourly.capital[index]), given(MONEY))
    sheet.put(row, 15, float(jobs.priority[index]), typed(WHOLE))
    sheet.put(row, 16, float(index + 1), given(WHOLE))


def _quoted(made: PortfolioDraft, index: int) -> str:
    """What an entry's quote asks for over its planned rent: its part of what is billed, and what leaves."""
    ids = [quote.given.id for quote in made.rented_quotes]
    row, of = FIRST_ENTRY + index, made.quote_row(AT_IT, ids.index(made.planned.jobs.named.quotes[index]))
    hourly, used, billed, egress = (f"{QUOTES}!${column}${of}" for column in BORNE_OF_A_QUOTE)
    return f"({hourly}*{billed}/{used}+{egress}/{COLUMNS['job']}{row})/{COLUMNS['price']}{row}"


def _rented(made: PortfolioDraft, sheet: Sheet, index: int) -> None:
    """Days that run on rented GPUs, and the price of a GPU and hour that the rent is counted with; 1 without rent."""
    row, jobs, last = FIRST_ENTRY + index, made.planned.jobs, letter(FIRST_MONTH + len(made.months) - 1)
    months = f"${letter(FIRST_MONTH)}{row}:${last}{row}"
    rent = float(jobs.hourly.rent[index] * jobs.probability[index])
    days = (
        float(made.planned.spend.rent[index].sum()) / rent / HOURS_PER_DAY if rent else float(_rented_days(made, index))
    )
    sheet.put(row, 18, Formula(f"SUMPRODUCT({DAYS}!{months},1-{COVERED}!{months})", days), number(DAY))
    sheet.put(row, 19, float(jobs.hourly.rent_price[index]) or 1.0, given(MONEY))
    sheet.put(row, 20, float(jobs.hourly.job_hours[index]), given(DECIMAL))
    sheet.put(row, 21, jobs.named.quotes[index], LABEL)


def _rented_days(made: PortfolioDraft, index: int) -> float:
    """The same where nothing is paid for them."""
    own = sum(float(use.covered[index].sum()) for use in made.uses if index in use.covered)
    return float(made.planned.spend.hours[index].sum() - own / made.planned.jobs.gpus[index]) / HOURS_PER_DAY


def _turn(made: PortfolioDraft, row: int) -> str:
    """Whose turn it is to get GPUs that are there: by priority, then by start, then as written."""
    priority, start, entry = (made.entries(name) for name in ("priority", "start", "number"))
    own = {name: f"${COLUMNS[name]}{row}" for name in ("priority", "start", "number")}
    same = f"({priority}={own['priority']})"
    later = f"(({start}<{own['start']})+({start}={own['start']})*({entry}<={own['number']}))"
    return f"SUMPRODUCT(({priority}<{own['priority']})+{same}*{later})"


def _constants(made: PortfolioDraft, sheet: Sheet) -> None:
    """The rate of exchange, and what formulas need and nobody changes, above the entries."""
    sheet.put(FIRST_ROW, 1, f"USD for one {made.planned.portfolio.given.currency}", LABEL)
    sheet.put(FIRST_ROW, 2, made.rate, typed(DECIMAL))
    constants = (
        (HOURS_OF_A_DAY, HOURS_PER_DAY, "Hours of a day"),
        (MONTHS_OF_A_YEAR, MONTHS, "Months of a year"),
        (HOURS_OF_A_MONTH, HOURS_PER_MONTH, "Hours of a month"),
    )
    for column, (name, value, title) in zip((4, 6, 8), constants, strict=True):
        sheet.put(FIRST_ROW, column - 1, title, LABEL)
        sheet.put(FIRST_ROW, column, float(value), given(WHOLE))
        made.book.name(name, sheet.address(FIRST_ROW, column))


def _own(name: str, row: int) -> str:
    return f"{ENTRIES}!${COLUMNS[name]}{row}"


def write_days(made: PortfolioDraft) -> None:
    """Days of every entry in every month."""
    sheet = made.by_month(DAYS, "Days that each entry runs in each month.")
    days = made.planned.spend.hours / HOURS_PER_DAY
    for row, index, month in _cells(made):
        begin, after = (f"{letter(FIRST_MONTH + month + more)}${BEGIN}" for more in (0, 1))
        formula = f"MAX(0,MIN({_own('end', row)},{after})-MAX({_own('start', row)},{begin}))"
        sheet.put(row, FIRST_MONTH + month, Formula(formula, float(days[index][month])), number(DAY))


def _cells(made: PortfolioDraft) -> list[tuple[int, int, int]]:
    """Row, entry and month of every cell."""
    return [(FIRST_ENTRY + index, index, month) for index in range(made.count) for month in range(len(made.months))]


def write_covered(made: PortfolioDraft) -> None:
    """Which share of an entry's GPUs are those that are there."""
    sheet, jobs = made.by_month(COVERED, LIVE if made.is_live else AS_BUILT), made.planned.jobs
    needed = made.planned.spend.hours * jobs.gpus[:, None]
    hours = {position: row for use in made.uses for position, row in use.covered.items()}
    for row, index, month in _cells(made):
        needs = float(needed[index][month])
        share = float(hours[index][month]) / needs if needs and index in hours else 0.0
        if not made.is_live:
            sheet.put(row, FIRST_MONTH + month, share, given(PERCENT))
            continue
        needs_days = f"{DAYS}!{letter(FIRST_MONTH + month)}{row}*{_own('gpus', row)}"
        found = f"SUMPRODUCT({made.in_month(month)}*{made.step(made.entry_column(index))})"
        formula = f"IF({needs_days}>0,{found}/({needs_days}),0)"
        sheet.put(row, FIRST_MONTH + month, Formula(formula, share), number(PERCENT))


def write_spend(made: PortfolioDraft) -> None:
    """USD of every entry in every month: hours in it, at what is paid an hour, by probability."""
    sheet = made.by_month(SPEND, "USD of each entry by month, beside GPUs that are there.")
    for row, index, month in _cells(made):
        column = letter(FIRST_MONTH + month)
        price = f"{_own('rent', row)}*(1-{_own('factor', row)}*(1-{COVERED}!{column}{row}))"
        hourly = f"({_own('usd', row)}-{price})"
        formula = f"{HOURS_OF_A_DAY}*{DAYS}!{column}{row}*{hourly}*{_own('chance', row)}"
        value = float(made.planned.spend.net[index][month])
        sheet.put(row, FIRST_MONTH + month, Formula(formula, value), number(MONEY))


def write_borne(made: PortfolioDraft) -> None:
    """The same with each entry's part of the GPUs that are there."""
    sheet = made.by_month(BORNE, "USD of each entry by month, with its part of owned and reserved GPUs.")
    names = [use.accelerator for use in made.uses]
    for row, index, month in _cells(made):
        column = letter(FIRST_MONTH + month)
        rate = f"{USE_SHEET}!{column}{use_row(names.index(made.planned.jobs.named.accelerators[index]), 'rate')}"
        hours = f"{HOURS_OF_A_DAY}*{DAYS}!{column}{row}*{_own('gpus', row)}*{COVERED}!{column}{row}"
        value = float(made.planned.spend.borne[index][month])
        sheet.put(row, FIRST_MONTH + month, Formula(f"{SPEND}!{column}{row}+{hours}*{rate}", value), number(MONEY))
