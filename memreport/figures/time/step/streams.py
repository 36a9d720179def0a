"""Computed seconds of what treats elements alone in a training step, and of launches; who fuses nothing moves more."""

from memreport.figures.constants import HALF, MASK_BYTES, ONE_TOKEN, TRAINING_PASSES, TWO
from memreport.figures.constants.times import (
    ADAPTER_KERNELS,
    ADAPTER_PASSES,
    ADAPTER_RESULT_PASSES,
    CAP_PASSES,
    COMPILED_ADAPTER_BYTES,
    COMPILED_ADAPTER_KERNELS,
    COMPILED_KERNELS,
    COMPILED_LOSS_BYTES,
    DORA_BYTES,
    MERGING_PASSES,
    QUANTISED_KERNELS,
    THIRD,
)
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, FlopPerSecond, Seconds, Share, Switch, Tokens
from memreport.formula.recording import bound_line, figure
from memreport.formula.words import larger, smaller, total, where


@figure("Q_N", source="HF LlamaRMSNorm, operations counted; PyTorch Inductor makes one kernel of them")
def norm_stream_bytes(
    norm_input_wide: Switch,
    layers_fused: Switch,
    rank_norm_values: Count,
    rank_tokens_per_step: Tokens,
    norm_moves: Bytes,
    recompute_share: Share,
    norm_load_bytes: Bytes,
    norm_store_bytes: Bytes,
) -> Bytes:
    """Traffic of norms: the least, or written out in FP32."""
    return where(
        norm_input_wide - layers_fused > 0,
        rank_norm_values * (rank_tokens_per_step / ONE_TOKEN) * norm_moves * (1 + THIRD * recompute_share),
        norm_load_bytes + norm_store_bytes,
    )


@figure("Q_PW", source="counting")
def pointwise_stream_bytes(
    writes_out: Switch,
    torch_compile: Switch,
    use_liger_kernel: Switch,
    rank_tokens_per_step: Tokens,
    written_values: Count,
    activation_element_bytes: Bytes,
    recompute_share: Share,
    pointwise_load_bytes: Bytes,
    pointwise_store_bytes: Bytes,
) -> Bytes:
    """Traffic of residual sums, rotations and activations as the framework runs them."""
    return where(
        writes_out - larger(torch_compile, use_liger_kernel) > 0,
        (rank_tokens_per_step / ONE_TOKEN) * written_values * activation_element_bytes
        * (1 + THIRD * recompute_share),
        pointwise_load_bytes + pointwise_store_bytes,
    )  # fmt: skip


@figure("Q_E")
def embedding_stream_bytes(embedding_load_bytes: Bytes, embedding_store_bytes: Bytes) -> Bytes:
    """Traffic of the embedding.  Source: sum."""
    return embedding_load_bytes + embedding_store_bytes


@figure(
    "Q_loss", source="HF `ForCausalLMLoss`, Megatron-LM `vocab_parallel_cross_entropy`, operations counted; Inductor"
)
def loss_stream_bytes(
    rank_tokens_per_step: Tokens,
    head_outputs: Count,
    loss_traffic_bytes: Bytes,
    use_liger_kernel: Switch,
    loss_compiled: Switch,
    logit_softcap: Switch,
    activation_element_bytes: Bytes,
) -> Bytes:
    """Traffic of the loss over all logits; Liger's works on pieces that stay in the cache."""
    return (
        (rank_tokens_per_step / ONE_TOKEN) * head_outputs * (1 - use_liger_kernel)
        * where(
            loss_compiled > 0,
            smaller(COMPILED_LOSS_BYTES, loss_traffic_bytes),
            loss_traffic_bytes
            + logit_softcap * CAP_PASSES * activation_element_bytes,
        )
    )  # fmt: skip


@figure("Q_r", source="Megatron-LM `permute`, `unpermute`; HF `grouped_mm_experts_forward`, operations counted")
def routing_stream_bytes(
    rank_tokens_per_step: Tokens,
    routed_copies: Count,
    mixture_layers: Count,
    stage_share: Share,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    recompute_share: Share,
    tensor_parallel_size: Count,
    routing_passes: Count,
) -> Bytes:
    """Tokens sorted to their experts and put back, in every pass."""
    return (
        routing_passes
        * (TWO + recompute_share)
        * (rank_tokens_per_step / ONE_TOKEN)
        * routed_copies
        * mixture_layers
        * stage_share
        * hidden_size
        * activation_element_bytes
        / tensor_parallel_size
    )


@figure("x_c", source="Transformer Engine, torchao `PrepareFloat8ModuleInput`")
def cast_values(
    qkv_projection_inputs: Count, output_projection_inputs: Count, mlp_inputs: Count, residual_values: Count
) -> Count:
    """Values per token that the layers' products read and this GPU casts: cut sequences are cast, then gathered."""
    return qkv_projection_inputs + output_projection_inputs + mlp_inputs - residual_values


