"""The Cover: the answer, the variants with their verdicts, memory in parts, contents, colours, how to verify."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace

from memreport.catalogue.scenario import Approval
from memreport.publish.bars import COMPONENTS
from memreport.publish.monitor import NOTHING, SHOWN, monitored
from memreport.publish.shown import Identity
from memreport.publish.verdicts import word_of
from memreport.publish.view import title_of
from memreport.publish.workbook.book import Content, Formula, Sheet, letter
from memreport.publish.workbook.checks_sheet import ALL_WELL, CHANGED, MASTER
from memreport.publish.workbook.draft import FIRST, VERDICT, Draft
from memreport.publish.workbook.lines import shown_unit
from memreport.publish.workbook.marks import mark_where, mark_words
from memreport.publish.workbook.memory_chart import MemoryChart
from memreport.publish.workbook.styles import (
    BAD,
    GIBIBYTES,
    GOOD,
    HEADER,
    HEADER_NUMBER,
    HEADING,
    INHERITED_WORD,
    INPUT_WORD,
    LABEL,
    LINK,
    STRONG,
    SUBTITLE,
    TEXT_BARE,
    TITLE,
    WARN,
    Style,
    format_of,
    given,
    number,
)

WIDTHS = (4, 36, *([15.6] * 11))
LINE = 160  # characters that one line of the cover holds
CHART_ROWS = 20
SECOND_LINK = 5
"""Columns between the two links of a row of contents."""
AS_BUILT = "Inputs are as built"
COUNTED = Style(shown_as="0", horizontal="center")
MEMORY = (
    ("peak", "peak_bytes"),
    ("usable", "usable_bytes"),
    ("headroom", "headroom_bytes"),
    ("peak at low end", "peak_bytes_low"),
    ("peak at high end", "peak_bytes_high"),
)
ON_A_MONITOR = ("nvidia-smi shows", SHOWN)
OPEN = "(open)"
VERIFY = (
    ("Recalculate", "Change any yellow cell on Inputs; every sheet and chart follows."),
    (
        "Verify without memreport",
        "uvx formualizer recalc BOOK.xlsx --check   (an independent program recomputes every formula)",
    ),
    ("Protection", "Sheets are protected without a password: Review, Unprotect Sheet."),
    (
        "Units",
        "GB = 10^9 bytes, GiB = 2^30 bytes; a card's capacity is what its driver reports; figures are per accelerator.",
    ),
    ("Rounding", "Whole counts are rounded up or down after ROUND(x,9), so that every program finds the same count."),
)


def write(draft: Draft, sheet: Sheet) -> None:
    """Fill the sheet, from the answer down."""
    sheet.widths(*WIDTHS)
    identity = draft.report.identity
    sheet.put(1, 1, identity.title, TITLE)
    sheet.worksheet.row_dimensions[1].height = 26
    row = _paragraph(sheet, 2, 1, identity.question or "What does it need, and what does it cost?", SUBTITLE)
    row = _answer(draft, sheet, row + 1)
    row = _variants(draft, sheet, row + 1)
    chart, parts = row + 1, row + 1 + CHART_ROWS
    sheet.keep(chart, parts - 1)
    row = _kept(sheet, parts, _parts(draft, sheet, parts))
    row = _kept(sheet, row, _contents(draft, sheet, row))
    row = _kept(sheet, row, _colours(sheet, row))
    row = _kept(sheet, row, _pairs(sheet, row, "How to use and verify", VERIFY))
    row = _kept(sheet, row, _pairs(sheet, row, "Identity", _identity(draft)))
    sheet.worksheet.print_area = f"A1:{letter(len(WIDTHS))}{row - 2}"
    memory = MemoryChart(draft, sheet, parts + 2)
    memory.chart(f"B{chart}", memory.drawn(row))


def _kept(sheet: Sheet, first: int, end: int) -> int:
    """Keep a part of the cover on one page; where the next begins."""
    sheet.keep(first, end - 1)
    return end + 1


def _paragraph(sheet: Sheet, row: int, column: int, text: str, style: Style) -> int:
    """A text over as many rows as it needs; the next free row."""
    for line in textwrap.wrap(text, LINE) or [""]:
        sheet.put(row, column, line or None, style)
        row += 1
    return row


def _heading(sheet: Sheet, row: int, title: str) -> int:
    sheet.row(row, 1, [title, *[None] * (len(WIDTHS) - 1)], HEADING)
    return row + 1


def _answer(draft: Draft, sheet: Sheet, row: int) -> int:
    """The live verdict, the sentences as built, the master check."""
    row = _heading(sheet, row, "Answer")
    first = draft.view.variants[0].name
    word = word_of(draft.view, 0)
    names = draft.book.sheets["Inputs"].address(draft.inputs.header, FIRST)
    verdict = f"INDEX({draft.calculated(f'{VERDICT} (words)')},1)"
    sheet.put(row, 2, "Verdict now", STRONG)
    sheet.put(row, 3, Formula(verdict, word), STRONG)
    sheet.put(row, 4, Formula(f'"for variant "&{names}', f"for variant {first}"), TEXT_BARE)
    mark_words(sheet, f"C{row}")
    row += 1
    headline = draft.report.headline
    for title, text in (("Answer as built", headline.answer), ("What helps, as built", headline.remedy)):
        if text:
            sheet.put(row, 2, title, LABEL)
            row = _paragraph(sheet, row, 3, text, TEXT_BARE)
    return _master(draft, sheet, row)


def _master(draft: Draft, sheet: Sheet, row: int) -> int:
    """Master check and changed inputs in words; the colour follows the words, as rules may not look at other sheets."""
    master, changed = draft.cells[MASTER], draft.cells[CHANGED]
    for title, place, good, otherwise, look in (
        ("Master check", master, ALL_WELL, " checks fail: see Checks", BAD),
        ("Inputs", changed, AS_BUILT, " inputs differ from the build: texts as built no longer hold", WARN),
    ):
        sheet.put(row, 2, title, LABEL)
        sheet.put(row, 3, Formula(f'IF({place}=0,"{good}",{place}&"{otherwise}")', good), TEXT_BARE)
        mark_where(sheet, f"C{row}", f'C{row}="{good}"', GOOD)
        mark_where(sheet, f"C{row}", f'C{row}<>"{good}"', look)
        row += 1
    return row


def _variants(draft: Draft, sheet: Sheet, row: int) -> int:
    """One row a variant: verdict, memory in GiB, key figures."""
    keys = [figure for figure in draft.report.key_figures if figure.name and figure.unit != "byte"]
    row = _heading(sheet, row, "Variants")
    sheet.row(row, 1, ["", "Variant", "Verdict"], HEADER)
    memory = (*MEMORY, ON_A_MONITOR) if draft.view.has(ON_A_MONITOR[1]) else MEMORY
    titles = [f"{title} (GiB)" for title, _ in memory] + [_with_unit(draft, figure.name) for figure in keys]
    sheet.row(row, 4, titles, HEADER_NUMBER)
    first = row + 1
    for at in range(draft.count):
        row += 1
        _place(draft, sheet, row, at)
        sheet.put(row, 3, _picked(draft, f"{VERDICT} (words)", row, word_of(draft.view, at)), STRONG)
        for column, (_, name) in enumerate(memory, 4):
            picked = _picked(draft, name, row, draft.value(name, at))
            amount = draft.gibibytes(picked.text, draft.value(name, at))
            content = _where_it_runs(draft, row, at, amount) if name == SHOWN else amount
            sheet.put(row, column, content, number(GIBIBYTES))
        for column, figure in enumerate(keys, 4 + len(memory)):
            content = _picked(draft, figure.name, row, draft.value(figure.name, at))
            sheet.put(
                row, column, content, number(format_of(draft.view.unit(figure.name), _values(draft, figure.name)))
            )
    mark_words(sheet, f"C{first}:C{row}")
    return row + 1


def _where_it_runs(draft: Draft, row: int, at: int, amount: Formula) -> Formula:
    """What a monitor shows, or a dash for a job that would run out of memory."""
    peak, usable = (_picked(draft, name, row, 0).text for name in ("peak_bytes", "usable_bytes"))
    shown = amount.value if monitored(draft.view, at) else NOTHING
    return Formula(f'IF({peak}>{usable},"{NOTHING}",{amount.text})', shown)


def _values(draft: Draft, name: str) -> list[float]:
    return [draft.value(name, at) for at in range(draft.count)]


def _with_unit(draft: Draft, name: str) -> str:
    unit = shown_unit(draft.view.unit(name))
    return f"{title_of(name)} ({unit})" if unit else title_of(name)


def _place(draft: Draft, sheet: Sheet, row: int, at: int) -> None:
    """A variant's number and name."""
    sheet.put(row, 1, float(at + 1), COUNTED)
    names = draft.book.sheets["Inputs"].span(draft.inputs.header, FIRST, draft.inputs.header, draft.last)
    sheet.put(row, 2, Formula(f"INDEX({names},$A{row})", draft.view.variants[at].name), LABEL)


