"""What PEFT's other methods keep for the backward pass: scaled outputs, rotations, keys and values of a prefix."""

from memreport.figures.constants import FOUR, FP32_BYTES, KEY_AND_VALUE, MASK_BYTES, ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("D_Oscl", source="PEFT `IA3Layer`, `VeraLayer`")
def scaled_outputs(
    adapted_outputs: Count, adapts_down_proj: Switch, hidden_size: Count, dense_layers: Count, mixture_layers: Count,
    shared_expert_intermediate_size: Count, shares_matrices: Switch,
) -> Count:  # fmt: skip
    """Outputs of all matrices whose outputs a vector scales; IA3 scales the input of the down projection."""
    return adapted_outputs - (1 - shares_matrices) * adapts_down_proj * hidden_size * (
        dense_layers + mixture_layers * (shared_expert_intermediate_size > 0)
    )


@figure("a_scl", basis="measured", source="PEFT `IA3Layer.forward`, `VeraLayer.forward`; torch 2.13, counted")
def scaled_activation_bytes(
    trains_adapters: Switch,
    scales_outputs: Switch,
    adapted_layer_share: Share,
    num_hidden_layers: Count,
    layers_above_share: Share,
    scaled_outputs: Count,
    shares_matrices: Switch,
    adapter_value_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    shared_matrix_bytes_per_token: BytesPerToken,
) -> BytesPerToken:
    """Outputs that a trained vector scales, of IA3 as the matrix gives them, and what VeRA scales between."""
    return (
        trains_adapters * scales_outputs * adapted_layer_share / layers_above_share / num_hidden_layers
        * (
            scaled_outputs
            * where(shares_matrices > 0, adapter_value_element_bytes, activation_element_bytes) / ONE_TOKEN
            + shared_matrix_bytes_per_token
        )
    )  # fmt: skip


@figure("a_vera", basis="measured", source="PEFT `VeraLayer.forward`; torch 2.13, counted")
def shared_matrix_bytes_per_token(
    shares_matrices: Switch,
    adapted_matrices: Count,
    lora_rank: Count,
    adapter_value_element_bytes: Bytes,
    lora_dropout: Share,
    adapted_widths: Count,
    adapted_outputs: Count,
) -> BytesPerToken:
    """Of all layers what VeRA keeps between its matrices, and masks of its dropout; frozen ones keep no input."""
    return (
        shares_matrices
        * (
            adapted_matrices * lora_rank * adapter_value_element_bytes
            + (lora_dropout > 0) * MASK_BYTES * (adapted_widths - adapted_outputs)
        )
        / ONE_TOKEN
    )  # fmt: skip


@figure("M_rot", basis="measured", source="PEFT `OFTRotationModule._cayley_batch`, five terms; torch 2.13, counted")
def rotation_copy_bytes(
    trains_adapters: Switch,
    rotates_inputs: Switch,
    adapted_widths: Count,
    adapted_outputs: Count,
    oft_block_size: Count,
    adapter_element_bytes: Bytes,
    num_hidden_layers: Count,
    adapter_density: Share,
) -> Bytes:
    """Four powers of each rotation that one layer keeps, in the mean."""
    return (
        trains_adapters * rotates_inputs * FOUR * (adapted_widths - adapted_outputs) * oft_block_size
        * adapter_element_bytes / num_hidden_layers * adapter_density
    )  # fmt: skip


@figure("T_key", source="arXiv:2101.00190, section 4; TRL 1.16, `padding_free`")
def keys_per_sequence(
    sequence_length: Tokens, prompts_in_cache: Switch, prompts_in_sequence: Switch, num_virtual_tokens: Tokens,
    trains_adapters: Switch, joined_batches: Switch, micro_batch_size: Count,
) -> Tokens:  # fmt: skip
    """Tokens that each query looks at most at, virtual ones among them; where a batch is one row, all of it."""
    return (
        sequence_length * where(joined_batches > 0, micro_batch_size, 1)
        + trains_adapters * larger(prompts_in_cache, prompts_in_sequence) * num_virtual_tokens
    )


@figure("f_pre")
def prefixed_key_share(
    sequence_length: Tokens, trains_adapters: Switch, prompts_in_cache: Switch, num_virtual_tokens: Tokens
) -> Share:
    """Keys of a layer over tokens of a sequence.  Source: PEFT `PrefixEncoder`, whose keys join a layer's own."""
    return 1 + trains_adapters * prompts_in_cache * num_virtual_tokens / sequence_length


@figure(
    "M_vt", basis="measured", source="PEFT `PeftModel.get_prompt`, `PeftModelForCausalLM.forward`; torch 2.13, counted"
)
def prompt_activation_bytes(
    trains_adapters: Switch,
    prompts_in_cache: Switch,
    micro_batch_size: Count,
    num_virtual_tokens: Tokens,
    num_hidden_layers: Count,
    key_value_size: Count,
    activation_element_bytes: Bytes,
    prompts_in_sequence: Switch,
    checkpoints: Switch,
    sequence_length: Tokens,
    hidden_size: Count,
    residual_element_bytes: Bytes,
) -> Bytes:
    """Keys and values of the prefix for each sequence; of checkpointed layers embeddings before prompts join them."""
    return trains_adapters * micro_batch_size * (
        prompts_in_cache * (num_virtual_tokens / ONE_TOKEN)
        * KEY_AND_VALUE * num_hidden_layers * key_value_size * activation_element_bytes
        + prompts_in_sequence * checkpoints * (sequence_length / ONE_TOKEN) * hidden_size * residual_element_bytes
    )  # fmt: skip


