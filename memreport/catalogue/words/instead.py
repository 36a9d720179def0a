"""What to state instead of a word that has no meaning of its own here."""

from __future__ import annotations

from collections.abc import Mapping

LOW_PRECISION = (
    "does not say in what weights are held: state precision, bf16-autocast where they are in FP32, "
    "bf16-weights-autocast where they are in BF16, bf16-mixed where a 16-bit copy has an FP32 master"
)
APART = "state sequence_length, of prompt and answer together, and rollout_tokens where the same GPUs generate answers"
SOME_LAYERS = "trains some layers or biases alone, which is not counted: full is its upper bound, lora about its states"
XLA = "compiles with XLA, which decides itself what is kept; nearest is framework: megatron"
FEW_VECTORS = "is not counted: it keeps other tensors for the backward pass than LoRA, whose figures would be wrong"
INSTEAD: Mapping[str, str] = {
    "bf16": LOW_PRECISION,
    **dict.fromkeys(("max_prompt_length", "max_completion_length", "enable_hybrid_engine"), APART),
    **dict.fromkeys(("maxtext", "jax", "easylm", "levanter", "ici_fsdp_parallelism", "remat_policy"), XLA),
    **dict.fromkeys(("linear-probe", "layer-freezing"), SOME_LAYERS),
    **dict.fromkeys(("freeze_parameters_ratio", "unfrozen_parameters"), "state trained_layers, of the last ones"),
    **dict.fromkeys(
        ("bottleneck", "boft", "hra", "fourierft", "reft", "ln_tuning", "xlora", "vblora", "randlora", "c3a"),
        FEW_VECTORS,
    ),
    **dict.fromkeys(("galore_layerwise_rank",), "is not counted"),
    **dict.fromkeys(
        (
            *("num_layers", "moe_router_topk", "num_experts", "ffn_hidden_size", "num_query_groups"),
            *("group_query_attention", "kv_channels", "moe_ffn_hidden_size"),
        ),
        "is of the model: state it there",
    ),
    "mtp_num_layers": "is not counted: a layer that predicts a further token is nearly one of num_hidden_layers more",
    "fast_inference": "state rollout_tokens, rollout_memory_share, and rollout_sleeps where the engine sleeps",
    "gpu_memory_utilization": "state rollout_memory_share, and rollout_sleeps where the engine sleeps while training",
    "optimizer_offload_fraction": "of a part is not counted: state optimizer_offload: cpu, for all of it",
    **dict.fromkeys(
        ("tiled_mlp_compute", "tiled_mlp", "tiled_mlp_num_shards", "unsloth_tiled_mlp"),
        "is not counted: without it the MLP is counted for all tokens at once, which is its upper bound",
    ),
    "ppo_max_token_len_per_gpu": "of a dynamic batch: state micro_batch_size, those tokens over sequence_length",
    "lora_head": "state lm_head among the target_modules",
    "feedforward_modules": "beside the down projection are not counted: IA3 is taken to scale that one's input",
    "encoder_reparameterization_type": "as an LSTM is not counted: state MLP",
    "block_share": "one block for all of a matrix, is not counted",
    "exclude_modules": "is not counted: state target_modules without them",
    "decompose_both": "is not counted",
    "model": "stands beside the block of the workload, not in it",
    "qat": "is not counted: fake-quantised weights are kept beside the weights",
    "dion": "keeps a factor of low rank beside its momentum, which is not counted; nearest is muon",
    **dict.fromkeys(("q-galore", "qgalore"), "holds its weights in 8 bit; nearest is galore-adamw-8bit"),
    **dict.fromkeys(("exllamav2", "exllamav3", "mlc-llm", "mlx"), "is not counted; nearest is llama.cpp"),
    "shift_attn": "is not counted: state attention: flash, which keeps the same without shifts",
    "cuda_memory_fraction": "is used nine tenths of: state gpu_memory_utilization, 0.9 of it",
    "split_mode": "by rows: state tensor_parallel_size",
    **dict.fromkeys(
        ("selective_ac_option", "ac_option"),
        "of every n-th layer: state gradient_checkpointing: every-nth and checkpoint_interval",
    ),
    "memory_budget": "of another part is not counted: state gradient_checkpointing, full (0), selective-op (about a "
    "half) or none (1)",
    **dict.fromkeys(
        ("fine_grained_activation_offloading", "offload_modules"),
        "of some modules is not counted: state activation_offload: true, for all that layers keep",
    ),
    **dict.fromkeys(
        ("pipeline_model_parallel_layout", "module_fqns_per_model_part"),
        "state decoder_first_pipeline_num"
        "_layers and decoder_last_pipeline_num_layers: layers of all parts of that stage",
    ),
    "trainable_token_indices": "trains some rows of the embedding: its upper bound is modules_to_save: [embed_tokens]",
    "teacher": "state frozen_parameters, of the teacher, frozen_model_dtype and loss: distillation-kl",
    **dict.fromkeys(
        ("request_rate", "qps", "requests_per_second"),
        "is of a demand: state demand: {requests_per_second: ...} beside the block",
    ),
    **dict.fromkeys(("images_per_prompt", "num_images"), "tokens of images count in prompt_tokens"),
    "max_pixels": "tokens of images count in sequence_length, a tower that is not trained is frozen_parameters",
    "kv_cache_memory_bytes": "state overrides: {kv_pool_bytes: ...}, beside the block of the workload",
    "fsdp_sharding_strategy": "state zero_stage: 3, and data_parallel_shard_degree",
    "deepspeed": "state framework: deepspeed, zero_stage, and optimizer_offload or parameter_offload",
    "fsdp": "state zero_stage: 3, or 2 where weights stay whole, and data_parallel_shard_degree for hybrid shards",
}
"""What to state instead of a word that has no meaning of its own here.  Source: OPTIONS."""
