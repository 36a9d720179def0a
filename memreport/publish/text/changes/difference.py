"""Differences as text for a terminal, as Markdown for a pull request."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from memreport.escaping import markdown, one_line
from memreport.frozen import frozen
from memreport.publish.markdown.table import piped
from memreport.publish.text.table import table as aligned
from memreport.report.changes.rows import common_inputs, overview
from memreport.report.records.changes.versions import CHANGED, Difference, ValueChange, VariantChange

HEADER = ("", "old", "new", "change", "")
Table = Callable[[Sequence[Sequence[str]]], str]


MOST_FIGURES = 10
"""Figures of a variant that are listed, main ones first, so that a change is read on one screen."""
WIDTH = 110


def as_text(found: Sequence[Difference], first: str, unread: Mapping[str, str]) -> str:
    """For a terminal."""
    return _whole(first, found, unread, _TEXT)


def as_markdown(found: Sequence[Difference], first: str, unread: Mapping[str, str]) -> str:
    """For a pull request: the sentence in bold, tables that GitHub and GitLab draw."""
    return _whole(f"**{markdown(first)}**", found, unread, _MARKDOWN)


def _whole(first: str, found: Sequence[Difference], unread: Mapping[str, str], style: _Style) -> str:
    """The first sentence, what could not be compared and why, then what changed, scenario by scenario."""
    said = (f"{name} is not compared, its old version cannot be read: {why}" for name, why in unread.items())
    blocks = (_block(difference, style, several=len(found) > 1) for difference in found if _is_worth(difference, found))
    return "\n\n".join([style.wrapped(first), *map(style.text, said), *blocks]) + "\n"


def _is_worth(difference: Difference, found: Sequence[Difference]) -> bool:
    return len(found) == 1 or not difference.is_empty or bool(difference.words)


def _block(difference: Difference, style: _Style, *, several: bool) -> str:
    """A scenario: heading, its sentence where there are several, verdicts, common inputs, then each variant."""
    versions = f"version {difference.new_version}"
    if difference.old_version != difference.new_version:
        versions = f"version {difference.old_version} → {difference.new_version}"
    parts = [f"{style.big}{style.text(difference.id)}, {versions}"]
    parts += [style.text(difference.sentence)] if several else []
    parts += [f"Change log: {style.text('; '.join(difference.notes))}"] if difference.notes else []
    parts += (
        [style.table([HEADER[:3], *([change.title, change.old_text, change.new_text] for change in difference.words)])]
        if difference.words
        else []
    )
    parts += _tables(difference, style) if not difference.is_empty else []
    return "\n\n".join(parts)


def _tables(difference: Difference, style: _Style) -> Iterator[str]:
    """Every variant on a line, inputs that changed everywhere, then the variants that changed in their own way."""
    yield style.table(overview(difference))
    common = common_inputs(difference)
    changed = [variant for variant in difference.variants if variant.status == CHANGED]
    if common:
        yield f"{style.small}Inputs of every variant" if len(changed) > 1 else f"{style.small}Inputs"
        yield style.table([HEADER, *map(_row, common)])
    told = [variant for variant in changed if variant.name == difference.deciding or _own(variant, common)]
    for variant in told:
        rows = [_row(change) for change in (*_own(variant, common), *variant.figures[:MOST_FIGURES])]
        others = variant.others + len(variant.figures[MOST_FIGURES:])
        more = [(f"and {others} more figures", "", "", "", "")] if others > 0 else []
        yield f"{style.small}{style.text(variant.name)}" if len(difference.variants) > 1 else f"{style.small}Figures"
        yield style.table([HEADER, *rows, *more])
    if len(changed) > len(told):
        rest = len(changed) - len(told)
        follow = "variant follows" if rest == 1 else "variants follow"
        yield f"{rest} further {follow} the same inputs; --format json lists their figures."
    if any(variant.figures for variant in told):
        yield difference.spread


def _own(variant: VariantChange, common: Iterable[ValueChange]) -> list[ValueChange]:
    said = set(common)
    return [change for change in variant.inputs if change not in said]


def _row(change: ValueChange) -> tuple[str, ...]:
    return change.title, change.old_text, change.new_text, change.change, change.percent


@frozen
class _Style:
    """Marks before headings of two sizes, how a table is drawn, and how a text is written."""

    big: str
    small: str
    table: Table
    text: Callable[[str], str]
    wrapped: Callable[[str], str] = str


_TEXT = _Style("", "", aligned, one_line, lambda text: textwrap.fill(text, WIDTH))
_MARKDOWN = _Style("### ", "#### ", piped, markdown)
