"""Engines that run a model module by module in PyTorch: kernels that the host starts, and copies that others avoid."""

from memreport.figures.constants import FOUR, ONE_TOKEN, THREE, TWO
from memreport.figures.constants.times import (
    ATTENTION_MODULE_KERNELS,
    FLOP_PER_CYCLE,
    GRAPH_KERNEL_SECONDS,
    NORM_MODULE_KERNELS,
    REFERENCE_THREAD_RATING,
    SHORT_STATE_BYTES,
    UNPACKED_BYTES,
)
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, FlopPerSecond, Seconds, Share, Switch
from memreport.figures.quantities import Tokens as TokenCount
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, total, where


@figure("n_mn")
def norm_module_kernels(norms_per_layer: Count, norm_bias: Switch, qk_norm_size: Count) -> Count:
    """Kernels of a layer's norms: eight of an RMSNorm, one of a layer norm, which has biases.  Source: HF."""
    return (
        norms_per_layer * where(norm_bias > 0, 1, NORM_MODULE_KERNELS) + (qk_norm_size > 0) * TWO * NORM_MODULE_KERNELS
    )


@figure("n_ma")
def attention_module_kernels(
    norm_module_kernels: Count, repeats_cached_heads: Switch, num_attention_heads: Count, num_key_value_heads: Count
) -> Count:
    """Kernels of a layer without its MLP.  Source: operations counted in transformers 4.46, 4.51 and 5.17."""
    return total(
        ATTENTION_MODULE_KERNELS,
        norm_module_kernels,
        repeats_cached_heads * (num_key_value_heads < num_attention_heads) * TWO,
    )


@figure("n_mp")
def packed_module_kernels(
    packed_product_kernels: Count,
    decode_tokens: TokenCount,
    weight_element_bytes: Bytes,
    launched_layers: Count,
    mlp_matrices: Count,
    plain_mlp_layers: Count,
) -> Count:
    """What modules of 4 or 8 bits cost the host more, in kernels.  Source: the engine's row."""
    return (
        packed_product_kernels
        * where(decode_tokens > ONE_TOKEN, THREE, 1)
        * (weight_element_bytes < UNPACKED_BYTES)
        * (FOUR * launched_layers + mlp_matrices * plain_mlp_layers)
    )


@figure("n_mk")
def module_kernels(
    attention_module_kernels: Count,
    launched_layers: Count,
    mlp_matrices: Count,
    plain_mlp_layers: Count,
    router_module_kernels: Count,
    expert_module_kernels: Count,
    num_local_experts: Count,
    rank_mixture_layers: Count,
    packed_module_kernels: Count,
) -> Count:
    """Kernels of a stage that runs module by module.  Source: the same counts; HF `Qwen3MoeSparseMoeBlock`."""
    return total(
        attention_module_kernels * launched_layers,
        (TWO * mlp_matrices - 1) * plain_mlp_layers,
        (router_module_kernels + expert_module_kernels * num_local_experts) * rank_mixture_layers,
        packed_module_kernels,
    )


@figure("f_lnc", basis="measured")
def host_launch_factor(host_thread_rating: Count) -> Share:
    """How much longer a host takes to start a kernel than a DGX H100's.  Source: hardware/hosts.yaml."""
    return REFERENCE_THREAD_RATING / host_thread_rating


@figure("t_lnc", basis="measured", source="the engine's row")
def launching_seconds(
    enforce_eager: Share,
    runs_eager: Share,
    host_launch_factor: Share,
    eager_layer_seconds: Seconds,
    launched_layers: Count,
    eager_kernel_seconds: Seconds,
    module_kernels: Count,
) -> Seconds:
    """Time in which the host starts the kernels of a stage one by one; a captured graph starts at once."""
    return (
        larger(enforce_eager, runs_eager)
        * host_launch_factor
        * total(eager_layer_seconds * launched_layers, eager_kernel_seconds * module_kernels)
    )


@figure("t_cy")
def unit_cycle_seconds(fp32_flop_per_second: FlopPerSecond, fp32_issue_share: Share) -> Seconds:
    """Time of a cycle, shared out among all multiprocessors.  Source: division."""
    return FLOP_PER_CYCLE * fp32_issue_share / fp32_flop_per_second


