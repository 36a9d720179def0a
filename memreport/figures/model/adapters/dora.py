"""DoRA: a trained magnitude for each output of an adapted matrix."""

from memreport.figures.constants import KEY_AND_VALUE, ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, total, where


@figure("D_Oqkv")
def input_adapted_outputs(
    fused_qkv: Switch,
    adapts_q_proj: Switch,
    adapts_k_proj: Switch,
    adapts_v_proj: Switch,
    query_size: Count,
    q_lora_rank: Count,
    key_value_size: Count,
    latent_key_outputs: Count,
    latent_value_outputs: Count,
) -> Count:
    """Outputs of the adapted query, key and value projections of a layer.  Source: PEFT `DoraLinearLayer`, counted."""
    return where(
        fused_qkv > 0,
        larger(adapts_q_proj, adapts_k_proj, adapts_v_proj) * (query_size + KEY_AND_VALUE * key_value_size),
        adapts_q_proj * (query_size + q_lora_rank)
        + adapts_k_proj * latent_key_outputs
        + adapts_v_proj * latent_value_outputs,
    )


@figure("D_Ok")
def latent_key_outputs(key_adapter_size: Count, hidden_size: Count) -> Count:
    """Outputs of the key projection, or of the latent's.  Source: HF code."""
    return key_adapter_size - hidden_size


@figure("D_Ov")
def latent_value_outputs(
    value_adapter_size: Count,
    kv_lora_rank: Count,
    hidden_size: Count,
    attention_k_eq_v: Switch,
    global_layer_share: Share,
) -> Count:
    """Outputs of the value projection, or of `kv_b_proj` where there is a latent.  Source: HF code."""
    return value_adapter_size - where(
        kv_lora_rank > 0, kv_lora_rank, hidden_size * (1 - attention_k_eq_v * global_layer_share)
    )


@figure("D_Oatt")
def attention_adapted_outputs(input_adapted_outputs: Count, adapts_o_proj: Switch, hidden_size: Count) -> Count:
    """Outputs of the adapted matrices of one attention layer.  Source: PEFT `DoraLinearLayer`, counted."""
    return input_adapted_outputs + adapts_o_proj * hidden_size


@figure("D_Oin")
def mlp_adapted_outputs(
    dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    shared_expert_intermediate_size: Count,
    gate_up_adapter_outputs: Count,
    adapts_down_proj: Switch,
    hidden_size: Count,
) -> Count:
    """The same of all MLPs and shared experts.  Source: PEFT `DoraLinearLayer`, counted."""
    return total(
        gate_up_adapter_outputs * (dense_layers * intermediate_size + mixture_layers * shared_expert_intermediate_size),
        adapts_down_proj * hidden_size * (dense_layers + mixture_layers * (shared_expert_intermediate_size > 0)),
    )


@figure("D_Oall")
def adapted_outputs(attention_layers: Count, attention_adapted_outputs: Count, mlp_adapted_outputs: Count) -> Count:
    """Outputs of all adapted matrices: as many magnitudes with DoRA.  Source: arXiv:2402.09353, section 4.1."""
    return attention_layers * attention_adapted_outputs + mlp_adapted_outputs


@figure("P_Ladm", source="HF modelling code")
def adapted_matrix_parameters(
    adapts_q_proj: Switch,
    query_matrix_parameters: Count,
    adapts_k_proj: Switch,
    adapts_v_proj: Switch,
    key_value_matrix_parameters: Count,
    adapts_o_proj: Switch,
    output_matrix_parameters: Count,
) -> Count:
    """Weights of one layer's adapted attention matrices; key and value as halves of what they have together."""
    return total(
        adapts_q_proj * query_matrix_parameters,
        (adapts_k_proj + adapts_v_proj) / KEY_AND_VALUE * key_value_matrix_parameters,
        adapts_o_proj * output_matrix_parameters,
    )


@figure("P_Lmm")
def adapted_mlp_parameters(
    gate_up_adapter_outputs: Count,
    adapts_down_proj: Switch,
    hidden_size: Count,
    dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    shared_expert_intermediate_size: Count,
) -> Count:
    """Weights of the adapted matrices of all MLPs and shared experts.  Source: HF modelling code."""
    return (
        (gate_up_adapter_outputs + adapts_down_proj) * hidden_size
        * (dense_layers * intermediate_size + mixture_layers * shared_expert_intermediate_size)
    )  # fmt: skip


@figure("a_mag", basis="measured", source="PEFT 0.21 `DoraLinearLayer.forward`; torch 2.13, counted")
def magnitude_activation_bytes(
    trains_adapters: Switch,
    use_dora: Switch,
    adapted_outputs: Count,
    num_hidden_layers: Count,
    adapter_value_element_bytes: Bytes,
    lora_dropout: Share,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """Results of base and adapter that DoRA scales; with dropout the base's is made again in the adapter's type."""
    return (
        trains_adapters * use_dora * adapted_outputs / num_hidden_layers
        * (
            adapter_value_element_bytes
            + where(lora_dropout > 0, adapter_value_element_bytes, activation_element_bytes)
        )
        / ONE_TOKEN
    )  # fmt: skip


@figure("b_dora", source="PEFT 0.21 `DoraLinearLayer.forward`, `LoHaLayer`, `LoKrLayer`; torch 2.13, counted")
def copied_weight_element_bytes(
    trains_adapters: Switch,
    use_dora: Switch,
    lora_dropout: Share,
    base_quantised: Switch,
    autocast: Switch,
    adapter_element_bytes: Bytes,
    weight_element_bytes: Bytes,
    makes_adapter_weights: Switch,
    adapter_value_element_bytes: Bytes,
) -> Bytes:
    """Kept of each adapted weight: a copy that DoRA with dropout multiplies, or the matrix that an adapter makes."""
    return trains_adapters * adapter_value_element_bytes * larger(
        use_dora * (lora_dropout > 0)
        * larger(
            base_quantised,
            autocast * (weight_element_bytes > adapter_value_element_bytes),
            adapter_element_bytes > weight_element_bytes,
        ),
        makes_adapter_weights,
    )  # fmt: skip
