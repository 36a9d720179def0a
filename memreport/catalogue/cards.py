"""Model cards: a file of fields, checked, as a record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from memreport.catalogue.fields.model import ModelFields
from memreport.catalogue.fields.validation import shown, validated
from memreport.catalogue.records import ModelCard, Namesake
from memreport.catalogue.tables import reading as tables
from memreport.catalogue.tables.reading import stated_source
from memreport.catalogue.yaml import packaged as packaged_yaml
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault, InputError, as_spelt, holding
from memreport.files import MOST_YAML, read_text

TRAINED_WITH = ("hidden_dropout", "attention_dropout")
"""What a card may name of its training, so that a scenario that does not state it is told."""
REQUIRED_WORDS = ("id", "title", "source")
CARD_WORDS = (
    *("schema", "id", "title", "hf_repo", "model_type", "weight_dtype", "source", "notes", "published_parameters"),
    *("trained_with", "ollama", "also"),
)
ALSO_WORDS = ("hf_repo", "ollama", "source")
"""What a card says of a further model of its architecture."""
LONGEST_WORDS = {"title": 160, "hf_repo": 500, "model_type": 500, "weight_dtype": 60, "ollama": 160, "notes": 4000}
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
    also = tuple(_also(document, data, faults))
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
        ollama=words.get("ollama", ""),
        also=also,
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


def _also(document: Document, data: Mapping[str, Any], faults: list[Fault]) -> Iterator[Namesake]:
    """Further models of this architecture, each with its source; a fault for what is none."""
    listed = data.get("also", [])
    for place, entry in enumerate(listed if isinstance(listed, list) else [listed]):
        words = [entry.get(name, "") for name in ALSO_WORDS[:2]] if isinstance(entry, dict) else []
        if words and words[0] and all(isinstance(word, str) for word in words) and set(entry) <= set(ALSO_WORDS):
            source = stated_source(document, ("also", place, "source"), entry.get("source"), faults)
            yield Namesake(words[0], words[1], source)
        else:
            at, allowed = ("also", place) if isinstance(listed, list) else ("also",), ", ".join(ALSO_WORDS)
            faults.append(document.fault(at, "must be a list of models, each a block of words", expected=allowed))


def model_names(files: Mapping[str, Path]) -> dict[str, str]:
    """The card of every name that one answers to: its own, repositories of its architecture, tags of Ollama."""
    texts = {id_: read_text(path, MOST_YAML) for id_, path in files.items()}
    said = {name: id_ for id_, text in texts.items() for line in _NAMED.findall(text) for name in line.split()}
    return said | dict(zip(files, files, strict=True))


def is_config(model: str) -> bool:
    """A scenario's `model` is a path to a configuration rather than the name of a card."""
    return model.endswith(".json") or "/" in model


def card_named(name: str, names: Mapping[str, str]) -> str:
    """The card of that name in any spelling, or of the model that it is or, by its name, copies; else nothing."""
    name = _without_address(name)
    if "/" not in name and (spelt := as_spelt(name, dict.fromkeys(names.values()))):
        return spelt
    found = {names[known] for known in _alike(name, names)}
    return found.pop() if len(found) == 1 else ""


class Cards(Protocol):
    """Where cards are found."""

    @property
    def model_names(self) -> Mapping[str, str]:
        """The card of every name that one answers to."""

    def model(self, name: str) -> ModelCard | None:
        """A model card by name."""


def draft_fields(name: str, cards: Cards) -> Mapping[str, object]:
    """A draft model in the fields that a job has for one; nothing where it has no card, or that no count."""
    known = card_named(name, cards.model_names)
    card = cards.model(known) if known else None
    if card is None or not card.published_parameters:
        return {}
    layout = ("num_hidden_layers", "num_key_value_heads", "head_dim")
    own = {f"draft_{field}": card.values[field] for field in layout if field in card.values}
    return {"draft_parameters": card.published_parameters, **own}


def model_holding(name: str, names: Mapping[str, str]) -> str:
    """The one model of whose name what was typed is a part, with what that says of its weights; else nothing."""
    found = models_holding(name, names)
    if len({names[each] for each in found}) != 1:
        return ""
    said = [word for word in _words(name) if _kind(word) == "format"]
    return "-".join((found[0], *(said or (["gguf"] if ":" in name else []))))


