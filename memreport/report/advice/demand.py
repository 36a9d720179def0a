"""The options of a demand in words and rows, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from memreport.advise.rerun import Job
from memreport.advise.search.demand import DemandOption, DemandPlan
from memreport.catalogue.quantities import brief
from memreport.report.answer.demanded import replica_words, width_words

HEADS = (
    "GPUs", "replicas", "weights, cache", "sequences", "a month", "range", "in / out, 1M tokens", "first token", "pace",
    "load",
)  # fmt: skip


def demand_rows(made: DemandPlan) -> list[list[str]]:
    """The options under their heads."""
    return [list(HEADS), *(_row(option) for option in made.best)] if made.best else []


def demand_words(job: Job, made: DemandPlan) -> Iterator[str]:
    """The answer to a demand in sentences."""
    counted = f"{made.meeting:,} of {made.tried:,} arrangements meet the targets."
    if not made.best:
        yield f"No arrangement meets the targets ({made.tried:,} tried). {_nearest_words(job, made.nearest)}"
        return
    first = made.best[0]
    tie = (
        f" It ties with the next {made.ties - 1}: their costs differ by less than the error of the times."
        if made.ties > 1
        else ""
    )
    priced = "" if np.isnan(first.usd_per_month) else f" for {brief(first.usd_per_month, 'USD')} a month"
    yield f"Cheapest: {_named(first)}{priced}.{tie} {counted}"
    if made.fewest is not None:
        why = f" Fewer do not do: {made.smaller}." if made.smaller else ""
        yield f"Fewest: {_named(made.fewest)}.{why}"
    if made.here_smaller:
        yield f"Of the GPU stated, fewer than {made.here[0].accelerators:.0f} do not do: {made.here_smaller}."


def _named(option: DemandOption) -> str:
    figures, settings = option.figures, option.settings
    apart, drafted = figures["prefill_replicas"], settings.get("speculative_tokens", 0)
    return (
        f"{option.accelerators:.0f} × {settings['accelerator']} as {replica_words(figures['needed_replicas'])} of "
        f"{width_words(settings)}, {settings['weight_dtype']} weights, "
        f"{settings['kv_cache_dtype']} cache, max_num_seqs {settings['max_num_seqs']:.0f}"
        f"{f', {apart:.0f} of them for prefills alone' if apart else ''}"
        f"{f', {drafted:.0f} tokens drafted a step' if drafted else ''}"
    )


def _nearest_words(job: Job, option: DemandOption | None) -> str:
    if option is None:
        return "The memory of no GPU that was tried is large enough for the model."
    first, pace = option.figures["first_token_service_seconds"], option.figures["sequence_tokens_per_second"]
    return (
        f"The nearest is {_named(option)}: first token after {brief(first, 's')} "
        f"(wanted {brief(job.value('first_token_seconds'), 's')}), {brief(pace, 'token/s')} for a user "
        f"(wanted {brief(job.value('tokens_per_second_per_user'), 'token/s')})."
    )


def _replicas(figures: Mapping[str, float]) -> str:
    """How many; those for prefills alone behind a plus."""
    apart = figures["prefill_replicas"]
    return f"({figures['needed_replicas'] - apart:.0f}+{apart:.0f})" if apart else f"{figures['needed_replicas']:.0f}"


def _row(option: DemandOption) -> list[str]:
    figures, settings = option.figures, option.settings
    low, high = option.usd_range
    known = not np.isnan(option.usd_per_month)
    money = [brief(option.usd_per_month, "USD"), f"{brief(low, 'USD')} to {brief(high, 'USD')}"]
    apart = [brief(figures[f"usd_per_million_{name}_tokens"], "USD") for name in ("input", "output") if known]
    return [
        f"{option.accelerators:.0f} × {settings['accelerator']}",
        f"{_replicas(figures)} × {width_words(settings)}",
        f"{settings['weight_dtype']}, {settings['kv_cache_dtype']}",
        f"{settings['max_num_seqs']:.0f}",
        *(money if known else ["–", "–"]),
        " / ".join(apart) or "–",
        brief(figures["first_token_service_seconds"], "s"),
        brief(figures["sequence_tokens_per_second"], "token/s"),
        brief(figures["mean_load"], "share"),
    ]
