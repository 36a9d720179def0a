"""The peak of a serving engine in parts that add up to it."""

from __future__ import annotations

from memreport.figures.quantities import Bytes
from memreport.formula.recording import figure
from memreport.formula.words import total


@figure("M_gw")
def graph_and_workspace_bytes(
    cuda_graph_bytes: Bytes, workspace_bytes: Bytes, communication_buffer_bytes: Bytes
) -> Bytes:
    """Captured graphs, scratch space and buffers of collectives together.  Source: sum."""
    return cuda_graph_bytes + workspace_bytes + communication_buffer_bytes


@figure("M_all")
def peak_parts_bytes(
    weight_bytes: Bytes,
    kv_cache_bytes: Bytes,
    transient_bytes: Bytes,
    graph_and_workspace_bytes: Bytes,
    framework_bytes: Bytes,
    loading_excess_bytes: Bytes,
) -> Bytes:
    """All parts of the peak together: the peak itself, unless that or a sum on the way is given.  Source: sum."""
    return total(
        weight_bytes,
        kv_cache_bytes,
        transient_bytes,
        graph_and_workspace_bytes,
        framework_bytes,
        loading_excess_bytes,
    )
