"""What a prefill moves beside its products in engines whose values are FP32 and whose weights are unpacked first."""

from __future__ import annotations

from memreport.figures.constants import CONVERTED_VALUE_BYTES, ONE_TOKEN, SCORE_PASSES, THIRTY_TWO, UNPACKED_BYTES
from memreport.figures.quantities import (
    Bytes,
    BytesPerSecond,
    Count,
    Flop,
    FlopPerSecond,
    Seconds,
    Share,
    Switch,
    Tokens,
)
from memreport.formula.recording import Figure, Line, figure
from memreport.formula.words import ceil, total, where


@figure("x_cv", basis="measured")
def converts_operands(converts_values: Switch, vendor_products: Switch) -> Switch:
    """1 where an engine hands 16-bit operands to the vendor's library; its own kernels need no conversion.

    Source: llama.cpp `ggml_cuda_op_mul_mat_cublas`; ggml-metal reads quantised weights and FP32 values.
    """
    return converts_values * vendor_products


@figure("n_cv")
def converted_values(
    qkv_projection_inputs: Count,
    qkv_projection_outputs: Count,
    output_projection_inputs: Count,
    output_projection_outputs: Count,
    plain_mlp_inputs: Count,
    plain_mlp_outputs: Count,
    expert_inputs: Count,
    expert_outputs: Count,
) -> Count:
    """Values per token that a stage's products read and write.  Source: sum."""
    return total(
        qkv_projection_inputs,
        qkv_projection_outputs,
        output_projection_inputs,
        output_projection_outputs,
        plain_mlp_inputs,
        plain_mlp_outputs,
        expert_inputs,
        expert_outputs,
    )


@figure("Q_up")
def unpacked_bytes(
    qkv_projection_weights: Count,
    output_projection_weights: Count,
    plain_mlp_weights: Count,
    prefill_expert_weights: Count,
    weight_element_bytes: Bytes,
    prefill_chunks: Count,
) -> Bytes:
    """Weights that are no 16-bit ones, read and written as such before the products of every chunk of a prompt.

    Source: llama.cpp `ggml_cuda_op_mul_mat_cublas`.
    """
    return (
        prefill_chunks
        * total(qkv_projection_weights, output_projection_weights, plain_mlp_weights, prefill_expert_weights)
        * where(weight_element_bytes < UNPACKED_BYTES, weight_element_bytes + UNPACKED_BYTES, 0)
    )


@figure("Q_sc")
def score_traffic_bytes(
    flash_attention: Switch,
    unfused_score_bytes: Bytes,
    prefill_tokens: Tokens,
    prefill_attended_tokens: Tokens,
    num_attention_heads: Count,
    tensor_parallel_size: Count,
) -> Bytes:
    """Scores of a prefill that are written, masked, normalised and read where attention is not fused.

    Source: llama.cpp `llm_build_kqv`, operations counted.
    """
    return (
        (1 - flash_attention)
        * unfused_score_bytes
        * SCORE_PASSES
        * (prefill_tokens / ONE_TOKEN)
        * (prefill_attended_tokens / ONE_TOKEN)
        * (num_attention_heads / tensor_parallel_size)
    )


@figure("t_cv", basis="measured", family=True)
def conversion_seconds(
    converts_operands: Switch,
    converted_values: Count,
    prefill_tokens: Tokens,
    unpacked_bytes: Bytes,
    score_traffic_bytes: Bytes,
    value_bytes_per_second: BytesPerSecond,
    unpacking_seconds: Seconds,
) -> Seconds:
    """Time of a prefill's conversions, stored scores and unpacking, beside its products.  Source: counting."""
    return (
        converts_operands * (converted_values * (prefill_tokens / ONE_TOKEN) * CONVERTED_VALUE_BYTES + unpacked_bytes)
        + score_traffic_bytes
    ) / value_bytes_per_second + unpacking_seconds


@figure("t_up", basis="measured", family=True)
def unpacking_seconds(
    phase_tokens: Tokens,
    qkv_projection_weights: Count,
    output_projection_weights: Count,
    plain_mlp_weights: Count,
    phase_expert_weights: Count,
    weight_element_bytes: Bytes,
    vendor_products: Switch,
    unpack_flop: Flop,
    fp32_flop_per_second: FlopPerSecond,
) -> Seconds:
    """Arithmetic of kernels that unpack weights themselves, anew for every tile of tokens.

    Source: llama.cpp ggml-metal `kernel_mul_mm`, tiles of 32 tokens; FLOP fitted.
    """
    return (
        (1 - vendor_products)
        * (weight_element_bytes < UNPACKED_BYTES)
        * unpack_flop
        * ceil(phase_tokens / ONE_TOKEN / THIRTY_TWO)
        * total(qkv_projection_weights, output_projection_weights, plain_mlp_weights, phase_expert_weights)
        / fp32_flop_per_second
    )


@figure("x_ac", basis="measured")
def summing_factor(sums_in_16bit: Switch, half_sum_factor: Share) -> Share:
    """How much faster 16-bit products are where an engine adds up in 16 bit: twice on GeForce.

    Source: the GPU's data sheet; llama.cpp `CUBLAS_COMPUTE_16F`.
    """
    return 1 + sums_in_16bit * (half_sum_factor - 1)


def _of(phase: str) -> Line:
    bound = {"phase_tokens": f"{phase}_tokens", "phase_expert_weights": f"{phase}_expert_weights"}
    return _line(unpacking_seconds, phase, bound)


def _line(family: Figure, phase: str, bound: dict[str, str]) -> Line:
    return Line(f"{family.name}.{phase}", family, {name: bound.get(name, name) for name in family.inputs})


LINES = (
    _of("prefill"),
    _of("decode"),
    _line(conversion_seconds, "prefill", {"unpacking_seconds": "unpacking_seconds.prefill"}),
)
