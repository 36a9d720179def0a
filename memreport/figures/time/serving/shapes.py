"""What a prefill and a decode step work on: tokens, experts that are touched, and MLPs apart from the experts."""

from memreport.figures.constants import EIGHT, FLOP_PER_MULTIPLY_ADD, ONE_TOKEN, TWO
from memreport.figures.constants.times import MXFP4_LAUNCH_SHARE, OFTEN_CHOSEN, UNPACKED_BYTES
from memreport.figures.quantities import Bytes, Count, Flop, FlopPerSecond, Seconds, Share, Switch, Tokens
from memreport.formula.recording import bound_line, figure
from memreport.formula.words import larger, power, smaller, where


@figure("P_v", source="vLLM `--dtype`, FP16 on GPUs without units for BF16; llama.cpp `CUBLAS_COMPUTE_16F`")
def sixteen_bit_peak_flop_per_second(
    computes_in_bf16: Switch,
    weight_element_bytes: Bytes,
    bf16_flop_per_second: FlopPerSecond,
    fp16_flop_per_second: FlopPerSecond,
) -> FlopPerSecond:
    """Dense peak of what stays in 16 bit: in BF16 where the weights are, else in the type that the GPU is faster at."""
    return where(
        computes_in_bf16 * (weight_element_bytes >= UNPACKED_BYTES) > 0,
        bf16_flop_per_second,
        larger(bf16_flop_per_second, fp16_flop_per_second),
    )


@figure("P_vp")
def served_half_flop_per_second(
    computes_in_bf16: Switch, computes_in_fp16: Switch, sixteen_bit_peak_flop_per_second: FlopPerSecond
) -> FlopPerSecond:
    """Dense peak of products where they run in a 16-bit type, else nothing.  Source: the GPU's data sheet."""
    return smaller(computes_in_bf16 + computes_in_fp16, 1) * sixteen_bit_peak_flop_per_second


@figure("v_h", basis="measured")
def head_flop_per_second(sixteen_bit_peak_flop_per_second: FlopPerSecond, product_share_16bit: Share) -> FlopPerSecond:
    """Rate of the head, which stays in 16 bit.  Source: hardware/efficiency.yaml."""
    return sixteen_bit_peak_flop_per_second * product_share_16bit


@figure("v_a", basis="measured")
def attention_flop_per_second(
    sixteen_bit_peak_flop_per_second: FlopPerSecond, prefill_attention_share: Share
) -> FlopPerSecond:
    """Rate of attention, which works in 16 bit.  Source: hardware/efficiency.yaml."""
    return sixteen_bit_peak_flop_per_second * prefill_attention_share


@figure("T_pre")
def prefill_tokens(prompts_together: Count, prompt_tokens: Tokens, prefix_cached_share: Share) -> Tokens:
    """Prompt tokens that one prefill works on: those that no prefix cache holds.  Source: arXiv:2309.06180, 2.2."""
    return prompts_together * prompt_tokens * (1 - prefix_cached_share)


@figure("T_dec", source="arXiv:2309.06180, section 2.2; arXiv:2211.17192, section 2.3")
def decode_tokens(decoding_sequences: Count, pipeline_parallel_size: Count, speculative_tokens: Count) -> Tokens:
    """Tokens that a stage works on at once: one a sequence and drafted ones, of as many groups as there are stages."""
    return larger(decoding_sequences / pipeline_parallel_size, 1) * (1 + speculative_tokens) * ONE_TOKEN


@figure("p_x+")
def often_chosen_share(num_experts_per_tok: Count, num_local_experts: Count) -> Share:
    """Chance that a token chooses one of the experts that are chosen often, half of all.  Source: operator tables."""
    return smaller(OFTEN_CHOSEN * num_experts_per_tok / larger(num_local_experts, 1), 1)


@figure("p_x-")
def rarely_chosen_share(num_experts_per_tok: Count, num_local_experts: Count, often_chosen_share: Share) -> Share:
    """The same of one of the other half.  Source: subtraction from twice the mean."""
    return TWO * num_experts_per_tok / larger(num_local_experts, 1) - often_chosen_share


def _touched(often: float, rarely: float, tokens: float, ranks: float) -> float:
    """Share of the experts that are chosen at least once by the tokens of all ranks that share them."""
    times = tokens / ONE_TOKEN * ranks
    return 1 - (power(1 - often, times) + power(1 - rarely, times)) / TWO


@figure("n_dec")
def decode_rows(decode_tokens: Tokens) -> Count:
    """Positions of a decode step whose next token is sampled.  Source: division."""
    return decode_tokens / ONE_TOKEN


