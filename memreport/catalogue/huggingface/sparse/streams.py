"""Several residual streams, of which each sublayer reads a mixture and to which its answer is added."""

from __future__ import annotations

from memreport.catalogue.huggingface.family import BOTH, Fields
from memreport.catalogue.huggingface.reader import Reader


def mixed_streams(read: Reader, squares: float) -> float:
    """Weights around each sublayer: what it reads of each stream, what it writes to it, with squares each pair too."""
    streams = read.whole("hc_mult", 4)
    mixed = (squares * streams + BOTH) * streams
    return BOTH * read.layers * (mixed * streams * read.width + mixed + BOTH + squares)


def joined_streams(read: Reader) -> float:
    """Weights that join the streams before the head."""
    streams = read.whole("hc_mult", 4)
    return streams * streams * read.width + streams + 1


def kept_streams(read: Reader, squares: float) -> Fields:
    """What one mixing keeps of its weights: two of each stream, and with squares each step that makes them even."""
    streams, steps = read.whole("hc_mult", 4), read.whole("hc_sinkhorn_iters", 20)
    pairs = streams * streams
    even = squares * (pairs + (BOTH * steps - 1) * (pairs + streams) + pairs / BOTH)
    return {"num_residual_streams": streams, "residual_stream_values": 1 + BOTH * streams + even + streams / BOTH}
