"""A difference in one sentence: what it does to the cost, and whether the job still fits."""

from __future__ import annotations

from collections.abc import Iterable

from memreport.advise.verdict import deciding as position
from memreport.catalogue.quantities import brief
from memreport.figures.constants import HOURS_PER_MONTH
from memreport.report.changes.regressions import fit_words, worse_variants, worse_words
from memreport.report.records.answers import Verdict
from memreport.report.records.changes.versions import UNCHANGED, VariantChange, percent, relative_change
from memreport.report.verdicts import verdict, word_of
from memreport.report.view import SIGNED, View, shown

COST = {"training": ("cost_total_usd", "cost"), "serving": ("cost_per_month_usd", "monthly cost")}
PURCHASE, WHOLE = (SIGNED, "purchase to approve"), (SIGNED, "cost to approve")
WITHOUT_CENTS = 100
PEAK = ("peak_bytes", "peak memory")


def sentence(before: View, after: View, variants: tuple[VariantChange, ...]) -> str:
    """What got worse, the worst first; then the change of the variant that decides, where that is another one."""
    if all(variant.status == UNCHANGED for variant in variants):
        return "No input, figure or verdict changes."
    second = deciding(after)
    first = _of_name(before, after.variants[second].name)
    old, new = verdict(before, first), verdict(after, second)
    change = _cost(before, first, after, second) or _quantity(PEAK, before, first, after, second)
    worse, told = worse_variants(variants), worse_words(variants)
    if worse and worse[0].name == new.variant == old.variant:
        told[0] = _decided(worse[0], change, old, new, several=len(after.variants) > 1)
        return _sentences(told)
    text = f"{change}; {fit_words(old, new)}"
    return _sentences([*told, f"{_which(old, new)}{text}" if len(after.variants) > 1 else text])


def _decided(variant_change: VariantChange, change: str, old: Verdict, new: Verdict, *, several: bool) -> str:
    """The variant that decides, where it got worse the most: of verdict and cost, first what is worse."""
    parts = [fit_words(old, new), change] if variant_change.verdict_worse else [change, fit_words(old, new)]
    colon = ": " if not variant_change.verdict_worse else " "
    return f"{f'variant {new.variant}{colon}' if several else ''}{'; '.join(parts)}"


def _sentences(parts: Iterable[str]) -> str:
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)


def deciding(view: View) -> int:
    """The variant that a budget is about, else the first."""
    return position([word_of(view, index) for index in range(len(view.variants))]) or 0


def _of_name(view: View, name: str) -> int:
    """The variant of that name, like with like; the one that decided where there was none."""
    names = [case.name for case in view.variants]
    return names.index(name) if name in names else deciding(view)


def _which(old: Verdict, new: Verdict) -> str:
    """The variant of which the sentence speaks, and which one it was before where that is gone."""
    instead = f" (instead of {old.variant})" if old.variant != new.variant else ""
    return f"Variant {new.variant}{instead}: "


def _cost(before: View, first: int, after: View, second: int) -> str:
    """The change of the cost; empty where neither version states one."""
    name, title = cost_line((before, first), (after, second))
    stated = before.workload == after.workload and name in before.lines, name in after.lines
    if all(stated):
        return _quantity((name, title), before, first, after, second)
    if stated[1]:
        return f"the {title} is now stated: {after.text(name, second)}"
    old = COST[before.workload][0]
    return f"no cost is stated any more (it was {before.text(old, first)})" if old in before.lines else ""


def cost_line(*places: tuple[View, int]) -> tuple[str, str]:
    """The figure that a reader asks for first, and its name: what is signed of a purchase or of stated months."""
    if any(view.buys(index) for view, index in places):
        return PURCHASE
    return WHOLE if any(_has_an_end(*place) for place in places) else COST[places[-1][0].workload]


def _has_an_end(view: View, index: int) -> bool:
    """Whether a service is billed for another time than a month."""
    return view.workload == "serving" and view.value("hours", index) != HOURS_PER_MONTH


def _quantity(what: tuple[str, str], before: View, first: int, after: View, second: int) -> str:
    """`monthly cost rises by $1,240 (+12 %)`."""
    name, title = what
    old, new = before.value(name, first), after.value(name, second)
    if old == new:
        return f"{title} stays at {brief(new, 'USD') if after.unit(name) == 'USD' else after.text(name, second)}"
    verb = "rises" if new > old else "falls"
    relative = percent(relative_change(old, new))
    return f"{title} {verb} by {_amount(abs(new - old), after.unit(name))}" + (f" ({relative})" if relative else "")


def _amount(value: float, unit: str) -> str:
    """A difference in a sentence; larger sums without cents."""
    return f"${value:,.0f}" if unit == "USD" and value >= WITHOUT_CENTS else shown(value, unit)
