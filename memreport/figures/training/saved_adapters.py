"""What low-rank adapters save for the backward pass beside a frozen base; each term is a tensor that is counted."""

from __future__ import annotations

from memreport.figures.constants import MASK_BYTES, ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, total, where


@figure("o_sep")
def separate_adapter_inputs(
    adapter_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    residual_element_bytes: Bytes,
    lora_dropout: Share,
) -> Switch:
    """1 where each adapter saves a copy of its input of its own: cast to another type, or with values dropped.

    Source: PEFT `Linear.forward` casts the input to the adapter's type, then drops; torch 2.13, counted.
    """
    return larger(
        adapter_element_bytes > activation_element_bytes,
        residual_element_bytes > activation_element_bytes,
        lora_dropout > 0,
    )


@figure("b_ain")
def adapter_value_element_bytes(
    autocast: Switch, adapter_element_bytes: Bytes, activation_element_bytes: Bytes
) -> Bytes:
    """Type in which an adapter multiplies: its own, or autocast's.  Source: torch 2.13, counted."""
    return where(autocast > 0, activation_element_bytes, larger(adapter_element_bytes, activation_element_bytes))


@figure("b_adi")
def adapter_input_element_bytes(adapter_value_element_bytes: Bytes, lora_dropout: Share) -> Bytes:
    """Saved input of an adapter per unit of width, with the mask of its dropout.  Source: torch 2.13, counted."""
    return adapter_value_element_bytes + (lora_dropout > 0) * MASK_BYTES


@figure("n_La")
def attention_input_adapters(
    trains_adapters: Switch,
    fused_qkv: Switch,
    joins_projections: Switch,
    lora_q_proj: Switch,
    lora_k_proj: Switch,
    lora_v_proj: Switch,
) -> Count:
    """Adapters on the query, key and value projections; a fused projection has one.  Source: PEFT."""
    return trains_adapters * where(
        larger(fused_qkv, joins_projections) > 0,
        larger(lora_q_proj, lora_k_proj, lora_v_proj),
        lora_q_proj + lora_k_proj + lora_v_proj,
    )


@figure("n_Lm")
def mlp_input_adapters(trains_adapters: Switch, gate_up_adapters: Count) -> Count:
    """Adapters on the gate and up projections that are trained.  Source: PEFT."""
    return trains_adapters * gate_up_adapters


@figure("n_qkvL")
def attention_adapter_copies(separate_adapter_inputs: Switch, attention_input_adapters: Count) -> Count:
    """Copies of attention's input that adapters save: one each, or one that they share.  Source: PEFT."""
    return where(separate_adapter_inputs > 0, attention_input_adapters, attention_input_adapters > 0)


@figure("n_mlpL")
def mlp_adapter_copies(
    separate_adapter_inputs: Switch,
    mlp_input_adapters: Count,
    attention_input_adapters: Count,
    norms_per_layer: Count,
) -> Count:
    """Copies of the MLP's input that adapters save; a single norm's output is attention's copy already.

    Source: PEFT; torch 2.13, counted.
    """
    return where(
        separate_adapter_inputs > 0,
        mlp_input_adapters,
        (mlp_input_adapters > 0) * (1 - (attention_input_adapters > 0) * (norms_per_layer <= 1)),
    )


@figure("o_out")
def output_input_saved(
    keeps_linear_inputs: Switch, trains_adapters: Switch, lora_o_proj: Switch, separate_adapter_inputs: Switch
) -> Switch:
    """1 where the output projection saves its input as it is.  Source: torch 2.13, counted."""
    return larger(keeps_linear_inputs, trains_adapters * lora_o_proj * (1 - separate_adapter_inputs))


@figure("o_down")
def down_adapter_shares(trains_adapters: Switch, lora_down_proj: Switch, separate_adapter_inputs: Switch) -> Switch:
    """1 where the adapter of the down projection saves that projection's input as it is.  Source: PEFT."""
    return trains_adapters * lora_down_proj * (1 - separate_adapter_inputs)


@figure("D_sep")
def separate_adapter_size(
    trains_adapters: Switch,
    separate_adapter_inputs: Switch,
    lora_o_proj: Switch,
    value_size: Count,
    lora_down_proj: Switch,
    intermediate_size: Count,
    dense_layers: Count,
    num_hidden_layers: Count,
) -> Count:
    """Width of the inputs of output and down projection that adapters save as copies of their own.  Source: PEFT."""
    return (
        trains_adapters * separate_adapter_inputs
        * (lora_o_proj * value_size + lora_down_proj * intermediate_size * dense_layers / num_hidden_layers)
    )  # fmt: skip


@figure("n_ad")
def adapters_per_layer(
    attention_input_adapters: Count,
    mlp_input_adapters: Count,
    trains_adapters: Switch,
    lora_o_proj: Switch,
    lora_down_proj: Switch,
) -> Count:
    """Adapters of one layer.  Source: PEFT."""
    return total(attention_input_adapters, mlp_input_adapters, trains_adapters * (lora_o_proj + lora_down_proj))


@figure("D_put")
def placed_adapter_size(
    trains_adapters: Switch,
    joins_projections: Switch,
    lora_q_proj: Switch,
    lora_k_proj: Switch,
    lora_v_proj: Switch,
    query_size: Count,
    key_value_size: Count,
) -> Count:
    """Width of the adapters' results that an index copy saves while it puts some of query, key and value into place.

    Source: LitGPT `LoRAQKVLinear.zero_pad`, counted with torch 2.13.
    """
    return (
        trains_adapters * joins_projections * (1 - lora_q_proj * lora_k_proj * lora_v_proj)
        * (lora_q_proj * query_size + (lora_k_proj + lora_v_proj) * key_value_size)
    )  # fmt: skip


@figure("a_ad", basis="measured")
def adapter_activation_bytes(
    adapters_per_layer: Count,
    lora_rank: Count,
    adapter_value_element_bytes: Bytes,
    separate_adapter_size: Count,
    adapter_input_element_bytes: Bytes,
    placed_adapter_size: Count,
) -> BytesPerToken:
    """Narrow vectors between the two matrices of each adapter, and copies of wide inputs.  Source: counted."""
    return (
        adapters_per_layer * lora_rank * adapter_value_element_bytes
        + separate_adapter_size * adapter_input_element_bytes
        + placed_adapter_size * adapter_value_element_bytes
    ) / ONE_TOKEN
