"""Weights and gradients by hand: a 7B model in 16 bit, the same under QLoRA, and what ZeRO leaves of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.training.states import weights as w
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

BLOCKS = {"matrix_type_parameters": 6e9}
KEPT = {"optimizer_in_backward": 0, "largest_gradient_share": 0.1}
WIDTHS = {"base_weight_element_bytes": 0.5, "fp8_weight_element_bytes": 1.03125, "weight_element_bytes": 2.0}
MATRICES = {"dense_layers": 1, "intermediate_size": 20, "fused_gate_up": 1, "num_local_experts": 4} | {
    "moe_intermediate_size": 6, "gated_mlp": 1, "hidden_size": 5, "parameters": 1000,
}  # fmt: skip
PREPARED = {"base_quantised": 1, "base_casts_rest": 1, "shards_parameters": 0}
TRUTHS = [
    truth(w.matrix_element_bytes, 2, base_quantised=0, primary_fp8_weights=0, **WIDTHS),
    truth(w.matrix_element_bytes, 0.5, base_quantised=1, primary_fp8_weights=0, **WIDTHS),
    truth(w.matrix_element_bytes, 1.03125, base_quantised=0, primary_fp8_weights=1, **WIDTHS),
    truth(
        w.other_weight_element_bytes,
        4,
        base_quantised=0,
        widens_rest=0,
        base_other_element_bytes=2,
        weight_element_bytes=4,
    ),
    truth(
        w.other_weight_element_bytes,
        2,
        base_quantised=1,
        widens_rest=0,
        base_other_element_bytes=2,
        weight_element_bytes=4,
    ),
    truth(
        w.other_weight_element_bytes,
        4,
        base_quantised=1,
        widens_rest=1,
        base_other_element_bytes=2,
        weight_element_bytes=4,
    ),
    truth(w.widens_rest, 1, autocast=1, prepares_base=1, **PREPARED),
    truth(w.widens_rest, 0, autocast=0, prepares_base=1, **PREPARED),
    truth(w.widens_rest, 0, autocast=1, prepares_base=0, **PREPARED),
    truth(
        w.matrix_type_parameters,
        60e9,
        stored_matrix_parameters=6e9,
        nominal_factor=10,
        base_quantised=0,
        tower_parameters=7,
    ),
    truth(
        w.matrix_type_parameters, 13, stored_matrix_parameters=6, nominal_factor=1, base_quantised=1, tower_parameters=7
    ),
    truth(
        w.model_weight_bytes,
        6e9 * 0.5 + 1e9 * 2,
        matrix_type_parameters=6e9,
        matrix_element_bytes=0.5,
        parameters=7e9,
        other_weight_element_bytes=2,
        quantises_head=0,
        has_own_head=1,
        head_matrix_parameters=1e8,
    ),
    truth(
        w.model_weight_bytes,
        6e9 * 0.5 + 1e9 * 2 - 1e8 * 1.5,
        matrix_type_parameters=6e9,
        matrix_element_bytes=0.5,
        parameters=7e9,
        other_weight_element_bytes=2,
        quantises_head=1,
        has_own_head=1,
        head_matrix_parameters=1e8,
    ),
    truth(
        w.model_weight_bytes,
        60e9 * 0.5 + 10e9 * 2,
        matrix_type_parameters=60e9,
        matrix_element_bytes=0.5,
        parameters=70e9,
        other_weight_element_bytes=2,
        quantises_head=0,
        has_own_head=1,
        head_matrix_parameters=1e8,
    ),
    truth(w.quantisation_constant_bytes, 6e9 / 16, base_quantised=1, base_constant_bytes=0.0625, **BLOCKS),
    truth(w.quantisation_constant_bytes, 0, base_quantised=0, base_constant_bytes=0.0625, **BLOCKS),
    truth(
        w.edge_width_surplus_bytes,
        90 * 0.25,
        stored_matrix_parameters=90,
        rank_share=0.5,
        rank_matrix_share=0.25,
        other_weight_element_bytes=2,
        matrix_element_bytes=1,
    ),
    truth(
        w.weight_bytes,
        (14e9 + 2e9 + 1e9 + 7 * 1e9) / 2 / 8,
        model_weight_bytes=14e9,
        adapter_bytes=2e9,
        saved_module_bytes=1e9,
        quantisation_constant_bytes=1e9,
        rank_share=0.5,
        parameter_shards=8,
        parameters_offloaded=0,
        secondary_weight_bytes=0,
        edge_width_surplus_bytes=0,
    ),
    truth(
        w.weight_bytes,
        0,
        model_weight_bytes=14e9,
        adapter_bytes=0,
        saved_module_bytes=0,
        quantisation_constant_bytes=0,
        rank_share=1,
        parameter_shards=8,
        parameters_offloaded=1,
        secondary_weight_bytes=0,
        edge_width_surplus_bytes=0,
    ),
    truth(
        w.secondary_weight_bytes,
        14e9 / 8,
        shards_parameters=1,
        zero_hpz_partition_size=8,
        model_weight_bytes=14e9,
        rank_share=1,
    ),
    truth(w.rank_trainable_parameters, 1.75e9, trainable_parameters=7e9, rank_share=0.25),
    truth(
        w.trained_gradient_element_bytes,
        2,
        trains_base=1,
        gradient_element_bytes=2,
        trains_adapters=0,
        beside_element_bytes=4,
    ),
    truth(
        w.trained_gradient_element_bytes,
        4,
        trains_base=0,
        gradient_element_bytes=2,
        trains_adapters=1,
        beside_element_bytes=4,
    ),
    truth(
        w.whole_gradient_bytes,
        14e9,
        rank_trainable_parameters=7e9,
        trained_gradient_element_bytes=2,
        optimizer_estimates_gradients=0,
    ),
    truth(w.largest_gradient_share, 0.25, vocab_size=50, experts_in_turn=0, **MATRICES),
    truth(w.largest_gradient_share, 0.2, vocab_size=10, experts_in_turn=1, **MATRICES),
    truth(w.largest_gradient_share, 4 * 6 * 2 * 5 / 1000, vocab_size=10, experts_in_turn=0, **MATRICES),
    truth(
        w.gradient_bytes,
        1.4e9,
        whole_gradient_bytes=14e9,
        gradient_shards=1,
        optimizer_offloaded=0,
        shards_gradients=0,
        optimizer_in_backward=1,
        largest_gradient_share=0.1,
    ),
    truth(
        w.gradient_bytes,
        1.75e9,
        whole_gradient_bytes=14e9,
        gradient_shards=8,
        optimizer_offloaded=0,
        shards_gradients=1,
        **KEPT,
    ),
    truth(
        w.gradient_bytes,
        14e9,
        whole_gradient_bytes=14e9,
        gradient_shards=1,
        optimizer_offloaded=1,
        shards_gradients=0,
        **KEPT,
    ),
    truth(
        w.gradient_bytes,
        0,
        whole_gradient_bytes=14e9,
        gradient_shards=8,
        optimizer_offloaded=1,
        shards_gradients=1,
        **KEPT,
    ),
    truth(
        w.carried_gradient_bytes,
        0,
        unreduced_gradient_bytes=0,
        gradient_bytes=5,
        gradient_accumulation_steps=1,
        keeps_gradients=0,
    ),
    truth(
        w.carried_gradient_bytes,
        5,
        unreduced_gradient_bytes=0,
        gradient_bytes=5,
        gradient_accumulation_steps=2,
        keeps_gradients=0,
    ),
    truth(
        w.carried_gradient_bytes,
        5,
        unreduced_gradient_bytes=0,
        gradient_bytes=5,
        gradient_accumulation_steps=1,
        keeps_gradients=1,
    ),
    truth(
        w.carried_gradient_bytes,
        0,
        unreduced_gradient_bytes=9,
        gradient_bytes=5,
        gradient_accumulation_steps=2,
        keeps_gradients=0,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(w)}


MATRICES_OF_7B = 32 * (4 * 4096 * 4096 + 3 * 4096 * 11_008)
OTHERS_OF_7B = 2 * 32_000 * 4096 + 65 * 4096


@pytest.mark.parametrize(
    ("format_", "bits"), [("nf4", 4.5), ("nf4-double-quant", 4 + 8 / 64 + 32 / (64 * 256)), ("int8", 8), ("bf16", 16)]
)
def test_a_quantised_base_leaves_embeddings_norms_and_head_alone(tmp_path: Path, format_: str, bits: float) -> None:
    """PEFT puts them into FP32, other programs and shards leave them in 16 bit."""
    training = f"{{method: qlora, base_weight_dtype: {format_}}}"
    loaded = "{base: {}, loaded: {training.precision: bf16-weights-autocast}, litgpt: {training.framework: litgpt}}"
    computed = run(tmp_path, scenario_text(training=training, variants=loaded))
    assert value(computed, "matrix_parameters") == MATRICES_OF_7B
    scales = value(computed, "base_weight_element_bytes") * 8
    assert scales == pytest.approx(bits, rel=0.01)
    held = [value(computed, "model_weight_bytes", at) - MATRICES_OF_7B * scales / 8 for at in range(3)]
    assert held[:2] == [OTHERS_OF_7B * 4, OTHERS_OF_7B * 2]
    assert held[2] <= OTHERS_OF_7B * 2  # and its head is quantised
