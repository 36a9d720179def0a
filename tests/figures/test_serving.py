from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.serving import fleet
from memreport.figures.serving import memory as serving
from memreport.formula.printing import to_excel

Values = Callable[..., dict[str, float]]
GIB = 2**30


def test_weights_of_the_whole_model_and_of_a_rank(served: Values) -> None:
    assert served()["weight_bytes"] == 2 * 8_030_261_248
    halved = served(tensor_parallel_size=2)["weight_bytes"]
    norms = 65 * 4096 * 2
    assert halved == pytest.approx((2 * 8_030_261_248 - norms) / 2 + norms)


def test_only_matrices_are_quantised(served: Values) -> None:
    values = served(weight_element_bytes=0.5, attention_element_bytes=0.5)
    matrices = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
    assert values["weight_bytes"] == matrices * 0.5 + (8_030_261_248 - matrices) * 2
    assert values["model_weight_bytes"] == values["weight_bytes"]


def test_a_format_may_leave_attention_alone(served: Values) -> None:
    attention, mlp = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024), 32 * 3 * 4096 * 14336
    values = served(weight_element_bytes=0.53125)
    assert values["weight_bytes"] == mlp * 0.53125 + (8_030_261_248 - mlp) * 2
    assert values["rank_attention_parameters"] == attention


