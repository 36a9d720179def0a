"""The budget sheet: a report as a PDF for people, archives and screen readers."""

from __future__ import annotations

import gc
import io
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar
from xml.etree.ElementTree import fromstring

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from memreport.errors import MachineError
from memreport.paths import data_root
from memreport.publish.answers import MARKS, Verdict
from memreport.publish.charts import memory_bars
from memreport.publish.curves import can_be_drawn, scaling_curves
from memreport.publish.difference_text import difference_tables
from memreport.publish.ownership_chart import ownership_chart
from memreport.publish.remedies import helps
from memreport.publish.roof_chart import roofline_chart
from memreport.publish.shown import Report
from memreport.publish.tornado_chart import tornado_chart
from memreport.publish.typefaces import FAMILIES, Face, fitted, listed_within, needed, readable, text_width
from memreport.publish.view import in_sentence, title_of
from memreport.publish.worked import indexed

INSTALL = "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
BARS_ON_PAGE_1, FEWEST_BARS = 11, 3
LINES_ABOVE, LINES_BELOW = 6, 8
"""Lines of title, question and answer, and of what would change it, beside which page 1 has room for all its bars."""
BAR_A_LINE = 0.7
"""Bars for which a line below them takes the room."""
OUTCOME_WIDTH, CHANGES_WIDTH = 145.0, 260.0
"""Points for the name of what would change the answer, and for what changes with it."""
PAGE_WIDTH = 510.0
"""Points between the margins."""
LONG_TITLE = 90
"""Characters from which the title is set smaller."""
QUESTION_LINES = 4
"""Longer questions are cut short on page 1, and stand in full on the next."""
MANY_BARS, LONG_ANSWER, OUTCOMES_BESIDE_MUCH = 8, 330, 4
"""Beside so many bars, or an answer of so many letters, only so many lines say what would change it."""
OF_TIME = ("training_tokens", "model_flop_utilization")
"""Assumptions that do not move the peak, left out of page 1 where it has little room."""
COLUMNS_ACROSS = 6
"""Variants beside each other in one table; more go into further tables."""
GRID_COLUMNS = 8
Item = TypeVar("Item")


@dataclass(frozen=True)
class Attached:
    """A file inside the PDF; `relationship` is Source for what it was made from, Data for its numbers."""

    name: str
    content: bytes
    description: str
    relationship: str = "Data"


def sheet_pdf(report: Report, attachments: Sequence[Attached] = ()) -> bytes:
    """The sheet as PDF/UA-1 and PDF/A-3a in one file; equal input gives equal bytes.

    Raises MachineError where WeasyPrint's system libraries are missing.
    """
    return render_pdf(sheet_html(report), report.identity.date, attachments)


def render_pdf(html: str, date: str, attachments: Sequence[Attached] = ()) -> bytes:
    """A page of HTML in the sheet's style as PDF/UA-1 and PDF/A-3a; `date` is written into it.  Raises MachineError."""
    with _quietly():
        weasyprint = _weasyprint()
        from memreport.publish.standards import VARIANT, BothStandards, DataOnly, archived

        fonts, styles = _styles(needed(html))
        page = _page(weasyprint, html, DataOnly())
        with _without_collection():
            document = page.render(stylesheets=styles, font_config=fonts, pdf_variant=VARIANT)
            document.metadata.__class__ = BothStandards
            return archived(document, lambda: [_attachment(weasyprint, one, date) for one in attachments])


_UNCLOSED = re.compile(r"<((?:meta|br|col)\b[^>]*)>")


def _page(weasyprint: Any, html: str, fetcher: Any) -> Any:
    """The page for WeasyPrint.  Our templates write XML but for empty elements, which reads fifty times as fast."""
    from cssselect2 import ElementWrapper  # type: ignore[import-untyped]  # it ships no types

    page = weasyprint.HTML(string="", url_fetcher=fetcher, base_url=None)
    root = fromstring(_UNCLOSED.sub(r"<\1/>", html.lstrip().removeprefix("<!doctype html>")))  # noqa: S314  # our own
    page.wrapper_element = ElementWrapper.from_html_root(root, content_language=None)
    page.etree_element = page.wrapper_element.etree_element
    return page


