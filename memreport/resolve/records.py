"""What resolving makes: a scenario as columns, every value of which knows where it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memreport.catalogue.load import GIVEN, Catalogue, LoadedScenario
from memreport.catalogue.records import ModelCard, Numbers
from memreport.frozen import frozen
from memreport.resolve.overlay import RowsOf

BASE = "base"
MODEL_CARD = "model card"
FOLLOWS_CARD = ("default", MODEL_CARD)
"""Origins of what nobody stated, which another model may bring along."""
MEASURED = "measured"
"""Name of the case that is a run of one's own."""
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Origin:
    """Where a value came from: scenario, variant, table point, model card, catalogue, override or default."""

    kind: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.place}" if self.place else self.kind


@frozen
class Case:
    """One column: the settings by field name, each with its origin; `table` is -1 for a variant.

    `set_aside` names given prices and attributes of another GPU, with that GPU.
    """

    name: str
    settings: Mapping[str, Any]
    origins: Mapping[str, Origin]
    overrides: Mapping[str, float]
    card: ModelCard
    table: int = -1
    row: int = 0
    column: int = 0
    set_aside: Mapping[str, str] = field(default_factory=dict)

    @property
    def makes_tokens(self) -> bool:
        """Whether it answers with tokens, and so keeps a cache; not with a vector or a score."""
        return bool(self.settings.get("is_decoder", True)) and not self.settings.get("pooling", False)


@frozen
class ScenarioWarning:
    """A doubt about a case that is computed all the same: the field, what is doubtful, what was found, who says so."""

    variant: str
    field: str
    message: str
    found: str
    source: str
    place: str
    in_table: bool

    @property
    def sentence(self) -> str:
        """The doubt in words, with what was found and where it is written, if in a file."""
        subject = "the question" if self.field == "question" else self.field
        return f"{subject} {self.message} (found {', '.join([self.found, *self._file])})."

    @property
    def _file(self) -> list[str]:
        """Where it is written; nowhere, where the scenario is no file."""
        return [] if self.place.startswith(GIVEN) else [self.place]

    def __str__(self) -> str:
        source = f"; source: {self.source}" if self.source else ""
        said = f"{self.field} {self.message} (found {self.found}{source})"
        return ": ".join([*self._file, said])


@frozen
class Resolved:
    """A scenario as columns: `inputs` per name, one value a case; `codes` are the rows that choices pick, from 1."""

    loaded: LoadedScenario
    catalogue: Catalogue
    cases: tuple[Case, ...]
    base: Case
    """The scenario before the changes of any variant."""
    inputs: Mapping[str, Numbers]
    codes: Mapping[str, Numbers]
    overrides: Mapping[str, Numbers]
    warnings: tuple[ScenarioWarning, ...] = ()
    measured: Resolved | None = None
    """The run of one's own that times are rescaled by, as the only case of a table."""

    def part(self, first: int, last: int) -> Resolved:
        """Some of the columns."""
        cut = slice(first, last)
        inputs, codes, overrides = (
            RowsOf.of(table, first, last) for table in (self.inputs, self.codes, self.overrides)
        )
        return replace(self, cases=self.cases[cut], inputs=inputs, codes=codes, overrides=overrides)

    @property
    def workload(self) -> str:
        """`training` or `serving`."""
        return self.loaded.scenario.workload

    @property
    def variants(self) -> tuple[Case, ...]:
        """The cases that are variants, in the order of the file; they are the first columns."""
        return tuple(case for case in self.cases if case.table < 0)

    def points(self, table: int) -> list[int]:
        """Columns of one scaling table, row by row."""
        return [index for index, case in enumerate(self.cases) if case.table == table]
