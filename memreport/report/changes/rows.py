"""What is said of differences in every output: the first sentence, one line a variant, inputs that all share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memreport.report.changes.regressions import MOST_NAMED, worse_words
from memreport.report.records.answers import Verdict
from memreport.report.records.changes.versions import CHANGED, UNCHANGED, Difference, ValueChange

ARROW = " → "


def summary(
    found: Sequence[Difference], added: Sequence[str], removed: Sequence[str], unread: Sequence[str] = ()
) -> str:
    """The first sentence: of one scenario its own, of several what got worse, then how many change."""
    if len(found) == 1 and not (added or removed or unread):
        return found[0].sentence
    changed = sum(not difference.is_empty for difference in found)
    other = sum(difference.verdict_changed for difference in found)
    parts = [f"{changed} of {len(found)} scenario{'' if len(found) == 1 else 's'} change{'s' if changed == 1 else ''}"]
    parts += [f"{other} with another verdict"] if other else []
    parts += [f"{len(added)} added ({', '.join(added)})"] if added else []
    parts += [f"{len(removed)} removed ({', '.join(removed)})"] if removed else []
    parts += [f"{len(unread)} not compared ({', '.join(unread)})"] if unread else []
    return " ".join([*_worse(found), "; ".join(parts) + "."])


def _worse(found: Sequence[Difference]) -> Iterator[str]:
    """Scenarios that got worse, the worst first, each with its worst variants."""
    worse = [(difference.id, words) for difference in found if (words := worse_words(difference.variants))]
    for id_, words in worse[:MOST_NAMED]:
        yield f"{id_}: {'; '.join(words)}."
    if len(worse) > MOST_NAMED:
        yield f"{len(worse) - MOST_NAMED} more got worse."


def overview(difference: Difference) -> list[Sequence[str]]:
    """One line a variant: what it was and is, its peak and room, its cost."""
    priced = any(variant.cost for variant in difference.variants)
    cost = next((variant.cost.title for variant in difference.variants if variant.cost), "")
    rows: list[Sequence[str]] = [
        ("variant", "verdict", "peak", "usable", "headroom", *((cost.lower(), "") if priced else ()))
    ]
    for variant in difference.variants:
        name = variant.name if variant.status in (CHANGED, UNCHANGED) else f"{variant.name} ({variant.status})"
        verdicts = [verdict for verdict in (variant.old, variant.new) if verdict]
        cells = [ARROW.join(dict.fromkeys(pair)) for pair in zip(*map(_texts, verdicts), strict=True)]
        rows.append((name, *cells, *(cost_texts(variant.cost) if priced else ())))
    return rows


def _texts(verdict: Verdict) -> tuple[str, ...]:
    return f"{verdict.mark} {verdict.word}", verdict.room.peak_text, verdict.room.capacity_text, verdict.room.share_text


def difference_rows(difference: Difference) -> Iterator[tuple[str, ...]]:
    """Verdict and cost of every variant that changed, then the inputs that all of them share, a line each."""
    header, *rows = overview(difference)
    for variant, cells in zip(difference.variants, rows, strict=True):
        if variant.status != UNCHANGED:
            named = [f"{title} {cell}" for title, cell in zip(header[1:], cells[1:], strict=True) if title and cell]
            yield (f"{cells[0]}: {', '.join(named)}",)
    for change in common_inputs(difference):
        yield (f"{change.title}: {change.old_text} → {change.new_text}",)


def cost_texts(cost: ValueChange | None) -> tuple[str, str]:
    """The cost, or the old and the new one, and the change in percent."""
    if cost is None:
        return "no price", ""
    if cost.old is None or cost.new is None:
        return (cost.new_text if cost.old is None else cost.old_text), ""
    return (
        (cost.new_text, "")
        if cost.old == cost.new
        else (ARROW.join(dict.fromkeys([cost.old_text, cost.new_text])), cost.percent)
    )


def common_inputs(difference: Difference) -> list[ValueChange]:
    """Input changes that all changed variants share, so that they are said once."""
    sets = [set(variant.inputs) for variant in difference.variants if variant.status == CHANGED]
    shared = set.intersection(*sets) if sets else set()
    return [
        change
        for change in next((v.inputs for v in difference.variants if v.status == CHANGED), ())
        if change in shared
    ]
