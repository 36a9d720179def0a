"""A plan for people: the checklist, the tree, what fits, what it costs, and what would change the answer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from memreport.advise.verdict import FITS, Word
from memreport.publish.text.table import fitted
from memreport.publish.text.width import columns
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
)
from memreport.report.records.amounts import Amount

INDENT = "  "
SHORT = 5
"""Lines of a list where all policies are shown together."""
UNKNOWN = "n/a"
EQUALS = 5
"""The column of a ranking that is left out where no combination has equals."""


def as_text(made: PlanShown, tornado: Sensitivity | None, demand: Iterable[str]) -> str:
    """The advice, in short where it holds all policies; `demand` are the blocks on what meets a demand."""
    blocks = [
        "\n".join(map(_wrapped, made.head)),
        *(_steps(steps) for steps in (made.checklist, made.alone, made.tree) if steps),
        *(_search(made.search, made.step_title, SHORT if made.checklist else 0) if made.search else ()),
        *demand,
        *(_serving(made.serving, made.step_title) if made.serving else ()),
        *((_tornado(tornado, made),) if tornado else ()),
    ]
    return "\n\n".join(blocks) + "\n"


def demand_block(rows: Sequence[Sequence[str]], words: Iterable[str]) -> str:
    """What meets the demand, in a table and in words."""
    said = "\n".join(_wrapped(line) for line in words)
    return "\n".join(["DEMAND, options that meet it", *([fitted(rows)] if rows else []), said])


def _steps(steps: Steps) -> str:
    rows = _table([["", "peak", "free", "step", ""], *map(_step, steps.rows)], lefts=(0, 4))
    return f"{_wrapped(_headed(steps.title))}\n{rows}\n{_wrapped(steps.sentence)}"


def _headed(title: str) -> str:
    """A heading, its first part in capitals."""
    first, mark, rest = title.replace(":", ",", 1).partition(",")
    return f"{first.upper()}{mark}{rest}"


def _step(step: StepRow) -> list[str]:
    return [step.title, *(_text(amount, "") for amount in (step.peak, step.headroom, step.seconds)), step.says]


def _text(amount: Amount | None, otherwise: str = UNKNOWN) -> str:
    return amount.text if amount else otherwise


def _search(made: SearchShown, step_title: str, short: int) -> Iterator[str]:
    """What became of all combinations, then the rankings; whole lists where the search alone was asked for."""
    excluded = "" if short else "".join(f"\n{_hung(line)}" for line in made.excluded)
    yield f"SEARCH\n{_wrapped(made.counts)}{excluded}"
    if not made.rankings:
        yield "No combination is left: every combination breaks a rule."
        return
    whole = () if short or not made.front.rows else (made.front,)
    for ranking in (*made.rankings, *whole):
        yield _ranking(ranking, step_title, short)
    yield _wrapped(made.cost_words)
    yield _wrapped(made.rule)


def _ranking(ranking: Ranking, step_title: str, short: int = 0) -> str:
    heads = ["", "free", step_title.lower(), "rates", "cost", "equals", "price"]
    rows = [_combination(row) for row in ranking.rows[: short or None]]
    shown = [index for index, _ in enumerate(heads) if index != EQUALS or any(row[index] for row in rows)]
    cells = [[row[index] for index in shown] for row in [heads, *rows]]
    lefts = [place for place, index in enumerate(shown) if index in (0, 3, 6)]
    return f"{_wrapped(ranking.title)}\n{_table(cells, lefts)}"


def _combination(combination: RankedCombination) -> list[str]:
    amounts = [
        combination.headroom.text,
        combination.seconds.text,
        combination.evidence,
        _text(combination.cost),
        _text(combination.equals, ""),
    ]
    return [combination.changes, *amounts, combination.price]


def _serving(made: ServingShown, step_title: str) -> Iterator[str]:
    heads = ["", "each", "at most", "context", "free", "token", "first token", "all"]
    rows = _table([heads, *map(_layout, made.arrangements)])
    yield f"SERVING: replicas × GPUs of each\n{rows}\n{_wrapped(made.words)}"
    if made.fewest:
        yield _ranking(made.fewest, step_title)


def _layout(layout: ReplicaLayout) -> list[str]:
    amounts = (layout.each, layout.most_each, layout.longest_context, layout.headroom)
    times = (layout.token_seconds, layout.first_token_seconds, layout.tokens_per_second)
    named = layout.title if layout.word == FITS else f"{layout.title} ({layout.word.lower()})"
    return [named, *(amount.text for amount in (*amounts, *times))]


def _tornado(made: Sensitivity, plan: PlanShown) -> str:
    heads = ["", "from", "to", "free", "", plan.step_title.lower(), "", "cost", "", ""]
    rows = _table([heads, *(_swing(swing, made.word) for swing in made.swings)], lefts=(0, 9))
    now = f"{made.headroom.text}, {made.seconds.text}, {_text(made.cost)}"
    title = f"SENSITIVITY of {made.named}, one input at a time (now {now})"
    return f"{_wrapped(title)}\n{rows}"


def _swing(swing: SwingShown, planned: Word) -> list[str]:
    pairs = (swing.headroom, swing.seconds, swing.cost or (None, None))
    texts = (_text(amount) for pair in pairs for amount in pair)
    return [swing.title, swing.values.low.text, swing.values.high.text, *texts, _ends(swing, planned)]


def _ends(swing: SwingShown, planned: Word) -> str:
    """The verdicts at both ends, where one of them is not that of the plan."""
    if set(swing.words) == {planned}:
        return ""
    return swing.words[0] if swing.words[0] == swing.words[1] else " to ".join(swing.words)


def _table(rows: Sequence[Sequence[str]], lefts: Sequence[int] = (0,)) -> str:
    return fitted(rows, lefts, INDENT)


def _hung(line: str) -> str:
    """A count and its reason, whose further lines begin where the reason does."""
    count = len(line) - len(line.lstrip(" 0123456789,"))
    wrapped = textwrap.wrap(line[count:], columns() - len(INDENT) - count)
    return f"\n{' ' * (len(INDENT) + count)}".join([f"{INDENT}{line[:count]}{wrapped[0]}", *wrapped[1:]])


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, columns()))
