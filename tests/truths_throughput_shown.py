"""Measured times of steps on the accuracy page, with their bounds, and the recorded state of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tests.baselines import Baseline
from tests.truths_read import TRUTHS
from tests.truths_throughput import Speed, SpeedScore

BASELINE = Baseline(
    TRUTHS / "baseline-throughput.yaml",
    lower_is_better=("beaten", "mean_error", "largest_error"),
    higher_is_better=("rows", "compared", "median"),
)
HEADING = "## Throughput"
GROUPS = ("group", "rows", "beaten", "bound, least", "bound, median", "bound, most", "compared", "mean", "largest")
ROWS = ("group", "row", "measured", "at best", "bound", "limit", "by its utilisation")
WORDS = """\
{rows} published times of training steps and of served answers in {groups} groups. Inputs and sources lie in
`tests/calibration/throughput-*.yaml` (may be fitted on) and `tests/truths/throughput-*.yaml` (judge).

**Bound.** `step_seconds_bound`, or `request_seconds_bound` of a batch that is answered together, over the measured
time: the share of the time that physics explains. Above 100 % a measurement would have beaten a lower bound, which
would be an error of the bound; {beaten} of {rows} do. Low shares are small kernels, 8-bit products between work that
stays in BF16, or traffic that nothing hides; in serving on several GPUs also the latency of all-reduces.

**By its utilisation.** The time of a step by the utilisation that the source printed, over the time it printed: whether
FLOP are counted as the source counts them. A published utilisation is of the whole step, a pipeline's bubble included.
Only rows whose source prints both can be compared.
"""


def _group_cells(name: str, one: SpeedScore) -> list[str]:
    errors = [f"{one.mean_error:.2%}", f"{one.largest_error:.2%}"] if one.compared else ["–", "–"]
    shares = [f"{share:.0%}" for share in (one.lowest, one.median, one.highest)]
    return [name, str(one.rows), str(one.beaten), *shares, str(one.compared), *errors]


def _row_cells(row: Speed) -> list[str]:
    error = f"{row.error:+.2%}" if row.at_utilization else "–"
    return [row.group, row.id, f"{row.measured:.4g} s", f"{row.bound:.4g} s", f"{row.reached:.1%}", row.limit, error]


def speed_table(found: Mapping[str, SpeedScore]) -> str:
    """The groups in columns, for a terminal."""
    lines = [list(GROUPS), *(_group_cells(name, one) for name, one in found.items())]
    widths = [max(len(line[at]) for line in lines) for at in range(len(GROUPS))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join(["", "throughput: bound over measured time; time by the published utilisation", *shown, ""])


def _markdown(heads: Sequence[str], lines: Iterable[Sequence[str]], words: int) -> str:
    rules = ["---"] * words + ["---:"] * (len(heads) - words)
    return "".join("| " + " | ".join(line) + " |\n" for line in [heads, rules, *lines])


def section(rows: Sequence[Speed], found: Mapping[str, SpeedScore]) -> str:
    """The part of the page on times."""
    beaten = sum(one.beaten for one in found.values()) or "none"
    words = WORDS.format(rows=len(rows), groups=len(found), beaten=beaten)
    groups = _markdown(GROUPS, [_group_cells(name, one) for name, one in found.items()], 1)
    every = _markdown(ROWS, map(_row_cells, rows), 2)
    return f"{HEADING}\n\n{words}\n{groups}\n### Every row\n\n{every}"
