"""What the backward pass of a layer works on, dense or mixture, and which of the first and the last ones holds most."""

from collections.abc import Callable

from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import Figure, FigureRows, figure
from memreport.formula.words import larger, smaller, where

OWN = (
    "adapter_forward_bytes",
    "freed_bytes_per_token",
    "surplus_share",
    "mlp_gradient_bytes",
    "mlp_working_bytes",
    "input_norm_working_bytes",
    "attention_working_bytes",
    "backward_bytes",
)


def of_each_kind(name: str, words: str) -> Callable[[Figure], FigureRows]:
    """A formula for each kind of layer, whose name completes the words."""

    def rows(family: Figure) -> FigureRows:
        return FigureRows(
            family.row(
                f"{kind}_{name}",
                f"{family.symbol}{kind[0]}",
                f"{words} a {kind} layer.  Source: {family.source}",
                {own: f"{kind}_{own}" for own in OWN},
            )
            for kind in ("dense", "mixture")
        )

    return rows


@of_each_kind("mlp_gradient_bytes", "Gradients, made before attention's, of the MLP of")
@figure("M_mg", family=True, source="torch 2.13 memory tracker")
def mlp_gradient_of_kind(
    reduces_by_layer: Switch,
    layer_gradient_bytes: Bytes,
    mlp_parameters: Count,
    attention_parameters: Count,
    surplus_share: Count,
    mixture_surplus_gradient_bytes: Bytes,
) -> Bytes:
    """Gradients of one layer's MLP, made before its attention's, unless they are reduced with it."""
    return (1 - reduces_by_layer) * larger(
        layer_gradient_bytes * mlp_parameters / (attention_parameters + mlp_parameters)
        + surplus_share * mixture_surplus_gradient_bytes,
        0,
    )


@of_each_kind("freed_bytes_per_token", "What is free when the MLP is done in the backward pass of")
@figure("a_fr", basis="measured", family=True, source="torch 2.13, counted")
def freed_of_kind(
    freed_mlp_bytes_per_token: BytesPerToken, surplus_share: Count, mixture_surplus_bytes: BytesPerToken
) -> BytesPerToken:
    """What a layer's MLP and its routing have set free when they are done, of one kind."""
    return larger(freed_mlp_bytes_per_token + surplus_share * mixture_surplus_bytes, 0)


@of_each_kind("input_norm_working_bytes", "What is worked on at the first norm of")
@figure("M_in", basis="measured", family=True)
def input_norm_working_of_kind(
    reduces_by_layer: Switch,
    layer_gradient_bytes: Bytes,
    surplus_share: Count,
    mixture_surplus_gradient_bytes: Bytes,
    tokens_per_micro_batch: Tokens,
    input_norm_bytes_per_token: BytesPerToken,
    attention_adapter_forward_bytes: BytesPerToken,
    layer_activation_bytes_per_token: BytesPerToken,
    mixture_surplus_bytes: BytesPerToken,
) -> Bytes:
    """What the last step of a layer's backward pass, its first norm's, adds: all gradients, less all that is free.

    Or adapters of attention's inputs, forward.
    Source: torch 2.13, counted.
    """
    return larger(
        tokens_per_micro_batch
        * (attention_adapter_forward_bytes - layer_activation_bytes_per_token - surplus_share * mixture_surplus_bytes),
        (1 - reduces_by_layer) * (layer_gradient_bytes + surplus_share * mixture_surplus_gradient_bytes)
        + tokens_per_micro_batch
        * (input_norm_bytes_per_token - layer_activation_bytes_per_token - surplus_share * mixture_surplus_bytes),
        0,
    )


@of_each_kind("attention_working_bytes", "What is worked on at attention or a norm of")
@figure("M_ab", basis="measured", family=True, source="torch 2.13, counted")
def attention_working_of_kind(
    tokens_per_micro_batch: Tokens,
    score_backward_bytes_per_token: BytesPerToken,
    distance_backward_bytes: BytesPerToken,
    freed_bytes_per_token: BytesPerToken,
    freed_beside_mlp_bytes_per_token: BytesPerToken,
    norm_backward_bytes_per_token: BytesPerToken,
    attention_backward_bytes: Bytes,
    mlp_gradient_bytes: Bytes,
    output_gradient_bytes: Bytes,
    input_norm_working_bytes: Bytes,
) -> Bytes:
    """What one layer's backward pass adds at attention or at a norm, with the MLP's gradients, less its activations."""
    return larger(
        tokens_per_micro_batch
        * (
            score_backward_bytes_per_token
            + distance_backward_bytes
            - freed_bytes_per_token
            - freed_beside_mlp_bytes_per_token
        )
        + attention_backward_bytes
        + output_gradient_bytes
        + mlp_gradient_bytes,
        tokens_per_micro_batch * larger(norm_backward_bytes_per_token - freed_bytes_per_token, 0)
        + (norm_backward_bytes_per_token > freed_bytes_per_token) * mlp_gradient_bytes,
        input_norm_working_bytes,
        0,
    )


