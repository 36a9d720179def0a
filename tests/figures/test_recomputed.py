"""What a layer does not keep where parts of it are computed again by name, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.errors import InputError
from memreport.figures.training.saved import recomputed as r
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

TRUTHS = [
    truth(  # 2 dense layers of 8, and 6 mixtures of 2 routed experts and a shared one
        r.recomputed_mlp_width,
        (2 * 1000 + 6 * 300) / 8,
        dense_layers=2,
        intermediate_size=1000,
        recompute_mlp=1,
        mixture_layers=6,
        routed_copies=2,
        moe_intermediate_size=100,
        recompute_moe=0,
        shared_expert_intermediate_size=300,
        recompute_shared_experts=1,
        num_hidden_layers=8,
    ),
    truth(
        r.recomputed_expert_bytes,
        6 / 8 * 2 * 100 * 2,
        recompute_moe=0,
        recompute_moe_act=1,
        routing_activation_bytes=5000,
        mixture_layers=6,
        num_hidden_layers=8,
        routed_copies=2,
        moe_intermediate_size=100,
        mlp_element_bytes=2,
        fp8_down_input_bytes=0,
    ),
    truth(  # in FP8 what is set free is no more than was kept
        r.recomputed_expert_bytes,
        6 / 8 * 2 * 100 * 1.03125,
        recompute_moe=0,
        recompute_moe_act=1,
        routing_activation_bytes=5000,
        mixture_layers=6,
        num_hidden_layers=8,
        routed_copies=2,
        moe_intermediate_size=100,
        mlp_element_bytes=2,
        fp8_down_input_bytes=1.03125,
    ),
    truth(
        r.recomputed_input_bytes,
        2 * 4096 * 2,
        recompute_layernorm=1,
        attention_input_copies=1,
        mlp_input_copies=1,
        recompute_mlp=1,
        dense_layers=32,
        num_hidden_layers=32,
        hidden_size=4096,
        linear_input_element_bytes=2,
    ),
    truth(
        r.recomputed_latent_bytes,
        128 * (192 + 192 + 128) * 2,
        recompute_mla_up_proj=1,
        kv_lora_rank=512,
        query_size=128 * 192,
        saved_key_value_size=128 * 192,
        saved_value_size=128 * 128,
        activation_element_bytes=2,
    ),
    truth(
        r.recomputed_module_bytes,
        (900 / 3 + 50 + 40) / 2 + (30 + 20) / 4,
        mlp_activation_bytes=900,
        recomputed_mlp_width=100,
        mlp_width_per_token=300,
        recomputed_expert_bytes=50,
        recomputed_latent_bytes=40,
        tensor_parallel_size=2,
        recomputed_input_bytes=30,
        recompute_moe=1,
        router_activation_bytes=20,
        input_shards=4,
    ),
    truth(
        r.recomputed_module_share,
        3 * 14_336 * 4096 * 32 / 8_030_261_248,
        recomputed_mlp_width=14_336,
        mlp_matrices=3,
        hidden_size=4096,
        num_hidden_layers=32,
        active_parameters=8_030_261_248,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected)


def test_every_figure_has_a_truth() -> None:
    assert {one.values[0].name for one in named(TRUTHS)} == {one.name for one in figures_in(r)}


@pytest.mark.parametrize(
    ("modules", "model", "each"),
    [
        ("[core_attn]", "llama-3-8b", 0),
        ("[core_attn, mlp]", "llama-3-8b", 2 * (3 * 14_336 + 4096)),
        ("layernorm", "llama-3-8b", 2 * 2 * 4096),
        ("[moe_act]", "mixtral-8x7b", 2 * 2 * 14_336),
    ],
)
def test_modules_that_megatron_computes_again(tmp_path: Path, modules: str, model: str, each: float) -> None:
    """Bytes a token of a fused layer: gate, up and their product; results of norms; the product in two experts."""
    given = "framework: megatron, gradient_checkpointing: selective"
    text = "{{{}, recompute_modules: {}}}"
    found = run(tmp_path, scenario_text(model=model, training=text.format(given, modules)))
    plain = run(tmp_path, scenario_text(model=model, training=f"{{{given}}}"))
    assert value(found, "recomputed_module_bytes") == pytest.approx(each)
    less = value(plain, "stored_activation_bytes") - value(found, "stored_activation_bytes")
    assert less == pytest.approx(32 * 2048 * each)
    assert value(found, "peak_parts_bytes") == pytest.approx(value(found, "peak_bytes"))
    assert (value(found, "step_seconds") > value(plain, "step_seconds")) == ("mlp" in modules)


def test_modules_need_selective_checkpointing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="state gradient_checkpointing: selective"):
        run(tmp_path, scenario_text(training="{framework: megatron, recompute_modules: [mlp]}"))
