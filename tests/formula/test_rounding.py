"""Counts are rounded up and down alike in numpy and in workbooks, whatever the last bits of a float say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreport.formula.words import ROUNDING_DIGITS, WORDS, ceil, floor, next_power


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        ((0.1 * 3) / 0.1, 3, 3),  # 3.0000000000000004
        (0.3 / 0.1, 3, 3),  # 2.9999999999999996
        ((0.1 + 0.7) * 10, 8, 8),  # 7.999999999999999
        (1.1 * 1.1 * 100, 121, 121),  # 121.00000000000001
        (2.5, 3, 2),
        (3.5, 4, 3),
        (1e-8, 1, 0),
        (1e-10, 0, 0),
        (0, 0, 0),
        (7, 7, 7),
        (6.9999, 7, 6),
        (-2.5, -2, -3),
        (2**53, 2**53, 2**53),
        (1e15, 1e15, 1e15),
    ],
)
def test_last_bits_are_forgiven(value: float, up: float, down: float) -> None:
    assert ceil(value) == up
    assert floor(value) == down


def test_math_ceil_would_have_been_wrong_here() -> None:
    assert np.ceil((0.1 * 3) / 0.1) == 4
    assert np.floor(0.3 / 0.1) == 2


@given(st.integers(1, 10**6), st.integers(1, 1000))
def test_a_whole_number_of_parts_is_never_one_more_or_less(parts: int, divisor: int) -> None:
    size = divisor / 10
    assert ceil(parts * size / size) == parts
    assert floor(parts * size / size) == parts


@given(st.floats(0, 1e12))
def test_rounding_brackets_the_value(value: float) -> None:
    assert floor(value) <= value + 1e-6 * max(value, 1)
    assert ceil(value) >= value - 1e-6 * max(value, 1)
    assert 0 <= ceil(value) - floor(value) <= 1


@pytest.mark.parametrize(("word", "function"), [("ceil", "ROUNDUP"), ("floor", "ROUNDDOWN")])
def test_the_workbook_rounds_to_the_same_digits_first(word: str, function: str) -> None:
    assert WORDS[word].excel == f"{function}(ROUND({{0}},{ROUNDING_DIGITS}),0)"


@pytest.mark.parametrize("round_", [ceil, floor])
def test_columns_are_rounded_value_by_value(round_: Callable[..., float]) -> None:
    column = np.asarray([0.3 / 0.1, (0.1 * 3) / 0.1, 2.5])
    assert np.array_equal(round_(column), [round_(float(value)) for value in column])


@pytest.mark.parametrize(
    ("value", "power"),
    [(0, 0), (1e-3, 1), (1, 1), (2**30, 2**30), (2**30 + 1, 2**31), (2**43 + 2**20, 2**44), (4e9, 2**32)],
)
def test_a_number_is_held_by_the_next_power(value: float, power: float) -> None:
    assert next_power(value, 2) == power


@given(st.integers(0, 50))
def test_a_power_of_two_is_its_own(power: int) -> None:
    assert next_power(2.0**power, 2) == 2.0**power
