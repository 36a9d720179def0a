"""What the sheets of a portfolio's workbook share: where entries, months, steps and rows of GPUs stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from memreport.catalogue.quotes.reading import Quote
from memreport.catalogue.records import Numbers
from memreport.portfolio.calendar import HOURS_PER_DAY
from memreport.portfolio.load import TypeUse
from memreport.portfolio.plan import Planned
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Book, Sheet, head, letter
from memreport.publish.xlsx.sheet.styles import DECIMAL, HEADER, HEADER_NUMBER, LABEL, given

SUMMARY, ENTRIES, GPUS, DAYS, LOAD, USE = "Summary", "Entries", "GPUs", "Days", "Load", "GPU-hours"
COVERED, SPEND, BORNE, OWNERS, OFFERS = "Covered", "Spend", "Borne", "Owners", "Commitments"
DAY = DECIMAL
"""Days count from the beginning of the horizon: dates of a spreadsheet are read back as other than numbers."""
COLUMNS = {
    "scenario": "A", "variant": "B", "owner": "C", "centre": "D", "accelerator": "E", "gpus": "F", "start": "G",
    "hours": "H", "usd": "I", "rent": "J", "factor": "K", "chance": "L", "end": "M", "capital": "N", "priority": "O",
    "number": "P", "rank": "Q", "rented": "R", "price": "S",
    "job": "T", "quote": "U",
}  # fmt: skip
"""Columns of the entries."""
BEGIN = FIRST_ROW
"""Row of the days on which months begin; a month ends where the next begins."""
FIRST_ENTRY = FIRST_ROW + 2
FIRST_MONTH, FIRST_THERE = 3, 10
"""Columns of the first month, of entries and of GPUs, where months stand side by side."""
STEP_BEGINS, STEP_DAYS, FIRST_TYPE = "C", "D", 5
"""Columns of the steps of the load: their first day, their days, and then two for each type of GPU."""
HOURS_OF_A_DAY, MONTHS_OF_A_YEAR, HOURS_OF_A_MONTH = "hours_of_a_day", "months_of_a_year", "hours_of_a_month"
"""Names of the constants that formulas use."""
QUOTES, FOCUS, RANGE = "Quotes", "FOCUS", "Range"
USE_SHEET = f"'{USE}'"
"""A name with a hyphen is quoted in formulas."""
UNIT = f"{ENTRIES}!$B${FIRST_ROW}"
"""USD for one unit of the portfolio's currency."""
QUOTE_TABLES = range(4)
"""Tables of the sheet Quotes, below each other: what each comes to, its terms, GPU-hours at it, and if all were."""
AROUND_A_TABLE = 3
"""Rows of such a table beside those of quotes: title, headings, and a free one."""
MOST_LIVE = 60_000
"""Cells of entries by steps up to which the workbook works out itself who runs on which GPUs."""


