"""What a monitor of the GPU will show of a job, which is more than the job needs."""

from __future__ import annotations

from memreport.report.view import View, in_gib, pair_in_gib

SHOWN = "device_memory_used_bytes"
NOTHING = "–"


def monitored(view: View, index: int) -> bool:
    """Whether there is a monitor's figure: of a job that runs at all."""
    return view.has(SHOWN) and view.value("peak_bytes", index) <= view.value("usable_bytes", index)


def monitor_text(view: View, index: int) -> str:
    """The figure with its ends, for a table; a dash for a job that would run out of memory."""
    if not monitored(view, index):
        return NOTHING
    ends = pair_in_gib(view.value(f"{SHOWN}_low", index), view.value(f"{SHOWN}_high", index))
    return f"{in_gib(view.value(SHOWN, index))} ({' to '.join(ends)})"
