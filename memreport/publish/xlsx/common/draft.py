"""What the sheets of one workbook know of each other: where inputs, tables, words and lines stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memreport.figures.beside import CURVE_PARTS
from memreport.figures.constants import ONE_HOUR, SMALLEST_PRICE
from memreport.formula.words import Constant
from memreport.frozen import frozen
from memreport.portfolio.calendar import HOURS_PER_DAY
from memreport.publish.xlsx.common.titles import CALCULATION, INPUTS
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Book, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.paper import WIDEST
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER
from memreport.report.money.rent_or_buy import NEVER
from memreport.report.peak.parts import MOST_TIMES_CAPACITY
from memreport.report.records.documented import DocumentedEntry
from memreport.report.records.report import Report
from memreport.report.view import View
from memreport.resolve import Case
from memreport.resolve.rules import CAPACITY_LEEWAY

FIRST = 6
"""Column F: the first variant, on every sheet that has a column a variant."""
FROZEN = 4
"""Column D: names, words and units before it stay in sight."""
NAME_COLUMN, LINE_COLUMN = 1, 2
"""Column A: the name that machines know a line by, which is not printed; column B: what people call it."""
NAME_WIDTH, UNIT_WIDTH, BASIS_WIDTH = 34.0, 10.5, 10.0
LEAST_WORDS, MOST_WORDS, MANY_WORDS = 38.5, 92.0, 78.0
"""Characters of the columns of words, B and E, together, where one page has all columns, and where it has not."""
MARGIN = 2.0
"""Characters by which a sheet may be wider than planned and still be readable on one page."""
LINE_PART = 0.58
LEAST_WIDTH, MOST_WIDTH = 14.2, 16.0
"""Characters of a variant's column."""
NOT_PRINTED = "Names in column A are not printed."
NOT_GIVEN = "–"
"""Stands in a cell that may hold a number but does not; some programs read an empty cell as 0."""
NOTHING = "none"
"""Stands where a row of a table has no such text: an empty cell would be looked up as 0."""
VERDICT = "verdict"
IN_WORDS = "{} (words)"
"""Row that says in words what the number of a line stands for."""
USUAL = "usual"
"""Stands for the host that a GPU is usually in, where nobody states one."""
STATED_FOR = "{} (stated for)"
"""Row of Inputs that says of which GPU the price typed above it is."""

BYTES_PER_GIB = Constant("BYTES_PER_GIB", 2**30, "byte", "bytes in a GiB", "IEC 80000-13")
PER_TERA = Constant("PER_TERA", 1e12, "", "units in a tera-unit", "SI")
LEEWAY = Constant(
    "LEEWAY", CAPACITY_LEEWAY, "", "most that driver and data sheet may differ in capacity", "hardware/accelerators"
)
ROOF_SPAN = Constant("ROOF_SPAN", 10_000, "", "how far the drawn roof reaches to either side of its ridge", "drawing")
MONTHS_DRAWN = Constant("MONTHS_DRAWN", CURVE_PARTS, "", "parts into which the life is cut for the curves", "drawing")
ONE_UNIT = Constant("ONE_UNIT", 1, "", "quantity of a charge that is not metered", "FOCUS 1.2, PricingQuantity")
MOST_DRAWN = Constant(
    "MOST_DRAWN", MOST_TIMES_CAPACITY, "", "times the capacity at which longer bars are cut", "drawing"
)
HUNDRED = Constant("HUNDRED", 100, "", "per cent in a whole", "definition")
FEW_DIGITS = Constant("FEW_DIGITS", 2, "", "digits behind the point of a sum of 1 to 100", "rounding")
SMALL_DIGITS = Constant("SMALL_DIGITS", 4, "", "digits behind the point of a sum below 1", "rounding")
HOURS_OF_DAY = Constant("HOURS_OF_DAY", HOURS_PER_DAY, "h", "hours in a day", "definition")
MINUTES_OF_HOUR = Constant("MINUTES_OF_HOUR", 60, "", "minutes in an hour", "definition")
MILLISECONDS = Constant("MILLISECONDS", 1000, "", "milliseconds in a second", "SI")
NO_MONTHS = Constant("NO_MONTHS", NEVER, "", "months after which no hardware is left to pay", "rounding")
NO_COST = Constant("NO_COST", 0, "", "a purchase is no cost until it is used, nor billed twice", "FOCUS 1.2")
OWN_CONSTANTS = (
    BYTES_PER_GIB, PER_TERA, LEEWAY, ROOF_SPAN, MONTHS_DRAWN, MOST_DRAWN, HUNDRED, HOURS_OF_DAY,
    ONE_UNIT, NO_COST, ONE_HOUR, FEW_DIGITS, SMALL_DIGITS, MINUTES_OF_HOUR, MILLISECONDS, SMALLEST_PRICE, NO_MONTHS,
)  # fmt: skip


