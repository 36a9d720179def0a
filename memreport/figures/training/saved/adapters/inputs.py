"""What adapters read: in whose type, copied or shared, and where a matrix and its adapters are one function."""

from memreport.figures.constants import MASK_BYTES
from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("o_grp", source="Unsloth, models/llama.py, `patch_peft_model`")
def adapted_groups_whole(
    adapts_q_proj: Switch,
    adapts_k_proj: Switch,
    adapts_v_proj: Switch,
    adapts_gate_proj: Switch,
    adapts_up_proj: Switch,
    adapts_down_proj: Switch,
) -> Switch:
    """1 where of query, key and value, and of gate, up and down, all are adapted or none."""
    return (
        1 - larger(adapts_q_proj, adapts_k_proj, adapts_v_proj) * (1 - adapts_q_proj * adapts_k_proj * adapts_v_proj)
    ) * (
        1
        - larger(adapts_gate_proj, adapts_up_proj, adapts_down_proj)
        * (1 - adapts_gate_proj * adapts_up_proj * adapts_down_proj)
    )


@figure("o_pln", source="Unsloth, models/llama.py, `patch_peft_model`")
def plain_gated_layers(
    gated_mlp: Switch,
    mixture_layers: Count,
    attention_bias: Switch,
    attention_output_bias: Switch,
    mlp_bias: Switch,
    fused_qkv: Switch,
    fused_gate_up: Switch,
) -> Switch:
    """1 where layers are as Llama's: gated MLPs, no experts, a matrix for each projection, and no bias on any."""
    return (
        gated_mlp * (mixture_layers <= 0)
        * (1 - larger(attention_bias, attention_output_bias, mlp_bias, fused_qkv, fused_gate_up))
    )  # fmt: skip


@figure("o_fad", source="Unsloth, kernels/fast_lora.py")
def adapters_fused(
    fuses_adapters: Switch,
    trains_adapters: Switch,
    use_dora: Switch,
    lora_dropout: Share,
    plain_gated_layers: Switch,
    adapted_groups_whole: Switch,
    residual_element_bytes: Bytes,
    activation_element_bytes: Bytes,
) -> Switch:
    """1 where base and adapters are one function, which saves its input once, and of an MLP gate and up beside it."""
    # Where it cannot be one for all adapted matrices it is taken for none.
    return (
        fuses_adapters * trains_adapters * (1 - use_dora) * (lora_dropout <= 0)
        * plain_gated_layers * adapted_groups_whole * (residual_element_bytes <= activation_element_bytes)
    )  # fmt: skip


@figure("o_cai", source="PEFT `Linear4bit.forward`")
def casts_adapter_inputs(autocast: Switch, base_quantised: Switch, base_casts_rest: Switch) -> Switch:
    """1 where adapters cast what they read to their own type, as not under autocast on bitsandbytes' layers."""
    return 1 - autocast * base_quantised * base_casts_rest


@figure("o_sepo")
def separate_output_inputs(
    adapters_fused: Switch,
    casts_adapter_inputs: Switch,
    adapter_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    lora_dropout: Share,
) -> Switch:
    """1 where an adapter copies its input: cast, or with values dropped.  Source: PEFT `Linear.forward`."""
    return (1 - adapters_fused) * larger(
        casts_adapter_inputs * (adapter_element_bytes > activation_element_bytes), lora_dropout > 0
    )


@figure("o_sep")
def separate_adapter_inputs(
    adapters_fused: Switch,
    separate_output_inputs: Switch,
    residual_element_bytes: Bytes,
    activation_element_bytes: Bytes,
) -> Switch:
    """1 where each adapter saves a copy of a norm's output of its own.  Source: torch 2.13, counted."""
    return larger(separate_output_inputs, (1 - adapters_fused) * (residual_element_bytes > activation_element_bytes))


@figure("o_sepd")
def separate_down_inputs(
    adapters_fused: Switch, separate_output_inputs: Switch, mlp_element_bytes: Bytes, activation_element_bytes: Bytes
) -> Switch:
    """The same of the down projection's input.  Source: torch 2.13, counted."""
    return larger(separate_output_inputs, (1 - adapters_fused) * (mlp_element_bytes > activation_element_bytes))


@figure("b_ain", source="torch 2.13, counted; Unsloth, kernels/utils.py, `matmul_lora`")
def adapter_value_element_bytes(
    autocast: Switch, adapters_fused: Switch, adapter_element_bytes: Bytes, activation_element_bytes: Bytes
) -> Bytes:
    """Type in which an adapter multiplies: its own, or autocast's, or that of a fused one's input."""
    return where(
        larger(autocast, adapters_fused) > 0,
        activation_element_bytes,
        larger(adapter_element_bytes, activation_element_bytes),
    )


@figure("b_adi")
def adapter_input_element_bytes(adapter_value_element_bytes: Bytes, lora_dropout: Share) -> Bytes:
    """Saved input of an adapter per unit of width, with the mask of its dropout.  Source: torch 2.13, counted."""
    return adapter_value_element_bytes + (lora_dropout > 0) * MASK_BYTES
