"""What would help a job of which no variant fits: named on page 1, from the ways out that were computed for it."""

from __future__ import annotations

from dataclasses import replace

from memreport.advise.verdict import WHOLE
from memreport.report.records.advice import Ways
from memreport.report.records.report import Report


def with_remedy(report: Report) -> Report:
    """The report whose answer names the best way out, where none of its variants fits and there is one."""
    plan = report.plan
    if plan is None or not plan.ways or any(one.word in WHOLE for one in report.verdicts) or not _fits(plan.ways[0]):
        return report
    said = f"{report.headline.remedy} {_named(plan.ways[0])}".strip()
    return replace(report, headline=replace(report.headline, remedy=said))


def _fits(ways: Ways) -> bool:
    return all(one.headroom.value >= 0 for one in ways.rows)


def _named(ways: Ways) -> str:
    best = ways.rows[0]
    price = f" ({best.price})" if best.price else ""
    cost = f", for {best.cost.text}{price}" if best.cost else ", at no price that is known"
    return f"{ways.title}: {best.changes}, with {best.headroom.text} free{cost}."
