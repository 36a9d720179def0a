"""How much memory: the sentences of an answer that say a peak, a part of it, or what a model has on whatever GPU."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memreport.advise.asks import asks_for_a_saving, asks_for_facts, asks_for_offloading, parts_asked
from memreport.advise.candidates import Candidate
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.catalogue.names import in_sentence, title_of
from memreport.catalogue.question.kinds import POOL
from memreport.report.answer.asking import Asking, first_variants, listed, of_chosen, of_usable, own_of, settings_of
from memreport.report.answer.rows import gib
from memreport.report.view import View

CACHE = "kv_cache_bytes"
"""The part that every sequence has of its own."""
NOTHING: Mapping[str, str] = {}


def how_much_memory(asking: Asking) -> str:
    """The parts that the question names, or the peak, of each variant."""
    if asks_for_a_saving(asking.scenario):
        return _saving(asking)
    own = own_of(asking)
    if asks_for_facts(asking.scenario):
        return _facts(asking, own)
    if asks_for_offloading(asking.scenario) and not {"n_gpu_layers", "n_cpu_moe"}.isdisjoint(asking.chosen.changed):
        return f"{_memory_of(asking, asking.chosen)}{of_chosen(asking)}"
    if parts_asked(asking.scenario) == (POOL,):
        return _pools(asking, own)
    if len(own) == 1:
        return f"{_memory_of(asking, own[0])}{_lacks(own[0])}"
    return first_variants([f"{_memory_of(asking, each)} with {each.case.name}{_lacks(each)}" for each in own])


def says_no_room(asking: Asking) -> bool:
    """Whether what is said is the peak of the job as submitted, which does not fit."""
    own = own_of(asking)
    otherwise = asks_for_a_saving(asking.scenario) or asks_for_facts(asking.scenario) or parts_asked(asking.scenario)
    return not otherwise and len(own) == 1 and own[0].word == DOES_NOT_FIT


def _facts(asking: Asking, own: Sequence[Candidate]) -> str:
    """What each model has on whatever GPU."""
    said = [listed(_amounts(asking.view, each.column)) for each in own]
    named = [f"{amounts} with {each.case.name}" for amounts, each in zip(said, own, strict=True)]
    return first_variants(named) if len(own) > 1 else said[0]


def _pools(asking: Asking, own: Sequence[Candidate]) -> str:
    """The tokens that have room for their keys and values: of each variant, or of one with what lets it fit."""
    view, fitting = asking.view, asking.options.recommended
    if len(own) > 1 or fitting is None:
        named = [f" with {each.case.name}" if len(own) > 1 else "" for each in own]
        tokens = (_amounts(view, each.column)[0] for each in own)
        return first_variants([f"{has}{of}{_lacks(each)}" for has, of, each in zip(tokens, named, own, strict=True)])
    return f"{_amounts(view, fitting.column)[0]}{of_chosen(asking)}"


def _saving(asking: Asking) -> str:
    """What the second of two variants saves of the peak, or takes beyond the first, with what lets both fit."""
    compared = asking.decision.compared
    view, (without, given) = View(compared.options.computed), [each for each in compared.options.candidates if each.own]
    before, after = (view.value("peak_bytes", each.column) for each in (without, given))
    less, more = (gib(max(0.0, each)) for each in (before - after, after - before))
    s = "" if re.search("[^s]s$", given.case.name) else "s"
    saved = f"save{s} {less}" if after < before else f"take{s} {more} more" if after > before else f"save{s} nothing"
    with_changes = f"with {listed(settings_of(asking.view, asking.chosen))}, " if compared.changed else ""
    ends = f"{_peak_of(view, given)}{_lacks(given)}; {gib(before)} with {without.case.name}"
    return f"{with_changes}{given.case.name} {saved}: {ends}"


def _memory_of(asking: Asking, candidate: Candidate) -> str:
    view, index = asking.view, candidate.column
    peak = _peak_of(view, candidate)
    at_once = _at_once(view, index)
    parts = [name for name in parts_asked(view.scenario) if view.has(name)]
    peak += _each_further(view, index) if at_once == 1 and view.workload == "serving" and not parts else ""
    each = {CACHE: f" ({gib(view.value('reserved_sequence_bytes', index))} of each)"} if at_once > 1 else {}
    return f"{listed(_amounts(view, index, each))}, at a peak of {peak}" if parts else peak


def _amounts(view: View, index: int, beside: Mapping[str, str] = NOTHING) -> list[str]:
    """The parts that are asked for, each with its amount and what is said beside it."""
    parts = [name for name in parts_asked(view.scenario) if view.has(name)]
    if parts == [POOL]:
        return [f"{_amount(view, POOL, index)} in the KV cache of a replica"]
    return [f"{in_sentence(title_of(name))} {_amount(view, name, index)}{beside.get(name, '')}" for name in parts]


def _amount(view: View, name: str, index: int) -> str:
    """Bytes in GiB, but for a file, in the unit that suits it; those of a token and numbers as they are read."""
    in_its_unit = view.unit(name) != "byte" or asks_for_facts(view.scenario)
    return view.text(name, index).removesuffix("/token") if in_its_unit else gib(view.value(name, index))


def _peak_of(view: View, candidate: Candidate) -> str:
    """The peak of what may be used, with how many sequences at once."""
    at_once = _at_once(view, candidate.column)
    together = f" with {at_once:,.0f} sequences at once" if at_once > 1 else ""
    return f"{of_usable(view, candidate)} per GPU{together}"


def _lacks(candidate: Candidate) -> str:
    return ", which does not fit" if candidate.word == DOES_NOT_FIT else ""


def _at_once(view: View, index: int) -> float:
    return view.value("max_num_seqs", index) if view.workload == "serving" else 1


def _each_further(view: View, index: int) -> str:
    """What one more sequence takes, where it has a cache, as the end of a sentence."""
    cache = view.value("reserved_sequence_bytes", index) if view.makes_tokens(index) else 0.0
    tokens = view.value("context_length", index)
    return f" with one sequence of {tokens:,.0f} tokens, and {gib(cache)} more for each further one" if cache else ""
