"""Kernels and parts of a training step, each worked by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.time import reached as soft
from memreport.figures.time.step import attention as step_attention
from memreport.figures.time.step import parts as step_parts
from memreport.figures.time.step import products as step_products
from memreport.figures.time.step import rates
from memreport.figures.time.step import streams as step_streams
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]


def test_a_soft_maximum_is_the_longer_and_a_quarter_more_where_both_are_alike() -> None:
    assert soft.soft_maximum(2.0, 0.0) == 2
    assert soft.soft_maximum(0.0, 0.0) == 0
    assert soft.soft_maximum(2.0, 2.0) == pytest.approx(2 * 2 ** (1 / 3))
    assert soft.beyond(3.0, 0.0) == 0


def test_traffic_beside_work_takes_half_of_its_own_time_from_it() -> None:
    assert soft.shared(10.0, 2.0) == 1
    assert soft.shared(2.0, 10.0) == 8 + 1


def test_rates_are_the_share_of_the_peak_that_is_reached(evaluate: Values) -> None:
    given = {
        "half_precision_flop_per_second": 0, "single_precision_flop_per_second": 0, "sustained_share_16bit": 0.6,
        "eight_bit_flop_per_second": 2e15, "sustained_share_8bit": 0.5, "bf16_flop_per_second": 1e15,
        "four_bit_flop_per_second": 0, "sustained_share_4bit": 0.4,
        "memory_bytes_per_second": 1e12, "product_bandwidth_share": 0.9, "stream_bandwidth_share": 0.8,
        "board_power_watts": 700, "reference_power_watts": 0, "reference_flop_per_second": 1e15, "fp8_rate_factor": 1,
        "head_outputs": 50304, "even_columns_loss": 0.64, "odd_columns_loss": 0.17, "torch_compile": 0,
        "cuda_version": 13, "older_products_factor": 0.8,
    }  # fmt: skip
    values = evaluate((*figures_in(rates), *figures_in(soft)), given)
    assert values["sustained_flop_per_second"] == 1e15
    assert values["unquantised_flop_per_second"] == 1e15
    assert values["sustained_head_flop_per_second"] == 0.6e15
    assert (values["product_bytes_per_second"], values["stream_bytes_per_second"]) == (0.9e12, 0.8e12)
    wide = evaluate(
        figures_in(rates), {**given, "single_precision_flop_per_second": 5e14, "eight_bit_flop_per_second": 0}
    )
    assert (wide["unquantised_flop_per_second"], wide["sustained_flop_per_second"]) == (5e14, 3e14)


def test_a_vocabulary_that_eight_does_not_divide_slows_the_head() -> None:
    """GPT-2 in 16 bits on an H100: 1.26 PFLOP a product, 10 ms each with 50,257 columns (own-h100-kernels.csv)."""
    shares = [rates.head_alignment_share.formula(columns, 0.64, 0.17) for columns in (50304, 30522, 50257, 25128.5)]
    assert shares == pytest.approx([1, 0.36, 0.19, 0.19])
    products = 2 * 16384 * 768 * 50257
    assert products / (989.5e12 * 0.67 * shares[2]) == pytest.approx(10.2e-3, rel=0.05)
    rate = {"unquantised_flop_per_second": 1e15, "reached_share_16bit": 0.6, "head_alignment_share": 0.19}
    head = rates.sustained_head_flop_per_second.formula
    assert head(**rate, single_precision_flop_per_second=0, torch_compile=0) == 1.14e14
    assert head(**rate, single_precision_flop_per_second=6e13, torch_compile=0) == 6e14
    assert head(**rate, single_precision_flop_per_second=0, torch_compile=1) == 6e14


def test_a_product_of_ten_waves_and_two_thirds_waits_for_the_eleventh() -> None:
    """4,096 tokens by 4,608 columns are 32 x 36 tiles of 128; on 108 multiprocessors 10.67 waves, so eleven."""
    waves = step_products.tile_waves.formula(tokens_per_micro_batch=4096, product_columns=4608, compute_units=108)
    assert waves == pytest.approx(32 * 36 / 108)
    assert step_products.wave_loss.formula(waves, 1) == pytest.approx(11 / waves)
    assert step_products.wave_loss.formula(waves, 0) == 1
    assert step_products.wave_loss.formula(0.01, 1) == 4
    assert step_products.depth_loss.formula(460.8, 4608, 4608) == pytest.approx(1.1)


def test_a_product_takes_its_arithmetic_or_its_traffic() -> None:
    """Gradients of 4 bytes, read and written, are three more of the weights' 0.1 TB."""
    work = step_products.product_work_seconds.formula(1e15, 5e14, 1.1, 2)
    added = step_products.added_gradient_bytes.formula(1e11, 1, 4, 2)
    moved = step_products.product_traffic_seconds.formula(8e11, added, 1e12)
    assert work == pytest.approx(4.4)
    assert added == 3e11
    assert moved == pytest.approx(1.1)
    assert step_products.product_seconds.formula(work, moved) == pytest.approx((4.4**3 + 1.1**3) ** (1 / 3))


