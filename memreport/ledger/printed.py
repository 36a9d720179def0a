"""Values as a document prints them: numbers with unit and printed precision, ranges, bounds, yes and no."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from memreport.catalogue.quantities import UNITS
from memreport.errors import nearest
from memreport.formula.units import COUNT, Unit
from memreport.frozen import frozen
from memreport.ledger.agreement import BOUNDS, Test, leeway, lies_within, rounds_to

COUNTED = (
    "x", "params", "GPUs", "layers", "values", "components", "sequences", "heads", "pages", "steps", "bits", "experts",
    "formulas", "buckets", "checkpoints", "users", "nodes", "micro-batches", "million", "number",
)  # fmt: skip
"""Words that may stand behind a plain number, so that no number stands without saying what it counts."""

EXAMPLES = "a unit such as GB, GiB, TB/s, TFLOP/s, ms, tokens, %, x, params, GPUs; or number, which has none"
BARE = "number"
"""Stands behind a number that is printed without a unit because it has none."""
_EXTRA: Mapping[str, tuple[str, Fraction]] = {
    "ns": ("s", Fraction(1, 10**9)),
    "ps": ("s", Fraction(1, 10**12)),
    "B/param": ("byte", Fraction(1)),
    "B/FLOP": ("byte/FLOP", Fraction(1)),
    "tokens": ("token", Fraction(1)),
    "TB": ("byte", Fraction(10**12)),
    "%": ("", Fraction(1, 100)),
    "GB/GPU": ("byte", Fraction(10**9)),
}
LARGEST, LONGEST = Decimal("1e300"), 200
"""Numbers beyond the first, and values of more characters than the second, are refused."""
DIGITS = 6
LONGEST_GROUPED = 1e15
"""From here on nobody reads all digits."""
_NUMBER = r"[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]{1,3})?"
_ENDS = rf"(?P<low>{_NUMBER})(?:\s+to\s+(?P<high>{_NUMBER}))?"
_VALUE = re.compile(rf"(?P<relation>[<>]=?)?\s*{_ENDS}(?:\s+(?P<unit>.*\S))?\s*")


class EntryError(ValueError):
    """What an entry may not say; `near` is the nearest known word, `expected` what may stand there."""

    def __init__(self, message: str, near: str = "", expected: str = "") -> None:
        self.near, self.expected = near, expected
        super().__init__(message)


class PrintedError(EntryError):
    """A printed value that cannot be read."""


@frozen
class Printed:
    """A documented value in base units: `low` and `high` are equal but for ranges; `half` is half the last digit.

    `relation` is empty, or one of < <= > >=; `factor` is base units per printed unit.  A bound and a claim have no
    digits to round to: their `half` is 0.
    """

    low: float
    high: float
    half: float
    unit: Unit
    word: str = ""
    factor: float = 1.0
    relation: str = ""
    truth: bool = False

    @property
    def test(self) -> Test:
        """When a computed value agrees with this one."""
        return BOUNDS[self.relation] if self.relation else lies_within if self.low != self.high else rounds_to

    def agrees(self, low: float, high: float) -> bool:
        """Whether computed ends agree with the printed ones within half of the last printed digit."""
        slack = leeway(self.low, self.high, self.half)
        return bool(self.test(low, high, self.low, self.high, slack))

    def shown(self, low: float, high: float, digits: int = DIGITS) -> str:
        """Computed ends in the printed unit, with enough digits to compare."""
        if self.truth:
            return ("true" if low else "false") if low == high else "true in a part of the range only"
        ends = list(dict.fromkeys(plain_digits(end / self.factor, digits) for end in (low, high)))
        return with_unit(" to ".join(ends), self.word)


def plain_digits(value: float, digits: int = DIGITS) -> str:
    """A number with so many digits, or with all digits before the point where it has more, up to 15 of them."""
    grouped = 10**digits - 0.5 <= abs(value) < LONGEST_GROUPED
    return f"{value:,.0f}" if grouped else f"{value:.{digits}g}".replace("e+", "e")


def with_unit(number: str, word: str) -> str:
    """A number with the unit that is printed: one GPU, two GPUs, a bare number."""
    if word == BARE:
        return number
    return f"{number} {word.removesuffix('s') if number == '1' and word in COUNTED else word}".rstrip()


def printed(value: object, reads: Mapping[str, str] | None = None) -> Printed:
    """Read `84 GB`, `5 to 32 GB`, `> 1000 GB`, true.  `reads` says which unit is meant where a unit is written.

    Raises PrintedError where there is no number, no unit or an unknown unit, and where a bound is a range.
    """
    if isinstance(value, bool):
        return Printed(float(value), float(value), 0.0, COUNT, truth=True)
    match = _VALUE.fullmatch(str(value)) if len(str(value)) <= LONGEST else None
    if not match:
        raise PrintedError("is not a number with a unit, a range such as '5 to 32 GB', true or false")
    if not match["unit"]:
        raise PrintedError("has no unit", expected=EXAMPLES)
    if match["relation"] and match["high"]:
        raise PrintedError("is a bound with two ends; write '> 5 GB', or the range without a sign")
    word = match["unit"]
    unit, factor = unit_of((reads or {}).get(word, word))
    ends = [Decimal(match["low"]), Decimal(match["high"] or match["low"])]
    step = max(Decimal(1).scaleb(int(end.as_tuple().exponent)) for end in ends)
    if any(abs(end * Decimal(float(factor))) > LARGEST for end in ends):
        raise PrintedError("is larger than any quantity")
    low, high = (float(Fraction(end) * factor) for end in ends)
    half = 0.0 if match["relation"] else float(Fraction(step) * factor / 2)
    return Printed(low, high, half, unit, word, float(factor), match["relation"] or "")


def unit_of(word: str) -> tuple[Unit, Fraction]:
    """Dimension and factor of a printed unit.  Raises PrintedError for an unknown one."""
    if word in COUNTED:
        return COUNT, Fraction(1)
    if word in _EXTRA:
        base, factor = _EXTRA[word]
        return Unit.parse(base), factor
    for base, names in UNITS.items():
        if word in names and base not in ("1", "share"):
            return Unit.parse(base), names[word]
    known = [*COUNTED, *_EXTRA, *(name for names in UNITS.values() for name in names)]
    other_case = next((name for name in known if name.lower() == word.lower()), "")
    alike = [name for name in known if name[:1].lower() == word[:1].lower() and ("/" in name) == ("/" in word)]
    raise PrintedError(f"{word!r} is no known unit", other_case or nearest(word, alike), EXAMPLES)
