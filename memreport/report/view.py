"""A computed scenario as publishers ask it: values, units, titles, symbols and texts by name and column."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from memreport.catalogue import quantities
from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.names import Register, title_of
from memreport.catalogue.quantities import GIB, display
from memreport.catalogue.records import Column, Table
from memreport.catalogue.scenario import Scenario, dictionary
from memreport.compute import Computed, hidden_groups
from memreport.figures.registry import group
from memreport.formula.recording import Line
from memreport.report.shares import spread_words
from memreport.resolve import Case

SIGNED = "approval_total_usd"
"""What has to be signed: the whole purchase where hardware is bought, else the total cost."""


class View:
    """Reads a computed scenario; `index` is a column, the first of which are the variants."""

    def __init__(self, computed: Computed) -> None:
        self.computed, self.resolved = computed, computed.resolved
        self.scenario: Scenario = self.resolved.loaded.scenario
        self.workload = self.resolved.workload
        self.variants: tuple[Case, ...] = self.resolved.variants

    @cached_property
    def fields(self) -> dict[str, Entry]:
        """The data dictionary of this workload; what is optional counts as an override of what a choice supplies."""
        return {name: entry for name, entry in dictionary(self.workload).items() if entry.kind != "optional"}

    @cached_property
    def lines(self) -> dict[str, Line]:
        """The lines of the calculation by name."""
        return {line.name: line for line in self.computed.lines}

    @cached_property
    def read(self) -> frozenset[str]:
        """Every name that a line of the calculation reads."""
        return frozenset(name for line in self.computed.lines for name in line.reads)

    @cached_property
    def register(self) -> Register:
        """Every name that the calculation has."""
        return Register({line.name: line.figure for line in self.computed.lines}, self.fields, self.resolved.catalogue)

    @property
    def attributes(self) -> dict[str, tuple[Entry, Column]]:
        """Inputs that a choice supplies, with the choice and the column."""
        return self.register.attributes

    @cached_property
    def unasked(self) -> frozenset[str]:
        """Figures of a demand or a cost that nobody states: computed for the formulas that read them, and not shown."""
        titles = hidden_groups(self.resolved)
        return frozenset(figure.name for title in titles for figure in group(self.workload, title).figures)

    def buys(self, index: int) -> bool:
        """Whether hardware is bought, so that the whole purchase has to be signed and not the cost of this use."""
        return self.scenario.cost is not None and SIGNED in self.lines and self.value("buys", index) > 0

    def column_of(self, variant: str) -> int:
        """The column of a variant."""
        return [case.name for case in self.variants].index(variant)

    def has(self, name: str) -> bool:
        """Whether anything of that name has a value."""
        return name in self.computed.values

    def value(self, name: str, index: int) -> float:
        """A figure or input in base units."""
        return float(self.computed.values[name][index])

    def beside(self, name: str, index: int) -> float:
        """A figure that is said beside the calculation and is no line of it, in base units; 0 where there is none."""
        return float(self.computed.beside[name][index]) if name in self.computed.beside else 0.0

    def ends(self, name: str, index: int) -> tuple[float, float] | None:
        """Low and high end of a time or rate; None without any."""
        if f"{name}_low" not in self.computed.values or not self.value(name, index):
            return None
        return self.value(f"{name}_low", index), self.value(f"{name}_high", index)

    def ranged(self, name: str, index: int) -> str:
        """The value as people read it, with its ends where it has any: what all times are shown by."""
        value, ends = self.value(name, index), self.ends(name, index)
        return quantities.with_ends(value, ends, self.unit_in(name, index)) if ends else self.text(name, index)

    def spread(self, name: str, columns: Iterable[int]) -> str:
        """How far a time or rate may lie from what is shown in some columns, in a sentence; "" without ends."""
        of_time, rate = self.unit(name) in ("s", "h"), "/s" in self.unit(name)
        ends = [(self.ends(name, index), self.value(name, index)) for index in columns if of_time or rate]
        found = ((pair[0], value, pair[1]) for pair, value in ends if pair)
        return spread_words(found, "Times" if of_time else "The times behind the rates", rates=not of_time)

    def unit(self, name: str) -> str:
        """Its unit in the words of `catalogue.quantities`; a share is `share`, a plain number `1`."""
        return quantities.unit_shown(name, self.register.unit(name))

    def makes_tokens(self, index: int) -> bool:
        """Whether a column answers with tokens; encoders, embedders and rerankers that serve read texts."""
        return self.workload != "serving" or self.value("makes_tokens", index) > 0

    def hears(self, index: int) -> bool:
        """Whether a column turns sound into words."""
        return self.workload == "serving" and self.value("audio_seconds", index) > 0

    def unit_in(self, name: str, index: int) -> str:
        """Its unit in a column: what answers with vectors makes no tokens, but reads texts."""
        unit = self.unit(name)
        reads = unit == "token/s" and self.workload == "serving" and not self.makes_tokens(index)
        return "text/s" if reads else unit

    def text(self, name: str, index: int) -> str:
        """The value as people read it: a label, a quantity with unit; memory in GiB, as on page 1, never in TiB."""
        labels = self.lines[name].figure.labels if name in self.lines else ()
        if labels:
            return labels[int(self.value(name, index)) - 1]
        value, unit = self.value(name, index), quantities.in_gpu_hours(name, self.unit_in(name, index))
        return in_gib(value) if unit == "byte" and abs(value) >= 1024 * GIB else shown(value, unit)

    def exact(self, name: str, index: int) -> str:
        """As `text`, in the unit that fits the value."""
        labels = self.lines[name].figure.labels if name in self.lines else ()
        value, unit = self.value(name, index), self.register.unit(name)
        return labels[int(value) - 1] if labels else display(value, quantities.in_gpu_hours(name, unit))

    def given(self, name: str, index: int) -> str:
        """What a column gives in place of a figure or of a catalogue's number; a dash where it gives nothing."""
        overrides = self.resolved.cases[index].overrides
        return display(overrides[name], self.unit(name)) if name in overrides else "-"

    def meaning(self, name: str) -> str:
        """What it is, in one sentence without a full stop."""
        return self.register.meaning(name).rstrip(".") or title_of(name)

    def setting(self, name: str, index: int) -> str:
        """A field's value in words: a choice by its title, a switch by yes or no, a number with its unit."""
        return self.worded(name, self.resolved.cases[index].settings[name], short=False)

    def worded(self, name: str, value: Any, short: bool = True) -> str:
        """Any value of a field in words; `short` names a choice by its id where that says enough."""
        entry = self.fields[name]
        if entry.kind == "choice":
            return str(value) if short and not isinstance(value, int) else self.choice_title(name, value)
        if entry.kind == "switch":
            return "yes" if value else "no"
        if entry.kind == "list":
            return ", ".join(map(str, value)) or "none"
        return shown(float(value), self.unit(name)) if entry.kind in ("number", "whole") else str(value)

    def table_of(self, name: str) -> Table:
        """The table from which a choice is made."""
        return self.resolved.catalogue.tables[self.fields[name].table]

    def choice_title(self, name: str, value: Any) -> str:
        """A choice as its table calls it."""
        table = self.table_of(name)
        return table.titles[table.row(value)] if value in table.ids else str(value)


