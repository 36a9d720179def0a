"""Time of other models beside the trained one, by hand."""

from __future__ import annotations

import pytest

from memreport.figures.time.step import companions as step_companions
from memreport.formula.recording import figures_in
from tests.figures.test_step_times import Values

COMPANIONS = {
    "device_seconds": 8, "update_part_seconds": 0.5, "trainable_share": 1, "recompute_share": 0,
    "stage_products_seconds": 7.5, "forward_gather_seconds": 1, "backward_gather_seconds": 1,
    "frozen_copies": 2, "frozen_parameters": 5e8, "parameters": 1e9, "trained_copies": 1, "data_exposed_seconds": 0.3,
    "micro_batch_size": 2, "sequences_per_sample": 1, "gradient_accumulation_steps": 4, "tensor_parallel_size": 2,
    "activation_element_bytes": 2, "sequence_length": 1000, "rollout_tokens": 400, "num_hidden_layers": 10,
    "key_value_size": 100, "product_bytes_per_second": 1e12, "gradient_exchange_bytes": 16e9, "state_sharding_size": 8,
    "sharding_size": 32, "passes_without_gradient": 2, "accelerators_per_domain": 8,
    "state_group_size": 8, "gradient_reductions": 1, "collective_latency_seconds": 9.6e-4, "network_hop_seconds": 1e-5,
    "collective_network_bytes_per_second": 50e9,
    "collective_link_bytes_per_second": 400e9, "layers_per_stage": 10,
    "reducing_seconds": 1.0, "backward_traffic_seconds": 1.0,
    "active_parameters": 5e8, "bf16_flop_per_second": 1e14, "product_share_16bit": 0.5, "norms_per_layer": 2,
    "product_launch_seconds": 3e-6, "decode_attention_seconds": 1e-5, "mixture_layers": 5,
    "expert_launch_seconds": 5e-5, "vocab_size": 1e5, "stream_bytes_per_second": 1e12,
}  # fmt: skip


def test_other_models_pass_the_same_tokens(evaluate: Values) -> None:
    values = evaluate(figures_in(step_companions), COMPANIONS)
    assert values["single_pass_seconds"] == 2.5
    assert values["pass_seconds"] == 2.5 + 0.5 * 1  # half of the gathers run beside it
    assert values["frozen_passes"] == 4.5
    assert values["critic_seconds"] == pytest.approx(8.3)
    assert values["rollout_samples"] == 8
    assert values["rollout_step_bytes"] == (1e9 + 8 * 800 * 10 * 2 * 100) * 2 / 2
    work, read = 2 * 5e8 * 8 / 2 / 5e13, values["rollout_step_bytes"] / 1e12
    assert values["rollout_work_seconds"] == pytest.approx(work)
    assert values["rollout_launch_seconds"] == pytest.approx(10 * (7 * 3e-6 + 1e-5) + 5 * 5e-5)
    assert values["rollout_host_seconds"] == pytest.approx(0.4e-3 + 8 * (12e-6 + 1e5 * 12 / 1e12))
    beside = values["rollout_launch_seconds"] + values["rollout_host_seconds"]
    assert values["rollout_seconds"] == pytest.approx(400 * ((work**3 + read**3) ** (1 / 3) + beside))
    whole = 4.5 * 3 + 8.3 + values["rollout_seconds"]
    assert values["companion_seconds"] == pytest.approx(whole)


def test_a_larger_teacher_spends_more_of_its_time_in_products(evaluate: Values) -> None:
    """Eight times the parameters: eight times the products, four times what is done with each hidden vector."""
    given = {**COMPANIONS, "frozen_parameters": 8e9, "stage_products_seconds": 3}
    values = evaluate(figures_in(step_companions), given)
    assert values["frozen_model_passes"] == pytest.approx(0.4 * 8 + 0.6 * 4)


def test_copies_of_hybrid_shards_add_up_their_gradients(evaluate: Values) -> None:
    values = evaluate(figures_in(step_companions), COMPANIONS)
    assert values["replica_bytes"] == 2 * 2e9 * 3 / 4
    assert values["replica_sent_seconds"] == pytest.approx(3e9 / 50e9 + 0.01)
    assert values["replica_exposed_seconds"] == pytest.approx(0.07)  # the backward pass has no second left
    assert evaluate(figures_in(step_companions), {**COMPANIONS, "reducing_seconds": 2})["replica_exposed_seconds"] == 0
    assert evaluate(figures_in(step_companions), {**COMPANIONS, "state_group_size": 32})["replica_sent_seconds"] == 0
