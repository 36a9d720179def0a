"""How long tables are cut, and which date a sheet bears."""

from __future__ import annotations

import pytest

from memreport.publish.sheet import chunks, stamp


@pytest.mark.parametrize(("count", "size", "sizes"), [(11, 6, [5, 6]), (6, 6, [6]), (0, 6, []), (13, 6, [4, 4, 5])])
def test_chunks_are_even(count: int, size: int, sizes: list[int]) -> None:
    parts = list(chunks(range(count), size))
    assert [len(part) for part in parts] == sizes
    assert [one for part in parts for one in part] == list(range(count))


@pytest.mark.parametrize(
    ("date", "begins"), [("2026-11-20", "2026-11-20T"), ("2026-11", "2026-11-01T"), ("2026", "2026-01-01T")]
)
def test_stamps_are_of_the_scenario_s_date(date: str, begins: str) -> None:
    assert stamp(date).isoformat().startswith(begins)
