"""Matrices of a model: what is quantised, adapted and multiplied with, without norms and biases."""

from memreport.figures.quantities import Count
from memreport.formula.recording import figure


@figure("P_hm")
def head_matrix_parameters(embedding_parameters: Count) -> Count:
    """The matrix that the head multiplies with, tied or not, is as large as the embedding.  Source: equality."""
    return embedding_parameters


@figure("P_attm")
def attention_matrix_parameters(
    attention_parameters: Count,
    attention_layers: Count,
    attention_bias_parameters: Count,
    attention_norm_parameters: Count,
    num_shared_indexer_layers: Count,
    indexer_norm_parameters: Count,
) -> Count:
    """Matrices of attention in all layers, without biases and norms.  Source: HF modelling code."""
    return (
        attention_parameters
        - attention_layers * (attention_bias_parameters + attention_norm_parameters)
        + num_shared_indexer_layers * indexer_norm_parameters
    )


@figure("P_mlpm")
def mlp_matrix_parameters(
    mlp_matrices: Count,
    hidden_size: Count,
    dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    num_local_experts: Count,
    moe_intermediate_size: Count,
    shared_expert_intermediate_size: Count,
) -> Count:
    """Matrices of MLPs and experts in all layers, without routers and biases.  Source: HF modelling code."""
    return (
        mlp_matrices
        * hidden_size
        * (
            dense_layers * intermediate_size
            + mixture_layers * (num_local_experts * moe_intermediate_size + shared_expert_intermediate_size)
        )
    )


@figure("P_mat")
def matrix_parameters(attention_matrix_parameters: Count, mlp_matrix_parameters: Count) -> Count:
    """The matrices that quantisation and low-rank adapters act on.  Source: arXiv:2305.14314 (QLoRA), section 3."""
    return attention_matrix_parameters + mlp_matrix_parameters


@figure("P_stm")
def stored_matrix_parameters(matrix_parameters: Count, reused_parameters: Count) -> Count:
    """The same as they are stored: once where layers share them.  Source: HF `AlbertModel`, `Zamba2HybridLayer`."""
    return matrix_parameters - reused_parameters


@figure("P_actm")
def active_matrix_parameters(
    matrix_parameters: Count,
    mlp_matrices: Count,
    hidden_size: Count,
    mixture_layers: Count,
    num_local_experts: Count,
    num_experts_per_tok: Count,
    moe_intermediate_size: Count,
) -> Count:
    """Matrices of the layers that one token is multiplied with.  Source: arXiv:2401.04088, section 2.1."""
    return matrix_parameters - (
        mlp_matrices * hidden_size * mixture_layers * (num_local_experts - num_experts_per_tok) * moe_intermediate_size
    )
