"""What low-rank adapters hold for a moment beside what is saved, and what the first layer need not save before them."""

from memreport.figures.constants import KEY_AND_VALUE, ONE_TOKEN, SCALED_GRADIENTS
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import FigureRows, figure
from memreport.formula.words import larger, where


@figure("a_adb", basis="measured", source="PEFT 0.21 `DoraLinearLayer.forward`; torch 2.13, counted")
def adapter_backward_bytes(
    mlp_input_adapters: Count,
    adapter_value_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    use_dora: Switch,
    mlp_width_per_token: Count,
) -> BytesPerToken:
    """What wide adapters on gate and up that DoRA scales add to an MLP's backward pass."""
    return (
        use_dora * (mlp_input_adapters > 0)
        * (adapter_value_element_bytes - activation_element_bytes > 0)
        * mlp_width_per_token * adapter_value_element_bytes * SCALED_GRADIENTS
    ) / ONE_TOKEN  # fmt: skip


@figure("b_adc", source="PEFT `Linear.forward`; torch 2.13, counted")
def cast_input_element_bytes(
    adapters_fused: Switch,
    casts_adapter_inputs: Switch,
    adapter_element_bytes: Bytes,
    mlp_element_bytes: Bytes,
    autocast: Switch,
    lora_dropout: Share,
    shares_matrices: Switch,
) -> Bytes:
    """An adapter's input in the adapter's type, where another tensor is saved or none: dropped, or cast by autocast."""
    return (
        (1 - adapters_fused) * casts_adapter_inputs * (adapter_element_bytes > mlp_element_bytes)
        * larger(autocast, lora_dropout > 0, shares_matrices) * adapter_element_bytes
    )  # fmt: skip


@figure("b_add")
def dropped_input_element_bytes(cast_input_element_bytes: Bytes, autocast: Switch, lora_dropout: Share) -> Bytes:
    """That with values dropped, beside the copy that autocast makes and saves.  Source: PEFT `Linear.forward`."""
    return cast_input_element_bytes * autocast * (lora_dropout > 0)


