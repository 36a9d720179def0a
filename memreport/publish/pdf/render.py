"""HTML to one PDF that is at once PDF/UA-1 and PDF/A-3a: templates, styles, attachments; equal input, equal bytes."""

from __future__ import annotations

import gc
import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import fromstring

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from memreport.catalogue.names import in_sentence, title_of
from memreport.errors import MachineError
from memreport.escaping import link
from memreport.files import MOST_KEPT, read_text
from memreport.frozen import frozen
from memreport.paths import data_root
from memreport.publish.pdf.bars import option_bar, scale_of
from memreport.publish.svg.typefaces import FAMILIES, Face, fitted, listed_within, needed, readable
from memreport.report.records.answers import MARKS
from memreport.report.records.portfolio import CellKind, ColumnForm, SaidTable
from memreport.report.view import tied
from memreport.report.worked import indexed

INSTALL = "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
SHEET, DOCUMENTED = "sheet.css", "documented.css"
"""Style sheets of the templates."""


@frozen
class Attached:
    """A file inside the PDF; `relationship` is Source for what it was made from, Data for its numbers."""

    name: str
    content: bytes
    description: str
    relationship: str = "Data"


def render_pdf(html: str, date: str, attachments: Sequence[Attached] = (), style: str = SHEET) -> bytes:
    """A page of HTML in one of our styles as PDF/UA-1 and PDF/A-3a; `date` is written into it.  Raises MachineError."""
    with _laid_out(html, style) as document:
        from memreport.publish.pdf.standards import BothStandards, archived

        document.metadata.__class__ = BothStandards
        return archived(document, lambda: [_attachment(_weasyprint(), attached, date) for attached in attachments])


def pages_of(html: str) -> int:
    """How many pages it takes.  Raises MachineError."""
    with _laid_out(html, SHEET) as document:
        return len(document.pages)


@contextmanager
def _laid_out(html: str, style: str) -> Iterator[Any]:
    """The page as WeasyPrint has laid it out."""
    with _quietly():
        weasyprint = _weasyprint()
        from memreport.publish.pdf.standards import VARIANT, DataOnly

        fonts, styles = _styles(needed(html), style)
        page = _page(weasyprint, html, DataOnly())
        with _without_collection():
            yield page.render(stylesheets=styles, font_config=fonts, pdf_variant=VARIANT)


_UNCLOSED = re.compile(r"<((?:meta|br|col)\b[^>]*)>")


def _page(weasyprint: Any, html: str, fetcher: Any) -> Any:
    """The page for WeasyPrint.  Our templates write XML but for empty elements, which reads fifty times as fast."""
    from cssselect2 import ElementWrapper  # type: ignore[import-untyped]  # it ships no types

    page = weasyprint.HTML(string="", url_fetcher=fetcher, base_url=None)
    root = fromstring(_UNCLOSED.sub(r"<\1/>", html.lstrip().removeprefix("<!doctype html>")))  # noqa: S314  # our own
    page.wrapper_element = ElementWrapper.from_html_root(root, content_language=None)
    page.etree_element = page.wrapper_element.etree_element
    return page


def stamp(date: str) -> datetime:
    """The moment written into the file: the scenario's date, so that the clock decides no byte."""
    year, month, day = (int(part) for part in f"{date}-01-01".split("-")[:3])
    return datetime(year, month, day, tzinfo=UTC)


def _attachment(weasyprint: Any, attached: Attached, date: str) -> Any:
    when = stamp(date)
    return weasyprint.Attachment(
        file_obj=io.BytesIO(attached.content),
        name=attached.name,
        description=attached.description,
        relationship=attached.relationship,
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
    made.globals |= {"marks": MARKS, "option_bar": option_bar, "scale_of": scale_of}
    made.globals |= {"table_columns": table_columns, "cell_classes": cell_classes}
    made.filters["html"] = Markup  # for formulas, which worked.py has escaped
    made.filters["web"] = link
    made.filters["fitted"] = fitted
    made.filters["listed_within"] = listed_within
    made.filters["tied"] = _tied
    made.filters["breakable"] = _breakable
    made.filters["titled"] = title_of
    made.filters["in_sentence"] = in_sentence
    made.filters["symbol"] = lambda text: Markup(indexed(text))  # noqa: S704  # escaped there
    return made


CLASSES: Mapping[CellKind, str] = {"text": "", "number": "num", "wrong": "num is-does-not-fit", "aside": "mute small"}


def _forms(heads: Sequence[str], forms: Sequence[ColumnForm], others: CellKind) -> list[ColumnForm]:
    return [*forms] or [ColumnForm(kind="text"), *(ColumnForm(kind=others) for _ in heads[1:])]


def table_columns(
    heads: Sequence[str], forms: Sequence[ColumnForm] = (), others: CellKind = "number"
) -> list[tuple[str, int, str]]:
    """Columns for the table printer: title, width in percent or 0, class; numbers stand to the right."""
    columns = zip(heads, _forms(heads, forms, others), strict=True)
    return [(head, form.width, "num" if form.kind in ("number", "wrong") else "") for head, form in columns]


def cell_classes(table: SaidTable) -> list[str]:
    """Of each column the class of its cells."""
    return [CLASSES[form.kind] for form in _forms(table.heads, table.forms, "number")]


def _printable(value: Any) -> Any:
    return readable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_RATE = re.compile(r"\d[\d.,]*\u00a0\w+/\w+")


def _tied(text: str) -> Markup:
    """A text in which no line ends within a number and its unit, after the slash of a rate neither; escaped."""
    whole = _RATE.sub(lambda rate: f'<span class="nowrap">{rate[0]}</span>', str(escape(readable(tied(text)))))
    return Markup(whole)  # noqa: S704  # escaped above


def _breakable(text: str) -> Markup:
    """A text in which a line may end after each underscore of a long name; escaped."""
    return escape(readable(text)).replace("_", Markup("_<wbr/>"))


@lru_cache(maxsize=8)
def _styles(faces: tuple[Face, ...], style: str) -> tuple[Any, list[Any]]:
    """Fonts and style sheet, read once a process and set of typefaces."""
    weasyprint = _weasyprint()
    from weasyprint.text.fonts import FontConfiguration

    from memreport.publish.pdf.standards import DataOnly

    fonts = FontConfiguration()
    css = read_text(data_root() / "templates" / style, MOST_KEPT).replace("$families", FAMILIES)
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
