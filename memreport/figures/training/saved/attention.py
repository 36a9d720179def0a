"""What attention saves for the backward pass between its projections; each term is a tensor that is counted."""

from memreport.figures.constants import FP32_BYTES, MASK_BYTES, ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("f_win", source="HF `_ignore_causal_mask_sdpa`")
def windowed_mask_share(
    windows_as_masks: Switch,
    sliding_window: Tokens,
    sequence_length: Tokens,
    num_sliding_window_layers: Count,
    num_hidden_layers: Count,
) -> Share:
    """Share of the layers whose window is given to the kernel as a mask: sequences at least as long as the window."""
    return (
        windows_as_masks * (sliding_window > 0) * (sequence_length >= sliding_window)
        * num_sliding_window_layers / num_hidden_layers
    )  # fmt: skip


@figure("o_cmk", source="transformers 5.24 `_ignore_causal_mask_sdpa`; counted")
def compiled_mask(torch_compile: Switch, windows_as_masks: Switch, runs_transformers_layers: Switch) -> Switch:
    """1 where a compiled model gives its kernel a mask: while it is traced none can be found to be needless."""
    return torch_compile * windows_as_masks * runs_transformers_layers


@figure("o_pad", source="transformers 5.24 `_ignore_causal_mask_sdpa`, `flash_attention_mask`")
def padded_batches(pads_batches: Switch, micro_batch_size: Count, runs_transformers_layers: Switch) -> Switch:
    """1 where attention is told which tokens are padding: batches of several samples."""
    return pads_batches * (micro_batch_size > 1) * runs_transformers_layers


@figure("o_pdm")
def padding_mask(padded_batches: Switch, windows_as_masks: Switch) -> Switch:
    """1 where padding is a mask that the kernel is given.  Source: transformers 5.24 `sdpa_mask`."""
    return padded_batches * windows_as_masks


@figure("o_jb")
def joined_batches(joins_batches: Switch, runs_transformers_layers: Switch) -> Switch:
    """1 where a batch is one row of samples.  Source: TRL 1.16, `DataCollatorForLanguageModeling`, `padding_free`."""
    return joins_batches * runs_transformers_layers


@figure("o_row")
def batch_of_one_row(joined_batches: Switch, micro_batch_size: Count) -> Switch:
    """1 where a micro-batch is one row, so that its heads can be views of one head.  Source: PyTorch `bmm`, counted."""
    return larger(joined_batches, micro_batch_size <= 1)


@figure(
    "o_dmk", source="transformers 5.24 `find_packed_sequence_indices`, `sdpa_mask`; FlashAttention takes their lengths"
)
def document_mask(
    joined_batches: Switch, packs_samples: Switch, micro_batch_size: Count, windows_as_masks: Switch
) -> Switch:
    """1 where samples of a row are told apart by a mask that the kernel is given."""
    return joined_batches * larger(packs_samples, micro_batch_size > 1) * windows_as_masks


@figure("f_rep", source="transformers 5.24 `use_gqa_in_sdpa`, `repeat_kv`; torch 2.13, counted")
def repeated_key_share(
    windowed_mask_share: Share,
    prefix_mask_share: Share,
    compiled_mask: Switch,
    padding_mask: Switch,
    document_mask: Switch,
    num_key_value_heads: Count,
) -> Share:
    """Share of the layers that copy keys and values for all heads because of a mask; of one head all are a view."""
    return (num_key_value_heads > 1) * larger(
        windowed_mask_share, prefix_mask_share, compiled_mask, padding_mask, document_mask
    )


@figure("D_kve")
def saved_key_value_size(
    scores_stored: Switch,
    expands_key_values: Switch,
    repeated_key_share: Share,
    repeats_key_values: Switch,
    runs_transformers_layers: Switch,
    query_size: Count,
    key_value_size: Count,
    prefixed_key_share: Share,
    repeated_global_size: Count,
    batch_of_one_row: Switch,
    num_key_value_heads: Count,
) -> Count:
    """Width of the saved keys: expanded to all heads without a fused kernel, with a mask, or by the model's own code.

    One head of one row is viewed as many.
    Source: HF `repeat_kv`; torch 2.13, counted.
    """
    return prefixed_key_share * (
        key_value_size
        + (query_size - key_value_size)
        * larger(
            scores_stored * expands_key_values * (1 - batch_of_one_row * (num_key_value_heads <= 1)),
            repeated_key_share,
            repeats_key_values * runs_transformers_layers,
        )
        + repeated_global_size
    )