@figure("a_Le", basis="measured", source="PEFT `lora.Linear`, `lora.Embedding`; torch 2.13, counted")
def edge_adapter_bytes(
    trains_adapters: Switch,
    adapts_matrices: Switch,
    adapts_lm_head: Switch,
    hidden_size: Count,
    separate_adapter_inputs: Switch,
    adapter_input_element_bytes: Bytes,
    trains_head: Switch,
    activation_element_bytes: Bytes,
    adapts_embed_tokens: Switch,
    lora_rank: Count,
    adapter_value_element_bytes: Bytes,
) -> BytesPerToken:
    """What adapters of head and embedding keep: the head's input, and narrow vectors."""
    return (
        trains_adapters * adapts_matrices
        * (
            adapts_lm_head * hidden_size
            * where(
                separate_adapter_inputs > 0, adapter_input_element_bytes, (1 - trains_head) * activation_element_bytes
            )
            + (adapts_lm_head + adapts_embed_tokens) * lora_rank * adapter_value_element_bytes
        )
        / ONE_TOKEN
    )  # fmt: skip


@figure("M_mwg", basis="measured", source="PEFT `HadaWeight.backward`; torch 2.13, counted")
def made_gradient_bytes(
    trains_adapters: Switch,
    adapter_gradient_copies: Count,
    adapter_value_element_bytes: Bytes,
    adapts_q_proj: Switch,
    query_matrix_parameters: Count,
    adapts_k_proj: Switch,
    adapts_v_proj: Switch,
    key_value_matrix_parameters: Count,
    adapts_o_proj: Switch,
    output_matrix_parameters: Count,
    gate_up_adapters: Count,
    adapts_down_proj: Switch,
    hidden_size: Count,
    adapted_mlp_width: Count,
) -> Bytes:
    """Gradient of the largest matrix that adapters make, that scaled, the product of one pair, and both multiplied."""
    return (
        trains_adapters * adapter_gradient_copies * adapter_value_element_bytes
        * larger(
            adapts_q_proj * query_matrix_parameters,
            larger(adapts_k_proj, adapts_v_proj) * key_value_matrix_parameters / KEY_AND_VALUE,
            adapts_o_proj * output_matrix_parameters,
            larger(gate_up_adapters > 0, adapts_down_proj) * hidden_size * adapted_mlp_width,
        )
    )  # fmt: skip


@figure("b_adr", source="PEFT `lora.Linear.forward`, `SVDLinear.forward`; torch 2.13, counted")
def adapter_result_bytes(
    adapter_results: Count,
    adapter_value_element_bytes: Bytes,
    trains_importances: Switch,
    activation_element_bytes: Bytes,
) -> Bytes:
    """Results of an adapter on the way, per unit of width; AdaLoRA divides by a number in FP32, which widens them."""
    return adapter_results * adapter_value_element_bytes + trains_importances * (
        activation_element_bytes + (1 + trains_importances) * FP32_BYTES
    )


@figure("b_Dsc", basis="measured", source="PEFT `IA3Layer.forward`, `OFTRotationModule.forward`; torch 2.13, counted")
def scaled_input_bytes(
    trains_adapters: Switch,
    adapts_down_proj: Switch,
    scales_outputs: Switch,
    shares_matrices: Switch,
    rotates_inputs: Switch,
    adapter_element_bytes: Bytes,
    mlp_element_bytes: Bytes,
) -> Bytes:
    """Gradients of the down projection's input before and after IA3 scaled it, per unit of width; of OFT wide ones."""
    return trains_adapters * adapts_down_proj * (
        scales_outputs * (1 - shares_matrices) * adapter_element_bytes
        + (adapter_element_bytes > mlp_element_bytes)
        * (
            (scales_outputs * (1 - shares_matrices) + rotates_inputs) * (mlp_element_bytes + adapter_element_bytes)
            + rotates_inputs * adapter_element_bytes
        )
    )  # fmt: skip


@figure("o_tqkv")
def trains_attention_inputs(
    adapts_attention_inputs: Switch, prompts_in_cache: Switch, trains_biases: Switch, attention_bias: Switch
) -> Switch:
    """1 where queries, keys or values of the first layer have a gradient.  Source: PEFT."""
    return larger(adapts_attention_inputs, prompts_in_cache, trains_biases * attention_bias)


@figure("o_tk")
def trains_keys(adapts_k_proj: Switch, prompts_in_cache: Switch, trains_biases: Switch) -> Switch:
    """1 where the keys of the first layer have a gradient.  Source: PEFT."""
    return larger(adapts_k_proj, prompts_in_cache, trains_biases)


@figure("o_tv")
def trains_values(adapts_v_proj: Switch, prompts_in_cache: Switch, trains_biases: Switch) -> Switch:
    """1 where its values have one.  Source: PEFT."""
    return larger(adapts_v_proj, prompts_in_cache, trains_biases)


@figure("o_tq")
def trains_queries(adapts_q_proj: Switch, trains_biases: Switch) -> Switch:
    """1 where its queries have one.  Source: PEFT."""
    return larger(adapts_q_proj, trains_biases)
