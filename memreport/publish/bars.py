"""Memory bars: the peak in parts that add up to it, by the instant at which it occurs."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

from memreport.figures.peak import INSTANTS
from memreport.publish.shown import Bar, Instant, Segment
from memreport.publish.verdicts import word_of
from memreport.publish.view import View, in_gib, pair_in_gib

Terms = tuple[str, ...]


@dataclass(frozen=True)
class Component:
    """A part of the peak: for each instant that may be the peak, the figures to add; `-name` is subtracted."""

    id: str
    title: str
    terms: tuple[Terms, ...]

    def value(self, view: View, at: int) -> float:
        """Bytes of this part at the peak of one column."""
        instant = int(view.value("peak_instant", at)) - 1 if len(self.terms) > 1 else 0
        return fsum(
            -view.value(term[1:], at) if term[0] == "-" else view.value(term, at) for term in self.terms[instant]
        )


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
    parts = [(one.title, one.value(view, at)) for one in COMPONENTS[view.workload]]
    peak, capacity = view.value("peak_bytes", at), view.value("usable_bytes", at)
    text, usable = pair_in_gib(peak, capacity)
    segments = tuple(Segment(title, value, in_gib(value)) for title, value in parts)
    return Bar(view.resolved.cases[at].name, word_of(view, at), segments, peak, capacity, f"{text} of {usable}")


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