@figure("o_pmk")
def prefix_mask_share(trains_adapters: Switch, prompts_in_cache: Switch, windows_as_masks: Switch) -> Share:
    """1 where a kernel is given a mask, as keys of a prefix are more than queries.  Source: HF `sdpa_mask`."""
    return trains_adapters * prompts_in_cache * windows_as_masks


@figure("f_mask")
def given_mask_share(
    windowed_mask_share: Share,
    gives_causal_mask: Switch,
    windows_as_masks: Switch,
    runs_transformers_layers: Switch,
    prefix_mask_share: Share,
    padding_mask: Switch,
    document_mask: Switch,
) -> Share:
    """Share of the layers whose kernel is given a mask, as Falcon's.  Source: HF `_ignore_causal_mask_sdpa`."""
    return larger(
        windowed_mask_share,
        gives_causal_mask * windows_as_masks * runs_transformers_layers,
        prefix_mask_share,
        padding_mask,
        document_mask,
    )


@figure("a_win", basis="measured", source="PyTorch `convert_boolean_attn_mask`")
def mask_activation_bytes(
    given_mask_share: Share, compiled_mask: Switch, keys_per_sequence: Tokens, activation_element_bytes: Bytes
) -> BytesPerToken:
    """The mask that each of these layers saves in the scores' type, unless compiled layers share it."""
    return (
        given_mask_share * (1 - compiled_mask) * (keys_per_sequence / ONE_TOKEN) * activation_element_bytes / ONE_TOKEN
    )


@figure("a_cmk", basis="measured", source="torch 2.13, counted")
def shared_mask_bytes(
    compiled_mask: Switch, windowed_mask_share: Share, keys_per_sequence: Tokens, activation_element_bytes: Bytes
) -> BytesPerToken:
    """The mask that all layers of a compiled model save together; another one where some have a window."""
    return (
        compiled_mask * (1 + (windowed_mask_share > 0))
        * (keys_per_sequence / ONE_TOKEN) * activation_element_bytes / ONE_TOKEN
    )  # fmt: skip


@figure(
    "n_out", source="HF `sdpa_attention_forward`, `_flash_attention_forward`; LitGPT `apply_rope`; torch 2.13, counted"
)
def attention_output_values(
    scores_stored: Switch,
    output_input_saved: Switch,
    head_major_query: Switch,
    joins_projections: Switch,
    layers_fused: Switch,
    fp8_kept_element_bytes: Bytes,
    padded_batches: Switch,
    padding_mask: Switch,
    given_mask_share: Share,
    padded_values: Switch,
) -> Count:
    """Copies of attention's output: the kernel's own; one for stored scores, queries that lie head by head, padding."""
    # The kernel that takes a mask writes token by token.
    return (
        1 - scores_stored
        + output_input_saved * (fp8_kept_element_bytes <= 0)
        * larger(
            scores_stored,
            larger(head_major_query, joins_projections) * (1 - layers_fused) * (1 - given_mask_share),
            padded_batches - padding_mask,
            padded_values,
        )
    )  # fmt: skip


@figure("D_lat")
def latent_key_size(kv_lora_rank: Count, num_attention_heads: Count, qk_nope_head_dim: Count) -> Count:
    """Width of the keys that latent attention projects in one matrix with the values.  Source: arXiv:2405.04434."""
    return (kv_lora_rank > 0) * num_attention_heads * qk_nope_head_dim


@figure("D_vs")
def saved_value_size(
    kv_lora_rank: Count, value_size: Count, saved_key_value_size: Count, padded_value_size: Count
) -> Count:
    """Width of the saved values: as the keys', but for latent attention.  Source: HF `DeepseekV3Attention.forward`."""
    return where(kv_lora_rank > 0, value_size + padded_value_size, saved_key_value_size)


@figure("D_kept", source="HF `Phi3Attention`, `GPTNeoXAttention`, `DeepseekV3Attention`")
def kept_projection_size(
    value_keeps_projections: Switch,
    joins_projections: Switch,
    scores_stored: Switch,
    batch_of_one_row: Switch,
    fuses_layers: Switch,
    query_size: Count,
    key_value_size: Count,
    latent_key_size: Count,
    trains_adapters: Switch,
    prompts_in_cache: Switch,
    repeated_key_share: Share,
    padded_values: Switch,
) -> Count:
    """Query and key as projected, kept in memory because the saved value is a view of the same memory."""
    # Unfused products copy values, unless of one sequence and as many heads; fewer heads are copied for a mask; a
    # prefix is joined with keys and values.
    return (
        where(
            scores_stored > 0,
            batch_of_one_row * (key_value_size >= query_size),
            1 - repeated_key_share * (key_value_size < query_size),
        )
        * (1 - fuses_layers)
        * (1 - trains_adapters * prompts_in_cache)
        * (1 - padded_values)
        * (larger(value_keeps_projections, joins_projections) * (query_size + key_value_size) + latent_key_size)
    )  # fmt: skip


