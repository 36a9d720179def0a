"""When a computed value agrees with a printed one: the same test for numbers and, recorded, for a workbook's formulas.

A value has a low and a high end, which are equal where there is one number.  Nothing here depends on the unit.
"""

from __future__ import annotations

from collections.abc import Callable

from memreport.formula.words import Constant, larger, smaller, where

LAST_BITS = Constant("LAST_BITS", 1e-12, "", "relative difference that the last bits of a float may cause", "IEEE 754")
DIGIT_LEEWAY = Constant(
    "DIGIT_LEEWAY", 1e-9, "", "share by which half of a printed digit may be passed", "as LAST_BITS, over many steps"
)
CONSTANTS = (LAST_BITS, DIGIT_LEEWAY)

Test = Callable[[float, float, float, float, float], float]
"""Computed low and high end, printed low and high end, leeway; gives 1 or 0."""


def leeway(printed_low: float, printed_high: float, half_digit: float) -> float:
    """By how much a value may pass a printed end and still be printed so; `half_digit` is half of the last one."""
    size = larger(printed_low, 0 - printed_low, printed_high, 0 - printed_high)
    return half_digit + half_digit * DIGIT_LEEWAY + size * LAST_BITS


def rounds_to(low: float, high: float, printed_low: float, printed_high: float, slack: float) -> float:
    """Both ends are printed as they are."""
    return (_apart(low, printed_low) <= slack) * (_apart(high, printed_high) <= slack)


def _apart(value: float, other: float) -> float:
    return larger(value - other, other - value)


def lies_within(low: float, high: float, printed_low: float, printed_high: float, slack: float) -> float:
    """Two ends are printed as they are; one value lies within the printed range."""
    inside = (printed_low - slack <= low) * (high <= printed_high + slack)
    return where(
        larger(low, high) <= smaller(low, high), inside, rounds_to(low, high, printed_low, printed_high, slack)
    )


def lies_above(low: float, high: float, printed_low: float, _: float, slack: float) -> float:
    """Both ends lie above a printed bound, not on it."""
    return smaller(low, high) - slack > printed_low


def lies_below(low: float, high: float, printed_low: float, _: float, slack: float) -> float:
    """Both ends lie below a printed bound, not on it."""
    return larger(low, high) + slack < printed_low


def is_at_least(low: float, high: float, printed_low: float, _: float, slack: float) -> float:
    """Both ends lie on a printed bound or above it."""
    return smaller(low, high) + slack >= printed_low


def is_at_most(low: float, high: float, printed_low: float, _: float, slack: float) -> float:
    """Both ends lie on a printed bound or below it."""
    return larger(low, high) - slack <= printed_low


BOUNDS: dict[str, Test] = {">": lies_above, "<": lies_below, ">=": is_at_least, "<=": is_at_most}
