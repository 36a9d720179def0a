"""Adapters by hand: rank times the widths that each adapted matrix joins."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures import lora
from memreport.formula.recording import Figure
from tests.support import named, run, scenario_text, truth, value

WIDTHS = {"hidden_size": 4096.0, "query_size": 4096.0, "key_value_size": 1024.0, "value_size": 4096.0}
TRUTHS = [
    truth(
        lora.attention_adapter_parameters,
        8192 + 2 * 5120 + 8192,
        lora_q_proj=1,
        lora_k_proj=1,
        lora_v_proj=1,
        lora_o_proj=1,
        **WIDTHS,
    ),
    truth(
        lora.attention_adapter_parameters,
        8192 + 5120,
        lora_q_proj=1,
        lora_k_proj=0,
        lora_v_proj=1,
        lora_o_proj=0,
        **WIDTHS,
    ),
    truth(
        lora.mlp_adapter_parameters,
        3 * (4096 + 14_336),
        lora_gate_proj=1,
        gated_mlp=1,
        lora_up_proj=1,
        lora_down_proj=1,
        hidden_size=4096,
        intermediate_size=14_336,
    ),
    truth(
        lora.mlp_adapter_parameters,
        2 * (768 + 3072),
        lora_gate_proj=1,
        gated_mlp=0,
        lora_up_proj=1,
        lora_down_proj=1,
        hidden_size=768,
        intermediate_size=3072,
    ),
    truth(
        lora.adapter_parameters,
        16 * 32 * (4 * 8192),
        lora_rank=16,
        attention_layers=32,
        attention_adapter_parameters=4 * 8192,
        num_dense_layers=32,
        mlp_adapter_parameters=0,
    ),
    truth(lora.trainable_parameters, 7e9, trains_base=1, parameters=7e9, trains_adapters=0, adapter_parameters=5),
    truth(lora.trainable_parameters, 5, trains_base=0, parameters=7e9, trains_adapters=1, adapter_parameters=5),
    truth(
        lora.trainable_share,
        0.2,
        trainable_parameters=1,
        parameters=4,
        trains_adapters=1,
        adapter_parameters=1,
    ),
    truth(lora.trainable_share, 1, trainable_parameters=4, parameters=4, trains_adapters=0, adapter_parameters=1),
    truth(lora.adapter_bytes, 4e7, trains_adapters=1, adapter_parameters=1e7, adapter_element_bytes=4),
    truth(lora.adapter_bytes, 0, trains_adapters=0, adapter_parameters=1e7, adapter_element_bytes=4),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in lora.FIGURES}


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
