"""Jobs in forms of their own: components of torchtune, Modelfiles, short numbers, files that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.rerun import job_of
from memreport.advise.search.space import fewer_bits, formats_below
from memreport.build.answers.fitting import catalogue_here
from memreport.build.stated.naming import model_of
from memreport.build.stated.reading import ReadJob, read_job
from memreport.catalogue.cards import card_named
from memreport.catalogue.programs.job import counted, named_by, stated_job
from memreport.commands.main import main
from memreport.errors import BAD_INPUT, DONE
from memreport.resolve import resolve_given

TRAINED = "--model_name_or_path meta-llama/Llama-3.1-8B --bf16 --per_device_train_batch_size 2"
TUNE = """
model: {_component_: torchtune.models.llama3_1.lora_llama3_1_8b, lora_rank: 8}
tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, max_seq_len: 2048}
batch_size: 2
"""
MODELFILE = '''# a comment
FROM llama3.1:8b-instruct-q8_0
PARAMETER num_ctx 16384
PARAMETER temperature 0.7
PARAMETER stop "<|eot_id|>"
SYSTEM """You are a
helper"""
'''
TRAINING = {
    "schema": 1,
    "id": "job",
    "version": 1,
    "title": "A job",
    "question": "Does it fit?",
    "workload": "training",
    "model": "llama-3.1-70b",
    "hardware": {"accelerator": "h100-80gb-sxm", "count": 8},
}
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 "
    "--seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --bf16 "
    "--vocab-size 50257"
)


def read(line: str, gpu: str = "h100-80gb-sxm") -> ReadJob:
    return read_job(stated_job(line), "", gpu, 0, "fit", catalogue_here())


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("sglang serve --model-path deepseek-ai/DeepSeek-V3 --tp 8 --dp 8 --enable-dp-attention", 8),
        ("sglang serve --model-path deepseek-ai/DeepSeek-V3 --tp 16 --dp 16 --enable-dp-attention --nnodes 2", 16),
        ("sglang serve --model-path Qwen/Qwen3-8B --tp 2 --dp 4", 8),
        ("vllm serve deepseek-ai/DeepSeek-V3 -dp 8 --enable-expert-parallel", 8),
    ],
)
def test_ranks_with_attention_of_their_own_are_among_those_of_tensor_parallelism(line: str, count: int) -> None:
    assert read(line, "h200-141gb-sxm").computed.resolved.cases[0].settings["count"] == count


@pytest.mark.parametrize(
    ("line", "file"),
    [
        (f"accelerate launch --config_file gone.yaml train.py {TRAINED}", "gone.yaml: is named by config_file"),
        (f"deepspeed train.py {TRAINED} --deepspeed my_zero3.json", "my_zero3.json: is named by deepspeed"),
    ],
)
def test_a_file_that_is_not_there_is_not_guessed(line: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", line, "h100"]) == BAD_INPUT
    assert file in capsys.readouterr().err


@pytest.mark.parametrize(
    ("component", "card"),
    [
        ("torchtune.models.llama3_1.llama3_1_8b", "llama-3.1-8b"),
        ("torchtune.models.qwen2_5.qlora_qwen2_5_7b_base", "qwen2.5-7b"),
        ("torchtune.models.gemma2.gemma2_9b", "gemma-2-9b"),
        ("meta-llama/Llama-3.1-8B", "llama-3.1-8b"),
    ],
)
def test_a_component_of_torchtune_names_the_model(component: str, card: str) -> None:
    assert card_named(named_by(component), catalogue_here().model_names) == card


def test_a_recipe_of_torchtune_is_read(tmp_path: Path) -> None:
    (tmp_path / "tune.yaml").write_text(TUNE, encoding="utf-8")
    case = read(str(tmp_path / "tune.yaml")).computed.resolved.cases[0]
    assert (case.card.id, case.settings["method"], case.settings["sequence_length"]) == ("llama-3.1-8b", "lora", 2048)


def test_a_modelfile_says_what_ollama_serves(tmp_path: Path) -> None:
    file = tmp_path / "Modelfile"
    file.write_text(MODELFILE, encoding="utf-8")
    found = read(str(file), "rtx-4090")
    settings = found.computed.resolved.cases[0].settings
    assert (settings["engine"], settings["weight_dtype"]) == ("llama.cpp", "q8_0")
    assert settings["max_model_len"] == 16384
    assert not found.unread
    assert main(["fit", str(file), "rtx-4090"]) == DONE


@pytest.mark.parametrize(
    ("line", "card", "engine", "weights"),
    [
        ("ollama run llama3.3", "llama-3.3-70b", "llama.cpp", "q4_k_m"),
        ("text-embeddings-router --model-id BAAI/bge-large-en-v1.5", "bert-large-uncased", "tei", "bf16"),
        ("mlx_lm.server --model mlx-community/Meta-Llama-3.1-8B-Instruct-4bit", "llama-3.1-8b", "mlx", "int4"),
        (
            "text-generation-launcher --model-id meta-llama/Llama-3.1-8B --quantize bitsandbytes-nf4",
            *("llama-3.1-8b", "tgi", "nf4"),
        ),
    ],
)
def test_servers_are_read_with_what_they_load(line: str, card: str, engine: str, weights: str) -> None:
    case = read(line, "m3-max" if engine == "mlx" else "a100-80gb-sxm").computed.resolved.cases[0]
    assert (case.card.id, case.settings["engine"], case.settings["weight_dtype"]) == (card, engine, weights)


def test_weights_whose_format_is_not_known_are_no_bf16(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "vllm serve meta-llama/Llama-3.1-8B --quantization nosuch", "h100"]) == BAD_INPUT
    assert "nosuch" in capsys.readouterr().err


@pytest.mark.parametrize(("said", "tokens"), [("128k", 128_000), ("128K", 131_072), ("auto", 131_072), ("8192", 8192)])
def test_a_context_may_be_written_short_or_left_to_the_model(said: str, tokens: int) -> None:
    found = read(f"vllm serve meta-llama/Llama-3.1-8B --max-model-len {said}")
    assert found.computed.resolved.cases[0].settings["max_model_len"] == tokens
    assert counted("25.6k") == 25_600
    assert counted("zero3") == "zero3"


def test_options_that_describe_the_model_are_not_said_to_be_unread() -> None:
    job = stated_job(MEGATRON)
    assert model_of(job, catalogue_here()) == job.architecture
    assert not read(MEGATRON).unread


def test_a_gpu_of_several_memories_is_read_as_in_questions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "llama-3.1-8b", "a100", "--serve"]) == DONE
    assert "NVIDIA A100 80 GB SXM" in capsys.readouterr().out
    assert main(["fit", "llama-3.1-8b", "rtx", "--serve"]) == BAD_INPUT


@pytest.mark.parametrize(
    ("training", "has"),
    [
        ({"framework": "llamafactory"}, (0, 0)),
        ({"framework": "llamafactory", "deepspeed": "zero3"}, (0, 0)),
        ({"framework": "trl", "deepspeed": "zero3"}, (0, 0)),
        ({"framework": "axolotl", "deepspeed": "zero3"}, (0, 1)),
        ({"framework": "deepspeed"}, (1, 1)),
        ({"framework": "megatron-lm"}, (1, 1)),
    ],
)
def test_a_search_tries_only_what_the_program_has(training: dict[str, str], has: tuple[int, int]) -> None:
    """DeepSpeed and transformers cut a model where a script asks them to; no option of these programs does."""
    job = {**TRAINING, "training": {**training, "method": "full", "micro_batch_size": 1, "sequence_length": 4096}}
    inputs = resolve_given(job).inputs
    assert (inputs["has_pipeline"][0], inputs["has_tensor_parallel"][0]) == has


def test_what_is_released_in_four_bits_is_not_quantised_again() -> None:
    served = {**TRAINING, "workload": "serving", "model": "gpt-oss-20b", "serving": {}}
    resolved = resolve_given(served)
    assert fewer_bits(job_of(resolved.loaded, resolved.catalogue)) == ()
    assert formats_below("bf16", "vllm", resolved.catalogue) == ("fp8", "awq")
    assert formats_below("fp8", "vllm", resolved.catalogue) == ("awq",)
    assert formats_below("mxfp4-experts", "llama.cpp", resolved.catalogue) == ()
