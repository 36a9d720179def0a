"""The verdict on a variant in one of four words, and which of a scenario's variants a budget is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from memreport.catalogue.quantities import in_gib, pair_in_gib
from memreport.catalogue.records import Numbers

Word = Literal["Fits", "Tight", "Queues", "Does not fit"]
FITS: Word = "Fits"
TIGHT: Word = "Tight"
QUEUES: Word = "Queues"
DOES_NOT_FIT: Word = "Does not fit"
WHOLE = (FITS, TIGHT)
"""Words of a variant in which everything that is planned has room at once."""
JUDGED = ("fits", "peak_bytes", "peak_bytes_high", "usable_bytes")
"""Figures that a verdict is made of."""
OFFLOADED, HOST_FREE = "host_bytes_per_node", "host_headroom_bytes"
"""What a training takes of the memory of a node, and what is left of it."""
TRAINED = "training_hours"
"""What a training has and a service has not."""
KEPT: Mapping[str, tuple[str, ...]] = {
    "training": (*JUDGED, "headroom_bytes", OFFLOADED, HOST_FREE),
    "serving": (*JUDGED, "headroom_bytes"),
}
"""Figures that say whether a margin stays free."""


NUMBERED: tuple[Word, ...] = (DOES_NOT_FIT, QUEUES, TIGHT, FITS)
"""In the order of their number, from 1."""


def verdict_number(columns: Mapping[str, Any]) -> Any:
    """The number of the word, as workbook and page compute it: 1 + starts + all fits + so does the high end."""
    fits, peak, high, usable = (columns[name] for name in JUDGED)
    return 1 + fits + fits * (peak <= usable) * (1 + (high <= usable))


def verdict_of(fits: float, peak_bytes: float, peak_bytes_high: float, usable_bytes: float) -> Word:
    """Fits; Tight (not at the high end of the estimate); Queues (starts, but some requests wait); or Does not fit."""
    if not fits:
        return DOES_NOT_FIT
    if peak_bytes > usable_bytes:
        return QUEUES
    return TIGHT if peak_bytes_high > usable_bytes else FITS


def host_lacks(word: Word, headroom_bytes: float) -> bool:
    """Whether what has room on the GPU does not fit: its host lacks memory for what is offloaded."""
    return word == DOES_NOT_FIT and headroom_bytes >= 0


def words_of(values: Mapping[str, Numbers]) -> list[Word]:
    """The verdicts on every row of computed figures."""
    return [verdict_of(*each) for each in zip(*(values[name].tolist() for name in JUDGED), strict=True)]


def keeps_margin(columns: Mapping[str, Any], margin: float) -> Any:
    """Whether rows fit, at the high end of the estimate too, and leave `margin` of GPU and host free."""
    fits, _, high, usable = (columns[name] for name in JUDGED)
    kept = (fits > 0) & (high <= usable) & (columns["headroom_bytes"] >= margin * usable)
    if OFFLOADED not in columns:
        return kept
    needed, free = columns[OFFLOADED], columns[HOST_FREE]
    return kept & (needed <= (1 - margin) * (needed + free))


class JobLimits(Protocol):
    """How long a training may take, by the clock, how soon and fast a service answers, what it costs; None for any."""

    @property
    def run_hours(self) -> float | None:
        """Hours of a run."""

    @property
    def time_to_first_token_seconds(self) -> float | None:
        """Seconds until the first token."""

    @property
    def sequence_tokens_per_second(self) -> float | None:
        """Tokens that one user sees in a second."""

    @property
    def most_cost_usd(self) -> float | None:
        """What may be spent."""


def in_time(columns: Mapping[str, Any], limits: JobLimits) -> Any:
    """Whether runs end, and services answer, within the time that is asked for; all do where none is."""
    most, first, pace = limits.run_hours, limits.time_to_first_token_seconds, limits.sequence_tokens_per_second
    if TRAINED in columns:
        return most is None or columns["run_hours" if "run_hours" in columns else TRAINED] <= most
    soon = first is None or columns["time_to_first_token_seconds"] <= first
    return soon & (pace is None or columns["sequence_tokens_per_second"] >= pace)


COST_COLUMNS = ("whole_cost_usd", "approval_total_usd")
"""What is signed, of a variant that is computed whole, and of a combination of a search, whose hours are the run's."""


def in_budget(columns: Mapping[str, Any], limits: JobLimits) -> Any:
    """Whether what is signed stays within what may be spent; where nothing is priced, nothing is judged."""
    cost = next((columns[name] for name in COST_COLUMNS if name in columns), None)
    return limits.most_cost_usd is None or cost is None or cost <= limits.most_cost_usd


def in_limits(columns: Mapping[str, Any], limits: JobLimits) -> Any:
    """Whether rows keep the times and the cost that are asked for."""
    return np.logical_and(in_time(columns, limits), in_budget(columns, limits))


def deciding(words: Sequence[Word]) -> int | None:
    """The first variant where all of it fits, tight or not; else the first that fits, is tight, or queues.

    None where none starts.  A variant that is only just within reach is no advice while another one has room.
    """
    if words[0] in WHOLE:
        return 0
    return next((words.index(name) for name in (FITS, TIGHT, QUEUES) if name in words), None)


QUEUE = ("running_sequences", "max_num_seqs", "sharding_size")
"""What a queue is made of: requests that run and that are planned on one replica, and replicas."""


QUEUED = "{running} of {planned} requests run at once{on_each}, {waiting} wait"
ON_EACH = " on each replica"


def queue_words(running: float, planned: float, replicas: float) -> str:
    """How many of the planned requests run at once and how many wait until others are done."""
    texts = {"running": running, "planned": planned, "waiting": planned - running}
    on_each = ON_EACH if replicas > 1 else ""
    return QUEUED.format(on_each=on_each, **{name: f"{value:,.0f}" for name, value in texts.items()})


LONGEST = ("longest_request_bytes", "kv_pool_bytes", "max_model_len")


def unstarted_words(longest: float, pool: float, tokens: float) -> str:
    """Why an engine that keeps room for one request of the longest length does not start; "" where it is not that."""
    if longest <= pool or pool <= 0:
        return ""
    needed, left = pair_in_gib(longest, pool)
    return f"keeps room for one request of max_model_len {tokens:,.0f} ({needed}), and {left} are left for the cache"


SHORT_OF = {"host_headroom_bytes": "memory", "nvme_headroom_bytes": "disk"}
"""What a host may have too little of for what is offloaded to it, by what is left of it."""


def host_lacks_words(left: Sequence[float]) -> str:
    """What the host has too little of, given what is left of each of `SHORT_OF`; "" where it has enough."""
    short = [(-each, what) for each, what in zip(left, SHORT_OF.values(), strict=True) if each < 0]
    return " and ".join(f"{in_gib(bytes_)} of {what}" for bytes_, what in short)
