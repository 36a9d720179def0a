"""Measured times of steps on the accuracy page, and the check that no group of them got worse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

import yaml

from tests.truths_read import TRUTHS
from tests.truths_scored import TOLERANCE
from tests.truths_throughput import Speed, SpeedScore

BASELINE = TRUTHS / "baseline-throughput.yaml"
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


def speed_baseline_text(found: Mapping[str, SpeedScore]) -> str:
    """The present state as YAML, rounded as it is compared."""
    rounded = {name: {key: round(value, 4) for key, value in asdict(one).items()} for name, one in found.items()}
    return yaml.safe_dump({"schema": 1, "groups": rounded}, sort_keys=True)


def slower(found: Mapping[str, SpeedScore]) -> list[str]:
    """A line for each score that is worse than the recorded one, and for each group that is missing or new."""
    recorded = yaml.safe_load(BASELINE.read_text(encoding="utf-8"))["groups"]
    lines = [f"throughput {name}: in the baseline, but has no rows" for name in sorted(set(recorded) - set(found))]
    lines += [f"throughput {name}: not in the baseline" for name in sorted(set(found) - set(recorded))]
    for name in sorted(set(found) & set(recorded)):
        lines += [f"throughput {name}: {text}" for text in _complaints(asdict(found[name]), recorded[name])]
    return lines


def _complaints(now: Mapping[str, float], before: Mapping[str, float]) -> list[str]:
    fewer = [
        f"{now[key]} {key}, {before[key]} in the baseline" for key in ("rows", "compared") if now[key] < before[key]
    ]
    beaten = [f"{now['beaten']} bounds beaten, {before['beaten']} in the baseline"] * (now["beaten"] > before["beaten"])
    looser = [f"bounds explain {now['median']:.2%} of the time, {before['median']:.2%} in the baseline"]
    errors = [
        f"{key} {now[key]:.2%}, {before[key]:.2%} in the baseline"
        for key in ("mean_error", "largest_error")
        if now[key] - before[key] > TOLERANCE
    ]
    return [*fewer, *beaten, *(looser * (before["median"] - now["median"] > TOLERANCE)), *errors]
