"""A scenario without what it pays: for a page that leaves the house."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memreport.compute import Computed, compute
from memreport.resolve import BASE, resolve

KEPT = ("goodput", "hours", "months")
"""What a cost block says of time, which is no price."""
MONEY = ("usd", "price", "cost", "discount")
"""Parts of names of what is paid, in any block."""


def without_prices(computed: Computed) -> Computed:
    """The same job computed without its cost block, prices and quotes; hours and failures are kept."""
    loaded = computed.resolved.loaded
    scenario, cost = loaded.scenario, loaded.document.data.get("cost") or {}
    kept = {f"cost.{name}": getattr(scenario.cost, name) for name in KEPT if name in cost}
    variants = {name: kept | _plain(changes) for name, changes in (scenario.variants or {BASE: {}}).items()}
    tables = [table for table in scenario.tables if not _is_money(table.figure)]
    answers = [answer for answer in scenario.answers if not _is_money(answer)]
    changes = {"cost": None, "variants": variants, "overrides": _plain(scenario.overrides), "tables": tables}
    bare = scenario.model_copy(update=changes | {"answers": answers})
    data = {
        name: value for name, value in loaded.document.data.items() if name not in ("cost", "price_terms", "tables")
    }
    data |= {"variants": variants, "overrides": _plain(data.get("overrides") or {})}
    document = replace(loaded.document, data=data | {"search": _plain(data.get("search") or {})})
    return compute([resolve(replace(loaded, scenario=bare, document=document), computed.resolved.catalogue)])[0]


def _plain(changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in changes.items() if not _is_money(name)}


def _is_money(name: str) -> bool:
    return name.startswith("cost.") or any(word in name for word in MONEY)