def _picked(draft: Draft, name: str, row: int, value: float | str) -> Formula:
    """A line of the Calculation sheet in the variant whose number stands in column A."""
    return Formula(f"INDEX({draft.calculated(name)},$A{row})", value)


def _parts(draft: Draft, sheet: Sheet, row: int) -> int:
    """Memory in parts beside the usable capacity."""
    components = COMPONENTS[draft.view.workload]
    row = _heading(sheet, row, "Memory of one accelerator at its peak, in parts (GiB)")
    sheet.row(row, 1, ["", "Variant"], HEADER)
    sheet.row(row, 3, [*(one.title for one in components), "usable"], HEADER_NUMBER)
    for at in range(draft.count):
        row += 1
        _place(draft, sheet, row, at)
        for column, one in enumerate(components, 3):
            value = one.value(draft.view, at)
            picked = _picked(draft, f"part.{one.id}", row, value)
            sheet.put(row, column, draft.gibibytes(picked.text, value), number(GIBIBYTES))
        value = draft.value("usable_bytes", at)
        picked = _picked(draft, "usable_bytes", row, value)
        sheet.put(row, 3 + len(components), draft.gibibytes(picked.text, value), number(GIBIBYTES))
    return row + 1


def _contents(draft: Draft, sheet: Sheet, row: int) -> int:
    """Links to all other sheets, two to a row."""
    row = _heading(sheet, row, "Contents")
    for at, (title, about) in enumerate(draft.contents):
        here, first = row + at // 2, SECOND_LINK * (at % 2)
        target = f"{draft.book.sheets[title].quoted}!A1"
        sheet.link(here, 2 + first, title, target, LINK)
        sheet.put(here, 3 + first + at % 2, about, TEXT_BARE)
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
    approval = identity.approval
    dated = f" of {identity.date}" if draft.report.changes else ""
    return (
        ("Scenario", f"{identity.id}, version {identity.version}{dated}"),
        ("Model and hardware", f"{identity.model} on {identity.hardware}"),
        ("Owner", identity.owner or "not stated"),
        ("Follows", identity.citation or "no document"),
        ("Document", _document(approval)),
        ("Status", approval.status),
        ("Prepared by", approval.prepared or OPEN),
        ("Reviewed by", approval.reviewed or OPEN),
        ("Approved by", approval.approved or OPEN),
        *_validity(identity),
        ("SHA-256 of the scenario", identity.sha256),
        ("Made by", f"memreport {identity.memreport}, from {identity.file}"),
    )


def _document(approval: Approval) -> str:
    """Number and revision of the document, as far as they are stated."""
    revision = f"revision {approval.revision}" if approval.revision else ""
    return ", ".join(part for part in (approval.document_number, revision) if part) or "no number"


def _validity(identity: Identity) -> tuple[tuple[str, str], ...]:
    """The day at which prices are judged, and until when they hold."""
    if not identity.prices_as_of:
        return ()
    until = identity.prices_valid_until or "not stated"
    return (("Prices", f"judged at {identity.prices_as_of}; valid until: {until}"),)


def _pairs(sheet: Sheet, row: int, title: str, pairs: Sequence[tuple[str, str]]) -> int:
    row = _heading(sheet, row, title)
    for name, text in pairs:
        sheet.put(row, 2, name, LABEL)
        row = _paragraph(sheet, row, 3, text, TEXT_BARE)
    return row
