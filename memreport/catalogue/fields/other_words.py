"""Words of other programs for fields and choices of a job: what each stands for here, with source and date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TRAINER = "transformers 5.23, training_args.py and trainer_optimizer.py, read 2026-11-23"
ATTENTION = "transformers 5.23, modeling_utils.py, attn_implementation, read 2026-11-23"
PEFT = "PEFT 0.21, LoraConfig, 2026-11-23"
TRL = "TRL 0.24, trainers and their configurations, 2026-11-23"
TUNE = "torchtune 0.6, recipes/configs, 2026-11-23"
OPTIONS = (
    "documented options of DeepSpeed, Megatron-LM, torchtitan, torchtune, PEFT, TRL, Axolotl, LLaMA-Factory, vLLM, "
    "SGLang, TensorRT-LLM and llama.cpp, 2026-11-23"
)

FIELD_WORDS = (
    ("training", "micro_batch_size", "per_device_train_batch_size train_micro_batch_size_per_gpu local_batch_size"),
    ("training", "sequence_length", "max_seq_length max_seq_len cutoff_len seq_length seq_len sequence_len"),
    ("training", "optimizer", "optim"),
    ("training", "attention", "attn_implementation attention_backend flash_attn"),
    ("training", "lora_rank", "lora_r lora_dim"),
    ("training", "target_modules", "lora_target_modules lora_target"),
    ("training", "modules_to_save", "lora_modules_to_save"),
    ("training", "method", "adapter finetuning_type"),
    ("training", "objective", "rlhf_type stage"),
    ("training", "gradient_checkpointing", "recompute_granularity activation_checkpointing"),
    ("training", "tensor_parallel_size", "tensor_parallel_degree"),
    ("training", "pipeline_parallel_size", "pipeline_parallel_degree"),
    ("training", "context_parallel_size", "context_parallel_degree"),
    ("training", "expert_parallel_size", "expert_parallel_degree"),
    ("training", "data_parallel_shard_degree", "mics_shard_size"),
    ("training", "activation_offload", "activation_offloading enable_activation_offloading"),
    ("training", "optimizer_in_backward", "optimizer_in_bwd early_step_in_backward"),
    ("serving", "max_num_seqs", "max_running_requests max_batch_size"),
    ("serving", "max_num_batched_tokens", "chunked_prefill_size max_num_tokens"),
    ("serving", "max_model_len", "max_seq_len"),
    ("serving", "gpu_memory_utilization", "mem_fraction_static"),
    ("serving", "tensor_parallel_size", "tp_size"),
    ("serving", "pipeline_parallel_size", "pp_size"),
    ("serving", "expert_parallel_size", "ep_size"),
    ("serving", "n_gpu_layers", "num_gpu_layers ngl"),
)
MODEL_PARALLEL = ("tensor", "pipeline", "virtual_pipeline", "expert")
"""What Megatron-LM calls `..._model_parallel_size`."""
SAME_FIELD: Mapping[tuple[str, str], str] = {
    **{(section, word): name for section, name, words in FIELD_WORDS for word in words.split()},
    **{("training", f"{kind}_model_parallel_size"): f"{kind}_parallel_size" for kind in MODEL_PARALLEL},
}
"""Names of a field elsewhere, by section.  Source: OPTIONS."""


@dataclass(frozen=True)
class Meaning:
    """The fields that a word sets: `settings` for certain, `unless_stated` where the scenario does not state them."""

    settings: Mapping[str, object]
    source: str
    unless_stated: Mapping[str, object] = field(default_factory=dict)
    assumes: str = ""
    """What is assumed with it, for the reader of the answer."""
    replaces: tuple[str, ...] = ()
    """Values stated beside it that it turns into its own, as an option of the same program does."""


def _runs(optimizer: str, implementation: str, source: str = TRAINER, assumes: str = "") -> Meaning:
    return Meaning({"optimizer": optimizer}, source, {"optimizer_implementation": implementation}, assumes)


def _stands(of: str, name: str, source: str, assumes: str = "") -> Meaning:
    return Meaning({of: name}, source, {}, assumes)


FOREACH = "PyTorch's own choice of implementation is foreach"
FLEX = "it keeps what FlashAttention keeps; PyTorch reports 85 to 90 % of its speed"
WITH_TRAINER = "it trains with the Trainer of transformers; under DeepSpeed, state framework: deepspeed"
SINGLE_QUANT = "NF4 without bnb_4bit_use_double_quant; with it, state base_weight_dtype: nf4-double-quant"
NO_KL = "there is no reference model, as where TRL's beta is 0"
BY_RULE = "with a reference model, rewards by rule and no critic"
ANSWERS = "changes neither memory nor time where micro_batch_size counts answers, as TRL does"
FACTOR = "changes neither memory nor time"

CHOICE_WORDS = (
    ("optimizer", "adam", _stands("optimizer", "adamw", OPTIONS)),
    ("optimizer", "adamw_torch torch.optim.adamw torch.optim.adam", _runs("adamw", "foreach", assumes=FOREACH)),
    ("optimizer", "adamw_torch_fused adamw_apex_fused fusedadam", _runs("adamw", "fused")),
    ("optimizer", "adamw_bnb_8bit adamw_8bit bitsandbytes.optim.adamw8bit", _runs("adamw-8bit", "fused")),
    ("optimizer", "paged_adamw paged_adamw_32bit bitsandbytes.optim.pagedadamw", _runs("paged-adamw", "fused")),
    ("optimizer", "paged_adamw_8bit bitsandbytes.optim.pagedadamw8bit", _runs("paged-adamw-8bit", "fused")),
    ("optimizer", "adamw_torch_8bit torchao.optim.adamw8bit", _stands("optimizer", "adamw-8bit-torchao", TUNE)),
    ("optimizer", "adamw_torch_4bit torchao.optim.adamw4bit", _stands("optimizer", "adamw-4bit-torchao", TUNE)),
    ("optimizer", "torchao.optim.adamwfp8", _stands("optimizer", "adamw-fp8-torchao", TUNE)),
    ("optimizer", "torch.optim.sgd", _stands("optimizer", "sgd", TUNE)),
    ("optimizer", "lion_8bit", _runs("lion-8bit", "fused")),
    ("optimizer", "lion_32bit", _runs("lion-32bit", "fused")),
    ("optimizer", "paged_lion_8bit", _runs("paged-lion-8bit", "fused")),
    ("optimizer", "paged_lion_32bit", _runs("paged-lion", "fused")),
    ("optimizer", "ademamix_8bit", _runs("ademamix-8bit", "fused")),
    ("optimizer", "paged_ademamix_8bit", _runs("paged-ademamix-8bit", "fused")),
    ("optimizer", "paged_ademamix_32bit", _runs("paged-ademamix", "fused")),
    ("optimizer", "rmsprop_bnb rmsprop_bnb_32bit", _runs("rmsprop-32bit", "fused")),
    ("optimizer", "rmsprop_bnb_8bit", _runs("rmsprop-8bit", "fused")),
    ("optimizer", "galore_adamw", _stands("optimizer", "galore-adamw", TRAINER)),
    ("optimizer", "galore_adamw_8bit", _stands("optimizer", "galore-adamw-8bit", TRAINER)),
    ("framework", "transformers accelerate trl axolotl llama-factory llamafactory ms-swift swift",
     _stands("framework", "huggingface", "documentation of these programs, 2026-11-23", WITH_TRAINER)),
    ("framework", "verl", _stands("framework", "huggingface", "verl, workers/fsdp_workers.py, 2026-11-23",
     "it trains models of transformers with FSDP, its default; under Megatron, state framework: megatron")),
    ("framework", "openrlhf", _stands("framework", "deepspeed", "OpenRLHF, openrlhf/utils/deepspeed, 2026-11-23",
     "it trains models of transformers with DeepSpeed's ZeRO")),
    ("framework", "nemo nemo-framework megatron-lm megatron-core megatron-bridge megatron-swift",
     _stands("framework", "megatron", "NeMo Framework and Megatron-Bridge, documentation, 2026-11-23",
     "it trains with Megatron Core")),
    ("attention", "flash_attention_2 flash_attention_3 flash_attn fa2 fa3 fused",
     _stands("attention", "flash", ATTENTION)),
    ("attention", "flex_attention", _stands("attention", "flash", "PyTorch, FlexAttention, 2024-08-07", FLEX)),
    ("flash_attention", "true", _stands("attention", "flash", OPTIONS)),
    ("target_modules", "all", _stands("target_modules", "all-linear", OPTIONS)),
    ("lora_target_linear", "true", _stands("target_modules", "all-linear", OPTIONS)),
    ("packing", "true", _stands("length_pattern", "packed", OPTIONS)),
    ("sample_packing", "true", _stands("length_pattern", "packed", OPTIONS)),
    ("gradient_checkpointing", "unsloth", Meaning(
        {"gradient_checkpointing": "full", "activation_offload": True}, "Unsloth, documentation, 2026-11-23")),
    ("base_weight_dtype", "fp4", _stands("base_weight_dtype", "nf4",
     "bitsandbytes, functional.py quantize_4bit: both in blocks of 64 with an FP32 constant, 2026-11-23")),
    ("method", "rslora lora+ loraplus pissa", _stands("method", "lora", PEFT)),
    ("method", "dora", Meaning({"method": "lora", "use_dora": True}, PEFT)),
    ("load_in_4bit", "true", Meaning(
        {"method": "qlora"}, TRAINER, {"base_weight_dtype": "nf4"}, SINGLE_QUANT, ("lora",))),
    ("load_in_8bit", "true", Meaning(
        {"method": "qlora", "base_weight_dtype": "int8"}, TRAINER, replaces=("lora",))),
    ("load_in_4bit", "false", Meaning({}, TRAINER)),
    ("load_in_8bit", "false", Meaning({}, TRAINER)),
    *(("deepspeed", f"zero{index} zero-{index}", Meaning(
        {"framework": "deepspeed", "zero_stage": index}, TRAINER, replaces=("huggingface",)))
      for index in (1, 2, 3)),
    ("fsdp", "full_shard", Meaning({"zero_stage": 3}, TRAINER)),
    ("fsdp", "shard_grad_op", Meaning({"zero_stage": 2}, TRAINER)),
    ("objective", "simpo cpo", _stands("objective", "orpo", TRL)),
    ("objective", "ipo", _stands("objective", "dpo", TRL)),
    ("objective", "rm reward-model reward_modeling", _stands("objective", "reward", TRL)),
    ("objective", "pt pretrain cpt", _stands("objective", "sft", TRL)),
    ("objective", "rloo gspo reinforce++ reinforce_plus_plus", _stands("objective", "grpo", TRL, BY_RULE)),
    ("objective", "dapo dr-grpo", _stands("objective", "grpo-no-reference", TRL, NO_KL)),
    ("num_generations", "", Meaning({}, TRL, {}, ANSWERS)),
    *((word, "", Meaning({}, PEFT)) for word in ("lora_alpha", "use_rslora", "loraplus_lr_ratio")),
)  # fmt: skip
MEANINGS: Mapping[tuple[str, str], Meaning] = {
    (of, word): meaning for of, words, meaning in CHOICE_WORDS for word in words.split() or [""]
}
"""By field, or name elsewhere, and word in small letters; the word "" stands for any."""

EPOCHS = "state training_tokens, the tokens of all epochs or steps"
LOW_PRECISION = (
    "does not say in what weights are held: state precision, bf16-autocast where they are in FP32, "
    "bf16-weights-autocast where they are in BF16, bf16-mixed where a 16-bit copy has an FP32 master"
)
GLOBAL = "state gradient_accumulation_steps: the global batch over micro_batch_size and data-parallel GPUs"
FEW_VECTORS = "is not counted: it keeps other tensors for the backward pass than LoRA, whose figures would be wrong"
INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("bf16", "fp16"), LOW_PRECISION),
    **dict.fromkeys(("num_train_epochs", "num_epochs", "epochs", "max_steps", "train_iters"), EPOCHS),
    **dict.fromkeys(("global_batch_size", "train_batch_size"), GLOBAL),
    **dict.fromkeys(("vera", "ia3", "prompt-tuning", "prefix-tuning", "p-tuning", "adalora"), FEW_VECTORS),
    **dict.fromkeys(("prompt_tuning", "prefix_tuning", "p_tuning", "bottleneck", "lokr", "loha"), FEW_VECTORS),
    **dict.fromkeys(("learning_rate", "weight_decay", "warmup_ratio", "lr_scheduler_type", "seed"), FACTOR),
    "quantization": "state weight_dtype",
    "deepspeed": "state framework: deepspeed, zero_stage, and optimizer_offload or parameter_offload",
    "fsdp": "state zero_stage: 3, or 2 where weights stay whole, and data_parallel_shard_degree for hybrid shards",
    "swap_space": "state kv_offloading_size, for all GPUs of a replica together",
    "free_gpu_memory_fraction": "is of what weights leave free: state gpu_memory_utilization, which is of all",
}
"""What to state instead of a word that has no meaning of its own here.  Source: OPTIONS."""