@figure("B_wc", basis="measured", source="Little's law, bytes in flight over latency; the engine's row, fitted")
def cycle_limited_bytes_per_second(
    unit_cycle_seconds: Seconds,
    unit_bytes_per_cycle: Bytes,
    vendor_products: Switch,
    memory_bytes_per_second: BytesPerSecond,
) -> BytesPerSecond:
    """Most weights that an engine's own kernels read: loads under way in each multiprocessor, waited for in cycles."""
    return where(
        vendor_products * unit_bytes_per_cycle > 0, unit_bytes_per_cycle / unit_cycle_seconds, memory_bytes_per_second
    )


@figure("n_cc")
def copied_cache_passes(
    copy_bytes_per_cycle: Bytes, repeats_cached_heads: Switch, num_attention_heads: Count, num_key_value_heads: Count
) -> Count:
    """How often a step moves the cache beside attention's one read.  Source: HF `DynamicCache.update`, `repeat_kv`."""
    return TWO * (
        (copy_bytes_per_cycle > 0)
        + repeats_cached_heads * (num_key_value_heads < num_attention_heads)
        * (num_attention_heads / larger(num_key_value_heads, 1))
    )  # fmt: skip


@figure("t_cc", basis="measured")
def copied_cache_seconds(
    copied_cache_passes: Count,
    decode_tokens: TokenCount,
    mean_sequence_bytes: Bytes,
    copy_bytes_per_cycle: Bytes,
    unit_cycle_seconds: Seconds,
    value_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Time of these copies.  Source: the engine's row, fitted."""
    return (
        copied_cache_passes
        * (decode_tokens / ONE_TOKEN)
        * mean_sequence_bytes
        / where(
            copy_bytes_per_cycle > 0,
            smaller(copy_bytes_per_cycle / unit_cycle_seconds, value_bytes_per_second),
            value_bytes_per_second,
        )
    )


@figure("t_w1", basis="measured")
def spread_seconds_per_weight(
    weight_element_bytes: Bytes,
    value_bytes_per_second: BytesPerSecond,
    unpacked_weights_per_cycle: Count,
    unit_cycle_seconds: Seconds,
    product_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """What a packed weight takes more that is written in 16 bit first.  Source: counting."""
    return (
        larger(
            (weight_element_bytes + UNPACKED_BYTES) / value_bytes_per_second,
            unit_cycle_seconds / larger(unpacked_weights_per_cycle, 1),
        )
        + (UNPACKED_BYTES - weight_element_bytes) / product_bytes_per_second
    )


@figure("t_spw", basis="measured")
def spread_weight_seconds(
    unpacked_weights_per_cycle: Count,
    weight_element_bytes: Bytes,
    decode_tokens: TokenCount,
    qkv_projection_weights: Count,
    output_projection_weights: Count,
    plain_mlp_weights: Count,
    spread_seconds_per_weight: Seconds,
) -> Seconds:
    """The same of a step of several tokens.  Source: bitsandbytes `MatMul4Bit.forward`."""
    return (
        (unpacked_weights_per_cycle > 0) * (weight_element_bytes < UNPACKED_BYTES) * (decode_tokens > ONE_TOKEN)
        * total(qkv_projection_weights, output_projection_weights, plain_mlp_weights)
        * spread_seconds_per_weight
    )  # fmt: skip


@figure("L_rec")
def recurrent_layers(
    num_linear_attention_layers: Count, stage_share: Share, linear_attention_state_bytes: Bytes, hidden_size: Count
) -> Count:
    """Layers of a stage with a recurrent state, more than a short convolution's.  Source: HF configurations."""
    return (
        num_linear_attention_layers
        * stage_share
        * (linear_attention_state_bytes > hidden_size * SHORT_STATE_BYTES)
    )  # fmt: skip


@figure("t_rk", basis="measured")
def recurrent_kernel_seconds(
    recurrent_layers: Count, linear_layer_kernels: Count, runs_cuda: Switch, product_launch_seconds: Seconds
) -> Seconds:
    """Small kernels of recurrent layers in a decode step.  Source: llama.cpp `build_layer_attn_linear`, counted."""
    return (
        recurrent_layers
        * linear_layer_kernels
        * where(runs_cuda > 0, smaller(product_launch_seconds, GRAPH_KERNEL_SECONDS), product_launch_seconds)
    )
