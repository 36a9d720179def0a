"""Which date a sheet bears."""

from __future__ import annotations

import pytest

from memreport.publish.pdf.render import stamp


@pytest.mark.parametrize(
    ("date", "begins"), [("2026-11-20", "2026-11-20T"), ("2026-11", "2026-11-01T"), ("2026", "2026-01-01T")]
)
def test_stamps_are_of_the_scenario_s_date(date: str, begins: str) -> None:
    assert stamp(date).isoformat().startswith(begins)
