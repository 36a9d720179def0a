"""Whether each variant fits, in words, and the answer to the scenario's question."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.advise.verdict import JUDGED, QUEUE, Word, deciding, queue_words, verdict_of
from memreport.report.live.verdict_sentences import VERDICTS, said
from memreport.report.records.answers import Verdict
from memreport.report.view import SIGNED, View, pair_in_gib, shown


def word_of(view: View, index: int) -> Word:
    """The verdict on one column in a word."""
    return verdict_of(*(view.value(name, index) for name in JUDGED))


def verdict(view: View, index: int) -> Verdict:
    """The verdict on one column."""
    peak, capacity = view.value("peak_bytes", index), view.value("usable_bytes", index)
    low, high = view.value("peak_bytes_low", index), view.value("peak_bytes_high", index)
    headroom, share = view.value("headroom_bytes", index), view.value("headroom_share", index)
    peak_text, capacity_text = pair_in_gib(peak, capacity)
    case = view.resolved.cases[index]
    return Verdict(
        variant=case.name,
        fits=bool(view.value("fits", index)),
        word=word_of(view, index),
        peak=peak,
        low=low,
        high=high,
        capacity=capacity,
        headroom=headroom,
        headroom_share=share,
        peak_text=peak_text,
        capacity_text=capacity_text,
        range_text=" to ".join(pair_in_gib(low, high)),
        share_text=shown(share, "share"),
        peak_instant=view.text("peak_instant", index) if view.has("peak_instant") else "",
        sentence=_sentence(view, index),
        model=case.card.title,
        hardware=hardware_of(view, index),
        cost=None if view.scenario.cost is None else view.value("cost_total_usd", index),
        signed=None if view.scenario.cost is None else view.value(SIGNED, index),
    )


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
