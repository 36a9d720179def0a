"""The file format of a ledger, as a user writes it.  What it means is read in `reading`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from memreport.catalogue.fields.blocks import StrictBlock
from memreport.catalogue.fields.validation import validated
from memreport.catalogue.yaml import packaged
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault, InputError
from memreport.frozen import frozen

Key = str | int


def _one_value(value: object) -> object:
    """One fault for a list or block in the place of a value, where each possible type would have its own."""
    if value is not None and not isinstance(value, float | int | str):
        raise ValueError("must be a number with a unit, true or false")
    return value


Scalar = Annotated[float | bool | str, BeforeValidator(_one_value)]
Given = dict[str, Scalar | list[str]]
Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")]
Words = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
JUDGEMENTS = ("reproduces", "contradicts itself", "argued", "qualitative")
Workload = Literal["training", "serving"]


class Convention(StrictBlock):
    """A way of counting: what it means, the inputs it sets, and which unit is meant where a unit is printed."""

    meaning: Words
    inputs: Given = Field(default_factory=dict)
    reads: dict[str, str] = Field(default_factory=dict)


class ReadingText(StrictBlock):
    """One way to compute the value: an expression of figures and what it is computed with."""

    figure: str = ""
    given: str = ""
    inputs: Given = Field(default_factory=dict)
    low: Given | None = None
    high: Given | None = None


class Under(ReadingText):
    """A reading by a named convention."""

    convention: str


class Other(ReadingText):
    """A reading by another source: computed from the catalogue, or the `value` that the other source prints."""

    source: Words
    value: Scalar | None = None


class Within(StrictBlock):
    """A tolerance wider than half of the last printed digit, and why."""

    by: Scalar
    why: Words


class Argued(StrictBlock):
    """A judgement that no arithmetic can reach, with the argument."""

    as_: Literal["reproduces", "contradicts itself", "conflicts"] = Field(alias="as")
    because: Words


class EntryText(ReadingText):
    """One statement of a document, in our words, and how it is judged."""

    id: Identifier
    scenario: str = Field(default="", max_length=400)
    variant: str = ""
    section: str = ""
    line: int = Field(default=0, ge=0)
    listing: str = ""
    says: Words
    value: Scalar | None = None
    printed: str = ""
    within: Within | None = None
    under: str | Under | None = None
    other: Other | None = None
    right: Scalar | None = None
    argued: Argued | None = None
    used: str = ""
    also: dict[str, ReadingText] = Field(default_factory=dict)
    expect: str
    why: str = ""


class Setup(StrictBlock):
    """Inputs that many entries share; `given` names a set-up, or `scenario` a file, that they are added to."""

    workload: Workload | None = None
    scenario: str = Field(default="", max_length=400)
    variant: str = ""
    given: str = ""
    inputs: Given = Field(default_factory=dict)


class _Head(StrictBlock):
    schema_: Literal[1] = Field(alias="schema")
    document: str = ""
    title: str = ""
    source: dict[str, str] = Field(default_factory=dict)
    given: str = ""
    workload: Workload = "training"
    conventions: dict[str, Convention] = Field(default_factory=dict)
    setups: dict[str, Setup] = Field(default_factory=dict)
    entries: list[Any] = Field(default_factory=list)


class LedgerText(_Head):
    """A whole ledger, for its JSON Schema: entries are read one by one, so that each has faults of its own."""

    entries: list[EntryText] = Field(default_factory=list)


@frozen
class StartingPoints:
    """Variants of scenarios, by the name under which an entry starts from them."""

    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    workloads: Mapping[str, str] = field(default_factory=dict)
    """Of those that are of another workload than the file."""


@frozen
class LedgerFile:
    """One file: its head, its valid entries with their place, and its document for faults that are found later."""

    path: Path
    document: Document
    name: str
    title: str
    given: str
    workload: str
    conventions: Mapping[str, Convention]
    setups: Mapping[str, Setup]
    entries: tuple[tuple[tuple[Key, ...], EntryText], ...]
    starts: StartingPoints = field(default_factory=StartingPoints)


CONVENTIONS = "conventions.yaml"
HOLDS = frozenset({"entries", "conventions"})
"""What a ledger has one of at least; a file without is something else, and has one fault instead of many."""


def ledger_files(path: Path) -> list[Path]:
    """The ledger files of a folder, or the file itself; shared conventions come first."""
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.yaml"))
    if not found:
        raise InputError([Fault("holds no ledger (*.yaml)", file=str(path))])
    return sorted(found, key=lambda file: file.name != CONVENTIONS)


def read_file(path: Path, faults: list[Fault]) -> LedgerFile | None:
    """One ledger; None, with faults added, where its head is not valid.  A broken entry is left out, with its fault."""
    try:
        document = packaged.read(path)
    except InputError as error:
        faults.extend(error.faults)
        return None
    if isinstance(document.data, dict) and not HOLDS & document.data.keys():
        near = next((str(key) for key in document.data if str(key)[:3] in ("ent", "con")), "")
        faults.append(document.fault((), "is no ledger: it holds neither entries nor conventions", found=near))
        return None
    head = validated(document, _Head, faults)
    return _ledger(path, document, head, faults) if head else None


def _ledger(path: Path, document: Document, head: _Head, faults: list[Fault]) -> LedgerFile:
    named, setups = head.document or path.stem, head.setups
    entries = read_entries(document, head.entries, faults)
    return LedgerFile(path, document, named, head.title, head.given, head.workload, head.conventions, setups, entries)


def read_entries(
    document: Document, items: Iterable[object], faults: list[Fault], part: str = "entries"
) -> tuple[tuple[tuple[Key, ...], EntryText], ...]:
    """The valid entries of a list, with their places; faults of the others are added."""
    found: list[tuple[tuple[Key, ...], EntryText]] = []
    for position, item in enumerate(items):
        place: tuple[Key, ...] = (part, position)
        entry = validated(document, EntryText, faults, place, item)
        if entry is not None:
            found.append((place, entry))
    return tuple(found)
