"""What a scenario leaves open although it decides the answer, and how far each other choice would move the peak."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memreport.advise.rerun import Changes, full_names, rerun
from memreport.advise.sensitivity import RANGES, RESERVED
from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.fields.serving_memory import CACHE
from memreport.catalogue.question.stated import variants_of
from memreport.catalogue.quotes.lowest import NO_PRICE
from memreport.catalogue.records import BILLED
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.compute import Computed
from memreport.errors import InputError
from memreport.frozen import frozen
from memreport.resolve import Case, Resolved
from memreport.resolve.records import BASE

ENGINE, ANSWERS = "rollout_memory_share", "rollout_tokens"
"""What an objective brings that generates: an engine's memory, and tokens that the same GPUs write."""
ENGINES = (0.3, 0.5)
"""Shares that engines keep by default.  Source: TRL `vllm_gpu_memory_utilization`; verl `gpu_memory_utilization`."""
DECIDING = {
    "training": (ENGINE, "framework", "attention", "precision", "optimizer", "optimizer_implementation"),
    "serving": ("engine", "weight_dtype", "kv_cache_dtype", "gpu_memory_utilization"),
}
"""Inputs that move the peak by more than a few percent and that have a default."""

PRICES = tuple(name for name, _ in BILLED.values())
DECIDING_COST = {
    "training": ("training_tokens", "sequence_length", ANSWERS, *PRICES, "goodput", "host"),
    "serving": ("prompt_tokens", "output_tokens", *PRICES, "goodput", "host"),
}
"""Inputs that time and cost are in proportion to, or nearly so, and that have a default: a host brings the network."""
OF_COST = (*PRICES, "goodput")
"""Those that only a cost depends on."""

MOOT_WITH = {
    **dict.fromkeys(PRICES, frozenset(OWN_PRICES)),
    "training_tokens": frozenset({"training_hours"}),
    "host": frozenset({"network_bytes_per_second"}),
}
"""Numbers that, where a scenario gives them, leave an input nothing to decide."""

Key = tuple[str, str, Any]
"""Variant, field and one other choice."""


@frozen
class Choice:
    """Another choice of an input: the peak of one GPU and its high end in bytes, and whether they fit."""

    choice: str
    peak_bytes: float
    peak_bytes_high: float
    usable_bytes: float
    fits: bool


@frozen
class Unstated:
    """An input that a variant leaves to its default, with what was assumed and what else it could have been."""

    field: str
    assumed: str
    choices: tuple[Choice, ...]


def unstated(computed: Computed) -> dict[str, tuple[Unstated, ...]]:
    """By variant, every deciding input that it does not state; choices that break a rule are left out."""
    resolved = computed.resolved
    found = _computed(resolved, [key for case in resolved.variants for key in _keys(resolved, case)])
    return {case.name: tuple(_collected(resolved, case, found)) for case in resolved.variants}


def unstated_of_cost(computed: Computed, index: int) -> tuple[str, ...]:
    """What decides time and cost of a variant, and is neither stated nor replaced by a number that is."""
    resolved, case = computed.resolved, computed.resolved.cases[index]
    fields, needless = dictionary(resolved.workload), set() if resolved.loaded.scenario.cost else set(OF_COST)
    if computed.values["accelerators"][index] <= computed.values["accelerators_per_domain"][index]:
        needless.add("host")
    if not _generates(resolved, case):
        needless.add(ANSWERS)
    needless |= {name for basis, (name, _) in BILLED.items() if basis != case.settings["basis"]}
    names = (name for name in DECIDING_COST[resolved.workload] if name not in needless)
    open_ = (name for name in names if not _stated(fields[name], case) or _looked_up(resolved, case, name))
    return tuple(name for name in open_ if not _is_moot(name, case))


def _looked_up(resolved: Resolved, case: Case, name: str) -> bool:
    """Whether it is a price that advice found for an option of its own, and no variant of the scenario states."""
    own = variants_of(resolved.loaded.document.data).keys() or {BASE}
    if name not in PRICES or case.table >= 0 or case.name in own or case.settings[name] == NO_PRICE:
        return False
    stated = (each for each in resolved.variants if each.name in own and each.origins[name].kind != "default")
    return all(each.settings[name] != case.settings[name] for each in stated)


