"""Ranking to make it fit and uncertain inputs of a report: its plan, made once, in words and amounts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memreport.advise.asks import requests_asked
from memreport.advise.candidates import Role
from memreport.advise.decide import Decision
from memreport.advise.moves import Stage, StageKind, stops_at, verdict_on
from memreport.advise.plan import Plan
from memreport.advise.procedures.checklist import Procedure
from memreport.advise.rerun import Job
from memreport.advise.search.combinations import Combination, SearchResult
from memreport.advise.search.ranking import RULE
from memreport.advise.sensitivity import STEP_TITLE, Swing, Tornado, cost_moved
from memreport.advise.serving import Arrangement, ServingPlan, most_words
from memreport.advise.verdict import host_lacks
from memreport.catalogue.names import in_sentence, title_of
from memreport.catalogue.quantities import brief
from memreport.catalogue.scenario import dictionary
from memreport.report.advice.decisions import Deciding, decisions_needed
from memreport.report.advice.words import IMPLIED, RANKS, alone_words, cost_words, counts_words, price_text
from memreport.report.answer.answered import answered
from memreport.report.answer.asked import answer_sentence
from memreport.report.answer.budget import Batch, budget_of
from memreport.report.answer.kinds.bases import offers_to_choose
from memreport.report.answer.rows import memory_amount
from memreport.report.engine_command import start_command
from memreport.report.records.advice import (
    PlanShown,
    RankedCombination,
    Ranking,
    ReplicaLayout,
    SearchShown,
    Sensitivity,
    ServingShown,
    StepRow,
    Steps,
    SwingShown,
    SwingValues,
)
from memreport.report.records.amounts import Amount
from memreport.report.records.report import Assumption, Report
from memreport.report.shares import spread_words
from memreport.report.verdicts import hardware_of
from memreport.report.view import SIGNED, View, counted, shown

UNCHANGED = "as it is"
EACH_ALONE = "Each change alone"
MILLION, MANY_DOLLARS = 1e6, 1e7
TIMES = {
    "training": {"step_seconds": "Times"},
    "serving": {"time_per_output_token_seconds": "Times", "time_to_first_token_seconds": "First tokens"},
}
"""Times of a workload whose ranges differ, and what they are called."""
FRONT = "Pareto front of headroom, step time and cost"


def with_advice(report: Report, decision: Decision) -> Report:
    """The report with its answer, the options and other ways, and the sensitivity of the chosen option."""
    made, (answer, rows) = decision.plan, answered(decision)
    view = View(decision.computed)
    tornado = sensitivity(made, view)
    index = view.column_of(decision.chosen)
    batch = Batch.of(requests_asked(view.scenario), decision.amounts)
    budget = budget_of(view, index, answer, tornado, batch)
    quotes, choice = report.money.quotes, offers_to_choose(decision)
    about = Deciding(view, index, answer, batch, quotes, budget.stale, report.doubt, choice)
    budget = replace(budget, decisions=decisions_needed(about))
    inputs = report.assumptions if answer.chosen.own else tuple(map(_advised, report.assumptions))
    speed = replace(report.speed, command=start_command(decision))
    said = replace(report, answer=answer, rows=rows, budget=budget, speed=speed, assumptions=inputs)
    return replace(said, plan=shown_plan(made), tornado=tornado)


def _advised(assumption: Assumption) -> Assumption:
    """An input of a variant that advice made: no line of the file states it."""
    return replace(assumption, origin=Role.RECOMMENDED.value) if assumption.kind == "variant" else assumption


def shown_plan(made: Plan) -> PlanShown:
    """The advice of a plan in words and amounts; parts that were not asked for are None."""
    return PlanShown(
        variant=made.job.variant,
        given=verdict_on(made.job),
        spread=_spread(made.job),
        head=_head(made),
        step_title=STEP_TITLE[made.job.workload],
        checklist=_steps(f"Checklist: each step on top of those before; stops at {stops_at(made.job)}", made.checklist),
        tree=_steps(f"Decision tree, stops at {stops_at(made.job)}", made.tree),
        alone=Steps(EACH_ALONE, _step_rows(made.alone), alone_words(made.job, made.alone)) if made.alone else None,
        search=_search(made.job, made.found) if made.found else None,
        serving=_serving(made.job, made.serving) if made.serving else None,
    )


def _search(job: Job, found: SearchResult) -> SearchShown:
    return SearchShown(
        counts=_counts(job, found),
        excluded=tuple(
            f"{excluded.count:>12,}  {excluded.field} {excluded.reason}" for excluded in found.counts.excluded
        ),
        rankings=tuple(_rankings(job, found)),
        front=_ranking(job, FRONT, found.pareto),
        cost_words=cost_words(job),
        rule=RULE,
    )


def _head(made: Plan) -> tuple[str, ...]:
    job, scenario = made.job, made.job.loaded.scenario
    asked = answer_sentence(made.asked) if made.asked else ""
    said = (scenario.title, scenario.question, asked, f"Variant {job.variant}: {verdict_on(job)}", _spread(job))
    return tuple(line for line in said if line)


def _spread(job: Job) -> str:
    """How far the times of this job's kind may lie from those shown."""
    ends = {
        which: (job.value(f"{name}_low"), job.value(name), job.value(f"{name}_high"))
        for name, which in TIMES[job.workload].items()
    }
    return " ".join(spread_words([found], which) for which, found in ends.items())


