"""What no machine is faster than, however small the work: products are launched, all-reduces take their turn."""

from __future__ import annotations

from memreport.figures.constants import (
    PRODUCTS_PER_LAYER,
    REDUCTIONS_PER_LAYER,
    SHORTEST_ALL_REDUCE_SECONDS,
    SHORTEST_PRODUCT_SECONDS,
)
from memreport.figures.quantities import Count, Seconds
from memreport.formula.recording import figure
from memreport.formula.words import where


@figure("t_lat")
def decode_latency_seconds(num_hidden_layers: Count, tensor_parallel_size: Count) -> Seconds:
    """Floor of a decode step: four products a layer, and two all-reduces where GPUs share layers.

    Source: ai-dynamo/aiconfigurator's operator tables (095f58a), shortest latencies of any data-centre GPU.
    """
    return num_hidden_layers * PRODUCTS_PER_LAYER * SHORTEST_PRODUCT_SECONDS + where(
        tensor_parallel_size > 1, num_hidden_layers * REDUCTIONS_PER_LAYER * SHORTEST_ALL_REDUCE_SECONDS, 0
    )
