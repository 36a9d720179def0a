"""Choices of training jobs, each stated in a scenario, with what it changes computed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.compute import Computed
from memreport.errors import InputError
from tests.support import run, scenario_text, value

SIXTEEN = "{accelerator: h100-80gb-sxm, count: 16, host: dgx-h100}"


def job(folder: Path, training: str, model: str = "llama-3-8b", hardware: str = SIXTEEN) -> Computed:
    return run(folder, scenario_text(model=model, training=training, hardware=hardware))


def test_experts_whole_on_tensor_ranks(tmp_path: Path) -> None:
    """Mixtral 8x7B, TP 4, EP 8 over 16 cards: one expert of 3 x 4096 x 14336 in each of 32 layers, whole."""
    given = "framework: megatron, tensor_parallel_size: 4, zero_stage: 1, expert_parallel_size"
    cut = job(tmp_path, f"{{{given}: 4}}", "mixtral-8x7b")
    whole = job(tmp_path, f"{{{given}: 8, expert_tensor_parallel_size: 1}}", "mixtral-8x7b")
    expert = 3 * 4096 * 14336 * 32
    assert value(whole, "rank_expert_parameters") == expert
    assert value(cut, "rank_expert_parameters") == 2 * expert / 4
    rest = value(whole, "rank_parameters") - expert
    assert value(cut, "rank_parameters") - expert / 2 == pytest.approx(rest)
    # in time: 16 GPUs are four micro-batches; cut experts see 4 x 2048 tokens of two in 8, whole ones half as many
    assert [value(one, "tokens_per_expert") for one in (cut, whole)] == [4 * 2048 * 2 / 8, 2 * 2048 * 2 / 8]
    assert [value(one, "expert_columns") for one in (cut, whole)] == [14_336 / 4, 14_336]
    assert value(cut, "routed_pass_flop") == value(whole, "routed_pass_flop")
    # inputs of 4096 values of two routed copies, gathered over four ranks where these cut the experts
    routed = [value(one, "routing_activation_bytes") for one in (cut, whole)]
    assert routed[0] - routed[1] == 2 * 4096 * 2 * (4 - 1)
    assert value(whole, "replica_sent_seconds") == 0  # experts lie in a group of their own, which is no hybrid shard
    # 8 x 1 of 16 cards hold one copy of the experts: their states are cut by 2, the others' by 4
    states = rest / 4 + expert / 2
    assert value(whole, "optimizer_state_bytes") == pytest.approx(8 * states)


def test_hybrid_shards_and_a_pipeline_of_fsdp(tmp_path: Path) -> None:
    """States are cut over 8 of 16; under a pipeline FSDP keeps whole FP32 gradients until the last micro-batch."""
    given = "zero_stage: 3, data_parallel_shard_degree: 8, precision: bf16-pure"
    hybrid = job(tmp_path, f"{{{given}}}")
    assert value(hybrid, "weight_bytes") == pytest.approx(2 * 8_030_261_248 / 8)
    piped = job(
        tmp_path,
        "{zero_stage: 3, pipeline_parallel_size: 2, gradient_accumulation_steps: 4, framework: litgpt,"
        " reduce_dtype: fp32}",
    )
    assert value(piped, "unreduced_gradient_bytes") == pytest.approx(4 * value(piped, "rank_parameters"))


def test_a_fixed_capacity_fills_the_experts(tmp_path: Path) -> None:
    """A factor of 1.5 gives 3 places a token where 2 are routed: half as much again inside the experts."""
    dropless = job(tmp_path, "{framework: megatron}", "mixtral-8x7b")
    filled = job(tmp_path, "{framework: megatron, moe_expert_capacity_factor: 1.5}", "mixtral-8x7b")
    for name in ("mlp_activation_bytes", "routing_activation_bytes"):
        assert value(filled, name) == pytest.approx(1.5 * value(dropless, name))


ONE = "{accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}"
LLAMA_2_7B = 6_738_415_616
LOGITS = 2048 * 32_000


@pytest.mark.parametrize(
    ("loss", "per_logit"),
    [
        ("framework", 12),
        ("fp32-logits", 12),
        ("bf16-logits", 6),
        ("chunked", 6 + 4 / 8),
        ("linear-chunked", 4 + 8 / 8),
        ("linear-chunked-recomputed", 12 / 8),
        ("fused", 4),
        ("fused-fp32", 2 + 4),
        ("fused-fp32-shifted", 2 + 4 + 4),
        ("fused-fp32-shifted-4.45", 4 + 4),
        ("loss-parallel", 16),
        ("distillation-kl", 26),
        ("distillation-jsd", 70),
    ],
)
def test_losses_keep_what_torch_counts(tmp_path: Path, loss: str, per_logit: float) -> None:
    """In memory per logit: torch 2.13 counts 12.06, 6.06, 6.57, 5.07 and 1.64, with 0.06 of a head's gradient."""
    found = job(tmp_path, f"{{loss: {loss}, method: lora}}", "llama-2-7b", ONE)
    assert value(found, "logits_bytes") == pytest.approx(LOGITS * per_logit)