@figure("D_att")
def attention_saved_size(
    query_size: Count,
    saved_key_value_size: Count,
    saved_value_size: Count,
    value_size: Count,
    attention_output_values: Count,
    kept_projection_size: Count,
    gate_saved_size: Count,
    padded_value_size: Count,
) -> Count:
    """Width of everything that attention saves in the activations' type.  Source: sum."""
    return (
        query_size + saved_key_value_size + saved_value_size
        + value_size * attention_output_values + padded_value_size + kept_projection_size + gate_saved_size
    )  # fmt: skip


@figure("a_att", basis="measured", source="arXiv:2205.14135 (FlashAttention), section 3; torch 2.13, counted")
def attention_activation_bytes(
    attention_saved_size: Count,
    activation_element_bytes: Bytes,
    num_attention_heads: Count,
    scores_stored: Switch,
    scores_in_fp32: Switch,
    query_size: Count,
    saved_key_value_size: Count,
    fp8_output_input_bytes: Bytes,
    narrow_output_surplus_bytes: Bytes,
) -> BytesPerToken:
    """Query, keys, values and output of attention, with one FP32 statistic a head where it is fused."""
    return (
        attention_saved_size * activation_element_bytes
        + scores_stored * scores_in_fp32 * (query_size + saved_key_value_size) * (FP32_BYTES - activation_element_bytes)
        + (1 - scores_stored) * num_attention_heads * FP32_BYTES
        + fp8_output_input_bytes
        + narrow_output_surplus_bytes
    ) / ONE_TOKEN


@figure("b_nos", source="arXiv:2412.19437, section 3.3.3: E5M6 for attention's backward pass and the next product's")
def narrow_output_surplus_bytes(
    attention_output_element_bytes: Bytes,
    value_size: Count,
    attention_output_values: Count,
    activation_element_bytes: Bytes,
    fp8_output_input_bytes: Bytes,
) -> Bytes:
    """What one narrow copy of attention's output takes beyond those that it stands for; less than nothing."""
    return where(
        attention_output_element_bytes > 0,
        value_size * (attention_output_element_bytes - attention_output_values * activation_element_bytes)
        - fp8_output_input_bytes,
        0,
    )


@figure(
    "b_soft", source="HF `eager_attention_forward`, of gpt-oss its own; PyTorch `autocast_mode.h`, `fp32_set_opt_dtype`"
)
def softmax_element_bytes(
    softmax_in_fp32: Switch, autocast: Switch, softmax_type_named: Switch, activation_element_bytes: Bytes
) -> Bytes:
    """Width of the softmax's result, FP32 under autocast where the code names no type."""
    return where(larger(softmax_in_fp32, autocast * (1 - softmax_type_named)) > 0, FP32_BYTES, activation_element_bytes)


@figure("b_sc", source="HF `eager_attention_forward`; torch 2.13, counted; fused layers: arXiv:2205.05198, section 4.1")
def score_bytes(
    softmax_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    attention_dropout: Share,
    attention_softcap: Switch,
    fuses_layers: Switch,
    fused_score_bytes: Bytes,
) -> Bytes:
    """Saved per score: softmax, its copy for the product with values, dropout's mask, the soft cap's tanh."""
    return fuses_layers * fused_score_bytes + (1 - fuses_layers) * (
        softmax_element_bytes
        + larger(softmax_element_bytes > activation_element_bytes, attention_dropout > 0) * activation_element_bytes
        + (attention_dropout > 0) * MASK_BYTES
        + attention_softcap * activation_element_bytes
    )


@figure("a_sc", basis="measured")
def score_activation_bytes(
    num_attention_heads: Count,
    keys_per_sequence: Tokens,
    score_bytes: Bytes,
    scores_stored: Switch,
    recomputes_scores: Switch,
) -> BytesPerToken:
    """Attention scores of one layer where they are stored.  Source: arXiv:2205.05198, section 4.1; torch 2.13."""
    return (
        num_attention_heads * (keys_per_sequence / ONE_TOKEN) * score_bytes
        * scores_stored * (1 - recomputes_scores) / ONE_TOKEN
    )  # fmt: skip
