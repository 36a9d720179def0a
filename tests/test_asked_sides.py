"""Questions that weigh two things at once, name no GPU, or leave the batch of a training open."""

from __future__ import annotations

import re

import pytest

from memreport.build.answers.fitting import fitted
from memreport.catalogue.load import catalogue_for
from memreport.catalogue.unstated.model import models_in
from tests.conftest import Asked


def test_sides_that_differ_in_several_fields_are_compared(asked: Asked) -> None:
    said = asked("Is a 4-bit Llama 3 70B on one A100 80GB better than 16-bit on two?")
    assert "148 tokens/s with 24 at once; bf16, two of them 90 tokens/s with 6 at once" in said


def test_layouts_of_several_sizes_are_compared_as_one_each(asked: Asked) -> None:
    said = asked("TP 2 PP 4 vs TP 8 for Llama 3.1 8B training on 8 H100 with Megatron?")
    assert "Read in the question: TP 2 PP 4, TP 8, Llama-3.1-8B as model" in said


@pytest.mark.parametrize(
    ("said", "model"),
    [
        ("a 27B model", "gemma-3-27b"),
        ("a 33B model in 4-bit", "qwen2.5-32b"),
        ("a 7B model", "mistral-7b-v0.1"),
        ("Qwen 7B", "qwen-7b"),
        ("a 1B model", "llama-3.2-1b"),
    ],
)
def test_a_size_is_one_whole_number(said: str, model: str) -> None:
    assert [found.value.lower() for found in models_in(said, catalogue_for().model_names)] == [model]


def test_tokens_of_a_sequence_are_no_tokens_of_a_run(asked: Asked) -> None:
    said = asked("What batch size can I use for full fine-tuning Mistral 7B on 2 H100 with 4096 tokens?")
    assert "✓ Up to 5 sequences at once on each GPU" in said
    assert "4,096 tokens as sequence_length" in said


def test_pairs_are_samples_of_a_run(asked: Asked) -> None:
    said = asked("DPO of Llama 3 8B on 4 H100: memory and time for 60k pairs?")
    assert "122,880,000 tokens as training_tokens" in said


def test_a_batch_that_nobody_states_is_a_usual_one(asked: Asked) -> None:
    """One sequence a step and GPU would update states on the host every 16,384 tokens, several times as long."""
    said = asked("How long does full fine-tuning of Llama 3 70B take on 8 A100 80GB?")
    assert "no batch as 64 sequences a step" in said
    assert "✓ 4.82 days" in said
    text, _ = fitted("llama-3-70b", "a100-80gb-sxm", "x8", "full", None)
    assert "sequence 2,048, 64 a step" in text


def test_where_nobody_says_how_many_are_served_a_replica_over_several_gpus_serves_as_many_as_one(asked: Asked) -> None:
    said = asked("Is 4 A100 80GB enough for Llama 3 70B?")
    assert "✓ Yes, with one setting: TP 4." in said
    assert "At full load, 32 at once" in said


def test_the_cheapest_gpu_answers_what_something_costs_where_none_is_named(asked: Asked) -> None:
    said = asked("How much does it cost to serve 10 million tokens per day with Llama 3 70B?")
    assert "✓ 2 × A100 80 GB PCIe" in said
    assert "What was submitted" not in said


def test_gpus_that_are_rented_by_the_eight_are_not_cheaper_for_one(asked: Asked) -> None:
    said = asked("How much does it cost to fine-tune Llama 3 8B with LoRA on 100 million tokens?")
    assert "with 1 × H100 80 GB SXM5." in said
    assert "unless other jobs use" not in said


def test_a_cost_is_the_answer_whatever_it_is_the_cost_of(asked: Asked) -> None:
    assert "✓ $" in asked("Pretraining cost of a 1.3B model on 100B tokens on A100s")


