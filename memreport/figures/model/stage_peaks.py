"""The stage of a pipeline that holds most, by which a step is judged, and the peak of each of the three kinds."""

from memreport.figures.constants import NO_LOGITS_BYTES, ONE_TOKEN, TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import FigureRows, figure
from memreport.formula.words import larger, smaller, where

STAGES = ("the first stage", "a middle stage", "the last stage")
KINDS = ("first", "middle", "last")


def _of(stage: float, first: float, middle: float, last: float) -> float:
    """What belongs to the stage of that number."""
    return where(stage <= 1, first, where(stage <= TWO, middle, last))


@figure("n_1mx", workload="training", source="HF config `first_k_dense_replace`")
def first_stage_mixtures(
    first_stage_layers: Count, dense_layers: Count, mixture_layers: Count, num_hidden_layers: Count
) -> Count:
    """Mixture layers of the first stage: dense layers come first, unless they are too many for that."""
    return where(
        dense_layers < first_stage_layers,
        first_stage_layers - dense_layers,
        first_stage_layers * mixture_layers / num_hidden_layers,
    )


@figure("P_em", workload="training")
def middle_edge_parameters() -> Count:
    """Embeddings and head of a middle stage: none.  Source: arXiv:2104.04473, section 2.2."""
    return 0


@figure("L_g", workload="training", family=True)
def layers_of_gpu(layers: Count, mirrored: Count, stage_copies: Count) -> Count:
    """Layers of a stage, and of the one as far from the other end where a GPU holds both.

    Source: arXiv:2412.19437, section 3.2.1 (DualPipe): the first stage and the last on one GPU.
    """
    return layers + (stage_copies - 1) * mirrored


def _held(of: str) -> FigureRows:
    """What a GPU of the first, a middle or the last stage holds of layers, or of mixtures."""
    names = {kind: f"{kind}_stage_{'mixtures' if of == 'mixtures' and kind == 'first' else 'layers'}" for kind in KINDS}
    return FigureRows(
        layers_of_gpu.row(
            f"{kind}_held_{of}",
            f"{'L' if of == 'layers' else 'n'}_{'gx'[of == 'mixtures']}{kind[0]}",
            f"{of.capitalize()} of a GPU of {stage}, with those of the stage that it holds beside it.  "
            "Source: arXiv:2412.19437, section 3.2.1.",
            {"layers": names[kind], "mirrored": names[other]},
        )
        for kind, other, stage in zip(KINDS, reversed(KINDS), STAGES, strict=True)
    )


HELD_LAYERS, HELD_MIXTURES = _held("layers"), _held("mixtures")


@figure("P_dsu", workload="training", source="HF config `first_k_dense_replace`")
def leading_dense_surplus_parameters(
    num_interleaved_dense_layers: Count,
    mixture_layers: Count,
    dense_mlp_parameters: Count,
    router_parameters: Count,
    shared_expert_parameters: Count,
) -> Count:
    """What a dense layer has beyond a mixture without its routed experts, where dense layers come first."""
    return (
        (num_interleaved_dense_layers <= 0)
        * (mixture_layers > 0)
        * (dense_mlp_parameters - router_parameters - shared_expert_parameters)
    )


@figure("P_s", workload="training", family=True)
def parameters_of_stage(
    gpu_layers: Count,
    gpu_mixtures: Count,
    edge_parameters: Count,
    inner_parameters: Count,
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    num_hidden_layers: Count,
    mixture_layers: Count,
    dense_layers: Count,
    leading_dense_surplus_parameters: Count,
) -> Count:
    """Parameters of so many layers, so many of them mixtures, and an end of the model.  Source: sum."""
    return (
        (inner_parameters - routed_expert_parameters) * gpu_layers / num_hidden_layers
        + leading_dense_surplus_parameters
        * (larger(gpu_layers - gpu_mixtures, 0) - dense_layers * gpu_layers / num_hidden_layers)
        + where(
            mixture_layers > 0,
            routed_expert_parameters / expert_parallel_size
            * smaller(gpu_mixtures, mixture_layers) / larger(mixture_layers, 1),
            0,
        )
        + edge_parameters
    )  # fmt: skip


def _bound(kind: str) -> dict[str, str]:
    """What the formulas of a stage read of the first, a middle or the last one."""
    kept = "micro_batches_in_flight" if kind == "first" else f"{kind}_stage_micro_batches"
    own = {name: f"{kind}_stage_{name}" for name in ("layers", "parameters", "loss_bytes")}
    own |= {"stage_bytes": f"{kind}_stage_bytes", "micro_batches": kept}
    own |= {f"gpu_{of}": f"{kind}_held_{of}" for of in ("layers", "mixtures")}
    return {**own, "edge_parameters": f"{kind}_edge_parameters"}


