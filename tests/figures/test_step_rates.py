"""Rates by a board's power, casts and adapters by what runs them, fetches of ZeRO-3: worked by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.time import kernel_shapes
from memreport.figures.time.step import attention, fetches, rates, streams
from memreport.figures.traffic import exposed

Values = Callable[..., dict[str, float]]


def test_a_gpu_with_half_the_power_for_its_peak_reaches_less_and_one_with_plenty_almost_all() -> None:
    """An H100 limited to 350 W; an H20 of 500 W, whose peak of 148 TFLOP/s is 0.15 of the H100's."""
    assert rates.power_per_peak.formula(350, 700, 1e15, 1e15) == 0.5
    assert rates.power_per_peak.formula(350, 0, 1e15, 1e15) == 1
    assert rates.product_power_share.formula(0.5) == pytest.approx(0.5**0.39)
    assert rates.attention_power_share.formula(0.5) == pytest.approx(0.5**0.72)
    assert rates.reached_share_16bit.formula(0.58, 0.5**0.39, 1) == pytest.approx(0.58 * 0.763, rel=1e-3)
    h20 = rates.power_per_peak.formula(500, 700, 148e12, 989.5e12)
    assert rates.reached_share_16bit.formula(0.58, rates.product_power_share.formula(h20), 1) == 0.95


def test_rates_in_8_bit_are_less_with_a_scale_for_each_row() -> None:
    given = {"sixteen_bit_flop_per_second": 0.0, "reached_share_16bit": 0, "sustained_share_4bit": 0}
    given |= {"eight_bit_flop_per_second": 2e15, "sustained_share_8bit": 0.5, "four_bit_flop_per_second": 0}
    rate = rates.sustained_flop_per_second.formula(**given, product_power_share=1, fp8_rate_factor=0.8)
    assert rate == pytest.approx(0.8e15)


def test_attention_reaches_no_more_than_the_peak_allows() -> None:
    slow = attention.attention_slowdown.formula(1, 0.3, 0.24, 0, 1.7, 1)
    assert slow == pytest.approx(2 / 0.3 + 2.5 / 0.24)
    assert attention.attention_slowdown.formula(0, 0.6, 0.6, 1, 1.7, 1) == pytest.approx(1 / 0.95 + 2.5 / 0.95)


def test_tensor_ranks_norm_a_part_of_the_tokens_each_where_sequences_are_cut() -> None:
    """Eight ranks: of 2 residual sums of a layer of width 64, seven eighths are another rank's."""
    queries_and_keys = kernel_shapes.rank_query_key_values.formula(10, 64, 16, 2)
    assert queries_and_keys == 10 * 80 / 2
    assert kernel_shapes.rank_norm_values.formula(128, 8, 0, queries_and_keys) == 16
    assert kernel_shapes.rank_norm_values.formula(128, 8, 1, queries_and_keys) == 16 + 400
    others = kernel_shapes.residual_values.formula(64, 10, 8)
    assert others == 64 * 10 * 2 * 7 / 8
    assert kernel_shapes.rank_pointwise_inputs.formula(64 * 10 * 4 + 5, others) == 64 * 10 * 4 / 8 + 5
    assert kernel_shapes.rank_pointwise_outputs.formula(64 * 10 * 2 + 5, others) == 64 * 10 * 2 / 8 + 5
    assert kernel_shapes.residual_values.formula(64, 10, 1) == 0


