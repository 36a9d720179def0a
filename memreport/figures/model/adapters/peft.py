"""What PEFT trains beside a frozen base: which matrices are adapted, and how many parameters each method has."""

from memreport.figures.constants import KEY_AND_VALUE, ONE_TOKEN, THREE, TWO
from memreport.figures.quantities import Bytes, Count, Share, Switch, Tokens
from memreport.formula.recording import FigureRows, figure
from memreport.formula.words import larger, sqrt, total, where

MATRICES = (
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    "linear_attn", "linear_out",
)  # fmt: skip
SHORT = {name: name[:2].rstrip("_") for name in MATRICES} | {"linear_out": "lo"}
TARGETS = {name: f"targets_{name}" for name in MATRICES} | {"q_proj": "targets_queries"}
MLP = ("gate_proj", "up_proj", "down_proj")


@figure("o_nq")
def targets_queries(targets_q_proj: Switch, targets_q_a_proj: Switch, targets_q_b_proj: Switch) -> Switch:
    """1 where the query projection is named, or either matrix of one that goes through a low rank.  Source: PEFT."""
    return larger(targets_q_proj, targets_q_a_proj, targets_q_b_proj)


@figure("o_ad", family=True)
def adapts_matrix(targets_matrix: Switch, adapts_matrices: Switch, means_experts: Switch) -> Switch:
    """1 where a matrix is adapted.  Source: PEFT `target_modules`, which methods of prompts and biases lack.

    Names that mean routed experts mean no dense MLP and no shared expert any more: PEFT 0.21,
    transformers_weight_conversion.py `_convert_peft_config_moe`, counted.
    """
    return targets_matrix * adapts_matrices * (1 - means_experts)


ADAPTED = FigureRows(
    adapts_matrix.row(
        f"adapts_{name}",
        f"o_A{SHORT[name]}",
        "1 where this matrix is adapted.  Source: PEFT `target_modules`.",
        {"targets_matrix": TARGETS[name], "means_experts": "names_reach_experts" if name in MLP else 0},
    )
    for name in MATRICES
)


@figure("f_adl")
def adapted_layer_share(transformed_layers: Count, num_hidden_layers: Count) -> Share:
    """Share of the layers whose matrices are adapted.  Source: PEFT `layers_to_transform`."""
    return where(transformed_layers > 0, transformed_layers / num_hidden_layers, 1)


@figure("o_low", source="PEFT `enable_input_require_grads` with checkpoints, `prepare_model_for_kbit_training`")
def gradient_from_below(
    checkpoints: Switch,
    base_quantised: Switch,
    saves_embed_tokens: Switch,
    adapts_embed_tokens: Switch,
    prompts_in_sequence: Switch,
) -> Switch:
    """1 where what the first layer reads asks for a gradient: the embedding is trained, or made to ask for one."""
    return larger(checkpoints, base_quantised, saves_embed_tokens, adapts_embed_tokens, prompts_in_sequence)


@figure("f_ab")
def layers_above_share(
    trains_adapters: Switch,
    gradient_from_below: Switch,
    lowest_transformed_layer: Count,
    leading_frozen_layers: Count,
    num_hidden_layers: Count,
) -> Share:
    """Share of the layers that anything trained lies below or in.  Source: PyTorch keeps nothing below the first."""
    return (
        1
        - trains_adapters
        * (1 - gradient_from_below)
        * larger(lowest_transformed_layer, leading_frozen_layers)
        / num_hidden_layers
    )


@figure("f_den")
def adapter_density(adapted_layer_share: Share, layers_above_share: Share) -> Share:
    """Adapted layers over those that keep anything.  Source: shares over shares."""
    return adapted_layer_share / layers_above_share


@figure("o_li", family=True)
def keeps_input_of_matrix(adapts_matrix: Switch, keeps_input: Switch, adapter_density: Share) -> Share:
    """1 where the adapter of a matrix keeps what that matrix reads, in the mean of layers.  Source: PEFT, counted."""
    return adapts_matrix * keeps_input * adapter_density


@figure("o_kdn")
def keeps_down_inputs(keeps_adapter_inputs: Switch, scales_outputs: Switch, shares_matrices: Switch) -> Switch:
    """1 where the adapter of the down projection keeps its input; IA3 scales that.  Source: PEFT `IA3Layer`."""
    return larger(keeps_adapter_inputs, scales_outputs * (1 - shares_matrices))


LOW_RANK = FigureRows(
    keeps_input_of_matrix.row(
        f"lora_{name}",
        f"o_L{SHORT[name]}",
        "1 where the adapter of this matrix keeps its input, in the mean of layers.  Source: PEFT, counted.",
        {
            "adapts_matrix": f"adapts_{name}",
            "keeps_input": "keeps_down_inputs" if name == "down_proj" else "keeps_adapter_inputs",
        },
    )
    for name in MATRICES
)


