"""How the work is cut: what one GPU of a group holds."""

from memreport.figures.quantities import Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, smaller, where


@figure("N")
def accelerators(count: Count) -> Count:
    """GPUs of the job, on all nodes.  Source: the scenario's hardware."""
    return count


@figure("n_node")
def accelerators_per_node(accelerators: Count, per_node: Count, host_accelerators: Count) -> Count:
    """GPUs of the job that share one host.  Source: the scenario, else the host's own number."""
    return smaller(accelerators, where(per_node > 0, per_node, host_accelerators))


@figure("n_link", source="the scenario, else the host's own number")
def accelerators_per_domain(
    accelerators: Count, accelerators_per_node: Count, link_domain: Count, link_domain_accelerators: Count
) -> Count:
    """GPUs of the job that the link joins without the network: a node's, or more where the link spans nodes."""
    return smaller(
        accelerators, larger(accelerators_per_node, where(link_domain > 0, link_domain, link_domain_accelerators))
    )


@figure("g_mp")
def model_parallel_size(tensor_parallel_size: Count, pipeline_parallel_size: Count) -> Count:
    """GPUs that together hold one copy of the model.  Source: arXiv:2104.04473, section 2."""
    return tensor_parallel_size * pipeline_parallel_size


@figure("g_sh")
def sharding_size(accelerators: Count, model_parallel_size: Count) -> Count:
    """GPUs over which ZeRO or FSDP spreads states: data times context parallel.  Source: arXiv:1910.02054."""
    return accelerators / model_parallel_size


@figure("g_dp")
def data_parallel_size(sharding_size: Count, context_parallel_size: Count) -> Count:
    """Groups that work on different sequences.  Source: arXiv:2104.04473, section 2."""
    return sharding_size / context_parallel_size


@figure("L_s", workload="serving")
def layers_per_stage(num_hidden_layers: Count, pipeline_parallel_size: Count) -> Count:
    """Layers of the fullest pipeline stage.  Source: arXiv:2104.04473, section 2.2."""
    return ceil(num_hidden_layers / pipeline_parallel_size)


@figure("f_s")
def stage_share(layers_per_stage: Count, num_hidden_layers: Count) -> Count:
    """Share of the layers that the fullest stage holds.  Source: arXiv:2104.04473, section 2.2."""
    return layers_per_stage / num_hidden_layers


@figure("f_es", workload="serving", source="HF config `first_k_dense_replace`; arXiv:2104.04473, section 2.2")
def expert_stage_share(mixture_layers: Count, layers_per_stage: Count) -> Share:
    """Share of the mixture layers in the stage that holds most of them: dense layers come first."""
    return smaller(mixture_layers, layers_per_stage) / larger(mixture_layers, 1)


@figure("P_in")
def inner_parameters(
    parameters: Count, embedding_parameters: Count, position_parameters: Count, head_parameters: Count
) -> Count:
    """Parameters of the layers, without embeddings and head.  Source: sum of the parts."""
    return parameters - embedding_parameters - position_parameters - head_parameters


@figure("P_edge", workload="serving", source="arXiv:2104.04473, section 2.2")
def edge_parameters(
    pipeline_parallel_size: Count, embedding_parameters: Count, position_parameters: Count, head_parameters: Count
) -> Count:
    """Embeddings and head that the fullest stage holds: both without a pipeline, else the larger end."""
    return where(
        pipeline_parallel_size > 1,
        larger(embedding_parameters + position_parameters, head_parameters),
        embedding_parameters + position_parameters + head_parameters,
    )


@figure("P_ph", workload="serving")
def held_position_parameters(
    pipeline_parallel_size: Count, embedding_parameters: Count, position_parameters: Count, head_parameters: Count
) -> Count:
    """Position embedding of the fullest stage, unless the head is the larger end.  Source: arXiv:2104.04473, 2.2."""
    return position_parameters * (
        1 - (pipeline_parallel_size > 1) * (head_parameters > embedding_parameters + position_parameters)
    )


@figure("P_stage", workload="serving")
def stage_parameters(
    inner_parameters: Count,
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    stage_share: Count,
    expert_stage_share: Share,
    edge_parameters: Count,
) -> Count:
    """Parameters of the fullest stage after expert parallelism.  Source: arXiv:2006.16668 (GShard), section 2."""
    return (
        (inner_parameters - routed_expert_parameters) * stage_share
        + routed_expert_parameters / expert_parallel_size * expert_stage_share
        + edge_parameters
    )


@figure(
    "P_replm", source="Megatron-LM, multi_latent_attention.py, `duplicated`; vLLM, deepseek_v2.py, `ReplicatedLinear`"
)
def replicated_matrix_parameters(
    attention_layers: Count,
    hidden_size: Count,
    kv_lora_rank: Count,
    q_lora_rank: Count,
    qk_rope_head_dim: Count,
    num_shared_indexer_layers: Count,
    indexer_matrix_parameters: Count,
    stage_share: Share,
) -> Count:
    """Projections into latents, and the indexer, of the stage: every rank of tensor parallelism holds them whole."""
    return stage_share * (
        attention_layers * hidden_size * where(kv_lora_rank > 0, q_lora_rank + kv_lora_rank + qk_rope_head_dim, 0)
        + (attention_layers - num_shared_indexer_layers) * indexer_matrix_parameters
    )


@figure("P_replb", source="Megatron-LM, tensor_parallel/layers.py, `RowParallelLinear`")
def replicated_bias_parameters(
    attention_layers: Count,
    attention_output_bias: Switch,
    dense_layers: Count,
    mlp_bias: Switch,
    hidden_size: Count,
    stage_share: Share,
) -> Count:
    """Biases of the stage behind matrices that are cut by rows, which each rank holds."""
    return stage_share * hidden_size * (attention_layers * attention_output_bias + dense_layers * mlp_bias)


