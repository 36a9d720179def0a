"""Traffic of a training step: its rates, and what the products wait for, each worked by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.constants.times import OVERLAP_LOSS
from memreport.figures.time.step import widened
from memreport.figures.traffic import exposed, offloaded
from memreport.figures.traffic import rates as traffic_rates
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]


TRAFFIC = {
    "fsdp_offload": 0,
    "tensor_parallel_size": 4, "link_bytes_per_second": 4e11, "all_reduce_link_share_2": 0.5,
    "all_reduce_link_share_4": 0.75, "all_reduce_link_share_8": 1, "all_reduce_latency_seconds_2": 1e-6,
    "all_reduce_latency_seconds_4": 2e-6, "all_reduce_latency_seconds_8": 4e-6, "network_bytes_per_second": 5e10,
    "network_bandwidth_share": 0.8,
    "sharded_network_share": 0.4, "collective_link_share": 0.75, "gather_latency_seconds": 3e-6, "sequence_parallel": 1,
    "tensor_parallel_bytes": 3e11,
    "tensor_parallel_network_share": 0, "waited_tensor_share": 0.5, "moe_enable_deepep": 0, "num_experts_per_tok": 8,
    "layers_per_stage": 10,
    "gradient_accumulation_steps": 4, "recompute_share": 1, "network_latency_seconds": 1e-5,
    "context_parallel_bytes": 3e11, "context_parallel_network_share": 0, "attention_seconds": 1,
    "expert_parallel_size": 8, "expert_parallel_bytes": 2e11, "expert_parallel_network_share": 0,
    "all_to_all_link_share": 0.5, "mixture_layers": 10, "stage_share": 1, "pipeline_parallel_size": 2,
    "pipeline_parallel_bytes": 3e11, "pipeline_parallel_network_share": 0, "busy_slots": 8,
    "sharding_size": 8, "state_group_size": 8, "gradient_reductions": 4,
    "data_parallel_network_share": 0, "accelerators": 32, "accelerators_per_domain": 8,
    "network_hop_seconds": 1e-6, "weight_gather_bytes": 6e11, "state_sharding_size": 8, "shards_parameters": 1,
    "gradient_exchange_bytes": 3e11, "shards_gradients": 1, "device_seconds": 8, "overlaps_gradients": 1,
    "weight_update_bytes": 3e11, "overlaps_gathers": 0, "parameter_offload_seconds": 1.2, "host_link_share": 0.85,
    "optimizer_offload_seconds": 0.85, "host_optimizer_seconds": 1, "host_memory_share": 0.5, "optimizer_offloaded": 0,
    "rank_trainable_parameters": 8e9, "optimizer_shards": 8, "host_conversions_per_second": 2e9,
    "master_element_bytes": 4,
    "nvme_optimizer_seconds": 0, "nvme_parameter_seconds": 0,
    "gathers_per_batch": 2, "releases_gathered": 1, "recompute_gathers": 0, "weight_gathers": 8,
    "zero_hpz_partition_size": 0,
    "bridged_accelerators": 0, "accelerators_per_node": 8, "host_link_bytes_per_second": 3e10,
    "activation_offload_seconds": 0.5, "hides_exchange": 0, "expert_parallel_least_share": 0.25,
    "overlap_moe_expert_parallel_comm": 0, "peer_access": 1, "host_reduce_latency_seconds_2": 1e-5,
    "host_reduce_latency_seconds_4": 2e-5, "host_reduce_latency_seconds_8": 4e-5, "host_reduce_link_share_2": 0.3,
    "host_reduce_link_share_4": 0.2, "host_reduce_link_share_8": 0.1,
}  # fmt: skip

FIGURES = (*figures_in(traffic_rates), *figures_in(exposed), *figures_in(offloaded), *exposed.LINES)


def test_traffic_that_products_wait_for(evaluate: Values) -> None:
    values = evaluate(FIGURES, TRAFFIC)
    assert values["all_reduce_bytes_per_second"] == 3e11
    assert values["all_reduce_latency_seconds"] == 2e-6
    assert (values["collective_network_bytes_per_second"], values["collective_link_bytes_per_second"]) == (4e10, 3e11)
    assert values["exchange_bytes_per_second"] == 2e11
    assert values["tensor_sent_seconds"] == pytest.approx(1)
    assert (values["tensor_reductions"], values["expert_exchanges"]) == (240, 240)
    assert values["tensor_exposed_seconds"] == pytest.approx(0.5 + 2 * 10 * 4 * 3 * 2 * 3e-6)
    whole = evaluate(FIGURES, {**TRAFFIC, "sequence_parallel": 0})
    assert whole["tensor_exposed_seconds"] == pytest.approx(0.5 + 2 * 10 * 4 * 3 * 3e-6)
    assert values["context_exposed_seconds"] == pytest.approx(2 ** (1 / 3) - 1)
    assert values["expert_exposed_seconds"] == pytest.approx(1 + 2 * 10 * 4 * 3 * 4e-6)
    assert values["pipeline_exposed_seconds"] == pytest.approx(0.5 + 2 * 4 * 2 * 1e-5)
    alone = dict.fromkeys(("tensor_parallel_size", "expert_parallel_size", "pipeline_parallel_size"), 1)
    none = evaluate(FIGURES, {**TRAFFIC, **alone})
    assert none["tensor_exposed_seconds"] == none["expert_exposed_seconds"] == none["pipeline_exposed_seconds"] == 0
    for way in ("hides_exchange", "overlap_moe_expert_parallel_comm"):
        hidden = evaluate(FIGURES, {**TRAFFIC, way: 1})
        assert hidden["exchange_hidden"] == 1
        assert hidden["expert_exposed_seconds"] == pytest.approx(OVERLAP_LOSS * hidden["expert_exchange_seconds"])


@pytest.mark.parametrize(
    ("on_a_node", "width", "collectives", "all_reduces"),
    [(8, 4, 0.9 * 3e10, 0.8 * 3e10), (4, 2, 0.8 * 3e10, 0.5 * 4e11), (2, 2, 0.75 * 4e11, 0.5 * 4e11)],
)
def test_a_bridge_joins_a_pair_and_pcie_the_others(
    evaluate: Values, on_a_node: int, width: int, collectives: float, all_reduces: float
) -> None:
    """Four A100 with NVLink bridges reach 23.6 GB/s of PCIe's 31.5, two 193 of 300 (vidur, a100_pairwise_nvlink)."""
    bridged = {"bridged_accelerators": 2, "accelerators_per_node": on_a_node, "tensor_parallel_size": width}
    shares = {"all_reduce_link_share_4": 0.8, "all_reduce_link_share_8": 0.9}
    values = evaluate(FIGURES, {**TRAFFIC, **bridged, **shares})
    assert values["collective_link_bytes_per_second"] == collectives
    assert values["all_reduce_bytes_per_second"] == all_reduces
    assert values["exchange_bytes_per_second"] == pytest.approx((3e10 if on_a_node > 2 else 4e11) * 0.5)


