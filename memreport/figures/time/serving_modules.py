"""Engines that run a model module by module in PyTorch: kernels that the host starts, and copies that others avoid."""

from __future__ import annotations

from memreport.figures.constants import (
    ATTENTION_MODULE_KERNELS,
    FLOP_PER_CYCLE,
    FOUR,
    NORM_MODULE_KERNELS,
    ONE_TOKEN,
    TWO,
    UNPACKED_BYTES,
)
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, FlopPerSecond, PerSecond, Seconds, Share, Switch
from memreport.figures.quantities import Tokens as TokenCount
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, total, where


@figure("n_mn")
def norm_module_kernels(norms_per_layer: Count, norm_bias: Switch, qk_norm_size: Count) -> Count:
    """Kernels of the norms of a layer: eight of an RMSNorm, one of a layer norm, which has biases and is PyTorch's own.

    Source: HF `LlamaRMSNorm`, `Qwen3Attention`, `GPTNeoXLayer`.
    """
    return (
        norms_per_layer * where(norm_bias > 0, 1, NORM_MODULE_KERNELS) + (qk_norm_size > 0) * TWO * NORM_MODULE_KERNELS
    )


@figure("n_ma")
def attention_module_kernels(
    norm_module_kernels: Count, repeats_cached_heads: Switch, num_attention_heads: Count, num_key_value_heads: Count
) -> Count:
    """Kernels of one layer without its MLP.

    Source: HF `LlamaDecoderLayer`: operations of a decode step counted in transformers 4.46, 4.51 and 5.17.
    """
    return total(
        ATTENTION_MODULE_KERNELS,
        norm_module_kernels,
        repeats_cached_heads * (num_key_value_heads < num_attention_heads) * TWO,
    )


@figure("n_mp")
def packed_module_kernels(
    packed_product_kernels: Count,
    spread_product_kernels: Count,
    decode_tokens: TokenCount,
    weight_element_bytes: Bytes,
    launched_layers: Count,
    mlp_matrices: Count,
    plain_mlp_layers: Count,
) -> Count:
    """What matrices of 4 or 8 bits cost the host beside their kernel, in kernels: Python of their module.

    Source: the engine's row, fitted; bitsandbytes `Linear4bit.forward`, AutoAWQ `WQLinear_GEMM.forward`.
    """
    return (
        (packed_product_kernels + (decode_tokens > ONE_TOKEN) * spread_product_kernels)
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
    """Kernels of a stage: layers, MLPs with an activation and a product of gates, mixtures.

    Source: the same counts; HF `Qwen3MoeSparseMoeBlock`, whose loop goes over all experts up to 4.52.
    """
    return total(
        attention_module_kernels * launched_layers,
        (TWO * mlp_matrices - 1) * plain_mlp_layers,
        (router_module_kernels + expert_module_kernels * num_local_experts) * rank_mixture_layers,
        packed_module_kernels,
    )


@figure("t_lnc", basis="measured")
def launching_seconds(
    enforce_eager: Share,
    runs_eager: Share,
    host_launch_factor: Share,
    eager_layer_seconds: Seconds,
    launched_layers: Count,
    eager_kernel_seconds: Seconds,
    module_kernels: Count,
) -> Seconds:
    """Time in which the host starts the kernels of a stage one by one; a captured graph starts at once.

    Source: the engine's row.
    """
    return (
        larger(enforce_eager, runs_eager)
        * host_launch_factor
        * total(eager_layer_seconds * launched_layers, eager_kernel_seconds * module_kernels)
    )


@figure("f_cy")
def unit_cycles_per_second(fp32_flop_per_second: FlopPerSecond, fp32_issue_share: Share) -> PerSecond:
    """Cycles of all multiprocessors together.  Source: the GPU's data sheet; division."""
    return fp32_flop_per_second / (FLOP_PER_CYCLE * fp32_issue_share)


@figure("n_cc")
def copied_cache_passes(
    copies_cache: Switch, repeats_cached_heads: Switch, num_attention_heads: Count, num_key_value_heads: Count
) -> Count:
    """How often a step moves the cache beside the one read of attention.

    A cache that grows by `torch.cat` is read and written anew; keys and values of few heads are read, written once for
    each query head that shares them, and read so by attention.  Source: HF `DynamicCache.update`, `repeat_kv`.
    """
    return TWO * copies_cache + TWO * repeats_cached_heads * (num_key_value_heads < num_attention_heads) * (
        num_attention_heads / larger(num_key_value_heads, 1)
    )


@figure("t_cc", basis="measured")
def copied_cache_seconds(
    copied_cache_passes: Count,
    decode_tokens: TokenCount,
    mean_sequence_bytes: Bytes,
    copy_bytes_per_cycle: Bytes,
    unit_cycles_per_second: PerSecond,
    value_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Time of these copies, whose kernels are held up by their indices: so many bytes in a cycle of a multiprocessor.

    Source: the engine's row, fitted.
    """
    return (
        copied_cache_passes
        * (decode_tokens / ONE_TOKEN)
        * mean_sequence_bytes
        / where(
            copy_bytes_per_cycle > 0,
            smaller(copy_bytes_per_cycle * unit_cycles_per_second, value_bytes_per_second),
            value_bytes_per_second,
        )
    )


@figure("t_w1", basis="measured")
def spread_seconds_per_weight(
    weight_element_bytes: Bytes,
    value_bytes_per_second: BytesPerSecond,
    unpacked_weights_per_cycle: Count,
    unit_cycles_per_second: PerSecond,
    product_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """What a packed weight takes longer that is written in 16 bit and read so.  Source: counting."""
    return (
        larger(
            (weight_element_bytes + UNPACKED_BYTES) / value_bytes_per_second,
            1 / (larger(unpacked_weights_per_cycle, 1) * unit_cycles_per_second),
        )
        + (UNPACKED_BYTES - weight_element_bytes) / product_bytes_per_second
    )


@figure("t_sp", basis="measured")
def spread_weight_seconds(
    unpacked_weights_per_cycle: Count,
    weight_element_bytes: Bytes,
    decode_tokens: TokenCount,
    qkv_projection_weights: Count,
    output_projection_weights: Count,
    plain_mlp_weights: Count,
    spread_seconds_per_weight: Seconds,
) -> Seconds:
    """The same of a step, where it works on more than one token.

    Source: bitsandbytes `MatMul4Bit.forward`: one row goes through its own kernel, more through a 16-bit product.
    """
    return (
        (unpacked_weights_per_cycle > 0) * (weight_element_bytes < UNPACKED_BYTES) * (decode_tokens > ONE_TOKEN)
        * total(qkv_projection_weights, output_projection_weights, plain_mlp_weights)
        * spread_seconds_per_weight
    )  # fmt: skip
