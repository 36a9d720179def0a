"""What would help a job of which no variant fits: named on page 1, from the ways out that were computed for it."""

from __future__ import annotations

from dataclasses import replace

from memreport.advise.deciding import DOES_NOT_FIT
from memreport.publish.shown import Report
from memreport.publish.ways_shown import Stepped, Ways, WaysOut

MOST_HELPS = 5
"""Lines on page 1 in place of other variants."""


def with_remedy(report: Report) -> Report:
    """The report whose answer names the best way out, where none of its variants fits and there is one."""
    plan = report.plan
    if plan is None or not plan.ways or any(one.fits for one in report.verdicts) or not _fits(plan.ways[0]):
        return report
    said = f"{report.headline.remedy} {_named(plan.ways[0])}".strip()
    return replace(report, headline=replace(report.headline, remedy=said))


def _fits(ways: Ways) -> bool:
    return all(one.headroom.value >= 0 for one in ways.rows)


def _named(ways: Ways) -> str:
    best = ways.rows[0]
    cost = f", for {best.cost.text}" if best.cost else ""
    return f"{ways.title}: {best.changes}, with {best.headroom.text} free{cost}."


def helps(plan: WaysOut | None) -> tuple[Stepped, ...]:
    """Changes that are enough by themselves; none where nothing is."""
    rows = plan.alone.rows if plan and plan.alone else ()
    return tuple(one for one in rows if one.peak and one.word != DOES_NOT_FIT)[:MOST_HELPS]
