"""A scenario as the page starts from it: what it states before any variant, the changes of its variants, its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memreport.advise.rerun import Job
from memreport.advise.search.space import gpu_settings
from memreport.catalogue.names import of_accelerator
from memreport.catalogue.scenario import dictionary
from memreport.compute import TIME_FACTOR, Computed
from memreport.resolve import Case, Resolved
from memreport.resolve.records import FOLLOWS_CARD

PRICES = ("basis", "price", "purchase_price")
"""What the search sets of an option's bill."""
MADE = ("variant", "override")
"""Where a variant's own changes come from."""


def scenario_data(computed: Computed, stated: Job, chosen: str) -> dict[str, Any]:
    """Settings before any variant, changes by variant and what each GPU brings.

    `computed` may hold one variant more than the scenario of the `stated` job; the page opens with the `chosen` one.
    """
    resolved = computed.resolved
    base = resolved.base
    return {
        "base": _base(base, computed),
        "variants": [[case.name, dict(changes_of(resolved, base, case))] for case in resolved.variants],
        "chosen": chosen,
        "stated": [name for name, origin in base.origins.items() if origin.kind not in FOLLOWS_CARD],
        "cards": cards_brought(stated),
        "file": resolved.loaded.document.data,
        "name": resolved.loaded.scenario.id,
    }


def _base(base: Case, computed: Computed) -> dict[str, Any]:
    settings = dict(base.settings) | {TIME_FACTOR: computed.resolved.cases[0].settings.get(TIME_FACTOR, 1)}
    known = dictionary(computed.resolved.workload)
    kept = {name: value for name, value in settings.items() if name in known and known[name].section != "model"}
    own = {name: value for name, value in settings.items() if base.card.values.get(name, value) != value}
    quoted = {
        name: base.settings["accelerator"]
        for name in sorted(of_accelerator(computed.resolved.catalogue))
        if name in base.overrides
    }
    return {"model": base.card.id, "settings": kept | own, "overrides": dict(base.overrides), "quoted": quoted}


def changes_of(resolved: Resolved, base: Case, case: Case) -> Iterator[tuple[str, Any]]:
    """What a variant changes, by the names that a scenario file has for it."""
    if case.card.id != base.card.id:
        yield "model", case.card.id
    fields, billed = dictionary(resolved.workload), resolved.loaded.scenario.cost is not None
    for name, origin in case.origins.items():
        if origin.kind not in MADE or (not billed and name in PRICES):
            continue
        if name in fields and fields[name].kind != "optional" and name in case.settings:
            yield f"{fields[name].section}.{name}", case.settings[name]
        elif case.overrides.get(name) != base.overrides.get(name) or origin != base.origins.get(name):
            yield (f"{fields[name].section}.{name}" if name in fields else f"overrides.{name}"), case.overrides[name]


def cards_brought(job: Job) -> dict[str, Any]:
    """What comes with a GPU: fields, then their values for each, which are host and price as the search takes them."""
    fields, billed = dictionary(job.workload), job.loaded.scenario.cost is not None
    rows = [gpu_settings(job, str(card)) for card in job.catalogue.tables["accelerators"].ids]
    names = [name for name in rows[0] if billed or fields[name].section != "cost"]
    brought = [name for name in names if name != "accelerator"]
    return {
        "fields": [f"{fields[name].section}.{name}" for name in brought],
        "rows": [[row[name] for name in brought] for row in rows],
    }
