"""A model card is called after the release that it describes, and answers to the names that people use for it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from memreport.catalogue.cards import card_named, model_holding, release
from memreport.catalogue.load import catalogue_for
from memreport.commands.main import main
from memreport.compute import Computed
from memreport.errors import BAD_INPUT, DONE, InputError
from tests.support import run, scenario_text, value

NAMES = catalogue_for().model_names


def served(tmp_path: Path, model: str) -> Computed:
    return run(tmp_path, scenario_text(workload="serving", model=f'"{model}"', serving="{}"))


@pytest.mark.parametrize(
    ("name", "card", "weights"),
    [
        ("deepseek-r1", "deepseek-v3", "fp8"),
        ("deepseek-ai/DeepSeek-R1-0528", "deepseek-v3", "fp8"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "qwen2.5-14b", "bf16"),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "deepseek-r1-0528-qwen3-8b", "bf16"),
        ("Qwen/QwQ-32B-AWQ", "qwen2.5-32b", "int4"),
        ("TheBloke/Mistral-7B-Instruct-v0.2-AWQ", "mistral-7b-v0.2", "int4"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b-2507", "bf16"),
        ("Qwen/Qwen3-30B-A3B-FP8", "qwen3-30b-a3b", "fp8"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-30b-a3b-2507", "bf16"),
        ("mistralai/Mixtral-8x22B-v0.1", "mixtral-8x22b", "bf16"),
        ("mistralai/Mixtral-8x22B-Instruct-v0.1", "mixtral-8x22b-instruct", "bf16"),
        ("bartowski/Qwen_Qwen3-8B-GGUF", "qwen3-8b", "q4_k_m"),
        ("x/Meta-Llama-3.1-8B-Instruct-Q8_0-GGUF", "llama-3.1-8b", "q8_0"),
        ("llama3.1:70b-instruct-q8_0", "llama-3.1-70b", "q8_0"),
        ("llama3.1:8b-instruct-fp16", "llama-3.1-8b", "bf16"),
        ("mistral:7b", "mistral-7b-v0.3", "q4_k_m"),
        ("deepseek-r1:70b", "llama-3.1-70b", "q4_k_m"),
        ("qwen2.5-coder:32b", "qwen2.5-coder-32b", "q4_k_m"),
        ("gpt-oss:20b", "gpt-oss-20b", "mxfp4-experts"),
        ("phi-1_5", "phi-1.5", "bf16"),
        ("https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct/tree/main", "llama-3.1-8b", "bf16"),
        ("hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M", "qwen3-8b", "q4_k_m"),
        ("Qwen2.5 7B Instruct", "qwen2.5-7b", "bf16"),
        ("neuralmagic/Mistral-7B-Instruct-v0.3-GPTQ-4bit", "mistral-7b-v0.3", "int4"),
        ("ISTA-DASLab/gemma-3-27b-it-GPTQ-4b-128g", "gemma-3-27b", "int4"),
        ("mlx-community/Meta-Llama-3.1-8B-Instruct-4bit", "llama-3.1-8b", "int4"),
        ("unsloth/gemma-3-4b-it-unsloth-bnb-4bit", "gemma-3-4b", "nf4"),
        ("google/gemma-3-27b-it-qat-q4_0-gguf", "gemma-3-27b", "q4_0"),
        ("unsloth/gpt-oss-20b-GGUF", "gpt-oss-20b", "mxfp4-experts"),
        ("BAAI/bge-large-en-v1.5", "bert-large-uncased", "bf16"),
        ("moonshotai/Kimi-K2-Thinking", "kimi-k2.5", "int4-experts"),
    ],
)
def test_a_name_leads_to_the_card_of_its_architecture(tmp_path: Path, name: str, card: str, weights: str) -> None:
    (case,) = served(tmp_path, name).resolved.cases
    assert (case.card.id, case.settings["weight_dtype"]) == (card, weights)


def test_a_further_model_is_named_as_what_it_is_counted_as(tmp_path: Path) -> None:
    found = served(tmp_path, "deepseek-ai/DeepSeek-R1")
    (case,) = found.resolved.cases
    assert case.card.title == "DeepSeek-R1, as DeepSeek-V3 671B"
    assert "has the architecture of deepseek-ai/DeepSeek-V3 (aiconfigurator" in case.card.notes
    assert case.card.repository == "deepseek-ai/DeepSeek-R1"
    assert not [said for said in found.resolved.warnings if said.field == "model"]
    assert value(found, "parameters") == value(served(tmp_path, "deepseek-v3"), "parameters")


def test_the_line_says_what_was_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "llama3.1:8b", "rtx-4090", "--serve"]) == DONE
    assert "Assumed: counted as llama-3.1-8b, weights q4_k_m, llama.cpp, " in capsys.readouterr().out
    assert main(["fit", "llama-3.1-8b", "rtx-4090", "--qlora"]) == DONE
    assert "counted as" not in capsys.readouterr().out


def test_a_name_of_several_models_is_answered_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "mistral-7b", "rtx-4090"]) == BAD_INPUT
    said = "did you mean 'mistral-7b-v0.1' or 'mistral-7b-v0.2' or 'mistral-7b-v0.3'"
    assert said in capsys.readouterr().err


def test_part_of_a_name_is_enough_where_only_one_model_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    for name, card in (("r1-distill-llama-8b", "llama-3.1-8b"), ("llama-7b", "llama-1-7b")):
        assert main(["fit", name, "h100-sxm", "--serve"]) == DONE
        assert f"counted as {card}" in capsys.readouterr().out


def test_a_part_of_a_name_is_the_model_that_begins_with_it() -> None:
    cards = {"codestral": "mistral-small-22b", "qwq": "qwen2.5-32b", "unsloth/tinyllama-bnb-4bit": "tinyllama-1.1b"}
    assert {name: card_named(model_holding(name, NAMES), NAMES) for name in cards} == cards
    assert model_holding("unsloth/tinyllama-bnb-4bit", NAMES).endswith("-bnb-4bit")
    assert model_holding("mistral-7b", NAMES) == model_holding("llama3.1", NAMES) == ""


def test_the_list_of_models_has_every_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "models", "--format", "json"]) == DONE
    listed = json.loads(capsys.readouterr().out)
    assert set(listed) == set(NAMES.values())
    assert listed["llama-3.1-70b"].startswith(
        "meta-llama/Llama-3.1-70B, deepseek-ai/DeepSeek-R1-Distill-Llama-70B, dee"
    )


def test_no_two_cards_answer_to_one_name() -> None:
    called = Counter(release(name, ("tuned", "dated")) for name in {*NAMES} - {*NAMES.values()})
    assert [name for name, times in called.items() if times > 1] == []
    assert all(card_named(name, NAMES) == card for name, card in NAMES.items())


@pytest.mark.parametrize(
    "also", ["5", "[5]", "[{hf_repo: a/b, of: c}]", "[{source: {title: t}}]", "[{hf_repo: 5, source: {title: t}}]"]
)
def test_what_is_no_list_of_models_is_a_fault(tmp_path: Path, also: str) -> None:
    card = Path(catalogue_for().model_files["llama-2-7b"]).read_text(encoding="utf-8")
    (tmp_path / "models").mkdir()
    mine = card.replace("id: llama-2-7b", "id: mine").partition("also:")[0] + "notes" + card.partition("\nnotes")[2]
    (tmp_path / "models" / "mine.yaml").write_text(f"{mine}also: {also}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine.yaml:\d+:\d+: also.*must be a list of models, each a block of words"):
        run(tmp_path, scenario_text(model="mine"))