PARAMETERS = FigureRows(
    parameters_of_stage.row(
        f"{kind}_stage_parameters",
        symbol,
        f"Parameters of {stage} after expert parallelism.  Source: arXiv:2104.04473, section 2.2.",
        _bound(kind),
    )
    for kind, symbol, stage in zip(KINDS, ("P_s1", "P_s2", "P_sp"), STAGES, strict=True)
)


@figure("M_sw", workload="training", basis="measured")
def stage_working_bytes(
    counts_saved_tensors: Switch,
    tokens_per_micro_batch: Tokens,
    checkpoint_interval_layers: Count,
    layer_activation_bytes_per_token: BytesPerToken,
    kept_product_bytes: BytesPerToken,
    dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    routed_backward_width: Count,
    mlp_backward_element_bytes: Bytes,
    routed_backward_bytes: BytesPerToken,
    tensor_parallel_size: Count,
    residual_gradient_bytes: Bytes,
) -> Bytes:
    """What a layer's backward pass works on, the same in every stage.  Source: torch 2.13, counted."""
    return (
        tokens_per_micro_batch
        * (
            checkpoint_interval_layers * larger(layer_activation_bytes_per_token - kept_product_bytes, 0)
            + counts_saved_tensors
            * larger(
                larger((dense_layers > 0) * intermediate_size, (mixture_layers > 0) * routed_backward_width)
                * mlp_backward_element_bytes
                / ONE_TOKEN,
                routed_backward_bytes,
            )
            / tensor_parallel_size
        )
        + residual_gradient_bytes
    )


@figure("M_sl1", workload="training")
def first_stage_loss_bytes(
    pipeline_parallel_size: Count, joins_edges: Switch, logits_bytes: Bytes, edge_activation_bytes: Bytes
) -> Bytes:
    """Logits where the first stage has the head too: without a pipeline, or in a V.  Source: arXiv:2405.15362."""
    return larger(pipeline_parallel_size <= 1, joins_edges) * (logits_bytes + edge_activation_bytes)


@figure("M_sl2", workload="training")
def middle_stage_loss_bytes() -> Bytes:
    """Logits of a middle stage: none.  Source: arXiv:2104.04473, section 2.2."""
    return NO_LOGITS_BYTES


@figure("M_slp", workload="training")
def last_stage_loss_bytes(joins_edges: Switch, logits_bytes: Bytes, edge_activation_bytes: Bytes) -> Bytes:
    """Logits of the last stage, unless the first one has the head.  Source: arXiv:2104.04473, section 2.2."""
    return (1 - joins_edges) * (logits_bytes + edge_activation_bytes)


@figure("M_sms", workload="training", source="HF config `first_k_dense_replace`; torch 2.13, counted")
def stored_mixture_surplus_bytes(
    num_interleaved_dense_layers: Count,
    checkpointed_share: Share,
    tokens_per_micro_batch: Tokens,
    mixture_surplus_bytes: BytesPerToken,
) -> Bytes:
    """What a mixture layer stores of a micro-batch beyond a dense one, where dense layers come first."""
    return (
        (num_interleaved_dense_layers <= 0) * (1 - checkpointed_share)
        * (tokens_per_micro_batch * mixture_surplus_bytes)
    )  # fmt: skip


@figure("M_s", workload="training", family=True)
def bytes_of_stage(
    gpu_layers: Count,
    parameters: Count,
    micro_batches: Count,
    loss_bytes: Bytes,
    state_bytes_per_parameter: Bytes,
    tensor_parallel_size: Count,
    stored_layer_bytes: Bytes,
    stage_working_bytes: Bytes,
    gpu_mixtures: Count,
    mixture_layers: Count,
    num_hidden_layers: Count,
    stored_mixture_surplus_bytes: Bytes,
) -> Bytes:
    """States, stored activations, and a backward pass or the loss; nothing without layers.  Source: sum."""
    return where(
        gpu_layers > 0,
        parameters * state_bytes_per_parameter / tensor_parallel_size
        + micro_batches
        * (
            gpu_layers * stored_layer_bytes
            + (smaller(gpu_mixtures, mixture_layers) - gpu_layers * mixture_layers / num_hidden_layers)
            * stored_mixture_surplus_bytes
        )
        + larger(stage_working_bytes, loss_bytes),
        0,
    )


