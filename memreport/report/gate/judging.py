"""All rules of a policy on all scenarios, and what waivers make of what does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Any

from memreport.catalogue.policy import BudgetsRule, CostRule, Policy, Waiver
from memreport.report.changes.regressions import ROUNDING
from memreport.report.changes.words import deciding
from memreport.report.gate import rules
from memreport.report.gate.rules import JudgedNumber, within
from memreport.report.gate.sides import Sided, cost_of
from memreport.report.records.gate import WORST_FIRST, GateFinding, GateResult, Status
from memreport.report.view import SIGNED, View, shown

ALL = "all"
"""What a finding on all scenarios together is called."""
Rule = Callable[[Any, Sided], Iterator[GateFinding]]
_EACH: Mapping[str, Rule] = {
    "fits": rules.fits,
    "headroom": rules.headroom,
    "cost": rules.cost,
    "owner": rules.owner,
    "approval": rules.approval,
    "assumed_mfu": rules.assumed_mfu,
}


def judged_by(policy: Policy, sides: Sequence[Sided], removed: Sequence[View], day: str) -> tuple[GateResult, ...]:
    """Every rule on every scenario, the worst first; `day` is today in UTC.  `removed` stood only in the base."""
    found = _findings(policy, sides, removed, day)
    results = [_result(one, policy, day) for one in found]
    return tuple(sorted(results, key=lambda one: WORST_FIRST.index(one.status)))


def _findings(policy: Policy, sides: Sequence[Sided], removed: Sequence[View], day: str) -> Iterator[GateFinding]:
    for name, judge in _EACH.items():
        rule = getattr(policy.rules, name)
        if rule is not None:
            yield from (one for side in sides for one in judge(rule, side))
    if policy.rules.price_age:
        yield from (one for side in sides for one in rules.price_age(policy.rules.price_age, side, day))
    if policy.rules.total_cost:
        yield total_cost(policy.rules.total_cost, sides, removed)
    if policy.rules.budgets:
        yield from budgets(policy.rules.budgets, sides, removed)


def total_cost(rule: CostRule, sides: Sequence[Sided], removed: Sequence[View]) -> GateFinding:
    """What all scenarios have to have approved together, before and after."""
    head = fsum(_signed(one.after, one.at, rule.on) for one in sides)
    base = _before(sides, removed, rule.on)
    judged = JudgedNumber("All scenarios together", "USD", base, head)
    holds, limit = within(rule, base, head)
    return GateFinding("total_cost", ALL, holds, judged.change(), limit, **judged.words())


def _before(sides: Iterable[Sided], removed: Sequence[View], case: str) -> float | None:
    """The sum before; None where nothing was there to compare with."""
    then = [(one.before, one.then) for one in sides if one.before] + [(view, deciding(view)) for view in removed]
    return fsum(_signed(view, at, case) for view, at in then) if then else None


def _signed(view: View, at: int, case: str) -> float:
    return cost_of(view, at, SIGNED, case) or 0.0


def budgets(rule: BudgetsRule, sides: Sequence[Sided], removed: Sequence[View]) -> Iterator[GateFinding]:
    """What the scenarios of each owner have to have approved, against the owner's budget."""
    for name, limit in rule.owners.items():
        own = [one for one in sides if one.after.scenario.owner == name]
        head = fsum(_signed(one.after, one.at, "likely") for one in own)
        were = [one for one in sides if one.before and one.before.scenario.owner == name]
        base = _before(were, [view for view in removed if view.scenario.owner == name], "likely")
        judged = JudgedNumber(f"Scenarios of {name}", "USD", base, head)
        holds = head <= limit * (1 + ROUNDING)
        place: dict[str, Any] = {"file": own[0].file, "line": own[0].line(("owner",))} if own else {}
        yield GateFinding("budgets", name, holds, judged.change(), f"at most {shown(limit, 'USD')}",
                          **judged.words(), **place)  # fmt: skip


def _result(finding: GateFinding, policy: Policy, day: str) -> GateResult:
    """What comes of a finding: its level, then a waiver, which lapses with its last day or with a worse value."""
    level = getattr(policy.rules, finding.rule).level
    if finding.holds:
        return GateResult(finding, level, "passed")
    if level == "advisory":
        return GateResult(finding, level, "warned")
    waiver = next((one for one in policy.waivers if _is_for(one, finding)), None)
    if waiver is None:
        return GateResult(finding, level, "failed")
    if level == "block":
        return GateResult(finding, level, "failed", "a rule of level block cannot be waived")
    status, note = _waived(waiver, finding, day)
    return GateResult(finding, level, status, note)


def _is_for(waiver: Waiver, finding: GateFinding) -> bool:
    return (waiver.rule, waiver.scenario) == (finding.rule, finding.scenario)


def _waived(waiver: Waiver, finding: GateFinding, day: str) -> tuple[Status, str]:
    """The status and why; a waiver counts up to and on its last day."""
    granted = f"waived by {waiver.by} until {waiver.until} (UTC): {waiver.reason}"
    if day > waiver.until:
        return "expired", f"the waiver by {waiver.by} ended on {waiver.until} (UTC)"
    if _is_worse(waiver, finding):
        value = shown(waiver.value or 0.0, finding.unit)
        return "expired", f"the waiver by {waiver.by} was granted for {value}; the value is worse now"
    return "waived", granted


def _is_worse(waiver: Waiver, finding: GateFinding) -> bool:
    if waiver.value is None or finding.head is None:
        return False
    room = ROUNDING * max(1.0, abs(waiver.value))
    worse = finding.head - waiver.value if finding.larger_is_worse else waiver.value - finding.head
    return worse > room


def unused_waivers(policy: Policy, results: Iterable[GateResult]) -> Iterator[str]:
    """Waivers that nothing needs any more."""
    needed = [one.finding for one in results if not one.finding.holds]
    for waiver in policy.waivers:
        if not any(_is_for(waiver, finding) for finding in needed):
            yield f"the waiver of {waiver.rule} for {waiver.scenario} is not needed any more"
