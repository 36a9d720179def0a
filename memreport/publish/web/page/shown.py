"""Which figures the page shows where, by workload: the rest is found by search and in derivations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memreport.catalogue.names import title_of
from memreport.figures.registry import group, shown_in
from memreport.figures.time.step import parts as step_parts
from memreport.figures.training.peak import INSTANTS, peak_instant
from memreport.publish.web.page.engine import PageEngine
from memreport.report.money.bill import bill_lines
from memreport.report.peak.parts import COMPONENTS, GIVEN

AT_REST = ("start of the step", "resident_bytes")
"""What is there throughout a step, before its instants."""
TOKEN_PARTS = {
    "Layers": "decode_passing_seconds",
    "Head": "operator_seconds.decode_head",
    "Sampling": "sampling_seconds",
    "Host": "host_seconds",
    "Prompts between": "interference_seconds",
}
"""Parts of the time per token, which add up to it where nothing is drafted: a decode step, and prompts read between."""


def shown_data(engine: PageEngine, levers: Iterable[str]) -> dict[str, Any]:
    """Names of figures in the order in which they are shown, with what they are called there."""
    known, bill = set(engine.numbers), bill_lines(engine.workload)
    return {
        "levers": list(levers),
        "parts": [[component.title, component.figure] for component in (*COMPONENTS[engine.workload], GIVEN)],
        "instants": _instants() if engine.workload == "training" else [],
        "seconds": [[title, name] for title, name in _seconds(engine.workload) if name in known],
        "speed": [name for name in shown_in("in short", engine.workload) if name in known and name not in bill],
        "demand": _demand(engine.workload),
        "cost": [name for name in bill if name in known],
    }


def _demand(workload: str) -> list[str]:
    """Figures that say something only where a demand is stated."""
    return [figure.name for figure in group(workload, "Demand").figures] if workload == "serving" else []


def _instants() -> list[tuple[str, str]]:
    return [AT_REST, *zip(INSTANTS, peak_instant.inputs, strict=True)]


def _seconds(workload: str) -> list[tuple[str, str]]:
    if workload == "serving":
        return list(TOKEN_PARTS.items())
    return [(title_of(name), f"part_seconds.{name}") for name in step_parts.PARTS]
