"""Stages of a pipeline in training: what the first, a middle and the last one hold, and which of them holds most.

Layers are split as Megatron-LM does: evenly, or with stated numbers for the first and the last stage, or with embedding
and loss counted as layers.  A middle stage is the second one, which holds most of those between.
"""

from memreport.figures.constants import TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import ceil, floor, larger, smaller, where


@figure("n_spl", workload="training")
def split_layers(
    num_hidden_layers: Count,
    account_for_embedding_in_pipeline_split: Switch,
    account_for_loss_in_pipeline_split: Switch,
) -> Count:
    """Layers that are split over the stages, embedding and loss included where they count as one each.

    Source: Megatron-LM `account_for_embedding_in_pipeline_split`, `account_for_loss_in_pipeline_split`.
    """
    return num_hidden_layers + account_for_embedding_in_pipeline_split + account_for_loss_in_pipeline_split


@figure("n_unst", workload="training")
def even_split_stages(
    pipeline_parallel_size: Count, decoder_first_pipeline_num_layers: Count, decoder_last_pipeline_num_layers: Count
) -> Count:
    """Stages whose layers are not stated.  Source: Megatron-LM `num_layers_in_first_pipeline_stage`."""
    return larger(
        pipeline_parallel_size - (decoder_first_pipeline_num_layers > 0) - (decoder_last_pipeline_num_layers > 0), 1
    )


@figure("n_ev", workload="training")
def even_split_layers(
    split_layers: Count,
    decoder_first_pipeline_num_layers: Count,
    decoder_last_pipeline_num_layers: Count,
    even_split_stages: Count,
) -> Count:
    """Layers of a stage whose number is not stated, before rounding.  Source: Megatron-LM, transformer_block.py."""
    return (
        larger(split_layers - decoder_first_pipeline_num_layers - decoder_last_pipeline_num_layers, 0)
        / even_split_stages
    )


@figure("L_1", workload="training")
def first_stage_layers(
    decoder_first_pipeline_num_layers: Count,
    even_split_layers: Count,
    account_for_embedding_in_pipeline_split: Switch,
    account_for_loss_in_pipeline_split: Switch,
    pipeline_parallel_size: Count,
) -> Count:
    """Layers of the first stage, the rounded number where they do not divide; all without a pipeline.

    Source: Megatron-LM, transformer_block.py `get_num_layers_to_build`; DeepSpeed `partition_uniform`.
    """
    return where(
        decoder_first_pipeline_num_layers > 0,
        decoder_first_pipeline_num_layers,
        ceil(even_split_layers) - account_for_embedding_in_pipeline_split
        - (pipeline_parallel_size <= 1) * account_for_loss_in_pipeline_split,
    )  # fmt: skip


@figure("L_2", workload="training")
def middle_stage_layers(pipeline_parallel_size: Count, even_split_layers: Count, even_split_stages: Count) -> Count:
    """Layers of the second stage where there are three or more: a layer more while any is left over.

    Source: DeepSpeed `partition_uniform`; torchtitan `generate_llm_fqn_per_model_part`: the first stages take the rest.
    """
    return where(
        pipeline_parallel_size > TWO,
        floor(even_split_layers) + (floor((even_split_layers - floor(even_split_layers)) * even_split_stages) >= TWO),
        0,
    )


@figure("L_p", workload="training")
def last_stage_layers(
    decoder_last_pipeline_num_layers: Count,
    even_split_layers: Count,
    account_for_loss_in_pipeline_split: Switch,
    pipeline_parallel_size: Count,
    first_stage_layers: Count,
) -> Count:
    """Layers of the last stage, rounded down where they do not divide; all without a pipeline.

    Source: Megatron-LM, transformer_block.py `get_num_layers_to_build`; DeepSpeed `partition_uniform`.
    """
    return where(
        decoder_last_pipeline_num_layers + (pipeline_parallel_size <= 1) * first_stage_layers > 0,
        larger(decoder_last_pipeline_num_layers, (pipeline_parallel_size <= 1) * first_stage_layers),
        floor(even_split_layers) - account_for_loss_in_pipeline_split,
    )


@figure("L_s", workload="training", source="arXiv:2104.04473, section 2.2")
def layers_per_stage(first_stage_layers: Count, middle_stage_layers: Count, last_stage_layers: Count) -> Count:
    """Layers of the fullest pipeline stage, which a micro-batch passes in turn; times follow it."""
    return larger(first_stage_layers, middle_stage_layers, last_stage_layers)