def _ranking(job: Job, title: str, found: Sequence[Combination]) -> Ranking:
    return Ranking(title, tuple(_ranked(job, combination) for combination in found))


def _steps(title: str, procedure: Procedure | None) -> Steps | None:
    return Steps(title, _step_rows(procedure.stages), procedure.sentence) if procedure else None


def _step_rows(stages: Sequence[Stage]) -> tuple[StepRow, ...]:
    return tuple(_one_step(stage) for stage in stages)


def _one_step(stage: Stage) -> StepRow:
    if stage.kind is StageKind.PASSED_OVER:
        return StepRow(stage.title, None, None, None, stage.sentence, stage.word)
    says = stage.sentence if stage.kind is StageKind.QUESTION else f"{stage.word}{_of_the_host(stage)}"
    peak, headroom = (memory_amount(stage.job.value(name)) for name in ("peak_bytes", "headroom_bytes"))
    seconds = _amount(stage.job.value("step_seconds"), "s")
    return StepRow(stage.title, peak, headroom, seconds, says, stage.word)


def _of_the_host(stage: Stage) -> str:
    """That the host lacks memory, where the GPU has room and a step does not fit."""
    return ": the host lacks memory" if host_lacks(stage.word, stage.job.value("headroom_bytes")) else ""


def _amount(value: float, unit: str) -> Amount:
    return Amount(value, unit, shown(value, unit))


def _rounded(value: float, unit: str, beside: float | None = None) -> Amount:
    """In three significant digits, as estimates are read, in the unit of what it stands beside."""
    return Amount(value, unit, brief(value, unit, beside))


def _usd(value: float) -> Amount | None:
    return _rounded(value, "USD") if math.isfinite(value) else None


def _counts(job: Job, found: SearchResult) -> str:
    """What became of the combinations, and that none fits on the given hardware where others fit."""
    none = found.counts.fitting and not found.on_same_hardware
    return counts_words(found) + (f" None of these on {hardware_of(View(job.computed), 0)}." if none else "")


def _rankings(job: Job, found: SearchResult) -> Iterator[Ranking]:
    """The rankings that are worth showing; most headroom where nothing fits."""
    rank, view = RANKS[found.rank_by].capitalize(), View(job.computed)
    lists = {
        f"{rank} on {hardware_of(view, 0)}": found.on_same_hardware,
        f"{rank} on {view.setting('accelerator', 0)}, any number": found.on_same_accelerator,
        f"{rank} on any GPUs considered": found.best,
        "Fewest changes": found.fewest_changes,
        f"{rank} of what makes something else": found.other_kinds,
        "Nothing fits; most headroom": found.most_headroom,
    }
    yield from (_ranking(job, title, rows) for title, rows in lists.items() if rows)


