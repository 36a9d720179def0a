"""The workbook of a portfolio: entries whose days, prices and probabilities may be typed, and the spend they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memreport.portfolio.calendar import HOURS_PER_DAY, MONTHS, quarter_of
from memreport.portfolio.plan import Planned
from memreport.portfolio.read import span
from memreport.portfolio.spend import capacity_cost
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Book, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.styles import (
    DECIMAL,
    HEADER,
    HEADER_NUMBER,
    LABEL,
    MONEY,
    PERCENT,
    STRONG,
    TEXT_BARE,
    WHOLE,
    given,
    number,
    typed,
)
from memreport.report.build import NO_DATE
from memreport.report.records.portfolio import PortfolioReport

SUMMARY, ENTRIES, GPUS, COST, COVERED = "Summary", "Entries", "GPUs", "Spend", "Covered"
DAY = DECIMAL
"""Days count from the beginning of the horizon: dates of a spreadsheet are read back as other than numbers."""
WORDS = ("Scenario", "Variant", "Owner", "Cost centre", "GPU")
NUMBERS = ("GPUs", "Starts on day", "Hours", "USD an hour", "of it rent", "Price factor", "Probability", "Ends on day")
STARTS, HOURS, USD, RENT, FACTOR, CHANCE, ENDS = "G", "H", "I", "J", "K", "L", "M"
"""Columns of the entries that formulas read."""
FIRST_MONTH, FIRST_THERE = 3, 10
"""Columns of the first month, of entries and of GPUs, where months stand side by side."""
BEGIN = FIRST_ROW
"""Row of the days on which months begin; a month ends where the next begins."""
FIRST_ENTRY = FIRST_ROW + 2
HOURS_OF_A_DAY, MONTHS_OF_A_YEAR = "hours_of_a_day", "months_of_a_year"
"""Names of the two constants that formulas use."""
ABOUT_COVERED = (
    "Share of each entry's GPU-hours that run on owned or reserved GPUs, as built: priorities are not worked out again "
    "here. After a change of dates or GPUs, build again."
)


@dataclass(frozen=True)
class _Made:
    """What the sheets of one workbook share."""

    planned: Planned
    book: Book

    @property
    def months(self) -> tuple[str, ...]:
        return self.planned.portfolio.calendar.months

    def sheet(self, title: str, about: str) -> Sheet:
        sheet = self.book.add(title)
        head(sheet, title, about)
        return sheet


def portfolio_book(planned: Planned, report: PortfolioReport, version: str) -> bytes:
    """The finished workbook."""
    made = _Made(planned, Book())
    summary = made.book.add(SUMMARY)
    head(summary, report.title, "The sentences are as built; the tables follow what is typed.", back=False)
    _entries(made)
    _gpus(made)
    _cost(made)
    _covered(made)
    _summary(made, summary, report)
    properties = made.book.workbook.properties
    properties.title, properties.creator, properties.language = report.title, "memreport", "en"
    return made.book.bytes(f"{report.title}, memreport {version}", NO_DATE)


def _constants(made: _Made, sheet: Sheet) -> None:
    """The rate of exchange, and what formulas need and nobody changes, above the entries."""
    given_ = made.planned.portfolio.given
    sheet.put(FIRST_ROW, 1, f"USD for one {given_.currency}", LABEL)
    sheet.put(FIRST_ROW, 2, made.planned.portfolio.rates[given_.currency], typed(DECIMAL))
    constants = ((HOURS_OF_A_DAY, HOURS_PER_DAY, "Hours of a day"), (MONTHS_OF_A_YEAR, MONTHS, "Months of a year"))
    for column, (name, value, title) in zip((4, 6), constants, strict=True):
        sheet.put(FIRST_ROW, column - 1, title, LABEL)
        sheet.put(FIRST_ROW, column, float(value), given(WHOLE))
        made.book.name(name, sheet.address(FIRST_ROW, column))


def _entries(made: _Made) -> None:
    about = "One row an entry; starting days, price factors and probabilities may be typed."
    sheet, jobs = made.sheet(ENTRIES, about), made.planned.jobs
    _constants(made, sheet)
    sheet.widths(28, 22, 16, 14, 20, 8, 12, 10, 12, 12, 10, 11, 12)
    sheet.row(FIRST_ENTRY - 1, 1, list(WORDS), HEADER)
    sheet.row(FIRST_ENTRY - 1, 1 + len(WORDS), list(NUMBERS), HEADER_NUMBER)
    for at, name in enumerate(jobs.names):
        row = FIRST_ENTRY + at
        words = [name, jobs.variants[at], jobs.owners[at], jobs.cost_centres[at], jobs.accelerators[at]]
        sheet.row(row, 1, words, LABEL)
        start, hours = float(jobs.start[at]) / HOURS_PER_DAY, float(jobs.stop[at] - jobs.start[at])
        sheet.put(row, 6, float(jobs.gpus[at]), given(WHOLE))
        sheet.put(row, 7, start, typed(DAY))
        sheet.put(row, 8, hours, given(DECIMAL))
        sheet.put(row, 9, float(jobs.usd[at]), given(MONEY))
        sheet.put(row, 10, float(jobs.rent[at]), given(MONEY))
        sheet.put(row, 11, 1.0, typed(DECIMAL))
        sheet.put(row, 12, float(jobs.probability[at]), typed(PERCENT))
        sheet.put(row, 13, Formula(f"{STARTS}{row}+{HOURS}{row}/{HOURS_OF_A_DAY}", start + hours / HOURS_PER_DAY),
                  number(DAY))  # fmt: skip


def _months(made: _Made, sheet: Sheet, first: str) -> None:
    """Heads of months with the days on which they begin and end."""
    sheet.widths(28, 16, *[11] * (len(made.months) + 1))
    sheet.row(BEGIN, 1, ["Begins on day", None], LABEL)
    sheet.row(BEGIN + 1, 1, [first, "Owner"], HEADER)
    sheet.row(BEGIN + 1, FIRST_MONTH, [*made.months, "after"], HEADER_NUMBER)
    for column, hour in enumerate(made.planned.portfolio.calendar.edges.tolist(), FIRST_MONTH):
        sheet.put(BEGIN, column, hour / HOURS_PER_DAY, given(DAY))


def _cost(made: _Made) -> None:
    """USD of every entry in every month: hours in it, at what is paid an hour, by probability."""
    sheet, jobs = made.sheet(COST, "USD of each entry by month, beside GPUs that are there."), made.planned.jobs
    _months(made, sheet, "Scenario")
    for at, name in enumerate(jobs.names):
        row = FIRST_ENTRY + at
        sheet.row(row, 1, [name, jobs.owners[at]], LABEL)
        values = made.planned.spend.net[at]
        for month in range(len(made.months)):
            column = FIRST_MONTH + month
            sheet.put(row, column, Formula(_in_month(row, column), float(values[month])), number(MONEY))


def _in_month(row: int, column: int) -> str:
    own, month, after = f"{ENTRIES}!$", letter(column), letter(column + 1)
    days = f"MAX(0,MIN({own}{ENDS}{row},{after}${BEGIN})-MAX({own}{STARTS}{row},{month}${BEGIN}))"
    hourly = f"({own}{USD}{row}-{own}{RENT}{row}*(1-{own}{FACTOR}{row}*(1-{COVERED}!{month}{row})))"
    return f"{HOURS_OF_A_DAY}*{days}*{hourly}*{own}{CHANCE}{row}"


def _covered(made: _Made) -> None:
    sheet, jobs = made.sheet(COVERED, ABOUT_COVERED), made.planned.jobs
    _months(made, sheet, "Scenario")
    needed = made.planned.spend.hours * jobs.gpus[:, None]
    hours = {at: row for one in made.planned.uses for at, row in one.covered.items()}
    for at, name in enumerate(jobs.names):
        sheet.row(FIRST_ENTRY + at, 1, [name, jobs.owners[at]], LABEL)
        for month in range(len(made.months)):
            needs = float(needed[at][month])
            share = float(hours[at][month]) / needs if needs and at in hours else 0.0
            sheet.put(FIRST_ENTRY + at, FIRST_MONTH + month, share, given(PERCENT))


def _gpus(made: _Made) -> None:
    """GPUs that are there: counts and prices may be typed; USD by month below."""
    portfolio = made.planned.portfolio
    sheet = made.sheet(GPUS, "Owned and reserved GPUs in USD; counts and prices may be typed.")
    sheet.widths(22, 10, 10, 12, 12, 14, 10, 12, 12)
    heads = ["GPU", "Kind"], ["GPUs", "From", "To", "Purchase", "Life, years", "Running a month", "USD an hour"]
    sheet.row(FIRST_ENTRY - 1, 1, heads[0], HEADER)
    sheet.row(FIRST_ENTRY - 1, 3, heads[1], HEADER_NUMBER)
    sheet.row(FIRST_ENTRY - 1, FIRST_THERE, list(made.months), HEADER_NUMBER)
    rows: list[Any] = [*portfolio.given.owned, *portfolio.given.reserved]
    for at, one in enumerate(rows):
        row, owned = FIRST_ENTRY + at, at < len(portfolio.given.owned)
        sheet.row(row, 1, [one.accelerator, "owned" if owned else "reserved"], LABEL)
        start, stop = (hour / HOURS_PER_DAY for hour in span(portfolio, one))
        sheet.put(row, 3, float(one.count), typed(WHOLE))
        sheet.row(row, 4, [start, stop], given(DAY))
        sheet.put(row, 6, portfolio.usd(one.purchase) if owned else 0.0, typed(MONEY))
        sheet.put(row, 7, one.life_years if owned else 1.0, typed(DECIMAL))
        sheet.put(row, 8, portfolio.usd(one.running) if owned else 0.0, typed(MONEY))
        sheet.put(row, 9, 0.0 if owned else portfolio.usd(one.price), typed(MONEY))
        alone = capacity_cost(portfolio, [one] if owned else [], [] if owned else [one])
        _there(sheet, row, tuple(alone.effective.tolist()))


def _there(sheet: Sheet, row: int, months: tuple[float, ...]) -> None:
    """What a row of GPUs costs in each month; `months` are its values."""
    for at, value in enumerate(months):
        begin, after = (f"{COST}!{letter(FIRST_MONTH + at + more)}${BEGIN}" for more in (0, 1))
        hours = f"$I{row}*{HOURS_OF_A_DAY}*({after}-{begin})"
        monthly = f"$F{row}/($G{row}*{MONTHS_OF_A_YEAR})+$H{row}+{hours}"
        formula = f"IF(AND({begin}>=$D{row},{begin}<$E{row}),$C{row}*({monthly}),0)"
        sheet.put(row, FIRST_THERE + at, Formula(formula, value), number(MONEY))


def _summary(made: _Made, sheet: Sheet, report: PortfolioReport) -> None:
    """The sentences as built, then spend by month and quarter as formulas, in the portfolio's currency."""
    given_, spend = made.planned.portfolio.given, made.planned.spend
    rate = made.planned.portfolio.rates[given_.currency]
    last_gpu = FIRST_ENTRY + max(len(given_.owned) + len(given_.reserved), 1) - 1
    sheet.widths(18, 12, 16, 18, 16)
    row = FIRST_ROW
    for line in report.sentences:
        sheet.put(row, 1, line, TEXT_BARE)
        row += 1
    unit, row = f"{ENTRIES}!$B${FIRST_ROW}", row + 1
    sheet.row(row, 1, ["Month", "Quarter"], HEADER)
    sheet.row(row, 3, [f"Jobs, {given_.currency}", "Owned and reserved", "Borne"], HEADER_NUMBER)
    jobs, entries = spend.net.sum(axis=0), (FIRST_ENTRY, FIRST_ENTRY + len(spend.net) - 1)
    for at, month in enumerate(made.months):
        here, column = row + 1 + at, letter(FIRST_MONTH + at)
        sheet.row(here, 1, [month, quarter_of(month)], LABEL)
        own, whole = float(jobs[at]), float(spend.effective[at])
        summed = f"SUM({COST}!{column}${entries[0]}:{column}${entries[1]})/{unit}"
        sheet.put(here, 3, Formula(summed, own / rate), number(WHOLE))
        gpus = letter(FIRST_THERE + at)
        there = f"SUM({GPUS}!{gpus}${FIRST_ENTRY}:{gpus}${last_gpu})/{unit}"
        sheet.put(here, 4, Formula(there, (whole - own) / rate), number(WHOLE))
        sheet.put(here, 5, Formula(f"C{here}+D{here}", whole / rate), number(WHOLE))
    span_ = (row + 1, row + len(made.months))
    sheet.put(span_[1] + 1, 1, "all", STRONG)
    total = Formula(f"SUM(E{span_[0]}:E{span_[1]})", float(spend.effective.sum()) / rate)
    sheet.put(span_[1] + 1, 5, total, number(WHOLE, bold=True))
    _quarters(made, sheet, span_, rate)


def _quarters(made: _Made, sheet: Sheet, months: tuple[int, int], rate: float) -> None:
    row = months[1] + 3
    sheet.row(row, 1, ["Quarter", None], HEADER)
    sheet.row(row, 3, ["Borne"], HEADER_NUMBER)
    for at, (name, mask) in enumerate(made.planned.spend.quarters, row + 1):
        sheet.put(at, 1, name, LABEL)
        rows = months[0] + mask.nonzero()[0]
        found = "+".join(f"$E${each}" for each in rows)
        value = float(made.planned.spend.effective[mask].sum()) / rate
        sheet.put(at, 3, Formula(found, value), number(WHOLE))