@figure("b_adfd", basis="measured", source="PEFT `Linear.forward`; torch 2.13, counted")
def down_adapter_forward_bytes(
    trains_adapters: Switch,
    adapts_down_proj: Switch,
    down_input_values: Count,
    mlp_element_bytes: Bytes,
    cast_input_element_bytes: Bytes,
    dropped_input_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """Per unit of width, while the down projection's adapter is computed: its input, cast, and dropped."""
    return (
        trains_adapters * adapts_down_proj
        * ((1 - down_input_values) * mlp_element_bytes + cast_input_element_bytes + dropped_input_element_bytes)
        / tensor_parallel_size
    )  # fmt: skip


@figure("b_adfu", basis="measured")
def gate_up_adapter_forward_bytes(
    adapters_fused: Switch,
    trains_adapters: Switch,
    gate_up_adapters: Count,
    adapter_result_bytes: Bytes,
    fused_gate_up: Switch,
    gated_mlp: Switch,
    mlp_element_bytes: Bytes,
    activation_function_values: Count,
    down_input_values: Count,
    separate_down_input_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """Per unit of width: results of base and adapter, and that scaled, of up or both, less what is saved later.

    Fused ones add to the base's result in place.  Source: PEFT `Linear.forward`; torch 2.13, counted.
    """
    return (
        (1 - adapters_fused) * trains_adapters * (gate_up_adapters > 0)
        * larger(
            (1 + fused_gate_up * gated_mlp) * (mlp_element_bytes + adapter_result_bytes)
            - (where(gated_mlp * (1 - fused_gate_up) > 0, 1, activation_function_values) + down_input_values)
            * mlp_element_bytes
            - separate_down_input_bytes,
            0,
        )
        / tensor_parallel_size
    )  # fmt: skip


@figure("a_adg", basis="measured", source="PyTorch `torch.utils.checkpoint`, reentrant and not; torch 2.13, counted")
def down_adapter_gradient_bytes(
    trains_adapters: Switch,
    lora_down_proj: Switch,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    adapter_value_element_bytes: Bytes,
    checkpoints: Switch,
    reentrant_checkpoints: Switch,
    answer_norm_freed_bytes: BytesPerToken,
) -> BytesPerToken:
    """Gradients of down's adapter and, cast, of the base, found where the layer is computed again: its first need."""
    return (
        checkpoints * (1 - reentrant_checkpoints) * (answer_norm_freed_bytes <= 0)
        * trains_adapters * lora_down_proj * hidden_size
        * (
            adapter_value_element_bytes
            + (adapter_value_element_bytes > activation_element_bytes) * activation_element_bytes
        )
        / ONE_TOKEN
    )  # fmt: skip


@figure("a_adq", basis="measured", source="PEFT `Linear.forward`; torch 2.13, counted")
def attention_adapter_forward_bytes(
    trains_adapters: Switch,
    adapts_attention_inputs: Switch,
    adapter_result_bytes: Bytes,
    adapters_fused: Switch,
    kv_lora_rank: Count,
    fused_qkv: Switch,
    query_size: Count,
    key_value_size: Count,
    activation_element_bytes: Bytes,
    hidden_size: Count,
    adapter_input_element_bytes: Bytes,
    first_norm_activation_bytes: BytesPerToken,
) -> BytesPerToken:
    """What is there of a layer while the adapter of its queries, or of the fused projection, is computed."""
    return (
        trains_adapters
        * adapts_attention_inputs
        * (1 - adapters_fused)
        * (kv_lora_rank <= 0)
        * (
            first_norm_activation_bytes
            + (
                hidden_size * (activation_element_bytes + adapter_input_element_bytes)
                + (query_size + fused_qkv * KEY_AND_VALUE * key_value_size)
                * (activation_element_bytes + adapter_result_bytes)
            )
            / ONE_TOKEN
        )
    )


@figure("a_inw", basis="measured", source="HF `LlamaDecoderLayer.forward`; torch 2.13, counted")
def unsaved_mlp_input_bytes(
    hidden_size: Count,
    activation_element_bytes: Bytes,
    separate_adapter_inputs: Switch,
    mlp_adapter_copies: Count,
    norm_input_copied: Switch,
    residual_element_bytes: Bytes,
    parallel_residual: Switch,
    checkpoints: Switch,
    saves_embed_tokens: Switch,
    base_quantised: Switch,
    position_embedding_rows: Count,
) -> BytesPerToken:
    """The MLP's input and the residual, in memory while the MLP is computed, where neither is saved as it is."""
    # And attention's answer beside a parallel MLP; without checkpoints what the embeddings gave.
    return (
        hidden_size
        * (
            activation_element_bytes * (larger(separate_adapter_inputs, mlp_adapter_copies <= 0) + parallel_residual)
            + residual_element_bytes
            * (
                norm_input_copied
                + (1 - checkpoints)
                * (
                    larger(norm_input_copied, (1 - saves_embed_tokens) * (1 - base_quantised))
                    + (position_embedding_rows > 0)
                )
            )
        )
        / ONE_TOKEN
    )


@figure("a_adr", basis="measured", source="PEFT `Linear.forward`; torch 2.13, counted")
def down_adapter_result_bytes(
    hidden_size: Count,
    down_adapter_forward_bytes: Bytes,
    adapter_result_bytes: Bytes,
    adapters_fused: Switch,
    checkpoints: Switch,
    reentrant_checkpoints: Switch,
    answer_norm_freed_bytes: BytesPerToken,
) -> BytesPerToken:
    """Result of down's adapter, and that scaled; what is computed again stops before, unless a norm saves it."""
    return (
        adapter_result_bytes * hidden_size * (down_adapter_forward_bytes > 0) * (1 - adapters_fused)
        * (1 - checkpoints * (1 - reentrant_checkpoints) * (answer_norm_freed_bytes <= 0)) / ONE_TOKEN
    )  # fmt: skip


@figure("a_adf", basis="measured", family=True)
def adapter_forward_of_kind(
    adapted_width: Count,
    out_of_turn: Switch,
    down_adapter_forward_bytes: Bytes,
    gate_up_adapter_forward_bytes: Bytes,
    down_adapter_gradient_bytes: BytesPerToken,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    down_adapter_result_bytes: BytesPerToken,
    cast_input_element_bytes: Bytes,
    unsaved_mlp_input_bytes: BytesPerToken,
) -> BytesPerToken:
    """The most that an MLP's adapters hold in a forward pass beside what is saved; nothing where more is saved later.

    Source: PEFT `Linear.forward`; torch 2.13, counted.
    """
    return (1 - out_of_turn) * (
        adapted_width * larger(down_adapter_forward_bytes, gate_up_adapter_forward_bytes) > 0
    ) * (
        larger(
            adapted_width * down_adapter_forward_bytes
            + hidden_size * activation_element_bytes
            + down_adapter_result_bytes * ONE_TOKEN,
            adapted_width * gate_up_adapter_forward_bytes + hidden_size * cast_input_element_bytes,
        ) / ONE_TOKEN
        + down_adapter_gradient_bytes
        + unsaved_mlp_input_bytes
    )  # fmt: skip


ADAPTER_FORWARD = FigureRows(
    adapter_forward_of_kind.row(
        f"{kind}_adapter_forward_bytes",
        f"a_adf{kind[0]}",
        f"The most that adapters hold beside what is saved, in the MLP of a {kind} layer.  Source: PEFT; torch 2.13.",
        {"adapted_width": width, "out_of_turn": turn},
    )
    for kind, width, turn in (
        ("dense", "intermediate_size", 0),
        ("mixture", "shared_expert_intermediate_size", "shared_expert_first"),
    )
)


@figure("a_uf", basis="measured", source="PyTorch `bmm`, saved tensors; torch 2.13, counted")
def unsaved_factor_bytes(
    trains_queries: Switch,
    trains_keys: Switch,
    query_size: Count,
    saved_key_value_size: Count,
    saved_value_size: Count,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """Queries, keys and values that unfused products of the first layer need not keep: the other has no gradient."""
    return (
        (1 - trains_keys) * query_size
        + (1 - trains_queries) * saved_key_value_size
        + (1 - larger(trains_queries, trains_keys)) * saved_value_size
    ) * activation_element_bytes / ONE_TOKEN  # fmt: skip


@figure("a_us", basis="measured")
def unsaved_score_bytes(
    scores_stored: Switch,
    unsaved_factor_bytes: BytesPerToken,
    recomputes_scores: Switch,
    num_attention_heads: Count,
    keys_per_sequence: Tokens,
    softmax_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    trains_queries: Switch,
    trains_keys: Switch,
    trains_values: Switch,
) -> BytesPerToken:
    """Those, and of the scores the copy that only values' gradient needs, or softmax.  Source: torch 2.13, counted."""
    return scores_stored * (
        unsaved_factor_bytes
        + (1 - recomputes_scores) * num_attention_heads * (keys_per_sequence / ONE_TOKEN) / ONE_TOKEN
        * (softmax_element_bytes > activation_element_bytes)
        * (
            (1 - trains_values) * activation_element_bytes
            + (1 - larger(trains_queries, trains_keys)) * softmax_element_bytes
        )
    )  # fmt: skip


@figure("a_n1", basis="measured")
def first_norm_activation_bytes(
    norms_after_sublayers: Switch,
    norm_activation_bytes: BytesPerToken,
    norms_per_layer: Count,
    parallel_residual: Switch,
    norm_input_copied: Switch,
) -> BytesPerToken:
    """What the norm at the input of a layer keeps, where there is one.  Source: torch 2.13, counted."""
    return (
        (1 - norms_after_sublayers)
        * norm_activation_bytes
        / where(parallel_residual * (1 - norm_input_copied) > 0, 1, larger(norms_per_layer, 1))
    )


@figure("a_uqk", basis="measured")
def unsaved_qk_norm_bytes(
    adapts_q_proj: Switch,
    adapts_k_proj: Switch,
    query_size: Count,
    key_value_size: Count,
    qk_norm_activation_bytes: BytesPerToken,
) -> BytesPerToken:
    """Of the first layer's norms of queries and keys those before any adapter.  Source: torch 2.13, counted."""
    return (
        qk_norm_activation_bytes
        * ((1 - adapts_q_proj) * query_size + (1 - adapts_k_proj) * key_value_size) / (query_size + key_value_size)
    )  # fmt: skip


@figure("a_u1", basis="measured")
def unsaved_first_bytes_per_token(
    gradient_from_below: Switch,
    trains_attention_inputs: Switch,
    adapts_o_proj: Switch,
    norm_activation_bytes: BytesPerToken,
    first_norm_activation_bytes: BytesPerToken,
    attention_activation_bytes: BytesPerToken,
    score_activation_bytes: BytesPerToken,
    parallel_residual: Switch,
    gate_up_adapters: Count,
    adapts_down_proj: Switch,
    mlp_activation_bytes: BytesPerToken,
    unsaved_score_bytes: BytesPerToken,
    unsaved_qk_norm_bytes: BytesPerToken,
) -> BytesPerToken:
    """Of the first layer what no adapter comes before: nothing there is trained, and so nothing is saved.

    Source: PEFT `enable_input_require_grads`, `prepare_model_for_kbit_training`; torch 2.13, counted.
    """
    # With checkpoints or a quantised base PEFT makes the embedding's result ask for a gradient.
    return (1 - gradient_from_below) * (
        where(
            trains_attention_inputs + adapts_o_proj > 0,
            first_norm_activation_bytes
            + parallel_residual * (gate_up_adapters + adapts_down_proj <= 0) * mlp_activation_bytes,
            norm_activation_bytes,
        )
        + where(trains_attention_inputs <= 0, attention_activation_bytes + score_activation_bytes, unsaved_score_bytes)
        + unsaved_qk_norm_bytes
    )
