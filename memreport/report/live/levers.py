"""Which inputs people change first, in the workbook and in the browser; all others are folded below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.fields.serving_memory import CACHE
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.report.view import View

TITLE = "What people change first"
LEVERS = {
    "training": (
        "accelerator", "count", "micro_batch_size", "sequence_length", "zero_stage", "gradient_checkpointing",
        "training_tokens", "model_flop_utilization", "price", "purchase_price", "horizon_years",
        "owned_utilisation", "depreciation_years", "contingency",
    ),
    "serving": (
        "accelerator", "count", "users", "requests_per_second", "max_num_seqs", "context_length",
        "tensor_parallel_size", "kv_cache_dtype", "gpu_memory_utilization", "months", "hours", "price",
        "purchase_price", "horizon_years", "owned_utilisation", "depreciation_years", "contingency",
    ),
}  # fmt: skip
"""Fields in the order in which they stand."""
OPEN_OVERRIDES = ("parameters", "capacity_bytes", *OWN_PRICES)
"""What reviewers most often replace: these may be given even where the scenario does not."""
WHERE_STATED = ("users", "requests_per_second", "hours")
"""Of these, those that stand there only where a scenario states them."""
INSTEAD = {"months": "hours"}
"""Those that count for nothing where another is stated, with it."""
OWNED = ("purchase_price", "owned_utilisation", "depreciation_years")
"""Of these, those of hardware that is bought, or compared with rented one."""
RENTED = ("price",)
COMPARED = ("horizon_years",)
"""Of these, what a comparison of both spans; at 0 it is as long as what is billed."""


def levers(view: View, fields: Mapping[str, Entry]) -> Iterator[Entry]:
    """The fields that stand first, as far as the scenario has them."""
    billed = set(_billed(view))
    cached = any(case.makes_tokens for case in view.variants)
    for name in LEVERS[view.workload]:
        entry = fields[name]
        paid = view.scenario.cost is not None and name not in {*OWNED, *RENTED, *COMPARED} - billed
        if (paid or entry.section != "cost") and (name != CACHE or cached) and _counts(view, name):
            yield entry


def _billed(view: View) -> Iterator[str]:
    """Of the fields of rent and purchase, those of what is billed or compared."""
    settings = [case.settings for case in view.variants]
    compared = any(each.get("rent_or_buy") for each in settings)
    if compared:
        yield from COMPARED
    if compared or any(each.get("basis") == "buy" for each in settings):
        yield from OWNED
    if compared or any(each.get("basis") == "rent" for each in settings):
        yield from RENTED


def _counts(view: View, name: str) -> bool:
    """Whether a field is open to change: some only where they are stated, others unless one is that counts instead."""
    if name in INSTEAD:
        return not _stated(view, INSTEAD[name])
    return name not in WHERE_STATED or _stated(view, name)


def _stated(view: View, name: str) -> bool:
    """Whether any variant states a value of its own."""
    return any(case.origins[name].kind != "default" for case in view.variants if name in case.origins)
