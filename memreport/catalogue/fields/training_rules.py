"""Rules between fields of a training job that concern its memory alone."""

from __future__ import annotations

from typing import Any

from memreport.catalogue.fields.rules import Columns, both, divides, either, figure_of, training_rule

PEFT = "PEFT 0.21, tuners and their configurations, read 2026-11-26"
TORCHAO = "torchao, float8/config.py, read 2026-11-22"

MEGATRON_LAYERS = "Megatron-LM, core/transformer/transformer_block.py `get_num_layers_to_build`, read 2026-11-22"


def _stated_layers(columns: Columns) -> Any:
    """Layers of the first and the last stage where they are stated."""
    return columns["decoder_first_pipeline_num_layers"] + columns["decoder_last_pipeline_num_layers"]


def _ends_counted(columns: Columns) -> Any:
    """How many of embedding and loss count as layers."""
    names = ("account_for_embedding_in_pipeline_split", "account_for_loss_in_pipeline_split")
    return columns[names[0]] + columns[names[1]]


def _adapted_edges(columns: Columns) -> Any:
    """How many of embedding and head are adapted."""
    return columns["adapts_embed_tokens"] + columns["adapts_lm_head"]


def _named_modules(columns: Columns) -> Any:
    """How many modules of a layer are named to be computed again."""
    named = ("mlp", "moe", "moe_act", "shared_experts", "layernorm", "mla_up_proj")
    return sum(columns[f"recompute_{name}"] for name in named)


