"""The parts of a peak, each by hand; together they are the peak, whatever the instant and whatever is given."""

from __future__ import annotations

import pytest

from memreport.figures.serving import parts as s
from memreport.figures.training import peak_parts as p
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

GRADIENTS = {"carried_gradient_bytes": 10.0, "unreduced_gradient_bytes": 3.0, "gradient_bytes": 50.0}
OPTIMIZER = {"optimizer_state_bytes": 100.0, "optimizer_step_bytes": 7.0}
BACKWARD = {"backward_start_activation_bytes": 30.0, "last_activation_bytes": 20.0}
ACTIVATIONS = {"forward_activation_bytes": 40.0, "later_activation_bytes": 30.0}
BUFFERS = {"communication_buffer_bytes": 60.0, "workspace_bytes": 5.0, "released_unit_bytes": 7.0} | {
    "optimizer_instant_bytes": 500.0, "optimizer_instant_without_gathered_bytes": 460.0,
}  # fmt: skip
HELD = {"kv_cache_bytes": 30, "held_cache_bytes": 50}
TRUTHS = [
    truth(p.peak_gradient_bytes, 13, peak_instant=2, **GRADIENTS),
    truth(p.peak_gradient_bytes, 50, peak_instant=3, **GRADIENTS),
    truth(p.peak_optimizer_bytes, 100, peak_instant=3, **OPTIMIZER),
    truth(p.peak_optimizer_bytes, 107, peak_instant=4, **OPTIMIZER),
    truth(p.last_activation_bytes, 20, peak_instant=3, backward_end_activation_bytes=20),
    truth(p.last_activation_bytes, 0, peak_instant=4, backward_end_activation_bytes=20),
    truth(p.later_activation_bytes, 30, peak_instant=2, **BACKWARD),
    truth(p.later_activation_bytes, 20, peak_instant=3, **BACKWARD),
    truth(p.peak_activation_bytes, 40, peak_instant=1, **ACTIVATIONS),
    truth(p.peak_activation_bytes, 30, peak_instant=2, **ACTIVATIONS),
    truth(p.peak_logits_bytes, 9, peak_instant=1, forward_logits_bytes=9),
    truth(p.peak_logits_bytes, 0, peak_instant=2, forward_logits_bytes=9),
    truth(p.peak_buffer_bytes, 65, peak_instant=1, **BUFFERS),
    truth(p.peak_buffer_bytes, 58, peak_instant=3, **BUFFERS),
    truth(p.peak_buffer_bytes, 25, peak_instant=4, **BUFFERS),
    truth(p.peak_framework_bytes, 12, framework_bytes=9, fragmentation_bytes=3),
    truth(
        p.peak_parts_bytes,
        112_345_679,
        weight_bytes=10_000_000,
        master_weight_bytes=2_000_000,
        peak_gradient_bytes=300_000,
        peak_optimizer_bytes=40_000,
        peak_activation_bytes=5000,
        peak_logits_bytes=600,
        peak_buffer_bytes=70,
        peak_framework_bytes=8,
        companion_bytes=1,
        generating_excess_bytes=100_000_000,
    ),
    truth(p.given_surplus_bytes, 0, peak_bytes=1e9, peak_parts_bytes=1e9 + 0.5),
    truth(p.given_surplus_bytes, 2e8, peak_bytes=1e9, peak_parts_bytes=8e8),
    truth(p.given_surplus_bytes, -2e8, peak_bytes=1e9, peak_parts_bytes=12e8),
    truth(s.held_cache_bytes, 50, fills_pool=1, kv_pool_bytes=50, kv_cache_bytes=30),
    truth(s.held_cache_bytes, 30, fills_pool=0, kv_pool_bytes=50, kv_cache_bytes=30),
    truth(s.allocated_peak_bytes, 1111, weight_bytes=1000, held_cache_bytes=100, transient_bytes=10, workspace_bytes=1),
    truth(s.device_memory_used_bytes, 120, peak_bytes=100, capacity_bytes=200, **HELD),
    truth(s.device_memory_used_bytes, 110, peak_bytes=100, capacity_bytes=110, **HELD),
    truth(s.device_memory_used_bytes_low, 110, peak_bytes_low=90, capacity_bytes=200, **HELD),
    truth(s.device_memory_used_bytes_high, 150, peak_bytes_high=130, capacity_bytes=200, **HELD),
    truth(s.graph_and_workspace_bytes, 111, cuda_graph_bytes=100, workspace_bytes=10, communication_buffer_bytes=1),
    truth(
        s.peak_parts_bytes,
        872_345,
        weight_bytes=10_000,
        kv_cache_bytes=2000,
        transient_bytes=300,
        graph_and_workspace_bytes=40,
        framework_bytes=5,
        longest_request_excess_bytes=800_000,
        loading_excess_bytes=60_000,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(p) + figures_in(s)}
