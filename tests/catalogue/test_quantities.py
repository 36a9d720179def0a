"""Quantities read as they are written, read back as they are shown, and never look equal when they differ."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memreport.catalogue.quantities import UNITS, QuantityError, brief, display, display_pair, parse_quantity

GIB = 2**30


@pytest.mark.parametrize(
    ("quantity", "unit", "value"),
    [
        ("80 GB", "byte", 80e9), ("81920 MiB", "byte", 85899345920), ("16 GiB", "byte", 17179869184),
        ("80GB", "byte", 80e9), ("80\u00a0GB", "byte", 80e9), (" 1.5 kB ", "byte", 1500), ("7 bytes", "byte", 7),
        ("2.0 TB/s", "byte/s", 2e12), ("3.35 TB/s", "byte/s", 3.35e12), ("2039 GB/s", "byte/s", 2039e9),
        ("400 Gbit/s", "byte/s", 50e9), ("128 KiB/token", "byte/token", 131072),
        ("312 TFLOP/s", "FLOP/s", 312e12), ("1979.5 TFLOP/s", "FLOP/s", 1979.5e12), ("1 EFLOP", "FLOP", 1e18),
        ("3.43 USD/h", "USD/h", 3.43), ("0.12 USD/kWh", "USD/kWh", 0.12), ("120 USD/MWh", "USD/kWh", 0.12),
        ("1240.50 USD", "USD", 1240.5), ("2.5 USD/Mtoken", "USD/token", 2.5e-6),
        ("400 W", "W", 400), ("10.2 kW", "W", 10200), ("1.2 kWh", "kWh", 1.2), ("500 Wh", "kWh", 0.5),
        ("24 h", "s", 86400), ("90 days", "s", 7776000), ("1 day", "h", 24), ("90 min", "h", 1.5), ("5 µs", "s", 5e-6),
        ("85 %", "share", 0.85), ("12.5%", "share", 0.125), (0.85, "share", 0.85), ("4096 tokens", "token", 4096),
        (80, "byte", 80), (7e9, "1", 7e9), ("7e9", "1", 7e9), ("-.5e1 W", "W", -5), ("3 widget", "widget", 3),
        ("1e-999999999 GB", "byte", 0), ("0 TB", "byte", 0),
    ],
)  # fmt: skip
def test_a_quantity_is_read_exactly(quantity: str | float, unit: str, value: float) -> None:
    read = parse_quantity(quantity, unit)
    assert (type(read), read) == (float, value)


@pytest.mark.parametrize(
    ("quantity", "unit", "message", "nearest"),
    [
        ("80 Gb", "byte", "'Gb' means bits, an eighth of as many bytes; write B for bytes", "GB"),
        ("400 Gb/s", "byte/s", "means bits, an eighth of as many bytes; write B for bytes or bit for bits", "GB/s"),
        ("400 Gbps", "byte/s", "means bits", "Gbit/s"),
        ("80 Gib", "byte", "means bits", "GiB"),
        ("80 gb", "byte", "units are case-sensitive: 'gb' is written 'GB'", "GB"),
        ("80 KB", "byte", "'KB' is written 'kB'", "kB"),
        ("80 gib", "byte", "'gib' is written 'GiB'", "GiB"),
        ("400 w", "W", "'w' is written 'W'", "W"),
        ("400 W", "byte", "'W' measures W, but byte is wanted", ""),
        ("600 GB", "byte/s", "'GB' measures byte, but byte/s is wanted", "GB/s"),
        ("16 GiB/s", "byte", "'GiB/s' measures byte/s", "GiB"),
        ("85 %", "1", "'%' measures share", ""),
        ("312 TFLOPS", "FLOP/s", "'TFLOPS' is no known unit of FLOP/s", "TFLOP/s"),
        ("3.43 USD/hr", "USD/h", "no known unit", "USD/h"),
        ("80 GB VRAM", "byte", "'GB VRAM' is no known unit", ""),
        ("4k", "token", "'k' is no unit; write the number out", ""),
        ("12 billion", "1", "'billion' is no unit; write the number out", ""),
        ("7B", "1", "'B' measures byte, but a number without a unit is wanted", ""),
        ("$3.43/h", "USD/h", "money is written as 3.43 USD", ""),
        ("3,35 TB/s", "byte/s", "a number has a decimal point and no thousands separators", ""),
        ("1,240.50 USD", "USD", "a number has a decimal point", ""),
        ("1_000 W", "W", "a number has a decimal point", ""),
        ("1.2.3 W", "W", "does not begin with a finite number", ""),
        ("fast", "byte/s", "does not begin with a finite number", ""),
        ("", "W", "does not begin with a finite number", ""),
        ("GB", "byte", "does not begin with a finite number", ""),
        ("１ W", "W", "does not begin with a finite number", ""),
        ("nan", "W", "does not begin with a finite number", ""),
        ("1e400 W", "W", "does not begin with a finite number", ""),
        ("9" * 5000, "1", "does not begin with a finite number", ""),
        ("1e308 PB", "byte", "is no finite number", ""),
        (math.nan, "W", "is no finite number", ""),
        (-math.inf, "W", "is no finite number", ""),
        (10**400, "1", "is no finite number", ""),
        (True, "W", "is no quantity", ""),
        (None, "W", "is no quantity", ""),
        ([1], "W", "is no quantity", ""),
    ],
)
def test_anything_else_is_refused_with_a_reason(quantity: str, unit: str, message: str, nearest: str) -> None:
    with pytest.raises(QuantityError, match=r"allowed: a bare number") as caught:
        parse_quantity(quantity, unit)
    assert message in caught.value.message
    assert caught.value.nearest == nearest
    assert caught.value.expected == tuple(UNITS[unit])


def test_a_refusal_says_what_was_found_and_what_is_allowed() -> None:
    with pytest.raises(QuantityError) as caught:
        parse_quantity("400 Watt", "W")
    assert (caught.value.found, caught.value.allowed) == ("'400 Watt'", "a bare number, W, kW, MW")
    assert str(caught.value) == "'Watt' is no known unit of W (found '400 Watt'; allowed: a bare number, W, kW, MW)"


@given(st.text(max_size=30) | st.from_regex(r"[-+0-9.eE]{1,8} ?[kMGT]?i?[Bbs/W%]{0,4}"), st.sampled_from([*UNITS]))
@example("1e-400 B", "byte")
def test_any_text_is_a_finite_number_or_refused(text: str, unit: str) -> None:
    try:
        assert math.isfinite(parse_quantity(text, unit))
    except QuantityError as error:
        refusal = error
        assert refusal.found == repr(text)[:60]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (80e9, "byte", "74.5 GiB"), (81920 * 2**20, "byte", "80 GiB"), (80.02 * GIB, "byte", "80.0 GiB"),
        (9.876 * GIB, "byte", "9.88 GiB"), (140.44 * GIB, "byte", "140.4 GiB"), (1020 * GIB, "byte", "1,020 GiB"),
        (1023.4 * GIB, "byte", "1,023 GiB"), (1023.99 * GIB, "byte", "1.00 TiB"), (-9.03 * GIB, "byte", "-9.03 GiB"),
        (0, "byte", "0 B"), (-0.0, "byte", "0 B"), (0.5, "byte", "0.5 B"), (327680, "byte/token", "320 KiB/token"),
        (2039e9, "byte/s", "2.04 TB/s"), (2e12, "byte/s", "2 TB/s"), (999.6e9, "byte/s", "999.6 GB/s"),
        (999.97e9, "byte/s", "1.00 TB/s"), (9.996e9, "byte/s", "10.0 GB/s"),
        (312e12, "FLOP/s", "312 TFLOP/s"), (1979.5e12, "FLOP/s", "1.98 PFLOP/s"),
        (206.25, "FLOP/byte", "206.3 FLOP/byte"),
        (1240.5, "USD", "$1,241"), (-1240.5, "USD", "-$1,241"), (0, "USD", "$0.00"), (10823, "USD", "$10,823"),
        (1234567.8, "USD", "$1,234,568"), (0.0034, "USD", "$0.0034"), (-0.00001, "USD/h", "-$0.00001/h"),
        (3.43, "USD/h", "$3.43/h"), (0.12, "USD/kWh", "$0.12/kWh"), (2.4e-6, "USD/token", "$2.40/M tokens"),
        (700, "W", "700 W"), (10200, "W", "10.2 kW"), (3.2, "kWh", "3.2 kWh"), (32000, "kWh", "32 MWh"),
        (5e-6, "s", "5 µs"), (0.0513, "s", "51.3 ms"), (95, "s", "95 s"), (86400, "s", "24 h"),
        (7776000, "s", "90 days"),
        (72, "h", "72 h"), (0.5, "h", "30 min"), (1 / 3, "h", "20.0 min"), (2160, "h", "90 days"),
        (16777216, "1", "16,777,216"), (16777216, "token", "16,777,216 tokens"), (8030261248, "1", "8,030,261,248"),
        (2413.7, "token/s", "2,414 tokens/s"), (0.1 + 0.2, "1", "0.3"), (1.15, "1", "1.15"), (0.012345, "1", "0.0123"),
        (1e20, "1", "1.00e+20"), (1e-9, "1", "1.00e-9"), (0.85, "share", "85 %"), (0.8857, "share", "88.6 %"),
        (4, "card", "4 card"), (math.nan, "USD", "n/a"),
        (math.inf, "token", "unlimited"), (-math.inf, "1", "-unlimited"),
    ],
)  # fmt: skip
def test_display_is_tidy(value: float, unit: str, text: str) -> None:
    assert display(value, unit) == text


def test_bytes_are_shown_in_powers_of_ten_on_demand() -> None:
    assert display(80e9, "byte", decimal=True) == "80 GB"
    assert display(81920 * 2**20, "byte", decimal=True) == "85.9 GB"
    assert display(2e12, "byte/s", decimal=True) == "2 TB/s"
    assert display_pair(80e9, 80.01e9, "byte", decimal=True) == ("80.00 GB", "80.01 GB")


@pytest.mark.parametrize(
    ("first", "second", "unit", "texts"),
    [
        (140.6 * GIB, 140.4 * GIB, "byte", ("140.6 GiB", "140.4 GiB")),
        (140.43 * GIB, 140.41 * GIB, "byte", ("140.43 GiB", "140.41 GiB")),
        (141 * GIB, 140.4 * GIB, "byte", ("141.0 GiB", "140.4 GiB")),
        (80 * GIB, 79 * GIB, "byte", ("80 GiB", "79 GiB")),
        (4.257 * GIB, 80 * GIB, "byte", ("4.3 GiB", "80.0 GiB")),
        (12 * 2**20, 80 * GIB, "byte", ("12 MiB", "80 GiB")),
        (0, 80 * GIB, "byte", ("0 GiB", "80 GiB")),
        (1023.99 * GIB, 1024 * GIB, "byte", ("0.99999 TiB", "1.00000 TiB")),
        (10_483, 10_483.004, "USD", ("$10,483.000", "$10,483.004")),
        (0.9999, 1, "share", ("99.99 %", "100.00 %")),
        (-1 * GIB, 1 * GIB, "byte", ("-1 GiB", "1 GiB")),
        (1e-9, 1.0001e-9, "1", ("1.0000e-9", "1.0001e-9")),
        (5, 5, "W", ("5 W", "5 W")),
        (math.inf, 5, "token", ("unlimited", "5 tokens")),
    ],
)
def test_a_pair_shares_its_scale_and_its_decimals(
    first: float, second: float, unit: str, texts: tuple[str, str]
) -> None:
    assert display_pair(first, second, unit) == texts


FINITE = st.floats(allow_nan=False, allow_infinity=False)
NEIGHBOURS = st.tuples(FINITE, st.integers(1, 4)).map(lambda row: (row[0], nudged(*row)))
UNIT = st.sampled_from([*UNITS, "widget"])


def nudged(value: float, steps: int) -> float:
    for _ in range(steps):
        value = math.nextafter(value, 0 if value > 1 else 2)
    return value


@settings(max_examples=300)
@given(NEIGHBOURS | st.tuples(FINITE, FINITE), UNIT, st.booleans())
@example((9007199254740992.0, 9007199254740994.0), "token", False)
def test_different_values_never_read_the_same(pair: tuple[float, float], unit: str, decimal: bool) -> None:
    texts = display_pair(*pair, unit, decimal=decimal)
    assert (texts[0] == texts[1]) == (pair[0] == pair[1])


@settings(max_examples=300)
@given(
    st.floats(1e-5, 1e14), st.sampled_from(["byte", "byte/s", "byte/token", "FLOP/s", "W", "kWh", "s", "h", "share"])
)
def test_what_is_shown_reads_back(value: float, unit: str) -> None:
    text = display(value, unit)
    assert parse_quantity(text.replace(",", ""), unit) == pytest.approx(value, rel=0.005)
    assert len([digit for digit in text if digit.isdigit()]) <= 16


def test_the_ends_of_a_range_stand_in_the_scale_of_their_value() -> None:
    assert [brief(hours, "h", 131.0) for hours in (98.8, 131.0, 174.7)] == ["4.12 days", "5.46 days", "7.28 days"]
    assert brief(98.8, "h") == "98.8 h"