TRAINING_CONSTRAINTS = (
    training_rule(
        "decoder_first_pipeline_num_layers",
        "with decoder_last_pipeline_num_layers must leave a layer to each other stage of a pipeline",
        lambda c: either(
            _stated_layers(c) <= 0,
            both(
                c["pipeline_parallel_size"] > 1,
                _stated_layers(c) + c["pipeline_parallel_size"] - 1 <= c["num_hidden_layers"] + 1,
            ),
        ),
        MEGATRON_LAYERS,
    ),
    training_rule(
        "account_for_embedding_in_pipeline_split",
        "and account_for_loss_in_pipeline_split are for a pipeline of which no stage has a stated number of layers",
        lambda c: either(_ends_counted(c) <= 0, (c["pipeline_parallel_size"] > 1) * (_stated_layers(c) <= 0) > 0),
        MEGATRON_LAYERS,
    ),
    training_rule(
        "account_for_embedding_in_pipeline_split",
        "and account_for_loss_in_pipeline_split, counted as layers, must divide with them over the stages",
        lambda c: either(
            _ends_counted(c) <= 0, divides(c["pipeline_parallel_size"], c["num_hidden_layers"] + _ends_counted(c))
        ),
        MEGATRON_LAYERS,
    ),
    training_rule(
        "pipeline_schedule",
        "from both ends gives each GPU two stages: pipeline_parallel_size must be even",
        lambda c: either(
            c["stage_copies"] <= 1, divides(c["stage_copies"] + (c["stage_copies"] <= 0), c["pipeline_parallel_size"])
        ),
        "github.com/deepseek-ai/DualPipe, read 2026-11-22",
    ),
    training_rule(
        "zero_hpz_partition_size",
        "is DeepSpeed's: state framework: deepspeed and zero_stage: 3",
        lambda c: either(c["zero_hpz_partition_size"] <= 0, c["shards_parameters"] * c["live_parameters"] > 0),
        "DeepSpeed, runtime/zero/config.py; arXiv:2306.10209, section 3.2",
    ),
    training_rule(
        "zero_hpz_partition_size",
        "must divide the GPUs of a node",
        lambda c: either(
            c["zero_hpz_partition_size"] <= 0,
            divides(c["zero_hpz_partition_size"] + (c["zero_hpz_partition_size"] <= 0), c["host_accelerators"]),
        ),
        "arXiv:2306.10209, section 3.2",
    ),
    training_rule(
        "activation_offload",
        "is an option of torchtune and TRL, which have no pipeline",
        lambda c: either(c["activation_offload"] <= 0, c["pipeline_parallel_size"] <= 1),
        "torchtune and TRL, OffloadActivations, read 2026-11-22",
    ),
    training_rule(
        "recompute_num_layers",
        "are layers of a stage, and need a gradient_checkpointing that recomputes whole layers, as full",
        lambda c: either(
            c["recompute_num_layers"] <= 0,
            both(
                c["checkpoints"] > 0, c["recompute_num_layers"] <= c["num_hidden_layers"] / c["pipeline_parallel_size"]
            ),
        ),
        "Megatron-LM, core/transformer/transformer_block.py `_checkpointed_forward`, read 2026-11-22",
    ),
    training_rule(
        "recompute_modules",
        "are computed again beside attention's scores: state gradient_checkpointing: selective",
        lambda c: either(_named_modules(c) <= 0, (c["checkpoints"] <= 0) * (c["recomputes_scores"] > 0)),
        "Megatron-LM, core/transformer/transformer_config.py, read 2026-11-22",
    ),
    training_rule(
        "trained_layers",
        "are layers of the base, of one stage, at most as many as it has: state method: full and no pipeline",
        lambda c: either(
            c["trained_layers"] <= 0,
            both(
                c["trains_base"] * (c["pipeline_parallel_size"] <= 1) > 0, c["trained_layers"] <= c["num_hidden_layers"]
            ),
        ),
        "LLaMA-Factory, model/adapter.py `_setup_freeze_tuning`, read 2026-11-26",
    ),
    training_rule(
        "peft_type",
        "is of what is trained beside a frozen base: state method: lora, or qlora where that is quantised",
        lambda c: either(c["adapts_experts"] > 0, c["trains_adapters"] > 0),
        PEFT,
    ),
    training_rule(
        "peft_type",
        "other than lora is PEFT's: state framework: huggingface or deepspeed",
        lambda c: either(c["adapts_experts"] > 0, c["runs_transformers_layers"] * (c["fuses_adapters"] <= 0) > 0),
        PEFT,
    ),
    training_rule(
        "peft_type",
        "other than lora has neither use_dora nor target_parameters, and adapts no embedding and no head",
        lambda c: either(
            c["adapts_experts"] > 0,
            c["use_dora"] + c["lora_experts_gate_up"] + c["lora_experts_down"] + _adapted_edges(c) <= 0,
        ),
        PEFT,
    ),
    training_rule(
        "peft_type",
        "as prefix-tuning goes with no gradient_checkpointing, which PEFT refuses",
        lambda c: either(c["prompts_in_cache"] <= 0, c["checkpoints"] <= 0),
        "PEFT 0.21, peft_model.py `add_adapter`",
    ),
    training_rule(
        "peft_type",
        "as prefix-tuning is counted for decoders with whole keys and values alone",
        lambda c: either(c["prompts_in_cache"] <= 0, c["is_encoder_decoder"] + c["kv_lora_rank"] <= 0),
        PEFT,
    ),
    training_rule(
        "peft_type",
        "as loha or lokr goes with no quantised base, which PEFT refuses",
        lambda c: either(c["makes_adapter_weights"] <= 0, c["base_quantised"] <= 0),
        "PEFT 0.21, tuners/lycoris_utils.py",
    ),
    training_rule(
        "images_per_sequence",
        "needs a model with a tower for images",
        lambda c: either(c["images_per_sequence"] <= 0, c["tower_patches"] + c["tower_patch_area"] > 0),
        "HF code",
    ),
    training_rule(
        "peft_type",
        "as bitfit trains biases, and this model has none",
        lambda c: either(
            c["trains_biases"] <= 0,
            c["attention_bias"] + c["attention_output_bias"] + c["mlp_bias"] + c["norm_bias"] > 0,
        ),
        "arXiv:2106.10199 (BitFit)",
    ),
    training_rule(
        "oft_block_size",
        "must divide what adapted matrices read: PEFT takes another size where it does not",
        lambda c: either(
            c["rotates_inputs"] <= 0,
            both(
                divides(c["oft_block_size"], c["hidden_size"]),
                divides(c["oft_block_size"], c["targets_down_proj"] * c["intermediate_size"]),
            ),
        ),
        "PEFT 0.21, tuners/oft/layer.py `adjust_oft_parameters`",
    ),
    training_rule(
        "transformed_layers",
        "above lowest_transformed_layer, as layers_to_transform names them, are layers of the model",
        lambda c: c["transformed_layers"] + c["lowest_transformed_layer"] <= c["num_hidden_layers"],
        "PEFT 0.21, `layers_to_transform`",
    ),
    training_rule(
        "transformed_layers",
        "need a peft_type that adapts matrices, and no pipeline",
        lambda c: either(
            c["transformed_layers"] <= 0,
            c["trains_adapters"] * c["adapts_matrices"] * (c["pipeline_parallel_size"] <= 1) > 0,
        ),
        "PEFT 0.21, `layers_to_transform`",
    ),
    training_rule(
        "enable_fsdp_float8_all_gather",
        "gathers what FSDP shards, for FP8 products of torchao-tensorwise: state zero_stage 3 and a precision in FP8",
        lambda c: either(
            c["enable_fsdp_float8_all_gather"] <= 0,
            c["shards_parameters"] * c["gathered_units"] * c["computes_in_fp8"] * (c["fp8_weight_copies"] <= 0) > 0,
        ),
        TORCHAO,
    ),
    training_rule(
        "fp8_param_gather",
        "is Transformer Engine's: state a precision in FP8 and an fp8_recipe of te-",
        lambda c: either(c["fp8_param_gather"] <= 0, c["computes_in_fp8"] * c["fp8_weight_copies"] > 0),
        "Megatron-LM, training/arguments.py, read 2026-11-22",
    ),
)

