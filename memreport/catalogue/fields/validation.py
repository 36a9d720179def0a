"""A document against a section of the data dictionary: every mistake becomes a fault with its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from memreport.catalogue.quantities import QuantityError
from memreport.catalogue.words.names import nearest_choices, stated_instead
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault, nearest

Model = TypeVar("Model", bound=BaseModel)
Keys = tuple[str | int, ...]

_WORDS = {
    "greater_than_equal": "must be at least {ge:,.10g}",
    "greater_than": "must be more than {gt:,.10g}",
    "less_than_equal": "must be at most {le:,.10g}",
    "less_than": "must be less than {lt:,.10g}",
    "missing": "is required",
    "extra_forbidden": "is not a field here",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "string_too_short": "must not be empty",
    "string_too_long": "must be at most {max_length} characters",
    "too_short": "must hold at least {min_length}",
    "too_long": "must hold at most {max_length}",
    "dict_type": "must be a block of fields",
    "model_type": "must be a block of fields",
    "model_attributes_type": "must be a block of fields",
}

KEY = "[key]"
"""How pydantic ends the place of a key that is wrong itself."""
BY_NAME, BY_FIELDS, BY_CONFIG = "<name>", "<fields>", "<config>"
"""The two ways to give a model; the words stand in pydantic's places."""
NOT_IN_FILE = (KEY, BY_NAME, BY_FIELDS, BY_CONFIG)
"""Parts of pydantic's places that are no part of the file."""

ID = r"^[a-z0-9][a-z0-9.-]{0,79}$"
ID_RULE = "must be at most 80 small letters, digits, dots and hyphens"
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{kind}{index}" for kind in ("com", "lpt") for index in range(10)))
)
"""Devices of Windows, whatever ending follows.  Source: Microsoft, Naming Files, Paths, and Namespaces."""
_OURS = frozenset(
    ("manifest.json", "catalogue.json", "catalogue.xlsx", "documented.xlsx", "documented.pdf", "index.html")
)
"""What a build publishes beside the folders of the scenarios."""


def usable_id(text: str) -> str:
    """An id under which a folder can be published anywhere.  Raises ValueError."""
    if text.partition(".")[0] in _DEVICES:
        raise ValueError("is the name of a device in Windows; choose another")
    if text in _OURS or text.endswith("."):
        raise ValueError("is the name of another published file, or ends in a dot; choose another")
    return text


_PATTERNS = {
    r"\S": "must not be blank",
    ID: ID_RULE,
    r"^\d{4}(-\d{2}){0,2}$": "must be a day, month or year such as 2026-11-20",
    r"^\d{4}-\d{2}-\d{2}$": "must be a day such as 2026-11-20",
    r"^\d{4}-\d{2}(-\d{2})?$": "must be a day or a month such as 2026-11-20 or 2026-11",
    r"^\d{4}-\d{2}$": "must be a month such as 2026-11",
    r"^\d{4}-Q[1-4]$": "must be a quarter such as 2026-Q3",
    r"^[A-Z]{3}$": "must be a currency in three capital letters such as EUR",
    r"^[a-z0-9][a-z0-9._-]{0,79}$": "must be at most 80 small letters, digits, dots, hyphens and underscores",
}


def validated(
    document: Document, model: type[Model], faults: list[Fault], keys: Keys = (), data: object = None
) -> Model | None:
    """The record, or None with the faults added to `faults`.  `keys` is where in the document the data lies."""
    try:
        return model.model_validate(document.data if data is None else data)
    except ValidationError as error:
        faults.extend(_fault(document, model, keys, each) for each in error.errors(include_url=False))
        return None


def faults_of_value(document: Document, model: type[BaseModel], keys: Keys, error: ValidationError) -> list[Fault]:
    """The faults of one field's value that stands at `keys` instead of in its own section."""
    return [_fault(document, model, keys, each, skip=1) for each in error.errors(include_url=False)]


def _fault(document: Document, model: type[BaseModel], keys: Keys, error: Mapping[str, Any], skip: int = 0) -> Fault:
    location = tuple(step for step in error["loc"] if step not in NOT_IN_FILE)
    path = keys + location[skip:]
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, QuantityError):
        return quantity_fault(document, path, error["input"], cause)
    unknown = error["type"] == "extra_forbidden"
    allowed = _names(_block(model, location[:-1])) if unknown else _allowed(error)
    expected = ", ".join(allowed) if len(allowed) <= 30 else ""
    found = "" if error["type"] in ("missing", "extra_forbidden") else shown(error["input"])
    close = nearest(location[-1] if unknown else error["input"], allowed) if allowed and location else ""
    word = location[-1] if unknown else error["input"] if error["type"] == "literal_error" else ""
    instead = stated_instead().get(str(word), "")
    message = f"{_message(error)}: {instead}" if instead else _message(error)
    close = "" if instead else close
    return document.fault(
        path, message, found=found, expected=expected, nearest=close, at_key=unknown or KEY in error["loc"]
    )


def quantity_fault(document: Document, path: Keys, found: object, error: QuantityError) -> Fault:
    """The fault of text that is no quantity of the wanted unit."""
    return document.fault(path, error.message, found=shown(found), expected=error.allowed, nearest=error.nearest)


def _names(block: type[BaseModel]) -> list[str]:
    return [info.alias or name for name, info in block.model_fields.items()]


def _message(error: Mapping[str, Any]) -> str:
    context = error.get("ctx", {})
    if error["type"] == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], f"must look like {context['pattern']}")
    if error["type"] in _WORDS:
        return _WORDS[error["type"]].format(**context)
    if error["type"] == "literal_error":
        return "is not one of the allowed names"
    return str(context.get("error", error["msg"]))


def _allowed(error: Mapping[str, Any]) -> list[str]:
    if error["type"] != "literal_error":
        return []
    return [name.strip(" '") for name in str(error["ctx"]["expected"]).replace(" or ", ",").split(",")]


def _block(model: type[BaseModel], location: Keys) -> type[BaseModel]:
    for step in location:
        info = model.model_fields.get(str(step))
        inner = _model_in(info.annotation) if info else None
        model = inner or model
    return model


def _model_in(annotation: object) -> type[BaseModel] | None:
    for part in (annotation, *get_args(annotation)):
        if isinstance(part, type) and issubclass(part, BaseModel):
            return part
        for inner in get_args(part):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                return inner
    return None


def shown(value: object) -> str:
    """A value as a message shows it, shortened where it is long."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    text = "nothing" if value is None else f"{value:.15g}" if whole else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def unknown_name(
    document: Document,
    path: Keys,
    name: object,
    allowed: Iterable[object],
    kind: str,
    *,
    at_key: bool = False,
    titles: Mapping[str, str] | None = None,
) -> Fault:
    """The fault of a name that a table does not hold; words of a title name a row too."""
    names = [str(value) for value in allowed]
    where = "memreport list models" if kind == "model card" else "memreport list"
    listed = ", ".join(names) if len(names) <= 40 else f"{len(names)} names; see {where}"
    word = str(name).lower()
    called = nearest_choices().get(word, "")
    instead = stated_instead().get(word.rpartition(".")[2], "") if kind != "model card" else ""
    close = "" if instead else called if called and called in names else nearest(name, names, titles=titles)
    message = f"no such {kind}: {instead}" if instead else f"no such {kind}"
    return document.fault(path, message, found=repr(name), expected=listed, nearest=close, at_key=at_key)