def test_an_adapter_in_16_bits_moves_less_than_one_in_fp32() -> None:
    """Forward, of an input: read; dropped, read and written with a mask; cast to FP32; cast back by autocast."""
    value = streams.adapter_input_bytes.formula
    assert value(2, 2, 2, 0) == 2
    assert value(2, 2, 2, 0.1) == 2 + 2 + 2 + 1
    assert value(2, 4, 2, 0.1) == 2 + (4 + 4 + 1) + (2 + 4) + (4 + 2)
    assert streams.widest_adapter_bytes.formula(1, 4, 2) == 4
    assert streams.widest_adapter_bytes.formula(0, 4, 2) == 2
    assert streams.multiplied_adapter_bytes.formula(4, 2) == 2
    assert streams.eager_adapter_bytes.formula(0, 7, 2) == (7 + 6 * 2) / 2
    assert streams.eager_adapter_bytes.formula(1, 7, 2) == 3 * 2 / 2
    assert (streams.adapter_value_bytes.formula(0, 9.5), streams.adapter_value_bytes.formula(1, 9.5)) == (9.5, 4)


def test_weights_are_cast_in_every_micro_batch_or_once_a_step_and_frozen_ones_never() -> None:
    assert streams.cast_weight_bytes.formula(1000, 0.5, 10, 1, 4, 0) == 1000 * 0.5 * 10 * 4
    assert streams.cast_weight_bytes.formula(1000, 0.5, 4, 0, 4, 1) == 1000 * 0.5 * 4
    assert streams.cast_weight_bytes.formula(1000, 0.5, 4, 0, 4, 0) == 0


def test_zero_3_fetches_matrix_by_matrix_in_every_pass() -> None:
    """A gated layer has seven matrices, with adapters of rank 64 on all of them 21; those of rank 8 stay whole."""
    assert fetches.fetched_matrices.formula(3, 0, 16) == 7
    assert fetches.fetched_matrices.formula(3, 7, 64) == 21
    assert fetches.fetched_matrices.formula(3, 7, 8) == 7
    assert fetches.fetching_seconds.formula(7, 32, 1, 0, 4, 1, 1e-3) == pytest.approx(7 * 32 * 3 * 4 * 1e-3)
    assert fetches.fetching_seconds.formula(7, 32, 1, 1, 4, 1, 1e-3) == pytest.approx(7 * 32 * 4 * 4 * 1e-3)
    assert fetches.fetching_seconds.formula(7, 32, 1, 1, 4, 0, 1e-3) == 0
    assert (fetches.issuing_seconds.formula(1, 2), fetches.issuing_seconds.formula(0, 2)) == (3, 0)
    assert fetches.working_seconds.formula(2, 1) == 3
    assert fetches.fetch_exposed_seconds.formula(3, 3) == pytest.approx(3 * 2 ** (1 / 3) - 3)
    assert fetches.fetch_exposed_seconds.formula(3, 0) == 0


def test_traffic_beside_products_is_waited_for_less() -> None:
    assert exposed.waited_tensor_share.formula(0) == 1
    assert exposed.waited_tensor_share.formula(1) == 0.7


def test_a_token_goes_once_to_each_gpu_that_has_experts_for_it() -> None:
    """Eight experts of eight GPUs meet 8 x (1 - (7/8)^8) = 5.25 of them."""
    share = exposed.distinct_rank_share.formula(1, 8, 8)
    assert share == pytest.approx(1 - (7 / 8) ** 8)
    assert exposed.distinct_rank_share.formula(0, 8, 8) == 1
    assert exposed.exchanged_bytes.formula(100, share) == pytest.approx(65.6, rel=1e-3)
    assert exposed.dispatch_bytes_per_second.formula(1, 1, 100) == 77
    assert exposed.dispatch_bytes_per_second.formula(0, 60, 100) == 60
    assert exposed.exchange_network_share.formula(0, 1, 0.9, 0.2, 0.5) == 0.4
    assert exposed.exchange_network_share.formula(1, 0, 0.9, 0.2, 1) == 0.2
    assert exposed.exchange_network_share.formula(0, 0, 0.9, 0.2, 1) == 0.9


def test_libraries_of_before_are_slower() -> None:
    assert rates.library_factor.formula(12.4, 0.8) == 0.8
    assert rates.library_factor.formula(12.6, 0.8) == rates.library_factor.formula(13, 0.8) == 1
    assert rates.reached_share_16bit.formula(0.7, 1, 0.8) == pytest.approx(0.56)
