"""What the caching allocator kept in published runs, and the two constants that are set from it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

import memreport
from memreport.catalogue.quantities import parse_quantity
from tests.support import packaged
from tests.truths_read import TRUTHS, content, scenario

ABOUT = TRUTHS / "allocator.md"
PAIRS = TRUTHS / "allocator.yaml"
WIDTH = 120
MIDDLE, MOST = 0.5, 0.95
"""Quantiles that `cached_share` and `cached_share_high` stand for."""
JUDGED_MODELS = ("Mistral-7B-v0.1", "Mixtral-8x7B-Instruct-v0.1", "Llama-2-70b-hf", "PowerLM-3b")
"""As the benchmark calls the models whose runs judge."""
PLAIN_KERNELS = ("none", "baseline-peft-bnb", "accelerated-peft-bnb")
"""As it calls the unchanged kernels with which they judge."""


@dataclass(frozen=True)
class Kept:
    """One run; bytes.  `kept` are the allocator's free blocks, `passing` the tensors that come and go in a step."""

    run: str
    trains: str
    lengths: str
    passing: float
    kept: float

    @property
    def share(self) -> float:
        """Free blocks over what passes."""
        return self.kept / self.passing

    @property
    def model(self) -> str:
        """As the source calls it."""
        return self.run.split()[0]

    @property
    def pattern(self) -> str:
        """The row of `length_patterns` that it is a run of."""
        if self.lengths == "equal":
            return "fixed" if self.trains == "fixed" else "packed"
        return "padding-free" if "padding-free" in self.run else "padded"

    @property
    def sets(self) -> bool:
        """Whether it counts: lengths are equal, as a scenario's are, and the counters tell how much passes."""
        return self.lengths == "equal" and self.trains != "all"


def kept() -> list[Kept]:
    """Every run of the file."""
    context, collective = (packaged().tables["frameworks"].numbers(name)[0] for name in CONTEXT)
    return [_kept(row, context, collective) for row in content(PAIRS)["rows"]]


CONTEXT = ("framework_bytes", "collective_library_bytes")
"""What a monitor shows beside the allocator, as the profile of Hugging Face states it."""


def _kept(row: dict[str, str], context: float, collective: float) -> Kept:
    resident, allocated = float(row["resident"]), float(row["allocated"])
    held = parse_quantity(row["reserved" if "reserved" in row else "monitor"], "byte")
    if "monitor" in row:
        held -= context + (int(row["accelerators"]) > 1) * collective
    return Kept(row["run"], row["trains"], row["lengths"], allocated - resident, held - allocated)


def quantile(runs: Iterable[Kept], share: float) -> float:
    """That quantile of the share that runs kept."""
    return float(np.quantile([one.share for one in runs], share))


def reserved_held() -> tuple[int, int]:
    """Of the peaks that Megatron's allocator reserved, how many lie in the range for a monitor less its context."""
    data = content(TRUTHS / "megatron-b200-reserved.yaml")
    frame = memreport.estimate(scenario(data))
    low, high = (frame[f"device_memory_used_bytes_{end}"] - frame[f"framework_bytes_{end}"] for end in ("low", "high"))
    measured = np.asarray([parse_quantity(row["value"], "byte") for row in data["rows"]])
    return int(((low <= measured) & (measured <= high)).sum()), len(measured)


def cached_words() -> list[str]:
    """Where the two constants come from, and how they hold in parts of the data; for the accuracy page."""
    runs = kept()
    setting = [one for one in runs if one.sets]
    others = [one for one in setting if one.model not in JUDGED_MODELS and "GPTQ" not in one.run]
    held, reserved = reserved_held()
    said = ABOUT.read_text(encoding="utf-8").format(
        runs=len(runs),
        setting=len(setting),
        middle=quantile(setting, MIDDLE),
        most=quantile(setting, MOST),
        others=len(others),
        others_middle=quantile(others, MIDDLE),
        others_most=quantile(others, MOST),
        held=held,
        reserved=reserved,
    )
    lines = (textwrap.wrap(part, WIDTH, break_on_hyphens=False) or [""] for part in said.strip().split("\n"))
    return [*(line for part in lines for line in part), "", *_by_pattern(runs)]


def _by_pattern(runs: Iterable[Kept]) -> Iterator[str]:
    """What runs kept by pattern of lengths, where the counters tell how much passes, beside what is stated."""
    table, told = packaged().tables["length_patterns"], [one for one in runs if one.trains != "all"]
    yield "| `length_pattern` | runs | median | 19 of 20 | most | stated |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name in table.ids:
        if not (own := [one for one in told if one.pattern == name]):
            continue
        shares = " | ".join(f"{quantile(own, share):.0%}" for share in (MIDDLE, MOST, 1))
        stated = (table.numbers(column)[table.row(name)] for column in ("cached_share", "cached_share_high"))
        yield f"| {name} | {len(own)} | {shares} | {' and '.join(f'{one:.0%}' for one in stated)} |"