@figure("n_int", workload="training", source="arXiv:2205.05198, section 4.2.3")
def interleaved_micro_batches(
    interleaves: Switch, pipeline_parallel_size: Count, virtual_pipeline_parallel_size: Count
) -> Count:
    """What a stage keeps for each other part of an interleaved pipeline, less than one micro-batch; 0 without."""
    return where(
        interleaves * (virtual_pipeline_parallel_size > 1) > 0,
        (pipeline_parallel_size - 1) / virtual_pipeline_parallel_size,
        0,
    )


@figure("n_fl", workload="training")
def micro_batches_in_flight(
    pipeline_parallel_size: Count,
    in_flight_per_stage: Count,
    interleaved_micro_batches: Count,
    in_flight_beyond: Count,
    keeps_all_micro_batches: Switch,
    gradient_accumulation_steps: Count,
) -> Count:
    """Micro-batches whose activations the first stage keeps: one a stage with 1F1B, by the schedule's row with others.

    Source: arXiv:2104.04473, section 2.2; arXiv:2205.05198, section 4.2.3; arXiv:2401.10241, section 2.
    """
    return where(
        keeps_all_micro_batches > 0,
        gradient_accumulation_steps,
        smaller(
            1 + (pipeline_parallel_size - 1) * in_flight_per_stage + interleaved_micro_batches + in_flight_beyond,
            gradient_accumulation_steps,
        ),
    )  # fmt: skip


@figure("n_mfl", workload="training")
def middle_stage_micro_batches(
    even_stages: Switch,
    micro_batches_in_flight: Count,
    pipeline_parallel_size: Count,
    in_flight_per_stage: Count,
    interleaved_micro_batches: Count,
    virtual_pipeline_parallel_size: Count,
    gradient_accumulation_steps: Count,
) -> Count:
    """Micro-batches whose activations the second stage keeps: one fewer than the first, two parts if interleaved.

    Source: Megatron-LM `schedules.py`, warm-up of `forward_backward_pipelining_with_interleaving`.
    """
    return where(
        even_stages > 0,
        micro_batches_in_flight,
        smaller(
            1 + (pipeline_parallel_size - 1) * in_flight_per_stage + interleaved_micro_batches
            - (interleaved_micro_batches > 0) * TWO / virtual_pipeline_parallel_size
            - (interleaved_micro_batches <= 0) * in_flight_per_stage,
            gradient_accumulation_steps,
        ),
    )  # fmt: skip


@figure("n_lfl", workload="training")
def last_stage_micro_batches(
    even_stages: Switch,
    micro_batches_in_flight: Count,
    pipeline_parallel_size: Count,
    interleaved_micro_batches: Count,
    gradient_accumulation_steps: Count,
) -> Count:
    """Micro-batches whose activations the last stage keeps: one, or (v - 1) p + 1 parts of v where they interleave.

    Source: Megatron-LM `schedules.py`, warm-up of `forward_backward_pipelining_with_interleaving`.
    """
    return where(
        even_stages > 0,
        micro_batches_in_flight,
        smaller(
            1 + (interleaved_micro_batches > 0) * (pipeline_parallel_size - 1 - interleaved_micro_batches),
            gradient_accumulation_steps,
        ),
    )


@figure("n_wt", workload="training", source="arXiv:2104.04473, section 2.2.1; arXiv:2401.10241, table 2")
def waiting_slots(pipeline_parallel_size: Count, waiting_factor: Count) -> Count:
    """Micro-batches' worth of time in which a stage waits, less where gradients of weights fill the gaps."""
    return (pipeline_parallel_size - 1) * waiting_factor


@figure("n_bs", workload="training")
def busy_slots(gradient_accumulation_steps: Count, virtual_pipeline_parallel_size: Count) -> Count:
    """Parts of micro-batches that a stage works on in a step.  Source: arXiv:2104.04473, section 2.2.2."""
    return gradient_accumulation_steps * virtual_pipeline_parallel_size


