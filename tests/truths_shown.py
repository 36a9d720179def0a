"""The table and the plot of the accuracy page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from memreport.figures.constants import UNVERIFIED_SPREAD
from tests.truths_cached import cached_words
from tests.truths_near import near_words
from tests.truths_read import Truth
from tests.truths_scored import FIRST_SPREADS, Score, score, splits
from tests.truths_verdicts import verdict_words

HEADINGS = ("group", "rows", "bias", "mean", "median", "p90", "largest", "≤ 5 %", "≤ 10 %", "under 5 %", "in range")


def _cells(name: str, one: Score) -> list[str]:
    shares = (one.within_5, one.within_10, one.under_5, one.inside)
    return [
        name,
        str(one.rows),
        f"{one.bias:+.2%}",
        *(f"{value:.2%}" for value in (one.mean, one.median, one.ninety, one.largest)),
        *("–" if math.isnan(share) else f"{share:.0%}" for share in shares),
    ]


def table(found: Mapping[str, Score], incomplete: Mapping[str, int]) -> str:
    """The groups in columns, for a terminal."""
    lines = [list(HEADINGS), *(_cells(name, one) for name, one in found.items())]
    widths = [max(len(line[at]) for line in lines) for at in range(len(HEADINGS))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    left_out = ", ".join(f"{count} {name}" for name, count in sorted(incomplete.items()) if count)
    return "\n".join([*shown, f"not predicted, for want of inputs: {left_out or 'none'}", ""])


def markdown(found: Mapping[str, Score]) -> str:
    """The same as a table of the documentation."""
    lines = [list(HEADINGS), ["---", *["---:"] * (len(HEADINGS) - 1)]]
    lines += [_cells(name, one) for name, one in found.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333", "#8B4513", "#7A5195", "#556B2F",
    "#C21E56", "#1B9E77", "#6A3D9A", "#A6761D", "#4D4D9F", "#B8860B", "#2F4F4F", "#FF6F61", "#5D8AA8",
)  # fmt: skip
SIDE, LEFT, TOP = 420, 70, 24


def plot(rows: Sequence[Truth]) -> str:
    """Predicted against measured bytes on log axes, as SVG with real text; rows of tokens are left to the table."""
    groups = sorted({row.group for row in rows})
    points = [(row, COLOURS[groups.index(row.group) % len(COLOURS)]) for row in rows if row.figure.endswith("_bytes")]
    low = math.floor(math.log10(min(min(row.measured, row.predicted) for row, _ in points)))
    high = math.ceil(math.log10(max(max(row.measured, row.predicted) for row, _ in points)))
    height = max(TOP + SIDE + 60, TOP + 20 * len(groups) + 40)
    width = LEFT + SIDE + 220
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        "<title>Predicted against measured memory</title>",
        *_axes(low, high),
        *(_dot(row, colour, low, high) for row, colour in points),
        *_legend(groups),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _place(value: float, low: int, high: int) -> float:
    return SIDE * (math.log10(value) - low) / (high - low)


def _axes(low: int, high: int) -> Iterable[str]:
    yield f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#888"/>'
    yield f'<line x1="{LEFT}" y1="{TOP + SIDE}" x2="{LEFT + SIDE}" y2="{TOP}" stroke="#888" stroke-dasharray="4 3"/>'
    for power in range(low, high + 1):
        at = SIDE * (power - low) / (high - low)
        yield f'<text x="{LEFT + at:.1f}" y="{TOP + SIDE + 16}" text-anchor="middle">{_bytes(power)}</text>'
        yield f'<text x="{LEFT - 6}" y="{TOP + SIDE - at + 4:.1f}" text-anchor="end">{_bytes(power)}</text>'
    yield f'<text x="{LEFT + SIDE / 2}" y="{TOP + SIDE + 38}" text-anchor="middle">measured</text>'
    yield f'<text transform="translate(14 {TOP + SIDE / 2}) rotate(-90)" text-anchor="middle">predicted</text>'


def _bytes(power: int) -> str:
    names = {6: "MB", 9: "GB", 12: "TB"}
    base = max(key for key in names if key <= max(power, 6))
    return f"{10 ** (power - base):g} {names[base]}"


def _dot(row: Truth, colour: str, low: int, high: int) -> str:
    across, up = _place(row.measured, low, high), _place(row.predicted, low, high)
    return (
        f'<circle cx="{LEFT + across:.1f}" cy="{TOP + SIDE - up:.1f}" r="3" fill="{colour}" fill-opacity="0.6">'
        f"<title>{row.group}: {row.id}, {row.error:+.1%}</title></circle>"
    )


def _legend(groups: Sequence[str]) -> Iterable[str]:
    for at, name in enumerate(groups):
        y, colour = TOP + 12 + 20 * at, COLOURS[at % len(COLOURS)]
        yield f'<circle cx="{LEFT + SIDE + 24}" cy="{y - 4}" r="5" fill="{colour}"/>'
        yield f'<text x="{LEFT + SIDE + 36}" y="{y}">{name}</text>'


SHOWN = "device_memory_used_bytes"
CAUSES = Path(__file__).parent / "truths" / "causes.md"


def spread_words(rows: Sequence[Truth]) -> list[str]:
    """Where the spread in the range of a peak comes from, and how far it can be trusted."""
    found = splits(rows)
    spreads, held = (sorted(getattr(one, name) for one in found) for name in ("spread", "held"))
    return [
        "## The spread in the range of a peak",
        "",
        "`estimate_spread` says how far the tensors alone may lie from what is computed. What is left of the errors",
        f"would promise too much: of {len(found)} ways to halve the groups of peaks, nine of ten rows of a half stay",
        f"within {_span(spreads, '.1%')} the other half then keeps within",
        f"that {_span(held, '.0%')} of its rows; but the causes of larger errors were looked for in",
        "these very rows. A job of another kind is met as these groups were at first, when nine of ten rows",
        "stayed within " + ", ".join(f"{spread:.1%} (`{name}`)" for name, spread in FIRST_SPREADS.items()) + ".",
        f"Their median, {median(FIRST_SPREADS.values()):.0%}, is stated. The groups were found, not drawn: a",
        "framework, a GPU or a method that is in none of them may lie further off.",
        "",
        f"Choices computed from code alone widen it by {UNVERIFIED_SPREAD:.0%}, to what the worst group but one had at",
        "first (`unverified_choice` names them): FP8 of Transformer Engine, FP4, activations on the host, pipelines",
        "other than 1F1B, models beside the trained one, layers without attention, modules made again by name; where",
        "a model serves, layers or weights on the host, a shared prefix, ranks that share a cache, draft models,",
        "adapters, encoders.",
    ]


def held_words(rows: Sequence[Truth]) -> list[str]:
    """How many of the rows that have a range lie in it: all, peaks, and what a monitor showed."""
    ranged = [row for row in rows if row.high > row.low]
    shown = [row for row in ranged if row.figure == SHOWN]
    peaks = [row for row in ranged if row.figure != SHOWN]
    return [
        f"Of all measured peaks, {_held(ranged)} lie in the predicted range: {_held(peaks)} of what a job",
        f"allocated or reserved, and {_held(shown)} of what `nvidia-smi`, or all that ms-swift's runs of many lengths",
        "had reserved, showed, which is a figure of its own.",
    ]


def _held(rows: Sequence[Truth]) -> str:
    count = sum(row.inside for row in rows)
    return f"{count} of {len(rows)} ({count / len(rows):.0%})"


def _span(values: Sequence[float], form: str) -> str:
    """Lowest, highest and middle of sorted values."""
    return f"{values[0]:{form}} to {values[-1]:{form}}, {values[len(values) // 2]:{form}} in the middle,"


def page(rows: Sequence[Truth], found: Mapping[str, Score], incomplete: Mapping[str, int]) -> str:
    """The whole page: the table, the plot, and why groups miss what was aimed at."""
    overall = score(rows)
    left_out = sum(incomplete.values())
    return "\n".join(
        [
            "# Accuracy",
            "",
            f"{overall.rows} measurements in {len(found)} groups, predicted from their inputs alone by the engine that",
            "fills the reports; each row of `tests/truths` says where it was published. Another",
            f"{left_out} are recorded and not predicted: their inputs are not all known or cannot be stated, or what",
            "is computed was corrected by them.",
            "`make accuracy` writes this page, and the tests fail when a group gets worse.",
            "",
            *held_words(rows),
            "",
            *verdict_words(rows),
            "",
            *near_words(),
            "",
            markdown(found),
            "Bias is the mean error; mean, median, p90 and largest are of its size. *Under 5 %* is the share of rows",
            "that are under-predicted by more than 5 %; *in range* the share of measured peaks from low to high end.",
            "",
            "![Predicted against measured memory](images/accuracy.svg)",
            "",
            *spread_words(rows),
            "",
            *cached_words(),
            "",
            CAUSES.read_text(encoding="utf-8"),
        ]
    )
