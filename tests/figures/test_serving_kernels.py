from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.model import matrices, parallelism
from memreport.figures.model import parameters as model
from memreport.figures.registry import group
from memreport.figures.serving import halves, kv_cache, kv_values
from memreport.figures.time import kernel_shapes, roofline
from memreport.figures.time.roofline import lines
from memreport.figures.time.serving import shapes as serving_shapes
from memreport.figures.time.serving import speed as serving_speed
from memreport.figures.time.serving.kernels import DECODE_KERNELS, PREFILL_KERNELS
from memreport.formula.printing import to_excel
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
LINES = (
    *figures_in(model),
    *figures_in(matrices),
    *figures_in(parallelism, "serving"),
    *figures_in(halves),
    *halves.LINES,
    *figures_in(kv_values),
    *figures_in(kv_cache),
    *figures_in(roofline),
    *figures_in(kernel_shapes, "serving"),
    *group("serving", "Kernels").figures,
    *lines(PREFILL_KERNELS, "prefill"),
    *lines(DECODE_KERNELS, "decode_step"),
    *group("serving", "Traffic between GPUs").figures,
    *figures_in(serving_speed),
)
RUN = {
    **dict.fromkeys(("repeats_key_values", "caches_repeated_heads", "expands_latents"), 0),
    "summing_factor": 1,
    "peak_flop_per_second": 989.4e12,
    "memory_bytes_per_second": 3.35e12,
    "attention_computed_share": 0.5,
    "weight_element_bytes": 2,
    "attention_element_bytes": 2,
    "other_element_bytes": 2,
    "kv_element_bytes": 2,
    "context_length": 4096,
    "max_model_len": 8192,
    "block_size": 16,
    "decode_context_parallel_size": 1,
    "draft_num_hidden_layers": 0,
    "draft_num_key_value_heads": 0,
    "draft_head_dim": 0,
    "paged": 1,
    "max_num_seqs": 1,
    "prompts_together": 1,
    "prompt_tokens": 2048,
    "output_tokens": 100,
    "prompts_ahead": 0,
    "prefix_cached_share": 0,
    "speculative_tokens": 0,
    "accepted_tokens": 1,
    "accelerators_per_domain": 8,
    "link_bytes_per_second": 450e9,
    "network_bytes_per_second": 50e9,
}
MATRICES = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
HEAD = 128256 * 4096


@pytest.fixture
def served(evaluate: Values, llama_3_8b: dict[str, float]) -> Values:
    def values(**changed: float) -> dict[str, float]:
        given = {**llama_3_8b, **RUN, **changed}
        cached = given.get("kv_sequence_bytes", 4096 * 131_072)
        return evaluate(LINES, {"decoding_sequences": given["max_num_seqs"], "mean_sequence_bytes": cached, **given})

    return values


def test_prefill_multiplies_each_prompt_token_with_each_matrix_and_samples_once(served: Values) -> None:
    values = served()
    matrices = ("qkv_projection", "output_projection", "mlp")
    assert sum(values[f"prefill_{name}_flop"] for name in matrices) == 2 * MATRICES * 2048
    assert values["prefill_head_flop"] == 2 * HEAD
    assert values["prefill_attention_flop"] == 2 * 2048 * 1024 * 32 * 8192
    assert values["prefill_attention_store_bytes"] == 2048 * 32 * 4096 * 2 + 2048 * 131_072


def test_a_decode_step_reads_weights_and_cache_once(served: Values) -> None:
    values = served(max_num_seqs=8)
    assert values["decode_mlp_load_bytes"] == 32 * 3 * 4096 * 14336 * 2 + 8 * 32 * (4096 + 14336) * 2
    assert values["decode_attention_load_bytes"] == 8 * (4096 * 131_072 + 32 * 6144 * 2)
    assert values["decode_attention_flop"] == 2 * 8 * 32 * 4096 * 8192
    assert values["decode_head_flop"] == 8 * 2 * HEAD


def test_decode_intensity_grows_with_the_batch(served: Values) -> None:
    assert served()["intensity_loads.decode_mlp"] == pytest.approx(1, rel=0.001)
    assert served(max_num_seqs=64)["intensity_loads.decode_mlp"] == pytest.approx(64, rel=0.01)
    assert served()["bound.decode_step"] == 1
    assert served()["bound.prefill_mlp"] == 2


@pytest.mark.parametrize(
    ("sequences", "share"), [(1, 0.25), (2, 1 - (0.5875**2 + 0.9125**2) / 2), (64, 1 - (0.5875**64 + 0.9125**64) / 2)]
)
def test_experts_touched_by_a_decode_step(served: Values, sequences: int, share: float) -> None:
    values = served(
        max_num_seqs=sequences, dense_layers=0, num_local_experts=8, num_experts_per_tok=2, moe_intermediate_size=14336
    )
    assert values["decode_expert_share"] == pytest.approx(share, abs=1e-7)
    assert values["decode_expert_weights"] == pytest.approx(share * 32 * 8 * 3 * 4096 * 14336)
    assert values["decode_experts_flop"] == pytest.approx(2 * sequences * 32 * 2 * 3 * 4096 * 14336)
    assert values["decode_mlp_flop"] == 0


def test_a_latent_cache_is_read_once_but_multiplied_by_every_head(served: Values) -> None:
    values = served(kv_lora_rank=512, qk_rope_head_dim=64, qk_nope_head_dim=128, v_head_dim=128)
    assert values["decode_attention_flop"] == 2 * 32 * 4096 * 32 * (2 * 512 + 64)
    assert values["kv_sequence_bytes"] == 32 * 4096 * 576 * 2


