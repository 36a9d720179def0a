"""The page of one scenario: its answer as plain HTML, and what it takes to compute it again for other inputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memreport import __version__
from memreport.advise.candidates import SAME_JOB
from memreport.advise.decide import Decision
from memreport.advise.verdict import NUMBERED
from memreport.catalogue.fields.search import AXES
from memreport.catalogue.names import of_accelerator
from memreport.catalogue.records import ModelCard
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.publish.pdf.blocks import block_html
from memreport.publish.web.page.catalogue_data import cards_data, fields_data, inputs_data, supplies, tables_data
from memreport.publish.web.page.engine import PageEngine, engine_of
from memreport.publish.web.page.number_words import number_words
from memreport.publish.web.page.render import page_html
from memreport.publish.web.page.scenario_data import scenario_data
from memreport.publish.web.page.shown import shown_data
from memreport.report.live.levers import OPEN_OVERRIDES, levers
from memreport.report.peak.parts import bar
from memreport.report.records.answers import MARKS
from memreport.report.records.blocks import OptionTable, VariantVerdicts
from memreport.report.records.decision import Answer
from memreport.report.verdicts import verdict
from memreport.report.view import NUMBER_AND_UNIT, View
from memreport.resolve import Resolved
from memreport.resolve.usual import usual_hosts


def scenario_page(decision: Decision, answer: Answer, models: Iterable[ModelCard]) -> str:
    """The page as HTML, with all models.  What it says before its script runs is the report's."""
    view = View(decision.computed)
    engine = engine_of(view.workload, decision.computed.lines)
    return page_html(page_data(decision, engine, models), [engine], _said(view, answer))


def page_data(decision: Decision, engine: PageEngine, models: Iterable[ModelCard]) -> dict[str, Any]:
    """All that the script reads."""
    view = View(decision.computed)
    scenario, resolved = view.scenario, view.resolved
    first = [lever.name for lever in levers(view, dictionary(view.workload))]
    workload = engine_data(engine, resolved, first, resolved.overrides)
    whose = {"workload": view.workload, "billed": scenario.cost is not None, "demanded": scenario.demand is not None}
    return {
        **common_data([case.card for case in resolved.variants], models),
        "engines": {engine.workload: workload},
        "scenarios": [{**scenario_data(decision.computed, decision.plan.job, decision.chosen), **whose}],
    }


def common_data(own: Iterable[ModelCard], others: Iterable[ModelCard]) -> dict[str, Any]:
    """What a page reads whatever it is about."""
    return {
        "words": NUMBERED,
        "marks": [MARKS[word] for word in NUMBERED],
        "numbers": number_words(),
        "tied": NUMBER_AND_UNIT,
        "cards": cards_data(own, others),
        "ownPrices": OWN_PRICES,
    }


def engine_data(
    engine: PageEngine, resolved: Resolved, first: Sequence[str], overridden: Iterable[str] = ()
) -> dict[str, Any]:
    """An engine with its fields, tables and what is shown of it; an input that is a field is that field's place."""
    open_ones = dict.fromkeys([*OPEN_OVERRIDES, *overridden])
    places = {name: index for index, name in enumerate(dictionary(engine.workload))}
    optional = {entry.name for entry in dictionary(engine.workload).values() if entry.kind == "optional"}
    tables = tables_data(engine, resolved)
    return {
        **engine.data(),
        "inputs": [places.get(name, name) for name in engine.inputs],
        "about": inputs_data(engine, resolved),
        "supplies": [
            ("" if field == name else field, part)
            for name, (field, part) in zip(engine.inputs, supplies(engine, resolved), strict=True)
        ],
        "fields": fields_data(engine.workload),
        "tables": tables,
        "hosts": [list(usual_hosts(resolved.catalogue, gpu)) for gpu in tables["accelerators"]["ids"]],
        "ofAccelerator": sorted(of_accelerator(resolved.catalogue) - set(tables["accelerators"]["columns"])),
        "shown": shown_data(engine, first),
        "overrides": [name for name in open_ones if name in engine.numbers and name not in optional],
        "trials": [*AXES[engine.workload], *SAME_JOB[engine.workload]],
        "sameJob": SAME_JOB[engine.workload],
        "amountNeeds": [name for amount in engine.amounts.values() for name in amount.figures],
    }


def _said(view: View, answer: Answer) -> dict[str, Any]:
    columns = range(len(view.variants))
    return {
        "title": view.scenario.title,
        "id": view.scenario.id,
        "owner": view.scenario.owner,
        "approval": view.resolved.loaded.approval,
        "version": view.scenario.version,
        "memreport": __version__,
        "answer": answer,
        "block": block_html,
        "options": OptionTable(answer.options, bars=False),
        "variants": VariantVerdicts(
            tuple(verdict(view, index) for index in columns), tuple(bar(view, index) for index in columns)
        ),
    }
