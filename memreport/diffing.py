"""What `memreport diff` prints: two scenario files, two git revisions of one, or two folders."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from memreport.catalogue.revisions import version
from memreport.compute import Computed, compute
from memreport.errors import Fault, InputError
from memreport.publish.data import to_json
from memreport.publish.difference import difference
from memreport.publish.difference_text import as_data, as_markdown, as_text, summary
from memreport.resolve import resolve_all
from memreport.verify.sanity import check


def diff(old: str, new: str, style: str) -> tuple[str, bool]:
    """The difference in words, and whether a verdict differs.  Raises InputError, MachineError, VerificationError."""
    with ExitStack() as stack:
        paths = [stack.enter_context(version(spec)) for spec in (old, new)]
        if paths[0].is_dir() != paths[1].is_dir():
            raise InputError([Fault("compares two files or two folders", file=f"{old} and {new}")])
        before, after = (_computed(spec, path) for spec, path in zip((old, new), paths, strict=True))
    pairs = _pairs(before, after, by_id=paths[0].is_dir())
    found = [difference(*pair) for pair in pairs]
    added = [name for name in after if name not in before] if paths[0].is_dir() else []
    removed = [name for name in before if name not in after] if paths[0].is_dir() else []
    first = summary(found, added, removed)
    if style == "json":
        return to_json(as_data(found, first, added, removed)), any(one.verdict_changed for one in found)
    text = as_markdown(found, first) if style == "markdown" else as_text(found, first)
    return text, any(one.verdict_changed for one in found)


def _computed(spec: str, path: Path) -> dict[str, Computed]:
    """The scenarios of a path by id; a fault in a copy names what the user asked for."""
    try:
        made = compute(resolve_all([path]))
    except InputError as error:
        raise InputError([_renamed(fault, spec, path) for fault in error.faults]) from error
    for one in made:
        check(one)
    return {one.resolved.loaded.scenario.id: one for one in made}


def _renamed(fault: Fault, spec: str, path: Path) -> Fault:
    """The fault with the file as the user wrote it, where it lies in a copy that is gone by now."""
    if "@" not in spec or not fault.file.startswith(str(path)):
        return fault
    words = {name: getattr(fault, name) for name in fault.__slots__}
    revision = spec.rpartition("@")[2]
    below = fault.file.removeprefix(str(path))
    return Fault(**(words | {"file": f"{spec.rpartition('@')[0]}{below}@{revision}"}))


def _pairs(before: dict[str, Computed], after: dict[str, Computed], *, by_id: bool) -> list[tuple[Computed, Computed]]:
    """Two files are compared whatever their ids; scenarios of folders by id."""
    if not by_id:
        return [(next(iter(before.values())), next(iter(after.values())))]
    return [(before[name], after[name]) for name in after if name in before]