def test_experts_are_spread_over_expert_parallel_ranks(served: Values) -> None:
    mixture = {"dense_layers": 0, "num_local_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 14336}
    whole, spread = served(**mixture), served(**mixture, expert_parallel_size=8)
    expert = 3 * 4096 * 14336 * 2
    assert whole["weight_bytes"] - spread["weight_bytes"] == pytest.approx(32 * 7 * expert)
    assert whole["live_mlp_width"] == 2 * 14336


def test_kernels_round_the_experts_sizes_up_on_each_card(served: Values) -> None:
    experts = {
        "dense_layers": 0,
        "num_local_experts": 8,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 2880,
        "weight_element_bytes": 0.53125,
        "pads_experts": 1,
    }
    plain, alone = served(**{**experts, "pads_experts": 0}), served(**experts)
    assert alone["expert_padding_factor"] == pytest.approx(2944 / 2880)  # 4,096 is a multiple of 256 already
    added = 32 * 8 * 3 * 4096 * (2944 - 2880) * 0.53125
    assert alone["weight_bytes"] - plain["weight_bytes"] == pytest.approx(added)
    halved = served(**experts, tensor_parallel_size=2)
    assert halved["expert_padding_factor"] == pytest.approx(2 * 1536 / 2880)
    assert halved["expert_padding_bytes"] == pytest.approx(32 * 8 * 3 * 4096 * (2 * 1536 - 2880) * 0.53125 / 2)


def test_pool_of_60_gb_as_the_document_counts_it(served: Values) -> None:
    values = served(kv_pool_bytes=60e9)
    assert values["kv_block_bytes"] == 2_097_152
    assert values["kv_pool_blocks"] == 28_610
    assert values["kv_pool_tokens"] == 457_760


@pytest.mark.parametrize(("tokens", "sequences"), [(256, 1788), (512, 894), (1024, 447), (2048, 223), (4096, 111)])
def test_concurrency_in_that_pool(served: Values, tokens: float, sequences: float) -> None:
    values = served(kv_pool_bytes=60e9, context_length=tokens)
    assert values["max_concurrent_sequences"] == sequences
    assert served(kv_pool_bytes=60e9, context_length=tokens, paged=0)["max_concurrent_sequences"] == 55


def test_windowed_layers_are_put_in_groups_as_large_as_the_smaller_kind(served: Values) -> None:
    # Gemma 3 27B logs 36,560 tokens in 19.53 GiB: 52 windowed and 10 other layers take 6 + 1 groups of 10.
    shape = {"num_hidden_layers": 62, "dense_layers": 62, "num_sliding_window_layers": 52, "sliding_window": 1024}
    values = served(**shape, num_key_value_heads=16, head_dim=128, kv_pool_bytes=19.53 * GIB)
    assert values["grouped_kv_layers"] == 70
    assert values["kv_pool_tokens"] == pytest.approx(36_560, rel=1e-3)
    assert served(**shape, groups_hybrid_layers=0)["kv_block_bytes"] == 62 * 4096 * 16
    assert served()["kv_block_bytes"] == 32 * 4096 * 16


def test_tokens_of_the_pool_are_those_of_the_longest_requests_that_it_holds(served: Values) -> None:
    # vLLM 0.25.1 logs 321,600 tokens in 12.75 GiB for Gemma 4 26B-A4B, 9.81 requests of 32,768, in batches of 2,496.
    shape = {"num_hidden_layers": 30, "dense_layers": 30, "num_sliding_window_layers": 25, "sliding_window": 1024}
    wide = {"num_key_value_heads": 8, "head_dim": 256, "global_head_dim": 512, "num_global_key_value_heads": 2}
    given = {"counts_requests": 1, "max_num_batched_tokens": 2496}
    values = served(**shape, **wide, **given, max_model_len=32_768, kv_pool_bytes=12.75 * GIB)
    assert values["pool_groups"] == 6
    assert values["kv_pool_tokens"] == pytest.approx(321_600, rel=1e-3)
    assert served(counts_requests=1, kv_pool_bytes=60e9)["kv_pool_tokens"] == pytest.approx(457_760)


@pytest.mark.parametrize(
    ("full", "windowed", "linear", "grouped"),
    [(12, 0, 36, 48), (10, 0, 48, 60), (13, 12, 0, 26), (12, 24, 0, 36), (32, 0, 0, 32)],
)
def test_kinds_of_layers_share_a_pool_in_groups(
    served: Values, full: float, windowed: float, linear: float, grouped: float
) -> None:
    """Qwen3-Next in groups of 12, ten attention layers to 48 of Mamba in groups of 10, 13 and 12 both padded to 13."""
    kinds = {"full_kv_layers": full, "window_kv_layers": windowed, "linear_kv_layers": linear}
    values = served(**kinds, kv_layers=full + windowed)
    assert values["grouped_kv_layers"] == grouped


def test_fused_experts_keep_their_buffers_while_tokens_are_sampled(served: Values) -> None:
    mixture = {"dense_layers": 0, "num_local_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 14336}
    values = served(**mixture, tensor_parallel_size=2)
    assert values["expert_workspace_bytes"] == 8192 * 2 * 2 * (14336 + 7168)
    assert served()["expert_workspace_bytes"] == 0
    assert served(**mixture, keeps_expert_workspace=0)["expert_workspace_bytes"] == 0


def test_llama_cpp_leaves_the_embedding_on_the_host_and_computes_in_fp32(served: Values) -> None:
    values = served(embeds_on_host=1, live_value_bytes=4, logits_of_all_tokens=1, logits_value_bytes=4)
    assert values["host_embedding_bytes"] == 128_256 * 4096 * 2
    assert values["weight_bytes"] == 2 * (8_030_261_248 - 128_256 * 4096)
    assert values["transient_bytes"] == 8192 * (128_256 + 4096) * 4
    assert served(embeds_on_host=1, has_own_head=0)["host_embedding_bytes"] == 0


def test_waste_of_blocks_and_of_contiguous_reservation(served: Values) -> None:
    assert served(context_length=512)["contiguous_waste_share"] == pytest.approx(0.9375)
    assert served(context_length=513)["paged_waste_share"] == pytest.approx(1 - 513 / 528)
    assert served(context_length=512)["average_paged_waste_share"] == pytest.approx(0.014437, abs=1e-6)


@pytest.mark.parametrize(("vocabulary", "gib"), [(128_256, 1.89), (151_936, 2.25), (256_000, 3.65)])
def test_sampling_peak_as_vllm_logs_it(served: Values, vocabulary: float, gib: float) -> None:
    values = served(vocab_size=vocabulary, max_num_seqs=1024)
    assert values["transient_bytes"] == 1024 * vocabulary * 14 + 8192 * 4096 * 2
    assert values["transient_bytes"] / GIB == pytest.approx(gib, rel=0.08)  # the runner's own buffers are not modelled


def test_layer_peak_as_vllm_logs_it_for_a_7b_mistral(served: Values) -> None:
    values = served(vocab_size=32_000, max_num_seqs=32)
    assert values["hidden_state_bytes"] == 8192 * 4096 * 2
    assert values["transient_bytes"] == 8192 * 2 * (2 * 4096 + 3 * 14336)
    assert values["transient_bytes"] / GIB == pytest.approx(0.79, rel=0.02)


def test_logits_of_all_tokens(served: Values) -> None:
    values = served(logits_of_all_tokens=1, max_num_batched_tokens=512, logits_value_bytes=4, vocab_size=151_936)
    assert values["logits_bytes"] / 2**20 == pytest.approx(296.75)


def test_overhead_is_the_sum_of_its_parts_and_collectives_need_a_group(served: Values) -> None:
    alone, group = served(), served(tensor_parallel_size=2)
    assert alone["communication_buffer_bytes"] == 0
    assert group["communication_buffer_bytes"] == 2e9
    assert served(pipeline_parallel_size=2)["communication_buffer_bytes"] == 0
    parts = ("transient_bytes", "cuda_graph_bytes", "workspace_bytes", "communication_buffer_bytes", "framework_bytes")
    assert group["overhead_bytes"] == sum(group[part] for part in parts)
    assert served(enforce_eager=1)["cuda_graph_bytes"] == 0


@pytest.mark.parametrize(
    ("sequences", "pieces", "steps"), [(256, 51, 35), (32, 11, 7), (1024, 51, 51), (1, 2.25, 1.125)]
)
def test_graphs_are_those_of_the_batches_that_vllm_lists(
    served: Values, sequences: int, pieces: float, steps: float
) -> None:
    """51 and 35 for 256 sequences, 11 and 7 for 32, as vLLM logs; below eight, parts of the next count."""
    found = served(max_num_seqs=sequences, cuda_graph_layer_bytes=1e5)
    assert (found["piece_graphs"], found["step_graphs"]) == (pieces, steps)
    each_layer = 1e5 * (pieces + steps) * found["layers_per_stage"]
    assert found["cuda_graph_bytes"] == pytest.approx(512 * 2**20 + each_layer)
    assert served(max_num_seqs=sequences, speculative_tokens=1)["step_graphs"] == pieces


def test_where_pcie_joins_the_gpus_collectives_take_less(served: Values) -> None:
    """vLLM 0.10 on eight L40S logs 0.21 GiB outside its allocator, no more than one GPU alone."""
    over_pcie = served(tensor_parallel_size=8, link_bytes_per_second=31.5e9, host_link_bytes_per_second=31.5e9)
    assert over_pcie["communication_buffer_bytes"] == 1e8


def test_the_sampler_is_measured_for_as_many_sequences_as_the_engine_would_run(served: Values) -> None:
    """Eight L40S, Qwen3 235B, vLLM 0.10: 256 x 151,936 x 38 bytes, and 16 MiB of hidden states; 1.4 GiB are logged."""
    given = {"unstated_sequences": 32, "counts_as_large": 0, "vocab_size": 151_936, "logits_value_bytes": 38}
    assert served(**given, max_num_seqs=32)["logits_bytes"] / 2**30 == pytest.approx(1.376, abs=1e-3)
    assert served(**given, max_num_seqs=300)["logits_rows"] == 300


def test_a_step_has_as_many_tokens_as_the_engine_takes_on_the_gpu(served: Values) -> None:
    wide, narrow = served(), served(unstated_batched_tokens=8192, counts_as_large=0)
    assert (wide["step_tokens"], narrow["step_tokens"]) == (8192, 2048)
    assert narrow["activation_bytes"] * 4 == wide["activation_bytes"]


LONGEST = {"max_model_len": 65536, "max_num_seqs": 16, "context_length": 2048, "gpu_memory_utilization": 1}


@pytest.mark.parametrize(("left", "running"), [(7.99, 0), (8.01, 16), (3.99, 0)])
def test_an_engine_may_start_only_with_room_for_one_longest_request(served: Values, left: float, running: int) -> None:
    """Llama 3 8B caches 128 KiB a token: 8 GiB for 65,536 of them, 4 GiB for 16 sequences of 2,048."""
    beside = served(**LONGEST)["weight_bytes"] + served(**LONGEST)["overhead_bytes"]
    values = served(**LONGEST, holds_longest_request=1, capacity_bytes=beside + left * GIB)
    assert (values["longest_request_bytes"], values["longest_request_excess_bytes"]) == (8 * GIB, 4 * GIB)
    assert values["running_sequences"] == running
    assert values["peak_bytes"] == beside + 8 * GIB
    free = served(**LONGEST, capacity_bytes=beside + left * GIB)
    assert free["running_sequences"] == (15 if left < 4 else 16)


def test_pool_and_verdict(served: Values) -> None:
    values = served()
    assert values["usable_bytes"] == 72e9
    assert values["kv_pool_bytes"] == 72e9 - values["weight_bytes"] - values["overhead_bytes"]
    assert values["peak_bytes"] == values["weight_bytes"] + 17_179_869_184 + values["overhead_bytes"]
    assert values["headroom_bytes"] == 72e9 - values["peak_bytes"]
    assert values["fits"] == 1
    assert values["peak_bytes_low"] < values["peak_bytes"] < values["peak_bytes_high"]
    assert served(max_num_seqs=128)["fits"] == 1
    assert served(max_num_seqs=128)["waiting_sequences"] > 0
    assert served(capacity_bytes=16e9)["kv_pool_bytes"] == 0


def test_what_the_driver_keeps_is_not_shared_out(served: Values) -> None:
    assert served(driver_reserved_bytes=1e9)["usable_bytes"] == 79e9 * 0.9


def test_a_share_of_what_is_free_is_the_cache_s_alone(served: Values) -> None:
    whole, free = served(), served(utilization_of_free=1)
    assert free["usable_bytes"] == whole["usable_bytes"] / 0.9
    beside = free["weight_bytes"] + free["sized_overhead_bytes"]
    assert free["kv_pool_bytes"] == pytest.approx(0.9 * (free["usable_bytes"] - beside))


def test_a_share_of_weights_and_cache_leaves_everything_else_beside_them(served: Values) -> None:
    """SGLang's mem_fraction_static of 0.8: 80 GB less its context of 276 MiB, of which weights are taken."""
    static = served(utilization_of_static=1, gpu_memory_utilization=0.8)
    assert static["usable_bytes"] == 80e9
    assert static["kv_pool_bytes"] == pytest.approx(0.8 * (80e9 - 276 * 2**20) - static["weight_bytes"])
    derived = served(utilization_of_static=1, gpu_memory_utilization=1)
    assert derived["kv_pool_bytes"] == 80e9 - derived["weight_bytes"] - derived["sized_overhead_bytes"]


def test_a_stated_number_of_tokens_bounds_the_pool(served: Values) -> None:
    """10,000 tokens in blocks of 16 of 131,072 bytes each; a million do not fit and change nothing."""
    bounded = served(max_cached_tokens=10_000)
    assert bounded["kv_pool_bytes"] == 10_000 * 131_072
    assert served(max_cached_tokens=10_001)["kv_pool_tokens"] == 10_016
    assert served(max_cached_tokens=1e6)["kv_pool_bytes"] == served()["kv_pool_bytes"]


def test_a_monitor_shows_the_pool_whether_it_is_used_or_not(served: Values) -> None:
    pool, grown = served(), served(fills_pool=0)
    assert pool["held_cache_bytes"] == pool["kv_pool_bytes"]
    assert grown["held_cache_bytes"] == grown["kv_cache_bytes"]
    assert pool["device_memory_used_bytes"] == pytest.approx(0.9 * 80e9)
    assert grown["device_memory_used_bytes"] == grown["peak_bytes"]
    for values in (pool, grown):
        tensors = ("weight_bytes", "held_cache_bytes", "transient_bytes", "workspace_bytes")
        assert values["allocated_peak_bytes"] == sum(values[name] for name in tensors)
        spread = values["peak_bytes_high"] - values["peak_bytes"]
        ends = (values[f"device_memory_used_bytes{end}"] for end in ("_low", "_high"))
        assert sum(ends) == pytest.approx(2 * values["device_memory_used_bytes"])
        assert values["device_memory_used_bytes_high"] - values["device_memory_used_bytes"] == pytest.approx(spread)


def test_a_product_with_four_bits_makes_the_largest_matrix_again(served: Values) -> None:
    """bitsandbytes: an MLP's matrix of 4,096 by 14,336 in 16 bit; LitGPT's head, too, once in FP16 and once in BF16."""
    nf4 = {"weight_element_bytes": 0.5625, "attention_element_bytes": 0.5625, "dequantises": 1}
    assert served(**nf4)["dequantised_matrix_bytes"] == 4096 * 14336 * 2
    assert served(**nf4, tensor_parallel_size=2)["dequantised_matrix_bytes"] == 4096 * 14336
    whole = served(**nf4, quantises_head=1, dequantised_copies=2)
    assert whole["dequantised_matrix_bytes"] == 2 * 4096 * 128256 * 2
    assert served(**nf4)["other_weight_bytes"] - whole["other_weight_bytes"] == 4096 * 128256 * (2 - 0.5625)


def test_graphs_captured_after_sizing_do_not_shrink_the_pool(served: Values) -> None:
    before, after = served(graphs_in_budget=1), served(graphs_in_budget=0)
    assert after["kv_pool_bytes"] - before["kv_pool_bytes"] == 512 * 2**20
    assert after["overhead_bytes"] == before["overhead_bytes"]
    assert served(graphs_in_budget=0, enforce_eager=1)["kv_pool_bytes"] == after["kv_pool_bytes"]


def test_longest_context_uses_the_pool_up_to_one_block(served: Values) -> None:
    values = served()
    longest = values["longest_context_tokens"]
    assert 32 * longest * 131_072 <= values["kv_pool_bytes"] < 32 * (longest + 16) * 131_072


def test_longest_context_beyond_the_windows(served: Values) -> None:
    windowed = {"num_sliding_window_layers": 16, "sliding_window": 1024, "max_num_seqs": 1, "kv_pool_bytes": 1e9}
    per_layer = 4096
    expected = (1e9 / per_layer - 16 * 1024) / 16
    assert served(**windowed)["longest_context_tokens"] == expected // 16 * 16
    small = {**windowed, "kv_pool_bytes": 512 * 131_072}
    assert served(**small)["longest_context_tokens"] == 512
    assert served(**small)["tokens_beyond_window"] == 0


@pytest.mark.parametrize(
    ("parameters", "fewest", "rounded"), [(7e9, 1, 1), (70e9, 2, 4), (175e9, 5, 8), (700e9, 18, 32), (7e12, 175, 219)]
)
def test_fewest_cards_of_80_gb(served: Values, parameters: float, fewest: float, rounded: float) -> None:
    values = served(parameters=parameters)
    assert values["minimum_accelerators_weights"] == fewest
    assert values["minimum_accelerators_rounded"] == rounded


def test_formulas_as_excel_shows_them() -> None:
    assert to_excel(serving.kv_pool_bytes.expression) == (
        "IF(max_cached_tokens>0,MIN(kv_budget_bytes,ROUNDUP(ROUND(max_cached_tokens/block_size,9),0)*kv_block_bytes),"
        "kv_budget_bytes)"
    )
    assert to_excel(serving.kv_pool_blocks.expression) == (
        "IF(kv_layers>0,ROUNDDOWN(ROUND(kv_pool_bytes/MAX(kv_block_bytes,ONE_BYTE),9),0),0)"
    )
    assert to_excel(serving.fits.expression) == "IF((running_sequences>=1)*(host_headroom_bytes>=0)>0,1,0)"


@pytest.mark.parametrize(("needs", "has", "runs"), [(1, 0, 0), (1, 1, 1), (0, 0, 1)])
def test_an_engine_for_cuda_needs_it_and_a_mac_an_engine_for_metal(needs: int, has: int, runs: int) -> None:
    assert fleet.engine_runs.formula(needs, has, 0, 0) == runs
    assert fleet.engine_runs.formula(0, 1, needs, has) == runs
