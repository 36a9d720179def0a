"""What is shown of a scenario, decided once for workbook, sheet, web page and JSON."""

from __future__ import annotations

from memreport.compute import Computed
from memreport.figures.registry import shown_in
from memreport.report.assumed import not_stated
from memreport.report.inputs import Sources, assumptions, main_figures
from memreport.report.money.bill import cost_lines, cost_note, price_lines
from memreport.report.money.prices import as_of, flags, valid_until
from memreport.report.money.quotes import quotes_shown
from memreport.report.money.rent_or_buy import ownership_note, rent_or_buy
from memreport.report.peak.parts import bar
from memreport.report.records.documented import DocumentedFigures
from memreport.report.records.money.bill import Money
from memreport.report.records.report import Build, History, Identity, JobNamed, MadeFrom, Report, Standing
from memreport.report.records.speed import Speed
from memreport.report.records.worked import Derivation
from memreport.report.speed.curves import serving_curves
from memreport.report.speed.limits import rooflines, speed_words
from memreport.report.speed.scaling import grids
from memreport.report.verdicts import hardware_of, recommended_variant, verdict
from memreport.report.view import View
from memreport.report.worked import symbols, worked_groups

NO_DATE = "2026-01-01"
"""The date of a scenario that states no change: fixed, so that equal input gives equal bytes."""


def report_of(computed: Computed, built: Build, about: str = "", *, derived: bool = True) -> Report:
    """Everything that is published of one scenario; the first variant is the one that its question asks about.

    `about` names the variant that the budget is about, where that is decided already; `derived` asks for its steps.
    """
    view, sources = View(computed), Sources()
    verdicts = tuple(verdict(view, index) for index in range(len(view.variants)))
    chosen = [variant.variant for variant in verdicts].index(about) if about else recommended_variant(verdicts) or 0
    curves = serving_curves(built.comparisons.curves) if view.makes_tokens(chosen) else ()
    assumed = assumptions(view, chosen, sources)
    return Report(
        identity=_identity(view, built),
        verdicts=verdicts,
        asked=_asked(view),
        bars=tuple(bar(view, index) for index in range(len(view.variants))),
        assumptions=assumed,
        chosen=verdicts[chosen].variant,
        derivation=Derivation(symbols(view, chosen), worked_groups(view, chosen, main_figures(view)))
        if derived
        else Derivation(),
        grids=grids(view),
        speed=Speed(rooflines(view, chosen), speed_words(view, chosen), curves),
        money=_money(view, built, chosen, sources),
        documented=DocumentedFigures(built.documented),
        sources=sources.listed(),
        history=History(tuple(sorted(view.scenario.changes, key=lambda change: -change.version)), built.since),
        warnings=view.resolved.warnings,
        not_stated=not_stated(view, built.comparisons.unstated, chosen),
    )


def _money(view: View, built: Build, chosen: int, sources: Sources) -> Money:
    """The bill and what belongs to it; without a bill no warning about its prices and no purchase beside it."""
    lines = tuple(cost_lines(view, chosen))
    return Money(
        lines=lines,
        note=cost_note(view, chosen) if lines else "",
        prices=tuple(price_lines(view, chosen, sources)),
        flags=flags(view) if lines else (),
        rent_or_buy=rent_or_buy(view, chosen) if lines else None,
        ownership_note=ownership_note(view, chosen),
        quotes=quotes_shown(view, built.comparisons.quotes, chosen),
    )


def _identity(view: View, built: Build) -> Identity:
    scenario, loaded = view.scenario, view.resolved.loaded
    cited = scenario.source
    citation = ", ".join(part for part in (f"document {cited.document}", cited.section) if part) if cited else ""
    return Identity(
        id=scenario.id,
        version=scenario.version,
        title=scenario.title,
        question=scenario.question,
        owner=scenario.owner,
        date=max((change.date for change in scenario.changes), default=NO_DATE),
        job=JobNamed(scenario.workload, view.variants[0].card.title, hardware_of(view, 0)),
        made=MadeFrom(citation, loaded.path.name, loaded.sha256, built.version, built.attachments),
        standing=Standing(scenario.approval, loaded.approval, as_of(view) if scenario.cost else "", valid_until(view)),
    )


def _asked(view: View) -> tuple[str, ...]:
    """Figures that the question asks for, then those that are always asked for."""
    names = dict.fromkeys([*view.scenario.answers, *shown_in("summary", view.workload)])
    return tuple(name for name in names if name in view.lines)
