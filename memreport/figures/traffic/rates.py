"""Rates and latencies that collectives reach in training and in serving: what was measured, by the width of a group."""

from memreport.figures.constants import FOUR, TWO
from memreport.figures.quantities import BytesPerSecond, Count, Seconds, Share, Switch
from memreport.formula.recording import FigureRows, figure
from memreport.formula.words import larger, smaller, where


def _by_width(group: float, of_two: float, of_four: float, of_more: float) -> float:
    """What was measured for groups of this width."""
    middle = (group > TWO) * (group <= FOUR)
    return (group <= TWO) * of_two + middle * of_four + (group > FOUR) * of_more


def _over_link(group: float, bridged: float, link: float, host_link: float) -> float:
    """The link's rate in a group; PCIe's where bridges join fewer GPUs."""
    return where((bridged > 0) * (group > bridged) > 0, smaller(link, host_link), link)


@figure("x_th", family=True)
def through_host(
    peer_access: Switch,
    group: Count,
    link_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    bridged_accelerators: Count,
) -> Switch:
    """1 where a group over PCIe sends through the host's memory, as its GPUs may not read each other's.

    Source: NCCL `NCCL_P2P_DISABLE`; NVIDIA's driver, which allows GeForce no direct access over PCIe.
    """
    return (1 - peer_access) * larger(
        link_bytes_per_second <= host_link_bytes_per_second, (bridged_accelerators > 0) * (group > bridged_accelerators)
    )


THROUGH_HOST = FigureRows(
    through_host.row(
        name,
        symbol,
        f"1 where {words} send through the host's memory.  Source: NCCL `NCCL_P2P_DISABLE`.",
        {"group": group},
    )
    for name, symbol, words, group in (
        ("tensor_through_host", "x_tht", "GPUs that share layers", "tensor_parallel_size"),
        ("node_through_host", "x_thn", "all GPUs of the job on a node", "accelerators_per_node"),
    )
)


@figure("t_ar0", basis="measured")
def all_reduce_latency_seconds(
    tensor_parallel_size: Count,
    tensor_through_host: Switch,
    all_reduce_latency_seconds_2: Seconds,
    all_reduce_latency_seconds_4: Seconds,
    all_reduce_latency_seconds_8: Seconds,
    host_reduce_latency_seconds_2: Seconds,
    host_reduce_latency_seconds_4: Seconds,
    host_reduce_latency_seconds_8: Seconds,
) -> Seconds:
    """Time of a small all-reduce in a group of this width.  Source: hardware/efficiency.yaml."""
    return _by_width(
        tensor_parallel_size,
        where(tensor_through_host > 0, host_reduce_latency_seconds_2, all_reduce_latency_seconds_2),
        where(tensor_through_host > 0, host_reduce_latency_seconds_4, all_reduce_latency_seconds_4),
        where(tensor_through_host > 0, host_reduce_latency_seconds_8, all_reduce_latency_seconds_8),
    )


@figure("t_c0", basis="measured")
def collective_latency_seconds(
    node_through_host: Switch, all_reduce_latency_seconds_8: Seconds, host_reduce_latency_seconds_8: Seconds
) -> Seconds:
    """Time of a small collective of all GPUs of a node.  Source: hardware/efficiency.yaml."""
    return where(node_through_host > 0, host_reduce_latency_seconds_8, all_reduce_latency_seconds_8)


@figure("f_w", basis="measured", family=True)
def share_of_width(group: Count, share_of_two: Share, share_of_four: Share, share_of_more: Share) -> Share:
    """Share of a link that a large all-reduce in a group of this width takes.  Source: hardware/efficiency.yaml."""
    return _by_width(group, share_of_two, share_of_four, share_of_more)


@figure("f_ring", basis="measured", family=True)
def ring_share(goes_through_host: Switch, host_share: Share, direct_share: Share) -> Share:
    """Share of its link that a large all-reduce takes, by the way it goes.  Source: hardware/efficiency.yaml."""
    return where(goes_through_host > 0, host_share, direct_share)


