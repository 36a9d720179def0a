"""The rules of a gate that are judged scenario by scenario."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memreport.advise.verdict import DOES_NOT_FIT, QUEUES
from memreport.catalogue.terms.approval import APPROVED
from memreport.catalogue.terms.policy import (
    ApprovalRule,
    AssumedMfuRule,
    CostRule,
    HeadroomRule,
    PolicyRule,
    PriceAgeRule,
    RuleOnRange,
)
from memreport.catalogue.terms.price_age import age_in_days
from memreport.errors import plural
from memreport.frozen import frozen
from memreport.report.changes.regressions import ROUNDING, fit_words
from memreport.report.changes.words import cost_line
from memreport.report.gate.sides import Sided, cost_of, peak_share
from memreport.report.money.prices import PRICED, prices_used
from memreport.report.records.answers import Verdict
from memreport.report.records.changes.gate import GateFinding, GatePlace
from memreport.report.records.changes.versions import NOTHING, numbers
from memreport.report.view import SIGNED, View, shown

_LACKS = (DOES_NOT_FIT, QUEUES)


@frozen
class JudgedNumber:
    """A number that a rule judges, before and after, with its unit."""

    title: str
    unit: str
    base: float | None
    head: float | None

    def words(self) -> dict[str, Any]:
        """The parts of a finding that hold the numbers."""
        return {"base": self.base, "head": self.head, "unit": self.unit}

    def change(self) -> str:
        """`Cost $11,000 → $16,000 (+45 %)`."""
        change = numbers("", self.title, self.unit, self.base, self.head, NOTHING)
        if self.base is None:
            return f"{self.title} {change.new_text}"
        arrow = f"{change.old_text} → {change.new_text}" if change.old != change.new else change.new_text
        return f"{self.title} {arrow}{f' ({change.percent})' if change.percent and change.old != change.new else ''}"


def fits(rule: RuleOnRange, side: Sided) -> Iterator[GateFinding]:
    """No variant that had room has none now, and a scenario that had a variant with room still has one."""
    now, then = side.verdicts(side.after), side.verdicts(side.before) if side.before else {}
    had = [name for name, old in then.items() if side.before and _has_room(side.before, name, old, rule.on)]
    has = [name for name, new in now.items() if _has_room(side.after, name, new, rule.on)]
    lost = [name for name in had if name in now and name not in has]
    said = [f"variant {name} {_lost(then[name], now[name], rule.on)}" for name in lost]
    if had and not has and not lost:
        said = ["no variant fits any more: those that did are gone"]
    name = lost[0] if lost else side.after.variants[side.column].name
    index = side.after.column_of(name)
    before = _share_before(side, name, rule.on)
    judged = JudgedNumber("Headroom", "share", before, peak_share(side.after, index, rule.on))
    yield _finding("fits", side, not said, "; ".join(said) or f"variant {name} as before", "fits as before", judged,
                   paths=(("variants", name), ("hardware",)), larger_is_worse=False)  # fmt: skip


def _has_room(view: View, name: str, verdict: Verdict, case: str) -> bool:
    index = [variant.name for variant in view.variants].index(name)
    return verdict.word not in _LACKS and peak_share(view, index, case) >= 0


def _lost(old: Verdict, new: Verdict, case: str) -> str:
    return fit_words(old, new) if new.word in _LACKS else f"no longer fits at the {case} end of its estimate"


def _share_before(side: Sided, name: str, case: str) -> float | None:
    names = [each.name for each in side.before.variants] if side.before else []
    return peak_share(side.before, names.index(name), case) if side.before and name in names else None


def headroom(rule: HeadroomRule, side: Sided) -> Iterator[GateFinding]:
    """The variant that decides keeps so much of the usable memory free."""
    before = peak_share(side.before, side.then, rule.on) if side.before else None
    judged = JudgedNumber(f"Headroom ({rule.on})", "share", before, peak_share(side.after, side.column, rule.on))
    holds = judged.head is not None and judged.head >= rule.at_least - ROUNDING
    limit = f"at least {shown(rule.at_least, 'share')}"
    yield _finding("headroom", side, holds, judged.change(), limit, judged,
                   paths=(side.variant_path, ("hardware",)), larger_is_worse=False)  # fmt: skip


def cost(rule: CostRule, side: Sided) -> Iterator[GateFinding]:
    """The cost that a reader asks for first: of a run, of a month of service, or what has to be signed."""
    places = [(view, index) for view, index in ((side.before, side.then), (side.after, side.column)) if view]
    name, title = cost_line(*places)
    head = cost_of(side.after, side.column, name, rule.on)
    if head is not None:
        base = cost_of(side.before, side.then, name, rule.on) if side.before else None
        judged = JudgedNumber(title[:1].upper() + title[1:], "USD", base, head)
        holds, limit = within(rule, base, head)
        yield _finding("cost", side, holds, judged.change(), limit, judged, paths=(side.variant_path, ("cost",)))


def within(rule: CostRule, base: float | None, head: float) -> tuple[bool, str]:
    """Whether a cost keeps its limits, and these in words; a rise fails only past every limit on rises."""
    limits = [] if rule.at_most is None else [f"at most {shown(rule.at_most, 'USD')}"]
    holds = rule.at_most is None or head <= rule.at_most * (1 + ROUNDING)
    rises = [part for part in (_of_base(rule, base), rule.amount) if part is not None]
    if base is not None and rises:
        holds = holds and head - base <= max(rises) + ROUNDING * abs(base)
        parts = [shown(rule.share, "share")] if rule.share is not None else []
        parts += [shown(rule.amount, "USD")] if rule.amount is not None else []
        limits.append(f"a rise of {' or '.join(parts)}{', whichever is more' if len(parts) > 1 else ''}")
    return holds, "; ".join(limits) or "no baseline"


def _of_base(rule: CostRule, base: float | None) -> float | None:
    return None if rule.share is None or base is None else rule.share * abs(base)


def _days(count: float) -> str:
    return f"{shown(count, '1')} {plural('day', count)}"


def price_age(rule: PriceAgeRule, side: Sided, day: str) -> Iterator[GateFinding]:
    """The oldest price that the deciding variant is billed at, on the day of the gate."""
    used = [use for use in prices_used(side.after, side.column) if use.field in PRICED and not use.overridden]
    ages = {use: age_in_days(use.offer.date, day) for use in used}
    unknown = [use.id for use, age in ages.items() if age is None]
    oldest = max((use for use in used if ages[use] is not None), key=lambda use: ages[use] or 0, default=None)
    if not used:
        return
    days = float(ages[oldest] or 0) if oldest else None
    said = f"price {oldest.id} is {_days(days)} old" if oldest and days is not None else ""
    said += f"{'; ' if said else ''}no date: {', '.join(unknown)}" if unknown else ""
    holds = not unknown and days is not None and days <= rule.days
    field = oldest.field if oldest else used[0].field
    judged = JudgedNumber("Age of the oldest price", "1", None, days)
    paths = ((*side.variant_path, f"cost.{field}"), ("cost", field), ("cost",))
    yield _finding("price_age", side, holds, said, f"at most {_days(rule.days)}", judged, paths=paths)


def owner(_: PolicyRule, side: Sided) -> Iterator[GateFinding]:
    """Somebody answers for the scenario."""
    name = side.after.scenario.owner
    said = f"owner is {name}" if name.strip() else "has no owner"
    yield _finding("owner", side, bool(name.strip()), said, "an owner", None, paths=(("owner",), ("id",)))


def approval(rule: ApprovalRule, side: Sided) -> Iterator[GateFinding]:
    """What is over the amount is approved, and what is approved is as it was approved."""
    amount = cost_of(side.after, side.column, SIGNED, "likely") or 0.0
    before = cost_of(side.before, side.then, SIGNED, "likely") if side.before else None
    loaded = side.after.resolved.loaded
    signed = side.after.scenario.approval.status == APPROVED
    judged = JudgedNumber("To be approved", "USD", before, amount)
    holds = not loaded.lapsed and (amount <= rule.over or signed)
    said = f"{judged.change()}, {loaded.approval}"
    limit = f"approved as it stands, where over {shown(rule.over, 'USD')}"
    yield _finding("approval", side, holds, said, limit, judged, paths=(("approval",), ("cost",)))


_MFU = "model_flop_utilization"


def assumed_mfu(rule: AssumedMfuRule, side: Sided) -> Iterator[GateFinding]:
    """The largest utilisation that any variant assumes."""
    if side.after.workload != "training":
        return
    found = {case.name: side.after.value(_MFU, index) for index, case in enumerate(side.after.variants)}
    name = max(found, key=lambda each: found[each])
    then = {case.name: index for index, case in enumerate(side.before.variants)} if side.before else {}
    both = side.before and side.before.workload == "training" and name in then
    base = side.before.value(_MFU, then[name]) if side.before and both else None
    judged = JudgedNumber(f"Assumed MFU of variant {name}", "share", base, found[name])
    holds = found[name] <= rule.at_most + ROUNDING
    paths = (("variants", name, f"training.{_MFU}"), ("training", _MFU), ("training",))
    said = judged.change() if found[name] else "no MFU is assumed"
    yield _finding("assumed_mfu", side, holds, said, f"at most {shown(rule.at_most, 'share')}", judged, paths=paths)


def _finding(
    rule: str,
    side: Sided,
    holds: bool,
    message: str,
    limit: str,
    judged: JudgedNumber | None,
    *,
    paths: tuple[tuple[str | int, ...], ...],
    larger_is_worse: bool = True,
) -> GateFinding:
    words, place = judged.words() if judged else {}, GatePlace(side.file, side.line(*paths))
    return GateFinding(rule, side.id, holds, message, limit, larger_is_worse=larger_is_worse, place=place, **words)
