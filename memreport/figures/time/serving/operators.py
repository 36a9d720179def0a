"""Computed times of the kernels of a prefill and of a decode step on one GPU.

A kernel takes its launches, and then the time of its arithmetic or of its traffic, whichever is longer, with a soft
corner between the two; rates and launches are what was measured on the GPU, or on its architecture.
"""

from dataclasses import dataclass

from memreport.figures.constants import TWO
from memreport.figures.constants.times import KERNELS_OF_LATENT_ATTENTION
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Flop, FlopPerSecond, Seconds, Share, Switch
from memreport.figures.time.reached import soft_maximum
from memreport.figures.time.roofline import sum_line
from memreport.formula.recording import Line, bound_line, figure
from memreport.formula.words import larger, smaller, total, where


def _overlapped(work: float, traffic: float, order: float) -> float:
    """Arithmetic and traffic of a kernel: they hide each other where many tiles are under way, else they add up."""
    return soft_maximum(work, traffic, order, 1 / order)


def _reached(rate: float, half_precision: float, own: float, plain: float) -> float:
    """What work of few bits reaches: its own share where a GPU has units for it, else that of 16-bit work."""
    return rate * where(rate > half_precision, own, plain)


@figure("v_p", basis="measured")
def product_flop_per_second(
    served_half_flop_per_second: FlopPerSecond,
    summing_factor: Share,
    single_precision_flop_per_second: FlopPerSecond,
    product_share_16bit: Share,
    eight_bit_flop_per_second: FlopPerSecond,
    fp16_flop_per_second: FlopPerSecond,
    product_share_8bit: Share,
    four_bit_flop_per_second: FlopPerSecond,
    product_share_4bit: Share,
) -> FlopPerSecond:
    """Rate that a large matrix product reaches.  Source: hardware/efficiency.yaml."""
    return (
        (served_half_flop_per_second * summing_factor + single_precision_flop_per_second) * product_share_16bit
        + _reached(eight_bit_flop_per_second, fp16_flop_per_second, product_share_8bit, product_share_16bit)
        + _reached(four_bit_flop_per_second, fp16_flop_per_second, product_share_4bit, product_share_16bit)
    )


@figure("v_x", basis="measured")
def expert_flop_per_second(
    served_half_flop_per_second: FlopPerSecond,
    single_precision_flop_per_second: FlopPerSecond,
    expert_share_16bit: Share,
    eight_bit_flop_per_second: FlopPerSecond,
    fp16_flop_per_second: FlopPerSecond,
    expert_share_8bit: Share,
    four_bit_flop_per_second: FlopPerSecond,
    expert_share_4bit: Share,
) -> FlopPerSecond:
    """Rate that grouped products of experts reach.  Source: hardware/efficiency.yaml."""
    return (
        (served_half_flop_per_second + single_precision_flop_per_second) * expert_share_16bit
        + _reached(eight_bit_flop_per_second, fp16_flop_per_second, expert_share_8bit, expert_share_16bit)
        + _reached(four_bit_flop_per_second, fp16_flop_per_second, expert_share_4bit, expert_share_16bit)
    )


@figure("B_u", basis="measured", source="Little's law, bytes in flight over latency; the engine's row, fitted")
def unit_limited_bytes_per_second(
    compute_units: Count,
    unit_bytes_per_second: BytesPerSecond,
    vendor_products: Switch,
    memory_bytes_per_second: BytesPerSecond,
) -> BytesPerSecond:
    """Most that an engine's own kernels read: each multiprocessor keeps so many loads under way, and no more."""
    # Cores of Apple's GPUs show no such limit: ten of an M4 read as large a share of its memory as 40 of an M4 Max.
    return where(
        vendor_products * unit_bytes_per_second > 0, compute_units * unit_bytes_per_second, memory_bytes_per_second
    )


@figure("B_c", basis="measured")
def cache_bytes_per_second(
    memory_bytes_per_second: BytesPerSecond,
    decode_attention_bandwidth_share: Share,
    unit_limited_bytes_per_second: BytesPerSecond,
) -> BytesPerSecond:
    """Rate at which decode attention reads the cache.  Source: hardware/efficiency.yaml."""
    return smaller(memory_bytes_per_second * decode_attention_bandwidth_share, unit_limited_bytes_per_second)


@figure("B_pu", basis="measured")
def weight_bytes_per_second(
    product_bytes_per_second: BytesPerSecond,
    cycle_limited_bytes_per_second: BytesPerSecond,
    unpacked_bytes_per_second: BytesPerSecond,
) -> BytesPerSecond:
    """Rate at which products read their weights in this engine.  Source: the smallest of three limits."""
    return smaller(product_bytes_per_second, cycle_limited_bytes_per_second, unpacked_bytes_per_second)


