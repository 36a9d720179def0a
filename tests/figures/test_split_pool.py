"""Pools of which parts are kept apart, by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.serving import kv_cache, memory

Values = Callable[..., dict[str, float]]
POOL = {
    "kv_pool_bytes": 100e9,
    "splits_pool": 0,
    "paged": 1,
    "linear_state_bytes": 0.0,
    "window_kv_layers": 0,
    "full_kv_layers": 10,
    "layer_kv_bytes_per_token": 2000.0,
    "context_length": 5000,
    "paged_tokens": 5000,
    "paged_window_tokens": 1000,
    "paged_sequence_bytes": 2000.0 * 10 * 5000,
    "shared_prefix_tokens": 0,
    "block_size": 1,
}
HELD = "paged_concurrent_sequences"


@pytest.fixture
def split(evaluate: Values) -> Values:
    figures = (
        memory.pooled_layers,
        kv_cache.shared_prefix_bytes,
        memory.pooled_bytes,
        memory.paged_concurrent_sequences,
    )
    return lambda **changed: evaluate(figures, {**POOL, **changed})


def test_a_pool_that_all_share_is_filled_by_what_a_sequence_caches(split: Values) -> None:
    assert split(linear_state_bytes=50e6, window_kv_layers=30)["pooled_bytes"] == 1e8
    assert split(splits_pool=1)["pooled_bytes"] == 1e8, "there is nothing to keep apart"


def test_states_take_their_part_several_for_each_request(split: Values) -> None:
    own = {"splits_pool": 1, "linear_state_bytes": 100e6}
    assert split(**own)[HELD] == 47.4e9 // 500e6
    assert split(**own, paged_tokens=100_000)[HELD] == 52.6e9 // (2000 * 10 * 100_000)


def test_layers_with_a_window_get_tokens_as_others_do(split: Values) -> None:
    values = split(splits_pool=1, window_kv_layers=50)
    assert values["pooled_layers"] == pytest.approx(10 + 0.8 * 50)
    assert values[HELD] == 100e9 * (10 / 50) // (2000 * 10 * 5000)


def test_a_token_of_the_pool_takes_its_part_of_what_is_kept_for_others() -> None:
    block = memory.kv_block_bytes.formula
    assert block(2000, 60, 0, 0, 0, 50, 16) == 2000 * 60 * 16, "one pool: every layer"
    assert block(2000, 60, 0, 0, 1, 50, 16) == 2000 * 50 * 16, "windows keep 0.8 of the tokens"


def test_the_part_of_short_windows_is_full_first(split: Values) -> None:
    short = split(splits_pool=1, window_kv_layers=50, paged_tokens=1000, paged_window_tokens=1000)
    assert short[HELD] == 100e9 * (40 / 50) // (2000 * 50 * 1000)


def test_a_shared_prefix_stands_once_in_its_part_and_states_share_none(split: Values) -> None:
    own = {"splits_pool": 1, "shared_prefix_tokens": 4000}
    assert split(**own, window_kv_layers=50)[HELD] == (20e9 - 2000 * 10 * 4000) // (2000 * 10 * 1000)
    states = split(**own, linear_state_bytes=100e6)[HELD]
    assert 93 <= states <= 47.4e9 / 500e6
