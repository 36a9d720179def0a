"""Seconds of a training step that wait for traffic: what collectives take, less what runs beside arithmetic.

Rates are the shares of link and network that collectives reach; what runs beside arithmetic takes some of it away.
"""

from memreport.figures.constants import DEEPEP_LINK_SHARE, TENSOR_WAITED, TRAINING_PASSES, TWO
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Seconds, Share, Switch
from memreport.figures.time.reached import beyond, shared
from memreport.figures.traffic.collectives import data_parallel_bytes, sent_seconds
from memreport.formula.recording import FigureRows, figure, plain_line
from memreport.formula.words import larger, power, smaller, where

RING_BYTES = FigureRows(
    data_parallel_bytes.row(
        name,
        symbol,
        f"What a ring sends per GPU for {of}.  Source: ring collectives.",
        {"data_parallel_volume_bytes": volume},
    )
    for name, symbol, of, volume in (
        ("gathered_bytes", "Q_gr", "gathered weights", "weight_gather_bytes"),
        ("reduced_bytes", "Q_rr", "gradients", "gradient_exchange_bytes"),
        ("updated_bytes", "Q_ur", "updated weights", "weight_update_bytes"),
    )
)


@figure("n_tp")
def tensor_reductions(layers_per_stage: Count, gradient_accumulation_steps: Count, recompute_share: Share) -> Count:
    """Reductions of hidden states in a step: two a layer and pass.  Source: arXiv:1909.08053, section 3."""
    return TWO * layers_per_stage * gradient_accumulation_steps * (TWO + recompute_share)


@figure("n_ep")
def expert_exchanges(
    mixture_layers: Count, stage_share: Share, gradient_accumulation_steps: Count, recompute_share: Share
) -> Count:
    """Exchanges of tokens in a step: there and back in every layer and pass.  Source: arXiv:2006.16668, 3.2."""
    return TWO * mixture_layers * stage_share * gradient_accumulation_steps * (TWO + recompute_share)


@figure("x_xt", basis="measured", source="Megatron-LM `tp_comm_overlap`; torchtitan")
def waited_tensor_share(tp_comm_overlap: Switch) -> Share:
    """Share of tensor-parallel traffic that products wait for."""
    return where(tp_comm_overlap > 0, TENSOR_WAITED, 1)


@figure("t_xtp", basis="measured")
def tensor_exposed_seconds(
    tensor_parallel_size: Count,
    tensor_sent_seconds: Seconds,
    waited_tensor_share: Share,
    tensor_reductions: Count,
    sequence_parallel: Switch,
    all_reduce_latency_seconds: Seconds,
    gather_latency_seconds: Seconds,
    tensor_parallel_network_share: Share,
    network_latency_seconds: Seconds,
) -> Seconds:
    """Tensor-parallel traffic lies between products that need it: two reductions a layer and pass, cut in two or whole.

    Source: arXiv:1909.08053, section 3; arXiv:2205.05198, section 4.2.2.
    """
    return (tensor_parallel_size > 1) * (
        tensor_sent_seconds * waited_tensor_share
        + tensor_reductions
        * (1 + sequence_parallel)
        * (
            larger(all_reduce_latency_seconds, gather_latency_seconds)
            + (tensor_parallel_network_share > 0) * network_latency_seconds
        )
    )


@figure("t_xcp", basis="measured")
def context_exposed_seconds(context_sent_seconds: Seconds, attention_seconds: Seconds) -> Seconds:
    """Keys and values passed round the ring beside attention.  Source: arXiv:2310.01889 (Ring Attention), section 3."""
    return beyond(attention_seconds, context_sent_seconds)