@pytest.mark.parametrize(("link", "bridged", "through"), [(3e10, 0, True), (4e11, 2, True), (4e11, 0, False)])
def test_without_peer_access_what_goes_over_pcie_goes_through_the_host(
    evaluate: Values, link: float, bridged: int, through: bool
) -> None:
    given = {**TRAFFIC, "link_bytes_per_second": link, "bridged_accelerators": bridged, "peer_access": 0}
    values = evaluate(FIGURES, given)
    assert values["all_reduce_latency_seconds"] == (2e-5 if through else 2e-6)
    assert values["collective_latency_seconds"] == (4e-5 if through else 4e-6)
    rates = [values[f"{name}_bytes_per_second"] for name in ("all_reduce", "collective_link", "exchange")]
    assert rates == pytest.approx([0.2 * 3e10, 0.1 * 3e10, 0.1 * 3e10] if through else [3e11, 3e11, 2e11])


def test_disks_come_before_and_after_the_update_of_the_host(evaluate: Values) -> None:
    """States are read, updated and written one after the other; weights are read beside arithmetic."""
    figures = FIGURES
    assert evaluate(figures, TRAFFIC)["optimizer_offload_exposed_seconds"] == 1 / 0.5
    states = evaluate(figures, {**TRAFFIC, "nvme_optimizer_seconds": 6.5})
    assert states["optimizer_offload_exposed_seconds"] == 1 / 0.5 + 6.5 / 0.65
    weights = evaluate(figures, {**TRAFFIC, "nvme_parameter_seconds": 13})
    assert weights["parameter_offload_exposed_seconds"] == pytest.approx(20 - 8 + OVERLAP_LOSS * 8)


