"""The same page without a scenario: any model of the catalogue on any GPU, trained or served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memreport import __version__
from memreport.advise.rerun import job_of
from memreport.advise.search.space import card_settings
from memreport.catalogue.huggingface.plain import plain_families
from memreport.catalogue.scenario import SCHEMA, dictionary
from memreport.compute import Computed, compute
from memreport.publish.web.page.catalogue_data import PUBLISHED
from memreport.publish.web.page.engine import engine_of
from memreport.publish.web.page.render import page_html
from memreport.publish.web.page.scenario_data import scenario_data
from memreport.publish.web.page.scenario_page import common_data, engine_data
from memreport.report.live.levers import levers
from memreport.report.view import View
from memreport.resolve import BASE, resolve_given

TITLE = "Does it fit? Memory, time and cost of a model on a GPU"
START: dict[str, dict[str, Any]] = {
    "training": {
        "hardware": {"accelerator": "h100-80gb-sxm", "count": 8, "host": "dgx-h100"},
        "training": {"zero_stage": 3, "gradient_checkpointing": "full", "training_tokens": 1e9},
    },
    "serving": {
        "hardware": {"accelerator": "h100-80gb-sxm", "count": 1, "host": "dgx-h100"},
        "serving": {"max_model_len": 8192, "context_length": 4096, "max_num_seqs": 64},
    },
}
"""The jobs with which the page opens: common ones that fit."""


MODEL = "llama-3-8b"


def calculator_html(model: str | Mapping[str, Any] = MODEL, title: str = "") -> str:
    """The page as HTML, from the packaged catalogue; it opens with a model by name, or by its fields and a title."""
    jobs = [_job(workload, model) for workload in START]
    engines = [engine_of(one.resolved.workload, one.lines) for one in jobs]
    first = jobs[0].resolved
    card = first.cases[0].card
    data = common_data(first, [replace(card, title=title or card.title)]) | {
        "engines": {
            engine.workload: engine_data(engine, first, _levers(job)) for engine, job in zip(engines, jobs, strict=True)
        },
        "scenarios": [_scenario(job) for job in jobs],
        "configs": plain_families(),
        "defaults": _defaults(),
    }
    return page_html(data, engines, {"title": TITLE, "memreport": __version__})


def _defaults() -> dict[str, Any]:
    """What a model card means that does not say."""
    fields = dictionary("training").values()
    model = {one.name: one.default for one in fields if one.section == "model" and not one.required}
    return model | {PUBLISHED.name: PUBLISHED.default}


def _levers(job: Computed) -> list[str]:
    return [one.name for one in levers(View(job), dictionary(job.resolved.workload))]


def _job(workload: str, model: str | Mapping[str, Any]) -> Computed:
    """The job at the price that the search would take."""
    stated: dict[str, Any] = {
        "schema": SCHEMA,
        "id": "job",
        "version": 1,
        "title": TITLE,
        "workload": workload,
        "model": model,
    }
    stated |= START[workload]
    plain = resolve_given(stated)
    card = stated["hardware"]["accelerator"]
    found = card_settings(job_of(plain.loaded, plain.catalogue), card)
    cost = {name: found[name] for name in ("basis", "price")}
    return compute([resolve_given(stated | {"cost": cost})])[0]


def _scenario(job: Computed) -> dict[str, Any]:
    about = {"workload": job.resolved.workload, "billed": True, "demanded": False, "free": True}
    return scenario_data(job, job, BASE) | about
