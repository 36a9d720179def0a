"""Fields of a serving job that change its memory alone: how it loads, offload to the host, adapters, a draft model."""

from __future__ import annotations

from memreport.catalogue.fields.dictionary import (
    DEEPEST,
    MOST,
    WIDEST,
    Section,
    choice,
    dtype,
    number,
    one_or_more,
    switch,
    tokens,
    whole,
)
from memreport.catalogue.words.names import ALL_LAYERS

CACHE = "kv_cache_dtype"
"""The type of a cache, which encoders have not."""


class ServingMemoryFields(Section):
    """Options of vLLM, SGLang and llama.cpp beside those that every job states."""

    pooling: bool = switch(
        False,
        "answers with a vector or a score, not with tokens; unless stated, as the model is made to",
        "vLLM --runner pooling",
    )
    from_ollama: bool = switch(
        False,
        "weights as Ollama's library has them, Q4_K_M, where neither a format nor one of the model's is stated",
        "Ollama, documentation of its library",
    )
    load_mode: str = choice("as-stored", "loading_modes", "what lies beside the finished weights while they are loaded")
    checkpoint_dtype: str = dtype(
        "bf16", "checkpoint_element_bytes", "type of the weights that are read, where load_mode turns them into another"
    )
    cpu_offload_bytes: float = number(
        0, "byte", "weights of each GPU that stay in host memory", source="vLLM cpu_offload_gb"
    )
    kv_offloading_size: float = number(
        0,
        "byte",
        "host memory in which a replica keeps cached keys and values beside those of its GPUs",
        source="vLLM kv_offloading_size, in older versions swap_space of each GPU; SGLang hicache_size",
    )
    max_cached_tokens: float = tokens(
        0,
        "tokens that the pool of the cache may hold at most; 0 for all that memory holds",
        source="SGLang max_total_tokens, TGI max_batch_total_tokens",
    )
    decode_context_parallel_size: float = one_or_more(
        "ranks of tensor parallelism that share the cache of one sequence", source="vLLM"
    )
    flash_attention: bool = switch(True, "attention keeps no scores; llama.cpp without --flash-attn does")
    max_loras: float = whole(
        0,
        "adapters of one batch, for which buffers are kept; 0 without",
        le=MOST,
        source="vLLM",
        title="Adapters in a batch",
    )
    max_lora_rank: float = whole(
        16, "rank for which those buffers have room", ge=1, le=WIDEST, source="vLLM", title="Largest rank of an adapter"
    )
    draft_parameters: float = number(
        0, "", "parameters of the draft model or of its own layers, without what it shares", source="vLLM, SGLang"
    )
    draft_weight_dtype: str = dtype("bf16", "draft_element_bytes", "type of the draft model's weights")
    draft_num_hidden_layers: float = whole(0, "layers of the draft model that have a cache", le=DEEPEST)
    draft_num_key_value_heads: float = whole(0, "its key-value heads, 0 where they are the model's own", le=MOST)
    draft_head_dim: float = whole(0, "width of one of its heads", le=WIDEST)
    n_gpu_layers: float = whole(
        ALL_LAYERS,
        "layers that go to the GPUs, the output layer first, the others stay with their cache on the host; all where "
        "it is more than the model has",
        le=DEEPEST,
        source="llama.cpp --n-gpu-layers",
    )
    n_cpu_moe: float = whole(
        0, "mixture layers whose routed experts stay on the host", le=ALL_LAYERS, source="llama.cpp --n-cpu-moe"
    )
    shared_prefix_tokens: float = tokens(
        0, "tokens with which every running sequence begins, cached once", source="vLLM automatic prefix caching"
    )
