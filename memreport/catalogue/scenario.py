"""A scenario file: what a user writes, checked against the data dictionary."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    field_validator,
)

from memreport.catalogue.cost_fields import CostFields
from memreport.catalogue.dictionary import Entry, Section, entries
from memreport.catalogue.job_fields import HardwareFields, ServingFields, TrainingFields
from memreport.catalogue.model_fields import ModelFields
from memreport.catalogue.prices import first_day
from memreport.catalogue.search_fields import SearchFields
from memreport.catalogue.validation import BY_FIELDS, BY_NAME, ID

SCHEMA = 1
Scalar = float | bool | str
Name = Annotated[str, StringConstraints(min_length=1, max_length=60)]
VariantName = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"\S")]
Words = Annotated[str, StringConstraints(max_length=2000)]
Identifier = Annotated[str, StringConstraints(pattern=ID)]
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}(-\d{2}){0,2}$")]


def _setting(value: object) -> object:
    """A variant's changes are flat: `training.zero_stage: 3`, not a block inside a block."""
    if isinstance(value, dict):
        raise ValueError("write each field with its section on one line, as in training.zero_stage: 3")  # noqa: TRY004  pydantic makes a fault of a ValueError only
    if isinstance(value, list) and not all(isinstance(one, str) for one in value):
        raise ValueError("must be a list of names")
    if value is None:
        raise ValueError("must be a value")
    return value


Setting = Annotated[Scalar | list[str], BeforeValidator(_setting)]


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Change(_Block):
    """One line of the change log."""

    version: int = Field(ge=1)
    date: Day
    note: Words


class Citation(_Block):
    """The document and section that a scenario follows."""

    document: Name
    section: str = ""


class Approval(_Block):
    """Who stands behind the budget."""

    document_number: str = ""
    revision: str = ""
    status: str = "draft"
    prepared: str = ""
    reviewed: str = ""
    approved: str = ""


class PriceTerms(_Block):
    """How old a price may be and until when the budget's prices hold; `as_of` is the last change unless it is given."""

    as_of: Day | None = None
    age_limit_days: int = Field(default=180, ge=1, le=3660)
    valid_until: Day | None = None

    @field_validator("as_of", "valid_until")
    @classmethod
    def real_day(cls, text: str | None) -> str | None:
        """A day that a calendar has."""
        if text is not None and first_day(text) is None:
            raise ValueError("is no date, such as 2026-11-20")
        return text


class ScalingTable(_Block):
    """A figure over the values of one or two fields."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=120)]
    figure: Name
    rows: dict[str, list[Scalar]] = Field(min_length=1, max_length=1)
    columns: dict[str, list[Scalar]] = Field(default_factory=dict, max_length=1)
    variant: str = ""

    @field_validator("rows", "columns")
    @classmethod
    def some_values(cls, axes: dict[str, list[Scalar]]) -> dict[str, list[Scalar]]:
        """An axis holds 1 to 40 values."""
        for name, values in axes.items():
            if not 1 <= len(values) <= 40:
                raise ValueError(f"the axis {name} needs 1 to 40 values")
        return axes


class Scenario(_Block):
    """A whole scenario.  `model` is a card's name, a path to a config.json, or the fields themselves."""

    schema_: Literal[1] = Field(alias="schema")
    id: Identifier
    version: int = Field(ge=1)
    changes: list[Change] = Field(default_factory=list)
    title: Annotated[str, StringConstraints(min_length=1, max_length=160)]
    question: Words = ""
    owner: str = ""
    source: Citation | None = None
    model: Annotated[
        Annotated[str, Tag(BY_NAME)] | Annotated[ModelFields, Tag(BY_FIELDS)],
        Discriminator(lambda given: BY_FIELDS if isinstance(given, (dict, ModelFields)) else BY_NAME),
    ]
    hardware: HardwareFields
    workload: Literal["training", "serving"]
    training: TrainingFields = Field(default_factory=TrainingFields)
    serving: ServingFields = Field(default_factory=ServingFields)
    cost: CostFields | None = None
    price_terms: PriceTerms = Field(default_factory=PriceTerms)
    search: SearchFields | None = None
    overrides: dict[str, Scalar] = Field(default_factory=dict)
    variants: dict[VariantName, dict[str, Setting]] = Field(default_factory=dict)
    tables: list[ScalingTable] = Field(default_factory=list)
    documented: list[dict[str, object]] = Field(default_factory=list)
    approval: Approval = Field(default_factory=Approval)


SECTIONS: dict[str, type[Section]] = {
    "model": ModelFields,
    "hardware": HardwareFields,
    "training": TrainingFields,
    "serving": ServingFields,
    "cost": CostFields,
}
WORKLOADS = ("training", "serving")


def dictionary(workload: str = "") -> dict[str, Entry]:
    """Every input by name; only those that a workload reads where one is given."""
    others = set(WORKLOADS) - {workload} if workload else set()
    found = {name: section for name, section in SECTIONS.items() if name not in others}
    every = (entry for name, section in found.items() for entry in entries(name, section))
    return {entry.name: entry for entry in every if not workload or entry.workload in ("", workload)}
