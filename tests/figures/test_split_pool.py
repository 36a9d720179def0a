"""Pools of which parts are kept apart, by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.serving import memory

Values = Callable[..., dict[str, float]]
POOL = {
    "kv_pool_bytes": 100e9,
    "splits_pool": 0,
    "linear_state_bytes": 0.0,
    "window_kv_layers": 0,
    "full_kv_layers": 10,
    "layer_kv_bytes_per_token": 2000.0,
    "paged_tokens": 5000,
}


@pytest.fixture
def split(evaluate: Values) -> Values:
    figures = (memory.state_part, memory.full_part, memory.sequences_with_states, memory.split_sequences)
    return lambda **changed: evaluate(figures, {**POOL, **changed})


def test_a_pool_that_all_share_sets_no_limit(split: Values) -> None:
    assert split(linear_state_bytes=50e6, window_kv_layers=30)["split_sequences"] == 100e9


def test_states_take_their_part_several_for_each_request(split: Values) -> None:
    own = {"splits_pool": 1, "linear_state_bytes": 100e6}
    values = split(**own)
    assert values["sequences_with_states"] == pytest.approx(47.4e9 / 500e6) == values["split_sequences"]
    few = split(**own, paged_tokens=100_000)["split_sequences"]
    assert few == pytest.approx(52.6e9 / (2000 * 10 * 100_000))
    assert split(splits_pool=1)["state_part"] == 0


def test_layers_with_a_window_get_tokens_as_others_do(split: Values) -> None:
    values = split(splits_pool=1, window_kv_layers=50)
    assert values["full_part"] == pytest.approx(10 / (10 + 0.8 * 50))
    assert values["split_sequences"] == pytest.approx(100e9 * 0.2 / (2000 * 10 * 5000))
