"""Services as people ask for them: formats beside the model, one user, GPUs of other names, caches, drafts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.catalogue.question.demand import users_said
from memreport.catalogue.question.hardware import gpus_said
from memreport.commands.main import main
from memreport.errors import BAD_INPUT
from tests.conftest import Asked
from tests.support import run, scenario_text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Llama 3.3 70B AWQ on 2 RTX 3090: how fast?", "awq as weight_dtype"),
        ("Can a 4-bit Llama 3.3 70B run on 2 RTX 4090?", "int4 as weight_dtype"),
        ("How fast is Qwen3 32B FP8 on 2 L40S?", "fp8 as weight_dtype"),
        ("How fast is Llama 3.3 70B Q4_K_M on an M4 Max 128GB?", "q4_k_m"),
        ("How fast is Llama 3.1 8B w4a16 on an L4?", "int4 as weight_dtype"),
        ("How fast is Qwen3 32B AWQ on an RTX 4090 with FP8 KV cache?", "awq as weight_dtype"),
    ],
)
def test_a_format_is_read_wherever_it_stands(asked: Asked, question: str, said: str) -> None:
    assert said in asked(question)


def test_a_cache_s_type_is_no_format_of_weights(asked: Asked) -> None:
    said = asked("How many users can Llama 3.1 8B serve on an RTX 4090 with FP8 KV cache?")
    assert "--kv-cache-dtype fp8" in said
    assert "--quantization" not in said


@pytest.mark.parametrize(
    ("question", "users"),
    [
        ("how fast is gpt-oss-20b on an rtx 4090 for one user?", 1),
        ("on 8 h100 for 200 users", 200),
        ("25 concurrent users", 25),
        ("rtx 3090 users", 0),
    ],
)
def test_users_are_those_that_a_number_stands_before(question: str, users: int) -> None:
    said = users_said(question)
    assert (said.value if said else 0) == users


def test_one_user_sees_the_speed_of_one(asked: Asked) -> None:
    said = asked("What tokens per second does one user get from Llama 3.1 70B on 4 A100 80GB?")
    assert "✓ 35.3 tokens/s" in said


def test_a_latency_is_of_a_request_that_waits_for_no_other(asked: Asked) -> None:
    """8,192 tokens on eight H100 take a third of a second; behind 255 others, nearly five."""
    said = asked("What is the latency of the first token for an 8k prompt with Llama 3.1 70B on 8 H100?")
    assert "Time to first token: 347 ms" in said
    assert " ms (" in said.split("Time to first token: ")[1][:16]


def test_stages_are_no_answer_where_tensor_parallelism_holds_nearly_as_many(asked: Asked) -> None:
    said = asked("How many concurrent users can Llama 3.3 70B in FP8 serve on 2 H100 at 8k context?")
    assert "users at once with TP 2" in said


def test_drafts_are_read(asked: Asked) -> None:
    said = asked("How fast is Llama 3.1 8B on an H100 with speculative decoding?")
    assert '"num_speculative_tokens":3' in said


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("on a ryzen ai max+ 395", "ryzen-ai-max-395"),
        ("on an arc b580", "arc-b580"),
        ("on a gaudi 3", "gaudi-3"),
        ("on 4 tpu v5e", "tpu-v5e"),
        ("on a p40", "p40"),
        ("on an r9700", "r9700"),
        ("on an m2", "m2"),
        ("minimax m2 on 8 h200", "h200"),
        ("bge-m3 on an a10", "a10"),
    ],
)
def test_gpus_of_other_names_are_read(question: str, name: str) -> None:
    assert [said.value.name for said in gpus_said(question)] == [name]


def test_nothing_stands_for_a_gpu_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    """Memory alone may be asked of no GPU, for which one of a data centre stands; not of one that is named."""
    assert main(["ask", "How much VRAM does Llama 3.1 8B need on an RTX 9999?"]) == BAD_INPUT
    assert "names no GPU that is known" in capsys.readouterr().err


def test_a_part_of_the_memory_is_asked_for_by_its_size(asked: Asked) -> None:
    assert "✓ KV cache per token 320 KiB." in asked("What is the KV cache per token for Llama 3 70B?")
    assert "✓ Weights 67.7 GiB" in asked("What is the size of the weights of Llama 3 70B in FP8?")


@pytest.mark.parametrize("people", ["users", "students", "employees", "chats"])
def test_whoever_sends_requests_is_counted_and_served(asked: Asked, people: str) -> None:
    assert "users at once" in asked(f"How many {people} can one L4 serve with Llama 3.1 8B?")
    assert "it queues" in asked(f"One H100 with Llama 3.1 8B, 50 {people}, 16k context: is it enough?")


@pytest.mark.parametrize("texts", ["images", "reviews", "tickets"])
def test_texts_and_images_in_a_time_are_requests(asked: Asked, texts: str) -> None:
    assert "2.76 requests/s" in asked(f"How many {texts} per second can Qwen2.5-VL 7B process on one L40S?")


def test_the_best_batch_is_the_largest_that_fits(asked: Asked) -> None:
    said = asked("What's the best batch size for Llama 3 8B LoRA on an A100 40GB with 2k tokens?")
    assert "✓ Up to 1 sequence at once on each GPU, 5 with full checkpointing" in said


def test_the_length_of_a_context_is_no_name_of_a_model(asked: Asked) -> None:
    """A card ends in 8K: a 70B with 8k context was answered with a model of 56B."""
    said = asked("How much VRAM for a 70B at Q4_K_M with 8k context?")
    assert "✓ 42.2 of" in said
    assert "llama-3.3-70b as model" in said


def test_what_carries_a_demand_keeps_its_targets_alone(asked: Asked) -> None:
    """The first token of 95 in 100 is the demand's; at full load it would be another time, and nothing would do."""
    said = asked("How many A100s are needed to serve Llama 2 70B with a 200 ms time to first token?")
    assert "4 × H100 80 GB SXM5, as 1 replica of TP 4" in said
    assert "the first token within 200 ms for 95 in 100" in said


