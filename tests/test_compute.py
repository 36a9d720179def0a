"""Figures over columns: one table for all scenarios, overrides, only what is wanted, a million rows, bit for bit."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from memreport.catalogue.records import Numbers
from memreport.checks import check
from memreport.compute import MANY_ROWS, Computed, calculate, compute, needed_for
from memreport.errors import VerificationError
from memreport.figures.registry import lines_of
from memreport.formula.recording import Line, ordered
from memreport.frame import computed_in
from memreport.resolve import resolve_all
from tests.bench_many import generate
from tests.hand_written import training_states
from tests.support import ROOT, published, run, scenario_text, value

ROWS = 1_000_000


def lines() -> tuple[Line, ...]:
    return tuple(ordered(lines_of("training")))


def repeated(computed: Computed, rows: int) -> dict[str, Numbers]:
    """The first case's inputs, `rows` times, with batch and sequence swept."""
    inputs = {name: np.broadcast_to(column[0], rows) for name, column in computed.resolved.inputs.items()}
    inputs["micro_batch_size"] = np.arange(rows, dtype=np.float64) % 32 + 1
    inputs["sequence_length"] = np.arange(rows, dtype=np.float64) % 8192 + 1
    return inputs


def shuffled(rows: int) -> dict[str, Numbers]:
    """Every input drawn, by itself, from the values that it has in the training scenarios; so all choices meet."""
    generator = np.random.default_rng(2026)
    training = [one.resolved.inputs for one in published() if one.resolved.workload == "training"]
    names = training[0]
    return {name: generator.choice(np.concatenate([one[name] for one in training]), rows) for name in names}


def same(first: Numbers, second: Numbers) -> bool:
    return bool(np.array_equal(first, second, equal_nan=True))


def test_one_table_for_all_scenarios_equals_scenario_by_scenario() -> None:
    alone = [compute([one.resolved])[0] for one in published()]
    for together, single in zip(published(), alone, strict=True):
        assert [line.name for line in together.lines] == [line.name for line in single.lines]
        assert all(same(together.values[line.name], single.values[line.name]) for line in together.lines)


def test_a_folder_computed_in_parts_gives_the_bytes_of_one_table(tmp_path: Path) -> None:
    generate(tmp_path, 0, 12)
    files = sorted(tmp_path.glob("*.yaml"))
    whole = computed_in([tmp_path])
    parts = [one for start in range(0, 12, 5) for one in computed_in(files[start : start + 5])]
    for together, apart in zip(whole, parts, strict=True):
        assert together.resolved.cases == apart.resolved.cases
        assert {name: column.tobytes() for name, column in together.values.items()} == {
            name: column.tobytes() for name, column in apart.values.items()
        }


def test_an_unsound_scenario_of_a_folder_is_named(tmp_path: Path) -> None:
    generate(tmp_path, 0, 3)
    broken = tmp_path / "job-0001.yaml"
    broken.write_text(broken.read_text(encoding="utf-8") + "overrides: {peak_bytes_low: 9e20}\n", encoding="utf-8")
    with pytest.raises(VerificationError, match=r"job-0001.yaml.*must lie between"):
        computed_in([tmp_path])


def test_the_order_of_scenarios_changes_nothing() -> None:
    backwards = compute([one.resolved for one in reversed(published())])[::-1]
    for first, second in zip(published(), backwards, strict=True):
        assert first.resolved is second.resolved
        assert all(same(first.values[line.name], second.values[line.name]) for line in first.lines)


def test_folders_and_files_resolve_alike() -> None:
    files = [one.resolved.loaded.path for one in published()]
    again = compute(resolve_all(files))
    assert [one.resolved.loaded.scenario.id for one in again] == [
        one.resolved.loaded.scenario.id for one in published()
    ]
    assert all(same(a.values["fits"], b.values["fits"]) for a, b in zip(published(), again, strict=True))


def test_every_case_has_one_value_of_every_line() -> None:
    for one in published():
        assert all(one.values[line.name].shape == (len(one.resolved.cases),) for line in one.lines)


def test_every_figure_of_every_scenario_is_sound() -> None:
    for one in published():
        check(one)


def test_a_figure_that_is_no_number_is_found_out_with_its_cause(tmp_path: Path) -> None:
    one = run(tmp_path, scenario_text())
    lost = np.full_like(one.values["parameters"], np.nan)
    spoilt = {**one.values, "parameters": lost, "weight_bytes": lost, "gradient_bytes": lost}
    with pytest.raises(VerificationError, match=r"is no sound number, nor are [0-9]+ more figures in variant base"):
        check(Computed(one.resolved, one.lines, spoilt))


def test_a_sum_that_differs_from_its_parts_is_found_out() -> None:
    one = published()[0]
    wrong = {**one.values, "parameters": one.values["parameters"] * 1.001}
    with pytest.raises(VerificationError, match="parameters: differs from the sum of its parts"):
        check(Computed(one.resolved, one.lines, wrong))


def test_an_override_replaces_its_figure_and_what_follows_from_it(tmp_path: Path) -> None:
    plain, nominal = run(tmp_path, scenario_text()), run(tmp_path, scenario_text(overrides="{parameters: 7e9}"))
    assert value(nominal, "parameters") == 7e9
    assert value(nominal, "gradient_bytes") == 14e9
    assert value(nominal, "embedding_parameters") == value(plain, "embedding_parameters")


@pytest.mark.parametrize("workload", ["training", "serving"])
def test_without_a_price_the_hours_of_all_gpus_are_shown_and_no_cost(tmp_path: Path, workload: str) -> None:
    shown = {line.name for line in run(tmp_path, scenario_text(workload=workload)).lines}
    assert "whole_accelerator_hours" in shown
    assert not {"cost_total_usd", "approval_total_usd"} & shown


