"""A plan as plain data for JSON and CSV: base units, full precision, nothing that is not a number."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from memreport.advise.moves import Stage
from memreport.advise.plan import Plan
from memreport.advise.procedures.checklist import Procedure
from memreport.advise.search.combinations import Combination, SearchResult
from memreport.advise.sensitivity import Tornado
from memreport.catalogue.yaml.scalars import as_whole
from memreport.escaping import csv_cell
from memreport.publish.json.flat import flat

SCHEMA = 1
STAGE_FIGURES = ("peak_bytes", "usable_bytes", "headroom_bytes", "host_headroom_bytes", "step_seconds")
LISTS = ("best", "on_same_hardware", "on_same_accelerator", "fewest_changes", "pareto", "other_kinds", "most_headroom")


def as_json(plan: Plan) -> str:
    """The whole plan as JSON text."""
    return json.dumps(as_data(plan), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_data(plan: Plan) -> dict[str, Any]:
    """The whole plan; parts that were not asked for are left out."""
    parts = {
        "checklist": plan.checklist and _procedure(plan.checklist),
        "tree": plan.tree and _procedure(plan.tree),
        "each_alone": [_stage(stage) for stage in plan.alone],
        "search": plan.found and flat(plan.found, "counts") | {"evaluated": plan.found.evaluated},
        "serving": plan.serving and asdict(plan.serving),
        "demand": plan.demand and asdict(plan.demand),
        "sensitivity": plan.tornado and _sensitivity(plan.tornado),
    }
    head = {
        "schema": SCHEMA,
        "scenario": plan.job.loaded.scenario.id,
        "variant": plan.job.variant,
        "sha256": plan.job.loaded.sha256,
    }
    return head | {name: _finite(part) for name, part in parts.items() if part}


def _procedure(procedure: Procedure) -> dict[str, Any]:
    return asdict(replace(procedure, stages=())) | {"stages": list(map(_stage, procedure.stages))}


def _stage(stage: Stage) -> dict[str, Any]:
    """A stage with the figures that say what it came to."""
    return {
        "step": stage.step,
        "title": stage.title,
        "changes": stage.changes,
        "kind": stage.kind,
        "word": stage.word,
        "fits": stage.fits,
        "with_margin": stage.with_margin,
        **{name: stage.job.value(name) for name in STAGE_FIGURES},
        "sentence": stage.sentence,
    }


def _sensitivity(tornado: Tornado) -> dict[str, Any]:
    """The swings; every line behind them stands in the workbook."""
    whole = asdict(replace(tornado, values={})) | {"swings": [flat(swing, "values") for swing in tornado.swings]}
    return {name: part for name, part in whole.items() if name != "values"}


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return as_whole(data) if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {str(key): _finite(value) for key, value in data.items()}
    return [_finite(item) for item in data] if isinstance(data, (list, tuple)) else data


def as_csv(plan: Plan) -> str:
    """The rows of the search; without one, the stages of the procedure."""
    rows = list(_combination_rows(plan.found)) if plan.found else list(_stage_rows(plan))
    stream = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(stream, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows([{name: _cell(value) for name, value in row.items()} for row in rows])
    return stream.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, Mapping):
        return json.dumps(_finite(value), ensure_ascii=False)
    plain = _finite(value)
    return "" if plain is None else csv_cell(plain)


def _combination_rows(found: SearchResult) -> Iterable[dict[str, Any]]:
    for name in LISTS:
        for rank, option in enumerate(getattr(found, name), 1):
            yield {"list": name, "rank": rank} | _flat(option)


def _flat(combination: Combination) -> dict[str, Any]:
    figures = {name: value for name, value in combination.figures.items() if name not in combination.settings}
    beside = {
        "price": combination.price,
        "evidence": combination.evidence,
        "equals": combination.equals,
        "changes": combination.changes,
    }
    return {**combination.settings, **figures, **beside}


def _stage_rows(plan: Plan) -> Iterable[dict[str, Any]]:
    for name, procedure in (("checklist", plan.checklist), ("tree", plan.tree)):
        for stage in procedure.stages if procedure else ():
            yield {"list": name} | _stage(stage)
