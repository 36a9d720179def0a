"""What one screen says of a scenario: the answer, a row a variant, what starts the engine, what must be known."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from memreport.advise.asks import A_QUOTE, asks_for_facts
from memreport.advise.decide import Decision
from memreport.catalogue.unstated.hardware import leaves_gpu_open
from memreport.catalogue.unstated.model import stands_for_any
from memreport.compute import Computed
from memreport.report.answer.answered import answered
from memreport.report.answer.asking import shared_settings
from memreport.report.answer.notes import notes_of, quotes_note, seconds_note, words_of
from memreport.report.engine_command import start_command
from memreport.report.records.blocks import Block, Notes, OptionTable, StartLine


def screen_of(decision: Decision, variants: Collection[str]) -> tuple[Block, ...]:
    """The blocks; of all variants where none is named."""
    answer, rows = answered(decision)
    computed, shared = decision.scenario, shared_settings(decision.options.candidates)
    found = () if answer.chosen.own else (replace(answer.chosen, name=decision.chosen, own=True),)
    if found and decision.options.asks_for_hardware:  # the one GPU that stands in for those asked for says nothing
        rows = ()
    shown = tuple(row for row in (*rows[:1], *found, *rows[1:]) if row.name in variants or not variants)
    shown = tuple(replace(row, name=row.name.removesuffix(shared)) for row in shown)
    if stands_for_any(computed.resolved.loaded.words) or _of_no_gpu(computed):
        return answer, Notes((*words_of(computed), f"Next: memreport build {computed.resolved.loaded.path}"))
    last = f"Next: memreport plan, show --all or build {computed.resolved.loaded.path}"
    notes = (*notes_of(decision), *seconds_note(decision), *_quotes(decision), last)
    return answer, OptionTable(shown, answer.counts_users), StartLine(start_command(decision)), Notes(notes)


def _of_no_gpu(computed: Computed) -> bool:
    """Whether asked is what a model has on whatever GPU, and no GPU is named."""
    loaded = computed.resolved.loaded
    return asks_for_facts(loaded.scenario) and leaves_gpu_open(loaded.words)


def _quotes(decision: Decision) -> tuple[str, ...]:
    """What vendors' offers come to, where the answer does not begin with it."""
    return () if A_QUOTE.is_asked(decision.scenario.resolved.loaded.scenario) else quotes_note(decision)
