"""Sentences that follow the figures: which one applies, and what stands in it, in the words of formulas.

Reports fill them in once; the page for the browser has the same patterns and rules as data and fills them in again
whenever an input changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import Formatter
from typing import Any, Literal

from memreport.advise.verdict import ON_EACH, QUEUED
from memreport.formula.words import larger
from memreport.frozen import frozen
from memreport.report.shares import whole_percent
from memreport.report.view import in_gib, pair_in_gib

Columns = Mapping[str, Any]
Rule = Callable[[Columns], Any]
Form = Literal["first of a pair in GiB", "second of a pair in GiB", "GiB", "share", "count"]


@frozen
class Slot:
    """A number in a sentence: how it is written, and the rules that compute it (two for one of a pair)."""

    form: Form
    rules: tuple[Rule, ...]


@frozen
class SentenceCase:
    """A sentence for when `applies`; where several do, the first is said."""

    applies: Rule
    pattern: str
    needs: tuple[str, ...] = ()
    """Figures without which this cannot be the case."""


def _of(name: str) -> Rule:
    return lambda columns: columns[name]


def _room(columns: Columns) -> Any:
    spare = columns["usable_bytes"] - columns["peak_bytes"]
    return larger(spare, 0 - spare)


def _waiting(columns: Columns) -> Any:
    return columns["max_num_seqs"] - columns["running_sequences"]


SLOTS: Mapping[str, Slot] = {
    "needed": Slot("first of a pair in GiB", (_of("peak_bytes"), _of("usable_bytes"))),
    "usable": Slot("second of a pair in GiB", (_of("peak_bytes"), _of("usable_bytes"))),
    "high": Slot("first of a pair in GiB", (_of("peak_bytes_high"), _of("usable_bytes"))),
    "room": Slot("GiB", (_room,)),
    "share": Slot("share", (lambda c: (c["usable_bytes"] - c["peak_bytes"]) / c["usable_bytes"],)),
    "memory": Slot("GiB", (lambda c: 0 - c["host_headroom_bytes"],)),
    "disk": Slot("GiB", (lambda c: 0 - c["nvme_headroom_bytes"],)),
    "running": Slot("count", (_of("running_sequences"),)),
    "planned": Slot("count", (_of("max_num_seqs"),)),
    "waiting": Slot("count", (_waiting,)),
}
"""What may stand in a sentence, by name."""
_EACH = "{subject} needs {needed} of the {usable} that each GPU offers"
_LACKS = "but the host lacks {%s} of %s for what is offloaded to it."


def _queued(on_each: str) -> str:
    kept = {name: f"{{{name}}}" for name in ("running", "planned", "waiting")}
    queue = QUEUED.format(on_each=on_each, **kept)
    return f"{{subject}} starts and queues: {queue}; all at once would need {{needed}} of {{usable}}."


def _queues(columns: Columns) -> Any:
    return columns["fits"] * (columns["peak_bytes"] > columns["usable_bytes"])


VERDICTS: tuple[SentenceCase, ...] = (
    SentenceCase(lambda c: _queues(c) * (c["sharding_size"] > 1), _queued(ON_EACH), ("running_sequences",)),
    SentenceCase(_queues, _queued(""), ("running_sequences",)),
    SentenceCase(lambda c: c["peak_bytes"] > c["usable_bytes"], f"{_EACH}: {{room}} too much."),
    SentenceCase(
        lambda c: (1 - c["fits"]) * (c["host_headroom_bytes"] < 0),
        f"{_EACH}, {_LACKS % ('memory', 'memory')}",
        ("host_headroom_bytes",),
    ),
    SentenceCase(lambda c: 1 - c["fits"], f"{_EACH}, {_LACKS % ('disk', 'disk space')}", ("nvme_headroom_bytes",)),
    SentenceCase(
        lambda c: c["peak_bytes_high"] > c["usable_bytes"],
        f"{_EACH}: {{room}} of headroom, which the high end of the estimate ({{high}}) would exceed.",
    ),
    SentenceCase(lambda c: c["usable_bytes"] >= c["peak_bytes"], f"{_EACH}: {{room}} ({{share}}) of headroom."),
)
"""The verdict on one job in a sentence."""


def said(cases: Sequence[SentenceCase], columns: Columns, subject: str) -> str:
    """The sentence of the first case that applies, with its numbers."""
    known = (case for case in cases if all(name in columns for name in case.needs))
    pattern = next(case.pattern for case in known if case.applies(columns))
    texts = {name: written(SLOTS[name], columns) for name in names_in(pattern) if name in SLOTS}
    return pattern.format(subject=subject, **texts)


def names_in(pattern: str) -> Iterator[str]:
    """What stands in a pattern, by name."""
    return (name for _, name, _, _ in Formatter().parse(pattern) if name)


def written(slot: Slot, columns: Columns) -> str:
    """The text of a number in a sentence."""
    values = [float(rule(columns)) for rule in slot.rules]
    if len(values) > 1:
        return pair_in_gib(*values)[slot.form.startswith("second")]
    if slot.form == "GiB":
        return in_gib(values[0])
    return whole_percent(values[0]) if slot.form == "share" else f"{values[0]:,.0f}"
