"""What groups of GPUs over PCIe reach: exchanges by their width, and a wider range beyond four."""

from __future__ import annotations

import pytest

from memreport.figures.time.serving.errors import served_time_error, wire_time_error
from memreport.figures.traffic.rates import exchange_bytes_per_second, ring_share, share_of_width

SHARES, THROUGH_HOST = (0.637, 0.698, 0.517), (0.556, 0.556, 0.444)


@pytest.mark.parametrize(
    ("gpus", "host", "ring", "share"),
    [(2, 0, 0.637, 0.6), (4, 0, 0.698, 0.6), (8, 0, 0.517, 0.517), (4, 1, 0.556, 0.556), (8, 1, 0.444, 0.444)],
)
def test_an_exchange_over_pcie_reaches_no_more_than_a_ring_of_its_width(
    gpus: int, host: int, ring: float, share: float
) -> None:
    of_width = [share_of_width.formula(gpus, *shares) for shares in (THROUGH_HOST, SHARES)]
    assert ring_share.formula(host, *of_width) == ring
    assert exchange_bytes_per_second.formula(31.5e9, 31.5e9, 0.6, ring) == pytest.approx(31.5e9 * share)
    assert exchange_bytes_per_second.formula(450e9, 63e9, 0.6, ring) == pytest.approx(450e9 * 0.6)


def test_eight_gpus_over_pcie_have_a_wider_range() -> None:
    assert wire_time_error.formula(8, 31.5e9, 31.5e9, 0) == 0.24
    assert wire_time_error.formula(4, 31.5e9, 31.5e9, 0) == 0
    assert wire_time_error.formula(8, 450e9, 63e9, 0) == 0
    assert wire_time_error.formula(8, 112e9, 31.5e9, 2) == 0.24
    assert served_time_error.formula(1, 0.34, 0.24) == pytest.approx(1.34 * 1.24 - 1)