@frozen
class TablePlace:
    """Where a reference table stands: ranges of its ids, of each column and of each text."""

    ids: str
    columns: Mapping[str, str]
    texts: Mapping[str, str]


@frozen
class UsualPrices:
    """Where the lowest price of each GPU stands, by id: a row a GPU, a column a number of GPUs, and these numbers."""

    ids: str
    counts: str
    lowest: Callable[[str, float], str]
    """The id that stands there for a GPU and a number of it."""


@dataclass(frozen=True)
class UsualHosts:
    """Where the usual host of each GPU stands, by id: a row a GPU, a column a number of GPUs, and these numbers."""

    ids: str
    counts: str


@dataclass
class InputPlaces:
    """Rows of the Inputs sheet by field name; `overrides` are rows that replace a computed or looked-up value.

    `limits` are the least and the highest number of a row that takes numbers.
    """

    header: int = 0
    last: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    overrides: dict[str, int] = field(default_factory=dict)
    limits: dict[int, tuple[float, float]] = field(default_factory=dict)


@dataclass
class CellPlaces:
    """Where cells stand that other sheets read; empty until they are written."""

    master_check: str = ""
    changed_inputs: str = ""
    """How many inputs are not as built."""
    left_open: str = ""
    """Which choices that nobody stated would be others with the inputs that stand now, in words."""
    which_price: str = ""
    """Where each variant's price comes from, in words."""
    cost_total_row: int = 0
    cost_shares_row: int = 0
    kernel_shares: dict[str, str] = field(default_factory=dict)
    """The sum of all shares, by phase."""


