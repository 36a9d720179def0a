"""Questions for what limits a job: arithmetic or memory bandwidth."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Asked

DECODED = r"✓ Memory-bound in the decode step \(\d+ % of its least time\) and compute-bound in the prefill"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is Llama 3 8B decode on H100 memory bound or compute bound at batch 32?", DECODED),
        ("What is the bottleneck when serving Llama 3 70B on 4 H100?", DECODED),
        ("Is training Llama 3 8B on 8 H100 compute bound?", r"✓ Compute-bound in the training step"),
    ],
)
def test_what_limits(asked: Asked, question: str, said: str) -> None:
    answer = asked(question)
    assert re.search(said, answer), answer
    assert "the ridge of the GPU is 295 FLOP/byte" in answer  # 989 TFLOP/s by 3.35 TB/s
