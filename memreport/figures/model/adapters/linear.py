"""Adapters on the matrices of linear attention and of state-space layers, and on the gates of shared experts."""

from memreport.figures.constants import TWO
from memreport.figures.quantities import Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import where


@figure("n_Llo", source="PEFT 0.21, `_check_lora_target_modules_mamba`")
def linear_output_adapters(adapts_linear_out: Switch, linear_attention_output_size: Count) -> Switch:
    """1 where the last matrix of linear attention is adapted; PEFT leaves out that of some models."""
    return adapts_linear_out * (linear_attention_output_size > 0)


@figure("n_Lla")
def linear_attention_adapters(
    adapts_linear_attn: Switch,
    linear_attention_adapter_widths: Count,
    linear_attention_input_matrices: Count,
    linear_output_adapters: Switch,
    targets_x_proj: Switch,
    linear_attention_scan_widths: Count,
    targets_dt_proj: Switch,
    linear_attention_step_widths: Count,
) -> Count:
    """Adapters of one layer with linear attention.  Source: PEFT, counted."""
    return (
        adapts_linear_attn * (linear_attention_adapter_widths > 0) * linear_attention_input_matrices
        + linear_output_adapters
        + targets_x_proj * (linear_attention_scan_widths > 0)
        + targets_dt_proj * (linear_attention_step_widths > 0)
    )  # fmt: skip


@figure("D_Lla")
def linear_attention_adapted_widths(
    adapts_linear_attn: Switch,
    linear_attention_adapter_widths: Count,
    linear_output_adapters: Switch,
    linear_attention_output_size: Count,
    hidden_size: Count,
    targets_x_proj: Switch,
    linear_attention_scan_widths: Count,
    targets_dt_proj: Switch,
    linear_attention_step_widths: Count,
) -> Count:
    """Input plus output widths of its adapted matrices.  Source: arXiv:2106.09685, section 4; PEFT, counted."""
    return (
        adapts_linear_attn * linear_attention_adapter_widths
        + linear_output_adapters * (linear_attention_output_size + hidden_size)
        + targets_x_proj * linear_attention_scan_widths
        + targets_dt_proj * linear_attention_step_widths
    )


@figure("D_Lbes")
def beside_adapted_widths(
    adapts_q_proj: Switch,
    beside_query_widths: Count,
    adapts_k_proj: Switch,
    beside_key_widths: Count,
    adapts_v_proj: Switch,
    adapts_o_proj: Switch,
    gate_up_adapters: Count,
    adapts_down_proj: Switch,
    beside_mlp_widths: Count,
    targets_others: Switch,
    index_n_heads: Count,
    attention_layers: Count,
    num_shared_indexer_layers: Count,
    q_lora_rank: Count,
    index_head_dim: Count,
    hidden_size: Count,
) -> Count:
    """The same of layers that are counted apart, under the names of others, and of indexers.  Source: PEFT, counted."""
    return (
        (adapts_q_proj + adapts_o_proj) * beside_query_widths
        + (adapts_k_proj + adapts_v_proj) * beside_key_widths
        + (gate_up_adapters + adapts_down_proj) * beside_mlp_widths
        + where(
            targets_others * index_n_heads > 0,
            (attention_layers - num_shared_indexer_layers)
            * (q_lora_rank + (index_n_heads + 1) * (index_head_dim + 1) - 1 + TWO * hidden_size),
            0,
        )
    )


@figure("n_Lsg")
def expert_gate_adapters(
    targets_shared_expert_gate: Switch, shared_expert_gate: Switch, mixture_layers: Count
) -> Count:
    """Adapters on the gates of shared experts, of one output each.  Source: HF `Qwen2MoeSparseMoeBlock`; PEFT."""
    return targets_shared_expert_gate * shared_expert_gate * mixture_layers
