"""The same recording as workbook text and as mathematics; a line for every word and for every kind of bracket."""

# ruff: noqa: ARG005, PLW0108  # every formula of a table takes the same names
from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.formula.printing import to_excel, to_maths
from memreport.formula.units import COUNT
from memreport.formula.words import (
    WORDS,
    Constant,
    Expr,
    Op,
    Ref,
    ceil,
    floor,
    larger,
    leaf,
    log,
    next_power,
    power,
    smaller,
    sqrt,
    total,
    where,
)

Formula = Callable[..., float]
SCALE = Constant("SCALE", 7, "", "a test's own number", "this test")
NAMES = ("a", "b", "c")


def recorded(formula: Formula) -> Expr:
    return leaf(formula(*(Ref(name, COUNT) for name in NAMES)))


EXCEL: list[tuple[Formula, str]] = [
    (lambda a, b, c: a + b + c, "a+b+c"),
    (lambda a, b, c: a - b - c, "a-b-c"),
    (lambda a, b, c: a - (b - c), "a-(b-c)"),
    (lambda a, b, c: a - (b + c), "a-(b+c)"),
    (lambda a, b, c: a + (b + c), "a+(b+c)"),
    (lambda a, b, c: a * b + c, "a*b+c"),
    (lambda a, b, c: a * (b + c), "a*(b+c)"),
    (lambda a, b, c: (a + b) * c, "(a+b)*c"),
    (lambda a, b, c: a / b / c, "a/b/c"),
    (lambda a, b, c: a / (b / c), "a/(b/c)"),
    (lambda a, b, c: a / (b * c), "a/(b*c)"),
    (lambda a, b, c: a * (b / c), "a*(b/c)"),
    (lambda a, b, c: a * (b * c), "a*(b*c)"),
    (lambda a, b, c: a * b / c, "a*b/c"),
    (lambda a, b, c: 1 - a, "1-a"),
    (lambda a, b, c: 0 - a, "0-a"),
    (lambda a, b, c: a * SCALE, "a*SCALE"),
    (lambda a, b, c: SCALE / a, "SCALE/a"),
    (lambda a, b, c: (a < b) * c, "(a<b)*c"),
    (lambda a, b, c: (a <= b) + (b >= c), "(a<=b)+(b>=c)"),
    (lambda a, b, c: 1 + (a > b), "1+(a>b)"),
    (lambda a, b, c: smaller(a, b + 1, c), "MIN(a,b+1,c)"),
    (lambda a, b, c: larger(a, 0), "MAX(a,0)"),
    (lambda a, b, c: total(a, b * c, 1 - c), "SUM(a,b*c,1-c)"),
    (lambda a, b, c: ceil(a / b), "ROUNDUP(ROUND(a/b,9),0)"),
    (lambda a, b, c: floor(a / b) * c, "ROUNDDOWN(ROUND(a/b,9),0)*c"),
    (lambda a, b, c: next_power(a * b, SCALE), "IF(a*b>0,POWER(SCALE,ROUNDUP(ROUND(LN(MAX(a*b,1))/LN(SCALE),9),0)),0)"),
    (lambda a, b, c: sqrt(a * b), "SQRT(a*b)"),
    (lambda a, b, c: power(a, 0 - b), "POWER(a,0-b)"),
    (lambda a, b, c: log(a / b), "LN(a/b)"),
    (lambda a, b, c: where(a > 0, b, c), "IF(a>0,b,c)"),
    (lambda a, b, c: where(a > 0, b + c, 0) / c, "IF(a>0,b+c,0)/c"),
]
FRACTION = '<span class="frac"><span class="top">{}</span><span class="bar">/</span><span>{}</span></span>'
CASES = (
    '<span class="case"><span class="brace">{{</span><span class="arm">{}<span class="comma">, </span></span>'
    '<span class="arm">{}</span><span class="brace">}}</span></span>'
)
MATHS: list[tuple[Formula, str]] = [
    (lambda a, b, c: a + b * c, "a + b · c"),
    (lambda a, b, c: a - (b - c), "a − (b − c)"),
    (lambda a, b, c: a + (b + c), "a + b + c"),
    (lambda a, b, c: a * (b * c), "a · b · c"),
    (lambda a, b, c: (a + b) * c, "(a + b) · c"),
    (lambda a, b, c: (a + b) / c, FRACTION.format("a + b", "c")),
    (lambda a, b, c: a * (b / c), f"a · {FRACTION.format('b', 'c')}"),
    (lambda a, b, c: a < b, "a &lt; b"),
    (lambda a, b, c: (a >= b) * c, "(a ≥ b) · c"),
    (lambda a, b, c: ceil(a / b), f"⌈{FRACTION.format('a', 'b')}⌉"),
    (lambda a, b, c: floor(a + b), "⌊a + b⌋"),
    (lambda a, b, c: next_power(a, b), "b<sup>⌈log<sub>b</sub> a⌉</sup>"),
    (lambda a, b, c: sqrt(a), '√<span class="root">a</span>'),
    (lambda a, b, c: power(a, b), "(a)<sup>b</sup>"),
    (lambda a, b, c: log(a), "ln(a)"),
    (lambda a, b, c: smaller(a, b, c), "min(a, b, c)"),
    (lambda a, b, c: larger(a, b), "max(a, b)"),
    (lambda a, b, c: total(a, b, c), "sum(a, b, c)"),
    (lambda a, b, c: where(a > b, b, 0), CASES.format("b if a &gt; b", "0 otherwise")),
]


@pytest.mark.parametrize(("formula", "text"), EXCEL, ids=[text for _, text in EXCEL])
def test_excel_text_is_one_line(formula: Formula, text: str) -> None:
    assert to_excel(recorded(formula)) == text


@pytest.mark.parametrize(("formula", "text"), MATHS, ids=[str(at) for at in range(len(MATHS))])
def test_mathematics_is_one_line(formula: Formula, text: str) -> None:
    assert to_maths(recorded(formula)) == text


def test_every_word_is_printed_by_some_line_above() -> None:
    assert {node.word for formula, _ in EXCEL for node in _operations(recorded(formula))} == set(WORDS)


def _operations(expression: Expr) -> list[Op]:
    if not isinstance(expression, Op):
        return []
    return [expression, *(node for arg in expression.args for node in _operations(arg))]


def test_names_become_cells_and_symbols() -> None:
    expression = recorded(lambda a, b, c: a * SCALE + b / c)
    cells = {"a": "$C$4", "b": "Inputs!B7", "c": "D9", "SCALE": "scale_"}
    assert to_excel(expression, cells.__getitem__) == "$C$4*scale_+Inputs!B7/D9"
    assert to_maths(expression, lambda name: f"<i>{name}</i>").startswith("<i>a</i> · <i>SCALE</i> + ")


def test_a_wide_sum_is_one_function_and_not_a_tower_of_brackets() -> None:
    names = [f"x{at}" for at in range(20)]
    expression = leaf(total(*(Ref(name, COUNT) for name in names)))  # type: ignore[arg-type]  # a recording stands for a float
    assert to_excel(expression) == f"SUM({','.join(names)})"
