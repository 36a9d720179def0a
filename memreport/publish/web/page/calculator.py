"""The same page without a scenario: any model of the catalogue on any GPU, trained or served."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from memreport import __version__
from memreport.advise.rerun import Job
from memreport.catalogue.huggingface.plain import plain_families
from memreport.catalogue.records import ModelCard
from memreport.catalogue.scenario import dictionary
from memreport.compute import Computed
from memreport.publish.web.page.catalogue_data import PUBLISHED
from memreport.publish.web.page.engine import engine_of
from memreport.publish.web.page.render import page_html
from memreport.publish.web.page.scenario_data import scenario_data
from memreport.publish.web.page.scenario_page import common_data, engine_data
from memreport.report.live.levers import levers
from memreport.report.view import View
from memreport.resolve import BASE

TITLE = "Does it fit? Memory, time and cost of a model on a GPU"


def calculator_html(jobs: Sequence[Job], models: Iterable[ModelCard], title: str = "") -> str:
    """The page as HTML: a job of each workload with which it opens, all models, and what the first is called."""
    engines = [engine_of(job.workload, job.computed.lines) for job in jobs]
    first = jobs[0].computed.resolved
    card = first.cases[0].card
    data = common_data([replace(card, title=title or card.title)], models) | {
        "engines": {
            engine.workload: engine_data(engine, first, _levers(job.computed))
            for engine, job in zip(engines, jobs, strict=True)
        },
        "scenarios": [_scenario(job) for job in jobs],
        "configs": plain_families(),
        "defaults": _defaults(),
    }
    return page_html(data, engines, {"title": TITLE, "memreport": __version__})


def _defaults() -> dict[str, Any]:
    """What a model card means that does not say."""
    fields = {**dictionary("training"), **dictionary("serving")}.values()
    model = {field.name: field.default for field in fields if field.section == "model" and not field.required}
    return model | {PUBLISHED.name: PUBLISHED.default}


def _levers(job: Computed) -> list[str]:
    return [lever.name for lever in levers(View(job), dictionary(job.resolved.workload))]


def _scenario(job: Job) -> dict[str, Any]:
    about = {"workload": job.workload, "billed": True, "demanded": False, "free": True}
    return scenario_data(job.computed, job, BASE) | about
