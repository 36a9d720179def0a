"""The fields of a model card: the words of a Hugging Face `config.json`, and what it leaves to the code."""

from __future__ import annotations

from functools import partial
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
_required = partial(whole, None, ge=1, source=HF)
_count, _switch = partial(whole, 0, source=HF), partial(switch, False, source=HF)
_saved, _saved_switch = partial(_count, workload=SAVED), partial(_switch, workload=SAVED)
"""What every file states, what counts as 0 or false where it does not, and what of that training alone reads."""


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

    hidden_size: float = _required("width of the residual stream", le=WIDEST, symbol="H")
    num_hidden_layers: float = _required("decoder layers", le=DEEPEST, symbol="L")
    num_attention_heads: float = _required("query heads of a layer", le=MOST, symbol="A")
    num_key_value_heads: float = _required("key-value heads of a layer", le=MOST, symbol="A<sub>kv</sub>")
    head_dim: float = _required("width of one head", le=WIDEST, symbol="d")
    intermediate_size: float = _required("width of the dense MLP", ge=0, le=WIDEST, symbol="F")
    vocab_size: float = _required("rows of the embedding", le=WIDEST, symbol="V")
    max_position_embeddings: float = _required("longest context of the model", le=LONGEST, unit="token")
    tie_word_embeddings: bool = _switch("the head shares the embedding's matrix")
    embedding_size: float = _count("width of the embedding, 0 for hidden_size", le=WIDEST)
    position_embedding_rows: float = _count("rows of a learned position embedding")
    gated_mlp: bool = switch(True, "the MLP has a gate projection", HF)
    attention_bias: bool = _switch("query, key and value projections have biases")
    attention_output_bias: bool = _switch("the output projection has a bias")
    mlp_bias: bool = _switch("the MLP's projections have biases")
    norm_bias: bool = _switch("norms have biases")
    norm_weight: bool = switch(True, "norms have weights", HF)
    lm_head_bias: bool = _switch("the head has a bias")
    norms_per_layer: float = whole(2, "norms of the hidden width in a layer", source=HF)
    final_norms: float = whole(1, "norms before the head", source=HF)
    embedding_norms: float = _count("norms after the embedding")
    qk_norm_size: float = _count("weights of query and key norms in a layer")
    num_unweighted_qk_norm_layers: float = _saved("layers whose norms of queries and keys, one a head, have no weights")
    num_local_experts: float = _count("routed experts of a mixture layer, 0 for dense models", le=MOST)
    num_experts_per_tok: float = _count("routed experts that a token passes through")
    moe_intermediate_size: float = _count("width of one routed expert", le=WIDEST)
    shared_expert_intermediate_size: float = _count("width of all shared experts together")
    num_dense_layers: float = _count("layers of a mixture model whose MLP is dense; without experts, all layers are")
    num_interleaved_dense_layers: float = _saved(
        "of those, the ones that come after the first mixture layer; the others come first"
    )
    moe_latent_size: float = _count(
        "width in which hidden states are sent to routed experts, 0 for hidden_size", le=WIDEST
    )
    router_bias: bool = _switch("the router has one bias an expert")
    expert_bias: bool = _switch("the experts' projections have biases")
    experts_unnamed: bool = _saved_switch("PEFT knows no names by which matrices of routed experts are adapted")
    mlp_named_w: bool = _saved_switch("its experts have matrices w1, w2 and w3, and no gate_proj")
    shared_expert_gate: bool = _switch("the shared expert has a gate of one hidden vector")
    shared_expert_first: bool = _saved_switch("the shared expert is computed before the routed ones, not after them")
    kv_lora_rank: float = _count("width of the latent key and value, 0 without latent attention")
    q_lora_rank: float = _count("width of the latent query, 0 where the query is projected directly")
    qk_nope_head_dim: float = _count("width of a head's query without position")
    qk_rope_head_dim: float = _count("width of a head's query with position")
    v_head_dim: float = _count("width of a head's value, 0 where it is head_dim")
    index_head_dim: float = _count("width of the key that the indexer of sparse attention caches, 0 without", le=WIDEST)
    index_n_heads: float = _count("heads of that indexer", le=MOST)
    num_shared_indexer_layers: float = _count(
        "layers that read the tokens that another layer's indexer chose, without one of their own"
    )
    attention_sinks: bool = _switch("attention has one sink a head")
    sliding_window: float = _count("tokens that a windowed layer attends to, 0 without windows", unit="token")
    num_sliding_window_layers: float = _count("layers whose attention is windowed")
    num_linear_attention_layers: float = _count("layers with linear attention instead of a cache")
    num_attention_layers: float = _count(
        "layers with attention, 0 for all but those with linear attention; some models have both in a layer"
    )
    num_layers_without_mlp: float = _count("layers that mix tokens and have no MLP of their own")
    global_head_dim: float = _count("width of a head in layers without a window, 0 for head_dim", le=WIDEST)
    num_global_key_value_heads: float = _count("key-value heads of those layers", le=MOST)
    attention_k_eq_v: bool = _switch("those layers take keys for values")
    linear_attention_parameters: float = _count("parameters of one linear-attention mixer")
    linear_attention_state_bytes: float = _count("state of one sequence in one such layer", unit="byte")
    batch_state_bytes: float = _count(
        "what vLLM counts a request with, for each token of a batch, in pages of windows and of keys not yet joined",
        unit="byte/token",
    )
    linear_attention_kept_values: float = whole(
        0,
        "values that one such layer keeps of a token for the backward pass, with flash-linear-attention, causal-conv1d"
        " and mamba-ssm installed; PyTorch's own code keeps several times as many; 0 where not known",
        source="the packages' autograd functions",
        workload=SAVED,
    )
    linear_attention_trained_values: float = _saved("values that it keeps more where its own weights are trained")
    linear_attention_kept_fp32_values: float = _saved("those of its values that are FP32")
    linear_attention_input_matrices: float = _saved(
        "matrices that read its input, 0 where it is as many as read attention's"
    )
    linear_attention_scaled_values: float = _saved(
        "those of its values that weights or factors in FP32 widen under autocast"
    )
    linear_attention_adapter_widths: float = _saved(
        "inputs plus outputs of the matrices that read its input, which PEFT finds, 0 where not known"
    )
    linear_attention_scan_widths: float = _saved("input plus outputs of the first Mamba's x_proj, where PEFT finds it")
    linear_attention_step_widths: float = _saved("input plus outputs of its dt_proj, where PEFT finds it")
    other_adapter_widths: float = _saved(
        "inputs plus outputs, in the whole model, of other matrices that all-linear reaches", ge=-LARGEST_WHOLE
    )
    beside_query_widths: float = _saved(
        "the same of q_proj, and of o_proj, in layers that those fields leave out, as where keys are others'"
    )
    beside_key_widths: float = _saved("the same of k_proj, and of v_proj")
    beside_mlp_widths: float = _saved("the same of gate_proj, up_proj, down_proj: what wider MLPs have more")
    linear_attention_output_size: float = _saved(
        "width of what the last of its matrices reads, 0 where PEFT leaves that out"
    )
    linear_attention_joins_output: bool = _saved_switch(
        "one kernel runs to the end of it, so that an adapter on its last matrix keeps nothing"
    )
    num_leading_linear_attention_layers: float = _saved(
        "of the layers with linear attention those before the first with attention"
    )
    gate_in_query: bool = _saved_switch("the query projection answers attention's gate, too")
    value_norm: bool = _saved_switch("values are normalised head by head, without weights (Gemma 4)")
    residual_in_fp32: bool = _saved_switch("the residual stream is FP32 whatever its layers compute in")
    num_residual_streams: float = _saved("residual streams that sublayers mix, 0 where there is one", le=MOST)
    residual_stream_values: float = _saved("FP32 values of a token that one mixing of those streams keeps beside them")
    attention_output_gate: bool = _saved_switch("a gate multiplies what attention answers before it is projected")
    gate_per_head: bool = _saved_switch("that gate is one number a head")
    qk_norm_after_rotation: bool = _saved_switch("queries and keys are normalised after they are rotated")
    extra_parameters: float = _count(
        "parameters that the other fields cannot express; less than 0 where layers share weights", ge=-LARGEST_WHOLE
    )
    reused_parameters: float = _count(
        "weights of matrices that layers use again: counted in each of them, taken off in extra_parameters"
    )
    tower_parameters: float = _saved(
        "of the model's parameters those of towers for images and sound, with what joins them to the decoder"
    )
    tower_adapter_widths: float = _saved("inputs plus outputs of all matrices in them, 0 where not known")
    tower_hidden_size: float = _saved("width of a tower for images")
    tower_layers: float = _saved("its layers")
    tower_intermediate_size: float = _saved("width of its MLPs")
    tower_mlp_values: float = _saved(
        "tensors of that width that a layer keeps: 2, 3 with CLIP's GELU, 4 with a gate (and RMS norms)"
    )
    tower_patches: float = _saved("patches of an image of its own size; of 768 x 768 pixels where any size will do")
    tower_patch_area: float = _saved("pixels of a patch where images are of any size, or cut into tiles, 0 otherwise")
    tower_fused_qkv: bool = _saved_switch("one matrix makes its queries, keys and values")
    tower_scales: bool = _saved_switch("a trained vector scales what its sublayers answer")
    tower_shares_output: bool = _saved_switch("its output projections are called o_proj")
    tower_asks_gradient: bool = _saved_switch(
        "its first layer's input asks for a gradient, too, where that of the decoder's does"
    )
    is_decoder: bool = switch(True, "a token sees those before it; an encoder serves without a cache and logits", HF)
    pools: bool = _switch("made to answer with a vector or a score: an embedder, a reranker")
    audio_seconds: float = _count("sound that an encoder reads at once, 0 for text", unit="s")
    is_encoder_decoder: bool = _switch("an encoder and a decoder, each sublayer a layer")
    hidden_act: str = choice(
        "silu", "activation_functions", "activation function of the MLP", source=HF, workload=SAVED
    )
    norm: str = choice("rmsnorm", "norms", "kind of norm", source=HF, workload=SAVED)
    fused_qkv: bool = _saved_switch("query, key and value are one projection")
    fused_gate_up: bool = _saved_switch("gate and up are one projection")
    norms_after_sublayers: bool = _saved_switch(
        "a layer's norms read what attention and MLP answer, none its input (OLMo 2, EXAONE 4)"
    )
    parallel_residual: bool = _saved_switch("attention and MLP read the same residual stream")
    value_keeps_projections: bool = _saved_switch(
        "values are a view of the fused projection while queries and keys are rotated into others"
    )
    head_major_query: bool = _saved_switch(
        "rotated queries lie head by head, so attention's output is copied for its projection"
    )
    routes_densely: bool = _saved_switch("in transformers' code every routed expert computes every token")
    router_in_fp32: bool = _saved_switch("the router multiplies in FP32 and saves its input so")
    routing_weights_in_fp32: bool = _saved_switch("the experts' answers are weighted in FP32")
    softmax_in_fp32: bool = switch(True, "unfused attention computes its softmax in FP32", HF, SAVED)
    softmax_type_named: bool = _saved_switch("its code names that type, so that autocast leaves it")
    scores_in_fp32: bool = _saved_switch("unfused attention multiplies queries and keys in FP32")
    gives_causal_mask: bool = _saved_switch("its code gives fused attention a causal mask")
    unfused_attention: bool = _saved_switch("its code in transformers has no fused attention, whatever is asked for")
    distance_rows: float = _saved("rows of the table of distances that a layer projects for its scores, 0 without")
    distance_rows_follow: bool = _saved_switch("of those no more than two for each token of a sequence are projected")
    distance_terms: float = _saved(
        "kinds of scores that are taken from that table: content to position, position to content"
    )
    distance_biases: float = _saved(
        "tables of biases by distance that all layers share, one number for each head, query and key"
    )
    distance_index_layers: float = _saved(
        "layers that look biases by distance up, each keeping an index for every query and key"
    )
    distance_biases_repeated: bool = _saved_switch("those are copied for each sequence of a batch")
    repeats_key_values: bool = _switch("its code repeats keys and values to all heads")
    attention_softcap: bool = _saved_switch(
        "scores are capped by a tanh, or summed beside their softmax: one more tensor is kept"
    )
    logit_softcap: bool = _saved_switch("logits are capped by a tanh")
    loss_in_logit_dtype: bool = _saved_switch(
        "its code takes cross-entropy of logits in their own type, not in FP32 (BERT, T5, BART)"
    )
