"""What the MLP saves for the backward pass; each term is a tensor that is counted."""

from memreport.figures.constants import FP8_BYTES, FP32_BYTES, MASK_BYTES, ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("n_ffv", source="HF `XIELUActivation`; torch 2.13, counted")
def frozen_function_values(trains_base: Switch, activation_parameter_values: Count) -> Count:
    """Tensors that an activation function with parameters of its own does not keep while they are frozen."""
    return (1 - trains_base) * activation_parameter_values


@figure("n_fun", source="torch 2.13, counted; fused: Megatron-LM `bias_swiglu`, `bias_gelu`")
def activation_function_values(
    gated_mlp: Switch,
    layers_fused: Switch,
    native_activations: Switch,
    activation_saved_values: Count,
    frozen_function_values: Count,
    activation_saves_result: Switch,
    torch_compile: Switch,
    mlp_element_bytes: Bytes,
) -> Count:
    """Tensors of the MLP's width that the activation function and the gate's product save."""
    # A function saves what its gradient needs; the product saves both factors, and fused code neither result again. Of
    # ReLU, whose result is the next input, compiled code keeps a mask.
    return where(
        larger(layers_fused, native_activations) > 0,
        larger(gated_mlp, 1 - activation_saves_result * (1 - torch_compile * MASK_BYTES / mlp_element_bytes)),
        activation_saved_values - frozen_function_values,
    ) + gated_mlp * (1 + (1 - layers_fused))


@figure("n_down")
def down_input_values(
    keeps_linear_inputs: Switch,
    fp8_kept_element_bytes: Bytes,
    down_adapter_shares: Switch,
    gated_mlp: Switch,
    activation_saves_result: Switch,
    torch_compile: Switch,
) -> Count:
    """1 where the down projection's input is saved as it comes: trained, adapted, or the function's own saved result.

    Source: torch 2.13, counted; ReLU saves its result, unless it is compiled.
    """
    return larger(
        keeps_linear_inputs * (fp8_kept_element_bytes <= 0),
        down_adapter_shares,
        (1 - gated_mlp) * activation_saves_result * (1 - torch_compile),
    )


@figure("n_val")
def mlp_saved_values(activation_function_values: Count, down_input_values: Count) -> Count:
    """Tensors of the MLP's width that are saved.  Source: sum."""
    return activation_function_values + down_input_values


@figure("b_mlp", source="bitsandbytes `Linear4bit.forward`; 0.50 on a CPU gives FP32 for FP32")
def mlp_element_bytes(base_quantised: Switch, residual_element_bytes: Bytes, activation_element_bytes: Bytes) -> Bytes:
    """Type inside the MLP: 4-bit layers answer in the type of their input, which is the norm's, even under autocast."""
    return where(base_quantised > 0, residual_element_bytes, activation_element_bytes)


@figure("b_wid", source="HF `NewGELUActivation`; PyTorch automatic mixed precision, ops that autocast to FP32")
def widened_activation_bytes(
    autocast: Switch,
    layers_fused: Switch,
    activation_wide_values: Count,
    frozen_function_values: Count,
    mlp_element_bytes: Bytes,
) -> Bytes:
    """More bytes per unit of the MLP's width where autocast runs parts of the function in FP32, as powers do."""
    return (
        autocast * (1 - layers_fused) * larger(activation_wide_values - frozen_function_values, 0)
        * (FP32_BYTES - mlp_element_bytes)
    )  # fmt: skip


@figure("b_mbw", source="HF `NewGELUActivation`, `ReLUSquaredActivation`; torch 2.13, counted")
def widened_backward_bytes(
    autocast: Switch, layers_fused: Switch, activation_widened_values: Count, mlp_element_bytes: Bytes
) -> Bytes:
    """More bytes per unit of the MLP's width where autocast runs parts of the function's backward pass in FP32."""
    return autocast * (1 - layers_fused) * activation_widened_values * (FP32_BYTES - mlp_element_bytes)


@figure("b_sav", source="sum; Megatron-LM `activation_func_fp8_input_store`, arXiv:2412.19437, section 3.3")
def mlp_saved_element_bytes(
    mlp_saved_values: Count,
    mlp_element_bytes: Bytes,
    widened_activation_bytes: Bytes,
    fp8_down_input_bytes: Bytes,
    activation_func_fp8_input_store: Switch,
    activation_function_values: Count,
) -> Bytes:
    """Saved per unit of an MLP's width, gate and up in FP8 where that is asked for."""
    return (
        mlp_saved_values * mlp_element_bytes
        - activation_func_fp8_input_store * activation_function_values * (mlp_element_bytes - FP8_BYTES)
        + widened_activation_bytes
        + fp8_down_input_bytes
    )


@figure("b_rds", source="PEFT finds `down_proj` in dense layers and shared experts; torch 2.13, counted")
def routed_down_surplus_bytes(
    keeps_linear_inputs: Switch,
    fp8_kept_element_bytes: Bytes,
    trains_adapters: Switch,
    adapts_expert_down: Switch,
    gated_mlp: Switch,
    activation_saves_result: Switch,
    torch_compile: Switch,
    down_input_values: Count,
    mlp_element_bytes: Bytes,
) -> Bytes:
    """What routed experts save of their down projection's input beyond other MLPs; they have adapters of their own."""
    return (
        larger(
            keeps_linear_inputs * (fp8_kept_element_bytes <= 0),
            trains_adapters * adapts_expert_down,
            (1 - gated_mlp) * activation_saves_result * (1 - torch_compile),
        )
        - down_input_values
    ) * mlp_element_bytes


@figure("a_mlp", basis="measured")
def mlp_activation_bytes(
    mlp_width_per_token: Count,
    mlp_saved_element_bytes: Bytes,
    adapted_mlp_width: Count,
    routed_down_surplus_bytes: Bytes,
) -> BytesPerToken:
    """Inside of the MLP of one layer.  Source: torch 2.13, counted."""
    return (
        mlp_width_per_token * mlp_saved_element_bytes
        + (mlp_width_per_token - adapted_mlp_width) * routed_down_surplus_bytes
    ) / ONE_TOKEN  # fmt: skip