def test_llama_8b_decodes_at_most_209_tokens_a_second_on_an_h100_without_its_cache(served: Values) -> None:
    values = served(kv_sequence_bytes=0, decode_layer_bytes=2 * 8_030_261_248, head_weight_bytes=0)
    assert values["decode_step_seconds_bound"] == pytest.approx(4.794e-3, rel=1e-3)
    assert values["decode_tokens_per_second_bound"] == pytest.approx(208.6, abs=0.1)


def test_decode_bound_counts_weights_and_cache_at_the_whole_bandwidth(served: Values) -> None:
    values = served(max_num_seqs=32)
    read = (MATRICES + HEAD) * 2 + 32 * 4096 * 131_072
    assert values["decode_layer_bytes"] == MATRICES * 2
    assert values["head_weight_bytes"] == HEAD * 2
    assert values["decode_traffic_seconds"] == pytest.approx(read / 3.35e12)
    assert values["sequence_tokens_per_second_bound"] == pytest.approx(3.35e12 / read)


def test_all_reduces_bind_where_cards_are_joined_by_a_slow_wire(served: Values) -> None:
    slow = {"tensor_parallel_size": 8, "accelerators": 8, "link_bytes_per_second": 1e9}
    values = served(**slow, max_num_seqs=32)
    hidden, passed = 4096 * 2, 2 * 2 * 32 * 7 / 8
    assert values["prefill_reduction_bytes"] == passed * 2048 * hidden
    assert values["prefill_seconds_bound"] == pytest.approx(passed * 2048 * hidden / 1e9)
    assert values["decode_step_seconds_bound"] == pytest.approx(passed * 32 * hidden / 1e9)
    nvlink = served(tensor_parallel_size=8, accelerators=8, max_num_seqs=32)
    assert nvlink["decode_step_seconds_bound"] == nvlink["decode_traffic_seconds"]
    assert served()["prefill_communication_seconds"] == 0


def test_stages_of_a_pipeline_read_their_layers_in_turn_and_the_head_once(served: Values) -> None:
    one, four = served(max_num_seqs=32), served(max_num_seqs=32, pipeline_parallel_size=4, accelerators=4)
    assert four["decode_tokens"] == 8
    read = (MATRICES + HEAD) * 2 + 32 * 4096 * 131_072
    assert 4 * four["decode_layer_bytes"] + four["head_weight_bytes"] == (MATRICES + HEAD) * 2
    assert one["decode_traffic_seconds"] == pytest.approx(read / 3.35e12)
    assert four["prefill_seconds_bound"] < one["prefill_seconds_bound"]


def test_time_to_first_token_and_whole_answer(served: Values) -> None:
    values = served(prompts_ahead=3)
    assert values["time_to_first_token_bound"] == 4 * values["prefill_seconds_bound"]
    answer = values["time_to_first_token_bound"] + 99 * values["decode_step_seconds_bound"]
    assert values["request_seconds_bound"] == pytest.approx(answer)


def test_replicas_serve_side_by_side(served: Values) -> None:
    one, four = served(max_num_seqs=16), served(max_num_seqs=16, accelerators=4)
    assert four["tokens_per_second_bound"] == pytest.approx(4 * one["tokens_per_second_bound"])
    each = one["prefill_kernel_flop"] / one["peak_flop_per_second"] + 99 * one["decode_step_seconds_bound"] / 16
    assert one["tokens_per_second_bound"] == pytest.approx(100 / each)


def test_shares_of_each_phase_add_to_one(served: Values) -> None:
    values = served()
    for kernels in (PREFILL_KERNELS, DECODE_KERNELS):
        assert sum(values[f"share_of_step.{row.id}"] for row in kernels) == pytest.approx(1)


PADDED = {
    "whole_experts": 0,
    "expert_row_multiple": 128, "runs_deep_gemm": 1, "computes_in_fp8": 1, "tensor_parallel_size": 2, "mlp_matrices": 3,
    "num_local_experts": 16, "expert_parallel_size": 2, "rank_mixture_layers": 10, "hidden_size": 4096,
    "moe_intermediate_size": 1024, "nominal_factor": 1, "other_element_bytes": 2, "weight_element_bytes": 1,
    "rank_expert_weights": 5e8, "decode_expert_share": 0.6, "prefill_expert_share": 1,
}  # fmt: skip


def test_rows_that_fill_up_the_tiles_of_all_experts(evaluate: Values) -> None:
    own = figures_in(serving_shapes)
    lines = [one for one in own if one.name in ("padding_rows", "padding_flop")] + list(serving_shapes.LINES)
    values = evaluate(lines, PADDED)
    assert values["padding_rows"] == 127 * 8 * 10
    assert values["padding_flop"] == 2 * 10_160 * 3 * 4096 * 512
    each = 10_160 * (2 * 4096 + 3 * 512) * 2
    assert values["padding_bytes.prefill"] == each
    assert values["padding_bytes.decode"] == pytest.approx(each + 0.4 * 5e8)
    for other in (
        {"tensor_parallel_size": 8},
        {"runs_deep_gemm": 0},
        {"computes_in_fp8": 0},
        {"expert_row_multiple": 1},
    ):
        none = evaluate(lines, {**PADDED, **other})
        assert none["padding_flop"] == none["padding_bytes.decode"] == 0, other
    whole = evaluate(lines, {**PADDED, "tensor_parallel_size": 8, "whole_experts": 1})
    assert whole["padding_rows"] == values["padding_rows"]


def test_formulas_as_excel_shows_them() -> None:
    times = "decode_tokens/ONE_TOKEN*expert_parallel_size"
    assert to_excel(serving_shapes.decode_expert_share.expression) == (
        f"1-(POWER(1-often_chosen_share,{times})+POWER(1-rarely_chosen_share,{times}))/TWO"
    )
