"""Scores and masks of llama.cpp's attention, against buffers that it logged."""

from __future__ import annotations

import pytest

from memreport.figures.serving.transient import attention_mask_bytes, masked_tokens, unfused_attention_bytes

MIB = 2**20
LAYER = {"max_num_batched_tokens": 512, "tensor_parallel_size": 1, "unfused_score_bytes": 4} | {
    "live_element_bytes": 4, "unfused_residual_copies": 4,
}  # fmt: skip


@pytest.mark.parametrize(
    ("fused", "mask", "tokens", "heads", "hidden", "mib"),
    [
        (0, 1, 8192, 32, 4096, 512 + 16 + 32),  # Llama 3.1 8B: scores, the mask in FP32, four hidden states
        (1, 1, 262144, 24, 5120, 512 + 256 + 40),  # Qwen3.6 27B: the mask in FP32, cast to 16 bit, four hidden states
        (1, 0, 262144, 24, 5120, 0),  # an engine that masks inside its kernel
    ],
)
def test_scores_or_masks_of_a_batch(fused: int, mask: int, tokens: int, heads: int, hidden: int, mib: int) -> None:
    found = unfused_attention_bytes.formula(
        flash_attention=fused, holds_mask=mask, scored_tokens=tokens, num_attention_heads=heads, hidden_size=hidden,
        **LAYER,
    )  # fmt: skip
    assert found == mib * MIB


@pytest.mark.parametrize(("fused", "mib"), [(1, 32), (0, 0)])
def test_the_mask_that_fused_attention_is_given(fused: int, mib: int) -> None:
    """32,768 cached tokens in 16 bit for each of 512, which b10809 logs on the host, too: 52.02 MiB with two of 10."""
    found = attention_mask_bytes.formula(
        flash_attention=fused, mask_element_bytes=2, step_tokens=512, masked_tokens=32768
    )
    assert found == mib * MIB


@pytest.mark.parametrize(("layers", "slots", "tokens"), [(0, 1, 32768), (12, 1, 32768 + 768), (12, 4, 32768 + 1024)])
def test_layers_with_a_window_have_a_mask_of_their_own(layers: int, slots: int, tokens: int) -> None:
    """gpt-oss: 128 tokens of each slot and the batch of 512, in blocks of 256."""
    found = masked_tokens.formula(
        scored_tokens=32768, max_num_seqs=slots, sliding_window=128, num_sliding_window_layers=layers,
        step_tokens=512, block_size=256,
    )  # fmt: skip
    assert found == tokens


def test_a_window_wider_than_the_cache_masks_no_more_than_that() -> None:
    assert masked_tokens.formula(1024, 1, 4096, 6, 512, 256) == 2048
