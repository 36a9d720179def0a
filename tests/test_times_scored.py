from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.accuracy import DOCS
from tests.serving_points import Point, points
from tests.split import FOLDERS
from tests.times_scored import BASELINE, Timed, class_of, class_scores, time_scores, time_section, times


@cache
def rows() -> tuple[Timed, ...]:
    return tuple(times())


def a_row(measured: float, predicted: float, low: float = 0.9, high: float = 1.2) -> Timed:
    return Timed(
        "judged", "dense", "one", "step_seconds", "row", measured, predicted, low * predicted, high * predicted
    )


def test_a_score_is_of_errors_and_of_ranges() -> None:
    found = time_scores([a_row(10, 11), a_row(10, 8), a_row(10, 10), a_row(10, 15)])
    score = found["judged", "one", "step_seconds"]
    assert found["judged", "all dense", "step_seconds"] == score
    assert [score.bias, score.median, score.largest] == pytest.approx([0.1, 0.15, 0.5])
    assert [score.rows, score.near, score.inside] == [4, 0.75, 0.5]
    assert score.widest == pytest.approx(1.2 / 0.9)


def test_no_class_of_times_got_worse() -> None:
    assert not BASELINE.worse(class_scores(time_scores(rows())))


@pytest.mark.parametrize(
    ("score", "factors"),
    [("median", {"predicted": 2}), ("inside", {"low": 0.5, "high": 0.5}), ("widest", {"low": 0.5})],
)
def test_a_class_whose_times_get_worse_is_named(score: str, factors: dict[str, float]) -> None:
    changed = [replace(row, **{end: by * getattr(row, end) for end, by in factors.items()}) for row in rows()]
    named = [line for line in BASELINE.worse(class_scores(time_scores(changed))) if f": {score} " in line]
    for kind in ("dense", "eager", "mixtures", "adapters"):
        assert any(line.startswith(f"judged all {kind} step_seconds: ") for line in named)


def test_a_class_that_loses_a_row_or_its_ranges_is_named() -> None:
    fewer = [row for row in rows() if (row.part, row.kind) != ("judged", "eager")]
    assert "judged all eager step_seconds: in the baseline, but has no rows" in BASELINE.worse(
        class_scores(time_scores(fewer))
    )
    unranged = [replace(row, low=float("nan")) for row in rows()]
    lines = BASELINE.worse(class_scores(time_scores(unranged)))
    assert any(line.startswith("judged all eager step_seconds: inside none, 98.57% in") for line in lines)


def test_ranges_of_training_hold_seven_of_ten_steps_that_nothing_was_fitted_on() -> None:
    judged = [row for row in rows() if row.part == "judged" and row.figure == "step_seconds"]
    for kind in {row.kind for row in judged}:
        assert np.mean([row.low <= row.measured <= row.high for row in judged if row.kind == kind]) >= 0.7


def test_fitted_and_judged_rows_are_never_scored_together() -> None:
    parts = {part for part, _, _ in time_scores(rows())}
    assert parts == set(FOLDERS)
    assert {row.kind for row in rows() if row.part == "judged"} >= {"dense", "eager", "mixtures", "served dense"}


def test_classes_are_of_what_trains() -> None:
    assert class_of("training", "llama-3-8b", {"training.framework": "megatron"}) == "dense"
    assert class_of("training", "llama-3-8b", {"training.framework": "huggingface"}) == "eager"
    assert class_of("training", "qwen3-30b-a3b", {"training.framework": "megatron"}) == "mixtures"
    assert class_of("training", "llama-3-8b", {"training.method": "qlora"}) == "adapters"
    assert class_of("serving", "qwen3-30b-a3b", {}) == "served mixtures"


def test_tokens_per_second_follow_from_both_times() -> None:
    point = next(one for one in points("fitted") if one.row["length_factor"] == "0.9" and not one.cold)
    assert point.output_tokens == round(0.9 * float(point.row["output_tokens"]))
    known = Point({**point.row, "output_tokens": "100", "length_factor": "1.0", "concurrency": "8"})
    known = Point({**known.row, "ttft_ms": "1000", "tpot_ms": "10"})
    assert known.measured()["tokens_per_second"] == pytest.approx(8 * 100 / (1 + 99 * 0.010))


def test_every_point_has_a_name_of_its_own() -> None:
    for part in FOLDERS:
        found = [point.id for point in points(part)]
        assert len(set(found)) == len(found)


def test_the_page_shows_every_group() -> None:
    page = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    assert time_section(time_scores(rows())) in page, "run `make accuracy` and read the difference"