@dataclass
class PortfolioDraft:
    """What the sheets of one workbook share."""

    planned: Planned
    book: Book
    totals: dict[str, str] = field(default_factory=dict)
    """Addresses that the Summary shows."""

    @property
    def months(self) -> tuple[str, ...]:
        """The months that are planned."""
        return self.planned.portfolio.calendar.months

    @property
    def count(self) -> int:
        """How many entries there are."""
        return len(self.planned.jobs.named.scenarios)

    @property
    def rate(self) -> float:
        """USD for one unit of the portfolio's currency."""
        return self.planned.portfolio.rates[self.planned.portfolio.given.currency]

    @property
    def last_entry(self) -> int:
        """The row of the last entry, on every sheet that has a row an entry."""
        return FIRST_ENTRY + self.count - 1

    @property
    def capacity_rows(self) -> int:
        """Rows of GPUs that are owned or reserved."""
        return len(self.planned.portfolio.given.owned) + len(self.planned.portfolio.given.reserved)

    @property
    def points(self) -> int:
        """Days on which something may begin or end."""
        return 2 * self.count + 2 * self.capacity_rows + len(self.months) + 1

    @property
    def is_live(self) -> bool:
        """Whether the workbook works out the load itself."""
        return self.points * self.count <= MOST_LIVE

    @property
    def steps(self) -> tuple[int, int]:
        """First and last row of the steps."""
        return FIRST_ENTRY, FIRST_ENTRY + self.points - 1

    @cached_property
    def uses(self) -> tuple[TypeUse, ...]:
        """Types of GPU in the order of their columns."""
        return self.planned.uses

    @cached_property
    def edges(self) -> Numbers:
        """Hours at which the steps begin, as the workbook sorts them: clipped to the horizon, with repetitions.

        Hours, so that a step that begins where an entry ends is at that very hour: divided and multiplied it is not.
        """
        jobs, calendar = self.planned.jobs, self.planned.portfolio.calendar
        spans = np.array(self.spans, dtype=np.float64).reshape(-1)
        every = np.concatenate([calendar.edges, jobs.start, jobs.stop, spans])
        return np.sort(np.clip(every, 0.0, calendar.hours))

    @cached_property
    def spans(self) -> list[tuple[float, float]]:
        """Hours from which and to which each row of GPUs is there."""
        from memreport.portfolio.read import span

        given_ = self.planned.portfolio.given
        return [span(self.planned.portfolio, capacity) for capacity in (*given_.owned, *given_.reserved)]

    @cached_property
    def rented_quotes(self) -> tuple[Quote, ...]:
        """Quotes of rented GPUs, in their order on the sheet."""
        return tuple(quote for quote in self.planned.portfolio.quotes if not quote.buys)

    def quote_row(self, table: int, index: int) -> int:
        """The row of a quote in a table of its sheet."""
        return FIRST_ENTRY + table * (len(self.rented_quotes) + AROUND_A_TABLE) + index

    def entries(self, name: str) -> str:
        """The absolute range of a column of entries."""
        return f"{ENTRIES}!${COLUMNS[name]}${FIRST_ENTRY}:${COLUMNS[name]}${self.last_entry}"

    def gpus(self, column: str) -> str:
        """The absolute range of a column of the rows of GPUs."""
        return f"{GPUS}!${column}${FIRST_ENTRY}:${column}${FIRST_ENTRY + max(self.capacity_rows, 1) - 1}"

    def step(self, column: str) -> str:
        """The absolute range of a column of the steps."""
        return f"{LOAD}!${column}${self.steps[0]}:${column}${self.steps[1]}"

    def ends_of_month(self, index: int) -> tuple[str, str]:
        """Where a month begins, and where the one after it does."""
        begin, after = (f"{DAYS}!{letter(FIRST_MONTH + index + more)}${BEGIN}" for more in (0, 1))
        return begin, after

    def in_month(self, index: int) -> str:
        """Which steps lie in a month, as ones and zeros."""
        begin, after = self.ends_of_month(index)
        return f"({self.step(STEP_BEGINS)}>={begin})*({self.step(STEP_BEGINS)}<{after})*{self.step(STEP_DAYS)}"

    def type_column(self, index: int, what: int = 0) -> str:
        """The column of a type's GPUs that are there, or in use."""
        return letter(FIRST_TYPE + 2 * index + what)

    def entry_column(self, index: int) -> str:
        """The column of an entry's GPUs on those that are there."""
        return letter(FIRST_TYPE + 2 * len(self.uses) + index)

    def sheet(self, title: str, about: str) -> Sheet:
        """A new sheet with its head."""
        sheet = self.book.add(title)
        head(sheet, title, about)
        return sheet

    def by_month(self, title: str, about: str) -> Sheet:
        """A new sheet with a row an entry and a column a month, under the days on which months begin."""
        sheet = self.sheet(title, about)
        sheet.widths(28, 16, *[11] * (len(self.months) + 1))
        sheet.row(BEGIN, 1, ["Begins on day", None], LABEL)
        sheet.row(BEGIN + 1, 1, ["Scenario", "Owner"], HEADER)
        sheet.row(BEGIN + 1, FIRST_MONTH, [*self.months, "after"], HEADER_NUMBER)
        for column, hour in enumerate(self.planned.portfolio.calendar.edges.tolist(), FIRST_MONTH):
            sheet.put(BEGIN, column, hour / HOURS_PER_DAY, given(DAY))
        for index, name in enumerate(self.planned.jobs.named.scenarios):
            sheet.row(FIRST_ENTRY + index, 1, [name, self.planned.jobs.named.owners[index]], LABEL)
        return sheet
