"""Questions for files: weights on disk, checkpoints that a training goes on from, adapters."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Asked

FILES = [
    # BLOOM (bigscience/bloom, "Checkpoint size"): BF16 weights 329 GB, with optimizer states 2.3 TB, both binary.
    ("How big is the checkpoint of BLOOM 176B with optimizer states?", r"optimizer states included 2,300 GiB\."),
    ("How big is BLOOM 176B on disk?", r"Weights on disk 328\.\d GiB\."),
    # 14 bytes a parameter: BF16 weights, FP32 copy and two moments.
    ("How much disk do checkpoints every 500 steps of Llama 3 8B take?", r"optimizer states included 104\.7 GiB\."),
    # Hugging Face, bartowski/Meta-Llama-3-70B-Instruct-GGUF: 42.52 GB.
    ("How big is the download of Llama 3 70B in Q4_K_M?", r"Weights on disk 39\.[5-9] GiB\."),
    # openai/gpt-oss-120b: 65.25 GB.
    ("What is the file size of gpt-oss-120b?", r"Weights on disk 60\.[5-9] GiB\."),
    # 13,631,488 parameters in FP32, as PEFT saves them.
    ("How big is a LoRA adapter of rank 16 for Llama 3 8B?", r"Adapter 52 MiB\."),
    ("What is the checkpoint size of Llama 3 8B?", r"Weights on disk 15\.0 GiB\."),
]


@pytest.mark.parametrize(("question", "said"), FILES)
def test_the_size_of_files(asked: Asked, question: str, said: str) -> None:
    answer = asked(question)
    assert re.search(said, answer), answer
    assert "per GPU" not in answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much VRAM do I need to serve the Llama 3 8B checkpoint in FP8?", "per GPU with one sequence"),
        ("How many H100 to train Llama 3 8B with checkpoints every hour?", "× H100"),
        ("How much does it cost to download and serve Llama 3 8B on an H100?", "a month"),
    ],
)
def test_what_names_files_and_asks_for_something_else(asked: Asked, question: str, said: str) -> None:
    answer = asked(question)
    assert said in answer
    assert "on disk" not in answer
