"""Records of what differs between two versions of a scenario, and a change of a number in words."""

from __future__ import annotations

import math
from collections.abc import Mapping

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT, Word
from memreport.catalogue.quantities import GIB, display_pair
from memreport.frozen import frozen
from memreport.report.records.answers import Verdict
from memreport.report.view import shown, true_minus

ADDED, REMOVED, CHANGED, UNCHANGED = "added", "removed", "changed", "unchanged"
NOTHING = "–"
SEVERITY: Mapping[Word, int] = {FITS: 0, TIGHT: 1, QUEUES: 2, DOES_NOT_FIT: 3}
"""How bad a verdict is, so that a change of it has a direction."""


@frozen
class ValueChange:
    """An input or figure that differs: as numbers in base units where it is one, and as people read it.

    `change` and `percent` are texts with a sign, empty where they mean nothing; `ratio` is relative to the old value.
    """

    name: str
    title: str
    unit: str
    old: float | str | None
    new: float | str | None
    old_text: str
    new_text: str
    change: str = ""
    percent: str = ""
    ratio: float | None = None


@frozen
class VariantChange:
    """A variant of either version.

    `cost` is that of a run, or of a month of service, also where it is the same; None where none is stated.  `figures`
    are the main ones that differ, `every` all of them.
    """

    name: str
    status: str
    old: Verdict | None
    new: Verdict | None
    inputs: tuple[ValueChange, ...] = ()
    figures: tuple[ValueChange, ...] = ()
    every: tuple[ValueChange, ...] = ()
    cost: ValueChange | None = None

    @property
    def others(self) -> int:
        """How many figures differ beside those that are shown."""
        return len(self.every) - len(self.figures)

    @property
    def verdict_changed(self) -> bool:
        """Whether both versions have the variant, with different verdicts."""
        return self.old is not None and self.new is not None and self.old.word != self.new.word

    @property
    def verdict_worse(self) -> bool:
        """Whether both versions have the variant, and the new one has less room by its verdict."""
        if self.old is None or self.new is None:
            return False
        return SEVERITY[self.new.word] > SEVERITY[self.old.word]


@frozen
class Difference:
    """Two versions of a scenario: a sentence on the variant that decides, all variants, what the change log adds.

    `words` are texts that differ; `spread` says how far times may lie from what is shown.
    """

    id: str
    old_version: int
    new_version: int
    sentence: str
    deciding: str
    variants: tuple[VariantChange, ...]
    notes: tuple[str, ...]
    words: tuple[ValueChange, ...]
    spread: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing that is computed differs."""
        return all(variant.status == UNCHANGED for variant in self.variants)

    @property
    def verdict_changed(self) -> bool:
        """Whether any variant's verdict differs."""
        return any(variant.verdict_changed for variant in self.variants)

    @property
    def verdict_worse(self) -> bool:
        """Whether any variant's verdict got worse."""
        return any(variant.verdict_worse for variant in self.variants)


@frozen
class VersionComparison:
    """What changed since the previous version, and where that was found; `made` is None where there is none to read."""

    place: str
    sentence: str
    made: Difference | None = None


def numbers(name: str, title: str, unit: str, old: float | None, new: float | None, missing: str) -> ValueChange:
    """A change of a number; `missing` stands where a version has none."""
    if old is None or new is None:
        texts = [missing if value is None else shown(value, unit) for value in (old, new)]
        return ValueChange(name, title, unit, old, new, texts[0], texts[1])
    size, shown_in = (GIB, "GiB") if unit == "byte" and max(abs(old), abs(new)) >= GIB else (1.0, unit)
    old_text, new_text = (true_minus(text) for text in display_pair(old / size, new / size, shown_in))
    ratio = relative_change(old, new)
    return ValueChange(name, title, unit, old, new, old_text, new_text, signed(new - old, unit), percent(ratio), ratio)


def signed(value: float, unit: str) -> str:
    """A difference with its sign; empty where it is not finite.  Shares differ in points of percent."""
    if not math.isfinite(value):
        return ""
    text = shown(abs(value), unit)
    if unit == "share":
        text = text.replace(" %", " points")
    return f"{'−' if value < 0 else '+'}{text}"


def relative_change(old: float, new: float) -> float | None:
    """A change relative to what was; None from nothing or less, and from or to what is no number."""
    return (new - old) / old if old > 0 and math.isfinite(old) and math.isfinite(new) else None


def percent(ratio: float | None) -> str:
    """A change in percent with its sign, in two digits or as many as stand before the point."""
    if ratio is None:
        return ""
    size = abs(ratio) * 100
    places = 0 if size >= 10 else 1 if size >= 1 else 2
    text = f"{size:,.{places}f}" if size >= 0.005 else "<0.01"
    return f"{'−' if ratio < 0 else '+'}{text} %"
