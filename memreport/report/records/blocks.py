"""The kinds of blocks of which outputs consist: a closed set, so that every renderer handles every kind."""

from __future__ import annotations

from dataclasses import dataclass

from memreport.report.records.advice import Sensitivity, Steps
from memreport.report.records.curves import ReportCurve
from memreport.report.records.decision import Answer, OptionRow, spread_of_times
from memreport.report.records.peak import StackedBar
from memreport.report.records.portfolio import CountedCost, MonthBars, SaidTable
from memreport.report.records.report import NumberedSource, RentOrBuy, WorkedGroup
from memreport.report.records.roofline import Roofline


@dataclass(frozen=True)
class OptionTable:
    """Options or variants side by side, a row each; with `users` how many each serves instead of its headroom."""

    rows: tuple[OptionRow, ...]
    users: bool = False

    @property
    def about(self) -> str:
        """What must be known to read its times."""
        return spread_of_times(self.rows)


@dataclass(frozen=True)
class StartLine:
    """What starts the engine in a shell; empty where nothing is served."""

    line: str


@dataclass(frozen=True)
class Notes:
    """What must be known besides, a sentence each."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class SourceList:
    """Sources with the numbers by which they are cited."""

    sources: tuple[NumberedSource, ...]


Drawn = StackedBar | ReportCurve | Roofline | RentOrBuy | Sensitivity | MonthBars | CountedCost
"""Kinds that are drawings where there is paper for one, and tables of texts elsewhere."""
Listed = Steps | WorkedGroup | SourceList
Block = Answer | OptionTable | SaidTable | StartLine | Notes | Drawn | Listed