def test_a_product_that_adds_to_a_gradient_waits_for_half_of_reading_and_writing_it() -> None:
    """106,496 x 16,384 sums of 4,096 tokens on a B200: 13.9 ms, 12.6 without (SimuMax, training-products.csv)."""
    moved = step_products.fused_sum_bytes.formula(106496 * 16384 * 2, 1, 4, 2, 2)
    waits = step_products.fused_sum_seconds.formula(moved, 0.62, 8e12 * 0.77)
    assert moved == 106496 * 16384 * 8
    assert waits == pytest.approx(1.3e-3, rel=0.1)
    assert step_products.fused_sum_bytes.formula(106496 * 16384 * 2, 1, 4, 2, 0) == 0
    assert step_products.summed_product_seconds.formula(12.6e-3, waits, 0) == pytest.approx(13.9e-3, rel=0.02)


MIXTURE = {
    "expert_load_ratio": 1.1, "grouped_rows": 0,
    "mixture_layers": 24, "mlp_matrices": 3, "hidden_size": 2048, "moe_intermediate_size": 768,
    "num_local_experts": 128, "expert_parallel_size": 8, "stage_share": 1, "tensor_parallel_size": 1,
    "num_experts_per_tok": 8, "routed_copies": 8, "expert_cut_size": 1,
    "tokens_per_micro_batch": 4096, "rank_tokens_per_step": 8192, "gradient_accumulation_steps": 2,
    "activation_element_bytes": 2, "gradient_element_bytes": 4, "recompute_share": 0, "trainable_share": 1,
    "sustained_flop_per_second": 1e14, "product_bytes_per_second": 1e12, "product_depth": 0,
    "mlp_weights": 24 * 3 * 2048 * 768 * 16, "active_mlp_weights": 24 * 3 * 2048 * 768 * 8,
    "mlp_flop": 1e12, "mlp_load_bytes": 1e9, "mlp_store_bytes": 1e9, "mlp_weight_traffic": 1e9,
    "merged_expert_bytes": 0, "moe_expert_capacity_factor": 0,
}  # fmt: skip


