"""A scenario from its file to its figures, and these as a table of pandas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memreport.advise.verdict import JUDGED, words_of
from memreport.checks import check
from memreport.compute import Computed, compute, units
from memreport.errors import Fault, InputError
from memreport.figures.registry import shown_in
from memreport.resolve import resolve_all, resolve_given

if TYPE_CHECKING:
    import pandas as pd


def computed_of(path: Path) -> Computed:
    """One scenario file, loaded, resolved, computed and checked.  Raises InputError, VerificationError."""
    if path.is_dir():
        raise InputError([Fault("is a folder; name one scenario file", str(path))])
    computed = compute(resolve_all([path]))[0]
    check(computed)
    return computed


def computed_in(paths: Sequence[Path]) -> list[Computed]:
    """Every scenario of files and folders, computed and checked.  Raises InputError with every mistake of them."""
    found = compute(resolve_all(paths))
    for computed in found:
        check(computed)
    return found


def frame(scenario: str | Path | Mapping[str, Any]) -> pd.DataFrame:
    """One row a variant: the verdict in words and the figures of the answer first, then every figure and input.

    `attrs["units"]` has the unit of each column.
    """
    import pandas as pd

    computed = _computed_from(scenario)
    names = [case.name for case in computed.resolved.variants]
    inputs = {name: column[: len(names)] for name, column in computed.resolved.inputs.items()}
    figures = {line.name: computed.values[line.name][: len(names)] for line in computed.lines}
    every = inputs | figures
    first = {name: every[name] for name in shown_in("first column", computed.resolved.workload) if name in every}
    words = {"verdict": words_of({name: computed.values[name][: len(names)] for name in JUDGED})}
    made = pd.DataFrame(words | first | every, index=pd.Index(names, name="variant"))
    made.attrs["units"] = units(computed)
    return made


def _computed_from(scenario: str | Path | Mapping[str, Any]) -> Computed:
    if not isinstance(scenario, Mapping):
        return computed_of(Path(scenario))
    computed = compute([resolve_given(scenario)])[0]
    check(computed)
    return computed
