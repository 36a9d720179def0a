"""Whether a scenario is approved: its stated status, bound by a hash to the inputs that were approved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from memreport.catalogue.scenario import Scenario
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault

APPROVED, DRAFT = "approved", "draft"
INPUTS = (
    "model", "hardware", "workload", "training", "serving", "demand", "cost", "price_terms", "search", "overrides",
    "measured", "variants",
)  # fmt: skip
"""What a budget is computed from; titles, notes and tables may change under an approval."""


def inputs_sha256(scenario: Scenario) -> str:
    """Hash of what a scenario states of its inputs, in base units; the order of variants counts, that of fields not."""
    stated: dict[str, Any] = scenario.model_dump(include=set(INPUTS), exclude_unset=True, mode="json", by_alias=True)
    stated["variants"] = list(stated.get("variants", {}).items())
    text = json.dumps(stated, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def has_lapsed(scenario: Scenario) -> bool:
    """Whether it was approved with other inputs than it states now."""
    return scenario.approval.status == APPROVED and scenario.approval.sha256 != inputs_sha256(scenario)


def is_approved(scenario: Scenario) -> bool:
    """Whether it is approved as it stands."""
    return scenario.approval.status == APPROVED and not has_lapsed(scenario)


def approval_words(scenario: Scenario) -> str:
    """The state as every output shows it: `draft`, `approved by A. Person on 2026-11-20`."""
    approval = scenario.approval
    if approval.status != APPROVED:
        return approval.status
    if has_lapsed(scenario):
        return f"no longer approved: inputs changed since {approval.approved} approved them on {approval.date}"
    return f"approved by {approval.approved} on {approval.date}"


def approval_faults(document: Document, scenario: Scenario) -> Iterator[Fault]:
    """What an approval lacks: who, when, and the hash that binds it to the inputs, which the message gives."""
    if scenario.approval.status != APPROVED:
        return
    wanted = {"approved": "a name", "date": "a day such as 2026-11-20", "sha256": inputs_sha256(scenario)}
    for name, allowed in wanted.items():
        if not getattr(scenario.approval, name):
            message = f"is required where the status is {APPROVED}"
            yield document.fault(("approval", name), message, expected=allowed)
