"""The JSON Schema of what users write, from the data dictionary: editors complete names and show meanings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from memreport.catalogue.cards import ALSO_WORDS, CARD_WORDS, LONGEST_WORDS, REQUIRED_WORDS, TRAINED_WITH
from memreport.catalogue.fields.model import AS_IN_TRANSFORMERS, ModelFields
from memreport.catalogue.load import Catalogue, catalogue_for
from memreport.catalogue.scenario import OTHER_NAMES, SECTIONS, WORKLOADS, Scenario, dictionary
from memreport.catalogue.tables.schemas import SOURCE, VERSION, block, quantity, table_schema
from memreport.catalogue.words.names import FOLLOWED, same_field
from memreport.catalogue.words.reading import BLOCKS
from memreport.catalogue.words.tables import meanings
from memreport.figures.registry import figures_by_name
from memreport.paths import down_to

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_INTERNAL = ("kind", "of", "unit", "symbol", "source", "table", "gives", "workload", "decisive", "switched")
_LIMITS = ("type", "minimum", "maximum", "exclusiveMinimum", "anyOf")
_PASTED = {"type": "object", "required": ["model_type"], "description": "content of a Hugging Face config.json"}
_CONFIG = {
    "type": "string",
    "pattern": r"\.json$|/|:",
    "description": "path to a Hugging Face config.json, a repository, or a tag of Ollama",
}


def schema_text(folder: Path) -> str:
    """Choices list the packaged names, and those of a user's own files beside the scenarios of that folder."""
    catalogue = catalogue_for(down_to(folder))
    schema = Scenario.model_json_schema()
    for part in schema["$defs"].values():
        for field in part.get("properties", {}).values():
            if "kind" in field:
                _field(field, catalogue)
    _with_other_words(schema["$defs"])
    properties = schema["properties"]
    cards = {"enum": sorted(catalogue.model_files), "description": "a model card"}
    fields = schema["$defs"]["ModelFields"]
    fields["required"] = [name for name in fields["required"] if name not in AS_IN_TRANSFORMERS]
    properties["model"] = {**properties["model"], "oneOf": [cards, _CONFIG, _PASTED, {"$ref": "#/$defs/ModelFields"}]}
    for variant in properties["variants"]["patternProperties"].values():
        variant["properties"] = (changes := _changes()) | _blocks(changes)
    figures = sorted({name for workload in WORKLOADS for name in figures_by_name(workload)})
    schema["$defs"]["ScalingTable"]["properties"]["figure"]["enum"] = figures
    properties["answers"]["items"]["enum"] = figures
    return _written(schema)


def _written(schema: Mapping[str, Any]) -> str:
    return json.dumps({"$schema": DIALECT, **schema}, indent=1, ensure_ascii=False) + "\n"


def _with_other_words(blocks: dict[str, Any]) -> None:
    """Names of fields and choices in other programs."""
    for section, (of, word), meaning in ((part, *row) for part in WORKLOADS for row in meanings(part).items()):
        fields = blocks[SECTIONS[section].__name__]["properties"]
        known = fields.setdefault(of, {"description": f"as in {meaning.source}"})
        if "enum" in known and "@" not in word:
            known["enum"].append(word)
    for section, words in FOLLOWED.items():
        blocks[SECTIONS[section].__name__]["properties"] |= {
            word: {"description": "of other programs: fields follow from it"} for word in words
        }
    for (section, word), name in same_field().items():
        blocks[SECTIONS[section].__name__]["properties"][word] = _reference(section, name)


def schema_of(model: type[BaseModel]) -> str:
    """The JSON Schema of another kind of file than a scenario; quantities are numbers, or text with a unit."""
    schema = model.model_json_schema()
    _with_quantities(schema)
    return _written(schema)


def schema_of_table(kind: str, folder: Path) -> str:
    """The JSON Schema of a table of hardware, prices or choices, with the columns that figures read."""
    catalogue = catalogue_for(down_to(folder))
    schema = table_schema(kind, {name: catalogue.tables[name] for name in catalogue.reference_names})
    return _written(schema)


def schema_of_card(folder: Path) -> str:
    """The JSON Schema of a model card: the fields of an architecture, and what the card says of itself."""
    catalogue, schema = catalogue_for(down_to(folder)), ModelFields.model_json_schema()
    for field in schema["properties"].values():
        _field(field, catalogue)
    words = {
        name: {"type": "string", "maxLength": LONGEST_WORDS.get(name, LONGEST_WORDS["notes"])} for name in CARD_WORDS
    }
    published = block({"value": {"type": "integer"}, "source": SOURCE}, ("value", "source"))
    shares = block({name: {"type": "number", "minimum": 0, "maximum": 1} for name in TRAINED_WITH})
    words |= {"schema": VERSION, "source": SOURCE, "published_parameters": published, "trained_with": shares}
    words["also"] = {"type": "array", "items": block({name: words[name] for name in ALSO_WORDS}, ("hf_repo", "source"))}
    schema["properties"] = words | schema["properties"]
    schema["required"] = ["schema", *REQUIRED_WORDS, *schema.get("required", ())]
    return _written(schema)


def _with_quantities(part: Any) -> None:
    """Numbers may be written with a unit wherever they stand."""
    for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _with_quantities(value)
    if isinstance(part, dict) and part.get("type") == "number":
        part |= quantity(**{name: part.pop(name) for name in _LIMITS if name in part})


def _field(field: dict[str, Any], catalogue: Catalogue) -> None:
    """Choices as their names, quantities as numbers or text with a unit; the unit stands in the description."""
    if field["kind"] == "choice":
        field["enum"] = [*catalogue.tables[field["table"]].ids, *((False, True) if "switched" in field else ())]
        field.pop("type", None)
    elif field["kind"] in ("number", "whole", "optional"):
        read = quantity(**{name: field.pop(name) for name in _LIMITS if name in field})
        field |= {"anyOf": [*read["anyOf"], {"type": "boolean"}]} if "switched" in field else read
    field["description"] += f" [{field['unit']}]" if field.get("unit") else ""
    for name in _INTERNAL:
        field.pop(name, None)


def _changes() -> dict[str, Any]:
    """What a variant may change, each as it is in its own section."""
    every = [entry for workload in WORKLOADS for entry in dictionary(workload).values()]
    places = {f"{entry.section}.{entry.name}": entry for entry in every}
    return {place: _reference(entry.section, entry.name) for place, entry in places.items()} | {
        f"{section}.{name}": _reference(section, name)
        for section, name in (
            *OTHER_NAMES,
            *same_field(),
            *((section, of) for section in WORKLOADS for of, _ in meanings(section)),
            *((section, word) for section, words in FOLLOWED.items() for word in words),
        )
    }


def _blocks(changes: Mapping[str, Any]) -> dict[str, Any]:
    """The same changes as a block of each section."""
    described = {"type": "object", "description": "fields of this section that the variant changes"}
    found = {
        section: {name.partition(".")[2]: field for name, field in changes.items() if name.startswith(f"{section}.")}
        for section in BLOCKS
    }
    return {section: {**described, "properties": fields} for section, fields in found.items()}


def _reference(section: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{SECTIONS[section].__name__}/properties/{name}"}