@of_each_kind("backward_bytes", "What the backward pass adds to saved tensors of")
@figure("M_lb", basis="measured", family=True)
def backward_of_kind(
    residual_gradient_bytes: Bytes,
    counts_saved_tensors: Switch,
    tokens_per_micro_batch: Tokens,
    mlp_working_bytes: Bytes,
    answer_norm_freed_bytes: BytesPerToken,
    answer_norm_working_bytes: BytesPerToken,
    attention_working_bytes: Bytes,
    adapter_forward_bytes: BytesPerToken,
    checkpoints: Switch,
    reentrant_checkpoints: Switch,
    recomputed_module_bytes: BytesPerToken,
    made_gradient_bytes: Bytes,
) -> Bytes:
    """What the backward pass of one layer adds to saved tensors: at the MLP, the norm behind it, attention or a norm.

    A reentrant checkpoint holds the output that it computed again, from the end of that on.
    Source: torch 2.13, counted.
    """
    return (
        residual_gradient_bytes * (1 + checkpoints * reentrant_checkpoints)
        + counts_saved_tensors * (tokens_per_micro_batch * recomputed_module_bytes)
        + counts_saved_tensors * larger(
            mlp_working_bytes - tokens_per_micro_batch * answer_norm_freed_bytes,
            tokens_per_micro_batch * answer_norm_working_bytes,
            attention_working_bytes,
            made_gradient_bytes,
            tokens_per_micro_batch * (adapter_forward_bytes - answer_norm_freed_bytes)
            - residual_gradient_bytes * (1 - checkpoints * (1 - reentrant_checkpoints)),
        )
    )  # fmt: skip


@of_each_kind("work_surplus_bytes", "What goes on in the backward pass beside mean layers of")
@figure("M_us", family=True, source="PyTorch FSDP, one unit a layer; mean of two kinds")
def work_surplus_of_kind(
    backward_bytes: Bytes,
    surplus_share: Count,
    tokens_per_micro_batch: Tokens,
    mixture_surplus_bytes: BytesPerToken,
    layer_unit_parameters: Count,
    mean_layer_parameters: Count,
    mixture_surplus_parameters: Count,
    unit_work_element_bytes: Bytes,
) -> Bytes:
    """That, and what the layer keeps beyond the mean, less what it is gathered and reduced with below the largest."""
    return (
        backward_bytes
        + surplus_share * (tokens_per_micro_batch * mixture_surplus_bytes)
        - (layer_unit_parameters - mean_layer_parameters - surplus_share * mixture_surplus_parameters)
        * unit_work_element_bytes
    )


@figure("b_uw")
def unit_work_element_bytes(
    shards_parameters: Switch,
    releases_gathered: Switch,
    gathered_units: Count,
    layer_unit_bytes: Bytes,
    layer_unit_gradient_bytes: Bytes,
    layer_unit_parameters: Count,
) -> Bytes:
    """What a parameter of the layer at work takes gathered, and with its gradient.  Source: PyTorch FSDP."""
    return (
        shards_parameters * releases_gathered * (gathered_units > 0) * layer_unit_bytes + layer_unit_gradient_bytes
    ) / layer_unit_parameters


@of_each_kind("reduction_surplus_bytes", "By how much the larger kind's reduction exceeds that of")
@figure("M_rs", family=True, source="PyTorch `foreach_reduce`; torch 2.13, two processes, counted")
def reduction_surplus_of_kind(
    reduces_by_layer: Switch,
    layer_unit_parameters: Count,
    mean_layer_parameters: Count,
    surplus_share: Count,
    mixture_surplus_parameters: Count,
    reduced_element_bytes: Bytes,
) -> Bytes:
    """By how much less its reduction takes than that of the larger kind, of one kind."""
    return (
        reduces_by_layer
        * (layer_unit_parameters - mean_layer_parameters - surplus_share * mixture_surplus_parameters)
        * reduced_element_bytes
    )


@figure("M_lr1")
def last_reduction_bytes(
    layer_reduction_bytes: Bytes,
    held_mixture_layers: Count,
    mixture_reduction_surplus_bytes: Bytes,
    dense_reduction_surplus_bytes: Bytes,
) -> Bytes:
    """Input of the reduction of the last layer, a mixture where there is one.  Source: PyTorch `foreach_reduce`."""
    return layer_reduction_bytes - where(
        held_mixture_layers > 0, mixture_reduction_surplus_bytes, dense_reduction_surplus_bytes
    )


@figure("M_dif", basis="measured")
def unlived_surplus_bytes(
    live_layers: Count, tokens_per_micro_batch: Tokens, mixture_surplus_bytes: BytesPerToken
) -> Bytes:
    """Of the difference between the kinds what is stored already where no layer is computed again.  Source: torch."""
    return (1 - smaller(live_layers, 1)) * (tokens_per_micro_batch * mixture_surplus_bytes)