def test_grouped_products_of_experts(evaluate: Values) -> None:
    values = evaluate((*figures_in(step_products), *step_products.LINES), MIXTURE)
    matrix = 24 * 3 * 2048 * 768
    assert values["routed_weights"] == matrix * 16
    assert values["routed_active_weights"] == matrix * 8
    assert values["routed_weight_share"] == 1
    assert (values["dense_mlp_flop"], values["dense_mlp_bytes"], values["dense_mlp_weight_traffic"]) == (0, 0, 0)
    assert values["tokens_per_expert"] == 4096 * 8 * 8 / 128
    assert (values["expert_filling"], values["expert_imbalance"]) == (1, 1.1)
    assert values["routed_pass_flop"] == 2 * matrix * 8 * 8192
    moved = 8192 * 8 * 24 * (2 * 2048 + 3 * 768) * 2
    assert values["routed_pass_bytes"] == moved
    assert (values["expert_flop"], values["expert_gradient_flop"]) == (
        2 * values["routed_pass_flop"],
        values["routed_pass_flop"],
    )
    frozen = {**MIXTURE, "trainable_share": 0}
    assert evaluate((*figures_in(step_products), *step_products.LINES), frozen)["expert_gradient_flop"] == 0
    merged = evaluate((*figures_in(step_products), *step_products.LINES), {**frozen, "merged_expert_bytes": 1})
    assert merged["expert_gradient_flop"] == values["expert_gradient_flop"]
    assert values["expert_bytes"] == 2 * (moved + matrix * 16 * 2 * 2)
    assert values["expert_gradient_bytes"] == moved + 2 * matrix * 16 * 4 * 2
    flop = 2 * 2 * matrix * 8 * 8192 / 1e14 * 1.1
    traffic = values["expert_bytes"] / 1e12
    assert values["expert_traffic_seconds.expert"] == traffic
    assert values["product_seconds.expert"] == pytest.approx((flop**3 + traffic**3) ** (1 / 3))
    added = values["expert_gradient_bytes"] / 1e12
    assert values["product_seconds.expert_gradient"] == pytest.approx(((flop / 2) ** 3 + added**3) ** (1 / 3))


def test_whole_experts_on_tensor_ranks_take_their_part_of_the_tokens(evaluate: Values) -> None:
    """Eight GPUs that share experts are two groups of TP 4, two micro-batches: each works on a quarter of one."""
    values = evaluate(figures_in(step_products), {**MIXTURE, "tensor_parallel_size": 4})
    assert values["expert_columns"] == 768
    assert values["tokens_per_expert"] == 2 * 4096 * 8 / 128
    assert values["routed_pass_flop"] == 2 * 24 * 3 * 2048 * 768 * 8 * 8192 / 4


def test_rows_of_an_expert_are_filled_up_to_tiles(evaluate: Values) -> None:
    few = evaluate(figures_in(step_products), {**MIXTURE, "tokens_per_micro_batch": 80, "expert_parallel_size": 1})
    assert few["tokens_per_expert"] == 5
    assert few["expert_imbalance"] == few["expert_filling"] == 4  # 64 rows for 5, but at most four times as long
    assert evaluate(figures_in(step_products), {**MIXTURE, "num_local_experts": 0})["routed_weights"] == 0


def test_experts_with_few_rows_are_slower() -> None:
    given = {"expert_filling": 1, "grouped_rows": 128, "expert_parallel_size": 8, "expert_load_ratio": 1.5}
    uneven = {**given, "moe_expert_capacity_factor": 0}
    assert step_products.expert_imbalance.formula(tokens_per_expert=512, **uneven) == 1.25 * 1.5
    assert step_products.expert_imbalance.formula(tokens_per_expert=5, **uneven) == 3 * 1.5  # as 64 rows are
    assert step_products.expert_imbalance.formula(tokens_per_expert=512, **given, moe_expert_capacity_factor=1) == 1.25


ATTENTION = {
    "attention_flop": 6e14, "recompute_share": 0, "unquantised_flop_per_second": 1e15, "attention_forward_share": 0.5,
    "attention_backward_share": 0.4, "tuned_attention": 0, "tuned_attention_factor": 1.5, "attention_loss": 1,
    "reached_share_16bit": 0.6, "attention_power_share": 1, "attention_load_bytes": 1e11, "attention_store_bytes": 1e11,
    "softmax_load_bytes": 2e11, "softmax_store_bytes": 2e11, "score_traffic_factor": 2.5, "torch_compile": 0,
    "attention_softcap": 0, "attention_sinks": 0,
    "stream_bytes_per_second": 1e12, "scores_stored": 0,
    "kernel_in_triton": 0, "triton_forward_factor": 0.8, "triton_backward_factor": 0.5,
    "prefers_cudnn": 0, "windows_as_masks": 1,
}  # fmt: skip


