"""What of the activations is stored, recomputed and live: checkpoints, the live segment, logits, autocast copies."""

from memreport.figures.constants import FP32_BYTES, MASK_BYTES, ONE_TOKEN, THREE, TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import ceil, floor, larger, smaller, sqrt, where


@figure("k")
def checkpoint_interval_layers(
    interval_of_one: Switch,
    interval_given: Switch,
    checkpoint_interval: Count,
    interval_of_root: Switch,
    num_hidden_layers: Count,
    is_encoder_decoder: Switch,
) -> Count:
    """Layers between two checkpoints; nothing where there is no checkpointing.

    Where each sublayer counts as a layer, a decoder's block is three: two of attention and an MLP.
    Source: arXiv:1604.06174; HF `T5Block`, `BartDecoderLayer`.
    """
    return (
        interval_of_one * where(is_encoder_decoder > 0, THREE, 1)
        + interval_given * checkpoint_interval
        + interval_of_root * ceil(sqrt(num_hidden_layers))
    )


@figure(
    "f_cp", source="Megatron-LM `recompute_num_layers` with `recompute_method` block; torchtitan `selective_ac_option`"
)
def checkpointed_share(
    checkpoints: Switch,
    recompute_num_layers: Count,
    one_in_interval: Switch,
    checkpoint_interval: Count,
    layers_per_stage: Count,
) -> Share:
    """Share of the layers that are checkpointed: all, so many, or every n-th; the others are stored whole."""
    return checkpoints * where(
        larger(recompute_num_layers, one_in_interval) > 0,
        smaller(
            recompute_num_layers + one_in_interval * floor(layers_per_stage / checkpoint_interval), layers_per_stage
        )
        / layers_per_stage,
        1,
    )


@figure("f_rec")
def recompute_share(
    segment_recompute_share: Share, checkpoints: Switch, checkpointed_share: Share, recomputed_module_share: Share
) -> Share:
    """Forward passes done again in the backward pass, of layers or modules.  Source: arXiv:1604.06174."""
    return segment_recompute_share * where(checkpoints > 0, checkpointed_share, 1) + recomputed_module_share


@figure("n_cp")
def checkpointed_inputs(held_layers: Count, checkpoint_interval_layers: Count, checkpoints: Switch) -> Count:
    """Layer inputs that are stored.  Source: arXiv:1604.06174, section 4; PyTorch `torch.utils.checkpoint`."""
    return checkpoints * ceil(held_layers / larger(checkpoint_interval_layers, 1))


@figure("L_live")
def live_layers(held_layers: Count, checkpoint_interval_layers: Count) -> Count:
    """Layers that are recomputed and in memory at once.  Source: arXiv:1604.06174, section 4."""
    return smaller(checkpoint_interval_layers, held_layers)


@figure(
    "a_cp", source="PyTorch `torch.utils.checkpoint` keeps the segment's input; HF `MambaBlock`, `residual_in_fp32`"
)
def checkpoint_input_bytes(
    hidden_size: Count,
    residual_element_bytes: Bytes,
    residual_in_fp32: Switch,
    sequence_shards: Count,
    num_residual_streams: Count,
) -> BytesPerToken:
    """One stored layer input, all residual streams, per token."""
    return (
        hidden_size * larger(num_residual_streams, 1)
        * where(residual_in_fp32 > 0, FP32_BYTES, residual_element_bytes)
        / sequence_shards / ONE_TOKEN
    )  # fmt: skip


