"""Drawings and lists as tables of texts: what a renderer shows that has nothing better for their kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.names import title_of
from memreport.report.records.advice import Sensitivity, StepRow, Steps, SwingShown
from memreport.report.records.blocks import (
    Bill,
    Drawn,
    GridShown,
    InputList,
    KernelTable,
    KeyFacts,
    Listed,
    QuoteList,
    RiskTable,
    Signatures,
    SourceList,
    VariantVerdicts,
)
from memreport.report.records.curves import ReportCurve
from memreport.report.records.peak import StackedBar
from memreport.report.records.portfolio import CountedCost, MonthBars, SaidTable
from memreport.report.records.report import RentOrBuy, WorkedGroup
from memreport.report.records.roofline import RoofKernel, Roofline

_TAG = re.compile(r"<[^>]+>")


def said_table_of(block: Drawn | Listed) -> SaidTable:
    """The block in the report's own words and texts, a row for each of its parts.  Raises KeyError for no block."""
    return SAID[type(block)](block)


def _bar(one: StackedBar) -> SaidTable:
    return SaidTable(one.title, ("Part", ""), tuple((part.title, part.text) for part in one.parts))


def _curve(one: ReportCurve) -> SaidTable:
    heads = (one.varied_title, one.across_title, one.up_title)
    rows = tuple((point.label, point.across_text, point.up_text) for point in one.points)
    return SaidTable(one.title, heads, rows, one.sentence)


def _roofline(one: Roofline) -> SaidTable:
    return replace(_kernels(one), title=one.title, about=f"{one.peak_text}, {one.bandwidth_text}")


def _kernels(one: KernelTable | Roofline) -> SaidTable:
    heads = ("Kernel", "FLOP per byte", "Limited by", "Time at best", "Share")
    return SaidTable("Kernels", heads, tuple(map(_kernel, one.kernels)))


def _kernel(one: RoofKernel) -> tuple[str, ...]:
    return one.title, one.number_text, one.limit, one.seconds.text, one.share.text


def _ownership(one: RentOrBuy) -> SaidTable:
    return SaidTable(one.words, ("Rent or buy", "", "Meaning"), one.rows, one.sentence)


def _sensitivity(one: Sensitivity) -> SaidTable:
    heads = ("Input", "From", "To", "Headroom", "")
    return SaidTable(one.named, heads, tuple(map(_swing, one.swings)), f"As planned: {one.headroom.text}")


def _swing(one: SwingShown) -> tuple[str, ...]:
    return one.title, one.low.text, one.high.text, *(end.text for end in one.headroom)


def _months(one: MonthBars) -> SaidTable:
    return SaidTable(one.title, ("Month", one.unit), tuple(zip(one.months, one.texts, strict=True)), one.said)


def _commitment(one: CountedCost) -> SaidTable:
    return SaidTable(one.title, ("GPUs", one.unit), ((str(one.best), one.best_text),), one.said)


def _steps(one: Steps) -> SaidTable:
    return SaidTable(one.title, ("Step", "Peak", ""), tuple(map(_step, one.rows)), one.sentence)


def _step(one: StepRow) -> tuple[str, ...]:
    return one.title, one.peak.text if one.peak else "", one.says


def _derivation(one: WorkedGroup) -> SaidTable:
    rows = ((_TAG.sub("", line.symbol), line.meaning, line.result) for line in one.figures)
    return SaidTable(one.title, ("Symbol", "Meaning", "Result"), tuple(rows))


def _sources(one: SourceList) -> SaidTable:
    rows = ((str(source.number), source.title, source.date) for source in one.sources)
    return SaidTable("Sources", ("Number", "Title", "Date"), tuple(rows))


def _facts(one: KeyFacts) -> SaidTable:
    return SaidTable("", ("Figure", "", ""), tuple((fact.title, fact.text, fact.note) for fact in one.facts))


def _risks(one: RiskTable) -> SaidTable:
    rows = ((risk.title, risk.headroom, str(risk.word), risk.cost) for risk in one.risks)
    return SaidTable("What could break it", ("If", "Headroom", "Fits?", "More cost"), tuple(rows))


def _scaling(one: GridShown) -> SaidTable:
    grid = one.grid
    heads = (grid.row_title, *(grid.column_labels[at] or title_of(grid.name) for at in one.columns))
    rows = ((grid.row_labels[row], *(grid.texts[row][at] for at in one.columns)) for row in one.rows)
    return SaidTable(grid.title, heads, tuple(rows), grid.frontier)


def _bill(one: Bill) -> SaidTable:
    rows = tuple((line.title, line.brief, line.share, line.how) for line in one.lines)
    sums = tuple(at for at, line in enumerate(one.lines) if line.is_total)
    return SaidTable(f"Cost of {one.variant}", ("Line", "Amount", "Share", "How"), rows, sums=sums)


def _quotes(one: QuoteList) -> SaidTable:
    heads = ("Vendor", "Price, term", "This job", "To sign", "Million tokens", "Pays", "Not included; validity")
    rows = (
        (row.vendor, f"{row.price}, {row.term}", row.total, row.signed, row.million, row.pays,
         f"{row.missing}; {row.state}")
        for row in one.rows
    )  # fmt: skip
    return SaidTable("Quotes for this job", heads, tuple(rows))


def _inputs(one: InputList) -> SaidTable:
    rows = ((each.title, each.text, one.origin_of(each)) for each in one.inputs)
    return SaidTable("Inputs that decide", ("Input", "Value", "From"), tuple(rows))


def _verdicts(one: VariantVerdicts) -> SaidTable:
    parts = (", ".join(f"{part.title} {part.text}" for part in bar.filled) for bar in one.bars)
    rows = ((each.variant, each.sentence, of) for each, of in zip(one.verdicts, parts, strict=True))
    return SaidTable("Variants", ("Variant", "Verdict", "Where the memory goes"), tuple(rows))


def _signatures(one: Signatures) -> SaidTable:
    names = ("Name", one.prepared, one.reviewed, one.approved)
    return SaidTable("", ("", "Prepared", "Reviewed", "Approved"), (names, ("Date, signature", "", "", "")))


SAID: Mapping[type, Callable[[Any], SaidTable]] = {
    StackedBar: _bar,
    ReportCurve: _curve,
    Roofline: _roofline,
    RentOrBuy: _ownership,
    Sensitivity: _sensitivity,
    MonthBars: _months,
    CountedCost: _commitment,
    Steps: _steps,
    WorkedGroup: _derivation,
    SourceList: _sources,
    KernelTable: _kernels,
    KeyFacts: _facts,
    RiskTable: _risks,
    GridShown: _scaling,
    Bill: _bill,
    QuoteList: _quotes,
    InputList: _inputs,
    VariantVerdicts: _verdicts,
    Signatures: _signatures,
}
"""By kind; a test demands every kind of drawing and of list."""
