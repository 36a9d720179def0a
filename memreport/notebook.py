"""A scenario as a table of pandas: the answer in its first columns, and the decision page where a notebook shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from memreport.advise.verdict import JUDGED, words_of
from memreport.build.outputs import reported
from memreport.compute import Computed, units
from memreport.frame import computed_from
from memreport.report.live.ranges import COST, TIME

VERDICT = "verdict"
MEMORY = ("peak_bytes", "usable_bytes", "headroom_bytes")


class Estimate(pd.DataFrame):
    """One row a variant, numbers in base units; parts of it are plain tables of pandas.

    First the answer: the verdict in words, then peak, usable memory, headroom, time and cost with their ends; then
    every other figure and input.  `attrs["units"]` has the unit of each column.
    """

    _metadata: ClassVar[list[str]] = ["_computed", "_first"]
    _computed: Computed
    _first: tuple[str, ...]

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return pd.DataFrame

    @property
    def answer(self) -> pd.DataFrame:
        """The first columns alone."""
        return self[list(self._first)]

    @property
    def figures(self) -> pd.DataFrame:
        """Every figure and input that is no part of the answer."""
        return self.drop(columns=list(self._first))

    def _repr_html_(self) -> str:
        """The decision page as notebooks show it: answer, four numbers, options, where the memory goes."""
        from memreport.advise.decide import decide
        from memreport.publish.web.notebook import notebook_html

        return notebook_html(reported(decide(self._computed), derived=False))


class _Units(dict[str, str]):
    """Units by column, which pandas would copy anew with every row that is read."""

    def __deepcopy__(self, memo: dict[int, Any]) -> _Units:
        return self


def estimated(scenario: str | Path | Mapping[str, Any]) -> Estimate:
    """The table of a scenario from a path or a mapping.  Raises InputError, VerificationError."""
    computed = computed_from(scenario)
    names = [case.name for case in computed.resolved.variants]
    inputs = {name: column[: len(names)] for name, column in computed.resolved.inputs.items()}
    every = inputs | {line.name: computed.values[line.name][: len(names)] for line in computed.lines}
    workload = computed.resolved.workload
    said = (*MEMORY, *TIME[workload].figures, *COST[workload].figures)
    first = {name: every[name] for name in said if name in every}
    words = {VERDICT: words_of({name: computed.values[name][: len(names)] for name in JUDGED})}
    return _table(words | first | every, computed, (VERDICT, *first))


def _table(columns: Mapping[str, Any], computed: Computed, first: tuple[str, ...]) -> Estimate:
    names = [case.name for case in computed.resolved.variants]
    made = Estimate(columns, index=pd.Index(names, name="variant"))
    made._computed, made._first = computed, first  # noqa: SLF001  # of our own class
    made.attrs["units"] = _Units(units(computed))
    return made
