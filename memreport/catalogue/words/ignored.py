"""Options of training programs that say nothing of memory or time here: all of them, or where they are off."""

TURNED_OFF = """
    use_remove_padding packing_samples packed apply_lora_to_mlp apply_lora_to_output use_flash_attn
    full_finetuning quantize_base recompute_activations loss_parallel use_galore use_apollo use_adam_mini use_badam
    pure_bf16 fsdp_offload_params fsdp_cpu_offload bf16 fp16 fp8 apply_lora_to_mlp liger_fused_linear_cross_entropy
    cut_cross_entropy use_distributed_optimizer shift_attn fast_inference lora_target_linear packing sample_packing
    grad_reduce_in_bf16 enable_float8_linear fused padding_free vllm_enable_sleep
    cpu_checkpointing use_peft xformers_attention chunked_cross_entropy checkpoint_activations use_kl_loss
    use_kl_in_reward fine_grained_activation_offloading precompute_ref_log_probs neat_packing enable_cpu_offload
    use_unsloth_gc bnb_4bit_use_double_quant pissa_init lora_mlp_kernel lora_qkv_kernel lora_o_kernel
    offload_embedding enable_cuda_graph external_cuda_graph
"""
WITHOUT_EFFECT = """
    lora_alpha use_rslora loraplus_lr_ratio learning_rate weight_decay warmup_ratio warmup_steps lr_scheduler_type
    lr_scheduler seed do_train do_eval beta tf32 pad_to_sequence_len plugins logging_steps save_steps eval_steps
    val_set_size datasets dataset max_grad_norm gradient_clipping clip_grad_norm liger_rms_norm liger_rope
    liger_layer_norm moe_permute_fusion moe_grouped_gemm moe_token_dispatcher_type overlap_grad_reduce overlap_comm
    overlap_param_gather cross_entropy_loss_fusion exp_avg_sq_dtype
    async_tensor_model_parallel_allreduce use_megatron_fsdp
    quantization_method bnb_4bit_compute_dtype group_by_length remove_unused_columns report_to output_dir
    galore_target apollo_target optim_target_modules optim_args galore_scale dataloader_num_workers
    use_vllm vllm_mode temperature dp data_parallel_size badam_mode
    colocate_all_models train_on_inputs special_tokens chat_template
    eval_sample_packing gradient_checkpointing_kwargs wandb_project wandb_entity wandb_name wandb_run_id template
    overwrite_cache preprocessing_num_workers ddp_timeout pref_beta pref_loss custom_sharded_layers
    load_safetensors save_safetensors micro_rollout_batch_size rollout_batch_size rollout_parallel_size
    fsdp_state_dict_type fsdp_transformer_layer_cls_to_wrap fsdp_auto_wrap_policy fsdp_sync_module_states
    fsdp_use_orig_params fsdp_cpu_ram_efficient_loading fsdp_limit_all_gathers fsdp_backward_prefetch
    contiguous_gradients reduce_scatter allgather_partitions reduce_bucket_size allgather_bucket_size
    sub_group_size round_robin_gradients stage3_gather_16bit_weights_on_model_save stage3_prefetch_bucket_size
    stage3_param_persistence_threshold stage3_max_live_parameters stage3_max_reuse_distance tokenizer_model
    max_position_embeddings ddp_find_unused_parameters
    apply_rope_fusion bias_dropout_fusion masked_softmax_fusion gradient_accumulation_fusion adam_beta1 adam_beta2
    lr min_lr eps betas lr_decay_style lr_decay_iters lr_warmup_iters lr_warmup_fraction clip_grad init_method_std
    adam_eps transformer_impl position_embedding_type moe_aux_loss_coeff moe_router_load_balancing_type
    moe_router_dtype emulate force_recompute_fp8_weight_in_bwd fp8_amax_history_len fp8_amax_compute_algo fp8_margin
    distributed_backend eval_interval
    save_interval log_interval eval_iters split no_load_optim no_load_rng steps_per_print wall_clock_breakdown
    zero_allow_untested_optimizer scheduler params partition_activations contiguous_memory_optimization
    number_checkpoints synchronize_checkpoint_boundary profile pin_memory nvme_path compute_environment debug
    downcast_bf16 machine_rank main_training_function num_machines num_processes rdzv_backend same_network tpu_env
    tpu_use_cluster tpu_use_sudo use_cpu dynamo_config enable_cpu_affinity zero3_init_flag zero3_save_16bit_model
    deepspeed_multinode_launcher steps max_norm components filter_fqns precompute_float8_dynamic_scale_for_fsdp
    checkpoint profiling metrics comm job validation dump_folder print_config description base_model base_model_config
    model_type tokenizer_type model_name_or_path strict lora_fan_in_fan_out early_stopping_patience
    resume_from_checkpoint resume_checkpoint local_rank evals_per_epoch saves_per_epoch fsdp_forward_prefetch
    plot_loss overwrite_output_dir trust_remote_code model_author model_name per_device_eval_batch_size
    save_total_limit save_strategy save_only_model eval_strategy evaluation_strategy save_safetensors system
    reward_funcs reward_weights vllm_max_model_len bias random_state loftq_config missing_eos_penalty num_mini_batches
    num_ppo_epochs device path max_steps_per_epoch init_kl_coef kl_coef vllm_num_engines vllm_tensor_parallel_size
    vllm_sync_backend deepspeed_enable_sleep tp_linear_async_communication tp_mode recompute_layer_kwargs task_type
    dataset_num_proc dataset_text_field push_to_hub hub_model_id lora_modules_to_train neftune_noise_alpha optim_bits
    ref_model_mixup_alpha num_iterations epsilon loss_type scale_rewards log_completions shuffle checkpointer
    metric_logger log_every_n_steps log_peak_memory_stats profiler fp8_interval use_mcore_models
    torch_compile_backend torch_compile_mode amax_history_len amax_compute_algo margin override_linear_precision
    use_autocast_during_eval use_during_eval max_lora_rank actor_num_gpus_per_node actor_num_nodes
    ref_num_gpus_per_node ref_num_nodes reward_num_gpus_per_node reward_num_nodes critic_num_gpus_per_node
    critic_num_nodes forward_prefetch free_cache_engine overlap_p2p_comm
    microbatch_group_size_per_virtual_pipeline_stage fp4_recipe filter_fqns
    per_op_sac_force_recompute_mm_shapes_by_fqns early_stop fp8_wgrad kl_loss_coef
    kl_loss_type lr_decay_ratio packing_strategy assistant_only_loss completion_only_loss steps_per_generation
    mask_truncated_completions importance_sampling_level top_p top_k min_p repetition_penalty precompute_ref_batch_size
    sync_ref_model ref_model_sync_steps label_smoothing label_smoothing_factor rpo_alpha f_divergence_type
    desirable_weight undesirable_weight bnb_4bit_quant_type bnb_4bit_quant_storage eos_token pad_token ring_attn_func
    heads_k_stride dpo_use_weighting mask_history upcast_layernorm upcast_lmhead_output use_unsloth data_parallel_dim
    gc_freq context_parallel_rotate_method enable_compiled_autograd manual_gc manual_gc_interval ckpt_format
    cp_comm_type moe_router_bias_update_rate moe_flex_dispatcher_backend delay_wgrad_compute cuda_graph_scope
    cuda_graph_warmup_steps
    moe_router_force_load_balancing moe_router_score_function moe_router_num_groups moe_router_group_topk
    moe_router_topk_scaling_factor moe_router_enable_expert_bias moe_z_loss_coeff moe_shared_expert_overlap
    communication_data_type zero_quantized_weights zero_quantized_gradients memory_efficient_linear
    stage3_module_granularity_threshold leaf_module gpu_ids ddp_bucket_cap_mb vit_gradient_checkpointing vit_lr
    aligner_lr move_model_batches unsloth_vllm_standby float8_kv_cache auto_find_batch_size
    eval_accumulation_steps eval_on_start average_tokens_across_devices include_num_input_tokens_seen min_num_params
    xla entropy_coeff log_prob_micro_batch_size_per_gpu use_dynamic_bsz rollout_n log_level
    epsilon_high delta use_cache buffer_count buffer_size max_in_cpu ratio fast_init aio
    dataloader_drop_last dataloader_prefetch_factor ignore_data_skip full_determinism project run_name do_predict
    predict_with_generate tokenized_path streaming mix_strategy
"""
"""Options that change neither memory nor time, or that what is counted takes for granted."""
