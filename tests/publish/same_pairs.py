"""What each output says of every option, read back out of it: texts by the option's title and what they are of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import unescape
from itertools import pairwise
from pathlib import Path

from memreport.catalogue.quantities import GIB
from memreport.publish.markdown.blocks import blocks_markdown
from memreport.publish.pdf.sheet import sheet_html
from memreport.publish.text.answer import options_text
from memreport.publish.web.notebook import notebook_html
from memreport.report.records.answers import MARKS
from memreport.report.records.blocks import OptionTable
from memreport.report.records.decision import NONE_KNOWN, Answer, OptionRow
from memreport.report.records.report import Report
from tests.lazily import lazily_read
from tests.publish.test_same_numbers import agrees, in_three_digits

Pairs = dict[tuple[str, str], str]
MEMORY = ("peak", "usable", "headroom")
KINDS = ("word", *MEMORY, "time", "cost")
NOTHING = (NONE_KNOWN, NONE_KNOWN)
_ROW = re.compile(r'<tr[^>]*><th scope="row">(.*?)</th>(.*?)</tr>')
_CELL = re.compile(r"<td[^>]*>(.*?)</td>")
_MEMORY = re.compile(r"(?P<peak>\S+)(?: GiB)? of (?P<usable>\S+ GiB)")


def plain(text: str) -> str:
    """A text in one line, without marks of HTML and the spaces that only keep words together."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).replace("\u00a0", " ").replace("\u200b", "").split())


def expected(options: Iterable[OptionRow]) -> Pairs:
    """What the report says of them."""
    return {
        (one.title, kind): text
        for one in options
        for kind, text in zip(
            KINDS,
            (
                one.word,
                one.memory.peak.number,
                one.memory.usable.text,
                one.memory.headroom.text,
                one.takes.time_text,
                one.takes.cost_text,
            ),
            strict=True,
        )
    }


def _found(rows: Iterable[tuple[str, Mapping[str, str]]], options: Iterable[OptionRow]) -> Pairs:
    """Rows by the option whose title they begin or end with, sign and unit of the verdict and the peak left out."""
    titles = [one.title for one in options]
    return {
        (next(title for title in titles if title in name), kind): plain(text).lstrip("".join(MARKS.values())).strip()
        for name, texts in rows
        for kind, text in texts.items()
    }


def _rows_of(html: str, kinds: tuple[str, ...]) -> Iterable[tuple[str, dict[str, str]]]:
    """Rows of the first table that has heads of rows, up to its end."""
    table = next(one for one in re.findall(r"<table.*?</table>", html, re.DOTALL) if _ROW.search(one))
    for name, cells in _ROW.findall(table):
        yield plain(name), dict(zip(kinds, _CELL.findall(cells), strict=True))


def _memory(texts: Mapping[str, str]) -> dict[str, str]:
    """Peak and usable memory apart, where one cell holds both."""
    found = _MEMORY.search(plain(texts["memory"]))
    return {kind: text for kind, text in texts.items() if kind != "memory"} | (found.groupdict() if found else {})


def of_text(answer: Answer) -> Pairs:
    """`plan` on a terminal: a line with the title, and one with the facts."""
    lines = options_text(answer, ()).split("\n")
    rows = []
    for name, said in pairwise(lines):
        if name[:1].strip() and said.startswith("  ") and " · " in said:
            verdict, headroom, *money = said.strip().split(" · ")
            word, memory = verdict.split(": ")
            texts = {"word": word, "memory": memory, "headroom": headroom.removeprefix("headroom ")}
            texts["time"], texts["cost"] = (one.partition(" (")[0] for one in (*money, *NOTHING)[:2])
            rows.append((name, _memory(texts)))
    return _found(rows, answer.options)


def of_markdown(answer: Answer) -> Pairs:
    """`show --format markdown`: a table of options."""
    lines = blocks_markdown((OptionTable(answer.options),)).replace("\\", "").splitlines()[2:]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|"))
    kinds = ("word", "memory", "headroom", "time", "cost")
    rows = ((name, _memory(dict(zip(kinds, rest, strict=True)))) for name, *rest in cells)
    return _found(rows, answer.options)


def of_page(html: str, answer: Answer) -> Pairs:
    """The page for the browser, before its script runs; times and costs without their ranges."""
    rows = _rows_of(html, ("hardware", "word", "memory", "time", "cost"))
    kept = ((name, _memory({kind: one for kind, one in texts.items() if kind != "hardware"})) for name, texts in rows)
    return {key: text.partition(" (")[0] for key, text in _found(kept, answer.options).items()}


def of_sheet(report: Report, answer: Answer) -> Pairs:
    """Page 1 of the PDF."""
    return _found(_rows_of(sheet_html(report), ("peak", "word", "time", "cost")), answer.options)


def of_notebook(report: Report, answer: Answer) -> Pairs:
    """What a notebook shows."""
    return _found(_rows_of(notebook_html(report), ("peak", "word", "time", "cost")), answer.options)


SCALED = {"days": 24, "min": 1 / 60, "ms": 1 / 1000}
"""Hours, or seconds of a server, in the units in which the Summary says its times as the answer does."""


def of_workbook(path: Path, answer: Answer) -> Pairs:
    """Options on the Summary: its numbers in the report's words where these say the same number, else as they are."""
    sheet = lazily_read(path, data_only=True)["Summary"]
    rows = [row[1:8] for row in sheet.iter_rows(values_only=True)]
    first, last = (next(at for at, row in enumerate(rows) if row[0] == head) for head in ("Option", "Variant"))
    found = ((str(name), dict(zip(KINDS, cells, strict=True))) for name, *cells in rows[first + 1 : last] if name)
    told = _found(((name, {kind: str(cell) for kind, cell in cells.items()}) for name, cells in found), answer.options)
    texts = expected(answer.options)
    return {key: texts[key] if _says(texts[key], key[1], text) else text for key, text in told.items()}


def _says(text: str, kind: str, cell: str) -> bool:
    """Whether a cell's number is what a text says, rounded as the text is."""
    if text == cell or not cell[-1:].isdigit():
        return text == cell
    if kind in MEMORY:
        return agrees(f"{text.removesuffix(' GiB')} GiB", "byte", float(cell) * float(GIB))
    hours = text.endswith(("h", "days", "min"))
    unit = "USD" if kind == "cost" else "h" if hours else "s"
    value = float(cell) * SCALED.get(text.rpartition(" ")[2], 1)
    return agrees(text, unit, value) or in_three_digits(text, unit, value)
