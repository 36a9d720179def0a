"""The figures that a scenario's question asks for, of every variant, in a sentence each."""

from __future__ import annotations

from memreport.catalogue.quantities import display, unit_shown
from memreport.compute import Computed
from memreport.figures.registry import figures_by_name
from memreport.formula.recording import Figure

MOST = 4
"""Variants that a sentence names."""


def answer_sentence(computed: Computed) -> str:
    """What the figures come to that answer the question; nothing where the scenario names none."""
    figures = figures_by_name(computed.resolved.workload)
    asked = [figures[name] for name in computed.resolved.loaded.scenario.answers if name in computed.values]
    return " ".join(_sentence(computed, figure) for figure in asked)


def _sentence(computed: Computed, figure: Figure) -> str:
    meaning, variants = figure.meaning.rstrip("."), computed.resolved.variants
    if len(variants) == 1:
        return f"{meaning}: {_text(computed, figure, 0)}."
    listed = [f"{_text(computed, figure, index)} for {case.name}" for index, case in enumerate(variants[:MOST])]
    more = [f"{len(variants) - MOST} more in the table of variants"] if len(variants) > MOST else []
    between = "; " if any("," in case.name for case in variants) else ", "
    return f"{meaning}: {between.join([*listed, *more])}."


def _text(computed: Computed, figure: Figure, index: int) -> str:
    value = float(computed.values[figure.name][index])
    return figure.labels[int(value) - 1] if figure.labels else display(value, unit_shown(figure.name, str(figure.unit)))
