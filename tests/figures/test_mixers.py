"""What layers with linear attention keep, against hand-computed sizes."""

from __future__ import annotations

import pytest

from memreport.figures.training.saved import mixers as m
from memreport.formula.recording import Figure
from tests.support import named, truth

LAYERS = {"num_hidden_layers": 32.0, "mixer_share": 1.0, "attention_layers": 8.0}
QWEN = {"linear_attention_kept_values": 22560, "linear_attention_trained_values": 8192} | {
    "linear_attention_kept_fp32_values": 12448, "num_linear_attention_layers": 24, "num_hidden_layers": 32,
}  # fmt: skip
GATE = {"value_size": 4096, "output_input_saved": 0, "head_major_query": 0, "scores_stored": 0}
TRUTHS = [
    truth(m.attention_mixer_share, 0.25, linear_attention_kept_values=22560, **LAYERS),
    truth(m.attention_mixer_share, 1, linear_attention_kept_values=0, **LAYERS),
    truth(  # Qwen3.5 9B: three of four layers; frozen ones keep no input of their last matrix
        m.linear_attention_activation_bytes,
        0.75 * ((22560 + 8192) * 2 + 12448 * 4),
        keeps_linear_inputs=1,
        activation_element_bytes=2,
        **QWEN,
    ),
    truth(
        m.linear_attention_activation_bytes,
        0.75 * (22560 * 2 + 12448 * 4),
        keeps_linear_inputs=0,
        activation_element_bytes=2,
        **QWEN,
    ),
    truth(m.gate_saved_size, 0, attention_output_gate=0, **GATE),
    truth(m.gate_saved_size, 4096, attention_output_gate=1, **GATE),
    truth(m.gate_saved_size, 2 * 4096, attention_output_gate=1, **GATE | {"head_major_query": 1}),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_linear_attention(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected
