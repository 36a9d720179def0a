"""Comparisons of tokens and of what they cost: each side runs as many requests at once as it has room for."""

from __future__ import annotations

import re

from tests.conftest import Asked


def test_the_cost_of_tokens_is_compared_as_it_is_told_alone(asked: Asked) -> None:
    alone = re.search(
        r"it gives ([\d,]+) tokens/s", asked("What does a million tokens of Llama 3.1 8B cost on an H100?")
    )
    both = asked("H100 vs H200 for Llama 3.1 8B, cost per million tokens?")
    assert alone
    assert f"h100 {alone[1]} tokens/s" in both


def test_prefills_on_gpus_of_their_own_take_gpus(asked: Asked) -> None:
    """Eight H100 do 7.9 PFLOP/s in FP8 by dense rates of 16 bits: 2,048 tokens of 70B take 0.29, with 256 answered."""
    apart = re.search(
        r"; ([\d,]+) tokens/s", asked("How fast is Llama 3.1 70B FP8 on 8 H100 with disaggregated prefill?")
    )
    same = re.search(r"; ([\d,]+) tokens/s", asked("How fast is Llama 3.1 70B FP8 on 8 H100?"))
    assert apart
    assert same
    first, second = (float(each[1].replace(",", "")) for each in (apart, same))
    assert 0.7 < first / second < 1.4
