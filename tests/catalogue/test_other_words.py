"""Words of other programs: each is a field and choices that there are, and gives the figures of the words here."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.catalogue.scenario import Scenario, dictionary
from memreport.catalogue.words.names import FOLLOWED, same_field, stated_instead
from memreport.catalogue.words.tables import meanings
from memreport.catalogue.yaml import strict
from memreport.compute import Computed
from memreport.errors import InputError
from memreport.paths import data_root
from tests.support import packaged, run, scenario_text, value

EIGHT = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"


def job(folder: Path, training: str, **blocks: str) -> Computed:
    return run(folder, scenario_text(model="llama-3-8b", hardware=EIGHT, training=f"{{{training}}}", **blocks))


def served(folder: Path, serving: str, model: str = "llama-3-8b") -> Computed:
    return run(
        folder, scenario_text(model=model, hardware=EIGHT, workload="serving", training=None, serving=f"{{{serving}}}")
    )


OF_ROWS = {
    *("of", "words", "programs", "methods", "sets", "unless_stated", "counted", "replaces", "assumes", "source"),
    *("type", "say", "lacks"),
}


@pytest.mark.parametrize("name", ["training", "serving", "names", "instead"])
def test_every_file_of_words_is_read_strictly(name: str) -> None:
    data = strict.read(data_root() / "scenarios" / "reference" / "words" / f"{name}.yaml").data
    rows = [*data.get("rows", ()), *data.get("peft_types", ())]
    assert not [row for row in rows if not row.keys() <= OF_ROWS]
    assert {row["source"] for row in rows if "source" in row} <= data.get("sources", {}).keys()


def test_every_word_stands_for_what_there_is() -> None:
    fields, tables = dictionary("training"), packaged().tables
    assert all(name in dictionary(section) or name in FOLLOWED[section] for (section, _), name in same_field().items())
    assert not any(word in dictionary(section) for section, word in same_field())
    assert not set(stated_instead()) & set(fields)
    rows = ((section, *row) for section in ("training", "serving") for row in meanings(section).items())
    for section, (of, word), meaning in rows:
        fields = dictionary(section)
        assert of not in Scenario.model_fields, of
        assert of not in fields or not fields[of].table or word not in tables[fields[of].table].ids, word
        for name, given in (*meaning.settings.items(), *meaning.unless_stated.items()):
            assert fields[name].kind != "choice" or given in tables[fields[name].table].ids, (name, given)


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ("optim: adamw_torch, local_batch_size: 2", "optimizer_implementation: foreach, micro_batch_size: 2"),
        ("optim: adamw_torch, optimizer_implementation: fused", "optimizer: adamw"),
        ("optimizer: adamw_torch_fused, cutoff_len: 4096", "sequence_length: 4096"),
        ("optim: paged_adamw_32bit", "optimizer: paged-adamw"),
        ("optim: galore_adamw, attn_implementation: flash_attention_3", "optimizer: galore-adamw, attention: flash"),
        ("framework: Axolotl, deepspeed: zero3", "framework: deepspeed, zero_stage: 3"),
        ("framework: NeMo, recompute_granularity: full",
         "framework: megatron, gradient_checkpointing: full, zero_stage: 1"),
        ("framework: axolotl, fsdp: shard_grad_op", "zero_stage: 3, reshard_after_forward: false"),
        ("method: lora, lora_r: 8, lora_alpha: 16, load_in_4bit: true",
         "method: qlora, lora_rank: 8, base_weight_dtype: nf4"),
        ("method: dora, load_in_8bit: false", "method: lora, use_dora: true"),
        ("method: ia3", "method: lora, peft_type: ia3, target_modules: [k_proj, v_proj, down_proj]"),
        ("peft_type: IA3, feedforward_modules: [down_proj]",
         "method: lora, peft_type: ia3, target_modules: [k_proj, v_proj, down_proj]"),
        ("peft_config: {peft_type: PREFIX_TUNING, num_virtual_tokens: 30, task_type: CAUSAL_LM}",
         "method: lora, peft_type: prefix-tuning, num_virtual_tokens: 30"),
        ("finetuning_type: oft, target_modules: [q_proj]",
         "method: lora, peft_type: oft, target_modules: [q_proj]"),
        ("tuner_type: adalora, init_r: 8, tinit: 10",
         "method: lora, peft_type: adalora, lora_rank: 8, target_modules: [q_proj, v_proj]"),
        ("method: lora, layers_to_transform: [28, 29, 31], layers_pattern: layers",
         "method: lora, transformed_layers: 3, lowest_transformed_layer: 28"),
        ("method: lora, layers_to_transform: 31", "method: lora, transformed_layers: 1, lowest_transformed_layer: 31"),
        ("trainer: zo, precision: bf16-pure", "optimizer: mezo, precision: bf16-pure"),
        ("objective: simpo, lora_target: [q_proj], method: rslora",
         "objective: orpo, target_modules: [q_proj], method: lora"),
        ("objective: reinforce++, num_generations: 8", "objective: grpo"),
        ("adapter: lora, lora_target_linear: true, sample_packing: true, flash_attention: true",
         "method: lora, target_modules: all-linear, length_pattern: packed, attention: flash"),
        ("stage: kto, finetuning_type: lora, lora_target: all, flash_attn: fa2",
         "objective: kto, method: lora, target_modules: all-linear, attention: flash"),
        (("framework: torchtune, dtype: bf16, batch_size: 2, max_seq_len: 8192, loss: CEWithChunkedOutputLoss, "
         "enable_activation_checkpointing: true, compile: true, lora_alpha: 16"),
         ("framework: torchtune, precision: bf16-pure, micro_batch_size: 2, sequence_length: 8192, loss: chunked, "
         "gradient_checkpointing: full, torch_compile: true")),
        (("framework: torchtitan, data_parallel_shard_degree: -1, activation_checkpoint: selective, "
         "selective_ac_option: op, mixed_precision_reduce: float32"),
         "framework: torchtitan, zero_stage: 3, gradient_checkpointing: selective-op, reduce_dtype: fp32"),
        ("framework: torchtitan, activation_checkpoint: {mode: selective}",
         "framework: torchtitan, gradient_checkpointing: selective-op"),
        ("framework: torchtitan, activation_checkpoint: {mode: selective, selective_ac_option: '2'}",
         "framework: torchtitan, gradient_checkpointing: every-nth, checkpoint_interval: 2"),
        ("framework: megatron, recompute_granularity: selective",
         "framework: megatron, gradient_checkpointing: selective"),
        ("framework: axolotl, bf16: auto, liger_fused_linear_cross_entropy: true",
         "precision: bf16-weights-autocast, loss: fused-linear"),
        ("framework: LLaMA-Factory, finetuning_type: lora, bf16: true",
         "method: lora, precision: bf16-weights-autocast, gradient_checkpointing: full"),
        ("framework: llamafactory, bf16: true, gradient_checkpointing: none, use_galore: true, galore_layerwise: true",
         "precision: bf16-autocast, optimizer: galore-adamw, optimizer_in_backward: true"),
        ("framework: deepspeed, bf16: {enabled: true}, zero_stage: 3, offload_optimizer: {device: cpu}",
         "framework: deepspeed, zero_stage: 3, optimizer_offload: cpu"),
        (("framework: megatron, global_batch_size: 64, micro_batch_size: 2, tensor_model_parallel_size: 2, "
         "use_distributed_optimizer: true"),
         ("framework: megatron, gradient_accumulation_steps: 8, micro_batch_size: 2, tensor_parallel_size: 2, "
         "zero_stage: 1")),
        ("fsdp: [full_shard, auto_wrap], fsdp_offload_params: true",
         "zero_stage: 3, parameter_offload: cpu, optimizer_offload: cpu"),
        ("objective: grpo, max_prompt_length: 512, max_completion_length: 1024",
         "objective: grpo, sequence_length: 1536"),
        ("optim: lomo", "optimizer: sgd, optimizer_in_backward: true"),
        ("method: lora, trainable_token_indices: [1, 2, 3]", "method: lora, trained_rows: 3"),
        ("method: lora, modules_to_save: [input_layernorm]", "method: lora, modules_to_save: [norms]"),
        ("torch_compile_backend: inductor", "torch_compile: true"),
        ("cross_entropy_loss_fusion: true, cross_entropy_fusion_impl: linear", "loss: fused-linear"),
        ("optimizer: ao_adamw_8bit", "optimizer: adamw-8bit-torchao"),
        ("fp16: true", "precision: fp16-autocast"),
        ("bf16: true", "precision: bf16-autocast"),
        ("framework: trl, bf16: true, method: lora",
         "method: lora, precision: bf16-autocast, gradient_checkpointing: full, loss: linear-tiles"),
        ("framework: huggingface, fp16: true, method: lora", "method: lora, precision: fp16-weights-autocast"),
        ("framework: litgpt, precision: 16-mixed", "framework: litgpt, precision: fp16-autocast"),
        ("optim: apollo_mini", "optimizer: apollo-adamw, galore_rank: 1"),
        ("optimizer: AdamW, precision: BF16-mixed", "optimizer: adamw"),
        ("gradient_checkpointing: unsloth", "gradient_checkpointing: full, activation_offload: true"),
        (("zero_optimization: {stage: 3, offload_optimizer: {device: cpu, pin_memory: true}, "
          "offload_param: {device: none}, overlap_comm: true}, framework: deepspeed, fp16: {enabled: true}, "
          "gradient_accumulation_steps: auto"),
         "framework: deepspeed, zero_stage: 3, optimizer_offload: cpu, precision: fp16-mixed"),
        ("framework: axolotl, deepspeed: deepspeed_configs/zero2.json, bf16: true, num_epochs: 3",
         "framework: deepspeed, zero_stage: 2, precision: bf16-mixed"),
        ("framework: axolotl, fsdp: [full_shard, auto_wrap], fsdp_config: {fsdp_offload_params: false}, bf16: true",
         "framework: huggingface, zero_stage: 3, precision: bf16-weights-autocast"),
        (("framework: verl, objective: grpo, train_batch_size: 1024, ppo_mini_batch_size: 256, "
          "ppo_micro_batch_size_per_gpu: 4, tensor_model_parallel_size: 2, gpu_memory_utilization: 0.6, "
          "max_prompt_length: 512, max_response_length: 1024, use_remove_padding: true"),
         ("framework: huggingface, zero_stage: 3, precision: bf16-autocast, objective: grpo, micro_batch_size: 4, "
          "rollout_memory_share: 0.6, rollout_sleeps: true, loss: framework, rollout_tokens: 1024, "
          "gradient_accumulation_steps: 8, sequence_length: 1536, length_pattern: packed")),
        ("method: lora, lora_attn_modules: [q_proj, output_proj], apply_lora_to_mlp: true, framework: torchtune",
         ("method: lora, target_modules: [q_proj, o_proj, gate_proj, up_proj, down_proj], framework: torchtune, "
          "zero_stage: 3")),
        (("framework: megatron, moe_flex_dispatcher_backend: hybridep, enable_cuda_graph: true, "
          "delay_wgrad_compute: true"),
         "framework: megatron, moe_enable_deepep: true, cuda_graph_impl: local"),
        (("framework: megatron, cuda_graph_impl: local, cuda_graph_scope: full_iteration, "
          "moe_flex_dispatcher_backend: null"),
         "framework: megatron, cuda_graph_impl: full_iteration"),
        ("framework: megatron, enable_cuda_graph: false, cuda_graph_scope: [attn, moe_router]", "framework: megatron"),
        ("objective: dpo, max_length: 1024, max_prompt_length: 512", "objective: dpo, sequence_length: 1024"),
        ("framework: nemo, fp8: null, recompute_granularity: null", "framework: megatron, zero_stage: 1"),
        ("framework: megatron, fp16: true, accumulate_allreduce_grads_in_fp32: true, lr: 3e-4, clip_grad: 1.0",
         "framework: megatron, precision: fp16-mixed-fp32-gradients"),
        (("framework: megatron, bf16: true, use_precision_aware_optimizer: true, main_grads_dtype: bf16, "
          "exp_avg_dtype: bf16"),
         "framework: megatron, precision: bf16-mixed, master_element_bytes: 2, optimizer: adamw-bf16"),
        ("framework: torchtitan, selective_ac_option: '2'",
         "framework: torchtitan, gradient_checkpointing: every-nth, checkpoint_interval: 2"),
        ("framework: megatron, bf16: true, --fp8-format: hybrid, --fp8-recipe: delayed",
         "framework: megatron, precision: fp8, fp8_recipe: te-delayed, gradient_element_bytes: 4"),
        (("deepspeed: {train_micro_batch_size_per_gpu: 2, bf16: {enabled: true}, optimizer: {type: AdamW, "
          "params: {lr: 2e-5}}, zero_optimization: {stage: 3, offload_param: {device: cpu}}, "
          "activation_checkpointing: {partition_activations: false}}"),
         ("framework: deepspeed, micro_batch_size: 2, precision: bf16-mixed, optimizer: adamw, zero_stage: 3, "
          "parameter_offload: cpu")),
        (("distributed_type: DEEPSPEED, deepspeed_config: {zero_stage: 2, offload_optimizer_device: none}, "
          "mixed_precision: bf16, num_processes: 8"),
         "framework: deepspeed, zero_stage: 2, precision: bf16-mixed"),
        (("framework: axolotl, bf16: auto, fsdp_version: 2, deepspeed: , fsdp: , fsdp_config: {offload_params: false, "
          "reshard_after_forward: true, transformer_layer_cls_to_wrap: LlamaDecoderLayer}"),
         "precision: bf16-weights-autocast, zero_stage: 3"),
        ("framework: llamafactory, deepspeed: examples/ds_z3_config.json, bf16: true, resume_from_checkpoint: null",
         "framework: deepspeed, zero_stage: 3, precision: bf16-mixed, gradient_checkpointing: full"),
        (("framework: ms-swift, torch_dtype: bfloat16, deepspeed: zero3, vllm_gpu_memory_utilization: 0.5, "
          "sleep_level: 1"),
         ("framework: deepspeed, zero_stage: 3, precision: bf16-mixed, gradient_checkpointing: full, "
          "rollout_memory_share: 0.5, rollout_sleeps: true")),
        (("framework: torchtitan, training: {local_batch_size: 2, seq_len: 4096, steps: 1000}, parallelism: "
          "{data_parallel_shard_degree: -1, data_parallel_replicate_degree: 2}, compile: {enable: true}, optimizer: "
          "{name: AdamW, lr: 3e-4}, activation_checkpoint: {mode: selective, selective_ac_option: op}"),
         ("framework: torchtitan, micro_batch_size: 2, sequence_length: 4096, zero_stage: 3, optimizer: adamw, "
          "data_parallel_shard_degree: 4, gradient_checkpointing: selective-op, torch_compile: true")),
        (("framework: torchtitan, local_batch_size: 8, pipeline_parallel_degree: 4, "
          "pipeline_parallel_microbatch_size: 1, converters: [float8]"),
         ("framework: torchtitan, micro_batch_size: 1, gradient_accumulation_steps: 8, pipeline_parallel_size: 4, "
          "precision: fp8-autocast, zero_stage: 3")),
        (("framework: torchtune, optimizer: {_component_: torch.optim.AdamW, fused: true, lr: 2e-5}, tokenizer: "
          "{max_seq_len: 4096, path: /x}, loss: {_component_: torchtune.modules.loss.LinearCrossEntropyLoss}"),
         ("framework: torchtune, optimizer: adamw, optimizer_implementation: fused, sequence_length: 4096, "
          "loss: linear-chunked")),
        ("framework: nanotron, dtype: bfloat16, accumulate_grad_in_fp32: true, pp_engine: afab, tp: 2",
         ("framework: nanotron, precision: bf16-mixed-fp32-gradients, pipeline_schedule: gpipe, "
          "tensor_parallel_size: 2")),
        ("framework: torchtitan, converters: [mx], mx: {recipe_name: mxfp8_cublas}, reshard_after_forward: never",
         ("framework: torchtitan, precision: fp8-autocast, fp8_recipe: torchao-mxfp8, zero_stage: 3, "
          "reshard_after_forward: false")),
        ("framework: unsloth, r: 16, bias: none", "framework: unsloth, method: lora, lora_rank: 16"),
    ],
)  # fmt: skip
def test_other_words_give_the_same_figures(tmp_path: Path, words: str, own: str) -> None:
    found, expected = job(tmp_path, words), job(tmp_path, own)
    for name in ("peak_bytes", "model_state_bytes", "step_seconds"):
        assert value(found, name) == value(expected, name)


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ("engine: ollama, num_ctx: 8192, weight_dtype: Q4_K_M, cache_type_k: q8_0, cache_type_v: q8_0",
         "engine: llama.cpp, max_num_seqs: 1, max_model_len: 8192, weight_dtype: q4_k_m, kv_cache_dtype: q8_0"),
        ("engine: llama-server, n_ctx: 8192, parallel: 4, ubatch_size: 512",
         "engine: llama.cpp, max_model_len: 2048, max_num_seqs: 4, max_num_batched_tokens: 512"),
        ("engine: tensorrt-llm, tp_size: 2, quantization: modelopt, kv_cache_dtype: fp8_e4m3",
         "engine: trtllm, tensor_parallel_size: 2, weight_dtype: fp8, kv_cache_dtype: fp8"),
        ("cpu_offload_gb: 4, dtype: half, enable_prefix_caching: true",
         "cpu_offload_bytes: 4 GiB, weight_dtype: fp16"),
        ("engine: sglang, context_length: 8192, max_total_tokens: 100000, mem_fraction_static: 0.8",
         "engine: sglang, max_model_len: 8192, max_cached_tokens: 100000, gpu_memory_utilization: 0.8"),
        ("engine: sglang, context_length: 2048, max_model_len: 8192",
         "engine: sglang, max_model_len: 8192, context_length: 2048, prompt_tokens: 2048"),
        ("engine: llama.cpp, ctx_size: 16384", "engine: llama.cpp, max_num_seqs: 1, max_model_len: 16384"),
        ("engine: transformers", "engine: transformers, max_num_seqs: 1"),
        (("engine: text-generation-inference, num_shard: 2, max_total_tokens: 8192, quantize: bitsandbytes, "
          "max_batch_total_tokens: 65536, max_batch_prefill_tokens: 2048"),
         ("engine: tgi, tensor_parallel_size: 2, max_model_len: 8192, weight_dtype: int8, "
          "max_cached_tokens: 65536, max_num_batched_tokens: 2048")),
        ("engine: turbomind, tp: 2, session_len: 8192, cache_max_entry_count: 0.5, quant_policy: 8, max_batch_size: 16",
         ("engine: lmdeploy, tensor_parallel_size: 2, max_model_len: 8192, gpu_memory_utilization: 0.5, "
          "kv_cache_dtype: int8, max_num_seqs: 16")),
        ("engine: lmdeploy, model_format: awq", "engine: lmdeploy, weight_dtype: awq"),
        ("engine: llama.cpp, split_mode: layer", "engine: llama.cpp, pipeline_parallel_size: 8"),
        ("engine: ollama, ollama_num_parallel: 2, ollama_kv_cache_type: q8_0, swap_space: 0",
         "engine: llama.cpp, max_num_seqs: 2, kv_cache_dtype: q8_0, pipeline_parallel_size: 8, from_ollama: true"),
        ("--tensor-parallel-size: 2, --gpu-memory-utilization: 0.8, --disable-log-stats: true",
         "tensor_parallel_size: 2, gpu_memory_utilization: 0.8"),
        ("tp_size: 2, prefill_context_parallel_size: 2", "tensor_parallel_size: 2, context_parallel_size: 2"),
        ("engine: llama.cpp, ctx_size: 16384, parallel: 4, batch_size: 2048, ubatch_size: 512, keep_alive: 5m",
         "engine: llama.cpp, max_model_len: 4096, max_num_seqs: 4, max_num_batched_tokens: 512"),
        ("engine: trtllm, free_gpu_memory_fraction: 0.8", "engine: trtllm, gpu_memory_utilization: 0.8"),
        ("engine: sglang, speculative_algorithm: EAGLE3, speculative_num_steps: 3, speculative_num_draft_tokens: 16",
         "engine: sglang, speculative_tokens: 3, draft_num_hidden_layers: 1"),
        ("engine: sglang, disaggregation_mode: decode, concurrency: 8",
         "engine: sglang, disaggregated: true, max_num_seqs: 8"),
        ("enable_expert_parallel: true, tp: 8", "whole_experts: true, tensor_parallel_size: 8"),
        ("max_model_len: 1024", "max_model_len: 1024, context_length: 1024, prompt_tokens: 1024"),
    ],
)  # fmt: skip
def test_other_words_of_engines_give_the_same_figures(tmp_path: Path, words: str, own: str) -> None:
    found, expected = served(tmp_path, words), served(tmp_path, own)
    for name in ("peak_bytes", "kv_cache_bytes", "kv_pool_bytes", "tokens_per_second"):
        assert value(found, name) == value(expected, name)


@pytest.mark.parametrize(
    ("repository", "card", "weights"),
    [
        ("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "llama-3.1-8b", "nf4"),
        ("NousResearch/Meta-Llama-3-8B-Instruct", "llama-3-8b", "bf16"),
        ("TheBloke/Mixtral-8x7B-Instruct-v0.1-AWQ", "mixtral-8x7b", "int4"),
        ("bartowski/Llama-3.3-70B-Instruct-GGUF", "llama-3.3-70b", "q4_k_m"),
        ("bartowski/Llama-3.3-70B-Instruct-GGUF:Q6_K", "llama-3.3-70b", "q6_k"),
        ("RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8-dynamic", "llama-3.1-8b", "fp8"),
        ("Qwen/Qwen3-32B-Instruct-2507", "qwen3-32b", "bf16"),
    ],
)
def test_a_copy_is_found_by_its_model_s_name_and_says_so(
    tmp_path: Path, repository: str, card: str, weights: str
) -> None:
    found = served(tmp_path, "", repository).resolved
    (case,), (said,) = found.cases, [warning for warning in found.warnings if warning.field == "model"]
    assert (case.card.id, case.settings["weight_dtype"], case.card.repository) == (card, weights, repository)
    assert f"{repository} is taken for a copy of" in said.message


@pytest.mark.parametrize(
    "repository", ["NousResearch/Hermes-2-Theta-Llama-3-8B", "TheBloke/Mistral-7B-Code-16K-AWQ", "x/llama-9b"]
)
def test_another_name_is_no_copy(tmp_path: Path, repository: str) -> None:
    with pytest.raises(InputError, match="no such configuration"):
        served(tmp_path, "", repository)


def test_the_makers_own_repository_is_no_copy(tmp_path: Path) -> None:
    assert not served(tmp_path, "", "meta-llama/Llama-3.1-8B-Instruct").resolved.warnings


def test_ranks_with_attention_of_their_own_share_tensor_parallelism(tmp_path: Path) -> None:
    """SGLang's tp-size counts all ranks, which dp-size divides; of two tokens that it checks one is drafted."""
    given = "engine: sglang, tp: 8, enable_dp_attention: true, dp_size: 8, speculative_num_draft_tokens: 2"
    (case,) = served(tmp_path, given, model="deepseek-v2-lite").resolved.cases
    assert (case.settings["tensor_parallel_size"], case.settings["expert_parallel_size"]) == (1, 8)
    assert case.settings["speculative_tokens"] == 1


