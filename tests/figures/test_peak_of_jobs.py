"""The peak of whole jobs: what a memory tracker counted, which instant it is, and its range."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.figures.test_peak import INSTANTS
from tests.support import run, scenario_text, value

# GiB that torch's memory tracker counts for Llama 2 7B: pure BF16, fused AdamW, 2,048 tokens, steady state.
TRACKED = [
    ("attention: flash", 1, 50.22),
    ("attention: flash", 4, 86.37),
    ("attention: eager", 1, 74.08),
    ("attention: eager", 4, 182.34),
    ("attention: flash, gradient_checkpointing: full", 1, 50.22),
    ("attention: flash, gradient_checkpointing: full", 4, 51.55),
    ("attention: flash, optimizer_implementation: foreach", 1, 62.76),
]


@pytest.mark.parametrize(("training", "batch", "gibibytes"), TRACKED)
def test_the_peak_is_what_the_memory_tracker_counted(
    tmp_path: Path, training: str, batch: int, gibibytes: float
) -> None:
    job = f"{{precision: bf16-pure, sequence_length: 2048, micro_batch_size: {batch}, {training}}}"
    computed = run(tmp_path, scenario_text(training=job))
    assert value(computed, "allocated_peak_bytes") / 2**30 == pytest.approx(gibibytes, rel=0.005)


@pytest.mark.parametrize(
    ("training", "instant"),
    [
        ("micro_batch_size: 4", 1),
        ("micro_batch_size: 4, gradient_checkpointing: sqrt, gradient_accumulation_steps: 2", 2),
        ("optimizer_implementation: foreach", 4),
    ],
)
def test_which_instant_is_the_peak(tmp_path: Path, training: str, instant: int) -> None:
    computed = run(tmp_path, scenario_text(training=f"{{precision: bf16-pure, {training}}}"))
    assert value(computed, "peak_instant") == instant
    assert value(computed, INSTANTS[instant - 1]) == max(value(computed, name) for name in INSTANTS)


def test_low_expected_and_high_are_in_order(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text())
    low, expected, high = (value(computed, name) for name in ("peak_bytes_low", "peak_bytes", "peak_bytes_high"))
    assert low < expected < high