@figure("x_dst", source="DeepEP, dispatch; chance that a GPU has none of a token's experts")
def distinct_rank_share(moe_enable_deepep: Switch, expert_parallel_size: Count, num_experts_per_tok: Count) -> Share:
    """GPUs that a token is sent to over the experts that it chose, where experts on one GPU get it together."""
    return where(
        moe_enable_deepep > 0,
        expert_parallel_size
        * (1 - power(1 - 1 / expert_parallel_size, larger(num_experts_per_tok, 1)))
        / larger(num_experts_per_tok, 1),
        1,
    )


@figure("Q_exs")
def exchanged_bytes(expert_parallel_bytes: Bytes, distinct_rank_share: Share) -> Bytes:
    """What is sent to experts and back as it is dispatched.  Source: product."""
    return expert_parallel_bytes * distinct_rank_share


@figure("B_exl", basis="measured")
def dispatch_bytes_per_second(
    moe_enable_deepep: Switch, exchange_bytes_per_second: BytesPerSecond, joining_bytes_per_second: BytesPerSecond
) -> BytesPerSecond:
    """Rate of an exchange over the link, by the library that does it.  Source: hardware/efficiency.yaml; DeepEP."""
    return where(moe_enable_deepep > 0, joining_bytes_per_second * DEEPEP_LINK_SHARE, exchange_bytes_per_second)


@figure("x_exn", source="arXiv:2412.19437 (DeepSeek-V3), section 3.2.2")
def exchange_network_share(
    hides_exchange: Switch,
    moe_enable_deepep: Switch,
    expert_parallel_network_share: Share,
    expert_parallel_least_share: Share,
    distinct_rank_share: Share,
) -> Share:
    """Share of that traffic which takes the network: a schedule that hides it sends a token once to each node."""
    return where(
        larger(hides_exchange, moe_enable_deepep) > 0,
        smaller(expert_parallel_least_share / distinct_rank_share, 1),
        expert_parallel_network_share,
    )


@figure("t_ex", basis="measured")
def expert_exchange_seconds(
    expert_parallel_size: Count,
    expert_sent_seconds: Seconds,
    expert_exchanges: Count,
    collective_latency_seconds: Seconds,
    expert_parallel_network_share: Share,
    network_latency_seconds: Seconds,
) -> Seconds:
    """Time of tokens that are sent to their experts and back.  Source: arXiv:2006.16668, section 3.2."""
    return (expert_parallel_size > 1) * (
        expert_sent_seconds
        + expert_exchanges
        * (collective_latency_seconds + (expert_parallel_network_share > 0) * network_latency_seconds)
    )


@figure("x_exh", source="arXiv:2412.19437 (DeepSeek-V3), section 3.2.1; Megatron-LM `overlap_moe_expert_parallel_comm`")
def exchange_hidden(hides_exchange: Switch, overlap_moe_expert_parallel_comm: Switch) -> Switch:
    """Whether tokens travel beside the work on another micro-batch, by the schedule or by an option of it."""
    return larger(hides_exchange, overlap_moe_expert_parallel_comm)


@figure("t_xep", basis="measured", source="arXiv:2412.19437 (DeepSeek-V3), section 3.2.1")
def expert_exposed_seconds(
    expert_exchange_seconds: Seconds, exchange_hidden: Switch, device_seconds: Seconds
) -> Seconds:
    """What of it products wait for: all, unless a schedule works on another micro-batch meanwhile."""
    return where(exchange_hidden > 0, shared(device_seconds, expert_exchange_seconds), expert_exchange_seconds)


@figure("t_xpp", basis="measured", source="arXiv:2104.04473, section 4.1; Megatron-LM `overlap_p2p_comm`")
def pipeline_exposed_seconds(
    pipeline_parallel_size: Count,
    pipeline_sent_seconds: Seconds,
    busy_slots: Count,
    gradient_accumulation_steps: Count,
    network_latency_seconds: Seconds,
) -> Seconds:
    """Hidden states between stages: sent while the stage waits, unless interleaved stages have other work."""
    return (pipeline_parallel_size > 1) * (
        pipeline_sent_seconds * (gradient_accumulation_steps / busy_slots) + TWO * busy_slots * network_latency_seconds
    )


