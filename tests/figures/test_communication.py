"""Traffic and its time, worked out by hand for layouts of 16 and 32 cards in nodes of eight."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.traffic import collectives as communication
from memreport.figures.traffic import gathers
from memreport.formula.printing import to_excel
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
LINK, NETWORK = 300e9, 25e9
HIDDEN = 8192 * 4096 * 2
"""Bytes of the hidden states of a rank's step: 8,192 tokens of 4,096 values in two bytes."""
JOB = {
    "link_bytes_per_second": LINK,
    "network_bytes_per_second": NETWORK,
    "accelerators": 8,
    "accelerators_per_domain": 8,
    "sharding_size": 8,
    "state_sharding_size": 8,
    "state_group_size": 8,
    "reduces_once": 0,
    "whole_gradient_bytes": 14e9,
    "rank_trainable_parameters": 7e9,
    "weight_element_bytes": 2,
    "activation_element_bytes": 2,
    "model_weight_bytes": 14e9,
    "rank_share": 1,
    "base_quantised": 0,
    "gathered_layer_element_bytes": 2,
    "releases_gathered": 1,
    "recompute_share": 0,
    "reentrant_checkpoints": 0,
    "live_parameters": 0,
    "mean_layer_parameters": 2e8,
    "primary_fp8_weights": 0,
    "fp8_weight_element_bytes": 1,
    "shards_optimizer": 0,
    "shards_gradients": 0,
    "shards_parameters": 0,
    "gradient_accumulation_steps": 1,
    "tensor_parallel_size": 1,
    "context_parallel_size": 1,
    "pipeline_parallel_size": 1,
    "virtual_pipeline_parallel_size": 1,
    "expert_parallel_size": 1,
    "expert_cut_size": 1,
    "layers_per_stage": 32,
    "rank_attention_layers": 32,
    "key_value_width": 2048,
    "stage_share": 1,
    "mixture_layers": 0,
    "num_experts_per_tok": 0,
    "rank_tokens_per_step": 8192,
    "hidden_size": 4096,
    "moe_latent_size": 0,
}
ZERO_3 = {"shards_optimizer": 1, "shards_gradients": 1, "shards_parameters": 1}


@pytest.fixture
def moved(evaluate: Values) -> Values:
    def values(**changed: float) -> dict[str, float]:
        if "sharding_size" in changed:
            whole = changed["sharding_size"]
            changed = {"state_sharding_size": whole, "state_group_size": whole} | changed
        return evaluate(figures_in(gathers) + figures_in(communication), {**JOB, **changed})

    return values


@pytest.mark.parametrize(
    ("stage", "volume"), [(0, 28e9), (1, 28e9), (3, 42e9)], ids=["data parallel", "ZeRO-1", "ZeRO-3"]
)
def test_data_parallel_volume_of_7b(moved: Values, stage: int, volume: float) -> None:
    values = moved(shards_optimizer=stage > 0, shards_gradients=stage > 1, shards_parameters=stage > 2)
    assert values["data_parallel_volume_bytes"] == volume
    assert values["data_parallel_bytes"] == volume * 7 / 8


def test_a_stage_gathers_its_weights_once_a_step(moved: Values) -> None:
    values = moved(**ZERO_3, gradient_accumulation_steps=4, pipeline_parallel_size=2, releases_gathered=0)
    assert values["weight_gathers"] == 1
    assert values["weight_gather_bytes"] == 14e9


def test_a_checkpoint_around_the_layer_gathers_once_more(moved: Values) -> None:
    """What is used again within two layers of 2e8 parameters finds a live limit of 3e8 a quarter too low."""
    again = {**ZERO_3, "recompute_share": 1}
    assert moved(**again)["gathers_per_batch"] == 2
    assert moved(**again, reentrant_checkpoints=1)["gathers_per_batch"] == 3
    assert moved(**again, reentrant_checkpoints=1, releases_gathered=0)["gathers_per_batch"] == 1
    assert moved(**again, live_parameters=1e9)["gathers_per_batch"] == 2
    assert moved(**again, live_parameters=3e8)["recompute_gathers"] == 0.25