@figure(
    "a_kept", source="torchtitan `op` policy: the first, third, fifth product in a layer's order, and fused attention"
)
def kept_product_bytes(
    keeps_products: Switch,
    query_size: Count,
    key_value_size: Count,
    fused_qkv: Switch,
    value_size: Count,
    mlp_width_per_token: Count,
    activation_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> BytesPerToken:
    """Kept of a layer by operation: query, value, attention's output, gate; all of a fused query, key and value."""
    return (
        keeps_products * (query_size + key_value_size * (1 + fused_qkv) + value_size + mlp_width_per_token)
        * activation_element_bytes / tensor_parallel_size / ONE_TOKEN
    )  # fmt: skip


@figure("a_ckept", source="PyTorch `torch.utils.checkpoint`; torchtitan `op` policy; torch 2.13, counted")
def kept_input_bytes(
    keeps_products: Switch,
    gated_mlp: Switch,
    torch_compile: Switch,
    checkpoint_input_bytes: BytesPerToken,
    kept_product_bytes: BytesPerToken,
) -> BytesPerToken:
    """Stored of a checkpointed layer: its input, products that are kept, and of a gated MLP the last, its output."""
    # A compiled layer keeps what its backward pass reads, and nothing there reads that output.
    return checkpoint_input_bytes * (1 + keeps_products * gated_mlp * (1 - torch_compile)) + kept_product_bytes


@figure("M_whs")
def whole_stored_activation_bytes(
    tokens_per_micro_batch: Tokens,
    held_micro_batches: Count,
    checkpointed_share: Share,
    held_layers: Count,
    layer_activation_bytes_per_token: BytesPerToken,
    checkpointed_inputs: Count,
    kept_input_bytes: BytesPerToken,
    trains_adapters: Switch,
    counts_saved_tensors: Switch,
    unsaved_first_bytes_per_token: BytesPerToken,
    kept_layer_share: Share,
    optimizer_estimates_gradients: Switch,
    stage_mixture_surplus_bytes: Bytes,
) -> Bytes:
    """Activations stored by the end of the forward pass, wherever.  Source: 003 'Gradient Checkpointing'."""
    return (
        (1 - optimizer_estimates_gradients) * held_micro_batches
        * (
            tokens_per_micro_batch
            * (
                kept_layer_share
                * (
                    (1 - checkpointed_share) * held_layers * layer_activation_bytes_per_token
                    + checkpointed_share * checkpointed_inputs * kept_input_bytes
                )
                - trains_adapters * counts_saved_tensors * unsaved_first_bytes_per_token
            )
            + stage_mixture_surplus_bytes
        )
    )  # fmt: skip


@figure("M_xms", workload="training", source="mean of two kinds")
def stage_mixture_surplus_bytes(
    pipeline_parallel_size: Count,
    counts_saved_tensors: Switch,
    expert_stage_share: Share,
    mixture_layers: Count,
    held_layers: Count,
    num_hidden_layers: Count,
    stored_mixture_surplus_bytes: Bytes,
) -> Bytes:
    """What the mixtures of the stage of the peak store of a micro-batch beyond so many mean layers; nothing in one."""
    return (
        (pipeline_parallel_size > 1) * counts_saved_tensors * mixture_layers
        * (expert_stage_share - held_layers / num_hidden_layers) * stored_mixture_surplus_bytes
    )  # fmt: skip


@figure("M_stored", basis="rule of thumb", source="torchtune and TRL `OffloadActivations`; read, not measured")
def stored_activation_bytes(
    whole_stored_activation_bytes: Bytes,
    activation_offload: Switch,
    stored_layer_bytes: Bytes,
    offloaded_layers_held: Count,
) -> Bytes:
    """Those of them that stay on the GPU: all, or where they are moved to the host those of two layers on their way."""
    return where(
        activation_offload > 0,
        smaller(whole_stored_activation_bytes, offloaded_layers_held * stored_layer_bytes),
        whole_stored_activation_bytes,
    )


@figure("M_aoff")
def offloaded_activation_bytes(whole_stored_activation_bytes: Bytes, stored_activation_bytes: Bytes) -> Bytes:
    """Stored activations that lie in host memory.  Source: torchtune `enable_activation_offloading`."""
    return whole_stored_activation_bytes - stored_activation_bytes


@figure("M_live")
def live_activation_bytes(
    tokens_per_micro_batch: Tokens,
    live_layers: Count,
    layer_activation_bytes_per_token: BytesPerToken,
    kept_product_bytes: BytesPerToken,
    optimizer_estimates_gradients: Switch,
    forward_excess_bytes: Bytes,
) -> Bytes:
    """Activations of the segment that is being recomputed, but for products that were kept; without one of the layer.

    Source: 003 'Gradient Checkpointing'.
    """
    return where(
        optimizer_estimates_gradients > 0,
        forward_excess_bytes,
        tokens_per_micro_batch * live_layers * larger(layer_activation_bytes_per_token - kept_product_bytes, 0),
    )


@figure("M_act", title="Activations", shown=("main of training", "with verdicts"))
def activation_bytes(stored_activation_bytes: Bytes, live_activation_bytes: Bytes) -> Bytes:
    """Stored activations and the live segment together.  Source: 003 'Gradient Checkpointing'."""
    return stored_activation_bytes + live_activation_bytes


@figure("M_kept", basis="measured")
def kept_frozen_input_bytes(
    reentrant_checkpoints: Switch,
    shards_gradients: Switch,
    trains_base: Switch,
    tokens_per_micro_batch: Tokens,
    checkpoint_input_bytes: BytesPerToken,
    checkpointed_inputs: Count,
) -> Bytes:
    """Inputs of the later segments, and their gradients but the one in use, where hooks on frozen layers hold them.

    Source: PyTorch pull request 101982, FSDP's hook on the inputs of frozen units; torch 2.13, counted.
    """
    return (
        reentrant_checkpoints * shards_gradients * (1 - trains_base) * tokens_per_micro_batch * checkpoint_input_bytes
        * larger(TWO * (checkpointed_inputs - 1) - 1, 0)
    )  # fmt: skip


@figure("n_msk")
def kinds_of_masks(num_sliding_window_layers: Count, num_hidden_layers: Count) -> Count:
    """One, and another where some layers have a window and others none.  Source: HF `create_masks_for_generate`."""
    return 1 + (num_sliding_window_layers * (num_hidden_layers - num_sliding_window_layers) > 0)


@figure("M_masks", basis="measured")
def attention_mask_bytes(
    scores_stored: Switch,
    kinds_of_masks: Count,
    tokens_per_micro_batch: Tokens,
    keys_per_sequence: Tokens,
    sequence_length: Tokens,
    residual_element_bytes: Bytes,
    given_mask_share: Share,
    padding_mask: Switch,
    document_mask: Switch,
    micro_batch_size: Count,
) -> Bytes:
    """Without a fused kernel one mask for layers with a window, one for others; else of true and false, of padding too.

    Source: torch 2.13, counted; sequences share one unless they are padded, or one row.
    """
    return (keys_per_sequence / ONE_TOKEN) * where(
        scores_stored > 0,
        kinds_of_masks * tokens_per_micro_batch * residual_element_bytes / ONE_TOKEN,
        (given_mask_share > 0) * (1 + larger(padding_mask, document_mask) * (kinds_of_masks * micro_batch_size - 1))
        * (sequence_length / ONE_TOKEN) * MASK_BYTES,
    )  # fmt: skip


@figure("M_cmask", basis="measured", source="torch 2.13, counted")
def checkpointed_mask_bytes(
    checkpoints: Switch,
    fuses_layers: Switch,
    counts_saved_tensors: Switch,
    attention_mask_bytes: Bytes,
    distance_bias_bytes: Bytes,
    prompt_activation_bytes: Bytes,
    tower_activation_bytes: Bytes,
) -> Bytes:
    """Masks that checkpoints hold as arguments, and what all layers share: biases, a prefix; what towers keep."""
    return (
        (1 - fuses_layers) * (checkpoints * counts_saved_tensors * attention_mask_bytes + distance_bias_bytes)
        + prompt_activation_bytes
        + tower_activation_bytes
    )


@figure("b_fin", source="HF `MambaModel.forward`; torch 2.13, counted")
def final_norm_element_bytes(
    norm_element_bytes: Bytes, residual_in_fp32: Switch, trains_base: Switch, residual_element_bytes: Bytes
) -> Bytes:
    """Saved per hidden unit by the norm before the head, which an FP32 residual stream gives an FP32 result."""
    return norm_element_bytes + residual_in_fp32 * trains_base * (FP32_BYTES - residual_element_bytes)


@figure("M_edge", basis="measured", source="torch 2.13, counted")
def edge_activation_bytes(
    tokens_per_micro_batch: Tokens,
    hidden_size: Count,
    final_norm_element_bytes: Bytes,
    norm_statistics: Count,
    trains_head: Switch,
    activation_element_bytes: Bytes,
    counts_saved_tensors: Switch,
    sequence_shards: Count,
    input_shards: Count,
    edge_adapter_bytes: BytesPerToken,
    shared_mask_bytes: BytesPerToken,
) -> Bytes:
    """Final norm, input of the head where it is trained or adapted, a compiled model's mask."""
    return (
        counts_saved_tensors * tokens_per_micro_batch
        * (
            (hidden_size * final_norm_element_bytes + norm_statistics * FP32_BYTES) / sequence_shards
            + hidden_size * trains_head * activation_element_bytes / input_shards
            + (edge_adapter_bytes + shared_mask_bytes) * ONE_TOKEN
        )
        / ONE_TOKEN
    )  # fmt: skip
