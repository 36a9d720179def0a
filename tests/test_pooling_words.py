"""Embedders and rerankers: served as such by their card, by an engine's words, by what a question asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.catalogue.question.model import engines_said
from memreport.commands.main import main
from memreport.errors import DONE
from memreport.report.engine_command import engine_command
from memreport.report.view import View
from tests.support import run, scenario_text, value

ONE = "{accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}"


def asked(capsys: pytest.CaptureFixture[str], question: str) -> str:
    assert main(["ask", question]) == DONE
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "serving", ["{}", "{runner: pooling}", "{task: embed}", "{engine: sglang, is_embedding: true}"]
)
def test_an_embedder_is_served_as_one(tmp_path: Path, serving: str) -> None:
    text = scenario_text(workload="serving", model="qwen3-embedding-8b", serving=serving, hardware=ONE)
    found = run(tmp_path, text)
    assert found.resolved.variants[0].settings["output_tokens"] == 1
    assert value(found, "makes_tokens") == value(found, "kv_cache_bytes") == 0
    said = engine_command(View(found), 0)
    assert said.endswith(("--runner pooling", "--is-embedding"))


def test_a_decoder_of_tokens_embeds_where_an_engine_is_told_so(tmp_path: Path) -> None:
    for given, makes in (("{task: embed}", 0), ("{task: generate}", 1), ("{}", 1)):
        text = scenario_text(workload="serving", model="llama-3.1-8b", serving=given, hardware=ONE)
        assert value(run(tmp_path, text), "makes_tokens") == makes


def test_an_embedder_may_be_asked_for_tokens(tmp_path: Path) -> None:
    text = scenario_text(workload="serving", model="qwen3-embedding-8b", serving="{pooling: false}", hardware=ONE)
    assert value(run(tmp_path, text), "makes_tokens") == 1


def test_users_of_an_embedder_are_texts(capsys: pytest.CaptureFixture[str]) -> None:
    said = asked(capsys, "How many users can bge-m3 on an L4 with TEI serve at 512 tokens each?")
    assert "texts/s), 32 texts of 512 tokens in a pass" in said
    assert "users at once" not in said


def test_pairs_of_a_reranker_are_counted_in_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    assert "texts/s" in asked(capsys, "Qwen3-Reranker-4B on an RTX 4090: how many pairs of 512 tokens per second?")


def test_a_service_is_of_the_engine_that_a_question_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert "sglang.launch_server" in asked(capsys, "How fast is Llama 3.1 8B with SGLang on an H100?")


def test_ollama_serves_what_its_library_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Qwen3-8B-Q4_K_M.gguf" in asked(capsys, "Can Ollama run Qwen3 8B on an RTX 4070?")
    assert "gpt-oss-20b-MXFP4" in asked(capsys, "Can Ollama run gpt-oss-20b on an RTX 4090?")


def test_words_that_mean_more_than_an_engine_name_one_after_a_preposition_alone() -> None:
    names = ("vllm", "transformers", "trt-llm", "llama.cpp", "tgi")
    assert [*engines_said("vllm or llama.cpp?", names)] == ["vllm", "llama.cpp"]
    assert [*engines_said("how do transformers work in a gpu?", names)] == []
    assert [*engines_said("with hugging face transformers, or trt llm", names)] == ["transformers", "trt-llm"]


def test_what_makes_no_tokens_holds_none_beside_what_it_reads(tmp_path: Path) -> None:
    blocks = {"model": "bge-large-en-v1.5", "workload": "serving", "serving": "{pooling: true, prompt_tokens: 512}"}
    found = run(tmp_path, scenario_text(**blocks))
    assert value(found, "context_length") == value(found, "max_model_len") == 512
    assert not [each for each in found.resolved.warnings if each.field == "max_model_len"]
