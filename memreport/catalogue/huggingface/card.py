"""A Hugging Face `config.json` as a model card.  What is not understood is named, never guessed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from memreport import strict_json
from memreport.catalogue.cards import LONGEST_WORDS, model_values, release
from memreport.catalogue.fields.model import ModelFields
from memreport.catalogue.fields.validation import validated
from memreport.catalogue.huggingface.families import FAMILIES, SAME_AS
from memreport.catalogue.huggingface.family import Family
from memreport.catalogue.huggingface.lookalikes import INEXPRESSIBLE, READ_AS, lookalike
from memreport.catalogue.huggingface.parts.language import inner_part, language, spoken_note, tied_twice, unwrapped
from memreport.catalogue.huggingface.parts.towers import TOWERS as WHOLES
from memreport.catalogue.huggingface.parts.towers import Towers, counted_towers
from memreport.catalogue.huggingface.parts.usual import COLUMNS, TEXTS_USUAL
from memreport.catalogue.huggingface.quantization import format_of
from memreport.catalogue.huggingface.reader import LONGEST_TEXT, Reader, shortened
from memreport.catalogue.load import LoadedScenario
from memreport.catalogue.records import ModelCard, Source
from memreport.catalogue.yaml.strict import Document, Mark
from memreport.errors import Fault, InputError, nearest
from memreport.files import MOST_CONFIG, lies
from memreport.frozen import frozen

ACTIVATION_KEYS = ("feed_forward_proj", "hidden_act", "hidden_activation", "activation_function", "activation")
QUANTISED = "quantization_config"
NOTED = (QUANTISED, "num_nextn_predict_layers")
TOWER = "vision_config"
TRAINED_TOWERS = "method full trains them, unless freezes_towers"
HEARD = "what the tower itself works on is not counted"
KEPT = f"{HEARD}, nor are adapters on it"
MOST_UNREAD = 20
SAME_ACTIVATION = {
    "swish": "silu",
    "gelu_python": "gelu",
    "gated-gelu": "gelu_new",
    "gated-silu": "silu",
    "swiglu": "silu",
}
ONE_ACTIVATION = ("bloom_gelu", "gelu_pytorch_tanh")
"""BLOOM and Gemma have one activation, whatever older files call it."""
KNOWN_ACTIVATIONS = frozenset({"gelu_fast", *(family.activation for family in FAMILIES.values())})
WITHOUT_EFFECT: tuple[Any, ...] = (None, False, [], {})  # an option that is off
GUESSED = "model_type "
"""How the doubt begins that a type is not known."""


@frozen
class ImportedModel:
    """What a configuration says, in the fields of a model card, and in words what it leaves open."""

    model_type: str
    repository: str
    fields: Mapping[str, Any]
    notes: tuple[str, ...]
    trained_with: Mapping[str, float]
    weight_dtype: str = ""
    doubts: tuple[str, ...] = ()
    """The notes on what may be counted wrong."""

    def record(self) -> ModelFields:
        """The fields as a checked model."""
        return ModelFields.model_validate(dict(self.fields))


def read_config(path: Path) -> ImportedModel:
    """A `config.json` as a model.  Raises InputError with every fault of the file."""
    return imported(_json(path), str(path))


def written_card(
    loaded: LoadedScenario,
    model: str | ModelFields | Mapping[str, Any],
    place: tuple[str | int, ...],
    faults: list[Fault],
    cards: Iterable[str],
) -> ModelCard | None:
    """A model or configuration in the scenario, or a configuration beside it; None, with faults, where it is broken.

    What is neither may be the name of a repository, of which one of the `cards` is.
    """
    if isinstance(model, ModelFields):
        return _inline_card(loaded, model)
    if not isinstance(model, str):
        return _in_scenario(loaded, model, place, faults)
    path = loaded.path.parent / model
    if not lies(path):
        near = "" if model.endswith(".json") else nearest(release(path.name), cards)
        message = "no such configuration beside the scenario"
        faults.append(loaded.document.fault(place, message, found=repr(model), nearest=near))
        return None
    try:
        return _card(path, read_config(path))
    except InputError as error:
        faults += error.faults
        return None


def _inline_card(loaded: LoadedScenario, record: ModelFields) -> ModelCard:
    """A model written into the scenario itself."""
    given = frozenset(loaded.document.data["model"])
    return ModelCard(
        id=loaded.scenario.id,
        title="inline model",
        source=Source(f"{loaded.path.name}, model"),
        values=model_values(record),
        published_parameters=None,
        published_source=None,
        file=str(loaded.path),
        given=given,
    )


def _in_scenario(
    loaded: LoadedScenario, config: Mapping[str, Any], place: tuple[str | int, ...], faults: list[Fault]
) -> ModelCard | None:
    """The content of a configuration as the model; its faults at the lines of their keys."""
    try:
        model = imported(config, str(loaded.path))
    except InputError as error:
        for fault in error.faults:
            path, found, near = (*place, *filter(None, [fault.field])), fault.found, fault.nearest
            faults.append(
                loaded.document.fault(path, fault.message, found=found, expected=fault.expected, nearest=near)
            )
        return None
    return replace(_card(loaded.path, model, "model"), title=model.repository or "inline model")


def _card(path: Path, model: ImportedModel, place: str = "beside the scenario") -> ModelCard:
    return ModelCard(
        id=path.name,
        title=_title(model.repository, path),
        source=Source(f"{path.name}, {place}"),
        values=model_values(model.record()),
        published_parameters=None,
        published_source=None,
        notes=" ".join(model.notes),
        file=str(path),
        given=frozenset(model.fields),
        trained_with=model.trained_with,
        weight_dtype=model.weight_dtype,
        doubts=model.doubts,
    )


def _title(repository: str, path: Path) -> str:
    """The repository, but for a folder of the machine on which the model was saved, which nobody else need know."""
    here = repository.startswith(("/", "~", ".", "\\")) or repository[1:2] == ":"
    return path.name if here or not repository else repository


def _json(path: Path) -> Mapping[str, Any]:
    data = strict_json.read(path, MOST_CONFIG)
    if not isinstance(data, dict):
        raise InputError([Fault("must be a JSON object", file=str(path), found=type(data).__name__)])
    return data


def imported(config: Mapping[str, Any], file: str) -> ImportedModel:
    """A configuration as a model.  Raises InputError with every fault."""
    spoken, config = tuple(spoken_note(config)), unwrapped(config)
    inner = inner_part(config)
    said_of_text = config if inner is None else language(config, inner)
    _refuse_inexpressible(config.get("model_type"), file)
    model_type, family, guessed = _family(said_of_text, file)
    read = Reader(said_of_text, family.names, file, {} if inner is None else TEXTS_USUAL.get(model_type))
    fields = _fields(read, family)
    outer = read.outer(config)
    towers = counted_towers(outer, read.width)
    fields["extra_parameters"] = fields.get("extra_parameters", 0) + towers.parameters
    fields |= {"tower_parameters": towers.parameters, **towers.fields}
    block, repository = outer.block(QUANTISED) or read.block(QUANTISED), outer.text("_name_or_path")
    published = format_of(block, read.text("expert_dtype"))
    kept = _kept(fields)
    _check(kept, read)
    parts = inner is not None or TOWER in config or config.get("model_type") in WHOLES
    apart = (f"Parameters are counted; {family.doubt}.",) if family.doubt else ()
    doubts = (
        *guessed,
        *apart,
        *_tower_notes(parts, towers),
        *spoken,
        *_activation_note(said_of_text, family),
        *_unread(read),
    )
    said = (
        *doubts,
        *_taken(read, towers),
        *_notes(config, block, published),
        *tied_twice(config, inner),
        *read.of_training(),
    )
    return ImportedModel(model_type, repository, kept, said, read.trained_with(), published, doubts)


def _check(fields: Mapping[str, Any], read: Reader) -> None:
    """Raise InputError for what a card may not hold, with the key that it comes from."""
    faults: list[Fault] = []
    validated(Document(read.file, fields, {(): Mark(read.file, 0, 0)}, {}, ""), ModelFields, faults)
    for fault in faults:
        fault.field = read.key_of(fault.field) or fault.field
    if faults:  # what follows from a wrong key is no second mistake
        own = [fault for fault in faults if fault.field in read.config]
        bounds = [fault for fault in own if fault.message.startswith("must be at")]
        raise InputError(dict.fromkeys((*read.faults, *bounds)) if read.faults else own or faults)
    read.check()


def _family(config: Mapping[str, Any], file: str) -> tuple[str, Family, tuple[str, ...]]:
    """Model type, family, and a warning where the type is not known but another's fields are all that is there."""
    model_type = config.get("model_type")
    if not isinstance(model_type, str):
        raise InputError([Fault("is required: it says which modelling code applies", file=file, field="model_type")])
    name = SAME_AS.get(model_type, model_type)
    if name in FAMILIES:
        return model_type, FAMILIES[name], ()
    _refuse_inexpressible(model_type, file)
    if found := lookalike(config, lambda key: _reads(config, FAMILIES[key])):
        shown = shortened(repr(model_type))
        return model_type, FAMILIES[found], (f"{GUESSED}{shown} is not known: read as {found}, {READ_AS}",)
    raise InputError([_unknown(model_type, file)])


