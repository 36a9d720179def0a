"""The sheets of a workbook, in their order, and the order in which they can be written."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import TopologicalSorter

from memreport.catalogue.names import title_of
from memreport.compute import Computed
from memreport.errors import FailedCheckError
from memreport.frozen import frozen
from memreport.publish.memory import give_back
from memreport.publish.xlsx.common.draft import FIRST, Draft
from memreport.publish.xlsx.common.titles import (
    CALCULATION,
    CHECKS,
    COST,
    DOCUMENTED,
    DOCUMENTED_STEPS,
    FOCUS,
    HARDWARE,
    INPUTS,
    LOAD,
    OPTIONS,
    QUOTES,
    REFERENCE,
    RENT_OR_BUY,
    ROOFLINE,
    SENSITIVITY,
    SOURCES,
    SUMMARY,
)
from memreport.publish.xlsx.file.cells import LONGEST_SHEET_NAME, Place
from memreport.publish.xlsx.file.evaluated import evaluated
from memreport.publish.xlsx.ledger import sheet as documented_sheet
from memreport.publish.xlsx.scenario import calculation as calculation_sheet
from memreport.publish.xlsx.scenario import checks as checks_sheet
from memreport.publish.xlsx.scenario import inputs as inputs_sheet
from memreport.publish.xlsx.scenario import plan as plan_sheet
from memreport.publish.xlsx.scenario import reference as reference_sheets
from memreport.publish.xlsx.scenario import sensitivity as sensitivity_sheet
from memreport.publish.xlsx.scenario import sources as sources_sheet
from memreport.publish.xlsx.scenario import tables as table_sheets
from memreport.publish.xlsx.scenario.front import page as summary_page
from memreport.publish.xlsx.scenario.money import cost as cost_sheet
from memreport.publish.xlsx.scenario.money import focus as focus_sheet
from memreport.publish.xlsx.scenario.money import ownership as ownership_sheet
from memreport.publish.xlsx.scenario.money import quotes as quotes_sheet
from memreport.publish.xlsx.scenario.speed import curves as curves_sheet
from memreport.publish.xlsx.scenario.speed import roofline as roofline_sheet
from memreport.publish.xlsx.sheet.book import Book, Sheet, letter
from memreport.publish.xlsx.sheet.styles import GREY
from memreport.report.records.report import Report
from memreport.report.view import View

Writer = Callable[[Draft, Sheet], None]


@frozen
class Page:
    """A sheet: its title, what it holds in a few words, who writes it, and after which others, whose cells it reads."""

    title: str
    about: str
    write: Writer
    after: tuple[str, ...] = (CALCULATION,)
    looked_up: bool = False
    """Whether it is for auditors: its tab is grey, and it is no part of what readers print."""


QUOTED = Page(QUOTES, "vendors' offers beside the budget, their terms open to change", quotes_sheet.write)
"""In front where there are offers; without any it is a form for one, and stands behind."""


def pages(draft: Draft) -> Iterator[Page]:
    """The sheets in the order in which they stand; a new kind of sheet is one more line here."""
    yield from _in_front(draft)
    yield from (replace(page, looked_up=True) for page in _behind(draft))


def _in_front(draft: Draft) -> Iterator[Page]:
    """What readers read: the answer, what may be changed, what may be done, at what cost."""
    view, report = draft.view, draft.report
    yield Page(SUMMARY, "the answer", summary_page.write, (CHECKS,))
    yield Page(INPUTS, "everything that may be changed, one column a variant", inputs_sheet.write, ())
    if report.plan:
        yield Page(OPTIONS, "how to make it fit, best combinations, as values at build", plan_sheet.write)
    for index, table in enumerate(view.scenario.tables):
        title = textwrap.shorten(f"Table {index + 1} {title_of(table.figure)}", LONGEST_SHEET_NAME, placeholder="")
        yield Page(title, table.title, table_sheets.writer(index))
    if report.speed.curves:
        yield Page(LOAD, "tokens per second and cost by load, with charts", curves_sheet.write)
    if view.scenario.cost is not None:
        yield Page(COST, "the bill, its shares, rent against purchase", cost_sheet.write)
    if report.money.quotes and report.money.quotes.rows:
        yield QUOTED
    if report.money.rent_or_buy:
        yield Page(RENT_OR_BUY, "cash paid by month, and from when buying is cheaper", ownership_sheet.write)


def _behind(draft: Draft) -> Iterator[Page]:
    """What auditors look up."""
    if draft.report.tornado:
        about = "what moves the answer: each input at both ends, live"
        yield Page(SENSITIVITY, about, sensitivity_sheet.write)
    yield Page(ROOFLINE, "what limits each kernel of one variant", roofline_sheet.write)
    yield Page(CALCULATION, "every figure as one formula, one column a variant", calculation_sheet.write, (HARDWARE,))
    yield Page(HARDWARE, "GPUs, hosts, prices and links", reference_sheets.write_hardware, (REFERENCE,))
    yield Page(REFERENCE, "named numbers, words and tables of choices", reference_sheets.write_reference, (INPUTS,))
    if draft.report.money.quotes and not draft.report.money.quotes.rows:
        yield QUOTED
    if draft.report.money.lines:
        yield Page(FOCUS, "the bill in the columns that cost tools load", focus_sheet.write)
    if draft.documented:
        yield Page(
            DOCUMENTED, "figures that the scenario states, recomputed", documented_sheet.write, (DOCUMENTED_STEPS,)
        )
        about = "each of those figures in steps, its inputs open to change"
        yield Page(DOCUMENTED_STEPS, about, documented_sheet.write_calculation)
    yield Page(CHECKS, "totals by two routes, values at build, changed inputs", checks_sheet.write, (COST, ROOFLINE))
    yield Page(SOURCES, "sources, change log, every figure of every GPU", sources_sheet.write)


def workbook_bytes(computed: Computed, report: Report) -> bytes:
    """The workbook of one scenario.  Equal input gives equal bytes.

    Raises PublishingError, FailedCheckError where one of its own checks fails once it is computed, MachineError.
    """
    draft = Draft(Book(), View(computed), report)
    listed = list(pages(draft))
    for page in listed:
        draft.book.add(page.title)
        if page.looked_up:
            draft.book.sheets[page.title].worksheet.sheet_properties.tabColor = GREY
    draft.contents = [(page.title, page.about) for page in listed[1:]]
    identity = report.identity
    footer = (
        f"{identity.id}, version {identity.version}, {identity.made.sha256[:12]}, memreport {identity.made.memreport}"
    )
    for page in _in_turn(listed):
        page.write(draft, draft.book.sheets[page.title])
        draft.book.sheets[page.title].seal(footer)
    _describe(draft)
    data, flags = draft.book.bytes(footer, identity.date), _flags(draft)
    del draft
    give_back()  # what a workbook was made of would lie beside what computes the workbook
    _refuse_failing(identity.id, flags, data)
    return data


def _in_turn(listed: Sequence[Page]) -> Iterator[Page]:
    """The sheets in an order in which each finds what it reads, as they stand where that leaves it open."""
    sorter = TopologicalSorter({page.title: page.after for page in listed})
    sorter.prepare()
    while ready := set(sorter.get_ready()):
        yield from (page for page in listed if page.title in ready)
        sorter.done(*ready)


def _flags(draft: Draft) -> dict[Place, str]:
    """Where each check of each variant says whether it fails, and which it is."""
    columns = [(FIRST + index, case.name) for index, case in enumerate(draft.view.variants)]
    return {
        (CHECKS, f"{letter(column)}{row}"): f"{flag} in variant {name}"
        for row, flag in draft.flags.items()
        for column, name in columns
    }


def _refuse_failing(name: str, flags: Mapping[Place, str], data: bytes) -> None:
    """Raise for the checks that do not pass when an independent program computes the finished workbook."""
    failing = [f"{flags[place]} (gives {value})" for place, value in evaluated(data, flags).items() if value != 0]
    if failing:
        raise FailedCheckError(f"{name}.xlsx: not published, its own check fails: {'; '.join(failing)}")


def _describe(draft: Draft) -> None:
    """What the file says of itself."""
    properties, identity = draft.book.workbook.properties, draft.report.identity
    properties.title, properties.creator, properties.language = identity.title, "memreport", "en"
    properties.subject = "memory, speed and cost of a large model"
    properties.identifier = identity.made.sha256
