"""Every model card against an independent implementation: transformers builds it on the meta device and counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.transformers_configs import ENCODERS, READERS, configuration

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CARDS = sorted((Path(__file__).parents[1] / "scenarios" / "models").glob("*.yaml"))
ROUTER_BIAS = "e_score_correction_bias"  # a weight in the authors' code and checkpoints, a buffer in transformers
FEWEST_CARDS = 64


def read(path: Path) -> dict[str, Any]:
    card: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return card


def counted(card: dict[str, Any]) -> int:
    """Parameters of the built model, tied weights once, the router bias included."""
    model_type, options = configuration(card)
    config = transformers.AutoConfig.for_model(model_type, **options)
    with torch.device("meta"):
        kind = transformers.AutoModel if model_type in ENCODERS else transformers.AutoModelForCausalLM
        model = kind.from_config(config)
    biases = (buffer for name, buffer in model.named_buffers() if name.endswith(ROUTER_BIAS))
    return sum(tensor.numel() for tensor in (*model.parameters(), *biases))


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_recorded_count_is_what_transformers_builds(path: Path) -> None:
    card = read(path)
    assert counted(card) == card["published_parameters"]["value"]


def test_the_catalogue_is_large_and_every_mapping_is_used() -> None:
    assert len(CARDS) >= FEWEST_CARDS
    assert {read(path)["model_type"] for path in CARDS} == set(READERS)
