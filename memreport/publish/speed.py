"""The rooflines of a report, and in plain words what limits each."""

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
