"""Worked figures: each step with symbols, with numbers put in, and with its result."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import reduce

from memreport.catalogue.names import in_sentence, title_of
from memreport.compute import needed_for
from memreport.escaping import html
from memreport.figures.registry import GROUPS
from memreport.formula.printing import to_maths
from memreport.formula.recording import Line, replay, walk
from memreport.formula.words import Expr, Num, Op, Ref
from memreport.report.records.worked import SymbolMeaning, WorkedFigure, WorkedGroup, Working
from memreport.report.view import View, shown

_INDEX = re.compile(r"^([^_]+)_(.+)$")


NOT_WORKED = ("Roofline", "Shapes of kernels", "Kernels", "Transfers", "Buy against rent")
"""Groups whose steps only the workbook shows: each kernel repeats the same few formulas."""


def worked_groups(view: View, index: int, wanted: Collection[str]) -> tuple[WorkedGroup, ...]:
    """Steps of the wanted figures and of their ends, in their groups; those without effect there are only counted."""
    keep = {f"{name}{end}" for name in wanted for end in ("", "_low", "_high")} & {*wanted, *view.lines}
    lines = _lines_by_group(view, {line.name for line in needed_for(view.computed.lines, keep)})
    effective = keep | {name for name in _used(view, keep, index) if _is_something(view, name, index)}
    steps = {title: [line for line in every if line.name in effective] for title, every in lines.items()}
    explained = {line.name for shown_lines in steps.values() for line in shown_lines}
    return tuple(
        WorkedGroup(
            title,
            tuple(worked(view, line, index) for line in shown_lines),
            tuple(_read_besides(view, shown_lines, index, explained)),
            len([line for line in lines[title] if line.name not in explained]),
            view.variants[index].name,
        )
        for title, shown_lines in steps.items()
        if shown_lines
    )


def _lines_by_group(view: View, needed: Collection[str]) -> dict[str, list[Line]]:
    """The needed lines of each group whose steps are shown."""
    return {
        group.title: [view.lines[figure.name] for figure in group.figures if figure.name in needed]
        for group in GROUPS[view.workload]
        if group.title not in NOT_WORKED
    }


def _used(view: View, wanted: Iterable[str], index: int) -> set[str]:
    """Names of all that the wanted figures rest on in one column, by the cases that apply there."""
    found: set[str] = set()
    open_ones = list(wanted)
    while open_ones:
        name = open_ones.pop()
        if name not in found and name in view.lines:
            found.add(name)
            line = view.lines[name]
            open_ones += [
                line.bound[read] for read in _read_there(line.figure.expression, inputs_of(view, line, index))
            ]
    return found


def inputs_of(view: View, line: Line, index: int) -> dict[str, float]:
    """What a figure reads in one column, by the names of its parameters."""
    return {name: view.value(bound, index) for name, bound in line.bound.items()}


def _read_there(expression: Expr, values: Mapping[str, float]) -> Iterator[str]:
    """Parameters that are read, conditions included, without those of cases that do not apply."""
    if isinstance(expression, Ref):
        yield expression.name
    elif isinstance(expression, Op):
        parts = (expression.args[0], _case(expression, values)) if expression.word == "where" else expression.args
        for part in parts:
            yield from _read_there(part, values)


def _case(distinction: Op, values: Mapping[str, float]) -> Expr:
    """The case of a distinction that these values choose."""
    condition, then, otherwise = distinction.args
    return then if replay(condition, values) else otherwise


def _read_besides(view: View, lines: Iterable[Line], index: int, explained: set[str]) -> Iterator[SymbolMeaning]:
    """Figures that the steps read and that are no steps themselves, explained where the first of them reads one."""
    for name in dict.fromkeys(read for line in lines for read in line.reads):
        if name in view.lines and name not in explained:
            explained.add(name)
            meaning = view.meaning(name).replace("`", "")
            yield SymbolMeaning(symbol_of(view, name), name, meaning, view.text(name, index))


def _is_something(view: View, name: str, index: int) -> bool:
    value = view.value(name, index)
    return not math.isnan(value) and value != 0


def worked(view: View, line: Line, index: int) -> WorkedFigure:
    """One step.  Formula and numbers are HTML, escaped."""
    figure = line.figure
    expression = tidied(figure.expression)
    constants = {node.name: node for node in walk(expression) if isinstance(node, Num) and node.name}
    turns = any(str(constant.unit) in _TURNING for constant in constants.values())

    def symbol(name: str) -> str:
        return number(constants[name].value) if name in constants else symbol_of(view, line.bound[name])

    def put_in(name: str) -> str:
        return _constant(constants[name]) if name in constants else _operand(view, line.bound[name], index, turns)

    return WorkedFigure(
        name=line.name,
        symbol=symbol_of(view, line.name),
        meaning=figure.meaning.replace("`", ""),
        working=Working(
            _tall(to_maths(expression, symbol)),
            _tall(to_maths(tidied(active_branch(figure.expression, inputs_of(view, line, index))), put_in)),
            _text(view, line.name, index, turns and view.unit(line.name) == "h"),
        ),
        value=view.value(line.name, index),
        unit=view.unit(line.name),
        basis=figure.basis,
        source=figure.source.replace("`", "").rstrip("."),
        overridden=line.name in view.resolved.cases[index].overrides,
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


def active_branch(expression: Expr, values: Mapping[str, float]) -> Expr:
    """The recording with the one case of each distinction that these values choose."""
    if not isinstance(expression, Op):
        return expression
    if expression.word == "where":
        return active_branch(_case(expression, values), values)
    return Op(expression.word, tuple(active_branch(arg, values) for arg in expression.args), expression.unit)


def _turns_units(expression: Expr) -> bool:
    return isinstance(expression, Num) and bool(expression.name) and expression.value == 1


def number(value: float) -> str:
    """A constant as text."""
    return html(shown(value, "1"))


_TURNING = {"s/h": "s/h", "W*h/kWh": "Wh/kWh", "h": "h"}
"""Units of constants that turn one unit of time or energy into another: beside them numbers stand in plain units."""


def _constant(node: Num) -> str:
    unit = _TURNING.get(str(node.unit), "")
    return number(node.value) + (f"\u00a0{unit}" if unit else "")


def _text(view: View, name: str, index: int, plain: bool = False) -> str:
    """A value as people read it; `plain`: in seconds, hours and watts, as a formula that turns them takes it."""
    unit = view.unit(name)
    if plain and unit in _PLAIN:
        return f"{shown(view.value(name, index), '1')} {unit}"
    return view.text(name, index)


_PLAIN = ("s", "h", "W")


def _operand(view: View, name: str, index: int, plain: bool) -> str:
    labelled = name in view.lines and view.lines[name].figure.labels
    text = shown(view.value(name, index), "1") if labelled else _text(view, name, index, plain)
    quantity = html(text).replace(" ", "\u00a0")
    return f"({quantity})" if text.startswith("−") else quantity


def symbol_of(view: View, name: str) -> str:
    """The symbol as HTML: `M_kv` with its index set low; an input without a symbol by its name in words."""
    if name in view.lines:
        return indexed(view.lines[name].figure.symbol)
    entry = view.fields.get(name)
    if entry and entry.symbol:
        return f"<i>{entry.symbol}</i>"
    return f'<span class="word">{html(in_sentence(title_of(name)))}</span>'


def indexed(symbol: str) -> str:
    """`M_kv` as M with a low kv."""
    match = _INDEX.match(symbol)
    if match is None:
        return f"<i>{html(symbol)}</i>"
    return f"<i>{html(match[1])}</i><sub>{html(match[2])}</sub>"


def symbols(view: View, index: int) -> tuple[SymbolMeaning, ...]:
    """Inputs that have a symbol, explained once."""
    return tuple(_symbols(view, index))


def _symbols(view: View, index: int) -> Iterator[SymbolMeaning]:
    used = {read for line in view.lines.values() for read in line.reads}
    for name, entry in view.fields.items():
        if entry.symbol and name in used:
            yield SymbolMeaning(f"<i>{entry.symbol}</i>", name, entry.meaning, view.text(name, index))
