"""What a prefill moves beside its products in engines whose values are FP32 and whose weights are unpacked first."""

from memreport.figures.constants import HALF, ONE_TOKEN, THIRTY_TWO
from memreport.figures.constants.times import CONVERTED_VALUE_BYTES, PACKED_VALUE_BYTES, SCORE_PASSES, UNPACKED_BYTES
from memreport.figures.quantities import (
    Bytes,
    BytesPerSecond,
    Count,
    Flop,
    FlopPerSecond,
    PerSecond,
    Seconds,
    Share,
    Switch,
    Tokens,
)
from memreport.figures.time.reached import beyond
from memreport.formula.recording import Line, bound_line, figure
from memreport.formula.words import ceil, larger, smaller, total, where


@figure("x_cv", basis="measured")
def converts_operands(converts_values: Switch, vendor_products: Switch) -> Switch:
    """1 where an engine hands 16-bit operands to the vendor's library; its own kernels need no conversion.

    Source: llama.cpp `ggml_cuda_op_mul_mat_cublas`; ggml-metal reads quantised weights and FP32 values.
    """
    return converts_values * vendor_products


@figure("x_pp", source="llama.cpp `ggml_cuda_should_use_mmq`, since June 2024 (changes 7676, 7824, 7921)")
def packed_products(
    packed_product_slots: Count,
    weight_element_bytes: Bytes,
    vendor_products: Switch,
    runs_cuda: Switch,
    int8_flop_per_second: FlopPerSecond,
    fp16_flop_per_second: FlopPerSecond,
) -> Switch:
    """1 where an engine multiplies packed weights as integers, block by block, where others unpack them first."""
    return (
        (packed_product_slots > 0)
        * (weight_element_bytes < UNPACKED_BYTES)
        * vendor_products
        * runs_cuda
        * (int8_flop_per_second > fp16_flop_per_second)
    )


@figure("v_pi", basis="measured", source="llama.cpp, ggml-cuda/mmq.cuh `vec_dot_q8_0_q8_1_mma`; slots fitted")
def packed_product_flop_per_second(
    fp32_flop_per_second: FlopPerSecond, fp32_issue_share: Share, packed_product_slots: Count
) -> FlopPerSecond:
    """Rate of products of packed blocks, held up by what scales each block's sum in FP32."""
    return fp32_flop_per_second / (fp32_issue_share * (packed_product_slots + (packed_product_slots <= 0)))


@figure("v_pp", basis="measured")
def prompt_product_flop_per_second(
    packed_products: Switch, packed_product_flop_per_second: FlopPerSecond, product_flop_per_second: FlopPerSecond
) -> FlopPerSecond:
    """Rate of a prompt's products.  Source: those of packed weights, else those of all others."""
    return where(packed_products > 0, packed_product_flop_per_second, product_flop_per_second)


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


@figure("Q_up", source="llama.cpp `ggml_cuda_op_mul_mat_cublas`")
def unpacked_bytes(
    qkv_projection_weights: Count,
    output_projection_weights: Count,
    plain_mlp_weights: Count,
    prefill_expert_weights: Count,
    expert_integer_tiles: Switch,
    packed_products: Switch,
    runs_cuda: Switch,
    weight_element_bytes: Bytes,
    prefill_chunks: Count,
) -> Bytes:
    """Weights that are no 16-bit ones, read and written as such before the products of every chunk of a prompt."""
    # Experts are multiplied as they are packed where that is done in integers (`ids`, since 2025), and on all GPUs
    # without CUDA: HIP does so for RDNA whatever the batch (`ggml_cuda_should_use_mmq`).
    return (
        prefill_chunks
        * (
            (1 - packed_products) * total(qkv_projection_weights, output_projection_weights, plain_mlp_weights)
            + (1 - expert_integer_tiles) * runs_cuda * prefill_expert_weights
        )
        * where(weight_element_bytes < UNPACKED_BYTES, weight_element_bytes + UNPACKED_BYTES, 0)
    )


@figure("x_it", source="llama.cpp `ggml_cuda_should_use_mmq`")
def expert_integer_tiles(
    expert_tile_rows: Count,
    weight_element_bytes: Bytes,
    int8_flop_per_second: FlopPerSecond,
    fp16_flop_per_second: FlopPerSecond,
) -> Switch:
    """1 where packed experts are multiplied as integers in tiles: on GPUs whose units are faster at these."""
    return (
        (expert_tile_rows > 0) * (weight_element_bytes < UNPACKED_BYTES) * (int8_flop_per_second > fp16_flop_per_second)
    )


@figure("v_px", basis="measured", source="llama.cpp, ggml-cuda/mmq.cuh: weights and `block_q8_1_mmq`")
def packed_expert_flop_per_second(
    expert_integer_tiles: Switch,
    int8_flop_per_second: FlopPerSecond,
    expert_share_8bit: Share,
    expert_flop_per_second: FlopPerSecond,
) -> FlopPerSecond:
    """Rate of a prompt's experts: kernels of packed weights put their input into 8 bits, and multiply integers."""
    return where(expert_integer_tiles > 0, int8_flop_per_second * expert_share_8bit, expert_flop_per_second)


