"""Low-rank adapters: what is trained beside a frozen base."""

from __future__ import annotations

from memreport.figures.quantities import Bytes, Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import total


@figure("P_La")
def attention_adapter_parameters(
    lora_q_proj: Switch,
    lora_k_proj: Switch,
    lora_v_proj: Switch,
    lora_o_proj: Switch,
    hidden_size: Count,
    query_size: Count,
    key_value_size: Count,
    value_size: Count,
) -> Count:
    """Input plus output widths of the adapted attention matrices of a layer.  Source: arXiv:2106.09685, section 4."""
    return total(
        lora_q_proj * (hidden_size + query_size),
        (lora_k_proj + lora_v_proj) * (hidden_size + key_value_size),
        lora_o_proj * (value_size + hidden_size),
    )


@figure("P_Lm")
def mlp_adapter_parameters(
    lora_gate_proj: Switch,
    gated_mlp: Switch,
    lora_up_proj: Switch,
    lora_down_proj: Switch,
    hidden_size: Count,
    intermediate_size: Count,
) -> Count:
    """Input plus output widths of the adapted MLP matrices of a dense layer.  Source: arXiv:2106.09685, section 4."""
    return (lora_gate_proj * gated_mlp + lora_up_proj + lora_down_proj) * (hidden_size + intermediate_size)


@figure("P_L")
def adapter_parameters(
    lora_rank: Count,
    attention_layers: Count,
    attention_adapter_parameters: Count,
    num_dense_layers: Count,
    mlp_adapter_parameters: Count,
) -> Count:
    """Parameters of all adapters.  Source: arXiv:2106.09685, section 4; 003 'LoRA and QLoRA'."""
    return lora_rank * (attention_layers * attention_adapter_parameters + num_dense_layers * mlp_adapter_parameters)


@figure("P_tr")
def trainable_parameters(
    trains_base: Switch, parameters: Count, trains_adapters: Switch, adapter_parameters: Count
) -> Count:
    """Parameters that receive a gradient.  Source: arXiv:2106.09685, section 4."""
    return trains_base * parameters + trains_adapters * adapter_parameters


@figure("f_tr")
def trainable_share(
    trainable_parameters: Count, parameters: Count, trains_adapters: Switch, adapter_parameters: Count
) -> Count:
    """Trainable share of all parameters, adapters included.  Source: PEFT `print_trainable_parameters`."""
    return trainable_parameters / (parameters + trains_adapters * adapter_parameters)


@figure("M_L")
def adapter_bytes(trains_adapters: Switch, adapter_parameters: Count, adapter_element_bytes: Bytes) -> Bytes:
    """Weights of the adapters.  Source: PEFT keeps them in FP32 by default (`autocast_adapter_dtype`)."""
    return trains_adapters * adapter_parameters * adapter_element_bytes


FIGURES = (
    attention_adapter_parameters,
    mlp_adapter_parameters,
    adapter_parameters,
    trainable_parameters,
    trainable_share,
    adapter_bytes,
)
