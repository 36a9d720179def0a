"""Hugging Face configurations by `model_type`: which key becomes which field, and what the modelling code adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memreport.catalogue.huggingface.encoders import bert, modernbert
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import Constant, floor, larger, where

Fields = dict[str, Any]
Rule = Callable[[Reader], Fields]

BOTH = Constant("BOTH", 2, "", "queries and keys, two norms, or every other layer", "transformers, modelling code")
FOURFOLD = Constant("FOURFOLD", 4, "", "width of an MLP over that of the model", "transformers, modelling code")
WIDE_BYTES = Constant("WIDE_BYTES", 4, "", "bytes of a number in FP32", "IEEE 754")
NARROW_BYTES = Constant("NARROW_BYTES", 2, "", "bytes of a 16-bit number", "IEEE 754; bfloat16")
OPT_OFFSET = Constant("OPT_OFFSET", 2, "", "rows before the first position of OPT", "transformers, OPT embedding")
LAYER_NORM: Fields = {"norm_bias": True, "norm": "layernorm"}
PLAIN: Fields = {"gated_mlp": False}
ALL_BIASES: Fields = {"attention_bias": True, "attention_output_bias": True, "mlp_bias": True}
FUSED: Fields = {"fused_qkv": True}
HEAD_MAJOR: Fields = {"head_major_query": True}
NARROW_SOFTMAX: Fields = {"softmax_in_fp32": False}
WIDE_NORM: Fields = {"norm": "rmsnorm-wide"}


@dataclass(frozen=True)
class Family:
    """How one model type is read: names of the common fields where they differ, constants, and derived fields.

    `flags` gives the key of a switch and what a missing one means, `copied` the key of a whole number.  Rules are
    written in the words of formulas, so that a page for the browser reads a configuration by the same ones.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    constants: Fields = field(default_factory=dict)
    flags: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    copied: Mapping[str, str] = field(default_factory=dict)
    derived: Rule | None = None
    tied: bool = False
    activation: str = "silu"


_QUERY_OUTPUT = {"attention_bias": ("attention_bias", False), "attention_output_bias": ("attention_bias", False)}
_BIASES = _QUERY_OUTPUT | {"mlp_bias": ("mlp_bias", False)}
_EXPERTS = {
    "num_local_experts": "num_local_experts",
    "num_experts_per_tok": "num_experts_per_tok",
    "moe_intermediate_size": "intermediate_size",
}


def _query_biases(read: Reader) -> Fields:
    return {"attention_bias": read.flag("attention_bias", False)}


def _window(read: Reader) -> Fields:
    """A window in every layer, unless `layer_types` says which."""
    return _layers_with_window(read, read.layers)


def _layers_with_window(read: Reader, otherwise: float, used: float = 1) -> Fields:
    window = read.whole("sliding_window", 0)
    listed = read.counted("layer_types", "sliding_attention", otherwise)
    layers = used * where(window > 0, listed, 0)
    return {"sliding_window": where(layers > 0, window, 0), "num_sliding_window_layers": layers}


def _qwen_window(read: Reader) -> Fields:
    """Qwen counts a window only where it is switched on, and then from `max_window_layers` up."""
    used, first = read.flag("use_sliding_window", False), read.whole("max_window_layers", 0)
    return _layers_with_window(read, larger(read.layers - first, 0), used)


def _every(read: Reader, kept: float) -> Fields:
    """Windowed layers where every `kept`-th layer sees everything."""
    return _layers_with_window(read, read.layers - floor(read.layers / kept))


def _gemma3(read: Reader) -> Fields:
    pattern = read.whole("sliding_window_pattern", read.whole("_sliding_window_pattern", 6, 1), 1)
    return {"qk_norm_size": BOTH * read.head_dim} | _query_biases(read) | _every(read, pattern)


def _sparse_layers(read: Reader) -> Fields:
    """Dense layers of Qwen: those that the step leaves out, and those that are listed."""
    step, layers = read.whole("decoder_sparse_step", 1, 1), read.layers
    listed = read.at_step("mlp_only_layers", step, layers)
    return {"num_dense_layers": layers - floor(layers / step) + listed}


