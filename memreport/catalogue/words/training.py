"""Words of training programs: what each stands for here, with source and date."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.words.ignored import TURNED_OFF, WITHOUT_EFFECT
from memreport.catalogue.words.meaning import (
    ATTENTION,
    AXOLOTL,
    FACTORY,
    HQQ,
    LITGPT,
    MEGATRON,
    OPTIMIZERS,
    OPTIONS,
    PEFT,
    SOME_LAYERS,
    TITAN,
    TRAINER,
    TRL,
    TUNE,
    Choices,
    Meaning,
    runs,
    stands,
)

FOREACH = "PyTorch's own choice of implementation is foreach"
FLEX = "it keeps what FlashAttention keeps; PyTorch reports 85 to 90 % of its speed"
WITH_TRAINER = "it trains with the Trainer of transformers; under DeepSpeed, state framework: deepspeed"
CHECKPOINTS = f"{WITH_TRAINER}; it checkpoints every layer unless told otherwise"
TILES = f"{CHECKPOINTS}; it makes no logits since 1.15: before, state loss: framework, or of answers log-probabilities"
INTERLEAVED = "stages are whole unless the parts into which each is cut and interleaved are stated"
SINGLE_QUANT = "NF4 without bnb_4bit_use_double_quant; with it, state base_weight_dtype: nf4-double-quant"
NO_KL = "there is no reference model, as where TRL's beta is 0, its default"
BY_RULE = "with a reference model, rewards by rule and no critic"
ANSWERS = "changes neither memory nor time where micro_batch_size counts answers, as TRL does"
TOWER = "is of a tower: one that is not trained is frozen_parameters"
MOVED = "is of the time while answers are generated; where it trains, all of it is on the GPU"
LESS = "is not counted: it keeps less, and what is counted is its upper bound"
VERL = "verl, workers/fsdp_workers.py and trainer/config, 2026-11-23"
SHARDS = "NeMo and Megatron-Bridge recipes, ms-swift megatron arguments: use_distributed_optimizer, 2026-11-23"
AMP = "torch.amp.GradScaler, which scales gradients of FP32 weights alone; transformers, Trainer, fp16, 2026-11-24"
FP32_GRADIENTS = "gradients are accumulated in FP32 with bf16, unless main_grads_dtype or grad_reduce_in_bf16 says else"
BRIDGE = "Megatron-Bridge, training/mixed_precision.py, 2026-11-25"
BRIDGED: tuple[tuple[str, str, Mapping[str, object]], ...] = (
    ("bf16_mixed", "bf16-mixed-fp32-gradients", {}),
    ("bf16_with_fp8_delayed_scaling_mixed bf16_with_fp8_hybrid", "fp8", {"fp8_recipe": "te-delayed"}),
    ("bf16_with_fp8_current_scaling_mixed", "fp8", {"fp8_recipe": "te-tensorwise"}),
    ("bf16_with_fp8_subchannel_scaling_mixed", "fp8", {"fp8_recipe": "te-blockwise"}),
    ("bf16_with_mxfp8_mixed", "mxfp8", {"fp8_recipe": "te-mxfp8"}),
    ("bf16_with_nvfp4_mixed", "nvfp4", {}),
)
"""Recipes of precision: words, what they stand for here, and how their products scale.  Source: BRIDGE."""
FACTOR = "changes neither memory nor time, or is what is counted anyway"

FSDP1 = (
    "PyTorch FSDP, ShardingStrategy: what is gathered stays until the backward pass, or copies of a node; 2026-11-25"
)
STRATEGIES = (
    ("fsdp_sharding_strategy", "shard_grad_op 2", KEPT := {"reshard_after_forward": False}),
    ("fsdp_sharding_strategy", "hybrid_shard 4", OF_A_NODE := {"hybrid_shard": True}),
    ("fsdp_sharding_strategy", "hybrid_shard_zero2 _hybrid_shard_zero2 5", BOTH := {**KEPT, **OF_A_NODE}),
    ("fsdp", "shard_grad_op shard_grad_op_auto_wrap", KEPT),
    ("fsdp", "hybrid_shard hybrid_shard_auto_wrap", OF_A_NODE),
    ("fsdp", "hybrid_shard_zero2 hybrid_shard_zero2_auto_wrap", BOTH),
)
"""Strategies of FSDP beside a full shard: options, their words, and what they set beside stage 3.  Source: FSDP1."""
EVERY_NTH = 17
"""One more than the layers between two that are checkpointed which words may name."""

HELD_BF16 = (
    *((program, "bf16-mixed") for program in ("deepspeed", "openrlhf")),
    *((program, "bf16-mixed-fp32-gradients") for program in ("megatron", "nemo", "megatron-lm")),
    *((name, "bf16-weights-autocast") for name in ("axolotl", "unsloth", "llamafactory+lora", "llama-factory+lora")),
    *((program, "bf16-autocast") for program in ("llamafactory", "llama-factory")),
)
"""What `bf16: true` means of the weights, by program, and by method where that changes it.  Source: OPTIONS."""
ADAPTERS_IN_16_BITS = " ".join(
    f"{word}@{program}+{method}"
    for word in ("true", "auto")
    for method in ("lora", "qlora")
    for program in ("", "huggingface", "transformers", "trl", "axolotl", "unsloth", "llamafactory", "llama-factory",
                    "ms-swift", "swift")
)  # fmt: skip
"""Where 16 bits are asked for with adapters, whose base is loaded in them.  Source: AMP."""
LOADED_BF16 = (
    "is read as bf16-weights-autocast, a base that is loaded in BF16; state precision: bf16-autocast where it is FP32"
)
LOADED_FP32 = (
    "is read as bf16-autocast, weights in FP32, as transformers loaded them before version 5; state precision: "
    "bf16-weights-autocast where they are loaded in BF16"
)
CHOICE_WORDS: Choices = (
    ("optimizer", "adam", stands("optimizer", "adamw", OPTIONS)),
    ("optimizer", "adamw_torch torch.optim.adamw torch.optim.adam", runs("adamw", "foreach", assumes=FOREACH)),
    ("optimizer", "adamw_torch_fused adamw_apex_fused fusedadam", runs("adamw", "fused")),
    ("optimizer", "adamw_bnb_8bit adamw_8bit bitsandbytes.optim.adamw8bit", runs("adamw-8bit", "fused")),
    ("optimizer", "paged_adamw paged_adamw_32bit bitsandbytes.optim.pagedadamw", runs("paged-adamw", "fused")),
    ("optimizer", "paged_adamw_8bit bitsandbytes.optim.pagedadamw8bit", runs("paged-adamw-8bit", "fused")),
    ("optimizer", "adamw_torch_8bit torchao.optim.adamw8bit", stands("optimizer", "adamw-8bit-torchao", TUNE)),
    ("optimizer", "adamw_torch_4bit torchao.optim.adamw4bit", stands("optimizer", "adamw-4bit-torchao", TUNE)),
    ("optimizer", "torchao.optim.adamwfp8", stands("optimizer", "adamw-fp8-torchao", TUNE)),
    ("optimizer", "torch.optim.sgd", stands("optimizer", "sgd", TUNE)),
    ("optimizer", "lion_8bit", runs("lion-8bit", "fused")),
    ("optimizer", "lion_32bit", runs("lion-32bit", "fused")),
    ("optimizer", "paged_lion_8bit", runs("paged-lion-8bit", "fused")),
    ("optimizer", "paged_lion_32bit", runs("paged-lion", "fused")),
    ("optimizer", "ademamix_8bit", runs("ademamix-8bit", "fused")),
    ("optimizer", "paged_ademamix_8bit", runs("paged-ademamix-8bit", "fused")),
    ("optimizer", "paged_ademamix_32bit", runs("paged-ademamix", "fused")),
    ("optimizer", "rmsprop_bnb rmsprop_bnb_32bit", runs("rmsprop-32bit", "fused")),
    ("optimizer", "rmsprop_bnb_8bit", runs("rmsprop-8bit", "fused")),
    *(("optimizer", f"{name}_layerwise", Meaning({"optimizer": own, "optimizer_in_backward": True}, TRAINER))
      for name, own in (("galore_adamw", "galore-adamw"), ("galore_adamw_8bit", "galore-adamw-8bit"),
                        ("apollo_adamw", "apollo-adamw"))),
    ("optimizer", "apollo", stands("optimizer", "apollo-adamw", TRAINER)),
    ("optimizer", "apollo-mini apollo_mini", Meaning({"optimizer": "apollo-adamw", "galore_rank": 1}, TRAINER)),
    ("optimizer", "fira fira_adamw", stands("optimizer", "galore-adamw", OPTIONS, "its residual has no state")),
    ("optimizer", "lomo", Meaning({"optimizer": "sgd", "optimizer_in_backward": True}, TRAINER)),
    ("optimizer", "adalomo", Meaning({"optimizer": "adafactor", "optimizer_in_backward": True}, TRAINER)),
    ("optimizer", ("nadam radam adamax stable_adamw adopt adabelief laprop cautious_adamw torch.optim.nadam "
                   "torch.optim.radam schedule_free_radam schedule_free_adamw schedule-free-adamw sophia sophiag "
                   "sophia-g lamb fusedlamb onebitlamb"),
     stands("optimizer", "adamw", OPTIMIZERS, "it keeps two vectors for each parameter, too")),
    ("optimizer", "amsgrad grokadamw mars mars-adamw", stands("optimizer", "adamw-amsgrad", OPTIMIZERS,
     "it keeps three vectors for each parameter")),
    ("optimizer", "adan", stands("optimizer", "prodigy", OPTIMIZERS, "it keeps four vectors for each parameter, too")),
    ("optimizer", "schedule_free_sgd", stands("optimizer", "sgd-momentum", OPTIMIZERS, "it keeps one vector, too")),
    ("optimizer", "dist_muon muonclip normuon torch.optim.muon adamuon moonlight-muon", stands("optimizer", "muon",
     OPTIONS, "what it keeps beside Muon's momentum, a few vectors, is not counted")),
    ("optimizer", "adamw_anyprecision", stands("optimizer", "adamw-bf16", TRAINER)),
    ("optimizer", "deepspeedcpuadam cpu_adam cpuadam", Meaning(
        {"optimizer": "adamw", "optimizer_offload": "cpu"}, OPTIONS)),
    *((f"use_{of}", "true", stands("optimizer", own, FACTORY)) for of, own in (
        ("galore", "galore-adamw"), ("apollo", "apollo-adamw"), ("adam_mini", "adam-mini"), ("muon", "muon"))),
    ("framework", "trl", Meaning(
        {"framework": "huggingface"}, "TRL 1.16, SFTConfig, DPOConfig, GRPOConfig: gradient_checkpointing, 2026-11-25",
        {"gradient_checkpointing": "full", "loss": "linear-tiles"}, TILES)),
    ("framework", " ".join(f"trl+{word}" for word in ("orpo", "simpo", "cpo")), Meaning(
        {"framework": "huggingface"}, "TRL 1.16, experimental/orpo and cpo, 2026-11-25",
        {"gradient_checkpointing": "full", "loss": "log-probabilities"}, CHECKPOINTS)),
    ("framework", "transformers accelerate axolotl",
     stands("framework", "huggingface", "documentation of these programs, 2026-11-23", WITH_TRAINER)),
    ("framework", "llama-factory llamafactory ms-swift swift", Meaning(
        {"framework": "huggingface"}, "LLaMA-Factory disable_gradient_checkpointing, ms-swift gradient_checkpointing: "
        "documentation, 2026-11-23", {"gradient_checkpointing": "full", "loss": "framework"}, CHECKPOINTS)),
    ("framework", "verl", Meaning(
        {"framework": "huggingface"}, VERL, {"zero_stage": 3, "precision": "bf16-autocast", "loss": "framework",
         "rollout_sleeps": True},
        "it trains models of transformers with FSDP and FP32 weights, its default; under Megatron, state framework: "
        "megatron")),
    ("use_remove_padding packing_samples packed", "true", stands("length_pattern", "packed", OPTIONS)),
    ("padding_free", "true", Meaning({}, OPTIONS, {"length_pattern": "padding-free"})),
    *((f"account_for_{end}_in_pipeline_split", word, stands(f"account_for_{end}_in_pipeline_split", one, TITAN))
      for end in ("embedding", "loss") for word, one in (("0", False), ("1", True))),
    ("fused", "true", stands("optimizer_implementation", "fused", TUNE)),
    ("sleep_level", "1 2", stands("rollout_sleeps", True, TRL)),
    ("vllm_enable_sleep vllm_enable_sleep_mode vllm_sleep_mode", "true", stands("rollout_sleeps", True, TRL)),
    ("use_peft", "true", Meaning({}, TRL, {"method": "lora"})),
    ("distributed_type", "fsdp", Meaning({}, TRAINER, {"zero_stage": 3})),
    ("distributed_type", "deepspeed", Meaning({"framework": "deepspeed"}, TRAINER, replaces=("huggingface",))),
    ("distributed_type", "multi_gpu no", Meaning({}, TRAINER)),
    ("fsdp_version", "1 2", Meaning({}, AXOLOTL, {"zero_stage": 3})),
    ("fsdp_sharding_strategy", "full_shard 1", stands("zero_stage", 3, TRAINER)),
    ("fsdp_sharding_strategy", "no_shard 3", stands("zero_stage", 0, TRAINER)),
    *((option, words, Meaning({"zero_stage": 3, **cut}, FSDP1)) for option, words, cut in STRATEGIES),
    ("disable_gradient_checkpointing", "true", Meaning({"gradient_checkpointing": "none"}, FACTORY)),
    ("disable_gradient_checkpointing", "false", Meaning({"gradient_checkpointing": "full"}, FACTORY)),
    ("use_unsloth_gc", "true", Meaning({"activation_offload": True}, FACTORY, {"gradient_checkpointing": "full"})),
    ("neat_packing", "true", stands("length_pattern", "packed", FACTORY)),
    ("bnb_4bit_use_double_quant", "true", Meaning(
        {"base_weight_dtype": "nf4-double-quant"}, TRAINER, replaces=("nf4",))),
    ("pissa_init", "true", Meaning({}, FACTORY)),
    ("enable_cpu_offload", "true", Meaning({"optimizer_offload": "cpu", "parameter_offload": "cpu"}, TITAN)),
    ("lora_mlp_kernel lora_qkv_kernel lora_o_kernel offload_embedding", "true", Meaning({}, AXOLOTL, {}, LESS)),
    ("optimizer_offload parameter_offload", "true@verl true@ms-swift true@swift", Meaning({}, VERL, {}, MOVED)),
    ("offload_model", "", Meaning({}, "ms-swift, GRPO, 2026-11-25", {}, MOVED)),
    *(("deepspeed", f"zero{index}_offload{of}", Meaning(
        {"framework": "deepspeed", "zero_stage": index, **dict.fromkeys(moved.split(), "cpu")}, OPTIONS,
        replaces=("huggingface",))) for index, of, moved in (
            (1, "", "optimizer_offload"), (2, "", "optimizer_offload"), (3, "_params", "parameter_offload"),
            (3, "", "optimizer_offload parameter_offload"))),
    ("cpu_checkpointing", "true", stands("activation_offload", True, OPTIONS)),
    ("double_quantization", "false", stands("base_weight_dtype", "nf4", FACTORY)),
    ("double_quantization", "true", Meaning({}, FACTORY)),
    ("converters enable_float8_linear", "true float8 quantize.linear.float8",
     Meaning({"precision": "fp8-autocast"}, TITAN, {"zero_stage": 3})),
    ("converters", "mx quantize.linear.mx", Meaning(
        {"precision": "fp8-autocast", "fp8_recipe": "torchao-mxfp8"}, TITAN, {"zero_stage": 3})),
    ("fp8_recipe", "mxfp8_cublas mxfp8_emulated mxfp8_cublas_rceil", stands("fp8_recipe", "torchao-mxfp8", TITAN)),
    ("reshard_after_forward", "never", stands("reshard_after_forward", False, TITAN)),
    ("reshard_after_forward", "always", stands("reshard_after_forward", True, TITAN)),
    ("reshard_after_forward", "default", Meaning({}, TITAN)),
    ("disable_loss_parallel", "false", stands("loss", "loss-parallel", TITAN)),
    ("disable_loss_parallel moe_pad_expert_input_to_capacity", "true", Meaning({}, OPTIONS)),
    ("torch_compile", "true model model_loss", stands("torch_compile", True, TITAN)),
    ("pipeline_schedule", "afab", stands("pipeline_schedule", "gpipe", "nanotron, config/parallelism_config.py")),
    ("freeze_vit freeze_aligner", "", Meaning({}, OPTIONS, {}, TOWER)),
    ("use_flash_attn", "true", stands("attention", "flash", MEGATRON)),
    ("attention", "true", stands("attention", "flash", OPTIONS)),
    ("gradient_accumulation_steps micro_batch_size", "auto", Meaning({}, TRAINER)),
    ("framework", "openrlhf", Meaning(
        {"framework": "deepspeed"}, "OpenRLHF, openrlhf/utils/deepspeed and models/actor.py, 2026-11-25",
        {"loss": "framework"}, "it trains models of transformers with DeepSpeed's ZeRO")),
    ("framework", "nemo nemo-framework megatron-bridge", Meaning(
        {"framework": "megatron"}, SHARDS, {"zero_stage": 1},
        "it trains with Megatron Core and its distributed optimizer")),
    ("framework", "megatron-lm megatron-core", stands("framework", "megatron", MEGATRON)),
    ("attention", "flash_attention_2 flash_attention_3 flash_attn fa2 fa3 fused",
     stands("attention", "flash", ATTENTION)),
    ("attention", "flex_attention", stands("attention", "flash", "PyTorch, FlexAttention, 2024-08-07", FLEX)),
    ("flash_attention", "true", stands("attention", "flash", OPTIONS)),
    ("target_modules", "all", stands("target_modules", "all-linear", OPTIONS)),
    ("lora_target_linear", "true", stands("target_modules", "all-linear", OPTIONS)),
    ("packing sample_packing", "true", stands("length_pattern", "packed", OPTIONS)),
    ("gradient_checkpointing", "unsloth", Meaning(
        {"gradient_checkpointing": "full", "activation_offload": True}, "Unsloth, documentation, 2026-11-23")),
    ("base_weight_dtype", "fp4", stands("base_weight_dtype", "nf4",
     "bitsandbytes, functional.py quantize_4bit: both in blocks of 64 with an FP32 constant, 2026-11-23")),
    ("method", "rslora lora+ loraplus pissa", stands("method", "lora", PEFT)),
    ("method", "dora", Meaning({"method": "lora", "use_dora": True}, PEFT)),
    ("load_in_4bit", "true", Meaning(
        {"method": "qlora"}, TRAINER, {"base_weight_dtype": "nf4"}, SINGLE_QUANT, ("lora",))),
    ("load_in_8bit", "true", Meaning(
        {"method": "qlora", "base_weight_dtype": "int8"}, TRAINER, replaces=("lora",))),
    ("load_in_4bit load_in_8bit", "false", Meaning({}, TRAINER)),
    *(("deepspeed", f"zero{index} zero-{index}", Meaning(
        {"framework": "deepspeed", "zero_stage": index}, TRAINER, replaces=("huggingface",)))
      for index in (1, 2, 3)),
    ("fsdp", "full_shard", Meaning({"zero_stage": 3}, TRAINER)),
    ("objective", "simpo cpo", stands("objective", "orpo", TRL)),
    ("objective", "ipo", stands("objective", "dpo", TRL)),
    ("objective", "rm reward-model reward_modeling", stands("objective", "reward", TRL)),
    ("objective", "pt pretrain cpt", stands("objective", "sft", TRL)),
    ("objective", "rloo gspo reinforce++ reinforce_plus_plus", stands("objective", "grpo", TRL, BY_RULE)),
    ("objective", "dapo dr-grpo", stands("objective", "grpo-no-reference", TRL, NO_KL)),
    ("num_generations", "", Meaning({}, TRL, {}, ANSWERS)),
    ("framework", "sentence-transformers setfit unsloth-studio", stands("framework", "huggingface", OPTIONS)),
    ("framework", "megatron-swift", Meaning(
        {"framework": "megatron"}, "ms-swift, documentation of Megatron-SWIFT, 2026-11-23",
        {"expert_tensor_parallel_size": 1, "zero_stage": 1},
        "it trains with Megatron Core and its distributed optimizer")),
    ("attention", "sdpa_flash cudnn_flash_te xformers mem_efficient", stands("attention", "flash", ATTENTION)),
    ("target_modules", "output_proj", stands("target_modules", "o_proj", TUNE)),
    ("target_modules", "w1", stands("target_modules", "gate_proj", TUNE)),
    ("target_modules", "w2", stands("target_modules", "down_proj", TUNE)),
    ("target_modules", "w3", stands("target_modules", "up_proj", TUNE)),
    ("target_parameters", "experts.gate_up_proj gate_up_proj",
     stands("target_parameters", "mlp.experts.gate_up_proj", PEFT)),
    ("target_parameters", "experts.down_proj down_proj", stands("target_parameters", "mlp.experts.down_proj", PEFT)),
    ("quantize_base", "true", Meaning({"method": "qlora"}, TUNE, replaces=("lora",))),
    ("quantization_bit", "4", Meaning({"method": "qlora"}, FACTORY, {"base_weight_dtype": "nf4-double-quant"}, "",
     ("lora",))),
    ("quantization_bit", "8", Meaning({"method": "qlora", "base_weight_dtype": "int8"}, FACTORY, replaces=("lora",))),
    ("quantize", "bnb.nf4", Meaning({"method": "qlora", "base_weight_dtype": "nf4"}, LITGPT, replaces=("lora",))),
    ("quantize", "bnb.nf4-dq", Meaning(
        {"method": "qlora", "base_weight_dtype": "nf4-double-quant"}, LITGPT, replaces=("lora",))),
    ("base_weight_dtype", "gptq", stands("base_weight_dtype", "int4", OPTIONS)),
    ("base_weight_dtype", "hqq hqq-4bit", stands("base_weight_dtype", "int4", "HQQ, groups of 128 assumed", HQQ)),
    ("method", "loftq", Meaning({"method": "qlora"}, PEFT, {"base_weight_dtype": "nf4"})),
    ("method", "none full-finetuning sft-full", stands("method", "full", OPTIONS)),
    *SOME_LAYERS,
    ("objective", "mlm masked_lm", stands("objective", "masked-lm", TRAINER)),
    ("objective", "clm lm causal_lm", stands("objective", "sft", TRAINER)),
    ("objective", "sequence_classification token_classification seq_cls cls prm stepwise_supervised",
     stands("objective", "classification", TRAINER)),
    ("objective", "embedding feature_extraction", stands("objective", "contrastive", TRL)),
    ("objective", "kd knowledge_distillation", Meaning({"objective": "sft"}, TUNE, {"loss": "distillation-kl"},
     "the teacher is frozen_parameters")),
    ("expandable_segments", "expandable_segments:true", stands("expandable_segments", True, TRAINER)),
    ("torch_empty_cache_steps", "", Meaning({}, TRAINER, {}, "sets free what the allocator keeps: what a monitor shows "
     "is nearer to the peak than cached_share says")),
    ("strategy", "fsdp fsdp2", Meaning({}, VERL, {"zero_stage": 3})),
    ("strategy", "megatron", Meaning({"framework": "megatron"}, VERL, replaces=("huggingface",))),
    ("optimizer", "distributed_shampoo", stands("optimizer", "shampoo", OPTIMIZERS)),
    ("objective", "gkd", Meaning({"objective": "sft"}, TRL, {"loss": "distillation-jsd"},
     "the teacher is frozen_parameters")),
    ("objective", "online-dpo online_dpo xpo nash-md", stands("objective", "dpo", TRL,
     "answers that the same accelerators generate are rollout_tokens, a reward model is frozen_parameters")),
    ("pipeline_schedule", "interleaved1f1b", stands("pipeline_schedule", "1f1b", TITAN, INTERLEAVED)),
    ("pipeline_schedule", "zbvzerobubble", stands("pipeline_schedule", "zb-v", TITAN)),
    ("pipeline_schedule", "interleavedzerobubble", stands("pipeline_schedule", "zb-interleaved", TITAN, INTERLEAVED)),
    ("pipeline_schedule", "loopedbfs", stands("pipeline_schedule", "looped-bfs", TITAN, INTERLEAVED)),
    ("float8", "tensorwise rowwise true", Meaning({"precision": "fp8-autocast"}, TITAN, {"zero_stage": 3})),
    ("optimizer_offload_fraction", "1.0 1", stands("optimizer_offload", "cpu", MEGATRON)),
    *((of, "true", Meaning({"optimizer_offload": "cpu", "parameter_offload": "cpu"}, OPTIONS))
      for of in ("actor_offload", "cpu_offload")),
    ("loss", "cewithchunkedoutputloss chunked_cross_entropy", stands("loss", "chunked", TUNE)),
    ("loss", "linearcrossentropyloss chunkedceloss", stands("loss", "linear-chunked", TUNE)),
    ("chunked_cross_entropy", "true", stands("loss", "chunked", AXOLOTL)),
    ("loss", "cross_entropy crossentropyloss", Meaning({}, TITAN)),
    ("objective", "gae", stands("objective", "ppo", VERL)),
    ("objective", "group_norm dr_grpo reinforce", stands("objective", "grpo", TRL, BY_RULE)),
    ("use_kl_loss use_kl_in_reward", "true", Meaning(
        {"objective": "grpo"}, VERL, {}, "with a reference model", ("grpo-no-reference",))),
    ("precompute_ref_log_probs", "true", Meaning({"objective": "dpo-no-reference"}, TRL, replaces=("dpo",))),
    ("objective", "grpo@trl", stands("objective", "grpo-no-reference", TRL, NO_KL)),
    ("beta", "+grpo", Meaning({"objective": "grpo"}, TRL, replaces=("grpo-no-reference",))),
    ("beta", "0+grpo 0.0+grpo", Meaning({"objective": "grpo-no-reference"}, TRL, replaces=("grpo",))),
    ("loss_type", "chunked_nll", stands("loss", "linear-tiles", TRL)),
    ("loss", "forwardklloss forwardklwithchunkedoutputloss", stands("loss", "distillation-kl", TUNE,
     "the teacher is frozen_parameters")),
    ("loss", "multiplenegativesrankingloss cachedmultiplenegativesrankingloss",
     stands("objective", "contrastive", "Sentence Transformers, 2026-11-23")),
    ("loss_parallel", "true", stands("loss", "loss-parallel", TITAN)),
    ("liger_fused_linear_cross_entropy", "true", stands("loss", "fused-linear", AXOLOTL)),
    ("cut_cross_entropy", "true", stands("loss", "fused-linear", AXOLOTL,
     "it keeps no logits either; Liger's is what is counted")),
    ("cross_entropy_fusion_impl", "te", stands("loss", "fused", MEGATRON)),
    ("cross_entropy_fusion_impl", "native linear", Meaning({}, MEGATRON)),
    ("gradient_checkpointing", "memory_budget", stands("gradient_checkpointing", "selective-op", TITAN,
     "what the partitioner keeps within a budget is near what every second product takes")),
    ("memory_budget", "0.5", Meaning({}, TITAN)),
    ("memory_budget", "1.0 1", Meaning({"gradient_checkpointing": "none"}, TITAN, replaces=("selective-op",))),
    ("memory_budget", "0.0 0", Meaning({"gradient_checkpointing": "full"}, TITAN, replaces=("selective-op",))),
    *(("selective_ac_option ac_option", str(layers), Meaning(
        {"gradient_checkpointing": "every-nth", "checkpoint_interval": layers}, TITAN,
        replaces=("selective", "selective-op")))
      for layers in range(1, EVERY_NTH)),
    *(("checkpoint_num_layers", str(layers), Meaning(
        {"gradient_checkpointing": "every-k", "checkpoint_interval": layers}, MEGATRON, replaces=("full", "true")))
      for layers in range(1, EVERY_NTH)),
    ("gradient_checkpointing", "offload offload_disk", Meaning(
        {"gradient_checkpointing": "full", "activation_offload": True}, AXOLOTL)),
    ("activation_offload", "legacy disk hidden_states", stands("activation_offload", True, AXOLOTL)),
    ("selective_ac_option", "op", Meaning({"gradient_checkpointing": "selective-op"}, TITAN, replaces=("selective",))),
    ("gradient_checkpointing", "selective@torchtitan", stands("gradient_checkpointing", "selective-op", TITAN,
     "its configurations state selective_ac_option: op; state 2 where every second layer is recomputed")),
    ("recompute_activations", "true", stands("gradient_checkpointing", "selective", MEGATRON)),
    ("data_parallel_shard_degree", "-1", Meaning({"data_parallel_shard_degree": 0}, TITAN, {"zero_stage": 3})),
    ("use_distributed_optimizer", "true", stands("zero_stage", 1, MEGATRON)),
    ("data_parallel_sharding_strategy", "no_shard", stands("zero_stage", 0, MEGATRON)),
    ("data_parallel_sharding_strategy", "optim", stands("zero_stage", 1, MEGATRON)),
    ("data_parallel_sharding_strategy", "optim_grads", stands("zero_stage", 2, MEGATRON)),
    ("data_parallel_sharding_strategy", "optim_grads_params", stands("zero_stage", 3, MEGATRON)),
    ("fsdp", "full_shard_auto_wrap", stands("zero_stage", 3, TRAINER)),
    ("fsdp", "full_shard_auto_wrap_offload full_shard_offload", Meaning(
        {"zero_stage": 3, "parameter_offload": "cpu", "optimizer_offload": "cpu"}, TRAINER)),
    ("fsdp_cpu_offload", "true", Meaning(
        {"zero_stage": 3, "parameter_offload": "cpu", "optimizer_offload": "cpu"}, TUNE)),
    ("fsdp_offload_params", "true", Meaning({"parameter_offload": "cpu", "optimizer_offload": "cpu"}, TRAINER)),
    *((of, "true", stands(of, "cpu", OPTIONS)) for of in ("optimizer_offload", "parameter_offload")),
    *((of, "false", stands(of, "none", OPTIONS)) for of in ("optimizer_offload", "parameter_offload")),
    ("fp8 fp8_format", " ".join(f"{word}@{program}" for word in ("hybrid", "e4m3", "true")
                                for program in ("megatron", "nemo", "megatron-lm")),
     Meaning({"precision": "fp8"}, MEGATRON, {"gradient_element_bytes": 4}, FP32_GRADIENTS)),
    ("fp8 fp8_format", "hybrid e4m3 true", stands("precision", "fp8", MEGATRON)),
    ("fp8_hybrid", "true", Meaning({"precision": "fp8"}, MEGATRON, {"gradient_element_bytes": 4}, FP32_GRADIENTS)),
    ("fp4 fp4_format", "e2m1 true", Meaning(
        {"precision": "nvfp4"}, MEGATRON, {"gradient_element_bytes": 4}, FP32_GRADIENTS)),
    *(("precision mixed_precision", words, Meaning({"precision": own}, BRIDGE, beside))
      for words, own, beside in BRIDGED),
    ("mixed_precision", "fp8", stands("precision", "fp8", TRAINER)),
    ("mixed_precision", "no", stands("precision", "fp32", TRAINER)),
    ("fp8_backend", "ao torchao", Meaning({"precision": "fp8-autocast"}, TRAINER, replaces=("fp8",))),
    ("fp8_backend", "te msamp", Meaning({}, TRAINER)),
    *(("fp8_recipe", word, stands("fp8_recipe", f"te-{word}", MEGATRON)) for word in ("delayed", "blockwise")),
    ("fp8_recipe", "mxfp8", stands("fp8_recipe", "te-mxfp8", MEGATRON)),
    ("fp8_recipe", "tensorwise@megatron tensorwise@nemo tensorwise@megatron-lm",
     stands("fp8_recipe", "te-tensorwise", MEGATRON)),
    ("fp8_recipe", "tensorwise", stands("fp8_recipe", "torchao-tensorwise", TITAN)),
    ("fp8_recipe", "rowwise rowwise_with_gw_hp", stands("fp8_recipe", "torchao-rowwise", TITAN)),
    ("exp_avg_dtype", "bf16 bfloat16", stands("optimizer", "adamw-bf16", MEGATRON)),
    *((option, words, stands(field, width, MEGATRON))
      for option, field in (("main_grads_dtype", "gradient_element_bytes"),
                            ("main_params_dtype", "master_element_bytes"))
      for words, width in (("bf16 bfloat16 fp16 float16", 2), ("fp32 float32", 4))),
    *(("accumulate_grad_in_fp32 accumulate_allreduce_grads_in_fp32", f"true{beside}",
       Meaning({"precision": f"{kept}-mixed-fp32-gradients", "gradient_element_bytes": 4}, MEGATRON,
               replaces=("bf16", "bfloat16")))
      for beside, kept in (("", "bf16"), ("+fp16", "fp16"))),
    ("grad_reduce_in_bf16", "true", stands("gradient_element_bytes", 2, MEGATRON)),
    ("reduce_dtype", "float32", stands("reduce_dtype", "fp32", TITAN)),
    ("reduce_dtype", "bfloat16", stands("reduce_dtype", "bf16", TITAN)),
    ("precision", "bf16-true", stands("precision", "bf16-pure", LITGPT)),
    ("precision", "32-true 32 no float32", stands("precision", "fp32", LITGPT)),
    ("precision", "16-mixed", stands("precision", "fp16-autocast", LITGPT)),
    ("precision", "bf16@torchtune bfloat16@torchtune", stands("precision", "bf16-pure", TUNE)),
    ("precision", "bfloat16@deepspeed bf16@deepspeed", stands("precision", "bf16-mixed", OPTIONS)),
    *(("precision", f"bfloat16@{program} bf16@{program}", stands("precision", "bf16-weights-autocast", OPTIONS))
      for program in ("axolotl", "ms-swift", "swift", "trl", "transformers", "huggingface", "unsloth")),
    ("pure_bf16", "true", stands("precision", "bf16-pure", FACTORY)),
    ("mixed_precision_param", "bfloat16", Meaning({}, TITAN, {"precision": "bf16-autocast"})),
    *(("bf16", f"true@{program} auto@{program}", Meaning({}, OPTIONS, {"precision": kept}))
      for program, kept in HELD_BF16),
    *(("fp16", f"true@{program} auto@{program}", Meaning({}, OPTIONS, {"precision": "fp16-mixed"}))
      for program in ("deepspeed", "megatron", "nemo", "megatron-lm", "openrlhf")),
    ("bf16", ADAPTERS_IN_16_BITS, Meaning({}, AMP, {"precision": "bf16-weights-autocast"}, LOADED_BF16)),
    ("bf16", "true auto", Meaning({}, AMP, {"precision": "bf16-autocast"}, LOADED_FP32)),
    ("fp16", ADAPTERS_IN_16_BITS, Meaning({}, AMP, {"precision": "fp16-weights-autocast"})),
    ("fp16", "true auto", Meaning({}, AMP, {"precision": "fp16-autocast"})),
    ("moe_flex_dispatcher_backend", "deepep hybridep", stands("moe_enable_deepep", True, MEGATRON)),
    ("enable_cuda_graph external_cuda_graph", "true", stands("cuda_graph_impl", "local", MEGATRON)),
    ("cuda_graph_scope", "full_iteration", Meaning(
        {"cuda_graph_impl": "full_iteration"}, MEGATRON, replaces=("local",))),
    (TURNED_OFF, "false none", Meaning({}, OPTIONS)),
    (WITHOUT_EFFECT, "", Meaning({}, OPTIONS)),
)  # fmt: skip