def test_a_nominal_count_is_quantised_as_its_architecture_is(tmp_path: Path) -> None:
    text = scenario_text(training="{method: qlora}", overrides="{parameters: 67384156160}")
    plain = run(tmp_path, scenario_text(training="{method: qlora}"))
    assert value(run(tmp_path, text), "model_weight_bytes") == pytest.approx(10 * value(plain, "model_weight_bytes"))


def test_an_override_holds_in_its_variant_alone(tmp_path: Path) -> None:
    variants = "{base: {}, nominal: {overrides.parameters: 7e9}, short: {parameters: 6e9}}"
    computed = run(tmp_path, scenario_text(variants=variants))
    assert [value(computed, "parameters", at) for at in range(3)] == [6_738_415_616, 7e9, 6e9]


def test_an_override_of_an_attribute_replaces_the_card_s(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(overrides="{memory_bytes_per_second: 2 TB/s}"))
    assert value(computed, "memory_bytes_per_second") == 2e12


def test_only_what_is_wanted_is_kept(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text())
    kept = calculate(lines(), computed.resolved.inputs, wanted=["peak_bytes", "parameters"])
    assert set(kept) - set(computed.resolved.inputs) == {"peak_bytes", "parameters"}
    assert all(same(kept[name], computed.values[name]) for name in ("peak_bytes", "parameters"))


def test_only_what_is_needed_is_computed() -> None:
    names = [line.name for line in needed_for(lines(), ["parameters"])]
    assert names[-1] == "parameters"
    assert "peak_bytes" not in names
    assert len(names) <= 35


def test_inputs_are_never_changed(tmp_path: Path) -> None:
    inputs = dict(run(tmp_path, scenario_text()).resolved.inputs)
    before = {name: column.copy() for name, column in inputs.items()}
    calculate(lines(), inputs, {"parameters": np.asarray([7e9])})
    assert all(same(inputs[name], column) for name, column in before.items())


def test_bit_for_bit_what_numpy_gives_by_hand() -> None:
    inputs = shuffled(MANY_ROWS)
    by_hand = training_states(inputs)
    computed = calculate(lines(), inputs, wanted=by_hand)
    assert len(by_hand) > 20
    assert not [name for name, column in by_hand.items() if not same(column, computed[name])]


def test_what_no_row_takes_is_left_out_and_nothing_else_changes() -> None:
    inputs = shuffled(MANY_ROWS)
    names = ("peak_bytes", "step_seconds", "model_state_bytes")
    by_condition = {"pipeline_parallel_size": [1.0, 4.0], "num_local_experts": [0.0, 8.0], "use_dora": [0.0, 1.0]}
    for rows in (inputs, inputs | {name: np.resize(values, MANY_ROWS) for name, values in by_condition.items()}):
        few = {name: column[: MANY_ROWS - 1] for name, column in rows.items()}
        whole, eager = (calculate(lines(), one, wanted=names) for one in (rows, few))
        assert all(same(whole[name][:-1], eager[name]) for name in names)


def test_rows_that_are_all_the_same_give_a_value_each(tmp_path: Path) -> None:
    one = run(tmp_path, scenario_text())
    inputs = {name: np.broadcast_to(column[0], MANY_ROWS) for name, column in one.resolved.inputs.items()}
    peaks = calculate(lines(), inputs, {"parameters": np.asarray(7e9)}, ("peak_bytes",))["peak_bytes"]
    assert peaks.shape == (MANY_ROWS,)
    assert value(run(tmp_path, scenario_text(overrides="{parameters: 7e9}")), "peak_bytes") == peaks[0] == peaks[-1]


def test_a_million_rows_take_seconds(tmp_path: Path) -> None:
    inputs = repeated(run(tmp_path, scenario_text()), ROWS)
    started = time.perf_counter()
    found: Mapping[str, Numbers] = calculate(lines(), inputs, wanted=["logits_bytes", "model_state_bytes"])
    assert time.perf_counter() - started < 60
    assert found["model_state_bytes"].shape == (ROWS,)
    assert found["logits_bytes"][0] < found["logits_bytes"][8191]


def test_the_same_rows_in_another_order_give_the_same_numbers(tmp_path: Path) -> None:
    inputs = repeated(run(tmp_path, scenario_text()), 1000)
    turned = {name: column[::-1].copy() for name, column in inputs.items()}
    names = ["peak_bytes", "step_seconds"]
    forwards, backwards = (calculate(lines(), one, wanted=names) for one in (inputs, turned))
    assert all(same(forwards[name], backwards[name][::-1]) for name in names)


def test_the_package_gives_the_same_as_a_table(tmp_path: Path) -> None:
    import memreport

    path = ROOT / "scenarios" / "llama2-7b-1xa100.yaml"
    computed = next(one for one in published() if one.resolved.loaded.path == path)
    table = memreport.estimate(path)
    assert list(table.index) == [case.name for case in computed.resolved.variants]
    assert list(table["peak_bytes"]) == [value(computed, "peak_bytes", at) for at in range(len(table))]
    mapping = {"schema": 1, "id": "case", "version": 1, "title": "t", "model": "llama-2-7b", "workload": "training"}
    estimated = memreport.estimate({**mapping, "hardware": {"accelerator": "a100-80gb-sxm"}})
    assert estimated["parameters"].tolist() == [6_738_415_616]
    assert (
        value(run(tmp_path, scenario_text(hardware="{accelerator: a100-80gb-sxm}")), "peak_bytes")
        == estimated["peak_bytes"].iloc[0]
    )
