from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.accuracy import DOCS
from tests.truths_read import TRUST, content, is_found
from tests.truths_throughput import SECONDS, Speed, files, speed_scores, speeds
from tests.truths_throughput_shown import BASELINE, HEADING, section

NEEDED = {"id", "model", "settings", "figure", "value", "source", "trust"}


@cache
def rows() -> tuple[Speed, ...]:
    return tuple(speeds())


def test_no_measurement_beats_its_bound() -> None:
    assert not [row for row in rows() if row.reached > 1]


def test_no_group_got_worse() -> None:
    assert not BASELINE.worse(speed_scores(rows()))


def test_published_utilisations_give_the_published_times() -> None:
    compared = [row for row in rows() if row.at_utilization]
    assert len(compared) >= 80
    assert max(abs(row.error) for row in compared) < 0.015
    assert sorted(abs(row.error) for row in compared)[len(compared) // 2] < 0.0005


def test_there_are_enough_measurements_of_several_limits() -> None:
    assert len(rows()) >= 150
    assert {"kernels", "network"} <= {row.limit for row in rows()}


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_every_row_says_where_it_is_from(path: Path) -> None:
    data = content(path)
    listed = [*data["rows"], *data.get("incomplete", [])]
    assert all(set(row) >= NEEDED and row["trust"] in TRUST and row["figure"] in SECONDS for row in listed)
    assert all(is_found(data["sources"][row["source"]]) for row in listed)
    assert len({row["id"] for row in listed}) == len(listed)
    assert all(row["missing"] for row in data.get("incomplete", []))


def test_a_beaten_bound_and_a_wrong_count_are_seen() -> None:
    good = [row for row in rows() if row.group == "mosaicml"]
    others = [row for row in rows() if row.group != "mosaicml"]
    beaten = [replace(row, bound=1.01 * row.measured) for row in good]
    assert any("mosaicml: beaten 74, 0 in" in line for line in BASELINE.worse(speed_scores([*others, *beaten])))
    looser = [replace(row, bound=row.bound / 2) for row in good]
    assert any("mosaicml: median" in line for line in BASELINE.worse(speed_scores([*others, *looser])))
    miscounted = [replace(row, at_utilization=row.at_utilization * 2 / 3) for row in good]
    assert any("mean_error" in line for line in BASELINE.worse(speed_scores([*others, *miscounted])))
    assert any("no rows" in line for line in BASELINE.worse(speed_scores(others)))


def test_the_page_shows_every_row() -> None:
    page = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    shown = section(rows(), speed_scores(rows()))
    assert page.endswith(shown), "run `make accuracy` and read the difference"
    assert shown.startswith(HEADING)
    assert all(row.id in shown for row in rows())
