"""When a computed value agrees with a printed one, at both of its ends."""

from __future__ import annotations

import pytest

from memreport.formula.recording import replay
from memreport.formula.units import COUNT
from memreport.formula.words import Expr, Ref
from memreport.ledger.agreement import leeway
from memreport.ledger.printed import PrintedError, plain_digits, printed


@pytest.mark.parametrize(
    ("value", "ends", "agrees"),
    [
        ("> 10 GB", (11, 12), True),
        ("> 10 GB", (9, 12), False),
        ("> 10 GB", (12, 9), False),
        ("> 10 GB", (10, 10), False),
        ("< 10 GB", (8, 9), True),
        ("< 10 GB", (9, 11), False),
        ("< 10 GB", (11, 9), False),
        ("< 10 GB", (10, 10), False),
        (">= 10 GB", (10, 12), True),
        (">= 10 GB", (12, 9), False),
        ("<= 10 GB", (8, 10), True),
        ("<= 10 GB", (11, 8), False),
        ("14 GB", (14.49, 14.49), True),
        ("14 GB", (14.51, 14.51), False),
        ("14 GB", (14, 15), False),
        ("14.0 GB", (14.1, 14.1), False),
        ("5 to 32 GB", (5.4, 31.6), True),
        ("5 to 32 GB", (5.6, 32), False),
        ("5 to 32 GB", (20, 20), True),
        ("5 to 32 GB", (33, 33), False),
        ("5 to 32 GB", (20, 21), False),
    ],
)
def test_both_ends_must_agree(value: str, ends: tuple[float, float], *, agrees: bool) -> None:
    read = printed(value)
    low, high = (end * 1e9 for end in ends)
    assert read.agrees(low, high) is agrees


@pytest.mark.parametrize(("value", "ends"), [(True, (1, 1)), (False, (0, 0))])
def test_a_claim_holds_at_both_ends(value: bool, ends: tuple[float, float]) -> None:
    assert printed(value).agrees(*ends)
    assert not printed(value).agrees(0, 1)
    assert not printed(not value).agrees(*ends)


@pytest.mark.parametrize("value", ["> 10 GB", "< 10 GB", ">= 10 GB", "<= 10 GB", "14 GB", "5 to 32 GB"])
def test_the_recorded_test_says_what_the_test_says(value: str) -> None:
    read = printed(value)
    names = ("low", "high", "printed_low", "printed_high", "slack")
    test = read.test(*(Ref(name, COUNT) for name in names))  # type: ignore[arg-type]  # recorded, not computed
    assert isinstance(test, Expr)
    for low, high in [(9.6, 9.6), (10, 10), (13.7, 14.4), (5, 32), (32, 5), (20, 20), (1, 40)]:
        given = dict(zip(names, (low, high, read.low / 1e9, read.high / 1e9), strict=False))
        given["slack"] = leeway(read.low, read.high, read.half) / 1e9
        assert bool(replay(test, given)) is read.agrees(low * 1e9, high * 1e9), (low, high)


def test_a_bound_has_one_end() -> None:
    with pytest.raises(PrintedError, match="bound with two ends"):
        printed("> 5 to 10 GB")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (16777216, "16,777,216"),
        (999999.4, "999999"),
        (999999.6, "1,000,000"),
        (0.25, "0.25"),
        (107.374182, "107.374"),
        (3.39e38, "3.39e38"),
        (4.0e-5, "4e-05"),
        (0, "0"),
    ],
)
def test_large_numbers_keep_their_digits(value: float, text: str) -> None:
    assert plain_digits(value) == text
