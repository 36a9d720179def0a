"""How much of page 1 is taken, in points, so that the signatures stand on it whatever a scenario has to say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from memreport.advise.candidates import Role
from memreport.frozen import frozen
from memreport.publish.svg.typefaces import text_width
from memreport.report.records.answers import MARKS
from memreport.report.records.budget import Budget, Risk
from memreport.report.records.decision import Answer, OptionRow, spread_of_times
from memreport.report.records.report import Report
from memreport.report.view import tied

PAGE_WIDTH, PAGE_1_HEIGHT = 505.0, 761.0
"""Points between the margins."""
LONG_TITLE = 70
"""Characters from which the title is set smaller."""
FIXED = 296.0
"""Points of what always stands: mast, key figures, headings, heads of tables, the bar of memory, signatures."""
LINE, ROW, OPTION_ROW, APART = 12.15, 17.5, 18.6, 20.0
"""Points of a line, a row, a row with a bar, and the line before another job."""
DENSE, DENSE_ROW = 18.0, 2.6
"""Points that a dense page saves: of headings, and of each row of options."""
MAST_WIDTH, OPTION_WIDTH, KEY_WIDTH, ANSWER_WIDTH = 340.0, 199.0, 112.0, 478.0
BAR_WORDS = "Black line: what the job may use."
MORE_WORDS = "All variants: page 2."
NAMED_WORDS = "In the workbook it is the variant"
"""What stands below the options; the last is followed by its name there."""
LEAST_RISKS, ENOUGH_RISKS = 1, 4
"""Risks that always stand, and those for which rows stand closer."""


@frozen
class Room:
    """How many risks page 1 has room for, and whether its rows have to stand closer."""

    risks: int
    dense: bool


def room_for_risks(report: Report, question: str, parts: str, urgent: Sequence[str]) -> Room:
    """The risks that leave room for the signatures on their page."""
    answer, budget = report.answer, report.budget
    if answer is None or budget is None:
        return Room(0, dense=False)
    identity = report.identity
    named = f"{identity.id}, version {identity.version} · {identity.date} · {identity.standing.approval_state}"
    taken = (
        FIXED
        + LINE * _lines(named, 9, MAST_WIDTH)
        + _title(identity.title, question)
        + _said(answer, budget, parts, urgent)
    )
    taken += LINE * _lines(report.doubt, 9)
    taken += sum(map(_option, answer.options)) + APART * any(
        option.role is Role.DIFFERENT_JOB for option in answer.options
    )
    room = int((PAGE_1_HEIGHT - taken) / ROW)
    if room >= min(ENOUGH_RISKS, len(budget.risks)):
        return Room(room, dense=False)
    saved = DENSE + DENSE_ROW * len(answer.options)
    return Room(max(LEAST_RISKS, int((PAGE_1_HEIGHT + saved - taken) / (ROW - DENSE_ROW))), dense=True)


def worst(risks: Sequence[Risk], room: int, planned: str) -> tuple[Risk, ...]:
    """As many risks as there is room for, the last of several what costs most and leaves the headroom."""
    money = [risk for risk in risks if risk.headroom == planned]
    memory = [risk for risk in risks if risk not in money][: max(min(room, 1), room - bool(money))]
    return (*memory, *money[: room - len(memory)])


def _title(title: str, question: str) -> float:
    size = 13 if len(title) > LONG_TITLE else 19
    return 1.15 * size * _lines(title, size, weight=700) + 1.35 * 10 * _lines(question, 10)


def _said(answer: Answer, budget: Budget, parts: str, urgent: Sequence[str]) -> float:
    """Headline, detail and the texts below, each line of them."""
    headline = 17.5 * _lines(f"{MARKS[answer.word]} {answer.headline}", 14, ANSWER_WIDTH, 700)
    detail = 1.35 * 10 * _lines(answer.detail, 10, ANSWER_WIDTH)
    notes = LINE * max((_lines(fact.note, 9, KEY_WIDTH) for fact in budget.facts), default=0)
    return headline + detail + notes + LINE * sum(_below(answer, budget, parts, urgent))


def _below(answer: Answer, budget: Budget, parts: str, urgent: Sequence[str]) -> Iterator[float]:
    """Lines of what stands below the key figures, in its order."""
    flags = [f"Attention: {name}" for name in (*urgent, *budget.stale[:1])]
    yield from (_lines(f"{flag}.", 9, weight=700) + 1.2 for flag in flags)
    named = "" if answer.chosen.own else f"{NAMED_WORDS} {answer.chosen.name}."
    yield _lines(f"{BAR_WORDS} {MORE_WORDS} {spread_of_times(answer.options)} {named}", 9)
    yield _lines(f"{parts} {budget.host} {budget.monitor} {budget.unjudged} {budget.unstarted}", 9)
    yield 1.3 * budget.breaks_nothing
    yield from (_lines(decision, 9, PAGE_WIDTH - 15) + 0.15 for decision in budget.decisions)


def _option(option: OptionRow) -> float:
    lines = _lines(f"{option.role_words}: {option.title}", 9, OPTION_WIDTH, 600)
    return OPTION_ROW + LINE * (min(lines, 4) - 1)


def _lines(text: str, size: float, width: float = PAGE_WIDTH, weight: int = 400) -> int:
    """Lines of a text of a width, broken between words and within one that is wider."""
    lines, taken, space = 0, width, text_width(" ", size, weight)
    for word in tied(text).split(" ") if text else ():
        wide = text_width(word.replace("\u00a0", " "), size, weight)
        fits = taken + space + wide <= width
        pieces = math.ceil(wide / width)
        lines, taken = (lines, taken + space + wide) if fits else (lines + pieces, wide - (pieces - 1) * width)
    return lines
