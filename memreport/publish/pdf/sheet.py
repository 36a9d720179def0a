"""The budget sheet: a report as a PDF for people, archives and screen readers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, TypeVar

from memreport.catalogue.names import in_sentence
from memreport.catalogue.words.meaning import THE_QUESTION
from memreport.errors import PublishingError
from memreport.figures.registry import shown_in
from memreport.publish.pdf.blocks import block_html
from memreport.publish.pdf.page_1 import (
    BAR_WORDS,
    LONG_TITLE,
    MORE_WORDS,
    NAMED_WORDS,
    PAGE_WIDTH,
    room_for_risks,
    worst,
)
from memreport.publish.pdf.render import Attached, environment, render_pdf, stamp
from memreport.publish.svg.typefaces import fitted, text_width
from memreport.report.documented.documents import cited_sentence
from memreport.report.records.advice import Steps
from memreport.report.records.blocks import (
    Bill,
    GridShown,
    InputList,
    KernelTable,
    KeyFacts,
    OptionTable,
    QuoteList,
    RiskTable,
    Signatures,
    SourceList,
)
from memreport.report.records.decision import OptionRow
from memreport.report.records.money.bill import CostLine, PriceFlag, PriceLine
from memreport.report.records.peak import Segment, StackedBar
from memreport.report.records.report import Assumption, Grid, NumberedSource, Report

QUESTION_LINES = 2
"""Longer questions are cut short."""
MOST_GRIDS, MOST_GRID_COLUMNS, MOST_GRID_ROWS, MOST_KERNELS = 2, 7, 8, 12
"""What a page holds; the workbook holds the rest."""
LINES_OF_PAGE, LINES_LEFT, LINES_AROUND_GRID, SETTINGS_WIDTH = 52, 14, 6, 190.0
"""Lines of page 2, those of them kept for scaling tables, those around a table, and points for what a row changes."""
LINES_OF_LEVER = 1.25
"""Lines of a single change."""
MOST_INPUTS, MOST_SOURCES, MOST_PRICES, MOST_QUOTES = 13, 9, 3, 6


def sheet_pdf(report: Report, attachments: Sequence[Attached] = ()) -> bytes:
    """The sheet as PDF/UA-1 and PDF/A-3a in one file; equal input gives equal bytes.

    Raises MachineError where WeasyPrint's system libraries are missing.
    """
    return render_pdf(sheet_html(report), report.identity.date, attachments)


def sheet_html(report: Report) -> str:
    """The sheet as one page of HTML without style sheet, every text escaped.  The report must hold its answer."""
    if report.answer is None or report.budget is None:
        raise PublishingError("a budget sheet needs the answer, which this report has not")
    return (
        environment()
        .get_template("sheet.html.j2")
        .render(**_page_1(report), **_page_2(report), **_time(report), **_money(report))
    )


def _page_1(report: Report) -> dict[str, Any]:
    """What the decision page shows."""
    answer, identity = report.answer, report.identity
    assert answer is not None  # noqa: S101  # sheet_html has looked
    peak = report.parts_of_peak
    doubts = (each for each in report.warnings if not each.in_table and each.source != THE_QUESTION)
    urgent = [warning.sentence for warning in doubts][:1]
    question = "" if identity.question == identity.title else shorter(identity.question)
    room = room_for_risks(report, question, _parts_words(peak.parts), urgent)
    return {
        "r": report,
        "identity": identity,
        "answer": answer,
        "budget": report.budget,
        "stamp": stamp(identity.date).isoformat().replace("+00:00", "Z"),
        "question": question,
        "long_title": len(identity.title) > LONG_TITLE,
        "options": OptionTable(answer.options),
        "facts": KeyFacts(report.budget.facts if report.budget else (), report.chosen),
        "signatures": Signatures(
            *(getattr(identity.standing.approval, name) for name in ("prepared", "reviewed", "approved"))
        ),
        "bar_words": BAR_WORDS,
        "more_words": MORE_WORDS,
        "named_words": NAMED_WORDS,
        "block": block_html,
        "stack": block_html(peak),
        "parts_words": _parts_words(peak.parts),
        "risks": RiskTable(
            worst(report.budget.risks if report.budget else (), room.risks, answer.chosen.memory.headroom.text),
            answer.chosen.takes.period,
        ),
        "dense": room.dense,
        "urgent": urgent,
    }


def _parts_words(segments: Sequence[Segment]) -> str:
    """The parts of a bar in words, for those that have no room for their number."""
    first, *others = (f"{segment.title} {segment.text}" for segment in segments)
    return f"{', '.join([first, *map(in_sentence, others)])}."


def _page_2(report: Report) -> dict[str, Any]:
    """What the page of variants shows: rows, then scaling tables, then single changes, as long as there is room."""
    heights = [_row_lines(row) for row in report.rows]
    rows = report.rows[: _how_many(heights, LINES_OF_PAGE - LINES_LEFT)]
    left = LINES_OF_PAGE - sum(heights[: len(rows)])
    tables = [min(len(grid.down.labels), MOST_GRID_ROWS) + LINES_AROUND_GRID for grid in report.grids[:MOST_GRIDS]]
    grids = report.grids[: _how_many(tables, left)]
    left -= sum(tables[: len(grids)])
    alone = [row for row in report.plan.alone.rows if row.peak] if report.plan and report.plan.alone else []
    levers = alone[: max(0, int((left - LINES_AROUND_GRID - 1) / LINES_OF_LEVER))]
    users = report.answer is not None and report.answer.counts_users
    return {
        "variants": OptionTable(rows, users, variants=True, marked=report.chosen),
        "more_rows": len(report.rows) - len(rows),
        "grids": [_first_part(grid, place) for place, grid in enumerate(grids)],
        "levers": Steps(f"Change of {fitted(report.plan.variant, 150, 9, 600)}", tuple(levers), "")
        if report.plan and levers
        else None,
    }


def _first_part(grid: Grid, place: int) -> GridShown:
    rows, columns = min(len(grid.down.labels), MOST_GRID_ROWS), min(len(grid.across.labels), MOST_GRID_COLUMNS)
    return GridShown(grid, place, range(rows), range(columns))


def _row_lines(row: OptionRow) -> int:
    """Lines of a variant: its name, and what it changes."""
    return sum(math.ceil(text_width(*said) / SETTINGS_WIDTH) for said in ((row.name, 9, 600), (row.beside, 9, 400)))


def _how_many(heights: Sequence[int], room: int) -> int:
    """How many of these, in their order, have room."""
    return sum(total <= room for total in accumulate(heights))


def _time(report: Report) -> dict[str, Any]:
    """Where the time goes."""
    roof = report.speed.longest
    kernels = roof.slowest[:MOST_KERNELS] if roof else ()
    parts = report.budget.seconds if report.budget else ()
    return {
        "seconds": block_html(StackedBar("Time", parts, sum(part.value for part in parts))) if parts else "",
        "seconds_words": _parts_words(parts) if parts else "",
        "curves": [(curve, block_html(curve)) for curve in report.speed.curves],
        "roof": roof,
        "roofline": block_html(roof) if roof else "",
        "kernels": KernelTable(kernels, beside=bool(report.speed.curves)),
    }


def _money(report: Report) -> dict[str, Any]:
    """What it costs, and what all of it rests on, with sources in the numbers of this page."""
    inputs = _shown_inputs(report)
    sources = _shown_sources(report, inputs)
    numbers = {source.number: number for number, source in enumerate(sources, 1)}
    quotes = report.money.quotes if report.money.quotes and report.money.quotes.sentence else None
    return {
        "bill": Bill(report.chosen, tuple(_shown_cost(report))),
        "prices": [_cited(price, numbers) for price in report.money.prices[:MOST_PRICES]],
        "price_flags": _shown_flags(report),
        "quotes": QuoteList(quotes.rows[:MOST_QUOTES]) if quotes else None,
        "ownership": block_html(buy) if (buy := report.money.rent_or_buy) and buy.drawn else "",
        "tornado": block_html(report.tornado) if report.tornado else "",
        "inputs": InputList(tuple(_cited(assumption, numbers) for assumption in inputs), report.identity.made.file),
        "sources": SourceList(tuple(replace(source, number=numbers[source.number]) for source in sources)),
        "documented_line": cited_sentence(report.documented.entries, "documented.pdf", report.documented.judged),
    }


Citing = TypeVar("Citing", PriceLine, Assumption)


def _cited(citing: Citing, numbers: Mapping[int, int]) -> Citing:
    """A line with the number that its source has on this page; 0 where it is not listed."""
    return replace(citing, source=numbers.get(citing.source, 0))


def _shown_cost(report: Report) -> list[CostLine]:
    """Dollars of the bill, in the places where it is shown."""
    shown = shown_in("bill", report.identity.job.workload)
    return [line for line in report.money.distinct if line.unit == "USD" and line.name in shown]


def _shown_flags(report: Report) -> list[str]:
    """Warnings about the prices that this page shows, and about all prices of the budget."""
    shown = {"", *(price.id for price in report.money.prices)}
    alike: dict[str, list[str]] = {}
    for flag in report.money.flags:
        if flag.price in shown:
            alike.setdefault(flag.said, []).append(flag.price)
    return [PriceFlag(said, ", ".join(prices)).text for said, prices in alike.items()][:MOST_PRICES]


def _shown_inputs(report: Report) -> list[Assumption]:
    """What is changed or stated, what decides first, then what is assumed; as many as there is room for."""
    known = [each for each in report.assumptions if each.decisive or each.kind not in ("default", "")]
    return sorted(known, key=_standing)[:MOST_INPUTS]


def _standing(assumption: Assumption) -> int:
    """The place of an input among all: the model, then by how it is known, what decides before what does not."""
    if assumption.name == "model":
        return 0
    if assumption.kind == "default":
        return 4
    return 1 if assumption.kind == "variant" else 2 if assumption.decisive else 3


def _shown_sources(report: Report, inputs: Sequence[Assumption]) -> list[NumberedSource]:
    """Sources that this page cites, the prices' first."""
    prices = [price.source for price in report.money.prices[:MOST_PRICES]]
    wanted = list(dict.fromkeys([*prices, *(assumption.source for assumption in inputs)]))[:MOST_SOURCES]
    by_number = {source.number: source for source in report.sources}
    return [by_number[number] for number in sorted(wanted) if number in by_number]


def shorter(question: str) -> str:
    """The question as page 1 has room for it: cut where it is very long."""
    return fitted(question, 0.93 * QUESTION_LINES * PAGE_WIDTH, 10)
