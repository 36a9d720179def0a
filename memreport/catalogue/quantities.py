"""Quantities as people write them ("80 GB", "3.43 USD/h"), as numbers in base units, and as people read them.

Scale exists only here: GB is 10^9 byte, GiB 2^30, always.  Units are case-sensitive: a Gb is an eighth of a GB.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from memreport import errors

MAX_DIGITS = 40
"""Longer numbers are slips of a hand, and could take long to convert."""


class QuantityError(ValueError):
    """Text that is no quantity of the wanted unit: what was found, which units are allowed, and the nearest of them."""

    def __init__(self, message: str, found: object, expected: tuple[str, ...] = (), nearest: str = "") -> None:
        self.message, self.found, self.expected, self.nearest = message, str(found)[:60], expected, nearest
        super().__init__(f"{message} (found {self.found}; allowed: {self.allowed})")

    @property
    def allowed(self) -> str:
        """The allowed units as one line of text."""
        return ", ".join(("a bare number", *self.expected))


def _scaled(symbol: str, prefixes: str, step: int = 1000) -> dict[str, Fraction]:
    """`_scaled("W", "kM")` is {"W": 1, "kW": 1000, "MW": 1000000}; steps of 1024 write KiB for KB."""
    infix = "i" if step == 1024 else ""
    powers = enumerate(prefixes, 1)
    return {symbol: Fraction(1)} | {f"{prefix}{infix}{symbol}": Fraction(step**power) for power, prefix in powers}


def _per(units: Mapping[str, Fraction], below: str) -> dict[str, Fraction]:
    return {f"{name}/{below}": factor for name, factor in units.items()}


_ONE = Fraction(1)
_BYTES = _scaled("B", "kMGTP")
_BINARY = _scaled("B", "KMGTP", step=1024)
_BITS = {name: factor / 8 for name, factor in _scaled("bit", "kMGT").items()}
_FLOP = _scaled("FLOP", "kMGTPEZY")
_TIMES = {"us": Fraction(1, 10**6), "ms": Fraction(1, 1000), "s": _ONE, "min": 60 * _ONE, "h": 3600 * _ONE}
_SECONDS = _TIMES | {"days": 86_400 * _ONE, "weeks": 604_800 * _ONE}

UNITS: Mapping[str, Mapping[str, Fraction]] = {
    "byte": _BYTES | _BINARY,
    "byte/s": _per(_BYTES | _BINARY | _BITS, "s"),
    "byte/token": _per(_BYTES | _BINARY, "token"),
    "FLOP": _FLOP,
    "FLOP/s": _per(_FLOP, "s"),
    "FLOP/token": _per(_FLOP, "token"),
    "FLOP/byte": {"FLOP/byte": _ONE, "FLOP/B": _ONE},
    "USD": {"USD": _ONE},
    "USD/h": {"USD/h": _ONE},
    "USD/kWh": {"USD/kWh": _ONE, "USD/MWh": Fraction(1, 1000)},
    "USD/token": {"USD/token": _ONE, "USD/Mtoken": Fraction(1, 10**6)},
    "W": _scaled("W", "kM"),
    "kWh": {name: factor / 1000 for name, factor in _scaled("Wh", "kMG").items()},
    "s": _SECONDS,
    "h": {name: factor / 3600 for name, factor in _SECONDS.items()},
    "token": {"tokens": _ONE},
    "token/s": {"tokens/s": _ONE},
    "share": {"%": Fraction(1, 100)},
    "1": {},
}
"""For each base unit, the names that may be written after a number, and how many base units each is."""

ALIASES = {"byte": "B", "bytes": "B", "byte/s": "B/s", "bytes/s": "B/s", "byte/token": "B/token", "day": "days"}
ALIASES |= {"week": "weeks", "\u00b5s": "us", "\u03bcs": "us", "token": "tokens", "token/s": "tokens/s"}
_QUANTITY = re.compile(r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)[ \u00a0\u202f]*(?![0-9.,_'])(.*)")
SCALE_WORDS = frozenset(("k", "K", "M", "m", "G", "T", "bn", "mn", "thousand", "million", "billion", "trillion"))
BIT_NAMES = re.compile(r"[kKMGTP]?i?b(/s|ps)?")


def parse_quantity(quantity: str | float, unit: str) -> float:
    """A quantity in the base unit `unit`, from text such as "80 GB" or a bare number; raises QuantityError."""
    if isinstance(quantity, bool) or not isinstance(quantity, str | int | float):
        raise QuantityError("is no quantity", repr(quantity), _allowed(unit))
    try:
        number = float(_exact(quantity, unit) if isinstance(quantity, str) else quantity)
    except OverflowError:  # beyond a float
        number = math.inf
    if not math.isfinite(number):
        raise QuantityError("is no finite number", repr(quantity), _allowed(unit))
    return number


@lru_cache(maxsize=1 << 13)
def _exact(text: str, unit: str) -> Fraction:
    match = _QUANTITY.fullmatch(text.strip())
    if not match or len(match[1]) > MAX_DIGITS or math.isinf(float(match[1])):
        raise QuantityError(_number_fault(text), repr(text), _allowed(unit))
    factor = _factor(match[2], unit, text) if match[2] else _ONE
    return Fraction(match[1] if float(match[1]) else 0) * factor  # 1e-999999999 is 0, and takes no time


def _number_fault(text: str) -> str:
    if "$" in text:
        return "money is written as 3.43 USD or 3.43 USD/h"
    if re.search("[0-9][,_'][0-9]", text):
        return "a number has a decimal point and no thousands separators, such as 1240.5"
    return "does not begin with a finite number"


def _factor(name: str, unit: str, text: str) -> Fraction:
    written = ALIASES.get(name, name)
    if written in _names(unit):
        return _names(unit)[written]
    message, nearest = _unit_fault(name, unit)
    raise QuantityError(message, repr(text), _allowed(unit), nearest)


def _unit_fault(name: str, unit: str) -> tuple[str, str]:
    """What is wrong with the unit `name` where a quantity in `unit` is wanted, and the nearest allowed one."""
    allowed = _allowed(unit)
    other_case = next((written for written in allowed if written.lower() == name.lower()), "")
    near = other_case or errors.nearest(name, allowed, cased=True)
    if name in SCALE_WORDS:
        return f"{name!r} is no unit; write the number out, such as 4096 or 12e9", ""
    if BIT_NAMES.fullmatch(name) and unit.startswith("byte"):
        or_bits = " or bit for bits" if "Gbit/s" in allowed else ""
        return f"{name!r} means bits, an eighth of as many bytes; write B for bytes{or_bits}", near
    if other_case:
        return f"units are case-sensitive: {name!r} is written {other_case!r}", near
    if measured := next((base for base in UNITS if ALIASES.get(name, name) in UNITS[base]), ""):
        return f"{name!r} measures {measured}, but {'a number without a unit' if unit == '1' else unit} is wanted", near
    return f"{name!r} is no known unit of {unit}", near


def _names(unit: str) -> Mapping[str, Fraction]:
    return UNITS.get(unit, {unit: _ONE})


def _allowed(unit: str) -> tuple[str, ...]:
    return tuple(_names(unit))


class Scale(NamedTuple):
    """From `threshold` base units on, a value is shown as a multiple of `factor`, in the words of `template`."""

    threshold: Fraction
    factor: Fraction
    template: str


Ladder = tuple[Scale, ...]


def _rungs(units: Mapping[str, Fraction], below: str = "") -> Ladder:
    """One rung for each name, from the smallest on."""
    rising = sorted(units.items(), key=lambda unit: unit[1])
    return tuple(Scale(factor, factor, f"{{}} {name}{below}") for name, factor in rising)


def _single(template: str, factor: Fraction = _ONE) -> Ladder:
    return (Scale(factor, factor, template),)


# Seconds up to two minutes, minutes up to two hours, hours up to a hundred: as people speak of plans.
_DURATIONS = (
    Scale(_SECONDS["us"], _SECONDS["us"], "{} µs"),
    Scale(_SECONDS["ms"], _SECONDS["ms"], "{} ms"),
    Scale(_SECONDS["s"], _SECONDS["s"], "{} s"),
    Scale(2 * _SECONDS["min"], _SECONDS["min"], "{} min"),
    Scale(2 * _SECONDS["h"], _SECONDS["h"], "{} h"),
    Scale(100 * _SECONDS["h"], _SECONDS["days"], "{} days"),
)
_HOUR = _SECONDS["h"]
GPU_HOURS = "GPU-h"
LADDERS: Mapping[str, Ladder] = {
    "byte": _rungs(_BINARY),
    "byte/s": _rungs(_BYTES, "/s"),
    "byte/token": _rungs(_BINARY, "/token"),
    "FLOP": _rungs(_FLOP),
    "FLOP/s": _rungs(_FLOP, "/s"),
    "FLOP/token": _rungs(_FLOP, "/token"),
    "W": _rungs(UNITS["W"]),
    "kWh": _rungs(UNITS["kWh"]),
    GPU_HOURS: _single("{} GPU-hours"),
    "s": _DURATIONS,
    "h": tuple(Scale(start / _HOUR, factor / _HOUR, template) for start, factor, template in _DURATIONS),
    "USD": _single("${}"),
    "USD/h": _single("${}/h"),
    "USD/kWh": _single("${}/kWh"),
    "USD*h/kWh": _single("${}/kW and month"),
    "USD/token": _single("${}/M tokens", Fraction(1, 10**6)),
    "token": _single("{} tokens"),
    "token/s": _single("{} tokens/s"),
    "text/s": _single("{} texts/s"),
    "share": _single("{} %", Fraction(1, 100)),
    "1": _single("{}"),
}
GIB = 2.0**30
NUMBER_WORDS = tuple(re.findall(r"\w+", "no one two three four five six seven eight nine ten eleven twelve"))
"""Small numbers as people write them, each at its own place."""
SHARE = re.compile(
    r"share(?!d)|utili[sz]ation|goodput|contingency|discount|uncertainty|load_factor|^(achieved_)?model_flop_util"
)
LONG_SECONDS = 900.0
WITH_CENTS = 100
"""Sums of money below this are read with cents."""
_DECIMAL_LADDERS = {"byte": _rungs(_BYTES), "byte/token": _rungs(_BYTES, "/token")}
_BROAD = Context(prec=60, rounding=ROUND_HALF_UP)
"""Enough digits that dividing two different floats by the same factor keeps them different; halves round up, as in
spreadsheets."""


@lru_cache(maxsize=10_000)  # variants of a scenario share most of their values
def display(value: float, unit: str, *, decimal: bool = False) -> str:
    """`value` base units as a person reads them, in 3 or 4 digits; bytes as GiB, or as GB where `decimal` is true."""
    if not math.isfinite(value):
        return "n/a" if math.isnan(value) else f"{'-' if value < 0 else ''}unlimited"
    amount = _amount(value)
    scale = _fitting(amount, _ladder(unit, decimal))
    size = _size(amount, scale)
    return _written(size, scale, _decimals(size, scale))


def plain(value: float) -> str:
    """A number alone, in as many digits as it was written in."""
    return f"{value:.10g}"


def brief(value: float, unit: str, beside: float | None = None) -> str:
    """`value` base units in three significant digits, as people read them: $6,140, 43.6 GiB, 6.9 days; counts whole.

    The end of a range stands in the scale of the value that it is `beside`: 5.5 days (4.1 to 7.3 days), never in hours.
    """
    if not math.isfinite(value) or value == 0:
        return display(value, unit)
    shown_as = _fitting(_amount(value if beside is None else beside), _ladder(unit, in_decimal=False))
    return _in_three_digits(value, unit, shown_as)


def both_ends(low: str, high: str) -> str:
    """Both ends of a range, their unit once where it is the same."""
    unit = high.partition(" ")[2]
    return f"{low.removesuffix(f' {unit}') if unit else low} to {high}"


def with_ends(value: float, ends: tuple[float, float], unit: str) -> str:
    """An amount with its ends, in its scale: 5.4 days (4.25 to 6.86 days)."""
    low, high = (brief(end, unit, value) for end in ends)
    return f"{brief(value, unit)} ({both_ends(low, high)})" if low != high else brief(value, unit)


def brief_alike(values: Sequence[float], unit: str, *, padded: bool = True) -> tuple[str, ...]:
    """Each in three significant digits, all in the unit that fits the largest; up to 15 minutes in seconds.

    Numbers that stand below each other are `padded` with zeros at their ends.

    What is less than a thousandth of the largest is said to be less than that, in place of a row of zeros.
    """
    largest = max(map(abs, values), default=0.0)
    reached = min(largest, 1.0) if unit == "s" and largest < LONG_SECONDS else largest
    scale = _fitting(_amount(reached), _ladder(unit, in_decimal=False))
    least = Decimal(10) ** (_size(_amount(largest), scale).adjusted() - 3)
    small = f"< {_written(least, scale, max(0, -least.adjusted()))}"

    def said(value: float) -> str:
        if 0 < _size(_amount(value), scale) < least:
            return small
        return _in_three_digits(value, unit, scale, padded=padded) if value else "0"

    return tuple(map(said, values))


def _in_three_digits(value: float, unit: str, scale: Scale, *, padded: bool = False) -> str:
    """Zeros at the end are kept where numbers stand below each other, and where money has cents."""
    size = _size(_amount(value), scale)
    if _is_extreme(size) or (unit in ("1", "token") and size == size.to_integral_value()):
        return display(value, unit)
    kept = Decimal(f"{size:.2e}")
    if padded:
        return _written(kept, scale, max(0, 2 - kept.adjusted()))
    places = max(0, -kept.normalize().as_tuple().exponent)  # type: ignore[operator]  # finite, so a number
    return _written(kept, scale, max(places, 2) if _is_money(scale) and (places or abs(kept) < WITH_CENTS) else places)


def display_pair(first: float, second: float, unit: str, *, decimal: bool = False) -> tuple[str, str]:
    """Two values to be compared: in one scale, with as many digits as it takes that different values read different."""
    alone = display(first, unit, decimal=decimal), display(second, unit, decimal=decimal)
    if first == second or not math.isfinite(first) or not math.isfinite(second):
        return alone
    amounts = [_amount(first), _amount(second)]
    if amounts[0] == amounts[1]:
        amounts = [Fraction(first), Fraction(second)]
    scale = _fitting(max(amounts, key=abs), _ladder(unit, decimal))
    return _told_apart([_size(amount, scale) for amount in amounts], scale) or alone


def unit_shown(name: str, unit: str) -> str:
    """The unit in which a value of that name is shown: what has none is a share by its name, or a plain number."""
    return unit if unit not in ("", "1") else "share" if SHARE.search(name.partition(".")[0]) else "1"


def in_gpu_hours(name: str, unit: str) -> str:
    """The unit, but for hours that are added up over GPUs, which nobody reads as days by the clock."""
    return GPU_HOURS if unit == "h" and "accelerator_hours" in name else unit


def in_gib(value: float) -> str:
    """Bytes in GiB, however many, so that all numbers of a text or table are in one unit."""
    return brief(value / GIB, "GiB")


def pair_in_gib(first: float, second: float) -> tuple[str, str]:
    """Two sizes in GiB, each as it reads alone, with more digits only where different ones would read the same."""
    alone = in_gib(first), in_gib(second)
    if not math.isfinite(first) or not math.isfinite(second):
        return alone
    same = _read(alone[0]) == _read(alone[1])
    return display_pair(first / GIB, second / GIB, "GiB") if same and first != second else alone


def _read(text: str) -> float:
    return float(text.split(maxsplit=1)[0].replace(",", ""))


def _told_apart(sizes: list[Decimal], scale: Scale) -> tuple[str, str] | None:
    """Two different sizes as different texts, or nothing where the smaller would lose its digits beside the larger."""
    largest = max(map(abs, sizes))
    most = _most_decimals(largest, scale)
    if not _is_extreme(largest) and any(0 < abs(size) < Decimal(10) ** (1 - most) for size in sizes):
        return None
    places = max(min(_decimals(size, scale), most) for size in sizes)
    while (texts := tuple(_written(size, scale, places) for size in sizes))[0] == texts[1]:
        places += 1
    return texts[0], texts[1]


def _ladder(unit: str, in_decimal: bool) -> Ladder:
    ladder = _DECIMAL_LADDERS.get(unit) if in_decimal else None
    return ladder or LADDERS.get(unit) or _single(f"{{}} {unit}")


def _amount(value: float) -> Fraction:
    """The value without the noise of binary fractions: 0.1 + 0.2 is shown as 0.3."""
    return Fraction(int(value)) if float(value).is_integer() else Fraction(f"{value:.15g}")


def _fitting(amount: Fraction, ladder: Ladder) -> Scale:
    """The last rung that `amount` reaches, or reaches once rounded: 1023.99 GiB is shown as 1.00 TiB."""
    reached = max((rung for rung, scale in enumerate(ladder) if abs(amount) >= scale.threshold), default=0)
    size = abs(_size(amount, ladder[reached]))
    above = ladder[reached + 1 : reached + 2]
    if not above or _is_extreme(size):
        return ladder[reached]
    rounded = Fraction(round(size, _decimals(size, ladder[reached]))) * ladder[reached].factor
    return above[0] if rounded >= above[0].threshold else ladder[reached]


def _size(amount: Fraction, scale: Scale) -> Decimal:
    size = amount / scale.factor
    return _BROAD.divide(Decimal(size.numerator), Decimal(size.denominator))


def _decimals(size: Decimal, scale: Scale) -> int:
    """As few decimals as show the value exactly, but no more than make 3 or 4 digits; money has two."""
    most = _most_decimals(abs(size), scale)
    if _is_extreme(size):
        return most
    least = min(most, 2) if _is_money(scale) else 0
    return next((places for places in range(least, most) if round(size, places) == size), most)


def _most_decimals(size: Decimal, scale: Scale) -> int:
    """How many decimals make 3 or 4 digits of a size that is not negative; money keeps its cents below 1,000."""
    if _is_extreme(size) or (_is_money(scale) and (not size or 1 <= size < 1_000)):
        return 2
    leading = Decimal(f"{size:.2e}")
    if 0 < leading < 1:
        return 2 - leading.adjusted()
    return next((places for places, end in ((2, 10), (1, 1000)) if round(size, places) < end), 0)


def _is_money(scale: Scale) -> bool:
    return scale.template.startswith("$")


def _is_extreme(size: Decimal) -> bool:
    """Whether the value reads better as a power of ten, having no unit prefix left."""
    return size != 0 and not Decimal("1e-6") <= abs(size) < Decimal("1e15")


def _written(size: Decimal, scale: Scale, places: int) -> str:
    if _is_extreme(size):
        text = f"{abs(size):.{places}e}"
    else:
        text = f"{_BROAD.quantize(abs(size), Decimal((0, (1,), -places))):,f}"
    return ("-" if size < 0 else "") + scale.template.format(text)
