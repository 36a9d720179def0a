"""Words of serving programs: what each stands for here, with source and date."""

from __future__ import annotations

from memreport.catalogue.words.meaning import TRAINER, Choices, Meaning, stands
from memreport.catalogue.words.names import ALL_LAYERS

VLLM = "vLLM 0.33, SGLang 0.5.23, TensorRT-LLM 1.3 and llama.cpp, documented options, 2026-11-23"
LIKE_VLLM = "its memory is taken for that of vLLM: paged blocks in a stated share of the GPU; its times are not known"
TGI = "Text Generation Inference, launcher/src/main.rs at db931fc, 2026-11-23"
CT2 = "README of these programs, 2026-11-26"
TEI = "Text Embeddings Inference, README, 2026-11-26"
GGML = "llama.cpp, common/arg.cpp and ggml.h `enum ggml_type`, llama-cpp-python, 2026-11-25"
DRAFT = "a draft's own layers are draft_parameters and its fields; draft_model is read where it is a card"
LMDEPLOY = "LMDeploy, lmdeploy/messages.py at 1263d5c, 2026-11-23"
POOLING_SWITCHES = ("is_embedding", "embeddings", "reranking")
"""Switches of SGLang and llama.cpp that turn tokens into vectors or scores."""
POOLING = "pooling embed embedding score classify reward rerank token_embed token_classify true 1"
SERVED_WITHOUT_EFFECT = """
    enable_prefix_caching enable_chunked_prefill enable_lora max_cpu_loras trust_remote_code limit_mm_per_prompt
    port served_model_name enable_hierarchical_cache hicache_ratio speculative_eagle_topk
    n_batch mamba_ssm_cache_dtype attention_backend tool_call_parser reasoning_parser kv_transfer_config cont_batching
    max_waiting_tokens waiting_served_ratio max_best_of max_stop_sequences validation_workers sharded cuda_graphs
    rope_scaling_factor backend disable_radix_cache cuda_graph_max_bs async_scheduling speculate
    stream_interval schedule_policy schedule_conservativeness log_level api_key host chat_template
    disable_log_requests threads mlock disable_log_stats cuda_graph_config enable_block_reuse main_gpu
    no_mmap tensor_split keep_alive num_batch num_thread load_format mamba_cache_mode kv_offloading_backend
    cudagraph_capture_sizes compilation_config mm_processor_kwargs lora_paths gemm_plugin
    use_paged_context_fmha n_gpu_layers_draft lora_target_modules moe_expert_parallel_size
    hicache_write_policy hicache_io_backend speculative_model_quantization draft_tensor_parallel_size
    max_seq_len_to_capture calculate_kv_scales mm_encoder_tp_mode generation_config hf_overrides tokenizer_mode
    tokenizer long_prefill_token_threshold max_num_partial_prefills max_long_partial_prefills moe_a2a_backend
    deepep_mode all2all_backend multi_block_mode remove_input_padding paged_kv_cache prefix_caching jinja
    ollama_max_loaded_models ollama_keep_alive use_mmap use_mlock offload_kqv n_threads tensor_split o
    enable_auto_tool_choice seed distributed_executor_backend disable_cascade_attn enable_metrics
    watchdog_timeout dist_init_addr nnodes node_rank random_seed enable_torch_compile sampling_backend
    grammar_backend model_path tokenizer_path max_queued_requests max_queue_size
    numa prio metrics no_webui log_disable verbose timeout
"""
SERVED_WORDS: Choices = (
    ("engine", "tensorrt-llm trt-llm tensorrt_llm nim", stands("engine", "trtllm", VLLM)),
    ("engine", "llamacpp llama-server llama-cpp-python llamafile lmstudio koboldcpp",
     stands("engine", "llama.cpp", VLLM)),
    ("engine", "llama-bench", stands("engine", "llama.cpp-bench", GGML)),
    ("engine", "ollama", Meaning(
        {"engine": "llama.cpp"}, "Ollama, documentation, 2026-11-23",
        {"max_num_seqs": 1, "from_ollama": True})),
    ("engine", "text-generation-inference", stands("engine", "tgi", VLLM)),
    ("engine", "turbomind", stands("engine", "lmdeploy", VLLM)),
    ("engine", "aphrodite", stands("engine", "vllm", "documentation of this program, 2026-11-23", LIKE_VLLM)),
    ("engine", "mlx-lm mlx_lm", stands("engine", "mlx", "mlx-lm, README, 2026-11-26")),
    ("engine", "ctranslate2 whisperx faster_whisper", stands("engine", "faster-whisper", CT2)),
    ("engine", "whisper.cpp", stands("engine", "llama.cpp", GGML)),
    ("engine", "insanely-fast-whisper", Meaning({"engine": "transformers"}, CT2, {"max_num_seqs": 24})),
    ("engine", "text-embeddings-inference", stands("engine", "tei", TEI)),
    *((word, POOLING, stands("pooling", True, VLLM)) for word in ("task", "convert", "runner", *POOLING_SWITCHES)),
    *((word, "", Meaning({}, VLLM)) for word in ("task", "convert", "runner", *POOLING_SWITCHES)),
    ("engine", "infinity sentence-transformers sentence_transformers huggingface hf accelerate unsloth",
     stands("engine", "transformers", VLLM)),
    ("kv_cache_dtype", "fp8_e5m2 fp8_e4m3", stands("kv_cache_dtype", "fp8", VLLM)),
    ("kv_cache_dtype", "auto bfloat16", stands("kv_cache_dtype", "bf16", VLLM)),
    ("kv_cache_dtype", "f16 float16 half", stands("kv_cache_dtype", "fp16", VLLM)),
    ("kv_cache_dtype", "fp8_e4m3fn", stands("kv_cache_dtype", "fp8", TGI)),
    ("kv_cache_dtype", "0", stands("kv_cache_dtype", "bf16", LMDEPLOY)),
    ("kv_cache_dtype", "16 17", stands("kv_cache_dtype", "fp8", LMDEPLOY)),
    ("kv_cache_dtype", "f32", stands("kv_cache_dtype", "fp32", VLLM)),
    ("kv_cache_dtype", "8", stands("kv_cache_dtype", "int8", LMDEPLOY)),
    ("kv_cache_dtype", "4", stands("kv_cache_dtype", "int4", LMDEPLOY)),
    ("kv_cache_dtype", "fp4 fp4_e2m1", stands("kv_cache_dtype", "nvfp4", VLLM)),
    ("weight_dtype", "bfloat16", stands("weight_dtype", "bf16", VLLM)),
    ("weight_dtype", "auto", Meaning({}, VLLM)),
    ("weight_dtype", "half float16 f16", stands("weight_dtype", "fp16", VLLM)),
    ("weight_dtype", "float32 float f32", stands("weight_dtype", "fp32", VLLM)),
    ("weight_dtype", "gptq gptq_marlin gptq_int4 gptq-int4 awq_marlin awq_int4 w4a16 int4wo hqq autoround",
     stands("weight_dtype", "int4", VLLM)),
    ("weight_dtype", "w8a16 int8wo eetq bitsandbytes_8bit gptq_int8 gptq-int8", stands("weight_dtype", "int8", VLLM)),
    ("weight_dtype", "w8a8 w8a8_int8 smoothquant", stands("weight_dtype", "int8", VLLM,
     "its products are counted in 16 bit; the memory is the same")),
    ("weight_dtype", "fbgemm_fp8 w8a8_fp8 modelopt fp8_e4m3", stands("weight_dtype", "fp8", VLLM)),
    ("weight_dtype", "modelopt_fp4 fp4 w4a4", stands("weight_dtype", "nvfp4", VLLM)),
    ("weight_dtype", "bitsandbytes@tgi bitsandbytes@text-generation-inference", stands("weight_dtype", "int8", TGI)),
    ("weight_dtype", "bitsandbytes-nf4 bitsandbytes-fp4 bitsandbytes_nf4 bitsandbytes_fp4",
     stands("weight_dtype", "nf4", TGI)),
    ("weight_dtype", "marlin exl2 compressed-tensors", stands("weight_dtype", "int4", TGI, "at 4 bits a weight")),
    ("weight_dtype", "mxfp4@llama.cpp mxfp4@llama.cpp-bench mxfp4@llama-bench mxfp4@ollama mxfp4@llama-server",
     stands("weight_dtype", "mxfp4_moe", GGML)),
    ("weight_dtype", "iq4_nl", stands("weight_dtype", "q4_0", GGML)),
    ("weight_dtype", "q4_k_s q4_k q4_1", stands("weight_dtype", "q4_k_m", GGML, "within 5 % of its size")),
    ("weight_dtype", "q5_k_s q5_k", stands("weight_dtype", "q5_k_m", GGML, "within 3 % of its size")),
    ("weight_dtype", "q3_k_s q3_k q3_k_l", stands("weight_dtype", "q3_k_m", GGML, "within 12 % of its size")),
    ("weight_dtype", "bitsandbytes", stands("weight_dtype", "nf4", VLLM)),
    ("weight_dtype", "hf", Meaning({}, LMDEPLOY)),
    ("kv_cache_dtype", "8@llama-cpp-python", stands("kv_cache_dtype", "q8_0", GGML)),
    ("kv_cache_dtype", "2@llama-cpp-python", stands("kv_cache_dtype", "q4_0", GGML)),
    ("kv_cache_dtype", "1@llama-cpp-python", stands("kv_cache_dtype", "fp16", GGML)),
    ("max_beam_width", "1", Meaning({}, VLLM)),
    ("max_beam_width", "", Meaning({}, VLLM, {}, "is not counted: beams share the prompt's cache, and each has its own "
     "of the answer; sequences at once for every beam are the upper bound")),
    ("n_gpu_layers", "-1 all auto", stands("n_gpu_layers", ALL_LAYERS, GGML)),
    ("disaggregation_mode", "prefill decode", stands("disaggregated", True, VLLM)),
    ("disaggregation_mode", "null none", Meaning({}, VLLM)),
    ("cpu_moe", "true 1", stands("n_cpu_moe", ALL_LAYERS, GGML)),
    ("cpu_moe", "false 0", Meaning({}, GGML)),
    ("split_mode", "layer none", Meaning({}, VLLM)),
    ("swap_space", "0", Meaning({}, VLLM)),
    ("load_in_4bit", "true", Meaning({"weight_dtype": "nf4"}, TRAINER)),
    ("load_in_8bit", "true", Meaning({"weight_dtype": "int8"}, TRAINER)),
    ("speculative_algorithm", "ngram suffix lookahead", Meaning({}, VLLM)),
    ("speculative_algorithm", "standalone draft draft_model draft_target drafttarget", Meaning({}, VLLM)),
    ("speculative_algorithm", ("eagle eagle2 eagle3 nextn mtp mtp_eagle deepseek_mtp qwen3_next_mtp glm4_moe_mtp "
     "ernie_mtp mimo_mtp longcat_flash_mtp"), Meaning({}, VLLM, {"draft_num_hidden_layers": 1},
     "one layer of the model's own, whose cache is counted; its weights are draft_parameters")),
    ("speculative_algorithm", "", Meaning({}, VLLM, {}, DRAFT)),
    ("draft_model", "", Meaning({}, VLLM, {}, DRAFT)),
    ("swap_space", "", Meaning({}, VLLM, {}, "engines that keep no swapped sequences leave it unused; one that does: "
     "state kv_offloading_size, for all GPUs of a replica together")),
    ("flash_attention", "on auto 1", stands("flash_attention", True, VLLM)),
    ("flash_attention", "off 0", stands("flash_attention", False, VLLM)),
    (SERVED_WITHOUT_EFFECT, "", Meaning({}, VLLM)),
)  # fmt: skip