def sheet_html(report: Report) -> str:
    """The sheet as one page of HTML without style sheet, every text escaped."""
    first_bars = bars_on_page_1(report)
    crowded = first_bars == FEWEST_BARS < len(report.bars)
    return (
        environment()
        .get_template("sheet.html.j2")
        .render(
            r=report,
            identity=report.identity,
            first=report.verdicts[0],
            stamp=stamp(report.identity.date).isoformat().replace("+00:00", "Z"),
            marks=MARKS,
            question=shorter(report.identity.question),
            outcomes=outcomes_on_page_1(report),
            helps=helps(report.plan),
            assumed=[one for one in report.assumptions if one.decisive and not (crowded and one.name in OF_TIME)],
            crowded=crowded,
            many_bars=len(report.bars) > MANY_BARS,
            long_title=len(report.identity.title) > LONG_TITLE,
            bars=Markup(memory_bars(report.bars[:first_bars])),  # noqa: S704  # made by us, every text escaped
            more_bars=[Markup(memory_bars(part)) for part in chunks(report.bars[first_bars:], 24)],  # noqa: S704
            symbols=list(chunks(report.symbols, -(-len(report.symbols) // 2))) if report.symbols else [],
            roofs=[Markup(roofline_chart(roof)) for roof in report.rooflines],  # noqa: S704
            curves=[Markup(scaling_curves(grid)) if can_be_drawn(grid) else "" for grid in report.grids],  # noqa: S704
            ownership=Markup(ownership_chart(report.rent_or_buy)) if report.rent_or_buy else "",  # noqa: S704
            tornado=Markup(tornado_chart(report.tornado)) if report.tornado else "",  # noqa: S704
            since_tables=list(difference_tables(report.since.made)) if report.since and report.since.made else [],
            columns=list(chunks(range(len(report.verdicts)), COLUMNS_ACROSS)),
            grid_columns=[list(chunks(range(len(grid.column_labels)), GRID_COLUMNS)) for grid in report.grids],
        )
    )


def shorter(question: str) -> str:
    """The question as page 1 has room for it: cut where it is very long."""
    return fitted(question, 0.93 * QUESTION_LINES * PAGE_WIDTH, 9)


def bars_on_page_1(report: Report) -> int:
    """How many bars page 1 has room for, under a title, a question and an answer of so many lines."""
    size = 11.5 if len(report.identity.title) > LONG_TITLE else 17
    answer = f"{report.headline.answer} {report.headline.remedy}"
    texts = [(report.identity.title, size, 700, 1.0), (shorter(report.identity.question), 9, 400, 1.0)]
    texts += [(answer, 8.6, 500, 0.72)]
    lines = sum(_lines(text, size, weight, PAGE_WIDTH * share) for text, size, weight, share in texts)
    below = math.ceil(BAR_A_LINE * max(0, _lines_of_outcomes(report) - LINES_BELOW))
    return max(FEWEST_BARS, BARS_ON_PAGE_1 - max(0, lines - LINES_ABOVE) - below)


def _lines_of_outcomes(report: Report) -> int:
    rows, most = outcomes_on_page_1(report), 1 if len(report.bars) > MANY_BARS else 2
    names = sum(min(_lines(one.variant, 7.3, 600, OUTCOME_WIDTH), 2) for one in rows)
    return names + sum(min(_lines(one.differs, 7.3, 400, CHANGES_WIDTH), most) for one in rows)


def _lines(text: str, size: float, weight: int, width: float) -> int:
    """Lines of such a width that a text takes."""
    return math.ceil(text_width(text, size, weight) / width)


def outcomes_on_page_1(report: Report) -> Sequence[Verdict]:
    """What would change the answer; many bars, or a long answer, leave room for fewer lines."""
    long = len(report.headline.answer + report.headline.remedy) > LONG_ANSWER
    full = report.tornado is not None and (len(report.bars) > MANY_BARS or long)
    return report.outcomes[: OUTCOMES_BESIDE_MUCH if full else None]


def chunks(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Items in groups of at most `size`, as even as may be."""
    count = -(-len(items) // size)
    for at in range(count):
        yield items[len(items) * at // count : len(items) * (at + 1) // count]


def stamp(date: str) -> datetime:
    """The moment written into the file: the scenario's date, so that the clock decides no byte."""
    year, month, day = (int(part) for part in f"{date}-01-01".split("-")[:3])
    return datetime(year, month, day, tzinfo=UTC)


def _attachment(weasyprint: Any, one: Attached, date: str) -> Any:
    when = stamp(date)
    return weasyprint.Attachment(
        file_obj=io.BytesIO(one.content),
        name=one.name,
        description=one.description,
        relationship=one.relationship,
        created=when,
        modified=when,
    )


@lru_cache
def environment() -> Environment:
    """The templates: every text is escaped, and made of characters that the typefaces have."""
    made = Environment(
        loader=FileSystemLoader(data_root() / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["html"] = Markup  # for formulas, which worked.py has escaped
    made.filters["fitted"] = fitted
    made.filters["listed_within"] = listed_within
    made.filters["tied"] = _tied
    made.filters["breakable"] = _breakable
    made.filters["titled"] = title_of
    made.filters["in_sentence"] = in_sentence
    made.filters["symbol"] = lambda text: Markup(indexed(text))  # noqa: S704  # escaped there
    return made


def _printable(value: Any) -> Any:
    return readable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_NUMBER_AND_UNIT = re.compile(r"(?<=\d) (?=(?:%|[KMGTP]i?B|h|min|s|ms|µs|days|[kM]?Wh?|k?W)(?![\w/]))")


def _tied(text: str) -> str:
    """A text in which no line ends between a number and its unit."""
    return _NUMBER_AND_UNIT.sub("\u00a0", text)


def _breakable(text: str) -> Markup:
    """A text in which a line may end after each underscore of a long name; escaped."""
    return escape(readable(text)).replace("_", Markup("_<wbr/>"))


@lru_cache(maxsize=8)
def _styles(faces: tuple[Face, ...]) -> tuple[Any, list[Any]]:
    """Fonts and style sheet, read once a process and set of typefaces."""
    weasyprint = _weasyprint()
    from weasyprint.text.fonts import FontConfiguration

    from memreport.publish.standards import DataOnly

    fonts = FontConfiguration()
    css = (data_root() / "templates" / "sheet.css").read_text(encoding="utf-8").replace("$families", FAMILIES)
    rules = "\n".join(face.rule for face in faces)
    return fonts, [weasyprint.CSS(string=f"{rules}\n{css}", font_config=fonts, url_fetcher=DataOnly())]


@lru_cache
def _weasyprint() -> Any:
    """WeasyPrint, imported when the first sheet is made.  Raises MachineError without its system libraries."""
    try:
        with _quietly():
            import weasyprint
    except OSError as error:
        raise MachineError(f"the PDF sheet needs Pango and HarfBuzz; run: {INSTALL}  ({error})") from error
    return weasyprint


@contextmanager
def _without_collection() -> Iterator[None]:
    """No search for garbage while a layout grows: it takes a fifth of the time and finds nothing until the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _quietly() -> Iterator[None]:
    """WeasyPrint leaves a file of its own open for a moment, and speaks of its coming needs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
