"""What is known of a GPU beyond its peaks: the share of them that it reaches, and what a launch takes."""

from __future__ import annotations

from collections.abc import Mapping

SECONDS, SHARE = "s", ""
EFFICIENCY: Mapping[str, tuple[str, str]] = {
    "compute_units": ("", "streaming multiprocessors or compute units, over which tiles of a product are spread"),
    "product_share_16bit": (SHARE, "share of the 16-bit peak that a large matrix product reaches"),
    "product_share_8bit": (SHARE, "the same of the 8-bit peak"),
    "product_share_4bit": (SHARE, "the same of the 4-bit peak"),
    "product_bandwidth_share": (SHARE, "share of the memory's bandwidth that a thin matrix product reaches"),
    "product_launch_seconds": (SECONDS, "time of a matrix product before it works"),
    "wave_weight": (SHARE, "how much of an incomplete last wave of tiles is lost: 0 none, 1 all"),
    "sustained_share_16bit": (SHARE, "share of the 16-bit peak that large products reach over hours, at full power"),
    "sustained_share_8bit": (SHARE, "the same of the 8-bit peak, scaling and casts included"),
    "sustained_share_4bit": (SHARE, "the same of the 4-bit peak"),
    "product_depth": ("", "inner length of a product that takes as long again as a tile's beginning and end"),
    "stream_bandwidth_share": (SHARE, "share of the memory's bandwidth that element-wise kernels reach"),
    "attention_forward_share": (SHARE, "share of the 16-bit peak that fused attention of training reaches forward"),
    "attention_backward_share": (SHARE, "the same backward"),
    "tuned_attention_factor": ("", "how much faster the vendor's own attention is than FlashAttention 2"),
    "prefill_attention_share": (SHARE, "share of the 16-bit peak that attention of a prefill reaches"),
    "decode_attention_bandwidth_share": (SHARE, "share of the bandwidth at which decode attention reads the cache"),
    "decode_attention_seconds": (SECONDS, "time of a decode attention before it reads"),
    "expert_share_16bit": (SHARE, "share of the 16-bit peak that grouped products of served experts reach"),
    "expert_share_8bit": (SHARE, "the same of the 8-bit peak"),
    "expert_share_4bit": (SHARE, "the same of the 4-bit peak"),
    "expert_bandwidth_share": (SHARE, "share of the bandwidth at which grouped products read their experts"),
    "expert_launch_seconds": (SECONDS, "time of a mixture layer's grouped products before they work"),
    "grouped_share": (SHARE, "share of an ordinary product's rate that grouped products of training reach"),
    "expert_load_ratio": ("", "tokens of the fullest GPU of a group of experts over the mean, in training"),
    "all_reduce_latency_seconds_2": (SECONDS, "time of a small all-reduce of 2 GPUs"),
    "all_reduce_latency_seconds_4": (SECONDS, "the same of 4"),
    "all_reduce_latency_seconds_8": (SECONDS, "the same of 8 and more"),
    "all_reduce_link_share_2": (SHARE, "share of the link that a large all-reduce of 2 reaches, by ring traffic"),
    "all_reduce_link_share_4": (SHARE, "the same of 4"),
    "all_reduce_link_share_8": (SHARE, "the same of 8; above 1 where the switch adds up"),
    "collective_link_share": (SHARE, "share of the link that large gathers and reductions of many GPUs reach"),
    "all_to_all_link_share": (SHARE, "share of the link that an exchange among all reaches"),
    "network_bandwidth_share": (SHARE, "share of the network's rate that large collectives reach"),
    "network_latency_seconds": (SECONDS, "time of a message to another node"),
    "served_dense_error": (
        SHARE,
        "error of computed serving times that nine of ten points of dense models stay within",
    ),
    "served_mixture_error": (SHARE, "the same of mixtures of experts"),
    "served_batch_error": (SHARE, "the same of whole answers of a fixed batch"),
    "first_token_dense_error": (SHARE, "the same of times to the first token, of dense models"),
    "first_token_mixture_error": (SHARE, "the same of mixtures of experts"),
    "network_hop_seconds": (SECONDS, "time that one more node adds to a ring"),
    "host_link_share": (SHARE, "share of the host link that large copies reach"),
    "host_memory_share": (SHARE, "share of the host's memory bandwidth that its optimizer reaches"),
    "dense_time_error": (SHARE, "error of computed times that nine of ten dense jobs stay within"),
    "mixture_time_error": (SHARE, "the same of mixtures of experts"),
    "adapter_time_error": (SHARE, "the same of adapters on a frozen base"),
}
"""Columns by name, with unit and meaning."""
