"""What GPUs send each other, over which wires it goes, and how long the wires are busy: lower bounds.

Ranks are laid out as Megatron-LM does: tensor parallel innermost, then context, data and expert parallel, pipeline
stages outermost.  Collectives are rings (or pairwise exchanges), each GPU with its own network adapter; a group with m
members in a domain of the link (a node, or a rack whose GPUs are all linked) sends an m-th of its traffic through each
adapter.  Reduction inside a switch, which
sends less, is not counted.  Source of the layout: arXiv:2104.04473, section 3; Megatron-LM `parallel_state.py`.
"""

from memreport.figures.constants import ONE_TOKEN, REDUCTIONS_PER_LAYER, RING_PASSES, TRAINING_PASSES, TWO
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Seconds, Share, Switch, Tokens
from memreport.formula.recording import Figure, FigureRows, figure
from memreport.formula.words import larger, power, smaller, total, where


def _members(group: float, stride: float, accelerators: float) -> float:
    """Members of a group that share a domain of the link, where the group takes every `stride`-th GPU."""
    return larger(1, smaller(group, accelerators / stride))


def _one_edge(members: float, group: float) -> float:
    return where(members < group, 1 / members, 0)


def reductions(group: float, layers: float, tokens: float, width: float, element: float) -> float:
    """What a rank sends for the all-reduces of hidden states in one pass over its layers: two rings a layer."""
    return (1 - 1 / group) * RING_PASSES * REDUCTIONS_PER_LAYER * layers * (tokens / ONE_TOKEN) * width * element


def wire_seconds(sent: float, share: float, link: float, network: float) -> float:
    """Time of traffic of which a share takes the network, at once with the rest over the link."""
    return larger(sent * (1 - share) / link, sent * share / network)


@figure("x_ring", family=True, source="arXiv:2104.04473, section 3; NCCL rings, one for each adapter")
def ring_network_share(group: Count, stride: Count, accelerators_per_domain: Count) -> Share:
    """Share of a ring's traffic that leaves the link's domain: one edge in as many as it has rails."""
    return _one_edge(_members(group, stride, accelerators_per_domain), group)


RING_SHARES = FigureRows(
    ring_network_share.row(f"{kind}_network_share", symbol, words, {"group": group, "stride": stride})
    for kind, symbol, group, stride, words in (
        ("data_parallel", "x_dp", "state_group_size", "tensor_parallel_size", """
            Share of data-parallel traffic that leaves the link's domain: all where tensor parallelism fills it.

            Hybrid shards stay in their group.  Source: arXiv:2104.04473, section 3; NCCL rings, one an adapter."""),
        ("tensor_parallel", "x_tp", "tensor_parallel_size", 1, """
            Share of tensor-parallel traffic that leaves the link's domain: none up to its width.

            Source: arXiv:2104.04473, section 3."""),
        ("context_parallel", "x_cp", "context_parallel_size", "tensor_parallel_size", """
            Share of context-parallel traffic that leaves the link's domain.

            Source: Megatron-LM, order tp-cp-ep-dp-pp."""),
    )
)  # fmt: skip
_, tensor_parallel_network_share, _ = RING_SHARES


@figure("x_pp")
def pipeline_parallel_network_share(
    accelerators: Count, pipeline_parallel_size: Count, accelerators_per_domain: Count
) -> Share:
    """Whether neighbouring stages lie in different domains: where a stage fills one.  Source: arXiv:2104.04473, 3."""
    return (pipeline_parallel_size > 1) * where(accelerators / pipeline_parallel_size >= accelerators_per_domain, 1, 0)


@figure("x_ep", source="arXiv:2006.16668 (GShard), section 3.2; counting of pairs")
def expert_parallel_network_share(
    expert_parallel_size: Count, expert_cut_size: Count, accelerators_per_domain: Count
) -> Share:
    """Share of what is sent to other experts that goes to another domain of the link, when tokens choose evenly."""
    return (expert_parallel_size - _members(expert_parallel_size, expert_cut_size, accelerators_per_domain)) / larger(
        expert_parallel_size - 1, 1
    )


@figure("n_epd", workload="training")
def expert_parallel_domains(
    expert_parallel_size: Count, expert_cut_size: Count, accelerators_per_domain: Count
) -> Count:
    """Domains of the link over which experts are spread.  Source: Megatron-LM, order tp-cp-ep-dp-pp."""
    return expert_parallel_size / _members(expert_parallel_size, expert_cut_size, accelerators_per_domain)


@figure("x_ep1", workload="training")
def expert_parallel_least_share(
    expert_parallel_domains: Count, num_experts_per_tok: Count, expert_parallel_size: Count
) -> Share:
    """The same where a token goes once to each domain that has experts for it, and is handed on over the link there.

    Source: arXiv:2412.19437 (DeepSeek-V3), section 3.2.2; chance that a domain has none of its experts.
    """
    return (
        (expert_parallel_domains - 1) * (1 - power(1 - 1 / expert_parallel_domains, larger(num_experts_per_tok, 1)))
        / (larger(num_experts_per_tok, 1) * larger(expert_parallel_size - 1, 1) / expert_parallel_size)
    )  # fmt: skip


@figure("n_gx", source="arXiv:1910.02054, section 7; PyTorch DDP and FSDP `no_sync`")
def gradient_reductions(shards_gradients: Switch, reduces_once: Switch, gradient_accumulation_steps: Count) -> Count:
    """How often a step reduces gradients: for every micro-batch where they are cut, unless the last one alone does."""
    return where(shards_gradients * (1 - reduces_once) > 0, gradient_accumulation_steps, 1)


@figure("Q_gx", source="arXiv:1910.02054, section 7")
def gradient_exchange_bytes(whole_gradient_bytes: Bytes, shards_optimizer: Switch, gradient_reductions: Count) -> Bytes:
    """Gradients sent per step: an all-reduce, under ZeRO a reduce-scatter, as often as they are reduced."""
    return whole_gradient_bytes * (RING_PASSES - shards_optimizer) * gradient_reductions


@figure("Q_wu", source="arXiv:1910.02054, section 7.2.1; Megatron-LM `fp8_param_gather`")
def weight_update_bytes(
    shards_optimizer: Switch,
    shards_parameters: Switch,
    rank_trainable_parameters: Count,
    weight_element_bytes: Bytes,
    primary_fp8_weights: Switch,
    fp8_weight_element_bytes: Bytes,
) -> Bytes:
    """Updated weights gathered after the step under ZeRO-1 and 2, in FP8 where they are held so."""
    return (
        shards_optimizer * (1 - shards_parameters) * rank_trainable_parameters
        * where(primary_fp8_weights > 0, fp8_weight_element_bytes, weight_element_bytes)
    )  # fmt: skip


@figure("Q_wg", source="arXiv:1910.02054, section 7.2.2; PyTorch `MixedPrecisionPolicy.param_dtype`")
def weight_gather_bytes(
    shards_parameters: Switch,
    weight_gathers: Count,
    model_weight_bytes: Bytes,
    rank_share: Share,
    base_quantised: Switch,
    gathered_layer_element_bytes: Bytes,
    weight_element_bytes: Bytes,
) -> Bytes:
    """Weights gathered for the forward and again for the backward pass of each micro-batch under ZeRO-3 or FSDP."""
    # Once where they stay gathered between the two. Those that are cast before they are gathered go in the narrower
    # type.
    return (
        shards_parameters * weight_gathers * model_weight_bytes * rank_share
        * where(base_quantised > 0, 1, gathered_layer_element_bytes / weight_element_bytes)
    )  # fmt: skip


