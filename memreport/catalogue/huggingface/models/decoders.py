"""Decoders that differ from Llama in a norm, a bias, a window or their experts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memreport.catalogue.huggingface.family import (
    AFTER_SUBLAYERS,
    ALL_BIASES,
    BOTH,
    FOURFOLD,
    FUSED,
    HEAD_MAJOR,
    LAYER_NORM,
    NAMED_W,
    NARROW_SOFTMAX,
    OPT_OFFSET,
    PLAIN,
    THREE,
    UNFUSED,
    UNNAMED_EXPERTS,
    WIDE_NORM,
    WIDE_WEIGHTS,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.models.shared_rules import (
    BIASES,
    EXPERTS,
    QUERY_OUTPUT,
    adapted_embeddings,
    every_windowed_but,
    gemma3n_adapters,
    gemma4_adapters,
    head_norms,
    hunyuan_norms,
    layers_with_window,
    query_biases,
    query_output_biases,
    qwen_experts,
    router_adapters,
    whole_norms,
    windowed,
)
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import ceil, floor, larger, smaller, where


def _cohere(read: Reader) -> Fields:
    norms = where(read.flag("use_qk_norm", False), (read.heads + read.key_value_heads) * read.head_dim, 0)
    return {"qk_norm_size": norms}


def _olmoe(read: Reader) -> Fields:
    return whole_norms(read) | {
        "num_local_experts": read.whole("num_experts|num_local_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": read.whole("intermediate_size"),
    }


def _ernie_mixture(read: Reader) -> Fields:
    """Mixtures from one layer to another at an interval, with a bias for each expert in the router."""
    read.must("use_bias", False, "ERNIE 4.5 with biases is not known")
    width, every = read.whole("moe_intermediate_size"), read.whole("moe_layer_interval", 1, 1)
    first, last = read.whole("moe_layer_start_index", 1), read.whole("moe_layer_end_index", read.layers - 1)
    mixtures = larger(floor(smaller(last + 1, read.layers) / every) - floor(first / every), 0)
    before = ceil((first + 1) / every) * every - 1
    return {
        "num_local_experts": read.whole("moe_num_experts"),
        "num_experts_per_tok": read.whole("moe_k"),
        "moe_intermediate_size": width,
        "shared_expert_intermediate_size": read.whole("moe_num_shared_experts", 0) * width,
        "num_dense_layers": read.layers - mixtures,
        "num_interleaved_dense_layers": where(mixtures > 0, read.layers - mixtures - before, 0),
        "router_bias": True,
        "router_in_fp32": True,
        "shared_expert_first": True,
    }


def _minimax_m2(read: Reader) -> Fields:
    read.must("use_qk_norm", True, "MiniMax-M2 without norms of queries and keys is not known")
    return whole_norms(read) | {"router_bias": read.flag("use_routing_bias", True)}


def _stablelm(read: Reader) -> Fields:
    read.must("qk_layernorm", False, "StableLM with norms of each head is not known")
    parallel = read.flag("use_parallel_residual", False)
    return {"parallel_residual": parallel, "norms_per_layer": where(parallel, 1, BOTH)}


def _apertus(read: Reader) -> Fields:
    """Each layer's activation has two numbers that are trained, and two that are not."""
    read.must("hidden_act", "xielu", "Apertus with another activation is not known")
    return head_norms(read) | {"extra_parameters": BOTH * read.layers}


def _llama4(read: Reader) -> Fields:
    """Mixtures at a step, each with a shared expert as wide as a routed one; chunks of attention as windows."""
    step, width = read.whole("interleave_moe_layer_step", 1, 1), read.whole("intermediate_size")
    experts = read.whole("num_local_experts")
    whole = floor(read.layers / read.whole("no_rope_layer_interval", 4, 1))
    chunk = read.whole("attention_chunk_size", 0)
    chunked = where(chunk > 0, read.counted("layer_types", "chunked_attention", read.layers - whole), 0)
    return {
        "num_local_experts": experts,
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": width,
        "shared_expert_intermediate_size": width,
        "num_dense_layers": read.layers - floor(read.layers / step),
        "num_interleaved_dense_layers": where(
            read.layers < step, 0, read.layers - floor(read.layers / step) - step + 1
        ),
        "sliding_window": where(chunked > 0, chunk, 0),
        "num_sliding_window_layers": chunked,
        "routes_densely": True,
        "num_unweighted_qk_norm_layers": read.flag("use_qk_norm", True) * (read.layers - whole),
        **router_adapters(read, floor(read.layers / step), experts),
    } | query_output_biases(read)