@figure("P_repl", source="arXiv:1909.08053, section 3; Megatron-LM, moe/router.py")
def replicated_parameters(
    norm_parameters: Count,
    stage_share: Count,
    mixture_layers: Count,
    router_parameters: Count,
    expert_stage_share: Share,
    replicated_matrix_parameters: Count,
    replicated_bias_parameters: Count,
    held_position_parameters: Count,
) -> Count:
    """What tensor parallelism copies instead of cutting: norms, routers, positions, some matrices and biases."""
    return (
        norm_parameters * stage_share
        + where(mixture_layers > 0, mixture_layers * router_parameters * expert_stage_share, 0)
        + replicated_matrix_parameters + replicated_bias_parameters + held_position_parameters
    )  # fmt: skip


@figure("g_et", source="Megatron-LM `expert_tensor_parallel_size`")
def expert_cut_size(expert_tensor_parallel_size: Count, tensor_parallel_size: Count) -> Count:
    """GPUs that cut each expert: those of tensor parallelism, unless stated."""
    return where(expert_tensor_parallel_size > 0, expert_tensor_parallel_size, tensor_parallel_size)


@figure("P_rank", source="arXiv:1909.08053, section 3; Megatron-LM `expert_tensor_parallel_size`")
def rank_parameters(
    stage_parameters: Count,
    replicated_parameters: Count,
    tensor_parallel_size: Count,
    rank_expert_parameters: Count,
    expert_cut_size: Count,
) -> Count:
    """Parameters that one GPU works with, before ZeRO; experts may be cut otherwise than the rest."""
    return (
        (stage_parameters - replicated_parameters) / tensor_parallel_size + replicated_parameters
        + rank_expert_parameters * (1 - expert_cut_size / tensor_parallel_size)
    )  # fmt: skip


@figure("f_rank")
def rank_share(rank_parameters: Count, parameters: Count) -> Count:
    """Share of the model that one GPU works with.  Source: division."""
    return rank_parameters / parameters


@figure("P_re")
def rank_expert_parameters(
    routed_expert_parameters: Count, expert_parallel_size: Count, expert_stage_share: Share, expert_cut_size: Count
) -> Count:
    """Routed experts that one GPU works with, before ZeRO.  Source: arXiv:2006.16668 (GShard), section 2."""
    return routed_expert_parameters / expert_parallel_size * expert_stage_share / expert_cut_size


@figure("g_st", workload="training")
def state_sharding_size(
    state_group_size: Count,
    expert_parallel_size: Count,
    expert_cut_size: Count,
    tensor_parallel_size: Count,
    rank_expert_parameters: Count,
    rank_parameters: Count,
) -> Count:
    """Parts that ZeRO can cut on average: experts are already spread over their own group, and cut over the rest of it.

    Source: arXiv:2201.05596 (DeepSpeed-MoE), section 5.
    """
    return state_group_size / (
        1 + (expert_parallel_size * expert_cut_size / tensor_parallel_size - 1)
        * rank_expert_parameters / rank_parameters
    )  # fmt: skip


@figure("g_hs", workload="training")
def state_group_size(
    data_parallel_shard_degree: Count,
    sharding_size: Count,
    hybrid_shard: Switch,
    accelerators_per_node: Count,
    tensor_parallel_size: Count,
) -> Count:
    """GPUs over which states are cut: all that work on other data, or one group of several, as a node's, with a copy.

    Source: PyTorch FSDP `HYBRID_SHARD`; torchtitan `data_parallel_shard_degree`.
    """
    return smaller(
        where(
            data_parallel_shard_degree > 0,
            data_parallel_shard_degree,
            sharding_size - hybrid_shard * larger(sharding_size - accelerators_per_node / tensor_parallel_size, 0),
        ),
        sharding_size,
    )


@figure("s_par", workload="training")
def parameter_shards(shards_parameters: Switch, state_sharding_size: Count) -> Count:
    """Parts into which ZeRO-3 or FSDP cuts the weights.  Source: arXiv:1910.02054, section 5."""
    return where(shards_parameters > 0, state_sharding_size, 1)


@figure("s_grad", workload="training")
def gradient_shards(shards_gradients: Switch, state_sharding_size: Count) -> Count:
    """Parts into which ZeRO-2 and 3 cut the gradients.  Source: arXiv:1910.02054, section 5."""
    return where(shards_gradients > 0, state_sharding_size, 1)


@figure("s_opt", workload="training")
def optimizer_shards(shards_optimizer: Switch, state_sharding_size: Count) -> Count:
    """Parts into which ZeRO-1 to 3 cut optimizer states and master weights.  Source: arXiv:1910.02054, section 5."""
    return where(shards_optimizer > 0, state_sharding_size, 1)


@figure("T_mb", workload="training")
def tokens_per_micro_batch(
    micro_batch_size: Count,
    sequences_per_sample: Count,
    sequence_length: Tokens,
    prompts_in_sequence: Switch,
    num_virtual_tokens: Tokens,
    context_parallel_size: Count,
) -> Tokens:
    """Tokens that one GPU holds activations of, virtual ones among them.  Source: arXiv:2205.05198, section 4."""
    return (
        micro_batch_size * sequences_per_sample * (sequence_length + prompts_in_sequence * num_virtual_tokens)
        / context_parallel_size
    )  # fmt: skip


@figure("B_glob", workload="training")
def global_batch_size(micro_batch_size: Count, gradient_accumulation_steps: Count, data_parallel_size: Count) -> Count:
    """Sequences per optimizer step.  Source: 003 'Gradient Accumulation'."""
    return micro_batch_size * gradient_accumulation_steps * data_parallel_size
