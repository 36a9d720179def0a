"""Records of a portfolio as people read it."""

from __future__ import annotations

from typing import Literal

from memreport.frozen import frozen
from memreport.report.records.budget import KeyFact

CellKind = Literal["text", "number", "wrong", "aside"]


@frozen
class ColumnForm:
    """How much of the page a column takes, in percent (0: the rest), and what its cells are."""

    width: int = 0
    kind: CellKind = "text"


@frozen
class SaidTable:
    """A table of texts with its title, heads and what must be known to read it.

    Without `forms` the first cell says what a row is, and the others are numbers.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    about: str = ""
    id: str = ""
    sums: tuple[int, ...] = ()
    """Rows that are sums of others."""
    forms: tuple[ColumnForm, ...] = ()
    caption: str = ""
    links: tuple[str, ...] = ()
    """Of each row where its first cell leads."""


@frozen
class MonthPart:
    """What one part comes to in each month."""

    title: str
    values: tuple[float, ...]


@frozen
class MonthBars:
    """Parts stacked month by month, with the text over each bar; `limit` is what is there, where there is something."""

    title: str
    unit: str
    months: tuple[str, ...]
    parts: tuple[MonthPart, ...]
    texts: tuple[str, ...]
    said: str
    limit: MonthPart | None = None


@frozen
class CountedCost:
    """Cost by how many GPUs are committed to, from none up; `best` is the count that costs least."""

    title: str
    unit: str
    costs: tuple[float, ...]
    best: int
    best_text: str
    said: str


@frozen
class PortfolioSentences:
    """What a portfolio says in sentences: its answer, and what leads to it."""

    answer: tuple[str, ...]
    urgent: tuple[str, ...] = ()
    """On what is planned and cannot run."""
    over: tuple[str, ...] = ()
    """On budgets that are exceeded."""
    commitments: tuple[str, ...] = ()
    """On what to commit to."""
    decisions: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    """Rates of exchange with day and source, and how it counts."""


@frozen
class PortfolioReport:
    """The title, the answer in sentences, then tables in the order in which they are read."""

    title: str
    said: PortfolioSentences
    tables: tuple[SaidTable, ...]
    id: str = ""
    keys: tuple[KeyFact, ...] = ()
    spend: MonthBars | None = None
    loads: tuple[MonthBars, ...] = ()
    curves: tuple[CountedCost, ...] = ()
    date: str = ""

    def table(self, id_: str) -> SaidTable | None:
        """The table of that id; None where there is none."""
        return next((table for table in self.tables if table.id == id_), None)
