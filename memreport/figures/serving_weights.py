"""Weights as a serving engine loads them: quantised where the format says so, the rest in 16 bit."""

from __future__ import annotations

from memreport.figures.quantities import Bytes, Count, Share
from memreport.formula.recording import figure


@figure("P_rm")
def rank_matrix_parameters(
    matrix_parameters: Count,
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    stage_share: Share,
    expert_stage_share: Share,
    tensor_parallel_size: Count,
) -> Count:
    """Matrices of the layers on one accelerator.  Source: arXiv:1909.08053, section 3; arXiv:2006.16668, section 2."""
    return (
        (matrix_parameters - routed_expert_parameters) * stage_share
        + routed_expert_parameters / expert_parallel_size * expert_stage_share
    ) / tensor_parallel_size


@figure("P_ra")
def rank_attention_parameters(
    attention_matrix_parameters: Count, stage_share: Share, tensor_parallel_size: Count
) -> Count:
    """Of these, the matrices of attention.  Source: arXiv:1909.08053, section 3."""
    return attention_matrix_parameters * stage_share / tensor_parallel_size


@figure("M_wm")
def matrix_weight_bytes(
    rank_matrix_parameters: Count,
    rank_attention_parameters: Count,
    weight_element_bytes: Bytes,
    attention_element_bytes: Bytes,
) -> Bytes:
    """Matrices of the layers on one accelerator; a format may quantise the experts and leave attention alone.

    Source: arXiv:2305.14314; gpt-oss model card, MXFP4 for the experts.
    """
    return (
        rank_matrix_parameters - rank_attention_parameters
    ) * weight_element_bytes + rank_attention_parameters * attention_element_bytes


@figure("M_wo")
def other_weight_bytes(rank_parameters: Count, rank_matrix_parameters: Count, other_element_bytes: Bytes) -> Bytes:
    """Embeddings, norms, biases and head, which quantisation leaves alone.  Source: arXiv:2305.14314, section 3."""
    return (rank_parameters - rank_matrix_parameters) * other_element_bytes


@figure("M_w")
def weight_bytes(matrix_weight_bytes: Bytes, other_weight_bytes: Bytes) -> Bytes:
    """Weights on one accelerator.  Source: 001 'Training vs Inference Memory Profile'."""
    return matrix_weight_bytes + other_weight_bytes


@figure("M_wall")
def model_weight_bytes(
    mlp_matrix_parameters: Count,
    weight_element_bytes: Bytes,
    attention_matrix_parameters: Count,
    attention_element_bytes: Bytes,
    parameters: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """Weights of the whole model, before it is cut.  Source: 001 'Training vs Inference Memory Profile'."""
    return (
        mlp_matrix_parameters * weight_element_bytes
        + attention_matrix_parameters * attention_element_bytes
        + (parameters - mlp_matrix_parameters - attention_matrix_parameters) * other_element_bytes
    )


FIGURES = (
    rank_matrix_parameters,
    rank_attention_parameters,
    matrix_weight_bytes,
    other_weight_bytes,
    weight_bytes,
    model_weight_bytes,
)