def test_a_fused_linear_loss_keeps_no_logits(tmp_path: Path) -> None:
    """Two parts of 256 tokens in 16 bit, an eighth as the vocabulary is eight times as wide, and hidden gradients."""
    found = job(tmp_path, "{loss: fused-linear, method: lora}", "llama-2-7b", ONE)
    assert value(found, "logits_bytes") == 2 * 256 * 32_000 * 2 + 2048 * 4096 * 2


def test_a_loss_of_limited_parts_keeps_one_of_them(tmp_path: Path) -> None:
    """All of 2,048 tokens at once, as their 262 MB in FP32 are less than 4 GiB; of 65,536 one of four parts."""
    lengths = "{base: {}, long: {training.sequence_length: 65536}}"
    given = "{loss: linear-limited, method: lora, sequence_length: 2048}"
    found = run(tmp_path, scenario_text(model="llama-2-7b", hardware=ONE, training=given, variants=lengths))
    for at, (tokens, parts) in enumerate(((2048, 1), (65_536, 4))):
        assert value(found, "logits_bytes", at) == tokens / parts * 32_000 * 2 + tokens * 4096 * 2


def test_fused_adapters_keep_what_torch_counts(tmp_path: Path) -> None:
    """Saved of a layer whose matrices and adapters are one function: torch 2.13 counts 27,720 bytes a token.

    Computed again, the layer takes 34,986 beyond its input and the gradient of its output, narrow vectors among them.
    """
    sizes = "hidden_size: 1024, num_attention_heads: 16, num_key_value_heads: 4, head_dim: 64, intermediate_size: 3584"
    model = f"{{{sizes}, num_hidden_layers: 2, vocab_size: 1000, max_position_embeddings: 4096}}"
    given = "framework: unsloth, method: lora, target_modules: all-linear, sequence_length: 4096"
    dropout = "{base: {}, dropout: {training.lora_dropout: 0.1}, some: {training.target_modules: [q_proj, v_proj]}}"
    found = run(tmp_path, scenario_text(model=model, hardware=ONE, training=f"{{{given}}}", variants=dropout))
    assert value(found, "layer_activation_bytes_per_token") == 27_720
    gradient = value(found, "residual_gradient_bytes")
    worked = 4096 * 27_720 - gradient + value(found, "dense_backward_bytes") - gradient
    assert worked / 4096 == pytest.approx(34_986, rel=0.003)
    assert [value(found, "adapters_fused", at) for at in range(3)] == [1, 0, 0]


def test_logits_cut_by_tensor_parallelism(tmp_path: Path) -> None:
    found = job(tmp_path, "{loss: loss-parallel, framework: torchtitan, tensor_parallel_size: 8}", "llama-2-7b")
    assert value(found, "logits_bytes") == pytest.approx(LOGITS * 16 / 8)


def test_compiled_layers_keep_what_the_partitioner_keeps(tmp_path: Path) -> None:
    """torch 2.13 saves 22,056 bytes a token of this LlamaDecoderLayer, and 15,144 of it compiled (AOTAutograd)."""
    sizes = "hidden_size: 512, num_attention_heads: 8, num_key_value_heads: 2, head_dim: 64, intermediate_size: 1408"
    model = f"{{{sizes}, num_hidden_layers: 2, vocab_size: 1000, max_position_embeddings: 2048}}"
    for given, saved in (("false", 22_056), ("true", 15_144)):
        found = job(tmp_path, f"{{precision: bf16-pure, torch_compile: {given}}}", model, ONE)
        assert value(found, "layer_activation_bytes_per_token") == saved


MATRICES = 32 * (4 * 4096**2 + 3 * 4096 * 11_008)


