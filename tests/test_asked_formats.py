"""Questions for a format of weights, and for hardware where nothing is to move to the host."""

from __future__ import annotations

import re

import pytest

from memreport.build.asking import asked as answer
from memreport.errors import InputError
from tests.conftest import Asked


def test_the_format_is_the_answer_where_it_is_asked_which(asked: Asked) -> None:
    said = asked("Which quantization do I need to fit Llama 3.3 70B in 48 GB?")
    assert "✓ awq (39.2 of 41 GiB); 2 would not fit." in said
    desktop = asked("Which quant of Llama 3.3 70B fits a MacBook Pro M3 Max with 64 GB?")
    assert "✓ q4_k_m" in desktop
    assert "With q4_k_m, the peak memory is" in desktop


def test_the_smallest_gpu_moves_nothing_to_the_host(asked: Asked) -> None:
    assert "✓ 1 × B200 SXM" in asked("What hardware do I need for fine-tuning a 70B model with LoRA?")


def test_gpu_hours_are_of_as_many_gpus_as_it_needs(asked: Asked) -> None:
    said = asked("How many GPU hours to train Llama 3 8B on 15 trillion tokens with H100s?")
    assert re.search(r"GPU-hours, 8\d\.\d days", said)
    assert "On how many GPUs is not stated: on so many as end it within 90 days." in " ".join(said.split())


def test_gpus_that_are_compared_are_one_replica_where_one_lacks_room(asked: Asked) -> None:
    said = asked("Is an RTX 6000 Ada or two RTX 4090 better for serving Qwen2.5 32B AWQ?")
    assert "17.8 of 21.7 GiB" in said


def test_a_speed_that_two_options_share_is_said_once(asked: Asked) -> None:
    said = asked("What's the time to first token for a 32k prompt on Llama 3.1 8B with an L4?")
    assert said.count("Time to first token: ") == 1
    assert "as submitted" not in said.partition("Peak")[0]


def test_gpus_of_nodes_are_counted(asked: Asked) -> None:
    assert "56.2 of 79.6 GiB" in asked("Pretrain a 7B on 16 nodes of 8 H100: how long for 1T tokens?")
    assert "41.2 of 79.6 GiB" in asked(
        "How long to pretrain Llama 2 70B on 2T tokens with 8 H100 per node on 32 nodes?"
    )


def test_the_time_of_a_step_is_told(asked: Asked) -> None:
    said = asked("LoRA of Llama 3 8B on an A100: how long per step?")
    assert "a step" in said.partition("Peak")[0]


def test_a_batch_with_a_number_is_stated_and_not_asked_for(asked: Asked) -> None:
    said = asked("How big is the KV cache of Llama 3 8B at 8k context and batch 32?")
    assert "✓ KV cache 32 GiB (1 GiB of each)" in said
    assert "users at once" not in said


def test_states_are_asked_for_without_a_gpu(asked: Asked) -> None:
    assert "✓ Optimizer states 97 GiB" in asked("What's the memory of Adam states for a 13B model?")


def test_embeddings_and_concurrency_are_a_load(asked: Asked) -> None:
    assert "Asked: 1,670 requests/s" in asked("How many L4 to serve 100k embeddings per minute with bge-m3?")
    said = asked("What throughput can I expect from SGLang with Llama 3.1 8B on an H100 at 64 concurrency?")
    assert "64 users" in said


def test_optimizers_are_compared(asked: Asked) -> None:
    said = asked("What's the difference in memory between AdamW and 8-bit AdamW for Llama 3 8B on an H100?")
    assert "with adamw-8bit, which does not fit; 139 of 79.6 GiB per GPU" in said


def test_models_answer_to_what_people_call_them(asked: Asked) -> None:
    assert "gpt2-xl as model" in asked("How many days to train GPT-2 1.5B on 10B tokens on 4 RTX 3090?").lower()
    assert "bert-base-uncased as model" in asked("Will batch size 16 fit for BERT-base at 512 tokens on a T4?")


