"""Decoders that differ from Llama in a norm, a bias, a window or their experts."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.huggingface.family import (
    BOTH,
    FOURFOLD,
    HEAD_MAJOR,
    IMAGE_ROWS,
    IMAGE_TOKENS,
    LAYER_NORM,
    NARROW_BYTES,
    PLAIN,
    WIDE_NORM,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.reader import Reader
from memreport.catalogue.huggingface.shared_rules import (
    BIASES,
    EXPERTS,
    QUERY_OUTPUT,
    every_windowed_but,
    query_biases,
    query_output_biases,
    windowed,
)
from memreport.formula.words import floor, larger, smaller, where


def _cohere(read: Reader) -> Fields:
    norms = where(read.flag("use_qk_norm", False), (read.heads + read.key_value_heads) * read.head_dim, 0)
    return {"qk_norm_size": norms}


def _head_norms(read: Reader) -> Fields:
    """Norms of queries and keys that all heads share."""
    return {"qk_norm_size": BOTH * read.head_dim}


def _exaone4(read: Reader) -> Fields:
    return _head_norms(read) | every_windowed_but(read, FOURFOLD)


def _olmo3(read: Reader) -> Fields:
    return _whole_norms(read) | query_output_biases(read) | every_windowed_but(read, FOURFOLD)


def _whole_norms(read: Reader) -> Fields:
    """Norms over all queries, and over all keys."""
    return {"qk_norm_size": (read.heads + read.key_value_heads) * read.head_dim}


def _olmoe(read: Reader) -> Fields:
    return _whole_norms(read) | {
        "num_local_experts": read.whole("num_experts|num_local_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": read.whole("intermediate_size"),
    }


def _granite_shared(read: Reader) -> Fields:
    return {"shared_expert_intermediate_size": read.whole("shared_intermediate_size", 0)}


def _ernie_mixture(read: Reader) -> Fields:
    """Mixtures from one layer to another at an interval, with a bias for each expert in the router."""
    read.must("use_bias", False, "ERNIE 4.5 with biases is not known")
    width, every = read.whole("moe_intermediate_size"), read.whole("moe_layer_interval", 1, 1)
    first, last = read.whole("moe_layer_start_index", 1), read.whole("moe_layer_end_index", read.layers - 1)
    mixtures = floor(smaller(last + 1, read.layers) / every) - floor(first / every)
    return {
        "num_local_experts": read.whole("moe_num_experts"),
        "num_experts_per_tok": read.whole("moe_k"),
        "moe_intermediate_size": width,
        "shared_expert_intermediate_size": read.whole("moe_num_shared_experts", 0) * width,
        "num_dense_layers": read.layers - larger(mixtures, 0),
        "router_bias": True,
    }


def _hunyuan(read: Reader) -> Fields:
    read.must("use_qk_norm", True, "Hunyuan without norms of queries and keys is not known")
    return _head_norms(read)


def _minimax_m2(read: Reader) -> Fields:
    read.must("use_qk_norm", True, "MiniMax-M2 without norms of queries and keys is not known")
    return _whole_norms(read) | {"router_bias": read.flag("use_routing_bias", True)}


def _stablelm(read: Reader) -> Fields:
    read.must("qk_layernorm", False, "StableLM with norms of each head is not known")
    parallel = read.flag("use_parallel_residual", False)
    return {"parallel_residual": parallel, "norms_per_layer": where(parallel, 1, BOTH)}


def _apertus(read: Reader) -> Fields:
    """Each layer's activation has two numbers that are trained, and two that are not."""
    read.must("hidden_act", "xielu", "Apertus with another activation is not known")
    return _head_norms(read) | {"extra_parameters": BOTH * read.layers}