@pytest.mark.parametrize(
    ("given", "others"),
    [
        ("objective: dpo", 2 * LLAMA_2_7B),
        ("objective: dpo, method: lora", 0),
        ("objective: orpo", 0),
        ("objective: kto", 2 * LLAMA_2_7B),
        ("objective: grpo-no-reference", 0),
        ("objective: grpo, rollout_memory_share: 0.3", 2 * LLAMA_2_7B),
        ("objective: ppo, precision: bf16-pure", 2 * 2 * LLAMA_2_7B + 8 * LLAMA_2_7B),
        ("objective: sft, frozen_parameters: 13e9, frozen_model_dtype: fp8", 13e9),
    ],
)
def test_models_beside_the_trained_one(tmp_path: Path, given: str, others: float) -> None:
    """Reference and reward in 16 bit; a critic has weights, gradients and moments; an engine a share of the card."""
    found = job(tmp_path, f"{{{given}}}", "llama-2-7b", ONE)
    share = 0.3 * value(found, "capacity_bytes") if "rollout" in given else 0
    assert value(found, "companion_bytes") - share == pytest.approx(others)
    assert value(found, "peak_parts_bytes") == pytest.approx(value(found, "peak_bytes"))


def test_pairs_go_through_the_model_together(tmp_path: Path) -> None:
    assert value(job(tmp_path, "{objective: dpo}", hardware=ONE), "tokens_per_micro_batch") == 2 * 2048


def test_segments_of_several_layers(tmp_path: Path) -> None:
    """Every fourth of 32 layers' inputs, 2048 by 4096 in 2 bytes."""
    found = job(tmp_path, "{gradient_checkpointing: every-k, checkpoint_interval: 4}", "llama-2-7b", ONE)
    assert value(found, "stored_activation_bytes") == pytest.approx(8 * 2048 * 4096 * 2)


def test_the_last_interleaved_stage_keeps_more_than_one_micro_batch(tmp_path: Path) -> None:
    """Four stages of two parts: the last keeps (2 - 1) x 4 + 1 parts, 2.5 micro-batches, the first 11 parts, 5.5."""
    given = (
        "{framework: megatron, pipeline_parallel_size: 4, virtual_pipeline_parallel_size: 2,"
        " gradient_accumulation_steps: 16}"
    )
    found = job(tmp_path, given)
    names = ("micro_batches_in_flight", "middle_stage_micro_batches", "last_stage_micro_batches")
    assert [value(found, name) for name in names] == [5.5, 4.5, 2.5]


def test_selective_checkpointing_by_operation(tmp_path: Path) -> None:
    """Llama 3 8B keeps of a layer: input, query, value, attention's output, gate and the MLP's output, in 2 bytes."""
    found = job(tmp_path, "{gradient_checkpointing: selective-op, framework: torchtitan}", hardware=ONE)
    kept = 2 * (4096 + 4096 + 1024 + 4096 + 14_336 + 4096)
    assert value(found, "stored_activation_bytes") == pytest.approx(32 * 2048 * kept)
    compiled = job(
        tmp_path, "{gradient_checkpointing: selective-op, framework: torchtitan, torch_compile: true}", hardware=ONE
    )
    assert value(compiled, "stored_activation_bytes") == pytest.approx(32 * 2048 * (kept - 2 * 4096))


def test_growing_segments_keep_what_other_streams_hold(tmp_path: Path) -> None:
    """Llama 3 8B over eight: gathers keep the larger of the head, 128,256 by 4096, and two layers in 16 bit, the stream
    of reductions an eighth of FP32 gradients; and the 16-bit logits leave a hole.
    """
    given = "framework: torchtitan, zero_stage: 3, precision: bf16-autocast, sequence_length: 8192, micro_batch_size: 2"
    hardware = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"
    given += ", gradient_checkpointing: full"
    found = job(tmp_path, f"{{{given}, expandable_segments: true}}", hardware=hardware)
    head = 2 * 128_256 * 4096
    assert value(found, "other_stream_bytes") == pytest.approx(head + 4 * 8_030_261_248 / 8)
    assert value(found, "logit_hole_bytes") == pytest.approx(2 * 2 * 8192 * 128_256)
    kept = value(found, "reserved_bytes") - value(found, "allocated_peak_bytes") - value(found, "fragmentation_bytes")
    assert kept == pytest.approx(value(found, "other_stream_bytes") + value(found, "logit_hole_bytes"))


