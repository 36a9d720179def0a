"""The Summary: the answer, the variants with their verdicts, memory in parts, contents, colours, how to verify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memreport.catalogue.scenario import Approval
from memreport.publish.xlsx.common.draft import BYTES_PER_GIB, FIRST, Draft
from memreport.publish.xlsx.common.titles import INPUTS, SUMMARY
from memreport.publish.xlsx.scenario.checks import ALL_WELL
from memreport.publish.xlsx.scenario.front.amounts import Picked
from memreport.publish.xlsx.scenario.front.answer import UNKNOWN, LiveAnswer
from memreport.publish.xlsx.scenario.front.memory_chart import MemoryChart
from memreport.publish.xlsx.scenario.front.said import quoted
from memreport.publish.xlsx.scenario.front.tables import AMOUNTS, BOX_ROWS, COUNTED, NAMED, SummaryTables, place_of
from memreport.publish.xlsx.sheet.book import Content, Formula, Sheet, letter, paragraph
from memreport.publish.xlsx.sheet.marks import mark_where
from memreport.publish.xlsx.sheet.paper import SMALLEST, scale_of
from memreport.publish.xlsx.sheet.styles import (
    BAD,
    GIBIBYTES,
    GOOD,
    HEADER,
    HEADER_NUMBER,
    INHERITED_WORD,
    INPUT_WORD,
    LABEL,
    LINK,
    SUBTITLE,
    TEXT_BARE,
    TITLE,
    WARN,
    Style,
    given,
    number,
)
from memreport.report.peak.parts import components
from memreport.report.records.report import Identity

NAME_WIDTH, WIDTH, LEAST_COLUMNS = 40, 14.5, 9
LINE = 140  # characters that one line of the sheet holds
SIGNED = 24
"""Height in points of a row with room for a signature."""
CHART_ROWS = 24
SECOND_LINK = 5
"""Columns between the two links of a row of contents."""
AS_BUILT = "Inputs are as built"
FOLLOWED = "Is as these inputs have it"
TYPE_IT = "type it on Inputs: until then the figures are those of no scenario"
FROM_BUILD = " from the build: texts as built no longer apply"
OPEN = "(open)"
VERIFY = (
    ("Recalculate", "Change any yellow cell on Inputs; every sheet and chart follows."),
    (
        "Verify without memreport",
        "uvx formualizer recalc BOOK.xlsx --check   (an independent program recomputes every formula)",
    ),
    ("Protection", "Sheets but Inputs are protected, without a password: Review, Unprotect Sheet."),
    ("Units", "GB = 10^9 bytes, GiB = 2^30 bytes; capacity is what the driver reports; figures are per GPU."),
    ("Rounding", "Whole counts are rounded up or down after ROUND(x,9), so that every program finds the same count."),
)


def write(draft: Draft, sheet: Sheet) -> None:
    """Fill the sheet, from the answer down; what is printed ends with the chart of memory."""
    columns = _columns(draft)
    head = _head(draft, sheet, columns)
    row, answer = _decided(draft, sheet, head)
    row = _kept(sheet, row, _signatures(draft, sheet, row))
    chart, parts = row, row + CHART_ROWS
    sheet.keep_together(chart, parts - 1)
    sheet.worksheet.print_area = f"A1:{letter(columns)}{parts - 1}"
    row = _kept(sheet, parts, _parts(draft, sheet, parts))
    row = _kept(sheet, row, _contents(draft, sheet, row))
    row = _kept(sheet, row, _colours(sheet, row))
    row = _kept(sheet, row, _pairs(sheet, row, "How to use and verify", VERIFY))
    row = _kept(sheet, row, _pairs(sheet, row, "Identity", _identity(draft)))
    memory = MemoryChart(draft, sheet, parts + 2)
    drawn = memory.drawn(row)
    memory.chart(chart, drawn, columns)
    answer.write(head + 1, drawn + draft.count + 1)


def _head(draft: Draft, sheet: Sheet, columns: int) -> int:
    """Widths, title and question; the next free row."""
    widths = [4, NAME_WIDTH, *[WIDTH] * (max(columns, AMOUNTS + len(components(draft.view))) - NAMED)]
    sheet.widths(*widths)
    sheet.is_upright = scale_of(widths[:columns], upright=True) >= SMALLEST
    sheet.put(1, 1, draft.report.identity.title, TITLE)
    sheet.worksheet.row_dimensions[1].height = 26
    question = draft.report.identity.question or "What does it need, and what does it cost?"
    return paragraph(sheet, 2, 1, question, SUBTITLE, LINE)


def _columns(draft: Draft) -> int:
    """Columns that are printed: as many as the widest table needs."""
    tables = SummaryTables(draft, draft.book.sheets[SUMMARY])
    return max(LEAST_COLUMNS, AMOUNTS - 1 + len(tables.columns))


def _decided(draft: Draft, sheet: Sheet, row: int) -> tuple[int, LiveAnswer]:
    """Room for the answer below its heading, the chosen option's figures, the tables; the row after them."""
    tables, answer = SummaryTables(draft, sheet), draft.report.answer
    words = (answer.headline, answer.detail) if answer else (draft.report.verdicts[0].sentence, "")
    index = draft.view.column_of(draft.report.chosen)
    live = LiveAnswer(draft, sheet, {}, Picked(draft, "", index), *words)
    figures = _master(draft, sheet, _heading(sheet, row, "Answer") + len(live.lines)) + 1
    row = figures + BOX_ROWS + 2
    if answer:
        row = _kept(sheet, row, tables.options(_heading(sheet, row, "Options side by side"), answer))
    end, cells = tables.variants(_heading(sheet, row, "All variants"))
    _heading(sheet, figures, f"Figures of {draft.report.chosen}")
    picked = Picked(draft, place_of(end - draft.count + index), index)
    tables.figures(figures + 1, cells[index], picked)
    return _kept(sheet, row, end + 1), replace(live, shown=cells[index], picked=picked)


