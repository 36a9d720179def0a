"""Computed times of serving, each checked against arithmetic by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.serving import prompts as serving_prompts
from memreport.figures.serving.pooling import text_seconds
from memreport.figures.time import ends, reached
from memreport.figures.time.serving import errors as serving_errors
from memreport.figures.time.serving import first_token as serving_first_token
from memreport.figures.time.serving import modules as serving_modules
from memreport.figures.time.serving import operators as serving_operators
from memreport.figures.time.serving import shapes as serving_shapes
from memreport.figures.time.serving import times as serving_times
from memreport.formula.recording import figures_in, plain_line

Values = Callable[..., dict[str, float]]
GPU = {
    "memory_bytes_per_second": 4e12,
    "bf16_flop_per_second": 1e15,
    "served_half_flop_per_second": 0,
    "sixteen_bit_peak_flop_per_second": 1e15,
    "unpacked_bytes_per_second": 4e12,
    "single_precision_flop_per_second": 0,
    "eight_bit_flop_per_second": 2e15,
    "four_bit_flop_per_second": 0,
    "product_share_16bit": 0.8,
    "product_share_8bit": 0.5,
    "product_share_4bit": 0.4,
    "expert_share_16bit": 0.2,
    "expert_share_8bit": 0.15,
    "expert_share_4bit": 0.1,
    "summing_factor": 1,
    "product_bandwidth_share": 0.8,
    "stream_bandwidth_share": 0.75,
    "decode_attention_bandwidth_share": 0.7,
    "prefill_attention_share": 0.4,
    "compute_units": 100,
    "unit_bytes_per_second": 0,
    "cycle_limited_bytes_per_second": 4e12,
    "vendor_products": 1,
    "fp16_flop_per_second": 1e15,
    "fp8_flop_per_second": 2e15,
    "fuses_quantisation": 0,
    "mixture_layers": 0,
    "scaled_product_starts": 0,
    "overlap_order": 3,
}
TIMES = {
    "max_num_seqs": 64,
    "cuda_graph_padding": 0,
    "scheduler_recv_interval": 1,
    "kv_pool_bytes": 60e9,
    "pooled_mean_bytes": 1e9,
    "output_tokens": 201,
    "preempts_youngest": 0,
    "prefill_work_seconds": 0.05,
    "joined_prefill_seconds": 0.04,
    "prefill_sequences": 1,
    "prompts_together": 1,
    "text_host_seconds": 0,
    "pooling_host_seconds": 0,
    "pipeline_parallel_size": 1,
    "prefill_tokens": 2000,
    "step_tokens": 8192,
    "disaggregated": 0,
    "makes_tokens": 1,
    "launched_layers": 32,
    "wire_time_error": 0,
    "measured_time_factor": 1,
    "prompts_alone": 0,
    "decode_step_seconds": 0.02,
    "speculative_tokens": 0,
    "acceptance_rate": 0.7,
    "prompts_ahead": 0,
    "burst_share": 0.1,
    "first_token_floor_seconds": 0.02,
    "first_token_steps": 1,
    "request_server_seconds": 0,
    "token_server_seconds": 0,
    "sharding_size": 2,
    "mixture_layers": 0,
    "mixtures_measured": 1,
    "served_dense_error": 0.25,
    "served_mixture_error": 0.6,
    "first_token_dense_error": 1,
    "first_token_dense_many_error": 3,
    "first_token_dense_error_low": 0.5,
    "first_token_mixture_error": 2,
    "first_token_mixture_error_low": 1,
    "served_batch_error": 0.8,
    "served_mixture_answer_error": 0.9,
    "served_draft_error": 0.7,
    "runs_eager": 0,
    "served_eager_error": 0.5,
    "kv_bytes_per_token": 160e3,
    "collective_network_bytes_per_second": 40e9,
    "prompt_tokens": 2000,
    "launching_seconds": 0,
    "host_launch_factor": 1,
    "prompt_kernel_seconds": 0,
    "prompt_kernels": 500,
}


@pytest.fixture
def rated(evaluate: Values) -> Values:
    return lambda **changed: evaluate(figures_in(reached) + figures_in(serving_operators), {**GPU, **changed})


@pytest.fixture
def timed(evaluate: Values) -> Values:
    modules = (serving_times, serving_prompts, serving_first_token, serving_errors)
    figures = [text_seconds, *(one for each in modules for one in figures_in(each)), *ends.SERVING]
    return lambda **changed: evaluate(figures, {**TIMES, **changed})


def test_rates_are_shares_of_the_peak_of_the_type_and_of_the_bandwidth(rated: Values) -> None:
    values = rated()
    assert values["product_flop_per_second"] == pytest.approx(1e15)
    assert values["expert_flop_per_second"] == pytest.approx(3e14)
    assert values["product_bytes_per_second"] == pytest.approx(3.2e12)
    assert values["cache_bytes_per_second"] == pytest.approx(2.8e12)


def test_a_prompt_adds_to_decode_steps_what_weights_that_are_read_anyway_leave(rated: Values) -> None:
    step = {"decode_product_work": 0.001, "decode_product_traffic": 0.02, "prefill_chunks": 2}
    values = rated(**step, prefill_product_work=0.05)
    assert values["decode_product_seconds"] == pytest.approx((0.001**3 + 0.02**3) ** (1 / 3))
    assert values["joined_product_seconds"] == pytest.approx((0.026**3 + 0.02**3) ** (1 / 3))
    hidden = rated(**step, prefill_product_work=0.002)
    assert hidden["joined_product_seconds"] - hidden["decode_product_seconds"] < 1e-4
    added = serving_operators.joined_prefill_seconds.formula
    assert added(0.03, 0.02, 2, 0.003, 1e-4, 2e-4, 0.002, 0.0005, 0, 0, 0, 1.5) == pytest.approx(1.5 * (0.02 + 0.0048))


def test_four_bit_work_runs_at_the_four_bit_share(rated: Values) -> None:
    values = rated(eight_bit_flop_per_second=0, four_bit_flop_per_second=4e15)
    assert values["product_flop_per_second"] == pytest.approx(1.6e15)
    assert values["kernels_per_product"] == 2
    assert rated(fuses_quantisation=1)["kernels_per_product"] == 1
    assert rated(fuses_quantisation=1, mixture_layers=48)["kernels_per_product"] == 2


def test_a_type_without_units_of_its_own_is_unpacked_to_16_bit(rated: Values) -> None:
    values = rated(eight_bit_flop_per_second=1e15, fp8_flop_per_second=1e15)
    assert values["product_flop_per_second"] == pytest.approx(8e14)
    assert values["expert_flop_per_second"] == pytest.approx(2e14)
    assert values["kernels_per_product"] == 1
    assert rated(eight_bit_flop_per_second=0, four_bit_flop_per_second=2e15)["kernels_per_product"] == 1


def test_an_engine_s_own_kernels_read_as_much_as_multiprocessors_keep_under_way(rated: Values) -> None:
    values = rated(compute_units=100, unit_bytes_per_second=8e9)
    assert values["value_bytes_per_second"] == values["cache_bytes_per_second"] == pytest.approx(8e11)
    assert values["weight_bytes_per_second"] == pytest.approx(3.2e12)
    apple = rated(compute_units=100, unit_bytes_per_second=8e9, vendor_products=0)
    assert apple["value_bytes_per_second"] == pytest.approx(3e12)
    assert rated(cycle_limited_bytes_per_second=2e12)["weight_bytes_per_second"] == 2e12
    assert rated(unpacked_bytes_per_second=1e12)["weight_bytes_per_second"] == 1e12


def test_what_stays_in_16_bit_runs_in_the_type_that_the_gpu_is_fast_at(evaluate: Values) -> None:
    """Of a V100, 125 TFLOP/s in FP16 and 15.7 in BF16."""
    own = [one for one in figures_in(serving_shapes) if one.name.endswith("_flop_per_second")]
    volta = {
        "computes_in_bf16": 1,
        "computes_in_fp16": 0,
        "bf16_flop_per_second": 15.7e12,
        "fp16_flop_per_second": 125e12,
    }
    given = {**volta, "product_share_16bit": 0.8, "prefill_attention_share": 0.4}
    plain, packed = (evaluate(own, {**given, "weight_element_bytes": each}) for each in (2, 0.52))
    assert (plain["served_half_flop_per_second"], packed["served_half_flop_per_second"]) == (15.7e12, 125e12)
    assert packed["head_flop_per_second"] == pytest.approx(100e12)
    assert packed["attention_flop_per_second"] == pytest.approx(50e12)
    eight = evaluate(own, {**given, "computes_in_bf16": 0, "weight_element_bytes": 1})
    assert (eight["served_half_flop_per_second"], eight["sixteen_bit_peak_flop_per_second"]) == (0, 125e12)


def test_a_kernel_takes_its_launches_and_the_soft_maximum_of_work_and_traffic() -> None:
    seconds = serving_operators.operator_seconds.formula
    assert seconds(2, 3e-6, 0, 0, 3) == pytest.approx(6e-6)
    assert seconds(0, 3e-6, 1.0, 0.0, 3) == pytest.approx(1)
    assert seconds(1, 0.5, 1.0, 1.0, 3) == pytest.approx(0.5 + 2 ** (1 / 3))


def test_arithmetic_and_traffic_that_do_not_hide_each_other_add_up() -> None:
    assert serving_operators.operator_seconds.formula(1, 0.5, 2.0, 1.0, 1) == pytest.approx(0.5 + 2 + 1)
    assert serving_operators.decode_product_seconds.formula(2.0, 1.0, 1) == pytest.approx(3)
    assert serving_operators.joined_product_seconds.formula(2.0, 4.0, 2, 1.0, 1) == pytest.approx(2 + 4 / 2 + 1)
    assert serving_operators.padding_seconds.formula(6.0, 3.0, 8.0, 2.0, 1) == pytest.approx(6 / 3 + 8 / 2)


def test_products_with_a_scale_a_block_begin_so_many_launches_later_in_mixtures(rated: Values) -> None:
    """The kernel that quantises, the product, and three launches."""
    assert rated(scaled_product_starts=3, mixture_layers=58)["kernels_per_product"] == 5
    assert rated(scaled_product_starts=3)["kernels_per_product"] == 2
    assert rated(scaled_product_starts=3, mixture_layers=58, eight_bit_flop_per_second=0)["kernels_per_product"] == 1


def test_scaled_experts_begin_later_and_those_of_mxfp4_sooner_where_kernels_overlap() -> None:
    start = serving_shapes.expert_start_seconds.formula
    assert start(0, 4e15, 2e15, 5e-5, 8e-5, 2e15, 1e15, 3) == pytest.approx(13e-5)
    assert start(1, 4e15, 2e15, 5e-5, 8e-5, 0, 1e15, 3) == pytest.approx(2.5e-5)
    assert start(1, 4e15, 2e15, 5e-5, 8e-5, 0, 1e15, 1) == pytest.approx(5e-5)


def test_products_before_attention(rated: Values) -> None:
    layers = {"rank_attention_layers": 60, "num_linear_attention_layers": 0, "stage_share": 1}
    assert rated(**layers, kv_lora_rank=0)["qkv_launches"] == 2 * 60
    assert rated(**layers, kv_lora_rank=512)["qkv_launches"] == 2 * 60 * 4
    assert rated(rank_mixture_layers=58, layers_per_stage=61)["pointwise_launches"] == 61 + 2 * 58


def test_the_cache_admits_so_many_sequences_and_the_others_wait(timed: Values) -> None:
    values = timed()
    assert values["decoding_sequences"] == 60
    service = 0.02 + 0.05 + 0.02
    token = values["time_per_output_token_seconds"]
    life = 201 * token
    assert life == pytest.approx(201 * 0.02 + 59 * 0.04 * life / (life + service))
    queue = (64 / 60 - 1) * (service + 201 * token)
    assert values["queue_seconds"] == pytest.approx(queue)
    first = service + 0.1 * 59 / 2 * 0.05 + queue
    assert values["time_to_first_token_seconds"] == pytest.approx(first)
    assert values["request_seconds"] == pytest.approx(first + 200 * token)
    assert values["tokens_per_second"] == pytest.approx(2 * 64 * 201 / (first + 200 * token))


def test_what_grows_takes_its_room_from_the_youngest_whose_prompts_are_worked_on_again(timed: Values) -> None:
    """90 sequences want the room of 60: half of what an answer grows by is worked on twice, all of it from 120 on."""
    some, most = (timed(preempts_youngest=1, max_num_seqs=each) for each in (90, 500))
    assert some["prompts_per_answer"] == pytest.approx(1 + 0.5 * 201 / 2000)
    assert most["prompts_per_answer"] == pytest.approx(1 + 201 / 2000)
    assert most["joined_share"] == pytest.approx(59 * (1 + 201 / 2000) * 0.04 / (201 * 0.02))
    assert timed(preempts_youngest=1, max_num_seqs=60)["prompts_per_answer"] == 1
    assert timed(max_num_seqs=500)["prompts_per_answer"] == 1


def test_nobody_queues_where_the_cache_admits_all(timed: Values) -> None:
    values = timed(kv_pool_bytes=80e9, max_num_seqs=16)
    assert values["decoding_sequences"] == 16
    assert values["queue_seconds"] == 0
    assert timed(max_num_seqs=1)["time_per_output_token_seconds"] == pytest.approx(0.02)
    assert timed(kv_pool_bytes=0)["decoding_sequences"] == 1


def test_short_answers_wait_until_every_prompt_has_had_its_time(timed: Values) -> None:
    """64 classifications: each prompt adds 40 ms to the steps it joins, whatever the steps could carry."""
    values = timed(kv_pool_bytes=80e9, output_tokens=2)
    assert values["busy_seconds"] == pytest.approx(64 * (0.04 + 0.02 / 64))
    assert values["request_seconds"] == pytest.approx(values["busy_seconds"])
    assert values["tokens_per_second"] == pytest.approx(2 * 2 / (0.04 + 0.02 / 64))


def test_answers_wait_for_the_process_that_sends_them(timed: Values) -> None:
    """64 answers of 201 tokens, 5 ms for each and 100 us for each token, on a host half as fast; none of one batch."""
    own = {"kv_pool_bytes": 80e9, "request_server_seconds": 0.005, "token_server_seconds": 1e-4}
    values = timed(**own, host_launch_factor=2)
    assert values["server_seconds"] == pytest.approx(64 * 2 * (0.005 + 201 * 1e-4))
    assert values["server_seconds"] < values["request_seconds"] == timed(kv_pool_bytes=80e9)["request_seconds"]
    slow = timed(**{**own, "token_server_seconds": 1e-3})
    assert slow["request_seconds"] == pytest.approx(64 * (0.005 + 0.201))
    assert slow["time_per_output_token_seconds"] == values["time_per_output_token_seconds"]
    assert timed(**own, max_num_seqs=8, prompts_together=8)["server_seconds"] == 0


def test_an_encoder_gives_as_many_texts_as_prompts_can_be_worked_on(timed: Values) -> None:
    values = timed(kv_pool_bytes=80e9, output_tokens=1, makes_tokens=0)
    assert values["first_token_service_seconds"] == pytest.approx(0.02 + 0.05)
    assert values["time_per_output_token_seconds"] == pytest.approx(0.05)
    assert values["tokens_per_second"] == pytest.approx(2 / 0.05)


def test_ranges_are_the_measured_errors_of_the_class(timed: Values) -> None:
    dense, mixture = timed(), timed(mixture_layers=58)
    for values, error in ((dense, 0.25), (mixture, 0.6)):
        token = values["time_per_output_token_seconds"]
        assert values["time_per_output_token_seconds_high"] == pytest.approx(token * (1 + error))
        assert values["time_per_output_token_seconds_low"] == pytest.approx(token / (1 + error))
    assert timed(mixture_layers=58, mixtures_measured=0)["served_time_error"] == pytest.approx(1.2 * 0.6)
    first = dense["time_to_first_token_seconds"]
    assert dense["time_to_first_token_seconds_high"] == pytest.approx(2 * first)
    assert timed(max_num_seqs=65)["first_token_error"] == 3
    high = 3 * mixture["time_to_first_token_seconds"]
    assert mixture["time_to_first_token_seconds_high"] == pytest.approx(high)
    assert dense["tokens_per_second_low"] == pytest.approx(dense["tokens_per_second"] / 1.25)
    own = timed(measured_time_factor=1.4)
    assert own["tokens_per_second_low"] == pytest.approx(own["tokens_per_second"] / 1.15)


def test_drafts_and_whole_answers_of_mixtures_have_ranges_of_their_own(timed: Values) -> None:
    assert timed(speculative_tokens=1)["served_time_error"] == pytest.approx(0.7)
    assert timed(mixture_layers=4)["answer_time_error"] == 0.9
    assert timed(mixture_layers=4)["served_time_error"] == pytest.approx(0.6)
    assert timed(mixture_layers=4, measured_time_factor=1.4)["answer_time_error"] == 0.15
    assert timed(mixture_layers=4, runs_eager=1)["answer_time_error"] == 0.5


def test_drafted_tokens_that_are_accepted_shorten_the_time_per_token(timed: Values) -> None:
    values = timed(speculative_tokens=3, acceptance_rate=0.5, max_num_seqs=1)
    assert values["accepted_tokens"] == pytest.approx(1 + 0.5 + 0.25 + 0.125)
    assert values["time_per_output_token_seconds"] == pytest.approx(0.02 / 1.875)


def test_prefills_elsewhere_do_not_slow_the_tokens(timed: Values) -> None:
    values = timed(disaggregated=1)
    assert values["interference_seconds"] == 0
    assert values["cache_transfer_seconds"] == pytest.approx(2000 * 160e3 / 40e9)
    assert timed()["cache_transfer_seconds"] == 0


def test_a_batch_that_begins_together_meets_no_prefills_of_others(timed: Values) -> None:
    values = timed(prefill_sequences=64, prompts_together=64)
    assert values["arriving_sequences"] == values["interference_seconds"] == values["prompts_in_line"] == 0
    assert values["request_seconds_high"] == pytest.approx(1.8 * values["request_seconds"])
    assert timed()["request_seconds_low"] == pytest.approx(timed()["request_seconds"] / 1.25)


def test_a_prompt_that_is_alone_waits_for_no_step(timed: Values) -> None:
    """Logged: Qwen2.5 72B on H100, 16 ms a token: 24 ms to the first token of one user, 46 of each of four."""
    alone, among = timed(max_num_seqs=1), timed(max_num_seqs=4)
    assert among["first_token_service_seconds"] - alone["first_token_service_seconds"] == pytest.approx(0.02)


def test_chunks_of_a_prompt_follow_each_other_through_the_stages(timed: Values) -> None:
    values = timed(prefill_tokens=32768, pipeline_parallel_size=4)
    assert values["prefill_chunks"] == 4
    assert values["prefill_seconds"] == pytest.approx(0.05 * (1 + 3 / 4))
    assert values["prefill_tokens_per_second"] == pytest.approx(32768 / values["prefill_seconds"])
    assert values["decode_tokens_per_second"] == pytest.approx(60 / 0.02)


def test_a_step_is_layers_head_sampling_and_host(evaluate: Values) -> None:
    given = {
        "decode_stage_seconds": 0.01, "all_reduce_seconds": 0.001, "waited_exchange_seconds": 0.0,
        "launching_seconds": 0, "pipeline_parallel_size": 2, "network_latency_seconds": 1e-5,
        "copied_cache_seconds": 0, "spread_weight_seconds": 0, "recurrent_kernel_seconds": 1e-3,
        "head_seconds": 1e-4, "exposed_unpacking_seconds": 0,
        "sampling_seconds": 2e-4, "host_seconds": 1e-3, "speculative_tokens": 2, "draft_step_share": 0.1,
        "measured_time_factor": 0.5, "hosted_step_seconds": 0.004,
    }  # fmt: skip
    lines = [plain_line(one) for one in (serving_times.decode_passing_seconds, serving_times.decode_step_seconds)]
    values = evaluate(lines, given)
    assert values["decode_passing_seconds"] == pytest.approx(0.02401)
    assert values["decode_step_seconds"] == pytest.approx((0.02401 + 0.0013 + 0.004) * 1.2 * 0.5)


HOSTED = {
    "qkv_projection_weights": 20, "output_projection_weights": 10, "plain_mlp_weights": 70, "rank_expert_weights": 600,
    "decode_expert_weights": 50, "nominal_factor": 1.5, "embeds_on_host": 1, "host_memory_bytes_per_second": 100e9,
    "host_link_bytes_per_second": 25e9, "host_layer_bytes": 20e9, "offloaded_weight_bytes": 6e9,
    "decode_expert_share": 0.05, "pipeline_parallel_size": 2, "prefill_chunks": 4,
}  # fmt: skip


def test_weights_on_the_host_are_read_where_they_lie_or_over_the_link(evaluate: Values) -> None:
    """A step reads 150 of 1,000 weights: 3 of 20 GB of layers, 0.3 of 6 GB of experts, at 60 or 20 GB/s."""
    lines = [one for one in figures_in(serving_times) if one.name.startswith("hosted_")]
    processor, link = (evaluate(lines, {**HOSTED, "embeds_on_host": each}) for each in (1, 0))
    assert processor["hosted_read_share"] == pytest.approx(0.15)
    assert processor["hosted_step_seconds"] == pytest.approx(2 * 3.3 / 60)
    assert link["hosted_step_seconds"] == pytest.approx(2 * 3.3 / 20)
    assert processor["hosted_prompt_seconds"] == pytest.approx(4 * 26 / 20)
    dense = {**HOSTED, "rank_expert_weights": 0, "decode_expert_weights": 0, "host_layer_bytes": 0}
    assert evaluate(lines, dense)["hosted_step_seconds"] == pytest.approx(2 * 6 / 60)


def test_the_host_takes_a_part_of_every_step_and_of_every_sequence(evaluate: Values) -> None:
    given = {"host_step_seconds": 1e-3, "host_sequence_seconds": 2e-5, "decoding_sequences": 50}
    assert evaluate([serving_times.host_seconds], given)["host_seconds"] == pytest.approx(2e-3)


def test_without_graphs_a_step_takes_no_less_than_the_host_needs_to_start_its_kernels(evaluate: Values) -> None:
    stage = {"decode_stage_seconds": 0.01, "all_reduce_seconds": 0, "waited_exchange_seconds": 0}
    stage |= {"copied_cache_seconds": 0, "spread_weight_seconds": 0, "eager_kernel_seconds": 0, "module_kernels": 0}
    stage["recurrent_kernel_seconds"] = 0
    given = {"runs_eager": 0, "eager_layer_seconds": 6e-4, "launched_layers": 40, "pipeline_parallel_size": 1, **stage}
    given["host_launch_factor"] = 1
    lines = [plain_line(one) for one in (serving_modules.launching_seconds, serving_times.decode_passing_seconds)]
    eager, graphs = (evaluate(lines, {**given, "enforce_eager": each, "network_latency_seconds": 0}) for each in (1, 0))
    assert [each["launching_seconds"] for each in (eager, graphs)] == pytest.approx([0.024, 0])
    assert [each["decode_passing_seconds"] for each in (eager, graphs)] == pytest.approx([0.024, 0.01])
    always = evaluate(lines, {**given, "enforce_eager": 0, "runs_eager": 1, "network_latency_seconds": 0})
    assert always["launching_seconds"] == eager["launching_seconds"]
