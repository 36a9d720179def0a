"""Buffers that an engine keeps for the adapters of one batch, on every layer that may have one."""

from memreport.figures.constants import FOUR, KEY_AND_VALUE, TWO
from memreport.figures.quantities import Bytes, Count, Share
from memreport.formula.recording import figure


@figure("D_sa")
def attention_buffer_widths(
    hidden_size: Count, query_size: Count, key_value_size: Count, value_size: Count, tensor_parallel_size: Count
) -> Count:
    """Widths of one layer's attention buffers: inputs of query, key, value and the output's result whole, others cut.

    Source: vLLM, lora/layers: `MergedQKVParallelLinearWithLoRA`, `RowParallelLinearWithLoRA`.
    """
    return (
        FOUR * hidden_size
        + (query_size + KEY_AND_VALUE * key_value_size + value_size) / tensor_parallel_size
    )  # fmt: skip


@figure("D_sm", source="vLLM, lora/layers: `MergedColumnParallelLinearWithLoRA`, `FusedMoEWithLoRA`")
def mlp_buffer_widths(
    mlp_matrices: Count,
    hidden_size: Count,
    dense_layers: Count,
    intermediate_size: Count,
    tensor_parallel_size: Count,
    mixture_layers: Count,
    num_local_experts: Count,
    moe_intermediate_size: Count,
    expert_parallel_size: Count,
) -> Count:
    """Widths of the buffers of all MLPs and routed experts: the hidden side whole, the other cut."""
    return mlp_matrices * (
        dense_layers * (hidden_size + intermediate_size / tensor_parallel_size)
        + mixture_layers * num_local_experts / expert_parallel_size
        * (hidden_size + moe_intermediate_size / tensor_parallel_size)
    )  # fmt: skip


@figure("D_se", source="vLLM, lora/layers: `VocabParallelEmbeddingWithLoRA`, `LogitsProcessorWithLoRA`")
def edge_buffer_widths(vocab_size: Count, hidden_size: Count) -> Count:
    """Widths of the buffers of embedding and head, which every rank keeps whole."""
    return TWO * (vocab_size + hidden_size)


@figure("M_lb")
def lora_buffer_bytes(
    max_loras: Count,
    max_lora_rank: Count,
    attention_layers: Count,
    attention_buffer_widths: Count,
    mlp_buffer_widths: Count,
    stage_share: Share,
    edge_buffer_widths: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """Buffers for the adapters of one batch, whatever matrices these change.  Source: vLLM `LoRAConfig`."""
    return (
        max_loras * max_lora_rank * other_element_bytes
        * ((attention_layers * attention_buffer_widths + mlp_buffer_widths) * stage_share + edge_buffer_widths)
    )  # fmt: skip
