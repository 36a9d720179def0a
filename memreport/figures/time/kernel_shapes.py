"""Sizes of a model's kernels on one GPU, over all its layers: weights, and values in and out per token."""

from memreport.figures.constants import KEY_AND_VALUE, ONE_TOKEN, TWO
from memreport.figures.constants.times import RESIDUAL_SUMS
from memreport.figures.quantities import Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("L_ar")
def rank_attention_layers(attention_layers: Count, stage_share: Share) -> Count:
    """Attention layers on one GPU, in the mean over uneven stages.  Source: arXiv:2104.04473, section 2."""
    return attention_layers * stage_share


@figure("D_c")
def key_value_width(
    kv_lora_rank: Count, qk_rope_head_dim: Count, key_value_size: Count, tensor_parallel_size: Count
) -> Count:
    """Width of what a layer caches of one token on one GPU; a latent is not cut.  Source: HF modelling code."""
    return where(
        kv_lora_rank > 0, kv_lora_rank + qk_rope_head_dim, KEY_AND_VALUE * key_value_size / tensor_parallel_size
    )


@figure("W_qkv")
def qkv_projection_weights(
    rank_attention_layers: Count,
    query_matrix_parameters: Count,
    key_value_matrix_parameters: Count,
    num_linear_attention_layers: Count,
    linear_attention_parameters: Count,
    stage_share: Share,
    tensor_parallel_size: Count,
    nominal_factor: Count,
) -> Count:
    """Query, key and value matrices, and those of linear-attention layers.  Source: HF modelling code."""
    return (
        nominal_factor
        * (
            rank_attention_layers * (query_matrix_parameters + key_value_matrix_parameters)
            + num_linear_attention_layers * linear_attention_parameters * stage_share
        )
        / tensor_parallel_size
    )


@figure("x_qkv")
def qkv_projection_inputs(hidden_size: Count, layers_per_stage: Count) -> Count:
    """Values per token that these matrices read.  Source: HF modelling code."""
    return hidden_size * layers_per_stage


@figure("y_qkv")
def qkv_projection_outputs(
    rank_attention_layers: Count, query_size: Count, tensor_parallel_size: Count, key_value_width: Count
) -> Count:
    """Values per token that these matrices write.  Source: HF modelling code."""
    return rank_attention_layers * (query_size / tensor_parallel_size + key_value_width)


@figure("W_o")
def output_projection_weights(
    rank_attention_layers: Count, output_matrix_parameters: Count, tensor_parallel_size: Count, nominal_factor: Count
) -> Count:
    """Output matrices of attention.  Source: HF modelling code."""
    return nominal_factor * rank_attention_layers * output_matrix_parameters / tensor_parallel_size


@figure("x_o")
def output_projection_inputs(rank_attention_layers: Count, value_size: Count, tensor_parallel_size: Count) -> Count:
    """Values per token that leave attention.  Source: HF modelling code."""
    return rank_attention_layers * value_size / tensor_parallel_size


@figure("y_o")
def output_projection_outputs(rank_attention_layers: Count, hidden_size: Count) -> Count:
    """Values per token that the output matrices write.  Source: HF modelling code."""
    return rank_attention_layers * hidden_size


@figure("F_rank")
def rank_mlp_width(
    dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    num_experts_per_tok: Count,
    moe_intermediate_size: Count,
    shared_expert_intermediate_size: Count,
    stage_share: Share,
    tensor_parallel_size: Count,
) -> Count:
    """MLP widths that one token passes through, added over the layers.  Source: arXiv:2401.04088, section 2.1."""
    return (
        (
            dense_layers * intermediate_size
            + mixture_layers * (num_experts_per_tok * moe_intermediate_size + shared_expert_intermediate_size)
        )
        * stage_share
        / tensor_parallel_size
    )


@figure("W_mlp")
def mlp_weights(
    mlp_matrix_parameters: Count,
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    stage_share: Share,
    tensor_parallel_size: Count,
    nominal_factor: Count,
) -> Count:
    """MLP matrices that one GPU holds, every expert of its own included.  Source: arXiv:2006.16668."""
    return (
        nominal_factor
        * (mlp_matrix_parameters - routed_expert_parameters + routed_expert_parameters / expert_parallel_size)
        * stage_share
        / tensor_parallel_size
    )


@figure("W_mlpa")
def active_mlp_weights(
    active_matrix_parameters: Count,
    attention_matrix_parameters: Count,
    stage_share: Share,
    tensor_parallel_size: Count,
    nominal_factor: Count,
) -> Count:
    """MLP matrices that one token is multiplied with.  Source: arXiv:2401.04088, section 2.1."""
    return (
        nominal_factor * (active_matrix_parameters - attention_matrix_parameters) * stage_share / tensor_parallel_size
    )


@figure("x_mlp")
def mlp_inputs(hidden_size: Count, layers_per_stage: Count, rank_mlp_width: Count) -> Count:
    """Values per token that the MLP's matrices read.  Source: HF code."""
    return hidden_size * layers_per_stage + rank_mlp_width


@figure("y_mlp")
def mlp_outputs(hidden_size: Count, layers_per_stage: Count, rank_mlp_width: Count, mlp_matrices: Count) -> Count:
    """Values per token that the MLP's matrices write: gate, up and down.  Source: HF modelling code."""
    return hidden_size * layers_per_stage + rank_mlp_width * (mlp_matrices - 1)


