"""A quantised base under autocast, and copies of FP32 weights: what is predicted against what torch saves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.saved_tensors.test_counts import FIGURES, data, flow, training, unsaved
from tests.support import run, scenario_text, value

QUANTISED = data("quantised.yaml")
SHAPE = {"micro_batch_size": 2, "sequence_length": 512, "base_weight_dtype": "nf4"}
ANGLES = 2 * 512 * 64
"""Values of the positions' angles, which are counted with the layers, in the type of the residual stream."""


@pytest.mark.parametrize("tied", [False, True])
def test_quantised_bases_and_copies_of_weights_are_predicted(tmp_path: Path, tied: bool) -> None:
    cases = [case for case in QUANTISED["cases"] if case.get("tied", False) is tied]
    variants = {
        f"case {at}": {
            f"training.{name}": given for name, given in (training(case) | {"method": case["method"]}).items()
        }
        for at, case in enumerate(cases)
    }
    model = flow(QUANTISED["sizes"] | {"tie_word_embeddings": tied})
    computed = run(tmp_path, scenario_text(model=model, training=flow(SHAPE), variants=flow(variants)))
    for at, case in enumerate(cases):
        stored = {part: value(computed, figure, at) for part, figure in FIGURES.items()}
        if case["checkpointing"] == "none":
            stored["layer"] += ANGLES * value(computed, "residual_element_bytes", at) + unsaved(computed, at)
        layers = value(computed, "layer_copy_bytes", at) * (case["checkpointing"] == "none")
        stored["copies"] = value(computed, "head_copy_bytes", at) + layers
        assert stored == {part: case[part] for part in stored}, case
