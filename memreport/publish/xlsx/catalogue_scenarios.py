"""The first sheet of the catalogue's workbook: what all scenarios come to, then a row a scenario, worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from openpyxl.worksheet.hyperlink import Hyperlink

from memreport.advise.verdict import DOES_NOT_FIT
from memreport.frozen import frozen
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Content, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.marks import mark_words
from memreport.publish.xlsx.sheet.styles import (
    HEADER,
    HEADER_NUMBER,
    LABEL,
    LINK,
    NOTE,
    STRONG,
    WHOLE,
    Style,
    given,
    number,
)
from memreport.report.listing import COST_ENDS, HOURS_ENDS, cost_of, ends_of, ordered, word_of
from memreport.report.money.prices import NO_PRICE

SCENARIOS = "Scenarios"
TITLE = "Catalogue of scenarios"
LINKED = Style(ink=LINK.ink, underlined=True, wrap=True)
PERIODS = {"a run": "All runs", "a month": "All services, a month", "the purchase": "All purchases"}
"""What a scenario's cost is of, and what the sum of those is called; services of other lengths are named by them."""
USD = "[<1000]#,##0.00;#,##0"
"""Cents only where an amount is below a thousand."""
HOURS = "[<100]0.00;#,##0"
"""A short run on one GPU is not a whole number of hours."""
BESIDE = replace(NOTE, indent=1)
NO_HOURS = 0.0
Entry = Mapping[str, Any]


@frozen
class ScenarioColumn:
    """A column of the table: its head, its width, and what it holds of a scenario's summary."""

    title: str
    width: float
    style: Style
    of: Callable[[Entry], Content]

    @property
    def head(self) -> Style:
        """A head over numbers is right-aligned as they are."""
        return HEADER_NUMBER if self.style.horizontal == "right" else replace(HEADER, indent=self.style.indent)


def _cost(summary: Entry) -> Content:
    cost = cost_of(summary)
    return NO_PRICE if cost is None else float(cost)


def _age(summary: Entry) -> Content:
    age = summary.get("price_age_days")
    return None if age is None else float(age)


def _end(summary: Entry, name: str, end: int) -> Content:
    """An end of the range; nothing where there is none to state."""
    ends = summary.get(name)
    return float(ends[end]) if ends else None


def _hours(summary: Entry) -> float:
    return float(summary.get("accelerator_hours") or NO_HOURS)


COLUMNS = (
    ScenarioColumn("Scenario", 21.5, LINKED, lambda summary: summary["id"]),
    ScenarioColumn("Question", 20, NOTE, lambda summary: summary.get("question") or summary["title"]),
    ScenarioColumn("Answer", 32, replace(NOTE, ink=LABEL.ink), lambda summary: summary.get("answer", "")),
    ScenarioColumn("Verdict", 10, STRONG, word_of),
    ScenarioColumn("Recommended option", 19, NOTE, lambda summary: summary.get("recommended", "")),
    ScenarioColumn("GPUs", 6, given(WHOLE), lambda summary: float(summary.get("recommended_count") or 0)),
    ScenarioColumn("GPU", 15, BESIDE, lambda summary: summary.get("recommended_accelerator", "")),
    ScenarioColumn("Cost (USD)", 10, given(USD), _cost),
    ScenarioColumn("Cost, low", 9, given(USD), lambda summary: _end(summary, COST_ENDS, 0)),
    ScenarioColumn("Cost, high", 9, given(USD), lambda summary: _end(summary, COST_ENDS, 1)),
    ScenarioColumn("Cost of", 9.5, BESIDE, lambda summary: summary.get("period", "")),
    ScenarioColumn("GPU-hours", 9, given(HOURS), _hours),
    ScenarioColumn("GPU-hours, low", 9, given(HOURS), lambda summary: _end(summary, HOURS_ENDS, 0)),
    ScenarioColumn("GPU-hours, high", 9, given(HOURS), lambda summary: _end(summary, HOURS_ENDS, 1)),
    ScenarioColumn("Prices as of", 11.5, BESIDE, lambda summary: summary.get("prices_as_of", "")),
    ScenarioColumn("Oldest price (days)", 8, given(WHOLE), _age),
    ScenarioColumn("Owner", 10.5, BESIDE, lambda summary: summary.get("owner", "")),
    ScenarioColumn("Approval", 9.5, BESIDE, lambda summary: summary.get("approval", "")),
)
AT = {column.title: letter(rank) for rank, column in enumerate(COLUMNS, 1)}


