"""What GPUs send each other in serving, the least time it takes, and the computed one.

Source of the layout: see `collectives`.
"""

from memreport.figures.constants import ONE_TOKEN, REDUCTIONS_PER_LAYER, TWO
from memreport.figures.constants.times import HALVED_DECODE_TOKENS, HALVED_PREFILL_TOKENS
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Seconds, Share, Switch, Tokens
from memreport.figures.time.reached import shared
from memreport.figures.traffic.collectives import reductions, sent_at_stated_rates, wire_seconds
from memreport.formula.recording import FigureRows, Line, bound_line, figure
from memreport.formula.words import larger, smaller, where


@figure("Q_tp", family=True)
def reduction_bytes(
    tensor_parallel_size: Count,
    layers_per_stage: Count,
    phase_tokens: Tokens,
    hidden_size: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """All-reduces of a phase: two per layer.  Source: arXiv:1909.08053 (Megatron-LM), section 3."""
    return reductions(tensor_parallel_size, layers_per_stage, phase_tokens, hidden_size, other_element_bytes)


_PHASES = (("prefill", "p", "a prefill"), ("decode", "d", "a decode step"))
REDUCTION_BYTES = FigureRows(
    reduction_bytes.row(
        f"{phase}_reduction_bytes",
        f"Q_tp{letter}",
        f"All-reduces of {title}: two per layer.  Source: arXiv:1909.08053 (Megatron-LM), section 3.",
        {"phase_tokens": f"{phase}_tokens"},
    )
    for phase, letter, title in _PHASES
)
COMMUNICATION_SECONDS = FigureRows(
    sent_at_stated_rates(
        f"{phase}_communication_seconds",
        f"t_tp{letter}",
        f"Shortest time of a stage's all-reduces in {title}.",
        f"{phase}_reduction_bytes",
        "tensor_parallel_network_share",
    )
    for phase, letter, title in _PHASES
)


@figure("t_ars", basis="measured")
def stage_latency_seconds(
    tensor_parallel_size: Count,
    layers_per_stage: Count,
    all_reduce_latency_seconds: Seconds,
    tensor_parallel_network_share: Share,
    gather_latency_seconds: Seconds,
    network_latency_seconds: Seconds,
) -> Seconds:
    """Latency of a stage's all-reduces, two a layer: NCCL's beyond a node, where the engines' own kernels do not reach.

    Source: arXiv:1909.08053, section 3; vLLM and SGLang `CustomAllreduce`, which only joins GPUs of one node.
    """
    return (
        (tensor_parallel_size > 1)
        * REDUCTIONS_PER_LAYER
        * layers_per_stage
        * where(
            tensor_parallel_network_share > 0,
            larger(all_reduce_latency_seconds, gather_latency_seconds) + network_latency_seconds,
            all_reduce_latency_seconds,
        )
    )


@figure("t_art", basis="measured", family=True)
def all_reduce_seconds(
    sent_bytes: Bytes,
    tensor_parallel_network_share: Share,
    all_reduce_bytes_per_second: BytesPerSecond,
    collective_network_bytes_per_second: BytesPerSecond,
    stage_latency_seconds: Seconds,
) -> Seconds:
    """Time of a stage's all-reduces.  Source: latency and traffic, fitted over all-reduces by size."""
    return stage_latency_seconds + wire_seconds(
        sent_bytes, tensor_parallel_network_share, all_reduce_bytes_per_second, collective_network_bytes_per_second
    )


@figure("Q_x", family=True)
def exchange_bytes(
    rank_mixture_layers: Count,
    phase_tokens: Tokens,
    num_experts_per_tok: Count,
    expert_parallel_size: Count,
    exchanged_width: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """Hidden states sent to the ranks of the chosen experts and back.  Source: arXiv:2006.16668, section 3.2."""
    return (
        TWO * rank_mixture_layers * (phase_tokens / ONE_TOKEN)
        * smaller(num_experts_per_tok, expert_parallel_size) * (1 - 1 / expert_parallel_size)
        * exchanged_width * other_element_bytes
    )  # fmt: skip


exchange_seconds = all_reduce_seconds.row(
    "exchange_seconds",
    "t_x",
    "Time of a stage's exchanges between experts.  Source: latency and traffic.",
    {
        "tensor_parallel_network_share": "expert_parallel_network_share",
        "all_reduce_bytes_per_second": "exchange_bytes_per_second",
        "stage_latency_seconds": "exchange_latency_seconds",
    },
    family=True,
)


@figure("t_x0", basis="measured")
def exchange_latency_seconds(
    expert_parallel_size: Count,
    rank_mixture_layers: Count,
    collective_latency_seconds: Seconds,
    expert_parallel_network_share: Share,
    network_latency_seconds: Seconds,
) -> Seconds:
    """Latency of a stage's exchanges, one there and one back in each mixture layer.  Source: arXiv:2006.16668, 3.2."""
    return (
        (expert_parallel_size > 1)
        * TWO
        * rank_mixture_layers
        * (collective_latency_seconds + where(expert_parallel_network_share > 0, network_latency_seconds, 0))
    )


@figure("x_hlf", family=True)
def in_halves(enable_dbo: Switch, expert_parallel_size: Count, phase_tokens: Tokens, halved_tokens: Tokens) -> Switch:
    """Whether a batch is cut in two: asked for, among ranks that share experts, and long enough.  Source: vLLM DBO."""
    return enable_dbo * (expert_parallel_size > 1) * (phase_tokens >= halved_tokens)


@figure("T_hd", source="vLLM, config/parallel.py `dbo_decode_token_threshold`")
def halved_decode_tokens() -> Tokens:
    """Fewest tokens of a decode step that is cut in two."""
    return HALVED_DECODE_TOKENS


@figure("T_hp", source="vLLM, config/parallel.py `dbo_prefill_token_threshold`, whose cut goes through a prompt")
def halved_prefill_tokens() -> Tokens:
    """Fewest tokens of prompts that are cut in two."""
    return HALVED_PREFILL_TOKENS


@figure("t_rr", basis="measured", family=True)
def reading_again_seconds(in_halves: Switch, product_work: Seconds, product_traffic: Seconds) -> Seconds:
    """What products take longer in two halves, each of which reads the weights.  Source: roofline of the products."""
    return in_halves * (larger(product_work, TWO * product_traffic) - larger(product_work, product_traffic))


@figure("t_xw", basis="measured", family=True)
def waited_exchange_seconds(
    in_halves: Switch, stage_seconds: Seconds, reading_again_seconds: Seconds, exchange_seconds: Seconds
) -> Seconds:
    """What exchanges add to the work: all of them, or in two halves what these take longer and do not hide.

    Source: vLLM `--enable-dbo`, SGLang `--enable-two-batch-overlap`; what traffic takes from arithmetic as in training.
    """
    return where(
        in_halves > 0,
        reading_again_seconds + shared(stage_seconds + reading_again_seconds, exchange_seconds),
        exchange_seconds,
    )


def _of(phase: str) -> tuple[Line, ...]:
    """All-reduces and exchanges of a phase."""
    exchanged, exchange = f"exchange_bytes.{phase}", f"exchange_seconds.{phase}"
    halves, again = f"in_halves.{phase}", f"reading_again_seconds.{phase}"
    products = {f"product_{kind}": f"{phase}_product_{kind}" for kind in ("work", "traffic")}
    waits = {"stage_seconds": f"{phase}_stage_seconds", "exchange_seconds": exchange}
    cut = {"phase_tokens": f"{phase}_tokens", "halved_tokens": f"halved_{phase}_tokens"}
    return (
        bound_line(exchanged, exchange_bytes, {"phase_tokens": f"{phase}_tokens"}),
        bound_line(f"all_reduce_seconds.{phase}", all_reduce_seconds, {"sent_bytes": f"{phase}_reduction_bytes"}),
        bound_line(exchange, exchange_seconds, {"sent_bytes": exchanged}),
        bound_line(halves, in_halves, cut),
        bound_line(again, reading_again_seconds, {"in_halves": halves} | products),
        bound_line(
            f"waited_exchange_seconds.{phase}",
            waited_exchange_seconds,
            waits | {"in_halves": halves, "reading_again_seconds": again},
        ),
    )


LINES = (*_of("prefill"), *_of("decode"))
