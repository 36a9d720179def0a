"""Host memory of a serving engine: weights and cache that do not lie on the GPUs."""

from __future__ import annotations

from memreport.figures.quantities import Bytes, Count
from memreport.formula.recording import figure
from memreport.formula.words import total


@figure("M_kvo")
def offloaded_cache_bytes(kv_offloading_size: Bytes, model_parallel_size: Count, context_parallel_size: Count) -> Bytes:
    """Cache that one GPU of a replica keeps in host memory, for later requests or sequences that wait.

    Source: vLLM `kv_offloading_size`, which is of all ranks together.
    """
    return kv_offloading_size / (model_parallel_size * context_parallel_size)


@figure("M_host", title="Host memory of a node")
def host_bytes_per_node(
    offloaded_weight_bytes: Bytes,
    host_embedding_bytes: Bytes,
    host_layer_bytes: Bytes,
    host_cache_bytes: Bytes,
    offloaded_cache_bytes: Bytes,
    accelerators_per_node: Count,
) -> Bytes:
    """Host memory that all GPUs of a node take for weights and cache.  Source: vLLM `cpu_offload_gb`; llama.cpp."""
    return accelerators_per_node * total(
        offloaded_weight_bytes, host_embedding_bytes, host_layer_bytes, host_cache_bytes, offloaded_cache_bytes
    )


@figure("R_host", title="Headroom of the host")
def host_headroom_bytes(host_memory_bytes: Bytes, host_bytes_per_node: Bytes) -> Bytes:
    """Host memory left on one node.  Source: subtraction."""
    return host_memory_bytes - host_bytes_per_node
