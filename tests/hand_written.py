"""The states of a training job as a person would write them in numpy: no figures, no recordings, no order to find out.

For jobs without a pipeline: the figures also find the stage of a pipeline that holds most, which no row here has.
What the engine computes must equal this bit for bit, and may not take much longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from memreport.catalogue.records import Numbers


def training_states(inputs: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Parameters by part, what a rank holds of them, and the bytes of weights, gradients, optimizer and master copy."""
    c = SimpleNamespace(**inputs)
    for module in ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"):
        setattr(c, f"lora_{module}", inputs[f"targets_{module}"] * inputs["adapts_matrices"])
    made = SimpleNamespace()
    _widths(c, made)
    _parameters(c, made)
    _matrices_and_adapters(c, made)
    _ranks(c, made)
    _states(c, made)
    return vars(made)


def _widths(c: SimpleNamespace, m: SimpleNamespace) -> None:
    m.value_head_dim = np.where(c.v_head_dim > 0, c.v_head_dim, c.head_dim)
    m.query_head_dim = np.where(c.kv_lora_rank > 0, c.qk_nope_head_dim + c.qk_rope_head_dim, c.head_dim)
    m.query_size = c.num_attention_heads * m.query_head_dim
    m.key_value_size = c.num_key_value_heads * c.head_dim
    m.value_size = c.num_attention_heads * m.value_head_dim
    m.mlp_matrices = 2 + c.gated_mlp
    m.attention_layers = np.where(
        c.num_attention_layers > 0, c.num_attention_layers, c.num_hidden_layers - c.num_linear_attention_layers
    )
    m.dense_layers = np.where(
        c.num_local_experts > 0, c.num_dense_layers, c.num_hidden_layers - c.num_layers_without_mlp
    )
    m.mixture_layers = c.num_hidden_layers - m.dense_layers - c.num_layers_without_mlp


def _parameters(c: SimpleNamespace, m: SimpleNamespace) -> None:
    h, r = c.hidden_size, c.kv_lora_rank
    m.embedding_parameters = c.vocab_size * h
    m.position_parameters = c.position_embedding_rows * h
    query = np.where(c.q_lora_rank > 0, c.q_lora_rank * (h + m.query_size), h * m.query_size)
    latent = h * (r + c.qk_rope_head_dim) + r * c.num_attention_heads * (c.qk_nope_head_dim + m.value_head_dim)
    key_value = np.where(r > 0, latent, 2 * h * m.key_value_size)
    m.attention_bias_parameters = c.attention_bias * (m.query_size + 2 * m.key_value_size) + c.attention_output_bias * h
    m.attention_norm_parameters = c.qk_norm_size + c.attention_sinks * c.num_attention_heads + r + c.q_lora_rank
    layer = query + key_value + m.value_size * h + m.attention_bias_parameters + m.attention_norm_parameters
    m.attention_parameters = m.attention_layers * layer + c.num_linear_attention_layers * c.linear_attention_parameters
    dense, expert = (
        m.mlp_matrices * h * width + bias * ((1 + c.gated_mlp) * width + h)
        for width, bias in ((c.intermediate_size, c.mlp_bias), (c.moe_intermediate_size, c.expert_bias))
    )
    router = c.num_local_experts * (h + c.router_bias) + c.shared_expert_gate * h
    shared = m.mlp_matrices * h * c.shared_expert_intermediate_size
    m.routed_expert_parameters = m.mixture_layers * c.num_local_experts * expert
    m.mlp_parameters = m.dense_layers * dense + m.mixture_layers * (router + shared) + m.routed_expert_parameters
    norms = c.num_hidden_layers * c.norms_per_layer + c.final_norms + c.embedding_norms
    m.norm_parameters = norms * h * (c.norm_weight + c.norm_bias)
    m.head_parameters = (1 - c.tie_word_embeddings) * c.vocab_size * h + c.lm_head_bias * c.vocab_size
    parts = m.embedding_parameters + m.position_parameters + m.attention_parameters + m.mlp_parameters
    m.parameters = parts + m.norm_parameters + m.head_parameters + c.extra_parameters
    idle = c.num_local_experts - c.num_experts_per_tok
    m.active_parameters = m.parameters - m.mixture_layers * idle * expert


def _adapter_widths(c: SimpleNamespace, m: SimpleNamespace) -> Any:
    """Input plus output widths of all adapted matrices; a fused matrix has one adapter with the whole output."""
    h, kv = c.hidden_size, m.key_value_size
    latent = c.kv_lora_rank > 0
    query = h + m.query_size + 2 * c.q_lora_rank
    key = h + np.where(latent, c.kv_lora_rank + c.qk_rope_head_dim, kv)
    value = np.where(latent, c.kv_lora_rank + c.num_attention_heads * c.qk_nope_head_dim + m.value_size, h + kv)
    fused = np.maximum(np.maximum(c.lora_q_proj, c.lora_k_proj), c.lora_v_proj) * (h + m.query_size + 2 * kv)
    apart = c.lora_q_proj * query + c.lora_k_proj * key + c.lora_v_proj * value
    attention = np.where(c.fused_qkv > 0, fused, apart) + c.lora_o_proj * (m.value_size + h)
    shared = (c.shared_expert_intermediate_size > 0) * _mlp_widths(c, c.shared_expert_intermediate_size)
    mlp = m.dense_layers * _mlp_widths(c, c.intermediate_size) + m.mixture_layers * shared
    return m.attention_layers * attention + mlp


