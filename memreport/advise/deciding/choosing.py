"""Which of several options is recommended: the cheapest beyond a tie, the fewest GPUs, or the least memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from memreport.advise.asks import asks_for_a_gpu, counts_gpus
from memreport.advise.candidates import Candidate
from memreport.advise.gpus import size_of
from memreport.advise.search.measured import measured
from memreport.catalogue.unstated.hardware import leaves_gpu_open
from memreport.compute import Computed

OFFLOADED = {
    "optimizer_offload",
    "parameter_offload",
    "cpu_offload_bytes",
    "kv_offloading_size",
    "n_gpu_layers",
    "n_cpu_moe",
}
"""Fields by which memory of the host stands in, whose times are the least certain and which needs such a host."""


def memory_in_all(candidate: Candidate) -> tuple[bool, float, float]:
    """The memory of all GPUs of an option; what moves something to the host comes last."""
    return offloads(candidate), candidate.usable * candidate.count, candidate.cost


OF_CHECKPOINTING = frozenset({"recompute_num_layers", "checkpoint_interval", "recompute_modules"})
"""Fields that say how much checkpointing computes again: one change with it."""


def best(pool: Iterable[Candidate]) -> Candidate | None:
    """The cheapest; of those that tie with it, one that moves nothing to the host, with the fewest changes.

    A variant of the scenario comes before what was found.
    """
    listed = list(pool)
    if not listed:
        return None
    cheapest = min(listed, key=lambda candidate: candidate.cost)
    tied = [candidate for candidate in listed if candidate.cost <= cheapest.cost * cheapest.tie]
    return min(tied, key=_changes_first)


def fewest(pool: Iterable[Candidate]) -> Candidate | None:
    """The fewest GPUs that cost no more than the settings submitted do on theirs, or than the cheapest without them.

    What moves something to the host comes last: it takes a machine of its own kind, and many times as long.  Before it
    come other optimizers and formats, which alter what is made.
    """
    listed = _on_gpu(pool)
    plain = [candidate for candidate in listed if not {*candidate.changed} - {"count"}]
    basis = min(plain or listed, key=lambda candidate: (candidate.cost, candidate.count), default=None)
    within = [candidate for candidate in listed if basis and candidate.cost <= basis.cost * basis.tie]
    return min(within, key=_fewest_first, default=None)


def _fewest_first(candidate: Candidate) -> tuple[bool, bool, float, int, bool, float, bool, int]:
    moves, changed, not_own, cost, _, splits_experts, column = _changes_first(candidate)
    return moves, candidate.alters, candidate.count, changed, not_own, cost, splits_experts, column


def least_memory(computed: Computed, pool: Iterable[Candidate]) -> Candidate | None:
    """The GPU with the least memory; of those that have about as much the fastest. What offloads comes last."""
    order = partial(measured, computed)

    def key(each: Candidate) -> tuple[object, ...]:
        return size_of(each.usable), each.alters, order(each), _changes_first(each)

    return min(_on_gpu(pool), key=key, default=None)


def _on_gpu(pool: Iterable[Candidate]) -> list[Candidate]:
    """Those that move nothing to the host; all where none does."""
    listed = list(pool)
    return [candidate for candidate in listed if not offloads(candidate)] or listed


def offloads(candidate: Candidate) -> bool:
    """Whether it moves something to the host that the job has on its GPUs."""
    return not OFFLOADED.isdisjoint(candidate.changed)


def chooser_of(computed: Computed) -> Callable[[Iterable[Candidate]], Candidate | None]:
    """How one is chosen: the number of GPUs, or which where no price says, is asked for at its least.

    GPUs of any kind that carry a demand are those that cost least: what differs between kinds is no change.
    """
    loaded, scenario = computed.resolved.loaded, computed.resolved.loaded.scenario
    any_kind = scenario.demand is not None and leaves_gpu_open(loaded.words)
    if any_kind:
        return partial(min, key=lambda each: (offloads(each), each.cost, each.column), default=None)
    if counts_gpus(scenario):
        return fewest
    return partial(least_memory, computed) if asks_for_a_gpu(scenario) and scenario.cost is None else best


def _changes_first(candidate: Candidate) -> tuple[bool, int, bool, float, float, bool, int]:
    """What changes least first; what costs the same cuts layers before it cuts experts, which engines do beside it.

    A variant is a way that somebody has thought of: one change, however many settings it states.
    """
    changes = len({*candidate.changed} - candidate.likeness.not_asked - OF_CHECKPOINTING)
    changes = min(changes, 1) if candidate.own else changes
    splits_experts = "expert_parallel_size" in candidate.changed
    return (
        offloads(candidate),
        changes,
        not candidate.own,
        candidate.cost,
        candidate.count,
        splits_experts,
        candidate.column,
    )
