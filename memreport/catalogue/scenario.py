"""A scenario file: what a user writes, checked against the data dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, StringConstraints, Tag, field_validator

from memreport.catalogue.fields.blocks import StrictBlock, real_day
from memreport.catalogue.fields.cost import CostFields
from memreport.catalogue.fields.demand import DemandFields
from memreport.catalogue.fields.dictionary import LARGEST, SAME, Entry, Section, entries, extra_of
from memreport.catalogue.fields.job import HardwareFields, ServingFields, TrainingFields
from memreport.catalogue.fields.model import ModelFields
from memreport.catalogue.fields.search import SearchFields
from memreport.catalogue.fields.validation import BY_CONFIG, BY_FIELDS, BY_NAME, ID, usable_id
from memreport.catalogue.quantities import parse_quantity

SCHEMA = 1
OF_CONFIG = frozenset({"model_type", "architectures"})
"""What a `config.json` has and a model's fields have not."""
Scalar = float | bool | str
Name = Annotated[str, StringConstraints(min_length=1, max_length=60)]
VariantName = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"\S")]
Line = Annotated[str, StringConstraints(max_length=200)]
Words = Annotated[str, StringConstraints(max_length=2000)]
Identifier = Annotated[str, StringConstraints(pattern=ID), AfterValidator(usable_id)]
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}(-\d{2}){0,2}$"), AfterValidator(real_day)]


def _setting(value: object) -> object:
    """A variant's changes are flat: `training.zero_stage: 3`, not a block inside a block."""
    if isinstance(value, dict):
        raise ValueError("write each field with its section on one line, as in training.zero_stage: 3")  # noqa: TRY004  pydantic makes a fault of a ValueError only
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        raise ValueError("must be a list of names")
    if value is None:
        raise ValueError("must be a value")
    return value


def _how_model_is_given(model: object) -> str:
    """By name or path, by fields, or as the content of a `config.json`, which says its type."""
    if isinstance(model, dict) and OF_CONFIG & model.keys():
        return BY_CONFIG
    return BY_FIELDS if isinstance(model, (dict, ModelFields)) else BY_NAME


Asks = Literal[
    "fits", "which_fit", "which_gpu", "how_many_gpus", "how_large_a_batch", "how_long_a_context",
    "how_large_a_model", "how_many_users",
    "how_much_memory", "how_much_energy", "how_long", "how_fast", "what_cost", "compare", "rent_or_buy",
    "what_limits",
]  # fmt: skip
Setting = Annotated[Scalar | list[str], BeforeValidator(_setting)]


class Change(StrictBlock):
    """One line of the change log."""

    version: int = Field(ge=1, description="the version that the change made")
    date: Day = Field(description="such as 2026-11-20")
    note: Words = Field(description="what changed, and why")


class Citation(StrictBlock):
    """The document and section that a scenario follows."""

    document: Name = Field(description="its number or name")
    section: Line = Field(default="", description="where in it")


class Approval(StrictBlock):
    """Who stands behind the budget."""

    document_number: Line = Field(default="", description="number of the budget")
    revision: Line = Field(default="", description="revision of the budget")
    status: Literal["draft", "in review", "approved", "superseded"] = Field(
        default="draft", description="approved needs who, when and the hash of what was approved"
    )
    prepared: Line = Field(default="", description="who prepared it")
    reviewed: Line = Field(default="", description="who reviewed it")
    approved: Line = Field(default="", description="who approved it")
    date: Day | None = Field(default=None, description="when it was approved")
    sha256: Line = Field(
        default="", description="hash of the inputs that were approved; a check of the file gives it where it lacks"
    )
    rests_on: dict[Line, Line] = Field(
        default_factory=dict,
        description="hashes of the model card, GPU and prices that the file names; a check of the file gives them",
    )


class PriceTerms(StrictBlock):
    """How old a price may be and until when the budget's prices hold; `as_of` is the last change unless it is given."""

    as_of: Day | None = Field(default=None, description="the day at which prices are judged")
    age_limit_days: int = Field(default=180, ge=1, le=3660, description="older prices are warned of")
    valid_until: Day | None = Field(default=None, description="the day until which the budget holds")


class Measured(StrictBlock):
    """A run of one's own: its tokens a second, and by which changes of this scenario.  It rescales every time."""

    tokens_per_second: float = Field(description="tokens that the run trained or generated a second, on all its GPUs")
    with_: dict[str, Setting] = Field(
        alias="with", default_factory=dict, description="how the run differed, as in a variant"
    )

    @field_validator("tokens_per_second", mode="before")
    @classmethod
    def a_rate(cls, value: object) -> float:
        """A rate above nothing, in tokens a second."""
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError("a rate is needed, such as 12000 token/s")  # noqa: TRY004  pydantic makes a fault of a ValueError only
        rate = parse_quantity(value, "token/s")
        if not 0 < rate < LARGEST:
            raise ValueError("must be more than 0")
        return rate


