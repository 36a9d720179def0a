"""Names of models and GPUs as questions write them: sizes, formats in a name, counts behind it, several at once."""

from __future__ import annotations

import pytest

from memreport.build.answers.fitting import catalogue_here
from memreport.catalogue.unstated.model import are_listed, models_in
from memreport.catalogue.unstated.named_gpus import gpus_near, without_numbers
from memreport.commands.main import main
from memreport.errors import BAD_INPUT
from memreport.frame import computed_from
from memreport.resolve.records import Case
from tests.conftest import Asked


def read(question: str) -> tuple[Case, ...]:
    scenario = {"schema": 1, "id": "question", "version": 1, "title": question, "question": question}
    return tuple(computed_from(scenario).resolved.cases)


IN_A_NAME = [
    ("Meta-Llama-3.1-70B-Instruct-GPTQ-INT4 on one A6000", "llama-3.1-70b", "int4", "vllm"),
    ("nvidia/Llama-3.1-405B-Instruct-FP4 on 4 B200", "llama-3.1-405b", "nvfp4", "vllm"),
    ("Llama-3.3-70B-Instruct-FP8 on 2 H100", "llama-3.3-70b", "fp8", "vllm"),
    ("Qwen3-235B-A22B-FP8 on 4 H200", "qwen3-235b-a22b", "fp8", "vllm"),
    ("Does Llama-3.1-8B-Instruct-AWQ fit on a T4?", "llama-3.1-8b", "int4", "vllm"),
    ("TheBloke/Llama-2-13B-chat-GPTQ on one 3090", "llama-2-13b", "int4", "vllm"),
    ("TheBloke/Llama-2-13B-chat-GGUF on one 3090", "llama-2-13b", "q4_k_m", "llama.cpp"),
]


@pytest.mark.parametrize(("question", "model", "weights", "engine"), IN_A_NAME)
def test_the_format_in_a_name_is_that_of_the_weights(question: str, model: str, weights: str, engine: str) -> None:
    (case,) = read(question)
    assert (case.card.id, case.settings["weight_dtype"], case.settings["engine"]) == (model, weights, engine)


def test_weights_of_four_bits_are_trained_with_adapters() -> None:
    (case,) = read("unsloth/Llama-3.2-3B-bnb-4bit finetune on one T4")
    assert (case.card.id, case.settings["method"]) == ("llama-3.2-3b", "qlora")
    (whole,) = read("unsloth/Llama-3.2-3B finetune on one H100")
    assert whole.settings["method"] == "full"


SIZES = [
    ("Llama 3.2 90B Vision on 4 H100?", ["Llama-3.2-90B-Vision"]),
    ("Llama 3.2 11B on one L40S?", ["llama-3.2-11b-vision"]),
    ("mistral 123b on 4 H100?", ["mistral-large-123b"]),
    ("deepseek r1 70b on 2 A6000", ["llama-3.1-70b"]),
    ("Llama 3.3 8B on one L4?", []),
    ("Falcon 9B on one L4?", []),
    ("foobar-7b on one L4?", []),
    ("Does a 7B model fit one L4?", ["mistral-7b-v0.1"]),
    ("llama 3 8b instruct vs mistral 7b on L4", ["llama-3-8b-instruct", "mistral-7b-v0.1"]),
    ("4bit vs 8bit Llama 3.1 70B on 2 A100", ["Llama-3.1-70B"]),
]


@pytest.mark.parametrize(("text", "models"), SIZES)
def test_a_model_has_the_size_that_is_said(text: str, models: list[str]) -> None:
    assert [said.value for said in models_in(text, catalogue_here().model_names)] == models


def test_formats_named_by_their_bits_are_compared() -> None:
    cases = read("4bit vs 8bit Llama 3.1 70B on 2 A100")
    assert [case.settings["weight_dtype"] for case in cases] == ["int4", "int8"]


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("Llama 3.1 8B, Mistral 7B and Qwen2.5 7B on one H100", True),
        ("Can a 7B model and a 13B model run on one H100?", True),
        ("Llama 3.3 70B with Llama 3.2 1B as a draft on 2 H100", False),
        ("llama 3 8b vs mistral 7b on L4", False),
    ],
)
def test_models_in_a_row_are_several_at_once(text: str, *, listed: bool) -> None:
    assert are_listed(text, catalogue_here().model_names) is listed


