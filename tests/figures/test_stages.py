"""Stages of a pipeline by hand: how layers are split, and what each keeps."""

from __future__ import annotations

import pytest

from memreport.figures.model import stages as s
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

LAST = {"pipeline_parallel_size": 4, "gradient_accumulation_steps": 16, "micro_batches_in_flight": 7}
ONE_IN_TURN = {"pipeline_parallel_size": 4, "in_flight_per_stage": 1, "keeps_all_micro_batches": 0}
NO_ENDS = {"account_for_embedding_in_pipeline_split": 0, "account_for_loss_in_pipeline_split": 0}
MIDDLE = {"pipeline_parallel_size": 4, "in_flight_per_stage": 1, "virtual_pipeline_parallel_size": 2}
ENDS = {"embedding_parameters": 12, "position_parameters": 3, "head_parameters": 15} | {
    "vocab_padding_parameters": 0, "has_own_head": 1,
}  # fmt: skip
PADDED = ENDS | {"vocab_padding_parameters": 2}
HALVED = {
    "pipeline_parallel_size": 4, "in_flight_per_stage": 0.5, "keeps_all_micro_batches": 0,
    "gradient_accumulation_steps": 16,
}  # fmt: skip
TAKEN = {"micro_batches_in_flight": 9, "gradient_accumulation_steps": 16}
LAST_LAYERS = {"even_split_layers": 8.5, "account_for_loss_in_pipeline_split": 0, "first_stage_layers": 9}
LAST_EDGE = {"first_edge_parameters": 99, "head_parameters": 15, "embedding_parameters": 12} | {
    "vocab_padding_parameters": 0,
}  # fmt: skip
TRUTHS = [
    truth(s.interleaved_micro_batches, 0, interleaves=1, pipeline_parallel_size=4, virtual_pipeline_parallel_size=1),
    truth(s.interleaved_micro_batches, 1.5, interleaves=1, pipeline_parallel_size=4, virtual_pipeline_parallel_size=2),
    truth(s.interleaved_micro_batches, 0, interleaves=0, pipeline_parallel_size=4, virtual_pipeline_parallel_size=2),
    truth(s.last_stage_micro_batches, 1, **LAST, even_stages=0, interleaved_micro_batches=0),
    # (2 - 1) x 4 + 1 parts of two
    truth(s.last_stage_micro_batches, 2.5, **LAST, even_stages=0, interleaved_micro_batches=1.5),
    truth(s.last_stage_micro_batches, 7, **LAST, even_stages=1, interleaved_micro_batches=0),
    truth(
        s.micro_batches_in_flight,
        4,
        **ONE_IN_TURN,
        in_flight_beyond=0,
        gradient_accumulation_steps=16,
        interleaved_micro_batches=0,
    ),
    truth(
        s.micro_batches_in_flight,
        2,
        **ONE_IN_TURN,
        in_flight_beyond=0,
        gradient_accumulation_steps=2,
        interleaved_micro_batches=0,
    ),
    truth(
        s.micro_batches_in_flight,
        5.5,
        **ONE_IN_TURN,
        in_flight_beyond=0,
        gradient_accumulation_steps=16,
        interleaved_micro_batches=1.5,
    ),
    truth(s.busy_slots, 32, gradient_accumulation_steps=8, virtual_pipeline_parallel_size=4),
    truth(s.waiting_slots, 1, pipeline_parallel_size=4, waiting_factor=1 / 3),
    truth(s.micro_batches_in_flight, 2.5, **HALVED, interleaved_micro_batches=0, in_flight_beyond=0),
    truth(s.middle_stage_micro_batches, 3, **MIDDLE, **TAKEN, even_stages=0, interleaved_micro_batches=0),
    # one micro-batch less is two parts of two
    truth(s.middle_stage_micro_batches, 4.5, **MIDDLE, **TAKEN, even_stages=0, interleaved_micro_batches=1.5),
    truth(s.middle_stage_micro_batches, 9, **MIDDLE, **TAKEN, even_stages=1, interleaved_micro_batches=0),
    truth(
        s.split_layers,
        62,
        num_hidden_layers=61,
        account_for_embedding_in_pipeline_split=0,
        account_for_loss_in_pipeline_split=1,
    ),
    truth(
        s.even_split_stages,
        14,
        pipeline_parallel_size=16,
        decoder_first_pipeline_num_layers=4,
        decoder_last_pipeline_num_layers=1,
    ),
    truth(
        s.even_split_layers,
        4,
        split_layers=61,
        decoder_first_pipeline_num_layers=4,
        decoder_last_pipeline_num_layers=1,
        even_split_stages=14,
    ),
    truth(
        s.first_stage_layers,
        4,
        decoder_first_pipeline_num_layers=4,
        even_split_layers=5,
        pipeline_parallel_size=4,
        **NO_ENDS,
    ),
    truth(
        s.first_stage_layers,
        15,
        decoder_first_pipeline_num_layers=0,
        even_split_layers=16,
        pipeline_parallel_size=4,
        account_for_embedding_in_pipeline_split=1,
        account_for_loss_in_pipeline_split=1,
    ),
    # 43 layers over 8 stages: three of six, the first two among them, and five of five
    truth(s.middle_stage_layers, 6, pipeline_parallel_size=8, even_split_layers=43 / 8, even_split_stages=8),
    truth(s.middle_stage_layers, 5, pipeline_parallel_size=8, even_split_layers=41 / 8, even_split_stages=8),
    truth(s.middle_stage_layers, 0, pipeline_parallel_size=2, even_split_layers=16, even_split_stages=2),
    truth(s.last_stage_layers, 5, decoder_last_pipeline_num_layers=5, pipeline_parallel_size=4, **LAST_LAYERS),
    truth(s.last_stage_layers, 8, decoder_last_pipeline_num_layers=0, pipeline_parallel_size=4, **LAST_LAYERS),
    truth(s.last_stage_layers, 9, decoder_last_pipeline_num_layers=0, pipeline_parallel_size=1, **LAST_LAYERS),
    truth(s.layers_per_stage, 10, first_stage_layers=9, middle_stage_layers=10, last_stage_layers=8),
    truth(s.first_edge_parameters, 15, pipeline_parallel_size=4, joins_edges=0, **ENDS),
    truth(s.first_edge_parameters, 30, pipeline_parallel_size=4, joins_edges=1, **ENDS),
    truth(s.first_edge_parameters, 30, pipeline_parallel_size=1, joins_edges=0, **ENDS),
    truth(s.first_edge_parameters, 17, pipeline_parallel_size=4, joins_edges=0, **PADDED),
    truth(s.first_edge_parameters, 34, pipeline_parallel_size=1, joins_edges=0, **PADDED),
    truth(
        s.last_edge_parameters,
        17,
        pipeline_parallel_size=4,
        joins_edges=0,
        shares_used_head=0,
        makes_logits=1,
        **(LAST_EDGE | {"vocab_padding_parameters": 2}),
    ),
    # GPT-2's 50,257 tokens become 50,304 on one rank and 51,200 on eight, as Megatron-LM logs them
    truth(s.padded_vocab_size, 50_304, vocab_size=50_257, vocab_multiple=128, tensor_parallel_size=1),
    truth(s.padded_vocab_size, 51_200, vocab_size=50_257, vocab_multiple=128, tensor_parallel_size=8),
    truth(
        s.vocab_padding_parameters,
        47 * 10,
        vocab_multiple=128,
        padded_vocab_size=50_304,
        vocab_size=50_257,
        hidden_size=10,
    ),
    truth(s.vocab_padding_parameters, 0, vocab_multiple=1, padded_vocab_size=50_264, vocab_size=50_257, hidden_size=10),
    truth(
        s.last_edge_parameters,
        15,
        pipeline_parallel_size=4,
        joins_edges=0,
        shares_used_head=0,
        makes_logits=1,
        **LAST_EDGE,
    ),
    truth(
        s.last_edge_parameters,
        27,
        pipeline_parallel_size=4,
        joins_edges=0,
        shares_used_head=1,
        makes_logits=1,
        **LAST_EDGE,
    ),
    truth(  # a score takes the head's place: no copy of the embedding, no padding
        s.last_edge_parameters,
        0,
        pipeline_parallel_size=4,
        joins_edges=0,
        shares_used_head=0,
        makes_logits=0,
        **(LAST_EDGE | {"head_parameters": 0, "vocab_padding_parameters": 2}),
    ),
    truth(
        s.last_edge_parameters,
        0,
        pipeline_parallel_size=4,
        joins_edges=1,
        shares_used_head=0,
        makes_logits=1,
        **LAST_EDGE,
    ),
    truth(
        s.last_edge_parameters,
        99,
        pipeline_parallel_size=1,
        joins_edges=0,
        shares_used_head=0,
        makes_logits=1,
        **LAST_EDGE,
    ),
    truth(
        s.trained_state_bytes,
        2 * 8 + 4 + 2 * 4,
        gradient_element_bytes=2,
        shards_gradients=0,
        shards_optimizer=1,
        state_group_size=8,
        master_element_bytes=4,
        optimizer_moments=2,
        moment_bytes_each=4,
        optimizer_offloaded=0,
    ),
    truth(
        s.state_bytes_per_parameter,
        2 + 28 / 8,
        matrix_element_bytes=2,
        parameters_offloaded=0,
        shards_parameters=0,
        trained_state_bytes=28,
        trains_base=1,
        state_group_size=8,
        shards_optimizer=1,
    ),
    truth(
        s.stored_layer_bytes,
        100 * 8,
        tokens_per_micro_batch=100,
        checkpointed_share=0,
        kept_input_bytes=4,
        checkpoint_interval_layers=0,
        layer_activation_bytes_per_token=8,
    ),
    truth(
        s.stored_layer_bytes,
        100 * 4 / 2,
        tokens_per_micro_batch=100,
        checkpointed_share=1,
        kept_input_bytes=4,
        checkpoint_interval_layers=2,
        layer_activation_bytes_per_token=8,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected, rel=1e-12)


def test_every_figure_has_a_truth() -> None:
    assert {one.name for one in figures_in(s)} == {one[0].name for one in TRUTHS}
