"""The kinds of blocks of which outputs consist: a closed set, so that every renderer handles every kind."""

from __future__ import annotations

from memreport.advise.candidates import Role
from memreport.catalogue.names import title_of
from memreport.frozen import frozen
from memreport.report.records.advice import Sensitivity, Steps
from memreport.report.records.answers import Verdict
from memreport.report.records.budget import KeyFact, Risk
from memreport.report.records.decision import NONE_KNOWN, Answer, OptionRow, cost_title, spread_of_times, time_title
from memreport.report.records.money.bill import CostLine
from memreport.report.records.money.ownership import RentOrBuy
from memreport.report.records.money.quotes import QuoteRow
from memreport.report.records.peak import Bar, StackedBar
from memreport.report.records.portfolio import CountedCost, MonthBars, SaidTable
from memreport.report.records.report import Assumption, Grid, NumberedSource
from memreport.report.records.speed import ReportCurve, RoofKernel, Roofline
from memreport.report.records.worked import WorkedGroup


@frozen
class OptionTable:
    """Options or variants side by side, a row each; with `users` how many each serves instead of its headroom.

    Options are called by what they are to the reader, rows of `variants` by name; `marked` is the one that is meant.
    Memory is a bar on paper, and with `bars` false a text.
    """

    rows: tuple[OptionRow, ...]
    users: bool = False
    variants: bool = False
    marked: str = ""
    bars: bool = True

    @property
    def about(self) -> str:
        """What must be known to read its times."""
        return spread_of_times(self.rows)

    @property
    def time_title(self) -> str:
        """What its times are of."""
        return time_title(self.rows)

    @property
    def cost_title(self) -> str:
        """What its last column is: GPU-hours where no price is stated."""
        return cost_title(self.rows)

    @property
    def apart(self) -> int | None:
        """The position of the first option that is a different job; None where all are the same."""
        places = [index for index, row in enumerate(self.rows) if row.role is Role.DIFFERENT_JOB and not self.variants]
        return places[0] if places else None


@frozen
class StartLine:
    """What starts the engine in a shell; empty where nothing is served."""

    line: str


@frozen
class Notes:
    """What must be known besides, a sentence each."""

    sentences: tuple[str, ...]


@frozen
class KeyFacts:
    """The few numbers that carry the answer; figures of a variant."""

    facts: tuple[KeyFact, ...]
    variant: str = ""


@frozen
class RiskTable:
    """What could break the plan, a row each; `period` is what the cost of a service is for, as `a month`."""

    risks: tuple[Risk, ...]
    period: str = ""

    @property
    def priced(self) -> bool:
        """Whether any of them moves a cost."""
        return any(risk.cost != NONE_KNOWN for risk in self.risks)

    @property
    def more(self) -> str:
        """What stands over what they cost more."""
        return f"More cost{self.period}"


@frozen
class GridShown:
    """A scaling table, its place among those of its report, and the first rows and columns that are shown."""

    grid: Grid
    place: int
    rows: range
    columns: range

    @property
    def heads(self) -> list[str]:
        """Labels of the columns, or the figure where there is but one."""
        return [self.grid.across.labels[index] or title_of(self.grid.figure.name) for index in self.columns]


@frozen
class KernelTable:
    """Kernels of a roofline by their numbers in it; their shares alone where it stands beside a drawing."""

    kernels: tuple[RoofKernel, ...]
    beside: bool = False


@frozen
class Bill:
    """Lines of the bill of a variant."""

    variant: str
    lines: tuple[CostLine, ...]


@frozen
class QuoteList:
    """Vendors' quotes for one job."""

    rows: tuple[QuoteRow, ...]


@frozen
class InputList:
    """Inputs with where they come from; `file` is the scenario's."""

    inputs: tuple[Assumption, ...]
    file: str = ""

    def origin_of(self, assumption: Assumption) -> str:
        """Where an input comes from, of the scenario's own file the line."""
        return assumption.origin.replace(f"{self.file}:", "line ") if self.file else assumption.origin


@frozen
class VariantVerdicts:
    """The verdict on each variant in a sentence, beside where its memory goes."""

    verdicts: tuple[Verdict, ...]
    bars: tuple[Bar, ...]


@frozen
class Signatures:
    """Who signs: names as far as they are known."""

    prepared: str = ""
    reviewed: str = ""
    approved: str = ""


@frozen
class SourceList:
    """Sources with the numbers by which they are cited."""

    sources: tuple[NumberedSource, ...]


Drawn = StackedBar | ReportCurve | Roofline | RentOrBuy | Sensitivity | MonthBars | CountedCost
"""Kinds that are drawings where there is paper for one, and tables of texts elsewhere."""
Tabled = RiskTable | GridShown | KernelTable | Bill | QuoteList | InputList | VariantVerdicts
"""Kinds that are tables in a form of their own on paper."""
Listed = Steps | WorkedGroup | SourceList | KeyFacts | Signatures | Tabled
Block = Answer | OptionTable | SaidTable | StartLine | Notes | Drawn | Listed
