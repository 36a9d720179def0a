"""What the listings and examples of document 003 compute, its mistakes included, beside the engine's own figures.

Its `kv_cache_size_gb` and `pagedattention_capacity` agree with `kv_cache_bytes`, `kv_block_bytes`, `kv_pool_blocks`,
`kv_pool_tokens` and `paged_concurrent_sequences`, so they have no figures of their own.
"""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES, HALF_BYTES, INT64_BYTES, LISTING_VALUES, ONE_TOKEN, THREE, TWO
from memreport.figures.quantities import Bytes, Count, Share, Switch, Tokens
from memreport.formula.recording import Figure, figure
from memreport.formula.words import floor, larger, power, sqrt, where


@figure("z_L")
def listing_zero_stage(shards_optimizer: Switch, shards_gradients: Switch, shards_parameters: Switch) -> Count:
    """The stage as a number.  Source: 003 'training_memory_budget'."""
    return shards_optimizer + shards_gradients + shards_parameters


@figure("b_L")
def listing_element_bytes(weight_element_bytes: Bytes) -> Bytes:
    """2 bytes for 16-bit weights and 4 for every other type, narrower ones too.  Source: 003, same listing."""
    return where(
        (weight_element_bytes >= HALF_BYTES) * (weight_element_bytes <= HALF_BYTES) > 0, HALF_BYTES, FP32_BYTES
    )


@figure("M_Lw")
def listing_weight_bytes(
    parameters: Count, listing_element_bytes: Bytes, listing_zero_stage: Count, count: Count
) -> Bytes:
    """Weights of one GPU, cut from stage 3 on.  Source: 003, same listing."""
    return parameters * listing_element_bytes / where(listing_zero_stage >= THREE, count, 1)


@figure("M_Lg")
def listing_gradient_bytes(
    parameters: Count, listing_element_bytes: Bytes, listing_zero_stage: Count, count: Count
) -> Bytes:
    """Gradients of one GPU, in the weights' type, cut from stage 2 on.  Source: 003, same listing."""
    return parameters * listing_element_bytes / where(listing_zero_stage >= TWO, count, 1)


@figure("M_Lo")
def listing_optimizer_bytes(
    parameters: Count, listing_optimizer_element_bytes: Bytes, listing_zero_stage: Count, count: Count
) -> Bytes:
    """Optimizer states, cut in stages 1 to 3 and whole in any higher one.  Source: 003, same listing."""
    return (
        parameters * listing_optimizer_element_bytes
        / where((listing_zero_stage >= 1) * (listing_zero_stage <= THREE) > 0, count, 1)
    )  # fmt: skip


@figure("M_Lst")
def listing_state_bytes(
    listing_weight_bytes: Bytes, listing_gradient_bytes: Bytes, listing_optimizer_bytes: Bytes
) -> Bytes:
    """Weights, gradients and optimizer states.  Source: 003, same listing."""
    return listing_weight_bytes + listing_gradient_bytes + listing_optimizer_bytes


@figure("L_L")
def listing_activation_layers(num_hidden_layers: Count, checkpoints: Switch) -> Count:
    """Layers whose activations are counted: all, or the root of them cut off to a whole number.  Source: 003, same."""
    return where(checkpoints > 0, larger(1, floor(sqrt(num_hidden_layers))), num_hidden_layers)


@figure("M_La1")
def listing_layer_bytes(micro_batch_size: Count, sequence_length: Tokens, hidden_size: Count) -> Bytes:
    """Activations of one layer, 12 values of 2 bytes.  Source: 003, same listing."""
    return LISTING_VALUES * micro_batch_size * (sequence_length / ONE_TOKEN) * hidden_size * HALF_BYTES


@figure("M_La")
def listing_activation_bytes(listing_layer_bytes: Bytes, listing_activation_layers: Count) -> Bytes:
    """Activations of the counted layers; whole layers, not inputs, under checkpointing.  Source: 003, same listing."""
    return listing_layer_bytes * listing_activation_layers


@figure("M_Lt")
def listing_total_bytes(listing_state_bytes: Bytes, listing_activation_bytes: Bytes) -> Bytes:
    """The listing's total of one GPU.  Source: 003, same listing."""
    return listing_state_bytes + listing_activation_bytes


@figure("M_all")
def all_layers_bytes(num_hidden_layers: Count, one_layer_bytes: Bytes) -> Bytes:
    """All layers, given what one of them takes.  Source: 003 'The Production Scenario'."""
    return num_hidden_layers * one_layer_bytes


@figure("b_f")
def format_bits(exponent_bits: Count, mantissa_bits: Count) -> Count:
    """Width of a floating-point format: sign, exponent, mantissa.  Source: IEEE 754-2019, section 3.4."""
    return 1 + exponent_bits + mantissa_bits


@figure("x_max")
def largest_number(exponent_bits: Count, mantissa_bits: Count) -> Count:
    """Largest finite number of a floating-point format.  Source: IEEE 754-2019, section 3.3."""
    return (TWO - power(TWO, 0 - mantissa_bits)) * power(TWO, power(TWO, exponent_bits - 1) - 1)


@figure("M_t1")
def first_step_peak_bytes(
    weight_bytes: Bytes,
    gradient_bytes: Bytes,
    activation_bytes: Bytes,
    optimizer_state_bytes: Bytes,
    master_weight_bytes: Bytes,
) -> Bytes:
    """Peak of a step whose optimizer makes its states at the end, when activations are gone.

    Source: 003 'Estimation Before Commitment'; PyTorch `torch.optim.AdamW` makes its states in the first step.
    """
    return weight_bytes + gradient_bytes + larger(activation_bytes, optimizer_state_bytes + master_weight_bytes)


