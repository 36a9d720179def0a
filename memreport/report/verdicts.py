"""Whether each variant fits, in words, and the answer to the scenario's question."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.advise.verdict import JUDGED, QUEUE, Word, deciding, queue_words, verdict_of
from memreport.report.live.verdict_sentences import VERDICTS, said
from memreport.report.records.answers import Verdict
from memreport.report.view import SIGNED, View, pair_in_gib, shown


def word_of(view: View, at: int) -> Word:
    """The verdict on one column in a word."""
    return verdict_of(*(view.value(name, at) for name in JUDGED))


def verdict(view: View, at: int) -> Verdict:
    """The verdict on one column."""
    peak, capacity = view.value("peak_bytes", at), view.value("usable_bytes", at)
    low, high = view.value("peak_bytes_low", at), view.value("peak_bytes_high", at)
    headroom, share = view.value("headroom_bytes", at), view.value("headroom_share", at)
    peak_text, capacity_text = pair_in_gib(peak, capacity)
    case = view.resolved.cases[at]
    return Verdict(
        variant=case.name,
        fits=bool(view.value("fits", at)),
        word=word_of(view, at),
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
        peak_instant=view.text("peak_instant", at) if view.has("peak_instant") else "",
        sentence=_sentence(view, at),
        model=case.card.title,
        hardware=hardware_of(view, at),
        cost=None if view.scenario.cost is None else view.value("cost_total_usd", at),
        signed=None if view.scenario.cost is None else view.value(SIGNED, at),
    )


def hardware_of(view: View, at: int) -> str:
    """How many of which GPU."""
    return f"{shown(view.value('count', at), '1')} × {view.setting('accelerator', at)}"


def _sentence(view: View, at: int) -> str:
    return said(VERDICTS, {name: column[at] for name, column in view.computed.values.items()}, subject(view, at))


def queue(view: View, at: int) -> str:
    """How many requests run at once and how many wait, in words."""
    return queue_words(*(view.value(name, at) for name in QUEUE))


def subject(view: View, at: int) -> str:
    """What is judged: the variant by its name, or the job itself where there is but one."""
    return f"Variant {view.resolved.cases[at].name}" if len(view.variants) > 1 else "The job"


def recommended_variant(verdicts: Sequence[Verdict]) -> int | None:
    """The position of the variant that the budget is about; None where none fits."""
    return deciding([one.word for one in verdicts])
