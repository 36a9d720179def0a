"""What a layer keeps for its backward pass, against tensors counted in torch 2.13, and the rules of the documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures import activations as a
from memreport.formula.recording import Figure
from tests.support import named, run, scenario_text, truth, value

H, F, HEADS, T = 4096, 11_008, 32, 2048  # Llama 2 7B at 2,048 tokens
COPIES = {"trains_adapters": 1.0, "activation_element_bytes": 2.0}
SCORES = {"num_attention_heads": 32.0, "sequence_length": 2048.0}
TRUTHS = [
    truth(a.residual_element_bytes, 4, autocast=1, activation_element_bytes=2),
    truth(a.residual_element_bytes, 2, autocast=0, activation_element_bytes=2),
    truth(
        a.norm_element_bytes,
        6,
        norm_input_element_bytes=4,
        residual_element_bytes=2,
        norm_saves_normalised=1,
        trains_base=1,
    ),
    truth(
        a.norm_element_bytes,
        4,
        norm_input_element_bytes=4,
        residual_element_bytes=2,
        norm_saves_normalised=1,
        trains_base=0,
    ),
    truth(a.norm_activation_bytes, 2 * (H * 6 + 4), norms_per_layer=2, hidden_size=H, norm_element_bytes=6),
    truth(a.attention_input_copies, 1, autocast=0, separate_linear_copies=3, trains_base=1),
    truth(a.attention_input_copies, 3, autocast=1, separate_linear_copies=3, trains_base=1),
    truth(a.attention_input_copies, 0, autocast=1, separate_linear_copies=3, trains_base=0),
    truth(
        a.attention_adapter_copies, 2, adapter_element_bytes=4, lora_q_proj=1, lora_k_proj=0, lora_v_proj=1, **COPIES
    ),
    truth(
        a.attention_adapter_copies, 1, adapter_element_bytes=2, lora_q_proj=1, lora_k_proj=0, lora_v_proj=1, **COPIES
    ),
    truth(a.mlp_input_copies, 1, autocast=0, mlp_matrices=3, trains_base=1),
    truth(a.mlp_input_copies, 2, autocast=1, mlp_matrices=3, trains_base=1),
    truth(a.mlp_adapter_copies, 2, adapter_element_bytes=4, lora_gate_proj=1, lora_up_proj=1, **COPIES),
    truth(a.mlp_adapter_copies, 0, adapter_element_bytes=2, lora_gate_proj=0, lora_up_proj=0, **COPIES),
    truth(
        a.linear_input_bytes,
        H * ((1 + 1) * 2 + (2 + 0) * 4),
        hidden_size=H,
        attention_input_copies=1,
        mlp_input_copies=1,
        activation_element_bytes=2,
        attention_adapter_copies=2,
        mlp_adapter_copies=0,
        adapter_element_bytes=4,
    ),
    truth(a.saved_key_value_size, 4096, scores_stored=1, expands_key_values=1, value_size=4096, key_value_size=1024),
    truth(a.saved_key_value_size, 1024, scores_stored=0, expands_key_values=1, value_size=4096, key_value_size=1024),
    truth(a.saved_key_value_size, 1024, scores_stored=1, expands_key_values=0, value_size=4096, key_value_size=1024),
    truth(
        a.attention_activation_bytes,
        4 * H * 2 + 32 * 4,
        query_size=H,
        saved_key_value_size=H,
        value_size=H,
        activation_element_bytes=2,
        num_attention_heads=32,
        scores_stored=0,
    ),
    truth(a.score_activation_bytes, 32 * 2048 * 6, score_bytes=6, scores_stored=1, recomputes_scores=0, **SCORES),
    truth(a.score_activation_bytes, 0, score_bytes=6, scores_stored=1, recomputes_scores=1, **SCORES),
    truth(a.score_activation_bytes, 0, score_bytes=6, scores_stored=0, recomputes_scores=0, **SCORES),
    truth(
        a.mlp_width_per_token,
        (10_944 + 26 * (6 * 1408 + 2816)) / 27,
        num_dense_layers=1,
        intermediate_size=10_944,
        mixture_layers=26,
        num_experts_per_tok=6,
        moe_intermediate_size=1408,
        shared_expert_intermediate_size=2816,
        num_hidden_layers=27,
    ),
    truth(
        a.mlp_saved_values,
        4,
        gated_mlp=1,
        gated_mlp_saved_values=4,
        plain_mlp_saved_values=7,
        trains_adapters=0,
        lora_down_proj=0,
    ),
    truth(
        a.mlp_saved_values,
        6,
        gated_mlp=0,
        gated_mlp_saved_values=4,
        plain_mlp_saved_values=7,
        trains_adapters=1,
        lora_down_proj=0,
    ),
    truth(a.mlp_activation_bytes, F * 8, mlp_width_per_token=F, mlp_saved_values=4, activation_element_bytes=2),
    truth(
        a.routing_activation_bytes,
        0.5 * 2 * H * 4,
        mixture_layers=16,
        num_hidden_layers=32,
        num_experts_per_tok=2,
        hidden_size=H,
        activation_element_bytes=2,
    ),
    truth(a.sequence_shards, 8, sequence_parallel=1, tensor_parallel_size=8),
    truth(a.sequence_shards, 1, sequence_parallel=0, tensor_parallel_size=8),
    truth(
        a.saved_tensor_bytes,
        (10 + 20) / 2 + (1 + 2 + 3 + 4) / 4,
        norm_activation_bytes=10,
        linear_input_bytes=20,
        sequence_shards=2,
        attention_activation_bytes=1,
        score_activation_bytes=2,
        mlp_activation_bytes=3,
        routing_activation_bytes=4,
        tensor_parallel_size=4,
    ),
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
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in a.FIGURES}


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
    # counted: 34.17, of which 2 x 16 x 2 / 4096 = 0.016 are the low-rank vectors, which are not modelled
    assert value(computed, "layer_activation_bytes_per_token") / H == pytest.approx(34.17, rel=0.001)


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
