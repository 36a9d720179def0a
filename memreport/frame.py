"""A scenario from its file to its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memreport.advise.comparisons.counts import on_enough_gpus
from memreport.advise.sizes.most_paid import with_users_paid
from memreport.checks import check, check_all
from memreport.compute import Computed, compute
from memreport.errors import Fault, InputError
from memreport.resolve import resolve_all, resolve_given


def computed_of(path: Path) -> Computed:
    """One scenario file, loaded, resolved, computed and checked.  Raises InputError, VerificationError."""
    if path.is_dir():
        raise InputError([Fault("is a folder; name one scenario file", str(path))])
    computed = _as_asked(compute(resolve_all([path]))[0])
    check(computed)
    return computed


def computed_in(paths: Sequence[Path]) -> list[Computed]:
    """Every scenario of files and folders, computed and checked.  Raises InputError with every mistake of them."""
    found = [_as_asked(each) for each in compute(resolve_all(paths))]
    check_all(found)
    return found


def computed_from(scenario: str | Path | Mapping[str, Any]) -> Computed:
    """A scenario from a path, or from the same content as a mapping.  Raises InputError, VerificationError."""
    if not isinstance(scenario, Mapping):
        return computed_of(Path(scenario))
    computed = _as_asked(compute([resolve_given(scenario)])[0])
    check(computed)
    return computed


def _as_asked(computed: Computed) -> Computed:
    """The scenario as its question asks of it: on GPUs that hold what is compared, for as many users as are paid."""
    return with_users_paid(on_enough_gpus(computed))
