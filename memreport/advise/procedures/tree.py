"""The decision tree for fitting a training job, with its two gaps closed.

Source: 003 'Memory Optimization Decision Tree'.  There, a model whose weights fit was ready at once, and so was one
after ZeRO-3 or offloading; here the whole budget decides in each case, and what does not fit is told what would.
Activations and states may each fit but not both: layers are then recomputed before anything is sharded or offloaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

from memreport.advise.moves import (
    Move,
    Stage,
    StageKind,
    changes_since,
    fits_with_margin,
    passed_over,
    stage,
    stops_at,
    tried,
    verdict_on,
)
from memreport.advise.procedures.checklist import (
    CHECKPOINT,
    EIGHT_BIT,
    HALF,
    OFFLOADING,
    SIXTEEN_BIT,
    SYNC,
    ZERO_2,
    ZERO_3,
    Procedure,
    procedure,
)
from memreport.advise.rerun import Job
from memreport.advise.verdict import DOES_NOT_FIT, FITS
from memreport.catalogue.quantities import pair_in_gib
from memreport.frozen import frozen

READY, NO_FIT = "ready", "does not fit"


@frozen
class Question:
    """A fork: do these figures together fit the GPU?  No figures: does the whole budget?"""

    title: str
    parts: tuple[str, ...]
    yes: str
    no: str


@frozen
class Action:
    """A change: the first of the moves that changes anything, then on; `otherwise` where none of them does."""

    title: str
    moves: tuple[Move, ...]
    then: str
    otherwise: str


_WEIGHTS = ("weight_bytes",)
_ACTIVATIONS = (*_WEIGHTS, "activation_bytes", "logits_bytes")
_STATES = (*_WEIGHTS, "master_weight_bytes", "optimizer_state_bytes", "gradient_bytes")
TREE: Mapping[str, Question | Action] = {
    "weights": Question("Do the weights fit?", _WEIGHTS, "activations", "precision"),
    "precision": Action("Reduce precision to 16 bit", (SIXTEEN_BIT, HALF), "activations", "activations"),
    "activations": Question("Do activations fit beside the weights?", _ACTIVATIONS, "states", "checkpointing"),
    "checkpointing": Action("Enable gradient checkpointing", (CHECKPOINT,), "states", "states"),
    "states": Question(
        "Do gradients and optimizer states fit beside the weights?", _STATES, "budget", "smaller states"
    ),
    "smaller states": Action("ZeRO-2, or 8-bit moments on one GPU", (ZERO_2, EIGHT_BIT), "budget", "budget"),
    "budget": Question("Does the whole budget fit, all of it together?", (), READY, "recomputing"),
    "recomputing": Action("Enable gradient checkpointing", (CHECKPOINT,), "budget", "sharding"),
    "sharding": Action("ZeRO-3 over all GPUs", (ZERO_3, SYNC), "budget", "offload"),
    "offload": Action("Offload to the host", OFFLOADING, "budget", NO_FIT),
}
FIRST = "weights"


def run_tree(job: Job) -> Procedure:
    """Walk the tree from the first question to an exit; the budget is recomputed at every node."""
    stages: list[Stage] = []
    made: dict[str, object] = {}
    told: set[str] = set()
    name = FIRST
    while name not in (READY, NO_FIT):
        node = TREE[name]
        before = job
        job, name, found = _ask(job, name, node) if isinstance(node, Question) else _act(job, name, node)
        made |= changes_since(before, job)
        if not (found.passed_over and found.title in told):
            stages.append(found(made))
        told.add(found.title)
    return procedure(stages, job, made, f"{_exit(job)} {verdict_on(job)}")


def _exit(job: Job) -> str:
    """How the walk ended."""
    if fits_with_margin(job):
        return "Ready to train." if job.word == FITS else f"Ready to train, with {stops_at(job)}."
    if job.word == DOES_NOT_FIT:
        return "Does not fit with anything the tree knows."
    return f"Nothing the tree knows ends with {stops_at(job)}."


@frozen
class _Record:
    """A stage that waits for the changes made so far."""

    step: str
    title: str
    job: Job
    answer: str
    kind: StageKind

    @property
    def passed_over(self) -> bool:
        """Whether nothing was done: said once, however often the walk comes by."""
        return self.kind is StageKind.PASSED_OVER

    def __call__(self, made: Mapping[str, object]) -> Stage:
        return stage(self.step, self.title, self.job, made, self.kind, self.answer)


def _ask(job: Job, name: str, node: Question) -> tuple[Job, str, _Record]:
    if not node.parts:
        yes = fits_with_margin(job)
        return job, node.yes if yes else node.no, _Record(name, node.title, job, "", StageKind.QUESTION)
    needed = fsum(job.value(part) for part in node.parts)
    usable = job.value("usable_bytes") * (1 - job.search.safety_margin)
    yes = needed <= usable
    answer = f"{'Yes' if yes else 'No'}: {' of '.join(pair_in_gib(needed, usable))}."
    return job, node.yes if yes else node.no, _Record(name, node.title, job, answer, StageKind.QUESTION)


def _act(job: Job, name: str, node: Action) -> tuple[Job, str, _Record]:
    reasons = []
    for move in node.moves:
        after, why = tried(job, move)
        if not why:
            return after, node.then, _Record(name, f"{node.title}: {move.named(after)}", after, "", StageKind.CHANGED)
        reasons.append(why)
    return job, node.otherwise, _Record(name, node.title, job, passed_over(reasons), StageKind.PASSED_OVER)