@figure("t_wgf", basis="measured", source="arXiv:1910.02054, section 7.2.2; latency of a ring")
def forward_gather_seconds(
    gather_sent_seconds: Seconds,
    gathers_per_batch: Count,
    layers_per_stage: Count,
    weight_gathers: Count,
    shards_parameters: Switch,
    collective_hop_seconds: Seconds,
) -> Seconds:
    """Weights gathered for the forward pass under ZeRO-3, layer by layer."""
    return (
        gather_sent_seconds + layers_per_stage * weight_gathers * shards_parameters * collective_hop_seconds
    ) / gathers_per_batch


@figure("t_wgb", basis="measured", source="arXiv:1910.02054, section 7.2.2; arXiv:2306.10209 (ZeRO++), section 3.2")
def backward_gather_seconds(
    forward_gather_seconds: Seconds,
    gathers_per_batch: Count,
    releases_gathered: Switch,
    zero_hpz_partition_size: Count,
    weight_gather_bytes: Bytes,
    collective_link_bytes_per_second: BytesPerSecond,
    layers_per_stage: Count,
    gradient_accumulation_steps: Count,
    collective_latency_seconds: Seconds,
) -> Seconds:
    """The same again for the backward pass, from the second copy of a node where there is one."""
    return releases_gathered * where(
        zero_hpz_partition_size > 0,
        weight_gather_bytes
        / gathers_per_batch
        * (1 - 1 / larger(zero_hpz_partition_size, 1))
        / collective_link_bytes_per_second
        + layers_per_stage * gradient_accumulation_steps * collective_latency_seconds,
        forward_gather_seconds,
    )


@figure("t_gx", basis="measured", source="arXiv:1910.02054, section 7; latency of a ring")
def gradient_reduction_seconds(
    reduction_sent_seconds: Seconds,
    layers_per_stage: Count,
    gradient_reductions: Count,
    collective_hop_seconds: Seconds,
) -> Seconds:
    """Gradients reduced in a step, once, or for every micro-batch."""
    return reduction_sent_seconds + layers_per_stage * gradient_reductions * collective_hop_seconds


@figure("t_hop", basis="measured")
def collective_hop_seconds(
    collective_latency_seconds: Seconds,
    gather_latency_seconds: Seconds,
    sharding_size: Count,
    state_group_size: Count,
    data_parallel_network_share: Share,
    accelerators: Count,
    accelerators_per_domain: Count,
    network_hop_seconds: Seconds,
) -> Seconds:
    """Latency of one collective of the data-parallel group: a hop for every other domain of the link.

    Hybrid shards have the hops of their group.  Source: NCCL rings.
    """
    return (sharding_size > 1) * (
        larger(collective_latency_seconds, gather_latency_seconds)
        + (data_parallel_network_share > 0)
        * (accelerators * state_group_size / sharding_size / accelerators_per_domain - 1)
        * network_hop_seconds
    )


@figure("t_fw", basis="measured")
def forward_seconds(device_seconds: Seconds, recompute_share: Share) -> Seconds:
    """Time of the forward passes of a step.  Source: a backward pass takes twice a forward one."""
    return device_seconds / (TRAINING_PASSES + recompute_share)


@figure("t_bwp", basis="measured")
def overlapped_backward_seconds(
    device_seconds: Seconds, forward_seconds: Seconds, overlaps_gradients: Switch
) -> Seconds:
    """Backward passes of a step, beside which weights are gathered and gradients reduced.  Source: PyTorch DDP."""
    return (device_seconds - forward_seconds) * overlaps_gradients


@figure("x_red")
def reduced_pass_share(gradient_reductions: Count, gradient_accumulation_steps: Count) -> Share:
    """Share of the backward passes that reduce their gradients.  Source: PyTorch DDP and FSDP `no_sync`."""
    return gradient_reductions / gradient_accumulation_steps


