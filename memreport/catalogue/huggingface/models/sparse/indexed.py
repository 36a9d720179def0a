"""Latent attention whose indexers choose the tokens that are read: Mistral Large 4, HY 4, GLM-5 Next."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.huggingface.family import BOTH, FOURFOLD, UNNAMED_EXPERTS, Family, Fields
from memreport.catalogue.huggingface.models.shared_rules import (
    decayed_adapters,
    indexer,
    latent_attention,
    latent_mixture,
    query_output_biases,
    routed_experts,
)
from memreport.catalogue.huggingface.models.sparse.compressed import joined_streams, kept_streams, mixed_streams
from memreport.catalogue.huggingface.models.uneven import delta_attention
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import floor


def _mistral_large4(read: Reader) -> Fields:
    """Queries and indexers from hidden states; layers without positions, counted with keys of the mean width."""
    made, width, heads, layers = latent_attention(read), read.width, read.heads, read.layers
    rotated, rank = made["qk_rope_head_dim"], made["kv_lora_rank"]
    plain = read.counted("no_rope_layers", 0, floor(layers / FOURFOLD))
    mean = floor(rotated * (layers - plain) / layers)
    chooses, each = read.whole("index_n_heads", 32), read.whole("index_head_dim", 128)
    keys = width * (rotated * (layers - plain) - mean * layers)
    latents = rank * heads * (plain * rotated - layers * (rotated - mean))
    queries = chooses * each * width + BOTH * width + BOTH * chooses
    indexers = indexer(read)
    return (
        made
        | routed_experts(read)
        | query_output_biases(read)
        | indexers
        | {
            "qk_nope_head_dim": made["qk_nope_head_dim"] + rotated - mean,
            "qk_rope_head_dim": mean,
            "extra_parameters": keys
            + latents
            + (layers - indexers["num_shared_indexer_layers"]) * queries
            + BOTH * heads * layers
            + floor(rotated / BOTH),
        }
    )


def _hy_v4(read: Reader) -> Fields:
    """Sinks, a gate as wide as values, and several residual streams."""
    made = latent_mixture(read)
    gate = read.width * read.heads * made["v_head_dim"]
    return (
        made
        | indexer(read)
        | {
            "attention_sinks": True,
            "attention_output_gate": True,
            "router_bias": True,
            **kept_streams(read, 0),
            "extra_parameters": read.layers * gate + mixed_streams(read, 0) + joined_streams(read),
            "other_adapter_widths": read.layers * (read.width + read.heads * made["v_head_dim"]),
        }
    )


def _glm5_next(read: Reader) -> Fields:
    """Delta attention, with latent attention after every few layers, whose indexer chooses pools of tokens."""
    each, pool = read.whole("index_head_dim", 128), read.whole("index_kpool", 16)
    heads, inner = read.whole("linear_num_heads", 64), read.whole("linear_head_dim", 128)
    linear = read.counted("layer_types", "linear_attention", read.layers - floor(read.layers / FOURFOLD))
    indexers = indexer(read)
    attending = read.layers - linear - indexers["num_shared_indexer_layers"]
    return (
        latent_mixture(read, 0)
        | indexers
        | delta_attention(read, heads, inner, BOTH * inner * (read.width + heads * inner))
        | {
            "num_linear_attention_layers": linear,
            "router_bias": True,
            **decayed_adapters(read, linear, heads, inner),
            **kept_streams(read, 1),
            "extra_parameters": attending * each * (pool + read.width) + mixed_streams(read, 1),
        }
    )


POOLED = (
    "the indexer's keys are counted one a token; transformers caches beside each a score as wide, by which it makes one"
    " of so many tokens"
)
INDEXED: Mapping[str, Family] = {
    "mistral_large4_text": Family(
        constants=UNNAMED_EXPERTS | {"logit_softcap": True},
        passed="index_topk indexer_types kv_source_layers layer_types mlp_bias qk_head_dim",
        derived=_mistral_large4,
    ),
    "hy_v4": Family(
        constants=UNNAMED_EXPERTS,
        passed="hc_magnitude hc_eps index_topk indexer_types layer_types learnable_sink_init mlp_bias qk_head_dim"
        " first_k_dense_replace",
        derived=_hy_v4,
    ),
    "glm5_next_text": Family(
        constants=UNNAMED_EXPERTS,
        names={"head_dim": "qk_head_dim"},
        passed="hc_eps hc_sinkhorn_iters index_kpool_always_select_tail indexer_types linear_lower_bound qk_head_dim"
        " head_dim mlp_bias",
        derived=_glm5_next,
        doubt=POOLED,
    ),
}
