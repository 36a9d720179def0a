from __future__ import annotations

from dataclasses import replace

import pytest

from tests.serving_points import as_measured, points, saturated
from tests.split import FOLDERS, Measured, is_judged, measured

FITTED, JUDGED = (frozenset([*measured(part), *as_measured(points(part)), *saturated(part)]) for part in FOLDERS)


def test_there_are_fitted_and_judged_rows_of_every_kind() -> None:
    kinds = {row.kind for row in FITTED | JUDGED}
    assert kinds >= {"training", "serving"}
    for kind in kinds:
        assert [row for row in FITTED if row.kind == kind]
        assert [row for row in JUDGED if row.kind == kind]


def test_every_row_lies_where_the_rule_says() -> None:
    assert not [row for row in FITTED if is_judged(row)]
    assert not [row for row in JUDGED if not is_judged(row)]


def test_no_model_on_a_gpu_is_both_fitted_and_judged() -> None:
    assert not {row.pair for row in FITTED} & {row.pair for row in JUDGED}


@pytest.mark.parametrize("kind", ["training", "adapter", "serving"])
def test_most_judged_rows_are_of_a_model_that_no_fitted_row_has(kind: str) -> None:
    judged = [row for row in JUDGED if row.kind == kind]
    shapes = {row.shape for row in FITTED if row.kind == kind}
    accelerators = {row.accelerator for row in FITTED if row.kind == kind}
    new = [row for row in judged if row.shape not in shapes or row.accelerator not in accelerators]
    assert len(new) >= (1 if kind != "serving" else 1 / 3) * len(judged)


def test_no_measurement_is_in_both() -> None:
    assert not {same(row) for row in FITTED} & {same(row) for row in JUDGED}


def same(row: Measured) -> Measured:
    return replace(row, id="")


def test_a_row_in_the_wrong_folder_is_seen() -> None:
    row = next(row for row in FITTED if row.kind == "training")
    assert not is_judged(row)
    assert is_judged(replace(row, shape="8192x28672"))
    assert is_judged(replace(row, kind="serving", accelerator="l40s"))


def test_a_shape_is_fitted_on_the_gpus_that_are_excepted() -> None:
    row = next(row for row in FITTED if row.kind == "serving" and row.shape == "8192x28672")
    assert row.accelerator == "h100-80gb-sxm"
    assert is_judged(replace(row, accelerator="h200-141gb-sxm"))
