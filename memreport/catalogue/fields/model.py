"""The fields of a model card: the words of a Hugging Face `config.json`, and what it leaves to the code."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from memreport.catalogue.fields.dictionary import (
    DEEPEST,
    LARGEST_WHOLE,
    LONGEST,
    MOST,
    WIDEST,
    Section,
    choice,
    switch,
    whole,
)

HF = "Hugging Face config.json and modelling code"
AS_IN_TRANSFORMERS = ("num_key_value_heads", "head_dim")
"""Fields that follow from the number of heads where they are not stated."""
SAVED = "training"
"""What a backward pass needs is no matter where a model serves."""


class ModelFields(Section):
    """Architecture of a decoder model.  All widths in elements, all counts whole."""

    @model_validator(mode="before")
    @classmethod
    def heads_of_transformers(cls, given: Any) -> Any:
        """As many key-value heads as heads, and heads that share the width, unless stated; as in transformers."""
        heads = given.get("num_attention_heads") if isinstance(given, dict) else None
        if not isinstance(heads, int) or heads < 1:
            return given
        width = given.get("hidden_size")
        each = {"head_dim": width // heads} if isinstance(width, int) and width % heads == 0 else {}
        return {"num_key_value_heads": heads, **each, **given}

    hidden_size: float = whole(None, "width of the residual stream", ge=1, le=WIDEST, symbol="H", source=HF)
    num_hidden_layers: float = whole(None, "decoder layers", ge=1, le=DEEPEST, symbol="L", source=HF)
    num_attention_heads: float = whole(None, "query heads of a layer", ge=1, le=MOST, symbol="A", source=HF)
    num_key_value_heads: float = whole(
        None, "key-value heads of a layer", ge=1, le=MOST, symbol="A<sub>kv</sub>", source=HF
    )
    head_dim: float = whole(None, "width of one head", ge=1, le=WIDEST, symbol="d", source=HF)
    intermediate_size: float = whole(None, "width of the dense MLP", ge=0, le=WIDEST, symbol="F", source=HF)
    vocab_size: float = whole(None, "rows of the embedding", ge=1, le=WIDEST, symbol="V", source=HF)
    max_position_embeddings: float = whole(
        None, "longest context of the model", ge=1, le=LONGEST, unit="token", source=HF
    )
    tie_word_embeddings: bool = switch(False, "the head shares the embedding's matrix", HF)
    embedding_size: float = whole(0, "width of the embedding, 0 for hidden_size", le=WIDEST, source=HF)
    position_embedding_rows: float = whole(0, "rows of a learned position embedding", source=HF)
    gated_mlp: bool = switch(True, "the MLP has a gate projection", HF)
    attention_bias: bool = switch(False, "query, key and value projections have biases", HF)
    attention_output_bias: bool = switch(False, "the output projection has a bias", HF)
    mlp_bias: bool = switch(False, "the MLP's projections have biases", HF)
    norm_bias: bool = switch(False, "norms have biases", HF)
    norm_weight: bool = switch(True, "norms have weights", HF)
    lm_head_bias: bool = switch(False, "the head has a bias", HF)
    norms_per_layer: float = whole(2, "norms of the hidden width in a layer", source=HF)
    final_norms: float = whole(1, "norms before the head", source=HF)
    embedding_norms: float = whole(0, "norms after the embedding", source=HF)
    qk_norm_size: float = whole(0, "weights of query and key norms in a layer", source=HF)
    num_unweighted_qk_norm_layers: float = whole(
        0, "layers whose norms of queries and keys, one a head, have no weights", source=HF, workload=SAVED
    )
    num_local_experts: float = whole(0, "routed experts of a mixture layer, 0 for dense models", source=HF, le=MOST)
    num_experts_per_tok: float = whole(0, "routed experts that a token passes through", source=HF)
    moe_intermediate_size: float = whole(0, "width of one routed expert", source=HF, le=WIDEST)
    shared_expert_intermediate_size: float = whole(0, "width of all shared experts together", source=HF)
    num_dense_layers: float = whole(
        0, "layers of a mixture model whose MLP is dense; without experts, all layers are", source=HF
    )
    num_interleaved_dense_layers: float = whole(
        0,
        "of those, the ones that come after the first mixture layer; the others come first",
        source=HF,
        workload=SAVED,
    )
    moe_latent_size: float = whole(
        0, "width in which hidden states are sent to routed experts, 0 for hidden_size", le=WIDEST, source=HF
    )
    router_bias: bool = switch(False, "the router has one bias an expert", HF)
    expert_bias: bool = switch(False, "the experts' projections have biases", HF)
    experts_unnamed: bool = switch(
        False, "PEFT knows no names by which matrices of routed experts are adapted", HF, workload=SAVED
    )
    mlp_named_w: bool = switch(False, "its experts have matrices w1, w2 and w3, and no gate_proj", HF, SAVED)
    shared_expert_gate: bool = switch(False, "the shared expert has a gate of one hidden vector", HF)
    shared_expert_first: bool = switch(
        False, "the shared expert is computed before the routed ones, not after them", HF, workload=SAVED
    )
    kv_lora_rank: float = whole(0, "width of the latent key and value, 0 without latent attention", source=HF)
    q_lora_rank: float = whole(0, "width of the latent query, 0 where the query is projected directly", source=HF)
    qk_nope_head_dim: float = whole(0, "width of a head's query without position", source=HF)
    qk_rope_head_dim: float = whole(0, "width of a head's query with position", source=HF)
    v_head_dim: float = whole(0, "width of a head's value, 0 where it is head_dim", source=HF)
    index_head_dim: float = whole(
        0, "width of the key that the indexer of sparse attention caches, 0 without", le=WIDEST, source=HF
    )
    index_n_heads: float = whole(0, "heads of that indexer", le=MOST, source=HF)
    num_shared_indexer_layers: float = whole(
        0, "layers that read the tokens that another layer's indexer chose, without one of their own", source=HF
    )
    attention_sinks: bool = switch(False, "attention has one sink a head", HF)
    sliding_window: float = whole(
        0, "tokens that a windowed layer attends to, 0 without windows", unit="token", source=HF
    )
    num_sliding_window_layers: float = whole(0, "layers whose attention is windowed", source=HF)
    num_linear_attention_layers: float = whole(0, "layers with linear attention instead of a cache", source=HF)
    num_attention_layers: float = whole(
        0,
        "layers with attention, 0 for all but those with linear attention; some models have both in a layer",
        source=HF,
    )
    num_layers_without_mlp: float = whole(0, "layers that mix tokens and have no MLP of their own", source=HF)
    global_head_dim: float = whole(
        0, "width of a head in layers without a window, 0 for head_dim", le=WIDEST, source=HF
    )
    num_global_key_value_heads: float = whole(0, "key-value heads of those layers", le=MOST, source=HF)
    attention_k_eq_v: bool = switch(False, "those layers take keys for values", HF)
    linear_attention_parameters: float = whole(0, "parameters of one linear-attention mixer", source=HF)
    linear_attention_state_bytes: float = whole(0, "state of one sequence in one such layer", unit="byte", source=HF)
    linear_attention_kept_values: float = whole(
        0,
        "values that one such layer keeps of a token for the backward pass, with flash-linear-attention, causal-conv1d"
        " and mamba-ssm installed; PyTorch's own code keeps several times as many; 0 where not known",
        source="the packages' autograd functions",
        workload=SAVED,
    )
    linear_attention_trained_values: float = whole(
        0, "values that it keeps more where its own weights are trained", source=HF, workload=SAVED
    )
    linear_attention_kept_fp32_values: float = whole(0, "those of its values that are FP32", source=HF, workload=SAVED)
    linear_attention_input_matrices: float = whole(
        0, "matrices that read its input, 0 where it is as many as read attention's", source=HF, workload=SAVED
    )
    linear_attention_scaled_values: float = whole(
        0, "those of its values that weights or factors in FP32 widen under autocast", source=HF, workload=SAVED
    )
    linear_attention_adapter_widths: float = whole(
        0, "inputs plus outputs of the matrices that read its input, which PEFT finds, 0 where not known", source=HF,
        workload=SAVED,
    )  # fmt: skip
    linear_attention_scan_widths: float = whole(
        0, "input plus outputs of the first Mamba's x_proj, where PEFT finds it", source=HF, workload=SAVED
    )
    linear_attention_step_widths: float = whole(
        0, "input plus outputs of its dt_proj, where PEFT finds it", source=HF, workload=SAVED
    )
    other_adapter_widths: float = whole(
        0,
        "inputs plus outputs, in the whole model, of other matrices that all-linear reaches",
        source=HF,
        ge=-LARGEST_WHOLE,
        workload=SAVED,
    )
    beside_query_widths: float = whole(
        0, "the same of q_proj, and of o_proj, in layers that those fields leave out, as where keys are others'",
        source=HF, workload=SAVED,
    )  # fmt: skip
    beside_key_widths: float = whole(0, "the same of k_proj, and of v_proj", source=HF, workload=SAVED)
    beside_mlp_widths: float = whole(
        0, "the same of gate_proj, up_proj, down_proj: what wider MLPs have more", source=HF, workload=SAVED
    )
    linear_attention_output_size: float = whole(
        0, "width of what the last of its matrices reads, 0 where PEFT leaves that out", source=HF, workload=SAVED
    )
    linear_attention_joins_output: bool = switch(
        False, "one kernel runs to the end of it, so that an adapter on its last matrix keeps nothing", HF, SAVED
    )
    num_leading_linear_attention_layers: float = whole(
        0, "of the layers with linear attention those before the first with attention", source=HF, workload=SAVED
    )
    gate_in_query: bool = switch(False, "the query projection answers attention's gate, too", HF, SAVED)
    value_norm: bool = switch(False, "values are normalised head by head, without weights (Gemma 4)", HF, SAVED)
    residual_in_fp32: bool = switch(False, "the residual stream is FP32 whatever its layers compute in", HF, SAVED)
    num_residual_streams: float = whole(
        0, "residual streams that sublayers mix, 0 where there is one", le=MOST, source=HF, workload=SAVED
    )
    residual_stream_values: float = whole(
        0, "FP32 values of a token that one mixing of those streams keeps beside them", source=HF, workload=SAVED
    )
    attention_output_gate: bool = switch(
        False, "a gate multiplies what attention answers before it is projected", HF, SAVED
    )
    gate_per_head: bool = switch(False, "that gate is one number a head", HF, SAVED)
    qk_norm_after_rotation: bool = switch(False, "queries and keys are normalised after they are rotated", HF, SAVED)
    extra_parameters: float = whole(
        0,
        "parameters that the other fields cannot express; less than 0 where layers share weights",
        source=HF,
        ge=-LARGEST_WHOLE,
    )
    tower_parameters: float = whole(
        0,
        "of the model's parameters those of towers for images and sound, with what joins them to the decoder",
        source=HF,
        workload=SAVED,
    )
    tower_adapter_widths: float = whole(
        0, "inputs plus outputs of all matrices in them, 0 where not known", source=HF,
        workload=SAVED,
    )  # fmt: skip
    tower_hidden_size: float = whole(0, "width of a tower for images", source=HF, workload=SAVED)
    tower_layers: float = whole(0, "its layers", source=HF, workload=SAVED)
    tower_intermediate_size: float = whole(0, "width of its MLPs", source=HF, workload=SAVED)
    tower_mlp_values: float = whole(
        0, "tensors of that width that a layer keeps: 2, 3 with CLIP's GELU, 4 with a gate (and RMS norms)", source=HF,
        workload=SAVED,
    )  # fmt: skip
    tower_patches: float = whole(
        0, "patches of an image of its own size; of 768 x 768 pixels where any size will do", source=HF, workload=SAVED
    )
    tower_patch_area: float = whole(
        0, "pixels of a patch where images are of any size, or cut into tiles, 0 otherwise", source=HF, workload=SAVED
    )
    tower_fused_qkv: bool = switch(False, "one matrix makes its queries, keys and values", HF, SAVED)
    tower_scales: bool = switch(False, "a trained vector scales what its sublayers answer", HF, SAVED)
    tower_shares_output: bool = switch(False, "its output projections are called o_proj", HF, SAVED)
    tower_asks_gradient: bool = switch(
        False, "its first layer's input asks for a gradient, too, where that of the decoder's does", HF, SAVED
    )
    is_decoder: bool = switch(True, "a token sees those before it; an encoder serves without a cache and logits", HF)
    pools: bool = switch(False, "made to answer with a vector or a score: an embedder, a reranker", HF)
    audio_seconds: float = whole(0, "sound that an encoder reads at once, 0 for text", unit="s", source=HF)
    is_encoder_decoder: bool = switch(False, "an encoder and a decoder, each sublayer a layer", HF)
    hidden_act: str = choice(
        "silu", "activation_functions", "activation function of the MLP", source=HF, workload=SAVED
    )
    norm: str = choice("rmsnorm", "norms", "kind of norm", source=HF, workload=SAVED)
    fused_qkv: bool = switch(False, "query, key and value are one projection", HF, SAVED)
    fused_gate_up: bool = switch(False, "gate and up are one projection", HF, SAVED)
    norms_after_sublayers: bool = switch(
        False, "a layer's norms read what attention and MLP answer, none its input (OLMo 2, EXAONE 4)", HF, SAVED
    )
    parallel_residual: bool = switch(False, "attention and MLP read the same residual stream", HF, SAVED)
    value_keeps_projections: bool = switch(
        False, "values are a view of the fused projection while queries and keys are rotated into others", HF, SAVED
    )
    head_major_query: bool = switch(
        False, "rotated queries lie head by head, so attention's output is copied for its projection", HF, SAVED
    )
    routes_densely: bool = switch(False, "in transformers' code every routed expert computes every token", HF, SAVED)
    router_in_fp32: bool = switch(False, "the router multiplies in FP32 and saves its input so", HF, SAVED)
    routing_weights_in_fp32: bool = switch(False, "the experts' answers are weighted in FP32", HF, SAVED)
    softmax_in_fp32: bool = switch(True, "unfused attention computes its softmax in FP32", HF, SAVED)
    softmax_type_named: bool = switch(False, "its code names that type, so that autocast leaves it", HF, SAVED)
    scores_in_fp32: bool = switch(False, "unfused attention multiplies queries and keys in FP32", HF, SAVED)
    gives_causal_mask: bool = switch(False, "its code gives fused attention a causal mask", HF, SAVED)
    unfused_attention: bool = switch(
        False, "its code in transformers has no fused attention, whatever is asked for", HF, SAVED
    )
    distance_rows: float = whole(
        0, "rows of the table of distances that a layer projects for its scores, 0 without", source=HF, workload=SAVED
    )
    distance_rows_follow: bool = switch(
        False, "of those no more than two for each token of a sequence are projected", HF, SAVED
    )
    distance_terms: float = whole(
        0, "kinds of scores that are taken from that table: content to position, position to content",
        source=HF, workload=SAVED,
    )  # fmt: skip
    distance_biases: float = whole(
        0, "tables of biases by distance that all layers share, one number for each head, query and key",
        source=HF, workload=SAVED,
    )  # fmt: skip
    distance_index_layers: float = whole(
        0, "layers that look biases by distance up, each keeping an index for every query and key",
        source=HF, workload=SAVED,
    )  # fmt: skip
    distance_biases_repeated: bool = switch(False, "those are copied for each sequence of a batch", HF, SAVED)
    repeats_key_values: bool = switch(False, "its code repeats keys and values to all heads", HF)
    attention_softcap: bool = switch(
        False, "scores are capped by a tanh, or summed beside their softmax: one more tensor is kept", HF, SAVED
    )
    logit_softcap: bool = switch(False, "logits are capped by a tanh", HF, SAVED)
    loss_in_logit_dtype: bool = switch(
        False, "its code takes cross-entropy of logits in their own type, not in FP32 (BERT, T5, BART)", HF, SAVED
    )
