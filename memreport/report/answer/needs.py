"""What an option needs beside its GPUs: whole instances that are rented, memory and disks of the host."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from memreport.advise.candidates import Candidate
from memreport.catalogue.quantities import GIB, brief
from memreport.report.answer.rows import gib
from memreport.report.records.decision import OptionRow
from memreport.report.view import View

NVME = ("nvme_bytes_per_node", "nvme_bytes")
"""What offloading takes of a node's disks, and what it has."""
PLENTY = 2
"""How many times what is needed a node has where nobody asks whether it has enough."""
RENTED, OWN = "node_memory_bytes", "host_memory_bytes"
"""Host memory of a node: that of the instances which are rented, and the host's own where nothing is paid."""


def rented_instances(view: View, row: OptionRow, most_usd: float = math.inf) -> Iterator[str]:
    """What is rented beside the GPUs that the job uses, since clouds rent whole instances; that it is above a limit."""
    if whole := whole_usd(view, row, row.column):
        above = f", above the {brief(most_usd, 'USD')}," if whole > most_usd else ""
        held, unless = view.value("instance_accelerators", row.column), others_words(view, row, row.column)
        yield f"Rented {held:,.0f} at a time: {brief(whole, 'USD')}{above} unless {unless}."


def whole_usd(view: View, row: OptionRow, index: int) -> float:
    """What whole instances cost where the job leaves GPUs of them idle; 0 where it uses all that is rented."""
    if not row.takes.cost or view.value("rented_accelerators", index) <= row.gpus.count:
        return 0.0
    return row.takes.cost.amount.value + view.beside("idle_rent_usd", index)


def others_words(view: View, row: OptionRow, index: int) -> str:
    """On what condition the GPUs of the job alone are paid."""
    return f"other jobs use the other {view.value('rented_accelerators', index) - row.gpus.count:,.0f}"


def off_the_gpu(view: View, chosen: Candidate) -> Iterator[str]:
    """What is offloaded needs memory and disks of the host, which is no small thing."""
    memory = RENTED if view.has(RENTED) else OWN
    parts = (("host_bytes_per_node", memory, "host memory"), (*NVME, "disk"))
    if needed := [*_needed(view, chosen, parts)]:
        several = chosen.count > view.value("accelerators_per_node", chosen.column)
        yield f"Needs {' and '.join(needed)}{' a node' if several else ''}."


def _needed(view: View, chosen: Candidate, parts: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """What is taken of each part that more than a GiB is taken of, and what there is where that is not plenty."""
    for needed, there, what in parts:
        if view.has(needed) and (takes := view.value(needed, chosen.column)) > GIB:
            yield f"{gib(takes)} of {what}{_what_there_is(takes, view.value(there, chosen.column))}"


def _what_there_is(takes: float, has: float) -> str:
    """What a node has, in brackets, where somebody asks whether it has enough."""
    if not has:
        return " (check the host)"
    return f" (it has {gib(has).removesuffix(' GiB')})" if has < PLENTY * takes else ""
