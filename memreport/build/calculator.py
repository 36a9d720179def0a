"""The page without a scenario: the jobs with which it opens, computed from the packaged catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memreport.advise.rerun import Job, job_of
from memreport.advise.search.space import gpu_settings
from memreport.catalogue.cards import card_named, offered
from memreport.catalogue.load import catalogue_for
from memreport.catalogue.scenario import SCHEMA
from memreport.errors import Fault, InputError, nearest
from memreport.publish.web.page.calculator import TITLE, calculator_html
from memreport.resolve import resolve_given

MODEL = "llama-3-8b"
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


def named_card(name: str) -> str:
    """The name, where a model card answers to it.  Raises InputError."""
    names = catalogue_for().model_names
    if not card_named(name, names):
        where, close = "memreport list models, or a path to a config.json", nearest(name, offered(names))
        said = "no model of the catalogue is called so"
        raise InputError([Fault(said, field="--model", found=repr(name), expected=where, nearest=close)])
    return name


def calculator_page(model: str | Mapping[str, Any] = MODEL, title: str = "") -> str:
    """The page as HTML; it opens with a model by name, or by its fields and a title."""
    jobs = [_job(workload, model) for workload in START]
    return calculator_html(jobs, jobs[0].catalogue.models(), title)


def _job(workload: str, model: str | Mapping[str, Any]) -> Job:
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
    found = gpu_settings(job_of(plain.loaded, plain.catalogue), card)
    cost = {name: found[name] for name in ("basis", "price")}
    priced = resolve_given(stated | {"cost": cost})
    return job_of(priced.loaded, priced.catalogue)
