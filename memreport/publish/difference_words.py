"""A difference in one sentence: what it does to the cost, and whether the job still fits."""

from __future__ import annotations

from memreport.advise.deciding import DOES_NOT_FIT, TIGHT
from memreport.advise.deciding import deciding as position
from memreport.catalogue.quantities import GIB
from memreport.publish.answers import Verdict
from memreport.publish.changes import UNCHANGED, VariantChange, percent
from memreport.publish.verdicts import verdict, word_of
from memreport.publish.view import View, shown

COST = {"training": ("cost_total_usd", "cost"), "serving": ("cost_per_month_usd", "monthly cost")}
WITHOUT_CENTS = 100
PEAK = ("peak_bytes", "peak memory")


def sentence(before: View, after: View, variants: tuple[VariantChange, ...]) -> str:
    """The change of the variant that decides."""
    if all(one.status == UNCHANGED for one in variants):
        return "No input, figure or verdict changes."
    first, second = deciding(before), deciding(after)
    old, new = verdict(before, first), verdict(after, second)
    money = _cost(before, first, after, second)
    text = f"{money or _quantity(PEAK, before, first, after, second)}; {_verdict(old, new)}"
    return f"{_which(old, new)}{text}." if len(after.variants) > 1 else f"{text[:1].upper()}{text[1:]}."


def deciding(view: View) -> int:
    """The variant that a budget is about, else the first."""
    return position([word_of(view, at) for at in range(len(view.variants))]) or 0


def _which(old: Verdict, new: Verdict) -> str:
    """The variant of which the sentence speaks, and which one it was before."""
    instead = f" (instead of {old.variant})" if old.variant != new.variant else ""
    return f"Variant {new.variant}{instead}: "


def _cost(before: View, first: int, after: View, second: int) -> str:
    """The change of the cost; empty where neither version states one."""
    name, title = COST[after.workload]
    stated = before.workload == after.workload and name in before.lines, name in after.lines
    if all(stated):
        return _quantity((name, title), before, first, after, second)
    if stated[1]:
        return f"the {title} is now stated: {after.text(name, second)}"
    old = COST[before.workload][0]
    return f"no cost is stated any more (it was {before.text(old, first)})" if old in before.lines else ""


def _quantity(what: tuple[str, str], before: View, first: int, after: View, second: int) -> str:
    """`monthly cost rises by $1,240 (+12 %)`."""
    name, title = what
    old, new = before.value(name, first), after.value(name, second)
    if old == new:
        return f"{title} stays at {after.text(name, second)}"
    verb = "rises" if new > old else "falls"
    relative = percent((new - old) / abs(old)) if old else ""
    return f"{title} {verb} by {_amount(abs(new - old), after.unit(name))}" + (f" ({relative})" if relative else "")


def _amount(value: float, unit: str) -> str:
    """A difference in a sentence; larger sums without cents."""
    return f"${value:,.0f}" if unit == "USD" and value >= WITHOUT_CENTS else shown(value, unit)


def _verdict(old: Verdict, new: Verdict) -> str:
    """`still fits with 9 % to spare`."""
    if new.word == DOES_NOT_FIT:
        return f"{'still does not fit' if old.word == DOES_NOT_FIT else 'no longer fits'}: {_lack(new)}"
    once = "now" if old.word == DOES_NOT_FIT else "still"
    room = f"with {new.share_text} to spare"
    if new.word == TIGHT:
        return f"{once} fits, {'but only just' if old.word != TIGHT else 'as tightly as before'}, {room}"
    return f"{once} fits {room}"


def _lack(new: Verdict) -> str:
    over = new.peak - new.capacity
    return f"{shown(over / GIB, 'GiB')} too much" if over > 0 else "the host lacks memory for what is offloaded"
