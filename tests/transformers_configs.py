"""A transformers configuration for each model card, so that an independent implementation counts its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Card = Mapping[str, Any]
Options = dict[str, Any]

COMMON = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
)
LATENT = ("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
FULL, LINEAR = "full_attention", "linear_attention"


def common(card: Card) -> Options:
    """The fields that a card and most configurations call by the same name."""
    return {name: card[name] for name in COMMON}


def without(options: Options, *names: str) -> Options:
    """Options less those that a family derives or calls otherwise."""
    return {name: value for name, value in options.items() if name not in names}


def windowed(card: Card) -> Options:
    """Decoders with an optional sliding window; the window changes no count."""
    return common(card) | {"sliding_window": card.get("sliding_window") or None}


def biased(card: Card) -> Options:
    """Decoders whose query, key and value biases are a switch."""
    return common(card) | {"attention_bias": card.get("attention_bias", False)}


def experts(card: Card) -> Options:
    """Routed experts as Qwen names them; every layer is a mixture layer."""
    names = ("num_experts_per_tok", "moe_intermediate_size", "shared_expert_intermediate_size")
    return {"num_experts": card["num_local_experts"], "decoder_sparse_step": 1, "mlp_only_layers": []} | {
        name: card.get(name, 0) for name in names
    }


def routed(card: Card) -> Options:
    """Routed and shared experts as DeepSeek and GLM name them, without next-token-prediction layers."""
    return {
        "n_routed_experts": card["num_local_experts"],
        "n_shared_experts": card["shared_expert_intermediate_size"] // card["moe_intermediate_size"],
        "num_experts_per_tok": card["num_experts_per_tok"],
        "moe_intermediate_size": card["moe_intermediate_size"],
        "first_k_dense_replace": card["num_dense_layers"],
        "num_nextn_predict_layers": 0,
    }


def deepseek(card: Card) -> Options:
    """Multi-head latent attention; `head_dim` there means the rotary part and is left to its default."""
    latent = {name: card[name] for name in LATENT} | {"q_lora_rank": card.get("q_lora_rank") or None}
    return without(common(card), "head_dim") | latent | routed(card)


def sparse(card: Card) -> Options:
    """DeepSeek-V3.2: an indexer beside latent attention."""
    return deepseek(card) | {name: card[name] for name in ("index_head_dim", "index_n_heads")}


def glm4_moe(card: Card) -> Options:
    """GLM-4.5: query and key norms only where the card has their weights."""
    return biased(card) | routed(card) | {"use_qk_norm": bool(card.get("qk_norm_size"))}


def qwen2_moe(card: Card) -> Options:
    """Qwen 1.5 MoE: query, key and value biases and a gated shared expert."""
    return common(card) | experts(card) | {"qkv_bias": card["attention_bias"]}


def qwen_moe(card: Card) -> Options:
    """Qwen 3 MoE and Qwen3-Next; the linear attention sizes are the class defaults."""
    return biased(card) | experts(card)


def mixtral(card: Card) -> Options:
    """Mixtral and gpt-oss: the expert width is called `intermediate_size`."""
    names = ("num_local_experts", "num_experts_per_tok")
    return windowed(card) | {name: card[name] for name in names} | {"intermediate_size": card["moe_intermediate_size"]}


def minimax(card: Card) -> Options:
    """MiniMax-M2: as Mixtral, with norms of queries and keys and a router bias that follow from the class."""
    return without(mixtral(card), "sliding_window")


def cohere(card: Card) -> Options:
    """Command R: norms of queries and keys only where the card has their weights."""
    return biased(card) | {"use_qk_norm": bool(card.get("qk_norm_size"))}


def stablelm(card: Card) -> Options:
    """StableLM: a switch for the biases of query, key and value."""
    return without(common(card), "head_dim") | {"use_qkv_bias": card.get("attention_bias", False)}


def llama4_text(card: Card) -> Options:
    """Llama 4 text decoder with a mixture in every layer, or in every other one."""
    names = ("num_local_experts", "num_experts_per_tok")
    return (
        common(card)
        | {name: card[name] for name in names}
        | {
            "intermediate_size": card["moe_intermediate_size"],
            "intermediate_size_mlp": card["intermediate_size"],
            "interleave_moe_layer_step": 2 if card.get("num_interleaved_dense_layers") else 1,
        }
    )


def granite(card: Card) -> Options:
    """Granite 4 hybrid: Mamba-2 layers (128 heads of 64, state 128) first, as order changes no count."""
    linear = card["num_linear_attention_layers"]
    return common(card) | {
        "num_local_experts": card["num_local_experts"],
        "num_experts_per_tok": card["num_experts_per_tok"],
        "shared_intermediate_size": card["shared_expert_intermediate_size"],
        "layer_types": [LINEAR] * linear + [FULL] * (card["num_hidden_layers"] - linear),
        "mamba_d_state": 128,
    }


def gpt2(card: Card) -> Options:
    """GPT-2 and GPT-J, which have their own names for everything."""
    return {
        "n_embd": card["hidden_size"],
        "n_layer": card["num_hidden_layers"],
        "n_head": card["num_attention_heads"],
        "n_inner": card["intermediate_size"],
        "n_positions": card["max_position_embeddings"],
        "vocab_size": card["vocab_size"],
    }


def opt(card: Card) -> Options:
    """OPT: the class adds two rows to the position table by itself."""
    shape = without(common(card), "num_key_value_heads", "head_dim", "intermediate_size")
    return shape | {"ffn_dim": card["intermediate_size"], "word_embed_proj_dim": card["hidden_size"]}


def bloom(card: Card) -> Options:
    """BLOOM: the MLP is always four times the hidden size."""
    return {
        "hidden_size": card["hidden_size"],
        "n_layer": card["num_hidden_layers"],
        "n_head": card["num_attention_heads"],
        "vocab_size": card["vocab_size"],
    }


def falcon(card: Card) -> Options:
    """Falcon: one key-value head is the 7B block with a single norm, several are the newer block with two."""
    newer = card["num_key_value_heads"] > 1
    return without(common(card), "num_key_value_heads", "head_dim", "intermediate_size") | {
        "num_kv_heads": card["num_key_value_heads"],
        "new_decoder_architecture": newer,
        "multi_query": not newer,
        "ffn_hidden_size": card["intermediate_size"],
        "parallel_attn": True,
        "alibi": False,
        "bias": False,
    }


def starcoder2(card: Card) -> Options:
    """StarCoder2: one switch for all biases."""
    return windowed(card) | {"use_bias": card["attention_bias"]}


def encoder(card: Card) -> Options:
    """BERT and XLM-RoBERTa; token types are what is left of the card's extra parameters beside the pooler."""
    width = card["hidden_size"]
    types = (card["extra_parameters"] - width**2 - width) // width
    return without(common(card), "num_key_value_heads", "head_dim") | {"type_vocab_size": types}


