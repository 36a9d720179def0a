"""What a layer keeps for its backward pass, against tensors counted in torch 2.13, and the rules of the documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.training import activations as a
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

H, F, HEADS, T = 4096, 11_008, 32, 2048  # Llama 2 7B at 2,048 tokens
SCORES = {"num_attention_heads": 32.0, "sequence_length": 2048.0}
EXPERTS = {"num_experts_per_tok": 8.0, "num_local_experts": 128.0}
ROUTED = {"hidden_size": 4096.0, "routed_gradient_bytes_each": 6.0, "routed_copies": 8.0}
ANSWERS = {"runs_transformers_layers": 1.0, "activation_element_bytes": 2.0}
WIDE_ANSWERS = {"runs_transformers_layers": 1.0, "activation_element_bytes": 4.0}
ANSWERED = {
    "num_local_experts": 4,
    "runs_transformers_layers": 1,
    "routed_copies": 6,
    "hidden_size": H,
    "activation_element_bytes": 2,
}
ROUTED_SPARSELY = {"routes_densely": 0, "runs_transformers_layers": 1, "residual_element_bytes": 2}
TRUTHS = [
    truth(a.routed_backward_bytes, 8 * 4096 * 6, mixture_layers=2, experts_in_turn=0, layers_fused=0, **ROUTED),
    truth(a.routed_backward_bytes, 0, mixture_layers=2, experts_in_turn=1, layers_fused=0, **ROUTED),
    truth(a.routed_backward_bytes, 0, mixture_layers=2, experts_in_turn=0, layers_fused=1, **ROUTED),
    truth(a.routed_backward_bytes, 0, mixture_layers=0, experts_in_turn=0, layers_fused=0, **ROUTED),
    truth(a.routed_gradient_bytes_each, 6, routes_densely=0, routing_weights_in_fp32=0, checkpoints=0, **ANSWERS),
    truth(a.routed_gradient_bytes_each, 14, routes_densely=0, routing_weights_in_fp32=1, checkpoints=0, **ANSWERS),
    truth(a.routed_gradient_bytes_each, 12, routes_densely=0, routing_weights_in_fp32=1, checkpoints=1, **ANSWERS),
    truth(a.routed_gradient_bytes_each, 2, routes_densely=1, routing_weights_in_fp32=0, checkpoints=0, **ANSWERS),
    truth(a.routed_gradient_bytes_each, 12, routes_densely=0, routing_weights_in_fp32=1, checkpoints=0, **WIDE_ANSWERS),
    truth(a.routed_copies, 8, moe_expert_capacity_factor=0, routes_densely=0, runs_transformers_layers=1, **EXPERTS),
    truth(
        a.routed_copies, 10, moe_expert_capacity_factor=1.25, routes_densely=1, runs_transformers_layers=1, **EXPERTS
    ),
    truth(a.routed_copies, 128, moe_expert_capacity_factor=0, routes_densely=1, runs_transformers_layers=1, **EXPERTS),
    truth(a.routed_copies, 8, moe_expert_capacity_factor=0, routes_densely=1, runs_transformers_layers=0, **EXPERTS),
    truth(
        a.mlp_width_per_token,
        (10_944 + 26 * (6 * 1408 + 2816)) / 27,
        dense_layers=1,
        intermediate_size=10_944,
        mixture_layers=26,
        mixture_width_per_token=6 * 1408 + 2816,
        num_hidden_layers=27,
    ),
    truth(
        a.mixture_width_per_token,
        6 * 1408 + 2816,
        routed_copies=6,
        moe_intermediate_size=1408,
        shared_expert_intermediate_size=2816,
    ),
    truth(a.routed_answer_bytes, 6 * H * 2, routes_densely=0, experts_in_turn=0, weighs_in_activation=0, **ANSWERED),
    truth(
        a.routed_answer_bytes, 6 / 4 * H * 2, routes_densely=0, experts_in_turn=1, weighs_in_activation=0, **ANSWERED
    ),
    truth(a.routed_answer_bytes, 0, routes_densely=1, experts_in_turn=0, weighs_in_activation=0, **ANSWERED),
    truth(a.routed_answer_bytes, 0, routes_densely=0, experts_in_turn=0, weighs_in_activation=1, **ANSWERED),
    truth(  # as DeepSeek-V3 of Megatron-LM: tokens on their way in FP8 with scales, no answers
        a.routing_activation_bytes,
        58 / 61 * 8 * 7168 * 1.03125,
        mixture_layers=58,
        num_hidden_layers=61,
        routed_copies=8,
        expert_cut_size=1,
        hidden_size=7168,
        activation_element_bytes=2,
        routed_input_values=1,
        linear_input_element_bytes=1.03125,
        experts_in_turn=0,
        weighs_in_activation=1,
        **ROUTED_SPARSELY,
    ),
    truth(
        a.routing_activation_bytes,
        0.5 * 2 * H * 4,
        mixture_layers=16,
        num_hidden_layers=32,
        routed_copies=2,
        expert_cut_size=1,
        hidden_size=H,
        activation_element_bytes=2,
        routed_input_values=1,
        linear_input_element_bytes=2,
        experts_in_turn=0,
        weighs_in_activation=0,
        **ROUTED_SPARSELY,
    ),
    truth(  # Llama 4 under autocast: weighted inputs in FP32, and what they are multiplied with
        a.routing_activation_bytes,
        16 * H * (2 + 4),
        mixture_layers=32,
        num_hidden_layers=32,
        routed_copies=16,
        expert_cut_size=1,
        hidden_size=H,
        activation_element_bytes=2,
        routed_input_values=1,
        linear_input_element_bytes=2,
        experts_in_turn=0,
        weighs_in_activation=0,
        **ROUTED_SPARSELY | {"routes_densely": 1, "residual_element_bytes": 4},
    ),
    truth(
        a.routing_activation_bytes,
        0.5 * 2 * H * 4,
        mixture_layers=16,
        num_hidden_layers=32,
        routed_copies=2,
        expert_cut_size=1,
        hidden_size=H,
        activation_element_bytes=2,
        routed_input_values=0,
        linear_input_element_bytes=2,
        experts_in_turn=1,
        weighs_in_activation=0,
        **ROUTED_SPARSELY,
    ),
    truth(a.sequence_parallel, 1, leaves_sequences_whole=0),
    truth(a.sequence_parallel, 0, leaves_sequences_whole=1),
    truth(a.sequence_shards, 8, sequence_parallel=1, tensor_parallel_size=8),
    truth(a.sequence_shards, 1, sequence_parallel=0, tensor_parallel_size=8),
    truth(
        a.router_input_bytes,  # Qwen2-MoE and DeepSeek in one: an FP32 input and a 16-bit output of a gated expert
        4096 * (4 + 2),
        trains_base=1,
        router_in_fp32=1,
        layers_fused=0,
        native_activations=0,
        shared_expert_gate=1,
        linear_inputs_cast=1,
        torch_compile=0,
        hidden_size=4096,
        activation_element_bytes=2,
    ),
    truth(
        a.router_input_bytes,  # Llama 4 under autocast: a copy of its own
        4096 * 2,
        trains_base=1,
        router_in_fp32=0,
        layers_fused=0,
        native_activations=0,
        shared_expert_gate=0,
        linear_inputs_cast=1,
        torch_compile=0,
        hidden_size=4096,
        activation_element_bytes=2,
    ),
    truth(
        a.router_activation_bytes,
        0.5 * (100 + 5 * 4 + 2 * 40),
        router_input_bytes=100,
        mixture_layers=16,
        num_hidden_layers=32,
        num_local_experts=4,
        num_experts_per_tok=2,
    ),
    # two ranks; Megatron keeps a half of the inputs and gathers again, DTensor keeps what it gathered
    truth(a.input_shards, 2, keeps_gathered=0, sequence_shards=2),
    truth(a.input_shards, 1, keeps_gathered=1, sequence_shards=2),
    truth(
        a.sequence_cut_bytes,
        (10 + 30) / 2 + 20 + 40 + 60,
        input_shards=1,
        latent_activation_bytes=60,
        norm_activation_bytes=10,
        linear_input_bytes=20,
        dropout_mask_bytes=30,
        router_activation_bytes=40,
        sequence_shards=2,
    ),
    truth(
        a.saved_tensor_bytes,
        50 + 12 + 7 / 2 - 9 + ((1 + 2 + 3 + 10) / 2 + 11 + 4 + 5 + 6 + 8) / 4,
        sequence_cut_bytes=50,
        recomputed_module_bytes=9,
        mask_activation_bytes=7,
        attention_activation_bytes=1,
        qk_norm_activation_bytes=2,
        score_activation_bytes=3,
        distance_activation_bytes=10,
        mlp_activation_bytes=4,
        adapter_activation_bytes=5,
        routing_activation_bytes=6,
        layer_weight_copy_bytes=800,
        tokens_per_micro_batch=100,
        tensor_parallel_size=4,
        attention_mixer_share=0.5,
        linear_attention_activation_bytes=11,
        linear_attention_kept_values=3,
        stream_activation_bytes=12,
    ),
    # 52 layers: 24 mixers of Mamba, 4 of attention, 24 MLPs; and layers that have both
    truth(a.mixer_share, 28 / 52, num_layers_without_mlp=28, num_hidden_layers=52),
    truth(a.mlp_layer_share, 12 / 30, dense_layers=12, mixture_layers=0, num_hidden_layers=30),
    truth(a.mixer_share, 1, num_layers_without_mlp=0, num_hidden_layers=36),
    truth(
        a.rule_activation_bytes,
        H * (34 + (12 + 15) * 2) / 2,
        hidden_size=H,
        rule_hidden_bytes=34,
        rule_hidden_values=12,
        rule_uses_constant=1,
        activation_constant=15,
        activation_element_bytes=2,
        tensor_parallel_size=2,
    ),
    truth(
        a.rule_score_activation_bytes,
        5 * 32 * 2048 / 2,
        rule_score_bytes=5,
        scores_stored=1,
        recomputes_scores=0,
        tensor_parallel_size=2,
        **SCORES,
    ),
    truth(
        a.layer_activation_bytes_per_token,
        7,
        counts_saved_tensors=1,
        saved_tensor_bytes=7,
        rule_activation_bytes=1,
        rule_score_activation_bytes=2,
    ),
    truth(
        a.layer_activation_bytes_per_token,
        3,
        counts_saved_tensors=0,
        saved_tensor_bytes=7,
        rule_activation_bytes=1,
        rule_score_activation_bytes=2,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(a)}


# Saved bytes per layer, token and hidden unit, counted with saved-tensor hooks on torch 2.13 and transformers 5.23.
COUNTED = [
    ("llama-2-7b", "attention: flash, precision: bf16-pure", 45.53),
    ("llama-3-8b", "attention: flash, precision: bf16-pure", 49.03),
    ("llama-2-7b", "attention: sdpa, precision: bf16-mixed", 45.53),
    ("llama-2-7b", "attention: eager, precision: bf16-pure", 141.50),
    ("llama-2-7b", "attention: flash, precision: bf16-autocast", 55.53),
]


@pytest.mark.parametrize(("model", "training", "counted"), COUNTED)
def test_saved_tensors_equal_those_that_torch_counted(
    tmp_path: Path, model: str, training: str, counted: float
) -> None:
    computed = run(tmp_path, scenario_text(model=model, training=f"{{{training}, sequence_length: {T}}}"))
    assert value(computed, "layer_activation_bytes_per_token") / H == pytest.approx(counted, abs=0.01)


def test_adapters_on_a_frozen_base_keep_less(tmp_path: Path) -> None:
    training = "{method: lora, lora_rank: 16, target_modules: [q_proj, v_proj], adapter_dtype: bf16}"
    computed = run(tmp_path, scenario_text(training=training))
    assert value(computed, "layer_activation_bytes_per_token") / H == pytest.approx(34.17, abs=0.01)


@pytest.mark.parametrize(
    ("rule", "attention", "per_hidden"),
    [
        ("act_full", "eager", 34 + 5 * HEADS * T / H),
        ("act_full", "flash", 34),
        ("act_12", "flash", 24),
        ("act_c", "flash", 15 * 2),
        ("act_order", "flash", 2),
    ],
)
def test_the_rules_of_the_documents(tmp_path: Path, rule: str, attention: str, per_hidden: float) -> None:
    training = f"{{activation_model: {rule}, attention: {attention}, sequence_length: {T}}}"
    computed = run(tmp_path, scenario_text(training=training))
    assert value(computed, "layer_activation_bytes_per_token") == per_hidden * H


def test_the_framework_decides_what_is_kept(tmp_path: Path) -> None:
    kept = {}
    for framework in ("huggingface", "megatron"):
        computed = run(tmp_path, scenario_text(training=f"{{framework: {framework}, sequence_length: {T}}}"))
        kept[framework] = value(computed, "layer_activation_bytes_per_token") / H
    assert kept["megatron"] < 0.75 * kept["huggingface"]
