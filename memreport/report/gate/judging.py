"""All rules of a policy on all scenarios, and what waivers make of what does not hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from memreport.catalogue.terms.policy import Policy, Waiver
from memreport.report.changes.regressions import ROUNDING
from memreport.report.gate import rules
from memreport.report.gate.amounts import Amounts, budgets, total_cost
from memreport.report.gate.sides import Sided
from memreport.report.records.changes.gate import WORST_FIRST, GateFinding, GateResult, Status
from memreport.report.view import shown

BothAmounts = tuple[Amounts | None, Amounts]
Rule = Callable[[Any, Sided], Iterator[GateFinding]]
_EACH: Mapping[str, Rule] = {
    "fits": rules.fits,
    "headroom": rules.headroom,
    "cost": rules.cost,
    "owner": rules.owner,
    "approval": rules.approval,
    "assumed_mfu": rules.assumed_mfu,
}


def judged_by(policy: Policy, sides: Sequence[Sided], amounts: BothAmounts, day: str) -> tuple[GateResult, ...]:
    """Every rule on every scenario and on what is spent before and after, the worst first; `day` is today in UTC."""
    found = _findings(policy, sides, amounts, day)
    results = [_result(finding, policy, day) for finding in found]
    return tuple(sorted(results, key=lambda result: WORST_FIRST.index(result.status)))


def _findings(policy: Policy, sides: Sequence[Sided], amounts: BothAmounts, day: str) -> Iterator[GateFinding]:
    for name, judge in _EACH.items():
        rule = getattr(policy.rules, name)
        if rule is not None:
            yield from (finding for side in sides for finding in judge(rule, side))
    if policy.rules.price_age:
        yield from (finding for side in sides for finding in rules.price_age(policy.rules.price_age, side, day))
    if policy.rules.total_cost:
        yield total_cost(policy.rules.total_cost, *amounts)
    if policy.rules.budgets:
        yield from budgets(policy.rules.budgets, *amounts)


def _result(finding: GateFinding, policy: Policy, day: str) -> GateResult:
    """What comes of a finding: its level, then a waiver, which lapses with its last day or with a worse value."""
    level = getattr(policy.rules, finding.rule).level
    if finding.holds:
        return GateResult(finding, level, "passed")
    if level == "advisory":
        return GateResult(finding, level, "warned")
    waiver = next((waiver_ for waiver_ in policy.waivers if _is_for(waiver_, finding)), None)
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
    worse = finding.head > waiver.value if finding.larger_is_worse else finding.head < waiver.value
    return worse and not math.isclose(finding.head, waiver.value, rel_tol=ROUNDING, abs_tol=ROUNDING)


def unused_waivers(policy: Policy, results: Iterable[GateResult]) -> Iterator[str]:
    """Waivers that nothing needs any more."""
    needed = [result.finding for result in results if not result.finding.holds]
    for waiver in policy.waivers:
        if not any(_is_for(waiver, finding) for finding in needed):
            yield f"the waiver of {waiver.rule} for {waiver.scenario} is not needed any more"
