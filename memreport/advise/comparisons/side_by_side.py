"""Variants of a scenario in the order of what is compared: cost, else time; of a service what its tokens cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memreport.advise.asks import asks_of_both
from memreport.advise.candidates import Candidate, Options, differ_in_prices
from memreport.advise.comparisons.bases import RentedAndBought, rented_and_bought
from memreport.advise.deciding.found import own_changes
from memreport.advise.deciding.options import candidates_of, order_of
from memreport.advise.rerun import Changes, Job, full_names
from memreport.advise.search.measured import is_priced
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.errors import InputError
from memreport.frozen import frozen

ALIKE = 1.33
"""A tie of two runs of one model on the same GPUs, whose errors are in part the same.

Of 912 judged pairs (528 of formats that are served, 384 of training) nine of ten ratios are 24 and 33 % off at most.
"""
ONE_MODEL = 1.39
"""The same of one model on different GPUs, all else alike.

Of 1,967 judged pairs (69 of training, 1,898 of serving) nine of ten ratios are 33 and 39 % off at most.
"""

EXACT = 1.0
"""No tie but of equal prices."""


@frozen
class SideBySide:
    """The variants that run, the best first, and those that nobody can tell from it by the error of the times."""

    running: tuple[Candidate, ...]
    tied: tuple[Candidate, ...]
    priced: bool
    """Whether costs are compared, not times."""
    bases: RentedAndBought | None
    """Where some of them rent and some buy."""
    options: Options
    """The variants that are compared: as they are, or with the changes without which none fits."""
    changed: bool
    fields: frozenset[str] = frozenset()
    """Names of the fields in which the variants differ."""
    prices_alone: bool = False
    """Whether they are one job on the same GPUs at different prices, which no error of a time blurs."""


def side_by_side(job: Job, options: Options) -> SideBySide:
    """The variants of the scenario in their order; where none fits, with what is recommended for one of them."""
    made = _ordered(options)
    changed = _all_changed(job, options) if asks_of_both(job.loaded.scenario) and not made.running else None
    if changed is None:
        return made
    fields = frozenset(name.rpartition(".")[2] for name in _compared(job, own_changes(job)))
    return replace(_ordered(changed), changed=True, fields=fields)


def _all_changed(job: Job, options: Options) -> Options | None:
    """Each variant with the changes that let the recommended one fit; nothing where these do not suit all."""
    own, recommended = own_changes(job), options.recommended
    if len(own) < 2 or recommended is None:
        return None
    before, compared = options.submitted.changes, _compared(job, own)
    changes = {name: value for name, value in recommended.changes.items() if before.get(name) != value}
    if any(value not in _values(job, own, name) for name, value in changes.items() if name in compared):
        return None  # what is compared would go
    changes = {name: value for name, value in changes.items() if name not in compared}
    try:
        computed, candidates = candidates_of(job, {name: {**given, **changes} for name, given in own.items()}, {})
    except InputError:
        return None
    return replace(options, computed=computed, candidates=candidates)


def _compared(job: Job, own: Mapping[str, Changes]) -> set[str]:
    """Full names of the fields in which the variants differ."""
    first, *others = [full_names(given, job.workload) for given in own.values()]
    return {name for other in others for name in {**first, **other} if first.get(name) != other.get(name)}


def _values(job: Job, own: Mapping[str, Changes], name: str) -> list[Any]:
    """What the variants state for a field."""
    return [full_names(given, job.workload).get(name) for given in own.values()]


def _ordered(options: Options) -> SideBySide:
    own = [candidate for candidate in options.candidates if candidate.own and candidate.word != DOES_NOT_FIT]
    alone = is_priced(options.computed) and differ_in_prices(own)
    order = order_of(options.computed, own)
    running = sorted(own, key=order)
    tie = EXACT if alone else min([_tie_of(running), *(each.tie for each in running[:1])])
    tied = [each for each in running if order(each) <= order(running[0]) * tie]
    bases = rented_and_bought(options.computed, running)
    priced = is_priced(options.computed)
    return SideBySide(tuple(running), tuple(tied), priced, bases, options, False, prices_alone=alone)


def _tie_of(running: Sequence[Candidate]) -> float:
    """The factor within which nobody can tell what is compared apart: less where all is one model, or one GPU too."""
    if len({each.case.card.id for each in running}) > 1:
        return math.inf
    return ALIKE if len({each.case.settings["accelerator"] for each in running}) == 1 else ONE_MODEL
