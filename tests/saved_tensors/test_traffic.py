"""What the single operations of a layer move: the engine's bytes against counts of torch and transformers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.saved_tensors.test_counts import data, flow
from tests.support import run, scenario_text, value

COUNTS = {one["architecture"]: one for one in data("traffic.yaml")["counts"]}
STREAMS = ("norm_stream_bytes", "pointwise_stream_bytes")
UNCOUNTED = {"olmo": 0.22, "opt": 0.22, "gpt2": 0.05, "gpt-neox": 0.09, "phi3": 0.12, "starcoder2": 0.09, "olmo2": 0.08}
"""Left out: gradients of biases, the halves of joined projections put together again, rotations in FP32 (OLMo)."""


@pytest.mark.parametrize("name", COUNTS)
def test_what_a_layer_moves_is_predicted(tmp_path: Path, name: str) -> None:
    one: Mapping[str, Any] = COUNTS[name]
    variants = {f"{layers} layers": {"model.num_hidden_layers": layers} for layers in (3, 5)}
    training = {"micro_batch_size": 2, "sequence_length": 128, "precision": "bf16-pure", "attention": "sdpa"}
    computed = run(tmp_path, scenario_text(model=flow(one["card"]), training=flow(training), variants=flow(variants)))
    found = sum(value(computed, stream, 1) - value(computed, stream, 0) for stream in STREAMS) / 2
    assert found == pytest.approx(one["forward"] + one["backward"], rel=UNCOUNTED.get(name, 0.01))
