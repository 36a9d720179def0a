"""DeepSeek-V4: keys of several tokens each beside a window, and several residual streams.

Of the streams each sublayer reads a mixture, and its answer is added to it.
"""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.huggingface.family import (
    BOTH,
    FOURFOLD,
    NARROW_BYTES,
    UNNAMED_EXPERTS,
    WIDE_NORM,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.models.shared_rules import compressed_adapters
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import Constant, ceil, floor, larger

PAGES = "vLLM 0.23, DeepSeek-V4"
ENTRIES_OF_A_PAGE = Constant("ENTRIES_OF_A_PAGE", 64, "", "entries of a page of a compressed cache", PAGES)
PAGE_MULTIPLE = Constant("PAGE_MULTIPLE", 576, "", "bytes to a multiple of which such a page is filled up", PAGES)
SCALES_OF_AN_ENTRY = Constant("SCALES_OF_AN_ENTRY", 8, "", "bytes beside the values of an entry", PAGES)
SCALE_OF_AN_INDEX = Constant("SCALE_OF_AN_INDEX", 4, "", "bytes beside the values of an entry of the indexer", PAGES)
PAGED = (ENTRIES_OF_A_PAGE, PAGE_MULTIPLE, SCALES_OF_AN_ENTRY, SCALE_OF_AN_INDEX)


def mixed_streams(read: Reader, squares: float) -> float:
    """Weights around each sublayer: what it reads of each stream, what it writes to it, with squares each pair too."""
    streams = read.whole("hc_mult", 4)
    mixed = (squares * streams + BOTH) * streams
    return BOTH * read.layers * (mixed * streams * read.width + mixed + BOTH + squares)


def joined_streams(read: Reader) -> float:
    """Weights that join the streams before the head."""
    streams = read.whole("hc_mult", 4)
    return streams * streams * read.width + streams + 1


def kept_streams(read: Reader, squares: float) -> Fields:
    """What one mixing keeps of its weights: two of each stream, and with squares each step that makes them even."""
    streams, steps = read.whole("hc_mult", 4), read.whole("hc_sinkhorn_iters", 20)
    pairs = streams * streams
    even = squares * (pairs + (BOTH * steps - 1) * (pairs + streams) + pairs / BOTH)
    return {"num_residual_streams": streams, "residual_stream_values": 1 + BOTH * streams + even + streams / BOTH}


def _deepseek_v4(read: Reader) -> Fields:
    """Keys that are values too: of each four tokens one in some layers, of each 128 in others, and a window in all.

    The first are counted as latents a quarter as wide; what the others hold of 128 tokens is a hundredth of that.
    """
    width, layers, inner = read.width, read.layers, read.whole("moe_intermediate_size")
    quarter, far = _compressed(read, 4, "compressed_sparse"), _compressed(read, 128, "heavily_compressed")
    each, rotated, rank = read.head_dim, read.whole("qk_rope_head_dim"), read.whole("q_lora_rank")
    index, heads = read.whole("index_head_dim"), read.whole("index_n_heads")
    latent, bare = floor(each / FOURFOLD) - rotated, layers - quarter
    value = floor(_through_groups(read, each) / (read.heads * width))
    rate = read.whole("compress_rates.heavily_compressed_attention", 128)
    hashed = read.counted("mlp_layer_types", "hash_moe", read.whole("num_hash_layers", 0))
    window = read.whole("sliding_window", 128)
    counted = _adapted(read, latent, value, rank, index, heads)
    between = floor(window * each * NARROW_BYTES * layers / larger(bare, 1))
    return {
        "q_lora_rank": rank,
        "kv_lora_rank": latent,
        "qk_nope_head_dim": each - rotated,
        "qk_rope_head_dim": rotated,
        "v_head_dim": value,
        "index_head_dim": floor(index / FOURFOLD),
        "index_n_heads": heads,
        "num_linear_attention_layers": bare,
        "linear_attention_parameters": _keys_as_values(read, rank, each),
        "linear_attention_state_bytes": between,
        "batch_state_bytes": _batch_states(read, quarter, far, each, index),
        "num_local_experts": read.whole("n_routed_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": inner,
        "shared_expert_intermediate_size": read.whole("n_shared_experts", 1) * inner,
        "router_bias": True,
        "router_in_fp32": True,
        "routing_weights_in_fp32": True,
        **kept_streams(read, 1),
        **compressed_adapters(read, quarter, far, quarter * counted, rank, index, heads),
        "extra_parameters": quarter * _beside_latents(read, rank, each, latent, value)
        + far * each * (BOTH * width + rate + 1) + mixed_streams(read, 1) + joined_streams(read)
        - hashed * read.whole("n_routed_experts"),
    }  # fmt: skip


def _batch_states(read: Reader, quarter: float, far: float, each: float, index: float) -> float:
    """Bytes of pages for each token of a batch: windows of 64 tokens, sums of four with the indexer's, and of eight.

    Source: vLLM 0.23, DeepSeek-V4: pages of 64 entries, which states of compressors share, in multiples of 576 bytes.
    """
    rotated = read.whole("qk_rope_head_dim")
    page = _page(each - rotated + BOTH * rotated + SCALES_OF_AN_ENTRY)
    indexed = _page(index + SCALE_OF_AN_INDEX)
    return read.layers * page / ENTRIES_OF_A_PAGE + quarter * (page + indexed) / FOURFOLD + far * page / BOTH / FOURFOLD


def _page(entry: float) -> float:
    """Bytes of a page of entries, each of so many bytes."""
    return ceil(ENTRIES_OF_A_PAGE * entry / PAGE_MULTIPLE) * PAGE_MULTIPLE


def _compressed(read: Reader, rate: int, name: str) -> float:
    """Layers that keep one key of so many tokens."""
    return read.counted("layer_types", f"{name}_attention", read.counted("compress_ratios", rate, 0))


def _keys_as_values(read: Reader, rank: float, each: float) -> float:
    """One layer's attention: queries through a rank, one key for all heads, an output through groups, sinks, norms."""
    across, down = _through_groups(read, each), each * (read.width + 1)
    return rank * (read.width + read.heads * each + 1) + down + across + read.heads


def _through_groups(read: Reader, each: float) -> float:
    """What brings the heads' answers back to the width of the model, by groups and a rank."""
    return read.whole("o_lora_rank") * (read.heads * each + read.whole("o_groups") * read.width)


def _beside_latents(read: Reader, rank: float, each: float, latent: float, value: float) -> float:
    """What a layer with a key of each four tokens has, with its indexer, beyond what the card counts for it."""
    width, index, heads = read.width, read.whole("index_head_dim"), read.whole("index_n_heads")
    keys, narrow, rotated = BOTH * each, floor(index / FOURFOLD), read.whole("qk_rope_head_dim")
    compressed = BOTH * width * keys + FOURFOLD * keys + each
    both = BOTH * index
    indexer = BOTH * width * both + FOURFOLD * both + index + rank * heads * index + heads * width
    card = (
        rank * (width + read.heads * each + 1)
        + width * (latent + rotated)
        + latent * (read.heads * (each - rotated + value) + 1)
        + read.heads * value * width
        + narrow * (heads * rank + width + BOTH) + heads * width
    )  # fmt: skip
    return _keys_as_values(read, rank, each) + compressed + indexer - card


def _adapted(read: Reader, latent: float, value: float, rank: float, index: float, chooses: float) -> float:
    """Inputs plus outputs of the matrices that the card counts of a layer with a key of each four tokens."""
    width, heads, each = read.width, read.heads, read.head_dim
    rotated, narrow = read.whole("qk_rope_head_dim"), floor(index / FOURFOLD)
    queries = width + rank + rank + heads * each
    keys = width + latent + rotated + latent + heads * (each - rotated + value)
    indexer = rank + chooses * narrow + width + narrow + width + chooses
    return queries + keys + heads * value + width + indexer


COMPRESSED = (
    "keys of four tokens each are counted as keys of one, a quarter as wide; so times of attention are those of a model"
    " that reads them all"
)
V4 = (
    "compress_rates compress_rope_theta compress_ratios hc_eps hc_sinkhorn_iters index_topk num_nextn_predict_layers"
    " expert_dtype swiglu_limit mlp_bias o_groups layer_types qk_head_dim"
)
COMPRESSED_KEYS: Mapping[str, Family] = {
    "deepseek_v4": Family(
        names={"intermediate_size": "moe_intermediate_size"},
        constants=UNNAMED_EXPERTS | WIDE_NORM,
        passed=V4,
        derived=_deepseek_v4,
        doubt=COMPRESSED,
    )
}
