"""The budget of a portfolio as a PDF of three pages: the decision, the GPUs, who pays and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memreport.publish.pdf.blocks import block_html
from memreport.publish.pdf.render import Attached, environment, render_pdf, stamp
from memreport.report.records.blocks import KeyFacts, Signatures
from memreport.report.records.portfolio import CountedCost, PortfolioReport, SaidTable

MOST_QUARTERS, MOST_BUDGETS, MOST_LOADS, MOST_CURVES, MOST_ROWS, MOST_BLOCKS = 6, 5, 3, 1, 7, 2
"""What a page holds; the workbook and the text hold the rest."""
LINES_OF_TABLES, LEAST_ROWS, AROUND = 26, 3, 3
"""Lines of page 3 for tables, those that entries have at least, and those around the rows of a table."""
PAYING = ("owner", "cost centre", "quotes", "risks", "entries")


def portfolio_pdf(report: PortfolioReport, file: str, sha256: str, version: str, attached: Sequence[Attached]) -> bytes:
    """The sheet as PDF/UA-1 and PDF/A-3a.  Raises MachineError where WeasyPrint's system libraries are missing."""
    html = portfolio_html(report, file, sha256, version, [each.name for each in attached])
    return render_pdf(html, report.date, attached)


def portfolio_html(report: PortfolioReport, file: str, sha256: str, version: str, attached: Sequence[str]) -> str:
    """The sheet as one page of HTML without style sheet, every text escaped."""
    template = environment().get_template("portfolio.html.j2")
    return template.render(**drawn(report), file=file, sha256=sha256, version=version, attached=attached,
                           stamp=stamp(report.date).isoformat().replace("+00:00", "Z"))  # fmt: skip


def drawn(report: PortfolioReport, *, whole: bool = False) -> dict[str, Any]:
    """What sheet and page show; with `whole` every row and chart."""
    entries = report.table("entries")
    loads = report.loads if whole else report.loads[:MOST_LOADS]
    curves = _curves(report)[: None if whole else MOST_CURVES]
    quarter = _narrow(report.table("quarter"), whole)
    paying = [table for name in PAYING if (table := report.table(name))]
    most = _entry_rows(paying)
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
        "others": [sentence for sentence in report.sentences[1:] if sentence not in _said_before(report)],
    }


def _sums(table: SaidTable | None) -> SaidTable | None:
    """The rows of a table that are sums of others."""
    return table and replace(table, rows=tuple(table.rows[index] for index in table.sums), sums=())


def _said_before(report: PortfolioReport) -> tuple[str, ...]:
    """Sentences that stand on page 1 or beside a curve."""
    return (*report.over, *report.urgent, *report.commitments)


def _entry_rows(paying: Sequence[SaidTable]) -> int:
    """How many entries page 3 has room for, below the other tables; a quote takes two lines."""
    others = [table for table in paying if table.id != "entries"]
    lines = sum(min(len(table.rows), MOST_ROWS) * (1 + (table.id == "quotes")) + AROUND for table in others)
    return max(LEAST_ROWS, min(MOST_ROWS, LINES_OF_TABLES - lines))


def _curves(report: PortfolioReport) -> list[tuple[CountedCost, SaidTable, str]]:
    """Of each commitment its curve, its candidates and its sentence."""
    tables = [table for table in report.tables if table.id.startswith("commitment ")]
    return list(zip(report.curves, tables, report.commitments, strict=False))


def cut(table: SaidTable | None, most: int, whole: bool) -> SaidTable | None:
    """A table with so many rows."""
    return table if table is None or whole else replace(table, rows=table.rows[:most])


def _narrow(table: SaidTable | None, whole: bool) -> SaidTable | None:
    """A table of quarters with as many of them as a page is wide, and the sum of all; any other as it is."""
    if table is None or whole or table.forms or len(table.heads) <= MOST_QUARTERS + 2:
        return table
    rows = tuple((*row[: MOST_QUARTERS + 1], row[-1]) for row in table.rows)
    return replace(table, heads=(*table.heads[: MOST_QUARTERS + 1], table.heads[-1]), rows=rows)