@figure("n_xr")
def expert_rows(
    prefill_tokens: Tokens, prefill_chunks: Count, num_experts_per_tok: Count, num_local_experts: Count
) -> Count:
    """Tokens of a batch of a prompt that an expert works on, in the mean, of a mixture.  Source: division."""
    return larger(prefill_tokens / ONE_TOKEN / prefill_chunks * num_experts_per_tok / larger(num_local_experts, 1), 1)


@figure("W_fill", source="llama.cpp, ggml-cuda/mmq.cuh `mul_mat_q_case`; the same was measured with HIP and Vulkan")
def filled_expert_flop(
    prefill_experts_flop: Flop,
    expert_integer_tiles: Switch,
    fills_expert_tiles: Switch,
    weight_element_bytes: Bytes,
    expert_rows: Count,
    expert_tile_rows: Count,
) -> Flop:
    """Work of the experts of a prompt where kernels of packed weights fill up tiles with rows that no token needs."""
    return prefill_experts_flop * where(
        larger(
            expert_integer_tiles, fills_expert_tiles * (weight_element_bytes < UNPACKED_BYTES) * (expert_tile_rows > 0)
        )
        > 0,
        ceil(expert_rows / larger(expert_tile_rows, 1)) * larger(expert_tile_rows, 1) / expert_rows,
        1,
    )


@figure("Q_sc", source="llama.cpp `llm_build_kqv`, operations counted")
def score_traffic_bytes(
    flash_attention: Switch,
    unfused_score_bytes: Bytes,
    prefill_tokens: Tokens,
    prefill_attended_tokens: Tokens,
    num_attention_heads: Count,
    tensor_parallel_size: Count,
) -> Bytes:
    """Scores of a prefill that are written, masked, normalised and read where attention is not fused."""
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
    packed_products: Switch,
    converted_values: Count,
    prefill_tokens: Tokens,
    unpacked_bytes: Bytes,
    score_traffic_bytes: Bytes,
    value_bytes_per_second: BytesPerSecond,
    unpacking_seconds: Seconds,
) -> Seconds:
    """Time of a prefill's conversions, stored scores and unpacking, beside its products.  Source: counting."""
    return (
        converts_operands
        * (
            converted_values
            * (prefill_tokens / ONE_TOKEN)
            * where(packed_products > 0, PACKED_VALUE_BYTES, CONVERTED_VALUE_BYTES)
            + unpacked_bytes
        )
        + score_traffic_bytes
    ) / value_bytes_per_second + unpacking_seconds


@figure("B_uw", basis="measured", source="the engine's row, fitted; IST-DASLab Marlin")
def unpacked_bytes_per_second(
    served_half_flop_per_second: FlopPerSecond,
    unpacked_weights_per_second: PerSecond,
    compute_units: Count,
    weight_element_bytes: Bytes,
    memory_bytes_per_second: BytesPerSecond,
) -> BytesPerSecond:
    """Most that kernels read which turn packed weights into 16 bit on the way; no limit where nothing is turned."""
    return where(
        (weight_element_bytes < UNPACKED_BYTES) * (served_half_flop_per_second > 0) * unpacked_weights_per_second > 0,
        compute_units * unpacked_weights_per_second * weight_element_bytes,
        memory_bytes_per_second,
    )


@figure("B_ux", basis="measured", source="aiconfigurator tables of Marlin's experts")
def unpacked_expert_bytes_per_second(
    served_half_flop_per_second: FlopPerSecond,
    unpacked_expert_weights_per_second: PerSecond,
    compute_units: Count,
    weight_element_bytes: Bytes,
) -> BytesPerSecond:
    """The same of grouped products of experts, where few multiprocessors share a fast memory; 0: nothing is turned."""
    return (
        (weight_element_bytes < UNPACKED_BYTES) * (served_half_flop_per_second > 0)
        * compute_units * unpacked_expert_weights_per_second * weight_element_bytes
    )  # fmt: skip


def _unpacked_on_the_way(read: float, unpacked: float, order: float) -> float:
    """Rate of reading and unpacking: the smaller where they hide each other; one after the other where times add up."""
    return where(order > 1, smaller(read, unpacked), read * unpacked / (read + unpacked))


