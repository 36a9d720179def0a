"""What the sentences of an answer are made from, and the phrases that several of them share."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.advise.candidates import Candidate, Options, Role
from memreport.advise.decide import Decision
from memreport.advise.verdict import TIGHT
from memreport.catalogue.question.kinds import ASKED_BY
from memreport.catalogue.scenario import Scenario
from memreport.catalogue.unstated.model import stands_for_any
from memreport.frozen import frozen
from memreport.report.answer.rows import beyond_words, gib, option_row
from memreport.report.answer.settings import changed_words, hardware_words
from memreport.report.records.decision import OptionRow
from memreport.report.view import View

MOST_VARIANTS = 3
"""Variants that a sentence names."""


@frozen
class Asking:
    """What the sentences are made from."""

    view: View
    options: Options
    chosen: Candidate
    decision: Decision

    @property
    def scenario(self) -> Scenario:
        """The scenario with its own variants, and none that advice found."""
        return self.decision.scenario.resolved.loaded.scenario

    def row(self, candidate: Candidate, role: Role) -> OptionRow:
        """A candidate as a row."""
        return option_row(self.view, candidate, role, self.chosen)


def nearest_words(asking: Asking, *, other: bool = True) -> str:
    """What comes nearest to what was submitted and fits, and another job on the same GPUs, as the end of a sentence."""
    near = asking.options.nearest
    if near is None:
        search = asking.decision.plan.job.search
        within = "within the budget" if search.most_cost_usd else "with the planned headroom"
        return f"; nothing that was searched fits {within}"
    moved = not {"accelerator", "count"}.isdisjoint(near.changed)
    what = with_hardware(asking.view, near) if moved else listed(settings_of(asking.view, near)) or near.case.name
    if near.likeness.same_job or near.likeness.larger_batch:
        submitted = asking.options.submitted
        tight = submitted.word == TIGHT or asking.options.tight
        room = "with the planned headroom" if tight else "that fits"
        batch = f", in a global batch of {_global_batch(asking.view, near)}" if near.likeness.larger_batch else ""
        kept = beyond_words(asking.view, submitted)[1] if submitted.beyond else room
        return f"; the nearest {kept} is {what}{batch}{_other_job(asking, near) if other else ''}"
    return f"; what fits is {'a different job: ' if near.likeness.other_result else ''}{what}"


def _other_job(asking: Asking, near: Candidate) -> str:
    """What the GPUs that were submitted hold instead, as the end of a sentence about others."""
    other = other_job(asking)
    if other is None or near.likeness.same_gpus:
        return ""
    return f"; on the same GPUs it fits with {listed(settings_of(asking.view, other))}, a different job"


def other_job(asking: Asking) -> Candidate | None:
    """What fits on the GPUs that were submitted, and is another job."""
    shown = (each.candidate for each in asking.options.shown if each.role is Role.DIFFERENT_JOB)
    return next((each for each in shown if each.likeness.same_gpus), None)


def _global_batch(view: View, candidate: Candidate) -> str:
    return f"{view.value('global_batch_size', candidate.column):,.0f} sequences"


def settings_of(view: View, candidate: Candidate) -> tuple[str, ...]:
    """What a candidate changes, one phrase a setting."""
    return changed_words(view, candidate.case, candidate.changed)


def with_hardware(view: View, chosen: Candidate) -> str:
    """An option by its GPUs, then what else it changes."""
    others = [name for name in chosen.changed if name not in ("accelerator", "count")]
    settings = changed_words(view, chosen.case, others)
    return f"{hardware_words(view, chosen.case)}{f' with {listed(settings)}' if settings else ''}"


def of_usable(view: View, candidate: Candidate) -> str:
    """Peak memory of what the GPU offers, `9.78 of 80 GiB`."""
    peak, usable = (gib(view.value(name, candidate.column)) for name in ("peak_bytes", "usable_bytes"))
    return f"{peak.removesuffix(' GiB')} of {usable}"


def listed(parts: Sequence[str]) -> str:
    """Parts in a sentence: `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def of_chosen(asking: Asking) -> str:
    """With which settings the chosen option is, as the end of a phrase."""
    if settings := settings_of(asking.view, asking.chosen):
        return f" with {listed(settings)}"
    open_ = asking.chosen.likeness.not_asked
    own = as_it_is(asking.view, asking.chosen)
    return f" with {hardware_words(asking.view, asking.chosen.case)}" if open_ else own


def as_it_is(view: View, candidate: Candidate) -> str:
    """What an option without changes is, as the end of a phrase: with assumed weights, or as submitted.

    Nothing where a model stands for any, as of it nothing is said.
    """
    if stands_for_any(view.resolved.loaded.words):
        return ""
    return as_assumed(view, candidate) or " as submitted"


def as_assumed(view: View, candidate: Candidate) -> str:
    """The weights of desktop programs, where nobody stated any, as the end of a phrase; "" where they are stated."""
    read = any(word.meaning.unless_stated.get("weight_dtype") for word in view.resolved.loaded.words)
    return f" with {listed(changed_words(view, candidate.case, ['weight_dtype']))}" if read else ""


def said_once(amounts: Sequence[str]) -> list[str]:
    """Amounts of which the last alone says for what they are, where all are for the same."""
    whats = {what for _, _, what in (each.partition(" for ") for each in amounts)}
    alike = len(whats) == 1
    return [each.partition(" for ")[0] if alike else each for each in amounts[:-1]] + list(amounts[-1:])


def own_of(asking: Asking) -> list[Candidate]:
    """The variants of the scenario itself."""
    return [candidate for candidate in asking.options.candidates if candidate.own]


def shared_settings(candidates: Sequence[Candidate]) -> str:
    """The settings with which all of several variants fit and are called, ` with ZeRO-3`; empty where they differ."""
    parted = [each.case.name.partition(" with ") for each in candidates if each.own]
    ends = {f"{by}{end}" for _, by, end in parted}
    return ends.pop() if len(ends) == 1 and len(parted) > 1 else ""


def name_of(asking: Asking, candidate: Candidate) -> str:
    """What a variant is called in a sentence that says once with what all of them fit."""
    return candidate.case.name.removesuffix(shared_settings(asking.options.candidates))


def asked_figures(asking: Asking, kind: str) -> list[str]:
    """The figures that the scenario names as answers to a kind of question."""
    return [name for name in asking.view.scenario.answers if ASKED_BY.get(name) == kind and asking.view.has(name)]


def first_variants(parts: Sequence[str]) -> str:
    """What is said of the first variants, and how many more there are."""
    more = len(parts) - MOST_VARIANTS
    return "; ".join([*parts[:MOST_VARIANTS], *([f"{more} more variant{'s' if more > 1 else ''}"] if more > 0 else [])])
