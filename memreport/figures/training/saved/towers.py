"""What a tower for images keeps of its patches: its layers whole, or their inputs where there are checkpoints."""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES, THREE, TWO
from memreport.figures.quantities import Bytes, Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("o_tga")
def tower_gated(tower_mlp_values: Count) -> Switch:
    """1 where the tower's MLPs have gates.  Source: HF `Qwen2_5_VLVisionBlock`, `PixtralMLP`."""
    return tower_mlp_values > THREE


@figure("o_tall")
def tower_matrices_read(trains_base: Switch, adapts_towers: Switch, targets_others: Switch) -> Switch:
    """1 where every matrix of the tower keeps what it reads.  Source: PyTorch; PEFT, counted."""
    return larger(trains_base, adapts_towers * targets_others)


@figure("n_tai")
def tower_attention_inputs(
    tower_matrices_read: Switch,
    tower_fused_qkv: Switch,
    adapts_towers: Switch,
    targets_q_proj: Switch,
    targets_k_proj: Switch,
    targets_v_proj: Switch,
    tower_projection_widths: Count,
) -> Count:
    """Matrices of a layer that keep what attention reads.  Source: torch 2.13, counted."""
    return where(
        tower_matrices_read > 0,
        1 + TWO * (1 - tower_fused_qkv),
        adapts_towers * (targets_q_proj + targets_k_proj + targets_v_proj) * (tower_projection_widths > 0),
    )


@figure("n_tmi")
def tower_mlp_inputs(
    tower_matrices_read: Switch,
    tower_gated: Switch,
    adapts_towers: Switch,
    targets_gate_proj: Switch,
    targets_up_proj: Switch,
) -> Count:
    """Matrices of a layer that keep what the MLP reads.  Source: torch 2.13, counted."""
    return where(
        tower_matrices_read > 0, 1 + tower_gated, adapts_towers * (targets_gate_proj + targets_up_proj) * tower_gated
    )


@figure("o_tsep")
def tower_inputs_apart(trains_base: Switch, linear_inputs_cast: Switch, separate_adapter_inputs: Switch) -> Switch:
    """1 where each matrix keeps a copy of its own.  Source: torch 2.13, counted."""
    return where(trains_base > 0, linear_inputs_cast, separate_adapter_inputs)


@figure("n_twi")
def tower_wide_inputs(
    tower_inputs_apart: Switch,
    tower_attention_inputs: Count,
    tower_mlp_inputs: Count,
    trains_base: Switch,
    tower_fused_qkv: Switch,
    tower_matrices_read: Switch,
    adapts_towers: Switch,
    targets_o_proj: Switch,
    tower_output_widths: Count,
) -> Count:
    """Inputs of the tower's width that a layer keeps beside its norms and attention.

    What attention answers is kept already, unless it is copied on its way.

    Source: torch 2.13, counted.
    """
    return (
        where(tower_inputs_apart > 0, tower_attention_inputs, smaller(tower_attention_inputs, 1))
        + where(tower_inputs_apart > 0, tower_mlp_inputs, smaller(tower_mlp_inputs, 1))
        + larger(tower_matrices_read, adapts_towers * targets_o_proj * (tower_output_widths > 0))
        * larger(tower_fused_qkv, tower_inputs_apart * (1 - trains_base))
    )


@figure("b_tin")
def tower_input_bytes(
    trains_base: Switch,
    activation_element_bytes: Bytes,
    adapter_input_element_bytes: Bytes,
    tower_wide_inputs: Count,
    tower_hidden_size: Count,
    tower_matrices_read: Switch,
    adapts_towers: Switch,
    targets_down_proj: Switch,
    tower_gated: Switch,
    tower_intermediate_size: Count,
) -> Bytes:
    """Kept inputs of a layer's matrices, of a patch.  Source: torch 2.13, counted."""
    return where(trains_base > 0, activation_element_bytes, adapter_input_element_bytes) * (
        tower_wide_inputs * tower_hidden_size
        + larger(tower_matrices_read, adapts_towers * targets_down_proj * tower_gated) * tower_intermediate_size
    )


@figure("b_tno")
def tower_norm_bytes(
    tower_rms_norms: Switch,
    autocast: Switch,
    residual_element_bytes: Bytes,
    trains_base: Switch,
    tower_hidden_size: Count,
) -> Bytes:
    """Kept by the two norms of a layer, of a patch.  Source: torch 2.13, counted."""
    return TWO * (
        tower_hidden_size
        * (
            where(larger(tower_rms_norms, autocast) > 0, FP32_BYTES, residual_element_bytes)
            + trains_base * tower_rms_norms * residual_element_bytes
        )
        + FP32_BYTES
        + FP32_BYTES
    )


@figure("b_tat")
def tower_middle_bytes(
    activation_element_bytes: Bytes,
    tower_hidden_size: Count,
    tower_fused_qkv: Switch,
    tower_scales: Switch,
    trains_base: Switch,
    tower_mlp_values: Count,
    tower_intermediate_size: Count,
) -> Bytes:
    """Queries, keys, values, attention's answer, what the MLP keeps inside, of a patch.

    Values that are part of one product keep all of it.

    Source: torch 2.13, counted.
    """
    return activation_element_bytes * (
        TWO * tower_hidden_size * (TWO + tower_fused_qkv + tower_scales * trains_base)
        + (tower_mlp_values - (tower_mlp_values > 0)) * tower_intermediate_size
    )


@figure("b_trk")
def tower_rank_bytes(
    tower_adapted_widths: Count,
    tower_attention_inputs: Count,
    tower_mlp_inputs: Count,
    tower_matrices_read: Switch,
    lora_rank: Count,
    adapter_value_element_bytes: Bytes,
) -> Bytes:
    """Narrow vectors between the two matrices of a layer's adapters, of a patch.  Source: torch 2.13, counted."""
    return (
        (tower_adapted_widths > 0)
        * (tower_attention_inputs + tower_mlp_inputs + TWO * tower_matrices_read)
        * lora_rank * adapter_value_element_bytes
    )  # fmt: skip


@figure("b_tly")
def tower_layer_bytes(
    tower_norm_bytes: Bytes, tower_input_bytes: Bytes, tower_middle_bytes: Bytes, tower_rank_bytes: Bytes
) -> Bytes:
    """Kept of one layer of the tower, of a patch.  Source: sum."""
    return tower_norm_bytes + tower_input_bytes + tower_middle_bytes + tower_rank_bytes


@figure("M_tow", basis="measured")
def tower_activation_bytes(
    tower_asks: Switch,
    image_patches: Count,
    tower_layers: Count,
    checkpoints: Switch,
    tower_hidden_size: Count,
    residual_element_bytes: Bytes,
    tower_layer_bytes: Bytes,
    optimizer_estimates_gradients: Switch,
) -> Bytes:
    """Kept of all layers of the tower until the end of the backward pass; checkpoints keep their inputs.

    Source: torch 2.13, counted.
    """
    return (
        (1 - optimizer_estimates_gradients) * tower_asks * image_patches * tower_layers
        * where(checkpoints > 0, tower_hidden_size * residual_element_bytes, tower_layer_bytes)
    )  # fmt: skip


@figure("M_tlv", basis="measured")
def tower_end_bytes(
    tower_activation_bytes: Bytes,
    tower_asks: Switch,
    image_patches: Count,
    checkpoints: Switch,
    tower_layer_bytes: Bytes,
) -> Bytes:
    """The same beside one layer that is computed again.  Source: PyTorch `torch.utils.checkpoint`."""
    return tower_activation_bytes + tower_asks * image_patches * checkpoints * tower_layer_bytes