def test_users_are_shared_among_the_replicas_of_each_side(asked: Asked) -> None:
    said = asked("Is it cheaper to serve Llama 3.1 8B on 2 L40S or 1 H100 for 200 users?")
    assert "33.4 of 41 GiB" in said
    assert "117 of 72.9 GiB" in said


def test_the_fewest_gpus_move_nothing_to_the_host_where_more_need_not(asked: Asked) -> None:
    said = asked("How many A100 80GB are needed to fine-tune Falcon 180B with QLoRA?")
    assert "✓ 2 × A100 80 GB SXM4 with full checkpointing and ZeRO-3." in said


def test_what_is_written_has_a_length_and_a_number(asked: Asked) -> None:
    said = asked(
        "How long will it take to generate 1 million product descriptions of 200 tokens with Mistral 7B on one A10G?"
    )
    assert "for 1 million requests" in said
    assert "200 tokens as output_tokens" in said


def test_a_context_that_has_to_fit_is_filled_by_one_sequence(asked: Asked) -> None:
    said = asked("Does a 128k context fit for Qwen2.5 32B on 2 A100 80GB?")
    assert "130,816 tokens as prompt_tokens" in said
    assert "1 user" in said


def test_memory_of_the_host_is_told_where_states_are_offloaded(asked: Asked) -> None:
    said = asked("How much RAM do I need to offload optimizer states of a 30B model on 4 H100?")
    assert "✓ Host memory of a node 568 GiB" in said


def test_a_carbon_footprint_is_no_memory(asked: Asked) -> None:
    said = asked("What is the carbon footprint of training a 7B on 1T tokens on 64 H100?")
    assert " kg of CO2 with ZeRO-2" in said


def test_what_is_doubled_is_compared_with_what_it_was(asked: Asked) -> None:
    said = asked("What happens to memory if I double the sequence length for Llama 2 7B LoRA on an A100?")
    assert "✓ 26.8 of 80 GiB per GPU with sequence 2048; 40 of 80 GiB per GPU with sequence 4096." in said


def test_a_sentence_that_states_may_come_before_the_one_that_asks(asked: Asked) -> None:
    said = asked("Our budget is $500. What can we train on an A100 with QLoRA of Llama 3 8B?")
    assert "billion tokens" in said
    assert "for $500 as submitted." in said


def test_gpus_may_stand_before_their_name(asked: Asked) -> None:
    said = asked("Will 7B training fit on 4 GPUs RTX A6000?")
    assert "4 gpus rtx a6000 as hardware" in said


def test_a_layout_that_is_named_is_kept(asked: Asked) -> None:
    said = asked("Memory per GPU for Mixtral 8x7B training with EP 8 on 8 H100?")
    assert "✗ 149 of 79.6 GiB per GPU, which does not fit." in said


def test_a_price_an_hour_is_what_is_paid(asked: Asked) -> None:
    said = asked("We pay $1.80/h for an A100 80GB. What does LoRA of Llama 3 8B on 200M tokens cost?")
    assert "✓ $21.80" in said
    both = asked("Is $2 per hour for an H100 cheaper than $1.20 per hour for an A100 for LoRA of Llama 3 8B?")
    assert "$2 an hour and $1.2 an hour" in both


def test_a_pretraining_takes_more_sequences_a_step_and_as_many_gpus_as_it_needs(asked: Asked) -> None:
    said = asked("Cost to pretrain a 70B model on 15T tokens with H100s at $2.50 per GPU hour")
    assert "1024 sequences a step" in said
    assert "offload" not in said.partition("Assumed")[0]


def test_gpus_are_compared_with_less_memory_before_they_are_compared_in_greater_number(asked: Asked) -> None:
    assert "rtx 4080 with full checkpointing" in asked("What is faster for 7B QLoRA: RTX 3090 or RTX 4080?")


def test_the_cache_of_so_many_tokens(asked: Asked) -> None:
    assert "✓ KV cache 31.2 GiB" in asked("How much does the KV cache take for 100k tokens with Llama 3.3 70B?")


