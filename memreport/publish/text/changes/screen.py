"""What changed, on one screen of a terminal: the sentence, the variants, the inputs, the figures that count."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memreport.escaping import one_line
from memreport.publish.text.answer import LINES
from memreport.publish.text.table import table
from memreport.publish.text.width import columns
from memreport.publish.text.wrapping import cut
from memreport.report.changes.rows import ARROW, common_inputs, cost_texts
from memreport.report.records.answers import Verdict
from memreport.report.records.changes.versions import (
    ADDED,
    CHANGED,
    REMOVED,
    UNCHANGED,
    Difference,
    ValueChange,
    VariantChange,
)

MOST_FIRST, MOST_NOTES, MOST_SENTENCE, MOST_UNREAD = 4, 2, 2, 3
MOST_VARIANTS, MOST_INPUTS = 8, 6
NAME, TITLE, VALUE = 24, 34, 26
REST = "Everything that differs: --all, or --format json."


def as_screen(found: Sequence[Difference], first: str, unread: Mapping[str, str]) -> str:
    """At most 30 lines of 100 columns: one scenario with its variants and inputs, of several a sentence each."""
    head = [*_wrapped(first, MOST_FIRST), *_unread(unread)]
    changed = [difference for difference in found if not difference.is_empty or difference.words]
    if not changed:
        return "\n".join(head) + "\n"
    room = LINES - len(head) - 2
    body = _scenario(changed[0], room) if len(found) == 1 else _scenarios(changed, room)
    return "\n".join([*head, *body, "", REST]) + "\n"


def _wrapped(text: str, most: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        one_line(text), columns(), max_lines=most, placeholder=" …", subsequent_indent=indent, break_on_hyphens=False
    )


def _unread(unread: Mapping[str, str]) -> Iterator[str]:
    """What cannot be compared, and why."""
    for name, why in list(unread.items())[:MOST_UNREAD]:
        yield from ("", *_wrapped(f"{name} is not compared, its old version cannot be read: {why}", MOST_FIRST, "  "))
    if len(unread) > MOST_UNREAD:
        yield f"{len(unread) - MOST_UNREAD} more cannot be compared."


def _scenarios(changed: Sequence[Difference], room: int) -> Iterator[str]:
    """A scenario and its sentence, worst first, as many as there is room for."""
    told = 0
    for index, difference in enumerate(changed):
        lines = _wrapped(f"{_heading(difference)}: {difference.sentence}", MOST_SENTENCE, "  ")
        if told + len(lines) + 2 > room:
            yield f"{len(changed) - index} more scenarios change."
            return
        yield from ("", *lines) if not index else lines
        told += len(lines) + (not index)


def _scenario(difference: Difference, room: int) -> Iterator[str]:
    """Versions and change log, then tables: each as long as those before leave room."""
    notes = _wrapped(f"Change log: {'; '.join(difference.notes)}", MOST_NOTES, "  ") if difference.notes else []
    yield from ("", _heading(difference), *notes)
    room -= 2 + len(notes)
    spread = [difference.spread] if any(each.figures for each in difference.variants) else []
    room -= len(spread)
    for heading, rows, most in _tables(difference):
        lines = _table(heading, rows, min(most, room - 3))
        yield from lines
        room -= len(lines)
    yield from spread


def _heading(difference: Difference) -> str:
    old, new = difference.old_version, difference.new_version
    return one_line(f"{difference.id}, version {new}" if old == new else f"{difference.id}, version {old}{ARROW}{new}")


def _tables(difference: Difference) -> Iterator[tuple[Sequence[str], list[Sequence[str]], int]]:
    """Heads, rows and the most rows of each table: words, variants, inputs, figures of the variant that decides."""
    yield ("", "old", "new"), [_texts(change)[:3] for change in difference.words], MOST_INPUTS
    told = [each for each in difference.variants if each.status != UNCHANGED]
    told.sort(key=lambda each: (each.name != difference.deciding, not each.verdict_worse))
    yield ("variant", "verdict", "peak", "cost", ""), [_variant(each) for each in told], MOST_VARIANTS
    inputs = common_inputs(difference)
    yield ("inputs", "old", "new", ""), [_texts(change) for change in inputs], MOST_INPUTS
    for each in told[:1]:
        own = [change for change in each.inputs if change not in set(inputs)]
        heads = (f"inputs of {cut(each.name, NAME)}", "old", "new", "")
        yield heads, [_texts(change) for change in own], MOST_INPUTS
        yield (
            (f"figures of {cut(each.name, NAME)}", "old", "new", ""),
            [_texts(figure) for figure in each.figures],
            LINES,
        )


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]], most: int) -> list[str]:
    """Rows under their heads after an empty line; the last line counts those that have no room."""
    if not rows or most < 1:
        return []
    shown = rows if len(rows) <= most else rows[: max(most - 1, 1)]
    left = len(rows) - len(shown)
    more = [f"{left} more"] if left else []
    return ["", *table([heading, *shown]).splitlines(), *more]


def _texts(change: ValueChange) -> tuple[str, ...]:
    texts = (cut(text, VALUE) for text in _from_where_they_part(*map(one_line, (change.old_text, change.new_text))))
    return cut(change.title, TITLE), *texts, change.percent


def _from_where_they_part(old: str, new: str) -> tuple[str, str]:
    """Both from the word before the first that differs, where they would look alike once they are cut."""
    alike = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new))
    )
    if alike < VALUE - 1:
        return old, new
    begin = old.rfind(" ", 0, old.rfind(" ", 0, alike)) + 1
    return f"…{old[begin:]}", f"…{new[begin:]}"


def _variant(change: VariantChange) -> tuple[str, ...]:
    name = change.name if change.status == CHANGED else f"{change.name} ({change.status})"
    shown = name if len(name) <= NAME else f"{cut(change.name, NAME)}{_short(change.status)}"
    return (
        one_line(shown),
        _pair(f"{each.mark} {each.word}" for each in _verdicts(change)),
        _peaks(change),
        *cost_texts(change.cost),
    )


def _short(status: str) -> str:
    """The sign of a variant whose name leaves no room for the word."""
    return {ADDED: " +", REMOVED: " −"}.get(status, "")


def _verdicts(change: VariantChange) -> list[Verdict]:
    return [verdict for verdict in (change.old, change.new) if verdict]


def _peaks(change: VariantChange) -> str:
    """The peaks, their unit once."""
    texts = [verdict.room.peak_text for verdict in _verdicts(change)]
    unit = texts[-1].partition(" ")[2]
    same = all(text.endswith(unit) for text in texts)
    return _pair([*(text.removesuffix(f" {unit}") for text in texts[:-1]), texts[-1]]) if same else _pair(texts)


def _pair(texts: Iterable[str]) -> str:
    told = list(dict.fromkeys(texts))
    return ARROW.join(told)
