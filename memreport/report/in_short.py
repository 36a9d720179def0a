"""The answer in a few lines of text: what a reader of a terminal looks for after all figures have gone by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memreport.catalogue.names import title_of
from memreport.compute import Computed
from memreport.figures.registry import shown_in
from memreport.report.money.prices import cost_caveat
from memreport.report.peak.monitor import SHOWN, monitor_text
from memreport.report.peak.parts import bar
from memreport.report.verdicts import verdict
from memreport.report.view import View, is_end


def rows(computed: Computed, columns: Iterable[int]) -> list[list[str]]:
    """Verdict, parts of the peak, speed and cost: one row each, one column a variant."""
    view, listed = View(computed), list(columns)
    return [*_memory(view, listed), *_figures(view, listed)]


def _memory(view: View, columns: list[int]) -> Iterator[list[str]]:
    verdicts = [verdict(view, index) for index in columns]
    parts = [bar(view, index).segments for index in columns]
    for same in zip(*parts, strict=True):
        if any(segment.value for segment in same):
            yield [same[0].title, *(segment.text for segment in same)]
    yield ["Peak", *(variant.room.peak_text for variant in verdicts)]
    yield ["Range", *(variant.room.range_text for variant in verdicts)]
    if view.has(SHOWN):
        yield [title_of(SHOWN), *(monitor_text(view, index) for index in columns)]
    yield ["Usable", *(variant.room.capacity_text for variant in verdicts)]
    yield ["Verdict", *(str(variant.word) for variant in verdicts)]
    if view.has("peak_instant"):
        yield ["Peak at", *(variant.peak_instant for variant in verdicts)]


def _figures(view: View, columns: list[int]) -> Iterator[list[str]]:
    names = shown_in("in short", view.workload)
    for name in names:
        if name in view.lines and name not in view.unasked and not is_end(name, names):
            yield [title_of(name), *(view.ranged(name, index) for index in columns)]
    caveats = [cost_caveat(view, index) for index in columns]
    if any(caveats):
        yield ["Of this cost", *(caveat or "–" for caveat in caveats)]
