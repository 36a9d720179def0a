"""Copies of FP32 weights that autocast makes and keeps until the forward pass is over."""

from memreport.figures.constants import FP32_BYTES
from memreport.figures.quantities import Bytes, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller


@figure("b_cst")
def cast_element_bytes(
    autocast: Switch, activation_element_bytes: Bytes, shards_parameters: Switch, rank_share: Share
) -> Bytes:
    """Of a copy of a wider weight, on one GPU; sharded ones are cast already.  Source: torch 2.13, counted."""
    return autocast * (1 - shards_parameters) * activation_element_bytes * rank_share


@figure("M_csth")
def head_copy_bytes(
    cast_element_bytes: Bytes,
    other_weight_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    used_head_parameters: Count,
    loss_tile_tokens: Tokens,
) -> Bytes:
    """The head where autocast copies it whole; a loss by tiles copies a part at a time.  Source: TRL 1.16, counted."""
    return (
        cast_element_bytes * (other_weight_element_bytes > activation_element_bytes)
        * (loss_tile_tokens <= 0) * used_head_parameters
    )  # fmt: skip


@figure("M_cstl", basis="measured")
def layer_copy_bytes(
    cast_element_bytes: Bytes,
    base_quantised: Switch,
    weight_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    stored_matrix_parameters: Count,
    trains_adapters: Switch,
    adapter_element_bytes: Bytes,
    adapter_parameters: Count,
) -> Bytes:
    """16-bit copies of FP32 matrices, frozen or not, and of FP32 adapters.  Source: torch 2.13, counted."""
    return cast_element_bytes * (
        (1 - base_quantised) * (weight_element_bytes > activation_element_bytes) * stored_matrix_parameters
        + trains_adapters * (adapter_element_bytes > activation_element_bytes) * adapter_parameters
    )


@figure("M_cast", basis="measured")
def autocast_copy_bytes(layer_copy_bytes: Bytes, head_copy_bytes: Bytes) -> Bytes:
    """All that are kept until the backward pass.  Source: torch 2.13, counted."""
    return layer_copy_bytes + head_copy_bytes


@figure("M_cst1", basis="measured", source="torch 2.13, counted")
def loss_copy_bytes(
    autocast_copy_bytes: Bytes,
    layer_copy_bytes: Bytes,
    checkpointed_share: Share,
    holds_logits: Switch,
    loss_part_bytes: Bytes,
    logits_bytes: Bytes,
    loss_peak_bytes: Bytes,
    activation_element_bytes: Bytes,
) -> Bytes:
    """Those that stand beside the most logits: all while the loss is computed, or what is left beside its gradients."""
    return larger(
        autocast_copy_bytes - layer_copy_bytes * checkpointed_share,
        autocast_copy_bytes
        - holds_logits * (loss_part_bytes <= 0) * logits_bytes
        * larger(FP32_BYTES - activation_element_bytes, 0) / larger(loss_peak_bytes, FP32_BYTES),
    )  # fmt: skip


@figure("M_cstb", basis="measured", source="torch 2.13, counted")
def backward_copy_bytes(
    layer_copy_bytes: Bytes, checkpointed_share: Share, live_layers: Count, held_layers: Count
) -> Bytes:
    """Those that the layers' backward pass still needs; a checkpointed layer casts again."""
    return layer_copy_bytes * (1 - checkpointed_share * (1 - live_layers / held_layers))


@figure("M_cste", basis="measured")
def first_copy_bytes(layer_copy_bytes: Bytes, checkpoint_interval_layers: Count, held_layers: Count) -> Bytes:
    """Those of the first segment, which goes backward last.  Source: torch 2.13, counted."""
    return layer_copy_bytes * smaller(larger(checkpoint_interval_layers, 1), held_layers) / held_layers
