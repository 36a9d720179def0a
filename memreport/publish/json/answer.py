"""The answer and its options as plain data, in base units and full precision."""

from __future__ import annotations

from typing import Any

from memreport.advise.decide import Decision
from memreport.publish.json.flat import flat
from memreport.publish.json.scenario import record
from memreport.report.answer.answered import answered
from memreport.report.money.quotes import quotes_shown
from memreport.report.records.decision import Answer, OptionRow, Range
from memreport.report.records.money.quotes import QuotesShown
from memreport.report.records.report import Report
from memreport.report.records.speed import ReportCurve
from memreport.report.view import View


def shown_data(decision: Decision, variants: tuple[str, ...] = ()) -> dict[str, Any]:
    """A scenario as `show` gives it: its figures, and the answer."""
    view, found = View(decision.computed), decision.comparisons
    quotes = quotes_shown(view, found.quotes, view.column_of(decision.chosen))
    answer = {"answer": as_data(answered(decision)[0])}
    return record(decision.scenario, found.unstated, variants) | answer | quotes_data(quotes)


def quotes_data(quotes: QuotesShown | None) -> dict[str, Any]:
    """Every quote with its terms and figures, in USD and hours; nothing where there are none."""
    if quotes is None or not quotes.rows:
        return {}
    rows = [flat(row, "offer", "amounts", "standing") | {"lacking": list(row.offer.lacking)} for row in quotes.rows]
    return {"quotes": {"sentence": quotes.sentence, "rows": rows}}


def answer_data(report: Report) -> dict[str, Any]:
    """The answer under `answer`, curves of a served model under `curves`; nothing where none was made."""
    curves = {"curves": {curve.id: _curve(curve) for curve in report.speed.curves}} if report.speed.curves else {}
    command = {"command": report.speed.command} if report.speed.command else {}
    answer = {"answer": as_data(report.answer)} if report.answer else {}
    return answer | curves | command | quotes_data(report.money.quotes)


def _curve(curve: ReportCurve) -> dict[str, Any]:
    """Points in base units: seconds or requests per second across, tokens per second or US dollars up."""
    points = [{"across": point.across, "up": point.up, curve.varied_title: point.label} for point in curve.points]
    return {"title": curve.title, "points": points, "planned": curve.planned if curve.planned >= 0 else None}


def as_data(answer: Answer) -> dict[str, Any]:
    """Question, what it asks, the answer's sentences, the options and which of them the budget is about."""
    return {
        "question": answer.question,
        "asks": list(answer.asks),
        "word": answer.word,
        "headline": answer.headline,
        "detail": answer.detail,
        "chosen": _option(answer.chosen),
        "options": [_option(option) for option in answer.options],
    }


def _option(option: OptionRow) -> dict[str, Any]:
    return {
        "role": str(option.role),
        "name": option.title,
        "variant": option.name if option.own else None,
        "hardware": option.gpus.hardware,
        "settings": list(option.changes.words),
        "changes": dict(option.changes.fields),
        "word": option.word,
        "peak_bytes": option.memory.peak.value,
        "usable_bytes": option.memory.usable.value,
        "headroom_bytes": option.memory.headroom.value,
        "time": _range(option.takes.time),
        "cost": _range(option.takes.cost),
    }


def _range(ends: Range | None) -> dict[str, Any] | None:
    if ends is None:
        return None
    return {"value": ends.amount.value, "unit": ends.amount.unit, "low": ends.low_value, "high": ends.high_value}
