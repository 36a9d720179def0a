"""What must hold between fields, and what is doubtful where it does not: in words of formulas, for workbooks too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from memreport.catalogue.fields.rules import (
    Columns,
    Constraint,
    Truths,
    both,
    divides,
    either,
    figure_of,
    serving_rule,
    shares_out,
    training_rule,
)
from memreport.catalogue.fields.training_rules import TRAINING_CONSTRAINTS, TRAINING_WARNINGS
from memreport.catalogue.framework_rules import FRAMEWORK_WARNINGS
from memreport.formula.words import larger


def _stated_or_one(size: Any) -> Any:
    """A size, or 1 where it is 0: as others say."""
    return larger(size, 1)


def _cached_heads(columns: Columns) -> Any:
    """Key-value heads that tensor parallelism cuts; none where the cache is a latent."""
    return columns["num_key_value_heads"] * (columns["kv_lora_rank"] <= 0)


def _learned(columns: Columns) -> Truths:
    """Whether positions are rows of a table, beyond which there is nothing to look up."""
    return columns["position_embedding_rows"] > 0


def _no_table(columns: Columns) -> Truths:
    return columns["position_embedding_rows"] <= 0


ZERO_CONFIG = "DeepSpeed, runtime/zero/config.py, read 2026-11-20"

CONSTRAINTS: tuple[Constraint, ...] = (
    *TRAINING_CONSTRAINTS,
    Constraint(
        "count",
        "must be a multiple of tensor x pipeline x context parallel size",
        lambda c: divides(
            c["tensor_parallel_size"] * c["pipeline_parallel_size"] * c["context_parallel_size"], c["count"]
        ),
    ),
    Constraint(
        "num_key_value_heads",
        "must divide the attention heads",
        lambda c: divides(_stated_or_one(_cached_heads(c)), c["num_attention_heads"]),
    ),
    Constraint(
        "tensor_parallel_size",
        "must divide the attention heads",
        lambda c: divides(c["tensor_parallel_size"], c["num_attention_heads"]),
    ),
    Constraint(
        "pipeline_parallel_size",
        "may not be more than the layers",
        lambda c: c["pipeline_parallel_size"] <= c["num_hidden_layers"],
    ),
    training_rule(
        "virtual_pipeline_parallel_size",
        "must leave each part of a stage a layer, and be 1 without a pipeline; embedding and loss are layers where "
        "account_for_embedding_in_pipeline_split and account_for_loss_in_pipeline_split say it",
        lambda c: either(
            c["virtual_pipeline_parallel_size"] <= 1,
            both(
                c["pipeline_parallel_size"] > 1,
                c["virtual_pipeline_parallel_size"] * c["pipeline_parallel_size"] <= figure_of(c, "split_layers"),
            ),
        ),
    ),
    Constraint(
        "expert_parallel_size",
        "must divide the experts, and be 1 where there are none",
        lambda c: either(
            c["expert_parallel_size"] <= 1,
            both(c["num_local_experts"] > 0, divides(c["expert_parallel_size"], c["num_local_experts"])),
        ),
    ),
    Constraint(
        "expert_parallel_size",
        "must divide count / (tensor x pipeline parallel size): tensor parallelism cuts each expert already",
        lambda c: either(
            c["expert_tensor_parallel_size"] > 0, shares_out(c["expert_parallel_size"], figure_of(c, "sharding_size"))
        ),
    ),
    training_rule(
        "expert_tensor_parallel_size",
        "times expert_parallel_size must divide count / pipeline_parallel_size",
        lambda c: either(
            c["expert_tensor_parallel_size"] <= 0,
            divides(
                c["expert_parallel_size"] * _stated_or_one(c["expert_tensor_parallel_size"]),
                c["count"] / c["pipeline_parallel_size"],
            ),
        ),
        "Megatron-LM, parallel_state.py: expert tensor x expert x pipeline parallel size",
    ),
    training_rule(
        "data_parallel_shard_degree",
        "must divide count / (tensor x pipeline parallel size)",
        lambda c: shares_out(_stated_or_one(c["data_parallel_shard_degree"]), figure_of(c, "sharding_size")),
    ),
    training_rule(
        "context_parallel_size",
        "must divide the sequence",
        lambda c: divides(c["context_parallel_size"], c["sequence_length"]),
    ),
    training_rule(
        "zero_stage",
        "2 and 3 do not go with a pipeline of DeepSpeed; use 0 or 1, or FSDP",
        lambda c: either(c["pipeline_parallel_size"] <= 1, c["shards_gradients"] <= 0, c["gathered_units"] > 0),
    ),
    training_rule(
        "use_liger_kernel",
        "is an option of Hugging Face's Trainer, for models with gated MLPs",
        lambda c: either(
            c["use_liger_kernel"] <= 0, both(c["gated_mlp"] > 0, c["fuses_layers"] + c["native_activations"] <= 0)
        ),
        "transformers, TrainingArguments.use_liger_kernel; Liger Kernel 0.8, transformers/monkey_patch.py",
    ),
    training_rule(
        "target_parameters",
        "needs a model with routed experts, and goes with neither use_dora nor lora_dropout",
        lambda c: either(
            c["lora_experts_gate_up"] + c["lora_experts_down"] <= 0,
            both(c["num_local_experts"] > 0, c["use_dora"] + c["lora_dropout"] <= 0),
        ),
        "PEFT 0.21, `ParamWrapper` refuses both",
    ),
    serving_rule(
        "n_gpu_layers",
        "is an option of llama.cpp; 0 and 1 leave all layers to the processor, which may be named as the accelerator",
        lambda c: either(
            c["n_gpu_layers"] > c["num_hidden_layers"], both(c["embeds_on_host"] > 0, c["n_gpu_layers"] > 1)
        ),
        "llama.cpp, src/llama-model.cpp `load_tensors`",
    ),
    serving_rule(
        "shared_prefix_tokens",
        "must be less than context_length",
        lambda c: c["shared_prefix_tokens"] < c["context_length"],
    ),
    serving_rule(
        "context_length", "may not be more than max_model_len", lambda c: c["context_length"] <= c["max_model_len"]
    ),
    serving_rule(
        "max_num_batched_tokens",
        "must be at least max_num_seqs",
        lambda c: c["max_num_batched_tokens"] >= c["max_num_seqs"],
    ),
    serving_rule(
        "engine",
        "does not run on this GPU",
        lambda c: figure_of(c, "engine_runs"),
        "TensorRT-LLM support matrix; vLLM, installation",
    ),
    serving_rule(
        "enable_dbo",
        "is an option of vLLM, SGLang and LMDeploy: this engine cuts no batch in two",
        lambda c: either(c["enable_dbo"] <= 0, c["cuts_batches"] > 0),
        "vLLM `enable_dbo`, SGLang `enable_two_batch_overlap`, LMDeploy `enable_microbatch`",
    ),
    serving_rule(
        "output_tokens",
        "must be 1 where a model answers with one vector or score (an encoder, serving.pooling)",
        lambda c: either(both(c["is_decoder"] > 0, c["pooling"] <= 0), c["output_tokens"] <= 1),
    ),
    serving_rule(
        "requests_per_second",
        "contradicts users: at the demanded speed more requests than users would be under way",
        lambda c: either(
            c["users"] <= 0,
            c["tokens_per_second_per_user"] <= 0,
            c["users"] * c["tokens_per_second_per_user"] >= c["requests_per_second"] * c["output_tokens"],
        ),
        "Little's law",
    ),
    serving_rule(
        "prompt_tokens",
        "with output_tokens may not be more than max_model_len, where a demand is stated",
        lambda c: either(
            c["users"] + c["requests_per_second"] <= 0, c["prompt_tokens"] + c["output_tokens"] <= c["max_model_len"]
        ),
        "vLLM ends an answer there: v1/core/sched/utils.py, read 2026-11-22",
    ),
    training_rule(
        "optimizer_offload",
        "goes with ZeRO 1, 2 or 3 where there is more than one GPU to share between",
        lambda c: either(c["optimizer_offloaded"] <= 0, c["shards_optimizer"] > 0, figure_of(c, "sharding_size") <= 1),
        ZERO_CONFIG,
    ),
    training_rule(
        "parameter_offload",
        "goes with ZeRO 3 alone where there is more than one GPU to share between",
        lambda c: either(
            c["parameters_offloaded"] <= 0, c["shards_parameters"] > 0, figure_of(c, "sharding_size") <= 1
        ),
        ZERO_CONFIG,
    ),
    Constraint(
        "tensor_parallel_size",
        "must divide the key-value heads, or be a multiple of them",
        lambda c: either(
            c["kv_lora_rank"] > 0,
            divides(c["tensor_parallel_size"], c["num_key_value_heads"]),
            divides(c["num_key_value_heads"], c["tensor_parallel_size"]),
        ),
        source="vLLM, layers/linear.py, QKVParallelLinear, read 2026-11-20",
    ),
    serving_rule(
        "decode_context_parallel_size",
        "must divide tensor_parallel_size, and with the key-value heads may not be more than it",
        lambda c: either(
            c["decode_context_parallel_size"] <= 1,
            both(
                divides(c["decode_context_parallel_size"], c["tensor_parallel_size"]),
                _cached_heads(c) * c["decode_context_parallel_size"] <= c["tensor_parallel_size"],
            ),
        ),
        "vLLM, config/model.py `verify_with_parallel_config`",
    ),
    serving_rule(
        "prompt_tokens",
        "may not be more than max_model_len",
        lambda c: c["prompt_tokens"] <= c["max_model_len"],
        "vLLM refuses such a request: v1/engine/input_processor.py, read 2026-11-20",
    ),
    training_rule(
        "fragmentation_share",
        "must lie between fragmentation_share_low and fragmentation_share_high",
        lambda c: both(
            c["fragmentation_share_low"] <= c["fragmentation_share"],
            c["fragmentation_share"] <= c["fragmentation_share_high"],
        ),
    ),
    training_rule(
        "cached_share", "may not be more than cached_share_high", lambda c: c["cached_share"] <= c["cached_share_high"]
    ),
    Constraint(
        "link_domain",
        "may not be less than the GPUs of a node; 0 is for these",
        lambda c: either(c["link_domain"] <= 0, c["link_domain"] >= figure_of(c, "accelerators_per_node")),
    ),
)
"""What no engine runs, or what contradicts itself."""

WARNINGS: tuple[Constraint, ...] = (
    serving_rule(
        "is_encoder_decoder",
        "is served by transformers and CTranslate2; of such models vLLM serves those of sound",
        lambda c: either(c["is_encoder_decoder"] <= 0, c["audio_seconds"] > 0),
        "vLLM, supported models: no T5, no BART",
    ),
    *TRAINING_WARNINGS,
    *FRAMEWORK_WARNINGS,
    training_rule(
        "sequence_length",
        "is taken for encoder and decoder alike: state the longer",
        lambda c: c["is_encoder_decoder"] <= 0,
        "transformers, modelling code of T5 and BART",
    ),
    training_rule(
        "sequence_length",
        "is more than the positions that the model has learned (max_position_embeddings), and fails beyond them",
        lambda c: either(_no_table(c), c["sequence_length"] <= c["max_position_embeddings"]),
        "transformers, modelling code of GPT-2 and OPT: a look-up in a table of positions",
    ),
    serving_rule(
        "max_model_len",
        "is more than the positions that the model has learned (max_position_embeddings), and fails beyond them",
        lambda c: either(_no_table(c), c["is_encoder_decoder"] > 0, c["max_model_len"] <= c["max_position_embeddings"]),
        "vLLM pull request 20904: absolute positions beyond the model's own read past the end of a table",
    ),
    training_rule(
        "sequence_length",
        "is longer than the model's max_position_embeddings: training on it needs its positions scaled",
        lambda c: either(_learned(c), c["sequence_length"] <= c["max_position_embeddings"]),
        "Hugging Face config.json; transformers, rope scaling",
    ),
    serving_rule(
        "max_model_len",
        "is longer than the model's max_position_embeddings: vLLM refuses it unless rope scaling is configured",
        lambda c: either(_learned(c), c["max_model_len"] <= c["max_position_embeddings"]),
        "vLLM pull requests 7080 and 20904",
    ),
    serving_rule(
        "pipeline_parallel_size",
        "does not divide the layers: the fullest stage is counted",
        lambda c: divides(c["pipeline_parallel_size"], c["num_hidden_layers"]),
        source="vLLM, VLLM_PP_LAYER_PARTITION",
    ),
    training_rule(
        "precision",
        "leaves in 16 bits what is not quantised, as where loaded in BF16; PEFT prepares it in FP32, bf16-autocast",
        lambda c: either(
            c["weight_element_bytes"] > c["activation_element_bytes"],
            c["prepares_base"] * c["base_quantised"]
            <= c["master_element_bytes"] + c["computes_in_tf32"] + c["computes_in_fp32"] + c["shards_parameters"],
        ),
        "TRL 1.16 `SFTTrainer`; PEFT 0.21 `prepare_model_for_kbit_training`; sharded bases are left as they are",
    ),
    Constraint(
        "tensor_parallel_size",
        "is wider than what the link joins: the all-reduces of every layer cross the network",
        lambda c: either(
            c["tensor_parallel_size"] <= 1, c["tensor_parallel_size"] <= figure_of(c, "accelerators_per_domain")
        ),
        source="arXiv:2104.04473, section 3.2",
    ),
    serving_rule(
        "cpu_offload_bytes",
        "lies on the host, whose reads are in the times by a rule of thumb: no measurement judges them",
        lambda c: c["cpu_offload_bytes"] <= 0,
        "vLLM `cpu_offload_gb`",
    ),
    serving_rule(
        "n_cpu_moe",
        "leaves experts to the host's processor, which is in the times by a rule of thumb: no measurement judges it",
        lambda c: c["n_cpu_moe"] <= 0,
        "llama.cpp --n-cpu-moe",
    ),
    serving_rule(
        "n_gpu_layers",
        "leaves layers to the host's processor, which is in the times by a rule of thumb: no measurement judges it",
        lambda c: c["n_gpu_layers"] > c["num_hidden_layers"],
        "llama.cpp --n-gpu-layers",
    ),
    Constraint(
        "per_node",
        "is more than the host holds",
        lambda c: c["per_node"] <= c["host_accelerators"],
        source="hardware/hosts.yaml, host_accelerators",
    ),
    Constraint(
        "host",
        "holds one GPU: the job is spread over as many machines as GPUs, unless per_node says otherwise",
        lambda c: either(c["count"] <= 1, c["host_accelerators"] > 1, c["per_node"] > 0),
        source="hardware/hosts.yaml, host_accelerators",
    ),
    Constraint(
        "count",
        "does not fill its nodes: the last one holds fewer GPUs, and launchers start as many processes on each",
        lambda c: divides(larger(figure_of(c, "accelerators_per_node"), 1), c["count"]),
        source="torchrun: --nnodes x --nproc-per-node, the same on every node; hardware/hosts.yaml, host_accelerators",
    ),
)
"""What is computed all the same, but would surprise a reader who is not told."""


def broken(workload: str, columns: Columns, rules: Iterable[Constraint]) -> list[tuple[int, Constraint]]:
    """Every case that breaks a rule of its workload, with the rule."""
    ours = [rule for rule in rules if workload in rule.workloads]
    return [(int(index), rule) for rule in ours for index in np.flatnonzero(np.equal(rule.holds(columns), 0))]
