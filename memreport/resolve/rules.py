"""Rules between fields, applied to the columns of a scenario: what breaks one is a fault, or a warning."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memreport.catalogue.constraints import CONSTRAINTS, WARNINGS, broken
from memreport.catalogue.fields.rules import Constraint
from memreport.catalogue.records import BILLED, NO_UNITS, Key, Numbers, Table
from memreport.catalogue.tables.prices import OWN_PRICES, wrong_price
from memreport.errors import Fault, InputError
from memreport.figures.registry import inputs_behind
from memreport.resolve.drafts import Resolver
from memreport.resolve.records import Case, Place, ScenarioWarning

UTILIZATION = "model_flop_utilization"
MULTIPLIES = {"training": "precision", "serving": "weight_dtype"}
"""The choice that says in which type matrices are multiplied."""
OWN_QUOTE = "a price belongs to the GPU that it was quoted for"
OWN_ATTRIBUTE = "an attribute belongs to the GPU beside which it is given; a variant may state its own"
CAPACITIES = ("capacity_bytes", "marketed_capacity_bytes")
CAPACITY_LEEWAY = 0.15
"""Most that driver and data sheet may differ in capacity; packaged GPUs are within 7 %."""
FAR_APART = (
    f"has a capacity_bytes more than {100 * CAPACITY_LEEWAY:.0f} % from its marketed_capacity_bytes: the first is "
    "what its driver reports, the second what is advertised"
)
RANKS = ("default", "scenario", "variant", "table point")
"""Where a setting may come from, what wins last."""
OTHER_SETTINGS = (
    "is stated for other settings than this variant's: what it recomputes or waits for is in it; state its own, or "
    "leave it out to have the time computed"
)


Breaks = tuple[list[tuple[int, Constraint]], list[tuple[int, Constraint]]]
"""The cases of a scenario that break rules, and those that break the rules of what is doubtful, with the rule."""


def rules_broken(workload: str, inputs: Mapping[str, Numbers], starts: Sequence[int]) -> list[Breaks]:
    """What each scenario of a table breaks; `starts` are the rows at which they begin."""
    found: list[Breaks] = [([], []) for _ in starts]
    for kind, rules in enumerate((CONSTRAINTS, WARNINGS)):
        for index, rule in broken(workload, inputs, rules):
            member = bisect_right(starts, index) - 1
            found[member][kind].append((index - starts[member], rule))
    return found


def check_rules(resolver: Resolver, cases: Sequence[Case], breaks: Breaks) -> tuple[ScenarioWarning, ...]:
    """What is doubtful of the cases.  Raises InputError for every case that breaks a rule between fields."""
    constraints, warnings = breaks
    faults = [*_wrong_prices(resolver, cases), *rule_faults(resolver, cases, constraints)]
    if faults:
        raise InputError(faults)
    doubtful = _each_once(resolver, cases, warnings)
    found = (_warning(resolver, rule.field, rule.message, rule.source, case) for rule, case in doubtful)
    others = (
        _set_aside(resolver, cases),
        _wrong_hosts(resolver, cases),
        _doubtful_capacities(resolver, cases),
        _missing_units(resolver, cases),
    )
    words = (*_words_read(resolver, cases), *_doubtful_cards(resolver, cases))
    return (
        *words,
        *found,
        *(warning for every in others for warning in every),
        *_doubtful_utilizations(resolver, cases),
    )


def _words_read(resolver: Resolver, cases: Sequence[Case]) -> Iterator[ScenarioWarning]:
    """What is assumed with words of other programs."""
    for word in (read for read in resolver.loaded.words if read.meaning.assumes):
        variant = next((case.name for case in cases if case.name in word.place[1:2]), cases[0].name)
        said, place = (word.field, word.message, repr(word.found), word.meaning.source), resolver.place(word.place)
        yield ScenarioWarning(variant, *said, place, in_table=word.place[0] == "tables")


def _doubtful_cards(resolver: Resolver, cases: Iterable[Case]) -> Iterator[ScenarioWarning]:
    """What the configuration of a model leaves open; a file once."""
    found = {case.card.file: case for case in reversed(list(cases)) if case.card.doubts}
    for case in reversed(found.values()):
        message, place = f"may be counted wrong: {' '.join(case.card.doubts)}", resolver.place(("model",))
        source = case.card.repository or "config.json"
        yield ScenarioWarning(case.name, "model", message, case.card.id, source, place, in_table=case.table >= 0)


def _each_once(
    resolver: Resolver, cases: Sequence[Case], breaks: Iterable[tuple[int, Constraint]]
) -> Iterator[tuple[Constraint, Case]]:
    """A place once, however many variants and points break the rule there."""
    seen: set[tuple[Place, str]] = set()
    for index, rule in breaks:
        key = resolver.where_given(rule.field, cases[index]), rule.message
        if key not in seen:
            seen.add(key)
            yield rule, cases[index]


def rule_faults(resolver: Resolver, cases: Sequence[Case], breaks: Iterable[tuple[int, Constraint]]) -> Iterator[Fault]:
    """The faults of cases that break rules; a place once."""
    for rule, case in _each_once(resolver, cases, breaks):
        place, found = resolver.where_given(rule.field, case), _found(rule.field, case)
        yield resolver.loaded.document.fault(place, rule.message, found=f"{found} in variant {case.name}")


def _found(field: str, case: Case) -> str:
    """The field as stated, where it may be what a choice supplies."""
    value = case.settings.get(field, case.overrides.get(field, "what its choice supplies"))
    return f"{value:.15g}" if isinstance(value, (int, float)) else str(value)


def _warning(resolver: Resolver, field: str, message: str, source: str, case: Case) -> ScenarioWarning:
    point = f", table {case.table + 1}" if case.table >= 0 else ""
    found = f"{_found(field, case)} in variant {case.name}{point}"
    place = resolver.place(resolver.where_given(field, case))
    return ScenarioWarning(case.name, field, message, found, source, place, in_table=case.table >= 0)


def _wrong_prices(resolver: Resolver, cases: Iterable[Case]) -> Iterable[Fault]:
    """A price belongs to a GPU, and the basis needs the price that it bills, or an override of it; a place once."""
    found: dict[tuple[Place, str], Fault] = {}
    for case in cases if resolver.scenario.cost else ():
        for basis, (name, title) in BILLED.items():
            table = resolver.catalogue.tables[title]
            billed = case.settings["basis"] == basis and not set(table.columns) & set(case.overrides)
            wrong, allowed = wrong_price(table, case.settings[name], case.settings["accelerator"], billed)
            if not wrong:
                continue
            wrong, place = wrong + _quoted_for(table, case), resolver.where_given(name, case)
            if (place, wrong) not in found:
                where = f"{case.settings[name]!r} in variant {case.name}"
                found[place, wrong] = resolver.loaded.document.fault(place, wrong, found=where, expected=allowed)
    return found.values()


def _quoted_for(table: Table, case: Case) -> str:
    """For which GPU a typed price was quoted that this case does not take over; or nothing."""
    of = next((of for name, of in case.set_aside.items() if name in table.columns), "")
    return f"; the price under overrides was quoted for {of}" if of else ""


def _set_aside(resolver: Resolver, cases: Iterable[Case]) -> Iterable[ScenarioWarning]:
    """What a case on another GPU does not take over of what is given; a name and a GPU once."""
    found: dict[tuple[str, str], ScenarioWarning] = {}
    for case in cases:
        for name, of in case.set_aside.items():
            if resolver.scenario.cost or name not in OWN_PRICES:
                key = name, case.settings["accelerator"]
                found.setdefault(key, _not_taken_over(resolver, case, name, of))
    return found.values()


def _not_taken_over(resolver: Resolver, case: Case, name: str, of: str) -> ScenarioWarning:
    gpu, priced = case.settings["accelerator"], name in OWN_PRICES
    kept = f"was quoted for {of}: {gpu} keeps its own price, or has none"
    message = kept if priced else f"was given for {of}: {gpu} keeps its own"
    place = resolver.place(("overrides", name) if name in resolver.scenario.overrides else ("variants",))
    source = OWN_QUOTE if priced else OWN_ATTRIBUTE
    return ScenarioWarning(
        case.name, name, message, f"{gpu} in variant {case.name}", source, place, in_table=case.table >= 0
    )


def _wrong_hosts(resolver: Resolver, cases: Iterable[Case]) -> Iterable[ScenarioWarning]:
    """A host that says which form factors it holds, with a GPU of another; a place once."""
    accelerators, hosts = (resolver.catalogue.tables[name] for name in ("accelerators", "hosts"))
    found: dict[str, ScenarioWarning] = {}
    for case in cases:
        gpu, host = case.settings["accelerator"], case.settings["host"]
        form, held = accelerators.text("form_factor", gpu), hosts.text("form_factors", host)
        if form and held and form not in held.split():
            message = f"holds {' or '.join(held.upper().split())} GPUs, and {gpu} is {form.upper()}"
            found.setdefault(message, _warning(resolver, "host", message, "hardware/hosts.yaml, form_factors", case))
    return found.values()


def doubtful_capacity(accelerators: Table, gpu: Key) -> bool:
    """Whether what the driver reports and what is advertised are too far apart to be of one GPU."""
    index = accelerators.row(gpu)
    reported, marketed = (accelerators.numbers(name)[index] for name in CAPACITIES)
    return bool(abs(reported - marketed) > CAPACITY_LEEWAY * max(reported, 1))


def _doubtful_capacities(resolver: Resolver, cases: Iterable[Case]) -> Iterable[ScenarioWarning]:
    """A GPU of a user's own whose two capacities are far apart; a GPU once."""
    accelerators, found = resolver.catalogue.tables["accelerators"], dict[Key, ScenarioWarning]()
    for case in cases:
        gpu = case.settings["accelerator"]
        if gpu not in found and not set(CAPACITIES) & case.overrides.keys() and doubtful_capacity(accelerators, gpu):
            found[gpu] = _warning(resolver, "accelerator", FAR_APART, "hardware/accelerators", case)
    return found.values()


