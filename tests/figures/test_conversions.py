"""What a prefill moves beside its products where values are FP32 and weights are packed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.time.serving import conversions as serving_conversions
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
GIVEN = {
    "converts_values": 1, "vendor_products": 1, "qkv_projection_inputs": 10, "qkv_projection_outputs": 12,
    "output_projection_inputs": 8, "output_projection_outputs": 10, "plain_mlp_inputs": 30, "plain_mlp_outputs": 30,
    "expert_inputs": 0, "expert_outputs": 0, "qkv_projection_weights": 120, "output_projection_weights": 80,
    "plain_mlp_weights": 800, "prefill_expert_weights": 0, "prefill_experts_flop": 640, "expert_tile_rows": 128,
    "num_experts_per_tok": 8, "num_local_experts": 128, "int8_flop_per_second": 800,
    "fp16_flop_per_second": 400, "expert_share_8bit": 0.25,
    "expert_flop_per_second": 300, "weight_element_bytes": 0.6, "prefill_chunks": 3,
    "flash_attention": 0, "unfused_score_bytes": 4, "prefill_tokens": 100, "prefill_attended_tokens": 50,
    "num_attention_heads": 8, "tensor_parallel_size": 2, "value_bytes_per_second": 1e3, "unpacking_seconds": 0.5,
    "phase_tokens": 33, "phase_expert_weights": 0, "unpack_flop": 20, "fp32_flop_per_second": 1e6,
    "superblocks": 0, "unpack_superblock_flop": 50, "phase_expert_passes": 3, "decode_tokens": 100,
    "packed_product_slots": 0, "fp32_issue_share": 0.5, "product_flop_per_second": 700, "decode_product_traffic": 2.0,
    "decode_unpacking_seconds": 1.0, "sums_in_16bit": 1, "half_sum_factor": 2, "runs_cuda": 1, "fills_expert_tiles": 0,
    "served_half_flop_per_second": 400, "unpacked_expert_weights_per_second": 0,
    "expert_bandwidth_share": 0.9,
    "unpacked_weights_per_second": 0, "compute_units": 50, "memory_bytes_per_second": 2e3, "overlap_order": 3,
    "fp4_flop_per_second": 800, "fp8_flop_per_second": 800,
}  # fmt: skip


@pytest.fixture
def moved(evaluate: Values) -> Values:
    return lambda **changed: evaluate(figures_in(serving_conversions), {**GIVEN, **changed})


def test_values_are_converted_around_every_product_and_weights_before_it(moved: Values) -> None:
    values = moved()
    assert values["converted_values"] == 100
    assert values["unpacked_bytes"] == pytest.approx(3 * 1000 * 2.6)
    assert values["score_traffic_bytes"] == 4 * 5 * 100 * 50 * 4
    traffic = 100 * 100 * 14 + 3 * 1000 * 2.6 + 4 * 5 * 100 * 50 * 4
    family = serving_conversions.conversion_seconds
    assert family.formula(*({**GIVEN, **values}[name] for name in family.inputs)) == pytest.approx(traffic / 1e3 + 0.5)


def test_sixteen_bit_weights_are_not_unpacked_and_fused_attention_stores_no_scores(moved: Values) -> None:
    assert moved(weight_element_bytes=2)["unpacked_bytes"] == 0
    assert moved(flash_attention=1)["score_traffic_bytes"] == 0


def test_kernels_of_an_engine_s_own_unpack_for_every_32_tokens() -> None:
    weights, seconds = serving_conversions.unpacked_weights, serving_conversions.unpacking_seconds
    assert weights.formula(*(GIVEN[name] for name in weights.inputs)) == 2 * 1000
    experts = {**GIVEN, "phase_expert_weights": 400}
    assert weights.formula(*(experts[name] for name in weights.inputs)) == 2 * 1000 + 3 * 400
    given = {**GIVEN, "unpacked_weights": 2000, "weight_unpacking_flop": 20}
    assert seconds.formula(*(given[name] for name in seconds.inputs)) == 0  # the vendor's library
    shaders = {**given, "vendor_products": 0}
    assert seconds.formula(*(shaders[name] for name in seconds.inputs)) == pytest.approx(20 * 2000 / 1e6)


def test_scales_of_scales_take_more_arithmetic(moved: Values) -> None:
    assert (moved()["weight_unpacking_flop"], moved(superblocks=1)["weight_unpacking_flop"]) == (20, 50)


def test_experts_are_unpacked_for_every_32_of_their_own_rows_and_half_a_tile_is_empty(moved: Values) -> None:
    """1,536 tokens in three batches, 8 of 128 experts each: 32 rows an expert.  100 tokens of a step: 6 rows."""
    values = moved(prefill_tokens=1536)
    assert (values["prefill_expert_passes"], values["decode_expert_passes"]) == (3 * 1.5, 1)
    assert moved(prefill_tokens=48)["prefill_expert_passes"] == 3
    assert moved(decode_tokens=1024)["decode_expert_passes"] == 2


def test_a_decode_step_waits_for_unpacking_only_beyond_the_weights_way_from_memory() -> None:
    family = serving_conversions.exposed_unpacking_seconds
    assert family.formula(2.0, 1.0) == pytest.approx(9 ** (1 / 3) - 2)
    assert family.formula(2.0, 0.0) == 0


def test_packed_weights_are_multiplied_as_integers_where_an_engine_does_so(moved: Values) -> None:
    packed = moved(packed_product_slots=0.5, fp32_flop_per_second=100)
    assert (packed["packed_products"], packed["prompt_product_flop_per_second"]) == (1, 100 / (0.5 * 0.5))
    assert packed["unpacked_bytes"] == 0
    assert moved()["prompt_product_flop_per_second"] == 700
    for other in ({"runs_cuda": 0}, {"vendor_products": 0}, {"weight_element_bytes": 2}, {"int8_flop_per_second": 400}):
        assert moved(packed_product_slots=0.5, **other)["packed_products"] == 0


def test_blocks_of_integers_move_fewer_bytes_a_value() -> None:
    family = serving_conversions.conversion_seconds
    given = {"converts_operands": 1, "packed_products": 1, "converted_values": 10, "unpacked_bytes": 0}
    values = {**GIVEN, **given, "score_traffic_bytes": 0, "unpacking_seconds": 0}
    assert family.formula(*(values[name] for name in family.inputs)) == pytest.approx(10 * 100 * 8 / 1e3)


def test_an_engine_that_adds_up_in_16_bit_is_twice_as_fast_on_geforce(moved: Values) -> None:
    assert (moved()["summing_factor"], moved(sums_in_16bit=0)["summing_factor"]) == (2, 1)
    assert moved(converts_values=0)["converts_operands"] == 0


def test_experts_of_a_prompt_are_multiplied_as_they_are_packed_in_whole_tiles_of_integers(moved: Values) -> None:
    """1,536 tokens in three batches, 8 of 128 experts each: 32 rows an expert, in a tile of 128."""
    packed, plain = (moved(prefill_tokens=1536, weight_element_bytes=each) for each in (0.6, 2))
    assert (packed["filled_expert_flop"], plain["filled_expert_flop"]) == (4 * 640, 640)
    assert (packed["packed_expert_flop_per_second"], plain["packed_expert_flop_per_second"]) == (200, 300)
    assert moved(prefill_tokens=1536, fp16_flop_per_second=800)["filled_expert_flop"] == 640
    assert moved(prefill_tokens=1536, fp16_flop_per_second=800, fills_expert_tiles=1)["filled_expert_flop"] == 4 * 640
    assert moved(prefill_tokens=384, num_local_experts=0)["filled_expert_flop"] > 0


def test_experts_are_unpacked_by_themselves_with_cuda_alone(moved: Values) -> None:
    slow = {"fp16_flop_per_second": 800, "prefill_expert_weights": 500}
    assert moved(**slow)["unpacked_bytes"] == pytest.approx(3 * 1500 * 2.6)
    assert moved(**slow, runs_cuda=0)["unpacked_bytes"] == pytest.approx(3 * 1000 * 2.6)


def test_few_multiprocessors_turn_few_weights_into_16_bit(moved: Values) -> None:
    """50 of them, 40 weights of 0.6 bytes a second each."""
    limit = "unpacked_bytes_per_second"
    assert moved(unpacked_weights_per_second=40)[limit] == pytest.approx(1200)
    assert moved()[limit] == moved(unpacked_weights_per_second=40, weight_element_bytes=2)[limit] == 2000
    assert moved(unpacked_weights_per_second=40, served_half_flop_per_second=0)[limit] == 2000
    experts = moved(unpacked_expert_weights_per_second=60)
    assert experts["unpacked_expert_bytes_per_second"] == pytest.approx(1800)
    assert experts[limit] == 2000
    assert moved(unpacked_expert_weights_per_second=30)["expert_bytes_per_second"] == pytest.approx(900)
    assert moved()["expert_bytes_per_second"] == pytest.approx(1800)


def test_unpacking_adds_to_reading_where_nothing_overlaps_and_no_instruction_does_it(moved: Values) -> None:
    """1,800 bytes a second are read, 900 unpacked: 1 / (1 / 1,800 + 1 / 900) both."""
    given = {"overlap_order": 1, "unpacked_expert_weights_per_second": 30}
    assert moved(**given)["expert_bytes_per_second"] == pytest.approx(600)
    assert moved(**given, fp4_flop_per_second=1600)["expert_bytes_per_second"] == pytest.approx(1800)
    assert moved(overlap_order=1)["expert_bytes_per_second"] == pytest.approx(1800)
