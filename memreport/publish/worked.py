"""Worked figures: each step with symbols, with numbers put in, and with its result."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from functools import reduce
from html import escape

from memreport.compute import needed_for
from memreport.figures.registry import GROUPS
from memreport.formula.printing import to_maths
from memreport.formula.recording import Line, walk
from memreport.formula.words import Expr, Num, Op
from memreport.publish.shown import SymbolMeaning, WorkedFigure, WorkedGroup
from memreport.publish.view import View, in_sentence, shown, title_of

_INDEX = re.compile(r"^([^_]+)_(.+)$")


NOT_WORKED = ("Roofline", "Shapes of kernels", "Kernels", "Transfers", "Buy against rent")
"""Groups whose steps only the workbook shows: each kernel repeats the same few formulas."""


def worked_groups(view: View, at: int, wanted: Iterable[str]) -> tuple[WorkedGroup, ...]:
    """Steps of the wanted figures for one column, in their groups; one that is nothing there is only counted."""
    keep = set(wanted)
    needed = {line.name for line in needed_for(view.computed.lines, keep)}
    groups = []
    for group in GROUPS[view.workload]:
        lines = [view.lines[figure.name] for figure in group.figures if figure.name in needed]
        if group.title in NOT_WORKED:
            continue
        shown_lines = [line for line in lines if line.name in keep or _is_something(view, line, at)]
        if shown_lines:
            figures = tuple(worked(view, line, at) for line in shown_lines)
            groups.append(WorkedGroup(group.title, figures, len(lines) - len(shown_lines)))
    return tuple(groups)


def _is_something(view: View, line: Line, at: int) -> bool:
    value = view.value(line.name, at)
    return not math.isnan(value) and value != 0


def worked(view: View, line: Line, at: int) -> WorkedFigure:
    """One step.  Formula and numbers are HTML, escaped."""
    figure = line.figure
    expression = tidied(figure.expression)
    constants = {node.name: node.value for node in walk(expression) if isinstance(node, Num) and node.name}

    def symbol(name: str) -> str:
        return number(constants[name]) if name in constants else symbol_of(view, line.bound[name])

    def put_in(name: str) -> str:
        return number(constants[name]) if name in constants else _operand(view, line.bound[name], at)

    return WorkedFigure(
        name=line.name,
        symbol=symbol_of(view, line.name),
        meaning=figure.meaning.replace("`", ""),
        formula=_tall(to_maths(expression, symbol)),
        numbers=_tall(to_maths(expression, put_in)),
        result=view.text(line.name, at),
        value=view.value(line.name, at),
        unit=view.unit(line.name),
        basis=figure.basis,
        source=figure.source.replace("`", "").rstrip("."),
        overridden=line.name in view.resolved.cases[at].overrides,
    )


_OPENED, _CLOSED = re.compile(r'([⌈⌊])(<span class="frac">)'), re.compile(r"(</span></span>)([⌉⌋])")


def _tall(html: str) -> str:
    """Rounding brackets that touch a fraction are as high as it is."""
    opened = _OPENED.sub(r'<span class="tall">\1</span>\2', html)
    return _CLOSED.sub(r'\1<span class="tall">\2</span>', opened)


def tidied(expression: Expr) -> Expr:
    """The recording with sums written out, without factors and divisors of one token or one byte, which turn units."""
    if not isinstance(expression, Op):
        return expression
    args = tuple(tidied(arg) for arg in expression.args)
    if expression.word == "total":
        return reduce(lambda sum_, arg: Op("add", (sum_, arg), expression.unit), args)
    if expression.word in ("mul", "div") and _turns_units(args[1]):
        return args[0]
    return args[1] if expression.word == "mul" and _turns_units(args[0]) else Op(expression.word, args, expression.unit)


def _turns_units(expression: Expr) -> bool:
    return isinstance(expression, Num) and bool(expression.name) and expression.value == 1


def number(value: float) -> str:
    """A constant as text."""
    return escape(shown(value, "1"))


def _operand(view: View, name: str, at: int) -> str:
    labelled = name in view.lines and view.lines[name].figure.labels
    text = shown(view.value(name, at), "1" if labelled else view.unit(name))
    quantity = escape(text).replace(" ", "\u00a0")
    return f"({quantity})" if text.startswith("−") else quantity


def symbol_of(view: View, name: str) -> str:
    """The symbol as HTML: `M_kv` with its index set low; an input without a symbol by its name in words."""
    if name in view.lines:
        return indexed(view.lines[name].figure.symbol)
    entry = view.fields.get(name)
    if entry and entry.symbol:
        return f"<i>{entry.symbol}</i>"
    return f'<span class="word">{escape(in_sentence(title_of(name)))}</span>'


def indexed(symbol: str) -> str:
    """`M_kv` as M with a low kv."""
    match = _INDEX.match(symbol)
    if match is None:
        return f"<i>{escape(symbol)}</i>"
    return f"<i>{escape(match[1])}</i><sub>{escape(match[2])}</sub>"


def symbols(view: View, at: int) -> tuple[SymbolMeaning, ...]:
    """Inputs that have a symbol, explained once."""
    return tuple(_symbols(view, at))


def _symbols(view: View, at: int) -> Iterator[SymbolMeaning]:
    used = {read for line in view.lines.values() for read in line.reads}
    for name, entry in view.fields.items():
        if entry.symbol and name in used:
            yield SymbolMeaning(f"<i>{entry.symbol}</i>", name, entry.meaning, view.text(name, at))