def test_zero_3_gathers_and_reduces_for_every_micro_batch(moved: Values) -> None:
    values = moved(**ZERO_3, gradient_accumulation_steps=4)
    assert values["data_parallel_volume_bytes"] == 4 * 14e9 + 2 * 4 * 14e9
    assert moved(gradient_accumulation_steps=4)["data_parallel_volume_bytes"] == 28e9


def test_fsdp_that_reduces_once_sends_gradients_once(moved: Values) -> None:
    values = moved(**ZERO_3, gradient_accumulation_steps=4, reduces_once=1)
    assert (values["gradient_reductions"], values["data_parallel_volume_bytes"]) == (1, 14e9 + 2 * 4 * 14e9)


def test_hybrid_shards_gather_within_their_group(moved: Values) -> None:
    over = {"accelerators": 32, "sharding_size": 32}
    assert moved(**over)["data_parallel_network_share"] == 1 / 8
    assert moved(**over, state_group_size=8)["data_parallel_network_share"] == 0


def test_experts_of_other_ranks_are_not_exchanged(moved: Values) -> None:
    assert moved(state_sharding_size=2)["data_parallel_bytes"] == 28e9 / 2


def test_one_accelerator_sends_nothing(moved: Values) -> None:
    assert moved(accelerators=1, sharding_size=1)["communication_seconds"] == 0


def test_tensor_parallel_all_reduces(moved: Values) -> None:
    assert moved(tensor_parallel_size=8)["tensor_parallel_bytes"] == 32 * 4 * 2 * HIDDEN * 7 / 8
    assert moved(tensor_parallel_size=8, recompute_share=1)["tensor_parallel_bytes"] == 32 * 6 * 2 * HIDDEN * 7 / 8


def test_a_pipelines_ends_send_one_way_and_interleaved_stages_send_more(moved: Values) -> None:
    assert moved(pipeline_parallel_size=2)["pipeline_parallel_bytes"] == HIDDEN
    assert moved(pipeline_parallel_size=4)["pipeline_parallel_bytes"] == 2 * HIDDEN
    assert moved(pipeline_parallel_size=4, tensor_parallel_size=8)["pipeline_parallel_bytes"] == 2 * HIDDEN / 8
    values = moved(pipeline_parallel_size=4, virtual_pipeline_parallel_size=3)
    assert values["pipeline_parallel_bytes"] == 6 * HIDDEN


def test_keys_and_values_round_the_ring(moved: Values) -> None:
    chunk = 32 * 8192 * 2048 * 2
    assert moved(context_parallel_size=4)["context_parallel_bytes"] == 3 * 3 * chunk
    assert moved(context_parallel_size=4, recompute_share=1)["context_parallel_bytes"] == 3 * 4 * chunk


def test_one_node_knows_no_network(moved: Values) -> None:
    values = moved(**ZERO_3)
    assert values["network_traffic_bytes"] == 0
    assert values["communication_seconds"] == 42e9 * 7 / 8 / LINK


def test_zero_3_on_two_nodes_has_eight_rails(moved: Values) -> None:
    values = moved(**ZERO_3, accelerators=16, sharding_size=16)
    sent = 42e9 * 15 / 16
    assert values["data_parallel_network_share"] == 1 / 8
    assert values["network_traffic_seconds"] == pytest.approx(sent / 8 / NETWORK)
    assert values["link_traffic_seconds"] == pytest.approx(sent * 7 / 8 / LINK)
    assert values["data_parallel_seconds"] == values["communication_seconds"] == pytest.approx(sent / (8 * NETWORK))