def test_a_first_token_may_stand_behind_its_time(asked: Asked) -> None:
    said = asked("Would 4 L40S be enough to serve Mixtral 8x7B to 50 users under 1 second first token?")
    assert "✗ No, not on 4 × L40S; the nearest that is fast enough" in said


def test_what_lets_one_of_several_gpus_fit_is_taken_by_all(asked: Asked) -> None:
    """Eight L40S hold it with recomputed layers alone: beside eight H100 without, two things would differ."""
    said = asked("Which is faster for full fine-tuning of Llama 2 13B: L40S, A100 or H100?")
    assert "✓ 8 × h100 is fastest" in said
    assert "; all with full checkpointing and gradients reduced each micro-batch." in said


def test_checkpointing_is_read_beside_what_it_is_named_with(asked: Asked) -> None:
    said = asked("Does full fine-tuning of Llama 2 13B with ZeRO-3 and full checkpointing fit on 8 L40S?")
    assert "and full checkpointing as full" in said


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("vLLM or TensorRT-LLM for Llama 3 70B on 4 H100?", ("vllm", "tensorrt-llm")),
        ("DeepSpeed or FSDP for a 7B full fine-tune on 8 A100?", ("fsdp", "deepspeed")),
        ("Unsloth vs Axolotl for QLoRA of Llama 3 8B on a 4090?", ("unsloth is fastest", "axolotl with full")),
    ],
)
def test_programs_are_compared_under_the_names_that_a_question_gives_them(
    asked: Asked, question: str, names: tuple[str, str]
) -> None:
    lead = asked(question).partition("✓ ")[2]
    assert lead.startswith(names[0])
    assert names[1] in lead


def test_another_gpu_is_weighed_against_those_that_are_there(asked: Asked) -> None:
    second = "Does adding a second GPU double throughput for Llama 3 8B on A100?"
    said = asked("Would another A100 help fine-tuning Llama 3 8B with LoRA on one A100?")
    assert re.search(r"✓ 2 GPUs is fastest: [\d.]+ h \([\d. to]+ h\); 1 GPU ", said)
    assert re.search(r"with 1 GPU; [\d,]+ tokens/s \([\d, to]+\) with 2 GPUs\.", asked(second))


def test_number_formats_of_a_training_are_compared_and_what_both_take_is_said_once(asked: Asked) -> None:
    said = asked("How much faster is FP8 training than BF16 for Llama 3 8B on 8 H100?")
    assert re.search(r"✓ FP8 is 1\.\d+ times as fast as BF16, within the error of the times: FP8 ", said)
    assert said.count("; both with ZeRO-3") == 1


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("LoRA rank 8 vs rank 256 for Llama 3 8B on one A100?", "rank 8 60.4 h", "rank 256 60.9 h"),
        ("Is LoRA rank 8 or 256 faster for Llama 3 8B on one A100?", "rank 8 60.4 h", "rank 256 60.9 h"),
        ("TP 2 or 2 replicas for Llama 3.1 8B on 2 H100?", "DP 2 4,0", "TP 2 3,"),
        ("Does an H200 beat two H100 for Llama 70B FP8 with 32k prompts?", "two h100 gives the most tokens", "; h200 "),
        (
            "What changes if I go from 8 to 16 A100 for full fine-tuning of Llama 3 8B?",
            "16 × a100 is fast",
            "; 8 × a100",
        ),
    ],
)
def test_both_numbers_of_a_setting_are_sides(question: str, first: str, second: str, asked: Asked) -> None:
    assert first in (said := asked(question))
    assert second in said
    assert "✓ Yes" not in said


def test_memory_is_compared_where_it_is_asked_behind_the_sides(asked: Asked) -> None:
    assert "GPU with muon" in asked("Muon vs AdamW memory for 7B pretraining on 8 H100?").partition("as fast")[0]
