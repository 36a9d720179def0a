from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.model import matrices, parallelism
from memreport.figures.model import parameters as model
from memreport.figures.model.adapters.saved_modules import used_head_parameters
from memreport.figures.time import kernel_shapes, roofline
from memreport.figures.time.roofline import lines
from memreport.figures.time.step import training_kernels
from memreport.figures.time.step.training_kernels import TRAINING_KERNELS
from memreport.formula.printing import to_excel
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
LINES = (
    *figures_in(model),
    *figures_in(matrices),
    *figures_in(parallelism),
    *figures_in(roofline),
    *figures_in(kernel_shapes),
    used_head_parameters,
    *figures_in(training_kernels),
    *lines(TRAINING_KERNELS),
)
STATE = 8_030_261_248
RUN = {
    "peak_flop_per_second": 312e12,
    "memory_bytes_per_second": 2e12,
    "shards_parameters": 0,
    "shards_gradients": 0,
    "data_parallel_shard_degree": 0,
    "hybrid_shard": 0,
    "accelerators_per_node": 8,
    "shards_optimizer": 0,
    "micro_batch_size": 1,
    "sequences_per_sample": 1,
    "makes_logits": 1,
    "sequence_length": 2048,
    "prompts_in_sequence": 0,
    "num_virtual_tokens": 20,
    "gradient_accumulation_steps": 2,
    "attention_computed_share": 0.5,
    "scores_stored": 0,
    "windows_as_masks": 0,
    "sequence_shards": 1,
    "qk_norm_share": 0,
    "trainable_share": 1,
    "recompute_share": 0,
    "activation_element_bytes": 2,
    "weight_element_bytes": 2,
    "trained_gradient_element_bytes": 2,
    "optimizer_offloaded": 0,
    "rank_trainable_parameters": STATE,
    "optimizer_state_bytes": 8 * STATE,
    "master_weight_bytes": 4 * STATE,
}
TOKENS = 4096


@pytest.fixture
def step(evaluate: Values, llama_3_8b: dict[str, float]) -> Values:
    def values(**changed: float) -> dict[str, float]:
        return evaluate(LINES, {**llama_3_8b, **RUN, **changed})

    return values


def test_matrix_kernels_add_up_to_six_times_their_weights(step: Values) -> None:
    values = step()
    names = ("qkv_projection", "output_projection", "mlp", "head")
    weights = STATE - 128256 * 4096 - 65 * 4096
    assert sum(values[f"{name}_flop"] for name in names) == pytest.approx(6 * weights * TOKENS)


def test_recomputing_adds_a_forward_pass_of_the_layers_only(step: Values) -> None:
    plain, again = step(), step(recompute_share=1)
    assert again["mlp_flop"] / plain["mlp_flop"] == pytest.approx(4 / 3)
    assert again["head_flop"] == plain["head_flop"]


def test_a_frozen_base_saves_the_weight_gradients(step: Values) -> None:
    assert step(trainable_share=0)["mlp_flop"] / step()["mlp_flop"] == pytest.approx(2 / 3)


def test_traffic_of_the_output_projection_by_hand(step: Values) -> None:
    values = step()
    weights, rows = 32 * 4096 * 4096 * 2 * 2, 32 * 4096 * TOKENS * 2
    assert values["output_projection_load_bytes"] == 2 * weights + 2 * rows + 2 * rows
    assert values["output_projection_store_bytes"] == weights + rows + rows


def test_flash_attention_counts_half_of_the_square_and_no_scores(step: Values) -> None:
    values = step()
    assert values["attention_flop"] == pytest.approx(3 * 2 * TOKENS * 32 * 1024 * 8192)
    assert values["softmax_flop"] == 0
    qkv, out = 32 * 6144 * TOKENS * 2, 32 * 4096 * TOKENS * 2
    assert values["attention_load_bytes"] == 2 * qkv + 2 * out
    assert values["attention_store_bytes"] == qkv + out


def test_unfused_attention_moves_the_scores(step: Values) -> None:
    values = step(scores_stored=1)
    scores = TOKENS * 2048 * 32 * 32
    assert values["score_values"] == scores
    assert values["softmax_load_bytes"] == 3 * scores * 2
    assert values["softmax_flop"] == 2 * 5 * scores
    assert values["attention_load_bytes"] - step()["attention_load_bytes"] == 4 * scores * 2


def test_a_window_bounds_the_keys_that_a_query_meets(step: Values) -> None:
    values = step(num_sliding_window_layers=16, sliding_window=512)
    assert values["attended_tokens"] == 16 * 1024 + 16 * 512


@pytest.mark.parametrize("kernel", ["windows_as_masks", "scores_stored"])
def test_a_window_that_is_a_mask_saves_nothing(step: Values, kernel: str) -> None:
    window = {"num_sliding_window_layers": 16, kernel: 1}
    assert step(**window, sliding_window=512)["windowed_tokens"] == 2048
    assert step(**window, sliding_window=4096)["windowed_tokens"] == 1024


def test_the_optimizer_step_is_memory_bound(step: Values) -> None:
    values = step()
    assert values["optimizer_step_flop"] == 15 * STATE
    assert values["optimizer_step_load_bytes"] == 14 * STATE
    assert values["optimizer_step_store_bytes"] == 14 * STATE
    assert values["intensity.optimizer_step"] == pytest.approx(15 / 28)
    assert values["bound.optimizer_step"] == 1
    assert step(master_weight_bytes=0)["optimizer_step_load_bytes"] == 12 * STATE
    assert step(optimizer_offloaded=1)["optimizer_step_flop"] == 0


def test_bounds_are_what_the_documents_say(step: Values) -> None:
    values = step()
    assert {name: values[f"bound.{name}"] for name in ("mlp", "norm", "pointwise", "embedding")} == {
        "mlp": 2,
        "norm": 1,
        "pointwise": 1,
        "embedding": 1,
    }
    assert sum(values[f"share_of_step.{row.id}"] for row in TRAINING_KERNELS) == pytest.approx(1)


def test_tensor_parallelism_halves_the_work_of_matrices(step: Values) -> None:
    whole, half = step(), step(tensor_parallel_size=2)
    for name in ("qkv_projection", "mlp", "attention", "head"):
        assert half[f"{name}_flop"] == pytest.approx(whole[f"{name}_flop"] / 2)


def test_experts_are_read_whole_but_used_in_part(step: Values) -> None:
    values = step(dense_layers=0, num_local_experts=8, num_experts_per_tok=2, moe_intermediate_size=14336)
    assert values["mlp_weights"] == 4 * values["active_mlp_weights"]
    assert values["rank_mlp_width"] == 32 * 2 * 14336


def test_formulas_as_excel_shows_them() -> None:
    assert to_excel(training_kernels.optimizer_step_flop.expression) == "OPTIMIZER_FLOP*updated_parameters"
