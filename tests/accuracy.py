"""Predictions against published measurements: a table, a plot, and a check that no group got worse.

`make accuracy` writes docs/accuracy.md and docs/images/accuracy.svg; `--check` compares with the baseline and exits 1
where a group is worse; `--baseline` records the present state.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.times_scored import time_scores, time_section, time_table, times
from tests.truths_read import TRUTHS, Truth, incomplete_counts, truths
from tests.truths_scored import BASELINE, Score, baseline_text, scores, worse
from tests.truths_shown import page, plot, table
from tests.truths_throughput import speed_scores, speeds
from tests.truths_throughput_shown import BASELINE as SPEED_BASELINE
from tests.truths_throughput_shown import section, slower, speed_baseline_text, speed_table

DOCS = TRUTHS.parents[1] / "docs"


def predicted() -> tuple[list[Truth], dict[str, Score]]:
    """All complete rows with their predictions, and the score of each group."""
    rows = truths()
    return rows, scores(rows)


def publish(rows: Sequence[Truth], found: dict[str, Score]) -> None:
    """Write the page and the plot of the documentation."""
    (DOCS / "images").mkdir(parents=True, exist_ok=True)
    timed = speeds()
    memory, bounds = page(rows, found, incomplete_counts()), section(timed, speed_scores(timed))
    whole = "\n".join([memory, time_section(time_scores(times())), bounds])
    (DOCS / "accuracy.md").write_text(whole, encoding="utf-8")
    (DOCS / "images" / "accuracy.svg").write_text(plot(rows), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the groups; exit 1 where `--check` finds a group that got worse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the baseline; publish nothing")
    parser.add_argument("--baseline", action="store_true", help="record the present state as the baseline")
    parser.add_argument("--rows", default="", metavar="GROUP", help="print every row of a group")
    options = parser.parse_args(arguments)
    rows, found = predicted()
    print(table(found, incomplete_counts()), end="")
    timed = speed_scores(speeds())
    print(speed_table(timed), end="")
    print(time_table(time_scores(times())), end="")
    for row in rows:
        if row.group == options.rows:
            print(f"{row.error:+8.2%} {row.measured:16.6g} {row.predicted:16.6g}  {row.id}")
    if options.baseline:
        BASELINE.write_text(baseline_text(found), encoding="utf-8")
        SPEED_BASELINE.write_text(speed_baseline_text(timed), encoding="utf-8")
    if options.check:
        complaints = worse(found) + slower(timed)
        print("\n".join(complaints) or "no group got worse")
        return int(bool(complaints))
    publish(rows, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