def test_tensor_parallel_in_a_node_and_data_parallel_over_four(moved: Values) -> None:
    rank = {"whole_gradient_bytes": 14e9 / 8, "sharding_size": 4}
    values = moved(**rank, accelerators=32, tensor_parallel_size=8)
    gradients, hidden = 2 * 14e9 / 8 * 3 / 4, 32 * 4 * 2 * HIDDEN * 7 / 8
    assert (values["tensor_parallel_network_share"], values["data_parallel_network_share"]) == (0, 1)
    assert values["network_traffic_seconds"] == pytest.approx(gradients / NETWORK)
    assert values["link_traffic_seconds"] == pytest.approx(hidden / LINK)
    assert values["communication_seconds"] == max(values["network_traffic_seconds"], values["link_traffic_seconds"])


def test_tensor_parallel_of_four_leaves_two_rails_to_data_parallel(moved: Values) -> None:
    values = moved(accelerators=16, tensor_parallel_size=4, sharding_size=4)
    assert values["data_parallel_network_share"] == 1 / 2


def test_tensor_parallel_over_two_nodes(moved: Values) -> None:
    values = moved(accelerators=16, tensor_parallel_size=16, sharding_size=1)
    sent = 32 * 4 * 2 * HIDDEN * 15 / 16
    assert values["tensor_parallel_network_share"] == 1 / 8
    assert values["tensor_parallel_seconds"] == pytest.approx(sent / min(LINK, 8 * NETWORK))
    assert values["communication_seconds"] == values["tensor_parallel_seconds"]


def test_four_stages_of_a_node_each(moved: Values) -> None:
    values = moved(accelerators=32, tensor_parallel_size=8, pipeline_parallel_size=4, sharding_size=1)
    assert values["pipeline_parallel_network_share"] == 1
    assert values["pipeline_parallel_seconds"] == pytest.approx(2 * HIDDEN / 8 / NETWORK)
    inside = moved(accelerators=8, tensor_parallel_size=2, pipeline_parallel_size=4, sharding_size=1)
    assert inside["pipeline_parallel_seconds"] == pytest.approx(2 * HIDDEN / 2 / LINK)


def test_sixteen_experts_over_two_nodes(moved: Values) -> None:
    mixture = {"expert_parallel_size": 16, "mixture_layers": 32, "num_experts_per_tok": 2}
    values = moved(**mixture, accelerators=16, sharding_size=16)
    sent = 2 * 2 * 32 * 2 * HIDDEN
    assert values["expert_parallel_bytes"] == sent * 15 / 16
    assert values["expert_parallel_network_share"] == 8 / 15
    crossing = (1 - (1 / 2) ** 2) / 2  # of 2 copies: a token goes once to the other node, or not at all
    least = max(sent * (15 / 16 - crossing) / LINK, sent * crossing / NETWORK)
    assert values["expert_parallel_seconds"] == pytest.approx(least)
    latent = moved(**mixture, accelerators=16, sharding_size=16, moe_latent_size=1024)
    assert latent["expert_parallel_bytes"] == sent * 15 / 16 / 4  # of a hidden vector of 4,096


def test_context_parallel_beside_tensor_parallel(moved: Values) -> None:
    values = moved(accelerators=32, tensor_parallel_size=4, context_parallel_size=8, sharding_size=8)
    assert values["context_parallel_network_share"] == 1 / 2
    assert values["context_parallel_seconds"] == pytest.approx(values["context_parallel_bytes"] / 2 / NETWORK)


def test_formulas_as_excel_shows_them() -> None:
    assert to_excel(communication.data_parallel_bytes.expression) == (
        "data_parallel_volume_bytes*(1-1/state_sharding_size)"
    )
    assert to_excel(communication.tensor_parallel_network_share.expression) == (
        "IF(MAX(1,MIN(tensor_parallel_size,accelerators_per_domain/1))<tensor_parallel_size,"
        "1/MAX(1,MIN(tensor_parallel_size,accelerators_per_domain/1)),0)"
    )