def is_end(name: str, others: Iterable[str]) -> bool:
    """Whether a figure is the low or high end of another, beside which it is shown."""
    return name.endswith(("_low", "_high")) and name.rpartition("_")[0] in others


def shown(value: float, unit: str) -> str:
    """A quantity as text, with a true minus sign."""
    return true_minus(display(value, unit))


def in_gib(value: float) -> str:
    """Bytes in GiB, with a true minus sign."""
    return true_minus(quantities.in_gib(value))


def counted(value: float, unit: str) -> str:
    """A quantity; round large counts in words, such as 70 billion."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if unit in ("1", "token") and value >= size and value % (size / 1000) == 0:
            return f"{shown(value / size, '1')} {word}{' tokens' if unit == 'token' else ''}"
    return shown(value, unit)


def pair_in_gib(first: float, second: float) -> tuple[str, str]:
    """Two sizes in GiB that read different where they are, with true minus signs."""
    name, other = quantities.pair_in_gib(first, second)
    return true_minus(name), true_minus(other)


def true_minus(text: str) -> str:
    """A text of a number, with a true minus sign."""
    return text.replace("-", "−", 1) if text.startswith("-") else text


_UNIT = r"(?:%|[KMGTP]i?B|h|min|s|ms|µs|days|[kM]?Wh?|k?W)(?![\w/])"
NUMBER_AND_UNIT = rf"(?<=\d) (?={_UNIT}|[A-Za-z]+/[a-z]+\b)"
"""The space between a number and its unit, in words that Python and browsers have in common."""
_NUMBER_AND_UNIT = re.compile(NUMBER_AND_UNIT)


def tied(text: str) -> str:
    """A text in which no line ends between a number and its unit."""
    return _NUMBER_AND_UNIT.sub("\u00a0", text)