@pytest.mark.parametrize("framework", ["torchtitan", "torchtune", "unsloth", "nanotron"])
def test_profiles_can_be_trained_with(tmp_path: Path, framework: str) -> None:
    found = job(tmp_path, f"{{framework: {framework}, torch_compile: true, zero_stage: 3}}", hardware=SIXTEEN)
    assert value(found, "layers_fused") == 1
    assert value(found, "peak_bytes_low") < value(found, "peak_bytes") < value(found, "peak_bytes_high")


SCHEDULES = {
    "1f1b": (4, 1, 3), "gpipe": (16, 16, 3), "zb-h1": (4, 4, 1), "zb-h2": (7, 7, 0), "zb-v": (4, 4, 0),
    "dualpipe": (2.5, 2.5, 1), "dualpipe-v": (4.5, 4.5, 1),
}  # fmt: skip


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_schedules_of_a_pipeline(tmp_path: Path, schedule: str) -> None:
    """Four stages, 16 micro-batches: kept by the first and by the last stage, and micro-batches' worth of waiting."""
    given = "framework: megatron, pipeline_parallel_size: 4, gradient_accumulation_steps: 16, zero_stage: 1"
    found = job(tmp_path, f"{{{given}, pipeline_schedule: {schedule}}}")
    names = ("micro_batches_in_flight", "last_stage_micro_batches", "waiting_slots")
    assert tuple(value(found, name) for name in names) == pytest.approx(SCHEDULES[schedule])
    assert value(found, "pipeline_bubble_share") == pytest.approx(
        SCHEDULES[schedule][2] / (16 + SCHEDULES[schedule][2])
    )


@pytest.mark.parametrize(
    ("pattern", "share"), [("fixed", 0.35), ("packed", 0.35), ("padded", 1), ("padding-free", 1.1)]
)
def test_what_the_allocator_keeps_by_pattern_of_lengths(tmp_path: Path, pattern: str, share: float) -> None:
    """The allocator's hold beside the peak, and what a monitor adds to it: the framework's context."""
    found = job(
        tmp_path, f"{{length_pattern: {pattern}, method: lora, gradient_checkpointing: full}}", "llama-2-7b", ONE
    )
    kept = max(share * value(found, "passing_bytes") - value(found, "fragmentation_bytes"), 0)
    reserved = value(found, "allocated_peak_bytes") + value(found, "fragmentation_bytes") + kept
    assert value(found, "reserved_bytes") == pytest.approx(reserved)
    assert value(found, "device_memory_used_bytes") == pytest.approx(reserved + value(found, "framework_bytes"))


def test_whole_modules_beside_adapters(tmp_path: Path) -> None:
    """Copies of embedding and head, 32,000 by 4096 each: weights and gradients in 16 bit, two moments."""
    given = "method: lora, target_modules: [q_proj], precision: bf16-pure"
    plain = job(tmp_path, f"{{{given}}}", "llama-2-7b", ONE)
    whole = job(tmp_path, f"{{{given}, modules_to_save: [embed_tokens, lm_head]}}", "llama-2-7b", ONE)
    both = 2 * 32_000 * 4096
    for name, each in (("weight_bytes", 2), ("gradient_bytes", 2), ("optimizer_state_bytes", 4)):
        assert value(whole, name) - value(plain, name) == pytest.approx(each * both)
    assert value(whole, "head_gradient_bytes") == pytest.approx(2 * both / 2)
    assert value(whole, "peak_parts_bytes") == pytest.approx(value(whole, "peak_bytes"))


def test_adapters_on_routed_experts_keep_merged_weights(tmp_path: Path) -> None:
    """Mixtral: each layer keeps its 8 experts with their adapters added, 3 x 4096 x 14336 in 16 bit."""
    both = "[mlp.experts.gate_up_proj, mlp.experts.down_proj]"
    given = f"{{method: lora, target_parameters: {both}, precision: bf16-pure}}"
    found = job(tmp_path, given, "mixtral-8x7b")
    experts = 8 * 3 * 4096 * 14_336
    assert value(found, "merged_expert_bytes") == 2 * experts
    assert value(found, "stored_activation_bytes") > 2 * 32 * experts


def test_dora_trains_a_magnitude_for_each_output(tmp_path: Path) -> None:
    """Llama 2 7B, query and value: 2 x 4096 magnitudes a layer, and both results of each kept for every token."""
    given = "method: lora, target_modules: [q_proj, v_proj], precision: bf16-pure, lora_rank: 16"
    plain = job(tmp_path, f"{{{given}}}", "llama-2-7b", ONE)
    scaled = job(tmp_path, f"{{{given}, use_dora: true}}", "llama-2-7b", ONE)
    assert value(scaled, "adapter_parameters") - value(plain, "adapter_parameters") == 32 * 2 * 4096
    more = value(scaled, "stored_activation_bytes") - value(plain, "stored_activation_bytes")
    assert more == pytest.approx(32 * 2048 * 2 * 4096 * (4 + 2))


