"""The stage of a pipeline that holds most, by which a step is judged, and the peak of each of the three kinds."""

from __future__ import annotations

from memreport.figures.constants import TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where

STAGES = ("the first stage", "a middle stage", "the last stage")


def _of(stage: float, first: float, middle: float, last: float) -> float:
    """What belongs to the stage of that number."""
    return (stage <= 1) * first + (stage > 1) * (stage <= TWO) * middle + (stage > TWO) * last


def _parameters(layers: float, mixtures: float, edge: float, of: tuple[float, ...]) -> float:
    """Parameters of so many layers, so many of them mixtures, and an end of the model."""
    inner, routed, size, all_layers, all_mixtures = of
    return (
        (inner - routed) * layers / all_layers
        + routed / size * smaller(mixtures, all_mixtures) / larger(all_mixtures, 1)
        + edge
    )


@figure("n_1mx", workload="training")
def first_stage_mixtures(
    first_stage_layers: Count, dense_layers: Count, mixture_layers: Count, num_hidden_layers: Count
) -> Count:
    """Mixture layers of the first stage: dense layers come first, unless they are too many for that.

    Source: HF config `first_k_dense_replace`.
    """
    return where(
        dense_layers < first_stage_layers,
        first_stage_layers - dense_layers,
        first_stage_layers * mixture_layers / num_hidden_layers,
    )


@figure("P_s1", workload="training")
def first_stage_parameters(
    first_stage_layers: Count,
    first_stage_mixtures: Count,
    first_edge_parameters: Count,
    inner_parameters: Count,
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    num_hidden_layers: Count,
    mixture_layers: Count,
    stage_copies: Count,
) -> Count:
    """Parameters of the first stage after expert parallelism.  Source: arXiv:2104.04473, section 2.2."""
    return _parameters(
        first_stage_layers * stage_copies,
        first_stage_mixtures * stage_copies,
        first_edge_parameters,
        (inner_parameters, routed_expert_parameters, expert_parallel_size, num_hidden_layers, mixture_layers),
    )


@figure("P_s2", workload="training")
def middle_stage_parameters(
    middle_stage_layers: Count,
    inner_parameters: Count,
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    num_hidden_layers: Count,
    mixture_layers: Count,
    stage_copies: Count,
) -> Count:
    """Parameters of a middle stage after expert parallelism.  Source: arXiv:2104.04473, section 2.2."""
    return _parameters(
        middle_stage_layers * stage_copies,
        middle_stage_layers * stage_copies,
        0,
        (inner_parameters, routed_expert_parameters, expert_parallel_size, num_hidden_layers, mixture_layers),
    )


@figure("P_sp", workload="training")
def last_stage_parameters(
    last_stage_layers: Count,
    last_edge_parameters: Count,
    inner_parameters: Count,
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    num_hidden_layers: Count,
    mixture_layers: Count,
    stage_copies: Count,
) -> Count:
    """Parameters of the last stage after expert parallelism.  Source: arXiv:2104.04473, section 2.2."""
    return _parameters(
        last_stage_layers * stage_copies,
        last_stage_layers * stage_copies,
        last_edge_parameters,
        (inner_parameters, routed_expert_parameters, expert_parallel_size, num_hidden_layers, mixture_layers),
    )


@figure("M_sw", workload="training", basis="measured")
def stage_working_bytes(
    counts_saved_tensors: Switch,
    tokens_per_micro_batch: Tokens,
    checkpoint_interval_layers: Count,
    layer_activation_bytes_per_token: BytesPerToken,
    kept_product_bytes: BytesPerToken,
    mlp_backward_bytes_per_token: BytesPerToken,
    residual_gradient_bytes: Bytes,
) -> Bytes:
    """What a layer's backward pass works on, the same in every stage.  Source: torch 2.13, tensors counted."""
    return (
        tokens_per_micro_batch
        * (
            checkpoint_interval_layers * larger(layer_activation_bytes_per_token - kept_product_bytes, 0)
            + counts_saved_tensors * mlp_backward_bytes_per_token
        )
        + residual_gradient_bytes
    )


