"""Differences as text for a terminal, as Markdown for a pull request, as plain data for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memreport.escaping import markdown, one_line
from memreport.publish.markdown.table import piped
from memreport.publish.text.table import table as aligned
from memreport.report.changes.regressions import MOST_NAMED, worse_words
from memreport.report.records.answers import MARKS, Verdict
from memreport.report.records.changes import CHANGED, UNCHANGED, Difference, ValueChange, VariantChange

SCHEMA = 1
ARROW = " → "
HEADER = ("", "old", "new", "change", "")
Table = Callable[[Sequence[Sequence[str]]], str]


MOST_FIGURES = 10
"""Figures of a variant that are listed, main ones first, so that a change is read on one screen."""
WIDTH = 110


def summary(
    found: Sequence[Difference], added: Sequence[str], removed: Sequence[str], unread: Sequence[str] = ()
) -> str:
    """The first sentence: of one scenario its own, of several what got worse, then how many change."""
    if len(found) == 1 and not (added or removed or unread):
        return found[0].sentence
    changed = sum(not one.is_empty for one in found)
    other = sum(one.verdict_changed for one in found)
    parts = [f"{changed} of {len(found)} scenario{'' if len(found) == 1 else 's'} change{'s' if changed == 1 else ''}"]
    parts += [f"{other} with another verdict"] if other else []
    parts += [f"{len(added)} added ({', '.join(added)})"] if added else []
    parts += [f"{len(removed)} removed ({', '.join(removed)})"] if removed else []
    parts += [f"{len(unread)} not compared ({', '.join(unread)})"] if unread else []
    return " ".join([*_worse(found), "; ".join(parts) + "."])


def _worse(found: Sequence[Difference]) -> Iterator[str]:
    """Scenarios that got worse, the worst first, each with its worst variants."""
    worse = [(one.id, words) for one in found if (words := worse_words(one.variants))]
    for id_, words in worse[:MOST_NAMED]:
        yield f"{id_}: {'; '.join(words)}."
    if len(worse) > MOST_NAMED:
        yield f"{len(worse) - MOST_NAMED} more got worse."


def as_text(found: Sequence[Difference], first: str, unread: Mapping[str, str]) -> str:
    """For a terminal."""
    return _whole(first, found, unread, _TEXT)


def as_markdown(found: Sequence[Difference], first: str, unread: Mapping[str, str]) -> str:
    """For a pull request: the sentence in bold, tables that GitHub and GitLab draw."""
    return _whole(f"**{markdown(first)}**", found, unread, _MARKDOWN)


def _whole(first: str, found: Sequence[Difference], unread: Mapping[str, str], style: _Style) -> str:
    """The first sentence, what could not be compared and why, then what changed, scenario by scenario."""
    said = (f"{name} is not compared, its old version cannot be read: {why}" for name, why in unread.items())
    blocks = (_block(one, style, several=len(found) > 1) for one in found if _is_worth(one, found))
    return "\n\n".join([style.wrapped(first), *map(style.text, said), *blocks]) + "\n"


def _is_worth(one: Difference, found: Sequence[Difference]) -> bool:
    return len(found) == 1 or not one.is_empty or bool(one.words)


def _block(one: Difference, style: _Style, *, several: bool) -> str:
    """A scenario: heading, its sentence where there are several, verdicts, common inputs, then each variant."""
    versions = f"version {one.new_version}"
    if one.old_version != one.new_version:
        versions = f"version {one.old_version} → {one.new_version}"
    parts = [f"{style.big}{style.text(one.id)}, {versions}"]
    parts += [style.text(one.sentence)] if several else []
    parts += [f"Change log: {style.text('; '.join(one.notes))}"] if one.notes else []
    parts += (
        [style.table([HEADER[:3], *([change.title, change.old_text, change.new_text] for change in one.words)])]
        if one.words
        else []
    )
    parts += _tables(one, style) if not one.is_empty else []
    return "\n\n".join(parts)


def _tables(one: Difference, style: _Style) -> Iterator[str]:
    """Every variant on a line, inputs that changed everywhere, then the variants that changed in their own way."""
    yield style.table(overview(one))
    common = common_inputs(one)
    changed = [variant for variant in one.variants if variant.status == CHANGED]
    if common:
        yield f"{style.small}Inputs of every variant" if len(changed) > 1 else f"{style.small}Inputs"
        yield style.table([HEADER, *map(_row, common)])
    told = [variant for variant in changed if variant.name == one.deciding or _own(variant, common)]
    for variant in told:
        rows = [_row(change) for change in (*_own(variant, common), *variant.figures[:MOST_FIGURES])]
        others = variant.others + len(variant.figures[MOST_FIGURES:])
        more = [(f"and {others} more figures", "", "", "", "")] if others > 0 else []
        yield f"{style.small}{style.text(variant.name)}" if len(one.variants) > 1 else f"{style.small}Figures"
        yield style.table([HEADER, *rows, *more])
    if len(changed) > len(told):
        rest = len(changed) - len(told)
        follow = "variant follows" if rest == 1 else "variants follow"
        yield f"{rest} further {follow} the same inputs; --format json lists their figures."


def overview(one: Difference) -> list[Sequence[str]]:
    """One line a variant: what it was and is, its peak and room, its cost."""
    priced = any(variant.cost for variant in one.variants)
    cost = next((variant.cost.title for variant in one.variants if variant.cost), "")
    rows: list[Sequence[str]] = [
        ("variant", "verdict", "peak", "usable", "headroom", *((cost.lower(), "") if priced else ()))
    ]
    for variant in one.variants:
        name = variant.name if variant.status in (CHANGED, UNCHANGED) else f"{variant.name} ({variant.status})"
        cells = [_pair(variant, read) for read in (_word, _peak, _usable, _room)]
        rows.append((name, *cells, *(_money(variant.cost) if priced else ())))
    return rows


def difference_rows(one: Difference) -> Iterator[tuple[str, ...]]:
    """Verdict and cost of every variant that changed, then the inputs that all of them share, a line each."""
    header, *rows = overview(one)
    for variant, cells in zip(one.variants, rows, strict=True):
        if variant.status != UNCHANGED:
            named = [f"{title} {cell}" for title, cell in zip(header[1:], cells[1:], strict=True) if title and cell]
            yield (f"{cells[0]}: {', '.join(named)}",)
    for change in common_inputs(one):
        yield (f"{change.title}: {change.old_text} → {change.new_text}",)


def _money(cost: ValueChange | None) -> tuple[str, str]:
    """The cost, or the old and the new one, and the change in percent."""
    if cost is None:
        return "no price", ""
    if cost.old is None or cost.new is None:
        return (cost.new_text if cost.old is None else cost.old_text), ""
    return (cost.new_text, "") if cost.old == cost.new else (f"{cost.old_text} → {cost.new_text}", cost.percent)


def _pair(variant: VariantChange, read: Callable[[Verdict], str]) -> str:
    """What is read of the old and the new verdict, once where it is the same."""
    texts = dict.fromkeys(read(one) for one in (variant.old, variant.new) if one)
    return ARROW.join(texts)


def _word(one: Verdict) -> str:
    return f"{MARKS[one.word]} {one.word}"


def _peak(one: Verdict) -> str:
    return one.peak_text


def _usable(one: Verdict) -> str:
    return one.capacity_text


def _room(one: Verdict) -> str:
    return one.share_text


def common_inputs(one: Difference) -> list[ValueChange]:
    """Input changes that all changed variants share, so that they are said once."""
    sets = [set(variant.inputs) for variant in one.variants if variant.status == CHANGED]
    shared = set.intersection(*sets) if sets else set()
    return [change for change in next((v.inputs for v in one.variants if v.status == CHANGED), ()) if change in shared]


def _own(variant: VariantChange, common: Iterable[ValueChange]) -> list[ValueChange]:
    said = set(common)
    return [change for change in variant.inputs if change not in said]


def _row(change: ValueChange) -> tuple[str, ...]:
    return change.title, change.old_text, change.new_text, change.change, change.percent


@dataclass(frozen=True)
class _Style:
    """Marks before headings of two sizes, how a table is drawn, and how a text is written."""

    big: str
    small: str
    table: Table
    text: Callable[[str], str]
    wrapped: Callable[[str], str] = str


_TEXT = _Style("", "", aligned, one_line, lambda text: textwrap.fill(text, WIDTH))
_MARKDOWN = _Style("### ", "#### ", piped, markdown)


def as_data(
    found: Sequence[Difference], first: str, added: Sequence[str], removed: Sequence[str], unread: Mapping[str, str]
) -> dict[str, Any]:
    """Everything that differs, in base units and full precision."""
    return {
        "schema": SCHEMA,
        "summary": first,
        "added": list(added),
        "removed": list(removed),
        "not_compared": dict(unread),
        "scenarios": {one.id: scenario_data(one) for one in found},
    }


def scenario_data(one: Difference) -> dict[str, Any]:
    """One scenario's part of `as_data`."""
    return {
        "version": {"old": one.old_version, "new": one.new_version},
        "sentence": one.sentence,
        "change_log": list(one.notes),
        "words": {change.name: _change(change) for change in one.words},
        "variants": {variant.name: _variant(variant) for variant in one.variants},
    }


def _variant(variant: VariantChange) -> dict[str, Any]:
    verdicts = {"old": variant.old, "new": variant.new}
    return {
        "status": variant.status,
        "verdict": {when: one.word if one else None for when, one in verdicts.items()},
        "headroom_share": {when: one.headroom_share if one else None for when, one in verdicts.items()},
        "inputs": {change.name: _change(change) for change in variant.inputs},
        "figures": {change.name: _change(change) for change in variant.every},
    }


def _change(change: ValueChange) -> dict[str, Any]:
    plain: dict[str, Any] = {"old": change.old, "new": change.new}
    return (
        plain
        | ({} if change.ratio is None else {"ratio": change.ratio})
        | ({"unit": change.unit} if change.unit else {})
    )