def guessed_types(doubts: Iterable[str]) -> list[str]:
    """Of what is doubtful in a model, in short, that its type is not known and as which it is read."""
    return [doubt.partition(",")[0] for doubt in doubts if doubt.startswith(GUESSED)]


def _refuse_inexpressible(model_type: object, file: str) -> None:
    """Raise InputError for a type, of a whole or of its language model, that a card has no fields for."""
    if isinstance(model_type, str) and model_type in INEXPRESSIBLE:
        why = f"has {INEXPRESSIBLE[model_type]}"
        raise InputError([Fault(why, file=file, field="model_type", found=repr(model_type))])


def _unknown(model_type: str, file: str) -> Fault:
    known = sorted((*FAMILIES, *SAME_AS))
    return Fault(
        "is not a model type that is known here, nor are its fields those of one; write the card by hand",
        file=file,
        field="model_type",
        found=shortened(repr(model_type)),
        expected=", ".join(known),
        nearest=nearest(model_type[:LONGEST_TEXT], known),
    )


def _reads(config: Mapping[str, Any], family: Family) -> bool:
    """Whether a family finds all that it needs, and leaves nothing over."""
    read = Reader(config, family.names, "")
    _fields(read, family)
    return not read.faults and not any(_unread(read))


def _fields(read: Reader, family: Family) -> dict[str, Any]:
    common = {name: _common(read, name) for name in COLUMNS if family.names.get(name, name)}
    tied = read.flag("tie_word_embeddings", family.tied)
    act = _activation(read.config, family)
    for key in ACTIVATION_KEYS:
        read.text(key)
    known = {"hidden_act": act} if act in KNOWN_ACTIVATIONS else {}
    flags = {name: read.flag(key, missing) for name, (key, missing) in family.flags.items()}
    copied = {name: read.whole(key) for name, key in family.copied.items()}
    read.seen.update(family.passed.split())
    derived = {name: _plain(name, value) for name, value in (family.derived(read) if family.derived else {}).items()}
    return common | {"tie_word_embeddings": tied} | known | family.constants | flags | copied | derived


