"""Some layers that are trained while the others are frozen, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.errors import InputError
from memreport.figures.model import partial as p
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

LAYERS = {"attention_parameters": 40, "mlp_parameters": 80, "parameters": 200, "frozen_tower_parameters": 0}
FROZEN = LAYERS | {"frozen_tower_parameters": 30}
TOWER = 676_550_144
BIASES = {
    "trains_biases": 0, "trains_every_bias": 0, "trains_adapted_biases": 0,
    "bias_parameters": 10, "bias_parameters_beside": 3, "adapted_bias_parameters": 4,
}  # fmt: skip
BIASED = {"attention_layers": 12, "attention_bias_parameters": 4 * 768, "mlp_bias": 1}
"""BERT base's layers, with a head of Phi-2's kind; adapters on queries, values and the MLP's first matrix."""
TRUTHS = [
    truth(
        p.bias_parameters,
        12 * (4 * 768 + 3072 + 768),
        dense_layers=12,
        gated_mlp=0,
        intermediate_size=3072,
        hidden_size=768,
        **BIASED,
    ),
    truth(
        p.bias_parameters_beside,
        25 * 768 + 100,
        norm_parameters=25 * 2 * 768,
        norm_weight=1,
        norm_bias=1,
        lm_head_bias=1,
        vocab_size=100,
    ),
    truth(
        p.adapted_bias_parameters,
        12 * 2 * 768 + 12 * 3072,
        attention_adapted_outputs=2 * 768,
        mlp_adapted_outputs=12 * 3072,
        **BIASED,
    ),
    truth(p.trained_bias_parameters, 13, **BIASES | {"trains_biases": 1}),
    truth(p.trained_bias_parameters, 13, **BIASES | {"trains_every_bias": 1}),
    truth(p.trained_bias_parameters, 4, **BIASES | {"trains_adapted_biases": 1}),
    truth(p.trained_bias_parameters, 0, **BIASES),
    truth(p.trained_layer_share, 1, trained_layers=0, num_hidden_layers=32),
    truth(p.trained_layer_share, 2 / 32, trained_layers=2, num_hidden_layers=32),
    truth(p.trained_layer_share, 1, trained_layers=40, num_hidden_layers=32),
    truth(p.trains_edges, 1, trains_base=1, trained_layers=0, trains_embeddings=0),
    truth(p.trains_edges, 0, trains_base=1, trained_layers=2, trains_embeddings=0),
    truth(p.trains_edges, 1, trains_base=1, trained_layers=2, trains_embeddings=1),
    truth(p.trains_edges, 0, trains_base=0, trained_layers=0, trains_embeddings=0),
    truth(p.trained_base_parameters, 200, trained_layers=0, trained_layer_share=1, trains_embeddings=0, **LAYERS),
    truth(p.trained_base_parameters, 30, trained_layers=2, trained_layer_share=0.25, trains_embeddings=0, **LAYERS),
    truth(p.trained_base_parameters, 110, trained_layers=2, trained_layer_share=0.25, trains_embeddings=1, **LAYERS),
    truth(p.trained_base_parameters, 170, trained_layers=0, trained_layer_share=1, trains_embeddings=0, **FROZEN),
    truth(p.trained_base_parameters, 30, trained_layers=2, trained_layer_share=0.25, trains_embeddings=0, **FROZEN),
    truth(p.trained_base_parameters, 80, trained_layers=2, trained_layer_share=0.25, trains_embeddings=1, **FROZEN),
    truth(p.kept_layer_share, 0.25, trained_layers_move=0, trained_layer_share=0.25, layers_above_share=1),
    truth(p.kept_layer_share, 1, trained_layers_move=1, trained_layer_share=0.25, layers_above_share=1),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected)


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(p)}


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("finetuning_type: freeze", "trained_layers: 2"),
        ("finetuning_type: freeze, freeze_trainable_layers: 4", "trained_layers: 4"),
        ("use_badam: true", "trained_layers: 1, trained_layers_move: true"),
        ("method: lisa, lisa_activated_layers: 3",
         "trained_layers: 3, trained_layers_move: true, trains_embeddings: true"),
    ],
)  # fmt: skip
def test_words_of_programs_mean_the_same(tmp_path: Path, words: str, fields: str) -> None:
    said, meant = (
        run(tmp_path, scenario_text(training=f"{{precision: bf16-mixed, {one}}}")) for one in (words, fields)
    )
    assert value(said, "peak_bytes") == value(meant, "peak_bytes")
    assert value(said, "trainable_parameters") == value(meant, "trainable_parameters") < value(said, "parameters") / 2


def test_layers_of_a_base_are_not_trained_beside_adapters(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="are layers of the base"):
        run(tmp_path, scenario_text(training="{method: lora, trained_layers: 2}"))


@pytest.mark.parametrize(
    ("words", "trained"),
    [
        ("", True),
        ("freezes_towers: true", False),
        ("freeze_vision_tower: true, freeze_multi_modal_projector: true, image_max_pixels: 262144", False),
        ("framework: llamafactory", False),
        ("framework: ms-swift, freeze_vit: false, freeze_llm: false", True),
    ],
)
def test_towers_are_trained_unless_they_are_frozen(tmp_path: Path, words: str, trained: bool) -> None:
    text = scenario_text(model="qwen2.5-vl-7b", training=f"{{precision: bf16-mixed, {words}}}")
    found = run(tmp_path, text)
    assert value(found, "parameters") - value(found, "trainable_parameters") == (0 if trained else TOWER)


def test_towers_are_quantised_with_their_base(tmp_path: Path) -> None:
    """Linear layers of Qwen2.5-VL 7B but for its head, counted on the meta device, in 4 bits, and the rest in FP32."""
    found = run(tmp_path, scenario_text(model="qwen2.5-vl-7b", training="{method: qlora, base_weight_dtype: nf4}"))
    linear = 6_525_288_448 + 674_529_280
    assert value(found, "model_weight_bytes") == pytest.approx(
        linear * 0.5625 + 4 * (8_292_166_656 - linear), rel=0.001
    )