def test_fused_attention_computes_its_scores_again_backward(evaluate: Values) -> None:
    values = evaluate(figures_in(step_attention), ATTENTION)
    assert values["attention_pass_seconds"] == pytest.approx(0.2)
    assert values["attention_slowdown"] == pytest.approx(1 / 0.5 + 2.5 / 0.4)
    assert values["fused_attention_seconds"] == pytest.approx(0.2 / 0.5 + 0.2 * 2.5 / 0.4)
    assert values["attention_seconds"] == values["fused_attention_seconds"]
    tuned = evaluate(figures_in(step_attention), {**ATTENTION, "tuned_attention": 1})
    assert tuned["attention_seconds"] == pytest.approx(values["attention_seconds"] / 1.5)
    chosen = evaluate(figures_in(step_attention), {**ATTENTION, "prefers_cudnn": 1})
    assert chosen["attention_seconds"] == tuned["attention_seconds"]
    given = {**ATTENTION, "prefers_cudnn": 1, "windows_as_masks": 0}
    assert evaluate(figures_in(step_attention), given)["attention_seconds"] == values["attention_seconds"]
    older = evaluate(figures_in(step_attention), {**ATTENTION, "kernel_in_triton": 1})
    assert (older["fused_forward_share"], older["fused_backward_share"]) == pytest.approx((0.4, 0.2))
    assert older["attention_seconds"] == pytest.approx(0.2 / 0.4 + 0.2 * 2.5 / 0.2)


def test_eager_attention_moves_its_scores(evaluate: Values) -> None:
    values = evaluate(figures_in(step_attention), {**ATTENTION, "scores_stored": 1})
    assert (values["attention_work_seconds"], values["attention_traffic_seconds"]) == pytest.approx((1, 0.2))
    assert values["softmax_seconds"] == pytest.approx(1)
    sinks = evaluate(
        figures_in(step_attention), {**ATTENTION, "scores_stored": 1, "attention_sinks": 1, "attention_softcap": 1}
    )
    assert sinks["softmax_seconds"] == pytest.approx(0.4 * (2.5 + 7 + 2.6))
    assert values["eager_attention_seconds"] == values["attention_seconds"]
    assert values["attention_seconds"] == pytest.approx((1**3 + 0.2**3) ** (1 / 3) + 1)


def test_attention_of_few_heads_does_not_fill_the_gpu(evaluate: Values) -> None:
    given = {
        "micro_batch_size": 1, "num_attention_heads": 32, "tensor_parallel_size": 4, "sequence_length": 2048,
        "context_parallel_size": 2, "compute_units": 132, "wave_weight": 1,
    }  # fmt: skip
    values = evaluate((*figures_in(step_attention), *step_attention.LINES), given)
    assert values["tokens_per_sequence_part"] == 1024
    assert values["attention_waves"] == pytest.approx(8 * 8 / 132)
    assert values["attention_loss"] == pytest.approx(132 / 64)


