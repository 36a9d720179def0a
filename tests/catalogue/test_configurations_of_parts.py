"""Configurations of several parts, and experts of several shapes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memreport.catalogue.huggingface.card import imported
from memreport.errors import InputError
from tests.catalogue.test_huggingface import ARCHITECTURES, LLAMA, faults_of
from tests.support import ROOT, run, scenario_text, value

ACTIVE = {  # what their makers say, in billions
    "mimo-v2-flash": 15,
    "deepseek-v4-pro": 49,
    "ling-mini-2.0": 1.4,
    "nemotron-3-super-120b-a12b": 12.7,
    "nemotron-3-ultra-550b-a55b": 55,
}


@pytest.mark.parametrize("name", ACTIVE)
def test_parameters_that_a_token_passes_through(tmp_path: Path, name: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps(ARCHITECTURES[name]["config"]), encoding="utf-8")
    found = run(tmp_path, scenario_text(workload="serving", model="config.json", serving="{}"))
    assert value(found, "active_parameters") / 1e9 == pytest.approx(ACTIVE[name], rel=0.04)


def test_what_a_part_leaves_out_is_said_and_what_a_whole_leaves_out_is_missing() -> None:
    inner = {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10_240, "num_hidden_layers": 34}
    model = imported({"model_type": "gemma3", "text_config": inner}, "config.json")
    said = "in transformers' configuration of gemma3_text: head_dim 256, max_position_embeddings 131072,"
    assert (model.fields["head_dim"], model.fields["num_key_value_heads"]) == (256, 4)
    assert any(said in note for note in model.notes)
    assert {fault.field for fault in faults_of(inner)} == {
        "max_position_embeddings",
        "num_attention_heads",
        "vocab_size",
    }


def test_a_model_that_speaks_is_counted_as_engines_serve_it() -> None:
    model = imported(ARCHITECTURES["qwen2.5-omni-7b"]["config"], "config.json")
    assert any("not the talker" in doubt for doubt in model.doubts)
    assert any(doubt.startswith("Vision and audio tower") for doubt in model.doubts)


def test_a_block_that_nobody_counts_beside_one_that_is_counted_is_named() -> None:
    clip = {"model_type": "clip_vision_model"}
    whole = {"model_type": "llava", "text_config": LLAMA, "vision_config": clip, "audio_config": {"layers": 3}}
    assert "What audio_config describes is not counted." in imported(whole, "config.json").doubts


@pytest.mark.parametrize("wrong", [{"kv_lora_rank": None}, {"kv_lora_rank": 0}, {"qk_rope_head_dim": "64"}])
def test_latent_attention_without_a_latent_is_a_fault_unless_there_is_none(wrong: dict[str, object]) -> None:
    config = ARCHITECTURES["deepseek-v3-biased"]["config"] | wrong
    assert [fault.field for fault in faults_of(config)] == list(wrong)
    assert not imported(config | dict.fromkeys(wrong, 0) | {"use_mla": False}, "config.json").fields.get("kv_lora_rank")


def test_a_checkpoint_whose_experts_have_a_type_of_their_own(tmp_path: Path) -> None:
    """DeepSeek-V4-Flash: 277 billion in experts of 4.25 bits, 7 in FP8, a billion of embedding and head in BF16."""
    (tmp_path / "config.json").write_text(json.dumps(ARCHITECTURES["deepseek-v4-flash"]["config"]), encoding="utf-8")
    hardware = "{accelerator: h200-141gb-sxm, count: 4}"
    text = scenario_text(workload="serving", model="./config.json", serving="{max_model_len: 65536}", hardware=hardware)
    found = run(tmp_path, text)
    assert found.resolved.cases[0].settings["weight_dtype"] == "mxfp4-experts-fp8"
    assert value(found, "kv_bytes_per_token") == 21 * (2 * 128 + 132 / 4)
    assert value(found, "weight_bytes") == pytest.approx(156e9, rel=0.01)


def test_a_drafter_is_refused_though_its_language_model_is_known() -> None:
    (fault,) = faults_of({"model_type": "gemma4_assistant", "text_config": LLAMA})
    assert fault.message.startswith("has no keys and values of its own")


@pytest.mark.parametrize("blocks", [7, [], [7], [{"ffn": 3}], [{"attention": {"no_op": True}, "ffn": {"no_op": True}}]])
def test_a_list_of_blocks_that_is_broken_or_too_short_is_a_fault(blocks: object) -> None:
    config = ARCHITECTURES["llama-3.3-nemotron-super-49b"]["config"] | {"block_configs": blocks}
    with pytest.raises(InputError):
        imported(config, "config.json")


def test_a_whole_without_the_block_of_its_tower_says_that_the_tower_is_not_counted() -> None:
    whole = ARCHITECTURES["minicpm-v-2.6"]["config"]
    flat = {key: value for key, value in whole.items() if key != "vision_config"}
    assert any(doubt.startswith("Only the language model") for doubt in imported(flat, "config.json").doubts)


def test_a_table_of_queries_with_something_else_in_it_is_a_fault() -> None:
    towers = json.loads((ROOT / "tests/data/towers.json").read_text(encoding="utf-8"))
    whole = towers["aria by default"]["config"] | {"projector_patch_to_query_dict": {"1225": None}}
    assert [fault.field for fault in faults_of(whole)] == ["1225"]