def _signatures(draft: Draft, sheet: Sheet, row: int) -> int:
    """Who stands behind the budget, with room for dates and signatures."""
    approval = draft.report.identity.standing.approval
    row = _heading(sheet, row, f"Signatures ({draft.report.identity.standing.approval_state})")
    sheet.row(row, NAMED, ["Role", "Name", None, "Date", "Signature", None, None], HEADER)
    for title, name in (
        ("Prepared by", approval.prepared),
        ("Reviewed by", approval.reviewed),
        ("Approved by", approval.approved),
    ):
        row += 1
        sheet.row(row, NAMED, [title, name or OPEN, *[None] * 5], LABEL)
        sheet.worksheet.row_dimensions[row].height = SIGNED
    return row + 1


def _kept(sheet: Sheet, first: int, end: int) -> int:
    """Keep a part of the sheet on one page; where the next begins."""
    sheet.keep_together(first, end - 1)
    return end + 1


def _heading(sheet: Sheet, row: int, title: str) -> int:
    sheet.band(row, title, LEAST_COLUMNS)
    return row + 1


def _master(draft: Draft, sheet: Sheet, row: int) -> int:
    """Master check and changed inputs in words; the colour follows the words, as rules may not look at other sheets."""
    master, changed = draft.cells.master_check, draft.cells.changed_inputs
    for title, place, good, words, look in (
        ("Master check", master, ALL_WELL, (" check fails", " checks fail", ": see Checks"), BAD),
        (INPUTS, changed, AS_BUILT, (" input differs", " inputs differ", FROM_BUILD), WARN),
    ):
        one, several, then = map(quoted, words)
        sheet.put(row, 2, title, LABEL)
        otherwise = f"{place}&CHOOSE(1+({place}=1),{several},{one})&{then}"
        known = f"IF({place}=0,{quoted(good)},{otherwise})"
        sheet.put(row, 3, Formula(f"IF(ISERROR({place}),{quoted(UNKNOWN)},{known})", good), TEXT_BARE)
        mark_where(sheet, f"C{row}", f'C{row}="{good}"', GOOD)
        mark_where(sheet, f"C{row}", f'C{row}<>"{good}"', look)
        row += 1
    return _left_open(draft, sheet, row)


def _left_open(draft: Draft, sheet: Sheet, row: int) -> int:
    """Choices that nobody stated, which follow GPU, program and number in a scenario and not in a workbook."""
    left = draft.cells.left_open
    text = f'IF(ISERROR({left}),"–",IF({left}="","{FOLLOWED}",{left}&{quoted(TYPE_IT)}))'
    sheet.put(row, 2, "What nobody stated", LABEL)
    sheet.put(row, 3, Formula(text, FOLLOWED), TEXT_BARE)
    mark_where(sheet, f"C{row}", f'C{row}="{FOLLOWED}"', GOOD)
    mark_where(sheet, f"C{row}", f'C{row}<>"{FOLLOWED}"', WARN)
    return row + 1


