"""What a tower for images keeps of its patches: its layers whole, or their inputs where there are checkpoints."""

from memreport.figures.constants import FP32_BYTES, THREE, TWO
from memreport.figures.quantities import Bytes, Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


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
) -> Count:
    """Matrices of a layer that keep what attention reads.  Source: torch 2.13, counted."""
    return where(
        tower_matrices_read > 0,
        1 + TWO * (1 - tower_fused_qkv),
        adapts_towers * (1 - tower_fused_qkv) * (targets_q_proj + targets_k_proj + targets_v_proj),
    )


@figure("n_tmi")
def tower_mlp_inputs(
    tower_matrices_read: Switch,
    tower_mlp_values: Count,
    adapts_towers: Switch,
    targets_gate_proj: Switch,
    targets_up_proj: Switch,
) -> Count:
    """Matrices of a layer that keep what the MLP reads.  Source: torch 2.13, counted."""
    return where(
        tower_matrices_read > 0,
        1 + (tower_mlp_values > THREE),
        adapts_towers * (targets_gate_proj + targets_up_proj) * (tower_mlp_values > THREE),
    )


@figure("n_twi")
def tower_wide_inputs(
    trains_base: Switch,
    linear_inputs_cast: Switch,
    separate_adapter_inputs: Switch,
    tower_attention_inputs: Count,
    tower_mlp_inputs: Count,
    tower_fused_qkv: Switch,
    tower_matrices_read: Switch,
    adapts_towers: Switch,
    targets_o_proj: Switch,
    tower_shares_output: Switch,
) -> Count:
    """Inputs of the tower's width that a layer keeps beside norms and attention; each matrix its own where it is cast.

    What attention answers is kept already, unless it is copied on its way.

    Source: torch 2.13, counted.
    """
    return where(
        trains_base * linear_inputs_cast + (1 - trains_base) * separate_adapter_inputs > 0,
        tower_attention_inputs + tower_mlp_inputs,
        smaller(tower_attention_inputs, 1) + smaller(tower_mlp_inputs, 1),
    ) + larger(tower_matrices_read, adapts_towers * targets_o_proj * tower_shares_output) * larger(
        tower_fused_qkv, separate_adapter_inputs * (1 - trains_base)
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
    tower_mlp_values: Count,
    tower_intermediate_size: Count,
    tower_attention_inputs: Count,
    tower_mlp_inputs: Count,
    lora_rank: Count,
    adapter_value_element_bytes: Bytes,
) -> Bytes:
    """Kept inputs of a layer's matrices and of both matrices of adapters, of a patch.  Source: torch 2.13, counted."""
    return where(trains_base > 0, activation_element_bytes, adapter_input_element_bytes) * (
        tower_wide_inputs * tower_hidden_size
        + larger(tower_matrices_read, adapts_towers * targets_down_proj * (tower_mlp_values > THREE))
        * tower_intermediate_size
    ) + adapts_towers * lora_rank * adapter_value_element_bytes * (
        tower_attention_inputs + tower_mlp_inputs + TWO * tower_matrices_read
    )


@figure("b_tno")
def tower_norm_bytes(
    tower_mlp_values: Count,
    autocast: Switch,
    residual_element_bytes: Bytes,
    trains_base: Switch,
    tower_hidden_size: Count,
) -> Bytes:
    """Kept by the two norms of a layer, of a patch.  Source: torch 2.13, counted."""
    return TWO * (
        tower_hidden_size
        * (
            where(larger(tower_mlp_values > THREE, autocast) > 0, FP32_BYTES, residual_element_bytes)
            + trains_base * (tower_mlp_values > THREE) * residual_element_bytes
        )
        + FP32_BYTES
        + FP32_BYTES
    )


@figure("b_tly")
def tower_layer_bytes(
    tower_norm_bytes: Bytes,
    tower_input_bytes: Bytes,
    activation_element_bytes: Bytes,
    tower_hidden_size: Count,
    tower_fused_qkv: Switch,
    tower_scales: Switch,
    trains_base: Switch,
    tower_mlp_values: Count,
    tower_intermediate_size: Count,
) -> Bytes:
    """Kept of one layer of the tower, of a patch: norms, inputs, attention, MLP.  Source: torch 2.13, counted."""
    # Values that are part of one product with queries and keys keep all of it.
    return (
        tower_norm_bytes
        + tower_input_bytes
        + activation_element_bytes
        * (
            TWO * tower_hidden_size * (TWO + tower_fused_qkv + tower_scales * trains_base)
            + (tower_mlp_values - (tower_mlp_values > 0)) * tower_intermediate_size
        )
    )


@figure("M_tow", basis="measured")
def tower_activation_bytes(
    trains_base: Switch,
    freezes_towers: Switch,
    trains_adapters: Switch,
    tower_adapted_widths: Count,
    tower_asks_gradient: Switch,
    checkpoints: Switch,
    base_quantised: Switch,
    image_patches: Count,
    tower_layers: Count,
    tower_hidden_size: Count,
    residual_element_bytes: Bytes,
    tower_layer_bytes: Bytes,
    optimizer_estimates_gradients: Switch,
) -> Bytes:
    """Kept of the tower's layers, or of their inputs, where it keeps anything.  Source: torch 2.13, counted."""
    # transformers 5.24 `enable_input_require_grads` asks every part with an embedding for a gradient, of use or not.
    return (
        (1 - optimizer_estimates_gradients) * image_patches * tower_layers
        * where(
            trains_base > 0,
            1 - freezes_towers,
            trains_adapters
            * larger(tower_adapted_widths > 0, tower_asks_gradient * larger(checkpoints, base_quantised)),
        )
        * where(checkpoints > 0, tower_hidden_size * residual_element_bytes, tower_layer_bytes)
    )  # fmt: skip
