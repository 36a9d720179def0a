"""What a report consists of: frozen records of numbers in base units, each with the text that people read.

The workbook, the sheet, the web page and the JSON decide how these are shown; none decides again what is shown.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memreport.advise.comparisons import Comparisons
from memreport.advise.verdict import DOES_NOT_FIT, Word
from memreport.catalogue.scenario import Approval, Change
from memreport.frozen import frozen
from memreport.report.records.answers import Verdict
from memreport.report.records.peak import StackedBar
from memreport.resolve import ScenarioWarning

if TYPE_CHECKING:
    from memreport.report.records.advice import PlanShown, Sensitivity
    from memreport.report.records.budget import Budget
    from memreport.report.records.changes.versions import VersionComparison
    from memreport.report.records.decision import Answer, OptionRow
    from memreport.report.records.documented import DocumentedEntry, DocumentedFigures
    from memreport.report.records.money.bill import Money
    from memreport.report.records.peak import Bar
    from memreport.report.records.speed import Speed
    from memreport.report.records.worked import Derivation


@frozen
class Build:
    """What is said about the build itself: memreport's version, and what the verification found of the documents."""

    version: str
    documented: tuple[DocumentedEntry, ...] = ()
    attachments: tuple[str, ...] = ()
    since: VersionComparison | None = None
    comparisons: Comparisons = field(default_factory=Comparisons)


@frozen
class JobNamed:
    """What the job is: training or serving, of which model, on which GPUs."""

    workload: str
    model: str
    hardware: str


@frozen
class MadeFrom:
    """What a report is made from and by: `sha256` is of the scenario's text, `memreport` the version."""

    citation: str
    file: str
    sha256: str
    memreport: str
    attachments: tuple[str, ...] = ()


@frozen
class Standing:
    """How far the budget is approved, and the days of its prices."""

    approval: Approval
    approval_state: str
    prices_as_of: str
    prices_valid_until: str


@frozen
class Identity:
    """Which scenario, in which version, of which `date`: that of its last change."""

    id: str
    version: int
    title: str
    question: str
    owner: str
    date: str
    job: JobNamed
    made: MadeFrom
    standing: Standing


@frozen
class Assumption:
    """An input of the headline's variant: what it is, where it came from, and the number of its source (0: none)."""

    name: str
    title: str
    meaning: str
    text: str
    unit: str
    origin: str
    source: int
    decisive: bool
    kind: str = ""
    """Of its origin: default, scenario, variant, ..."""


@frozen
class OtherChoice:
    """One row of the table: an input with the assumed or another choice, the peak and the verdict."""

    title: str
    choice: str
    assumed: bool
    peak: float
    peak_text: str
    word: Word


@frozen
class NotStated:
    """The first variant's table, and its one line for page 1."""

    sentence: str
    rows: tuple[OtherChoice, ...]

    @property
    def turns(self) -> bool:
        """Whether the job would fit with some of these choices and not with others."""
        return len({row.word == DOES_NOT_FIT for row in self.rows}) > 1


@frozen
class GridAxis:
    """One field of a scaling table; `asked` is the position of the variant itself, -1 where it lies beside."""

    title: str
    labels: tuple[str, ...]
    asked: int


@frozen
class GridFigure:
    """The figure of a scaling table."""

    name: str
    meaning: str
    unit: str


@frozen
class GridPoints:
    """The points of a scaling table, row by row; `words` say of each whether it fits."""

    values: tuple[tuple[float, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    words: tuple[tuple[Word, ...], ...]


@frozen
class Grid:
    """A scaling table: a figure over one or two fields; `marked`: it is worth showing which points fit."""

    title: str
    figure: GridFigure
    variant: str
    down: GridAxis
    across: GridAxis
    points: GridPoints
    capacity: float
    marked: bool
    frontier: str

    @property
    def asked(self) -> tuple[int, int]:
        """The position of the variant itself."""
        return self.down.asked, self.across.asked


@frozen
class NumberedSource:
    """A source as it is listed, from 1."""

    number: int
    title: str
    address: str
    date: str
    used_for: str


@frozen
class History:
    """The scenario's own log of changes, the newest first, and what differs from the version before."""

    changes: tuple[Change, ...]
    since: VersionComparison | None


@frozen
class Report:
    """Everything that is published of one scenario, in the order in which it is shown.

    `chosen` is the variant of which key figures, speed and cost are shown: see `advise.verdict`.
    `plan` is the advice on the first variant, `tornado` on the first that fits; None where none was asked for.
    """

    identity: Identity
    verdicts: tuple[Verdict, ...]
    asked: tuple[str, ...]
    bars: tuple[Bar, ...]
    assumptions: tuple[Assumption, ...]
    chosen: str
    derivation: Derivation
    grids: tuple[Grid, ...]
    speed: Speed
    money: Money
    documented: DocumentedFigures
    sources: tuple[NumberedSource, ...]
    history: History
    answer: Answer | None = None
    rows: tuple[OptionRow, ...] = ()
    """A row for every variant, as the options are shown."""
    budget: Budget | None = None
    plan: PlanShown | None = None
    tornado: Sensitivity | None = None
    warnings: tuple[ScenarioWarning, ...] = ()
    not_stated: NotStated | None = None

    @property
    def doubt(self) -> str:
        """What was assumed for the first variant, where the budget is about it and it would not fit otherwise."""
        found = self.not_stated if self.chosen == self.verdicts[0].variant else None
        return found.sentence if found and found.turns else ""

    @property
    def parts_of_peak(self) -> StackedBar:
        """What the peak of the chosen variant consists of."""
        bar = next((each for each in self.bars if each.variant == self.chosen), self.bars[0])
        return StackedBar("Where the memory goes", bar.filled, bar.peak)
