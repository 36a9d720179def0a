"""What limits a job: arithmetic or memory bandwidth, by the kernels under the roofs of its phases."""

from __future__ import annotations

from memreport.report.answer.asking import Asking, listed, of_chosen
from memreport.report.records.speed import Roofline
from memreport.report.shares import share_of, whole_percent
from memreport.report.speed.limits import rooflines

BOUND = {"memory": "memory-bound", "arithmetic": "compute-bound"}
"""What is said of a phase, by what limits the kernels that take most of its least time."""


def what_limits(asking: Asking) -> str:
    """Each phase on the GPUs that are named, with the share of its least time that what limits it takes."""
    submitted = asking.options.submitted
    told = asking.chosen if asking.chosen.likeness.same_gpus or asking.options.asks_for_hardware else submitted
    roofs = rooflines(asking.view, told.column)
    phases = [_limited(roof) for roof in reversed(roofs)]  # tokens are made in the decode step, which is asked for
    with_ = of_chosen(asking) if told.changed else ""
    return f"{listed(phases)}{with_}; the ridge of the GPU is {roofs[0].ridge.text}"


def _limited(roof: Roofline) -> str:
    """What binds a phase: `memory-bound in the decode step (97 % of its least time)`."""
    seconds = {limit: sum(each.seconds.value for each in roof.kernels if each.limit == limit) for limit in BOUND}
    most = max(BOUND, key=seconds.__getitem__)
    share = whole_percent(share_of(seconds[most], sum(seconds.values())))
    return f"{BOUND[most]} in the {roof.title} ({share} of its least time)"
