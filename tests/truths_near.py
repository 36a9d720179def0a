"""Random jobs near the capacity of a GPU, simulated with torch, and the verdict that each would have had."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from memreport.advise.verdict import DOES_NOT_FIT, FITS, TIGHT, verdict_of
from memreport.catalogue.load import read_scenario
from memreport.compute import compute
from memreport.errors import Fault, InputError
from memreport.resolve import Resolved, resolve
from tests.support import packaged, scenario_text, value

ROWS = Path(__file__).parent / "truths" / "near-capacity.jsonl"
NEAR = 0.1
"""How far from the usable memory, over it, a predicted peak may lie."""
BESIDE = ("communication_buffer_bytes", "workspace_bytes")
"""What no tensor of the simulation holds."""
Job = Mapping[str, Any]


class Judged(NamedTuple):
    """One job: predicted near the memory, the word, whether it ran out, whether its peak is in the predicted range."""

    near: bool
    word: str
    ran_out: bool
    inside: bool


def jobs() -> list[Job]:
    """The simulated jobs: model card, settings, GPU, and the most bytes that tensors took."""
    return [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]


def _resolved(job: Job, path: Path) -> Resolved:
    """The job as a scenario.  Raises InputError where it is refused."""
    blocks = {"model": job["card"], "training": job["training"], "hardware": {"accelerator": job["gpu"], "count": 1}}
    texts = {
        name: yaml.safe_dump(block, default_flow_style=True, width=10**6).strip() for name, block in blocks.items()
    }
    path.write_text(scenario_text(path.stem, **texts), encoding="utf-8")
    faults: list[Fault] = []
    loaded = read_scenario(path, faults)
    if loaded is None or faults:
        raise InputError(faults)
    return resolve(loaded, packaged())


def verdicts_near(simulated: Sequence[Job]) -> list[Judged]:
    """Every job with the verdict that it would have had.

    Allocator and context are taken as expected: the simulation has tensors alone.
    """
    with tempfile.TemporaryDirectory() as folder:
        computed = compute([_resolved(job, Path(folder) / "job.yaml") for job in simulated])
    found = []
    for job, one in zip(simulated, computed, strict=True):
        usable, peak, high = (value(one, name) for name in ("usable_bytes", "peak_bytes", "peak_bytes_high"))
        tensors = job["bytes"] + sum(value(one, name) for name in BESIDE)
        truth = tensors * (1 + value(one, "fragmentation_share")) + value(one, "framework_bytes")
        word = verdict_of(value(one, "fits"), peak, high, usable)
        inside = value(one, "peak_bytes_low") <= truth <= high
        found.append(Judged(abs(peak / usable - 1) <= NEAR, word, truth > usable, inside))
    return found


@cache
def judged() -> tuple[Judged, ...]:
    """The simulated jobs, computed once."""
    return tuple(verdicts_near(jobs()))


def near_words() -> list[str]:
    """How often a job near the capacity was said to fit and ran out of memory."""
    simulated, found = jobs(), judged()
    near, further = [one for one in found if one.near], [one for one in found if not one.near]
    over, under = (Counter(one.word for one in near if one.ran_out is so) for so in (True, False))
    said = [one for one in further if one.word == FITS]
    return [
        f"{len(near)} random jobs of {len({job['family'] for job in simulated})} families, each predicted within",
        f"{NEAR:.0%} of its GPU's memory, were simulated as whole steps with torch 2.13 and transformers 5.23:",
        "tensors are counted, no GPU is used, and the allocator's share is taken as expected. Of those that would",
        f"run out of memory the verdict was *{DOES_NOT_FIT}* for {over[DOES_NOT_FIT]}, *{TIGHT}* for {over[TIGHT]}",
        f"and wrongly *{FITS}* for {over[FITS]} ({over[FITS] / max(len(near), 1):.2%} of all); of the others",
        f"{under[TIGHT]} were *{TIGHT}*, {under[FITS]} *{FITS}* and {under[DOES_NOT_FIT]} wrongly *{DOES_NOT_FIT}*.",
        f"{sum(one.inside for one in near)} peaks lie in the predicted range. Of {len(said)} jobs further below",
        f"that were said to fit, {sum(one.ran_out for one in said)} would not.",
    ]
