"""Step 5, publish: every figure as JSON, in base units and full precision."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from memreport.advise.comparisons.unstated import Unstated
from memreport.catalogue.names import scope_of
from memreport.catalogue.yaml.scalars import as_whole
from memreport.compute import Computed, units
from memreport.figures.registry import figures_by_name
from memreport.publish.json.difference import scenario_data
from memreport.publish.json.flat import flat
from memreport.report.inputs import PEAK_PARTS
from memreport.report.money.focus import focus_rows
from memreport.report.money.prices import NO_PRICE, as_of, cost_caveat, flags, prices_used, valid_until
from memreport.report.peak.parts import bar
from memreport.report.records.changes.versions import VersionComparison
from memreport.report.view import View
from memreport.resolve import Case

SCHEMA = 1


def record(
    computed: Computed, unstated: Mapping[str, Iterable[Unstated]], variants: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The scenario as plain data: variants with inputs, figures and origins; units; scaling tables.

    `unstated` is what each variant leaves open; `variants` limits the answer to some of them.
    """
    resolved = computed.resolved
    scenario = resolved.loaded.scenario
    chosen = [(index, case) for index, case in enumerate(resolved.variants) if not variants or case.name in variants]
    return {
        "schema": SCHEMA,
        "scenario": scenario.id,
        "version": scenario.version,
        "title": scenario.title,
        "workload": scenario.workload,
        "approval": scenario.approval.model_dump() | {"state": resolved.loaded.approval},
        "sha256": resolved.loaded.sha256,
        "variants": {case.name: _variant(computed, index, case) for index, case in chosen},
        "units": units(computed),
        "scopes": {name: scope_of(name) for name in units(computed) if scope_of(name)},
        "tables": [_table(computed, index) for index in range(len(scenario.tables))],
        "prices": _prices(View(computed), [index for index, _ in chosen]),
        "warnings": [asdict(warning) for warning in resolved.warnings if not variants or warning.variant in variants],
        "assumptions": {
            name: [asdict(row) for row in rows] for name, rows in unstated.items() if not variants or name in variants
        },
        "focus": {case.name: focus_rows(computed, case.name) for _, case in chosen},
    }


def since_data(since: VersionComparison | None) -> dict[str, Any]:
    """What changed since the previous version, in base units; nothing where a build did not look for one."""
    if since is None:
        return {}
    made = scenario_data(since.made) if since.made else {}
    return {"since_previous": {"found": since.place, "sentence": since.sentence, **made}}


def to_json(data: Mapping[str, Any]) -> str:
    """JSON text that any reader takes: no NaN, keys in a fixed order of appearance, a line at the end."""
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _variant(computed: Computed, index: int, case: Case) -> dict[str, Any]:
    figures = {line.name: _plain(computed.values[line.name][index]) for line in computed.lines}
    inputs = {name: _setting(value) for name, value in case.settings.items()}
    inputs |= {name: _plain(column[index]) for name, column in computed.resolved.inputs.items() if name not in inputs}
    return {
        "model": case.card.id,
        "inputs": inputs,
        "figures": figures,
        PEAK_PARTS: {part.id: part.value for part in bar(View(computed), index).segments},
        "fits": bool(figures["fits"]),
        **_words(computed, figures),
        **({"cost_note": caveat} if (caveat := cost_caveat(View(computed), index)) else {}),
        "overrides": dict(case.overrides),
        "origin": {name: str(origin) for name, origin in case.origins.items()},
    }


def _words(computed: Computed, figures: Mapping[str, float]) -> dict[str, str]:
    """Figures that are choices, as words: the instant of the peak, for example."""
    known = figures_by_name(computed.resolved.workload)
    return {name: figure.labels[int(figures[name]) - 1] for name, figure in known.items() if figure.labels}


def _prices(view: View, columns: Iterable[int]) -> dict[str, Any]:
    """The prices that the variants bill by id, the day at which they are judged, and every warning about them."""
    used = {use.id: use for index in columns for use in prices_used(view, index)}
    return {
        "as_of": as_of(view),
        "valid_until": valid_until(view),
        "age_limit_days": view.scenario.price_terms.age_limit_days,
        "used": {id_: flat(use, "counted", "offer") for id_, use in used.items()} or NO_PRICE,
        "flags": [flag.text for flag in flags(view)],
    }


def _table(computed: Computed, index: int) -> dict[str, Any]:
    table = computed.resolved.loaded.scenario.tables[index]
    points = computed.resolved.points(index)
    width = len(next(iter(table.columns.values()), [None]))
    column = computed.values[table.figure]
    values = [_plain(column[point]) for point in points]
    return {
        "title": table.title,
        "figure": table.figure,
        "variant": computed.resolved.cases[points[0]].name,
        "rows": table.rows,
        "columns": table.columns,
        "values": [values[start : start + width] for start in range(0, len(values), width)],
        "fits": [bool(computed.values["fits"][point]) for point in points],
    }


def _plain(value: float) -> float | int:
    number: float | int = as_whole(float(value))
    return number


def _setting(value: object) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return _plain(value)
    return list(value) if isinstance(value, tuple) else value
