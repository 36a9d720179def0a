"""Checkpointing that computes no more again than it takes: the fewest layers that leave the planned headroom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memreport.advise.rerun import Changes, Job
from memreport.advise.sizes.largest import which_fit

CHECKPOINTING = "training.gradient_checkpointing"
EVERY_NTH: tuple[Changes, ...] = tuple(
    {CHECKPOINTING: "every-nth", "training.checkpoint_interval": each} for each in (4, 3, 2)
)
OTHER_MODES: Mapping[str, tuple[Changes, ...]] = {
    "torchtune": EVERY_NTH,
    "torchtitan": (*EVERY_NTH, {CHECKPOINTING: "selective-op"}),
}
"""By framework, ways to recompute a part.  Source: torchtitan, selective_ac_option; torchtune, ac_option, 2026-11."""
OF_A_STAGE = "megatron"
"""It recomputes as many layers of each stage as it is told.  Source: Megatron-LM, `recompute_method` block, 2026-11."""
TRIED = 16
"""In how many steps the layers of a stage are tried."""


def with_fewest_recomputed(job: Job) -> dict[str, Changes]:
    """A training that recomputes every layer with as few recomputed as leave the planned headroom; else nothing."""
    settings = job.case.settings
    if settings.get("gradient_checkpointing") != "full" or settings["recompute_num_layers"]:
        return {}
    tried = [{**job.changes, **each} for each in _ways(job, str(settings["framework"]))]
    if not tried:
        return {}
    fitting = (changes for changes, fits in zip(tried, which_fit(job, tried), strict=True) if fits)
    return {"fewest recomputed": first} if (first := next(fitting, None)) else {}


def _ways(job: Job, framework: str) -> Sequence[Changes]:
    """Ways of a framework to recompute a part, the least first."""
    if framework != OF_A_STAGE:
        return OTHER_MODES.get(framework, ())
    layers = int(job.value("layers_per_stage"))
    numbers = sorted({max(1, layers * step // TRIED) for step in range(1, TRIED)} - {layers})
    return [{"training.recompute_num_layers": number} for number in numbers]