def _gpt_neo(read: Reader) -> Fields:
    """Every other layer has a window; the width is fourfold where the file does not say."""
    given, windowed = read.whole("intermediate_size", 0), read.counted("attention_layers", "local", 0)
    return {
        "position_embedding_rows": read.whole("max_position_embeddings"),
        "intermediate_size": where(given > 0, given, FOURFOLD * read.width),
        "sliding_window": where(windowed > 0, read.whole("window_size", 256), 0),
        "num_sliding_window_layers": windowed,
    }


def _granite_windows(read: Reader) -> Fields:
    """The first of four layers sees everything."""
    return layers_with_window(read, read.layers - ceil(read.layers / FOURFOLD))


def _gemma3n(read: Reader) -> Fields:
    """Four streams of which one is computed, a low-rank branch, an embedding a layer, layers without own keys."""
    width, layers, shared = read.width, read.layers, read.whole("num_kv_shared_layers", 15)
    inner, rank = read.whole("hidden_size_per_layer_input", 256), read.whole("laurel_rank", 64)
    streams, rows = read.whole("altup_num_inputs", 4), read.whole("vocab_size_per_layer_input")
    caching, square = layers - shared, streams * streams
    each = width * (BOTH * rank + BOTH * inner + streams + FOURFOLD) + square + square * streams
    queries = BOTH * width * read.heads * read.head_dim + read.head_dim
    whole = layers * inner * (rows + width) + inner + BOTH * (streams - 1) * width * width
    return (
        head_norms(read)
        | {
            "num_attention_layers": caching,
            "sliding_window": read.whole("sliding_window", 512),
            "num_sliding_window_layers": caching - floor(caching / read.whole("sliding_window_pattern", 5, 1)),
            "extra_parameters": layers * each + shared * queries + whole,
        }
        | gemma3n_adapters(read, shared, adapted_embeddings(read, 256), rank, streams)
    )


def _gemma4(read: Reader, unstated: int) -> Fields:
    """Wider heads in layers without a window, whose keys may be values; late layers may reuse keys and values."""
    width, layers, narrow, wide = read.width, read.layers, read.head_dim, read.whole("global_head_dim", 512)
    full = read.counted("layer_types", "full_attention", floor(layers / read.whole("sliding_window_pattern", 6, 1)))
    shared, same = read.whole("num_kv_shared_layers", 0), read.flag("attention_k_eq_v", False)
    caching = layers - shared
    cached = floor(caching * full / layers)
    keys = where(same, read.whole("num_global_key_value_heads", read.key_value_heads), read.key_value_heads)
    queries = BOTH * width * read.heads + 1
    reusing = (shared - full + cached) * queries * narrow + (full - cached) * queries * wide
    return {
        "num_attention_layers": caching,
        "sliding_window": read.whole("sliding_window", 512),
        "num_sliding_window_layers": caching - cached,
        "global_head_dim": wide,
        "num_global_key_value_heads": keys,
        "attention_k_eq_v": same,
        "extra_parameters": reusing + cached * BOTH * (wide - narrow) + _gemma4_beside(read, shared, unstated),
        **gemma4_adapters(read, shared, full - cached, wide, adapted_embeddings(read, unstated)),
    } | _gemma4_experts(read, unstated)


def _gemma4_beside(read: Reader, shared: float, unstated: int) -> float:
    """An embedding and two projections of each layer, MLPs of twice the width, the router's scales."""
    width, layers, inner = read.width, read.layers, read.whole("hidden_size_per_layer_input", unstated)
    embedded = layers * inner * (read.whole("vocab_size_per_layer_input", 262_144) + THREE * width) + inner
    doubled = read.flag("use_double_wide_mlp", False) * shared * THREE * width * read.whole("intermediate_size")
    return where(inner > 0, embedded, 0) + doubled + read.flag("enable_moe_block", False) * layers * width


def _gemma4_experts(read: Reader, unstated: int) -> Fields:
    """Routed experts beside the dense MLP of each layer, each of both between norms of its own."""
    mixed, inner = read.flag("enable_moe_block", False), read.whole("hidden_size_per_layer_input", unstated)
    experts, chosen = read.whole("num_experts", 0), read.whole("top_k_experts", 0)
    return {
        "norms_per_layer": FOURFOLD + THREE * mixed + (inner > 0),
        "num_local_experts": mixed * experts,
        "num_experts_per_tok": mixed * chosen,
        "moe_intermediate_size": mixed * read.whole("moe_intermediate_size", 0),
        "shared_expert_intermediate_size": mixed * read.whole("intermediate_size"),
        "router_bias": mixed,
        "experts_unnamed": mixed,
        "routing_weights_in_fp32": mixed,
    } | query_output_biases(read)


