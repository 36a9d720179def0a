"""Dimensions: how they are written, how the words combine them, and which mixtures are faults."""

# ruff: noqa: PLW0108  # the names of a formula say which units it is given
from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreport.errors import UnitError
from memreport.formula.units import COUNT, Unit
from memreport.formula.words import (
    Constant,
    Expr,
    Ref,
    ceil,
    floor,
    larger,
    leaf,
    next_power,
    power,
    smaller,
    sqrt,
    total,
    where,
)

Formula = Callable[..., float]
KIB = Constant("KIB", 1024, "byte", "a test's own number", "this test")
GIVEN = {"bytes_": "byte", "more": "byte", "rate": "byte/s", "seconds": "s", "area": "byte^2", "n": "", "k": ""}


def unit_of(formula: Formula) -> str:
    units = {name: Unit.parse(text) for name, text in GIVEN.items()}
    chosen = formula.__code__.co_varnames[: formula.__code__.co_argcount]
    return str(leaf(formula(**{name: Ref(name, units[name]) for name in chosen})).unit)


RULES: list[tuple[Formula, str]] = [
    (lambda bytes_, more: bytes_ + more, "byte"),
    (lambda bytes_, more: bytes_ - more, "byte"),
    (lambda bytes_, rate: bytes_ / rate, "s"),
    (lambda rate, seconds: rate * seconds, "byte"),
    (lambda bytes_, n: bytes_ * n, "byte"),
    (lambda bytes_, more: bytes_ / more, "1"),
    (lambda n, bytes_: n / bytes_, "1/byte"),
    (lambda bytes_, more: bytes_ < more, "1"),
    (lambda bytes_, more: smaller(bytes_, more), "byte"),
    (lambda bytes_: larger(bytes_, 0), "byte"),
    (lambda bytes_, more: total(bytes_, more, 0), "byte"),
    (lambda bytes_: bytes_ + 0, "byte"),
    (lambda bytes_: 0 - bytes_, "byte"),
    (lambda bytes_: ceil(bytes_), "byte"),
    (lambda bytes_: floor(bytes_), "byte"),
    (lambda bytes_, n: next_power(bytes_, n), "byte"),
    (lambda area: sqrt(area), "byte"),
    (lambda n, k: power(n, k), "1"),
    (lambda n, bytes_: where(n > 0, bytes_, 0), "byte"),
    (lambda bytes_: bytes_ * KIB, "byte^2"),
    (lambda bytes_: bytes_ / KIB, "1"),
    (lambda bytes_, seconds: bytes_ / seconds / seconds, "byte/s^2"),
]
FAULTS: list[tuple[Formula, str]] = [
    (lambda bytes_, seconds: bytes_ + seconds, "cannot mix byte and s"),
    (lambda bytes_, n: bytes_ - n, "cannot mix byte and 1"),
    (lambda bytes_: bytes_ + 1, "cannot mix byte and 1"),
    (lambda n: n + KIB, "cannot mix 1 and byte"),
    (lambda bytes_, rate: bytes_ < rate, "cannot mix byte and byte/s"),
    (lambda bytes_: bytes_ > 1, "cannot mix byte and 1"),
    (lambda bytes_, rate: smaller(bytes_, rate), "cannot mix byte and byte/s"),
    (lambda bytes_, n: larger(0, bytes_, n), "cannot mix byte and 1"),
    (lambda bytes_, more, seconds: total(bytes_, more, seconds), "cannot mix byte and s"),
    (lambda n, bytes_, rate: where(n > 0, bytes_, rate), "cannot mix byte and byte/s"),
    (lambda bytes_, n: where(bytes_, n, 0), "a condition must be a comparison, not a quantity in byte"),
    (lambda bytes_: sqrt(bytes_), "cannot take the square root of byte"),
    (lambda bytes_, n: power(bytes_, n), "a power takes plain numbers only"),
    (lambda n, bytes_: power(n, bytes_), "a power takes plain numbers only"),
]


@pytest.mark.parametrize(("formula", "unit"), RULES, ids=[str(at) for at in range(len(RULES))])
def test_units_follow_the_arithmetic(formula: Formula, unit: str) -> None:
    assert unit_of(formula) == unit


@pytest.mark.parametrize(("formula", "message"), FAULTS, ids=[str(at) for at in range(len(FAULTS))])
def test_a_mixture_is_a_fault_that_names_both_units(formula: Formula, message: str) -> None:
    with pytest.raises(UnitError) as caught:
        unit_of(formula)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", "1"),
        ("1", "1"),
        ("byte", "byte"),
        ("token*byte/s", "byte*token/s"),
        ("byte*token^2/s", "byte*token^2/s"),
        ("byte/s/token", "byte/s/token"),
        ("byte/byte", "1"),
        ("/byte", "1/byte"),
        ("USD*h/kWh", "USD*h/kWh"),
        ("s^2/s", "s"),
    ],
)
def test_units_are_read_and_written(text: str, written: str) -> None:
    assert str(Unit.parse(text)) == written
    assert Unit.parse(written) == Unit.parse(text)


POWERS = st.dictionaries(st.sampled_from(["byte", "s", "token", "USD", "FLOP"]), st.integers(-3, 3))


@given(POWERS, POWERS)
def test_multiplying_and_dividing_undo_each_other(one: dict[str, int], other: dict[str, int]) -> None:
    first, second = Unit.of(one), Unit.of(other)
    assert first * second / second == first
    assert first * second == second * first
    assert first / first == COUNT
    assert Unit.parse(str(first)) == first


def test_a_constant_carries_its_unit_and_name_into_a_recording() -> None:
    recording = leaf(KIB)
    assert isinstance(recording, Expr)
    assert str(recording.unit) == "byte"
    assert float(KIB) == 1024
