"""Drawings and lists as tables of texts: what a renderer shows that has nothing better for their kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

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
from memreport.report.records.money.ownership import RentOrBuy
from memreport.report.records.money.quotes import QuoteRow
from memreport.report.records.peak import StackedBar
from memreport.report.records.portfolio import CountedCost, MonthBars, SaidTable
from memreport.report.records.speed import ReportCurve, RoofKernel, Roofline
from memreport.report.records.worked import WorkedGroup

_TAG = re.compile(r"<[^>]+>")


def said_table_of(block: Drawn | Listed) -> SaidTable:
    """The block in the report's own words and texts, a row for each of its parts.  Raises KeyError for no block."""
    return SAID[type(block)](block)


def _bar(bar: StackedBar) -> SaidTable:
    return SaidTable(bar.title, ("Part", ""), tuple((part.title, part.text) for part in bar.parts))


def _curve(curve: ReportCurve) -> SaidTable:
    heads = (curve.varied_title, curve.across_title, curve.up_title)
    rows = tuple((point.label, point.across_text, point.up_text) for point in curve.points)
    return SaidTable(curve.title, heads, rows, curve.sentence)


def _roofline(roofline: Roofline) -> SaidTable:
    return replace(_kernels(roofline), title=roofline.title, about=f"{roofline.peak.text}, {roofline.bandwidth.text}")


def _kernels(table: KernelTable | Roofline) -> SaidTable:
    heads = ("Kernel", "FLOP per byte", "Limited by", "Time at best", "Share")
    return SaidTable("Kernels", heads, tuple(map(_kernel, table.kernels)))


def _kernel(kernel: RoofKernel) -> tuple[str, ...]:
    return kernel.title, kernel.intensity.number, kernel.limit, kernel.seconds.text, kernel.share.text


def _ownership(buy: RentOrBuy) -> SaidTable:
    return SaidTable(buy.crossing.words, ("Rent or buy", "", "Meaning"), buy.rows, buy.sentence)


def _sensitivity(sensitivity: Sensitivity) -> SaidTable:
    heads = ("Input", "From", "To", "Headroom", "")
    return SaidTable(
        sensitivity.named, heads, tuple(map(_swing, sensitivity.swings)), f"As planned: {sensitivity.headroom.text}"
    )


def _swing(swing: SwingShown) -> tuple[str, ...]:
    return swing.title, swing.values.low.text, swing.values.high.text, *(end.text for end in swing.headroom)


def _months(bars: MonthBars) -> SaidTable:
    return SaidTable(bars.title, ("Month", bars.unit), tuple(zip(bars.months, bars.texts, strict=True)), bars.said)


def _commitment(cost: CountedCost) -> SaidTable:
    return SaidTable(cost.title, ("GPUs", cost.unit), ((str(cost.best), cost.best_text),), cost.said)


def _steps(steps: Steps) -> SaidTable:
    return SaidTable(steps.title, ("Step", "Peak", ""), tuple(map(_step, steps.rows)), steps.sentence)


def _step(step: StepRow) -> tuple[str, ...]:
    return step.title, step.peak.text if step.peak else "", step.says


def _derivation(group: WorkedGroup) -> SaidTable:
    rows = ((_TAG.sub("", line.symbol), line.meaning, line.working.result) for line in group.figures)
    return SaidTable(group.title, ("Symbol", "Meaning", "Result"), tuple(rows))


def _sources(source_list: SourceList) -> SaidTable:
    rows = ((str(source.number), source.title, source.date) for source in source_list.sources)
    return SaidTable("Sources", ("Number", "Title", "Date"), tuple(rows))


def _facts(facts: KeyFacts) -> SaidTable:
    return SaidTable("", ("Figure", "", ""), tuple((fact.title, fact.text, fact.note) for fact in facts.facts))


def _risks(table: RiskTable) -> SaidTable:
    rows = ((risk.title, risk.headroom, str(risk.word), risk.cost) for risk in table.risks)
    return SaidTable("What could break it", ("If", "Headroom", "Fits?", table.more), tuple(rows))


def _scaling(grid_shown: GridShown) -> SaidTable:
    grid = grid_shown.grid
    rows = (
        (grid.down.labels[row], *(grid.points.texts[row][index] for index in grid_shown.columns))
        for row in grid_shown.rows
    )
    return SaidTable(grid.title, (grid.down.title, *grid_shown.heads), tuple(rows), grid.frontier)


def _bill(bill: Bill) -> SaidTable:
    rows = tuple((line.title, line.brief, line.share, line.how) for line in bill.lines)
    sums = tuple(index for index, line in enumerate(bill.lines) if line.is_total)
    return SaidTable(f"Cost of {bill.variant}", ("Line", "Amount", "Share", "How"), rows, sums=sums)


def _quotes(quote_list: QuoteList) -> SaidTable:
    heads = ("Vendor", "Price, term", "This job", "To sign", "Million tokens", "Pays", "Not included; validity")
    return SaidTable("Quotes for this job", heads, tuple(map(_quoted, quote_list.rows)))


def _quoted(row: QuoteRow) -> tuple[str, ...]:
    offer, of = row.offer, row.amounts
    return (
        row.vendor, f"{offer.price}, {offer.term}", of.total, of.signed, of.million, of.pays,
        f"{offer.missing}; {offer.state}",
    )  # fmt: skip


def _inputs(input_list: InputList) -> SaidTable:
    rows = ((each.title, each.text, input_list.origin_of(each)) for each in input_list.inputs)
    return SaidTable("Inputs that decide", ("Input", "Value", "From"), tuple(rows))


def _verdicts(verdicts: VariantVerdicts) -> SaidTable:
    parts = (", ".join(f"{part.title} {part.text}" for part in bar.filled) for bar in verdicts.bars)
    rows = ((each.variant, each.sentence, of) for each, of in zip(verdicts.verdicts, parts, strict=True))
    return SaidTable("Variants", ("Variant", "Verdict", "Where the memory goes"), tuple(rows))


def _signatures(signatures: Signatures) -> SaidTable:
    names = ("Name", signatures.prepared, signatures.reviewed, signatures.approved)
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