def test_data_parallel_traffic_beside_the_passes(evaluate: Values) -> None:
    """Eight seconds of work, two of them forward: gathers of 1.75 s in halves, a reduction of 0.875 s."""
    values = evaluate(FIGURES, TRAFFIC)
    assert values["collective_hop_seconds"] == 4e-6
    assert (values["gathered_bytes"], values["reduced_bytes"], values["updated_bytes"]) == (5.25e11, 2.625e11, 2.625e11)
    assert (values["forward_seconds"], values["reducing_seconds"]) == (2, 6)
    for name in ("forward_gather_seconds", "backward_gather_seconds"):
        assert values[name] == pytest.approx(1.75 / 2 + 10 * 4 * 4e-6)
    assert values["gradient_reduction_seconds"] == pytest.approx(0.875 + 10 * 4 * 4e-6)
    sent = 2 * values["forward_gather_seconds"] + values["gradient_reduction_seconds"]
    assert values["data_exposed_seconds"] == pytest.approx(0.5 * sent)
    late = evaluate(FIGURES, {**TRAFFIC, "overlaps_gradients": 0})
    assert late["data_exposed_seconds"] > values["data_exposed_seconds"]
    assert values["update_gather_seconds"] == pytest.approx(0.875)
    once = evaluate(FIGURES, {**TRAFFIC, "gathers_per_batch": 1, "releases_gathered": 0, "weight_gathers": 4})
    assert once["forward_gather_seconds"] == pytest.approx(1.75 + 1.6e-4)
    assert once["backward_gather_seconds"] == 0
    second = evaluate(FIGURES, {**TRAFFIC, "zero_hpz_partition_size": 4})
    assert second["backward_gather_seconds"] == pytest.approx(3e11 * 0.75 / 3e11 + 10 * 4 * 4e-6)


def test_weights_that_recomputation_set_free_are_waited_for(evaluate: Values) -> None:
    """Three gathers a batch of 0.875 s each, of which the last follows the second at once, beside nothing."""
    given = {**TRAFFIC, "gathers_per_batch": 3, "weight_gathers": 12, "weight_gather_bytes": 9e11}
    ahead, values = (evaluate(FIGURES, {**given, "recompute_gathers": each}) for each in (0, 1))
    assert values["backward_gather_seconds"] == values["forward_gather_seconds"] > 0
    waited = values["data_exposed_seconds"] - ahead["data_exposed_seconds"]
    assert waited == pytest.approx(values["forward_gather_seconds"])


def test_gradients_that_the_last_micro_batch_alone_reduces(evaluate: Values) -> None:
    """A quarter of the passes and of the traffic; weights are gathered beside all of them."""
    each = evaluate(FIGURES, TRAFFIC)
    values = evaluate(FIGURES, {**TRAFFIC, "gradient_reductions": 1, "gradient_exchange_bytes": 3e11 / 4})
    assert values["gradient_reduction_seconds"] == pytest.approx(each["gradient_reduction_seconds"] / 4)
    assert values["reducing_seconds"] == each["reducing_seconds"] / 4
    assert values["backward_gather_seconds"] == each["backward_gather_seconds"]
    sent = 2 * values["forward_gather_seconds"] + values["gradient_reduction_seconds"]
    assert values["data_exposed_seconds"] == pytest.approx(0.5 * sent)


def test_a_schedule_that_hides_exchanges_sends_a_token_once_to_each_node(evaluate: Values) -> None:
    values = evaluate(FIGURES, TRAFFIC)
    hidden = evaluate(FIGURES, {**TRAFFIC, "hides_exchange": 1})
    assert (values["exchange_network_share"], hidden["exchange_network_share"]) == (0, 0.25)
    assert hidden["expert_sent_seconds"] == pytest.approx(0.25 * 2e11 / 4e10)  # over the network, link beside it