@figure("V_gK")
def undeferred_exchange_bytes(gradient_exchange_bytes: Bytes, gradient_accumulation_steps: Count) -> Bytes:
    """Gradients sent per step where every micro-batch is synchronised.

    Source: PyTorch `DistributedDataParallel.no_sync` is what defers it.
    """
    return gradient_exchange_bytes * gradient_accumulation_steps


@figure("w_rest")
def leftover_weight(leftover_micro_batches: Count, gradient_accumulation_steps: Count) -> Share:
    """Weight of a last step of fewer micro-batches whose losses are divided by the full number.

    Source: 003 'Gradient Accumulation', the listing.
    """
    return leftover_micro_batches / gradient_accumulation_steps


@figure("f_upd")
def undivided_update_factor(gradient_accumulation_steps: Count, scale_free_update: Switch) -> Share:
    """Growth of an update where the loss is not divided; Adam and clipping take the scale out.

    Source: 003 'Common Mistakes'; arXiv:1412.6980, section 2.1.
    """
    return where(scale_free_update > 0, 1, gradient_accumulation_steps)


@figure("M_in")
def input_batch_bytes(micro_batch_size: Count, sequence_length: Tokens) -> Bytes:
    """Token indices of one micro-batch.  Source: 003 'Interview Q&A', fifth component."""
    return micro_batch_size * (sequence_length / ONE_TOKEN) * INT64_BYTES


@figure("n_sc")
def score_entry_millions(sequence_length: Tokens, entries_per_million: Count) -> Count:
    """Scores of one head and layer, in millions.  Source: 003 'Flash Attention'."""
    return (sequence_length / ONE_TOKEN) * (sequence_length / ONE_TOKEN) / entries_per_million


@figure("f_fl")
def fused_attention_saving(sequence_length: Tokens, score_bytes: Bytes, statistic_bytes: Bytes) -> Share:
    """Stored scores over the statistic of each row that fused attention stores instead.

    Source: arXiv:2205.14135, section 3.1; 003 'Flash Attention'.
    """
    return (sequence_length / ONE_TOKEN) * score_bytes / statistic_bytes


@figure("L_seq")
def unwrapped_layers(sequential_layers: Count, sequential_segments: Count) -> Count:
    """Layers that `checkpoint_sequential` runs as they are and whose activations stay: its last segment.

    Source: PyTorch 2.13 `torch.utils.checkpoint.checkpoint_sequential`; 003 'Gradient Checkpointing'.
    """
    return sequential_layers - floor(sequential_layers / sequential_segments) * (sequential_segments - 1)


@figure("L_grad")
def layers_with_gradient(
    sequential_layers: Count, unwrapped_layers: Count, reentrant: Switch, input_has_gradient: Switch
) -> Count:
    """Layers whose weights get a gradient: the re-entrant variant gives none where its input has none.

    Source: PyTorch 2.13 `torch.utils.checkpoint`, run on 16 layers in 4 segments; 003, the demonstration.
    """
    return where(reentrant * (1 - input_has_gradient) > 0, unwrapped_layers, sequential_layers)


@figure("M_host")
def host_checkpoint_bytes(stored_activation_bytes: Bytes, saves_on_cpu: Switch) -> Bytes:
    """Stored inputs of checkpoints that lie in host memory: all where the call asks for it, else none.

    Source: PyTorch 2.13 `torch.autograd.graph.save_on_cpu`; 003 'Activation Offloading to CPU'.
    """
    return stored_activation_bytes * saves_on_cpu


@figure("M_cut")
def cut_off_cache_bytes(kv_cache_bytes: Bytes, cut_to_bytes: Bytes) -> Bytes:
    """The cache with its further digits cut off instead of rounded.  Source: 003 'Interview Q&A', its 68 GB."""
    return floor(kv_cache_bytes / cut_to_bytes) * cut_to_bytes


@figure("w_use")
def unused_cache_share(useful_cache_share: Share) -> Share:
    """Cache that holds no token, given the share that does.  Source: arXiv:2309.06180, figure 2."""
    return 1 - useful_cache_share


@figure("f_con")
def paging_concurrency_factor(contiguous_waste_share: Share, average_paged_waste_share: Share) -> Share:
    """Sequences at once with paging over those with contiguous reservations, in the same memory.

    Source: arXiv:2309.06180, section 6; 003 'KV cache and PagedAttention'.
    """
    return (1 - average_paged_waste_share) / (1 - contiguous_waste_share)


COMMON: tuple[Figure, ...] = (all_layers_bytes, format_bits, largest_number)
FIGURES: dict[str, tuple[Figure, ...]] = {
    "training": (
        listing_zero_stage,
        listing_element_bytes,
        listing_weight_bytes,
        listing_gradient_bytes,
        listing_optimizer_bytes,
        listing_state_bytes,
        listing_activation_layers,
        listing_layer_bytes,
        listing_activation_bytes,
        listing_total_bytes,
        first_step_peak_bytes,
        undeferred_exchange_bytes,
        leftover_weight,
        undivided_update_factor,
        input_batch_bytes,
        score_entry_millions,
        fused_attention_saving,
        unwrapped_layers,
        layers_with_gradient,
        host_checkpoint_bytes,
    ),
    "serving": (unused_cache_share, paging_concurrency_factor, cut_off_cache_bytes),
}