def _is_moot(name: str, case: Case) -> bool:
    """Whether a number that the scenario gives stands in place of what the input would decide."""
    return bool(MOOT_WITH.get(name, frozenset()) & case.overrides.keys())


def _keys(resolved: Resolved, case: Case) -> Iterator[Key]:
    fields = dictionary(resolved.workload)
    for name in _deciding(resolved, case):
        if not _stated(fields[name], case):
            yield from ((case.name, name, value) for value in _others(resolved, fields[name], case))


def _deciding(resolved: Resolved, case: Case) -> tuple[str, ...]:
    """What decides for every model, and what this one's makers trained with."""
    of_card = [name for name, share in case.card.trained_with.items() if share > 0]
    moot = {*(() if case.makes_tokens else (CACHE,)), *(() if _generates(resolved, case) else (ENGINE,))}
    deciding = (name for name in DECIDING[resolved.workload] if name not in moot)
    return (*deciding, *(of_card if resolved.workload == "training" else ()))


def _generates(resolved: Resolved, case: Case) -> bool:
    """Whether a training generates the answers that it learns from."""
    table = resolved.catalogue.tables["objectives"]
    return resolved.workload == "training" and bool(table.numbers("generates")[table.row(case.settings["objective"])])


def _stated(entry: Entry, case: Case) -> bool:
    return entry.name in case.overrides or (entry.kind != "optional" and case.origins[entry.name].kind != "default")


def _others(resolved: Resolved, entry: Entry, case: Case) -> list[Any]:
    """All rows of the table but the assumed one; for a number, what the card says, or the ends of its range."""
    if entry.name == RESERVED and resolved.inputs[entry.name][resolved.cases.index(case)] >= 1:
        return []  # an engine that reserves no share has nothing to set
    if entry.name in case.card.trained_with:
        return [case.card.trained_with[entry.name]]
    if entry.name == ENGINE:
        return [*ENGINES]
    if entry.kind == "choice":
        return [id_ for id_ in resolved.catalogue.tables[entry.table].ids if id_ != case.settings[entry.name]]
    return [
        end
        for input_range in RANGES[resolved.workload]
        if input_range.name == entry.name
        for end in (input_range.low, input_range.high)
    ]


def _computed(resolved: Resolved, keys: list[Key]) -> Mapping[Key, Choice]:
    """Each key's answer: all at once, or one by one where a choice breaks a rule."""
    if not keys:
        return {}
    try:
        return dict(zip(keys, _rerun(resolved, keys), strict=True))
    except InputError:
        halves = (keys[: len(keys) // 2], keys[len(keys) // 2 :]) if len(keys) > 1 else ()
        return {key: choice for half in halves for key, choice in _computed(resolved, half).items()}


def _rerun(resolved: Resolved, keys: list[Key]) -> Iterator[Choice]:
    variants = {str(position): _changes(resolved, key) for position, key in enumerate(keys)}
    values = rerun(resolved.loaded, resolved.catalogue, variants).values
    names = ("peak_bytes", "peak_bytes_high", "usable_bytes")
    for index, (_, _, choice) in enumerate(keys):
        peak, high, usable = (float(values[name][index]) for name in names)
        yield Choice(str(choice), peak, high, usable, fits=bool(values["fits"][index]))


def _changes(resolved: Resolved, key: Key) -> Changes:
    variant, name, choice = key
    own = full_names(resolved.loaded.scenario.variants.get(variant, {}), resolved.workload)
    return {**own, f"{dictionary(resolved.workload)[name].section}.{name}": choice}


def _collected(resolved: Resolved, case: Case, found: Mapping[Key, Choice]) -> Iterator[Unstated]:
    index = resolved.cases.index(case)
    for name in _deciding(resolved, case):
        choices = [choice for (variant, field, _), choice in found.items() if (variant, field) == (case.name, name)]
        if choices:
            given = case.settings.get(name, resolved.inputs[name][index] if name in resolved.inputs else "")
            assumed = given if isinstance(given, str) else f"{given:g}"
            yield Unstated(name, str(assumed), tuple(choices))