@dataclass
class Draft:
    """A workbook in the making."""

    book: Book
    view: View
    report: Report
    tables: dict[str, TablePlace] = field(default_factory=dict)
    usual_prices: dict[str, UsualPrices] = field(default_factory=dict)
    """Of each table of prices that may be billed."""
    usual_hosts: UsualHosts | None = None
    constants: dict[str, str] = field(default_factory=dict)
    units: Mapping[tuple[str, float], str] = field(default_factory=dict)
    """Units that cited documents print, by word and factor."""
    words: dict[str, str] = field(default_factory=dict)
    inputs: InputPlaces = field(default_factory=InputPlaces)
    rows: dict[str, int] = field(default_factory=dict)
    """Rows of the Calculation sheet by line."""
    built: dict[tuple[int, str, str], tuple[str | float | None, ...]] = field(default_factory=dict)
    """Inputs as they are built, by row, label and name: what Checks compares the Inputs sheet with."""
    contents: list[tuple[str, str]] = field(default_factory=list)
    """Titles of all sheets, and what each holds."""
    outcomes: Mapping[str, Result] = field(default_factory=dict)
    """Where the steps of each documented figure end, by its name."""
    flags: dict[int, str] = field(default_factory=dict)
    """Rows of the Checks sheet that say whether a check fails, and what it checks."""
    cells: CellPlaces = field(default_factory=CellPlaces)

    @property
    def count(self) -> int:
        """How many variants there are."""
        return len(self.view.variants)

    @property
    def documented(self) -> tuple[DocumentedEntry, ...]:
        """The documented figures that the scenario itself states; those of others stand in their own workbook."""
        return tuple(entry for entry in self.report.documented.entries if entry.own)

    @property
    def last(self) -> int:
        """The last variant's column."""
        return FIRST + self.count - 1

    def setting(self, case: Case, name: str) -> str | float:
        """A choice or number of a case as an input says it: a host that nobody stated is the usual one."""
        if name == "host" and case.origins[name].kind == "default":
            return USUAL
        value = case.settings[name]
        return value if isinstance(value, str) else float(value)

    def value(self, name: str, index: int) -> float:
        """A figure or input of the engine."""
        return self.view.value(name, index)

    def calculated(self, name: str) -> str:
        """The absolute range of a line's variants on the Calculation sheet."""
        row = self.rows[name]
        return self.book.sheets[CALCULATION].span(row, FIRST, row, self.last)

    def gibibytes(self, text: str, value: float) -> Formula:
        """A number of bytes in GiB."""
        return Formula(f"{text}/{self.constants[BYTES_PER_GIB.name]}", value / BYTES_PER_GIB)

    def header(self, sheet: Sheet, row: int, titles: Sequence[str]) -> None:
        """Header of a sheet with a column a variant: five titles, then the variants' names by formula."""
        sheet.row(row, NAME_COLUMN, list(titles), HEADER)
        names = self.book.sheets[INPUTS]
        for index, case in enumerate(self.view.variants):
            column = FIRST + index
            relative = names.address(self.inputs.header, column).replace("$", "", 1)
            sheet.put(row, column, Formula(relative, case.name), HEADER_NUMBER)

    def set_widths(
        self,
        sheet: Sheet,
        columns: int,
        printed: int | None = None,
        basis: float = BASIS_WIDTH,
        line_part: float = LINE_PART,
    ) -> None:
        """The usual widths of a sheet with a column a variant or point, so that `printed` of them fit one page."""
        sheet.widths(*widths_for(columns if printed is None else printed, basis, line_part))
        for column in range(FIRST, FIRST + columns):
            sheet.width(column, sheet.width_of(FIRST))

    def open(self, sheet: Sheet, title: str, subtitle: str) -> None:
        """Title and subtitle of a sheet whose names are not printed; where these stood, pages have a head."""
        head(sheet, title, subtitle)
        sheet.page_head = title, f"{subtitle} {NOT_PRINTED}"

    def close(self, sheet: Sheet, last_row: int, last_column: int, first_row: int = FIRST_ROW) -> None:
        """What is printed of such a sheet, what stays on the screen; with too many variants, several pages across."""
        sheet.worksheet.print_area = f"{letter(LINE_COLUMN)}{first_row}:{letter(last_column)}{last_row}"
        sheet.over_pages = f"{letter(LINE_COLUMN)}:{letter(LINE_COLUMN + 1)}"


def widths_for(printed: int, basis: float, line_part: float) -> list[float]:
    """Widths of columns A to F, so that as many columns as F fit one page behind words that stay readable."""
    fixed = UNIT_WIDTH + basis
    if fixed + LEAST_WORDS + LEAST_WIDTH * printed > WIDEST + MARGIN:
        words, each = MANY_WORDS, LEAST_WIDTH
    else:
        each = min(MOST_WIDTH, max(LEAST_WIDTH, (WIDEST - fixed - MOST_WORDS) / max(printed, 1)))
        words = min(MOST_WORDS, max(LEAST_WORDS, WIDEST - fixed - each * printed))
    return [NAME_WIDTH, words * line_part, UNIT_WIDTH, basis, words * (1 - line_part), each]


@frozen
class Result:
    """Where an outcome stands: both ends of our value, the verdict's number, whether a source differs, the heading."""

    low: str
    high: str
    verdict: str
    conflict: str
    top: str
    values: tuple[float, float]
    """Both ends of our value, in the printed unit."""
