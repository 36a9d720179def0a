"""What changes between two computed scenarios: inputs, figures, verdicts and cost, variant by variant, by name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from memreport.advise.sensitivity import STEP
from memreport.catalogue.names import title_of
from memreport.compute import Computed
from memreport.figures.registry import shown_in
from memreport.report.changes.words import cost_line, deciding, sentence
from memreport.report.records.changes.versions import (
    ADDED,
    CHANGED,
    NOTHING,
    REMOVED,
    UNCHANGED,
    Difference,
    ValueChange,
    VariantChange,
    numbers,
)
from memreport.report.verdicts import verdict
from memreport.report.view import View
from memreport.resolve import Case

_SAME = 1e-12  # two floats that differ by less differ by rounding alone


def difference(old: Computed, new: Computed) -> Difference:
    """The second against the first; variants are matched by name, in the order of the second."""
    before, after = View(old), View(new)
    variants = tuple(_variants(before, after))
    return Difference(
        id=after.scenario.id,
        old_version=before.scenario.version,
        new_version=after.scenario.version,
        sentence=sentence(before, after, variants),
        deciding=after.variants[deciding(after)].name,
        variants=variants,
        notes=tuple(_notes(before, after)),
        words=tuple(_words(before, after)),
        spread=after.spread(STEP[after.workload], range(len(after.variants))),
    )


def _variants(before: View, after: View) -> Iterator[VariantChange]:
    places = {case.name: position for position, case in enumerate(before.variants)}
    for index, case in enumerate(after.variants):
        if case.name in places:
            yield _matched(before, places.pop(case.name), after, index)
        else:
            yield VariantChange(case.name, ADDED, None, verdict(after, index), cost=_cost(None, 0, after, index))
    for name, index in places.items():
        yield VariantChange(name, REMOVED, verdict(before, index), None, cost=_cost(before, index, None, 0))


def _cost(before: View | None, first: int, after: View | None, second: int) -> ValueChange | None:
    """The cost that a reader asks for first, of whichever version states it."""
    view = after or before
    places = [(each, index) for each, index in ((before, first), (after, second)) if each]
    name = cost_line(*places)[0] if places else ""
    old = before.value(name, first) if before and name in before.lines else None
    new = after.value(name, second) if after and name in after.lines else None
    return (
        None
        if view is None or (old is None and new is None)
        else numbers(name, title_of(name), "USD", old, new, NOTHING)
    )


def _matched(before: View, first: int, after: View, second: int) -> VariantChange:
    inputs = tuple(_inputs(before, first, after, second))
    every = tuple(_figures(before, first, after, second))
    main = {name: index for index, name in enumerate(_main_lines(after.workload))}
    shown_ones = sorted((change for change in every if change.name in main), key=lambda change: main[change.name])
    return VariantChange(
        after.variants[second].name,
        CHANGED if inputs or every else UNCHANGED,
        verdict(before, first),
        verdict(after, second),
        inputs,
        tuple(shown_ones),
        every,
        _cost(before, first, after, second),
    )


@lru_cache
def _main_lines(workload: str) -> tuple[str, ...]:
    """What a reader asks for first, then the money of the bill."""
    bill = (name for name in shown_in("bill", workload) if name.endswith("_usd"))
    return tuple(dict.fromkeys([*shown_in("main", workload), *bill]))


def _inputs(before: View, first: int, after: View, second: int) -> Iterator[ValueChange]:
    """Model, fields, values of the catalogue behind an unchanged choice, and numbers that replace what is computed."""
    old, new = before.variants[first], after.variants[second]
    if old.card.id != new.card.id:
        yield ValueChange("model", "Model", "", old.card.id, new.card.id, old.card.title, new.card.title)
    for name in dict.fromkeys([*before.fields, *after.fields]):
        change = _field(before, old, after, new, name)
        if change is not None:
            yield change
    yield from _looked_up(before, first, after, second)
    for name in dict.fromkeys([*old.overrides, *new.overrides]):
        given = old.overrides.get(name), new.overrides.get(name)
        if given[0] != given[1]:
            view = after if after.has(name) else before
            yield numbers(name, title_of(name), view.unit(name), *given, "computed")


def _field(before: View, old: Case, after: View, new: Case, name: str) -> ValueChange | None:
    """A field that differs; the fields of another model are not listed one by one."""
    view = after if name in after.fields else before
    if view.fields[name].section == "model" and old.card.id != new.card.id:
        return None
    first, second = (_setting(side, each, name) for side, each in ((before, old), (after, new)))
    if first == second:
        return None
    if view.fields[name].kind in ("number", "whole"):
        return numbers(name, title_of(name), view.unit(name), first, second, NOTHING)
    texts = [NOTHING if value is None else view.worded(name, value) for value in (first, second)]
    return ValueChange(name, title_of(name), "", _plain(first), _plain(second), texts[0], texts[1])


def _setting(view: View, case: Case, name: str) -> Any:
    return case.settings[name] if name in view.fields else None


def _plain(value: object) -> str | float | None:
    return value if value is None or isinstance(value, str | float) else str(value)


def _looked_up(before: View, first: int, after: View, second: int) -> Iterator[ValueChange]:
    """What a choice supplies, where the same row has another number now: a price that rose, for example."""
    old, new = before.variants[first], after.variants[second]
    for name, (entry, _) in after.attributes.items():
        same_row = old.settings.get(entry.name) == new.settings.get(entry.name)
        replaced = name in old.overrides or name in new.overrides
        if same_row and not replaced and before.has(name):
            change = _changed(name, before, first, after, second)
            if change is not None:
                yield change


def _figures(before: View, first: int, after: View, second: int) -> Iterator[ValueChange]:
    for name in dict.fromkeys([*after.lines, *before.lines]):
        change = _changed(name, before, first, after, second)
        if change is not None:
            yield change


def _changed(name: str, before: View, first: int, after: View, second: int) -> ValueChange | None:
    """A figure or supplied input that differs, or that only one version has."""
    old = before.value(name, first) if _answers(before, name) else None
    new = after.value(name, second) if _answers(after, name) else None
    if old is not None and new is not None and _is_same(old, new):
        return None
    if old is None and new is None:
        return None
    view = after if new is not None else before
    labels = view.lines[name].figure.labels if name in view.lines else ()
    if labels:
        texts = [NOTHING if value is None else labels[int(value) - 1] for value in (old, new)]
        return ValueChange(name, title_of(name), "", texts[0], texts[1], texts[0], texts[1])
    return numbers(name, title_of(name), view.unit(name), old, new, NOTHING)


def _answers(view: View, name: str) -> bool:
    return name in view.lines or name in view.attributes


def _is_same(old: float, new: float) -> bool:
    return old == new or math.isclose(old, new, rel_tol=_SAME, abs_tol=0.0) or (math.isnan(old) and math.isnan(new))


def _notes(before: View, after: View) -> Iterator[str]:
    """Lines that the change log has gained."""
    old = set(before.scenario.changes)
    for change in after.scenario.changes:
        if change not in old:
            yield f"version {change.version}, {change.date}: {change.note}"


def _words(before: View, after: View) -> Iterator[ValueChange]:
    """Texts of the scenario that no figure reads."""
    for name in ("title", "question", "owner", "workload"):
        old, new = (str(getattr(view.scenario, name)) for view in (before, after))
        if old != new:
            yield ValueChange(name, title_of(name), "", old, new, old or NOTHING, new or NOTHING)
    for block in ("approval", "price_terms"):
        first, second = (getattr(view.scenario, block).model_dump() for view in (before, after))
        for name in first:
            if first[name] != second[name]:
                was, now = (str(row[name] or NOTHING) for row in (first, second))
                yield ValueChange(f"{block}.{name}", title_of(name), "", was, now, was, now)