def _llama4(read: Reader) -> Fields:
    """Mixtures at a step, each with a shared expert as wide as a routed one; chunks of attention as windows."""
    step, width = read.whole("interleave_moe_layer_step", 1, 1), read.whole("intermediate_size")
    whole, chunk = (
        floor(read.layers / read.whole("no_rope_layer_interval", 4, 1)),
        read.whole("attention_chunk_size", 0),
    )
    chunked = where(chunk > 0, read.counted("layer_types", "chunked_attention", read.layers - whole), 0)
    return {
        "num_local_experts": read.whole("num_local_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": width,
        "shared_expert_intermediate_size": width,
        "num_dense_layers": read.layers - floor(read.layers / step),
        "sliding_window": where(chunked > 0, chunk, 0),
        "num_sliding_window_layers": chunked,
    } | query_output_biases(read)


def _mllama(read: Reader) -> Fields:
    """Layers that attend to an image's tiles alone: two gates, norms of heads, and a cache of one length."""
    crossed, one = read.at_step("cross_attention_layers", 1, read.layers), read.heads * read.head_dim * read.width
    each = read.key_value_heads * read.head_dim
    return {
        "num_linear_attention_layers": crossed,
        "linear_attention_parameters": BOTH * (one + each * read.width) + BOTH * read.head_dim + BOTH,
        "linear_attention_state_bytes": BOTH * each * NARROW_BYTES * IMAGE_TOKENS,
        "extra_parameters": IMAGE_ROWS * read.width,
    }


SCALED = "attention_multiplier embedding_multiplier residual_multiplier"
DECODERS: Mapping[str, Family] = {
    "granite": Family(flags=BIASES, passed=SCALED),
    "granitemoe": Family(passed=SCALED, copied=EXPERTS, flags=QUERY_OUTPUT),
    "granitemoeshared": Family(passed=SCALED, copied=EXPERTS, flags=QUERY_OUTPUT, derived=_granite_shared),
    "cohere": Family(
        constants={"norms_per_layer": 1, "parallel_residual": True, "norm": "layernorm"},
        flags=QUERY_OUTPUT,
        passed="logit_scale",
        derived=_cohere,
        tied=True,
    ),
    "cohere2": Family(
        constants={"norms_per_layer": 1, "parallel_residual": True, "norm": "layernorm"},
        flags=QUERY_OUTPUT,
        passed="logit_scale",
        derived=lambda read: every_windowed_but(read, read.whole("sliding_window_pattern", 4, 1)),
        tied=True,
    ),
    "exaone4": Family(passed="sliding_window_pattern", derived=_exaone4),
    "hunyuan_v1_dense": Family(flags=QUERY_OUTPUT, derived=_hunyuan),
    "olmo3": Family(constants=WIDE_NORM, derived=_olmo3),
    "olmoe": Family(flags=QUERY_OUTPUT, derived=_olmoe),
    "seed_oss": Family(
        flags={
            "attention_bias": ("attention_bias", True),
            "attention_output_bias": ("attention_out_bias", False),
            "mlp_bias": ("mlp_bias", False),
        }
    ),
    "glm": Family(constants={"fused_gate_up": True} | HEAD_MAJOR, derived=query_biases),
    "glm4": Family(constants={"fused_gate_up": True, "norms_per_layer": 4} | HEAD_MAJOR, derived=query_biases),
    "ernie4_5": Family(flags=dict.fromkeys(BIASES, ("use_bias", False)), tied=True),
    "ernie4_5_moe": Family(passed="moe_norm_min", derived=_ernie_mixture, tied=True),
    "minimax_m2": Family(passed="qk_norm_type", copied=EXPERTS, derived=_minimax_m2),
    "phimoe": Family(
        constants=LAYER_NORM,
        passed="input_jitter_noise",
        copied=EXPERTS,
        flags=QUERY_OUTPUT | {"lm_head_bias": ("lm_head_bias", False)},
        derived=windowed,
    ),
    "arcee": Family(constants=PLAIN, flags=BIASES, activation="relu2"),
    "nemotron": Family(constants=PLAIN | LAYER_NORM, flags=BIASES, activation="relu2"),
    "apertus": Family(constants=PLAIN, flags=QUERY_OUTPUT, derived=_apertus),
    "stablelm": Family(constants=LAYER_NORM, flags={"attention_bias": ("use_qkv_bias", False)}, derived=_stablelm),
    "mllama_text_model": Family(derived=_mllama),
    "llama4_text": Family(
        names={"intermediate_size": "intermediate_size_mlp"},
        passed="attn_scale attn_temperature_tuning floor_scale moe_layers use_qk_norm",
        derived=_llama4,
    ),
}