@figure("B_su", basis="measured")
def value_bytes_per_second(
    stream_bytes_per_second: BytesPerSecond, unit_limited_bytes_per_second: BytesPerSecond
) -> BytesPerSecond:
    """Rate of kernels that treat each element alone in this engine.  Source: the smaller of two limits."""
    return smaller(stream_bytes_per_second, unit_limited_bytes_per_second)


@figure("n_q", basis="measured", source="aiconfigurator operator tables; vLLM `marlin_utils_fp8`")
def kernels_per_product(
    eight_bit_flop_per_second: FlopPerSecond,
    fp16_flop_per_second: FlopPerSecond,
    four_bit_flop_per_second: FlopPerSecond,
    fp8_flop_per_second: FlopPerSecond,
    fuses_quantisation: Switch,
    mixture_layers: Count,
    scaled_product_starts: Count,
) -> Count:
    """A product, and before it the kernel that quantises its input where it runs in 8 or 4 bit, unless another does."""
    # Without units of its own a type is unpacked to 16 bit within the product.  Launches of FP8 products take twice
    # those of BF16; the fusion of TensorRT-LLM is for a scale a tensor, and mixtures are published with one a block.
    return (
        1
        + (1 - fuses_quantisation * (mixture_layers <= 0))
        * ((eight_bit_flop_per_second > fp16_flop_per_second) + (four_bit_flop_per_second > fp8_flop_per_second) > 0)
        + scaled_product_starts * (eight_bit_flop_per_second > fp16_flop_per_second) * (mixture_layers > 0)
    )


@figure("n_qkv", source="arXiv:2405.04434, section 2.1.2; vLLM fuses query, key and value")
def qkv_launches(
    rank_attention_layers: Count,
    kv_lora_rank: Count,
    num_linear_attention_layers: Count,
    stage_share: Share,
    kernels_per_product: Count,
) -> Count:
    """Kernels of products before attention: one product, or four with a latent cache, and one of linear attention."""
    return kernels_per_product * (
        rank_attention_layers * where(kv_lora_rank > 0, KERNELS_OF_LATENT_ATTENTION, 1)
        + num_linear_attention_layers * stage_share
    )


@figure("n_o")
def output_projection_launches(rank_attention_layers: Count, kernels_per_product: Count) -> Count:
    """Kernels of the product after attention.  Source: counting."""
    return kernels_per_product * rank_attention_layers


@figure("n_mlp")
def mlp_launches(plain_mlp_layers: Count, kernels_per_product: Count) -> Count:
    """Kernels of MLPs: gate with up, and down.  Source: vLLM `MergedColumnParallelLinear`."""
    return kernels_per_product * TWO * plain_mlp_layers


@figure("n_nrm")
def norm_launches(norms_per_layer: Count, layers_per_stage: Count) -> Count:
    """Norms, each with the residual sum before it.  Source: vLLM `fused_add_rms_norm`."""
    return norms_per_layer * layers_per_stage


@figure("n_pw", source="vLLM `FusedMoE.select_experts`")
def pointwise_launches(layers_per_stage: Count, rank_mixture_layers: Count) -> Count:
    """One kernel a layer for rotations and activations; a mixture layer has a router and a choice of experts more."""
    return layers_per_stage + TWO * rank_mixture_layers


@figure("n_1")
def head_launches() -> Count:
    """The head is one product.  Source: counting."""
    return 1


@figure("x_rr", basis="measured")
def cache_reads(shared_head_rereads: Share, num_attention_heads: Count, num_key_value_heads: Count) -> Count:
    """How often decode attention reads a cached vector: once, and again for each query head that shares it.

    Source: NVIDIA TensorRT-LLM blog on XQA, whose kernels serve a whole group of query heads by one read.
    """
    return 1 + shared_head_rereads * larger(num_attention_heads / larger(num_key_value_heads, 1) - 1, 0)


@figure("Q_mda", family=True)
def mean_attention_bytes(
    kernel_bytes: Bytes, mean_sequence_bytes: Bytes, kv_sequence_bytes: Bytes, cache_reads: Count
) -> Bytes:
    """Traffic of decode attention in the middle of an answer.  Source: proportion to the cached tokens."""
    return kernel_bytes * cache_reads * mean_sequence_bytes / kv_sequence_bytes