def _qwen_experts(read: Reader) -> Fields:
    return {
        "num_local_experts": read.whole("num_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": read.whole("moe_intermediate_size"),
    } | _sparse_layers(read)


def _qwen2_moe(read: Reader) -> Fields:
    shared = {
        "shared_expert_intermediate_size": read.whole("shared_expert_intermediate_size"),
        "shared_expert_gate": True,
    }
    return {"attention_bias": read.flag("qkv_bias", True)} | _qwen_experts(read) | shared | _qwen_window(read)


def _qwen3(read: Reader) -> Fields:
    return {"qk_norm_size": BOTH * read.head_dim} | _query_output_biases(read) | _qwen_window(read)


def _query_output_biases(read: Reader) -> Fields:
    both = read.flag("attention_bias", False)
    return {"attention_bias": both, "attention_output_bias": both}


def _phi(read: Reader) -> Fields:
    read.must("qk_layernorm", False, "Phi with norms of queries and keys is not known")
    return {}


def _gpt2(read: Reader) -> Fields:
    return {
        "position_embedding_rows": read.whole("n_positions"),
        "intermediate_size": _inner_width(read, "n_inner"),
    }


def _inner_width(read: Reader, key: str) -> float:
    """The width of an MLP that is four times that of the model where the file does not say."""
    given = read.whole(key, 0)
    return where(given > 0, given, FOURFOLD * read.width)


def _gptj(read: Reader) -> Fields:
    return {"intermediate_size": _inner_width(read, "n_inner")}


def _gpt_neox(read: Reader) -> Fields:
    both = read.flag("attention_bias", True)
    return {
        "attention_bias": both,
        "attention_output_bias": both,
        "parallel_residual": read.flag("use_parallel_residual", True),
    }


def _opt(read: Reader) -> Fields:
    biased = read.flag("enable_bias", True)
    read.must("word_embed_proj_dim", read.width, "OPT with an embedding narrower than its layers is not known")
    read.must("layer_norm_elementwise_affine", True, "OPT with norms that have no weights is not known")
    read.must("do_layer_norm_before", True, "OPT with its norms after the layers is not known")
    rows = {"position_embedding_rows": read.whole("max_position_embeddings") + OPT_OFFSET}
    return {"attention_bias": biased, "attention_output_bias": biased, "mlp_bias": biased} | rows


def _falcon(read: Reader) -> Fields:
    newer, biased = read.flag("new_decoder_architecture", False), read.flag("bias", False)
    one = read.flag("multi_query", True)
    every, some = read.heads, read.whole("num_kv_heads", 0)
    parallel = read.flag("parallel_attn", True)
    norms = read.whole("num_ln_in_parallel_attn", 0)
    in_parallel = where(norms > 0, norms, where(newer, BOTH, 1))
    return {
        "num_key_value_heads": where(newer, where(some > 0, some, every), where(one, 1, every)),
        "intermediate_size": _inner_width(read, "ffn_hidden_size"),
        "norms_per_layer": where(parallel, in_parallel, BOTH),
        "parallel_residual": parallel,
        "attention_bias": biased,
        "attention_output_bias": biased,
        "mlp_bias": biased,
        "max_position_embeddings": read.whole("max_position_embeddings", 2048),
    }


def _bloom(read: Reader) -> Fields:
    return {"intermediate_size": FOURFOLD * read.width, "max_position_embeddings": read.whole("seq_length", 2048)}


def _starcoder2(read: Reader) -> Fields:
    biased = read.flag("use_bias", True)
    read.must("mlp_type", "default", "StarCoder2 with another kind of MLP is not known")
    read.must("norm_type", "layer_norm", "StarCoder2 with another kind of norm is not known")
    return {"attention_bias": biased, "attention_output_bias": biased, "mlp_bias": biased} | _window(read)


def _olmo2(read: Reader) -> Fields:
    return {"qk_norm_size": (read.heads + read.key_value_heads) * read.head_dim} | _query_output_biases(read)


def _latent(read: Reader) -> Fields:
    nope, rope = read.whole("qk_nope_head_dim"), read.whole("qk_rope_head_dim")
    return {
        "head_dim": nope + rope,
        "q_lora_rank": read.whole("q_lora_rank", 0),
        "kv_lora_rank": read.whole("kv_lora_rank"),
        "qk_nope_head_dim": nope,
        "qk_rope_head_dim": rope,
        "v_head_dim": read.whole("v_head_dim"),
    }


def _routed(read: Reader) -> Fields:
    width = read.whole("moe_intermediate_size")
    read.must("moe_layer_freq", 1, "mixture layers with dense ones between them are not known")
    return {
        "num_local_experts": read.whole("n_routed_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": width,
        "shared_expert_intermediate_size": read.whole("n_shared_experts", 0) * width,
        "num_dense_layers": read.whole("first_k_dense_replace", 0),
    }


def _deepseek_v2(read: Reader) -> Fields:
    return _latent(read) | _routed(read) | _query_output_biases(read)


def _deepseek_v3(read: Reader) -> Fields:
    return _deepseek_v2(read) | {"router_bias": True}


def _deepseek_v32(read: Reader) -> Fields:
    indexer = {name: read.whole(name) for name in ("index_head_dim", "index_n_heads")}
    return _deepseek_v3(read) | indexer


def _glm4_moe(read: Reader) -> Fields:
    norms = where(read.flag("use_qk_norm", False), BOTH * read.head_dim, 0)
    return _routed(read) | _query_biases(read) | {"qk_norm_size": norms}


def _gpt_oss(read: Reader) -> Fields:
    return (
        _query_output_biases(read)
        | _layers_with_window(read, floor(read.layers / BOTH))
        | {"attention_bias": True, "attention_output_bias": True}
    )


def _qwen3_next(read: Reader) -> Fields:
    """Gated delta nets with an attention layer after every few, whose query projection has a gate as wide as it."""
    interval = read.whole("full_attention_interval", 4, 1)
    linear = read.counted("layer_types", "linear_attention", read.layers - floor(read.layers / interval))
    return (
        {"qk_norm_size": BOTH * read.head_dim, "num_linear_attention_layers": linear, "shared_expert_gate": True}
        | {"extra_parameters": (read.layers - linear) * read.width * read.heads * read.head_dim}
        | {"shared_expert_intermediate_size": read.whole("shared_expert_intermediate_size")}
        | _delta_net(read)
        | _qwen_experts(read)
        | _query_output_biases(read)
    )


def _delta_net(read: Reader) -> Fields:
    """Parameters of one delta net, and its state: a matrix a head in FP32, and what the convolution keeps in 16 bit."""
    heads, value_dim = read.whole("linear_num_value_heads"), read.whole("linear_value_head_dim")
    keys, key_dim = read.whole("linear_num_key_heads"), read.whole("linear_key_head_dim")
    kernel = read.whole("linear_conv_kernel_dim", 4)
    mixed = BOTH * keys * key_dim + heads * value_dim
    return {
        "linear_attention_parameters": read.width * (mixed + heads * value_dim + BOTH * heads)
        + mixed * kernel + BOTH * heads + value_dim + heads * value_dim * read.width,
        "linear_attention_state_bytes": heads * key_dim * value_dim * WIDE_BYTES + mixed * kernel * NARROW_BYTES,
    }  # fmt: skip


GPT_NAMES = {
    "hidden_size": "n_embd",
    "num_hidden_layers": "n_layer",
    "num_attention_heads": "n_head",
    "max_position_embeddings": "n_positions",
    "intermediate_size": "",
}
LLAMA = Family(flags=_BIASES)
FAMILIES: Mapping[str, Family] = {
    "llama": LLAMA,
    "mistral": Family(derived=_window),
    "mixtral": Family(copied=_EXPERTS, derived=_window),
    "qwen2": Family(constants={"attention_bias": True}, derived=_qwen_window),
    "qwen2_moe": Family(derived=_qwen2_moe),
    "qwen3": Family(derived=_qwen3),
    "qwen3_moe": Family(
        derived=lambda read: {"qk_norm_size": BOTH * read.head_dim} | _query_output_biases(read) | _qwen_experts(read)
    ),
    "gemma": Family(constants=WIDE_NORM, flags=_QUERY_OUTPUT, tied=True, activation="gelu_pytorch_tanh"),
    "gemma2": Family(
        constants={"norms_per_layer": 4, "attention_softcap": True, "logit_softcap": True} | WIDE_NORM,
        derived=lambda read: _query_output_biases(read) | _every(read, BOTH),
        tied=True,
        activation="gelu_pytorch_tanh",
    ),
    "gemma3_text": Family(
        constants={"norms_per_layer": 4} | WIDE_NORM, derived=_gemma3, tied=True, activation="gelu_pytorch_tanh"
    ),
    "phi": Family(
        constants={"lm_head_bias": True, "norms_per_layer": 1, "parallel_residual": True}
        | HEAD_MAJOR
        | PLAIN
        | ALL_BIASES
        | LAYER_NORM,
        derived=_phi,
        activation="gelu_new",
    ),
    "phi3": Family(
        constants={"fused_gate_up": True, "value_keeps_projections": True} | FUSED | HEAD_MAJOR,
        derived=_window,
    ),
    "gpt2": Family(
        names=GPT_NAMES,
        constants=PLAIN | ALL_BIASES | LAYER_NORM | FUSED | NARROW_SOFTMAX,
        derived=_gpt2,
        tied=True,
        activation="gelu_new",
    ),
    "gptj": Family(
        names=GPT_NAMES,
        constants={"mlp_bias": True, "lm_head_bias": True, "norms_per_layer": 1, "parallel_residual": True}
        | PLAIN
        | LAYER_NORM,
        derived=_gptj,
        activation="gelu_new",
    ),
    "gpt_neox": Family(
        constants={"mlp_bias": True, "value_keeps_projections": True} | PLAIN | LAYER_NORM | FUSED | HEAD_MAJOR,
        derived=_gpt_neox,
        activation="gelu",
    ),
    "opt": Family(
        names={"intermediate_size": "ffn_dim"},
        constants=PLAIN | LAYER_NORM,
        derived=_opt,
        tied=True,
        activation="relu",
    ),
    "falcon": Family(
        names={"intermediate_size": "", "max_position_embeddings": ""},
        constants=PLAIN | LAYER_NORM | FUSED | NARROW_SOFTMAX,
        derived=_falcon,
        tied=True,
        activation="gelu",
    ),
    "bloom": Family(
        names={
            "hidden_size": "hidden_size|n_embed",
            "num_hidden_layers": "n_layer|num_hidden_layers",
            "num_attention_heads": "n_head|num_attention_heads",
            "intermediate_size": "",
            "max_position_embeddings": "",
        },
        constants={"embedding_norms": 1} | PLAIN | ALL_BIASES | LAYER_NORM | FUSED,
        derived=_bloom,
        tied=True,
        activation="bloom_gelu",
    ),
    "starcoder2": Family(constants=PLAIN | LAYER_NORM, derived=_starcoder2, tied=True, activation="gelu_pytorch_tanh"),
    "olmo": Family(constants={"norm_weight": False, "norm": "layernorm-wide"}, flags=_QUERY_OUTPUT),
    "olmo2": Family(constants=WIDE_NORM, derived=_olmo2),
    "deepseek_v2": Family(derived=_deepseek_v2),
    "deepseek_v3": Family(derived=_deepseek_v3),
    "deepseek_v32": Family(derived=_deepseek_v32),
    "glm4_moe": Family(derived=_glm4_moe, constants={"router_bias": True} | HEAD_MAJOR),
    "gpt_oss": Family(
        constants={"router_bias": True, "expert_bias": True, "attention_sinks": True} | WIDE_NORM,
        copied=_EXPERTS,
        derived=_gpt_oss,
    ),
    "smollm3": LLAMA,
    "qwen3_next": Family(constants=WIDE_NORM | HEAD_MAJOR, derived=_qwen3_next),
    "bert": Family(
        constants={"embedding_norms": 1, "final_norms": 0} | PLAIN | ALL_BIASES | LAYER_NORM,
        derived=bert,
        tied=True,
        activation="gelu",
    ),
    "modernbert": Family(
        constants={"fused_gate_up": True, "value_keeps_projections": True, "norm": "layernorm"} | FUSED,
        derived=modernbert,
        tied=True,
        activation="gelu",
    ),
}
"""Model types that are known; `kimi_k2` is read as `deepseek_v3`."""
SAME_AS = {
    "kimi_k2": "deepseek_v3",
    **dict.fromkeys(("roberta", "xlm-roberta", "camembert"), "bert"),
    **dict.fromkeys(("qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text"), "qwen2"),
    "qwen3_vl_text": "qwen3",
    "qwen3_vl_moe_text": "qwen3_moe",
}
