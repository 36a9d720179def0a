"""A forward pass alone by hand: Llama 3 8B, whose layers and loss torch counts so."""

from __future__ import annotations

import pytest

from memreport.figures.training.saved import forward_only as f
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

H, F, V = 4096.0, 14_336.0, 128_256.0
DENSE = {"mixture_layers": 0.0, "routed_copies": 0.0, "routing_weights_in_fp32": 0.0}
TRUTHS = [
    truth(f.forward_mlp_values, 3, gated_mlp=1, fused_gate_up=0, mixture_layers=0, activation_function_values=3),
    truth(f.forward_mlp_values, 4, gated_mlp=1, fused_gate_up=0, mixture_layers=8, activation_function_values=3),
    truth(f.forward_mlp_values, 2, gated_mlp=0, fused_gate_up=0, mixture_layers=0, activation_function_values=0),
    truth(
        f.forward_mlp_bytes, 3 * F * 2, mlp_width_per_token=F, forward_mlp_values=3, mlp_element_bytes=2,
        tensor_parallel_size=1, hidden_size=H, activation_element_bytes=2, **DENSE,
    ),
    truth(  # answers of two experts, weighted and put back into order, in FP32
        f.forward_mlp_bytes, 2 * H * 3 * 4, mlp_width_per_token=10, forward_mlp_values=4, mlp_element_bytes=2,
        tensor_parallel_size=1, hidden_size=H, activation_element_bytes=2, mixture_layers=8, routed_copies=2,
        routing_weights_in_fp32=1,
    ),
    truth(
        f.forward_attention_bytes, (H + 2 * 1024 + H) * 2 + 32 * 512 * (2 + 2 * 4), query_size=H, value_size=H,
        saved_key_value_size=1024, activation_element_bytes=2, scores_stored=1, num_attention_heads=32,
        keys_per_sequence=512, softmax_element_bytes=4, softmax_in_fp32=1, tensor_parallel_size=1,
    ),
    truth(
        f.forward_layer_bytes, 10 * (4 * H * 2 + 900), tokens_per_micro_batch=10, hidden_size=H,
        residual_element_bytes=2, forward_mlp_bytes=900, forward_attention_bytes=100,
    ),
    truth(  # ten bytes a logit in 16 bit
        f.forward_loss_bytes, 10 * (10 * V + 2 * H), tokens_per_micro_batch=10, makes_logits=1, head_and_loss_fused=0,
        vocab_size=V, activation_element_bytes=2, logit_shards=1, hidden_size=H, loss_at_work_bytes=5,
    ),
    truth(
        f.forward_loss_bytes, 5, tokens_per_micro_batch=10, makes_logits=1, head_and_loss_fused=1,
        vocab_size=V, activation_element_bytes=2, logit_shards=1, hidden_size=H, loss_at_work_bytes=5,
    ),
    truth(f.forward_excess_bytes, 0, forward_layer_bytes=5, forward_loss_bytes=9),
    truth(
        f.perturbation_bytes, 4 * 0.1 * 8e9 * 2 / 2, optimizer_perturbations=4, largest_gradient_share=0.1,
        rank_trainable_parameters=8e9, weight_element_bytes=2, optimizer_shards=2,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected)


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(f)}