BERT = "method: full, precision: bf16-pure, micro_batch_size: 2, sequence_length: 128"


@pytest.mark.parametrize(("objective", "sequences", "logits"), [("masked-lm", 2, 6), ("classification", 2, 0)])
def test_encoders_have_logits_where_the_loss_takes_them(
    tmp_path: Path, objective: str, sequences: int, logits: int
) -> None:
    """BERT base: 109,482,240 parameters; three BF16 copies of the logits of masked tokens, none for labels."""
    found = job(tmp_path, f"{{{BERT}, objective: {objective}}}", "bert-base-uncased", ONE)
    assert value(found, "parameters") == 109_482_240
    assert value(found, "logits_bytes") == sequences * 128 * 30_522 * logits
    assert value(found, "head_gradient_share") == pytest.approx(30_522 * 768 / 109_482_240 * (logits > 0))


def test_pairs_of_a_contrastive_loss_are_all_stored(tmp_path: Path) -> None:
    """A layer of BERT base keeps 8 hidden states and 2 of the MLP's width, 12 heads' FP32 and 4 statistics a token."""
    found = job(tmp_path, f"{{{BERT}, objective: contrastive}}", "bert-base-uncased", ONE)
    each = 8 * 768 * 2 + 2 * 3072 * 2 + 12 * 4 + 4 * 4
    assert value(found, "stored_activation_bytes") == 12 * 2 * 2 * 128 * each
    assert value(found, "logits_bytes") == value(found, "used_head_parameters") == 0


def test_activations_moved_to_the_host(tmp_path: Path) -> None:
    """Inputs of 32 layers of Llama 2 7B, 2048 by 4096 in 2 bytes: two stay, thirty lie on the host, there and back."""
    given = "gradient_checkpointing: full, gradient_accumulation_steps: 4"
    found = job(tmp_path, f"{{{given}, activation_offload: true}}", "llama-2-7b", ONE)
    one = 2048 * 4096 * 2
    assert value(found, "stored_activation_bytes") == 2 * one
    assert value(found, "offloaded_activation_bytes") == value(found, "offloaded_host_bytes") == 30 * one
    assert value(found, "activation_offload_bytes") == 2 * 30 * one * 4
    seconds = value(found, "activation_offload_bytes") / value(found, "host_link_bytes_per_second")
    assert value(found, "activation_offload_seconds") == pytest.approx(seconds)
    kept = job(tmp_path, f"{{{given}}}", "llama-2-7b", ONE)
    assert value(kept, "peak_bytes") > value(found, "peak_bytes")
    assert value(kept, "step_seconds") <= value(found, "step_seconds")
    assert value(found, "peak_parts_bytes") == pytest.approx(value(found, "peak_bytes"))


def test_no_offload_of_activations_in_a_pipeline(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="have no pipeline"):
        job(tmp_path, "{activation_offload: true, pipeline_parallel_size: 2}")


GPTQ = "method: qlora, target_modules: [q_proj, v_proj], precision: bf16-autocast"


@pytest.mark.parametrize(("base", "residual", "kept"), [("int4", 2, 0), ("gptq-torch", 2, 2), ("awq", 4, 0)])
def test_bases_of_gptq_and_awq(tmp_path: Path, base: str, residual: int, kept: int) -> None:
    """PEFT leaves the rest beside GPTQ's layers in 16 bit; PyTorch's products keep whole 16-bit weights."""
    found = job(tmp_path, f"{{{GPTQ}, base_weight_dtype: {base}}}", "llama-2-7b", ONE)
    assert value(found, "model_weight_bytes") == pytest.approx(
        MATRICES * (0.5 + 2.5 / 128) + residual * (LLAMA_2_7B - MATRICES)
    )
    assert value(found, "residual_element_bytes") == residual
    assert value(found, "dequantised_copy_bytes") * 32 == kept * MATRICES
    plain = job(tmp_path, f"{{{GPTQ}, base_weight_dtype: int4}}", "llama-2-7b", ONE)
    if kept:
        more = value(found, "stored_activation_bytes") - value(plain, "stored_activation_bytes")
        assert more == pytest.approx(kept * MATRICES)
    assert value(found, "peak_parts_bytes") == pytest.approx(value(found, "peak_bytes"))


