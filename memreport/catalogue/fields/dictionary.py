"""How a field of the data dictionary is declared: unit, default, limits, meaning, source, symbol in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import Field, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from memreport.catalogue.fields.blocks import StrictBlock
from memreport.catalogue.quantities import parse_quantity


def number(
    default: float | None,
    unit: str,
    meaning: str,
    *,
    ge: float | None = 0,
    gt: float | None = None,
    le: float | None = None,
    symbol: str = "",
    source: str = "",
    whole: bool = False,
    workload: str = "",
    decisive: bool = False,
    title: str = "",
) -> Any:
    """A quantity in base units; a default of None makes it required; `workload` is the only one that reads it.

    `decisive`: every report shows it, stated or not.  `title` is what people call it where its name would not do.
    """
    extra = {"unit": unit, "symbol": symbol, "source": source, "kind": "whole" if whole else "number"}
    return _field(
        default, meaning, extra | _besides(workload, decisive, title), ge=None if gt is not None else ge, gt=gt, le=le
    )


def whole(default: float | None, meaning: str, *, ge: float = 0, unit: str = "", symbol: str = "", **rest: Any) -> Any:
    """A whole number, as tokens, layers, heads or GPUs are."""
    return number(default, unit, meaning, ge=ge, symbol=symbol, whole=True, **rest)


def share(default: float, meaning: str, **rest: Any) -> Any:
    """A part of a whole, at most all of it."""
    return number(default, "", meaning, le=1, **rest)


def tokens(default: float, meaning: str, **rest: Any) -> Any:
    """Tokens of a sequence or of a step."""
    return whole(default, meaning, le=LONGEST, unit="token", **rest)


def one_or_more(meaning: str, **rest: Any) -> Any:
    """How many of what there is always one of, as GPUs and sequences at once; one unless it is stated."""
    return whole(1, meaning, ge=1, le=MOST, **rest)


def switch(default: bool, meaning: str, source: str = "", workload: str = "") -> Any:
    """Yes or no; 1 or 0 to the figures."""
    extra = {"unit": "", "symbol": "", "source": source, "kind": "switch"} | _besides(workload)
    return _field(default, meaning, extra, strict=True)  # or the text `no` would be read as false


def choice(
    default: object,
    table: str,
    meaning: str,
    gives: dict[str, str] | None = None,
    source: str = "",
    workload: str = "",
    decisive: bool = False,
    title: str = "",
    switched: tuple[str, str] | None = None,
) -> Any:
    """A name from a table; `gives` maps each input that it supplies to the table's column, where the names differ.

    `switched` are the names that false and true stand for, where the field's own standard has a switch.
    """
    extra = {"unit": "", "symbol": "", "source": source, "kind": "choice", "table": table, "gives": gives or {}}
    standing = {"switched": switched} if switched else {}
    return _field(default, meaning, extra | standing | _besides(workload, decisive, title))


def dtype(default: str, supplied: str, meaning: str, **rest: Any) -> Any:
    """A number format by name, which supplies the bytes of one number."""
    return choice(default, "dtypes", meaning, {supplied: "element_bytes"}, **rest)


def _besides(workload: str, decisive: bool = False, title: str = "") -> dict[str, Any]:
    """What a declaration says beyond what every field has."""
    said = {"workload": workload, "decisive": decisive, "title": title}
    return {name: value for name, value in said.items() if value}


def text(default: str | None, meaning: str) -> Any:
    """Words that no figure reads."""
    return _field(default, meaning, {"unit": "", "symbol": "", "source": "", "kind": "text"})


def optional(
    unit: str,
    meaning: str,
    *,
    ge: float = 0,
    gt: float | None = None,
    le: float | None = None,
    source: str = "",
    title: str = "",
    switched: tuple[float, float] | None = None,
) -> Any:
    """A quantity that a choice supplies unless it is given here; `switched` are its numbers for false and true."""
    standing = {"switched": switched} if switched else {}
    extra = {"unit": unit, "symbol": "", "source": source, "kind": "optional", **_besides("", title=title), **standing}
    limits = {"ge": None if gt is not None else ge, "gt": gt, "le": le}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    return Field(None, description=meaning, json_schema_extra=cast(Any, extra), **cast(Any, given))


def listed(default: tuple[str, ...], meaning: str, gives: dict[str, str]) -> Any:
    """Names of which any may be given."""
    return _field(default, meaning, {"unit": "", "symbol": "", "source": "", "kind": "list", "gives": gives})


def _field(default: object, meaning: str, extra: dict[str, Any], **limits: float | None) -> Any:
    given = {name: limit for name, limit in limits.items() if limit is not None}
    return Field(... if default is None else default, description=meaning, json_schema_extra=extra, **cast(Any, given))


SAME = "same"
"""Kind of a field that is another name of one in another section."""
QUANTITIES = ("number", "whole", "optional")
LARGEST, LARGEST_WHOLE = 1e30, 1e18
"""Beyond these no quantity of a job lies, and products of several would be no numbers any more."""
LONGEST, WIDEST, DEEPEST, MOST = 1e9, 1e8, 1e5, 1e6
"""A thousand times and more beyond what is known of: tokens of a sequence, elements of a width, layers of a model,
GPUs of a job or sequences at once.  What a search walks through is bounded by them."""


class Section(StrictBlock):
    """A block of a user's file: unknown fields are faults, quantities may carry units."""

    @field_validator("*", mode="before")
    @classmethod
    def read_quantity(cls, value: object, info: ValidationInfo) -> object:
        """Turn `80 GB` into base units where the field is a quantity; refuse true and false as numbers."""
        field = cls.model_fields[cast(str, info.field_name)]
        extra = extra_of(field)
        if isinstance(value, bool) and "switched" in extra:
            return extra["switched"][value]
        if extra.get("kind") == "choice" and field.annotation is str:
            return _name(value, extra)
        if extra.get("kind") not in QUANTITIES:
            return value
        if isinstance(value, bool) or value is None:
            raise ValueError(f"a number is needed, not {'true or false' if isinstance(value, bool) else 'nothing'}")
        share = isinstance(value, str) and value.endswith("%")
        read = parse_quantity(cast(Any, value), extra["unit"] or ("share" if share else "1"))
        return _in_bounds(read, whole=extra["kind"] == "whole")