@figure("t_bw", basis="measured", source="PyTorch DDP `no_sync`; arXiv:1910.02054, section 7")
def reducing_seconds(overlapped_backward_seconds: Seconds, reduced_pass_share: Share) -> Seconds:
    """Backward passes beside which gradients are reduced: of all micro-batches, or of the last one."""
    return overlapped_backward_seconds * reduced_pass_share


@figure("t_own", basis="measured")
def backward_traffic_seconds(
    backward_gather_seconds: Seconds, reduced_pass_share: Share, gradient_reduction_seconds: Seconds
) -> Seconds:
    """Traffic of the data-parallel group beside the backward passes that reduce gradients.  Source: sum."""
    return backward_gather_seconds * reduced_pass_share + gradient_reduction_seconds


@figure("t_xgb", basis="measured", source="PyTorch FSDP `no_sync`; DeepSpeed")
def gather_exposed_seconds(
    overlapped_backward_seconds: Seconds,
    reducing_seconds: Seconds,
    backward_gather_seconds: Seconds,
    reduced_pass_share: Share,
    recompute_gathers: Count,
) -> Seconds:
    """What gathers add to passes that reduce nothing, and at once after recomputation."""
    return backward_gather_seconds * recompute_gathers + shared(
        overlapped_backward_seconds - reducing_seconds, backward_gather_seconds * (1 - reduced_pass_share)
    )


@figure("t_xdp", basis="measured", source="PyTorch DDP and FSDP; arXiv:1910.02054, section 7")
def data_exposed_seconds(
    forward_seconds: Seconds,
    forward_gather_seconds: Seconds,
    reducing_seconds: Seconds,
    backward_traffic_seconds: Seconds,
    gather_exposed_seconds: Seconds,
) -> Seconds:
    """Data-parallel traffic beyond the passes that it runs beside."""
    return (
        shared(forward_seconds, forward_gather_seconds)
        + shared(reducing_seconds, backward_traffic_seconds)
        + gather_exposed_seconds
    )


@figure("t_xwu", basis="measured", source="arXiv:1910.02054, section 7.2.1; Megatron-LM `overlap_param_gather`")
def update_gather_seconds(
    update_sent_seconds: Seconds, forward_seconds: Seconds, gradient_accumulation_steps: Count, overlaps_gathers: Switch
) -> Seconds:
    """Updated weights gathered after the step under ZeRO-1 and 2, beside the next forward pass where that is done."""
    return shared(forward_seconds / gradient_accumulation_steps * overlaps_gathers, update_sent_seconds)


_LINK, _NETWORK = "collective_link_bytes_per_second", "collective_network_bytes_per_second"
_DATA = "data_parallel_network_share"
_SENT = {
    "tensor": ("tensor_parallel_bytes", "tensor_parallel_network_share", "tensor_bytes_per_second"),
    "context": ("context_parallel_bytes", "context_parallel_network_share", _LINK),
    "expert": ("exchanged_bytes", "exchange_network_share", "dispatch_bytes_per_second"),
    "pipeline": ("pipeline_parallel_bytes", "pipeline_parallel_network_share", _LINK),
    "gather": ("gathered_bytes", _DATA, _LINK),
    "reduction": ("reduced_bytes", _DATA, _LINK),
    "update": ("updated_bytes", _DATA, _LINK),
}
"""Kinds of traffic: what is sent, its share on the network, and its rate on the link."""
LINES = tuple(
    plain_line(
        sent_seconds.row(
            f"{kind}_sent_seconds",
            f"t_{kind}",
            "Time of traffic at the rates that collectives reach, link and network at once.  Source: division.",
            {
                "sent_bytes": sent,
                "network_share": share,
                "link_rate": link,
                "network_rate": "shard_network_bytes_per_second" if share == _DATA else _NETWORK,
            },
            basis="measured",
        )
    )
    for kind, (sent, share, link) in _SENT.items()
)