GPUS = [
    ("H100 x8 full fine-tune of Llama 3.1 8B", "h100-80gb-sxm", 8),
    ("Tesla P40 x2 with Llama 3.1 8B q4", "p40", 2),
    ("H100 NVL x2 for Llama 3.3 70B in FP8", "h100-94gb-nvl", 2),
    ("Llama 3.3 70B q4 on a 3090 and a 4090", "rtx-4090", 2),
    ("Llama 3.3 70B q4 on one 3090 and one 3060 together", "rtx-3060-12gb", 2),
    ("Does gpt-oss-120b run on a Strix Halo?", "ryzen-ai-max-395", 1),
    ("Llama 3.1 8B on AMD 7900 XTX", "rx-7900-xtx", 1),
    ("qwen 32b q4_k_m 24gb", "rtx-4090", 1),
    ("Is Qwen 14B q4 ok for 12 GB?", "rtx-3060-12gb", 1),
    ("Can 24 GB run Qwen 32B q4?", "rtx-4090", 1),
    ("Llama 3.3 70B on 2x80", "h100-80gb-sxm", 2),
    ("Llama 3.1 8B on 5060ti 16gb", "rtx-5060-ti-16gb", 1),
    ("deepseek r1 on cpu epyc 9554 tokens/s q4", "epyc-9554", 1),
]


@pytest.mark.parametrize(("question", "gpu", "count"), GPUS)
def test_gpus_are_read_as_they_are_named(question: str, gpu: str, count: int) -> None:
    (case,) = read(question)
    assert (case.settings["accelerator"], case.settings["count"]) == (gpu, count)


@pytest.mark.parametrize(
    ("question", "gpus"),
    [
        ("How fast is Llama 3.1 8B on an L4, an A10 and a T4?", ["l4", "a10", "t4"]),
        ("Llama 3.1 8B q4 on 3090, 4090 and 5090", ["rtx-3090", "rtx-4090", "rtx-5090"]),
        ("Time per step of Llama 3 8B LoRA on H100 and on H200", ["h100-80gb-sxm", "h200-141gb-sxm"]),
    ],
)
def test_gpus_in_a_list_are_compared(question: str, gpus: list[str]) -> None:
    assert [case.settings["accelerator"] for case in read(question)] == gpus


def test_a_processor_by_name_has_the_memory_beside_it_and_its_number_is_no_rate() -> None:
    scenario = "DeepSeek R1 q4 on an EPYC 9554 with 768 GB RAM: how many tokens/s?"
    found = computed_from({"schema": 1, "id": "question", "version": 1, "title": scenario, "question": scenario})
    assert found.values["capacity_bytes"][0] == 768 * 2**30
    tables = catalogue_here().tables
    assert "9554" not in without_numbers("deepseek r1 on epyc 9554 tokens/s", lambda: tables)
    assert without_numbers("H100 at 300 tokens/s", lambda: tables) == "H100 at 300 tokens/s"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Llama 3.1 8B on RTX 4095?", "known (allowed: memreport list accelerators)\n  did you mean 'rtx-4090'"),
        ("Llama 3.1 8B on Quadro P6000 24gb", "did you mean 'quadro-rtx-6000'"),
        ("Llama 3.3 8B on one L4?", "known (allowed: memreport list models)\n  did you mean 'llama-3-8b' or"),
        ("Llama 3.1 8B, Mistral 7B and Qwen2.5 7B on one H100", "names several models, and one is computed at a time"),
        ("Distill 70B into 8B on 8 H100", "what is not computed here (found 'distill'"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused_with_what_may_be_meant(
    question: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", question]) == BAD_INPUT
    assert said in capsys.readouterr().err


def test_a_name_with_no_likeness_has_no_suggestion() -> None:
    assert gpus_near("Does Llama 3 8B fit?", catalogue_here().tables) == ""


def test_the_format_at_the_end_of_a_files_name_is_read(asked: Asked) -> None:
    assert "--model Llama-3.1-8B-Q4_K_M.gguf" in asked(
        "Llama-3.1-8B-Instruct-Q4_K_M.gguf on a 3090, tokens per second?"
    )
    assert "of 21.7 GiB" in asked("Llama 3.1 8B on a 3090, tokens per second?")  # whose number is no rate


@pytest.mark.parametrize(
    ("text", "models"),
    [
        ("train a 1T parameter MoE with 32B active on 15.5T tokens", ["kimi-k2"]),
        ("a 235B MoE (22B active) on 8 H100", ["qwen3-235b-a22b"]),
        ("a 671B mixture of experts with 37 billion activated parameters", ["deepseek-v3"]),
        ("a MoE with 32B active and 1T total parameters", ["kimi-k2"]),
        ("a 30B MoE on a 4090", ["qwen3-30b-a3b"]),
        ("a 1.5T MoE with 50B active", []),
        ("Kimi K2 1T with 32B active", ["Kimi-K2"]),
        ("a 32B on 15.5T tokens", ["qwen2.5-32b"]),
    ],
)
def test_a_mixture_is_no_dense_model_of_its_active_parameters(text: str, models: list[str]) -> None:
    assert [said.value for said in models_in(text, catalogue_here().model_names)] == models
