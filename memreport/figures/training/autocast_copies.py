"""Copies of FP32 weights that autocast makes and keeps until the forward pass is over."""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES
from memreport.figures.quantities import Bytes, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("P_cst")
def cast_head_parameters(used_head_parameters: Count, loss_tile_tokens: Tokens) -> Count:
    """The head where autocast copies it whole; a loss by tiles copies a part at a time.  Source: TRL 1.16, counted."""
    return (loss_tile_tokens <= 0) * used_head_parameters


@figure("M_cast", basis="measured")
def autocast_copy_bytes(
    autocast: Switch,
    trains_base: Switch,
    adapter_parameters: Count,
    adapter_element_bytes: Bytes,
    matrix_parameters: Count,
    cast_head_parameters: Count,
    activation_element_bytes: Bytes,
    rank_share: Share,
    shards_parameters: Switch,
) -> Bytes:
    """16-bit copies of trained matrices that autocast keeps until the backward pass; sharded ones are cast already.

    Source: torch 2.13, counted, FSDP on two processes.
    """
    return autocast * (1 - shards_parameters) * activation_element_bytes * rank_share * where(
        trains_base > 0,
        matrix_parameters + cast_head_parameters,
        (adapter_element_bytes > activation_element_bytes) * adapter_parameters,
    )  # fmt: skip


@figure("M_cstl", basis="measured")
def layer_copy_bytes(
    autocast_copy_bytes: Bytes, trains_base: Switch, matrix_parameters: Count, cast_head_parameters: Count
) -> Bytes:
    """Those of the layers, without the head's.  Source: parameters over parameters."""
    return autocast_copy_bytes * matrix_parameters / (matrix_parameters + trains_base * cast_head_parameters)


@figure("M_cst1", basis="measured")
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
    """Those that stand beside the most logits: all while the loss is computed, or what is left beside its gradients.

    Source: torch 2.13, counted: autocast's cache is emptied after the forward pass, saved tensors hold what they need.
    """
    return larger(
        autocast_copy_bytes - layer_copy_bytes * checkpointed_share,
        autocast_copy_bytes
        - holds_logits * (loss_part_bytes <= 0) * logits_bytes
        * larger(FP32_BYTES - activation_element_bytes, 0) / larger(loss_peak_bytes, FP32_BYTES),
    )  # fmt: skip


@figure("M_cstb", basis="measured")
def backward_copy_bytes(
    layer_copy_bytes: Bytes, checkpointed_share: Share, live_layers: Count, held_layers: Count
) -> Bytes:
    """Those that the layers' backward pass still needs; a checkpointed layer casts again.

    Source: torch 2.13, counted.
    """
    return layer_copy_bytes * (1 - checkpointed_share * (1 - live_layers / held_layers))


@figure("M_cste", basis="measured")
def first_copy_bytes(layer_copy_bytes: Bytes, checkpoint_interval_layers: Count, held_layers: Count) -> Bytes:
    """Those of the first segment, which goes backward last.  Source: torch 2.13, counted."""
    return layer_copy_bytes * smaller(larger(checkpoint_interval_layers, 1), held_layers) / held_layers