@figure("M_s1", workload="training")
def first_stage_bytes(
    first_stage_parameters: Count,
    state_bytes_per_parameter: Bytes,
    tensor_parallel_size: Count,
    first_stage_layers: Count,
    stage_copies: Count,
    micro_batches_in_flight: Count,
    stored_layer_bytes: Bytes,
    stage_working_bytes: Bytes,
    first_stage_loss_bytes: Bytes,
) -> Bytes:
    """What the first stage holds: states, stored activations, and a backward pass or the loss.  Source: sum."""
    return (
        first_stage_parameters * state_bytes_per_parameter / tensor_parallel_size
        + first_stage_layers * stage_copies * micro_batches_in_flight * stored_layer_bytes
        + larger(stage_working_bytes, first_stage_loss_bytes)
    )


@figure("M_sl1", workload="training")
def first_stage_loss_bytes(
    pipeline_parallel_size: Count, joins_edges: Switch, logits_bytes: Bytes, edge_activation_bytes: Bytes
) -> Bytes:
    """Logits where the first stage has the head too: without a pipeline, or in a V.  Source: arXiv:2405.15362."""
    return larger(pipeline_parallel_size <= 1, joins_edges) * (logits_bytes + edge_activation_bytes)


@figure("M_s2", workload="training")
def middle_stage_bytes(
    middle_stage_parameters: Count,
    state_bytes_per_parameter: Bytes,
    tensor_parallel_size: Count,
    middle_stage_layers: Count,
    stage_copies: Count,
    middle_stage_micro_batches: Count,
    stored_layer_bytes: Bytes,
    stage_working_bytes: Bytes,
) -> Bytes:
    """What a middle stage holds, nothing where there is none.  Source: sum."""
    return where(
        middle_stage_layers > 0,
        middle_stage_parameters * state_bytes_per_parameter / tensor_parallel_size
        + middle_stage_layers * stage_copies * middle_stage_micro_batches * stored_layer_bytes
        + stage_working_bytes,
        0,
    )


@figure("M_sp", workload="training")
def last_stage_bytes(
    last_stage_parameters: Count,
    state_bytes_per_parameter: Bytes,
    tensor_parallel_size: Count,
    last_stage_layers: Count,
    stage_copies: Count,
    last_stage_micro_batches: Count,
    stored_layer_bytes: Bytes,
    stage_working_bytes: Bytes,
    joins_edges: Switch,
    logits_bytes: Bytes,
    edge_activation_bytes: Bytes,
) -> Bytes:
    """What the last stage holds: states, stored activations, and the loss or a backward pass.  Source: sum."""
    return (
        last_stage_parameters * state_bytes_per_parameter / tensor_parallel_size
        + last_stage_layers * stage_copies * last_stage_micro_batches * stored_layer_bytes
        + larger(stage_working_bytes, (1 - joins_edges) * (logits_bytes + edge_activation_bytes))
    )


@figure("n_stg", workload="training", labels=STAGES, title="Stage of the peak")
def peak_stage(
    pipeline_parallel_size: Count, first_stage_bytes: Bytes, middle_stage_bytes: Bytes, last_stage_bytes: Bytes
) -> Count:
    """Which stage holds most, and is the one that the peak is of; the first where there is no pipeline.

    Source: comparison.
    """
    return 1 + (pipeline_parallel_size > 1) * (first_stage_bytes < larger(middle_stage_bytes, last_stage_bytes)) * (
        1 + (last_stage_bytes >= middle_stage_bytes)
    )


@figure("o_log", workload="training")
def holds_logits(pipeline_parallel_size: Count, peak_stage: Count, joins_edges: Switch) -> Switch:
    """1 where the stage of the peak has the head and the loss.  Source: arXiv:2104.04473, section 2.2."""
    return where(pipeline_parallel_size <= 1, 1, _of(peak_stage, joins_edges, 0, 1 - joins_edges))