def test_a_desktop_with_ram_takes_layers(asked: Asked) -> None:
    said = asked("Can 64 GB of RAM and an RTX 3060 12GB run Mixtral 8x7B?")
    assert "13 layers on the GPU" in said
    assert "Needs 16.6 GiB of host memory." in said


def test_the_cheapest_way_to_write_so_many_tokens_is_their_cost(asked: Asked) -> None:
    said = asked("Cheapest way to generate 10 billion tokens with Llama 3.1 70B?")
    assert "for 39,062,500 requests with" in said


def test_offloading_is_of_a_training(asked: Asked) -> None:
    assert "a run of 1 billion tokens" in asked(
        "Is 2 TB of RAM enough for ZeRO-Infinity offload of a 30B on 8 A100 40GB?"
    )


def test_an_amount_asks_of_any_gpu(asked: Asked) -> None:
    assert "of $1,000" in asked("Is $1000 enough to LoRA fine-tune Llama 3 70B on 500M tokens?")


def test_a_length_is_of_no_workload_where_two_are_named() -> None:
    with pytest.raises(InputError) as error:
        answer("We have $500. What can we train with a 70B on 3 MI300X at 8k context for 50 users?")
    assert error.value.faults[0].message == "the question speaks of training and of serving"


def test_a_command_line_is_no_question() -> None:
    with pytest.raises(InputError) as error:
        answer("vllm serve meta-llama/Llama-3.1-70B --tensor-parallel-size 8 on 8 H100")
    assert error.value.faults[0].expected == "memreport fit 'COMMAND LINE' GPU [xN]"


def test_a_framework_that_is_named_trains(asked: Asked) -> None:
    said = asked("What MFU should I expect for Llama 2 70B pretraining on 256 H100 with Megatron TP 8 PP 4?")
    assert "megatron" in said.partition("Read in")[2]
    assert re.search(r"MFU reached: 4\d", said)
    assert (
        "nemo" not in asked("Can I LoRA fine-tune Mistral Nemo on a 4090?").partition("Read in")[2].split("as model")[1]
    )


def test_frameworks_are_compared(asked: Asked) -> None:
    said = asked("Does Megatron or DeepSpeed use less memory for a 70B on 16 H100?")
    assert "with megatron with ZeRO-3, full checkpointing and 8-bit AdamW;" in said
    assert "sync_each_batch" not in said


def test_the_largest_context_of_a_model_asks_for_no_model(asked: Asked) -> None:
    said = asked("Max context for a 7B model in BF16 on RTX 3090?")
    assert "✓ Up to 32,768 tokens a sequence" in said
    assert "Up to base" not in said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much KV cache does {} take for 100 users at 8192 tokens in FP8?", "✓ KV cache 50 GiB"),
        ("How much VRAM for {} at 128k context in Q8 with Q8 KV cache?", "✓ 16.6 of"),
        ("Does FP8 KV cache double the users of {} on a L4?", "✓ 9 users at once with BF16 cache; 18 with FP8 cache."),
        ("Can two RTX 4090 serve a 70B in 3-bit?", "q3_k_m as weight_dtype"),
        ("Can two RTX 4090 serve a 70B in 5 bit GGUF?", "q5_k_m as weight_dtype"),
        ("Can two RTX 4090 serve a 70B in 4 bit GGUF?", "q4_k_m as weight_dtype"),
        ("Which quantization of Llama 3.3 70B fits two RTX 3090?", "q3_k_m"),
        ("4-bit {} VRAM compared with 16-bit", "per GPU with 32 sequences at once with int4"),
        ("Does speculative decoding with a 1B draft fit for {} on an L4?", "1b draft as 1000000000"),
    ],
)
def test_formats_belong_to_what_they_stand_beside(asked: Asked, question: str, said: str) -> None:
    assert said in " ".join(asked(question.format("Llama 3.1 8B")).split())