def _ranked(job: Job, combination: Combination) -> RankedCombination:
    named = {key: value for key, value in combination.changes.items() if key.rpartition(".")[2] not in IMPLIED}
    parts = [f"{in_sentence(title_of(key))} {_setting(job, key, value)}" for key, value in named.items()]
    return RankedCombination(
        ", ".join(parts) or UNCHANGED,
        _as_variant(combination.changes),
        memory_amount(combination.figures["headroom_bytes"]),
        _amount(combination.figures["planned_step_seconds"], "s"),
        _usd(combination.figures["approval_total_usd"]),
        Amount(combination.equals, "1", f"+{shown(combination.equals, '1')}") if combination.equals else None,
        price_text(combination),
        combination.evidence,
    )


def _setting(job: Job, key: str, value: Any) -> str:
    entry = dictionary(job.workload)[key.rpartition(".")[2]]
    return shown(float(value), "1") if entry.kind in ("number", "whole") else str(value)


def _as_variant(changes: Mapping[str, Any]) -> str:
    """The changes as a scenario's `variants:` would hold them."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in changes.items()) + "}"


def _serving(job: Job, made: ServingPlan) -> ServingShown:
    fewest = made.fewest_accelerators
    return ServingShown(
        words=f"{most_words(job, made)} {made.sentence}",
        arrangements=tuple(map(_replica_layout, made.arrangements)),
        fewest=_ranking(job, "Fewest GPUs that serve the same", (fewest,)) if fewest else None,
    )


def _replica_layout(arrangement: Arrangement) -> ReplicaLayout:
    return ReplicaLayout(
        f"{arrangement.replicas} × {arrangement.tensor_parallel_size}",
        _amount(arrangement.sequences_each, "1"),
        _amount(arrangement.most_sequences_each, "1"),
        _amount(arrangement.longest_context, "token"),
        memory_amount(arrangement.headroom_bytes),
        _amount(arrangement.decode_step_seconds, "s"),
        _amount(arrangement.time_to_first_token_seconds, "s"),
        _amount(arrangement.tokens_per_second, "token/s"),
        arrangement.word,
    )


def sensitivity(made: Plan, view: View) -> Sensitivity | None:
    """The inputs that move the answer; None where that was not asked for, or none does."""
    tornado = made.tornado
    if tornado is None or not tornado.swings:
        return None
    word, swings = tornado.word, tuple(_swing(view, tornado, swing) for swing in tornado.swings)
    headroom, seconds = memory_amount(tornado.headroom_bytes), _rounded(tornado.step_seconds, "s")
    cost, values = _dollars(tornado.cost_usd, tornado) if _usd(tornado.cost_usd) else None, tornado.values
    step = STEP_TITLE[made.job.workload]
    other = tornado.variant != made.job.variant
    money = "To sign" if cost_moved(made.job) == SIGNED else "Cost"
    return Sensitivity(tornado.variant, headroom, seconds, cost, word, swings, values, other, step, money)


def _dollars(value: float, tornado: Tornado) -> Amount:
    """A cost; in millions where both ends of ten millions and more would not stand side by side."""
    if tornado.cost_usd < MANY_DOLLARS:
        return _rounded(value, "USD")
    return Amount(value, "USD", f"${brief(value / MILLION, '1')} M")


def _swing(view: View, tornado: Tornado, swing: Swing) -> SwingShown:
    unit = view.unit(swing.name)
    low, given, high = (
        Amount(value, unit, counted(value, unit)) for value in (swing.values.low, swing.values.given, swing.values.high)
    )
    cost = (
        (_dollars(swing.cost_usd[0], tornado), _dollars(swing.cost_usd[1], tornado)) if _usd(tornado.cost_usd) else None
    )
    headroom = (memory_amount(swing.headroom_bytes[0]), memory_amount(swing.headroom_bytes[1]))
    planned = tornado.step_seconds
    seconds = (_rounded(swing.step_seconds[0], "s", planned), _rounded(swing.step_seconds[1], "s", planned))
    name = title_of(swing.name)
    return SwingShown(
        swing.name,
        name,
        swing.why,
        SwingValues(low, given, high),
        headroom,
        seconds,
        cost,
        swing.words,
        swing.changes_verdict,
    )
