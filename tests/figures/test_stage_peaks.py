"""Stages of a pipeline by hand: what each holds at its peak, and which holds most."""

from __future__ import annotations

import pytest

from memreport.figures.model import stage_peaks as h
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

H = {one.name: one for one in figures_in(h)}
# of 70 parameters in 10 layers, 40 are experts of 8 mixture layers, spread over 4 accelerators
WHOLE = {"inner_parameters": 70, "routed_expert_parameters": 40, "expert_parallel_size": 4} | {
    "num_hidden_layers": 10, "mixture_layers": 8, "dense_layers": 2, "leading_dense_surplus_parameters": 0,
}  # fmt: skip
HELD = {
    "state_bytes_per_parameter": 16.0, "tensor_parallel_size": 2, "stored_layer_bytes": 7.0,
    "stage_working_bytes": 50.0, "mixture_layers": 0, "num_hidden_layers": 32, "stored_mixture_surplus_bytes": 0,
}  # fmt: skip
BYTES = {"first_stage_bytes": 100.0, "middle_stage_bytes": 80.0, "last_stage_bytes": 90.0}
TOP = {"peak_bytes": 1000.0, "largest_stage_bytes": 100.0}
TRUTHS = [
    truth(H["first_held_layers"], 4 + 3, first_stage_layers=4, last_stage_layers=3, stage_copies=2),
    truth(H["middle_held_layers"], 8, middle_stage_layers=4, stage_copies=2),
    truth(H["last_held_layers"], 3, first_stage_layers=4, last_stage_layers=3, stage_copies=1),
    truth(H["first_held_mixtures"], 1 + 3, first_stage_mixtures=1, last_stage_layers=3, stage_copies=2),
    truth(H["middle_held_mixtures"], 4, middle_stage_layers=4, stage_copies=1),
    truth(H["last_held_mixtures"], 3 + 1, first_stage_mixtures=1, last_stage_layers=3, stage_copies=2),
    truth(  # DeepSeek-V3: 396 million of a dense MLP, 44 of a shared expert, 1.8 of a router
        h.leading_dense_surplus_parameters,
        396_361_728 - 44_040_192 - 1_835_008,
        num_interleaved_dense_layers=0,
        mixture_layers=58,
        dense_mlp_parameters=396_361_728,
        router_parameters=1_835_008,
        shared_expert_parameters=44_040_192,
    ),
    truth(
        H["last_stage_parameters"],  # two mixtures of four layers, of which the first is dense and has 9 more
        30 * 0.2 - 9 * 2 * 0.25 + 10 * 2 / 8 + 15,
        last_held_layers=2,
        last_held_mixtures=2,
        last_edge_parameters=15,
        **WHOLE | {"dense_layers": 2.5, "leading_dense_surplus_parameters": 9},
    ),
    truth(
        h.stored_mixture_surplus_bytes,
        100 * 7,
        num_interleaved_dense_layers=0,
        checkpointed_share=0,
        tokens_per_micro_batch=100,
        mixture_surplus_bytes=7,
    ),
    truth(h.first_stage_mixtures, 2, first_stage_layers=4, dense_layers=2, mixture_layers=8, num_hidden_layers=10),
    # every other layer a mixture
    truth(h.first_stage_mixtures, 2, first_stage_layers=4, dense_layers=5, mixture_layers=5, num_hidden_layers=10),
    truth(
        H["first_stage_parameters"],
        30 * 0.4 + 10 * 2 / 8 + 15,
        first_held_layers=4,
        first_held_mixtures=2,
        first_edge_parameters=15,
        **WHOLE,
    ),
    truth(
        H["middle_stage_parameters"],
        30 * 0.4 + 10 * 4 / 8,
        middle_held_layers=4,
        middle_held_mixtures=4,
        middle_edge_parameters=0,
        **WHOLE,
    ),
    truth(
        H["last_stage_parameters"],
        30 * 0.2 + 10 * 2 / 8 + 15,
        last_held_layers=2,
        last_held_mixtures=2,
        last_edge_parameters=15,
        **WHOLE,
    ),
    truth(
        h.stage_working_bytes,
        10 * (2 * 5 + 3 * 4 / 4) + 7,
        counts_saved_tensors=1,
        tokens_per_micro_batch=10,
        checkpoint_interval_layers=2,
        layer_activation_bytes_per_token=9,
        kept_product_bytes=4,
        dense_layers=1,
        intermediate_size=2,
        mixture_layers=3,
        routed_backward_width=3,
        mlp_backward_element_bytes=4,
        routed_backward_bytes=8,
        tensor_parallel_size=4,
        residual_gradient_bytes=7,
    ),
    truth(
        h.first_stage_loss_bytes, 0, pipeline_parallel_size=4, joins_edges=0, logits_bytes=100, edge_activation_bytes=10
    ),
    truth(
        h.first_stage_loss_bytes,
        110,
        pipeline_parallel_size=1,
        joins_edges=0,
        logits_bytes=100,
        edge_activation_bytes=10,
    ),
    truth(
        H["first_stage_bytes"],
        100 * 16 / 2 + 8 * 4 * 7 + 50,
        first_stage_parameters=100,
        first_held_layers=8,
        micro_batches_in_flight=4,
        first_stage_loss_bytes=0,
        **HELD,
        first_held_mixtures=0,
    ),
    truth(
        H["middle_stage_bytes"],
        90 * 16 / 2 + 9 * 3 * 7 + 50,
        middle_stage_parameters=90,
        middle_held_layers=9,
        middle_stage_micro_batches=3,
        middle_stage_loss_bytes=0,
        **HELD,
        middle_held_mixtures=0,
    ),
    truth(
        H["last_stage_bytes"],
        80 * 16 / 2 + 7 * 1 * 7 + 110,
        last_stage_parameters=80,
        last_held_layers=7,
        last_stage_micro_batches=1,
        last_stage_loss_bytes=110,
        **HELD,
        last_held_mixtures=0,
    ),
    truth(
        H["middle_stage_bytes"],
        0,
        middle_stage_parameters=0,
        middle_held_layers=0,
        middle_stage_micro_batches=3,
        middle_stage_loss_bytes=0,
        **HELD,
        middle_held_mixtures=0,
    ),
    truth(h.middle_stage_loss_bytes, 0),
    truth(h.held_position_parameters, 2048 * 12_288, peak_stage=1, position_parameters=2048 * 12_288),
    truth(h.held_position_parameters, 0, peak_stage=3, position_parameters=2048 * 12_288),
    truth(h.last_stage_loss_bytes, 110, joins_edges=0, logits_bytes=100, edge_activation_bytes=10),
    truth(h.last_stage_loss_bytes, 0, joins_edges=1, logits_bytes=100, edge_activation_bytes=10),
    truth(h.largest_stage_bytes, 100, **BYTES),
    truth(h.peak_stage, 1, pipeline_parallel_size=4, **BYTES),
    truth(h.peak_stage, 1, pipeline_parallel_size=1, **BYTES | {"last_stage_bytes": 101.0}),
    truth(h.peak_stage, 2, pipeline_parallel_size=4, **BYTES | {"middle_stage_bytes": 101.0}),
    truth(h.peak_stage, 3, pipeline_parallel_size=4, **BYTES | {"last_stage_bytes": 101.0}),
    truth(h.holds_logits, 1, pipeline_parallel_size=1, peak_stage=1, joins_edges=0),
    truth(h.holds_logits, 0, pipeline_parallel_size=4, peak_stage=1, joins_edges=0),
    truth(h.holds_logits, 1, pipeline_parallel_size=4, peak_stage=1, joins_edges=1),
    truth(h.holds_logits, 1, pipeline_parallel_size=4, peak_stage=3, joins_edges=0),
    truth(h.held_layers, 18, peak_stage=2, first_held_layers=15, middle_held_layers=18, last_held_layers=15),
    truth(
        h.held_micro_batches,
        1,
        peak_stage=3,
        micro_batches_in_flight=4,
        middle_stage_micro_batches=3,
        last_stage_micro_batches=1,
    ),
    truth(h.middle_edge_parameters, 0),
    truth(
        h.edge_parameters, 15, peak_stage=1, first_edge_parameters=15, middle_edge_parameters=0, last_edge_parameters=12
    ),
    truth(
        h.edge_parameters, 0, peak_stage=2, first_edge_parameters=15, middle_edge_parameters=0, last_edge_parameters=12
    ),
    truth(
        h.expert_stage_share,
        0.25,
        peak_stage=1,
        first_held_mixtures=2,
        middle_held_mixtures=4,
        last_held_mixtures=4,
        mixture_layers=8,
    ),
    truth(
        h.stage_parameters,
        80,
        peak_stage=3,
        first_stage_parameters=100,
        middle_stage_parameters=90,
        last_stage_parameters=80,
    ),
    truth(H["first_stage_peak_bytes"], 1000, first_stage_bytes=100, **TOP),
    truth(H["middle_stage_peak_bytes"], 980, middle_stage_bytes=80, **TOP),
    truth(H["middle_stage_peak_bytes"], 0, middle_stage_bytes=0, **TOP),
    truth(H["last_stage_peak_bytes"], 990, last_stage_bytes=90, **TOP),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected, rel=1e-12)


def test_every_figure_has_a_truth() -> None:
    assert {one.name for one in figures_in(h)} == {one[0].name for one in TRUTHS}
