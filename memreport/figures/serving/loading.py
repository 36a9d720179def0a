"""While an engine loads: what lies beside the finished weights, and whether that is more than it takes afterwards."""

from __future__ import annotations

from memreport.figures.quantities import Bytes, Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger


@figure("M_ck")
def checkpoint_bytes(rank_parameters: Count, checkpoint_element_bytes: Bytes) -> Bytes:
    """Weights of one GPU in the type in which they are read.  Source: 001 'Training vs Inference'."""
    return rank_parameters * checkpoint_element_bytes


@figure("M_ckl")
def checkpoint_layer_bytes(
    rank_matrix_parameters: Count, layers_per_stage: Count, checkpoint_element_bytes: Bytes
) -> Bytes:
    """One layer in that type, while it is turned into another or put into the order that kernels want.

    Source: vLLM `process_weights_after_loading`.
    """
    return rank_matrix_parameters / layers_per_stage * checkpoint_element_bytes


@figure("M_ld", title="Weights while they are loaded")
def loading_bytes(
    weight_bytes: Bytes,
    loads_whole: Switch,
    checkpoint_bytes: Bytes,
    loads_copy: Switch,
    loads_layer: Switch,
    checkpoint_layer_bytes: Bytes,
) -> Bytes:
    """Weights at their most while they are loaded.  Source: the mode's row; vLLM, model_executor/model_loader."""
    return (
        larger(weight_bytes, loads_whole * checkpoint_bytes)
        + loads_copy * weight_bytes + loads_layer * checkpoint_layer_bytes
    )  # fmt: skip


@figure("M_ldp", title="Peak while loading")
def loading_peak_bytes(loading_bytes: Bytes, communication_buffer_bytes: Bytes, framework_bytes: Bytes) -> Bytes:
    """Memory of one GPU while weights are loaded; cache and graphs come later.  Source: sum."""
    return loading_bytes + communication_buffer_bytes + framework_bytes


@figure("M_ldx", title="While loading alone")
def loading_excess_bytes(
    loading_peak_bytes: Bytes, weight_bytes: Bytes, kv_cache_bytes: Bytes, overhead_bytes: Bytes
) -> Bytes:
    """What loading takes beyond what serving takes afterwards.  Source: subtraction."""
    return larger(loading_peak_bytes - weight_bytes - kv_cache_bytes - overhead_bytes, 0)
