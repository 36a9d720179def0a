"""Options as users of other programs paste them, each with the figure that it decides, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.errors import InputError
from tests.support import run, scenario_text, value

SIXTEEN = "{accelerator: h100-80gb-sxm, count: 16, host: dgx-h100}"
LLAMA = 8_030_261_248
"""Parameters of Llama 3 8B; 32 layers of 4096."""
PIPED = (
    "framework: torchtitan, tensor_parallel_degree: 2, pipeline_parallel_degree: 4, gradient_accumulation_steps: 16, "
    "pipeline_parallel_layers_per_stage: 4, pipeline_parallel_schedule: "
)
MEGATRON = "framework: megatron, bf16: true"
WHOLE = f"{MEGATRON}, recompute_granularity: full, recompute_num_layers: 4, recompute_method"
AWARE = f"{MEGATRON}, use_precision_aware_optimizer: true"
TITAN = "framework: torchtitan, activation_checkpoint"
HYBRID = "bf16: true, fsdp_config: {fsdp_sharding_strategy"
EXPERTS = 32 * 8 * (4096 * 2 * 14_336 + 4096 * 14_336)
"""Weights of Mixtral's experts."""


@pytest.mark.parametrize(
    ("given", "figure", "by_hand"),
    [
        # every third of 32 layers is recomputed, ten of them; 22 are stored whole
        ("selective_ac_option: '3', activation_checkpoint: {mode: selective}", "checkpointed_share", 10 / 32),
        ("ac_mode: selective, ac_option: 2", "checkpointed_share", 16 / 32),
        (f"{TITAN}: {{mode: selective, selective_ac_option: op}}", "recompute_share", 0.5),
        (f"{WHOLE}: uniform", "live_layers", 4),
        (f"{WHOLE}: block", "live_layers", 1),
        ("framework: deepspeed, checkpoint_activations: true, checkpoint_num_layers: 2", "checkpointed_inputs", 16),
        ("gradient_checkpointing: offload, framework: axolotl", "activation_offload", 1),
        # a node of eight holds a copy: 4-byte weights, gathered again or kept from the forward pass on
        ("fsdp: hybrid_shard auto_wrap, bf16: true", "weight_bytes", 4 * LLAMA / 8),
        (f"{HYBRID}: HYBRID_SHARD_ZERO2}}", "gathered_parameter_bytes", 2 * LLAMA),
        ("fsdp: full_shard auto_wrap, bf16: true", "weight_bytes", 4 * LLAMA / 16),
        ("fsdp: shard_grad_op auto_wrap, bf16: true", "weight_bytes", 4 * LLAMA / 16),
        ("framework: verl, fsdp_size: 8, strategy: fsdp2", "weight_bytes", 4 * LLAMA / 8),
        (f"{MEGATRON}, use_distributed_optimizer: true, num_distributed_optimizer_instances: 2", "state_group_size", 8),
        ("distributed_type: fsdp, mixed_precision: bf16", "weight_bytes", 4 * LLAMA / 16),
        # parts of micro-batches that a rank holds, counted in PyTorch's own order of passes: 8 of 2, 11 of 2, all 16
        (f"{PIPED}InterleavedZeroBubble", "held_micro_batches", 4),
        (f"{PIPED}Interleaved1F1B", "held_micro_batches", 5.5),
        (f"{PIPED}LoopedBFS", "held_micro_batches", 16),
        (f"{MEGATRON}, pp: 4, num_layers_per_virtual_pipeline_stage: 2", "virtual_pipeline_parallel_size", 4),
        ("framework: deepspeed, pipe_parallel_size: 4, model_parallel_size: 2", "model_parallel_size", 8),
        # FP32 gradients, halves of the master copy, or both in 16 bit
        (f"{MEGATRON}, fp8: hybrid", "gradient_element_bytes", 4),
        (f"{MEGATRON}, fp8: hybrid, main_grads_dtype: bf16", "gradient_element_bytes", 2),
        (f"{AWARE}", "master_element_bytes", 2),
        (f"{AWARE}, store_param_remainders: false", "master_element_bytes", 4),
        (f"{AWARE}, fp8: e4m3, fp8_recipe: blockwise", "master_element_bytes", 4),
        (f"{MEGATRON}, main_params_dtype: fp16", "master_element_bytes", 2),
        ("framework: nemo, precision: bf16_with_fp8_current_scaling_mixed", "computes_in_fp8", 1),
        (f"{MEGATRON}, fp4: e2m1, fp4_recipe: nvfp4", "computes_in_fp4", 1),
        ("mixed_precision: fp8, fp8_config: {backend: AO}", "weight_bytes", 4 * LLAMA),
        # an eighth, a sixteenth of the logits at a time: 4 bytes a logit and 8 of one part
        ("loss: {_component_: LinearCrossEntropyLoss, num_output_chunks: 16}", "loss_chunks", 16),
        ("framework: axolotl, chunked_cross_entropy: true, chunked_cross_entropy_num_chunks: 4", "loss_chunks", 4),
        ("adapter: lora, lora_target: 'q_proj,v_proj'", "trainable_parameters", 32 * 16 * (2 * 4096 + 4096 + 1024)),
        ("method: lora, target_modules: [linear_proj]", "trainable_parameters", 32 * 16 * 2 * 4096),
        ("finetuning_type: lora, additional_target: 'embed_tokens,lm_head'", "saves_lm_head", 1),
        ("objective: dpo, method: full, precompute_ref_log_probs: true", "frozen_copies", 0),
        ("framework: verl, adv_estimator: grpo", "frozen_copies", 1),
        ("framework: verl, adv_estimator: gae", "trained_copies", 1),
        ("PYTORCH_CUDA_ALLOC_CONF: 'expandable_segments:True'", "expandable_segments", 1),
    ],
)  # fmt: skip
def test_an_option_decides_its_figure(tmp_path: Path, given: str, figure: str, by_hand: float) -> None:
    found = run(tmp_path, scenario_text(model="llama-3-8b", training=f"{{{given}}}", hardware=SIXTEEN))
    assert value(found, figure) == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("given", "figure", "by_hand"),
    [
        ("engine: trtllm, kv_cache_config: {dtype: fp8}", "kv_bytes_per_token", 32 * 2 * 1024),
        ("engine: sglang, tp: 2, hicache_size: 50", "kv_offloading_size", 100e9),
        ("engine: vllm, num_gpu_blocks_override: 1000", "max_cached_tokens", 16_000),
        ("engine: trtllm, tensor_parallel_size: 8, enable_attention_dp: true", "tensor_parallel_size", 1),
        ("engine: sglang, tp: 8, ep_size: 8", "expert_parallel_size", 1),
        ("engine: vllm, speculative_config: {method: ngram, num_speculative_tokens: 4}", "speculative_tokens", 4),
    ],
)
def test_an_option_of_an_engine_decides_its_figure(tmp_path: Path, given: str, figure: str, by_hand: float) -> None:
    model = "mixtral-8x7b"
    text = scenario_text(model=model, workload="serving", serving=f"{{{given}}}", hardware=SIXTEEN.replace("16", "8"))
    assert value(run(tmp_path, text), figure) == pytest.approx(by_hand)


def test_experts_named_among_the_modules(tmp_path: Path) -> None:
    """They are adapted as `target_parameters` are, whatever the program calls them."""
    given, both = "method: lora, zero_stage: 3, target_modules", "[gate_up_proj, experts.down_proj]"
    found = [
        value(run(tmp_path, scenario_text(model="mixtral-8x7b", training=f"{{{text}}}", hardware=SIXTEEN)), name)
        for text in (f"{given}: [q_proj, experts]", f"{given}: [q_proj], target_parameters: {both}")
        for name in ("trainable_parameters", "lora_experts_gate_up", "lora_experts_down")
    ]
    assert found[:3] == found[3:]
    assert found[1:3] == [1, 1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("memory_budget: 0.3", "selective-op"),
        ("offload_modules: [attn_norm]", "activation_offload: true"),
        ("pipeline_model_parallel_layout: 'Et|t|L'", "decoder_first_pipeline_num_layers"),
        ("teacher: llama-3-70b", "frozen_parameters"),
        ("tiled_mlp: true", "upper bound"),
    ],
)
def test_what_is_refused_says_what_to_write(tmp_path: Path, given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        run(tmp_path, scenario_text(training=f"{{{given}}}"))