@figure("P_Llr", source="arXiv:2106.09685, section 4; 003 'LoRA and QLoRA'; arXiv:2402.09353; arXiv:2108.06098")
def low_rank_parameters(
    adapter_pairs: Count,
    lora_rank: Count,
    adapted_widths: Count,
    expert_adapter_widths: Count,
    use_dora: Switch,
    adapted_outputs: Count,
) -> Count:
    """Two matrices for each adapted one, of LoHa four, and DoRA's magnitudes."""
    return adapter_pairs * lora_rank * (adapted_widths + expert_adapter_widths) + where(
        use_dora > 0, adapted_outputs, 0
    )


@figure("D_scl", source="PEFT `IA3Layer`, `VeraLayer`; arXiv:2205.05638, section 3.3")
def scaled_widths(
    adapted_outputs: Count,
    shares_matrices: Switch,
    adapts_down_proj: Switch,
    dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    shared_expert_intermediate_size: Count,
    hidden_size: Count,
) -> Count:
    """Outputs that a vector scales in all layers; of the down projection IA3 scales the inputs."""
    return adapted_outputs + (1 - shares_matrices) * adapts_down_proj * (
        dense_layers * (intermediate_size - hidden_size)
        + mixture_layers
        * (shared_expert_intermediate_size - hidden_size * (shared_expert_intermediate_size > 0))
    )  # fmt: skip


@figure("P_Lv")
def adapter_vector_parameters(
    trains_rank_vectors: Switch, lora_rank: Count, adapted_matrices: Count, scales_outputs: Switch, scaled_widths: Count
) -> Count:
    """Singular values of AdaLoRA, VeRA's two vectors, IA3's one.  Source: PEFT; arXiv:2303.10512; arXiv:2310.11454."""
    return trains_rank_vectors * lora_rank * adapted_matrices + where(scales_outputs > 0, scaled_widths, 0)


@figure("P_Lr")
def rotation_parameters(
    rotates_inputs: Switch, adapted_widths: Count, adapted_outputs: Count, oft_block_size: Count
) -> Count:
    """Half of each block of OFT's rotations, which the other half mirrors.  Source: PEFT `OFTLayer`."""
    return rotates_inputs * (adapted_widths - adapted_outputs) * (oft_block_size - 1) / TWO


@figure("P_Lk", basis="rule of thumb", source="PEFT `LoKrLayer`, `factorization` into numbers near the root")
def kronecker_parameters(
    makes_kronecker_products: Switch, lora_rank: Count, adapted_matrices: Count, adapted_widths: Count
) -> Count:
    """LoKr's small matrix and the factors of the large one, of sides that are the root of the mean matrix's."""
    return makes_kronecker_products * (
        adapted_widths / TWO + TWO * lora_rank * sqrt(adapted_widths * adapted_matrices / TWO)
    )


@figure("M_imp", source="PEFT `RankAllocator.update_ipt`")
def importance_bytes(
    trains_adapters: Switch, trains_importances: Switch, adapter_parameters: Count, adapter_element_bytes: Bytes
) -> Bytes:
    """Sensitivity of each parameter, its mean and that of its changes, by which AdaLoRA gives ranks."""
    return trains_adapters * trains_importances * THREE * adapter_parameters * adapter_element_bytes


@figure("d_pv")
def prompt_vector_size(prompts_in_cache: Switch, key_value_size: Count, hidden_size: Count) -> Count:
    """Width of a virtual token where it is embedded: a layer's keys, or the hidden size.  Source: PEFT."""
    return where(prompts_in_cache > 0, key_value_size, hidden_size)


@figure("d_vt", source="PEFT `PrefixEncoder`, `PromptEmbedding`")
def prompt_token_size(
    prompt_vector_size: Count, prompts_in_cache: Switch, prefix_projection: Switch, num_hidden_layers: Count
) -> Count:
    """Trained values of a virtual token: keys and values of every layer, or as an embedding has."""
    return prompt_vector_size * where(
        prompts_in_cache * (1 - prefix_projection) > 0, KEY_AND_VALUE * num_hidden_layers, 1
    )


@figure("d_enc")
def prompt_encoder_width(encoder_hidden_size: Count, prompt_vector_size: Count) -> Count:
    """Width inside the prompt encoder, that of a token unless stated.  Source: PEFT `PromptEncoderConfig`."""
    return where(encoder_hidden_size > 0, encoder_hidden_size, prompt_vector_size)