def models_holding(name: str, names: Mapping[str, str]) -> list[str]:
    """Models of whose names what was typed is a part, shortest first.

    Those that begin with it come before others, and of them the one that begins all others: `codestral`, `qwq`.
    """
    known = _releases(tuple(names.items()))
    typed = release(_without_address(name), ("tuned", "dated"))
    held = {*holding(typed, known.values())}
    held = {each for each in held if each.startswith(typed)} or held
    first = {each for each in held if all(other.startswith(each) for other in held)}
    return sorted((each for each in known if known[each] in (first or held)), key=lambda each: len(known[each]))


@lru_cache(maxsize=8)
def _releases(names: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    return {each: release(each, ("tuned", "dated")) for each in offered(dict(names))}


def offered(names: Mapping[str, str]) -> list[str]:
    """What messages offer of these names: the cards, and models that are not called as theirs."""
    models = ((name, id_) for name, id_ in names.items() if ":" not in name)
    return [name for name, id_ in models if id_ == name or _letters(name, ()) != _letters(id_, ())]


def _without_address(name: str) -> str:
    """A name as it stands in the address of a model's page: `https://huggingface.co/Qwen/Qwen3-8B/tree/main`."""
    path = _SITE.sub("", name.strip())
    return name if path == name else "/".join(re.split(r"[?#]", path)[0].split("/")[:2])


def _alike(name: str, names: Iterable[str]) -> Sequence[str]:
    """The names that differ in nothing, else in how they are tuned, else in the date too."""
    tag = ":" in name and "/" not in name  # which says more than the same words: mistral:7b is one of several
    listed = tuple(names)
    levels: tuple[tuple[str, ...], ...] = (("tuned", "dated"), ("dated",), ())
    tries = (_by_letters(listed, kept, tags=tag).get(_letters(name, kept), ()) for kept in levels)
    return next(filter(None, tries), ())


@lru_cache(maxsize=64)
def _by_letters(names: tuple[str, ...], kept: tuple[str, ...], *, tags: bool) -> Mapping[str, Sequence[str]]:
    """Names by their letters, tags of Ollama only where wanted: a question looks hundreds of words up in them."""
    found: dict[str, list[str]] = {}
    for each in names if tags else (name for name in names if ":" not in name):
        ways = (each, each.replace("/", "_"))  # some copies carry the maker in their names
        for letters in {_letters(way, kept) for way in ways}:
            found.setdefault(letters, []).append(each)
    return found


def as_copy(card: ModelCard, name: str) -> ModelCard:
    """The card for another name than its own: the model of that name, the format that it says, what is assumed."""
    name = _without_address(name)
    weights = _format(name, card.weight_dtype)
    if as_spelt(name, [card.id]) and not weights:
        return card
    itself = Namesake(card.repository, card.ollama, card.source)
    names = {tag: known for known in (itself, *card.also) for tag in (known.repository, *known.ollama.split())}
    meant = next((names[each] for each in _alike(name, names)), itself)
    found = card if meant is itself else _namesake(card, meant)
    by_name = bool(weights) or ("/" in name and _owner_and_date(name) != _owner_and_date(meant.repository))
    return replace(
        found,
        repository=name if "/" in name else meant.repository,
        weight_dtype=weights or card.weight_dtype,
        doubts=(*card.doubts, *(_taken(name, meant, weights) if by_name else ())),
        counted_as=_counted_as(card, weights, copied=by_name or "/" not in name or meant is not itself),
    )


def _namesake(card: ModelCard, meant: Namesake) -> ModelCard:
    """The card of a model that is called otherwise and has the same architecture."""
    called = meant.repository.rpartition("/")[2]
    said = f"{meant.repository} has the architecture of {card.repository} ({meant.source})."
    return replace(card, title=f"{called}, as {card.title}", notes=f"{said} {card.notes}".strip())


def _taken(name: str, meant: Namesake, weights: str) -> Iterator[str]:
    said = f", its weights for {weights}" if weights else ""
    yield f"{name} is taken for a copy of {meant.repository} by its name{said}."


def _counted_as(card: ModelCard, weights: str, *, copied: bool) -> str:
    said = f", weights {weights}" if weights else ""
    return f"counted as {card.id}{said}" if copied else ""


@lru_cache(maxsize=4096)
def _words(repository: str) -> tuple[str, ...]:
    """The words of a repository's name, without its owner; of a name as `llama3.1:70b` those of the tag too."""
    name = re.sub(r"[:\s]", "-", repository.strip().lower().rpartition("/")[2])
    parts = _GROUPS.sub("", _POINT.sub(".", name)).split("-")
    return tuple(word for part in parts for word in ([part] if _BLOCKS.fullmatch(part) else part.split("_")))


def release(repository: str, kept: Iterable[str] = ()) -> str:
    """A repository's name without its owner and the words that leave the architecture as it is, but for kinds kept."""
    return "-".join(word for word in _words(repository) if _kind(word) in ("", *kept))


@lru_cache(maxsize=8192)
def _letters(name: str, kept: tuple[str, ...]) -> str:
    return release(name, kept).replace("-", "")


def is_no_part(word: str) -> bool:
    """Whether a word in small letters is no part of a model's name, as `instruct` and `awq` are none."""
    return bool(_kind(word))


def says_format(word: str) -> bool:
    """Whether a word in small letters says how weights are stored."""
    return _kind(word) == "format"


def _kind(word: str) -> str:
    """What a word says that is no part of the model's name: its tuning, the date of its release, a format."""
    if word in TUNED:
        return "tuned"
    if _DATE.fullmatch(word):
        return "dated"
    return "format" if word in FORMATS or _BLOCKS.fullmatch(word) else ""


def _owner_and_date(repository: str) -> tuple[str, list[str]]:
    return repository.partition("/")[0].lower(), [word for word in _words(repository) if _DATE.fullmatch(word)]


def format_said(name: str) -> str:
    """The format of the weights that a name says by itself; nothing where it says none."""
    return _format(name, "")


def _format(name: str, published: str) -> str:
    """The format of the weights that a name says, that of a file before all; nothing where it says none."""
    words = _words(name)
    blocks = [word for word in words if _BLOCKS.fullmatch(word)]
    of_blocks = published.startswith("mxfp4")  # which copies for llama.cpp keep
    found = [FORMATS[word] for word in words if FORMATS.get(word) and not (of_blocks and word in ("gguf", "mxfp4"))]
    if "nf4" in found and WHOLE_STEPS & {*words, *_words(name.partition("/")[0])}:
        found = [FORMATS["int4"]]
    whole = "/" in name or ":" not in name or of_blocks or any(word in PLAIN for word in words)
    return (blocks or found or ([] if whole else [FORMATS["gguf"]]) or [""])[-1]


_NAMED = re.compile(r'^[ {-]*(?:hf_repo|ollama): *"?([^"\n,}]+)', re.MULTILINE)
_POINT = re.compile(r"(?<=\d)(?<!q\d)_(?=\d)")
"""Stands for the point in `phi-1_5`, but not in `q4_0`."""
_GROUPS = re.compile(r"(?<=-)\db-(?=\d+g(?:-|$))")
"""The bits of `GPTQ-4b-128g`, which are no size of a model."""
_SITE = re.compile(r"^(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co|ollama\.com/library)/")
_BLOCKS = re.compile(r"i?q\d(_\w+)?")
"""A format of llama.cpp's files."""
_DATE = re.compile(r"\d{4}")
TUNED = frozenset(("instruct", "chat", "it", "pt", "hf", "base", "meta", "text", "latest", "deduped"))
"""Words of a release that change no tensor: how it was tuned, converted, or called before."""
WHOLE_STEPS = frozenset(("gptq", "awq", "autoround", "mlx"))
"""Programs whose four bits are whole numbers with a scale for each group, where bitsandbytes has NF4."""
PLAIN = ("bf16", "fp16", "f16")
FORMATS = {
    **dict.fromkeys(("ud", "unsloth", "bnb", "dynamic", "quantized", "quant", "block", "static", "i1", "torchao"), ""),
    **dict.fromkeys(("mlx", "qat", "32g", "64g", "128g"), ""),
    "mxfp4": "mxfp4",
    **dict.fromkeys(("4bit", "nf4"), "nf4"),
    **dict.fromkeys(("gptq", "awq", "int4", "w4a16", "autoround"), "int4"),
    **dict.fromkeys(("int8", "8bit", "w8a8", "quantized.w8a8"), "int8"),
    "quantized.w4a16": "int4",
    "fp8": "fp8",
    **dict.fromkeys(("nvfp4", "fp4"), "nvfp4"),
    **dict.fromkeys(PLAIN, ""),
    "gguf": "q4_k_m",
}
"""Words of a copy that say in which format its weights are, or nothing of it; of a GGUF, llama.cpp takes Q4_K_M,
as a tag of Ollama means that says none."""


def model_values(record: ModelFields) -> dict[str, Any]:
    """The card as numbers and names."""
    dumped = record.model_dump().items()
    return {name: value if isinstance(value, str) else float(value) for name, value in dumped}
