"""The shown parts of a peak add up to it: for random valid scenarios, at every instant, and whatever is given."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings

from memreport.audit.report import audit
from memreport.checks import check
from memreport.compute import Computed
from memreport.errors import InputError, VerificationError
from memreport.report.peak.parts import bar
from memreport.report.view import View
from tests.part import WHOLE, part
from tests.publish.workbook_cases import lines, same, saved
from tests.random_scenarios import scenarios
from tests.slim import slim
from tests.support import run, scenario_text, value
from tests.typed_workbook import recalculated

STAGES = Path(__file__).parents[1] / "faults" / "parts-of-a-pipeline-stage.yaml"
"""The last stage of a pipeline peaks, with logits and a single micro-batch."""
EIGHT = "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}"
GIVEN = (
    "peak_bytes: 20e9", "peak_bytes: 60e9", "allocated_peak_bytes: 9e9", "resident_bytes: 5e9",
    "forward_end_bytes: 90e9", "backward_end_bytes: 90e9", "peak_activation_bytes: 1e9",
)  # fmt: skip
quietly = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def computed_of(folder: Path, text: str) -> Computed:
    """A random scenario, if it is valid."""
    try:
        made = run(folder, text)
        check(made)
    except (InputError, VerificationError):
        assume(False)
    return made


def add_up(computed: Computed) -> None:
    view = View(computed)
    for at in range(len(view.variants)):
        peak = value(computed, "peak_bytes", at)
        assert math.fsum(one.value for one in bar(view, at).segments) == pytest.approx(peak, rel=1e-9)


@settings(quietly, max_examples=150 if WHOLE else 60)
@given(scenarios())
def test_parts_of_a_random_scenario_add_up_to_its_peak(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    computed = computed_of(tmp_path_factory.getbasetemp(), text)
    add_up(computed)
    assert all(one.value >= 0 for one in bar(View(computed), 0).segments)
    low, high = value(computed, "peak_bytes_low"), value(computed, "peak_bytes_high")
    assert low <= value(computed, "peak_bytes") * (1 + 1e-9)
    assert value(computed, "peak_bytes") <= high * (1 + 1e-9)


@settings(quietly, max_examples=10 if WHOLE else 1)
@given(scenarios())
def test_a_random_workbook_computes_to_the_engines_figures_and_all_checks_pass(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.mktemp("book")
    computed = computed_of(folder, text)
    path = saved(computed, folder)
    found = recalculated(path)
    assert [name for name, place, expected in lines(path, computed) if not same(found[place], expected)] == []
    assert found["Checks", "F5"] == 0
    assert found["Checks", "F7"] == "All checks pass"


def test_the_last_stage_of_a_pipeline_shows_its_one_micro_batch(tmp_path: Path) -> None:
    computed = run(tmp_path, STAGES.read_text(encoding="utf-8"), STAGES.stem)
    assert value(computed, "micro_batches_in_flight") > 1
    add_up(computed)
    assert audit(saved(computed, tmp_path)).findings == ()


@pytest.mark.parametrize("given_", part(GIVEN, 3))
def test_a_given_peak_or_sum_has_a_part_of_its_own(given_: str, tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(hardware=EIGHT, overrides=f"{{{given_}}}"), catalogue=slim())
    check(computed)
    add_up(computed)
    assert audit(saved(computed, tmp_path)).findings == ()


def test_a_difference_that_nobody_gave_is_a_fault(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text())
    values = dict(computed.values)
    values["given_surplus_bytes"] = values["given_surplus_bytes"] + 5e6
    with pytest.raises(VerificationError, match="differs from the sum of its parts"):
        check(Computed(computed.resolved, computed.lines, values))


BASE = "gradient_accumulation_steps: 16, sequence_length: 512"


@pytest.mark.parametrize(
    ("training", "instant"),
    [
        (BASE, 1),
        (f"{BASE}, pipeline_parallel_size: 8", 2),
        ("sequence_length: 512", 3),
        (f"{BASE}, optimizer_implementation: foreach", 4),
    ],
)
def test_parts_add_up_at_every_instant(training: str, instant: int, tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(hardware=EIGHT, training=f"{{{training}}}"))
    assert value(computed, "peak_instant") == instant
    add_up(computed)
