"""What layers with linear attention keep where attention keeps queries, keys and values; a gate after attention."""

from memreport.figures.constants import FP32_BYTES, ONE_TOKEN, THREE, TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("f_attl")
def attention_mixer_share(
    linear_attention_kept_values: Count, attention_layers: Count, num_hidden_layers: Count, mixer_share: Share
) -> Share:
    """Share of the layers that keep what attention keeps.  Source: HF config `layer_types`."""
    return where(linear_attention_kept_values > 0, attention_layers / num_hidden_layers, mixer_share)


@figure("f_Lla")
def linear_mixer_share(
    trains_adapters: Switch,
    lora_linear_attn: Switch,
    linear_attention_adapter_widths: Count,
    num_linear_attention_layers: Count,
    num_hidden_layers: Count,
) -> Share:
    """Share of the layers whose linear attention is adapted.  Source: PEFT."""
    return (
        trains_adapters * lora_linear_attn * (linear_attention_adapter_widths > 0)
        * num_linear_attention_layers / num_hidden_layers
    )  # fmt: skip


@figure("f_Llo", source="PEFT; mamba-ssm `mamba_split_conv1d_scan_combined`, which multiplies with that matrix itself")
def linear_output_share(
    trains_adapters: Switch,
    lora_linear_out: Switch,
    linear_attention_output_size: Count,
    linear_attention_joins_output: Switch,
    num_linear_attention_layers: Count,
    num_hidden_layers: Count,
) -> Share:
    """Share of the layers in which an adapter on the last matrix of linear attention runs."""
    return (
        trains_adapters * lora_linear_out * (linear_attention_output_size > 0) * (1 - linear_attention_joins_output)
        * num_linear_attention_layers / num_hidden_layers
    )  # fmt: skip


@figure("n_mix", source="HF `Qwen3_5GatedDeltaNet` (four), `BambaMixer`, `Lfm2ShortConv` (one); torch 2.13, counted")
def mixer_input_matrices(
    separate_linear_copies: Count,
    linear_attention_input_matrices: Count,
    attention_layers: Count,
    num_linear_attention_layers: Count,
) -> Count:
    """Matrices that read a mixer's input, each with a copy of its own under autocast, in the mean of the layers."""
    return where(
        linear_attention_input_matrices > 0,
        (attention_layers * separate_linear_copies + num_linear_attention_layers * linear_attention_input_matrices)
        / larger(attention_layers + num_linear_attention_layers, 1),
        separate_linear_copies,
    )


@figure(
    "a_lin", basis="measured", source="causal-conv1d, fla `ChunkGatedDeltaRuleFunction`, mamba-ssm; torch 2.13, counted"
)
def linear_attention_activation_bytes(
    num_linear_attention_layers: Count,
    num_hidden_layers: Count,
    linear_attention_kept_values: Count,
    linear_attention_trained_values: Count,
    linear_attention_kept_fp32_values: Count,
    linear_attention_scaled_values: Count,
    keeps_linear_inputs: Switch,
    residual_element_bytes: Bytes,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """What linear attention keeps, spread over all layers, with the kernels of its packages."""
    return (
        num_linear_attention_layers
        / num_hidden_layers
        * (
            (linear_attention_kept_values + keeps_linear_inputs * linear_attention_trained_values)
            * activation_element_bytes
            + linear_attention_kept_fp32_values * FP32_BYTES
            + linear_attention_scaled_values * (residual_element_bytes - activation_element_bytes)
        )
        / ONE_TOKEN
    )


@figure(
    "a_hc", basis="measured", source="HF `DeepseekV4HyperConnection`, `DeepseekV4DecoderLayer`; torch 2.13, counted"
)
def stream_activation_bytes(
    num_residual_streams: Count,
    residual_stream_values: Count,
    hidden_size: Count,
    trains_base: Switch,
    residual_element_bytes: Bytes,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """What mixing several residual streams before and after both sublayers keeps: streams, FP32 copies, answers."""
    return (
        (num_residual_streams > 0)
        * TWO
        * (
            num_residual_streams * hidden_size * ((1 + trains_base) * FP32_BYTES + residual_element_bytes)
            + hidden_size * activation_element_bytes
            + residual_stream_values * FP32_BYTES
        )
        / ONE_TOKEN
    )


@figure("D_gate", source="HF `Qwen3NextAttention.forward`, `LagunaAttention.forward`; torch 2.13, counted")
def gate_saved_size(
    attention_output_gate: Switch,
    gate_per_head: Switch,
    num_attention_heads: Count,
    value_size: Count,
    output_input_saved: Switch,
    head_major_query: Switch,
    scores_stored: Switch,
) -> Count:
    """Width of a gate after its sigmoid, and of what it multiplies, which nothing else keeps."""
    # A gate of one number a head is kept in FP32, too, as its function reads it.
    return attention_output_gate * (
        where(gate_per_head > 0, THREE * num_attention_heads, value_size)
        + value_size * larger(output_input_saved, head_major_query, scores_stored)
    )


@figure("D_lsp", source="HF `DeepseekV3Attention`; torch 2.13, counted")
def latent_input_surplus(
    lora_q_proj: Switch,
    names_both_queries: Switch,
    targets_q_b_proj: Switch,
    q_lora_rank: Count,
    lora_v_proj: Switch,
    kv_lora_rank: Count,
    hidden_size: Count,
    attention_mixer_share: Share,
    trains_adapters: Switch,
    separate_adapter_inputs: Switch,
) -> Count:
    """What copies of the inputs of `q_b_proj` and `kv_b_proj` are wider than hidden states: less than nothing."""
    return attention_mixer_share * trains_adapters * separate_adapter_inputs * (
        lora_q_proj * larger(names_both_queries, targets_q_b_proj)
        * where(q_lora_rank > 0, q_lora_rank - hidden_size, 0)
        + lora_v_proj * where(kv_lora_rank > 0, kv_lora_rank - hidden_size, 0)
    )  # fmt: skip