@figure("e_pre")
def prefill_expert_share(
    often_chosen_share: Share, rarely_chosen_share: Share, prefill_tokens: Tokens, expert_parallel_size: Count
) -> Share:
    """Share of the experts that a prefill touches.  Source: probability of no choice."""
    return _touched(often_chosen_share, rarely_chosen_share, prefill_tokens, expert_parallel_size)


@figure("e_dec")
def decode_expert_share(
    often_chosen_share: Share, rarely_chosen_share: Share, decode_tokens: Tokens, expert_parallel_size: Count
) -> Share:
    """Share of the experts that a decode step touches.  Source: probability of no choice."""
    return _touched(often_chosen_share, rarely_chosen_share, decode_tokens, expert_parallel_size)


@figure("W_exp")
def rank_expert_weights(
    routed_expert_parameters: Count, expert_parallel_size: Count, stage_share: Share, tensor_parallel_size: Count
) -> Count:
    """Routed experts on one GPU.  Source: arXiv:2006.16668 (GShard), section 2."""
    return routed_expert_parameters / expert_parallel_size * stage_share / tensor_parallel_size


@figure("F_re")
def rank_expert_width(
    mixture_layers: Count,
    num_experts_per_tok: Count,
    moe_intermediate_size: Count,
    stage_share: Share,
    tensor_parallel_size: Count,
) -> Count:
    """Widths of the experts that one token passes through, added over the layers.  Source: arXiv:2401.04088, 2.1."""
    return mixture_layers * num_experts_per_tok * moe_intermediate_size * stage_share / tensor_parallel_size


@figure("L_re")
def rank_mixture_layers(mixture_layers: Count, stage_share: Share) -> Count:
    """Mixture layers on one GPU, in the mean over uneven stages.  Source: arXiv:2104.04473, section 2."""
    return mixture_layers * stage_share


@figure("L_pm", source="arXiv:2401.06066 (DeepSeekMoE), section 3.2")
def plain_mlp_layers(
    dense_layers: Count, mixture_layers: Count, shared_expert_intermediate_size: Count, stage_share: Share
) -> Count:
    """Layers on one GPU with an MLP that every token passes: dense ones, and those with shared experts."""
    return (dense_layers + where(shared_expert_intermediate_size > 0, mixture_layers, 0)) * stage_share


@figure("F_pm")
def plain_mlp_width(
    dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    shared_expert_intermediate_size: Count,
    stage_share: Share,
    tensor_parallel_size: Count,
) -> Count:
    """Widths of these MLPs, added over the layers.  Source: arXiv:2401.06066 (DeepSeekMoE), section 3.2."""
    return (
        (dense_layers * intermediate_size + mixture_layers * shared_expert_intermediate_size)
        * stage_share
        / tensor_parallel_size
    )


@figure("W_pm")
def plain_mlp_weights(mlp_matrices: Count, hidden_size: Count, plain_mlp_width: Count, nominal_factor: Count) -> Count:
    """Matrices of these MLPs, which every step reads whole.  Source: HF modelling code."""
    return mlp_matrices * hidden_size * plain_mlp_width * nominal_factor


@figure("x_pm")
def plain_mlp_inputs(hidden_size: Count, plain_mlp_layers: Count, plain_mlp_width: Count) -> Count:
    """Values per token that they read: the layer's input and the activated product.  Source: HF modelling code."""
    return hidden_size * plain_mlp_layers + plain_mlp_width


@figure("y_pm")
def plain_mlp_outputs(
    hidden_size: Count, plain_mlp_layers: Count, plain_mlp_width: Count, mlp_matrices: Count
) -> Count:
    """Values per token that they write: gate, up and down.  Source: HF modelling code."""
    return hidden_size * plain_mlp_layers + plain_mlp_width * (mlp_matrices - 1)


@figure("x_re")
def expert_inputs(hidden_size: Count, rank_mixture_layers: Count, rank_expert_width: Count) -> Count:
    """Values per token that the experts read.  Source: HF modelling code."""
    return hidden_size * rank_mixture_layers + rank_expert_width


@figure("y_re")
def expert_outputs(
    hidden_size: Count, rank_mixture_layers: Count, rank_expert_width: Count, mlp_matrices: Count
) -> Count:
    """Values per token that the experts write.  Source: HF modelling code."""
    return hidden_size * rank_mixture_layers + rank_expert_width * (mlp_matrices - 1)


