"""The vocabulary: one row per operation with all its readings side by side.

`if`, `max`, `np.where`, `==`, `**` and unary minus mean different things to Python, numpy and spreadsheets, so they are
not words; the functions below are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Self, cast

import numpy as np

from memreport.errors import FormulaError, UnitError
from memreport.formula.units import COUNT, Unit

ROUNDING_DIGITS = 9
"""Counts are rounded to this many digits before rounding up or down, in numpy and in the workbook alike."""

JAVASCRIPT = f"""\
const{{ceil,floor,log,max,min,pow,sqrt}}=Math;
const scale=1e{ROUNDING_DIGITS};
const near=x=>{{const y=x*scale,r=Math.round(y);return(Math.abs(y%1)===.5&&r%2?r-1:r)/scale}};
const M=max,m=min,up=x=>ceil(near(x)),down=x=>floor(near(x));
const next=(x,b)=>x>0?pow(b,up(log(max(x,1))/log(b))):0;
const sum=(...a)=>{{let s=a[0];for(let i=1;i<a.length;i++)s+=a[i];return s}};
"""
"""What the words of JavaScript call: halves are rounded to the even number, sums run from left to right, as numpy's."""


class Expr:
    """A recorded formula.  It never holds data and never decides a branch."""

    unit: Unit
    __array_ufunc__ = None  # np.array * Expr must reach Expr.__rmul__ instead of an object array
    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False)
class Ref(Expr):
    """A named input."""

    name: str
    unit: Unit


@dataclass(frozen=True, eq=False)
class Num(Expr):
    """A number: a named constant, or the 0 and 1 that need no name."""

    value: float
    unit: Unit = COUNT
    name: str = ""


@dataclass(frozen=True, eq=False)
class Op(Expr):
    """One word applied to recorded arguments."""

    word: str
    args: tuple[Expr, ...]
    unit: Unit


class Constant(float):
    """A named number with unit, meaning and source: a plain float to numpy, a named leaf to the recorder."""

    name: str
    unit: Unit
    meaning: str
    source: str

    def __new__(cls, name: str, value: float, unit: str, meaning: str, source: str) -> Self:
        """Name the number `value`."""
        self = super().__new__(cls, value)
        self.name, self.unit, self.meaning, self.source = name, Unit.parse(unit), meaning, source
        return self


