"""Names of a field in other programs, by section."""

from __future__ import annotations

from collections.abc import Mapping

FIELD_WORDS = (
    ("training", "micro_batch_size",
     ("micro_batch mbs device_train_microbatch_size batch_size_per_gpu per_device_batch_size "
      "per_device_train_batch_size train_micro_batch_size_per_gpu local_batch_size batch_size micro_train_batch_size "
      "ppo_micro_batch_size_per_gpu")),
    ("training", "sequence_length",
     ("seqlen context_length context_len max_seq_length max_seq_len cutoff_len seq_length seq_len sequence_len "
      "max_length model_max_length max_len")),
    ("training", "optimizer", "optim"),
    ("training", "gradient_accumulation_steps",
     "grad_accum grad_accum_steps gradient_accumulation accumulate_grad_batches batch_accumulation_per_replica"),
    ("training", "galore_rank", "apollo_rank"),
    ("training", "trained_layers",
     "freeze_trainable_layers num_layer_trainable lisa_activated_layers lisa_n_layers"),
    ("training", "attention", "attn_implementation attention_backend flash_attn attn_impl"),
    ("training", "lora_rank", "rank lora_r lora_dim r init_r"),
    ("training", "target_modules", "lora_target_modules lora_target lora_attn_modules"),
    ("training", "modules_to_save", "lora_modules_to_save additional_target"),
    ("training", "method", "adapter finetuning_type train_type tuner_type peft_scheme"),
    ("training", "objective", "rlhf_type stage rl adv_estimator advantage_estimator"),
    ("training", "loss_chunks", "num_output_chunks chunked_cross_entropy_num_chunks"),
    ("training", "gradient_checkpointing",
     ("recompute_granularity activation_checkpointing activation_checkpoint use_gradient_checkpointing "
      "enable_gradient_checkpointing enable_activation_checkpointing fsdp_activation_checkpointing recompute_layer "
      "checkpoint_activations ac_mode")),
    ("training", "tensor_parallel_size",
     "tensor_parallel_degree tensor_parallel_dim tp tp_size model_parallel_size autotp_size tensor_model_parallel_size"),
    ("training", "pipeline_parallel_size", "pipeline_parallel_degree pp pipe_parallel_size pipeline_model_parallel_size"),
    ("training", "virtual_pipeline_parallel_size", "num_virtual_stages_per_pipeline_rank virtual_pipeline_model_parallel_size"),
    ("training", "num_layers_per_virtual_pipeline_stage", "pipeline_parallel_layers_per_stage"),
    ("training", "pipeline_schedule", "pipeline_parallel_schedule pp_engine"),
    ("training", "context_parallel_size",
     ("context_parallel_degree context_parallel_dim ulysses_sequence_parallel_size sequence_parallel_degree "
      "sequence_parallel_size")),
    ("training", "tp_comm_overlap", "enable_async_tensor_parallel"),
    ("training", "expert_parallel_size", "expert_parallel_degree ep_size expert_model_parallel_size"),
    ("training", "expert_tensor_parallel_size", "expert_tensor_parallel_degree"),
    ("training", "data_parallel_shard_degree", "mics_shard_size data_parallel_shard_dim fsdp_size"),
    ("training", "data_parallel_replicate_degree", "num_distributed_optimizer_instances dp_replicate_size"),
    ("training", "expandable_segments", "pytorch_cuda_alloc_conf pytorch_alloc_conf"),
    ("training", "enable_fsdp_float8_all_gather", "fp8_enable_fsdp_float8_all_gather"),
    ("training", "account_for_embedding_in_pipeline_split", "pipeline_parallel_first_stage_less_layers"),
    ("training", "account_for_loss_in_pipeline_split", "pipeline_parallel_last_stage_less_layers"),
    ("training", "reshard_after_forward", "fsdp_reshard_after_forward"),
    ("training", "reduce_dtype", "mixed_precision_reduce"),
    ("training", "torch_compile", "compile"),
    ("training", "use_liger_kernel", "use_liger enable_liger_kernel liger_glu_activation"),
    ("training", "activation_offload", "activation_offloading enable_activation_offloading"),
    ("training", "optimizer_in_backward",
     "optimizer_in_bwd early_step_in_backward gradient_release galore_layerwise apollo_layerwise"),
    ("training", "optimizer_offload", "offload_optimizer offload_optimizer_device optimizer_cpu_offload adam_offload"),
    ("training", "parameter_offload", "offload_param offload_param_device param_offload"),
    ("training", "rollout_memory_share", "vllm_gpu_memory_utilization"),
    ("training", "precision", "dtype torch_dtype"),
    ("training", "moe_expert_capacity_factor", "capacity_factor"),
    ("training", "global_batch_size", "train_batch_size ppo_mini_batch_size"),
    ("training", "max_prompt_length", "prompt_max_len"),
    ("training", "training_tokens", "total_tokens train_tokens num_tokens total_training_tokens max_tokens tokens"),
    ("training", "max_steps", "train_iters steps num_steps training_steps train_steps max_train_steps"),
    ("training", "num_train_epochs", "num_epochs epochs"),
    ("training", "dataset_samples",
     ("num_samples num_examples num_train_samples training_samples train_examples dataset_size max_train_samples "
      "max_samples")),
    ("training", "max_completion_length", "max_response_length generate_max_len response_length"),
    ("training", "fp8_recipe", "recipe_name"),
    ("training", "zero_stage", "zero deepspeed_stage"),
    ("hardware", "accelerator", "gpu gpu_type gpu_model gpu_name device accelerator_type"),
    ("hardware", "count", "num_gpus gpus n_gpus n_gpu gpu_count num_accelerators num_devices world_size"),
    ("hardware", "per_node",
     "gpus_per_node num_gpus_per_node n_gpus_per_node devices_per_node nproc_per_node accelerators_per_node"),
    ("serving", "engine", "framework backend runtime inference_engine serving_engine inference_framework"),
    ("serving", "max_num_seqs",
     ("max_concurrent_sequences max_running_requests max_batch_size batch_size parallel n_parallel "
      "num_parallel ollama_num_parallel max_concurrent_requests max_concurrency num_concurrent_requests "
      "concurrent_requests concurrency concurrent_users num_concurrent_users")),
    ("serving", "max_num_batched_tokens",
     ("chunked_prefill_size max_num_tokens max_batch_prefill_tokens max_batch_tokens n_ubatch ubatch_size "
      "max_prefill_token_num")),
    ("serving", "max_model_len",
     ("context_window max_context_length max_context_len context_size max_seq_len num_ctx session_len "
      "max_total_tokens ollama_context_length")),
    ("serving", "max_cached_tokens", "max_batch_total_tokens"),
    ("serving", "n_ctx", "ctx_size"),
    ("serving", "gpu_memory_utilization",
     ("mem_fraction_static cache_max_entry_count free_gpu_memory_fraction kv_cache_free_gpu_mem_fraction "
      "kv_cache_free_gpu_memory_fraction")),
    ("serving", "tensor_parallel_size", "tp_size tp num_shard"),
    ("serving", "pipeline_parallel_size", "pp_size pp"),
    ("serving", "context_parallel_size", "prefill_context_parallel_size"),
    ("serving", "decode_context_parallel_size", "dcp_size"),
    ("serving", "expert_parallel_size", "ep_size ep"),
    ("serving", "data_parallel_size", "dp_size dp"),
    ("serving", "n_gpu_layers", "num_gpu_layers ngl num_gpu"),
    ("serving", "block_size", "page_size tokens_per_block cache_block_seq_len"),
    ("serving", "kv_cache_dtype", "cache_type_k cache_type_v quant_policy ollama_kv_cache_type type_k type_v"),
    ("serving", "weight_dtype", "quantization quantize dtype torch_dtype model_format"),
    ("serving", "flash_attention", "flash_attn ollama_flash_attention"),
    ("serving", "output_tokens",
     "output_len output_length osl random_output_len generated_tokens completion_tokens max_new_tokens"),
    ("serving", "prompt_tokens",
     ("input_tokens input_len input_length isl random_input_len prompt_length prompt_len max_input_tokens "
      "max_input_length max_input_len")),
    ("serving", "speculative_tokens", "num_speculative_tokens num_nextn_predict_layers max_draft_len draft_max"),
    ("serving", "draft_model", "speculative_model speculative_draft_model_path speculative_draft_model model_draft"),
    ("serving", "cpu_offload_bytes", "cpu_offload_gb"),
    ("serving", "max_loras", "max_loras_per_batch"),
)  # fmt: skip
WORKLOAD_WORDS = {
    **dict.fromkeys(("inference", "infer", "serve", "deployment", "deploy", "generation", "chat"), "serving"),
    **dict.fromkeys(("train", "finetune", "finetuning", "fine-tune", "fine-tuning", "fine_tuning"), "training"),
    **dict.fromkeys(("pretrain", "pretraining", "pre-training", "sft", "posttraining", "post-training"), "training"),
}
"""What other programs call the workloads."""
CHOICE_NAMES = {
    **{("basis", word): "buy" for word in ("purchase", "purchased", "bought", "own", "owned", "on-premises", "capex")},
    **{("basis", word): "rent" for word in ("rental", "rented", "cloud", "on-demand", "lease", "leased", "opex")},
}
"""What choices that stand in no section of a workload are called elsewhere."""
NODES = ("num_nodes", "nodes", "nnodes", "n_nodes")
"""Numbers of nodes, which multiply the GPUs of one."""
ALL_LAYERS = 1000
"""More layers than any model has: what stands for all of them."""
IN_GIB = frozenset({"cpu_offload_gb"})
"""Words whose bare numbers are GiB.  Source: vLLM, config/cache.py."""
FOLLOWED: Mapping[str, tuple[str, ...]] = {
    "training": (
        *("global_batch_size", "max_prompt_length", "max_completion_length", "apply_lora_to_mlp"),
        *("data_parallel_replicate_degree", "pipeline_parallel_microbatch_size", "max_steps", "train_samples"),
        *("num_train_epochs", "dataset_samples", "dataset_tokens"),
        *("layers_to_transform", "recompute_method", "use_precision_aware_optimizer", "store_param_remainders"),
    ),
    "serving": (
        *("n_ctx", "data_parallel_size", "enable_expert_parallel", "enable_dp_attention", "enable_attention_dp"),
        *("hicache_size", "host_cache_size", "num_gpu_blocks_override"),
        *("speculative_num_steps", "speculative_num_draft_tokens", "draft_model"),
    ),
}
"""Words from which, beside other fields, fields of another meaning follow: see `following.py`."""
SAME_FIELD: Mapping[tuple[str, str], str] = {
    (section, word): name for section, name, words in FIELD_WORDS for word in words.split()
}
"""Names of a field elsewhere, by section.  Source: OPTIONS of `meaning.py`."""
SHORT = {
    "batch_size": "n_batch", "b": "n_batch", "ub": "max_num_batched_tokens", "c": "n_ctx", "np": "max_num_seqs",
    "fa": "flash_attention", "t": "threads", "ctk": "kv_cache_dtype", "ctv": "kv_cache_dtype", "sm": "split_mode",
    "ts": "tensor_split", "md": "draft_model", "ncmoe": "n_cpu_moe",
}  # fmt: skip
"""Options of llama.cpp's programs, most of them in short."""
OF_PROGRAM: Mapping[tuple[str, str], str] = {
    ("context_length", "sglang"): "max_model_len",
    ("max_total_tokens", "sglang"): "max_cached_tokens",
    **{(name, "sglang"): "moe_expert_parallel_size" for name in ("ep_size", "ep")},
    **{(name, program): own for program in ("llama.cpp", "llama-server", "llamacpp") for name, own in SHORT.items()},
    ("tensor_model_parallel_size", "verl"): "rollout_parallel_size",
    ("gpu_memory_utilization", "verl"): "rollout_memory_share",
    ("train_batch_size", "verl"): "rollout_batch_size",
}
"""Names that mean something else in one program: of the engine that generates answers, of prompts at once.

Source: SGLang 0.5.23, server_args.py; llama.cpp, common/arg.cpp; verl, trainer/config/ppo_trainer.yaml, 2026-11-23.
"""
_FSDP = (
    "activation_checkpointing auto_wrap_policy backward_prefetch cpu_offload cpu_ram_efficient_loading forward_prefetch"
    " limit_all_gathers offload_params sharding_strategy state_dict_type sync_module_states"
    " transformer_layer_cls_to_wrap use_orig_params version"
)
_OF_ACCELERATE = {
    "tp_size": "tensor_parallel_size", "cp_size": "context_parallel_size",
    "dp_replicate_size": "data_parallel_replicate_degree", "dp_shard_size": "data_parallel_shard_degree",
}  # fmt: skip
_CHOSEN = ("_component_", "name", "type")
NESTED: Mapping[str, Mapping[str, str]] = {
    "zero_optimization": {"stage": "zero_stage"},
    "fsdp_config": {name: f"fsdp_{name}" for name in _FSDP.split()},
    "kv_cache_config": {"dtype": "kv_cache_dtype", "max_tokens": "max_cached_tokens"},
    "speculative_config": {
        "method": "speculative_algorithm",
        "decoding_type": "speculative_algorithm",
        **dict.fromkeys(("model", "speculative_model", "speculative_model_dir"), "draft_model"),
    },
    "parallelism_config": {
        before + name: own for name, own in _OF_ACCELERATE.items() for before in ("", "parallelism_config_")
    },
    "fp8_config": {"backend": "fp8_backend"},
    "data_types": {"grad_accum_dtype": "main_grads_dtype"},
    "tensor_parallel": {},
    **{
        block: {}
        for block in ("deepspeed", "deepspeed_config", "training", "parallelism", "peft_config", "lora_config")
    },
    **{block: {} for block in ("tokenizer", "float8", "mx", "quantize", "linear", "grouped_mm")},
    "activation_checkpoint": {"mode": "activation_checkpoint"},
    "activation_checkpointing": {},
    **{block: dict.fromkeys(_CHOSEN, block) for block in ("optimizer", "loss")},
}
"""Blocks of other programs whose options are read as if they stood beside the block, with what some are called here."""
