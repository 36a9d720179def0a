"""Questions for a format of weights, and for hardware where nothing is to move to the host."""

from __future__ import annotations

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
    assert "with 5 × H100 80 GB SXM5 and ZeRO-2." in said


def test_gpus_that_are_compared_are_one_replica_where_one_lacks_room(asked: Asked) -> None:
    said = asked("Is an RTX 6000 Ada or two RTX 4090 better for serving Qwen2.5 32B AWQ?")
    assert "17.8 of 21.7 GiB" in said


def test_a_speed_that_two_options_share_is_said_once(asked: Asked) -> None:
    said = asked("What's the time to first token for a 32k prompt on Llama 3.1 8B with an A10G?")
    assert said.count("Time to first token: 19 s") == 1
    assert "as submitted" not in said.partition("Peak")[0]
