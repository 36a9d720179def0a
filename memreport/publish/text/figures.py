"""Every figure of a scenario as text, one column a variant."""

from __future__ import annotations

from collections.abc import Iterable

from memreport.advise.decide import Decision
from memreport.catalogue.names import scope_of
from memreport.compute import Computed
from memreport.figures.registry import GROUPS, PHASES
from memreport.publish.text.answer import answer_lines
from memreport.publish.text.table import folded
from memreport.report import assumed, in_short
from memreport.report.engine_command import command_rows
from memreport.report.records.decision import Answer
from memreport.report.view import View

GIVEN = "*"
"""Stands before a figure that the scenario overrides."""


def all_figures_text(decision: Decision, variants: tuple[str, ...], answer: Answer) -> str:
    """The figures of the given variants in their groups, then what is given, doubtful or assumed, then the answer."""
    computed = decision.scenario
    view = View(computed)
    columns = _columns(computed, variants)
    rows: list[list[str]] = [["", *variants]]
    shown = {line.name for line in computed.lines} - view.unasked
    for group in GROUPS[computed.resolved.workload]:
        figures = [figure for figure in group.figures if figure.name in shown]
        if figures:
            rows += [[], [group.title.upper()]]
        for figure in figures:
            rows.append([_label(figure.name), *(_cell_text(view, figure.name, index) for index in columns)])
    rows += _phase_rows(computed, columns)
    rows += [
        *_given_rows(computed, columns),
        *assumed.text_rows(computed, columns, decision.comparisons.unstated),
        [],
        ["IN SHORT"],
        *in_short.rows(computed, columns),
    ]
    return folded(rows) + _commands(computed, columns) + _warnings(computed, variants) + "\n" + answer_lines(answer)


def _columns(computed: Computed, variants: tuple[str, ...]) -> list[int]:
    return [index for index, case in enumerate(computed.resolved.variants) if case.name in variants]


def _commands(computed: Computed, columns: Iterable[int]) -> str:
    """The lines that start the engine of a serving scenario."""
    if computed.resolved.workload != "serving":
        return ""
    return "\nTO START ONE REPLICA\n" + "".join(f"{line}\n" for line in command_rows(View(computed), columns))


def figures_text(computed: Computed, variants: tuple[str, ...], names: tuple[str, ...]) -> str:
    """Some figures, in the order in which they are asked for."""
    columns = _columns(computed, variants)
    view = View(computed)
    rows = [[_label(name), *(_cell_text(view, name, index) for index in columns)] for name in names]
    return folded([["", *variants], *rows])


def _label(name: str) -> str:
    """A figure by its name, and of what it is where that is one replica, all GPUs or one user."""
    return f"{name}, {of}" if (of := scope_of(name)) else name


def _given_rows(computed: Computed, columns: Iterable[int]) -> list[list[str]]:
    """What the scenario gives in place of a figure, or of what a choice supplies."""
    view, listed = View(computed), list(columns)
    names = dict.fromkeys(name for index in listed for name in computed.resolved.cases[index].overrides)
    rows = [[name, *(view.given(name, index) for index in listed)] for name in names]
    return [[], [f"GIVEN BY THE SCENARIO, NOT COMPUTED (marked {GIVEN})"], *rows] if rows else []


def _warnings(computed: Computed, variants: tuple[str, ...]) -> str:
    warnings = [f"{warning}\n" for warning in computed.resolved.warnings if warning.variant in variants]
    return "".join(["\nWARNINGS\n", *warnings] if warnings else [])


def _phase_rows(computed: Computed, columns: Iterable[int]) -> list[list[str]]:
    rows: list[list[str]] = []
    view = View(computed)
    for phase in PHASES[computed.resolved.workload]:
        rows += [[], [f"ROOFLINE, {phase.title.upper()}: seconds at the roof"]]
        for kernel in phase.kernels:
            name = f"seconds_at_roof.{kernel.id}"
            rows.append([name, *(view.exact(name, index) for index in columns)])
    return rows


def _cell_text(view: View, name: str, index: int) -> str:
    figure = view.lines[name].figure.name
    return (
        f"{GIVEN} {view.exact(name, index)}"
        if figure in view.resolved.cases[index].overrides
        else view.exact(name, index)
    )