@figure("Q_dv")
def data_parallel_volume_bytes(
    gradient_exchange_bytes: Bytes, weight_update_bytes: Bytes, weight_gather_bytes: Bytes
) -> Bytes:
    """Data-parallel volume by the usual count: 2P elements, and 3P under ZeRO-3.  Source: arXiv:1910.02054, 7."""
    return gradient_exchange_bytes + weight_update_bytes + weight_gather_bytes


@figure("Q_dp", source="ring collectives; Megatron-LM `get_expert_data_parallel_group`")
def data_parallel_bytes(data_parallel_volume_bytes: Bytes, state_sharding_size: Count) -> Bytes:
    """What a ring sends per GPU and step; experts that lie elsewhere are no part of it."""
    return data_parallel_volume_bytes * (1 - 1 / state_sharding_size)


@figure("Q_tp")
def tensor_parallel_bytes(
    tensor_parallel_size: Count,
    layers_per_stage: Count,
    rank_tokens_per_step: Tokens,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    recompute_share: Share,
) -> Bytes:
    """All-reduces of hidden states: two per layer and pass.  Source: arXiv:1909.08053 (Megatron-LM), section 3.

    With sequence parallelism a reduce-scatter and a gather send the same: arXiv:2205.05198, section 4.2.2.
    """
    return reductions(
        tensor_parallel_size, layers_per_stage, rank_tokens_per_step, hidden_size, activation_element_bytes
    ) * (TWO + recompute_share)


@figure("Q_cp", source="arXiv:2310.01889 (Ring Attention), 3")
def context_parallel_bytes(
    context_parallel_size: Count,
    rank_attention_layers: Count,
    rank_tokens_per_step: Tokens,
    key_value_width: Count,
    activation_element_bytes: Bytes,
    recompute_share: Share,
) -> Bytes:
    """Keys and values passed round the ring: in the forward pass, in the backward pass, and their gradients."""
    return (
        (context_parallel_size - 1)
        * (TRAINING_PASSES + recompute_share)
        * rank_attention_layers
        * (rank_tokens_per_step / ONE_TOKEN)
        * key_value_width
        * activation_element_bytes
    )