@figure("M_ds", basis="measured")
def dense_surplus_bytes(
    stored_layer_bytes: Bytes,
    checkpointed_share: Share,
    dense_surplus_share: Count,
    tokens_per_micro_batch: Tokens,
    mixture_surplus_bytes: BytesPerToken,
    layer_gradient_bytes: Bytes,
    mixture_surplus_gradient_bytes: Bytes,
) -> Bytes:
    """Activations that a dense layer stores, less the gradients that it will make.  Source: mean of two kinds."""
    return (
        stored_layer_bytes
        + (1 - checkpointed_share) * dense_surplus_share * (tokens_per_micro_batch * mixture_surplus_bytes)
        - (layer_gradient_bytes + dense_surplus_share * mixture_surplus_gradient_bytes)
    )


@figure("M_ms", basis="measured", source="mean of two kinds; PyTorch `foreach_reduce`")
def mixture_done_surplus_bytes(
    layer_gradient_bytes: Bytes,
    mixture_surplus_share: Count,
    mixture_surplus_gradient_bytes: Bytes,
    stored_layer_bytes: Bytes,
    checkpointed_share: Share,
    tokens_per_micro_batch: Tokens,
    mixture_surplus_bytes: BytesPerToken,
    last_reduction_bytes: Bytes,
) -> Bytes:
    """Gradients that the last mixture has made, less what it stored, while the layer below goes backward."""
    return (
        layer_gradient_bytes + mixture_surplus_share * mixture_surplus_gradient_bytes
        - stored_layer_bytes
        - (1 - checkpointed_share) * mixture_surplus_share * (tokens_per_micro_batch * mixture_surplus_bytes)
        + smaller(last_reduction_bytes, stored_layer_bytes)
    )  # fmt: skip


@figure("M_lw", basis="measured", source="HF `interleave_moe_layer_step`; torch 2.13, counted")
def last_layer_backward_bytes(
    held_mixture_layers: Count,
    mixture_work_surplus_bytes: Bytes,
    dense_work_surplus_bytes: Bytes,
    unlived_surplus_bytes: Bytes,
    mixture_surplus_share: Count,
    dense_surplus_share: Count,
    num_interleaved_dense_layers: Count,
    held_dense_layers: Count,
    mixture_done_surplus_bytes: Bytes,
) -> Bytes:
    """What the last layer's backward pass adds, a mixture where there is one, or that of a dense layer below it."""
    return larger(
        where(
            held_mixture_layers > 0,
            mixture_work_surplus_bytes - mixture_surplus_share * unlived_surplus_bytes,
            dense_work_surplus_bytes - dense_surplus_share * unlived_surplus_bytes,
        ),
        (num_interleaved_dense_layers * held_dense_layers * held_mixture_layers > 0)
        * (
            dense_work_surplus_bytes - dense_surplus_share * unlived_surplus_bytes + mixture_done_surplus_bytes
        ),
    )  # fmt: skip


@figure("M_ld", basis="measured")
def leading_surplus_bytes(
    held_mixture_layers: Count,
    leading_dense_layers: Count,
    dense_surplus_bytes: Bytes,
    mixture_reduction_surplus_bytes: Bytes,
    dense_reduction_surplus_bytes: Bytes,
) -> Bytes:
    """What stands beside a leading dense layer: beside the last one all below it and a mixture that is reduced.

    Beside the first one the second is reduced, or a mixture where there is none.  Source: torch 2.13, counted.
    """
    return larger(
        (held_mixture_layers > 0) * larger(leading_dense_layers - 1, 0) * dense_surplus_bytes
        - mixture_reduction_surplus_bytes,
        0 - where(
            (leading_dense_layers > 1) + (held_mixture_layers <= 0) > 0,
            dense_reduction_surplus_bytes,
            mixture_reduction_surplus_bytes,
        ),
    )  # fmt: skip


@figure("M_fw", basis="measured")
def first_layer_backward_bytes(
    held_mixture_layers: Count,
    mixture_work_surplus_bytes: Bytes,
    mixture_surplus_share: Count,
    mixture_surplus_gradient_bytes: Bytes,
    leading_dense_layers: Count,
    dense_surplus_bytes: Bytes,
    num_interleaved_dense_layers: Count,
    dense_reduction_surplus_bytes: Bytes,
    mixture_reduction_surplus_bytes: Bytes,
    held_dense_layers: Count,
    dense_work_surplus_bytes: Bytes,
    dense_surplus_share: Count,
    leading_surplus_bytes: Bytes,
) -> Bytes:
    """What the first layer's backward pass adds, the last of the leading dense ones', or the first mixture's.

    Below the later ones activations are still stored and gradients still to come.  Source: torch 2.13, counted.
    """
    return larger(
        0, (held_mixture_layers > 0)
        * (
            mixture_work_surplus_bytes - mixture_surplus_share * mixture_surplus_gradient_bytes
            + leading_dense_layers * dense_surplus_bytes
            - where(num_interleaved_dense_layers > 0, dense_reduction_surplus_bytes, mixture_reduction_surplus_bytes)
        ),
        (held_dense_layers > 0)
        * (
            dense_work_surplus_bytes - dense_surplus_share * mixture_surplus_gradient_bytes + leading_surplus_bytes
        ),
    )  # fmt: skip
