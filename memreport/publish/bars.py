"""Memory bars: the peak in parts that add up to it, by the instant at which it occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from memreport.catalogue.quantities import GIB
from memreport.figures.peak import INSTANTS
from memreport.publish.peak_shown import Bar, Instant, Part, Segment
from memreport.publish.verdicts import word_of
from memreport.publish.view import View, in_gib, pair_in_gib, shown
from memreport.publish.worked import symbol_of

Terms = tuple[str, ...]
LARGE_BESIDE = 100
"""Terms so many times their sum are shown in smaller units: rounded as usual, they would not seem to make it."""
MOST_TIMES_CAPACITY = 2.6
"""Longer bars are cut, so that one that is far too long does not make the others unreadable."""


@dataclass(frozen=True)
class Component:
    """A part of the peak: for each instant that may be the peak, the figures to add; `-name` is subtracted."""

    id: str
    title: str
    terms: tuple[Terms, ...]

    def at_peak(self, view: View, at: int) -> Terms:
        """What it is made of at the instant at which one column peaks."""
        return self.terms[int(view.value("peak_instant", at)) - 1 if len(self.terms) > 1 else 0]

    def value(self, view: View, at: int) -> float:
        """Bytes of this part at the peak of one column."""
        return fsum(_signed(view, term, at) for term in self.at_peak(view, at))


def _signed(view: View, term: str, at: int) -> float:
    return -view.value(term[1:], at) if term[0] == "-" else view.value(term, at)


def _always(id_: str, title: str, *terms: str) -> Component:
    return Component(id_, title, (terms,))


BUFFERS = ("communication_buffer_bytes", "workspace_bytes")
COMPONENTS: dict[str, tuple[Component, ...]] = {
    "training": (
        _always("weights", "Weights", "weight_bytes"),
        _always("master_weights", "Master weights", "master_weight_bytes"),
        Component(
            "gradients",
            "Gradients",
            (("carried_gradient_bytes",), ("carried_gradient_bytes",), ("gradient_bytes",), ("gradient_bytes",)),
        ),
        Component(
            "optimizer",
            "Optimizer",
            (*((("optimizer_state_bytes",),) * 3), ("optimizer_state_bytes", "optimizer_step_bytes")),
        ),
        Component(
            "activations",
            "Activations",
            (
                ("stored_activation_bytes", "edge_activation_bytes", "autocast_copy_bytes"),
                ("backward_start_bytes", "-resident_bytes", "-carried_gradient_bytes"),
                ("backward_end_bytes", "-resident_bytes", "-gradient_bytes"),
                (),
            ),
        ),
        Component("logits", "Logits", (("logits_bytes",), (), (), ())),
        Component(
            "buffers",
            "Buffers and workspace",
            (*((BUFFERS,) * 3), (*BUFFERS, "lone_optimizer_instant_bytes", "-optimizer_instant_bytes")),
        ),
        _always("framework", "Framework and fragmentation", "framework_bytes", "fragmentation_bytes"),
    ),
    "serving": (
        _always("weights", "Weights", "weight_bytes"),
        _always("kv_cache", "KV cache", "kv_cache_bytes"),
        _always("transient", "Activations and logits", "transient_bytes"),
        _always("graphs", "Graphs and workspace", "cuda_graph_bytes", "workspace_bytes", "communication_buffer_bytes"),
        _always("framework", "Framework", "framework_bytes"),
    ),
}
"""The parts of a bar by workload, in the order in which they are stacked."""

INSTANT_FIGURES = ("forward_end_bytes", "backward_start_bytes", "backward_end_bytes", "lone_optimizer_instant_bytes")


def bar(view: View, at: int) -> Bar:
    """The bar of one column."""
    peak, capacity = view.value("peak_bytes", at), view.value("usable_bytes", at)
    text, usable = pair_in_gib(peak, capacity)
    segments = tuple(_segment(view, one, at) for one in COMPONENTS[view.workload])
    return Bar(view.resolved.cases[at].name, word_of(view, at), segments, peak, capacity, f"{text} of {usable}")


def _segment(view: View, one: Component, at: int) -> Segment:
    value = one.value(view, at)
    return Segment(one.id, one.title, value, in_gib(value))


def parts(view: View, at: int) -> tuple[Part, ...]:
    """What the peak of one column is made of, term by term; what is nothing there is left out."""
    return tuple(_part(view, one, at) for one in COMPONENTS[view.workload] if one.value(view, at))


def _part(view: View, one: Component, at: int) -> Part:
    terms = [term for term in one.at_peak(view, at) if _signed(view, term, at)]
    formula = _added(terms, [symbol_of(view, term.removeprefix("-")) for term in terms])
    value = one.value(view, at)
    numbers = _added(terms, _texts([view.value(term.removeprefix("-"), at) for term in terms], value))
    return Part(one.title, formula, numbers if len(terms) > 1 else "", value, in_gib(value))


def _texts(values: Sequence[float], result: float) -> list[str]:
    """The values as text: in MiB where their result is so small beside them that it would be lost in GiB."""
    if max(values) < LARGE_BESIDE * abs(result):
        return [shown(value, "byte") for value in values]
    return [shown(value * 1024 / GIB, "MiB") for value in values]


def _added(terms: Sequence[str], texts: Sequence[str]) -> str:
    """The texts with the signs of their terms between them."""
    signs = [" − " if term[0] == "-" else " + " for term in terms]
    return "".join(f"{sign}{text}" for sign, text in zip(signs, texts, strict=True)).removeprefix(" + ")


def instants(view: View, at: int) -> tuple[Instant, ...]:
    """Memory at the instants of a training step; none for serving."""
    if not view.has("peak_instant"):
        return ()
    worst = int(view.value("peak_instant", at)) - 1
    values = [view.value(name, at) for name in INSTANT_FIGURES]
    return tuple(
        Instant(title, value, in_gib(value), position == worst)
        for position, (title, value) in enumerate(zip(INSTANTS, values, strict=True))
    )