STREAMS = {
    "loss_compiled": 0, "base_keeps_dequantised": 0, "base_unpacking_bytes": 2,
    "norm_input_wide": 1, "layers_fused": 0, "torch_compile": 0, "rank_norm_values": 7,
    "norm_moves": 128, "norm_load_bytes": 3,
    "norm_store_bytes": 2, "pointwise_load_bytes": 3, "pointwise_store_bytes": 2, "written_values": 9,
    "writes_out": 1, "logit_softcap": 0,
    "use_liger_kernel": 0, "rank_tokens_per_step": 100, "head_outputs": 1000, "loss_traffic_bytes": 34,
    "routed_copies": 2,
    "mixture_layers": 3, "stage_share": 1, "hidden_size": 8, "activation_element_bytes": 2, "recompute_share": 1,
    "tensor_parallel_size": 2, "sixteen_bit_flop_per_second": 0, "qkv_projection_inputs": 10,
    "output_projection_inputs": 20,
    "mlp_inputs": 30, "base_quantised": 1, "matrix_parameters": 1000,
    "stored_matrix_parameters": 1000, "base_weight_element_bytes": 0.5,
    "rank_share": 0.5, "gradient_accumulation_steps": 4, "trains_adapters": 1, "adapted_widths": 100,
    "optimizer_step_load_bytes": 30, "optimizer_step_store_bytes": 20, "optimizer_traffic_factor": 2.2,
    "embedding_load_bytes": 5, "embedding_store_bytes": 6, "lora_q_proj": 1, "lora_k_proj": 1, "lora_v_proj": 1,
    "lora_o_proj": 1, "gate_up_adapters": 2, "lora_down_proj": 1, "layers_per_stage": 10, "kernels_per_layer": 100,
    "mixture_kernels_per_layer": 50, "product_launch_seconds": 1e-6, "query_size": 64, "key_value_width": 16,
    "intermediate_size": 256, "value_size": 64, "residual_values": 4, "cast_bytes_per_value": 4,
    "cast_bytes_per_weight": 6, "casts_weights_anew": 1, "trains_base": 0, "lora_dropout": 0.1, "casts_adapters": 1,
    "adapter_element_bytes": 4, "adapter_value_element_bytes": 2, "adapters_fused": 0, "routing_passes": 4,
    "merged_expert_bytes": 0, "use_dora": 0, "adapted_matrix_parameters": 60, "adapted_mlp_parameters": 400,
    "num_hidden_layers": 10,
}  # fmt: skip


def test_what_moves_elements_alone(evaluate: Values) -> None:
    values = evaluate(figures_in(step_streams), STREAMS)
    assert values["norm_stream_bytes"] == pytest.approx(7 * 100 * 128 * 4 / 3)
    assert evaluate(figures_in(step_streams), {**STREAMS, "layers_fused": 1})["norm_stream_bytes"] == 5
    assert evaluate(figures_in(step_streams), {**STREAMS, "norm_input_wide": 0})["norm_stream_bytes"] == 5
    assert values["pointwise_stream_bytes"] == pytest.approx(100 * 9 * 2 * 4 / 3)
    liger = evaluate(figures_in(step_streams), {**STREAMS, "use_liger_kernel": 1})
    assert liger["pointwise_stream_bytes"] == 5
    assert values["loss_stream_bytes"] == 100 * 1000 * 34
    capped = evaluate(figures_in(step_streams), {**STREAMS, "logit_softcap": 1})
    assert capped["loss_stream_bytes"] == 100 * 1000 * (34 + 13 * 2)
    assert values["routing_stream_bytes"] == 4 * 3 * 100 * 2 * 3 * 8 * 2 / 2
    assert values["cast_values"] == 56
    assert (
        evaluate(figures_in(step_streams), {**STREAMS, "sixteen_bit_flop_per_second": 1e15})["cast_stream_bytes"] == 0
    )
    assert values["cast_stream_bytes"] == 56 * 100 * 4 * 3 + 1000 * 0.5 * 6 * 4
    assert values["dequantisation_stream_bytes"] == 1000 * 2.5 * 0.5 * 3 * 4
    kept = evaluate(figures_in(step_streams), {**STREAMS, "base_keeps_dequantised": 1, "base_unpacking_bytes": 16})
    assert kept["dequantisation_stream_bytes"] == 1000 * 16.5 * 0.5 * 2 * 4
    assert values["adapter_widths"] == 50
    assert values["adapter_stream_bytes"] == 50 * 100 * 3.5 * (2 + 9 + 6 + 6 + 12) / 2
    experts = evaluate(figures_in(step_streams), {**STREAMS, "merged_expert_bytes": 1000})
    assert experts["adapter_stream_bytes"] - values["adapter_stream_bytes"] == 8 * 1000 * 10 * 4 * 2
    norms = evaluate(figures_in(step_streams), {**STREAMS, "use_dora": 1})
    assert norms["adapter_stream_bytes"] - values["adapter_stream_bytes"] == 100 * (60 + 400 / 10) * 10 * 4 * 2
    assert values["update_stream_bytes"] == pytest.approx(110)
    assert values["embedding_stream_bytes"] == 11
    assert step_streams.stream_seconds.formula(streamed_bytes=5, stream_bytes_per_second=2) == 2.5