def _name(value: object, extra: Mapping[str, Any]) -> object:
    """A name of a table."""
    if not isinstance(value, str):
        raise ValueError(f"must be a name: see memreport list {extra['table']}")  # noqa: TRY004  # pydantic wants it
    return value


def _in_bounds(read: float, *, whole: bool) -> float:
    if whole and read != int(read):
        raise ValueError("a whole number is needed")
    if abs(read) > (most := LARGEST_WHOLE if whole else LARGEST):
        raise ValueError(f"must be at most {most:g}")
    return read


def extra_of(info: FieldInfo) -> dict[str, Any]:
    """What the dictionary says of a field beside pydantic's own keys."""
    return cast(dict[str, Any], info.json_schema_extra or {})


@dataclass(frozen=True)
class Entry:
    """One line of the data dictionary: a field of a section, as figures, schema, workbook and docs read it."""

    name: str
    section: str
    kind: str
    unit: str
    meaning: str
    source: str
    symbol: str
    default: object
    required: bool
    table: str
    gives: dict[str, str]
    lowest: float | None
    highest: float | None
    workload: str = ""
    decisive: bool = False
    """Whether every report shows it, stated or not."""
    above: bool = False
    """Whether it must be more than the lowest, not just as much."""
    title: str = ""
    """What people call it, where its name in plain words would not do."""


def entries(section: str, model: type[Section]) -> list[Entry]:
    """The dictionary's lines of one section, in the order of declaration."""
    return [
        _entry(section, name, info)
        for name, info in model.model_fields.items()
        if extra_of(info).get("kind", SAME) != SAME
    ]


def _entry(section: str, name: str, info: FieldInfo) -> Entry:
    extra = extra_of(info)
    return Entry(
        name=name,
        section=section,
        kind=extra["kind"],
        unit=extra["unit"],
        meaning=info.description or "",
        source=extra["source"],
        symbol=extra["symbol"],
        default=None if info.is_required() else info.default,
        required=info.is_required(),
        table=extra.get("table", ""),
        gives=extra.get("gives", {}),
        lowest=_limit(info, ("ge", "gt")),
        highest=_limit(info, ("le", "lt")),
        workload=extra.get("workload", ""),
        decisive=extra.get("decisive", False),
        above=_limit(info, ("gt",)) is not None,
        title=extra.get("title", ""),
    )


def _limit(info: FieldInfo, names: tuple[str, ...]) -> float | None:
    for limit in info.metadata:
        for name in names:
            if getattr(limit, name, None) is not None:
                return float(getattr(limit, name))
    return None
