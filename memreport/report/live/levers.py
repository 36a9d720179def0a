"""Which inputs people change first, in the workbook and in the browser; all others are folded below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.fields.serving_memory import CACHE
from memreport.report.view import View

TITLE = "What people change first"
LEVERS = {
    "training": (
        "accelerator", "count", "micro_batch_size", "sequence_length", "zero_stage", "gradient_checkpointing",
        "training_tokens", "model_flop_utilization", "price", "contingency",
    ),
    "serving": (
        "accelerator", "count", "users", "requests_per_second", "max_num_seqs", "context_length",
        "tensor_parallel_size", "kv_cache_dtype", "gpu_memory_utilization", "hours", "price", "contingency",
    ),
}  # fmt: skip
"""Fields in the order in which they stand."""
OPEN_OVERRIDES = ("parameters", "capacity_bytes", "usd_per_accelerator_hour")
"""What reviewers most often replace: these may be given even where the scenario does not."""
WHERE_STATED = ("model_flop_utilization", "users", "requests_per_second")
"""Of these, those that are computed unless a scenario states them."""
BOUGHT = {"price": "purchase_price"}
"""What stands instead, where nothing is rented."""


def levers(view: View, fields: Mapping[str, Entry]) -> Iterator[Entry]:
    """The fields that stand first, as far as the scenario has them."""
    bought = all(case.settings.get("basis") == "buy" for case in view.variants)
    cached = any(case.card.values["is_decoder"] for case in view.variants)
    for name in LEVERS[view.workload]:
        entry = fields[BOUGHT.get(name, name) if bought else name]
        priced = entry.section != "cost" or view.scenario.cost is not None
        if priced and (name != CACHE or cached) and (name not in WHERE_STATED or _stated(view, name)):
            yield entry


def _stated(view: View, name: str) -> bool:
    """Whether any variant states a value of its own."""
    return any(case.origins[name].kind != "default" for case in view.variants if name in case.origins)
