"""Model cards: a file of fields, checked, as a record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memreport.catalogue.fields.model import ModelFields
from memreport.catalogue.fields.validation import shown, validated
from memreport.catalogue.records import ModelCard
from memreport.catalogue.tables import reading as tables
from memreport.catalogue.tables.reading import stated_source
from memreport.catalogue.yaml import packaged as packaged_yaml
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault, InputError, as_spelt
from memreport.files import MOST_YAML, read_text

TRAINED_WITH = ("hidden_dropout", "attention_dropout")
"""What a card may name of its training, so that a scenario that does not state it is told."""
REQUIRED_WORDS = ("id", "title", "source")
CARD_WORDS = (
    "schema",
    "id",
    "title",
    "hf_repo",
    "model_type",
    "weight_dtype",
    "source",
    "notes",
    "published_parameters",
    "trained_with",
)


LONGEST_WORDS = {"title": 160, "hf_repo": 500, "model_type": 500, "weight_dtype": 60, "notes": 4000}
"""Characters of the words of a card; a title is a heading."""


def read_model(path: Path, faults: list[Fault]) -> ModelCard | None:
    """One model card; None, with faults added, where it is not valid."""
    try:
        document = packaged_yaml.read(path)
    except InputError as error:
        faults.extend(error.faults)
        return None
    before = len(faults)
    data = tables.checked_file(document, REQUIRED_WORDS, None, faults)
    if not data:
        return None
    tables.check_id(document, data, path.stem, faults)
    card = _card(path, document, data, faults)
    return card if len(faults) == before else None


def _card(path: Path, document: Document, data: Mapping[str, Any], faults: list[Fault]) -> ModelCard | None:
    """A card of what its file says, with the faults of each part added."""
    fields = {name: value for name, value in data.items() if name not in CARD_WORDS}
    record = validated(document, ModelFields, faults, data=fields)
    source = stated_source(document, ("source",), data.get("source"), faults)
    words = _texts(document, data, faults)
    published, trained_with = _published(document, data, faults), _trained_with(document, data, faults)
    if record is None:
        return None
    return ModelCard(
        id=path.stem,
        title=words.get("title") or path.stem,
        source=source,
        values=model_values(record),
        published_parameters=published.get("value"),
        published_source=published.get("source"),
        notes=words.get("notes", ""),
        file=str(path),
        given=frozenset(fields),
        repository=str(data.get("hf_repo", "")),
        weight_dtype=words.get("weight_dtype", ""),
        trained_with=trained_with,
    )


def _texts(document: Document, data: Mapping[str, Any], faults: list[Fault]) -> dict[str, str]:
    """Texts of a card that are published; a fault for each that is none, or fills no cell."""
    given = {name: data[name] for name in LONGEST_WORDS if data.get(name) is not None}
    for name, value in given.items():
        if not isinstance(value, str) or len(value) > LONGEST_WORDS[name]:
            message = f"must be text of at most {LONGEST_WORDS[name]:,} characters"
            faults.append(document.fault((name,), message, found=shown(value)))
    return {name: str(value) for name, value in given.items()}


def _published(document: Document, data: Mapping[str, Any], faults: list[Fault]) -> Mapping[str, Any]:
    """The published count with its source; nothing where the card has none, or, with a fault added, no number."""
    found = data.get("published_parameters")
    if found is None:
        return {}
    value = found.get("value") if isinstance(found, dict) else found
    if not isinstance(found, dict) or isinstance(value, bool) or not isinstance(value, int):
        place = ("published_parameters", "value") if isinstance(found, dict) else ("published_parameters",)
        faults.append(document.fault(place, "must be a whole number with its source", found=shown(value)))
        return {}
    source = stated_source(document, ("published_parameters", "source"), found.get("source"), faults)
    return {"value": value, "source": source}


def _trained_with(document: Document, data: Mapping[str, Any], faults: list[Fault]) -> Mapping[str, float]:
    """Shares that were dropped in training, by field; nothing, with a fault added, where one is no share."""
    found = data.get("trained_with", {})
    if isinstance(found, dict) and set(found) <= set(TRAINED_WITH):
        wrong = [name for name, share in found.items() if type(share) not in (int, float) or not 0 <= share <= 1]
        faults += [document.fault(("trained_with", name), "must be a share from 0 to 1") for name in wrong]
        return {} if wrong else found
    allowed = ", ".join(TRAINED_WITH)
    faults.append(document.fault(("trained_with",), "must be a block of shares by field", expected=allowed))
    return {}


def card_named(name: str, files: Mapping[str, Path]) -> str:
    """The card of that name in any spelling, or of the repository that it is or, by its name, copies; else nothing."""
    spelt = "" if "/" in name else as_spelt(name, files)
    texts = ((id_, _REPOSITORY.search(read_text(path, MOST_YAML))) for id_, path in files.items())
    return spelt or next((id_ for id_, found in texts if found and release(found[1]) == release(name)), "")


def as_copy(card: ModelCard, name: str) -> ModelCard:
    """The card for a repository that has its model's name: with the format that the name says, and what is assumed."""
    said = _format(name)
    if not ("/" in name or said):
        return card
    ours = _owner_and_date(name) == _owner_and_date(card.repository) and not said
    weights = f", its weights for {said}" if said else ""
    doubts = () if ours else (f"{name} is taken for a copy of {card.repository} by its name{weights}.",)
    return replace(card, repository=name, weight_dtype=said or card.weight_dtype, doubts=(*card.doubts, *doubts))


