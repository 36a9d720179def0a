"""Rules that several model types share: biases, windows, experts, latent attention, matrices that adapters find."""

from __future__ import annotations

from memreport.catalogue.huggingface.family import BOTH, FOURFOLD, THREE, Fields
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import floor, where

QUERY_OUTPUT = {"attention_bias": ("attention_bias", False), "attention_output_bias": ("attention_bias", False)}

BIASES = QUERY_OUTPUT | {"mlp_bias": ("mlp_bias", False)}

EXPERTS = {
    "num_local_experts": "num_local_experts",
    "num_experts_per_tok": "num_experts_per_tok",
    "moe_intermediate_size": "intermediate_size",
}


def query_biases(read: Reader) -> Fields:
    """Biases of queries, keys and values."""
    return {"attention_bias": read.flag("attention_bias", False)}


def windowed(read: Reader) -> Fields:
    """A window in every layer, unless `layer_types` says which."""
    return layers_with_window(read, read.layers)


def layers_with_window(read: Reader, otherwise: float, used: float = 1) -> Fields:
    """Windowed layers: those that the file lists, else as many as are said otherwise."""
    window = read.whole("sliding_window", 0)
    listed = read.counted("layer_types", "sliding_attention", otherwise)
    layers = used * where(window > 0, listed, 0)
    return {"sliding_window": where(layers > 0, window, 0), "num_sliding_window_layers": layers}


def every_windowed_but(read: Reader, kept: float) -> Fields:
    """Windowed layers where every `kept`-th layer sees everything."""
    return layers_with_window(read, read.layers - floor(read.layers / kept))


def query_output_biases(read: Reader) -> Fields:
    """Biases of all four projections by one switch."""
    both = read.flag("attention_bias", False)
    return {"attention_bias": both, "attention_output_bias": both}


def _sparse_layers(read: Reader) -> Fields:
    """Dense layers of Qwen: those that the step leaves out, and those that are listed."""
    step, layers = read.whole("decoder_sparse_step", 1, 1), read.layers
    dense = layers - floor(layers / step) + read.at_step("mlp_only_layers", step, layers)
    first = read.first_free("mlp_only_layers", step, layers)
    return {"num_dense_layers": dense, "num_interleaved_dense_layers": dense - first}


