"""Host memory of a serving engine: weights and cache that do not lie on the GPUs; choices that nothing judges."""

from memreport.figures.constants import UNVERIFIED_SPREAD
from memreport.figures.quantities import Bytes, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import total, where


@figure("M_kvh")
def host_cache_bytes(kv_cache_bytes: Bytes, gpu_layer_share: Share) -> Bytes:
    """Cache of the layers that stay on the host.  Source: llama.cpp logs a cache buffer of the CPU."""
    return kv_cache_bytes * (1 - gpu_layer_share) / gpu_layer_share


@figure("o_unv")
def unverified_choice(
    gpu_layer_share: Share,
    shared_prefix_tokens: Tokens,
    offloaded_weight_bytes: Bytes,
    cache_shards: Count,
    draft_parameters: Count,
    draft_num_hidden_layers: Count,
    max_loras: Count,
    num_linear_attention_layers: Count,
    makes_tokens: Switch,
) -> Switch:
    """1 where a choice of the server was computed from code alone.

    Layers or weights on the host, a shared prefix, ranks that share a cache, a draft model, buffers of adapters, layers
    without attention, models that answer with vectors.
    Source: docs/accuracy.md: no published measurement of the kind is among the groups.
    """
    return where(
        (gpu_layer_share < 1)
        + (shared_prefix_tokens > 0)
        + (offloaded_weight_bytes > 0)
        + (cache_shards > 1)
        + draft_parameters
        + draft_num_hidden_layers
        + max_loras
        + num_linear_attention_layers
        + (1 - makes_tokens)
        > 0,
        1,
        0,
    )


@figure("u_peak", basis="rule of thumb")
def peak_uncertainty(
    weight_bytes: Bytes,
    kv_cache_bytes: Bytes,
    overhead_bytes: Bytes,
    overhead_uncertainty: Share,
    unverified_choice: Switch,
) -> Share:
    """How far the peak may lie from what is expected.  Source: spread of the overhead over 231 vLLM start-up logs."""
    return (
        overhead_bytes * overhead_uncertainty / (weight_bytes + kv_cache_bytes + overhead_bytes)
        + UNVERIFIED_SPREAD * unverified_choice
    )


@figure("M_kvo", source="vLLM `kv_offloading_size`, which is of all ranks together")
def offloaded_cache_bytes(kv_offloading_size: Bytes, model_parallel_size: Count, context_parallel_size: Count) -> Bytes:
    """Cache that one GPU of a replica keeps in host memory, for later requests or sequences that wait."""
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
def host_headroom_bytes(node_memory_bytes: Bytes, host_bytes_per_node: Bytes) -> Bytes:
    """Host memory left on one node.  Source: subtraction."""
    return node_memory_bytes - host_bytes_per_node
