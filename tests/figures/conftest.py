"""Figures are tested as functions: given inputs, the values of all lines that can be computed from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from memreport.figures.model import matrices, parallelism
from memreport.figures.model import parameters as model
from memreport.figures.registry import group
from memreport.figures.serving import kv_cache, kv_values
from memreport.formula.recording import Figure, Line, figures_in, ordered, plain_line

Evaluate = Callable[..., dict[str, float]]

LLAMA_3_8B = {
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "tie_word_embeddings": 0,
    "has_own_head": 1,
    "embedding_size": 0,
    "position_embedding_rows": 0,
    "gated_mlp": 1,
    "attention_bias": 0,
    "attention_output_bias": 0,
    "mlp_bias": 0,
    "norm_bias": 0,
    "norm_weight": 1,
    "lm_head_bias": 0,
    "norms_per_layer": 2,
    "final_norms": 1,
    "embedding_norms": 0,
    "qk_norm_size": 0,
    "num_local_experts": 0,
    "num_experts_per_tok": 0,
    "moe_intermediate_size": 0,
    "shared_expert_intermediate_size": 0,
    "num_dense_layers": 0,
    "num_interleaved_dense_layers": 0,
    "router_bias": 0,
    "expert_bias": 0,
    "shared_expert_gate": 0,
    "shared_expert_first": 0,
    "kv_lora_rank": 0,
    "q_lora_rank": 0,
    "qk_nope_head_dim": 0,
    "qk_rope_head_dim": 0,
    "v_head_dim": 0,
    "index_head_dim": 0,
    "index_n_heads": 0,
    "num_shared_indexer_layers": 0,
    "attention_sinks": 0,
    "sliding_window": 0,
    "num_sliding_window_layers": 0,
    "global_head_dim": 0,
    "num_global_key_value_heads": 0,
    "attention_k_eq_v": 0,
    "num_linear_attention_layers": 0,
    "num_attention_layers": 0,
    "num_layers_without_mlp": 0,
    "linear_attention_parameters": 0,
    "linear_attention_state_bytes": 0,
    "batch_state_bytes": 0,
    "extra_parameters": 0,
    "reused_parameters": 0,
    "is_decoder": 1,
    "pooling": 0,
    "is_encoder_decoder": 0,
    "audio_seconds": 0,
    "tensor_parallel_size": 1,
    "pipeline_parallel_size": 1,
    "context_parallel_size": 1,
    "expert_parallel_size": 1,
    "accelerators": 1,
    "expert_tensor_parallel_size": 0,
    "n_gpu_layers": 1000,
    "shared_prefix_tokens": 0,
}


SERVED_LINES = (
    *figures_in(model),
    *figures_in(matrices),
    *figures_in(parallelism, "serving"),
    *figures_in(kv_values),
    *figures_in(kv_cache),
    *group("serving", "Serving").figures,
)
SERVED_RUN = {
    **dict.fromkeys(("repeats_key_values", "caches_repeated_heads", "expands_latents"), 0),
    "kv_element_bytes": 2,
    "weight_element_bytes": 2,
    "attention_element_bytes": 2,
    "other_element_bytes": 2,
    "context_length": 4096,
    "max_model_len": 8192,
    "max_num_seqs": 32,
    "max_num_batched_tokens": 8192,
    **dict.fromkeys(("unstated_batched_tokens", "unstated_sequences"), 0),
    **dict.fromkeys(("batches_by_gpu", "counts_as_large"), 1),
    **dict.fromkeys(("batches_by_memory", "chunk_of_memory"), 0),
    "block_size": 16,
    "paged": 1,
    "splits_pool": 0,
    "residual_copies": 2,
    "mlp_copies": 3,
    "engine_bytes_per_token": 0,
    "logits_of_all_tokens": 0,
    "logits_value_bytes": 14,
    "live_value_bytes": 0,
    "embeds_on_host": 0,
    "keeps_hidden_states": 1,
    "keeps_expert_workspace": 1,
    "groups_hybrid_layers": 1,
    "counts_requests": 0,
    "holds_longest_request": 0,
    "enforce_eager": 0,
    "graphs_in_budget": 1,
    "cuda_graph_base_bytes": 512 * 2**20,
    "cuda_graph_sequence_bytes": 0,
    "cuda_graph_layer_bytes": 0,
    "speculative_tokens": 0,
    "library_workspace_bytes": 0,
    "collective_library_bytes": 2e9,
    "collective_bytes_over_pcie": 1e8,
    "link_bytes_per_second": 450e9,
    "host_link_bytes_per_second": 63e9,
    "bridged_accelerators": 0,
    "framework_bytes": 276 * 2**20,
    "driver_reserved_bytes": 0,
    "overhead_uncertainty": 0.5,
    "capacity_bytes": 80e9,
    "gpu_memory_utilization": 0.9,
    "utilization_of_free": 0,
    "utilization_of_static": 0,
    "dequantises": 0,
    "dequantised_copies": 1,
    "quantises_head": 0,
    "fills_pool": 1,
    "max_cached_tokens": 0,
    "weight_overhead_share": 0.25,
    "pads_experts": 0,
    "mxfp4_hidden_multiple": 256,
    "mxfp4_width_multiple": 128,
    "mxfp4_native_multiple": 256,
    "fp4_flop_per_second": 1e15,
    "fp8_flop_per_second": 1e15,
    "decode_context_parallel_size": 1,
    "draft_num_hidden_layers": 0,
    "draft_num_key_value_heads": 0,
    "draft_head_dim": 0,
    "draft_parameters": 0,
    "draft_element_bytes": 2,
    "cpu_offload_bytes": 0,
    "n_cpu_moe": 0,
    "kv_offloading_size": 0,
    "accelerators_per_node": 8,
    "node_memory_bytes": 2e12,
    "max_loras": 0,
    "max_lora_rank": 16,
    "checkpoint_element_bytes": 2,
    "loads_whole": 0,
    "loads_copy": 0,
    "loads_layer": 0,
    "flash_attention": 1,
    "unfused_score_bytes": 0,
    "unfused_residual_copies": 0,
    "holds_mask": 0,
    "mask_element_bytes": 0,
}


@pytest.fixture(scope="session")
def llama_3_8b() -> dict[str, float]:
    """Fields of the model on one GPU; tests change what they are about."""
    return dict(LLAMA_3_8B)


@pytest.fixture(scope="session")
def evaluate() -> Evaluate:
    """`evaluate(lines, given)`: every line whose inputs are known; a given name is not computed."""

    def values_of(rows: Iterable[Figure | Line], given: dict[str, float]) -> dict[str, float]:
        values = dict(given)
        for line in ordered([plain_line(row) if isinstance(row, Figure) else row for row in rows]):
            if line.name not in given and all(name in values for name in line.reads):
                arguments = {parameter: values[name] for parameter, name in line.bound.items()}
                values[line.name] = line.figure.formula(**arguments)
        return values

    return values_of


@pytest.fixture
def served(evaluate: Evaluate, llama_3_8b: dict[str, float]) -> Evaluate:
    """The model served on one GPU by an engine like vLLM; tests change what they are about."""

    def values(**changed: float) -> dict[str, float]:
        return evaluate(SERVED_LINES, {**llama_3_8b, **SERVED_RUN, **changed})

    return values
