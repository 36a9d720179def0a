"""Rates and latencies that collectives reach in training and in serving: what was measured, by the width of a group."""

from __future__ import annotations

from memreport.figures.constants import FOUR, TWO
from memreport.figures.quantities import BytesPerSecond, Count, Seconds, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import smaller, where


def _by_width(group: float, of_two: float, of_four: float, of_more: float) -> float:
    """What was measured for groups of this width."""
    middle = (group > TWO) * (group <= FOUR)
    return (group <= TWO) * of_two + middle * of_four + (group > FOUR) * of_more


def _over_link(group: float, bridged: float, link: float, host_link: float) -> float:
    """The link's rate in a group; PCIe's where bridges join fewer GPUs."""
    return where((bridged > 0) * (group > bridged) > 0, smaller(link, host_link), link)


@figure("t_ar0", basis="measured")
def all_reduce_latency_seconds(
    tensor_parallel_size: Count,
    all_reduce_latency_seconds_2: Seconds,
    all_reduce_latency_seconds_4: Seconds,
    all_reduce_latency_seconds_8: Seconds,
) -> Seconds:
    """Time of a small all-reduce in a group of this width.  Source: hardware/efficiency.yaml."""
    return _by_width(
        tensor_parallel_size, all_reduce_latency_seconds_2, all_reduce_latency_seconds_4, all_reduce_latency_seconds_8
    )


@figure("B_ar", basis="measured")
def all_reduce_bytes_per_second(
    tensor_parallel_size: Count,
    all_reduce_link_share_2: Share,
    all_reduce_link_share_4: Share,
    all_reduce_link_share_8: Share,
    link_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    bridged_accelerators: Count,
) -> BytesPerSecond:
    """Rate of a large all-reduce, by the traffic of a ring, over the link, or PCIe where bridges join fewer GPUs.

    Source: hardware/efficiency.yaml.
    """
    return _over_link(
        tensor_parallel_size, bridged_accelerators, link_bytes_per_second, host_link_bytes_per_second
    ) * _by_width(tensor_parallel_size, all_reduce_link_share_2, all_reduce_link_share_4, all_reduce_link_share_8)


@figure("B_jl")
def joining_bytes_per_second(
    link_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    bridged_accelerators: Count,
    accelerators_per_node: Count,
) -> BytesPerSecond:
    """Rate between all GPUs of the job on a node: the link's, or PCIe's where bridges join fewer of them.

    Source: data sheets of boards with an NVLink bridge, which has two ends.
    """
    return _over_link(accelerators_per_node, bridged_accelerators, link_bytes_per_second, host_link_bytes_per_second)


@figure("B_a2a", basis="measured")
def exchange_bytes_per_second(
    joining_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    accelerators_per_node: Count,
    all_to_all_link_share: Share,
    all_reduce_link_share_2: Share,
    all_reduce_link_share_4: Share,
    all_reduce_link_share_8: Share,
) -> BytesPerSecond:
    """Rate of an exchange among all over the link; over PCIe no more of it than a ring of so many GPUs reaches.

    Source: hardware/efficiency.yaml; the slots of a node share its processors' lanes whatever is sent.
    """
    return joining_bytes_per_second * where(
        (joining_bytes_per_second < host_link_bytes_per_second)
        + (joining_bytes_per_second > host_link_bytes_per_second)
        > 0,
        all_to_all_link_share,
        smaller(
            all_to_all_link_share,
            _by_width(accelerators_per_node, all_reduce_link_share_2, all_reduce_link_share_4, all_reduce_link_share_8),
        ),
    )


@figure("B_net", basis="measured")
def collective_network_bytes_per_second(
    network_bytes_per_second: BytesPerSecond, network_bandwidth_share: Share
) -> BytesPerSecond:
    """Rate of large collectives over the network.  Source: hardware/efficiency.yaml."""
    return network_bytes_per_second * network_bandwidth_share


@figure("B_nd", basis="measured", workload="training")
def shard_network_bytes_per_second(
    network_bytes_per_second: BytesPerSecond,
    network_bandwidth_share: Share,
    sharded_network_share: Share,
    shards_parameters: Switch,
) -> BytesPerSecond:
    """Rate of the data-parallel group over the network; gathers and reductions of single layers reach less.

    Source: hardware/efficiency.yaml.
    """
    return network_bytes_per_second * where(
        shards_parameters > 0, smaller(network_bandwidth_share, sharded_network_share), network_bandwidth_share
    )


@figure("B_cl", basis="measured", workload="training")
def collective_link_bytes_per_second(
    joining_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    accelerators_per_node: Count,
    collective_link_share: Share,
    all_reduce_link_share_2: Share,
    all_reduce_link_share_4: Share,
    all_reduce_link_share_8: Share,
) -> BytesPerSecond:
    """Rate of large collectives over the link; over PCIe that of a ring of so many GPUs.

    Source: hardware/efficiency.yaml.
    """
    return joining_bytes_per_second * where(
        (joining_bytes_per_second < host_link_bytes_per_second)
        + (joining_bytes_per_second > host_link_bytes_per_second)
        > 0,
        collective_link_share,
        _by_width(accelerators_per_node, all_reduce_link_share_2, all_reduce_link_share_4, all_reduce_link_share_8),
    )
