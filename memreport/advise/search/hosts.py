"""The host that so many of a GPU stand in, where a search tries other GPUs and other numbers of them."""

from __future__ import annotations

from memreport.advise.rerun import Job
from memreport.resolve.usual import usual_host


def host_of(job: Job, gpu: str, count: float) -> str:
    """The host of so many of a GPU: the one that is stated, or that it is usually in."""
    case = job.case
    if gpu == case.settings["accelerator"] and case.origins["host"].kind != "default":
        return str(case.settings["host"])
    return job.search.hosts.get(gpu) or usual_host(job.catalogue, gpu, count)
