"""The ordered checklist for a job that runs out of memory: cheapest first, on top of each other, until it fits.

Source: 004 'Fixing OOM: Ordered Checklist'; its last resort is extended by fewer trained states.
"""

from __future__ import annotations

from dataclasses import dataclass

from memreport.advise.moves import Halved, Move, Stage, Traded, fits_with_margin, repeated, stage, tried
from memreport.advise.rerun import Changes, Job


@dataclass(frozen=True)
class Step:
    """One line of the checklist: what to do, in the moves that do it, each tried in turn."""

    id: str
    title: str
    moves: tuple[Move, ...]


def _zero(title: str, stage_: int) -> Move:
    return Move(
        title,
        {"training.zero_stage": stage_},
        {"training.zero_stage": tuple(range(stage_))},
        needs="sharding_size",
        why_needed="there is but one accelerator to share between",
    )


FULL_WIDTH = ("adamw", "sgd", "sgd-momentum", "adafactor", "lion")
ZERO_1 = _zero("ZeRO-1: cut optimizer states", 1)
ZERO_2 = _zero("ZeRO-2: cut gradients too", 2)
ZERO_3 = _zero("ZeRO-3: cut weights too", 3)
CHECKPOINT = Move(
    "recompute every layer",
    {"training.gradient_checkpointing": "full"},
    {"training.gradient_checkpointing": ("none", "selective", "every-k", "sqrt")},
)
SIXTEEN_BIT = Move(
    "BF16 with FP32 master copy",
    {"training.precision": "bf16-mixed"},
    {"training.precision": ("fp32", "bf16-autocast")},
    has="bf16_flop_per_second",
)
HALF = Move(
    "FP16 with FP32 master copy",
    {"training.precision": "fp16-mixed"},
    {"training.precision": ("fp32", "bf16-autocast")},
    lacks="bf16_flop_per_second",
)
EIGHT_BIT = Move(
    "8-bit moments",
    {"training.optimizer": "adamw-8bit"},
    {"training.optimizer": ("adamw", "paged-adamw")},
)
OFFLOAD_OPTIMIZER = Move(
    "optimizer states in host memory",
    {"training.optimizer_offload": "cpu"},
    {"training.optimizer_offload": ("none",), "training.method": ("full",), "training.optimizer": FULL_WIDTH},
)
OFFLOAD_WIDER = Move(
    "optimizer states in host memory, in full width again",
    {"training.optimizer_offload": "cpu", "training.optimizer": "adamw"},
    {"training.optimizer_offload": ("none",), "training.method": ("full",), "training.optimizer": ("adamw-8bit",)},
)
OFFLOAD_WEIGHTS = Move(
    "weights in host memory",
    {"training.parameter_offload": "cpu"},
    {"training.parameter_offload": ("none",), "training.zero_stage": (3,)},
)
OFFLOAD_TO_DISK = Move(
    "offloaded states on disk",
    {"training.optimizer_offload": "nvme"},
    {"training.optimizer_offload": ("cpu",)},
)
OFFLOADING = (OFFLOAD_OPTIMIZER, OFFLOAD_WIDER, OFFLOAD_WEIGHTS, OFFLOAD_TO_DISK)

CHECKLIST = (
    Step(
        "micro-batch",
        "Reduce the micro-batch, with more accumulation",
        (
            Move(
                "smaller micro-batch",
                {"training.micro_batch_size": Traded("training.gradient_accumulation_steps")},
                repeats=True,
            ),
        ),
    ),
    Step("checkpointing", "Enable gradient checkpointing", (CHECKPOINT,)),
    Step("16-bit", "Use 16-bit numbers", (SIXTEEN_BIT, HALF)),
    Step("sharding", "Shard with ZeRO or FSDP", (ZERO_1, ZERO_2, ZERO_3)),
    Step("offload", "Offload to host memory or disk", OFFLOADING),
    Step(
        "sequence",
        "Shorten the sequence (changes the job)",
        (Move("shorter sequence", {"training.sequence_length": Halved(512)}, repeats=True),),
    ),
    Step(
        "fewer states",
        "Train fewer or smaller states (changes the result)",
        (
            EIGHT_BIT,
            Move("adapters on a frozen base", {"training.method": "lora"}, {"training.method": ("full",)}),
            Move("adapters on a quantised base", {"training.method": "qlora"}, {"training.method": ("full", "lora")}),
        ),
    ),
)


@dataclass(frozen=True)
class Procedure:
    """A procedure as it ran: its stages in order, whether the last one fits, and the changes that it takes."""

    stages: tuple[Stage, ...]
    fits: bool
    changes: Changes
    sentence: str


def run_checklist(job: Job, steps: tuple[Step, ...] = CHECKLIST) -> Procedure:
    """Apply the steps on top of each other, recompute after each, stop at the first that fits."""
    made: dict[str, object] = {}
    stages = [stage("start", "As given", job, made)]
    for step in steps:
        if fits_with_margin(job):
            break
        job = _run_step(job, step, made, stages)
    return Procedure(tuple(stages), fits_with_margin(job), made, _conclusion(stages, fits=fits_with_margin(job)))


def _run_step(job: Job, step: Step, made: dict[str, object], stages: list[Stage]) -> Job:
    """The job after the step; one stage is added for every change, or one that says why there was none."""
    before, reasons = len(stages), []
    for move in step.moves:
        for after, why in repeated(job, move):
            if why:
                reasons.append(why)
                continue
            made |= {key: value for key, value in after.changes.items() if job.changes.get(key) != value}
            job = after
            stages.append(stage(step.id, f"{step.title}: {move.named(job)}", job, made))
            if fits_with_margin(job):
                return job
    if len(stages) == before:
        stages.append(stage(step.id, step.title, job, made, applied=False, why="; ".join(dict.fromkeys(reasons))))
    return job


def _conclusion(stages: list[Stage], *, fits: bool) -> str:
    last = stages[-1]
    if not fits:
        return f"Nothing on the checklist makes the job fit. {last.sentence}"
    done = "No change is needed." if len(stages) == 1 else f"The last change made is: {last.title}."
    return f"{last.sentence} {done}"


def each_alone(job: Job, steps: tuple[Step, ...] = CHECKLIST) -> tuple[Stage, ...]:
    """Every move of the checklist by itself, on the job as given: what it does and whether it is enough."""
    found = []
    for step in steps:
        for move in step.moves:
            after, why = _as_far_as_it_goes(job, move)
            if not why:
                changes = {key: value for key, value in after.changes.items() if job.changes.get(key) != value}
                found.append(stage(step.id, move.named(after), after, changes))
    return tuple(found)


def _as_far_as_it_goes(job: Job, move: Move) -> tuple[Job, str]:
    after, why = tried(job, move)
    if not why and move.repeats:
        after = list(repeated(job, move))[-1][0]
    return after, why