def test_words_in_variants_and_tables(tmp_path: Path) -> None:
    """A word sets what the scenario leaves open, also where a variant or an axis says it; its line is kept."""
    table = "[{title: t, figure: peak_bytes, rows: {training.optim: [adamw_torch, lion_8bit]}}]"
    variants = "{a: {}, b: {training.framework: trl, training.optim: rmsprop_bnb_8bit}}"
    found = job(tmp_path, "optimizer: adamw", variants=variants, tables=table)
    assert [case.settings["optimizer"] for case in found.resolved.cases] == [
        "adamw",
        "rmsprop-8bit",
        "adamw",
        "lion-8bit",
    ]
    (said,) = found.resolved.warnings
    assert (said.variant, said.field, said.found, said.place) == ("b", "framework", "'trl'", "case.yaml:9")
    assert said.message.startswith("is read as huggingface: it trains with the Trainer")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("deepspeed: zero3, zero_stage: 2", "deepspeed: contradicts zero_stage, which it sets .found 3 against 2"),
        ("load_in_4bit: true, method: full", "load_in_4bit: contradicts method"),
        ("micro_batch_size: 1, per_device_train_batch_size: 2", "contradicts micro_batch_size"),
        ("method: boft", "no such method: is not counted"),
        (
            ("framework: megatron, bf16: true, main_grads_dtype: bf16, accumulate_allreduce_grads_in_fp32: true"),
            "contradicts gradient_element_bytes, which it sets",
        ),
        ("data_parallel_replicat_degree: 2", "is not a field"),
        ("framework: torchtitan, selective_ac_option: half", "state gradient_checkpointing: every-nth"),
        ("num_layers: 32", "is of the model: state it there"),
        (
            "method: prefix-tuning, gradient_checkpointing: full",
            "goes with no gradient_checkpointing, which PEFT refuses",
        ),
        ("method: loha, load_in_4bit: true", "goes with no quantised base"),
        ("peft_type: lokr, method: qlora", "goes with no quantised base, which PEFT refuses"),
        ("method: bitfit", "trains biases, and this model has none"),
        ("peft_type: vera, use_dora: true", "other than lora has neither use_dora"),
        ("method: oft, oft_block_size: 48", "must divide what adapted matrices read"),
        ("method: lora, layers_to_transform: [31, 32]", "are layers of the model"),
        ("optim: dion", "no such optimizer: keeps a factor of low rank"),
        ("global_batch_size: 12", "must be a multiple of micro_batch_size x GPUs .*found 12 over 8"),
        ("global_batch_size: 64, gradient_accumulation_steps: 2", "contradicts gradient_accumulation_steps"),
        ("max_steps: 100, training_tokens: 3e9", "contradicts training_tokens, which follows from it"),
        ("max_completion_length: 512", "state sequence_length, of prompt and answer together"),
        ("deepspeed: my_config.json", "state framework: deepspeed, zero_stage, and optimizer_offload"),
    ],
)
def test_words_that_contradict_or_say_too_little(tmp_path: Path, given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        job(tmp_path, given)


def test_a_model_by_its_repository(tmp_path: Path) -> None:
    """As the hub calls it, also tuned or converted, which changes no tensor; no such model leads to the nearest."""
    for name, card in (
        ("meta-llama/Meta-Llama-3-8B", "llama-3-8b"),
        ("meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b"),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("meta-llama/Llama-2-7b-chat-hf", "llama-2-7b"),
        ("google/gemma-3-12b-it", "gemma-3-12b"),
    ):
        found = run(tmp_path, scenario_text(model=name))
        assert found.resolved.cases[0].origins["hidden_size"].place == card
        assert found.resolved.cases[0].card.repository == name, "what an engine's line loads"
    with pytest.raises(InputError, match="did you mean 'qwen3-8b'"):
        run(tmp_path, scenario_text(model="somebody/Qwen3-8Bee-Instruct"))


def test_frameworks_that_always_shard(tmp_path: Path) -> None:
    """Without a stage they would hold whole weights, which nobody runs on several GPUs."""
    found = job(tmp_path, "framework: torchtune").resolved
    assert (found.cases[0].settings["zero_stage"], found.warnings) == (3, ())
    (said,) = job(tmp_path, "framework: torchtune, zero_stage: 0").resolved.warnings
    assert said.message.startswith("is 0: torchtitan and torchtune shard")
    assert not job(tmp_path, "framework: torchtitan, zero_stage: 3").resolved.warnings
    assert not job(tmp_path, "framework: litgpt").resolved.warnings


def test_a_row_of_ones_own_means_itself(tmp_path: Path) -> None:
    """A user's own profile of that name wins over the packaged word."""
    packaged_rows = (Path(__file__).parents[2] / "scenarios/reference/optimizers.yaml").read_text(encoding="utf-8")
    head, _, rows = packaged_rows.partition("rows:\n")
    own = next(row for row in rows.splitlines() if "{id: sgd," in row).replace("{id: sgd,", "{id: lion_8bit,")
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference/optimizers.yaml").write_text(f"{head}rows:\n{own}\n", encoding="utf-8")
    assert value(job(tmp_path, "optimizer: lion_8bit"), "optimizer_state_bytes") == 0


def test_a_variant_states_blocks_or_a_line_a_field(tmp_path: Path) -> None:
    blocks = "{a: {hardware: {count: 4}, training: {zero_stage: 3, per_device_train_batch_size: 2}}}"
    lines = "{a: {hardware.count: 4, training.zero_stage: 3, training.micro_batch_size: 2}}"
    peaks = [value(job(tmp_path, "method: full", variants=variants), "peak_bytes") for variants in (blocks, lines)]
    assert peaks[0] == peaks[1]
