"""Models that answer with a vector or a score: no cache, no head, texts that fill a pass, and what the host adds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.serving import pooling

Values = Callable[..., dict[str, float]]


def test_an_embedder_has_neither_cache_nor_logits_nor_head(served: Values) -> None:
    own, pooled = served(), served(pooling=1)
    assert own["makes_tokens"] == 1
    assert pooled["makes_tokens"] == pooled["kv_cache_bytes"] == pooled["logits_bytes"] == 0
    assert own["weight_bytes"] - pooled["weight_bytes"] == 128256 * 4096 * 2


@pytest.mark.parametrize(
    ("tokens", "at_most", "together"), [(512, 256, 16), (8192, 256, 1), (20000, 256, 1), (32, 8, 8)]
)
def test_texts_fill_a_pass(tokens: float, at_most: float, together: float) -> None:
    assert pooling.prompts_together.formula(0, 1, 8192, tokens, at_most, 0) == together
    assert pooling.prompts_together.formula(1, 1, 8192, tokens, at_most, 0) == 1


def test_the_engine_s_own_number_of_sequences_fills_it_where_none_is_stated() -> None:
    assert pooling.prompts_together.formula(0, 1, 8192, 32, 32, 256) == 256


def test_launches_that_take_longer_than_the_work_are_waited_for() -> None:
    added = pooling.pooling_host_seconds.formula
    assert added(0, 0.007, 0.004, 0.0004, 1e-5, 16) == pytest.approx(0.003 + 0.0004 + 16e-5)
    assert added(0, 0.007, 0.050, 0.0004, 1e-5, 16) == pytest.approx(0.0004 + 16e-5)
    assert added(1, 0.007, 0.004, 0.0004, 1e-5, 16) == 0


def test_a_server_gives_no_more_texts_than_it_reads_requests() -> None:
    assert pooling.text_seconds.formula(0, 0.0002, 0.001) == 0.001
    assert pooling.text_seconds.formula(0, 0.02, 0.001) == 0.02
    assert pooling.text_seconds.formula(1, 0.0002, 0.001) == 0.0002


def test_texts_at_once_are_those_of_a_pass(served: Values) -> None:
    assert served(pooling=1, context_length=512)["max_concurrent_sequences"] == 16
    assert served(pooling=1, context_length=20000)["max_concurrent_sequences"] == 1
