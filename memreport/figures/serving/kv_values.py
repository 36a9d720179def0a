"""What one layer caches of a token: keys and values, or what they are made of."""

from memreport.figures.constants import INDEXER_VALUE_BYTES, KEY_AND_VALUE, ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, where


@figure("k_r", source="vLLM `get_num_kv_heads`; 001 'Tensor and Pipeline Parallelism'")
def kv_heads_per_rank(
    num_key_value_heads: Count,
    num_attention_heads: Count,
    repeats_key_values: Switch,
    caches_repeated_heads: Switch,
    tensor_parallel_size: Count,
) -> Count:
    """Key-value heads on one GPU; tensor parallelism wider than the heads replicates them."""
    # Falcon 40B's own code (HF `FalconAttention._split_heads`) repeats them to all heads, then caches.
    return ceil(
        where(repeats_key_values * caches_repeated_heads > 0, num_attention_heads, num_key_value_heads)
        / tensor_parallel_size
    )


@figure("c_lat")
def latent_kv_values(
    kv_lora_rank: Count,
    qk_nope_head_dim: Count,
    qk_rope_head_dim: Count,
    num_attention_heads: Count,
    value_size: Count,
    expands_latents: Switch,
) -> Count:
    """Cached values of a shared latent, or of what is made of it.  Source: arXiv:2405.04434, 2.1; HF code."""
    # `DeepseekV3Attention` of transformers 4 caches what it expanded.
    return where(
        expands_latents > 0,
        num_attention_heads * (qk_nope_head_dim + qk_rope_head_dim) + value_size,
        kv_lora_rank + qk_rope_head_dim,
    )


@figure("c_1", source="003 'KV Cache Memory in LLM Inference'")
def layer_kv_values(kv_lora_rank: Count, latent_kv_values: Count, kv_heads_per_rank: Count, head_dim: Count) -> Count:
    """Values one layer caches per token: keys and values, or the shared latent, which every rank holds whole."""
    return where(kv_lora_rank > 0, latent_kv_values, KEY_AND_VALUE * kv_heads_per_rank * head_dim)


@figure("g_kv")
def cache_shards(decode_context_parallel_size: Count, context_parallel_size: Count) -> Count:
    """GPUs that share the tokens of one sequence's cache.  Source: vLLM, context parallelism."""
    return decode_context_parallel_size * context_parallel_size


@figure("c_i", source="vLLM `DeepseekV32IndexerCache`; HF config `indexer_types`")
def layer_index_values(index_head_dim: Count, num_shared_indexer_layers: Count, attention_layers: Count) -> Count:
    """Values of an indexer's key that one layer caches per token, in the mean of those with and without an indexer."""
    return index_head_dim * (1 - num_shared_indexer_layers / larger(attention_layers, 1))


@figure(
    "M_kv1", source="003 'KV Cache Memory in LLM Inference'; SGLang `NSATokenToKVPool`, vLLM `DeepseekV32IndexerCache`"
)
def layer_kv_bytes_per_token(
    layer_kv_values: Count, kv_element_bytes: Bytes, layer_index_values: Count, cache_shards: Count
) -> BytesPerToken:
    """Cache of one layer per token on one GPU, with the key of an indexer, which is FP8 whatever the rest is."""
    return (layer_kv_values * kv_element_bytes + layer_index_values * INDEXER_VALUE_BYTES) / ONE_TOKEN / cache_shards
