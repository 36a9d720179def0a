"""Figures are tested as functions: given inputs, the values of all lines that can be computed from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from memreport.formula.recording import Figure, Line, ordered, plain_line

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
    "extra_parameters": 0,
    "is_decoder": 1,
    "tensor_parallel_size": 1,
    "pipeline_parallel_size": 1,
    "context_parallel_size": 1,
    "expert_parallel_size": 1,
    "accelerators": 1,
    "expert_tensor_parallel_size": 0,
    "n_gpu_layers": 1000,
    "shared_prefix_tokens": 0,
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
