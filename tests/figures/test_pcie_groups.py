"""What groups of GPUs over PCIe reach: exchanges by their width, and a wider range beyond four."""

from __future__ import annotations

import pytest

from memreport.figures.time.serving_errors import served_time_error, wire_time_error
from memreport.figures.traffic.rates import exchange_bytes_per_second

SHARES = (0.637, 0.698, 0.517)


@pytest.mark.parametrize(("gpus", "share"), [(2, 0.6), (4, 0.6), (8, 0.517)])
def test_an_exchange_over_pcie_reaches_no_more_than_a_ring_of_its_width(gpus: int, share: float) -> None:
    assert exchange_bytes_per_second.formula(31.5e9, 31.5e9, gpus, 0.6, *SHARES) == pytest.approx(31.5e9 * share)
    assert exchange_bytes_per_second.formula(450e9, 63e9, gpus, 0.6, *SHARES) == pytest.approx(450e9 * 0.6)


def test_eight_gpus_over_pcie_have_a_wider_range() -> None:
    assert wire_time_error.formula(8, 31.5e9, 31.5e9, 0) == 0.24
    assert wire_time_error.formula(4, 31.5e9, 31.5e9, 0) == 0
    assert wire_time_error.formula(8, 450e9, 63e9, 0) == 0
    assert wire_time_error.formula(8, 112e9, 31.5e9, 2) == 0.24
    assert served_time_error.formula(1, 0.34, 0.24) == pytest.approx(1.34 * 1.24 - 1)