def _mlp_widths(c: SimpleNamespace, width: Any) -> Any:
    apart = c.gated_mlp * c.lora_gate_proj + c.lora_up_proj
    adapters = np.where(c.fused_gate_up > 0, np.maximum(c.lora_gate_proj, c.lora_up_proj), apart)
    outputs = adapters * (1 + c.fused_gate_up * c.gated_mlp)
    return adapters * c.hidden_size + outputs * width + c.lora_down_proj * (width + c.hidden_size)


def _matrices_and_adapters(c: SimpleNamespace, m: SimpleNamespace) -> None:
    h = c.hidden_size
    extras = m.attention_bias_parameters + m.attention_norm_parameters
    experts = c.num_local_experts * c.moe_intermediate_size + c.shared_expert_intermediate_size
    mlp = m.mlp_matrices * h * (m.dense_layers * c.intermediate_size + m.mixture_layers * experts)
    m.matrix_parameters = m.attention_parameters - m.attention_layers * extras + mlp
    m.adapter_parameters = c.lora_rank * _adapter_widths(c, m)
    m.trainable_parameters = c.trains_base * m.parameters + c.trains_adapters * m.adapter_parameters


def _ranks(c: SimpleNamespace, m: SimpleNamespace) -> None:
    h = c.hidden_size
    layers, tensor = np.ceil(np.round(c.num_hidden_layers / c.pipeline_parallel_size, 9)), c.tensor_parallel_size
    share = layers / c.num_hidden_layers
    expert_share = np.minimum(m.mixture_layers, layers) / np.maximum(m.mixture_layers, 1)
    first, last = m.embedding_parameters + m.position_parameters, m.head_parameters
    edge = np.where(c.pipeline_parallel_size > 1, np.maximum(first, last), first + last)
    inner = m.parameters - m.embedding_parameters - m.position_parameters - m.head_parameters
    experts = m.routed_expert_parameters / c.expert_parallel_size * expert_share
    stage = (inner - m.routed_expert_parameters) * share + experts + edge
    latents = np.where(c.kv_lora_rank > 0, c.q_lora_rank + c.kv_lora_rank + c.qk_rope_head_dim, 0)
    indexer = c.index_head_dim * (c.index_n_heads * c.q_lora_rank + h) + c.index_n_heads * h
    biases = m.attention_layers * c.attention_output_bias + m.dense_layers * c.mlp_bias
    router = c.num_local_experts * (h + c.router_bias) + c.shared_expert_gate * h
    routers = m.mixture_layers * router * expert_share
    replicated = m.norm_parameters * share + routers
    replicated = replicated + share * m.attention_layers * (h * latents + indexer) + share * h * biases
    m.rank_parameters = (stage - replicated) / tensor + replicated
    m.rank_share = m.rank_parameters / m.parameters
    group = c.count / (tensor * c.pipeline_parallel_size)
    spread = group / (1 + (c.expert_parallel_size - 1) * (experts / tensor) / m.rank_parameters)
    m.parameter_shards = np.where(c.shards_parameters > 0, spread, 1)
    m.gradient_shards = np.where(c.shards_gradients > 0, spread, 1)
    m.optimizer_shards = np.where(c.shards_optimizer > 0, spread, 1)


def _states(c: SimpleNamespace, m: SimpleNamespace) -> None:
    matrix = np.where(c.base_quantised > 0, c.base_weight_element_bytes, c.weight_element_bytes)
    wide = c.autocast * c.base_casts_rest * (1 - c.shards_parameters) * c.prepares_base
    other = np.where(c.base_quantised * (1 - wide) > 0, c.base_other_element_bytes, c.weight_element_bytes)
    m.model_weight_bytes = m.matrix_parameters * matrix + (m.parameters - m.matrix_parameters) * other
    adapters = c.trains_adapters * m.adapter_parameters * c.adapter_element_bytes
    constants = c.base_quantised * m.matrix_parameters * c.base_constant_bytes
    held = m.model_weight_bytes + adapters + constants * (m.parameter_shards - 1)
    held = held * m.rank_share / m.parameter_shards
    m.weight_bytes = held * (1 - c.parameters_offloaded)
    trained = m.trainable_parameters * m.rank_share
    gradient = c.trains_base * c.gradient_element_bytes + c.trains_adapters * c.adapter_element_bytes
    m.gradient_bytes = trained * gradient / m.gradient_shards * (1 - c.optimizer_offloaded * c.shards_gradients)
    usual = c.trains_base * c.moment_element_bytes + c.trains_adapters * c.adapter_element_bytes
    moment = np.where(c.optimizer_moment_element_bytes > 0, c.optimizer_moment_element_bytes, usual)
    factors = c.optimizer_factored * _factored(c, m) * m.rank_share * 4
    wide = c.trains_base * c.optimizer_blockwise * c.widens_embedding_moments * (m.optimizer_shards <= 1)
    wide = wide * c.optimizer_moments * (4 - moment) * (m.embedding_parameters + m.position_parameters) * m.rank_share
    states = (trained * c.optimizer_moments * moment + factors + wide) / m.optimizer_shards
    m.optimizer_state_bytes = states * (1 - np.maximum(c.optimizer_offloaded, c.optimizer_paged))
    master = c.trains_base * trained * c.master_element_bytes / m.optimizer_shards
    m.master_weight_bytes = master * (1 - c.optimizer_offloaded)
    m.model_state_bytes = m.weight_bytes + m.master_weight_bytes + m.gradient_bytes + m.optimizer_state_bytes


def _factored(c: SimpleNamespace, m: SimpleNamespace) -> Numbers:
    h, q, k = c.hidden_size, m.query_size, m.key_value_size
    attention = m.attention_layers * (h + q + h + k + h + k + q + h)
    mlp = m.dense_layers * m.mlp_matrices * (h + c.intermediate_size)
    return attention + mlp  # type: ignore[no-any-return]  # a namespace holds columns of unknown type
