"""What a host converts in a second follows from published optimizer steps; others judge it."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from statistics import median

import pytest

from memreport.figures.constants import FP32_BYTES
from memreport.figures.traffic.offloaded import host_update_seconds
from tests.calibrate_operators import TABLE
from tests.support import packaged

STATES = 2 * 3 * float(FP32_BYTES)
"""Bytes of a parameter's master copy and two moments, read and written."""


def rows(part: str) -> Iterator[Mapping[str, float]]:
    """Billions of parameters, seconds of Adam at the full bandwidth, and seconds measured, of one part."""
    with (TABLE.parent / "host-updates.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["part"] == part:
                billion = float(row["parameters_billion"])
                states = STATES * billion / float(row["host_gigabytes_per_second"])
                yield {"billion": billion, "states": states, "measured": float(row["update_seconds"])}


def stated(column: str) -> float:
    table = packaged().tables["accelerators"]
    return float(table.numbers(column)[table.row("a100-80gb-sxm")])


def test_the_rate_is_the_median_of_the_fitted_steps() -> None:
    share = stated("host_memory_share")
    rest = [(row["measured"] - row["states"] / share) / row["billion"] for row in rows("fitted")]
    assert stated("host_conversions_per_second") == pytest.approx(1e9 / median(rest), rel=0.005)


def test_most_judged_steps_come_out_within_half() -> None:
    share, rate = stated("host_memory_share"), stated("host_conversions_per_second")
    errors = [
        float(host_update_seconds.formula(row["states"], share, row["billion"] * 1e9 / rate)) / row["measured"] - 1
        for row in rows("judged")
    ]
    assert sum(abs(error) < 0.1 for error in errors) >= 2
    assert sum(abs(error) < 0.5 for error in errors) >= 4
