"""Whether each variant fits, in words, and the answer to the scenario's question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memreport.advise.verdict import FITS, JUDGED, QUEUE, QUEUES, TIGHT, WHOLE, Word, deciding, queue_words, verdict_of
from memreport.catalogue.names import in_sentence, title_of
from memreport.report.live.verdict_sentences import VERDICTS, said
from memreport.report.records.answers import Headline, Verdict
from memreport.report.view import View, in_gib, pair_in_gib, shown
from memreport.resolve import Case

AS_CHEAP = 1.01
"""A cost within this factor is no reason to take another variant: estimates of time are not that exact."""


def word_of(view: View, at: int) -> Word:
    """The verdict on one column in a word."""
    return verdict_of(*(view.value(name, at) for name in JUDGED))


def verdict(view: View, at: int) -> Verdict:
    """The verdict on one column."""
    peak, capacity = view.value("peak_bytes", at), view.value("usable_bytes", at)
    low, high = view.value("peak_bytes_low", at), view.value("peak_bytes_high", at)
    headroom = capacity - peak
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
        headroom_share=headroom / capacity,
        peak_text=peak_text,
        capacity_text=capacity_text,
        range_text=" to ".join(pair_in_gib(low, high)),
        headroom_text=in_gib(headroom),
        share_text=shown(headroom / capacity, "share"),
        peak_instant=view.text("peak_instant", at) if view.has("peak_instant") else "",
        differs=differences(view, view.variants[0], case),
        sentence=_sentence(view, at),
        model=case.card.title,
        hardware=hardware_of(view, at),
        cost=None if view.scenario.cost is None else view.value("cost_total_usd", at),
    )


def hardware_of(view: View, at: int) -> str:
    """How many of which card."""
    return f"{shown(view.value('count', at), '1')} × {view.setting('accelerator', at)}"


def _sentence(view: View, at: int) -> str:
    return said(VERDICTS, {name: column[at] for name, column in view.computed.values.items()}, subject(view, at))


def queue(view: View, at: int) -> str:
    """How many requests run at once and how many wait, in words."""
    return queue_words(*(view.value(name, at) for name in QUEUE))


def subject(view: View, at: int) -> str:
    """What is judged: the variant by its name, or the job itself where there is but one."""
    return f"Variant {view.resolved.cases[at].name}" if len(view.variants) > 1 else "The job"


def headline(verdicts: tuple[Verdict, ...], costs: tuple[float, ...] = (), asked: str = "") -> Headline:
    """The answer, and what to do about it; `costs` in USD by variant, where known; `asked` comes before the verdict."""
    first = verdicts[0]
    at = recommended_variant(verdicts)
    fitting = None if at is None else verdicts[at]
    return Headline(
        variant=first.variant,
        word=first.word,
        answer=f"{asked} {first.sentence}".strip(),
        fitting_variant=fitting.variant if fitting else "",
        fitting_changes=fitting.differs if fitting else "",
        remedy=_remedy(first, fitting, verdicts, costs),
    )


def recommended_variant(verdicts: Sequence[Verdict]) -> int | None:
    """The position of the variant that the budget is about; None where none fits."""
    return deciding([one.word for one in verdicts])


def _remedy(first: Verdict, fitting: Verdict | None, verdicts: tuple[Verdict, ...], costs: tuple[float, ...]) -> str:
    if fitting is None or fitting.word == QUEUES:
        runs = "fits" if fitting is None else "runs all requests at once"
        return f"None of the {len(verdicts)} variants computed here {runs}." if len(verdicts) > 1 else ""
    cheaper = _cheaper(fitting, verdicts, costs)
    price = f", for {shown(costs[verdicts.index(fitting)], 'USD')}" if costs else ""
    if fitting is not first:
        also = f"; the cheapest that fits is {cheaper}" if cheaper else ""
        tight = ", which is tight" if fitting.word == TIGHT else ""
        return (
            f"The first variant that fits is {fitting.variant} ({fitting.differs}): "
            f"{fitting.peak_text} of {fitting.capacity_text}{tight}{price}{_passed_over(fitting, verdicts)}{also}."
        )
    failing = [one.variant for one in verdicts if one.word not in WHOLE]
    fail = f"Of the other variants, {_listed(failing)} would not fit." if failing else ""
    instead = f" The cheapest that fits is {cheaper}; this one costs {price.removeprefix(', for ')}." if cheaper else ""
    return ((_safer(first, verdicts) or fail) + instead).strip()


def _passed_over(fitting: Verdict, verdicts: tuple[Verdict, ...]) -> str:
    """The tight variant that stands before the one that fits, where there is one."""
    before = verdicts[: verdicts.index(fitting)]
    tight = next((one for one in before if one.word == TIGHT), None)
    return f" ({tight.variant}, before it, is tight: {tight.peak_text} of {tight.capacity_text})" if tight else ""


def _safer(fitting: Verdict, verdicts: tuple[Verdict, ...]) -> str:
    """What to take in place of a variant that is tight."""
    roomier = next((one for one in verdicts if one.word == FITS), None)
    if fitting.word != TIGHT or roomier is None:
        return ""
    return f" For a safe margin, take {roomier.variant}: {roomier.peak_text} of {roomier.capacity_text}."


def _cheaper(fitting: Verdict, verdicts: tuple[Verdict, ...], costs: tuple[float, ...]) -> str:
    """The cheapest variant that fits and its cost, where it is cheaper than the given one."""
    if not costs:
        return ""
    mine = costs[verdicts.index(fitting)]
    fitting_ones = [(cost, one) for cost, one in zip(costs, verdicts, strict=True) if one.word in WHOLE]
    cost, one = min(fitting_ones, key=lambda pair: round(pair[0], 2))
    if cost >= mine / AS_CHEAP:
        return ""
    return f"{one.variant}{' (tight)' if one.word == TIGHT else ''}, for {shown(cost, 'USD')}"


def _listed(names: list[str]) -> str:
    shown_names = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return shown_names[0] if len(shown_names) == 1 else f"{', '.join(shown_names[:-1])} and {shown_names[-1]}"


def differences(view: View, base: Case, other: Case) -> str:
    """In what a case differs from another, in words: `ZeRO stage: Plain data parallelism → ...`."""
    return "; ".join(_differences(view, base, other))


def _differences(view: View, base: Case, other: Case) -> Iterator[str]:
    if base.card.id != other.card.id:
        yield f"model {other.card.title}"
    for name in differing_fields(view, (base, other)):
        yield f"{in_sentence(title_of(name))} {_brief(view, name, other)}"
    for name in dict.fromkeys([*base.overrides, *other.overrides]):
        if base.overrides.get(name) != other.overrides.get(name):
            given = other.overrides.get(name)
            how = "computed" if given is None else f"given as {shown(given, view.unit(name))}"
            yield f"{in_sentence(title_of(name))} {how}"


def _brief(view: View, name: str, case: Case) -> str:
    value = case.settings[name]
    return str(value) if view.fields[name].kind == "choice" else view.worded(name, value)


def differing_fields(view: View, cases: Iterable[Case]) -> list[str]:
    """Fields that are not the same in all cases, in the order of the data dictionary; a model's own fields left out."""
    listed = list(cases)
    one_card = len({case.card.id for case in listed}) == 1
    names = [name for name, entry in view.fields.items() if one_card or entry.section != "model"]
    return [name for name in names if any(case.settings[name] != listed[0].settings[name] for case in listed)]
