"""Truths of what the documents' listings and calls do, by hand or from a run of the library that they call."""

from __future__ import annotations

import pytest

from memreport.ledger.listings import (
    cut_off_cache_bytes,
    host_checkpoint_bytes,
    layers_with_gradient,
    listing_activation_layers,
    listing_optimizer_bytes,
    unwrapped_layers,
)


@pytest.mark.parametrize(("layers", "segments", "kept"), [(16, 4, 4), (16, 1, 16), (16, 16, 1), (10, 4, 4), (7, 2, 4)])
def test_the_last_segment_runs_as_it_is(layers: float, segments: float, kept: float) -> None:
    """Segments but the last have floor(layers / segments) layers; the last one has what is left."""
    assert unwrapped_layers.formula(layers, segments) == kept


@pytest.mark.parametrize(
    ("reentrant", "input_has_gradient", "layers"), [(1.0, 0.0, 4), (1.0, 1.0, 16), (0.0, 0.0, 16), (0.0, 1.0, 16)]
)
def test_layers_that_are_trained(reentrant: float, input_has_gradient: float, layers: float) -> None:
    """16 layers in 4 segments, run with torch 2.13: 4 layers have gradients with the re-entrant variant, else 16."""
    assert layers_with_gradient.formula(16.0, 4.0, reentrant, input_has_gradient) == layers


def test_inputs_lie_on_the_host_only_where_the_call_says_so() -> None:
    assert host_checkpoint_bytes.formula(2147483648.0, 0.0) == 0
    assert host_checkpoint_bytes.formula(2147483648.0, 1.0) == 2147483648


def test_cut_off_is_not_rounded() -> None:
    """2 vectors, 32 layers, 32 heads of 128, 4096 tokens, 32 sequences, 2 bytes: 68.72 GB, cut to 68."""
    cache = 2 * 32 * 32 * 128 * 4096 * 32 * 2
    assert cut_off_cache_bytes.formula(float(cache), 1e9) == 68e9


def test_the_listing_forgets_stages_above_three_and_counts_whole_layers() -> None:
    """12 bytes of 7e9 parameters: 84 GB, or an eighth of it on 8 cards in stages 1 to 3; the root of 32 is 5.66."""
    assert [float(listing_optimizer_bytes.formula(7e9, 12.0, stage, 8.0)) for stage in (0.0, 1.0, 3.0, 4.0)] == [
        84e9, 10.5e9, 10.5e9, 84e9,
    ]  # fmt: skip
    assert listing_activation_layers.formula(32.0, 1.0) == 5
