"""A model that options describe instead of naming it, as Megatron's do, in the fields of a model here.

Source: Megatron-LM, training/arguments.py, read 2026-11-26.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NEEDED = ("num_layers", "hidden_size", "num_attention_heads")
VOCABULARIES = {"GPT2BPETokenizer": 50_257, "BertWordPieceLowerCase": 30_522, "BertWordPieceCase": 28_996}
"""Words of tokenizers that say how many there are; the first is taken where none is named."""
MULTIPLE, EXPERTS_PER_TOKEN, FOURFOLD, GATED_MULTIPLE = 128, 2, 4, 64
NOT_READ = ("multi_latent_attention", "hybrid_layer_pattern", "hybrid_override_pattern", "moe_layer_freq")
"""Kinds of layers that these fields do not say: the model is then stated by its configuration."""
DESCRIBING = frozenset(
    (
        *NEEDED,
        *("group_query_attention", "num_query_groups", "kv_channels", "disable_bias_linear", "normalization", "swiglu"),
        *("add_qkv_bias", "ffn_hidden_size", "max_position_embeddings", "position_embedding_type", "vocab_size"),
        *("untie_embeddings_and_output_weights", "num_experts", "moe_router_topk", "moe_ffn_hidden_size"),
        *("moe_shared_expert_intermediate_size", "tokenizer_type", "make_vocab_size_divisible_by"),
    )
)
"""Options that are read as fields of the model."""
Stated = Mapping[str, Any]


def architecture_of(stated: Stated) -> Mapping[str, Any]:
    """The model's fields; nothing where the options describe none, or one that they say in part."""
    vocabulary = _vocabulary(stated)
    if not all(_whole(stated, name) for name in NEEDED) or any(stated.get(name) for name in NOT_READ) or not vocabulary:
        return {}
    hidden, heads = _whole(stated, "hidden_size"), _whole(stated, "num_attention_heads")
    grouped = stated.get("group_query_attention") is True
    return {
        "hidden_size": hidden,
        "num_hidden_layers": _whole(stated, "num_layers"),
        "num_attention_heads": heads,
        "num_key_value_heads": _whole(stated, "num_query_groups", 1) if grouped else heads,
        "head_dim": _whole(stated, "kv_channels", hidden // heads),
        "vocab_size": vocabulary,
        **_layers(stated, hidden),
        **_places(stated),
        **(_experts(stated, hidden) if _whole(stated, "num_experts") > 1 else {}),
    }


def _layers(stated: Stated, hidden: int) -> dict[str, Any]:
    biased, root = not stated.get("disable_bias_linear"), stated.get("normalization") == "RMSNorm"
    biases = dict.fromkeys(("attention_bias", "attention_output_bias", "mlp_bias"), biased)
    gated = stated.get("swiglu") is True
    return {
        "intermediate_size": _width(stated, hidden),
        "gated_mlp": gated,
        "hidden_act": "silu" if gated else "gelu",
        "norm": "rmsnorm" if root else "layernorm",
        "norm_bias": not root,
        "fused_qkv": True,
        "fused_gate_up": gated,
        **biases,
        "attention_bias": biased or stated.get("add_qkv_bias") is True,
    }


def _width(stated: Stated, hidden: int) -> int:
    """The MLP's width: four times the hidden one, or two thirds of that where it has a gate."""
    gated = FOURFOLD * hidden * 2 // 3 // GATED_MULTIPLE * GATED_MULTIPLE
    return _whole(stated, "ffn_hidden_size", gated if stated.get("swiglu") else FOURFOLD * hidden)


def _places(stated: Stated) -> dict[str, Any]:
    """Positions, and whether head and embedding are one matrix."""
    longest = _whole(stated, "max_position_embeddings", _whole(stated, "seq_length", 1))
    learned = stated.get("position_embedding_type", "learned_absolute") == "learned_absolute"
    return {
        "max_position_embeddings": longest,
        "position_embedding_rows": longest if learned else 0,
        "tie_word_embeddings": not stated.get("untie_embeddings_and_output_weights"),
    }


def _experts(stated: Stated, hidden: int) -> dict[str, Any]:
    return {
        "num_local_experts": _whole(stated, "num_experts"),
        "num_experts_per_tok": _whole(stated, "moe_router_topk", EXPERTS_PER_TOKEN),
        "moe_intermediate_size": _whole(stated, "moe_ffn_hidden_size", _width(stated, hidden)),
        "shared_expert_intermediate_size": _whole(stated, "moe_shared_expert_intermediate_size"),
    }


def _vocabulary(stated: Stated) -> int:
    """Rows of the embedding, filled up to a multiple for each rank of tensor parallelism; 0 where nothing says them."""
    named = str(stated.get("tokenizer_type", "GPT2BPETokenizer"))
    words = _whole(stated, "vocab_size", VOCABULARIES.get(named, 0))
    of = _whole(stated, "make_vocab_size_divisible_by", MULTIPLE) * _whole(stated, "tensor_model_parallel_size", 1)
    return -(-words // of) * of


def _whole(stated: Stated, name: str, otherwise: int = 0) -> int:
    value = stated.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else otherwise
