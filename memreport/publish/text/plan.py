"""A plan for people: the checklist, the tree, what fits, what it costs, and what would change the answer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from memreport.advise.asked import asked_of
from memreport.advise.checklist import Procedure
from memreport.advise.moves import Stage, StageKind, stops_at, words
from memreport.advise.plan import Plan
from memreport.advise.rerun import Job
from memreport.advise.search.combinations import Combination, SearchResult
from memreport.advise.search.ranking import RULE
from memreport.advise.sensitivity import Swing, Tornado
from memreport.advise.serving import ServingPlan, most_words
from memreport.advise.verdict import FITS, Word
from memreport.catalogue.quantities import display, in_gib
from memreport.publish.text.table import table
from memreport.report.advice.demand import demand_rows, demand_words
from memreport.report.advice.words import IMPLIED, RANKS, alone_words, cost_words, counts_words, given_words, price_text

WIDTH = 110
INDENT = "  "
SHORT = 5
"""Lines of a list where all policies are shown together."""


def as_text(made: Plan) -> str:
    """The report, in short where it holds all policies."""
    short = SHORT if made.checklist and made.found else 0
    blocks = [
        _head(made.job),
        *_procedure(f"CHECKLIST, each step on top of those before; stops at {stops_at(made.job)}", made.checklist),
        *_alone(made.job, made.alone),
        *_procedure(f"DECISION TREE, stops at {stops_at(made.job)}", made.tree),
        *(_search(made.job, made.found, short) if made.found else ()),
        *(demand_text(made) if made.demand else ()),
        *(_serving(made.job, made.serving) if made.serving else ()),
        *(_tornado(made.tornado, made.job) if made.tornado else ()),
    ]
    return "\n\n".join(blocks) + "\n"


def demand_text(made: Plan) -> Iterable[str]:
    """What meets the demand, in a table and in words."""
    if made.demand is None:
        return
    rows = demand_rows(made.demand)
    said = "\n".join(_wrapped(line) for line in demand_words(made.job, made.demand))
    yield "\n".join(["DEMAND, options that meet it", *([table(rows).rstrip("\n")] if rows else []), said])


def _head(job: Job) -> str:
    scenario = job.loaded.scenario
    parts = [
        scenario.title,
        scenario.question,
        _wrapped(asked_of(job)),
        _wrapped(f"Variant {job.variant}: {given_words(job)}"),
    ]
    return "\n".join(part for part in parts if part)


def _procedure(title: str, procedure: Procedure | None) -> Iterable[str]:
    if procedure:
        yield f"{title}\n{_stages(procedure.stages)}\n{_wrapped(procedure.sentence)}"


def _alone(job: Job, stages: Sequence[Stage]) -> Iterable[str]:
    if not stages:
        return
    yield f"EACH CHANGE ALONE\n{_stages(stages)}\n{_wrapped(alone_words(job, stages))}"


def _stages(stages: Sequence[Stage]) -> str:
    return _table([["", "peak", "free", "step", ""], *(_stage(one) for one in stages)], lefts=(0, 4))


def _stage(one: Stage) -> list[str]:
    if one.kind is StageKind.PASSED_OVER:
        return [one.title, "", "", "", one.sentence]
    brief = one.sentence if one.kind is StageKind.QUESTION else one.word
    return [one.title, in_gib(one.peak_bytes), in_gib(one.headroom_bytes), display(one.step_seconds, "s"), brief]


def _search(job: Job, found: SearchResult, short: int) -> Iterable[str]:
    limit = short or len(found.best) or 1
    yield f"SEARCH\n{_wrapped(counts_words(found))}{_excluded(found) if not short else ''}"
    if not found.evaluated:
        yield "Nothing was computed: every combination breaks a rule."
        return
    if not found.fitting:
        yield f"Nothing fits.  Most headroom:\n{_combinations(job, found.most_headroom)}"
        return
    rank = RANKS[found.rank_by].capitalize()
    hardware = f"{int(job.value('count'))} x {job.case.settings['accelerator']}"
    yield _titled(job, f"{rank} on {hardware}", found.on_same_hardware[:limit])
    if found.on_same_accelerator:
        yield _titled(
            job, f"{rank} on {job.case.settings['accelerator']}, any number", found.on_same_accelerator[:limit]
        )
    yield _titled(job, f"{rank} on any accelerators considered", found.best[:limit])
    yield _titled(job, "Fewest changes", found.fewest_changes[:limit])
    if found.other_kinds:
        yield _titled(job, f"{rank} of what makes something else", found.other_kinds)
    if not short:
        yield _titled(job, "Pareto front of headroom, step time and cost", found.pareto)
    yield _wrapped(cost_words(job))
    yield _wrapped(RULE)


def _excluded(found: SearchResult) -> str:
    return "".join(f"\n  {one.count:>12,}  {one.field} {one.reason}" for one in found.excluded)


def _titled(job: Job, title: str, found: Sequence[Combination]) -> str:
    return f"{title}\n{_combinations(job, found) if found else '  none'}"


def _combinations(job: Job, found: Sequence[Combination]) -> str:
    heads = ["", "free", _step_head(job), "cost", "equals", "price"]
    return _table([heads, *(_combination(job, one) for one in found)], lefts=(0, 5))


def _step_head(job: Job) -> str:
    return "token" if job.workload == "serving" else "step"


def _combination(job: Job, one: Combination) -> list[str]:
    kept = {key: value for key, value in one.changes.items() if key.rpartition(".")[2] not in IMPLIED}
    figures = one.figures
    cost = display(figures["approval_total_usd"], "USD")
    step = display(figures["planned_step_seconds"], "s")
    name = words(job, kept) or "as it is"
    equals = f"+{one.equals:,}" if one.equals else ""
    return [name, in_gib(figures["headroom_bytes"]), step, cost, equals, price_text(one)]


def _serving(job: Job, made: ServingPlan) -> Iterable[str]:
    heads = ["", "each", "at most", "context", "free", "token", "first token", "tokens/s, all"]
    rows = [
        [
            f"{one.replicas} x {one.tensor_parallel_size}{'' if one.word == FITS else f' ({one.word.lower()})'}",
            f"{one.sequences_each:,}",
            f"{one.most_sequences_each:,}",
            f"{one.longest_context:,}",
            in_gib(one.headroom_bytes),
            display(one.decode_step_seconds, "s"),
            display(one.time_to_first_token_seconds, "s"),
            f"{one.tokens_per_second:,.0f}",
        ]
        for one in made.arrangements
    ]
    most = most_words(job, made)
    yield f"SERVING: replicas x accelerators of each\n{_table([heads, *rows])}\n{_wrapped(f'{most} {made.sentence}')}"
    if made.fewest_accelerators:
        yield _titled(job, "Fewest accelerators that serve the same", (made.fewest_accelerators,))


def _tornado(made: Tornado, job: Job) -> Iterable[str]:
    heads = ["", "from", "to", "free", "", _step_head(job), "", "cost", "", ""]
    rows = [
        [
            one.name,
            f"{one.low:,.4g}",
            f"{one.high:,.4g}",
            *(in_gib(value) for value in one.headroom_bytes),
            *(display(value, "s") for value in one.step_seconds),
            *(display(value, "USD") for value in one.cost_usd),
            _ends(one, made.word),
        ]
        for one in made.swings
    ]
    now = f"{in_gib(made.headroom_bytes)}, {display(made.step_seconds, 's')}, {display(made.cost_usd, 'USD')}"
    which = made.variant if made.variant == job.variant else f"{made.variant}, the first that fits"
    yield f"SENSITIVITY of {which}, one input at a time (now {now})\n{_table([heads, *rows], lefts=(0, 9))}"


def _ends(one: Swing, planned: Word) -> str:
    """The verdicts at both ends, where one of them is not that of the plan."""
    if set(one.words) == {planned}:
        return ""
    return one.words[0] if one.words[0] == one.words[1] else " to ".join(one.words)


def _table(rows: Sequence[Sequence[str]], lefts: Sequence[int] = (0,)) -> str:
    return table(rows, lefts, indent=INDENT)


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH))
