"""The budget of a portfolio as a PDF of three pages: the decision, the GPUs, who pays and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from memreport.publish.pdf.blocks import block_html
from memreport.publish.pdf.render import Attached, environment, pages_of, render_pdf, stamp
from memreport.report.records.blocks import KeyFacts, Signatures
from memreport.report.records.portfolio import CountedCost, PortfolioReport, SaidTable

MOST_QUARTERS, MOST_BUDGETS, MOST_LOADS, MOST_CURVES, MOST_ROWS, MOST_BLOCKS = 6, 5, 3, 1, 7, 2
"""What a page holds; the workbook and the text hold the rest."""
LINES_OF_TABLES, LEAST_ROWS, AROUND = 26, 3, 3
"""Lines of page 3 for tables, those that entries have at least, and those around the rows of a table."""
MOST_PAGES, MOST_ENTRIES, FEWER = 3, 30, 4
"""Pages of the sheet, entries that are tried on the last of them, and how many fewer are tried next."""
PAYING = ("owner", "cost centre", "quotes", "risks", "entries")


def portfolio_pdf(report: PortfolioReport, file: str, sha256: str, version: str, attached: Sequence[Attached]) -> bytes:
    """The sheet as PDF/UA-1 and PDF/A-3a.  Raises MachineError where WeasyPrint's system libraries are missing."""
    told = file, sha256, version, [each.name for each in attached]
    for rows in _tried(report):
        html = portfolio_html(report, *told, entries=rows)
        if rows is None or pages_of(html) <= MOST_PAGES:
            break
    return render_pdf(html, report.date, attached)


def _tried(report: PortfolioReport) -> Iterator[int | None]:
    """Numbers of entries on paper, the most first; at last as many as fit whatever stands beside them."""
    entries = report.table("entries")
    most = min(len(entries.rows) if entries else 0, MOST_ENTRIES)
    yield from range(most, MOST_ROWS, -FEWER)
    yield None


def portfolio_html(
    report: PortfolioReport, file: str, sha256: str, version: str, attached: Sequence[str], entries: int | None = None
) -> str:
    """The sheet as one page of HTML without style sheet, every text escaped."""
    template = environment().get_template("portfolio.html.j2")
    return template.render(**drawn(report, most_entries=entries), file=file, sha256=sha256, version=version,
                           attached=attached, stamp=stamp(report.date).isoformat().replace("+00:00", "Z"))  # fmt: skip


def drawn(report: PortfolioReport, *, whole: bool = False, most_entries: int | None = None) -> dict[str, Any]:
    """What sheet and page show; with `whole` every row and chart, else so many entries, where that is said."""
    entries = report.table("entries")
    loads = report.loads if whole else report.loads[:MOST_LOADS]
    curves = _curves(report)[: None if whole else MOST_CURVES]
    quarter = _narrow(report.table("quarter"), whole)
    paying = [table for name in PAYING if (table := report.table(name))]
    most = most_entries or _entry_rows(paying)
    return {
        "r": report,
        "block": block_html,
        "facts": KeyFacts(report.keys),
        "signatures": Signatures(),
        "sums": _sums(quarter),
        "quarter": quarter if len(loads) + len(curves) <= MOST_BLOCKS else None,
        "budgets": cut(report.table("budgets"), MOST_BUDGETS, whole),
        "loads": loads,
        "more_loads": len(report.loads) - len(loads),
        "curves": curves,
        "paying": [
            cut(_narrow(said_table, whole), most if said_table is entries else MOST_ROWS, whole)
            for said_table in paying
        ],
        "more_entries": 0 if whole or entries is None else max(len(entries.rows) - most, 0),
        "others": [sentence for sentence in report.said.answer[1:] if sentence not in _said_before(report)],
    }


def _sums(table: SaidTable | None) -> SaidTable | None:
    """The rows of a table that are sums of others."""
    return table and replace(table, rows=tuple(table.rows[index] for index in table.sums), sums=())


def _said_before(report: PortfolioReport) -> tuple[str, ...]:
    """Sentences that stand on page 1 or beside a curve."""
    return (*report.said.over, *report.said.urgent, *report.said.commitments)


def _entry_rows(paying: Sequence[SaidTable]) -> int:
    """How many entries page 3 has room for, below the other tables; a quote takes two lines."""
    others = [table for table in paying if table.id != "entries"]
    lines = sum(min(len(table.rows), MOST_ROWS) * (1 + (table.id == "quotes")) + AROUND for table in others)
    return max(LEAST_ROWS, min(MOST_ROWS, LINES_OF_TABLES - lines))


def _curves(report: PortfolioReport) -> list[tuple[CountedCost, SaidTable, str]]:
    """Of each commitment its curve, its candidates and its sentence."""
    tables = [table for table in report.tables if table.id.startswith("commitment ")]
    return list(zip(report.curves, tables, report.said.commitments, strict=False))


def cut(table: SaidTable | None, most: int, whole: bool) -> SaidTable | None:
    """A table with so many rows."""
    return table if table is None or whole else replace(table, rows=table.rows[:most])


def _narrow(table: SaidTable | None, whole: bool) -> SaidTable | None:
    """A table of quarters with as many of them as a page is wide, and the sum of all; any other as it is."""
    if table is None or whole or table.forms or len(table.heads) <= MOST_QUARTERS + 2:
        return table
    rows = tuple((*row[: MOST_QUARTERS + 1], row[-1]) for row in table.rows)
    return replace(table, heads=(*table.heads[: MOST_QUARTERS + 1], table.heads[-1]), rows=rows)