_GROUPS = (
    ("tensor", "t", "GPUs that share layers", "tensor_parallel_size"),
    ("node", "n", "all GPUs of the job on a node", "accelerators_per_node"),
)
_WAYS = (("direct", "d", "all", "GPU to GPU"), ("host", "h", "host", "through the host's memory"))
SHARES_OF_WIDTH = FigureRows(
    share_of_width.row(
        f"{kind}_{way}_share",
        f"f_{letter}{sign}",
        f"Share of its link that a large all-reduce of {words} takes {how}.  Source: hardware/efficiency.yaml.",
        {
            "group": group,
            **{
                f"share_of_{count}": f"{column}_reduce_link_share_{width}"
                for count, width in (("two", 2), ("four", 4), ("more", 8))
            },
        },
        basis="measured",
    )
    for kind, letter, words, group in _GROUPS
    for way, sign, column, how in _WAYS
)
RING_SHARES = FigureRows(
    ring_share.row(
        f"{kind}_ring_share",
        f"f_r{letter}",
        f"Share of its link that a large all-reduce of {words} takes.  Source: hardware/efficiency.yaml.",
        {
            "goes_through_host": f"{kind}_through_host",
            "host_share": f"{kind}_host_share",
            "direct_share": f"{kind}_direct_share",
        },
        basis="measured",
    )
    for kind, letter, words, _ in _GROUPS
)


@figure("B_ar", basis="measured", source="hardware/efficiency.yaml")
def all_reduce_bytes_per_second(
    tensor_parallel_size: Count,
    tensor_ring_share: Share,
    link_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    bridged_accelerators: Count,
) -> BytesPerSecond:
    """Rate of a large all-reduce, by the traffic of a ring, over the link, or PCIe where bridges join fewer GPUs."""
    return tensor_ring_share * _over_link(
        tensor_parallel_size, bridged_accelerators, link_bytes_per_second, host_link_bytes_per_second
    )


@figure(
    "B_tp", basis="measured", workload="training", source="hardware/efficiency.yaml; PyTorch `reduce_scatter_tensor`"
)
def tensor_bytes_per_second(
    all_reduce_bytes_per_second: BytesPerSecond,
    link_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    collective_link_share: Share,
) -> BytesPerSecond:
    """Rate of tensor-parallel traffic in training, which NCCL sends; engines that serve have faster kernels."""
    return smaller(
        all_reduce_bytes_per_second, larger(link_bytes_per_second * collective_link_share, host_link_bytes_per_second)
    )


@figure("B_jl", source="data sheets of boards with an NVLink bridge, which has two ends")
def joining_bytes_per_second(
    link_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    bridged_accelerators: Count,
    accelerators_per_node: Count,
) -> BytesPerSecond:
    """Rate between all GPUs of the job on a node: the link's, or PCIe's where bridges join fewer of them."""
    return _over_link(accelerators_per_node, bridged_accelerators, link_bytes_per_second, host_link_bytes_per_second)


@figure("B_a2a", basis="measured")
def exchange_bytes_per_second(
    joining_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    all_to_all_link_share: Share,
    node_ring_share: Share,
) -> BytesPerSecond:
    """Rate of an exchange among all over the link; over PCIe no more of it than a ring of so many GPUs reaches.

    Source: hardware/efficiency.yaml; the slots of a node share its processors' lanes whatever is sent.
    """
    return joining_bytes_per_second * where(
        (joining_bytes_per_second < host_link_bytes_per_second)
        + (joining_bytes_per_second > host_link_bytes_per_second)
        > 0,
        all_to_all_link_share,
        smaller(all_to_all_link_share, node_ring_share),
    )


@figure("B_net", basis="measured")
def collective_network_bytes_per_second(
    network_bytes_per_second: BytesPerSecond, network_bandwidth_share: Share
) -> BytesPerSecond:
    """Rate of large collectives over the network.  Source: hardware/efficiency.yaml."""
    return network_bytes_per_second * network_bandwidth_share


@figure("B_nd", basis="measured", workload="training", source="hardware/efficiency.yaml")
def shard_network_bytes_per_second(
    network_bytes_per_second: BytesPerSecond,
    network_bandwidth_share: Share,
    sharded_network_share: Share,
    shards_parameters: Switch,
) -> BytesPerSecond:
    """Rate of the data-parallel group over the network; gathers and reductions of single layers reach less."""
    return network_bytes_per_second * where(
        shards_parameters > 0, smaller(network_bandwidth_share, sharded_network_share), network_bandwidth_share
    )


@figure("B_cl", basis="measured", workload="training", source="hardware/efficiency.yaml")
def collective_link_bytes_per_second(
    joining_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    collective_link_share: Share,
    node_ring_share: Share,
) -> BytesPerSecond:
    """Rate of large collectives over the link; over PCIe that of a ring of so many GPUs."""
    return joining_bytes_per_second * where(
        (joining_bytes_per_second < host_link_bytes_per_second)
        + (joining_bytes_per_second > host_link_bytes_per_second)
        > 0,
        collective_link_share,
        node_ring_share,
    )
