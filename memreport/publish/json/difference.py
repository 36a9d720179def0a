"""Differences as plain data for programs, in base units and full precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memreport.report.records.changes.versions import Difference, ValueChange, VariantChange

SCHEMA = 1


def as_data(
    found: Sequence[Difference], first: str, added: Sequence[str], removed: Sequence[str], unread: Mapping[str, str]
) -> dict[str, Any]:
    """Everything that differs, in base units and full precision."""
    return {
        "schema": SCHEMA,
        "summary": first,
        "added": list(added),
        "removed": list(removed),
        "not_compared": dict(unread),
        "scenarios": {difference.id: scenario_data(difference) for difference in found},
    }


def scenario_data(difference: Difference) -> dict[str, Any]:
    """One scenario's part of `as_data`."""
    return {
        "version": {"old": difference.old_version, "new": difference.new_version},
        "sentence": difference.sentence,
        "change_log": list(difference.notes),
        "words": {change.name: _change(change) for change in difference.words},
        "variants": {variant.name: _variant(variant) for variant in difference.variants},
    }


def _variant(variant: VariantChange) -> dict[str, Any]:
    verdicts = {"old": variant.old, "new": variant.new}
    return {
        "status": variant.status,
        "verdict": {when: verdict.word if verdict else None for when, verdict in verdicts.items()},
        "headroom_share": {
            when: verdict.room.headroom_share if verdict else None for when, verdict in verdicts.items()
        },
        "inputs": {change.name: _change(change) for change in variant.inputs},
        "figures": {change.name: _change(change) for change in variant.every},
    }


def _change(change: ValueChange) -> dict[str, Any]:
    plain: dict[str, Any] = {"old": change.old, "new": change.new}
    return (
        plain
        | ({} if change.ratio is None else {"ratio": change.ratio})
        | ({"unit": change.unit} if change.unit else {})
    )
