"""Scores by distance, by hand from the tensors that a layer of DeBERTa, T5 or MPNet makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.training.saved import distances as d
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

ROWS = {"distance_rows": 1024, "sequence_length": 100}
BIAS = {"num_attention_heads": 4, "sequence_length": 100, "residual_element_bytes": 2, "counts_saved_tensors": 1}
SHARED = {"windows_as_masks": 1, "num_key_value_heads": 8, "padding_mask": 0}
TRUTHS = [
    truth(
        d.scores_stored, 1, kernel_stores_scores=1, unfused_attention=0, runs_transformers_layers=0, no_fused_kernel=0
    ),
    truth(
        d.scores_stored, 1, kernel_stores_scores=0, unfused_attention=1, runs_transformers_layers=1, no_fused_kernel=0
    ),
    truth(
        d.scores_stored, 0, kernel_stores_scores=0, unfused_attention=1, runs_transformers_layers=0, no_fused_kernel=0
    ),
    truth(
        d.scores_stored, 1, kernel_stores_scores=0, unfused_attention=0, runs_transformers_layers=1, no_fused_kernel=1
    ),
    truth(d.no_fused_kernel, 1, activation_element_bytes=4, num_attention_heads=32, **SHARED),
    truth(d.no_fused_kernel, 0, activation_element_bytes=2, num_attention_heads=32, **SHARED),
    truth(d.no_fused_kernel, 0, activation_element_bytes=4, num_attention_heads=8, **SHARED),
    truth(d.no_fused_kernel, 0, activation_element_bytes=4, num_attention_heads=32, **{**SHARED, "padding_mask": 1}),
    truth(d.distance_rows_used, 1024, distance_rows_follow=0, **ROWS),
    truth(d.distance_rows_used, 200, distance_rows_follow=1, **ROWS),
    truth(d.distance_table_bytes, 65536, distance_rows_used=128, hidden_size=256, activation_element_bytes=2),
    truth(  # of 3 sequences of 100 tokens: 12 x 100 x 128 scores and 12 x 64 x 128 of the table, in 16 bit
        d.distance_term_bytes,
        (307200 + 196608) / 300,
        distance_rows_used=128,
        num_attention_heads=4,
        activation_element_bytes=2,
        distance_table_bytes=65536,
        sequence_length=100,
    ),
    truth(  # the table, 3 x 100 x 100 of true and false, 300 x 256 keys
        d.distance_shared_bytes,
        65536 / 300 + (30000 + 153600) / 300,
        distance_table_bytes=65536,
        tokens_per_micro_batch=300,
        sequence_length=100,
        hidden_size=256,
        activation_element_bytes=2,
    ),
    truth(  # two kinds, each with 100 x 100 indices of 8 bytes
        d.distance_activation_bytes,
        2 * (1000 + 80000 / 300) + 7,
        distance_terms=2,
        distance_term_bytes=1000,
        sequence_length=100,
        micro_batch_size=3,
        distance_shared_bytes=7,
    ),
    truth(
        d.distance_activation_bytes,
        0,
        distance_terms=0,
        distance_term_bytes=0,
        sequence_length=100,
        micro_batch_size=3,
        distance_shared_bytes=7,
    ),
    truth(d.distance_backward_bytes, 9, distance_terms=2, distance_term_bytes=9),
    truth(d.distance_backward_bytes, 0, distance_terms=0, distance_term_bytes=0),
    truth(  # T5 with checkpoints: 3 x 4 x 100 x 100 in 16 bit, and as much of gradients
        d.distance_bias_bytes,
        2 * 240000,
        distance_biases=3,
        distance_biases_repeated=0,
        micro_batch_size=8,
        checkpoints=1,
        trains_base=1,
        **BIAS,
        distance_index_bytes=0,
    ),
    truth(
        d.distance_index_bytes,
        8 * 1024 * 1024 * 8,
        distance_index_layers=8,
        sequence_length=1024,
        counts_saved_tensors=1,
        checkpoints=0,
        trains_base=1,
    ),
    truth(  # MPNet with adapters: one for each of 8 sequences
        d.distance_bias_bytes,
        640000,
        distance_biases=1,
        distance_biases_repeated=1,
        micro_batch_size=8,
        checkpoints=0,
        trains_base=0,
        **BIAS,
        distance_index_bytes=0,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected)


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(d)}


def test_fused_attention_that_a_model_lacks_is_said_and_counted_as_stored(tmp_path: Path) -> None:
    fused, stored = (
        run(tmp_path, scenario_text(model="bloom-560m", training=f"{{method: full, attention: {kernel}}}"))
        for kernel in ("flash", "eager")
    )
    assert value(fused, "peak_bytes") == value(stored, "peak_bytes")
    said = [warning.sentence for warning in fused.resolved.warnings]
    assert any("has no fused attention" in sentence for sentence in said)
    assert not [warning for warning in stored.resolved.warnings if "fused" in warning.sentence]
