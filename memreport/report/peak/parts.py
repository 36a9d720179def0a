"""Memory bars: the peak in parts that add up to it, by the instant at which it occurs."""

from __future__ import annotations

from memreport.catalogue.quantities import GIB, brief
from memreport.frozen import frozen
from memreport.report.records.peak import Bar, Segment
from memreport.report.verdicts import word_of
from memreport.report.view import View, pair_in_gib, true_minus

MOST_TIMES_CAPACITY = 2.6
"""Longer bars are cut, so that one that is far too long does not make the others unreadable."""


@frozen
class Component:
    """A part of the peak: the figure that it is."""

    id: str
    title: str
    figure: str

    def value(self, view: View, index: int) -> float:
        """Bytes of this part at the peak of one column."""
        return view.value(self.figure, index)


COMPONENTS: dict[str, tuple[Component, ...]] = {
    "training": (
        Component("weights", "Weights", "weight_bytes"),
        Component("master_weights", "Master weights", "master_weight_bytes"),
        Component("gradients", "Gradients", "peak_gradient_bytes"),
        Component("optimizer", "Optimizer", "peak_optimizer_bytes"),
        Component("activations", "Activations", "peak_activation_bytes"),
        Component("logits", "Logits", "peak_logits_bytes"),
        Component("buffers", "Buffers and workspace", "peak_buffer_bytes"),
        Component("framework", "Framework and fragmentation", "peak_framework_bytes"),
    ),
    "serving": (
        Component("weights", "Weights", "weight_bytes"),
        Component("kv_cache", "KV cache", "kv_cache_bytes"),
        Component("transient", "Activations and logits", "transient_bytes"),
        Component("graphs", "Graphs and workspace", "graph_and_workspace_bytes"),
        Component("framework", "Framework", "framework_bytes"),
    ),
}
"""The parts of a bar by workload, in the order in which they are stacked."""
OTHERS = Component("others", "Other models", "companion_bytes")
"""What preference and reinforcement learning hold beside the trained model; shown where there is any."""
GENERATING = Component("generating", "While generating alone", "generating_excess_bytes")
"""What an engine that sleeps while training takes beyond the step when it is awake; shown where there is any."""
LOADING = Component("loading", "While loading alone", "loading_excess_bytes")
"""What loading takes beyond what serving takes afterwards; shown where there is any."""
LONGEST = Component("longest", "One longest request", "longest_request_excess_bytes")
"""What a request of `max_model_len` takes beyond all that is planned, where an engine does not start without room for
one; shown where there is any."""
AT_TIMES = (OTHERS, GENERATING, LONGEST, LOADING)
GIVEN = Component("given", "Given beyond the parts", "given_surplus_bytes")
"""What an overridden peak, or an overridden sum on the way to it, holds beyond the parts."""


def components(view: View) -> tuple[Component, ...]:
    """The parts of a scenario's bars: those that not every job has only where there is any of them."""
    columns = range(len(view.resolved.cases))
    unused = [
        component
        for component in AT_TIMES
        if component.figure in view.lines and not any(component.value(view, index) for index in columns)
    ]
    return tuple(component for component in possible_components(view) if component not in unused)


def possible_components(view: View) -> tuple[Component, ...]:
    """All parts that the peak may come to have when an input is changed."""
    given = any(name in view.lines for name in view.resolved.overrides)
    at_times = tuple(component for component in AT_TIMES if component.figure in view.lines)
    return COMPONENTS[view.workload] + at_times + ((GIVEN,) if given else ())


def bar(view: View, index: int) -> Bar:
    """The bar of one column."""
    peak_, capacity = view.value("peak_bytes", index), view.value("usable_bytes", index)
    text, usable = pair_in_gib(peak_, capacity)
    segments = tuple(_segment(view, component, index) for component in components(view))
    return Bar(view.resolved.cases[index].name, word_of(view, index), segments, peak_, capacity, f"{text} of {usable}")


def _segment(view: View, component: Component, index: int) -> Segment:
    value = component.value(view, index)
    return Segment(component.id, component.title, value, true_minus(brief(value / GIB, "GiB")))