@figure("W_mda")
def mean_attention_flop(decode_attention_flop: Flop, mean_sequence_bytes: Bytes, kv_sequence_bytes: Bytes) -> Flop:
    """Work of decode attention in the middle of an answer.  Source: proportion to the cached tokens."""
    return decode_attention_flop * mean_sequence_bytes / kv_sequence_bytes


@figure("t_w", basis="measured", family=True)
def work_seconds(kernel_flop: Flop, operator_flop_per_second: FlopPerSecond) -> Seconds:
    """Time of the arithmetic.  Source: division."""
    return kernel_flop / operator_flop_per_second


@figure("t_q", basis="measured", family=True)
def traffic_seconds(kernel_bytes: Bytes, operator_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of the traffic.  Source: division."""
    return kernel_bytes / operator_bytes_per_second


@figure("t_k", basis="measured", family=True)
def operator_seconds(
    operator_launches: Count,
    operator_launch_seconds: Seconds,
    work_seconds: Seconds,
    traffic_seconds: Seconds,
    overlap_order: Count,
) -> Seconds:
    """Launches, then arithmetic or traffic.  Source: form of the fits over operator tables (aiconfigurator, AITER)."""
    return operator_launches * operator_launch_seconds + _overlapped(work_seconds, traffic_seconds, overlap_order)


@figure("t_pad", basis="measured", family=True)
def padding_seconds(
    padding_flop: Flop,
    product_flop_per_second: FlopPerSecond,
    padding_bytes: Bytes,
    expert_bytes_per_second: BytesPerSecond,
    overlap_order: Count,
) -> Seconds:
    """Time of rows that fill up tiles of experts: whole tiles, as fast as plain products.  Source: form of the fit."""
    return _overlapped(padding_flop / product_flop_per_second, padding_bytes / expert_bytes_per_second, overlap_order)


@figure("t_dp", basis="measured")
def decode_product_seconds(
    decode_product_work: Seconds, decode_product_traffic: Seconds, overlap_order: Count
) -> Seconds:
    """Products with weights in a decode step of one stage, launches apart.  Source: form of the operator fits."""
    return _overlapped(decode_product_work, decode_product_traffic, overlap_order)


@figure("t_jp", basis="measured")
def joined_product_seconds(
    decode_product_work: Seconds,
    prefill_product_work: Seconds,
    prefill_chunks: Count,
    decode_product_traffic: Seconds,
    overlap_order: Count,
) -> Seconds:
    """The same of a step that a chunk of a prompt joins.  Source: arXiv:2308.16369 (SARATHI), section 4.2."""
    return _overlapped(
        decode_product_work + prefill_product_work / prefill_chunks, decode_product_traffic, overlap_order
    )


@figure("t_jn", basis="measured", family=True)
def joined_prefill_seconds(
    joined_product_seconds: Seconds,
    decode_product_seconds: Seconds,
    prefill_chunks: Count,
    attention_seconds: Seconds,
    norm_seconds: Seconds,
    pointwise_seconds: Seconds,
    all_reduce_seconds: Seconds,
    stage_latency_seconds: Seconds,
    exchange_seconds: Seconds,
    exchange_latency_seconds: Seconds,
    conversion_seconds: Seconds,
    measured_time_factor: Share,
) -> Seconds:
    """What a prompt adds to the decode steps that it is worked on with: weights are read and kernels launched anyway.

    Source: arXiv:2308.16369 (SARATHI), section 4.2.
    """
    return measured_time_factor * total(
        prefill_chunks * (joined_product_seconds - decode_product_seconds),
        attention_seconds,
        norm_seconds,
        pointwise_seconds,
        all_reduce_seconds - stage_latency_seconds,
        exchange_seconds - exchange_latency_seconds,
        conversion_seconds,
    )


@dataclass(frozen=True)
class Operator:
    """How a kernel is timed: its rates, its launches, and where its FLOP and bytes differ from the roofline's."""

    kernel: str
    rate: str
    bandwidth: str
    launches: str
    launch: str = "product_launch_seconds"
    flop: str = ""
    traffic: str = ""

    def lines(self) -> tuple[Line, Line, Line]:
        """Arithmetic, traffic, and the kernel's time: `operator_seconds.<kernel>`."""
        own = self.kernel
        return (
            _bound("work_seconds", own, kernel_flop=self.flop or f"{own}_flop", operator_flop_per_second=self.rate),
            _bound(
                "traffic_seconds",
                own,
                kernel_bytes=self.traffic or f"kernel_bytes.{own}",
                operator_bytes_per_second=self.bandwidth,
            ),
            _bound(
                "operator_seconds",
                own,
                operator_launches=self.launches,
                operator_launch_seconds=self.launch,
                work_seconds=f"work_seconds.{own}",
                traffic_seconds=f"traffic_seconds.{own}",
            ),
        )


_FAMILIES = {each.name: each for each in (work_seconds, traffic_seconds, operator_seconds)}


def _bound(family: str, kernel: str, **bound: str) -> Line:
    return bound_line(f"{family}.{kernel}", _FAMILIES[family], bound)


_PRODUCT = {"prefill": "prompt_product_flop_per_second", "decode": "product_flop_per_second"}
_WEIGHTS = "weight_bytes_per_second"
_EXPERTS = ("expert_bytes_per_second", "rank_mixture_layers", "expert_start_seconds")
_WORK = {"prefill": ("packed_expert_flop_per_second", "filled_expert_flop"), "decode": ("expert_flop_per_second", "")}
_STREAM = ("product_flop_per_second", "value_bytes_per_second")


def _operators(phase: str) -> tuple[Operator, ...]:
    """The kernels of a phase without attention and head, which lie elsewhere."""
    return (
        Operator(f"{phase}_qkv_projection", _PRODUCT[phase], _WEIGHTS, f"qkv_launches.{phase}"),
        Operator(f"{phase}_output_projection", _PRODUCT[phase], _WEIGHTS, f"output_projection_launches.{phase}"),
        Operator(f"{phase}_mlp", _PRODUCT[phase], _WEIGHTS, f"mlp_launches.{phase}"),
        Operator(f"{phase}_experts", _WORK[phase][0], *_EXPERTS, _WORK[phase][1]),
        Operator(f"{phase}_norm", *_STREAM, f"norm_launches.{phase}"),
        Operator(f"{phase}_pointwise", *_STREAM, f"pointwise_launches.{phase}"),
    )


_HEADS = {
    phase: Operator(f"{phase}_head", "head_flop_per_second", "weight_bytes_per_second", "head_launches")
    for phase in ("prefill", "decode")
}
_PREFILL = (
    *_operators("prefill"),
    Operator(
        "prefill_attention", "attention_flop_per_second", "value_bytes_per_second", "rank_attention_layers.prefill"
    ),
)
_DECODE = (
    *_operators("decode"),
    Operator(
        "decode_attention",
        "attention_flop_per_second",
        "cache_bytes_per_second",
        "rank_attention_layers.decode",
        "decode_attention_seconds",
        "mean_attention_flop",
        "mean_attention_bytes",
    ),
)


def _stage_lines(phase: str, operators: tuple[Operator, ...]) -> tuple[Line, ...]:
    parts = [*(f"operator_seconds.{operator.kernel}" for operator in operators), f"padding_seconds.{phase}"]
    meaning = f"Kernels of the layers that one GPU holds, in a {phase}, one after the other"
    return (
        *(line for operator in (*operators, _HEADS[phase]) for line in operator.lines()),
        bound_line(f"padding_seconds.{phase}", padding_seconds, {"padding_bytes": f"padding_bytes.{phase}"}),
        sum_line(f"{phase}_stage_seconds", f"t_s{phase[0]}", "s", meaning, parts),
    )


_MEAN = bound_line("mean_attention_bytes", mean_attention_bytes, {"kernel_bytes": "kernel_bytes.decode_attention"})
_OF_WEIGHTS = ("qkv_projection", "output_projection", "mlp", "experts")
_PRODUCTS = (("work", "prefill"), ("traffic", "prefill"), ("work", "decode"), ("traffic", "decode"))
_SUMS = tuple(
    sum_line(
        f"{phase}_product_{kind}",
        f"t_{kind[0]}{phase[0]}",
        "s",
        f"{kind.capitalize()} of the products with weights that one GPU holds, in a {phase}",
        [f"{kind}_seconds.{phase}_{name}" for name in _OF_WEIGHTS],
    )
    for kind, phase in _PRODUCTS
)
_JOINED = bound_line(
    "joined_prefill_seconds",
    joined_prefill_seconds,
    {f"{name}_seconds": f"{name}_seconds.prefill" for name in ("all_reduce", "exchange", "conversion")}
    | {"attention_seconds": "operator_seconds.prefill_attention"}
    | {f"{name}_seconds": f"traffic_seconds.prefill_{name}" for name in ("norm", "pointwise")},
)
LINES = (_MEAN, *_stage_lines("prefill", _PREFILL), *_stage_lines("decode", _DECODE), *_SUMS, _JOINED)