def _missing_units(resolver: Resolver, cases: Iterable[Case]) -> Iterable[ScenarioWarning]:
    """Products in a type that the GPU has no units for, so that its rate is another type's; a place once."""
    name, gpus = MULTIPLIES[resolver.scenario.workload], resolver.catalogue.tables["accelerators"]
    formats = resolver.catalogue.tables[resolver.fields[name].table]
    found: dict[tuple[Place, str], ScenarioWarning] = {}
    for case in cases:
        for rate, message, source in _lacking(formats, gpus, case.settings[name], case.settings["accelerator"]):
            key = resolver.where_given(name, case), message
            if f"{rate}_flop_per_second" not in case.overrides and key not in found:
                found[key] = _warning(resolver, name, message, source, case)
    return found.values()


def _lacking(formats: Table, gpus: Table, chosen: Key, gpu: Key) -> Iterator[tuple[str, str, str]]:
    """Rates that a format multiplies at and a GPU lacks; frozen formats of few bits are unpacked to what it has."""
    row, index = formats.row(chosen), gpus.row(gpu)
    unpacked = "quantised" in formats.columns and formats.numbers("quantised")[row] > 0
    for rate in ("fp8",) if unpacked else ("bf16", "fp8"):
        column = gpus.columns[f"{rate}_flop_per_second"]
        if formats.numbers(f"computes_in_{rate}")[row] and column.bases[index] == NO_UNITS:
            lacks = column.notes[index] or f"no {rate.upper()} units"
            yield rate, f"multiplies in {rate.upper()}, and {gpu} has {lacks}", str(column.sources[index])


def _doubtful_utilizations(resolver: Resolver, cases: Iterable[Case]) -> Iterable[ScenarioWarning]:
    """A utilisation that is stated for other settings than the variant's; a place once."""
    found: dict[Place, ScenarioWarning] = {}
    for case in cases if resolver.scenario.workload == "training" else ():
        place = resolver.where_given(UTILIZATION, case)
        if place not in found and _stated_for_others(case):
            found[place] = _warning(resolver, UTILIZATION, OTHER_SETTINGS, "arXiv:2204.02311, appendix B", case)
    return found.values()


def _stated_for_others(case: Case) -> bool:
    """Whether what a GPU recomputes, or waits for in a pipeline, is stated later than the utilisation itself."""
    then = RANKS.index(case.origins[UTILIZATION].kind)
    decide = case.origins.keys() & {"gradient_checkpointing", *inputs_behind("pipeline_bubble_share", "training")}
    return bool(case.settings[UTILIZATION]) and any(RANKS.index(case.origins[name].kind) > then for name in decide)
