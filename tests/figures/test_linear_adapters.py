"""Adapters on linear attention, state spaces and gates of shared experts, by hand: Qwen3.5 9B's widths, for one."""

from __future__ import annotations

import pytest

from memreport.figures.model.adapters import linear
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

DELTA_NET = {"linear_attention_adapter_widths": 28_736, "linear_attention_input_matrices": 4} | {
    "linear_output_adapters": 1,
}  # fmt: skip
DELTA_WIDTHS = {"linear_attention_adapter_widths": 28_736, "linear_output_adapters": 1} | {
    "linear_attention_output_size": 4096, "hidden_size": 4096,
}  # fmt: skip
SCAN = {"targets_x_proj": 1, "targets_dt_proj": 1} | {
    "linear_attention_scan_widths": 300, "linear_attention_step_widths": 200,
}  # fmt: skip
NO_SCAN = dict.fromkeys(SCAN, 0)
NAMED = {f"adapts_{name}_proj": 1 for name in ("q", "k", "v", "o", "down")} | {"gate_up_adapters": 2}
APART = {"beside_query_widths": 10, "beside_key_widths": 20} | {
    "beside_mlp_widths": 100,
}  # fmt: skip
INDEXED = {"attention_layers": 61, "num_shared_indexer_layers": 1, "q_lora_rank": 1536, "hidden_size": 7168} | {
    "index_n_heads": 64, "index_head_dim": 128,
}  # fmt: skip
TRUTHS = [
    truth(linear.beside_adapted_widths, 10 + 20 + 20 + 10 + 300, targets_others=0, **NAMED, **APART, **INDEXED),
    truth(
        linear.beside_adapted_widths,
        10 + 60 * (1536 + 8192 + 7168 + 128 + 7168 + 64),
        targets_others=1,
        **dict.fromkeys(NAMED, 0) | {"adapts_q_proj": 1},
        **APART,
        **INDEXED,
    ),
    truth(linear.linear_output_adapters, 1, adapts_linear_out=1, linear_attention_output_size=4096),
    truth(linear.linear_output_adapters, 0, adapts_linear_out=1, linear_attention_output_size=0),
    truth(linear.linear_attention_adapters, 5, adapts_linear_attn=1, **DELTA_NET, **NO_SCAN),
    truth(linear.linear_attention_adapters, 1, adapts_linear_attn=0, **DELTA_NET, **NO_SCAN),
    truth(linear.linear_attention_adapters, 7, adapts_linear_attn=1, **DELTA_NET, **SCAN),
    truth(linear.linear_attention_adapted_widths, 28_736 + 8192, adapts_linear_attn=1, **DELTA_WIDTHS, **NO_SCAN),
    truth(linear.linear_attention_adapted_widths, 8192 + 300 + 200, adapts_linear_attn=0, **DELTA_WIDTHS, **SCAN),
    truth(linear.expert_gate_adapters, 24, targets_shared_expert_gate=1, shared_expert_gate=1, mixture_layers=24),
    truth(linear.expert_gate_adapters, 0, targets_shared_expert_gate=1, shared_expert_gate=0, mixture_layers=24),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(linear)}
