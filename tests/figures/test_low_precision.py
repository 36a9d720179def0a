"""Training with FP8 products by hand: what Transformer Engine and torchao keep of one matrix of 4096 by 14,336."""

from __future__ import annotations

import pytest

from memreport.figures.training import low_precision as q
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

MATRIX = 4096 * 14_336
GATHERED = {"fp8_weight_element_bytes": 1.0, "gathered_weight_element_bytes": 2.0}
COPIES = {"fp8_weight_element_bytes": 1.03125, "stored_matrix_parameters": 32.0 * MATRIX, "rank_matrix_share": 0.5}
TRUTHS = [
    truth(q.fp8_kept_element_bytes, 1.03125, computes_in_fp8=1, fp8_input_element_bytes=1.03125),
    truth(q.fp8_kept_element_bytes, 0, computes_in_fp8=0, fp8_input_element_bytes=1.03125),
    truth(q.linear_input_element_bytes, 1, fp8_kept_element_bytes=1, activation_element_bytes=2),
    truth(q.linear_input_element_bytes, 2, fp8_kept_element_bytes=0, activation_element_bytes=2),
    truth(q.fp8_down_input_bytes, 1, keeps_linear_inputs=1, fp8_kept_element_bytes=1),
    truth(q.fp8_output_input_bytes, 4096, keeps_linear_inputs=1, value_size=4096, fp8_kept_element_bytes=1),
    truth(q.primary_fp8_weights, 1, fp8_param_gather=1, computes_in_fp8=1, fp8_weight_copies=2),
    truth(q.primary_fp8_weights, 0, fp8_param_gather=1, computes_in_fp8=1, fp8_weight_copies=0),
    truth(q.gathered_layer_element_bytes, 1, enable_fsdp_float8_all_gather=1, computes_in_fp8=1, **GATHERED),
    truth(q.gathered_layer_element_bytes, 2, enable_fsdp_float8_all_gather=0, computes_in_fp8=1, **GATHERED),
    truth(q.extra_weight_copies, 1, computes_in_fp8=1, fp8_weight_copies=2, primary_fp8_weights=1),
    truth(q.extra_weight_copies, 0, computes_in_fp8=1, fp8_weight_copies=0, primary_fp8_weights=0),
    truth(  # half of a model of 100, of which 10 are embedding and head, all of them in this half
        q.rank_matrix_share,
        40 / 90,
        rank_share=0.5,
        parameters=100,
        stage_parameters=50,
        edge_parameters=10,
        inner_parameters=90,
    ),
    truth(
        q.fp8_weight_copy_bytes,
        2 * 1.03125 * 32 * MATRIX / 2,
        extra_weight_copies=2,
        shards_parameters=0,
        held_layers=32,
        **COPIES,
    ),
    truth(
        q.fp8_weight_copy_bytes,
        2 * 1.03125 * MATRIX / 2,
        extra_weight_copies=2,
        shards_parameters=1,
        held_layers=32,
        **COPIES,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(q)}
