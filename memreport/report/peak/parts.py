"""Memory bars: the peak in parts that add up to it, by the instant at which it occurs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memreport.catalogue.quantities import GIB
from memreport.figures.serving import parts as serving_parts
from memreport.figures.training import peak, peak_parts
from memreport.figures.training.peak import INSTANTS
from memreport.formula.recording import figures_in
from memreport.formula.words import Expr, Op, Ref
from memreport.report.records.peak import Bar, Instant, Part, Segment
from memreport.report.verdicts import word_of
from memreport.report.view import View, in_gib, pair_in_gib, shown
from memreport.report.worked import chosen_of, inputs_of, symbol_of

LARGE_BESIDE = 100
"""Terms so many times their sum are shown in smaller units: rounded as usual, they would not seem to make it."""
MOST_TIMES_CAPACITY = 2.6
"""Longer bars are cut, so that one that is far too long does not make the others unreadable."""


@dataclass(frozen=True)
class Component:
    """A part of the peak: the figure that it is."""

    id: str
    title: str
    figure: str

    def value(self, view: View, at: int) -> float:
        """Bytes of this part at the peak of one column."""
        return view.value(self.figure, at)


@dataclass(frozen=True)
class Term:
    """A figure that a part adds or subtracts."""

    name: str
    negative: bool = False


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
GIVEN = Component("given", "Given beyond the parts", "given_surplus_bytes")
"""What an overridden peak, or an overridden sum on the way to it, holds beyond the parts."""
OPENED = frozenset(
    one.name
    for one in (
        *figures_in(peak_parts),
        *figures_in(serving_parts),
        peak.forward_activation_bytes,
        peak.forward_logits_bytes,
        peak.backward_start_activation_bytes,
        peak.backward_end_activation_bytes,
    )
)
"""Figures that are shown as the terms that they add, in the case that applies."""

INSTANT_FIGURES = ("forward_end_bytes", "backward_start_bytes", "backward_end_bytes", "lone_optimizer_instant_bytes")


def components(view: View) -> tuple[Component, ...]:
    """The parts of a scenario's bars; only where figures are overridden may there be one more."""
    given = any(name in view.lines for name in view.resolved.overrides)
    return COMPONENTS[view.workload] + ((GIVEN,) if given else ())


def bar(view: View, at: int) -> Bar:
    """The bar of one column."""
    peak_, capacity = view.value("peak_bytes", at), view.value("usable_bytes", at)
    text, usable = pair_in_gib(peak_, capacity)
    segments = tuple(_segment(view, one, at) for one in components(view))
    return Bar(view.resolved.cases[at].name, word_of(view, at), segments, peak_, capacity, f"{text} of {usable}")


def _segment(view: View, one: Component, at: int) -> Segment:
    value = one.value(view, at)
    return Segment(one.id, one.title, value, in_gib(value))


def parts(view: View, at: int) -> tuple[Part, ...]:
    """What the peak of one column is made of, term by term; what is nothing there is left out."""
    return tuple(_part(view, one, at) for one in components(view) if one.value(view, at))


def _part(view: View, one: Component, at: int) -> Part:
    terms = [term for term in terms_of(view, one.figure, at) if view.value(term.name, at)]
    formula = _added(terms, [symbol_of(view, term.name) for term in terms])
    value = one.value(view, at)
    numbers = _added(terms, _texts([view.value(term.name, at) for term in terms], value))
    return Part(one.title, formula, numbers if len(terms) > 1 else "", value, in_gib(value))


def terms_of(view: View, name: str, at: int, *, negative: bool = False) -> Iterator[Term]:
    """The figures that one figure adds and subtracts in one column, by the cases that apply there."""
    if name not in OPENED or name in view.resolved.cases[at].overrides:
        yield Term(name, negative)
        return
    line = view.lines[name]
    for parameter, minus in _signed(chosen_of(line.figure.expression, inputs_of(view, line, at)), negative=negative):
        yield from terms_of(view, line.bound[parameter], at, negative=minus)


def _signed(expression: Expr, *, negative: bool) -> Iterator[tuple[str, bool]]:
    """The names in a sum, and whether each is subtracted; a nought has none."""
    if isinstance(expression, Ref):
        yield expression.name, negative
    elif isinstance(expression, Op):
        for position, argument in enumerate(expression.args):
            yield from _signed(argument, negative=negative ^ (expression.word == "sub" and position == 1))


def _texts(values: Sequence[float], result: float) -> list[str]:
    """The values as text: in MiB where their result is so small beside them that it would be lost in GiB."""
    if max(values) < LARGE_BESIDE * abs(result):
        return [shown(value, "byte") for value in values]
    return [shown(value * 1024 / GIB, "MiB") for value in values]


def _added(terms: Sequence[Term], texts: Sequence[str]) -> str:
    """The texts with the signs of their terms between them."""
    signs = [" − " if term.negative else " + " for term in terms]
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