def _voxtral_realtime(read: Reader) -> Fields:
    """A window in every layer, and two narrow matrices that scale each by the delay."""
    return windowed(read) | {"extra_parameters": BOTH * read.layers * read.width * read.whole("ada_rank", 32)}


def _persimmon(read: Reader) -> Fields:
    """Norms of queries and keys with biases."""
    return {"qk_norm_size": where(read.flag("qk_layernorm", True), FOURFOLD * read.head_dim, 0)}


SCALED = "attention_multiplier embedding_multiplier residual_multiplier"
SUMMED_SINKS: Fields = {"attention_sinks": True, "attention_softcap": True}
SINKS = f"{SCALED} layer_rope_theta"
COHERE = Family(
    constants={"norms_per_layer": 1, "parallel_residual": True, "norm": "layernorm-cohere"},
    flags=QUERY_OUTPUT,
    passed="logit_scale",
    derived=_cohere,
    tied=True,
)
GLM = Family(constants={"fused_gate_up": True} | HEAD_MAJOR, derived=query_biases)
GEMMA4 = Family(
    constants={"logit_softcap": True, "value_norm": True} | WIDE_NORM,
    passed="layer_types rope_parameters per_layer_config use_bidirectional_attention",
    derived=lambda read: head_norms(read) | _gemma4(read, 256),
    tied=True,
    activation="gelu_pytorch_tanh",
)
BIASED: Fields = PLAIN | ALL_BIASES | LAYER_NORM
DECODERS: Mapping[str, Family] = {
    "granite": Family(flags=BIASES, passed=SCALED),
    "granitemoe": Family(constants=UNNAMED_EXPERTS, passed=SCALED, copied=EXPERTS, flags=QUERY_OUTPUT),
    "granitemoeshared": Family(
        constants=UNNAMED_EXPERTS | {"fused_gate_up": True},
        passed=SCALED,
        copied=EXPERTS,
        flags=QUERY_OUTPUT,
        derived=lambda read: {"shared_expert_intermediate_size": read.whole("shared_intermediate_size", 0)},
    ),
    "cohere": COHERE,
    "cohere2": replace(
        COHERE, derived=lambda read: every_windowed_but(read, read.whole("sliding_window_pattern", 4, 1))
    ),
    "exaone4": Family(
        constants=AFTER_SUBLAYERS,
        passed="sliding_window_pattern",
        derived=lambda read: head_norms(read) | every_windowed_but(read, FOURFOLD),
    ),
    "hunyuan_v1_dense": Family(flags=QUERY_OUTPUT, derived=hunyuan_norms),
    "olmo3": Family(
        constants=WIDE_NORM | AFTER_SUBLAYERS,
        derived=lambda read: whole_norms(read) | query_output_biases(read) | every_windowed_but(read, FOURFOLD),
    ),
    "olmoe": Family(flags=QUERY_OUTPUT, derived=_olmoe),
    "seed_oss": Family(
        flags={
            "attention_bias": ("attention_bias", True),
            "attention_output_bias": ("attention_out_bias", False),
            "mlp_bias": ("mlp_bias", False),
        }
    ),
    "glm": GLM,
    "glm4": replace(GLM, constants={"norms_per_layer": 4} | GLM.constants),
    "glm4v_text": Family(constants={"norms_per_layer": 4, "attention_bias": True} | GLM.constants),
    "ernie4_5": Family(flags=dict.fromkeys(BIASES, ("use_bias", False)), tied=True),
    "ernie4_5_moe": Family(passed="moe_norm_min", derived=_ernie_mixture, tied=True),
    "minimax_m2": Family(
        constants=NAMED_W | HEAD_MAJOR | WIDE_WEIGHTS, passed="qk_norm_type", copied=EXPERTS, derived=_minimax_m2
    ),
    "phimoe": Family(
        constants=UNNAMED_EXPERTS | LAYER_NORM,
        passed="input_jitter_noise",
        copied=EXPERTS,
        flags=QUERY_OUTPUT | {"lm_head_bias": ("lm_head_bias", False)},
        derived=lambda read: windowed(read) | router_adapters(read, read.layers, read.whole("num_local_experts")),
    ),
    "arcee": Family(constants=PLAIN, flags=BIASES, activation="relu2"),
    "nemotron": Family(constants=PLAIN | LAYER_NORM | HEAD_MAJOR, flags=BIASES, activation="relu2"),
    "apertus": Family(constants=PLAIN, flags=QUERY_OUTPUT, derived=_apertus, activation="xielu"),
    "stablelm": Family(
        constants=LAYER_NORM | HEAD_MAJOR, flags={"attention_bias": ("use_qkv_bias", False)}, derived=_stablelm
    ),
    "gpt_neo": Family(
        names={"num_hidden_layers": "num_layers", "num_attention_heads": "num_heads", "intermediate_size": ""},
        constants={"attention_output_bias": True, "mlp_bias": True, "scores_in_fp32": True} | PLAIN | LAYER_NORM,
        passed="attention_types resid_dropout embed_dropout",
        derived=_gpt_neo,
        tied=True,
        activation="gelu_new",
    ),
    "xglm": Family(
        names={
            "hidden_size": "d_model",
            "num_hidden_layers": "num_layers",
            "num_attention_heads": "attention_heads",
            "intermediate_size": "ffn_dim",
        },
        constants=BIASED | UNFUSED,
        passed="activation_dropout decoder_start_token_id scale_embedding",
        tied=True,
        activation="gelu",
    ),
    "biogpt": Family(
        constants=BIASED,
        passed="activation_dropout scale_embedding",
        derived=lambda read: {"position_embedding_rows": read.whole("max_position_embeddings") + OPT_OFFSET},
        tied=True,
        activation="gelu",
    ),
    "mpt": Family(
        names={
            "hidden_size": "d_model",
            "num_hidden_layers": "n_layers",
            "num_attention_heads": "n_heads",
            "max_position_embeddings": "max_seq_len",
            "intermediate_size": "",
        },
        constants={"norm": "layernorm"} | PLAIN | FUSED | UNFUSED,
        passed="attn_config embedding_fraction init_config init_device learned_pos_emb no_bias norm_type verbose",
        derived=lambda read: {"intermediate_size": read.whole("expansion_ratio", 4) * read.width},
        tied=True,
        activation="gelu",
    ),
    "persimmon": Family(
        constants=PLAIN | ALL_BIASES | LAYER_NORM | FUSED | HEAD_MAJOR, derived=_persimmon, activation="relu2"
    ),
    "jais2": Family(
        constants=PLAIN | LAYER_NORM, flags={name: (key, True) for name, (key, _) in BIASES.items()}, activation="relu2"
    ),
    "granite_swa": Family(constants=SUMMED_SINKS, flags=BIASES, passed=SINKS, derived=_granite_windows),
    "granitemoe_swa": Family(
        constants=UNNAMED_EXPERTS | SUMMED_SINKS,
        flags=QUERY_OUTPUT,
        passed=SINKS,
        copied=EXPERTS,
        derived=_granite_windows,
    ),
    "vaultgemma": Family(
        constants={"attention_softcap": True, "logit_softcap": True} | WIDE_NORM,
        derived=lambda read: query_output_biases(read) | every_windowed_but(read, BOTH),
        tied=True,
        activation="gelu_pytorch_tanh",
    ),
    "gemma3n_text": Family(
        constants={"norms_per_layer": 4, "logit_softcap": True} | WIDE_NORM,
        passed="activation_sparsity_pattern layer_types altup_active_idx altup_coef_clip altup_correct_scale",
        derived=_gemma3n,
        tied=True,
        activation="gelu_pytorch_tanh",
        doubt="keys and values of layers that take others', which only the published files hold, are not",
    ),
    "gemma4_text": GEMMA4,
    "gemma4_unified_text": replace(GEMMA4, derived=lambda read: head_norms(read) | _gemma4(read, 0)),
    "mellum": Family(
        passed="mlp_layer_types num_mtp_layers",
        derived=lambda read: (
            head_norms(read) | query_output_biases(read) | qwen_experts(read) | layers_with_window(read, 0)
        ),
    ),
    "flex_olmo": Family(flags=QUERY_OUTPUT, constants=WIDE_NORM | AFTER_SUBLAYERS, derived=_olmoe),
    "bitnet": Family(
        flags=QUERY_OUTPUT,
        constants={"hidden_act": "relu2-normed", "norms_per_layer": 3},
        derived=lambda read: {"extra_parameters": read.layers * read.whole("intermediate_size")},
        activation="relu2",
    ),
    "hyperclovax": Family(
        flags=BIASES,
        passed=SCALED,
        derived=lambda read: {"norms_per_layer": where(read.flag("use_post_norm", True), FOURFOLD, BOTH)},
    ),
    "voxtral_realtime_text": Family(derived=_voxtral_realtime, tied=True),
    "llama4_text": Family(
        names={"intermediate_size": "intermediate_size_mlp"},
        constants=NARROW_SOFTMAX,
        passed="attn_scale attn_temperature_tuning floor_scale moe_layers",
        derived=_llama4,
    ),
}
