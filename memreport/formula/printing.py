"""A recording as Excel text, as mathematics, as mathematics with numbers put in, and as JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from memreport.formula.words import WORDS, Expr, Num, Op, Ref, Word

Namer = Callable[[str], str]
ATOM = 100
NAME = "\0"
"""Stands before and after each name of a text that is kept."""
MOST_KEPT = 1 << 13
"""Texts, a few for each figure; a workbook prints the same ones for many places."""


def to_excel(expression: Expr, reference: Namer = str) -> str:
    """Excel text without the leading `=`; `reference` turns a name into a cell, a defined name or a column."""
    return _named(expression, reference, "excel")


def to_maths(expression: Expr, symbol: Namer = str) -> str:
    """HTML mathematics; `symbol` turns a name into its symbol."""
    return _named(expression, symbol, "maths")


def to_javascript(expression: Expr, reference: Namer = str) -> str:
    """A JavaScript expression that calls what `words.JAVASCRIPT` defines; `reference` turns a name into a variable."""
    return _named(expression, reference, "javascript")


def repr_number(value: float) -> str:
    """A bare 0 or 1 as people write it."""
    return str(int(value)) if value == int(value) else repr(value)


def shorter(number: Num, place: str) -> str:
    """A constant as a bare number where that is no longer than the name of its place."""
    text = repr_number(number.value) if number.value >= 0 else place
    return text if len(text) <= len(place) else place


@lru_cache(MOST_KEPT)
def without_units(expression: Expr) -> Expr:
    """The same number without divisions by one of a unit."""
    if not isinstance(expression, Op):
        return expression
    args = tuple(map(without_units, expression.args))
    last = args[-1]
    unit = expression.word == "div" and isinstance(last, Num) and last.value == 1
    return args[0] if unit else replace(expression, args=args)


def _named(expression: Expr, name: Namer, style: str) -> str:
    """The text of a recording with these names."""
    pieces = list(_pieces(expression, style))
    pieces[1::2] = map(name, pieces[1::2])
    return "".join(pieces)


@lru_cache(MOST_KEPT)
def _pieces(expression: Expr, style: str) -> tuple[str, ...]:
    """What stands before, between and behind the names of a text, and the names, in turn."""
    return tuple(_write(expression, lambda name: f"{NAME}{name}{NAME}", style).split(NAME))


def _leaf(expression: Expr, name: Namer) -> str:
    if isinstance(expression, Ref):
        return name(expression.name)
    if isinstance(expression, Num):
        return name(expression.name) if expression.name else repr_number(expression.value)
    raise TypeError(type(expression).__name__)


def _write(expression: Expr, name: Namer, style: str) -> str:
    if not isinstance(expression, Op):
        return _leaf(expression, name)
    word = WORDS[expression.word]
    template = _template(expression, style)
    parts = [_write(arg, name, style) for arg in expression.args]
    if style == "javascript":
        parts = [_bare(word, at, arg, part) for at, (arg, part) in enumerate(zip(expression.args, parts, strict=True))]
    if word.joined:
        return template.format((", " if style == "maths" else ",").join(parts))
    bracketed = [
        f"({part})" if _needs_brackets(expression, position, style) else part for position, part in enumerate(parts)
    ]
    return template.format(*bracketed)


def _bare(parent: Word, position: int, child: Expr, part: str) -> str:
    """A choice without its braces where a comma, a colon or the braces of a function end it anyway."""
    chosen = isinstance(child, Op) and child.word == "where"
    return part[1:-1] if chosen and parent.binds == ATOM and (parent is not WORDS["where"] or position) else part


def _template(expression: Op, style: str) -> str:
    """The text of a word; in JavaScript a condition that compares two numbers is true or false as it is."""
    template: str = getattr(WORDS[expression.word], style)
    is_plain = expression.word == "where" and _binds(expression.args[0], style) == WORDS["lt"].binds
    return template.replace("!=0", "") if is_plain else template


def _needs_brackets(parent: Op, position: int, style: str) -> bool:
    word, child = WORDS[parent.word], parent.args[position]
    if word.binds == ATOM or (style == "maths" and parent.word == "div"):
        return False  # functions and stacked fractions enclose their parts
    looser = _binds(child, style) < word.binds
    same_on_the_right = _binds(child, style) == word.binds and position == 1
    # a-(b+c) and a/(b*c) need brackets; a+(b+c) and a*(b*c) keep theirs too, because floats are not associative
    return looser or (same_on_the_right and style != "maths") or (same_on_the_right and parent.word == "sub")


def _binds(expression: Expr, style: str) -> int:
    if not isinstance(expression, Op) or (style == "maths" and expression.word == "div"):
        return ATOM
    return WORDS[expression.word].binds