def test_kernels_and_widths(evaluate: Values) -> None:
    values = evaluate(figures_in(step_streams), STREAMS)
    assert values["adapted_modules"] == 7
    assert values["kernels_of_layer"] == 100 + 7 * 18 + 28
    assert values["kernels_per_micro_batch"] == pytest.approx((10 * (100 + 7 * 18 + 28) + 3 * 50) * 4 / 3)
    assert values["launch_seconds_computed"] == pytest.approx(values["kernels_per_micro_batch"] * 4e-6)
    widths = evaluate(figures_in(step_products), {**STREAMS, "moe_intermediate_size": 128, "expert_cut_size": 2})
    names = ("qkv_columns", "mlp_columns", "output_columns", "expert_columns")
    assert [widths[name] for name in names] == [48, 128, 32, 64]


SUMS = {
    "products_seconds_computed": 5, "attention_seconds": 1, "layers_per_stage": 8, "last_stage_layers": 7,
    "streams_seconds_computed": 0.4, "launch_seconds_computed": 0.1, "tensor_exposed_seconds": 0.2,
    "context_exposed_seconds": 0.1, "expert_exposed_seconds": 0.3, "pipeline_exposed_seconds": 0.1,
    "data_exposed_seconds": 0.2, "update_gather_seconds": 0.05, "parameter_offload_exposed_seconds": 0.05,
    "replica_exposed_seconds": 0, "companion_seconds": 0,
    "kernels_per_micro_batch": 1000, "gradient_accumulation_steps": 4, "host_seconds_per_kernel": 1e-3,
    "mixture_layers": 10, "stage_share": 1, "num_local_experts": 128, "expert_parallel_size": 8, "recompute_share": 0,
    "kernels_per_expert": 8, "sixteen_bit_flop_per_second": 0, "step_host_seconds": 0.01,
    "optimizer_offload_exposed_seconds": 2,
    "pipeline_parallel_size": 3, "waiting_slots": 2, "busy_slots": 8, "head_part_seconds": 0.5,
    "update_part_seconds": 0.1, "measured_time_factor": 1, "trains_base": 1, "dense_time_error": 0.2,
    "mixture_time_error": 0.3, "adapter_time_error": 0.25, "mixture_kernels_per_layer": 0, "routing_seconds": 1.7,
    "fetching_seconds": 0, "fetch_exposed_seconds": 0, "expert_exchange_seconds": 0.3, "exchange_hidden": 0,
    "launched_share": 1, "expert_launched_share": 1,
}  # fmt: skip