def write_scenarios(sheet: Sheet, entries: Sequence[Entry], version: str) -> None:
    """Totals that follow the table, then the table."""
    sheet.widths(*(column.width for column in COLUMNS))
    said = f"{len(entries)} scenarios as memreport {version} published them, worst first; cost and GPU-hours are those"
    of = "planned for the recommended option, with the range of its budget. A scenario's name opens its workbook."
    head(sheet, TITLE, f"{said} {of}", back=False)
    listed = ordered(entries)
    totals = list(_totals([summary["summary"] for summary in listed]))
    first = FIRST_ROW + len(totals) + 2
    rows = (first + 1, first + max(len(listed), 1))
    for row, total in enumerate(totals, FIRST_ROW):
        sheet.put(row, 1, total.title, STRONG)
        sheet.put(row, AMOUNT, total.formula(rows), number(total.shown_as))
        for end in range(2 if len({*total.ends}) > 1 else 0):
            sheet.put(row, ENDS + end, total.end_formula(rows, end), END_STYLES[end])
    for rank, column in enumerate(COLUMNS, 1):
        sheet.put(first, rank, column.title, column.head)
    for row, entry in enumerate(listed, first + 1):
        _line(sheet, row, entry)
    _finish(sheet, first, rows[1])


Rows = tuple[int, int]
AMOUNT, ENDS = 2, 3
"""The columns of the totals' amounts, and from where on stands what their rows come to at both ends."""
END_STYLES = tuple(
    replace(number(f'[<100]"{word} "0.00;"{word} "#,##0'), horizontal=side)
    for word, side in (("from", "right"), ("to", "left"))
)
"""How the low and the high end of what their rows come to is said."""


@frozen
class TableTotal:
    """Amounts of a column where another one says a word; where it has no amounts, how many rows say it."""

    title: str
    of: str
    word: str
    amounts: str
    value: float
    shown_as: str
    ends: tuple[float, ...] = ()

    def formula(self, rows: Rows) -> Formula:
        """The total over the table's first to last row."""
        return Formula(self._sum(rows, self.amounts), self.value)

    def end_formula(self, rows: Rows, end: int) -> Formula:
        """What the rows come to if all are at their low ends, or at their high ones."""
        title = f"{self.amounts.partition(' (')[0]}, {('low', 'high')[end]}"
        return Formula(self._sum(rows, title), self.ends[end])

    def _sum(self, rows: Rows, title: str) -> str:
        quoted = self.word.replace('"', '""')
        amounts = f",{_span(title, rows)}" if title else ""
        return f'SUMPRODUCT(--({_span(self.of, rows)}="{quoted}"){amounts})'


def _totals(summaries: Sequence[Entry]) -> Iterator[TableTotal]:
    """Cost by what it is of, GPU-hours by GPU, and how many do not fit."""
    found = {str(summary["period"]) for summary in summaries if summary.get("period")}
    for period in (*(name for name in PERIODS if name in found), *sorted(found - set(PERIODS))):
        of = [summary for summary in summaries if summary.get("period") == period]
        cost = sum(summary.get("cost_usd") or 0.0 for summary in of)
        title = PERIODS.get(period, f"Services of {period}")
        yield TableTotal(f"{title} (USD)", "Cost of", period, "Cost (USD)", cost, USD, ends_of(of, COST_ENDS))
    for gpu in sorted({str(summary.get("recommended_accelerator", "")) for summary in summaries} - {""}):
        of = [summary for summary in summaries if summary.get("recommended_accelerator") == gpu]
        hours = sum(map(_hours, of))
        yield TableTotal(f"GPU-hours, {gpu}", "GPU", gpu, "GPU-hours", hours, HOURS, ends_of(of, HOURS_ENDS))
    failing = sum(word_of(summary) == DOES_NOT_FIT for summary in summaries)
    yield TableTotal("Scenarios that do not fit", "Verdict", DOES_NOT_FIT, "", float(failing), WHOLE)


def _span(title: str, rows: Rows) -> str:
    return f"${AT[title]}${rows[0]}:${AT[title]}${rows[1]}"


def _line(sheet: Sheet, row: int, entry: Entry) -> None:
    summary = entry["summary"]
    for rank, column in enumerate(COLUMNS[1:], 2):
        sheet.put(row, rank, column.of(summary), column.style)
    put_linked(sheet, row, summary["id"], workbook_of(entry))


def put_linked(sheet: Sheet, row: int, text: str, file: str) -> None:
    """A scenario's name in the first column; a link where its workbook lies beside this one."""
    sheet.put(row, 1, text, LINKED if file else LABEL)
    if file:
        cell = sheet.worksheet.cell(row, 1)
        cell.hyperlink = Hyperlink(ref=cell.coordinate, target=file, tooltip=f"open {file}")


def workbook_of(entry: Entry) -> str:
    """The name of a scenario's workbook; nothing where none was made."""
    return next((str(name) for name in sorted(entry["files"]) if name.endswith(".xlsx")), "")


def _finish(sheet: Sheet, first: int, last: int) -> None:
    """Filters and colours."""
    sheet.filtered(first, last, len(COLUMNS), "B", sortable=True)
    mark_words(sheet, f"{AT['Verdict']}{first + 1}:{AT['Verdict']}{last}")
