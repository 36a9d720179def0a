"""What is compared by a question alone: on as many GPUs as hold it, or with settings that let it fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from memreport.advise.asks import asks_of
from memreport.advise.comparisons.full_load import at_full_load, loads_fully
from memreport.advise.gpus import SAVINGS
from memreport.advise.rerun import Changes, full_names, rerun, rerun_each
from memreport.advise.search.space import usual_formats
from memreport.advise.verdict import FITS, QUEUES, TIGHT, Word, words_of
from memreport.catalogue.question.hardware import counts_gpus
from memreport.catalogue.scenario import Scenario
from memreport.catalogue.unstated.compared import AS_VARIANTS
from memreport.compute import Computed
from memreport.errors import InputError

COUNT, GPU, TENSOR = "hardware.count", "hardware.accelerator", "serving.tensor_parallel_size"
COMPARED = frozenset({"compare", "rent_or_buy", "how_large_a_model"})
AT_ONCE, FEWER_AT_ONCE = "serving.max_num_seqs", (24, 16, 12, 8, 6, 4, 3, 2, 1)
MORE_GPUS, IN_ONE_NODE = (2, 4, 8, 16, 32, 64), 8
(_, CHECKPOINTED), (_, ALONE) = SAVINGS["training"], SAVINGS["serving"]
FULL, SHARDS, SYNCS = "full checkpointing", "ZeRO-3", "gradients reduced each micro-batch"
IN_8_BIT, OFFLOADS = "8-bit AdamW", "optimizer offload"
SETTINGS: Mapping[str, Changes] = {
    FULL: CHECKPOINTED,
    SHARDS: {"training.zero_stage": 3},
    SYNCS: {"training.sync_each_batch": True},
    IN_8_BIT: {"training.optimizer": "adamw-8bit"},
    OFFLOADS: {"training.optimizer_offload": "cpu"},
}
"""Settings with which a training job needs less memory, by name."""
EASED = (
    *((FULL,), (SHARDS,), (SHARDS, SYNCS), (SHARDS, SYNCS, FULL)),
    *((FULL, IN_8_BIT), (SHARDS, SYNCS, FULL, IN_8_BIT), (SHARDS, FULL, OFFLOADS)),
)
"""What is tried of them together, what alters least first."""
NEVER = np.zeros(1)


def on_enough_gpus(computed: Computed) -> Computed:
    """The scenario with each variant as it can be compared: on GPUs that hold it, at full load where tokens count."""
    return at_full_load(_on_enough_gpus(computed))


def _on_enough_gpus(computed: Computed) -> Computed:
    """The scenario with each variant that its question names on as many GPUs as hold it, where nobody states how many.

    A service that has room for fewer sequences than are assumed is compared with fewer.  Else a
    variant is called by its number, `2 × H100`; where no number holds it, it stays as it is.  Times are compared
    on as many of each.  Where the number is stated and not how a model is spread, it is spread over all of them; a
    training job then takes the settings that let it fit, if nobody states others, and is called by them, too.
    """
    scenario = computed.resolved.loaded.scenario
    named = any(word.meaning == AS_VARIANTS for word in computed.resolved.loaded.words)
    if named and "compare" in asks_of(scenario):
        computed = _spread_over(computed)
        scenario = computed.resolved.loaded.scenario
        if fewer := _with_fewer_at_once(computed):
            return fewer
    open_ = dict(_open(computed)) if named and not COMPARED.isdisjoint(asks_of(scenario)) else {}
    enough = {name: found for name, tries in open_.items() if (found := _first_that_fits(computed, tries))}
    if not enough:
        return computed
    if scenario.cost is None and "compare" in asks_of(scenario) and not counts_gpus(scenario.question.lower()):
        enough |= _as_many(scenario, enough)
    variants = dict(enough.get(name, (name, given)) for name, given in scenario.variants.items())
    [made] = rerun_each(computed.resolved.loaded, computed.resolved.catalogue, [variants])
    return computed if isinstance(made, InputError) else made


def _open(computed: Computed) -> Iterator[tuple[str, Mapping[str, Changes]]]:
    """Variants that do not fit and leave something open, and under what name with which changes they may."""
    scenario = computed.resolved.loaded.scenario
    engines = (str(case.settings.get("engine", "")) for case in computed.resolved.variants)
    late = np.broadcast_to(computed.resolved.inputs.get("accumulates_unsharded", NEVER), len(scenario.variants))
    listed = zip(scenario.variants.items(), words_of(computed.values), engines, late, strict=False)
    for (name, given), word, engine, waits in listed:
        changes = full_names(given, scenario.workload)
        if word not in (FITS, TIGHT) and (tries := dict(_tries(scenario, engine, name, changes, waits=bool(waits)))):
            yield name, tries


def _spread_over(computed: Computed) -> Computed:
    """The variants of a service whose replicas lack room, each in replicas over as few of its GPUs as hold it."""
    scenario = computed.resolved.loaded.scenario
    given = {name: full_names(each, scenario.workload) for name, each in scenario.variants.items()}
    words = zip(given.items(), words_of(computed.values), strict=False)
    lacking = {name: each for (name, each), word in words if word not in (FITS, TIGHT)}
    spread = {name: [{**each, TENSOR: few} for few in _shares_of(scenario, each)] for name, each in lacking.items()}
    wider = {name: found for name, tries in spread.items() if (found := _first_that_runs(computed, name, tries))}
    if scenario.workload != "serving" or not wider:
        return computed
    [made] = rerun_each(computed.resolved.loaded, computed.resolved.catalogue, [{**given, **wider}])
    return computed if isinstance(made, InputError) else made


def _shares_of(scenario: Scenario, changes: Changes) -> list[int]:
    """Over how many of the stated GPUs each replica may stand, the fewest first; nothing where that is stated."""
    count = 0 if _is_spread(scenario, changes) else int(_stated_count(scenario, changes))
    return [few for few in range(2, count + 1) if count % few == 0]


def _first_that_runs(computed: Computed, name: str, tries: Sequence[Changes]) -> Changes | None:
    """The first of several ways of one variant that holds all, else the first that holds a part of the requests."""
    made = rerun_each(computed.resolved.loaded, computed.resolved.catalogue, [{name: each} for each in tries])
    runs = [(words_of(one.values)[0], each) for one, each in zip(made, tries, strict=True) if isinstance(one, Computed)]
    return next((each for words in ((FITS, TIGHT), (QUEUES,)) for word, each in runs if word in words), None)


def _with_fewer_at_once(computed: Computed) -> Computed | None:
    """Each variant with as many sequences at once as it has room for, where nobody states how many; else nothing.

    GPUs of which one holds the model are compared one by one: `Is an RTX 5090 faster than an A100?`
    """
    resolved, serves = computed.resolved, computed.resolved.workload == "serving"
    if loads_fully(computed):
        loaded = at_full_load(computed)
        return loaded if {FITS, TIGHT}.issuperset(words_of(loaded.values)) else None
    waiting = QUEUES in words_of(computed.values)
    if not serves or not waiting or any(case.origins["max_num_seqs"].kind != "default" for case in resolved.variants):
        return None
    given = {name: full_names(each, resolved.workload) for name, each in resolved.loaded.scenario.variants.items()}
    tries = [{name: {**each, AT_ONCE: most} for name, each in given.items()} for most in FEWER_AT_ONCE]
    made = zip((given, *tries), (computed, *rerun_each(resolved.loaded, resolved.catalogue, tries)), strict=True)
    held: dict[str, Changes] = {}
    for changes, one in made:
        words = words_of(one.values) if isinstance(one, Computed) else ()
        fitting = [name for name, word in zip(given, words, strict=False) if word in (FITS, TIGHT)]
        held = {name: changes[name] for name in fitting} | held
    same_order = {name: held[name] for name in given if name in held}
    return rerun(resolved.loaded, resolved.catalogue, same_order) if len(held) == len(given) else None


def _as_many(scenario: Scenario, enough: Mapping[str, tuple[str, Changes]]) -> dict[str, tuple[str, Changes]]:
    """All in the largest number that one of them needs, and with the settings that it needs there."""
    full = {name: full_names(given, scenario.workload) for name, given in scenario.variants.items()}
    found = [(changes, full[name]) for name, (called, changes) in enough.items() if called not in scenario.variants]
    wanting = max(found, key=lambda pair: (pair[0].get(COUNT, 0), len(pair[0])), default=({}, {}))
    most = wanting[0].get(COUNT, 0)
    needed = {name: value for name, value in wanting[0].items() if name not in wanting[1]}
    names = [name for name, changes in SETTINGS.items() if name != SHARDS and changes.items() <= needed.items()]
    words = f" with {_together(names)}" if names else ""
    free = {name: given for name, given in full.items() if most and _leaves_count(scenario, given)}
    return {name: (f"{_called(name, most, given)}{words}", {**given, **needed}) for name, given in free.items()}


def _called(name: str, count: int, changes: Changes) -> str:
    """A variant with its number of GPUs: `2 × H100`, `int4 on 2 GPUs`."""
    return f"{count} × {name}" if GPU in changes else f"{name} on {count} GPUs"


def _leaves_count(scenario: Scenario, changes: Changes) -> bool:
    """Whether nobody says how many GPUs a variant is on: it names one, or none is named."""
    return (
        (GPU in changes or scenario.workload == "serving")
        and not _is_spread(scenario, changes)
        and not _stated_count(scenario, changes)
    )


def _is_spread(scenario: Scenario, changes: Changes) -> bool:
    return TENSOR in changes or "tensor_parallel_size" in scenario.serving.model_fields_set


def _stated_count(scenario: Scenario, changes: Changes) -> float:
    stated = scenario.hardware.count if "count" in scenario.hardware.model_fields_set else 0
    return float(changes.get(COUNT, stated))


def _tries(
    scenario: Scenario, engine: str, name: str, changes: Changes, *, waits: bool
) -> Iterator[tuple[str, Changes]]:
    """More GPUs of a variant that names one and not how many; the same, over which a service is spread."""
    stated = _stated_count(scenario, changes)
    if _leaves_count(scenario, changes) and "compare" in asks_of(scenario):
        if scenario.workload == "training":
            yield from _eased(scenario, name, changes, stated, waits=waits)
        yield from _on_more(scenario, name, changes, (FULL, SYNCS) if waits else (FULL,))
    elif scenario.workload == "serving":
        spread = {TENSOR: int(stated)} if stated > 1 and not _is_spread(scenario, changes) else {}
        yield from ((name, {**changes, **spread}) for _ in spread)
        if "how_large_a_model" in asks_of(scenario):
            yield from _eased_service(scenario, engine, name, {**changes, **spread})
    elif scenario.workload == "training":
        yield from _eased(scenario, name, changes, stated, waits=waits)


def _on_more(scenario: Scenario, name: str, changes: Changes, easing: Sequence[str]) -> Iterator[tuple[str, Changes]]:
    """More GPUs; of a training with settings that ease it before more nodes without."""
    tries = [(_called(name, count, changes), {**changes, **_on(scenario, count)}) for count in MORE_GPUS]
    stated = {f"training.{field}" for field in scenario.training.model_fields_set} | changes.keys()
    eased = {field: value for each in easing for field, value in SETTINGS[each].items()}
    eases = scenario.workload == "training" and stated.isdisjoint(eased)
    within = [(called, given) for called, given in tries if given[COUNT] <= IN_ONE_NODE]
    for of_one_size in (within, *([each] for each in tries[len(within) :])):
        yield from of_one_size
        yield from (
            (f"{called} with {_together(easing)}", {**given, **eased}) for called, given in of_one_size if eases
        )


def _eased(
    scenario: Scenario, name: str, changes: Changes, count: float, *, waits: bool
) -> Iterator[tuple[str, Changes]]:
    """The variant with settings that need less memory, where nothing says otherwise.

    Gradients are reduced early where the framework `waits` with them for the last micro-batch.
    """
    stated = {f"training.{field}" for field in scenario.training.model_fields_set} | changes.keys()
    adapts = changes.get("training.method", scenario.training.method) != "full"
    for names in ([name for name in tried if waits or name != SYNCS] for tried in EASED):
        eased = {field: value for name in names for field, value in SETTINGS[name].items()}
        suits = (count > 1 or SHARDS not in names) and not (adapts and IN_8_BIT in names)
        if suits and stated.isdisjoint(eased):
            yield f"{name} with {_together(names)}", {**changes, **eased}


def _together(names: Sequence[str]) -> str:
    """Names as one speaks of them: `ZeRO-3, full checkpointing and 8-bit AdamW`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _eased_service(scenario: Scenario, engine: str, name: str, changes: Changes) -> Iterator[tuple[str, Changes]]:
    """A service of one sequence, and of weights of fewer bits, where nothing says otherwise."""
    stated = {f"serving.{field}" for field in scenario.serving.model_fields_set} | changes.keys()
    fewer = [{"serving.weight_dtype": bits} for bits in usual_formats(engine)]
    for eased in ({}, *fewer):
        if stated.isdisjoint({*ALONE, *eased}):
            weights = "".join(f" and {bits.upper()} weights" for bits in eased.values())
            yield f"{name} with one sequence at once{weights}", {**changes, **ALONE, **eased}


def _first_that_fits(computed: Computed, tries: Mapping[str, Changes]) -> tuple[str, Changes] | None:
    """The first that fits at the high end of the estimate, else that may, else that starts."""
    loaded, catalogue = computed.resolved.loaded, computed.resolved.catalogue
    made = rerun_each(loaded, catalogue, [{called: changes} for called, changes in tries.items()])
    words: Mapping[str, Word] = {
        called: words_of(one.values)[0]
        for called, one in zip(tries, made, strict=True)
        if not isinstance(one, InputError)
    }
    best = (called for word in (FITS, TIGHT, QUEUES) for called in words if words[called] == word)
    return next(((called, tries[called]) for called in best), None)


def _on(scenario: Scenario, count: int) -> Changes:
    """More GPUs, and what lets them hold more than one does."""
    serves = scenario.workload == "serving"
    return {COUNT: count, **({TENSOR: count} if serves else {"training.zero_stage": 3})}
