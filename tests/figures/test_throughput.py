from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.model import stages
from memreport.figures.time import throughput
from memreport.formula.printing import to_excel
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
JOB = {
    "global_batch_size": 64,
    "sequence_length": 2048,
    "active_parameters": 7e9,
    "attention_layers": 32,
    "query_size": 4096,
    "value_size": 4096,
    "trainable_share": 1,
    "recompute_share": 0,
    "accelerators": 8,
    "peak_flop_per_second": 312e12,
    "model_flop_utilization": 0.4,
    "bubble_added": 1,
    "pipeline_parallel_size": 1,
    "waiting_factor": 1,
    "gradient_accumulation_steps": 8,
    "step_seconds_at_roof": 2,
    "link_traffic_seconds": 0.5,
    "network_traffic_seconds": 0.1,
    "communication_seconds": 0.5,
    "host_optimizer_seconds": 0,
    "host_link_traffic_seconds": 0,
    "nvme_traffic_seconds": 0,
    "virtual_pipeline_parallel_size": 1,
    "training_tokens": 1e9,
    "step_seconds_computed": 30,
    "measured_time_factor": 1,
    "step_time_error": 0.25,
}


@pytest.fixture
def timed(evaluate: Values) -> Values:
    def values(**changed: float) -> dict[str, float]:
        return evaluate((stages.waiting_slots, stages.busy_slots, *figures_in(throughput)), {**JOB, **changed})

    return values


def test_work_of_a_step(timed: Values) -> None:
    values = timed()
    assert values["tokens_per_step"] == 131_072
    assert values["dense_flop"] == 6 * 7e9 * 131_072
    assert values["score_flop"] == 12 * 32 * 4096 * 2048 * 131_072
    assert values["step_flop"] == values["dense_flop"] + values["score_flop"]


def test_recomputation_and_waits_are_in_a_stated_utilisation(timed: Values) -> None:
    """A published utilisation counts the model's own work over the whole step."""
    plain, again = timed(), timed(recompute_share=1, pipeline_parallel_size=4)
    assert again["recompute_factor"] == pytest.approx(4 / 3)
    assert again["step_flop"] == pytest.approx(plain["step_flop"] * 4 / 3)
    assert again["step_seconds"] == plain["step_seconds"]
    assert again["achieved_model_flop_utilization"] == plain["achieved_model_flop_utilization"] == pytest.approx(0.4)


def test_a_frozen_base_takes_two_thirds(timed: Values) -> None:
    assert timed(trainable_share=0)["dense_flop"] == 4 * 7e9 * 131_072


def test_time_of_a_run(timed: Values) -> None:
    values = timed()
    assert values["step_seconds"] == pytest.approx(values["model_flop"] / (8 * 312e12 * 0.4))
    assert values["tokens_per_second"] == pytest.approx(131_072 / values["step_seconds"])
    assert values["training_steps"] == 7630
    assert values["training_hours"] == pytest.approx(7630 * values["step_seconds"] / 3600)


def test_bubble_and_bound(timed: Values) -> None:
    values = timed(pipeline_parallel_size=4)
    assert values["pipeline_bubble_share"] == pytest.approx(3 / 11)
    assert values["bubble_seconds_bound"] == pytest.approx(2 * 3 / 8)
    assert values["step_seconds_bound"] == pytest.approx(2 * 11 / 8)
    interleaved = timed(pipeline_parallel_size=4, virtual_pipeline_parallel_size=2)
    assert interleaved["step_seconds_bound"] == pytest.approx(2 * 19 / 16)
    assert timed(communication_seconds=3)["step_seconds_bound"] == 3
    # 2 s of work, 0.75 s of waiting: traffic of 2.5 s may go on beside both, and adds no waiting of its own
    assert timed(pipeline_parallel_size=4, communication_seconds=2.5)["step_seconds_bound"] == pytest.approx(2 * 11 / 8)
    assert timed(host_optimizer_seconds=4)["step_seconds_bound"] == 6
    assert timed(host_link_traffic_seconds=7)["step_seconds_bound"] == 7
    assert timed(nvme_traffic_seconds=7)["step_seconds_bound"] == 7
    assert timed()["tokens_per_second_bound"] == 65_536


BINDING = {
    "the stated utilisation": {},
    "the sum over kernels, traffic and host": {"model_flop_utilization": 0},
    "the host's disks": {"nvme_traffic_seconds": 60},
    "the host link": {"host_link_traffic_seconds": 60},
    "the host's memory": {"host_optimizer_seconds": 50},
    "the pipeline's bubble": {"pipeline_parallel_size": 320, "step_seconds_at_roof": 70},
    "the network": {"network_traffic_seconds": 70, "communication_seconds": 70},
    "the link between GPUs": {"link_traffic_seconds": 70, "communication_seconds": 70},
    "arithmetic and memory of the GPU": {"step_seconds_at_roof": 70},
}


@pytest.mark.parametrize("limit", BINDING)
def test_a_step_takes_the_longer_of_estimate_and_bound_and_says_which(timed: Values, limit: str) -> None:
    values = timed(**BINDING[limit])
    estimate, bound = values["step_seconds_estimated"], values["step_seconds_bound"]
    assert values["step_seconds"] == max(estimate, bound)
    assert (bound > estimate) == (limit not in throughput.LIMITS[:2])
    assert throughput.LIMITS[int(values["step_limit"]) - 1] == limit
    assert values["tokens_per_second"] == 131_072 / values["step_seconds"]
    assert values["achieved_model_flop_utilization"] <= values["model_flop_utilization_bound"] * (1 + 1e-12)


def test_without_a_stated_utilisation_a_step_takes_what_is_computed(timed: Values) -> None:
    values = timed(model_flop_utilization=0)
    assert values["step_seconds_at_utilization"] == 0
    assert values["step_seconds"] == 30
    assert (values["step_seconds_low"], values["step_seconds_high"]) == (24, 37.5)
    assert values["achieved_model_flop_utilization"] == pytest.approx(values["model_flop"] / (30 * 8 * 312e12))


def test_one_s_own_measurement_rescales_the_time(timed: Values) -> None:
    assert timed(model_flop_utilization=0, measured_time_factor=1.5)["step_seconds"] == 45


def test_the_low_end_is_never_below_the_bound(timed: Values) -> None:
    assert timed(model_flop_utilization=0, step_seconds_at_roof=29)["step_seconds_low"] == 29


def test_llama_405b_by_the_6nd_rule(timed: Values) -> None:
    values = timed(
        active_parameters=405e9, training_tokens=15.6e12, peak_flop_per_second=989.4e12, model_flop_utilization=0.41
    )
    assert values["rule_accelerator_hours"] == pytest.approx(26.0e6, rel=0.002)
    assert values["rule_accelerator_hours"] / 30.84e6 == pytest.approx(0.84, abs=0.005)


def test_llama_2_70b_hours_imply_their_utilisation(timed: Values) -> None:
    values = timed(active_parameters=70e9, training_tokens=2e12, model_flop_utilization=1)
    assert values["rule_accelerator_hours"] / 1_720_320 == pytest.approx(0.434, abs=0.01)


def test_formulas_as_excel_shows_them() -> None:
    assert to_excel(throughput.pipeline_bubble_share.expression) == ("waiting_slots/(busy_slots+waiting_slots)")