@figure("B_x", basis="measured")
def expert_bytes_per_second(
    memory_bytes_per_second: BytesPerSecond,
    expert_bandwidth_share: Share,
    unpacked_expert_bytes_per_second: BytesPerSecond,
    overlap_order: Count,
    fp4_flop_per_second: FlopPerSecond,
    fp8_flop_per_second: FlopPerSecond,
) -> BytesPerSecond:
    """Rate at which grouped products read their experts, and turn them into 16 bit where they are packed.

    Source: hardware/efficiency.yaml; the engine's row.
    """
    # An instruction of the GPU unpacks MXFP4 and INT4 on CDNA 4, in AITER's tables.
    return where(
        unpacked_expert_bytes_per_second * larger(overlap_order > 1, fp4_flop_per_second <= fp8_flop_per_second) > 0,
        _unpacked_on_the_way(
            memory_bytes_per_second * expert_bandwidth_share, unpacked_expert_bytes_per_second, overlap_order
        ),
        memory_bytes_per_second * expert_bandwidth_share,
    )


@figure("n_xt.p")
def prefill_expert_passes(prefill_chunks: Count, expert_rows: Count) -> Count:
    """How often kernels that unpack weights go over an expert of a prompt: for each 32 of its rows in each batch.

    Its rows are no multiple of 32: half a tile is empty, in the mean.  Source: llama.cpp ggml-metal `kernel_mul_mm_id`.
    """
    return prefill_chunks * larger(expert_rows / THIRTY_TWO + HALF, 1)


@figure("n_xt.d")
def decode_expert_passes(decode_tokens: Tokens, num_experts_per_tok: Count, num_local_experts: Count) -> Count:
    """The same in a decode step.  Source: llama.cpp ggml-metal `kernel_mul_mv_id`, `kernel_mul_mm_id`."""
    return ceil(larger(decode_tokens / ONE_TOKEN * num_experts_per_tok / larger(num_local_experts, 1), 1) / THIRTY_TWO)


@figure("f_up")
def weight_unpacking_flop(superblocks: Switch, unpack_superblock_flop: Flop, unpack_flop: Flop) -> Flop:
    """Arithmetic that unpacks one weight.  Source: the engine's row, fitted."""
    return where(superblocks > 0, unpack_superblock_flop, unpack_flop)


@figure("W_up", family=True, source="llama.cpp ggml-metal `kernel_mul_mm`, tiles of 32 tokens")
def unpacked_weights(
    phase_tokens: Tokens,
    qkv_projection_weights: Count,
    output_projection_weights: Count,
    plain_mlp_weights: Count,
    phase_expert_passes: Count,
    phase_expert_weights: Count,
) -> Count:
    """Weights that are unpacked, anew for every tile of tokens."""
    return (
        ceil(phase_tokens / ONE_TOKEN / THIRTY_TWO)
        * total(qkv_projection_weights, output_projection_weights, plain_mlp_weights)
        + phase_expert_passes * phase_expert_weights
    )


@figure("t_up", basis="measured", family=True)
def unpacking_seconds(
    vendor_products: Switch,
    weight_element_bytes: Bytes,
    weight_unpacking_flop: Flop,
    unpacked_weights: Count,
    fp32_flop_per_second: FlopPerSecond,
) -> Seconds:
    """Arithmetic of kernels that unpack weights themselves.  Source: llama.cpp ggml-metal `kernel_mul_mm`."""
    return (
        (1 - vendor_products)
        * (weight_element_bytes < UNPACKED_BYTES)
        * weight_unpacking_flop
        * unpacked_weights
        / fp32_flop_per_second
    )


@figure("t_ux", basis="measured", family=True)
def exposed_unpacking_seconds(decode_product_traffic: Seconds, decode_unpacking_seconds: Seconds) -> Seconds:
    """What unpacking adds to a decode step: it runs beside the weights' way from memory, the rest is waited for.

    Source: llama.cpp ggml-metal `kernel_mul_mv_*`, whose groups of threads wait for memory in turn.
    """
    return beyond(decode_product_traffic, decode_unpacking_seconds)


@figure("x_ac", basis="measured", source="the GPU's data sheet; llama.cpp `CUBLAS_COMPUTE_16F`")
def summing_factor(sums_in_16bit: Switch, half_sum_factor: Share) -> Share:
    """How much faster 16-bit products are where an engine adds up in 16 bit: twice on GeForce."""
    return 1 + sums_in_16bit * (half_sum_factor - 1)


def _of(phase: str) -> tuple[Line, Line]:
    bound = {f"phase_{each}": f"{phase}_{each}" for each in ("tokens", "expert_passes", "expert_weights")}
    weights = f"unpacked_weights.{phase}"
    return (
        bound_line(weights, unpacked_weights, bound),
        bound_line(f"unpacking_seconds.{phase}", unpacking_seconds, {"unpacked_weights": weights}),
    )


LINES = (
    *_of("prefill"),
    *_of("decode"),
    bound_line("conversion_seconds.prefill", conversion_seconds, {"unpacking_seconds": "unpacking_seconds.prefill"}),
    bound_line(
        "exposed_unpacking_seconds", exposed_unpacking_seconds, {"decode_unpacking_seconds": "unpacking_seconds.decode"}
    ),
)