def test_layers_that_are_gathered_one_by_one_reach_less_of_the_network(evaluate: Values) -> None:
    """0.4 of 50 GB/s under ZeRO-3, else the 0.8 of large collectives: 525 GB gathered take 26.25 or 13.125 s."""
    over = {**TRAFFIC, "data_parallel_network_share": 1}
    assert evaluate(FIGURES, over)["shard_network_bytes_per_second"] == 2e10
    assert evaluate(FIGURES, over)["gather_sent_seconds"] == pytest.approx(5.25e11 / 2e10)
    whole = evaluate(FIGURES, {**over, "shards_parameters": 0})
    assert whole["gather_sent_seconds"] == pytest.approx(5.25e11 / 4e10)


def test_a_ring_over_nodes_has_a_hop_for_each(evaluate: Values) -> None:
    values = evaluate(FIGURES, {**TRAFFIC, "data_parallel_network_share": 0.125})
    assert values["collective_hop_seconds"] == pytest.approx(4e-6 + 3e-6)
    half = evaluate(FIGURES, {**TRAFFIC, "data_parallel_network_share": 0.125, "state_group_size": 4})
    assert half["collective_hop_seconds"] == pytest.approx(4e-6 + 1e-6)  # hybrid shards over two of the four nodes


def test_offloading_waits_for_link_and_host(evaluate: Values) -> None:
    values = evaluate(FIGURES, TRAFFIC)
    assert values["parameter_offload_exposed_seconds"] == pytest.approx(1)
    assert values["optimizer_offload_exposed_seconds"] == 2


def test_the_hosts_optimizer_step_by_hand(evaluate: Values) -> None:
    """A billion parameters of each of eight GPUs: four copies of 4 GB of gradients beside 6 s of backward passes."""
    values = evaluate(FIGURES, {**TRAFFIC, "optimizer_offloaded": 1})
    assert values["hosted_parameters"] == 1e9
    assert values["gradient_copy_seconds"] == pytest.approx(4e9 * 4 / (3e10 * 0.15))
    copies = values["gradient_copy_seconds"] / 6
    assert values["gradient_copy_exposed_seconds"] == pytest.approx(6 * ((1 + copies**3) ** (1 / 3) - 1))
    assert values["host_conversion_seconds"] == 4
    assert values["host_update_seconds"] == 1 / 0.5 + 4
    whole = evaluate(FIGURES, {**TRAFFIC, "optimizer_offloaded": 1, "master_element_bytes": 0})
    assert whole["host_update_seconds"] == 1 / 0.5  # 16-bit weights and states, updated as they are
    assert values["optimizer_offload_exposed_seconds"] == pytest.approx(6 + values["gradient_copy_exposed_seconds"])


WIDENED = {
    "residual_element_bytes": 4, "activation_element_bytes": 2, "hidden_size": 10, "layers_per_stage": 3,
    "mlp_matrices": 3, "base_quantised": 0, "qkv_projection_outputs": 60, "rank_mlp_width": 90, "torch_compile": 0,
    "rank_tokens_per_step": 100, "recompute_share": 1,
}  # fmt: skip


def test_a_residual_stream_in_fp32_is_moved_wider_and_cast_for_each_product(evaluate: Values) -> None:
    """Ten values a layer: two sums and two norms move each 8 times 2 bytes more, five products cast them for 6."""
    values = evaluate(figures_in(widened), WIDENED)
    assert (values["cast_pair_bytes"], values["wider_bytes"]) == (6, 2)
    assert values["wide_residual_bytes"] == 10 * 3 * (2 * 8 + 5 * 6)
    assert values["wide_answer_bytes"] == 0
    assert values["widened_stream_bytes"] == 100 * 3 * 30 * 46
    packed = evaluate(figures_in(widened), {**WIDENED, "base_quantised": 1})
    assert packed["wide_answer_bytes"] == (2 * 60 + 3 * 90) * (6 + 2)
    assert packed["widened_stream_bytes"] == 100 * 3 * (30 * 46 + 390 * 8)
    for other in ({"torch_compile": 1}, {"residual_element_bytes": 2}):
        assert evaluate(figures_in(widened), {**WIDENED, **other})["widened_stream_bytes"] == 0