@figure("V_pad", workload="training", source="Megatron-LM `make_vocab_size_divisible_by`")
def padded_vocab_size(vocab_size: Count, vocab_multiple: Count, tensor_parallel_size: Count) -> Count:
    """Rows of embedding and head: what the framework rounds the vocabulary up to, a multiple on each rank."""
    return ceil(vocab_size / (vocab_multiple * tensor_parallel_size)) * vocab_multiple * tensor_parallel_size


@figure("P_pad", workload="training")
def vocab_padding_parameters(
    vocab_multiple: Count, padded_vocab_size: Count, vocab_size: Count, hidden_size: Count
) -> Count:
    """Parameters that this adds to one matrix; nothing where the framework rounds nothing.  Source: difference."""
    return (vocab_multiple > 1) * (padded_vocab_size - vocab_size) * hidden_size


@figure("P_e1", workload="training")
def first_edge_parameters(
    embedding_parameters: Count,
    position_parameters: Count,
    head_parameters: Count,
    pipeline_parallel_size: Count,
    joins_edges: Switch,
    vocab_padding_parameters: Count,
    has_own_head: Switch,
) -> Count:
    """Embeddings of the first stage; the head too without a pipeline, or where the schedule comes back to this stage.

    Source: arXiv:2104.04473, section 2.2; arXiv:2405.15362, V-shaped stages.
    """
    return (
        embedding_parameters + vocab_padding_parameters + position_parameters
        + larger(pipeline_parallel_size <= 1, joins_edges)
        * (head_parameters + has_own_head * vocab_padding_parameters)
    )  # fmt: skip


@figure("P_ep", workload="training", source="Megatron-LM `share_embeddings_and_output_weights`")
def last_edge_parameters(
    first_edge_parameters: Count,
    pipeline_parallel_size: Count,
    joins_edges: Switch,
    head_parameters: Count,
    shares_used_head: Switch,
    makes_logits: Switch,
    embedding_parameters: Count,
    vocab_padding_parameters: Count,
) -> Count:
    """Head of the last stage, which holds a copy of the embedding where they are tied; none where the first has it."""
    return where(
        pipeline_parallel_size <= 1,
        first_edge_parameters,
        (1 - joins_edges)
        * (head_parameters + shares_used_head * embedding_parameters + makes_logits * vocab_padding_parameters),
    )


@figure("b_st", workload="training", source="arXiv:1910.02054, section 3")
def state_bytes_per_parameter(
    matrix_element_bytes: Bytes,
    parameters_offloaded: Switch,
    shards_parameters: Switch,
    trained_state_bytes: Bytes,
    trains_base: Switch,
    state_group_size: Count,
    shards_optimizer: Switch,
) -> Bytes:
    """Weight, gradient, master copy and moments of a parameter on one GPU, to compare stages by."""
    return (
        matrix_element_bytes * (1 - parameters_offloaded) / where(shards_parameters > 0, state_group_size, 1)
        + trains_base * trained_state_bytes / where(shards_optimizer > 0, state_group_size, 1)
    )  # fmt: skip


@figure("b_tst", workload="training", source="arXiv:1910.02054, section 3")
def trained_state_bytes(
    gradient_element_bytes: Bytes,
    shards_gradients: Switch,
    shards_optimizer: Switch,
    state_group_size: Count,
    master_element_bytes: Bytes,
    optimizer_moments: Count,
    moment_bytes_each: Bytes,
    optimizer_offloaded: Switch,
) -> Bytes:
    """Gradient, master copy and moments of a trained parameter, of which ZeRO-1 leaves gradients whole."""
    return (
        gradient_element_bytes * where(shards_optimizer * (1 - shards_gradients) > 0, state_group_size, 1)
        + (master_element_bytes + optimizer_moments * moment_bytes_each) * (1 - optimizer_offloaded)
    )  # fmt: skip


@figure("M_sl", workload="training")
def stored_layer_bytes(
    tokens_per_micro_batch: Tokens,
    checkpointed_share: Share,
    kept_input_bytes: BytesPerToken,
    checkpoint_interval_layers: Count,
    layer_activation_bytes_per_token: BytesPerToken,
) -> Bytes:
    """Activations that a layer stores of one micro-batch, in the mean.  Source: arXiv:1604.06174; PyTorch."""
    return tokens_per_micro_batch * (
        checkpointed_share * kept_input_bytes / larger(checkpoint_interval_layers, 1)
        + (1 - checkpointed_share) * layer_activation_bytes_per_token
    )
