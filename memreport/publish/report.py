"""What is shown of a scenario, decided once for workbook, sheet, web page and JSON."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.compute import Computed
from memreport.publish.bars import bar, instants
from memreport.publish.inputs import MAIN_FIGURES, Sources, assumptions, side_by_side
from memreport.publish.scaling import grids
from memreport.publish.shown import Build, CostLine, Identity, KeyFigure, Report, Verdict
from memreport.publish.speed import rooflines
from memreport.publish.verdicts import headline, outcomes, verdict
from memreport.publish.view import View, shown, title_of
from memreport.publish.worked import symbols, worked_groups

NO_DATE = "2026-01-01"
"""The date of a scenario that states no change: fixed, so that equal input gives equal bytes."""

KEY_FIGURES = {
    "training": ("training_hours", "tokens_per_second", "cost_total_usd", "cost_per_million_tokens_usd", "parameters"),
    "serving": ("max_concurrent_sequences", "tokens_per_second", "cost_per_million_tokens_usd", "cost_total_usd"),
}
"""Candidates for the third and fourth key figure: the first two that the scenario has."""

COST_LINES = (
    "rent_usd", "extras_usd", "hardware_usd", "energy_usd", "facility_usd", "support_usd", "staff_usd", "subtotal_usd",
    "contingency_usd", "tax_usd", "cost_total_usd", "cost_low_usd", "cost_high_usd", "cost_per_month_usd",
    "cost_per_accelerator_hour_usd", "cost_per_million_tokens_usd", "energy_kwh", "carbon_kg",
)  # fmt: skip
_COST_TOTALS = ("subtotal_usd", "cost_total_usd")


def report_of(computed: Computed, built: Build) -> Report:
    """Everything that is published of one scenario; the first variant is the one that its question asks about."""
    view, sources = View(computed), Sources()
    verdicts = tuple(verdict(view, at) for at in range(len(view.variants)))
    assumed = assumptions(view, 0, sources)
    cost = tuple(_cost(view, 0, sources))
    return Report(
        identity=_identity(view, built),
        headline=headline(view, verdicts),
        verdicts=verdicts,
        key_figures=_key_figures(view, verdicts[0]),
        bars=tuple(bar(view, at) for at in range(len(view.variants))),
        instants=instants(view, 0),
        assumptions=assumed,
        outcomes=outcomes(view, verdicts),
        side_by_side=side_by_side(view),
        symbols=symbols(view, 0),
        worked=worked_groups(view, 0, MAIN_FIGURES[view.workload]),
        grids=grids(view),
        rooflines=rooflines(view, 0),
        cost=cost,
        documented=built.documented,
        sources=sources.listed(),
        changes=tuple(sorted(view.scenario.changes, key=lambda change: -change.version)),
    )


def _identity(view: View, built: Build) -> Identity:
    scenario, loaded = view.scenario, view.resolved.loaded
    cited = scenario.source
    return Identity(
        id=scenario.id,
        version=scenario.version,
        title=scenario.title,
        question=scenario.question,
        owner=scenario.owner,
        citation=", ".join(part for part in (f"document {cited.document}", cited.section) if part) if cited else "",
        workload=scenario.workload,
        model=view.variants[0].card.title,
        hardware=f"{shown(view.value('count', 0), '1')} × {view.setting('accelerator', 0)}",
        file=loaded.path.name,
        sha256=loaded.sha256,
        memreport=built.version,
        date=max((change.date for change in scenario.changes), default=NO_DATE),
        approval=scenario.approval,
        attachments=built.attachments,
    )


def _key_figures(view: View, first: Verdict) -> tuple[KeyFigure, ...]:
    capacity = f"of {first.capacity_text} usable"
    short = first.headroom < 0
    fixed = (
        KeyFigure("Peak per accelerator", first.peak_text, capacity, "peak_bytes", first.peak, "byte"),
        KeyFigure(
            "Shortfall" if short else "Headroom",
            shown(abs(first.headroom), "byte"),
            f"{shown(abs(first.headroom_share), 'share')} of capacity; estimate {first.range_text}",
            "headroom_bytes",
            first.headroom,
            "byte",
        ),
    )
    names = [name for name in KEY_FIGURES[view.workload] if name in view.lines and _is_known(view, name)]
    return (*fixed, *(_key_figure(view, name) for name in names[:2]))


def _is_known(view: View, name: str) -> bool:
    value = view.value(name, 0)
    return value == value and value > 0 and (view.scenario.cost is not None or not _is_money(name))


def _is_money(name: str) -> bool:
    return "usd" in name


def _key_figure(view: View, name: str) -> KeyFigure:
    note = view.meaning(name)
    if name == "cost_total_usd" and view.has("cost_low_usd"):
        note = f"range {view.text('cost_low_usd', 0)} to {view.text('cost_high_usd', 0)}"
    return KeyFigure(title_of(name), view.text(name, 0), note, name, view.value(name, 0), view.unit(name))


def _cost(view: View, at: int, sources: Sources) -> Iterator[CostLine]:
    """The lines of the cost table; those that are nothing are left out.  None without a cost block."""
    if view.scenario.cost is None:
        return
    for name in COST_LINES:
        if name in view.lines and view.value(name, at) > 0:
            unit = view.unit(name)
            yield CostLine(
                name,
                title_of(name),
                view.value(name, at),
                unit,
                view.text(name, at),
                view.meaning(name),
                name in _COST_TOTALS,
            )
    for price in ("usd_per_accelerator_hour", "usd_per_accelerator"):
        if price in view.attributes:
            sources.number(view.source_of(price, at), "price")
