"""Every drop-down of the mission's workbooks through all of its values: the workbook then says what the engine says.

What a scenario may not say (the price of another card, offloading without sharing) is computed by both alike, and fails
a check of the workbook; what it may say fails none.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from memreport.audit.recalculate import Live
from memreport.catalogue.constraints import CAUTIONS, CONSTRAINTS, Constraint
from memreport.figures.registry import PHASES
from memreport.formula.recording import replay, walk
from memreport.formula.words import Ref
from tests.publish.sweep import MASTER, Sweep, choices, computed_anyway, shown_variants
from tests.publish.workbook_cases import case, input_cell, row_of, same, saved
from tests.support import published

MISSION = ("llama3-70b-8xa100", "llama2-7b-1xa100", "qlora-7b-rtx4070", "serving-mi300x")
FEWEST = 240
"""There are 34 accelerators alone."""
NEVER_NOUGHT = (
    "tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size", "expert_parallel_size",
    "num_key_value_heads",
)  # fmt: skip
TYPED: dict[str, dict[str, float]] = {
    "training": {
        "tensor_parallel_size": 3,
        "pipeline_parallel_size": 64,
        "expert_parallel_size": 8,
        "context_parallel_size": 16,
        "fragmentation_share": 0.9,
    },
    "serving": {"context_length": 9000, "prompt_tokens": 9000, "max_num_seqs": 99_999},
}
"""Numbers that each break a rule between fields."""
ON_ROOFLINE = {"G": "intensity", "I": "attainable_flop_per_second", "M": "share_of_step"}


@pytest.mark.parametrize("name", MISSION)
def test_every_value_of_every_drop_down_is_a_change_of_the_scenario(name: str, tmp_path: Path) -> None:
    computed = next(one for one in published() if one.resolved.loaded.scenario.id == name)
    sweep = Sweep(saved(computed, tmp_path), computed)
    chosen = list(choices(sweep.path, computed))
    assert len(chosen) >= FEWEST
    expected, refused = computed_anyway(computed, [one.scenario for one in chosen])
    assert any(refused)
    assert not all(refused)
    for choice, engine, reason in zip(chosen, expected, refused, strict=True):
        differing, fails = sweep.differing(choice, engine)
        assert not differing
        assert fails == bool(reason), f"{choice}: {reason or 'is allowed'}"
    roofline_shows_every_variant(sweep)


def roofline_shows_every_variant(sweep: Sweep) -> None:
    """Its drop-down names all variants, and each is shown."""
    resolved, values = sweep.computed.resolved, sweep.computed.values
    kernels = [kernel.id for phase in PHASES[resolved.workload] for kernel in phase.kernels]
    rows = {kernel: row_of(sweep.path, "Roofline", kernel) for kernel in kernels}
    variants = shown_variants(sweep.path)
    assert variants == [one.name for one in resolved.variants]
    for at, variant in enumerate(variants):
        found = sweep.live.computed({("Roofline", "B5"): variant})
        for (kernel, row), (column, figure) in product(rows.items(), ON_ROOFLINE.items()):
            assert same(found["Roofline", f"{column}{row}"], float(values[f"{figure}.{kernel}"][at]))


@pytest.mark.parametrize("kind", TYPED)
def test_what_no_scenario_may_say_fails_a_check(kind: str, tmp_path: Path) -> None:
    path = saved(case(tmp_path, kind), tmp_path)
    live = Live(path)
    for field, value in TYPED[kind].items():
        found = live.computed({input_cell(path, field): value})
        assert float(found[MASTER]) > 0, field
        assert str(found["Cover", f"C{row_of(path, 'Cover', 'Master check')}"]).endswith("checks fail: see Checks")


@pytest.mark.parametrize("rule", [*CONSTRAINTS, *CAUTIONS], ids=lambda rule: f"{rule.field} {rule.message[:30]}")
def test_a_rule_recorded_for_the_workbook_is_the_rule(rule: Constraint) -> None:
    generator = np.random.default_rng(2026)
    names = sorted({node.name for node in walk(rule.expression) if isinstance(node, Ref)})
    columns = {name: generator.integers(name in NEVER_NOUGHT, 9, 500).astype(float) for name in names}
    said = np.asarray(rule.holds(columns), dtype=bool)
    assert np.array_equal(np.asarray(replay(rule.expression, columns), dtype=bool), said)
    assert said.any()
    assert not said.all()