def _plain(name: str, value: Any) -> int | bool:
    """A switch or a whole number, which the words of formulas compute as a float."""
    return bool(value) if ModelFields.model_fields[name].annotation is bool else int(value)


def _common(read: Reader, name: str) -> int:
    if name == "num_key_value_heads":
        return read.key_value_heads
    return read.head_dim if name == "head_dim" else read.common(name)


def _activation(config: Mapping[str, Any], family: Family) -> str:
    found = next((str(config[key]) for key in reversed(ACTIVATION_KEYS) if config.get(key)), family.activation)
    if family.activation in ONE_ACTIVATION and found.startswith("gelu"):
        return family.activation
    return SAME_ACTIVATION.get(found, found)


def _kept(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields that the dictionary has, in its order, less those that only repeat a default."""
    kept = {}
    for name, info in ModelFields.model_fields.items():
        if name in fields and (info.is_required() or name == "tie_word_embeddings" or fields[name] != info.default):
            kept[name] = fields[name]
    return kept


def _tower_notes(parts: bool, towers: Towers) -> Iterator[str]:
    if towers.parameters:
        kind, taken = towers.kind, "Sound" if towers.kind == "Audio" else "An image"
        number = f"{towers.parameters:,} parameters"
        yield f"{kind} tower and projector, {number}, are extra_parameters; {TRAINED_TOWERS}."
        kept = "state images_per_sequence for what it keeps where it is trained" if towers.fields else KEPT
        kept = HEARD if towers.fields and kind == "Audio" else kept
        yield f"{taken} takes tokens of the context; {kept}."
        yield from (f"What {block} describes is not counted." for block in towers.left)
    elif parts:
        yield "Only the language model is counted, not the towers for images or sound."


def _taken(read: Reader, towers: Towers) -> Iterator[str]:
    """Keys that a part leaves to its class."""
    for part, taken in ((read.config.get("model_type"), read.taken), *towers.taken.items()):
        if taken:
            words = ", ".join(f"{key} {json.dumps(value)}" for key, value in sorted(taken.items()))
            yield f"Left out and taken as in transformers' configuration of {part}: {words}."


def _notes(config: Mapping[str, Any], block: Mapping[str, Any], published: str) -> Iterator[str]:
    method = shortened(str(block.get("quant_method", "unknown")))
    if published:
        yield f"The checkpoint is quantised ({method}): weight_dtype is {published} where it is not stated."
    elif block:
        yield f"The checkpoint is quantised ({method}): choose weight_dtype accordingly."
    if config.get("num_nextn_predict_layers"):
        yield "The layers that predict further tokens are not counted."


def _activation_note(config: Mapping[str, Any], family: Family) -> Iterator[str]:
    found = _activation(config, family)
    if found not in KNOWN_ACTIVATIONS:
        named = shortened(repr(found))
        yield f"The activation function {named} is not known: its saved tensors are counted as those of SiLU."


def _unread(read: Reader) -> Iterator[str]:
    keys = [key for key in read.unread() if key not in (*NOTED, TOWER) and _has_effect(read.config[key])]
    for key in keys[:MOST_UNREAD]:
        yield f"Not understood, and not used: {shortened(key)} = {json.dumps(read.config[key])[:60]}."
    if len(keys) > MOST_UNREAD:
        yield f"Not understood, and not used: {len(keys) - MOST_UNREAD:,} keys more."


def _has_effect(value: Any) -> bool:
    every = isinstance(value, list) and set(map(str, value)) == {"full_attention"}
    return value not in WITHOUT_EFFECT and not every


def card_text(model: ImportedModel, name: str, date: str) -> str:
    """The model as the text of a card in scenarios/models; raises nothing, as the fields are checked before."""
    head = {
        "schema": 1,
        "id": name,
        "title": model.repository if 0 < len(model.repository) <= LONGEST_WORDS["title"] else name,
        "hf_repo": model.repository,
        "model_type": model.model_type,
        **({"weight_dtype": model.weight_dtype} if model.weight_dtype else {}),
        "source": {"title": "config.json, imported", "address": "", "date": date},
        "notes": " ".join(model.notes),
    }
    told = {"trained_with": dict(model.trained_with)} if model.trained_with else {}
    return yaml.safe_dump({**head, **model.fields, **told}, sort_keys=False, allow_unicode=True, width=110)