@figure("Q_pp", source="arXiv:2104.04473, sections 2.2.2 and 4.1")
def pipeline_parallel_bytes(
    pipeline_parallel_size: Count,
    virtual_pipeline_parallel_size: Count,
    rank_tokens_per_step: Tokens,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """Hidden states sent on and gradients sent back; an end of the pipeline sends one way, tensor ranks a part each."""
    return (
        ((pipeline_parallel_size > 1) * 1 + (pipeline_parallel_size > TWO) * 1)
        * virtual_pipeline_parallel_size
        * (rank_tokens_per_step / ONE_TOKEN)
        * hidden_size
        * activation_element_bytes
        / tensor_parallel_size
    )


@figure("d_ex", source="NVIDIA Nemotron 3 Super, Advanced Deployment Guide, LatentMoE; HF `moe_latent_size`")
def exchanged_width(moe_latent_size: Count, hidden_size: Count) -> Count:
    """Width of what is sent to an expert and back: experts that work in a latent are sent that."""
    return where(moe_latent_size > 0, moe_latent_size, hidden_size)


@figure("Q_ep", source="arXiv:2006.16668 (GShard), section 3.2; Megatron-LM MoE token dispatcher")
def expert_parallel_bytes(
    expert_parallel_size: Count,
    mixture_layers: Count,
    stage_share: Share,
    rank_tokens_per_step: Tokens,
    num_experts_per_tok: Count,
    exchanged_width: Count,
    activation_element_bytes: Bytes,
    recompute_share: Share,
    tensor_parallel_size: Count,
) -> Bytes:
    """Tokens sent to their experts and back, in every pass; tensor ranks send a part of the tokens each."""
    return (
        (1 - 1 / expert_parallel_size)
        * TWO
        * (TWO + recompute_share)
        * (mixture_layers * stage_share)
        * (rank_tokens_per_step / ONE_TOKEN)
        * num_experts_per_tok
        * exchanged_width
        * activation_element_bytes
        / tensor_parallel_size
    )


@figure("t_sent", family=True)
def sent_seconds(
    sent_bytes: Bytes, network_share: Share, link_rate: BytesPerSecond, network_rate: BytesPerSecond
) -> Seconds:
    """Time of traffic, link and network at once.  Source: division."""
    return wire_seconds(sent_bytes, network_share, link_rate, network_rate)


def sent_at_stated_rates(name: str, symbol: str, words: str, sent: str, share: str) -> Figure:
    """The time of one kind of traffic by itself at the stated rates: a lower bound."""
    rates = {"link_rate": "link_bytes_per_second", "network_rate": "network_bytes_per_second"}
    words += "  Source: division, link and network at once."
    return sent_seconds.row(name, symbol, words, {"sent_bytes": sent, "network_share": share, **rates})


SECONDS = FigureRows(
    sent_at_stated_rates(
        f"{kind}_seconds", symbol, f"Time of {traffic} per step, by itself.", f"{kind}_bytes", f"{kind}_{share}"
    )
    for kind, symbol, traffic, share in (
        ("data_parallel", "t_dp", "data-parallel traffic", "network_share"),
        ("tensor_parallel", "t_tp", "tensor-parallel traffic", "network_share"),
        ("context_parallel", "t_cp", "context-parallel traffic", "network_share"),
        ("pipeline_parallel", "t_pp", "traffic between stages", "network_share"),
        ("expert_parallel", "t_ep", "expert traffic", "least_share"),
    )
)


@figure("Q_net")
def network_traffic_bytes(
    data_parallel_bytes: Bytes,
    data_parallel_network_share: Share,
    tensor_parallel_bytes: Bytes,
    tensor_parallel_network_share: Share,
    context_parallel_bytes: Bytes,
    context_parallel_network_share: Share,
    pipeline_parallel_bytes: Bytes,
    pipeline_parallel_network_share: Share,
    expert_parallel_bytes: Bytes,
    expert_parallel_least_share: Share,
) -> Bytes:
    """What a GPU sends to other nodes per step.  Source: sum."""
    return (
        data_parallel_bytes * data_parallel_network_share
        + tensor_parallel_bytes * tensor_parallel_network_share
        + context_parallel_bytes * context_parallel_network_share
        + pipeline_parallel_bytes * pipeline_parallel_network_share
        + expert_parallel_bytes * expert_parallel_least_share
    )


@figure("Q_lnk")
def link_traffic_bytes(
    data_parallel_bytes: Bytes,
    tensor_parallel_bytes: Bytes,
    context_parallel_bytes: Bytes,
    pipeline_parallel_bytes: Bytes,
    expert_parallel_bytes: Bytes,
    network_traffic_bytes: Bytes,
) -> Bytes:
    """What a GPU sends inside its node per step.  Source: all that it sends, less what leaves the node."""
    return (
        total(
            data_parallel_bytes,
            tensor_parallel_bytes,
            context_parallel_bytes,
            pipeline_parallel_bytes,
            expert_parallel_bytes,
        )
        - network_traffic_bytes
    )


@figure("t_net")
def network_traffic_seconds(network_traffic_bytes: Bytes, network_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time in which a GPU's network adapter is busy, per step.  Source: division."""
    return network_traffic_bytes / network_bytes_per_second


@figure("t_lnk")
def link_traffic_seconds(link_traffic_bytes: Bytes, link_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time in which a GPU's link to its neighbours is busy, per step.  Source: division."""
    return link_traffic_bytes / link_bytes_per_second


@figure("t_comm")
def communication_seconds(link_traffic_seconds: Seconds, network_traffic_seconds: Seconds) -> Seconds:
    """Shortest time of all traffic between GPUs per step: link and network work at once.  Source: maximum."""
    return larger(link_traffic_seconds, network_traffic_seconds)
