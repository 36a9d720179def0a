"""What a scenario does not state, in words: what was assumed, and where the peak and the verdict go otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memreport.advise.deciding import Word, judged
from memreport.advise.unstated import Choice, Unstated, unstated
from memreport.compute import Computed
from memreport.publish.verdicts import word_of
from memreport.publish.view import View, in_gib, in_sentence, title_of

MOST_NAMES = 2
"""Inputs that the line on page 1 names; it may not become two."""


@dataclass(frozen=True)
class OtherChoice:
    """One row of the table: an input with the assumed or another choice, the peak and the verdict."""

    title: str
    choice: str
    assumed: bool
    peak: float
    peak_text: str
    word: Word


@dataclass(frozen=True)
class NotStated:
    """The first variant's table, and its one line for page 1."""

    sentence: str
    rows: tuple[OtherChoice, ...]


def not_stated(view: View) -> NotStated | None:
    """Of the first variant; None where it states everything that decides."""
    found = unstated(view.computed)[view.variants[0].name]
    if not found:
        return None
    return NotStated(_sentence(view, found), tuple(row for one in found for row in _rows(view, one)))


def word_of_choice(choice: Choice) -> Word:
    """The verdict on another choice, as on a variant."""
    return judged(choice.fits, choice.peak_bytes_high, choice.usable_bytes)


def _rows(view: View, one: Unstated) -> Iterable[OtherChoice]:
    title, peak = title_of(one.field), view.value("peak_bytes", 0)
    yield OtherChoice(title, _named(view, one.field, one.assumed), True, peak, in_gib(peak), word_of(view, 0))
    for other in one.choices:
        text, size = _named(view, one.field, other.choice), other.peak_bytes
        yield OtherChoice(title, text, False, size, in_gib(size), word_of_choice(other))


def _named(view: View, field: str, choice: str) -> str:
    """A choice by its title; a number, which the field's own choice may supply, as it is."""
    entry = view.fields.get(field)
    return view.choice_title(field, choice) if entry and entry.kind == "choice" else choice


def _sentence(view: View, found: Iterable[Unstated]) -> str:
    listed = list(found)
    choices = [one for each in listed for one in each.choices]
    peaks = [view.value("peak_bytes", 0), *(one.peak_bytes for one in choices)]
    low, high = in_gib(min(peaks)), in_gib(max(peaks))
    moves = "does not move the peak" if low == high else f"moves the peak between {low} and {high}"
    turns = any(one.fits != bool(view.value("fits", 0)) for one in choices)
    titles = [in_sentence(title_of(each.field)) for each in listed]
    more = len(titles) - MOST_NAMES
    names = ", ".join(titles[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    return f"Assumed, not stated: {names}. Another choice {moves}; the verdict {'turns' if turns else 'stays'}."


def text_rows(computed: Computed, columns: Iterable[int]) -> list[list[str]]:
    """The same for a terminal, all variants: one row a choice, one column a variant; a dash where it is stated."""
    view, listed = View(computed), list(columns)
    by_variant = [unstated(computed)[view.variants[at].name] for at in listed]
    cells: dict[str, list[str]] = {}
    for at, found in enumerate(by_variant):
        for one in found:
            for other in one.choices:
                row = cells.setdefault(f"{one.field}: {other.choice}", ["-"] * len(listed))
                row[at] = f"{in_gib(other.peak_bytes)}, {word_of_choice(other)}"
    assumed = dict.fromkeys(f"{one.field} {one.assumed}" for found in by_variant for one in found)
    heading = f"NOT STATED, SO ASSUMED: {', '.join(assumed)}. Peak and verdict otherwise:"
    return [[], [heading], *([name, *row] for name, row in cells.items())] if cells else []
