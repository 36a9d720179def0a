"""What `memreport diff` prints: two scenario files, two git revisions of one, or two folders."""

from __future__ import annotations

from dataclasses import dataclass

from memreport.catalogue.revisions import Version, version
from memreport.checks import check
from memreport.compute import Computed, compute
from memreport.errors import Fault, InputError, VerificationError
from memreport.publish.json.scenario import to_json
from memreport.publish.text.difference import as_data, as_markdown, as_text, summary
from memreport.report.changes.difference import difference
from memreport.report.changes.regressions import worst_first
from memreport.resolve import resolve_all


@dataclass(frozen=True)
class _Side:
    """One side of a comparison: its scenarios by id, and whether a folder was asked for."""

    scenarios: dict[str, Computed]
    is_folder: bool


@dataclass(frozen=True)
class Compared:
    """What differs in words, whether any verdict differs, and whether any got worse."""

    text: str
    differs: bool
    worse: bool


def diff(old: str, new: str, style: str) -> Compared:
    """The difference of every scenario in words.  Raises InputError, MachineError, VerificationError."""
    before, after = _side(old), _side(new)
    if before.is_folder != after.is_folder:
        raise InputError([Fault("compares two files or two folders", file=f"{old} and {new}")])
    found = worst_first([difference(*pair) for pair in _pairs(before, after)])
    added, removed = _only_in(after, before), _only_in(before, after)
    first = summary(found, added, removed)
    differs, worse = (any(getattr(one, name) for one in found) for name in ("verdict_changed", "verdict_worse"))
    if style == "json":
        return Compared(to_json(as_data(found, first, added, removed)), differs, worse)
    return Compared(as_markdown(found, first) if style == "markdown" else as_text(found, first), differs, worse)


def _side(spec: str) -> _Side:
    """Everything that a spec names, computed while the copy of its revision is there; faults name what was asked."""
    with version(spec) as found:
        is_folder = found.path.is_dir()
        try:
            made = compute(resolve_all([found.path]))
            for one in made:
                check(one)
        except InputError as error:
            raise InputError([_renamed(fault, found) for fault in error.faults]) from error
        except VerificationError as error:
            raise VerificationError(found.as_asked(str(error))) from error
    return _Side({one.resolved.loaded.scenario.id: one for one in made}, is_folder)


def _renamed(fault: Fault, found: Version) -> Fault:
    """The fault with files as the user knows them."""
    words = {name: getattr(fault, name) for name in fault.__slots__}
    return Fault(**(words | {name: found.as_asked(words[name]) for name in ("file", "message", "found", "expected")}))


def _pairs(before: _Side, after: _Side) -> list[tuple[Computed, Computed]]:
    """Two files are compared whatever their ids; scenarios of folders by id."""
    if not after.is_folder:
        return [(next(iter(before.scenarios.values())), next(iter(after.scenarios.values())))]
    return [(before.scenarios[name], after.scenarios[name]) for name in after.scenarios if name in before.scenarios]


def _only_in(one: _Side, other: _Side) -> list[str]:
    """Scenarios of one folder that the other has not."""
    return [name for name in one.scenarios if name not in other.scenarios] if one.is_folder else []
