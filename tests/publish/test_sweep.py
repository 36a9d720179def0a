"""Every drop-down of the mission's workbooks through all of its values: the workbook then says what the engine says.

What a scenario may not say (the price of another card, offloading without sharing) is computed by both alike, and fails
a check of the workbook; what it may say fails none.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from openpyxl.utils import get_column_letter

from memreport.catalogue.constraints import CONSTRAINTS, WARNINGS
from memreport.catalogue.fields.rules import Constraint
from memreport.figures.time.step.parts import PARTS
from memreport.formula.recording import replay, walk
from memreport.formula.words import Ref
from memreport.publish.xlsx.scenario.speed.step_time import FIRST_PART
from memreport.publish.xlsx.scenario.speed.step_time import TITLE as SECONDS
from tests.part import WHOLE
from tests.publish.sweep import (
    MASTER,
    Part,
    Sweep,
    choices,
    computed_anyway,
    variant_pickers,
    with_choices_stated,
    with_first,
)
from tests.publish.workbook_cases import cached, differing, input_cell, row_of, saved, shared_case
from tests.support import published
from tests.typed_workbook import Live

TAKEN = {
    "qlora-7b-rtx4070": Part(8, 96, 1),
    "serving-mi300x": Part(8, 96),
    **({"llama2-7b-1xa100": Part(), "llama3-70b-8xa100": Part()} if WHOLE else {}),
}
"""Of each drop-down a part of the values, others than the other scenarios take; `make sweep` takes all."""
FEWEST = 30
NEVER_NOUGHT = (
    "tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size", "expert_parallel_size",
    "num_key_value_heads", "decode_context_parallel_size", "prefill_context_parallel_size", "oft_block_size",
)  # fmt: skip
NEGATIVE = ("extra_parameters",)
"""What cards may give below zero."""
POSITION = "B6"
"""On a sheet that shows one variant, which one it is, counted from 1."""
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


@pytest.mark.parametrize("name", TAKEN)
def test_every_value_of_every_drop_down_is_a_change_of_the_scenario(name: str, tmp_path: Path) -> None:
    computed = with_choices_stated(next(one for one in published() if one.resolved.loaded.scenario.id == name))
    sweep = Sweep(saved(computed, tmp_path), computed)
    part = Part() if WHOLE else TAKEN[name]
    chosen = list(choices(sweep.path, computed, part))
    assert len(chosen) >= FEWEST
    expected, refused = computed_anyway(computed, [one.scenario for one in chosen])
    assert any(refused)
    assert not all(refused)
    for choice, engine, reason in zip(chosen, expected, refused, strict=True):
        parting, fails = sweep.differing(choice, engine)
        assert not [*parting.values()]
        assert fails == bool(reason), f"{choice}: {reason or 'is allowed'}"
    another_variant_is_shown_as_if_it_were_the_first(sweep, tmp_path)


def another_variant_is_shown_as_if_it_were_the_first(sweep: Sweep, folder: Path) -> None:
    """Sheets that show one variant hold, for the last one, what they hold where that is built as the first."""
    pickers, last = variant_pickers(sweep.path), sweep.computed.resolved.variants[-1].name
    assert pickers.keys() >= {"Roofline"}
    (folder / "other").mkdir()
    built = cached(saved(with_first(sweep.computed, last), folder / "other"))
    shown = sweep.live.computed(dict.fromkeys(pickers.items(), last))
    ordered = _in_the_order_of_variants(sweep)
    expected = {place: built[place] for place in built if place[0] in pickers and place[1] not in {POSITION, *ordered}}
    assert len(expected) > 100
    assert not differing(shown, expected)


def _in_the_order_of_variants(sweep: Sweep) -> set[str]:
    """Cells of the table of seconds, which has a row for each variant."""
    if sweep.computed.resolved.loaded.scenario.workload != "training":
        return set()
    first = row_of(sweep.path, "Roofline", f"{SECONDS} (s)") + 2
    rows = range(first, first + len(sweep.computed.resolved.variants))
    columns = range(1, FIRST_PART + len(PARTS) + 1)
    return {f"{get_column_letter(column)}{row}" for row in rows for column in columns}


@pytest.mark.parametrize("kind", TYPED)
def test_what_no_scenario_may_say_fails_a_check(kind: str) -> None:
    _, path = shared_case(kind)
    live = Live(path)
    for field, value in TYPED[kind].items():
        found = live.computed({input_cell(path, field): value})
        assert float(found[MASTER]) > 0, field
        assert str(found["Summary", f"C{row_of(path, 'Summary', 'Master check')}"]).endswith(": see Checks")


@pytest.mark.parametrize("rule", [*CONSTRAINTS, *WARNINGS], ids=lambda rule: f"{rule.field} {rule.message[:30]}")
def test_a_rule_recorded_for_the_workbook_is_the_rule(rule: Constraint) -> None:
    generator = np.random.default_rng(2026)
    names = sorted({node.name for node in walk(rule.expression) if isinstance(node, Ref)})
    lowest = {name: -8 if name in NEGATIVE else int(name in NEVER_NOUGHT) for name in names}
    columns = {name: generator.integers(lowest[name], 9, 500).astype(float) for name in names}
    for alone, row in enumerate(names):  # and each by itself, the others at their least
        for name in names:
            columns[name][alone] = 8 if name == row else lowest[name]
    said = np.asarray(rule.holds(columns), dtype=bool)
    assert np.array_equal(np.asarray(replay(rule.expression, columns), dtype=bool), said)
    assert said.any()
    assert not said.all()
