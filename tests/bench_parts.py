"""What a build is made of, bare and in this process: imports, a render of the same pages, a write of the same cells.

Prints the seconds of each part as JSON, for tests/bench.py to compare a whole build with.  With --sheet and a scenario
file: a sheet in a process that has made one before, and a bare render of the same page.
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Page = tuple[str, str]
WARM_RUNS = 3
ROOT = Path(__file__).parents[1]


def seconds(work: Callable[[], object]) -> float:
    """The processor seconds of one call, so that other work on the machine does not count."""
    started = time.process_time()
    work()
    return time.process_time() - started


def libraries() -> None:
    """Everything that a build imports of others."""
    import importlib

    for name in ("numpy", "pydantic", "yaml", "jinja2", "openpyxl", "weasyprint"):
        importlib.import_module(name)


def pages_and_books(folder: Path) -> tuple[list[Page], list[bytes]]:
    """What a build hands to WeasyPrint, and the workbooks that it writes."""
    from memreport.build import outputs
    from memreport.build.ledger_files import ledger_files
    from memreport.compute import compute
    from memreport.publish.pdf import sheet
    from memreport.resolve import resolve_all

    pages: list[Page] = []

    def keep(html: str, date: str, attachments: object = (), style: str = "") -> bytes:  # noqa: ARG001  # stands in
        pages.append((html, date))
        return b""

    sheet.render_pdf = keep  # type: ignore[attr-defined]  # imported there
    made = [outputs.make(one, ("xlsx", "pdf")) for one in compute(resolve_all([folder]))]
    books = [data for one in made for name, data in one.files.items() if name.endswith(".xlsx")]
    return pages, [*books, ledger_files(("pdf", "xlsx"))["documented.xlsx"]]


def render(pages: list[Page]) -> None:
    """The same pages through WeasyPrint alone."""
    import warnings

    import weasyprint

    from memreport.publish.pdf.render import SHEET, _styles
    from memreport.publish.pdf.standards import VARIANT
    from memreport.publish.svg.typefaces import needed

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for html, _ in pages:
            fonts, styles = _styles(needed(html), SHEET)
            weasyprint.HTML(string=html).write_pdf(stylesheets=styles, font_config=fonts, pdf_variant=VARIANT)


def warm_sheet(scenario: Path) -> dict[str, float]:
    """A sheet from its report on, with everything attached, and the same page through WeasyPrint alone."""
    from memreport.build import outputs
    from memreport.compute import compute
    from memreport.publish.pdf import sheet
    from memreport.resolve import resolve_all

    asked: list[tuple[Any, Any]] = []
    real = sheet.sheet_pdf

    def keep(report: Any, attachments: Any = ()) -> bytes:
        asked.append((report, attachments))
        return b""

    sheet.sheet_pdf = keep
    outputs.make(compute(resolve_all([scenario]))[0], ("pdf",))
    (report, attached), bare = asked[0], [(sheet.sheet_html(asked[0][0]), "")]
    whole, alone = [], []
    for _ in range(WARM_RUNS):
        whole.append(seconds(lambda: real(report, attached)))
        alone.append(seconds(lambda: render(bare)))
    return {"sheet": min(whole), "bare": min(alone)}


def contents(book: bytes) -> list[list[tuple[Any, ...]]]:
    """The cells of every sheet."""
    import openpyxl

    return [list(sheet.iter_rows(values_only=True)) for sheet in openpyxl.load_workbook(io.BytesIO(book)).worksheets]


def write(books: list[list[list[tuple[Any, ...]]]]) -> None:
    """The same cells through openpyxl alone."""
    import openpyxl

    for sheets in books:
        workbook = openpyxl.Workbook()
        for rows in sheets:
            sheet = workbook.create_sheet()
            for row in rows:
                sheet.append(row)
        workbook.save(io.BytesIO())


def main() -> None:
    """Time each part of a build of the folder that the command line names, or, with --sheet, a scenario's sheet."""
    if sys.argv[1:2] == ["--sheet"]:
        sys.stdout.write(json.dumps(warm_sheet(Path(sys.argv[2]))))
        return
    parts = {"imports": seconds(libraries)}
    pages, books = pages_and_books(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "scenarios")
    cells = [contents(book) for book in books]
    parts["WeasyPrint render"] = seconds(lambda: render(pages))
    parts["openpyxl write"] = seconds(lambda: write(cells))
    sys.stdout.write(json.dumps(parts))


if __name__ == "__main__":
    main()
