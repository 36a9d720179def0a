"""What `build` and `show` make of a portfolio file."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

from memreport import __version__
from memreport.build.cached_answers import files_of
from memreport.build.planning import asked_for, file_stamps
from memreport.build.stamps import Stamps, stamp
from memreport.compute import Table, here
from memreport.files import sha256, write_whole
from memreport.portfolio.jobs import computed_scenarios
from memreport.portfolio.plan import Planned, plan, planned, with_quotes
from memreport.portfolio.read import Portfolio, read_portfolio
from memreport.publish.json.portfolio import portfolio_data
from memreport.publish.json.scenario import to_json
from memreport.publish.markdown.blocks import blocks_markdown
from memreport.publish.text.focus import focus_csv
from memreport.publish.text.portfolio import portfolio_text
from memreport.publish.xlsx.planned.book import portfolio_book
from memreport.report.portfolio.focus import FOCUS_COLUMNS, portfolio_focus
from memreport.report.portfolio.said import portfolio_report
from memreport.report.records.blocks import Notes
from memreport.report.records.portfolio import PortfolioReport

KINDS = ("xlsx", "pdf", "json", "html")
ALWAYS = ("txt", "csv")
"""Small files that need no library."""
ABOUT = {
    "xlsx": "live workbook",
    "json": "every figure in USD and hours",
    "txt": "all tables as text",
    "csv": "rows of FOCUS",
}


def build_portfolio(
    path: Path, out: Path, kinds: Sequence[str] = KINDS, table: Table = here, *, force: bool = False
) -> tuple[Path, bool]:
    """Publish a portfolio below `out`, unless nothing has changed since; its folder, and whether it was made.

    Raises InputError and MachineError.
    """
    portfolio = with_quotes(read_portfolio(path))
    name = portfolio.given.id
    options = Namespace(paths=[path, *_folders(portfolio)], out=out, formats=kinds)
    stamps, asked = Stamps(out / f".{name}.stamps.json"), asked_for(options)
    if not force and stamps.nothing_changed(asked):
        return out / name, False
    seen, scenarios = file_stamps(options), computed_scenarios(portfolio, table)
    made = portfolio_files(planned(portfolio, scenarios), kinds)
    new = [
        parent for parent in (out, *out.parents) if not parent.exists()
    ]  # a folder is another when `out` is made in it
    for file, content in made.items():
        write_whole(out / name / file, content)
    ours = [out / name / file for file in made] + [folder.parent for folder in new if str(folder.parent) in seen]
    cards = files_of(case.card.file for scenario in scenarios.values() for case in scenario.resolved.cases)
    stamps.keep(asked, seen | {card: stamp(card) for card in [*map(str, ours), *cards]}, [], [])
    return out / name, True


def _folders(portfolio: Portfolio) -> list[Path]:
    """Where the scenarios lie: whatever changes there, the portfolio is computed again."""
    return sorted({portfolio.file_of(index).parent for index in range(len(portfolio.given.entries))})


def portfolio_files(planned: Planned, kinds: Sequence[str]) -> dict[str, bytes]:
    """The files of these kinds by name; text and FOCUS rows always.  The PDF carries the others."""
    report, name = portfolio_report(planned), planned.portfolio.given.id
    data = to_json(portfolio_data(planned, report)).encode()
    book = portfolio_book(planned, report, __version__) if {"xlsx", "pdf"} & set(kinds) else b""
    files = {f"{name}.json": data, f"{name}.xlsx": book, f"{name}.txt": portfolio_text(report).encode()}
    files[f"{name}-focus.csv"] = focus_csv(FOCUS_COLUMNS, portfolio_focus(planned)).encode()
    if "pdf" in kinds:
        files[f"{name}.pdf"] = _pdf(planned, report, files)
    if "html" in kinds:
        files[f"{name}.html"] = _page(planned, report)
    return {file: content for file, content in files.items() if file.rpartition(".")[2] in (*kinds, *ALWAYS)}


def _pdf(planned: Planned, report: PortfolioReport, files: Mapping[str, bytes]) -> bytes:
    from memreport.publish.pdf.portfolio import portfolio_pdf
    from memreport.publish.pdf.render import Attached

    portfolio, document = planned.portfolio, planned.portfolio.document
    text = document.text.encode()
    attached = [Attached(file, content, ABOUT[file.rpartition(".")[2]]) for file, content in files.items()]
    attached.append(Attached(portfolio.path.name, text, "the portfolio as written", "Source"))
    return portfolio_pdf(report, portfolio.path.name, sha256(text), __version__, attached)


def _page(planned: Planned, report: PortfolioReport) -> bytes:
    from memreport.publish.web.portfolio import portfolio_page

    return portfolio_page(report, planned.portfolio.path.name, __version__).encode()


def show_portfolio(path: Path, style: str, *, whole: bool, table: Table = here) -> str:
    """A portfolio as text or as data."""
    planned = plan(path, table)
    report = portfolio_report(planned)
    if style == "markdown":
        return blocks_markdown((Notes(report.said.answer), *report.tables))
    return to_json(portfolio_data(planned, report)) if style == "json" else portfolio_text(report, whole=whole)