BYTES = FigureRows(
    bytes_of_stage.row(
        f"{kind}_stage_bytes",
        symbol,
        f"What {stage} holds: states, stored activations, and a backward pass or the loss.  Source: sum.",
        _bound(kind),
    )
    for kind, symbol, stage in zip(KINDS, ("M_s1", "M_s2", "M_sp"), STAGES, strict=True)
)


@figure("M_smx", workload="training")
def largest_stage_bytes(first_stage_bytes: Bytes, middle_stage_bytes: Bytes, last_stage_bytes: Bytes) -> Bytes:
    """What the stage of the peak holds.  Source: comparison."""
    return larger(first_stage_bytes, middle_stage_bytes, last_stage_bytes)


@figure("n_stg", workload="training", labels=STAGES, title="Stage of the peak", source="comparison")
def peak_stage(
    pipeline_parallel_size: Count, first_stage_bytes: Bytes, middle_stage_bytes: Bytes, last_stage_bytes: Bytes
) -> Count:
    """Which stage holds most, and is the one that the peak is of; the first where there is no pipeline."""
    return where(
        pipeline_parallel_size > 1,
        1 + (first_stage_bytes < larger(middle_stage_bytes, last_stage_bytes))
        * (1 + (last_stage_bytes >= middle_stage_bytes)),
        1,
    )  # fmt: skip


@figure("o_log", workload="training")
def holds_logits(pipeline_parallel_size: Count, peak_stage: Count, joins_edges: Switch) -> Switch:
    """1 where the stage of the peak has the head and the loss.  Source: arXiv:2104.04473, section 2.2."""
    return larger(pipeline_parallel_size <= 1, _of(peak_stage, joins_edges, 0, 1 - joins_edges))


@figure("L_h", workload="training")
def held_layers(
    peak_stage: Count, first_held_layers: Count, middle_held_layers: Count, last_held_layers: Count
) -> Count:
    """Layers of a GPU of the stage of the peak.  Source: choice."""
    return _of(peak_stage, first_held_layers, middle_held_layers, last_held_layers)


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
def edge_parameters(
    peak_stage: Count, first_edge_parameters: Count, middle_edge_parameters: Count, last_edge_parameters: Count
) -> Count:
    """Embeddings and head that the stage of the peak holds.  Source: arXiv:2104.04473, section 2.2."""
    return _of(peak_stage, first_edge_parameters, middle_edge_parameters, last_edge_parameters)


@figure("P_ph", workload="training")
def held_position_parameters(peak_stage: Count, position_parameters: Count) -> Count:
    """Position embedding of the stage of the peak: the first has it.  Source: arXiv:2104.04473, section 2.2."""
    return (peak_stage <= 1) * position_parameters


@figure("f_es", workload="training", source="HF config `first_k_dense_replace`; arXiv:2104.04473, section 2.2")
def expert_stage_share(
    peak_stage: Count,
    first_held_mixtures: Count,
    middle_held_mixtures: Count,
    last_held_mixtures: Count,
    mixture_layers: Count,
) -> Share:
    """Share of the mixture layers in the stage of the peak: dense layers come first."""
    return (
        smaller(_of(peak_stage, first_held_mixtures, middle_held_mixtures, last_held_mixtures), mixture_layers)
        / larger(mixture_layers, 1)
    )  # fmt: skip


@figure("P_stage", workload="training")
def stage_parameters(
    peak_stage: Count, first_stage_parameters: Count, middle_stage_parameters: Count, last_stage_parameters: Count
) -> Count:
    """Parameters of the stage of the peak after expert parallelism.  Source: arXiv:2006.16668 (GShard), section 2."""
    return _of(peak_stage, first_stage_parameters, middle_stage_parameters, last_stage_parameters)


@figure("M_pk", workload="training", family=True)
def peak_of_stage(peak_bytes: Bytes, largest_stage_bytes: Bytes, stage_bytes: Bytes) -> Bytes:
    """The largest peak, less what that stage holds more; nothing where there is no such stage.  Source: difference."""
    return where(stage_bytes > 0, peak_bytes - largest_stage_bytes + stage_bytes, 0)


PEAKS = FigureRows(
    peak_of_stage.row(
        f"{kind}_stage_peak_bytes",
        symbol,
        f"Peak of a GPU of {stage}: the largest, less what that stage holds more.  Source: difference.",
        _bound(kind),
        title=f"Peak of {stage}",
    )
    for kind, symbol, stage in zip(KINDS, ("M_pk1", "M_pk2", "M_pkp"), STAGES, strict=True)
)
