from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from memreport.advise.verdict import FITS
from memreport.catalogue.quantities import parse_quantity
from tests.accuracy import DOCS
from tests.support import packaged
from tests.truths_cached import JUDGED_MODELS, MIDDLE, MOST, PAIRS, PLAIN_KERNELS, kept, quantile
from tests.truths_near import judged
from tests.truths_read import NOT_ROWS, TRUST, TRUTHS, Truth, content, files, incomplete_counts, is_found, truths
from tests.truths_scored import BASELINE, FIRST_SPREADS, PEAKS, Score, score, scores, splits
from tests.truths_shown import page, plot
from tests.truths_throughput import files as timed_files
from tests.truths_verdicts import verdicts

NEEDED = {"id", "model", "settings", "figure", "value", "source", "trust"}


@cache
def rows() -> tuple[Truth, ...]:
    return tuple(truths())


def test_no_group_got_worse() -> None:
    assert not BASELINE.worse(scores(rows()))


def test_there_are_enough_measurements() -> None:
    assert len(rows()) >= 200
    assert len({row.group for row in rows()}) >= 8


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_every_row_says_where_it_is_from(path: Path) -> None:
    data = content(path)
    for row in [*data["rows"], *data.get("incomplete", [])]:
        assert set(row) >= NEEDED, row
        assert row["trust"] in TRUST
        assert is_found(data["sources"][row["source"]])
    assert all(row["missing"] for row in data.get("incomplete", []))
    assert not [name for name, count in Counter(row["id"] for row in data["rows"]).items() if count > 1]


def test_only_rows_and_the_baseline_lie_in_the_folder() -> None:
    read = {path.stem for path in [*files(), *timed_files()]}
    assert {path.stem for path in TRUTHS.glob("*.yaml")} - read == set(NOT_ROWS)


def test_the_page_is_what_the_rows_say() -> None:
    found = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    expected = page(rows(), scores(rows()), incomplete_counts())
    assert found.startswith(expected), "run `make accuracy` and read the difference"


def test_every_row_of_bytes_is_in_the_plot() -> None:
    shown = plot(rows())
    assert shown.count("<circle") == sum(row.figure.endswith("_bytes") for row in rows()) + len(
        {r.group for r in rows()}
    )


def test_a_score_counts_what_it_says() -> None:
    row = replace(rows()[0], measured=100.0, predicted=100.0, low=90.0, high=110.0)
    found = score([row, replace(row, predicted=94.0), replace(row, predicted=112.0, low=105.0)])
    assert found.bias == pytest.approx(0.02)
    assert (found.within_5, found.within_10, found.under_5) == pytest.approx((1 / 3, 2 / 3, 1 / 3))
    assert found.inside == pytest.approx(2 / 3)
    assert found.largest == pytest.approx(0.12)


@pytest.mark.parametrize(("field", "value"), [("median", 0.5), ("under_5", 1.0), ("within_5", 0.0), ("rows", 0)])
def test_a_worse_group_is_named(field: str, value: Any) -> None:
    found = scores(rows())
    changed: dict[str, Score] = {**found, "vllm-kv": replace(found["vllm-kv"], **{field: value})}
    assert [line for line in BASELINE.worse(changed) if line.startswith("vllm-kv: ")]
    lost = {name: one for name, one in found.items() if name != "vllm-kv"}
    assert BASELINE.worse(lost) == ["vllm-kv: in the baseline, but has no rows"]


def test_most_measured_peaks_lie_in_their_range() -> None:
    ranged = [row for row in rows() if row.high > row.low]
    assert sum(row.inside for row in ranged) >= 0.9 * len(ranged)


def test_the_shares_that_stay_cached_are_what_the_other_runs_kept() -> None:
    """Of sequences of one length together; of others by pattern, rounded to tenths."""
    runs, table = kept(), packaged().tables["length_patterns"]
    for name, rounding in (("fixed", 0.005), ("packed", 0.005), ("padded", 0.05), ("padding-free", 0.05)):
        own = [one for one in runs if (one.sets if rounding < 0.05 else one.pattern == name and one.trains != "all")]
        stated = [table.numbers(column)[table.row(name)] for column in ("cached_share", "cached_share_high")]
        assert stated == [pytest.approx(quantile(own, share), abs=rounding) for share in (MIDDLE, MOST)]


def test_no_run_that_judges_a_monitor_has_set_what_stays_cached() -> None:
    judging = {row.measured for row in rows() if row.figure == "device_memory_used_bytes"}
    read = content(PAIRS)
    assert len(judging) >= 30
    assert not judging & {parse_quantity(row.get("monitor", 0), "byte") for row in read["rows"]}
    setting = [one for one in kept() if one.sets and one.model in JUDGED_MODELS]
    assert not [one.run for one in setting if one.run.split()[1] in PLAIN_KERNELS]
    assert {row["source"] for row in read["rows"]} == set(read["sources"])


UNJUDGED = {"torchtitan", "torchtune", "unsloth", "nanotron"}
"""Profiles computed from their source alone, which no measurement judges: theirs are wider."""


def stated_spread() -> float:
    """The one spread of every framework that measurements judge; the others' are wider."""
    table = packaged().tables["frameworks"]
    spreads = dict(zip(table.ids, table.numbers("estimate_spread").tolist(), strict=True))
    (stated,) = {float(spread) for name, spread in spreads.items() if name not in UNJUDGED}
    assert min(spreads[name] for name in UNJUDGED) > stated
    return stated


def test_the_spread_is_that_of_first_predictions_and_no_half_of_the_groups_says_more() -> None:
    found = splits(rows())
    assert len(found) == 10
    stated = stated_spread()
    assert stated == pytest.approx(median(FIRST_SPREADS.values()), abs=0.005)
    assert {name for one in found for name in one.groups} <= set(FIRST_SPREADS)
    assert max(one.spread for one in found) <= stated


def test_the_stated_spread_keeps_nine_of_ten_measurements_of_every_half_of_the_groups() -> None:
    """Halves with small errors would state less and then keep less of the others; the stated one is the promise."""
    stated = stated_spread()
    peaks = [row for row in rows() if row.figure == PEAKS]
    for half in splits(rows()):
        kept = [abs(row.error) <= stated for row in peaks if row.group in half.groups]
        assert sum(kept) >= 0.9 * len(kept), half.groups


def test_a_peak_above_its_range_is_the_only_one_that_is_wrongly_said_to_fit() -> None:
    def peak(measured: float) -> Truth:
        return Truth("one", "group", "peak_bytes", measured, 100.0, 90.0, 110.0, "high", "by hand")

    assert verdicts([peak(108)], [80, 95, 105, 120]) == {("Does not fit", "group"): 2, ("Tight", "group"): 1}
    assert verdicts([peak(125)], [115]) == {("Fits", "group"): 1}


def test_all_that_were_said_to_fit_are_reserved_memory_of_sequences_of_many_lengths() -> None:
    """As the page says of them; a group of another kind would be a wrong verdict."""
    found = verdicts(rows(), packaged().tables["accelerators"].numbers("capacity_bytes").tolist())
    assert {group for said, group in found if said == "Fits"} <= {"ms-swift"}


def test_no_simulated_job_near_the_capacity_is_wrongly_said_to_fit() -> None:
    found = judged()
    near = [one for one in found if one.near]
    assert len(near) >= 300
    assert not [one for one in found if one.ran_out and one.word == FITS]
    assert sum(one.inside for one in near) / len(near) > 0.95
