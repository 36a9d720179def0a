"""A scenario from its file to its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memreport.advise.comparisons.counts import on_enough_gpus
from memreport.checks import check, check_all
from memreport.compute import Computed, compute
from memreport.errors import Fault, InputError
from memreport.resolve import resolve_all, resolve_given


def computed_of(path: Path) -> Computed:
    """One scenario file, loaded, resolved, computed and checked.  Raises InputError, VerificationError."""
    if path.is_dir():
        raise InputError([Fault("is a folder; name one scenario file", str(path))])
    computed = on_enough_gpus(compute(resolve_all([path]))[0])
    check(computed)
    return computed


def computed_in(paths: Sequence[Path]) -> list[Computed]:
    """Every scenario of files and folders, computed and checked.  Raises InputError with every mistake of them."""
    found = [on_enough_gpus(each) for each in compute(resolve_all(paths))]
    check_all(found)
    return found


def computed_from(scenario: str | Path | Mapping[str, Any]) -> Computed:
    """A scenario from a path, or from the same content as a mapping.  Raises InputError, VerificationError."""
    if not isinstance(scenario, Mapping):
        return computed_of(Path(scenario))
    computed = on_enough_gpus(compute([resolve_given(scenario)])[0])
    check(computed)
    return computed
