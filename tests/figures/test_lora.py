"""Adapters by hand: rank times the widths that each adapted matrix joins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from memreport.catalogue.words.target_modules import matrices
from memreport.figures.model.adapters import lora
from memreport.formula.recording import Figure, figures_in
from tests.support import ROOT, named, run, scenario_text, truth, value

COUNTED = ROOT / "tests" / "data" / "lora_counts.yaml"
COUNTS = yaml.safe_load(COUNTED.read_text(encoding="utf-8"))
CARDS = ROOT / "scenarios" / "models"
ARCHITECTURES = json.loads((ROOT / "tests" / "data" / "architectures.json").read_text(encoding="utf-8"))
SETTINGS = ("freezes_towers", "target_modules", "target_parameters", "modules_to_save", "use_dora", "bias")
TRAINED = {"trained_base_parameters": 7e9, "adapter_parameters": 5.0, "saved_module_parameters": 2.0}
EXPERTS = {
    "mixture_layers": 32.0,
    "num_local_experts": 8.0,
    "adapts_expert_gate_up": 1.0,
    "gated_mlp": 1.0,
    "hidden_size": 4096.0,
    "moe_intermediate_size": 14_336.0,
}
GIVEN, NAMED = (
    EXPERTS | {"lora_experts_gate_up": given, "targets_router": 0.0, "names_reach_experts": 1 - given}
    for given in (1.0, 0.0)
)
REACHES = {
    "reaches_experts_by_name": 1.0, "routes_densely": 0.0, "shared_expert_gate": 0.0,
    "num_linear_attention_layers": 0.0, "experts_unnamed": 0.0, "mlp_named_w": 0.0, "targets_mlp_w": 0.0,
}  # fmt: skip
ALL_VALUES = {"attention_k_eq_v": 0, "global_layer_share": 0.25, "num_global_key_value_heads": 1} | {
    "global_head_dim": 512,
}  # fmt: skip
QUERIES = {"names_both_queries": 1, "targets_q_a_proj": 0, "targets_q_b_proj": 0}
FIRST = {"names_both_queries": 0, "targets_q_a_proj": 1}
PLAIN_QUERY = {"q_lora_rank": 0, "hidden_size": 4096, "query_size": 4096}
LATENT_QUERY = {"q_lora_rank": 1536, "hidden_size": 7168, "query_size": 24_576, "gate_in_query": 0}
INPUTS = {f"adapts_{name}_proj": 1.0 for name in ("q", "k", "v")}
LEADING = {"num_leading_linear_attention_layers": 3, "attention_layers": 8, "attention_adapter_parameters": 100}
BOTH = {"targets_gate_proj": 1.0, "targets_up_proj": 1.0}
LATENT = {"kv_lora_rank": 512.0, "hidden_size": 2048.0}
SIZES = {
    "query_adapter_size": 8192.0,
    "key_adapter_size": 5120.0,
    "value_adapter_size": 5121.0,
    "hidden_size": 4096.0,
    "query_size": 4096.0,
    "key_value_size": 1024.0,
}
PAIRS = {"hidden_size": 4096.0, "adapts_down_proj": 1.0}
TRUTHS = [
    truth(lora.names_both_queries, 1, targets_q_proj=1, targets_q_a_proj=0, targets_q_b_proj=0),
    truth(lora.names_both_queries, 1, targets_q_proj=0, targets_q_a_proj=1, targets_q_b_proj=1),
    truth(lora.names_both_queries, 0, targets_q_proj=0, targets_q_a_proj=1, targets_q_b_proj=0),
    truth(lora.query_adapter_size, 8192, gate_in_query=0, **PLAIN_QUERY, **QUERIES),
    truth(lora.query_adapter_size, 3 * 4096, gate_in_query=1, **PLAIN_QUERY, **QUERIES),
    truth(lora.query_adapter_size, 7168 + 1536 + 1536 + 24_576, **LATENT_QUERY, **QUERIES),
    truth(lora.query_adapter_size, 7168 + 1536, **LATENT_QUERY, **QUERIES | FIRST),
    truth(
        lora.query_adapter_size,
        1536 + 24_576,
        **LATENT_QUERY,
        **QUERIES | FIRST | {"targets_q_a_proj": 0, "targets_q_b_proj": 1},
    ),
    truth(
        lora.adapted_matrices,
        32 * 7 + 24 * 5 + 8,
        attention_layers=32,
        adapted_inputs=3,
        gate_up_adapters=2,
        num_linear_attention_layers=24,
        linear_attention_adapters=5,
        expert_gate_adapters=8,
        adapts_o_proj=1,
        adapts_down_proj=1,
        dense_layers=32,
        mixture_layers=0,
        shared_expert_intermediate_size=0,
    ),
    truth(lora.adapted_inputs, 3, fused_qkv=0, q_lora_rank=0, names_both_queries=1, **INPUTS),
    truth(lora.adapted_inputs, 1, fused_qkv=1, q_lora_rank=0, names_both_queries=1, **INPUTS),
    truth(lora.adapted_inputs, 4, fused_qkv=0, q_lora_rank=1536, names_both_queries=1, **INPUTS),
    truth(lora.adapted_inputs, 3, fused_qkv=0, q_lora_rank=1536, names_both_queries=0, **INPUTS),
    truth(lora.leading_frozen_layers, 3, adapted_widths=800, expert_adapter_widths=0, **LEADING),
    truth(lora.leading_frozen_layers, 0, adapted_widths=801, expert_adapter_widths=0, **LEADING),
    truth(lora.leading_frozen_layers, 0, adapted_widths=800, expert_adapter_widths=5, **LEADING),
    truth(lora.key_adapter_size, 2048 + 512 + 64, key_value_size=0, qk_rope_head_dim=64, **LATENT),
    truth(lora.key_adapter_size, 5120, kv_lora_rank=0, hidden_size=4096, key_value_size=1024, qk_rope_head_dim=0),
    truth(
        lora.value_adapter_size,
        512 + 16 * 128 + 2048,
        **ALL_VALUES,
        num_attention_heads=16,
        qk_nope_head_dim=128,
        value_size=2048,
        key_value_size=0,
        **LATENT,
    ),
    truth(
        lora.value_adapter_size,
        5120 - 0.25 * (4096 + 512),
        **ALL_VALUES | {"attention_k_eq_v": 1},
        kv_lora_rank=0,
        num_attention_heads=32,
        qk_nope_head_dim=0,
        value_size=4096,
        hidden_size=4096,
        key_value_size=1024,
    ),
    truth(
        lora.input_adapter_size, 8192 + 5121, fused_qkv=0, adapts_q_proj=1, adapts_k_proj=0, adapts_v_proj=1, **SIZES
    ),
    truth(lora.input_adapter_size, 10_240, fused_qkv=1, adapts_q_proj=1, adapts_k_proj=1, adapts_v_proj=1, **SIZES),
    truth(lora.input_adapter_size, 10_240, fused_qkv=1, adapts_q_proj=1, adapts_k_proj=0, adapts_v_proj=0, **SIZES),
    truth(lora.input_adapter_size, 0, fused_qkv=1, adapts_q_proj=0, adapts_k_proj=0, adapts_v_proj=0, **SIZES),
    truth(
        lora.attention_adapter_parameters,
        8192 + 2 * 5120 + 8192,
        input_adapter_size=8192 + 2 * 5120,
        adapts_o_proj=1,
        value_size=4096,
        hidden_size=4096,
    ),
    truth(
        lora.attention_adapter_parameters,
        13_312,
        input_adapter_size=13_312,
        adapts_o_proj=0,
        value_size=4096,
        hidden_size=4096,
    ),
    truth(lora.gate_up_adapters, 2, fused_gate_up=0, gated_mlp=1, adapts_gate_proj=1, adapts_up_proj=1),
    truth(lora.gate_up_adapters, 1, fused_gate_up=1, gated_mlp=1, adapts_gate_proj=1, adapts_up_proj=1),
    truth(lora.gate_up_adapters, 1, fused_gate_up=0, gated_mlp=0, adapts_gate_proj=1, adapts_up_proj=1),
    truth(lora.gate_up_adapter_outputs, 2, gate_up_adapters=1, fused_gate_up=1, gated_mlp=1),
    truth(lora.gate_up_adapter_outputs, 2, gate_up_adapters=2, fused_gate_up=0, gated_mlp=1),
    truth(
        lora.mlp_adapter_parameters,
        3 * (4096 + 14_336),
        gate_up_adapters=2,
        gate_up_adapter_outputs=2,
        intermediate_size=14_336,
        **PAIRS,
    ),
    truth(
        lora.mlp_adapter_parameters,
        4096 + 2 * 8192 + 8192 + 4096,
        gate_up_adapters=1,
        gate_up_adapter_outputs=2,
        intermediate_size=8192,
        **PAIRS,
    ),
    truth(
        lora.shared_expert_adapter_parameters,
        3 * (4096 + 1408),
        gate_up_adapters=2,
        gate_up_adapter_outputs=2,
        shared_expert_intermediate_size=1408,
        **PAIRS,
    ),
    truth(
        lora.shared_expert_adapter_parameters,
        0,
        gate_up_adapters=2,
        gate_up_adapter_outputs=2,
        shared_expert_intermediate_size=0,
        **PAIRS,
    ),
    # Mixtral 8x7B's experts: 32 layers of 8, joint gate and up of 4096 by 28,672, down of 14,336 by 4096
    truth(lora.expert_adapter_widths, 32 * 8 * (4096 + 28_672 + 14_336 + 4096), adapts_expert_down=1, **GIVEN),
    truth(lora.expert_adapter_widths, 32 * 8 * (4096 + 28_672), adapts_expert_down=0, **GIVEN),
    # of twice the rank where gate and up are meant by their own names
    truth(lora.expert_adapter_widths, 32 * 8 * 2 * (4096 + 28_672), adapts_expert_down=0, **NAMED),
    # all names mean the router, too, which answers 8 values
    truth(
        lora.expert_adapter_widths,
        32 * (8 * 2 * (4096 + 28_672) + 4096 + 8),
        adapts_expert_down=0,
        **NAMED | {"targets_router": 1},
    ),
    truth(lora.names_reach_experts, 1, num_local_experts=8, expert_bias=0, **REACHES, adapts_experts=1),
    truth(
        lora.names_reach_experts,
        0,
        num_local_experts=8,
        expert_bias=0,
        adapts_experts=1,
        **REACHES | {"mlp_named_w": 1.0},
    ),
    truth(
        lora.names_reach_experts,
        1,
        num_local_experts=8,
        expert_bias=0,
        adapts_experts=1,
        **REACHES | {"mlp_named_w": 1.0, "targets_mlp_w": 1.0},
    ),
    truth(lora.names_reach_experts, 0, num_local_experts=0, expert_bias=0, **REACHES, adapts_experts=1),
    truth(
        lora.names_reach_experts,
        0,
        num_local_experts=8,
        expert_bias=0,
        adapts_experts=1,
        **REACHES | {"experts_unnamed": 1},
    ),
    truth(lora.names_reach_experts, 0, num_local_experts=32, expert_bias=1, **REACHES, adapts_experts=1),
    truth(lora.adapts_expert_gate_up, 1, lora_experts_gate_up=0, names_reach_experts=1, **BOTH),
    truth(lora.adapts_expert_gate_up, 0, lora_experts_gate_up=0, names_reach_experts=0, **BOTH),
    truth(lora.adapts_expert_gate_up, 1, lora_experts_gate_up=1, names_reach_experts=0, **BOTH),
    truth(lora.adapts_expert_down, 1, lora_experts_down=0, names_reach_experts=1, targets_down_proj=1),
    truth(lora.adapts_expert_down, 0, lora_experts_down=0, names_reach_experts=1, targets_down_proj=0),
    truth(
        lora.adapted_widths,
        32 * 4 * 8192 + 3 * 100 + 29 * 10 + 24 * 7 + 5 * 4097 + 900 + 60 + 11,
        num_linear_attention_layers=24,
        linear_attention_adapted_widths=7,
        expert_gate_adapters=5,
        hidden_size=4096,
        targets_others=1,
        other_adapter_widths=900,
        tower_adapted_widths=60,
        beside_adapted_widths=11,
        attention_layers=32,
        attention_adapter_parameters=4 * 8192,
        dense_layers=3,
        mlp_adapter_parameters=100,
        mixture_layers=29,
        shared_expert_adapter_parameters=10,
    ),
    truth(lora.trainable_parameters, 7e9, trains_base=1, trains_adapters=0, **TRAINED),
    truth(lora.trainable_parameters, 5 + 2, trains_base=0, trains_adapters=1, **TRAINED),
    truth(
        lora.trainable_share, 0.2, trainable_parameters=1, parameters=4, trains_base=0, optimizer_estimates_gradients=0
    ),
    truth(
        lora.trainable_share, 1, trainable_parameters=4, parameters=4, trains_base=1, optimizer_estimates_gradients=0
    ),
    truth(
        lora.adapter_bytes,
        4e7,
        trains_adapters=1,
        adapter_parameters=1e7,
        adapter_element_bytes=4,
        trained_bias_parameters=0,
        shared_matrix_parameters=0,
    ),
    truth(
        lora.adapter_bytes,
        0,
        trains_adapters=0,
        adapter_parameters=1e7,
        adapter_element_bytes=4,
        trained_bias_parameters=0,
        shared_matrix_parameters=0,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(lora)}


@pytest.mark.parametrize(
    ("model", "rank", "modules", "trainable"),
    [
        ("llama-2-7b", 16, "q_proj, k_proj, v_proj, o_proj", 16_777_216),
        ("llama-2-7b", 8, "q_proj, v_proj", 4_194_304),  # the count that PEFT prints for Llama 2 7B
        ("llama-2-7b", 16, "q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj", 39_976_960),
        ("llama-3-8b", 16, "q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj", 41_943_040),
        ("gpt2", 4, "up_proj, down_proj, gate_proj", 4 * 12 * 2 * (768 + 3072)),
    ],
)
def test_trainable_parameters(tmp_path: Path, model: str, rank: int, modules: str, trainable: int) -> None:
    training = f"{{method: lora, lora_rank: {rank}, target_modules: [{modules}]}}"
    computed = run(tmp_path, scenario_text(model=model, training=training))
    assert value(computed, "trainable_parameters") == trainable
    assert value(computed, "adapter_bytes") == 4 * trainable


def test_adapters_take_4_bytes_each_for_weight_gradient_and_both_moments(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(training="{method: lora}"))
    assert value(computed, "adapter_bytes") == 4 * 16_777_216
    assert value(computed, "gradient_bytes") == 4 * 16_777_216
    assert value(computed, "optimizer_state_bytes") == 8 * 16_777_216
    assert value(computed, "master_weight_bytes") == 0


def test_every_count_is_the_one_that_peft_makes(tmp_path: Path) -> None:
    uncarded = {one["model"] for one in COUNTS["counts"]} - {path.stem for path in CARDS.glob("*.yaml")}
    for name in uncarded:
        (tmp_path / f"{name}.json").write_text(json.dumps(ARCHITECTURES[name]["config"]), encoding="utf-8")
    variants = {
        f"count {at}": {"model": f"{tmp_path / one['model']}.json" if one["model"] in uncarded else one["model"]}
        | {f"training.{name}": one[name] for name in one if name in SETTINGS}
        for at, one in enumerate(COUNTS["counts"])
    }
    training = f"{{method: lora, lora_rank: {COUNTS['rank']}, sequence_length: 512}}"
    computed = run(tmp_path, scenario_text(training=training, variants=json.dumps(variants)))
    found = {at: value(computed, "trainable_parameters", at) for at in range(len(variants))}
    assert found == {at: one["trainable"] for at, one in enumerate(COUNTS["counts"])}
    assert len({one["model"] for one in COUNTS["counts"]}) >= 25


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (
            ["all-linear"],
            (
                "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj"
                " linear_attn linear_out x_proj dt_proj router shared_expert_gate others mlp_w"
            ),
        ),
        (["query", "value", "dense"], "q_proj v_proj o_proj up_proj down_proj"),
        (["dense"], "o_proj"),
        (["q", "v", "wo"], "q_proj v_proj down_proj"),
        (["wqkv", "wo"], "q_proj k_proj v_proj o_proj"),
        (["q_a_proj"], "q_a_proj"),
        (["x_proj", "in_proj", "out_proj"], "o_proj linear_attn linear_out x_proj"),
        (["in_proj_qkvz"], "linear_attn"),
        (["w1", "w3"], "gate_proj up_proj mlp_w"),
        (["c_proj", "c_attn"], "q_proj k_proj v_proj o_proj down_proj"),
        (["dense_4h_to_h", "up_proj", "fc1"], "up_proj down_proj"),
    ],
)
def test_names_of_other_families_stand_for_the_same_matrices(names: list[str], meant: str) -> None:
    assert matrices(names) == tuple(meant.split())
