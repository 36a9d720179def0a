"""What `memreport diff` prints: two scenario files, two git revisions of one, or two folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memreport.catalogue.load import scenario_files
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
    """One side of a comparison: its scenarios by id, whether a folder was asked for, and why others cannot be read."""

    scenarios: dict[str, Computed]
    is_folder: bool
    unread: dict[str, str]


@dataclass(frozen=True)
class Compared:
    """What differs in words, whether any verdict differs, whether any got worse, and what could not be compared."""

    text: str
    differs: bool
    worse: bool
    unread: tuple[str, ...]


def diff(old: str, new: str, style: str) -> Compared:
    """The difference of every scenario in words; in folders an old one that cannot be read is named and left out.

    Raises InputError, MachineError, VerificationError.
    """
    before, after = _side(old, partly=True), _side(new)
    if before.is_folder != after.is_folder:
        raise InputError([Fault("compares two files or two folders", file=f"{old} and {new}")])
    found = worst_first([difference(*pair) for pair in _pairs(before, after)])
    added, removed = _only_in(after, before), _only_in(before, after)
    unread = {name: why for name, why in before.unread.items() if name in after.scenarios}
    first = summary(found, added, removed, tuple(unread))
    differs, worse = (any(getattr(one, name) for one in found) for name in ("verdict_changed", "verdict_worse"))
    if style == "json":
        text = to_json(as_data(found, first, added, removed, unread))
    else:
        text = as_markdown(found, first, unread) if style == "markdown" else as_text(found, first, unread)
    return Compared(text, differs, worse, tuple(unread))


def _side(spec: str, *, partly: bool = False) -> _Side:
    """Everything that a spec names, computed while the copy of its revision is there; faults name what was asked.

    Of a folder of which a part is enough, what can be read; then each scenario is read for itself.
    """
    with version(spec) as found:
        is_folder = found.path.is_dir()
        try:
            made, unread = _computed([found.path], found), dict[str, str]()
        except (InputError, VerificationError):
            if not (is_folder and partly):
                raise
            made, unread = _one_by_one(found)
            if not made:
                raise
    return _Side({one.resolved.loaded.scenario.id: one for one in made}, is_folder, unread)


def _computed(paths: list[Path], found: Version) -> list[Computed]:
    """The scenarios, computed and checked; faults name what was asked."""
    try:
        made = compute(resolve_all(paths))
        for one in made:
            check(one)
    except InputError as error:
        raise InputError([_renamed(fault, found) for fault in error.faults]) from error
    except VerificationError as error:
        raise VerificationError(found.as_asked(str(error))) from error
    return made


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
    names = [*one.scenarios, *one.unread]
    return [name for name in names if name not in {*other.scenarios, *other.unread}] if one.is_folder else []