TRAINING_WARNINGS = (
    training_rule(
        "zero_stage",
        "is 0: torchtitan and torchtune shard weights over all GPUs, as zero_stage: 3 does",
        lambda c: either(c["shards_weights"] <= 0, c["shards_optimizer"] > 0, figure_of(c, "sharding_size") <= 1),
        "torchtitan, apply_fsdp; torchtune, recipes/full_finetune_distributed.py, read 2026-11-23",
    ),
    training_rule(
        "decoder_first_pipeline_num_layers",
        "and decoder_last_pipeline_num_layers leave layers that do not divide over the other stages: "
        "the first of these are counted with one more",
        lambda c: either(
            _stated_layers(c) <= 0,
            divides(figure_of(c, "even_split_stages"), c["num_hidden_layers"] - _stated_layers(c)),
        ),
        MEGATRON_LAYERS,
    ),
    training_rule(
        "pipeline_parallel_size",
        "does not divide the layers: the first stages take one more, and Megatron-LM wants the split spelled out",
        lambda c: either(
            _stated_layers(c) > 0, divides(c["pipeline_parallel_size"], c["num_hidden_layers"] + _ends_counted(c))
        ),
        MEGATRON_LAYERS,
    ),
    training_rule(
        "fp8_recipe",
        "keeps inputs in 16 bit, as torchao does; FP8 products of Megatron-LM are Transformer Engine's, as te-delayed",
        lambda c: either(c["computes_in_fp8"] <= 0, c["delayed_fp8_scales"] <= 0, c["fp8_weight_copies"] > 0),
        "Megatron-LM `fp8_recipe`",
    ),
    training_rule(
        "target_modules",
        "name the head, whose adapter a loss that multiplies by the head's weight itself leaves out",
        lambda c: either(
            c["trains_adapters"] * c["adapts_lm_head"] <= 0, c["use_liger_kernel"] + c["fuses_head_and_loss"] <= 0
        ),
        "Liger Kernel 0.8, transformers/model/loss_utils.py; TRL 1.16, kernels/chunked_logprob.py",
    ),
    training_rule(
        "attention",
        "is fused, and this model's code in transformers has no fused attention: its scores are counted as stored",
        lambda c: either(
            c["unfused_attention"] <= 0, c["runs_transformers_layers"] <= 0, c["kernel_stores_scores"] > 0
        ),
        "transformers `_supports_sdpa`, `_supports_flash_attn`",
    ),
)
