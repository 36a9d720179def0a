"""Buffers of collectives and scratch space of libraries in a training step."""

from memreport.figures.constants import FP32_BYTES, ONE_TOKEN, TWO
from memreport.figures.quantities import Bytes, Count, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, total, where


@figure("M_fh")
def freed_head_bytes(
    shards_parameters: Switch,
    separate_edge_units: Switch,
    root_unit_bytes: Bytes,
    layer_unit_bytes: Bytes,
    layer_unit_gradient_bytes: Bytes,
) -> Bytes:
    """A head of its own unit is set free before the last layer's backward pass; in its own that layer has no gradient.

    Source: torchtitan `apply_fsdp`; torch 2.13, counted.
    """
    return (
        shards_parameters * separate_edge_units * smaller(root_unit_bytes, layer_unit_bytes + layer_unit_gradient_bytes)
    )


@figure("M_unit")
def layer_unit_bytes(
    layer_unit_parameters: Count,
    base_quantised: Switch,
    matrix_element_bytes: Bytes,
    gathered_layer_element_bytes: Bytes,
) -> Bytes:
    """One layer as FSDP gathers it, quantised as it is stored.  Source: bitsandbytes `bnb_4bit_quant_storage`."""
    return layer_unit_parameters * where(base_quantised > 0, matrix_element_bytes, gathered_layer_element_bytes)


