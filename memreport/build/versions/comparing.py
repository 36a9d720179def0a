"""What `memreport diff` prints: two scenario files, two git revisions of one, or two folders."""

from __future__ import annotations

from memreport.build.versions.sides import Side, side
from memreport.compute import Computed
from memreport.errors import Fault, InputError
from memreport.frozen import frozen
from memreport.publish.json.difference import as_data
from memreport.publish.json.scenario import to_json
from memreport.publish.text.changes.difference import as_markdown, as_text
from memreport.publish.text.changes.screen import as_screen
from memreport.report.changes.difference import difference
from memreport.report.changes.regressions import worst_first
from memreport.report.changes.rows import summary


@frozen
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
    before, after = side(old, partly=True), side(new)
    if before.several != after.several:
        raise InputError([Fault("compares two files, two folders or two portfolios", file=f"{old} and {new}")])
    found = worst_first([difference(*pair) for pair in _pairs(before, after)])
    added, removed = _only_in(after, before), _only_in(before, after)
    unread = {name: why for name, why in before.unread.items() if name in after.scenarios}
    first = summary(found, added, removed, tuple(unread))
    differs, worse = (any(getattr(change, name) for change in found) for name in ("verdict_changed", "verdict_worse"))
    if style == "json":
        text = to_json(as_data(found, first, added, removed, unread))
    else:
        written = {"markdown": as_markdown, "all": as_text}.get(style, as_screen)
        text = written(found, first, unread)
    return Compared(text, differs, worse, tuple(unread))


def _pairs(before: Side, after: Side) -> list[tuple[Computed, Computed]]:
    """Two files are compared whatever their ids; scenarios of folders by id."""
    if not after.several:
        return [(next(iter(before.scenarios.values())), next(iter(after.scenarios.values())))]
    return [(before.scenarios[name], after.scenarios[name]) for name in after.scenarios if name in before.scenarios]


def _only_in(side: Side, other: Side) -> list[str]:
    """Scenarios of one folder that the other has not."""
    names = [*side.scenarios, *side.unread]
    return [name for name in names if name not in {*other.scenarios, *other.unread}] if side.several else []