def qwen_experts(read: Reader) -> Fields:
    """Experts as Qwen names them; newer files call their number as Mixtral's do."""
    return {
        "num_local_experts": read.whole("num_experts|num_local_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": read.whole("moe_intermediate_size"),
    } | _sparse_layers(read)


def head_norms(read: Reader) -> Fields:
    """Norms of queries and keys that all heads share."""
    return {"qk_norm_size": BOTH * read.head_dim}


def whole_norms(read: Reader) -> Fields:
    """Norms over all queries, and over all keys."""
    return {"qk_norm_size": (read.heads + read.key_value_heads) * read.head_dim}


def hunyuan_norms(read: Reader) -> Fields:
    """Norms of queries and keys, which Hunyuan always has."""
    read.must("use_qk_norm", True, "Hunyuan without norms of queries and keys is not known")
    return head_norms(read) | {"qk_norm_after_rotation": True}


def latent_attention(read: Reader, rotates: int = 1) -> Fields:
    """Keys and values through a latent, as DeepSeek names its widths, unless the file says that there is none.

    Queries are joined head by head, and a kernel answers as they lie; values that are narrower are sent to another.
    """
    latent, value, each = read.flag("use_mla", True), read.whole("v_head_dim", 0), floor(read.width / read.heads)
    nope, rope = read.whole("qk_nope_head_dim", 0, latent), read.whole("qk_rope_head_dim", 0, rotates * latent)
    return {
        "head_dim": where(latent, nope + rope, each),
        "q_lora_rank": latent * read.whole("q_lora_rank", 0),
        "kv_lora_rank": latent * read.whole("kv_lora_rank", 0, latent),
        "qk_nope_head_dim": latent * nope,
        "qk_rope_head_dim": latent * rope,
        "v_head_dim": latent * where(value > 0, value, each),
        "head_major_query": latent * (value >= nope + rope),
    }


def indexer(read: Reader) -> Fields:
    """The indexer of sparse attention; layers that are listed as shared read what the one before them chose."""
    return {
        "index_head_dim": read.whole("index_head_dim"),
        "index_n_heads": read.whole("index_n_heads"),
        "num_shared_indexer_layers": read.counted("indexer_types", "shared", 0),
    }


def in_latent(read: Reader, width: float, latent: float) -> float:
    """Width of an expert of the model's own width that has as many parameters as one that works in a latent."""
    return where(latent > 0, floor(width * latent / read.width), width)


def routed_experts(read: Reader) -> Fields:
    """Routed and shared experts as DeepSeek names them, after a few dense layers."""
    width = read.whole("moe_intermediate_size")
    read.must("moe_layer_freq", 1, "mixture layers with dense ones between them are not known")
    return {
        "num_local_experts": read.whole("n_routed_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": width,
        "shared_expert_intermediate_size": read.whole("n_shared_experts", 0) * width,
        "router_in_fp32": True,
        "routing_weights_in_fp32": True,
        "num_dense_layers": read.counted("mlp_layer_types", "dense", read.whole("first_k_dense_replace", 0)),
        "num_interleaved_dense_layers": read.behind("mlp_layer_types", "dense", "sparse"),
    }


def latent_mixture(read: Reader, rotates: int = 1) -> Fields:
    """DeepSeek's: latent attention, routed and shared experts, biases by one switch."""
    return latent_attention(read, rotates) | routed_experts(read) | query_output_biases(read)


def adapted_embeddings(read: Reader, unstated: int) -> float:
    """Inputs plus outputs of a gate and a projection of each layer, and of the one before them all."""
    inner = read.whole("hidden_size_per_layer_input", unstated)
    return where(inner > 0, read.layers * (BOTH * (read.width + inner) + inner) + read.width, 0)


def beside(query: float, key: float, others: float = 0) -> Fields:
    """Projections of layers that the card counts apart, under their usual names, and other matrices of the model."""
    return {"beside_query_widths": query, "beside_key_widths": key, "other_adapter_widths": others}


def delta_adapters(read: Reader, layers: float, inside: float, others: float) -> Fields:
    """Layers of delta attention so wide inside, each with matrices of decay and gates besides."""
    one = layers * (read.width + inside)
    return beside(one, one, layers * others)


def decayed_adapters(read: Reader, layers: float, heads: float, each: float) -> Fields:
    """Kimi's: decay and gate through two matrices each, and one number a head."""
    narrow = BOTH * (read.width + each) + BOTH * (each + heads * each)
    return delta_adapters(read, layers, heads * each, narrow + read.width + heads)


def gated_adapters(read: Reader, layers: float, heads: float, each: float) -> Fields:
    """Ling's: decay and gate through one matrix each; latent attention has a gate, too."""
    made = delta_adapters(read, layers, heads * each, BOTH * (read.width + heads * each) + read.width + heads)
    latent = (read.layers - layers) * (read.width + read.heads)
    return made | {"other_adapter_widths": made["other_adapter_widths"] + latent}


def crossed_adapters(read: Reader, layers: float) -> Fields:
    """Layers that attend to images, with the projections of any other layer."""
    query = layers * (read.width + read.heads * read.head_dim)
    key = layers * (read.width + read.key_value_heads * read.head_dim)
    return beside(query, key)


def router_adapters(read: Reader, layers: float, experts: float) -> Fields:
    """Routers that are matrices like any other."""
    return {"other_adapter_widths": layers * (read.width + experts)}


def gemma3n_adapters(read: Reader, shared: float, embedded: float, rank: float, streams: float) -> Fields:
    """Layers that take others' keys have queries; small matrices around the streams, and a low-rank branch."""
    width = read.width
    query = shared * (width + read.heads * read.head_dim)
    each = BOTH * streams + streams * (1 + streams) + width + streams + BOTH * (width + rank)
    return beside(query, 0, embedded + read.layers * each + FOURFOLD * (streams - 1) * width)


def gemma4_adapters(read: Reader, shared: float, apart: float, wide: float, others: float) -> Fields:
    """The same, `apart` of them with wide heads; some MLPs are twice as wide."""
    width = read.width
    query = shared * width + read.heads * ((shared - apart) * read.head_dim + apart * wide)
    doubled = read.flag("use_double_wide_mlp", False) * shared * read.whole("intermediate_size")
    router = read.flag("enable_moe_block", False) * read.layers * (width + read.whole("num_experts", 0))
    made = beside(query, 0, others + router)
    return made | {"beside_mlp_widths": doubled}


def lightning_adapters(read: Reader, layers: float) -> Fields:
    """MiniMax's: one matrix for query, key and value, one for the output, one for a gate."""
    inside = read.heads * read.head_dim
    return {"other_adapter_widths": layers * (THREE * (read.width + inside) + BOTH * inside)}


def compressed_adapters(
    read: Reader, quarter: float, far: float, counted: float, rank: float, index: float, chooses: float
) -> Fields:
    """DeepSeek-V4: all of its attention, less what the card counts of it as latent attention."""
    width, each, wide = read.width, read.head_dim, read.heads * read.head_dim
    groups = read.whole("o_groups")
    across = groups * read.whole("o_lora_rank")
    attention = width + rank + rank + wide + width + each + floor(wide / groups) + across + across + width
    keys = BOTH * (width + BOTH * each) + BOTH * (width + BOTH * index) + rank + chooses * index + width + chooses
    return {"other_adapter_widths": read.layers * attention + quarter * keys + far * BOTH * (width + each) - counted}