@figure("W_ae")
def active_expert_weights(
    mlp_matrices: Count, hidden_size: Count, rank_expert_width: Count, nominal_factor: Count
) -> Count:
    """Expert matrices that one token is multiplied with.  Source: arXiv:2401.04088, section 2.1."""
    return mlp_matrices * hidden_size * rank_expert_width * nominal_factor


@figure("W_pre")
def prefill_expert_weights(rank_expert_weights: Count, nominal_factor: Count, prefill_expert_share: Share) -> Count:
    """Expert matrices that a prefill reads.  Source: arXiv:2401.04088, section 2.1."""
    return rank_expert_weights * nominal_factor * prefill_expert_share


@figure("W_dre", source="arXiv:2401.04088, section 2.1")
def decode_expert_weights(rank_expert_weights: Count, nominal_factor: Count, decode_expert_share: Share) -> Count:
    """Expert matrices that a decode step reads: few at batch 1, nearly all at large batch."""
    return rank_expert_weights * nominal_factor * decode_expert_share


@figure("n_pad", source="vLLM `DeepGemmExperts` and its changes 24462, 26197 and 29346")
def padding_rows(
    expert_row_multiple: Count,
    runs_deep_gemm: Switch,
    computes_in_fp8: Switch,
    tensor_parallel_size: Count,
    whole_experts: Switch,
    num_local_experts: Count,
    expert_parallel_size: Count,
    rank_mixture_layers: Count,
) -> Count:
    """Rows with which an engine fills up the tiles of its experts, chosen or not, added over the layers of one GPU."""
    # For 8-bit experts with a scale a block, by default from change 24462, at any number of tokens from change 26197,
    # and not where tensor parallelism cuts experts in 8 (change 29346).
    return (
        larger(expert_row_multiple - 1, 0)
        * (runs_deep_gemm * computes_in_fp8 * larger(tensor_parallel_size < EIGHT, whole_experts))
        * (num_local_experts / expert_parallel_size)
        * rank_mixture_layers
    )


@figure("W_pad")
def padding_flop(
    padding_rows: Count,
    mlp_matrices: Count,
    hidden_size: Count,
    moe_intermediate_size: Count,
    tensor_parallel_size: Count,
    nominal_factor: Count,
) -> Flop:
    """Work of these rows.  Source: arXiv:2001.08361, section 2.1."""
    return (
        FLOP_PER_MULTIPLY_ADD
        * padding_rows
        * (mlp_matrices * hidden_size * moe_intermediate_size / tensor_parallel_size * nominal_factor)
    )


@figure("t_xs", basis="measured")
def expert_start_seconds(
    pads_experts: Switch,
    fp4_flop_per_second: FlopPerSecond,
    fp8_flop_per_second: FlopPerSecond,
    expert_launch_seconds: Seconds,
    scaled_expert_seconds: Seconds,
    eight_bit_flop_per_second: FlopPerSecond,
    fp16_flop_per_second: FlopPerSecond,
    overlap_order: Count,
) -> Seconds:
    """Time of a mixture layer's grouped products before they work: half in MXFP4, where the silicon computes in FP4.

    Source: hardware/efficiency.yaml; aiconfigurator operator tables, w4a16_mxfp4 and w4a8_mxfp4_mxfp8.
    """
    # Tables of CDNA 4 hold no such difference: 16 to 25 us in all types.
    return expert_launch_seconds * where(
        pads_experts * (overlap_order > 1) * (fp4_flop_per_second > fp8_flop_per_second) > 0, MXFP4_LAUNCH_SHARE, 1
    ) + scaled_expert_seconds * (eight_bit_flop_per_second > fp16_flop_per_second)


@figure("Q_pad", family=True)
def padding_bytes(
    padding_rows: Count,
    hidden_size: Count,
    moe_intermediate_size: Count,
    tensor_parallel_size: Count,
    mlp_matrices: Count,
    other_element_bytes: Bytes,
    rank_expert_weights: Count,
    nominal_factor: Count,
    expert_share: Share,
    weight_element_bytes: Bytes,
) -> Bytes:
    """What these rows read and write, and the experts that no token chose.  Source: counting."""
    return (
        padding_rows
        * (TWO * hidden_size + mlp_matrices * moe_intermediate_size / tensor_parallel_size)
        * other_element_bytes
        + (padding_rows > 0) * rank_expert_weights * nominal_factor * (1 - expert_share) * weight_element_bytes
    )


LINES = tuple(
    bound_line(f"padding_bytes.{phase}", padding_bytes, {"expert_share": f"{phase}_expert_share"})
    for phase in ("prefill", "decode")
)
