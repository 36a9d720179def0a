"""What Python, numpy and spreadsheets mean differently is refused, with the words to write instead."""

# ruff: noqa: ARG005, FURB171, PLW0108  # every formula of the table takes the same names
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memreport.errors import FormulaError
from memreport.formula.units import COUNT
from memreport.formula.words import Constant, Expr, Ref, larger, leaf, total, where

Formula = Callable[[Any, Any], Any]
BRANCH = "instead of if, and, or, max() or a chained comparison write where(condition, a, b), larger or smaller"
EQUAL = "compare with <, <=, > or >=; equality of computed floats differs between programs"
NEGATIVE = "write 0 - x; the sign of -x^2 differs between programs"
NUMPY = "use where, larger, smaller, ceil of memreport.formula.words instead of numpy functions"
NO_NUMBER = "a recording has no number yet; use the words of memreport.formula.words"


def if_statement(a: Any, b: Any) -> Any:
    if a > b:
        return a
    return b


REFUSED: dict[str, tuple[Formula, str]] = {
    "if statement": (if_statement, BRANCH),
    "if expression": (lambda a, b: a if a > 0 else b, BRANCH),
    "and": (lambda a, b: a and b, BRANCH),
    "or": (lambda a, b: a or b, BRANCH),
    "not": (lambda a, b: not a, BRANCH),
    "max": (lambda a, b: max(a, b), BRANCH),
    "min": (lambda a, b: min(a, b), BRANCH),
    "chained comparison": (lambda a, b: 0 < a < b, BRANCH),
    "sorted": (lambda a, b: sorted([a, b]), BRANCH),
    "bool": (lambda a, b: bool(a), BRANCH),
    "any": (lambda a, b: any([a, b]), BRANCH),
    "==": (lambda a, b: a == b, EQUAL),
    "!=": (lambda a, b: a != b, EQUAL),
    "== number": (lambda a, b: a == 0, EQUAL),
    "in": (lambda a, b: a in [b], EQUAL),
    "unary minus": (lambda a, b: -a * b, NEGATIVE),
    "power": (lambda a, b: a**b, "write power(base, exponent) or sqrt(value)"),
    "square": (lambda a, b: a**2, "write power(base, exponent) or sqrt(value)"),
    "number to the power": (lambda a, b: 2**a, "write power(base, exponent)"),
    "floor division": (lambda a, b: a // b, "write floor(a / b)"),
    "remainder": (lambda a, b: a % b, "write a - b * floor(a / b)"),
    "abs": (lambda a, b: abs(a), "write larger(x, 0 - x)"),
    "round": (lambda a, b: round(a), "write ceil or floor"),
    "round to digits": (lambda a, b: round(a, 2), "write ceil or floor"),
    "math.ceil": (lambda a, b: math.ceil(a / b), "write ceil(x) of memreport.formula.words, not math.ceil"),
    "math.floor": (lambda a, b: math.floor(a / b), "write floor(x) of memreport.formula.words, not math.floor"),
    "math.sqrt": (lambda a, b: math.sqrt(a), NO_NUMBER),
    "math.log": (lambda a, b: math.log(a), NO_NUMBER),
    "float": (lambda a, b: float(a), NO_NUMBER),
    "int": (lambda a, b: int(a), "write floor(x)"),
    "np.where": (lambda a, b: np.where(a > b, a, b), NUMPY),
    "np.where on a branch": (lambda a, b: np.where(True, a, b), NUMPY),
    "np.asarray": (lambda a, b: np.asarray(a), NUMPY),
    "np.array of both": (lambda a, b: np.array([a, b]), NUMPY),
    "np.sum": (lambda a, b: np.sum([a, b]), NUMPY),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_it_is_refused_with_the_words_to_write_instead(name: str) -> None:
    formula, advice = REFUSED[name]
    with pytest.raises(FormulaError) as caught:
        formula(Ref("a", COUNT), Ref("b", COUNT))
    assert str(caught.value) == f"a formula cannot say this: {advice}"


@pytest.mark.parametrize("function", [np.ceil, np.sqrt, np.exp, np.log2, np.abs, np.isnan])
def test_numpy_functions_of_one_argument_never_record(function: Callable[[Any], Any]) -> None:
    with pytest.raises((FormulaError, TypeError)):
        function(Ref("a", COUNT))


@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.add, np.multiply, np.power, np.mod, np.hypot])
def test_numpy_functions_of_two_arguments_never_record(function: Callable[[Any, Any], Any]) -> None:
    with pytest.raises((FormulaError, TypeError)):
        function(np.ones(3), Ref("a", COUNT))


def test_an_array_meeting_a_recording_is_refused_and_never_an_array_of_objects() -> None:
    with pytest.raises(FormulaError, match="a ndarray cannot appear in a formula"):
        np.ones(3) * Ref("a", COUNT)  # type: ignore[operator]  # what is refused


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "bool"),
        (False, "bool"),
        ("2", "str"),
        (None, "NoneType"),
        ([1], "list"),
        (1j, "complex"),
        (np.float32(1), "float32"),
        (np.int64(1), "int64"),
    ],
)
def test_only_numbers_are_leaves(value: object, kind: str) -> None:
    with pytest.raises(FormulaError, match=f"a {kind} cannot appear in a formula"):
        leaf(value)


@pytest.mark.parametrize("number", [2, -1, 0.5, 1e9, 1024, 3.14, float("inf")])
def test_a_naked_number_is_refused_wherever_it_stands(number: float) -> None:
    a: Any = Ref("a", COUNT)
    message = "has no name: write a Constant with unit and source"
    for formula in (
        lambda: a * number,
        lambda: number - a,
        lambda: where(a > number, a, 0),
        lambda: larger(a, number),
        lambda: total(number, a),
    ):
        with pytest.raises(FormulaError) as caught:
            formula()
        assert message in str(caught.value)
        assert repr(number) in str(caught.value)


def test_zero_one_and_named_constants_are_allowed() -> None:
    a: Any = Ref("a", COUNT)
    scale = Constant("SCALE", 1.5, "", "a test's own number", "this test")
    assert all(isinstance(one, Expr) for one in (a + 0, 1 - a, a * scale, scale * a, scale / a))


def test_a_recording_is_hashable_and_keeps_its_identity() -> None:
    a, other = Ref("a", COUNT), Ref("a", COUNT)
    assert hash(a) == hash(a)
    assert {id(a), id(other)} == {id(one) for one in {a: 1, other: 2}}
