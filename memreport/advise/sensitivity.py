"""What would change the answer: each uncertain input at its low and high end, one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from memreport.advise.rerun import Job
from memreport.advise.verdict import DOES_NOT_FIT, Word, words_of
from memreport.catalogue.records import Numbers
from memreport.compute import calculate
from memreport.figures.registry import lines_in_order
from memreport.frozen import frozen


@frozen
class InputRange:
    """How far an input may be off: bounds, factors of its value, or the inputs that hold its low and high end.

    `most` names an input that its high end may not pass, unless the given value already does.
    """

    name: str
    why: str
    low: float | str = ""
    high: float | str = ""
    factors: tuple[float, float] = (1, 1)
    whole: bool = False
    most: str = ""

    def ends(self, job: Job) -> tuple[float, float]:
        """Low and high value of the input on this job; they enclose the given one."""
        value = job.value(self.name)
        low = _end(job, self.low, value * self.factors[0])
        high = _end(job, self.high, value * self.factors[1])
        if self.whole:
            low = max(1.0, float(np.floor(low)))
        high = min(high, job.value(self.most)) if self.most else high
        return min(low, value), max(high, value)


def _end(job: Job, given: float | str, scaled: float) -> float:
    return scaled if given == "" else job.value(given) if isinstance(given, str) else given


RESERVED = "gpu_memory_utilization"
TIME = "error of computed times on runs that nothing was fitted on, by kind of job and GPU"
PLAN = "the plan itself: half and twice"
WITHIN = f"{PLAN}, as far as the model reads"
REACH = "max_position_embeddings"
PRICES = (
    InputRange("price_multiplier", "low and high case of all prices", "price_low_multiplier", "price_high_multiplier"),
    InputRange(
        "goodput", "share of the hours that is useful: a tenth less, or all of them", factors=(0.9, 1), high=1.0
    ),
)
RANGES: Mapping[str, tuple[InputRange, ...]] = {
    "training": (
        InputRange(
            "fragmentation_share",
            "what the allocator cannot use",
            "fragmentation_share_low",
            "fragmentation_share_high",
        ),
        InputRange("framework_bytes", "context of the runtime", "framework_bytes_low", "framework_bytes_high"),
        InputRange("collective_library_bytes", "buffers of the collective library: half and twice", factors=(0.5, 2)),
        InputRange("measured_time_factor", TIME, "time_factor_low", "time_factor_high"),
        InputRange("network_bytes_per_second", "half of the stated rate is common under load", factors=(0.5, 1)),
        InputRange("host_link_bytes_per_second", "pageable memory halves the rate", factors=(0.5, 1)),
        InputRange("sequence_length", WITHIN, factors=(0.5, 2), whole=True, most=REACH),
        InputRange("micro_batch_size", PLAN, factors=(0.5, 2), whole=True),
        InputRange("training_tokens", "the token budget: a fifth less or more", factors=(0.8, 1.2)),
        *PRICES,
    ),
    "serving": (
        InputRange("framework_bytes", "context of the runtime: half and twice", factors=(0.5, 2)),
        InputRange(RESERVED, "share that the engine may take", 0.85, 0.95),
        InputRange("context_length", WITHIN, factors=(0.5, 2), whole=True, most=REACH),
        InputRange("max_num_seqs", PLAN, factors=(0.5, 2), whole=True),
        InputRange("max_num_batched_tokens", PLAN, factors=(0.5, 2), whole=True),
        *PRICES,
    ),
}
LEFT = {"max_num_batched_tokens": "usual_batched_tokens"}
"""Inputs that an engine may take by the GPU, each with the figure that says so."""
STEP = {"training": "step_seconds", "serving": "time_per_output_token_seconds"}
STEP_TITLE = {"training": "Time per step", "serving": "Time per token"}


@frozen
class SwingNumbers:
    """The low end, the given value and the high end of an input."""

    low: float
    given: float
    high: float


@frozen
class Swing:
    """One bar of the tornado: the input's low, given and high value, and what each does to the answer."""

    name: str
    why: str
    values: SwingNumbers
    headroom_bytes: tuple[float, float]
    step_seconds: tuple[float, float]
    cost_usd: tuple[float, float]
    fits: tuple[bool, bool]
    words: tuple[Word, Word]
    changes_verdict: bool

    @property
    def moves(self) -> bool:
        """Whether it changes anything at all."""
        return any(_width(ends) > 0 for ends in (self.headroom_bytes, self.step_seconds, self.cost_usd))


