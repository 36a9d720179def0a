"""What the peak leaves of the usable memory, trained or served."""

from memreport.figures.quantities import Bytes, Share
from memreport.formula.recording import figure


@figure("R", title="Headroom", shown=("main", "with verdicts"))
def headroom_bytes(usable_bytes: Bytes, peak_bytes: Bytes) -> Bytes:
    """Room left on the GPU at the expected peak; negative where it does not fit.  Source: subtraction."""
    return usable_bytes - peak_bytes


@figure("R_rel", title="Headroom as a share", shown=("main", "with verdicts"))
def headroom_share(headroom_bytes: Bytes, usable_bytes: Bytes) -> Share:
    """Room left as a share of the usable memory.  Source: division."""
    return headroom_bytes / usable_bytes


@figure("R_rel-")
def headroom_share_low(usable_bytes: Bytes, peak_bytes_high: Bytes) -> Share:
    """The same at the high end of the peak.  Source: division."""
    return (usable_bytes - peak_bytes_high) / usable_bytes


headroom_share_high = headroom_share_low.row(
    "headroom_share_high",
    "R_rel+",
    "The same at the low end of the peak.  Source: division.",
    {"peak_bytes_high": "peak_bytes_low"},
)
