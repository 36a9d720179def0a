"""The peak of a serving engine in parts that add up to it."""

from memreport.figures.quantities import Bytes, Switch
from memreport.formula.recording import figure
from memreport.formula.words import smaller, total, where


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
    longest_request_excess_bytes: Bytes,
    loading_excess_bytes: Bytes,
) -> Bytes:
    """All parts of the peak together: the peak itself, unless that or a sum on the way is given.  Source: sum."""
    return total(
        weight_bytes,
        kv_cache_bytes,
        longest_request_excess_bytes,
        transient_bytes,
        graph_and_workspace_bytes,
        framework_bytes,
        loading_excess_bytes,
    )


@figure("M_hold", source="vLLM, `gpu_memory_utilization`; llama.cpp reserves its slots; transformers grows its cache")
def held_cache_bytes(fills_pool: Switch, kv_pool_bytes: Bytes, kv_cache_bytes: Bytes) -> Bytes:
    """Memory that the engine holds for its cache: the whole pool from the start, or what sequences were given."""
    return where(fills_pool > 0, kv_pool_bytes, kv_cache_bytes)


@figure("M_alloc", basis="measured")
def allocated_peak_bytes(
    weight_bytes: Bytes, held_cache_bytes: Bytes, transient_bytes: Bytes, workspace_bytes: Bytes
) -> Bytes:
    """What PyTorch's `max_memory_allocated` is expected to say once the engine has loaded and run.

    Source: PyTorch counts tensors, not the context, captured graphs or the collective library.
    """
    return weight_bytes + held_cache_bytes + transient_bytes + workspace_bytes


@figure("M_smi", basis="measured", title="Shown by nvidia-smi")
def device_memory_used_bytes(
    peak_bytes: Bytes, kv_cache_bytes: Bytes, held_cache_bytes: Bytes, capacity_bytes: Bytes
) -> Bytes:
    """What `nvidia-smi` is expected to show: the peak with all that is held for the cache; the job needs less.

    Source: vLLM, SGLang and TensorRT-LLM fill their share of the GPU before the first request.
    """
    return smaller(peak_bytes - kv_cache_bytes + held_cache_bytes, capacity_bytes)


@figure("M_smil", basis="rule of thumb", title="Shown by nvidia-smi, low end")
def device_memory_used_bytes_low(
    peak_bytes_low: Bytes, kv_cache_bytes: Bytes, held_cache_bytes: Bytes, capacity_bytes: Bytes
) -> Bytes:
    """The same with the low end of the peak.  Source: as for the figure."""
    return smaller(peak_bytes_low - kv_cache_bytes + held_cache_bytes, capacity_bytes)


@figure("M_smih", basis="rule of thumb", title="Shown by nvidia-smi, high end")
def device_memory_used_bytes_high(
    peak_bytes_high: Bytes, kv_cache_bytes: Bytes, held_cache_bytes: Bytes, capacity_bytes: Bytes
) -> Bytes:
    """The same with the high end of the peak.  Source: as for the figure."""
    return smaller(peak_bytes_high - kv_cache_bytes + held_cache_bytes, capacity_bytes)
