"""The Documented sheet: what documents print beside our value, the difference and the verdict, all by formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memreport.frozen import frozen
from memreport.ledger.judging import ARGUED, CONFLICTS, Judgement
from memreport.ledger.printed import Printed
from memreport.publish.xlsx.common.draft import NOT_GIVEN, Draft, Result
from memreport.publish.xlsx.common.titles import DOCUMENTED, DOCUMENTED_STEPS
from memreport.publish.xlsx.ledger.calculation import ABOUT, VAST, Named, look
from memreport.publish.xlsx.ledger.results import as_printed, write_steps
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Content, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.marks import mark_where
from memreport.publish.xlsx.sheet.styles import (
    BAD,
    GOOD,
    HEADER,
    HEADER_NUMBER,
    LABEL,
    LINK,
    NAME,
    NOTE,
    PLAIN,
    WARN,
    Style,
    number,
    typed,
)
from memreport.publish.xlsx.sheet.validation import apply_validation, number_rule, switch_rule
from memreport.report.records.documented import DocumentedEntry

COLUMNS = {
    "Document": 9.5,
    "Section": 21,
    "Statement": 32,
    "As printed": 15,
    "Printed": 11.5,
    "to": 10,
    "Unit": 11,
    "Ours, or other's": 12,
    "likewise to": 10,
    "Difference": 10.5,
    "at high end": 10.5,
    "Steps": 7.5,
    "Verdict": 19.5,
    "Why": 30.5,
}
TITLES, WIDTHS = tuple(COLUMNS), tuple(COLUMNS.values())
NUMBERS, AFTER_NUMBERS = TITLES[4:6] + TITLES[7:11], (TITLES[6], *TITLES[11:13])
LOW, HIGH, OURS, DIFFERENCE, STEPS, VERDICT_COLUMN = 5, 6, 8, 10, 12, 13
SAID = Style(wrap=True, indent=1)
AMOUNT = Style(horizontal="right", wrap=True)
TO_STEPS = replace(LINK, ruled=True, indent=1)
PADDED, PADDED_HEADER = replace(NAME, indent=1), replace(HEADER, indent=1)
"""Words that follow a column of numbers."""
BOUNDS = {"": "", ">": ", above", "<": ", below", ">=": ", at least", "<=": ", at most"}
PROMPT = "A number, in the printed unit."
SHARE = '+0.0%;-0.0%;"none"'
CLAIM = '"yes";;"no"'
"""A claim is 1 where it holds and 0 where it does not."""
DIFFERENT = number(SHARE)
VERDICT = letter(VERDICT_COLUMN)
LOOKS = {"right": GOOD, "contradicts": BAD, "conflicts": BAD, "argued": WARN}
"""Colours by the first word of the verdict."""
WORDS = ("right", "right by its own way of counting", "contradicts itself")
"""In the order of the verdict's number on the sheet of steps."""


def write_calculation(draft: Draft, sheet: Sheet) -> None:
    """The Documented calculation sheet of a scenario's workbook; noted is where each figure ends."""
    head(sheet, DOCUMENTED_STEPS, ABOUT)
    documented = draft.documented
    places = printed_places(draft.book.sheets[DOCUMENTED], FIRST_ROW, documented)
    named = Named(draft.constants, draft.units)
    draft.outcomes = write_steps(sheet, FIRST_ROW, documented, places, named)


def write(draft: Draft, sheet: Sheet) -> None:
    """Every documented figure that the scenario itself states."""
    head(sheet, DOCUMENTED, "Figures that the scenario states, recomputed; yellow values may be typed over.")
    ledger(sheet, FIRST_ROW, draft.documented, draft.outcomes)


def printed_places(sheet: Sheet, row: int, entries: Sequence[DocumentedEntry]) -> dict[str, tuple[str, str]]:
    """Where the printed ends of each statement will stand, below a header in `row`."""
    lines = enumerate(entries, row + 1)
    return {entry.id: (sheet.address(line, LOW), sheet.address(line, HIGH)) for line, entry in lines}


def ledger(
    sheet: Sheet,
    row: int,
    entries: Sequence[DocumentedEntry],
    outcomes: Mapping[str, Result],
    typed_at: Mapping[str, tuple[str, str]] | None = None,
) -> int:
    """A table of statements with filters, from its header in `row` on; the row after it.

    With `typed_at` the printed values are those that are typed there, and nothing may be typed here.
    """
    sheet.widths(*WIDTHS)
    for column, title in enumerate(TITLES, 1):
        words = PADDED_HEADER if title in AFTER_NUMBERS else HEADER
        sheet.put(row, column, title, HEADER_NUMBER if title in (*NUMBERS, TITLES[3]) else words)
    rows = {}
    for line, entry in enumerate(entries, row + 1):
        _said(sheet, line, entry)
        value = entry.judgement.entry.value
        if entry.id in outcomes and value is not None:
            _Line(sheet, line, entry, value, outcomes[entry.id]).write(typed_at[entry.id] if typed_at else None)
            rows[line] = value
        else:
            sheet.put(line, VERDICT_COLUMN, entry.words, SAID)
    if typed_at is None:
        _rules(sheet, rows)
    last = row + len(entries)
    _filters(sheet, row, last)
    return last + 1