@figure("Q_cw", source="torchao `Float8Linear`; Transformer Engine `is_first_microbatch`")
def cast_weight_bytes(
    stored_matrix_parameters: Count,
    rank_share: Share,
    cast_bytes_per_weight: Bytes,
    casts_weights_anew: Switch,
    gradient_accumulation_steps: Count,
    trains_base: Switch,
) -> Bytes:
    """Weights cast for products in 8 bit: in every micro-batch, or once a step where copies are kept and trained."""
    return (
        stored_matrix_parameters * rank_share * cast_bytes_per_weight
        * where(casts_weights_anew > 0, gradient_accumulation_steps, trains_base)
    )  # fmt: skip


@figure("Q_cast", source="Transformer Engine, torchao: operations counted by recipe")
def cast_stream_bytes(
    sixteen_bit_flop_per_second: FlopPerSecond,
    cast_values: Count,
    rank_tokens_per_step: Tokens,
    recompute_share: Share,
    cast_bytes_per_value: Bytes,
    cast_weight_bytes: Bytes,
) -> Bytes:
    """Inputs and output gradients of products in 8 or 4 bit, cast and transposed, and weights."""
    return where(
        sixteen_bit_flop_per_second > 0,
        0,
        cast_values * (rank_tokens_per_step / ONE_TOKEN) * cast_bytes_per_value * (TWO + recompute_share)
        + cast_weight_bytes,
    )


@figure("Q_dq")
def dequantisation_stream_bytes(
    base_quantised: Switch,
    matrix_parameters: Count,
    base_weight_element_bytes: Bytes,
    base_unpacking_bytes: Bytes,
    rank_share: Share,
    recompute_share: Share,
    base_keeps_dequantised: Switch,
    gradient_accumulation_steps: Count,
) -> Bytes:
    """A quantised base unpacked to 16 bit in every pass that multiplies with it and did not keep it.

    Source: bitsandbytes `MatMul4Bit`; AutoGPTQ `QuantLinear`, whose products save the weights.
    """
    return (
        base_quantised
        * matrix_parameters
        * (base_weight_element_bytes + base_unpacking_bytes)
        * rank_share
        * (TWO - base_keeps_dequantised + recompute_share)
        * gradient_accumulation_steps
    )


@figure("D_L")
def adapter_widths(
    trains_adapters: Switch, adapted_widths: Count, stage_share: Share, tensor_parallel_size: Count
) -> Count:
    """Values per token that the adapters of one GPU read and write.  Source: arXiv:2106.09685, section 4."""
    return trains_adapters * adapted_widths * stage_share / tensor_parallel_size


@figure("b_aiv", source="PEFT `lora.Linear.forward`, operations counted")
def adapter_input_bytes(
    multiplied_adapter_bytes: Bytes, widest_adapter_bytes: Bytes, activation_element_bytes: Bytes, lora_dropout: Share
) -> Bytes:
    """Moved forward per value that an adapter reads: cast to its type, dropped with a mask, cast back, multiplied."""
    return (
        multiplied_adapter_bytes
        + (lora_dropout > 0) * (TWO * widest_adapter_bytes + MASK_BYTES)
        + (widest_adapter_bytes > activation_element_bytes) * (activation_element_bytes + widest_adapter_bytes)
        + (widest_adapter_bytes > multiplied_adapter_bytes) * (widest_adapter_bytes + multiplied_adapter_bytes)
    )


@figure("b_aw")
def widest_adapter_bytes(
    casts_adapters: Switch, adapter_element_bytes: Bytes, activation_element_bytes: Bytes
) -> Bytes:
    """Type to which an adapter casts its input: its own, where it is the wider.  Source: PEFT `_cast_input_dtype`."""
    return where(casts_adapters > 0, larger(adapter_element_bytes, activation_element_bytes), activation_element_bytes)


@figure("b_am")
def multiplied_adapter_bytes(adapter_value_element_bytes: Bytes, widest_adapter_bytes: Bytes) -> Bytes:
    """Type in which an adapter multiplies: what it cast its input to, or autocast's.  Source: PEFT; torch autocast."""
    return smaller(adapter_value_element_bytes, widest_adapter_bytes)


@figure("b_ae")
def eager_adapter_bytes(adapters_fused: Switch, adapter_input_bytes: Bytes, multiplied_adapter_bytes: Bytes) -> Bytes:
    """Moved forward per value of an adapter, in the mean of what it reads and writes; its result is scaled, then added.

    Source: PEFT `lora.Linear.forward`, Unsloth `matmul_lora`, operations counted.
    """
    return HALF * where(
        adapters_fused > 0,
        TRAINING_PASSES * multiplied_adapter_bytes,
        adapter_input_bytes + ADAPTER_RESULT_PASSES * multiplied_adapter_bytes,
    )


@figure("b_ad")
def adapter_value_bytes(torch_compile: Switch, eager_adapter_bytes: Bytes) -> Bytes:
    """The same as it is run, compiled or not.  Source: operands of Inductor's kernels."""
    return where(torch_compile > 0, COMPILED_ADAPTER_BYTES, eager_adapter_bytes)