def _words(repository: str) -> list[str]:
    """The words of a repository's name, without its owner and a tag."""
    return repository.partition(":")[0].rpartition("/")[2].lower().replace("_", "-").split("-")


def release(repository: str) -> str:
    """A repository's name without its owner and the words that leave the architecture as it is."""
    kept = (word for word in _words(repository) if not (word in TUNED or word in FORMATS or _DATE.fullmatch(word)))
    return "-".join(kept)


def _owner_and_date(repository: str) -> tuple[str, list[str]]:
    return repository.partition("/")[0].lower(), [word for word in _words(repository) if _DATE.fullmatch(word)]


def _format(name: str) -> str:
    """The format of the weights that a repository's name says, a tag before all; nothing where it says none."""
    found = [FORMATS[word] for word in _words(name) if FORMATS.get(word)]
    return name.lower().partition(":")[2] or (found[-1] if found else "")


_REPOSITORY = re.compile(r'^hf_repo: "?([^"\s]+)', re.MULTILINE)
_DATE = re.compile(r"\d{4}")
TUNED = frozenset(("instruct", "chat", "it", "pt", "hf", "base", "thinking", "meta"))
"""Words of a release that change no tensor: how it was tuned, converted, or called before."""
FORMATS = {
    **dict.fromkeys(("unsloth", "bnb", "dynamic", "quantized", "quant", "block", "static", "i1", "torchao"), ""),
    **dict.fromkeys(("4bit", "nf4"), "nf4"),
    **dict.fromkeys(("gptq", "awq", "int4", "w4a16", "autoround"), "int4"),
    **dict.fromkeys(("int8", "8bit", "w8a8", "quantized.w8a8"), "int8"),
    "quantized.w4a16": "int4",
    "fp8": "fp8",
    **dict.fromkeys(("nvfp4", "fp4"), "nvfp4"),
    **dict.fromkeys(("bf16", "fp16"), ""),
    "gguf": "q4_k_m",
}
"""Words of a copy that say in which format its weights are, or nothing of it; of a GGUF, llama.cpp takes Q4_K_M."""


def model_values(record: ModelFields) -> dict[str, Any]:
    """The card as numbers and names."""
    dumped = record.model_dump().items()
    return {name: value if isinstance(value, str) else float(value) for name, value in dumped}