@figure("n_norm")
def norm_values(norms_per_layer: Count, layers_per_stage: Count, final_norms: Count, hidden_size: Count) -> Count:
    """Values per token that norms read, and write.  Source: HF modelling code."""
    return (norms_per_layer * layers_per_stage + final_norms) * hidden_size


@figure("x_pw")
def pointwise_inputs(
    hidden_size: Count,
    layers_per_stage: Count,
    qkv_projection_outputs: Count,
    rank_mlp_width: Count,
    mlp_matrices: Count,
) -> Count:
    """Values per token that sums, rotation, activation read.  Source: HF code."""
    return (
        hidden_size * layers_per_stage * RESIDUAL_SUMS * TWO
        + qkv_projection_outputs
        + rank_mlp_width * (mlp_matrices - 1)
    )


@figure("y_pw")
def pointwise_outputs(
    hidden_size: Count, layers_per_stage: Count, qkv_projection_outputs: Count, rank_mlp_width: Count
) -> Count:
    """Values per token that element-wise kernels write.  Source: HF modelling code."""
    return hidden_size * layers_per_stage * RESIDUAL_SUMS + qkv_projection_outputs + rank_mlp_width


@figure("x_qk", workload="training")
def rank_query_key_values(
    rank_attention_layers: Count, query_size: Count, key_value_size: Count, tensor_parallel_size: Count
) -> Count:
    """Values per token of queries and keys on one GPU, over its layers.  Source: 001 'Tensor Parallelism'."""
    return rank_attention_layers * (query_size + key_value_size) / tensor_parallel_size


@figure("x_nt", workload="training", source="arXiv:2205.05198, section 4.2.2; of queries and keys: HF `Qwen3Attention`")
def rank_norm_values(
    norm_values: Count, sequence_shards: Count, qk_norm_share: Share, rank_query_key_values: Count
) -> Count:
    """Values per token that norms of one GPU read: tensor ranks have a part each of sequences that are cut."""
    return norm_values / sequence_shards + qk_norm_share * rank_query_key_values


@figure("x_rs", workload="training", source="arXiv:2205.05198, section 4.2.2")
def residual_values(hidden_size: Count, layers_per_stage: Count, sequence_shards: Count) -> Count:
    """Hidden values per token of other tensor ranks' parts, which residual sums and casts leave to them."""
    return hidden_size * layers_per_stage * RESIDUAL_SUMS * (1 - 1 / sequence_shards)


@figure("x_pt", workload="training")
def rank_pointwise_inputs(pointwise_inputs: Count, residual_values: Count) -> Count:
    """Values per token that element-wise kernels of one GPU read in training.  Source: difference."""
    return pointwise_inputs - TWO * residual_values


@figure("y_pt", workload="training")
def rank_pointwise_outputs(pointwise_outputs: Count, residual_values: Count) -> Count:
    """Values per token that they write.  Source: difference."""
    return pointwise_outputs - residual_values


@figure("T_r", workload="training")
def rank_tokens_per_step(tokens_per_micro_batch: Tokens, gradient_accumulation_steps: Count) -> Tokens:
    """Tokens that one GPU works on in a step.  Source: 003 'Gradient Accumulation'."""
    return tokens_per_micro_batch * gradient_accumulation_steps


@figure("S_w", workload="training")
def windowed_tokens(
    sequence_length: Tokens,
    sliding_window: Tokens,
    attention_computed_share: Share,
    windows_as_masks: Switch,
    scores_stored: Switch,
) -> Tokens:
    """Keys that a query meets in a layer with a window: all where it is a mask.  Source: HF `sdpa_mask`."""
    return where(
        larger(windows_as_masks, scores_stored) * (sequence_length >= sliding_window) > 0,
        sequence_length,
        smaller(sequence_length * attention_computed_share, sliding_window),
    )


@figure("S_a", workload="training")
def attended_tokens(
    attention_layers: Count,
    num_sliding_window_layers: Count,
    sequence_length: Tokens,
    attention_computed_share: Share,
    windowed_tokens: Tokens,
    stage_share: Share,
) -> Tokens:
    """Keys that a query meets on average, added over the GPU's layers.  Source: arXiv:2307.08691, 3.1."""
    return stage_share * (
        (attention_layers - num_sliding_window_layers) * sequence_length * attention_computed_share
        + num_sliding_window_layers * windowed_tokens
    )


@figure("n_sc", workload="training", source="arXiv:2205.14135 (FlashAttention), section 3")
def score_values(
    scores_stored: Switch,
    rank_tokens_per_step: Tokens,
    sequence_length: Tokens,
    num_attention_heads: Count,
    rank_attention_layers: Count,
    tensor_parallel_size: Count,
) -> Count:
    """Attention scores that an unfused kernel writes to memory; flash attention writes none."""
    return (
        scores_stored
        * (rank_tokens_per_step / ONE_TOKEN)
        * (sequence_length / ONE_TOKEN)
        * num_attention_heads
        * rank_attention_layers
        / tensor_parallel_size
    )


@figure("W_h", workload="training")
def head_weights(used_head_parameters: Count, tensor_parallel_size: Count) -> Count:
    """The head's matrix on the GPU that holds it.  Source: HF modelling code."""
    return used_head_parameters / tensor_parallel_size


@figure("y_h", workload="training")
def head_outputs(vocab_size: Count, makes_logits: Switch, tensor_parallel_size: Count) -> Count:
    """Logits per token on one GPU.  Source: HF modelling code."""
    return makes_logits * vocab_size / tensor_parallel_size