def test_a_cloud_gpu_is_any_gpu_and_streams_are_users(asked: Asked) -> None:
    assert "Asked: 20 users" in asked("What is the cheapest cloud GPU to serve Llama 3 8B to 20 users?")
    assert "5 users as 5" in asked("Can a T4 run Whisper large v3 in real time for 5 streams?")


def test_what_is_offloaded_is_counted_on_the_gpu_that_is_there(asked: Asked) -> None:
    said = asked("How much RAM is required to offload Mixtral 8x7B Q4 on a 12GB GPU?")
    assert "✓ Host memory of a node 16.6 GiB, at a peak of 10.7 of 11.6 GiB per GPU with 13 layers on the GPU." in said


def test_copies_are_weighed_against_a_model_that_is_cut(asked: Asked) -> None:
    said = asked("Should I use TP=2 or DP=2 for Llama 3 8B on two A100s?")
    assert "✓ DP 2 and TP 2 give as many tokens within the error of the times" in said


def test_a_stated_demand_takes_the_targets_of_its_question(tmp_path: Path) -> None:
    """They are the demand's or no one's: what limits a search is counted at full load."""
    told = {"model": "llama-3-8b", "workload": "serving", "demand": "{users: 100, first_token_seconds: 1}"}
    question = '"Can we serve them with the first token within 2 s and 20 tokens/s each?"'
    [case] = run(tmp_path, scenario_text(**told, question=question)).resolved.cases
    assert case.settings["first_token_seconds"] == 1
    assert case.settings["tokens_per_second_per_user"] == 20


def test_one_who_waits_for_a_first_token_has_all_gpus(asked: Asked) -> None:
    """One user of eight replicas would be eight users of one."""
    said = asked("What's the time to first token for a 100k prompt on 8 H100 with Llama 3.1 70B?")
    assert "with TP 8." in said
    assert "--max-num-seqs 1 " in said


@pytest.mark.parametrize(
    ("question", "gpus"),
    [
        ("How many 24GB GPUs for Llama 3 70B in 4-bit?", "2 × GeForce RTX 4090, as 1 replica of TP 2"),
        ("How many H200 for DeepSeek R1?", "8 × H200 141 GB SXM, as 1 replica of TP 8"),
    ],
)
def test_gpus_that_a_model_runs_on_are_those_of_one_user(asked: Asked, question: str, gpus: str) -> None:
    """A replica over two workstation GPUs stands in a machine of two, not in that of one."""
    said = asked(question)
    assert f"✓ {gpus} " in said
    assert "Asked: 1 user, 2,048 tokens in" in said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("KV cache size per token of DeepSeek V3", "KV cache per token 68.6 KiB."),
        ("How big is the KV cache of Qwen3 8B at 32k?", "KV cache 4.5 GiB, at a peak of 20.9 of 72.9 GiB per GPU."),
        (
            "How many parameters has Qwen3 30B A3B and how many are active?",
            "Parameters 30,532,122,624 and parameters active per token 3,353,032,704.",
        ),
        ("How many trainable parameters has a rank 16 LoRA of Llama 3 8B?", "Trainable parameters 13,631,488."),
    ],
)
def test_what_a_model_has_on_any_gpu_is_told_by_itself(asked: Asked, question: str, said: str) -> None:
    answer = asked(question)
    assert f"✓ {said}" in answer
    assert "falls from" not in answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the throughput of Llama 3.1 70B on 4 H100?", " with TP 4 and 104 sequences at once."),
        ("How much does a million tokens cost with Llama 3.1 8B on an L4?", " in the answer with 7 sequences at once."),
        ("What is the throughput of Llama 3.1 8B on an H100 for 16 users?", " as submitted."),
    ],
)
def test_throughput_and_the_cost_of_tokens_are_of_as_many_as_have_room(asked: Asked, question: str, said: str) -> None:
    assert said in asked(question)


def test_a_pool_in_parts_decides_on_verdicts_as_on_times(asked: Asked) -> None:
    said = asked("Can an H100 serve gpt-oss-20b to 240 users at 8k context with SGLang?")
    assert "As submitted it queues (158 of 240 requests run at once, 82 wait)" in said
    shared = asked("How many users can an H100 serve with gpt-oss-20b with SGLang if 90% of the prompt is shared?")
    alone = asked("How many users can an H100 serve with gpt-oss-20b with SGLang?")
    more, held = (
        float(each.replace(",", "")) for said in (shared, alone) for each in re.findall(r"✓ (\S+) users", said)
    )
    assert more > 1.5 * held
