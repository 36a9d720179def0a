"""Figures: an ordinary function, read once with names instead of numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from types import ModuleType
from typing import Any, get_type_hints

from memreport.errors import FormulaError, UnitError
from memreport.formula.units import COUNT, Unit
from memreport.formula.words import WORDS, Expr, Num, Op, Ref, leaf

BASES = ("exact", "measured", "rule of thumb")
PLACES = {
    "main": "what a reader asks for first: the derivation, a comparison of versions, the checks of a workbook",
    "in short": "the last lines of `show --all`",
    "summary": "a column of the workbook's first sheet",
    "bill": "the lines of the bill, wherever it is shown",
    "bill in the workbook": "lines of the bill that the workbook alone has",
    "what is billed": "hours, prices and purchases, in the order in which the bill is worked out",
    "unstated when renting": "said to be missing in the total of something rented, where it is nothing",
    "unstated when buying": "the same where hardware is bought",
    "rent or buy": "what the comparison of buying and renting rests on",
    "with verdicts": "its scaling tables say of every point whether it fits",
}
"""Where a figure may be shown beside the calculation, which holds all of them."""
SCOPES = ("one replica", "all GPUs", "one user")
"""Whether requests, tokens or time are of one copy of the model, of all GPUs together, or what one user sees."""


@dataclass(frozen=True)
class Figure:
    """One figure of a budget: a pure function whose parameter names are the names of its inputs.

    `unit` and `inputs` hold dimensions; `basis` says whether it is arithmetic, measured or a rule of thumb; `labels`
    are the words that a number from 1 upwards stands for, where the figure is a choice.  `title` is what people call it
    where its name in plain words would not do; `workload` is the only one that has it, where its module serves several;
    of a `family` are lines that each bind it to names of their own.  `shown` names places of `PLACES`, each perhaps
    of one workload (`main of serving`), `scope` one of `SCOPES`.
    """

    name: str
    formula: Callable[..., Any]
    unit: Unit
    inputs: Mapping[str, Unit]
    symbol: str
    meaning: str
    source: str
    basis: str = "exact"
    labels: tuple[str, ...] = ()
    title: str = ""
    workload: str = ""
    family: bool = False
    shown: tuple[str, ...] = ()
    scope: str = ""

    @cached_property
    def expression(self) -> Expr:
        """The recording.  Raises UnitError when the result is not in the promised unit."""
        recorded = leaf(self.formula(**{name: Ref(name, unit) for name, unit in self.inputs.items()}))
        if recorded.unit != self.unit and not (isinstance(recorded, Num) and recorded.value == 0 and not recorded.name):
            raise UnitError(f"{self.name} promises {self.unit} but its formula gives {recorded.unit}")
        return recorded

    @cached_property
    def chooses(self) -> bool:
        """Whether the formula has branches."""
        return any(isinstance(expression, Op) and expression.word == "where" for expression in walk(self.expression))

    def row(self, name: str, symbol: str, words: str, bound: Mapping[str, str | int], **others: Any) -> Figure:
        """A figure of its own with this formula, whose inputs are called as `bound` says; `words` are a docstring.

        An input may be bound to a number, 0 or 1.  `others` are what it has otherwise than this figure.
        """
        names = {parameter: bound.get(parameter, parameter) for parameter in self.inputs}

        def formula(**given: Any) -> Any:
            return self.formula(**{parameter: given.get(str(read), read) for parameter, read in names.items()})

        formula.__module__ = self.formula.__module__
        inputs = {read: self.inputs[parameter] for parameter, read in names.items() if isinstance(read, str)}
        meaning, source = _said(words)
        own = {"name": name, "symbol": symbol, "meaning": meaning, "source": source, "family": False}
        return replace(self, formula=formula, inputs=inputs, **{**own, **others})


class FigureRows(tuple[Figure, ...]):
    """Figures that share one formula: members of a module as if each stood there by itself."""

    __slots__ = ()


def _said(words: str) -> tuple[str, str]:
    """Meaning and source of a docstring."""
    meaning, _, source = words.partition("Source:")
    return " ".join(meaning.split()), " ".join(source.split())


def figure(
    symbol: str,
    basis: str = "exact",
    labels: tuple[str, ...] = (),
    *,
    title: str = "",
    workload: str = "",
    family: bool = False,
    shown: tuple[str, ...] = (),
    scope: str = "",
    source: str = "",
) -> Callable[[Callable[..., Any]], Figure]:
    """Mark a function as a figure; name, inputs, units, meaning and source are read from the function itself.

    `source` is the one of a docstring that has no room for it beside the meaning, without the full stop.
    """
    own = f"  Source: {source}." if source else ""

    def mark(function: Callable[..., Any]) -> Figure:
        units = _units(function)
        meaning, said = _said(f"{function.__doc__ or ''}{own}")
        result = units.pop("return")
        return Figure(
            function.__name__,
            function,
            result,
            units,
            symbol,
            meaning,
            said,
            basis,
            labels,
            title,
            workload,
            family,
            _known(shown, PLACES, function),
            "".join(_known((scope,) if scope else (), SCOPES, function)),
        )

    return mark


def _known(words: tuple[str, ...], allowed: Collection[str], function: Callable[..., Any]) -> tuple[str, ...]:
    """The words as they are.  Raises FormulaError for one that is not among those that may be said."""
    for word in words:
        if word.partition(" of ")[0] not in allowed:
            raise FormulaError(f"{function.__name__}: {word!r} is none of {', '.join(allowed)}")
    return words


def _units(function: Callable[..., Any]) -> dict[str, Unit]:
    code = function.__code__
    missing = {*code.co_varnames[: code.co_argcount], "return"} - set(function.__annotations__)
    if missing or not function.__doc__:
        raise FormulaError(f"{function.__name__}: every input and the result need a unit, and the figure a docstring")
    kinds: dict[str, Any] = function.__annotations__
    if any(isinstance(kind, str) for kind in kinds.values()):  # of a module that leaves annotations as texts
        kinds = get_type_hints(function, include_extras=True)
    return {name: Unit.parse(kind.__metadata__[0]) for name, kind in kinds.items()}


def figures_in(module: ModuleType, workload: str = "") -> tuple[Figure, ...]:
    """The figures that a module defines, in its order, without families; of one workload where that is named."""
    return tuple(
        defined
        for defined in _defined_in(module)
        if not defined.family and (not workload or defined.workload in ("", workload))
    )


def _defined_in(module: ModuleType) -> Iterable[Figure]:
    """Figures and rows of a module, each once where it first stands: some rows have a name of their own besides."""
    found: dict[str, Figure] = {}
    for member in vars(module).values():
        own = isinstance(member, Figure) and member.formula.__module__ == module.__name__
        found |= {row.name: row for row in (member if isinstance(member, FigureRows) else (member,) if own else ())}
    return found.values()


@dataclass(frozen=True)
class Line:
    """A figure at one place of the calculation: `bound` says which line or input each parameter reads."""

    name: str
    figure: Figure
    bound: Mapping[str, str]

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """Names of the lines and inputs that this line is made of."""
        return tuple(self.bound[parameter] for parameter in self.figure.inputs)


def plain_line(figure_: Figure) -> Line:
    """The usual line: each parameter reads the line or input of its own name."""
    return bound_line(figure_.name, figure_, {})


def bound_line(name: str, family: Figure, bound: Mapping[str, str]) -> Line:
    """A line in which some parameters read what `bound` says, and all others the line or input of their own name."""
    return Line(name, family, {parameter: bound.get(parameter, parameter) for parameter in family.inputs})


def ordered(lines: Iterable[Line]) -> list[Line]:
    """Lines in dependency order.  Raises FormulaError on a circle or a name used twice."""
    by_name: dict[str, Line] = {}
    for line in lines:
        if by_name.setdefault(line.name, line) is not line:
            raise FormulaError(f"two lines are called {line.name}")
    graph = {name: [read for read in line.reads if read in by_name] for name, line in by_name.items()}
    try:
        return [by_name[name] for name in TopologicalSorter(graph).static_order()]
    except CycleError as fault:
        raise FormulaError(f"figures depend on each other in a circle: {' -> '.join(fault.args[1])}") from None


def walk(expression: Expr) -> Iterator[Expr]:
    """Every node of a recording, the whole before its parts."""
    yield expression
    if isinstance(expression, Op):
        for arg in expression.args:
            yield from walk(arg)


def names_read(expression: Expr, same: Mapping[str, Any]) -> Iterator[str]:
    """Names that a recording reads; where a condition is of names with the `same` value in all rows, in one branch."""
    if isinstance(expression, Ref):
        yield expression.name
    elif isinstance(expression, Op):
        args = expression.args
        if expression.word == "where" and {expr.name for expr in walk(args[0]) if isinstance(expr, Ref)} <= same.keys():
            args = (args[1] if replay(args[0], same) else args[2],)
        for arg in args:
            yield from names_read(arg, same)


class _Names(dict[str, Any]):
    """Stands for the columns while a rule is recorded."""

    def __missing__(self, name: str) -> Ref:
        return Ref(name, COUNT)


def recorded(rule: Callable[[Mapping[str, Any]], Any]) -> Expr:
    """The recording of a rule on columns by name; units do not matter, as a rule compares like with like."""
    return leaf(rule(_Names()))


def replay(expression: Expr, values: Mapping[str, Any]) -> Any:
    """Numbers from the recording; equal to calling the figure, which a test demands."""
    if isinstance(expression, Op):
        return WORDS[expression.word].numbers(*(replay(arg, values) for arg in expression.args))
    if isinstance(expression, Ref):
        return values[expression.name]
    return expression.value if isinstance(expression, Num) else None
