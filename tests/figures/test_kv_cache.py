from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.model import matrices, parallelism
from memreport.figures.model import parameters as model
from memreport.figures.serving import halves, kv_cache, kv_values, memory
from memreport.figures.serving.pooling import makes_tokens
from memreport.formula.printing import to_excel
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
LINES = (
    *figures_in(model),
    *figures_in(matrices),
    *figures_in(parallelism, "serving"),
    makes_tokens,
    *figures_in(halves),
    *figures_in(kv_values),
    *figures_in(kv_cache),
    memory.pooled_layers,
    memory.pooled_bytes,
)
RUN = {"kv_element_bytes": 2, "context_length": 4096, "max_model_len": 8192, "block_size": 16, "paged": 1} | {
    "decode_context_parallel_size": 1,
    "draft_num_hidden_layers": 0,
    "draft_num_key_value_heads": 0,
    "draft_head_dim": 0,
    "step_tokens": 8192,
    "splits_pool": 0,
    "repeats_key_values": 0,
    "caches_repeated_heads": 0,
    "expands_latents": 0,
}


@pytest.fixture
def cache(evaluate: Values, llama_3_8b: dict[str, float]) -> Values:
    def values(**changed: float) -> dict[str, float]:
        return evaluate(LINES, {**llama_3_8b, **RUN, "max_num_seqs": 32, **changed})

    return values


@pytest.mark.parametrize(
    ("layers", "heads", "per_token", "whole"),
    [(32, 32, 524_288, 68_719_476_736), (32, 8, 131_072, 17_179_869_184), (40, 40, 819_200, 107_374_182_400)],
    ids=["llama-2-7b", "llama-3-8b", "13b"],
)
def test_cache_of_32_sequences_of_4096_tokens(
    cache: Values, layers: float, heads: float, per_token: float, whole: float
) -> None:
    values = cache(num_hidden_layers=layers, num_key_value_heads=heads)
    assert values["kv_bytes_per_token"] == per_token
    assert values["kv_cache_bytes"] == whole


@pytest.mark.parametrize(("ranks", "heads", "per_token"), [(1, 8, 131_072), (8, 1, 16_384), (16, 1, 16_384)])
def test_tensor_parallelism_cuts_heads_until_one_is_left(
    cache: Values, ranks: float, heads: float, per_token: float
) -> None:
    values = cache(tensor_parallel_size=ranks)
    assert values["kv_heads_per_rank"] == heads
    assert values["kv_bytes_per_token"] == per_token


@pytest.mark.parametrize("ranks", [1, 8])
def test_a_latent_cache_is_whole_on_every_rank(cache: Values, ranks: float) -> None:
    values = cache(
        num_hidden_layers=61, kv_lora_rank=512, qk_rope_head_dim=64, qk_nope_head_dim=128, tensor_parallel_size=ranks
    )
    assert values["kv_bytes_per_token"] == 61 * 576 * 2


def test_windowed_layers_stop_growing(cache: Values) -> None:
    values = cache(num_sliding_window_layers=16, sliding_window=1024)
    per_layer = 2 * 8 * 128 * 2
    assert values["kv_sequence_bytes"] == per_layer * (16 * 4096 + 16 * 1024)
    assert cache(sliding_window=4096, num_sliding_window_layers=32, context_length=32768)["windowed_tokens"] == 4096


def test_linear_attention_layers_keep_a_state_instead(cache: Values) -> None:
    values = cache(num_linear_attention_layers=24, linear_attention_state_bytes=1_000_000, context_length=16)
    assert values["kv_layers"] == 8
    assert values["kv_sequence_bytes"] == 8 * 4096 * 16 + 24_000_000


def test_a_request_is_counted_with_pages_for_every_token_of_a_batch(cache: Values) -> None:
    """32 layers of 4,096 bytes a token: 360,675 bytes for each of 2,048 tokens are 5,635.5 tokens of all layers."""
    given = {"step_tokens": 2048, "max_model_len": 8192, "block_size": 16}
    values = cache(**given, batch_state_bytes=360_675)
    assert values["batch_state_tokens"] == pytest.approx(360_675 * 2048 / 4096 / 32)
    assert values["request_pool_tokens"] == pytest.approx(8192 + 5635.546875)
    assert cache(**given, batch_state_bytes=0)["request_pool_tokens"] == 8192


def test_blocks_are_whole_and_contiguous_reservation_is_the_longest(cache: Values) -> None:
    values = cache(context_length=513)
    assert values["paged_sequence_bytes"] == 528 * 131_072
    assert values["contiguous_sequence_bytes"] == 8192 * 131_072
    assert cache(paged=0)["kv_cache_bytes"] == 32 * 8192 * 131_072


def test_a_window_that_is_not_paged_has_room_for_a_batch(cache: Values) -> None:
    """gpt-oss in llama.cpp: 128 and 512 tokens are three blocks of 256."""
    given = {"sliding_window": 128, "step_tokens": 512, "block_size": 256}
    assert cache(**given)["contiguous_window_tokens"] == 768
    assert cache(**given, max_model_len=512, context_length=512)["contiguous_window_tokens"] == 512


def test_half_of_the_layers_on_each_of_two_stages(cache: Values) -> None:
    assert cache(pipeline_parallel_size=2)["kv_bytes_per_token"] == 65_536


def test_where_the_cache_outgrows_the_weights(cache: Values) -> None:
    values = cache(num_key_value_heads=32, weight_bytes=14e9)
    assert values["kv_crossover_tokens"] == pytest.approx(26_702.88, abs=0.01)
    assert values["kv_crossover_context"] == pytest.approx(834.465, abs=0.001)
    assert values["kv_to_weight_ratio"] == pytest.approx(68.719476736 / 14)


@pytest.mark.parametrize(
    ("settings", "cached"),
    [
        ({}, 576),
        ({"expands_latents": 1}, 16 * (128 + 64) + 16 * 128),
        ({"kv_lora_rank": 0, "num_key_value_heads": 8}, 2 * 8 * 64),
        ({"kv_lora_rank": 0, "num_key_value_heads": 8, "repeats_key_values": 1}, 2 * 8 * 64),
        ({"kv_lora_rank": 0, "repeats_key_values": 1, "caches_repeated_heads": 1}, 2 * 16 * 64),
    ],
)
def test_transformers_caches_what_a_models_own_code_hands_it(
    evaluate: Values, settings: dict[str, float], cached: float
) -> None:
    """DeepSeek-V2 Lite's latents, expanded up to transformers 4; Falcon's keys and values, repeated to all heads."""
    given = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "num_attention_heads": 16} | {
        "value_size": 2048, "expands_latents": 0, "num_key_value_heads": 16, "repeats_key_values": 0,
        "caches_repeated_heads": 0, "tensor_parallel_size": 1, "head_dim": 64,
    }  # fmt: skip
    assert evaluate(figures_in(kv_values), given | settings)["layer_kv_values"] == cached


def test_formulas_as_excel_shows_them() -> None:
    assert to_excel(kv_values.layer_kv_values.expression) == (
        "IF(kv_lora_rank>0,latent_kv_values,KEY_AND_VALUE*kv_heads_per_rank*head_dim)"
    )
