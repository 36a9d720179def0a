from collections.abc import Callable, Mapping
from typing import Any

import pytest

from memreport.figures.time.step import written as step_written
from memreport.formula.recording import figures_in

Values = Mapping[str, float]
Evaluate = Callable[..., Any]

LAYERS = {
    "position_embedding_rows": 0,
    "unfused_attention": 0, "rank_query_key_values": 400,
    "autocast": 0, "activation_wide_values": 3, "activation_element_bytes": 2,
    "hidden_size": 8, "layers_per_stage": 10, "residual_values": 40, "rank_mlp_width": 50, "mlp_matrices": 3,
    "activation_passes": 5,
}  # fmt: skip


def test_layers_that_are_written_out(evaluate: Evaluate) -> None:
    values = evaluate(figures_in(step_written), LAYERS)
    summed = (4 + 3) * 8 * 10 - 2 * 40
    assert values["written_values"] == 3 * summed + 26.5 * 400 + 50 * (9 + 5)


@pytest.mark.parametrize("name", ["position_embedding_rows", "unfused_attention"])
def test_learned_positions_and_biases_are_not_rotated(evaluate: Evaluate, name: str) -> None:
    values = evaluate(figures_in(step_written), LAYERS)["written_values"]
    assert values - evaluate(figures_in(step_written), {**LAYERS, name: 1})["written_values"] == 26.5 * 400


def test_autocast_widens_what_it_has_written_out(evaluate: Evaluate) -> None:
    values = evaluate(figures_in(step_written), LAYERS)["written_values"]
    assert evaluate(figures_in(step_written), {**LAYERS, "autocast": 1})["written_values"] - values == 50 * 5
    assert evaluate(figures_in(step_written), {**LAYERS, "autocast": 1, "activation_wide_values": 0})[
        "written_values"
    ] == values  # fmt: skip
