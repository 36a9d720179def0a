"""Checkpoints, live segments and logits by hand; the square root rule; what recomputation saves."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.training import autocast_copies as ac
from memreport.figures.training import checkpointing as c
from memreport.figures.training import loss
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

INTERVAL = {"checkpoint_interval": 4.0, "num_hidden_layers": 80.0}
NO_INTERVAL = {"interval_of_one": 0.0, "interval_given": 0.0, "interval_of_root": 0.0, "is_encoder_decoder": 0.0}
STORED = {
    "tokens_per_micro_batch": 8192.0,
    "held_micro_batches": 2.0,
    "held_layers": 32.0,
    "layer_activation_bytes_per_token": 1000.0,
    "kept_input_bytes": 10.0,
    "counts_saved_tensors": 1.0,
    "unsaved_first_bytes_per_token": 400.0,
}
KEPT = {"reentrant_checkpoints": 1.0, "shards_gradients": 1.0, "tokens_per_micro_batch": 8192.0} | {
    "checkpoint_input_bytes": 10.0,
}  # fmt: skip
LOGITS = {"tokens_per_micro_batch": 2048.0, "vocab_size": 32_000.0, "loss_peak_bytes": 12.0, "logit_softcap": 1.0} | {
    "activation_element_bytes": 2.0, "logit_shards": 4.0, "counts_saved_tensors": 1.0,
    "fused_linear_loss_bytes": 5000.0, "head_parts_bytes": 0.0, "makes_logits": 1.0,
}  # fmt: skip
FINAL = {"norm_element_bytes": 6, "residual_element_bytes": 2}
INPUT = {"hidden_size": 4096, "residual_element_bytes": 2, "sequence_shards": 4}
COPIES = {"layer_copy_bytes": 6e9, "live_layers": 4, "held_layers": 8}
MASK = {"tokens_per_micro_batch": 2048, "sequence_length": 1024, "residual_element_bytes": 4} | {
    "padding_mask": 0, "document_mask": 0, "micro_batch_size": 2, "kinds_of_masks": 1,
}  # fmt: skip
HELD = {"checkpoints": 1, "counts_saved_tensors": 1, "attention_mask_bytes": 7} | {
    "prompt_activation_bytes": 0, "tower_activation_bytes": 0,
}  # fmt: skip
AT_LOSS = {"autocast_copy_bytes": 7e9, "layer_copy_bytes": 6e9} | {
    "holds_logits": 1, "loss_peak_bytes": 12, "activation_element_bytes": 2,
}  # fmt: skip
CAST = {"adapter_parameters": 4e7, "adapter_element_bytes": 4.0, "stored_matrix_parameters": 6e9} | {
    "activation_element_bytes": 2.0, "cast_element_bytes": 1.0,
}  # fmt: skip
COPIED = {"activation_element_bytes": 2.0, "rank_share": 0.5, "shards_parameters": 0.0}
HEAD = {"cast_element_bytes": 1.0, "activation_element_bytes": 2.0, "used_head_parameters": 1e9}
GIB = 2**30
LIGER = {"autocast": 0, "loss_part_limit_bytes": 0, "loss_tile_tokens": 0}
FREE = {"loss_part_limit_bytes": 4 * GIB, "loss_free_share": 0.5, "framework_bytes": GIB, "vocab_size": 32_000} | {
    "model_weight_bytes": 4 * GIB, "adapter_bytes": GIB,
}  # fmt: skip
AT_WORK = {"wide_logits_bytes": 20e9, "loss_part_bytes": 2, "parts_of_limited_loss": 8, "loss_chunk_bytes": 300} | {
    "loss_tile_bytes": 0,
}  # fmt: skip
TILE = {"tokens_per_micro_batch": 8192, "loss_tile_tokens": 4096, "loss_tile_vocabulary": 32768}
PART = {"loss_tile_vocabulary": 32768, "vocab_size": 128_256, "hidden_size": 4096}
SUM = {"tokens_per_micro_batch": 8192, "loss_tile_tokens": 4096, "hidden_size": 4096}
UNCUT = {"logit_copies": 0, "logit_element_bytes": 4, "loss_chunks": 8}
OWN = {
    "loss_element_bytes": 4,
    "compiled_logit_bytes": 6,
    "logit_peak_bytes": 8,
    "logit_chunk_tokens": 128.0,
    "sequence_length": 1024.0,
}
PARTS = {"loss_part_bytes": 4, "whole_loss_bytes": 2, "loss_part_limit_bytes": 0, "loss_chunks": 8} | {
    "tokens_per_micro_batch": 8192,
    "vocab_size": 128_256, "activation_element_bytes": 2, "head_matrix_parameters": 394_002_432,
    "weight_element_bytes": 2,
}  # fmt: skip
NAMED_0, NAMED_7 = {"recomputed_module_share": 0.0}, {"recomputed_module_share": 0.7}
OF_32 = {"checkpoints": 1, "layers_per_stage": 32}
OFFLOADED = {"whole_stored_activation_bytes": 90, "stored_layer_bytes": 3}
TRUTHS = [
    truth(c.checkpoint_interval_layers, 0, **INTERVAL, **NO_INTERVAL),
    truth(c.checkpoint_interval_layers, 1, **INTERVAL, **NO_INTERVAL | {"interval_of_one": 1}),
    truth(c.checkpoint_interval_layers, 3, **INTERVAL, **NO_INTERVAL | {"interval_of_one": 1, "is_encoder_decoder": 1}),
    truth(c.checkpoint_interval_layers, 4, **INTERVAL, **NO_INTERVAL | {"interval_given": 1}),
    truth(c.checkpoint_interval_layers, 9, **INTERVAL, **NO_INTERVAL | {"interval_of_root": 1}),
    truth(c.checkpointed_inputs, 9, held_layers=80, checkpoint_interval_layers=9, checkpoints=1),
    truth(c.checkpointed_inputs, 0, held_layers=80, checkpoint_interval_layers=0, checkpoints=0),
    truth(c.live_layers, 9, held_layers=80, checkpoint_interval_layers=9),
    truth(c.live_layers, 2, held_layers=2, checkpoint_interval_layers=9),
    truth(c.checkpoint_input_bytes, 2048, residual_in_fp32=0, num_residual_streams=0, **INPUT),
    truth(c.checkpoint_input_bytes, 4 * 2048, residual_in_fp32=0, num_residual_streams=4, **INPUT),
    truth(c.checkpoint_input_bytes, 2 * 2048, residual_in_fp32=1, num_residual_streams=0, **INPUT),
    truth(
        c.stage_mixture_surplus_bytes,
        (2 - 8 * 0.2) * 100,
        pipeline_parallel_size=2,
        counts_saved_tensors=1,
        expert_stage_share=0.25,
        mixture_layers=8,
        held_layers=2,
        num_hidden_layers=10,
        stored_mixture_surplus_bytes=100,
    ),
    truth(
        c.whole_stored_activation_bytes,
        8192 * 2 * 32 * 1000,
        checkpointed_share=0,
        checkpointed_inputs=0,
        trains_adapters=0,
        kept_layer_share=1,
        **STORED,
        optimizer_estimates_gradients=0,
        stage_mixture_surplus_bytes=0,
    ),
    truth(
        c.whole_stored_activation_bytes,
        8192 * 2 * 32 * 10,
        checkpointed_share=1,
        checkpointed_inputs=32,
        trains_adapters=0,
        kept_layer_share=1,
        **STORED,
        optimizer_estimates_gradients=0,
        stage_mixture_surplus_bytes=0,
    ),
    truth(  # the last 4 of 32 layers
        c.whole_stored_activation_bytes,
        8192 * 2 * 4 * 10,
        checkpointed_share=1,
        checkpointed_inputs=32,
        trains_adapters=0,
        kept_layer_share=0.125,
        **STORED,
        optimizer_estimates_gradients=0,
        stage_mixture_surplus_bytes=0,
    ),
    truth(
        c.whole_stored_activation_bytes,
        8192 * 2 * 31_600,
        checkpointed_share=0,
        checkpointed_inputs=0,
        trains_adapters=1,
        kept_layer_share=1,
        **STORED,
        optimizer_estimates_gradients=0,
        stage_mixture_surplus_bytes=0,
    ),
    truth(c.checkpointed_share, 0.25, recompute_num_layers=8, one_in_interval=0, checkpoint_interval=4, **OF_32),
    truth(c.checkpointed_share, 1, recompute_num_layers=0, one_in_interval=0, checkpoint_interval=4, **OF_32),
    truth(c.checkpointed_share, 10 / 32, recompute_num_layers=0, one_in_interval=1, checkpoint_interval=3, **OF_32),
    truth(c.checkpointed_share, 0, recompute_num_layers=0, one_in_interval=1, checkpoint_interval=40, **OF_32),
    truth(c.recompute_share, 0.125, segment_recompute_share=0.5, checkpoints=1, checkpointed_share=0.25, **NAMED_0),
    truth(c.recompute_share, 0.7, segment_recompute_share=0, checkpoints=0, checkpointed_share=0, **NAMED_7),
    truth(
        c.live_activation_bytes,
        8192 * 4 * 1000,
        tokens_per_micro_batch=8192,
        live_layers=4,
        layer_activation_bytes_per_token=1000,
        kept_product_bytes=0,
        optimizer_estimates_gradients=0,
        forward_excess_bytes=0,
    ),
    truth(loss.loss_peak_bytes, 12, whole_loss_bytes=0, partial_loss_bytes=0, own_loss_bytes=12, **UNCUT),
    truth(loss.loss_peak_bytes, 6.5, whole_loss_bytes=6, partial_loss_bytes=4, own_loss_bytes=12, **UNCUT),
    truth(loss.loss_peak_bytes, 1.5, whole_loss_bytes=0, partial_loss_bytes=12, own_loss_bytes=12, **UNCUT),
    truth(loss.own_loss_bytes, 8 + 8 * 128 / 1024, loss_compiled=0, **OWN),
    truth(loss.own_loss_bytes, 4 + 8 * 128 / 1024, loss_compiled=0, **OWN | {"loss_element_bytes": 2}),
    truth(loss.own_loss_bytes, 6, loss_compiled=1, **OWN),
    truth(loss.loss_element_bytes, 4, loss_in_logit_dtype=0, runs_transformers_layers=1, logit_element_bytes=2),
    truth(loss.loss_element_bytes, 2, loss_in_logit_dtype=1, runs_transformers_layers=1, logit_element_bytes=2),
    truth(loss.loss_element_bytes, 4, loss_in_logit_dtype=1, runs_transformers_layers=0, logit_element_bytes=2),
    truth(loss.loss_compiled, 1, torch_compile=1, compiled_logit_bytes=6),
    truth(loss.loss_compiled, 0, torch_compile=1, compiled_logit_bytes=0),
    truth(loss.whole_loss_bytes, 2, loss_whole_bytes=6, loss_compiled=1, compiled_less_whole_bytes=4),
    truth(loss.whole_loss_bytes, 6, loss_whole_bytes=6, loss_compiled=0, compiled_less_whole_bytes=4),
    truth(loss.partial_loss_bytes, 2, loss_part_bytes=4, loss_compiled=1, compiled_less_part_bytes=2),
    # Llama 3.2 3B, 8,192 tokens: three gradients of the head of 0.73 GiB, 6 of 8 parts of 1.96 GiB of logits
    truth(loss.head_parts_bytes, 3 * 2 * 394_002_432 + 0.75 * 2 * 8192 * 128_256, trains_head=1, **PARTS),
    truth(loss.head_parts_bytes, 0, trains_head=0, **PARTS),
    truth(loss.head_and_loss_fused, 1, use_liger_kernel=0, fuses_head_and_loss=1),
    truth(loss.head_and_loss_fused, 0, use_liger_kernel=0, fuses_head_and_loss=0),
    # Llama 3 8B: query and attention's output of 4096, value of 1024, gate of 14336, in 2 bytes
    truth(
        c.kept_product_bytes,
        2 * (4096 + 1024 + 4096 + 14336),
        keeps_products=1,
        query_size=4096,
        key_value_size=1024,
        fused_qkv=0,
        value_size=4096,
        mlp_width_per_token=14336,
        activation_element_bytes=2,
        tensor_parallel_size=1,
    ),
    truth(
        c.kept_input_bytes,
        2 * 8192 + 47_104,
        keeps_products=1,
        gated_mlp=1,
        torch_compile=0,
        checkpoint_input_bytes=8192,
        kept_product_bytes=47_104,
    ),
    # compiled: torch 2.13 counts 880 bytes with inputs, queries and outputs of 64, a value of 16 and a gate of 224;
    # 16 of them are statistics of attention
    truth(
        c.kept_input_bytes,
        880 - 16,
        keeps_products=1,
        gated_mlp=1,
        torch_compile=1,
        checkpoint_input_bytes=2 * 64,
        kept_product_bytes=2 * (64 + 16 + 64 + 224),
    ),
    truth(
        c.kept_input_bytes,
        8192,
        keeps_products=0,
        gated_mlp=1,
        torch_compile=0,
        checkpoint_input_bytes=8192,
        kept_product_bytes=0,
    ),
    truth(c.stored_activation_bytes, 90, activation_offload=0, offloaded_layers_held=2, **OFFLOADED),
    truth(c.stored_activation_bytes, 6, activation_offload=1, offloaded_layers_held=2, **OFFLOADED),
    truth(c.stored_activation_bytes, 9, activation_offload=1, offloaded_layers_held=3, **OFFLOADED),
    truth(c.offloaded_activation_bytes, 84, whole_stored_activation_bytes=90, stored_activation_bytes=6),
    truth(c.activation_bytes, 30, stored_activation_bytes=10, live_activation_bytes=20),
    truth(c.kept_frozen_input_bytes, 8192 * 10 * (2 * 31 - 1), trains_base=0, checkpointed_inputs=32, **KEPT),
    truth(c.kept_frozen_input_bytes, 0, trains_base=0, checkpointed_inputs=1, **KEPT),
    truth(c.kept_frozen_input_bytes, 0, trains_base=1, checkpointed_inputs=32, **KEPT),
    truth(c.final_norm_element_bytes, 6, residual_in_fp32=0, trains_base=1, **FINAL),
    truth(c.final_norm_element_bytes, 8, residual_in_fp32=1, trains_base=1, **FINAL),
    truth(
        c.edge_activation_bytes,
        2048 * ((4096 * 6 + 4) / 2 + 4096 * 2),  # the head's input is kept as it was gathered
        input_shards=1,
        tokens_per_micro_batch=2048,
        hidden_size=4096,
        final_norm_element_bytes=6,
        norm_statistics=1,
        trains_head=1,
        activation_element_bytes=2,
        counts_saved_tensors=1,
        sequence_shards=2,
        edge_adapter_bytes=0,
        shared_mask_bytes=0,
    ),
    # eight ranks: transformers gathers the head's logits, Megatron's loss is cut, and so is one that is loss-parallel
    truth(loss.logit_shards, 1, keeps_gathered=1, loss_cut=0, tensor_parallel_size=8),
    truth(loss.logit_shards, 8, keeps_gathered=0, loss_cut=0, tensor_parallel_size=8),
    truth(loss.logit_shards, 8, keeps_gathered=1, loss_cut=1, tensor_parallel_size=8),
    truth(
        loss.loss_activation_bytes,
        2048 * (32_000 * (4 + 2) / 4 + 8),
        tokens_per_micro_batch=2048,
        vocab_size=32_000,
        logit_softcap=1,
        activation_element_bytes=2,
        loss_element_bytes=4,
        logit_shards=4,
        counts_saved_tensors=1,
        head_and_loss_fused=0,
        makes_logits=1,
    ),
    truth(
        loss.loss_chunk_bytes,
        2048 / 8 * 32_000 * 2,
        tokens_per_micro_batch=2048,
        vocab_size=32_000,
        hidden_size=4096,
        activation_element_bytes=2,
    ),
    truth(loss.head_gradient_copy_bytes, 0, weight_element_bytes=2, **LIGER),
    truth(loss.head_gradient_copy_bytes, 0, weight_element_bytes=4, **LIGER | {"autocast": 1}),
    truth(loss.head_gradient_copy_bytes, 4, weight_element_bytes=4, **LIGER),
    truth(loss.head_gradient_copy_bytes, 2, weight_element_bytes=2, **LIGER | {"loss_part_limit_bytes": GIB}),
    truth(loss.head_gradient_copy_bytes, 4, weight_element_bytes=2, **LIGER | {"loss_tile_tokens": 4096}),
    truth(loss.loss_tile_bytes, 4096 * 32768 * 2 + 9, cast_part_bytes=9, activation_element_bytes=2, **TILE),
    truth(loss.cast_part_bytes, 2 * 32768 * 4096 * 2, weight_element_bytes=4, activation_element_bytes=2, **PART),
    truth(loss.cast_part_bytes, 0, weight_element_bytes=2, activation_element_bytes=2, **PART),
    truth(loss.hidden_gradient_sum_bytes, 8192 * 4096 * 4, activation_element_bytes=2, **SUM),
    truth(loss.hidden_gradient_sum_bytes, 0, activation_element_bytes=4, **SUM),
    truth(loss.logit_copies, 3.5, loss_logit_copies=2.5, second_pass_logits=1),
    truth(loss.logit_copies, 0, loss_logit_copies=0, second_pass_logits=1),
    truth(loss.logit_element_bytes, 4, autocast=1, activation_element_bytes=2),
    truth(loss.logit_element_bytes, 2, autocast=0, activation_element_bytes=2),
    truth(loss.wide_logits_bytes, 2048 * 32_000 * 4, tokens_per_micro_batch=2048, vocab_size=32_000),
    truth(loss.largest_loss_part_bytes, 4 * GIB, capacity_bytes=40 * GIB, **FREE),
    truth(loss.largest_loss_part_bytes, 0.5 * (12 - 6) * GIB, capacity_bytes=12 * GIB, **FREE),
    truth(loss.largest_loss_part_bytes, 32_000 * 4, capacity_bytes=5 * GIB, **FREE),
    truth(loss.parts_of_limited_loss, 1, wide_logits_bytes=4e9, largest_loss_part_bytes=4e9),
    truth(loss.parts_of_limited_loss, 4, wide_logits_bytes=5e9, largest_loss_part_bytes=4e9),
    truth(loss.parts_of_limited_loss, 8, wide_logits_bytes=20e9, largest_loss_part_bytes=4e9),
    truth(loss.loss_at_work_bytes, 20e9 / 4 * 2 / 8, loss_part_limit_bytes=4e9, **AT_WORK),
    truth(loss.loss_at_work_bytes, 2 * 300, loss_part_limit_bytes=0, **AT_WORK),
    truth(loss.loss_at_work_bytes, 700, loss_part_limit_bytes=0, **AT_WORK | {"loss_tile_bytes": 700}),
    truth(
        loss.fused_linear_loss_bytes,
        131e6 * (2 + 6) + 1000 + 600 + 50,
        trains_head=1,
        head_matrix_parameters=131e6,
        weight_element_bytes=2,
        head_gradient_copy_bytes=6,
        residual_gradient_bytes=1000,
        hidden_gradient_sum_bytes=50,
        loss_at_work_bytes=600,
    ),
    truth(loss.logits_bytes, 2048 * 32_000 * (12 + 2) / 4, head_and_loss_fused=0, **LOGITS),
    truth(loss.logits_bytes, 5000, head_and_loss_fused=1, **LOGITS),
    truth(ac.cast_element_bytes, 2 / 2, autocast=1, **COPIED),
    truth(ac.cast_element_bytes, 0, autocast=0, **COPIED),
    truth(ac.head_copy_bytes, 1e9, other_weight_element_bytes=4, loss_tile_tokens=0, **HEAD),
    truth(ac.head_copy_bytes, 0, other_weight_element_bytes=2, loss_tile_tokens=0, **HEAD),
    truth(ac.head_copy_bytes, 0, other_weight_element_bytes=4, loss_tile_tokens=4096, **HEAD),
    truth(ac.autocast_copy_bytes, 7e9, layer_copy_bytes=6e9, head_copy_bytes=1e9),
    truth(c.attention_mask_bytes, 2048 * 1024 * 4, scores_stored=1, given_mask_share=0, **MASK, keys_per_sequence=1024),
    truth(  # one with the window and one without
        c.attention_mask_bytes,
        2 * 2048 * 1024 * 4,
        scores_stored=1,
        given_mask_share=0,
        **MASK | {"kinds_of_masks": 2},
        keys_per_sequence=1024,
    ),
    truth(c.attention_mask_bytes, 1024 * 1024, scores_stored=0, given_mask_share=0.9, **MASK, keys_per_sequence=1024),
    truth(c.attention_mask_bytes, 0, scores_stored=0, given_mask_share=0, **MASK, keys_per_sequence=1024),
    truth(  # a window and padding, in each of the sequences
        c.attention_mask_bytes,
        4 * 1024 * 1024,
        scores_stored=0,
        given_mask_share=1,
        **MASK | {"kinds_of_masks": 2, "padding_mask": 1},
        keys_per_sequence=1024,
    ),
    truth(  # one row of both sequences
        c.attention_mask_bytes,
        2048 * 2048,
        scores_stored=0,
        given_mask_share=1,
        keys_per_sequence=2048,
        **MASK | {"document_mask": 1},
    ),
    truth(c.kinds_of_masks, 2, num_sliding_window_layers=5, num_hidden_layers=6),
    truth(c.kinds_of_masks, 1, num_sliding_window_layers=6, num_hidden_layers=6),
    truth(
        c.checkpointed_mask_bytes,
        7 + 2 + 5,
        fuses_layers=0,
        distance_bias_bytes=2,
        **HELD | {"tower_activation_bytes": 5},
    ),
    truth(c.checkpointed_mask_bytes, 0, fuses_layers=1, distance_bias_bytes=2, **HELD),
    truth(ac.layer_copy_bytes, 6e9, base_quantised=0, weight_element_bytes=4, trains_adapters=0, **CAST),
    truth(ac.layer_copy_bytes, 0, base_quantised=0, weight_element_bytes=2, trains_adapters=0, **CAST),
    # frozen in FP32, and its adapters; four bits need no copy
    truth(ac.layer_copy_bytes, 6e9 + 4e7, base_quantised=0, weight_element_bytes=4, trains_adapters=1, **CAST),
    truth(ac.layer_copy_bytes, 4e7, base_quantised=1, weight_element_bytes=4, trains_adapters=1, **CAST),
    truth(ac.loss_copy_bytes, 7e9, checkpointed_share=0, loss_part_bytes=0, logits_bytes=12e9, **AT_LOSS),
    truth(ac.loss_copy_bytes, 5e9, checkpointed_share=1, loss_part_bytes=0, logits_bytes=12e9, **AT_LOSS),
    truth(ac.loss_copy_bytes, 1e9, checkpointed_share=1, loss_part_bytes=0, logits_bytes=48e9, **AT_LOSS),
    truth(ac.loss_copy_bytes, 7e9, checkpointed_share=1, loss_part_bytes=4, logits_bytes=48e9, **AT_LOSS),
    truth(ac.first_copy_bytes, 6e9 / 8, layer_copy_bytes=6e9, checkpoint_interval_layers=0, held_layers=8),
    truth(ac.first_copy_bytes, 3e9, layer_copy_bytes=6e9, checkpoint_interval_layers=4, held_layers=8),
    truth(ac.backward_copy_bytes, 6e9, checkpointed_share=0, **COPIES),
    truth(ac.backward_copy_bytes, 3e9, checkpointed_share=1, **COPIES),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for part in (c, ac, loss) for figure in figures_in(part)}


@pytest.mark.parametrize(
    ("mode", "inputs", "live"),
    [("none", 0, 0), ("selective", 0, 0), ("full", 32, 1), ("every-k", 8, 4), ("sqrt", 6, 6)],
)
def test_what_each_mode_stores_and_keeps_alive(tmp_path: Path, mode: str, inputs: float, live: float) -> None:
    computed = run(tmp_path, scenario_text(training=f"{{gradient_checkpointing: {mode}}}"))
    assert value(computed, "checkpointed_inputs") == inputs
    assert value(computed, "live_layers") == live


def test_full_checkpointing_stores_one_hidden_vector_a_layer(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(training="{gradient_checkpointing: full, sequence_length: 2048}"))
    assert value(computed, "stored_activation_bytes") == 32 * 2048 * 4096 * 2
    one_layer = value(computed, "layer_activation_bytes_per_token") * 2048
    assert value(computed, "activation_bytes") == 32 * 2048 * 4096 * 2 + one_layer
