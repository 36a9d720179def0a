"""The answer on a job of another program: what `show` says of it, after what was read of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memreport.advise.decide import decide
from memreport.build.answers.fitting import ID, catalogue_here, count_of, known_gpu
from memreport.build.answers.saving import refuse_existing, save_scenario
from memreport.build.stated.reading import ReadJob, read_job
from memreport.catalogue.load import GIVEN
from memreport.catalogue.programs.job import StatedJob, stated_job
from memreport.errors import Fault, InputError
from memreport.publish.text.answer import blocks_text
from memreport.publish.text.width import columns
from memreport.report.answer.screen import screen_of
from memreport.report.records.blocks import Notes

TRAINED = (
    "method", "framework", "objective", "precision", "optimizer", "micro_batch_size", "gradient_accumulation_steps",
    "sequence_length", "gradient_checkpointing", "attention", "loss", "zero_stage", "tensor_parallel_size",
    "pipeline_parallel_size", "context_parallel_size", "expert_parallel_size",
)  # fmt: skip
SERVED = (
    "engine", "weight_dtype", "kv_cache_dtype", "max_model_len", "max_num_seqs", "tensor_parallel_size",
    "pipeline_parallel_size", "expert_parallel_size", "gpu_memory_utilization",
)  # fmt: skip
"""Settings that decide most, which are told as they were read."""
SHOW_ALL, ALL_OF_SAVED = "more: show --all)", "more: --save job.yaml, then memreport show --all job.yaml)"
NEXT = "Next: --save job.yaml, then memreport plan or build job.yaml"
MOST_UNREAD = 12
"""Options that are named; of more, how many."""


def answer_on(text: str, gpu: str, count: str, model: str, save: Path | None) -> tuple[str, tuple[str, ...]]:
    """What is read of a file or a command line with the answer, and the files that it names.  Raises InputError."""
    refuse_existing(save)
    job, catalogue = stated_job(text), catalogue_here()
    known, number = known_gpu(gpu, catalogue), count_of(count) if count else 0
    try:
        read = read_job(job, model, known, number, save.stem if save else ID, catalogue)
    except InputError as error:
        raise InputError([_placed(fault, job.place) for fault in error.faults]) from None
    if save:
        save_scenario(save, read.scenario, "fit")
    *answer, notes = screen_of(decide(read.computed, sensitivity=False), ())
    last = notes
    if isinstance(notes, Notes):
        last = Notes((*(each.replace(SHOW_ALL, ALL_OF_SAVED) for each in notes.sentences[:-1]), NEXT))
    return "\n".join((*_said_of(job, read), "", "")) + blocks_text((*answer, last)), job.files


def _placed(fault: Fault, file: str) -> Fault:
    """A fault of the scenario that was made, as one of the file that says it."""
    file = file if fault.file == GIVEN else fault.file
    return Fault(fault.message, file, 0, 0, fault.field, fault.found, fault.expected, fault.nearest)


def _said_of(job: StatedJob, read: ReadJob) -> Iterator[str]:
    case, hardware = read.computed.resolved.cases[0], read.scenario["hardware"]
    names = TRAINED if job.workload == "training" else SERVED
    names = (*names, *(["lora_rank"] if case.settings.get("method", "full") != "full" else []))
    shown = [f"{name} {_short(case.settings[name])}" for name in names if name in case.settings]
    said = [case.card.title, f"{hardware['count']} x {hardware['accelerator']}", *shown]
    yield from _wrapped(f"Read as {job.program}: ", said)
    if read.assumed:
        own = [f"{name} {_short(value)}" for name, value in read.assumed.items()]
        yield from _wrapped(f"Not stated, as {job.program} takes it: ", own)
    if read.unread:
        yield from _wrapped("Not read: ", _unread(read))


def _unread(read: ReadJob) -> list[str]:
    listed = [
        f"{name} ({why})" if why else name for name, why in sorted(read.unread.items(), key=lambda each: not each[1])
    ]
    more = len(listed) - MOST_UNREAD
    return [*listed[:MOST_UNREAD], *([f"and {more} more"] if more > 0 else [])]


def _short(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _wrapped(head: str, said: Sequence[str]) -> list[str]:
    return textwrap.wrap(head + ", ".join(said) + ".", columns() - 2, subsequent_indent="  ", break_on_hyphens=False)