def _parts(draft: Draft, sheet: Sheet, row: int) -> int:
    """Memory in parts beside the usable capacity."""
    shown = components(draft.view)
    row = _heading(sheet, row, "Memory of one GPU at its peak, in parts (GiB)")
    sheet.row(row, 1, ["", "Variant"], HEADER)
    sheet.row(row, 3, [*(component.title for component in shown), "usable"], HEADER_NUMBER)
    for index in range(draft.count):
        row += 1
        _place(draft, sheet, row, index)
        picked = Picked(draft, place_of(row), index)
        parts = [(f"part.{each.id}", each.value(draft.view, index) / BYTES_PER_GIB) for each in shown]
        cells = [*(Formula(picked.line_text(name), value) for name, value in parts), picked.memory("usable_bytes")]
        for column, cell in enumerate(cells, 3):
            sheet.put(row, column, cell, number(GIBIBYTES))
    return row + 1


def _place(draft: Draft, sheet: Sheet, row: int, index: int) -> None:
    """A variant's number and name."""
    sheet.put(row, 1, float(index + 1), COUNTED)
    names = draft.book.sheets[INPUTS].span(draft.inputs.header, FIRST, draft.inputs.header, draft.last)
    sheet.put(row, NAMED, Formula(f"INDEX({names},$A{row})", draft.view.variants[index].name), LABEL)


def _contents(draft: Draft, sheet: Sheet, row: int) -> int:
    """Links to all other sheets, two to a row."""
    row = _heading(sheet, row, "Contents")
    for index, (title, about) in enumerate(draft.contents):
        here, first = row + index // 2, SECOND_LINK * (index % 2)
        target = f"{draft.book.sheets[title].quoted}!A1"
        sheet.link(here, 2 + first, title, target, LINK)
        sheet.put(here, 3 + first + index % 2, about, TEXT_BARE)
    return row + (len(draft.contents) + 1) // 2


def _colours(sheet: Sheet, row: int) -> int:
    row = _heading(sheet, row, "Colours")
    looks: Sequence[tuple[Content, Style, str]] = (
        ("input", replace(INPUT_WORD, unlocked=False), "may be typed over"),
        ("inherited", replace(INHERITED_WORD, unlocked=False), "follows the first variant until it is typed over"),
        ("source", given("General"), "a number that a source states; locked"),
        ("formula", number("General"), "computed; locked"),
    )
    for content, style, meaning in looks:
        sheet.put(row, 2, content, replace(style, horizontal="center"))
        sheet.put(row, 3, meaning, TEXT_BARE)
        row += 1
    return row


def _identity(draft: Draft) -> tuple[tuple[str, str], ...]:
    identity = draft.report.identity
    approval = identity.standing.approval
    dated = f" of {identity.date}" if draft.report.history.changes else ""
    return (
        ("Scenario", f"{identity.id}, version {identity.version}{dated}"),
        ("Model and hardware", f"{identity.job.model} on {identity.job.hardware}"),
        ("Owner", identity.owner or "not stated"),
        ("Follows", identity.made.citation or "no document"),
        ("Document", _document(approval)),
        ("Status", identity.standing.approval_state),
        *_validity(identity),
        ("SHA-256 of the scenario", identity.made.sha256),
        ("Made by", f"memreport {identity.made.memreport}, from {identity.made.file}"),
    )


def _document(approval: Approval) -> str:
    """Number and revision of the document, as far as they are stated."""
    revision = f"revision {approval.revision}" if approval.revision else ""
    return ", ".join(part for part in (approval.document_number, revision) if part) or "no number"


def _validity(identity: Identity) -> tuple[tuple[str, str], ...]:
    """The day at which prices are judged, and until when they hold."""
    if not identity.standing.prices_as_of:
        return ()
    until = identity.standing.prices_valid_until or "not stated"
    return (("Prices", f"judged at {identity.standing.prices_as_of}; valid until: {until}"),)


def _pairs(sheet: Sheet, row: int, title: str, pairs: Sequence[tuple[str, str]]) -> int:
    row = _heading(sheet, row, title)
    for name, text in pairs:
        sheet.put(row, 2, name, LABEL)
        row = paragraph(sheet, row, 3, text, TEXT_BARE, LINE)
    return row