@figure("P_enc", source="PEFT `PrefixEncoder`, `PromptEncoder` with `encoder_reparameterization_type` MLP")
def prompt_encoder_parameters(
    prompts_in_cache: Switch,
    prefix_projection: Switch,
    encodes_prompts: Switch,
    prompt_token_size: Count,
    prompt_encoder_width: Count,
    num_hidden_layers: Count,
) -> Count:
    """Matrices and biases that make prompts of embeddings: two for a projected prefix, three of p-tuning."""
    return prompt_encoder_width * (
        prompts_in_cache * prefix_projection
        * ((prompt_token_size + 1) + KEY_AND_VALUE * num_hidden_layers * prompt_token_size)
        + encodes_prompts * (prompt_token_size + 1 + prompt_encoder_width + 1 + prompt_token_size)
    ) + prompt_token_size * (
        prompts_in_cache * prefix_projection * KEY_AND_VALUE * num_hidden_layers + encodes_prompts
    )  # fmt: skip


@figure("P_vt", source="arXiv:2104.08691; arXiv:2101.00190; PEFT")
def prompt_parameters(
    prompts_in_cache: Switch,
    prompts_in_sequence: Switch,
    num_virtual_tokens: Tokens,
    is_encoder_decoder: Switch,
    prompt_token_size: Count,
    prompt_encoder_parameters: Count,
) -> Count:
    """Virtual tokens, for an encoder and a decoder each, and what makes prompts of them."""
    return larger(prompts_in_cache, prompts_in_sequence) * (
        (num_virtual_tokens / ONE_TOKEN) * (1 + is_encoder_decoder) * prompt_token_size + prompt_encoder_parameters
    )


@figure("P_Ledge")
def edge_adapter_parameters(
    adapts_matrices: Switch,
    lora_rank: Count,
    adapts_embed_tokens: Switch,
    adapts_lm_head: Switch,
    hidden_size: Count,
    vocab_size: Count,
) -> Count:
    """Adapters of embedding and head.  Source: PEFT `lora.Embedding`, `lora.Linear`."""
    return adapts_matrices * lora_rank * (adapts_embed_tokens + adapts_lm_head) * (hidden_size + vocab_size)


@figure("P_L")
def adapter_parameters(
    adapted_layer_share: Share,
    low_rank_parameters: Count,
    adapter_vector_parameters: Count,
    rotation_parameters: Count,
    kronecker_parameters: Count,
    edge_adapter_parameters: Count,
    prompt_parameters: Count,
    trained_bias_parameters: Count,
) -> Count:
    """Parameters that are trained beside a frozen base, but for modules that are trained whole.  Source: sum."""
    return (
        adapted_layer_share
        * total(low_rank_parameters, adapter_vector_parameters, rotation_parameters, kronecker_parameters)
        + total(edge_adapter_parameters, prompt_parameters, trained_bias_parameters)
    )  # fmt: skip


@figure("o_Aqkv")
def adapts_attention_inputs(adapts_q_proj: Switch, adapts_k_proj: Switch, adapts_v_proj: Switch) -> Switch:
    """1 where any of query, key and value projections is adapted.  Source: PEFT."""
    return larger(adapts_q_proj, adapts_k_proj, adapts_v_proj)


@figure("D_wi")
def widest_adapted_input(
    adapts_o_proj: Switch,
    value_size: Count,
    adapts_down_proj: Switch,
    intermediate_size: Count,
    dense_layers: Count,
    adapts_attention_inputs: Switch,
    gate_up_adapters: Count,
    hidden_size: Count,
) -> Count:
    """Widest input of the adapted matrices.  Source: PEFT `VeraModel._find_dim`."""
    return larger(
        adapts_o_proj * value_size,
        adapts_down_proj * (dense_layers > 0) * intermediate_size,
        larger(adapts_attention_inputs, gate_up_adapters > 0) * hidden_size,
    )


@figure("D_wo")
def widest_adapted_output(
    adapts_q_proj: Switch,
    query_size: Count,
    adapts_k_proj: Switch,
    adapts_v_proj: Switch,
    key_value_size: Count,
    gate_up_adapters: Count,
    dense_layers: Count,
    intermediate_size: Count,
    adapts_o_proj: Switch,
    adapts_down_proj: Switch,
    hidden_size: Count,
) -> Count:
    """Widest output of the adapted matrices.  Source: PEFT `VeraModel._find_dim`."""
    return larger(
        adapts_q_proj * query_size,
        larger(adapts_k_proj, adapts_v_proj) * key_value_size,
        (gate_up_adapters > 0) * (dense_layers > 0) * intermediate_size,
        larger(adapts_o_proj, adapts_down_proj) * hidden_size,
    )


@figure("P_shr")
def shared_matrix_parameters(
    shares_matrices: Switch, lora_rank: Count, widest_adapted_input: Count, widest_adapted_output: Count
) -> Count:
    """VeRA's two frozen matrices, which all adapters share.  Source: arXiv:2310.11454; PEFT `VeraModel`."""
    return shares_matrices * lora_rank * (widest_adapted_input + widest_adapted_output)
