"""Whether each variant fits, in words, and the answer to the scenario's question."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.advise.verdict import JUDGED, QUEUE, Word, deciding, queue_words, verdict_of
from memreport.report.live.verdict_sentences import VERDICTS, said
from memreport.report.records.answers import MemoryRoom, Verdict
from memreport.report.view import SIGNED, View, pair_in_gib, shown

ROOM = ("peak_bytes_low", "peak_bytes", "peak_bytes_high", "usable_bytes", "headroom_bytes", "headroom_share")


def word_of(view: View, index: int) -> Word:
    """The verdict on one column in a word."""
    return verdict_of(*(view.value(name, index) for name in JUDGED))


def verdict(view: View, index: int) -> Verdict:
    """The verdict on one column."""
    case, priced = view.resolved.cases[index], view.scenario.cost is not None
    return Verdict(
        variant=case.name,
        fits=bool(view.value("fits", index)),
        word=word_of(view, index),
        room=_room(view, index),
        peak_instant=view.text("peak_instant", index) if view.has("peak_instant") else "",
        sentence=_sentence(view, index),
        model=case.card.title,
        hardware=hardware_of(view, index),
        cost=view.value("cost_total_usd", index) if priced else None,
        signed=view.value(SIGNED, index) if priced else None,
    )


def _room(view: View, index: int) -> MemoryRoom:
    """The peak of a column beside what a job may use."""
    low, peak, high, capacity, headroom, share = (view.value(name, index) for name in ROOM)
    texts = (*pair_in_gib(peak, capacity), " to ".join(pair_in_gib(low, high)), shown(share, "share"))
    return MemoryRoom(peak, low, high, capacity, headroom, share, *texts)


def hardware_of(view: View, index: int) -> str:
    """How many of which GPU."""
    return f"{shown(view.value('count', index), '1')} × {view.setting('accelerator', index)}"


def _sentence(view: View, index: int) -> str:
    return said(VERDICTS, {name: column[index] for name, column in view.computed.values.items()}, subject(view, index))


def queue(view: View, index: int) -> str:
    """How many requests run at once and how many wait, in words."""
    return queue_words(*(view.value(name, index) for name in QUEUE))


def subject(view: View, index: int) -> str:
    """What is judged: the variant by its name, or the job itself where there is but one."""
    return f"Variant {view.resolved.cases[index].name}" if len(view.variants) > 1 else "The job"


def recommended_variant(verdicts: Sequence[Verdict]) -> int | None:
    """The position of the variant that the budget is about; None where none fits."""
    return deciding([variant.word for variant in verdicts])
