"""What a scenario does not state, in words: what was assumed, and where the peak and the verdict go otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memreport.advise.comparisons.unstated import Choice, Unstated, unstated_of_cost
from memreport.advise.verdict import QUEUES, Word, verdict_of
from memreport.catalogue.names import in_sentence, title_of
from memreport.catalogue.quantities import GIB, brief
from memreport.compute import Computed
from memreport.report.money.prices import prices_used
from memreport.report.records.report import NotStated, OtherChoice
from memreport.report.verdicts import word_of
from memreport.report.view import View, counted, in_gib

Opens = Mapping[str, tuple[Unstated, ...]]
"""By variant, what is left open."""
SHORT = {"model_flop_utilization": "MFU"}
MOST_NAMES = 2
"""Inputs that the line on page 1 names; it may not become two."""


def not_stated(view: View, open_: Opens, chosen: int = 0) -> NotStated | None:
    """Of the first variant, and what the cost of the chosen one rests on; None where all that decides is stated."""
    found, of_cost = open_.get(view.variants[0].name, ()), of_cost_words(view, chosen)
    if not found and not of_cost:
        return None
    said = (_sentence(view, found) if found else "", _cost_sentence(of_cost))
    return NotStated(" ".join(filter(None, said)), tuple(row for unstated in found for row in _rows(view, unstated)))


def of_cost_words(view: View, index: int) -> tuple[str, ...]:
    """What time and cost of a variant rest on that nobody stated, each with the value assumed."""
    names = unstated_of_cost(view.computed, index)
    return tuple(f"{_short_title(name)} {_assumed(view, name, index)}" for name in names)


def _assumed(view: View, name: str, index: int) -> str:
    """The value; a price with its amount and date; a number of tokens without their unit, which its title says."""
    price = next((use for use in prices_used(view, index) if use.field == name), None)
    if price:
        return f"{price.id} ({price.counted.text}, {price.offer.date})"
    tokens = view.unit(name) == "token"
    return counted(view.value(name, index), "1") if tokens else view.setting(name, index)


def _short_title(name: str) -> str:
    return SHORT.get(name, in_sentence(title_of(name)))


def _cost_sentence(words: Iterable[str]) -> str:
    listed = ", ".join(words)
    return f"Time and cost assume {listed}." if listed else ""


def word_of_choice(choice: Choice) -> Word:
    """The verdict on another choice, as on a variant."""
    return verdict_of(choice.fits, choice.peak_bytes, choice.peak_bytes_high, choice.usable_bytes)


def _rows(view: View, unstated: Unstated) -> Iterable[OtherChoice]:
    title, peak = title_of(unstated.field), view.value("peak_bytes", 0)
    yield OtherChoice(title, _named(view, unstated.field, unstated.assumed), True, peak, in_gib(peak), word_of(view, 0))
    for other in unstated.choices:
        text, size = _named(view, unstated.field, other.choice), other.peak_bytes
        yield OtherChoice(title, text, False, size, in_gib(size), word_of_choice(other))


def _named(view: View, field: str, choice: str) -> str:
    """A choice by its title; a number, which the field's own choice may supply, as it is."""
    entry = view.fields.get(field)
    return view.choice_title(field, choice) if entry and entry.kind == "choice" else choice


FITS_WITH = {
    (True, True): "with some it does not fit",
    (True, False): "it fits with all of them",
    (False, True): "with some it fits",
    (False, False): "it fits with none of them",
}
"""What becomes of the verdict, by whether it fits as assumed and whether another choice turns that."""
QUEUED = "with some it queues"
"""What is said where requests wait with a choice, and none of them runs out of memory."""


def _sentence(view: View, found: Iterable[Unstated]) -> str:
    listed = list(found)
    choices = [choice for each in listed for choice in each.choices]
    peaks = [view.value("peak_bytes", 0), *(choice.peak_bytes for choice in choices)]
    low, high = (brief(each / GIB, "GiB") for each in (min(peaks), max(peaks)))
    fits = bool(view.value("fits", 0))
    turns = any(choice.fits != fits for choice in choices)
    titles = [in_sentence(title_of(each.field)) for each in listed]
    more = len(titles) - MOST_NAMES
    names = ", ".join(titles[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    if low == high:
        return f"Assumed, not stated: {names}; no other choice moves the peak."
    moves = f"moves the peak as submitted between {low.removesuffix(' GiB')} and {high}"
    waits = QUEUES in {word_of(view, 0), *map(word_of_choice, choices)}
    then = QUEUED if waits and fits and not turns else FITS_WITH[fits, turns]
    return f"Assumed, not stated: {names}. Another choice {moves}; {then}."


def text_rows(computed: Computed, columns: Iterable[int], open_: Opens) -> list[list[str]]:
    """The same for a terminal, all variants: one row a choice, one column a variant; a dash where it is stated."""
    view, listed = View(computed), list(columns)
    by_variant = [open_[view.variants[position].name] for position in listed]
    cells: dict[str, list[str]] = {}
    for index, found in enumerate(by_variant):
        for unstated in found:
            for other in unstated.choices:
                row = cells.setdefault(f"{unstated.field}: {other.choice}", ["-"] * len(listed))
                row[index] = f"{in_gib(other.peak_bytes)}, {word_of_choice(other)}"
    assumed = dict.fromkeys(f"{choice.field} {choice.assumed}" for found in by_variant for choice in found)
    of_cost = dict.fromkeys(word for position in listed for word in of_cost_words(view, position))
    if not cells and not of_cost:
        return []
    then = " Peak and verdict otherwise:" if cells else ""
    heading = f"NOT STATED, SO ASSUMED: {', '.join([*assumed, *of_cost])}.{then}"
    return [[], [heading], *([name, *row] for name, row in cells.items())]
