"""Predictions against published measurements: a table, a plot, and a check that no group and no class got worse.

`make accuracy` writes docs/accuracy.md and docs/images/accuracy.svg; `--check` compares groups of memory and of bounds
and classes of times with the baselines and exits 1 where one is worse; `--baseline` records the present state.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.baselines import Baseline
from tests.times_scored import BASELINE as TIME_BASELINE
from tests.times_scored import Timed, class_scores, time_scores, time_section, time_table, times
from tests.truths_read import TRUTHS, Truth, incomplete_counts, truths
from tests.truths_scored import BASELINE, scores
from tests.truths_shown import page, plot, table
from tests.truths_throughput import Speed, speed_scores, speeds
from tests.truths_throughput_shown import BASELINE as SPEED_BASELINE
from tests.truths_throughput_shown import section, speed_table

DOCS = TRUTHS.parents[1] / "docs"


def publish(rows: Sequence[Truth], timed: Sequence[Timed], bounds: Sequence[Speed]) -> None:
    """Write the page and the plot of the documentation."""
    (DOCS / "images").mkdir(parents=True, exist_ok=True)
    parts = [
        page(rows, scores(rows), incomplete_counts()),
        time_section(time_scores(timed)),
        section(bounds, speed_scores(bounds)),
    ]
    (DOCS / "accuracy.md").write_text("\n".join(parts), encoding="utf-8")
    (DOCS / "images" / "accuracy.svg").write_text(plot(rows), encoding="utf-8")


def check(recorded: Mapping[Baseline, Mapping[str, Any]]) -> int:
    """Print what is worse than its baseline; 1 where anything is."""
    complaints = [line for baseline, present in recorded.items() for line in baseline.worse(present)]
    print("\n".join(complaints) or "no group of memory or bounds and no class of times got worse")
    return int(bool(complaints))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the groups; exit 1 where `--check` finds one that got worse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the baselines; publish nothing")
    parser.add_argument("--baseline", action="store_true", help="record the present state as the baselines")
    parser.add_argument("--rows", default="", metavar="GROUP", help="print every row of a group")
    options = parser.parse_args(arguments)
    rows, timed, bounds = truths(), times(), speeds()
    found, of_times, of_bounds = scores(rows), time_scores(timed), speed_scores(bounds)
    print(table(found, incomplete_counts()), speed_table(of_bounds), time_table(of_times), sep="", end="")
    listed: list[Truth | Timed] = [*rows, *timed]
    for row in listed:
        if row.group == options.rows:
            print(f"{row.error:+8.2%} {row.measured:16.6g} {row.predicted:16.6g}  {row.id}")
    recorded: dict[Baseline, Mapping[str, Any]] = {
        BASELINE: found,
        SPEED_BASELINE: of_bounds,
        TIME_BASELINE: class_scores(of_times),
    }
    for baseline, present in recorded.items():
        if options.baseline:
            baseline.record(present)
    if options.check:
        return check(recorded)
    publish(rows, timed, bounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