@figure("Q_ad", source="PEFT `lora.Linear.forward`, operations counted")
def adapter_stream_bytes(
    adapter_widths: Count,
    rank_tokens_per_step: Tokens,
    recompute_share: Share,
    adapter_value_bytes: Bytes,
    merging_stream_bytes: Bytes,
) -> Bytes:
    """Inputs cast and dropped, outputs scaled and added: what adapters move beside the base's products."""
    return (
        adapter_widths * (rank_tokens_per_step / ONE_TOKEN) * (ADAPTER_PASSES + recompute_share) * adapter_value_bytes
        + merging_stream_bytes
    )


@figure("Q_mx")
def merging_stream_bytes(
    merged_expert_bytes: Bytes,
    use_dora: Switch,
    adapted_matrix_parameters: Count,
    adapted_mlp_parameters: Count,
    num_hidden_layers: Count,
    layers_per_stage: Count,
    gradient_accumulation_steps: Count,
    recompute_share: Share,
) -> Bytes:
    """Weights to which adapters are added, and norms of weights with DoRA's, in every pass.

    Source: PEFT `ParamWrapper`, `DoraLinearLayer`.
    """
    return (
        (
            MERGING_PASSES * merged_expert_bytes
            + use_dora * DORA_BYTES * (adapted_matrix_parameters + adapted_mlp_parameters / num_hidden_layers)
        )
        * layers_per_stage * gradient_accumulation_steps * (1 + recompute_share)
    )  # fmt: skip


@figure("Q_U")
def update_stream_bytes(
    optimizer_step_load_bytes: Bytes, optimizer_step_store_bytes: Bytes, optimizer_traffic_factor: Share
) -> Bytes:
    """Traffic of the optimizer step as it is implemented.  Source: PyTorch `torch.optim.AdamW`, operations counted."""
    return (optimizer_step_load_bytes + optimizer_step_store_bytes) * optimizer_traffic_factor


@figure("n_adm")
def adapted_modules(
    trains_adapters: Switch,
    lora_q_proj: Switch,
    lora_k_proj: Switch,
    lora_v_proj: Switch,
    lora_o_proj: Switch,
    gate_up_adapters: Count,
    lora_down_proj: Switch,
) -> Count:
    """Matrices of a layer that have an adapter.  Source: arXiv:2106.09685, section 4."""
    return trains_adapters * total(lora_q_proj, lora_k_proj, lora_v_proj, lora_o_proj, gate_up_adapters, lora_down_proj)


@figure("n_kA")
def kernels_of_adapters(adapted_modules: Count, torch_compile: Switch) -> Count:
    """Kernels that a layer's adapters launch forward and backward.  Source: PEFT, operations counted."""
    return adapted_modules * where(torch_compile > 0, COMPILED_ADAPTER_KERNELS, ADAPTER_KERNELS)


@figure("n_kL")
def kernels_of_layer(
    kernels_per_layer: Count, torch_compile: Switch, kernels_of_adapters: Count, base_quantised: Switch
) -> Count:
    """Kernels that a layer launches, with adapters and unpacking.  Source: operations counted."""
    return (
        where(torch_compile > 0, smaller(kernels_per_layer, COMPILED_KERNELS), kernels_per_layer)
        + kernels_of_adapters
        + base_quantised * QUANTISED_KERNELS
    )


@figure("n_k")
def kernels_per_micro_batch(
    layers_per_stage: Count,
    kernels_of_layer: Count,
    mixture_layers: Count,
    stage_share: Share,
    mixture_kernels_per_layer: Count,
    recompute_share: Share,
) -> Count:
    """Kernels that one micro-batch launches, forward and backward.  Source: profiles, operations counted."""
    return (layers_per_stage * kernels_of_layer + mixture_layers * stage_share * mixture_kernels_per_layer) * (
        1 + recompute_share / TRAINING_PASSES
    )


@figure("t_l", basis="measured")
def launch_seconds_computed(
    kernels_per_micro_batch: Count, gradient_accumulation_steps: Count, product_launch_seconds: Seconds
) -> Seconds:
    """Beginnings and ends of kernels, in which the GPU does not work.  Source: hardware/efficiency.yaml."""
    return kernels_per_micro_batch * gradient_accumulation_steps * product_launch_seconds


@figure("t_s", basis="measured", family=True)
def stream_seconds(streamed_bytes: Bytes, stream_bytes_per_second: BytesPerSecond) -> Seconds:
    """Traffic of these kernels at the rate that they reach.  Source: division."""
    return streamed_bytes / stream_bytes_per_second


STREAMS = (
    "norm",
    "pointwise",
    "embedding",
    "loss",
    "routing",
    "cast",
    "dequantisation",
    "adapter",
    "widened",
    "update",
)
LINES = tuple(
    bound_line(f"stream_seconds.{name}", stream_seconds, {"streamed_bytes": f"{name}_stream_bytes"}) for name in STREAMS
)
