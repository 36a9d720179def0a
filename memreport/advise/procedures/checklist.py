"""The ordered checklist for a job that runs out of memory: cheapest first, on top of each other, until enough is free.

Source: 004 'Fixing OOM: Ordered Checklist'; its last resort is extended by fewer trained states.
"""

from __future__ import annotations

from memreport.advise.moves import (
    Halved,
    Move,
    Stage,
    StageKind,
    Traded,
    changes_since,
    fits_with_margin,
    passed_over,
    repeated,
    repeated_each,
    stage,
    stops_at,
    verdict_on,
)
from memreport.advise.rerun import Changes, Job
from memreport.advise.verdict import DOES_NOT_FIT, TIGHT, Word
from memreport.frozen import frozen


@frozen
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
        why_needed="there is but one GPU to share between",
    )


FULL_WIDTH = ("adamw", "sgd", "sgd-momentum", "adafactor", "lion")
ZERO_1 = _zero("ZeRO-1: cut optimizer states", 1)
ZERO_2 = _zero("ZeRO-2: cut gradients too", 2)
ZERO_3 = _zero("ZeRO-3: cut weights too", 3)
SYNC = Move(
    "reduce the gradients of each micro-batch",
    {"training.sync_each_batch": True},
    {"training.sync_each_batch": (False,)},
    needs="unreduced_gradient_bytes",
    why_needed="no gradients wait for the last micro-batch",
    enough=True,
)
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
    "8-bit moments", {"training.optimizer": "adamw-8bit"}, {"training.optimizer": ("adamw", "paged-adamw")}
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
UNPIN = Move(
    "host buffers that are not pinned",
    {"training.pin_memory": False},
    {"training.pin_memory": (True,), "training.optimizer_offload": ("cpu",)},
    enough=True,
)
OFFLOAD_TO_DISK = Move(
    "offloaded states on disk",
    {"training.optimizer_offload": "nvme"},
    {"training.optimizer_offload": ("cpu",)},
    enough=True,
    unless=r"\bfsdp",  # which offloads to host memory alone
)
# A host that lacks memory is relieved first; weights join it where the GPU still lacks room.
RELIEVING = (UNPIN, OFFLOAD_TO_DISK)
OFFLOADING = (OFFLOAD_OPTIMIZER, OFFLOAD_WIDER, *RELIEVING, OFFLOAD_WEIGHTS, *RELIEVING)

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
    Step("sharding", "Shard with ZeRO or FSDP", (ZERO_1, ZERO_2, ZERO_3, SYNC)),
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


@frozen
class Procedure:
    """A procedure as it ran: its stages in order, the verdict on the last one, and the changes that it takes.

    `with_margin`: whether it stopped because the margin stays free, and not because nothing more can be done.
    """

    stages: tuple[Stage, ...]
    word: Word
    fits: bool
    with_margin: bool
    changes: Changes
    sentence: str


def run_checklist(job: Job) -> Procedure:
    """Apply the steps on top of each other, recompute after each, stop at the first that leaves the margin free."""
    made: dict[str, object] = {}
    stages = [stage("start", "As given", job, made, StageKind.GIVEN)]
    for step in CHECKLIST:
        if fits_with_margin(job):
            break
        job = _run_step(job, step, made, stages)
    return procedure(stages, job, made, _conclusion(stages, job))


def procedure(stages: list[Stage], job: Job, made: Changes, sentence: str) -> Procedure:
    """The record of a procedure that ended at this job."""
    return Procedure(tuple(stages), job.word, bool(job.value("fits")), fits_with_margin(job), made, sentence)


def _run_step(job: Job, step: Step, made: dict[str, object], stages: list[Stage]) -> Job:
    """The job after the step; one stage is added for every change, or one that says why there was none."""
    before, reasons = len(stages), []
    for move in step.moves:
        for after, why in repeated(job, move):
            if why:
                reasons.append(why)
                continue
            made |= changes_since(job, after)
            job = after
            stages.append(stage(step.id, f"{step.title}: {move.named(job)}", job, made))
            if fits_with_margin(job):
                return job
    if len(stages) == before:
        stages.append(stage(step.id, step.title, job, made, StageKind.PASSED_OVER, passed_over(reasons)))
    return job


def _conclusion(stages: list[Stage], job: Job) -> str:
    """How the checklist ended; a job that is tight is not said to need nothing."""
    last = verdict_on(job)
    if not fits_with_margin(job):
        lacking = "makes the job fit" if job.word == DOES_NOT_FIT else f"ends with {stops_at(job)}"
        return f"Nothing on the checklist {lacking}. {last}"
    if len(stages) > 1:
        return f"{last} The last change made is: {stages[-1].title}."
    if job.word == TIGHT:
        return f"{last} No change is made: the checklist stops at {stops_at(job)}, and the job fits, but is tight."
    return f"{last} No change is needed."


def each_alone(job: Job) -> tuple[Stage, ...]:
    """Every move of the checklist by itself, on the job as given: what it does and whether it is enough."""
    tries = [(step, move) for step in CHECKLIST for move in step.moves]
    ends = repeated_each(job, [move for _, move in tries])
    return tuple(
        stage(step.id, move.named(after), after, changes_since(job, after))
        for (step, move), (after, why) in zip(tries, ends, strict=True)
        if not why
    )
