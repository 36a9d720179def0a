"""What a rule between fields is, and the words it is said in: those of formulas, so that workbooks check it too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memreport.catalogue.records import Numbers
from memreport.figures.model import parallelism, stages
from memreport.figures.serving import fleet
from memreport.formula.recording import figures_in, recorded, walk
from memreport.formula.words import Expr, Ref, floor, where
from memreport.frozen import frozen

Columns = Mapping[str, Numbers]
Truths = Any
"""A column of truths or of 1 and 0, or the recording of one."""


@frozen
class Constraint:
    """`holds` gives true a case where the rule is kept; `field` is the one that a message points at."""

    field: str
    message: str
    holds: Callable[[Columns], Truths]
    workloads: tuple[str, ...] = ("training", "serving")
    source: str = ""

    @property
    def expression(self) -> Expr:
        """The recording of `holds`."""
        return recorded(self.holds)

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of inputs, each once for every time that it is read."""
        return tuple(node.name for node in walk(self.expression) if isinstance(node, Ref))


def training_rule(field: str, message: str, holds: Callable[[Columns], Truths], source: str = "") -> Constraint:
    """A rule of trainings alone."""
    return Constraint(field, message, holds, ("training",), source)


def serving_rule(field: str, message: str, holds: Callable[[Columns], Truths], source: str = "") -> Constraint:
    """A rule of services alone."""
    return Constraint(field, message, holds, ("serving",), source)


_SHARED = {figure.name: figure for module in (parallelism, stages, fleet) for figure in figures_in(module)}


def figure_of(columns: Columns, name: str) -> Any:
    """A figure that rules share with budgets, of columns or of names; what is no such figure is a column."""
    figure = _SHARED.get(name)
    return figure.formula(**{key: figure_of(columns, key) for key in figure.inputs}) if figure else columns[name]


def divides(part: Any, whole: Any) -> Truths:
    """Whether the whole is a multiple of the part."""
    return floor(whole / part) * part >= whole


def shares_out(part: Any, whole: Any) -> Truths:
    """The same, or that the whole is none: what makes it so is told by itself."""
    return either(floor(whole) < whole, divides(part, whole))


def either(first: Truths, *others: Truths) -> Truths:
    """Whether any holds."""
    return where(first, 1, either(*others)) if others else first


def both(first: Truths, second: Truths) -> Truths:
    """Whether each holds."""
    return where(first, second, 0)