def test_the_parts_of_a_step_by_hand(evaluate: Values) -> None:
    values = evaluate(figures_in(step_parts), SUMS)
    assert values["fullest_layers_seconds"] == pytest.approx(5 + 1 + 0.4 + 0.1 + 0.2 + 0.3 - 0.5 - 0.1)
    assert values["head_relief_seconds"] == 0.5  # one layer less of eight, 6.4 s / 8, is more than the head's 0.5 s
    assert values["stage_products_seconds"] == 4.5
    assert values["device_seconds"] == pytest.approx(6)
    assert values["traffic_seconds_computed"] == pytest.approx(1)
    assert values["expert_kernels"] == 10 * 16 * 8 * 2
    assert values["launching_seconds"] == pytest.approx((1000 + 10 * 16 * 8 * 2) * 4e-3)
    assert values["expert_launching_seconds"] == pytest.approx(10 * 16 * 8 * 2 * 4e-3)
    assert values["expert_busy_seconds"] == pytest.approx(1.7 + 0.3)
    after_the_router = 10 * 16 * 8 * 2 * 4e-3 - 2  # 1,000 other kernels are launched within the 5 s beside
    assert values["host_seconds_computed"] == pytest.approx(after_the_router + 0.01 + 2)
    assert values["layers_seconds"] == pytest.approx(6 + 0.2 + 0.3 - 0.1)
    assert values["bubble_seconds_computed"] == pytest.approx(2 * (6 + 0.2 + 0.3 - 0.1) / 8)
    parts = ("device_seconds", "traffic_seconds_computed", "bubble_seconds_computed", "host_seconds_computed")
    assert values["step_seconds_computed"] == pytest.approx(sum(values[name] for name in parts))


def test_graphs_take_launches_from_the_host(evaluate: Values) -> None:
    """Graphs of layers leave a tenth of 1,000 launches, one of the iteration none, of the experts' 20,480 either."""
    layers = evaluate(figures_in(step_parts), {**SUMS, "launched_share": 0.1})
    assert layers["launching_seconds"] == pytest.approx((100 + 10 * 16 * 8 * 2) * 4e-3)
    whole = evaluate(figures_in(step_parts), {**SUMS, "launched_share": 0, "expert_launched_share": 0})
    assert whole["launching_seconds"] == whole["expert_launching_seconds"] == whole["expert_busy_seconds"] == 0
    assert whole["host_seconds_computed"] == pytest.approx(0.01 + 2)


def test_compiled_layers_launch_and_move_less(evaluate: Values) -> None:
    values = evaluate(figures_in(step_streams), {**STREAMS, "torch_compile": 1})
    assert values["pointwise_stream_bytes"] == 5
    assert values["kernels_of_layer"] == 38 + 7 * 6 + 28
    assert values["adapter_stream_bytes"] == 100 * 100 * 4 * 3.5 / 2
    assert evaluate(figures_in(step_streams), {**STREAMS, "loss_compiled": 1})["loss_stream_bytes"] == 100 * 1000 * 8
    eager = evaluate(figures_in(step_streams), {**STREAMS, "kernels_of_adapters": 0, "base_quantised": 0})
    assert eager["kernels_of_layer"] == 100


def test_the_error_is_that_of_the_kind_of_job(evaluate: Values) -> None:
    kinds = {(10, 1): 0.3, (0, 1): 0.2, (0, 0): 0.25}
    for (layers, base), error in kinds.items():
        kind = {"mixture_layers": layers, "trains_base": base, "optimizer_offload_exposed_seconds": 0}
        found = evaluate(figures_in(step_parts), {**SUMS, **kind})
        assert found["full_time_error"] == (0.3 if layers else 0.2)
        assert found["step_time_error"] == found["kind_time_error"] == error
        assert (found["time_factor_low"], found["time_factor_high"]) == (1 / (1 + error), 1 + error)
    assert evaluate(figures_in(step_parts), {**SUMS, "measured_time_factor": 1.1})["step_time_error"] == 0.12


def test_a_host_that_steps_the_optimizer_widens_the_range_by_its_part_of_the_step(evaluate: Values) -> None:
    found = evaluate(figures_in(step_parts), {**SUMS, "optimizer_offload_exposed_seconds": 2})
    assert found["hosted_time_error"] == pytest.approx(0.5 * 2 / found["step_seconds_computed"])
    assert found["step_time_error"] == pytest.approx(0.3 + found["hosted_time_error"])
