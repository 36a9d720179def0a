"""What every scenario says, and every formula as the workbook prints it: texts whose change a person reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memreport.compute import Computed
from memreport.figures.registry import GROUPS, PHASES, lines_of
from memreport.formula.printing import to_excel
from memreport.publish.text.table import table as aligned
from tests.support import SCENARIOS, published, value

Golden = Callable[[str, str], None]
HERE = Path(__file__).parent
_NAMES = """
    parameters active_parameters trainable_parameters weight_bytes master_weight_bytes gradient_bytes
    optimizer_state_bytes stored_activation_bytes live_activation_bytes activation_bytes logits_bytes
    optimizer_step_bytes communication_buffer_bytes workspace_bytes framework_bytes kv_bytes_per_token
    kv_cache_bytes kv_pool_bytes kv_pool_tokens max_concurrent_sequences allocated_peak_bytes peak_bytes_low
    peak_bytes peak_bytes_high usable_bytes headroom_bytes host_headroom_bytes fits peak_instant
    ridge_flop_per_byte step_flop step_seconds prefill_seconds_bound decode_step_seconds_bound tokens_per_second
    energy_kwh cost_total_usd cost_per_million_tokens_usd
"""
MAIN = _NAMES.split()


def exact(number: float) -> str:
    """Whole and large numbers to the last digit, others to nine."""
    return f"{number:,.0f}" if number == int(number) or abs(number) >= 1e6 else f"{number:,.9g}"


def expected(computed: Computed) -> str:
    """Main figures of all variants in base units, then the scaling tables."""
    resolved = computed.resolved
    shown = {line.name: line.figure for line in computed.lines}
    rows = [["", "unit", *(case.name for case in resolved.variants)]]
    for name in (name for name in MAIN if name in shown):
        numbers = [value(computed, name, at) for at in range(len(resolved.variants))]
        words = [shown[name].labels[int(one) - 1] if shown[name].labels else exact(one) for one in numbers]
        rows.append([name, str(shown[name].unit), *words])
    return aligned(rows) + "\n" + "".join(scaling(computed, at) for at in range(len(resolved.loaded.scenario.tables)))


def scaling(computed: Computed, at: int) -> str:
    table = computed.resolved.loaded.scenario.tables[at]
    (row_name, row_values), *_ = table.rows.items()
    across = next(iter(table.columns.values()), [""])
    numbers = [exact(value(computed, table.figure, point)) for point in computed.resolved.points(at)]
    lines = [[row_name, *map(plain, across)]]
    width = len(across)
    lines += [[plain(one), *numbers[row * width : (row + 1) * width]] for row, one in enumerate(row_values)]
    return f"\n{table.title}: {table.figure}\n{aligned(lines)}\n"


def plain(setting: object) -> str:
    return f"{setting:g}" if isinstance(setting, float) else str(setting)


def formulas(workload: str) -> str:
    """Every line of a workload with its formula, group by group, then the rooflines."""
    by_name = {line.name: line for line in lines_of(workload)}
    text = ""
    for group in GROUPS[workload]:
        names = [figure.name for figure in group.figures]
        text += f"\n# {group.title}\n" + "".join(_formula(by_name.pop(name).name, workload) for name in names)
    titles = ", ".join(phase.title for phase in PHASES[workload])
    return text.lstrip() + f"\n# Rooflines: {titles}\n" + "".join(_formula(name, workload) for name in by_name)


def _formula(name: str, workload: str) -> str:
    line = next(one for one in lines_of(workload) if one.name == name)
    return f"{name} = {to_excel(line.figure.expression, lambda read: line.bound.get(read, read))}\n"


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(path: Path, golden: Golden) -> None:
    computed = next(one for one in published() if one.resolved.loaded.path.name == path.name)
    golden(f"{path.stem}/expected.txt", expected(computed))


@pytest.mark.parametrize("workload", ["training", "serving"])
def test_formulas(workload: str, golden: Golden) -> None:
    golden(f"{workload}-formulas.txt", formulas(workload))


def test_every_main_figure_is_in_some_golden_text() -> None:
    shown = {line.name for one in published() for line in one.lines}
    assert set(MAIN) - shown == {
        "framework_bytes"
    }  # an input where a model is trained, and of an engine where it serves


def test_no_golden_text_is_left_over() -> None:
    kept = {path.parent.name for path in HERE.glob("*/expected.txt")}
    assert kept == {path.stem for path in SCENARIOS}
    assert len(published()) == len(SCENARIOS)
