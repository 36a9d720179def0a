"""The peak of a training step: the parts by hand, and the whole against torch's memory tracker."""

from __future__ import annotations

import pytest

from memreport.figures.model import headroom as h
from memreport.figures.training import allocator as a
from memreport.figures.training import peak as p
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

INSTANTS = (
    "forward_end_bytes",
    "backward_start_bytes",
    "backward_end_bytes",
    "optimizer_instant_without_gathered_bytes",
)

EMBEDDED = {"embedding_parameters": 0.5e9, "trained_base_parameters": 7e9, "position_parameters": 0.25e9} | {
    "reduces_by_layer": 0, "last_unit_parameters": 1e9,
}  # fmt: skip


def instants(*sizes: float) -> dict[str, float]:
    return dict(zip(INSTANTS, sizes, strict=True))


FORWARD = {
    "checkpointed_mask_bytes": 0.0,
    "loss_copy_bytes": 1.0,
    "edge_activation_bytes": 100.0,
    "stored_activation_bytes": 2000.0,
}
STARTED = {"checkpointed_mask_bytes": 0.0, "backward_copy_bytes": 1.0, "start_reduction_bytes": 0.5} | {
    "head_gradient_bytes": 2.0, "last_layer_backward_bytes": 5.0, "input_counted_twice_bytes": 3.0,
    "prefetched_unit_bytes": 4.0,
}  # fmt: skip
ENDED = {"residual_gradient_bytes": 8.0, "checkpointed_mask_bytes": 3.0} | {
    "embedding_gradient_bytes": 20.0, "unmade_gradient_bytes": 5.0, "kept_frozen_input_bytes": 40.0,
    "first_reduction_bytes": 6.0, "last_edge_gradient_bytes": 7.0,
}  # fmt: skip
FREED = {"segment_bytes": 7.0, "passing_bytes": 100.0, "cached_share": 0.25}
STREAMS = {
    "shards_parameters": 1,
    "gathered_units": 2,
    "root_unit_bytes": 500.0,
    "reduces_by_layer": 1,
    "new_gradient_bytes": 40.0,
}
HEAD = {"forward_logits_bytes": 1200.0, "activation_element_bytes": 2.0}
VERIFIED = dict.fromkeys(
    (
        "computes_in_fp8", "fp8_weight_copies", "computes_in_fp4", "activation_offload", "companion_bytes",
        "num_linear_attention_layers", "base_keeps_dequantised", "base_quantised",
        "recomputed_module_bytes", "secondary_weight_bytes", "distance_terms", "distance_biases",
    ),
    0,
) | {"pipeline_parallel_size": 1, "interleaves": 1}  # fmt: skip
TRUTHS = [
    truth(p.resident_bytes, 15, weight_bytes=1, master_weight_bytes=2, optimizer_state_bytes=4, companion_bytes=8),
    truth(
        p.forward_activation_bytes,
        2131,
        holds_logits=1,
        **FORWARD,
        optimizer_estimates_gradients=0,
        forward_excess_bytes=0,
        head_forward_excess_bytes=30,
    ),
    truth(
        p.forward_activation_bytes,
        2001,
        holds_logits=0,
        **FORWARD,
        optimizer_estimates_gradients=0,
        forward_excess_bytes=0,
        head_forward_excess_bytes=0,
    ),
    truth(
        p.forward_logits_bytes,
        10,
        holds_logits=1,
        logits_bytes=10,
        optimizer_estimates_gradients=0,
        forward_loss_bytes=0,
    ),
    truth(
        p.forward_logits_bytes,
        0,
        holds_logits=0,
        logits_bytes=10,
        optimizer_estimates_gradients=0,
        forward_loss_bytes=0,
    ),
    truth(
        p.forward_end_bytes,
        111_111,
        resident_bytes=100_000,
        carried_gradient_bytes=10_000,
        unreduced_gradient_bytes=0,
        forward_activation_bytes=1101,
        forward_logits_bytes=10,
    ),
    truth(
        p.backward_start_activation_bytes,
        1 + 2 + 0.5 + (10 + 5 - 3 + 4),
        activation_bytes=10,
        stored_activation_bytes=8,
        holds_logits=1,
        norm_backward_bytes=3,
        **STARTED,
        optimizer_estimates_gradients=0,
    ),
    truth(
        p.backward_start_activation_bytes,
        1 + 2 + 0.5 + (40 + 30),
        activation_bytes=10,
        stored_activation_bytes=40,
        holds_logits=1,
        norm_backward_bytes=30,
        **STARTED,
        optimizer_estimates_gradients=0,
    ),
    truth(
        p.backward_start_bytes,
        1119,
        resident_bytes=1000,
        carried_gradient_bytes=100,
        unreduced_gradient_bytes=0,
        backward_start_activation_bytes=19,
    ),
    truth(
        p.embedding_gradient_bytes,
        1.5e9,
        new_gradient_bytes=14e9,
        trains_edges=1,
        shares_used_head=0,
        **EMBEDDED,
        prompt_gradient_share=0,
    ),
    truth(
        p.embedding_gradient_bytes,
        0.5e9,
        new_gradient_bytes=14e9,
        trains_edges=1,
        shares_used_head=1,
        **EMBEDDED,
        prompt_gradient_share=0,
    ),
    truth(
        p.embedding_gradient_bytes,
        2e9,
        new_gradient_bytes=14e9,
        trains_edges=1,
        shares_used_head=1,
        **(EMBEDDED | {"reduces_by_layer": 1}),
        prompt_gradient_share=0,
    ),
    truth(
        p.embedding_gradient_bytes,
        0,
        new_gradient_bytes=14e6,
        trains_edges=0,
        shares_used_head=0,
        **EMBEDDED,
        prompt_gradient_share=0,
    ),
    truth(
        p.first_segment_bytes,
        2048 * 3 * 4 + 50 + 7 - 2 + 6,
        tokens_per_micro_batch=2048,
        layer_activation_bytes_per_token=3,
        checkpoint_interval_layers=4,
        first_layer_backward_bytes=50,
        checkpoints=1,
        residual_gradient_bytes=7,
        input_counted_twice_bytes=2,
        first_copy_bytes=6,
    ),
    truth(
        p.backward_end_activation_bytes,
        40 + 60 + 6 + 3 - 20 - 5,
        first_segment_bytes=60,
        **ENDED,
        optimizer_estimates_gradients=0,
    ),
    truth(
        p.backward_end_activation_bytes, 40 + 8 + 7, first_segment_bytes=30, **ENDED, optimizer_estimates_gradients=0
    ),
    truth(
        p.backward_end_bytes,
        1165,
        resident_bytes=1000,
        gradient_bytes=100,
        backward_end_activation_bytes=75,
        released_unit_bytes=10,
    ),
    truth(p.optimizer_instant_without_gathered_bytes, 71, optimizer_instant_bytes=111, gathered_parameter_bytes=40),
    truth(p.optimizer_instant_without_gathered_bytes, 0, optimizer_instant_bytes=111, gathered_parameter_bytes=140),
    truth(p.optimizer_instant_bytes, 111, resident_bytes=100, gradient_bytes=10, optimizer_step_bytes=1),
    truth(p.peak_instant, 1, **instants(9, 1, 1, 1)),
    truth(p.peak_instant, 1, **instants(9, 9, 9, 9)),
    truth(p.peak_instant, 2, **instants(1, 9, 1, 1)),
    truth(p.peak_instant, 3, **instants(1, 2, 9, 1)),
    truth(p.peak_instant, 4, **instants(1, 2, 3, 9)),
    truth(
        p.allocated_peak_bytes, 9 + 20 + 300, **instants(1, 9, 2, 3), communication_buffer_bytes=20, workspace_bytes=300
    ),
    truth(p.fragmentation_bytes, 3, allocated_peak_bytes=100, fragmentation_share=0.03),
    truth(
        p.peak_bytes,
        118,
        allocated_peak_bytes=100,
        fragmentation_bytes=10,
        framework_bytes=1,
        generating_excess_bytes=7,
    ),
    truth(p.tensor_spread, 0.06, estimate_spread=0.06, unverified_choice=0),
    truth(p.tensor_spread, 0.1 + 0.05, estimate_spread=0.1, unverified_choice=1),
    truth(p.unverified_choice, 0, **VERIFIED, trains_adapters=1, adapts_experts=1),
    truth(
        p.unverified_choice,
        1,
        **VERIFIED | {"computes_in_fp8": 1, "fp8_weight_copies": 2},
        trains_adapters=1,
        adapts_experts=1,
    ),
    truth(
        p.unverified_choice,
        1,
        **VERIFIED | {"pipeline_parallel_size": 4, "interleaves": 0},
        trains_adapters=1,
        adapts_experts=1,
    ),
    truth(p.unverified_choice, 1, **VERIFIED | {"recomputed_module_bytes": 8192}, trains_adapters=1, adapts_experts=1),
    truth(p.unverified_choice, 1, **VERIFIED | {"distance_terms": 2}, trains_adapters=1, adapts_experts=1),
    truth(p.unverified_choice, 1, **VERIFIED | {"distance_biases": 3}, trains_adapters=1, adapts_experts=1),
    truth(
        p.peak_low_share,
        (75 * 1.5 + 1) / 111,
        allocated_peak_bytes=100,
        tensor_spread=0.25,
        fragmentation_share_low=0.5,
        framework_bytes_low=1,
        fragmentation_bytes=10,
        framework_bytes=1,
    ),
    truth(
        p.peak_high_share,
        (125 * 1.5 + 2) / 111,
        allocated_peak_bytes=100,
        tensor_spread=0.25,
        fragmentation_share_high=0.5,
        framework_bytes_high=2,
        fragmentation_bytes=10,
        framework_bytes=1,
    ),
    truth(
        p.peak_high_share,
        (125 * 1.5 + 5) / 115,
        allocated_peak_bytes=100,
        tensor_spread=0.25,
        fragmentation_share_high=0.5,
        framework_bytes_high=2,
        fragmentation_bytes=10,
        framework_bytes=5,
    ),
    truth(p.peak_bytes_low, 90, peak_bytes=100, peak_low_share=0.9),
    truth(p.peak_bytes_high, 120, peak_bytes=100, peak_high_share=1.2),
    truth(
        a.passing_bytes,
        (900 - 50 - 500) + 5 + 60 + 7 + 80,
        forward_end_bytes=900,
        backward_start_bytes=800,
        backward_end_bytes=899,
        resident_bytes=500,
        carried_gradient_bytes=50,
        gradient_bytes=55,
        new_gradient_bytes=5,
        gathered_parameter_bytes=60,
        dequantised_matrix_bytes=7,
        optimizer_step_bytes=80,
    ),
    truth(a.cached_bytes, 20, expandable_segments=0, fragmentation_bytes=5, **FREED),
    truth(a.cached_bytes, 0, expandable_segments=0, fragmentation_bytes=30, **FREED),
    truth(a.cached_bytes, 7, expandable_segments=1, fragmentation_bytes=5, **FREED),
    truth(a.segment_bytes, 7, other_stream_bytes=4, logit_hole_bytes=3),
    # the root's gather is the largest; gradients have a stream of their own, and are not there at the first instant
    truth(a.other_stream_bytes, 500 + 40, peak_instant=1, layer_unit_bytes=100, **STREAMS),
    truth(a.other_stream_bytes, 600, peak_instant=3, layer_unit_bytes=300, **STREAMS),
    # 2 of 12 bytes a logit
    truth(a.logit_hole_bytes, 200, peak_instant=1, loss_peak_bytes=12, **HEAD),
    truth(a.logit_hole_bytes, 0, peak_instant=2, loss_peak_bytes=12, **HEAD),
    truth(a.logit_hole_bytes, 0, peak_instant=1, loss_peak_bytes=6, **HEAD),
    truth(
        a.cached_bytes_high,
        30,
        expandable_segments=0,
        segment_bytes=7,
        passing_bytes=100,
        cached_share_high=0.5,
        allocated_peak_bytes=200,
        fragmentation_share_high=0.1,
    ),
    truth(
        a.reserved_bytes,
        68,
        allocated_peak_bytes=50,
        fragmentation_bytes=3,
        cached_bytes=15,
        capacity_bytes=80,
        framework_bytes=7,
    ),
    truth(a.device_memory_used_bytes, 75, peak_bytes=60, cached_bytes=15, capacity_bytes=80),
    truth(a.device_memory_used_bytes, 80, peak_bytes=70, cached_bytes=15, capacity_bytes=80),
    truth(a.device_memory_used_bytes_low, 55, peak_bytes_low=55, capacity_bytes=80),
    truth(a.device_memory_used_bytes_high, 80, peak_bytes_high=70, cached_bytes_high=30, capacity_bytes=80),
    truth(p.usable_bytes, 72e9, capacity_bytes=80e9, usable_share=0.9),
    truth(h.headroom_bytes, -8, usable_bytes=72, peak_bytes=80),
    truth(h.headroom_share, -0.5, headroom_bytes=-40, usable_bytes=80),
    truth(h.headroom_share_low, -0.25, usable_bytes=80, peak_bytes_high=100),
    truth(h.headroom_share_high, 0.25, usable_bytes=80, peak_bytes_low=60),
    truth(p.fits, 1, headroom_bytes=0, host_headroom_bytes=0, nvme_headroom_bytes=0),
    truth(p.fits, 0, headroom_bytes=-1, host_headroom_bytes=5, nvme_headroom_bytes=5),
    truth(p.fits, 0, headroom_bytes=5, host_headroom_bytes=-1, nvme_headroom_bytes=5),
    truth(p.fits, 0, headroom_bytes=5, host_headroom_bytes=5, nvme_headroom_bytes=-1),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for module in (a, p, h) for figure in figures_in(module)}
