from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memreport.advise.verdict import FITS
from memreport.publish.svg.drawing import PALETTE, Drawing, powers_of, round_steps
from memreport.publish.svg.ownership import ownership_drawing
from memreport.publish.svg.roofline import roofline_drawing
from memreport.publish.svg.tornado import tornado_drawing
from memreport.report.build import report_of
from memreport.report.records.advice import Sensitivity, SwingShown, SwingValues
from memreport.report.records.amounts import Amount
from memreport.report.records.money.ownership import Crossing, PaidByMonth, RentOrBuy
from memreport.report.records.report import Build
from memreport.report.records.speed import OtherRoof, RoofKernel, Roofline
from memreport.report.view import in_gib
from tests.support import published

GIB = 2.0**30
NAMES = st.text("abcdefghijklmnop WMil_-+0123456789大", min_size=1, max_size=60).filter(str.strip)
SIZES = st.floats(0, 4e12, allow_nan=False)


def overlapping(drawing: Drawing) -> list[tuple[str, str]]:
    return [(one, other) for (a, one), (b, other) in combinations(drawing.labels, 2) if a.overlaps(b)]


def outside(drawing: Drawing) -> list[str]:
    return [text for box, text in drawing.labels if not box.within(drawing.frame)]


def is_clean(drawing: Drawing) -> bool:
    assert overlapping(drawing) == []
    assert outside(drawing) == []
    root = ET.fromstring(drawing.svg())  # noqa: S314  # our own text
    assert next(iter(root)).tag.endswith("title")
    return True


@st.composite
def other_roofs(draw: st.DrawFn) -> OtherRoof:
    rate = draw(st.booleans())
    value = draw(st.floats(1e12, 1e16) if rate else st.floats(1e9, 1e12))
    return OtherRoof(draw(NAMES.map(lambda name: name[:12])), value, f"{value:.3g}", rate)


@st.composite
def rooflines(draw: st.DrawFn) -> Roofline:
    peak, bandwidth = draw(st.floats(1e12, 5e15)), draw(st.floats(1e11, 1e13))
    kernels = []
    for number in range(1, draw(st.integers(1, 14)) + 1):
        intensity = 10 ** draw(st.floats(-2, 4.5))
        rate = min(peak, intensity * bandwidth)
        at = Amount(intensity, "FLOP/byte", f"{intensity:.3g} FLOP/byte")
        most, none = Amount(rate, "FLOP/s", f"{rate / 1e12:.3g} TFLOP/s"), Amount(0, "FLOP/s", "0")
        took, share = Amount(1, "s", "1 s"), Amount(0.1, "share", "1 %")
        kernels.append(RoofKernel(number, f"k{number}", draw(NAMES), at, most, "arithmetic", took, share, none))
    roof = (
        Amount(peak, "FLOP/s", f"{peak / 1e12:,.0f} TFLOP/s"),
        Amount(bandwidth, "byte/s", f"{bandwidth / 1e12:.2f} TB/s"),
        Amount(peak / bandwidth, "FLOP/byte", f"{peak / bandwidth:.1f} FLOP/byte"),
    )
    others = tuple(draw(st.lists(other_roofs(), max_size=6)))
    return Roofline("step", "step", *roof, 1, tuple(kernels), "BF16", others)


@given(rooflines())
@settings(max_examples=200)
def test_no_label_of_the_roofline_covers_another(roof: Roofline) -> None:
    assert is_clean(roofline_drawing(roof))


@given(rooflines())
@settings(max_examples=50)
def test_every_kernel_of_the_roofline_has_its_number(roof: Roofline) -> None:
    numbers = {text for _, text in roofline_drawing(roof).labels}
    assert {str(row.number) for row in roof.kernels} <= numbers


def test_slower_wires_and_other_data_types_are_named_beside_their_lines() -> None:
    report = next(report_of(one, Build("0")) for one in published() if "llama3-70b" in one.resolved.loaded.scenario.id)
    (roof,) = report.speed.rooflines
    labels = [text for _, text in roofline_drawing(roof).labels]
    assert roof.peak_title == "BF16, FP16"
    assert {"INT8", "TF32", "host link: 31.5 GB/s"} <= set(labels)  # a wire without room for its name is not drawn
    assert "FP8" not in " ".join(labels)  # runs as BF16 on this card
    assert not any(text.startswith("network") for text in labels)  # one node


ENDS = ("$1.2 M", "$3.4 M")


@st.composite
def ownerships(draw: st.DrawFn) -> RentOrBuy:
    months = tuple(float(month) for month in range(draw(st.integers(2, 84))))
    monthly, price, upkeep = (draw(st.floats(10, 5e6)) for _ in range(3))
    rented, bought = (
        tuple(start + each * month for month in months) for start, each in ((0, monthly), (price, upkeep))
    )
    crossing = price / (monthly - upkeep) if monthly > upkeep else None
    crossing = crossing if crossing and crossing < months[-1] else None
    words = f"Buying is cheaper from month {crossing:.1f}" if crossing else "Buying does not pay in that time"
    meets = Crossing(crossing, monthly * (crossing or 0), "$1,234", words)
    return RentOrBuy(PaidByMonth(months, rented, bought, ENDS), meets, "", (), words)


@given(ownerships())
@settings(max_examples=150)
def test_no_label_of_rent_against_purchase_covers_another(made: RentOrBuy) -> None:
    assert is_clean(ownership_drawing(made))


AMOUNTS = st.floats(-1e13, 1e13).map(lambda value: Amount(value, "byte", in_gib(value)))
PAIRS = st.tuples(AMOUNTS, AMOUNTS)


@st.composite
def tornadoes(draw: st.DrawFn) -> Sensitivity:
    costed, swings = draw(st.booleans()), []
    for _ in range(draw(st.integers(1, 14))):
        ends = {"values": SwingValues(draw(AMOUNTS), draw(AMOUNTS), draw(AMOUNTS))}
        effects = {"headroom": draw(PAIRS), "seconds": draw(PAIRS), "cost": draw(PAIRS) if costed else None}
        more: dict[str, Any] = {**ends, **effects, "words": (FITS, FITS), "changes_verdict": False}
        swings.append(SwingShown("x", draw(NAMES), "why", **more))
    planned = draw(AMOUNTS) if costed else None
    return Sensitivity("base", draw(AMOUNTS), draw(AMOUNTS), planned, FITS, tuple(swings), {})


@given(tornadoes())
@settings(max_examples=100)
def test_no_label_of_a_tornado_covers_another(made: Sensitivity) -> None:
    assert is_clean(tornado_drawing(made))


@pytest.mark.parametrize("at", range(len(published())), ids=lambda at: str(published()[at].resolved.loaded.scenario.id))
def test_charts_of_the_published_scenarios_are_clean(at: int) -> None:
    report = report_of(published()[at], Build("0"))
    assert all(is_clean(roofline_drawing(one)) for one in report.speed.rooflines)


def test_neighbouring_colours_differ_in_greyscale() -> None:
    def light(colour: str) -> float:
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        return (0.299 * red + 0.587 * green + 0.114 * blue) / 255

    assert all(abs(light(one) - light(other)) > 0.2 for one, other in pairwise(PALETTE))


def test_steps_and_powers_are_round_and_cover_the_range() -> None:
    assert list(round_steps(1347, 7)) == [0, 200, 400, 600, 800, 1000, 1200]
    assert powers_of(10, 0.3, 400) == pytest.approx([0.1, 1, 10, 100, 1000])
    assert all(math.isclose(other / one, 2) for one, other in pairwise(powers_of(2, 0.13, 4000)))
