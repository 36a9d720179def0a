"""The rooflines of a report, and in plain words what limits each and what the times are: estimate or bound."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from memreport.figures.registry import PHASES, Phase
from memreport.publish.shown import RoofKernel, Roofline
from memreport.publish.view import View, shown

_LIMITS = {"memory": "memory bandwidth", "compute": "arithmetic"}


def rooflines(view: View, at: int) -> tuple[Roofline, ...]:
    """One roofline a phase of the workload."""
    return tuple(_roofline(view, phase, at) for phase in PHASES[view.workload])


def speed_words(view: View, at: int) -> str:
    """How long a step, a prefill, a decode step take, each called what it is, and what the plan goes by."""
    return _training_words(view, at) if view.workload == "training" else _serving_words(view, at)


def bound_words(view: View, at: int) -> str:
    """Where a step takes longer than the stated utilisation allows: what binds; nothing where the estimate holds."""
    estimate, bound = (view.value(name, at) for name in ("step_seconds_at_utilization", "step_seconds_bound"))
    if bound <= estimate:
        return ""
    return (
        f"The time per step is its lower bound, {view.text('step_seconds_bound', at)}, because that is longer than the "
        f"{view.text('step_seconds_at_utilization', at)} at the stated utilisation; what binds is "
        f"{view.text('step_limit', at)}."
    )


def _training_words(view: View, at: int) -> str:
    limit = bound_words(view, at)
    estimate = (
        f"A step takes {view.text('step_seconds_at_utilization', at)} at the stated utilisation of "
        f"{view.text('model_flop_utilization', at)}, which is an estimate"
    )
    if limit:
        return f"{estimate}. {limit} Rates, hours and cost are those of the bound."
    return (
        f"{estimate} and what rates, hours and cost go by; it cannot take less than "
        f"{view.text('step_seconds_bound', at)}, the lower bound."
    )


def _serving_words(view: View, at: int) -> str:
    prefill, first, step, user, copy = (
        view.text(f"{name}_bound", at)
        for name in (
            "prefill_seconds",
            "time_to_first_token",
            "decode_step_seconds",
            "sequence_tokens_per_second",
            "decode_tokens_per_second",
        )
    )
    return (
        f"All times are lower bounds and all rates upper bounds: a prefill takes at least {prefill}, the first token "
        f"comes after {first} at best, and a decode step takes at least {step}, so that one user sees at most {user} "
        f"and one copy of the model decodes at most {copy}."
    )


def _roofline(view: View, phase: Phase, at: int) -> Roofline:
    peak, bandwidth, ridge = (
        view.value(name, at) for name in ("peak_flop_per_second", "memory_bytes_per_second", "ridge_flop_per_byte")
    )
    kernels = tuple(_kernels(view, phase, at))
    seconds = view.value(f"{phase.id}_seconds_at_roof", at)
    return Roofline(
        phase.id,
        phase.title,
        peak,
        bandwidth,
        ridge,
        shown(peak, "FLOP/s"),
        shown(bandwidth, "byte/s"),
        shown(ridge, "FLOP/byte"),
        seconds,
        shown(seconds, "s"),
        kernels,
        _plain_words(phase, kernels),
    )


def _kernels(view: View, phase: Phase, at: int) -> Iterator[RoofKernel]:
    launched = [row for row in phase.kernels if view.value(f"seconds_at_roof.{row.id}", at) > 0]
    for position, row in enumerate(launched, 1):
        intensity, attainable, seconds, share = (
            view.value(f"{name}.{row.id}", at)
            for name in ("intensity", "attainable_flop_per_second", "seconds_at_roof", "share_of_step")
        )
        yield RoofKernel(
            position,
            row.id,
            row.title,
            view.value(row.flop, at),
            view.value(f"kernel_bytes.{row.id}", at),
            intensity,
            attainable,
            _LIMITS[view.text(f"bound.{row.id}", at)],
            seconds,
            share,
            shown(intensity, "FLOP/byte"),
            shown(attainable, "FLOP/s"),
            shown(seconds, "s"),
            shown(share, "share"),
        )


def _plain_words(phase: Phase, kernels: tuple[RoofKernel, ...]) -> str:
    by_memory = fsum(row.share for row in kernels if row.bound == _LIMITS["memory"])
    largest = max(kernels, key=lambda row: row.share, default=None)
    if largest is None:
        return f"The {phase.title} launches no kernel."
    limit = "memory" if by_memory >= 1 / 2 else "compute"
    other = "arithmetic rate" if limit == "memory" else "memory bandwidth"
    part = shown(by_memory if limit == "memory" else 1 - by_memory, "share")
    return (
        f"At best, {part} of the {phase.title} is limited by {_LIMITS[limit]}. "
        f"The largest part is {largest.title} ({largest.share_text}). "
        f"An accelerator with more {other} alone would hardly shorten it."
    )