@figure("L_h", workload="training")
def held_layers(
    peak_stage: Count,
    first_stage_layers: Count,
    middle_stage_layers: Count,
    last_stage_layers: Count,
    stage_copies: Count,
) -> Count:
    """Layers of the stage of the peak.  Source: choice."""
    return _of(peak_stage, first_stage_layers, middle_stage_layers, last_stage_layers) * stage_copies


@figure("n_hfl", workload="training")
def held_micro_batches(
    peak_stage: Count,
    micro_batches_in_flight: Count,
    middle_stage_micro_batches: Count,
    last_stage_micro_batches: Count,
) -> Count:
    """Micro-batches whose activations the stage of the peak keeps.  Source: choice."""
    return _of(peak_stage, micro_batches_in_flight, middle_stage_micro_batches, last_stage_micro_batches)


@figure("P_edge", workload="training")
def edge_parameters(peak_stage: Count, first_edge_parameters: Count, last_edge_parameters: Count) -> Count:
    """Embeddings and head that the stage of the peak holds.  Source: arXiv:2104.04473, section 2.2."""
    return _of(peak_stage, first_edge_parameters, 0, last_edge_parameters)


@figure("f_es", workload="training")
def expert_stage_share(
    peak_stage: Count,
    first_stage_mixtures: Count,
    middle_stage_layers: Count,
    last_stage_layers: Count,
    mixture_layers: Count,
    stage_copies: Count,
) -> Share:
    """Share of the mixture layers in the stage of the peak: dense layers come first.

    Source: HF config `first_k_dense_replace`; arXiv:2104.04473, section 2.2.
    """
    return (
        smaller(
            _of(peak_stage, first_stage_mixtures, middle_stage_layers, last_stage_layers) * stage_copies,
            mixture_layers,
        )
        / larger(mixture_layers, 1)
    )  # fmt: skip


@figure("P_stage", workload="training")
def stage_parameters(
    peak_stage: Count, first_stage_parameters: Count, middle_stage_parameters: Count, last_stage_parameters: Count
) -> Count:
    """Parameters of the stage of the peak after expert parallelism.  Source: arXiv:2006.16668 (GShard), section 2."""
    return _of(peak_stage, first_stage_parameters, middle_stage_parameters, last_stage_parameters)


@figure("M_pk1", workload="training", title="Peak of the first stage")
def first_stage_peak_bytes(
    peak_bytes: Bytes, first_stage_bytes: Bytes, middle_stage_bytes: Bytes, last_stage_bytes: Bytes
) -> Bytes:
    """Peak of a GPU of the first stage: the largest, less what that stage holds more.  Source: difference."""
    return peak_bytes - larger(first_stage_bytes, middle_stage_bytes, last_stage_bytes) + first_stage_bytes


@figure("M_pk2", workload="training", title="Peak of a middle stage")
def middle_stage_peak_bytes(
    peak_bytes: Bytes, first_stage_bytes: Bytes, middle_stage_bytes: Bytes, last_stage_bytes: Bytes
) -> Bytes:
    """Peak of a GPU of a middle stage, nothing where there is none.  Source: difference."""
    return where(
        middle_stage_bytes > 0,
        peak_bytes - larger(first_stage_bytes, middle_stage_bytes, last_stage_bytes) + middle_stage_bytes,
        0,
    )


@figure("M_pkp", workload="training", title="Peak of the last stage")
def last_stage_peak_bytes(
    peak_bytes: Bytes, first_stage_bytes: Bytes, middle_stage_bytes: Bytes, last_stage_bytes: Bytes
) -> Bytes:
    """Peak of a GPU of the last stage.  Source: difference."""
    return peak_bytes - larger(first_stage_bytes, middle_stage_bytes, last_stage_bytes) + last_stage_bytes
