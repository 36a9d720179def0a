"""Writes the fitted constants again, from tests/calibration alone: `make calibrate`.

Constants of single operators are medians of their tables (`calibrate_operators`).  Few others are fitted on whole steps
and served points (`FITTED`): each is the value at which computed and measured times differ least, every group counting
alike, and lies within what tables of single operators, or physics, allow.  The ranges of computed times are the errors
of groups that a fit had not seen (`calibrate_ranges`).  With --check nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from memreport.catalogue.records import Numbers
from tests.calibrate_fitted import FITTED, Fitted
from tests.calibrate_operators import operator_constants
from tests.calibrate_ranges import ranges
from tests.calibrate_rows import Given, Rows, rows
from tests.calibrate_written import FILES, constants_of, written

ROUNDS = 4


def badness(listed: Iterable[Rows], given: Given, one: Fitted) -> float:
    """Mean over the groups of the size of their errors, of the rows that a constant is fitted on.

    Of steps the mean of a group; of its many served points the median, which full caches and lost requests do not move.
    """
    middle = _square if one.squared else np.mean if one.figure == "step_seconds" else np.median
    found = []
    for group in listed:
        mine = group.of(one.fitted_on)
        if one.figure in group.measured and mine.any():
            found.append(middle(np.abs(group.errors(given, one.figure)[mine])))
    return float(np.mean(found)) if found else 0.0


def _square(sizes: Numbers) -> float:
    """Mean of the squares."""
    return float(np.mean(sizes**2))


def fitted(listed: Sequence[Rows], start: Given | None = None) -> dict[tuple[str, str], float]:
    """The constants, one after the other until none moves; from the middle of what is allowed, or from `start`."""
    values = dict(start or {one.key: one.middle for one in FITTED})
    for _ in range(1 if start else ROUNDS):
        before = dict(values)
        for one in FITTED:
            some = [group for group in listed if one.figure in group.measured and group.of(one.fitted_on).any()]
            if some:
                values[one.key] = min(one.tries(), key=lambda each: badness(some, values | {one.key: each}, one))
        if values == before:
            break
    return values


def fitted_constants() -> dict[tuple[str, str], float]:
    """What is fitted on whole jobs, with the operators as the files hold them, and the ranges, by row and column."""
    listed = rows()
    values = fitted(listed)
    return {one.written: values[one.key] for one in FITTED} | ranges(listed, values, fitted)


def put(values: dict[tuple[str, str], float], *, write: bool) -> bool:
    """Print the constants, and write them into their files; whether a file differs."""
    for (row, column), value in values.items():
        sys.stdout.write(f"{row:18}{column:34}{value:.3g}\n")
    changed = False
    for path in FILES:
        old = path.read_text(encoding="utf-8")
        new = written(old, constants_of(path, values))
        changed |= new != old
        if write:
            path.write_text(new, encoding="utf-8")
    return changed


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print, and write; with --check exit 1 where the files hold other values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file differs")
    options = parser.parse_args(arguments)
    changed = put(operator_constants(), write=not options.check)
    changed |= put(fitted_constants(), write=not options.check)
    return int(changed and options.check)


if __name__ == "__main__":
    sys.exit(main())