@figure("M_root", source="PyTorch FSDP `_post_forward_reshard`; torchtitan `apply_fsdp`")
def root_unit_bytes(
    separate_edge_units: Switch,
    head_matrix_parameters: Count,
    edge_parameters: Count,
    gathered_weight_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """Embeddings and head, FSDP's root unit, which stays gathered from the forward pass to the end of the backward."""
    # The head alone where both are units of their own.
    return (
        where(separate_edge_units > 0, head_matrix_parameters, edge_parameters)
        * gathered_weight_element_bytes / tensor_parallel_size
    )  # fmt: skip


@figure(
    "o_rsh", source="PyTorch pipelining, `set_reshard_after_backward(False)`; torchtitan `apply_fsdp` with a pipeline"
)
def releases_gathered(reshard_after_forward: Switch, pipeline_parallel_size: Count) -> Switch:
    """1 where gathered weights are set free after each forward pass; a stage keeps its own to the last micro-batch."""
    return reshard_after_forward * (pipeline_parallel_size <= 1)


@figure("M_pre")
def prefetched_unit_bytes(
    shards_parameters: Switch, releases_gathered: Switch, gathered_units: Count, layer_unit_bytes: Bytes
) -> Bytes:
    """Layers gathered ahead of the one at work, while any is left to come.  Source: PyTorch FSDP `BACKWARD_PRE`."""
    return shards_parameters * releases_gathered * larger(gathered_units - 1, 0) * layer_unit_bytes


@figure("M_gath", source="PyTorch FSDP, a unit at a time beside the root; DeepSpeed `stage3_max_live_parameters`")
def gathered_parameter_bytes(
    shards_parameters: Switch,
    gathered_units: Count,
    root_unit_bytes: Bytes,
    layer_unit_bytes: Bytes,
    live_parameters: Count,
    rank_parameters: Count,
    gathered_weight_element_bytes: Bytes,
    releases_gathered: Switch,
) -> Bytes:
    """Weights gathered under ZeRO-3 or FSDP: the root and the layer at work, or up to the limit of live parameters."""
    # All of them where they stay gathered after the forward pass.
    return shards_parameters * where(
        releases_gathered > 0,
        smaller(
            rank_parameters * gathered_weight_element_bytes,
            (gathered_units > 0) * (root_unit_bytes + layer_unit_bytes)
            + live_parameters * gathered_weight_element_bytes,
        ),
        rank_parameters * gathered_weight_element_bytes,
    )


@figure("M_rel", source="PyTorch `reshard_after_backward`")
def released_unit_bytes(
    shards_parameters: Switch,
    releases_gathered: Switch,
    gathered_parameter_bytes: Bytes,
    root_unit_bytes: Bytes,
    layer_unit_bytes: Bytes,
) -> Bytes:
    """Layers that stayed gathered after the forward pass, and are set free by their own backward pass."""
    return (
        shards_parameters
        * (1 - releases_gathered)
        * larger(gathered_parameter_bytes - root_unit_bytes - layer_unit_bytes, 0)
    )


@figure("M_buck")
def bucket_bytes(
    bucket_elements: Count,
    rank_trainable_parameters: Count,
    trained_gradient_element_bytes: Bytes,
    shards_optimizer: Switch,
    sharding_size: Count,
) -> Bytes:
    """Buckets in which sharded gradients are reduced.  Source: DeepSpeed `reduce_bucket_size` counts elements."""
    return (
        shards_optimizer * (sharding_size > 1)
        * smaller(bucket_elements, rank_trainable_parameters) * trained_gradient_element_bytes
    )  # fmt: skip


@figure("M_ddp", source="PyTorch DistributedDataParallel, `gradient_as_bucket_view=False`")
def replica_bucket_bytes(
    shards_optimizer: Switch, sharding_size: Count, ddp_gradient_copies: Count, whole_gradient_bytes: Bytes
) -> Bytes:
    """Second copy of the gradients in the buckets of plain data parallelism."""
    return (1 - shards_optimizer) * (sharding_size > 1) * ddp_gradient_copies * whole_gradient_bytes


@figure("M_comm", title="Communication buffers", shown=("main of training",))
def communication_buffer_bytes(
    accelerators: Count,
    collective_library_bytes: Bytes,
    gathered_parameter_bytes: Bytes,
    bucket_bytes: Bytes,
    replica_bucket_bytes: Bytes,
) -> Bytes:
    """Buffers of collectives: the library's own, gathered weights, gradient buckets.  Source: see the parts."""
    return (
        (accelerators > 1) * collective_library_bytes + gathered_parameter_bytes + bucket_bytes + replica_bucket_bytes
    )


@figure("M_deq", basis="rule of thumb", source="arXiv:2305.14314, section 3; bitsandbytes `MatMul4Bit.forward`")
def dequantised_matrix_bytes(
    base_quantised: Switch,
    hidden_size: Count,
    intermediate_size: Count,
    quantises_head: Switch,
    vocab_size: Count,
    base_other_element_bytes: Bytes,
) -> Bytes:
    """The largest matrix that QLoRA turns back into 16 bit for one multiplication: the MLP's, or a quantised head."""
    return (
        base_quantised * hidden_size * larger(intermediate_size, quantises_head * vocab_size)
        * base_other_element_bytes
    )  # fmt: skip


@figure("M_kin", basis="measured")
def kept_graph_bytes(
    keeps_last_logits: Switch,
    base_quantised: Switch,
    quantised_layers_keep_inputs: Switch,
    checkpoints: Switch,
    tokens_per_micro_batch: Tokens,
    num_hidden_layers: Count,
    hidden_size: Count,
    norms_per_layer: Count,
    value_size: Count,
    intermediate_size: Count,
    activation_element_bytes: Bytes,
) -> Bytes:
    """Inputs of 4-bit matrices in the last micro-batch's graph.  Source: bitsandbytes `MatMul4Bit.forward`."""
    # bitsandbytes 0.42 keeps them in `ctx.tensors`, which no backward pass releases; LitGPT's `fit` keeps the logits.
    # Norms before attention and MLP, or one before both; attention's output; the MLP's inside.
    return (
        keeps_last_logits * base_quantised * quantised_layers_keep_inputs * (1 - checkpoints)
        * tokens_per_micro_batch / ONE_TOKEN * num_hidden_layers * activation_element_bytes
        * (hidden_size * smaller(norms_per_layer, TWO) + value_size + intermediate_size)
    )  # fmt: skip


@figure("M_hfw", basis="measured")
def head_forward_excess_bytes(
    keeps_last_logits: Switch,
    kept_graph_bytes: Bytes,
    quantises_head: Switch,
    dequantised_matrix_bytes: Bytes,
    wide_logits_bytes: Bytes,
    logit_chunk_tokens: Tokens,
    sequence_length: Tokens,
    logits_bytes: Bytes,
) -> Bytes:
    """What the head's forward pass holds beyond the loss: that graph, its logits, the head twice.  Source: LitGPT."""
    # Its `fit` holds them until the next are made; Lightning quantises what is in FP16, so that the head is made again
    # in FP16 and cast.  All parts of the new logits but one stand beside them in 16 bit.
    return keeps_last_logits * larger(
        kept_graph_bytes + quantises_head * dequantised_matrix_bytes
        + wide_logits_bytes * (1 + larger(1 - logit_chunk_tokens / sequence_length, 0) / TWO)
        - logits_bytes,
        0,
    )  # fmt: skip


@figure("M_dq", basis="rule of thumb")
def attention_backward_bytes(
    tokens_per_micro_batch: Tokens, query_size: Count, tensor_parallel_size: Count, scores_stored: Switch
) -> Bytes:
    """FP32 accumulator of the query gradient inside fused attention.  Source: flash-attention, backward kernel."""
    return (1 - scores_stored) * tokens_per_micro_batch / ONE_TOKEN * query_size * FP32_BYTES / tensor_parallel_size


@figure("P_sh")
def gradient_shape_parameters(
    query_matrix_parameters: Count,
    key_value_matrix_parameters: Count,
    output_matrix_parameters: Count,
    mlp_matrices: Count,
    hidden_size: Count,
    mlp_shape_width: Count,
    head_matrix_parameters: Count,
    pipeline_parallel_size: Count,
) -> Count:
    """Parameters of one matrix of each shape: one layer's, and the head's where one stage is all.  Source: sum."""
    return total(
        query_matrix_parameters,
        key_value_matrix_parameters,
        output_matrix_parameters,
        mlp_matrices * hidden_size * mlp_shape_width,
        head_matrix_parameters * (pipeline_parallel_size <= 1),
    )


@figure("F_sh")
def mlp_shape_width(
    dense_layers: Count, intermediate_size: Count, moe_intermediate_size: Count, shared_expert_intermediate_size: Count
) -> Count:
    """Widths of the MLPs of different shape, added: dense, one routed expert, shared experts.  Source: sum."""
    return where(dense_layers > 0, intermediate_size, 0) + moe_intermediate_size + shared_expert_intermediate_size


@figure("M_ph", source="Transformer Engine 2.3 and later, `get_dummy_wgrad`; Megatron-LM `tensor_parallel/layers.py`")
def gradient_placeholder_bytes(
    placeholder_element_bytes: Bytes, trains_base: Switch, gradient_shape_parameters: Count, tensor_parallel_size: Count
) -> Bytes:
    """Placeholders that fused gradient accumulation hands to autograd, one kept for each shape of matrix."""
    return placeholder_element_bytes * trains_base * gradient_shape_parameters / tensor_parallel_size


@figure("M_lib", source="PyTorch CublasHandlePool.cpp, one for each handle, of which each thread has its own")
def library_workspace_bytes(
    matrix_workspace_bytes: Bytes,
    optimizer_estimates_gradients: Switch,
    takes_engine_workspace: Switch,
    engine_workspace_bytes: Bytes,
) -> Bytes:
    """Workspaces of the matrix library: of the forward pass's thread, of the backward pass's, Transformer Engine's."""
    return (
        matrix_workspace_bytes * (TWO - optimizer_estimates_gradients)
        + takes_engine_workspace * engine_workspace_bytes
    )  # fmt: skip


@figure("M_work")
def workspace_bytes(
    library_workspace_bytes: Bytes,
    dequantised_matrix_bytes: Bytes,
    gradient_placeholder_bytes: Bytes,
    fp8_weight_copy_bytes: Bytes,
) -> Bytes:
    """Scratch space of libraries and kernels.  Source: PyTorch cuBLAS workspaces; see the parts."""
    return library_workspace_bytes + dequantised_matrix_bytes + gradient_placeholder_bytes + fp8_weight_copy_bytes
