"""What a monitor of the card will show of a job, which is more than the job needs."""

from __future__ import annotations

from memreport.report.verdicts import subject
from memreport.report.view import View, in_gib, pair_in_gib

SHOWN = "device_memory_used_bytes"
NOTHING = "–"


def monitored(view: View, at: int) -> bool:
    """Whether there is a monitor's figure: of a training job that runs at all."""
    return view.has(SHOWN) and view.value("peak_bytes", at) <= view.value("usable_bytes", at)


def monitor_text(view: View, at: int) -> str:
    """The figure with its ends, for a table; a dash for a job that would run out of memory."""
    if not monitored(view, at):
        return NOTHING
    return f"{in_gib(view.value(SHOWN, at))} ({_ends(view, at, ' to ')})"


def monitor_sentence(view: View, at: int) -> str:
    """The same as a sentence beside the peak; empty where there is none."""
    if not monitored(view, at):
        return ""
    peak, used = view.value("peak_bytes", at), view.value(SHOWN, at)
    between = f"between {_ends(view, at, ' and ')}"
    if used <= peak:
        same = f"{subject(view, at)} needs {in_gib(peak)}"
        return f"{same}, and a monitor of the card (nvidia-smi, amd-smi) will show about as much, {between}."
    needed, seen = pair_in_gib(peak, used)
    return (
        f"{subject(view, at)} needs {needed}, but a monitor of the card (nvidia-smi, amd-smi) will show about {seen}, "
        f"{between}: the rest are blocks that the allocator keeps for later, and sets free before it would fail."
    )


def _ends(view: View, at: int, joint: str) -> str:
    return joint.join(pair_in_gib(view.value(f"{SHOWN}_low", at), view.value(f"{SHOWN}_high", at)))
