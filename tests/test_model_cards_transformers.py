"""Every model card against an independent implementation: transformers builds it on the meta device and counts."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from memreport.catalogue.huggingface.models.rare import REPOSITORY_CODE
from memreport.catalogue.huggingface.parts.usual import TEXTS_USUAL, TOWERS_USUAL
from tests.transformers_configs import ENCODERS, READERS, configuration

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CARDS = sorted((Path(__file__).parents[1] / "scenarios" / "models").glob("*.yaml"))
CONFIGS = Path(__file__).parent / "data" / "configs"
ROUTER_BIAS = (
    "e_score_correction_bias",
    "expert_bias",
    "balancing_biases",
)  # a weight in the authors' code and checkpoints, a buffer in transformers
FEWEST_CARDS, TIED = 320, "tie_word_embeddings"
CAUSAL = transformers.AutoModelForCausalLM
PARTS = {"vision_config", "audio_config", "encoder_config"}
TOWERS: dict[str, Any] = json.loads((Path(__file__).parent / "data/towers.json").read_text("utf-8"))
ARCHITECTURES: dict[str, Any] = json.loads((Path(__file__).parent / "data/architectures.json").read_text("utf-8"))


def read(path: Path) -> dict[str, Any]:
    card: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return card


def counted(card: dict[str, Any]) -> int:
    """Parameters of a card: of its published file, or, where its family is known, of its fields."""
    if (path := CONFIGS / f"{card['id']}.json").exists():
        return built_of(json.loads(path.read_text("utf-8")))
    if whole := TOWERS.get(f"{card['title']} as published"):
        return built_of(whole["config"])
    if card["model_type"] not in READERS:
        return built_of(ARCHITECTURES[card["id"]]["config"])
    model_type, options = configuration(card)
    return built(model_type, options, transformers.AutoModel if model_type in ENCODERS else CAUSAL)


def built_of(config: dict[str, Any]) -> int:
    """Parameters of what a configuration describes, its tower for images too."""
    options = dict(config)
    model_type = options.pop("model_type")
    kind = transformers.AutoModel if model_type in ENCODERS else CAUSAL
    kind = transformers.AutoModelForMultimodalLM if PARTS & set(options) else kind
    if options.get("is_encoder_decoder"):
        speech = model_type == "whisper"
        kind = transformers.AutoModelForSpeechSeq2Seq if speech else transformers.AutoModelForSeq2SeqLM
    return built(model_type, options, kind)


def built(model_type: str, options: dict[str, Any], kind: Any) -> int:
    """Parameters of a model on the meta device, tied weights once, the router bias included."""
    known = READERS.get(model_type, (model_type,))[0]
    config = transformers.AutoConfig.for_model(known, **options)
    if "text_config" in options:
        config.tie_word_embeddings = options.get(TIED, getattr(config.text_config, TIED, False))
    with torch.device("meta"):
        model = kind.from_config(config)
    biases = (buffer for name, buffer in model.named_buffers() if name.endswith(ROUTER_BIAS))
    apart: int = config.vocab_size * config.d_model if _has_head_apart(model_type, options) else 0
    parts: list[int] = [tensor.numel() for tensor in (*model.parameters(), *biases)]
    return apart + sum(parts)


def _has_head_apart(model_type: str, options: dict[str, Any]) -> bool:
    """A T5 of version 1.1, whose files hold a head; transformers 5 ties it whatever they say (T5Config)."""
    return model_type in ("t5", "mt5") and not options.get(TIED, True)


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_recorded_count_is_what_transformers_builds(path: Path) -> None:
    card = read(path)
    if card["model_type"] in REPOSITORY_CODE or "source" in ARCHITECTURES.get(card["id"], {}):
        pytest.skip("its modelling code lies beside its weights; a count with its source is the published one")
    assert counted(card) == card["published_parameters"]["value"]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_architectures_without_a_card(name: str) -> None:
    config = ARCHITECTURES[name]["config"]
    if config["model_type"] in REPOSITORY_CODE or "source" in ARCHITECTURES[name]:
        pytest.skip("its modelling code lies beside its weights; the count is the published one")
    assert built_of(config) == ARCHITECTURES[name]["parameters"]


@pytest.mark.parametrize("name", [name for name, one in TOWERS.items() if "source" not in one])
def test_towers_beside_language_models(name: str) -> None:
    assert built_of(TOWERS[name]["config"]) == TOWERS[name]["parameters"]


@pytest.mark.parametrize("model_type", [*TEXTS_USUAL, *TOWERS_USUAL])
def test_what_a_part_leaves_out_is_what_its_class_takes(model_type: str) -> None:
    made = transformers.CONFIG_MAPPING[model_type]
    stated = {field.name: field.default for field in dataclasses.fields(made)}
    usual = TEXTS_USUAL.get(model_type, TOWERS_USUAL.get(model_type, {}))
    found = {key: stated.get(made.attribute_map.get(key, key), stated.get(key)) for key in usual}
    assert {key: value for key, value in found.items() if isinstance(value, int)}.items() <= usual.items()


def test_the_catalogue_is_large_and_every_mapping_is_used() -> None:
    assert len(CARDS) >= FEWEST_CARDS
    assert {read(path)["model_type"] for path in CARDS} >= set(READERS)