def modernbert(card: Card) -> Options:
    """ModernBERT, whose windows change no count."""
    return without(common(card), "num_key_value_heads", "head_dim")


ENCODERS = (
    *(
        "bert",
        "roberta",
        "xlm-roberta",
        "modernbert",
        "electra",
        "distilbert",
        "ernie",
        "albert",
        "deberta",
        "deberta-v2",
    ),
    *("mpnet", "esm", "megatron-bert", "xlm-roberta-xl", "roberta-prelayernorm", "eurobert"),
    *("layoutlm", "roformer", "xmod", "roc_bert", "luke", "ibert", "gte", "jina_embeddings_v3", "nomic_bert"),
)
READERS: dict[str, tuple[str, Callable[[Card], Options]]] = {
    "bert": ("bert", encoder),
    "bloom": ("bloom", bloom),
    "cohere": ("cohere", cohere),
    "deepseek_v2": ("deepseek_v2", deepseek),
    "deepseek_v3": ("deepseek_v3", deepseek),
    "deepseek_v32": ("deepseek_v32", sparse),
    "falcon": ("falcon", falcon),
    "gemma": ("gemma", common),
    "gemma2": ("gemma2", windowed),
    "gemma3_text": ("gemma3_text", windowed),
    "glm": ("glm", biased),
    "glm4": ("glm4", biased),
    "glm4_moe": ("glm4_moe", glm4_moe),
    "gpt2": ("gpt2", gpt2),
    "gpt_neox": ("gpt_neox", common),
    "gpt_oss": ("gpt_oss", mixtral),
    "gptj": ("gptj", gpt2),
    "granite": ("granite", common),
    "granitemoehybrid": ("granitemoehybrid", granite),
    "kimi_k2": ("deepseek_v3", deepseek),
    "llama": ("llama", common),
    "llama4_text": ("llama4_text", llama4_text),
    "minimax_m2": ("minimax_m2", minimax),
    "mistral": ("mistral", windowed),
    "mixtral": ("mixtral", mixtral),
    "modernbert": ("modernbert", modernbert),
    "olmo": ("olmo", common),
    "olmo2": ("olmo2", common),
    "opt": ("opt", opt),
    "phi": ("phi", common),
    "phi3": ("phi3", windowed),
    "qwen2": ("qwen2", common),
    "qwen2_moe": ("qwen2_moe", qwen2_moe),
    "qwen3": ("qwen3", biased),
    "qwen3_moe": ("qwen3_moe", qwen_moe),
    "qwen3_next": ("qwen3_next", qwen_moe),
    "roberta": ("roberta", encoder),
    "smollm3": ("smollm3", common),
    "stablelm": ("stablelm", stablelm),
    "starcoder2": ("starcoder2", starcoder2),
    "xlm-roberta": ("xlm-roberta", encoder),
}


def configuration(card: Card) -> tuple[str, Options]:
    """The transformers model type of a card and the options of its configuration; KeyError for an unmapped family."""
    model_type, read = READERS[card["model_type"]]
    return model_type, read(card) | {"tie_word_embeddings": card["tie_word_embeddings"], "use_cache": False}