@frozen
class Tornado:
    """The answer of a variant as planned, and the swings of all inputs, the one that moves the headroom most first.

    `values` holds every line as columns: as planned, each swing at its low end, each swing at its high end.
    """

    variant: str
    headroom_bytes: float
    step_seconds: float
    cost_usd: float
    fits: bool
    word: Word
    swings: tuple[Swing, ...]
    values: Mapping[str, Numbers] = field(compare=False, repr=False)


def _width(ends: tuple[float, float]) -> float:
    return 0.0 if np.isnan(ends).any() else abs(ends[1] - ends[0])


def tornado(job: Job) -> Tornado:
    """Every uncertain input at both ends, computed as one table of 1 + 2 n columns."""
    ranges = [
        each
        for each in RANGES[job.workload]
        if each.name in job.computed.values and not _is_left(job, each.name) and not _is_whole(job, each.name)
    ]
    ends = [input_range.ends(job) for input_range in ranges]
    values = _computed(job, ranges, ends)
    answers = [values[name] for name in ("headroom_bytes", STEP[job.workload], cost_moved(job))]
    words = words_of(values)
    swings = [_swing(job, input_range, pair, answers, words, (1 + index, 1 + len(ranges) + index))
              for index, (input_range, pair) in enumerate(zip(ranges, ends, strict=True))]  # fmt: skip
    order = sorted(
        (index for index, swing in enumerate(swings) if swing.moves),
        key=lambda index: -_width(swings[index].headroom_bytes),
    )
    columns = [0, *(1 + index for index in order), *(1 + len(ranges) + index for index in order)]
    headroom, step, cost = (float(column[0]) for column in answers)
    kept = {name: column[columns] for name, column in values.items()}
    fits = words[0] != DOES_NOT_FIT
    return Tornado(job.variant, headroom, step, cost, fits, words[0], tuple(swings[index] for index in order), kept)


def _is_left(job: Job, name: str) -> bool:
    """Whether the engine takes its own number on this GPU, which is another than the one that would be varied."""
    return name in LEFT and job.value(LEFT[name]) > 0


def _is_whole(job: Job, name: str) -> bool:
    """Whether an engine reserves no share of the memory, so that nobody sets one."""
    return name == RESERVED and job.value(name) >= 1


def cost_moved(job: Job) -> str:
    """The cost that a tornado swings: what has to be signed where hardware is bought, else the total."""
    bought = job.loaded.scenario.cost is not None and job.value("buys") > 0
    return "approval_total_usd" if bought else "cost_total_usd"


def _swing(
    job: Job,
    input_range: InputRange,
    ends: tuple[float, float],
    answers: list[Numbers],
    words: list[Word],
    place: tuple[int, int],
) -> Swing:
    headroom, step, cost = ((float(column[place[0]]), float(column[place[1]])) for column in answers)
    low, high = (words[end] for end in place)
    fits, changes = (low != DOES_NOT_FIT, high != DOES_NOT_FIT), len({words[0], low, high}) > 1
    value = job.value(input_range.name)
    return Swing(
        input_range.name,
        input_range.why,
        SwingNumbers(ends[0], value, ends[1]),
        headroom,
        step,
        cost,
        fits,
        (low, high),
        changes,
    )


def _computed(job: Job, ranges: list[InputRange], ends: list[tuple[float, float]]) -> dict[str, Numbers]:
    """Every line of the table; no cost where the scenario has none."""
    resolved, width = job.computed.resolved, 1 + 2 * len(ranges)
    changed = {
        input_range.name: _column(job, input_range.name, index, ends[index], width)
        for index, input_range in enumerate(ranges)
    }
    inputs = {name: np.broadcast_to(column[:1], (width,)) for name, column in resolved.inputs.items()}
    overrides = {name: np.broadcast_to(column[:1], (width,)) for name, column in resolved.overrides.items()}
    inputs |= {name: column for name, column in changed.items() if name in inputs}
    overrides |= {name: column for name, column in changed.items() if name not in inputs}
    values = calculate(lines_in_order(job.workload), inputs, overrides)
    if job.loaded.scenario.cost is None:
        values[cost_moved(job)] = np.asarray(np.nan)
    return {name: np.broadcast_to(column, (width,)) for name, column in values.items()}


def _column(job: Job, name: str, index: int, ends: tuple[float, float], width: int) -> Numbers:
    """The input as planned but at its low end in one column and at its high end in another."""
    column = np.full(width, job.value(name))
    column[1 + index], column[1 + width // 2 + index] = ends
    return column