class ScalingTable(StrictBlock):
    """A figure over the values of one or two fields."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=120)] = Field(description="its heading")
    figure: Name = Field(description="what is tabled; memreport list training-figures, serving-figures")
    rows: dict[str, list[Scalar]] = Field(min_length=1, max_length=1, description="a field and its values, down")
    columns: dict[str, list[Scalar]] = Field(
        default_factory=dict, max_length=1, description="another field and its values, across"
    )
    variant: str = Field(default="", description="where it starts from; the first unless given")

    @field_validator("rows", "columns")
    @classmethod
    def some_values(cls, axes: dict[str, list[Scalar]]) -> dict[str, list[Scalar]]:
        """An axis holds 1 to 40 values."""
        for name, values in axes.items():
            if not 1 <= len(values) <= 40:
                raise ValueError(f"the axis {name} needs 1 to 40 values")
        return axes


class Scenario(StrictBlock):
    """A whole scenario.  `model` is a card's name, a path to a config.json, or the fields themselves."""

    schema_: Literal[1] = Field(alias="schema", description="version of this file format")
    id: Identifier = Field(description="the file's name without its ending")
    version: int = Field(ge=1, description="version of this scenario's content")
    changes: list[Change] = Field(default_factory=list, description="what changed in each version")
    title: Annotated[str, StringConstraints(min_length=1, max_length=160)] = Field(description="heading of the budget")
    question: Words = Field(default="", description="what the budget shall answer")
    answers: list[Name] = Field(
        default_factory=list, max_length=2, description="figures that the question asks for; page 1 answers with them"
    )
    asks: list[Asks] = Field(
        default_factory=list,
        max_length=3,
        description="what the question asks; found from `answers`, or from its words, unless given",
    )
    owner: Line = Field(default="", description="who answers for the scenario")
    source: Citation | None = Field(default=None, description="the document that the scenario follows")
    model: Annotated[
        Annotated[str, Tag(BY_NAME)]
        | Annotated[ModelFields, Tag(BY_FIELDS)]
        | Annotated[dict[str, Any], Tag(BY_CONFIG)],
        Discriminator(_how_model_is_given),
    ] = Field(
        description="a model card, a Hugging Face config.json (its path or its content), or the fields themselves"
    )
    hardware: HardwareFields
    workload: Literal["training", "serving"] = Field(description="which of the two sections is read")
    training: TrainingFields = Field(default_factory=TrainingFields)
    serving: ServingFields = Field(default_factory=ServingFields)
    demand: DemandFields | None = Field(default=None, description="what users ask of a service")
    cost: CostFields | None = Field(default=None, description="on what basis it is paid; no cost without it")
    price_terms: PriceTerms = Field(default_factory=PriceTerms)
    search: SearchFields | None = Field(default=None, description="what memreport plan may try")
    overrides: dict[str, Scalar] = Field(
        default_factory=dict, description="figures, or what a choice supplies, by name, given instead of computed"
    )
    variants: dict[VariantName, dict[str, Setting]] = Field(
        default_factory=dict,
        description="changes by name, as in training.zero_stage: 3; the first is the one asked about",
    )
    measured: Measured | None = Field(default=None, description="a run of one's own, by which times are rescaled")
    tables: list[ScalingTable] = Field(default_factory=list, description="how a figure scales")
    documented: list[dict[str, object]] = Field(default_factory=list, description="printed figures to verify")
    approval: Approval = Field(default_factory=Approval)


SECTIONS: dict[str, type[Section]] = {
    "model": ModelFields,
    "hardware": HardwareFields,
    "training": TrainingFields,
    "serving": ServingFields,
    "demand": DemandFields,
    "cost": CostFields,
}
WORKLOADS = ("training", "serving")
PARTS_OF: Mapping[str, tuple[str, ...]] = {"training": (), "serving": ("demand",)}
"""Sections that only one workload reads, beside its own."""


@lru_cache
def scenario_model() -> type[Scenario]:
    """`Scenario`, after its sections: what is built within it would be built once more where one is used alone."""
    sections: tuple[type[StrictBlock], ...] = (*SECTIONS.values(), SearchFields)
    for section in sections:
        section.model_rebuild()
    return Scenario


OTHER_NAMES: Mapping[tuple[str, str], str] = {
    (section, name): extra_of(info)["of"]
    for section, model in SECTIONS.items()
    for name, info in model.model_fields.items()
    if extra_of(info).get("kind") == SAME
}
"""Fields that are other names of one: the section and field that each of them sets."""


@lru_cache
def dictionary(workload: str = "") -> Mapping[str, Entry]:
    """Every input by name; only those that a workload reads where one is given.  Made once a process."""
    others = {name for key in set(WORKLOADS) - {workload} for name in (key, *PARTS_OF[key])} if workload else set()
    found = {name: section for name, section in SECTIONS.items() if name not in others}
    every = (entry for name, section in found.items() for entry in entries(name, section))
    return MappingProxyType({entry.name: entry for entry in every if not workload or entry.workload in ("", workload)})


@lru_cache
def switches() -> Mapping[str, Mapping[str, bool]]:
    """The fields of each workload's block, and whether each is a switch."""
    every = dictionary().values()
    return {
        section: {entry.name: entry.kind == "switch" for entry in every if entry.section == section}
        for section in WORKLOADS
    }
