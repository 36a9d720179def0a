"""Scenarios of a path or portfolio, or of one at a git revision, computed while the copy of that revision is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path

from memreport.advise.comparisons.counts import on_enough_gpus
from memreport.catalogue.git.revisions import Version, bring, version
from memreport.catalogue.load import scenario_files
from memreport.checks import check_all
from memreport.compute import Computed, compute
from memreport.errors import InputError, VerificationError
from memreport.frozen import frozen
from memreport.portfolio import is_portfolio
from memreport.portfolio.jobs import computed_scenarios
from memreport.portfolio.plan import Planned, planned, with_quotes
from memreport.portfolio.read import read_portfolio
from memreport.resolve import resolve_all


@frozen
class Side:
    """One side of a comparison: its scenarios by id, whether several were asked for, and why others cannot be read."""

    scenarios: dict[str, Computed]
    several: bool
    unread: dict[str, str]
    files: dict[str, str] = field(default_factory=dict)
    """The file of each scenario, as the user knows it."""
    planned: Planned | None = None
    """Of a portfolio, whose scenarios are those of its entries."""


def side(spec: str, *, partly: bool = False) -> Side:
    """Everything that a spec names, computed while the copy of its revision is there; faults name what was asked.

    Of a folder of which a part is enough, what can be read; then each scenario is read for itself.
    """
    with version(spec) as found:
        several, plan, unread = found.path.is_dir() or is_portfolio(found.path), None, dict[str, str]()
        try:
            if is_portfolio(found.path):
                plan, made = _planned(found)
            else:
                made = _computed([found.path], found)
        except (InputError, VerificationError):
            if not (found.path.is_dir() and partly):
                raise
            made, unread = _one_by_one(found)
            if not made:
                raise
        files = {
            computed.resolved.loaded.scenario.id: found.as_asked(str(computed.resolved.loaded.path))
            for computed in made
        }
    return Side({computed.resolved.loaded.scenario.id: computed for computed in made}, several, unread, files, plan)


def _planned(found: Version) -> tuple[Planned, list[Computed]]:
    """A portfolio and the scenarios of its entries, with the quotes beside it."""
    with _as_asked(found):
        read = read_portfolio(found.path)
        bring(found, [*(entry.scenario for entry in read.given.entries), "quotes"])
        portfolio = with_quotes(read)
        scenarios = computed_scenarios(portfolio)
        return planned(portfolio, scenarios), list(scenarios.values())


def _computed(paths: list[Path], found: Version) -> list[Computed]:
    """The scenarios, computed and checked."""
    with _as_asked(found):
        made = [on_enough_gpus(each) for each in compute(resolve_all(paths))]
        check_all(made)
        return made


@contextmanager
def _as_asked(found: Version) -> Iterator[None]:
    """Faults name what was asked."""
    try:
        yield
    except InputError as error:
        raise InputError(found.told(error.faults)) from error
    except VerificationError as error:
        raise VerificationError(found.as_asked(str(error))) from error


def _one_by_one(found: Version) -> tuple[list[Computed], dict[str, str]]:
    """The scenarios of a folder that can be read, and of the others why not, by the name that file and id share."""
    made, unread = list[Computed](), dict[str, str]()
    for path in scenario_files([found.path]):
        try:
            made += _computed([path], found)
        except (InputError, VerificationError) as error:
            first, *others = str(error).splitlines()
            unread[path.stem] = first + (f" (and {len(others)} more)" if others else "")
    return made, unread