def leaf(value: object) -> Expr:
    """The recorded form of a Python value; anything but numbers and recordings is a fault."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Constant):
        return Num(float(value), value.unit, value.name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FormulaError(f"a {type(value).__name__} cannot appear in a formula")
    if value not in (0, 1):
        raise FormulaError(f"the number {value!r} has no name: write a Constant with unit and source")
    return Num(float(value))


def shared_unit(*args: Expr) -> Unit:
    """The one unit that all arguments share; a bare zero fits any."""
    units = [arg.unit for arg in args if not (isinstance(arg, Num) and arg.value == 0 and not arg.name)]
    for unit in units:
        if unit != units[0]:
            raise UnitError(f"cannot mix {units[0]} and {unit}")
    return units[0] if units else COUNT


def _compared(*args: Expr) -> Unit:
    shared_unit(*args)
    return COUNT


def _chosen(condition: Expr, then: Expr, otherwise: Expr) -> Unit:
    if condition.unit != COUNT:
        raise UnitError(f"a condition must be a comparison, not a quantity in {condition.unit}")
    return shared_unit(then, otherwise)


def _half(unit: Unit) -> Unit:
    if any(power % 2 for _, power in unit.powers):
        raise UnitError(f"cannot take the square root of {unit}")
    return Unit.of({name: power // 2 for name, power in unit.powers})


def _plain(*args: Expr) -> Unit:
    if any(arg.unit != COUNT for arg in args):
        raise UnitError("a power takes plain numbers only")
    return COUNT


@dataclass(frozen=True)
class Word:
    """numbers: numpy function; unit: rule on recorded arguments; the others: text; binds: precedence."""

    numbers: Callable[..., Any]
    unit: Callable[..., Unit]
    excel: str
    maths: str
    javascript: str
    binds: int = 100
    joined: bool = False  # any number of arguments, joined by ", "


def _fraction(top: str, bottom: str) -> str:
    return f'<span class="frac"><span class="top">{top}</span><span class="bar">/</span><span>{bottom}</span></span>'


def _cases(first: str, second: str) -> str:
    """Two cases, which a style sheet may set over each other; in a line they stand in braces."""
    first = f'<span class="arm">{first}<span class="comma">, </span></span>'
    second = f'<span class="arm">{second}</span>'
    opened, closed = (f'<span class="brace">{sign}</span>' for sign in ("{{", "}}"))
    return f'<span class="case">{opened}{first}{second}{closed}</span>'


WORDS: dict[str, Word] = {
    "add": Word(np.add, shared_unit, "{0}+{1}", "{0} + {1}", "{0}+{1}", 40),
    "sub": Word(np.subtract, shared_unit, "{0}-{1}", "{0} − {1}", "{0}-{1}", 40),
    "mul": Word(np.multiply, lambda a, b: a.unit * b.unit, "{0}*{1}", "{0} · {1}", "{0}*{1}", 50),
    "div": Word(np.divide, lambda a, b: a.unit / b.unit, "{0}/{1}", _fraction("{0}", "{1}"), "{0}/{1}", 50),
    "lt": Word(np.less, _compared, "{0}<{1}", "{0} &lt; {1}", "{0}<{1}", 30),
    "gt": Word(np.greater, _compared, "{0}>{1}", "{0} &gt; {1}", "{0}>{1}", 30),
    "le": Word(np.less_equal, _compared, "{0}<={1}", "{0} ≤ {1}", "{0}<={1}", 30),
    "ge": Word(np.greater_equal, _compared, "{0}>={1}", "{0} ≥ {1}", "{0}>={1}", 30),
    "smaller": Word(lambda *a: reduce(np.minimum, a), shared_unit, "MIN({0})", "min({0})", "m({0})", joined=True),
    "larger": Word(lambda *a: reduce(np.maximum, a), shared_unit, "MAX({0})", "max({0})", "M({0})", joined=True),
    "total": Word(lambda *a: reduce(np.add, a), shared_unit, "SUM({0})", "sum({0})", "sum({0})", joined=True),
    "ceil": Word(
        lambda a: np.ceil(np.round(a, ROUNDING_DIGITS)),
        lambda a: a.unit,
        f"ROUNDUP(ROUND({{0}},{ROUNDING_DIGITS}),0)",
        "⌈{0}⌉",
        "up({0})",
    ),
    "floor": Word(
        lambda a: np.floor(np.round(a, ROUNDING_DIGITS)),
        lambda a: a.unit,
        f"ROUNDDOWN(ROUND({{0}},{ROUNDING_DIGITS}),0)",
        "⌊{0}⌋",
        "down({0})",
    ),
    "next_power": Word(
        lambda a, base: np.where(
            a > 0, np.power(base, np.ceil(np.round(np.log(np.maximum(a, 1)) / np.log(base), ROUNDING_DIGITS))), 0
        ),
        lambda *a: a[0].unit,
        f"IF({{0}}>0,POWER({{1}},ROUNDUP(ROUND(LN(MAX({{0}},1))/LN({{1}}),{ROUNDING_DIGITS}),0)),0)",
        "{1}<sup>⌈log<sub>{1}</sub> {0}⌉</sup>",
        "next({0},{1})",
    ),
    "sqrt": Word(np.sqrt, lambda a: _half(a.unit), "SQRT({0})", '√<span class="root">{0}</span>', "sqrt({0})"),
    "log": Word(np.log, _plain, "LN({0})", "ln({0})", "log({0})"),
    "power": Word(np.power, _plain, "POWER({0},{1})", "({0})<sup>{1}</sup>", "pow({0},{1})"),
    "where": Word(
        np.where,
        _chosen,
        "IF({0},{1},{2})",
        _cases("{1} if {0}", "{2} otherwise"),
        "({0}!=0?{1}:{2})",  # what is no number counts as true, as it does to numpy
    ),
}


def say(word: str, *args: object) -> Any:
    """Compute when every argument is data; record when any is a recording.  Raises UnitError, FormulaError."""
    for arg in args:
        if isinstance(arg, Expr):
            recorded = tuple(leaf(arg) for arg in args)
            return Op(word, recorded, WORDS[word].unit(*recorded))
    return WORDS[word].numbers(*args)


def where(condition: bool, then: float, otherwise: float) -> float:
    """`then` where the condition holds, else `otherwise`; both are evaluated by numpy."""
    if isinstance(condition, Expr) or isinstance(then, Expr) or isinstance(otherwise, Expr):  # as quick as it gets
        return cast(float, say("where", condition, then, otherwise))
    return cast(float, np.where(condition, then, otherwise))  # what `say` does, in a third of the time


def smaller(*args: float) -> float:
    """The smallest argument."""
    if len(args) == 2 and not (isinstance(args[0], Expr) or isinstance(args[1], Expr)):  # as of `where`
        return cast(float, np.minimum(*args))
    return cast(float, say("smaller", *args))


def larger(*args: float) -> float:
    """The largest argument."""
    if len(args) == 2 and not (isinstance(args[0], Expr) or isinstance(args[1], Expr)):  # as of `where`
        return cast(float, np.maximum(*args))
    return cast(float, say("larger", *args))


def total(*args: float) -> float:
    """The sum of all arguments."""
    return cast(float, say("total", *args))


def ceil(value: float) -> float:
    """Round up, forgiving the last bits of a float."""
    return cast(float, say("ceil", value))


def floor(value: float) -> float:
    """Round down, forgiving the last bits of a float."""
    return cast(float, say("floor", value))


def next_power(value: float, base: float) -> float:
    """The smallest power of the base, from one on, that holds a number in its base unit; 0 for 0."""
    return cast(float, say("next_power", value, base))


def sqrt(value: float) -> float:
    """Square root."""
    return cast(float, say("sqrt", value))


def log(value: float) -> float:
    """Natural logarithm, plain numbers only."""
    return cast(float, say("log", value))


def power(base: float, exponent: float) -> float:
    """`base` to the `exponent`, plain numbers only."""
    return cast(float, say("power", base, exponent))


def _infix(word: str) -> Callable[[Expr, object], Any]:
    return lambda self, other: say(word, self, other)


def _infix_reversed(word: str) -> Callable[[Expr, object], Any]:
    return lambda self, other: say(word, other, self)


def _refuse(advice: str) -> Callable[..., Any]:
    def raise_it(*_: object) -> Any:
        raise FormulaError(f"a formula cannot say this: {advice}")

    return raise_it


_ADVICE = {
    "__bool__": "instead of if, and, or, max() or a chained comparison write where(condition, a, b), larger or smaller",
    "__eq__": "compare with <, <=, > or >=; equality of computed floats differs between programs",
    "__ne__": "compare with <, <=, > or >=; equality of computed floats differs between programs",
    "__neg__": "write 0 - x; the sign of -x^2 differs between programs",
    "__pow__": "write power(base, exponent) or sqrt(value)",
    "__rpow__": "write power(base, exponent)",
    "__floordiv__": "write floor(a / b)",
    "__mod__": "write a - b * floor(a / b)",
    "__abs__": "write larger(x, 0 - x)",
    "__round__": "write ceil or floor",
    "__ceil__": "write ceil(x) of memreport.formula.words, not math.ceil",
    "__floor__": "write floor(x) of memreport.formula.words, not math.floor",
    "__float__": "a recording has no number yet; use the words of memreport.formula.words",
    "__int__": "write floor(x)",
    "__array__": "use where, larger, smaller, ceil of memreport.formula.words instead of numpy functions",
}


def _teach_operators() -> None:
    for dunder, word in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}.items():
        setattr(Expr, f"__{dunder}__", _infix(word))
        setattr(Expr, f"__r{dunder}__", _infix_reversed(word))
    for word in ("lt", "gt", "le", "ge"):
        setattr(Expr, f"__{word}__", _infix(word))
    for dunder, advice in _ADVICE.items():
        setattr(Expr, dunder, _refuse(advice))
    setattr(Expr, "__hash__", object.__hash__)  # noqa: B010  defining __eq__ would have removed it


_teach_operators()
