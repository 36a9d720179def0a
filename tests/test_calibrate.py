"""The fitted constants are what tests/calibration gives, within what tables of single operators allow."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from memreport.catalogue.quantities import parse_quantity
from memreport.catalogue.records import Numbers
from memreport.catalogue.yaml import strict as strict_yaml
from tests import calibrate, calibrate_written
from tests.calibrate_fitted import FITTED, Fitted
from tests.calibrate_operators import SYSTEMS, operator_constants, possible
from tests.calibrate_ranges import COLUMNS, NOISE
from tests.calibrate_rows import Rows, rows
from tests.calibrate_written import EFFICIENCY, constants_of, written
from tests.split import FOLDERS, timed_files

SAME = 1e-6


@cache
def listed() -> tuple[Rows, ...]:
    return tuple(rows())


@cache
def held() -> dict[tuple[str, str], float]:
    """What the files hold, by row and column."""
    found: dict[tuple[str, str], float] = {}
    for path in calibrate_written.FILES:
        data = strict_yaml.read(path).data
        for row in data.get("efficiency", data.get("rows")):
            found |= {(row["id"], name): _number(name, value) for name, value in row.items()}
    return found


def _number(column: str, value: object) -> float:
    try:
        return parse_quantity(str(value), "s" if "_seconds" in column else "")
    except ValueError:
        return math.nan


def test_the_file_holds_the_medians_of_the_operator_tables() -> None:
    text = EFFICIENCY.read_text(encoding="utf-8")
    values = operator_constants()
    assert len(values) > 100
    assert written(text, constants_of(EFFICIENCY, values)) == text, "run `make calibrate` and read the difference"


@pytest.mark.parametrize("one", FITTED, ids=lambda one: f"{one.row}-{one.column}")
def test_no_step_of_a_constant_comes_nearer_to_what_was_measured(one: Fitted) -> None:
    values = {each.key: held()[each.written] for each in FITTED}
    here = values[one.key]
    assert one.low - SAME * one.step <= here <= one.high + SAME * one.step
    at = calibrate.badness(listed(), values, one)
    for other in (here - one.step, here + one.step):
        if one.low - SAME * one.step <= other <= one.high + SAME * one.step:
            assert calibrate.badness(listed(), values | {one.key: other}, one) >= at - 5e-4


def _sizes(column: str, errors: Numbers) -> Numbers:
    """Of first tokens how late they are, of all others how far off."""
    return -errors if column.startswith("first") else np.abs(errors)


def test_ranges_hold_nine_of_ten_of_the_rows_that_were_fitted_on() -> None:
    for (kind, figure), column in COLUMNS.items():
        groups = [group for group in listed() if figure in group.measured]
        errors = np.concatenate([group.errors({}, figure)[group.of(kind)] for group in groups])
        ends = {column: _sizes(column, errors), f"{column}_low": errors}
        for end, sizes in ends.items():
            if (error := held().get(("any", end))) is not None:
                assert error >= NOISE
                assert np.mean(sizes <= math.log(1 + error)) >= 0.85, end


def test_impossible_rows_of_the_tables_are_left_out() -> None:
    row = {"operator": "moe", "share_of_bandwidth": "0.9", "launch_us": "40", "median_error": "0.1"}
    assert possible(row)
    for broken in ({"share_of_bandwidth": "1.8"}, {"launch_us": "0.0"}, {"median_error": "nan"}):
        assert not possible({**row, **broken})
    assert set(SYSTEMS.values()) <= {gpu for gpu, _ in held()}


def test_no_judged_row_is_fitted_on() -> None:
    judged = {path.read_text(encoding="utf-8") for path in FOLDERS["judged"].glob("throughput-*.yaml")}
    read = {path.read_text(encoding="utf-8") for path in timed_files("fitted")}
    assert read
    assert not read & judged


def test_a_fitted_column_is_written_and_what_follows_it_keeps_its_ratio() -> None:
    text = EFFICIENCY.read_text(encoding="utf-8")
    made = written(text, {("hopper", "attention_forward_share"): 0.36, ("b200", "product_launch_seconds"): 4e-6})
    row = made.split("  - id: hopper\n")[1].split("\n\n")[0]
    assert "    attention_forward_share: 0.36\n" in row
    assert "    product_launch_seconds: 4 us\n" in made.split("  - id: b200\n")[1].split("\n\n")[0] + "\n"
    forward, backward = (held()["hopper", f"attention_{name}_share"] for name in ("forward", "backward"))
    assert f"    attention_backward_share: {backward * 0.36 / forward:.2f}\n" in row + "\n"
    assert written(text, {}) == text