def _rules(sheet: Sheet, rows: Mapping[int, Printed]) -> None:
    """What may be typed: a number as printed, or whether a claim holds."""
    claims = [(LOW, row) for row, value in rows.items() if value.truth]
    numbers = [(LOW, row) for row, value in rows.items() if not value.truth]
    numbers += [(HIGH, row) for row, value in rows.items() if value.low != value.high]
    apply_validation(sheet, switch_rule(), claims)
    apply_validation(sheet, number_rule(None, None, "decimal", PROMPT), numbers)


def _said(sheet: Sheet, row: int, entry: DocumentedEntry) -> None:
    """The words of a statement."""
    sheet.put(row, 1, entry.document, NAME)
    sheet.put(row, 2, entry.section or None, NOTE)
    sheet.put(row, 3, entry.statement, LABEL)
    sheet.put(row, 4, entry.printed or None, AMOUNT)
    sheet.put(row, len(TITLES), why(entry) or None, NOTE)


@frozen
class _Line:
    """The numbers of a statement, and the verdict that follows from them."""

    sheet: Sheet
    row: int
    entry: DocumentedEntry
    value: Printed
    outcome: Result

    def write(self, typed_at: tuple[str, str] | None) -> None:
        """Printed ends, our ends, differences, the way to the steps, the verdict."""
        value = self.value
        self.sheet.row(self.row, HIGH, [None] * (STEPS - HIGH), NAME)  # lines below what stays empty
        low, high = (as_printed(end, value.factor) for end in (value.low, value.high))
        ranged = (True, value.low != value.high)
        for column, end, wanted, cell in zip((LOW, HIGH), (low, high), ranged, typed_at or ("", ""), strict=True):
            if wanted:
                style = (number if cell else typed)(self._printed_look(end))
                self._put(column, Formula(cell, end) if cell else end, style)
        self._put(LOW + 2, value.word + BOUNDS[value.relation] or None, PADDED)
        self._ours()
        if not value.truth and not value.relation:
            self._difference(DIFFERENCE, OURS, LOW, low, self.outcome.values[0])
            if self.outcome.high != self.outcome.low or ranged[1]:
                ours = OURS + (self.outcome.high != self.outcome.low)
                self._difference(DIFFERENCE + 1, ours, LOW + ranged[1], high, self.outcome.values[1])
        self.sheet.link(self.row, STEPS, "steps", self.outcome.top.replace("$", ""), TO_STEPS)
        self._put(VERDICT_COLUMN, self._verdict(), SAID)

    def _put(self, column: int, content: Content, style: Style) -> None:
        self.sheet.put(self.row, column, content, style)

    def _look(self, value: float) -> str:
        return CLAIM if self.value.truth else look("", value)

    def _printed_look(self, value: float) -> str:
        """A printed value with the digits that it is printed with."""
        return self._look(value) if self.value.truth or abs(value) >= VAST else PLAIN

    def _ours(self) -> None:
        low, high = self.outcome.values
        self._put(OURS, Formula(self.outcome.low, low), number(self._look(low)))
        if self.outcome.high != self.outcome.low:
            self._put(OURS + 1, Formula(self.outcome.high, high), number(self._look(high)))

    def _difference(self, column: int, ours: int, theirs: int, printed: float, value: float) -> None:
        """As a share of the printed value; a printed 0 has none."""
        mine, its = f"{letter(ours)}{self.row}", f"{letter(theirs)}{self.row}"
        text = f'IF({its}=0,"{NOT_GIVEN}",{mine}/{its}-1)'
        self._put(column, Formula(text, value / printed - 1 if printed else NOT_GIVEN), DIFFERENT)

    def _verdict(self) -> Content:
        """By formula, but for what no arithmetic can judge."""
        judgement, outcome = self.entry.judgement, self.outcome
        if judgement.kind == ARGUED:
            return self.entry.words
        return by_number(outcome, WORDS, conflict_words(judgement), self.entry.words)


def by_number(outcome: Result, words: Sequence[str], in_conflict: str, value: str) -> Formula:
    """Words by the verdict's number, or those of a conflict."""
    listed = ",".join(f'"{word}"' for word in words)
    text = f"CHOOSE({outcome.verdict},{listed})"
    if outcome.conflict:
        said = in_conflict.replace('"', '""')
        text = f'IF({outcome.conflict}>0,"{said}",{text})'
    return Formula(text, value)


def conflict_words(judgement: Judgement) -> str:
    """The verdict where another source differs."""
    return f"{CONFLICTS} {judgement.other_source}"


def why(entry: DocumentedEntry) -> str:
    """The reason, with the way of counting where the figure holds by one."""
    if entry.convention.startswith(entry.note):
        return entry.convention or entry.note
    counted = f"Counted so: {entry.convention}" if entry.convention else ""
    return ". ".join(part.rstrip(".") for part in (entry.note, counted) if part)


def _filters(sheet: Sheet, row: int, last: int) -> None:
    """Filters; verdicts have a colour beside their words."""
    sheet.filtered(row, last, len(TITLES), "D")
    cells = f"{VERDICT}{row + 1}:{VERDICT}{last}"
    for word, look_ in LOOKS.items():
        mark_where(sheet, cells, f'LEFT({VERDICT}{row + 1},{len(word)})="{word}"', look_)