def test_some_layers_are_checkpointed_and_the_others_stored(tmp_path: Path) -> None:
    """Llama 2 7B, 8 of 32 layers: 24 are stored whole, 8 as their input of 4096 values; a quarter is done again."""
    whole = job(tmp_path, "{gradient_checkpointing: none}", "llama-2-7b", ONE)
    every = job(tmp_path, "{gradient_checkpointing: full}", "llama-2-7b", ONE)
    some = job(tmp_path, "{gradient_checkpointing: full, recompute_num_layers: 8}", "llama-2-7b", ONE)
    kept = value(whole, "stored_activation_bytes") * 24 / 32 + 8 * 2048 * 4096 * 2
    assert value(some, "stored_activation_bytes") == pytest.approx(kept)
    assert [value(one, "recompute_share") for one in (whole, some, every)] == [0, 0.25, 1]
    assert value(every, "step_seconds") > value(some, "step_seconds") > value(whole, "step_seconds")
    assert value(some, "peak_parts_bytes") == pytest.approx(value(some, "peak_bytes"))
    for given in ("gradient_checkpointing: none, recompute_num_layers: 8", "recompute_num_layers: 40"):
        with pytest.raises(InputError, match="recompute_num_layers: are layers of a stage"):
            job(tmp_path, f"{{{given}}}", "llama-2-7b", ONE)


@pytest.mark.parametrize(
    ("field", "word", "meant"), [("framework", "gpt-neox", "megatron"), ("framework", "nanogpt", "huggingface")]
)
def test_a_name_that_people_use_leads_to_the_one_here(tmp_path: Path, field: str, word: str, meant: str) -> None:
    with pytest.raises(InputError, match=f"found '{word}'.*\n  did you mean '{meant}'"):
        job(tmp_path, f"{{{field}: {word}}}")


def test_a_second_copy_of_the_weights_in_each_node(tmp_path: Path) -> None:
    """ZeRO++ over two nodes of eight: a sixteenth of 16-bit weights and an eighth, gathered backward within a node."""
    given = "framework: deepspeed, zero_stage: 3, precision: bf16-pure"
    plain, second = (job(tmp_path, f"{{{given}{more}}}") for more in ("", ", zero_hpz_partition_size: 8"))
    assert value(second, "weight_bytes") == pytest.approx(2 * 8_030_261_248 * (1 / 16 + 1 / 8))
    assert value(second, "peak_parts_bytes") == pytest.approx(value(second, "peak_bytes"))
    assert value(second, "backward_gather_seconds") < value(plain, "backward_gather_seconds")
    assert value(second, "step_seconds") < value(plain, "step_seconds")
    for wrong in ("zero_hpz_partition_size: 8", f"{given}, zero_hpz_partition_size: 3"):
        with pytest.raises(
            InputError, match=r"zero_hpz_partition_size: (is DeepSpeed's|must divide the GPUs of a node)"
        ):
            job(tmp_path, f"{{{wrong}}}")


def test_layers_prefetched_and_layers_that_stay_gathered(tmp_path: Path) -> None:
    """A layer of Llama 3 8B is 218 million parameters and two norms; what stays gathered is gathered once."""
    given = "framework: torchtitan, zero_stage: 3, precision: bf16-autocast"
    two, four, kept = (
        job(tmp_path, f"{{{given}{more}}}") for more in ("", ", gathered_units: 4", ", reshard_after_forward: false")
    )
    layer = 2 * (4096 * (2 * 4096 + 2 * 1024) + 3 * 4096 * 14_336 + 2 * 4096)
    assert value(four, "prefetched_unit_bytes") - value(two, "prefetched_unit_bytes") == pytest.approx(2 * layer)
    assert value(kept, "weight_gather_bytes") == value(two, "weight_gather_bytes") / 2
    assert value(kept, "backward_gather_seconds") == 0
    assert value(kept, "gathered_parameter_bytes") == pytest.approx(2 * 8_030_261_248)


def test_mics_shards_in_groups(tmp_path: Path) -> None:
    given = "framework: deepspeed, zero_stage: 3, precision: bf16-pure, mics_shard_size: 8"
    assert value(job(tmp_path, f"{{{given}}}"), "weight_bytes") == pytest.approx(2 * 8_030_261_248 / 8)
