"""Times of whole jobs: their parts add up, what users know of time comes out, a run of one's own rescales them."""

from __future__ import annotations

from typing import Any, cast

import pytest

import memreport
from memreport.errors import InputError
from memreport.figures.time.step import parts as step_parts

PARTS = tuple(f"part_seconds.{name}" for name in step_parts.PARTS)
SCENARIO = {
    "schema": 1, "id": "one", "version": 1, "title": "one", "model": "llama-3.1-8b", "workload": "training",
    "hardware": {"accelerator": "h100-80gb-sxm", "host": "dgx-h100", "count": 8},
    "training": {"zero_stage": 3, "micro_batch_size": 2, "gradient_checkpointing": "full"},
}  # fmt: skip


def steps(measured: dict[str, object] | None = None, **variants: dict[str, object]) -> dict[str, dict[str, float]]:
    given = {"measured": measured} if measured else {}
    frame = memreport.estimate({**SCENARIO, **given, "variants": {"base": {}, **variants}})
    return {str(name): cast(Any, row) for name, row in zip(frame.index, frame.to_dict("records"), strict=True)}


def seconds(**variants: dict[str, object]) -> dict[str, float]:
    return {name: row["step_seconds"] for name, row in steps(**variants).items()}


def test_parts_add_up_to_the_time_of_a_step_however_it_is_found() -> None:
    found = steps(
        stated={"training.model_flop_utilization": 0.4},
        pipeline={"training.framework": "megatron", "training.zero_stage": 1, "training.pipeline_parallel_size": 4},
        bound={"training.model_flop_utilization": 1},
    )
    for row in found.values():
        assert sum(row[name] for name in PARTS) == pytest.approx(row["step_seconds"], rel=1e-12)
        assert row["step_seconds_low"] <= row["step_seconds"] <= row["step_seconds_high"]
        assert row["step_seconds"] >= row["step_seconds_bound"]
        assert row["step_seconds_high"] / row["step_seconds_low"] < 1.8
    assert found["stated"]["achieved_model_flop_utilization"] == pytest.approx(0.4)


def test_what_users_know_of_time_comes_out() -> None:
    """Slow networks, tensor parallelism over nodes, eager attention, unpacked weights: each is slower than without."""
    wide: dict[str, object] = {"hardware.count": 32, "training.tensor_parallel_size": 1}
    found = seconds(
        wide=wide,
        slow={**wide, "network_bytes_per_second": 1e9},
        eager={"training.attention": "eager"},
        lora={"training.method": "lora", "training.zero_stage": 0},
        qlora={"training.method": "qlora", "training.zero_stage": 0},
        offloaded={"training.optimizer_offload": "cpu"},
    )
    assert found["slow"] > 2 * found["wide"]
    assert found["eager"] > found["base"]
    assert found["lora"] < found["qlora"]
    assert found["offloaded"] > found["base"]


def test_tensor_parallelism_over_nodes_is_bad() -> None:
    shared: dict[str, object] = {"training.framework": "megatron", "training.zero_stage": 1, "hardware.count": 16}
    inside, across = ({**shared, "training.tensor_parallel_size": size} for size in (8, 16))
    found = steps(inside=inside, across=across)
    rates = {name: row["tokens_per_second"] for name, row in found.items()}
    assert rates["across"] < 0.75 * rates["inside"]


def test_a_measurement_of_one_s_own_rescales_every_time() -> None:
    given: dict[str, object] = {"tokens_per_second": "40000 token/s", "with": {"training.micro_batch_size": 4}}
    same: dict[str, object] = {"training.micro_batch_size": 4}
    plain, made = steps(same=same), steps(given, same=same)
    assert made["same"]["tokens_per_second"] == pytest.approx(40_000)
    factor = plain["same"]["tokens_per_second"] / 40_000
    assert made["base"]["step_seconds"] == pytest.approx(plain["base"]["step_seconds"] * factor)
    assert made["base"]["measured_time_factor"] == pytest.approx(factor)
    assert made["base"]["step_time_error"] == 0.12


def test_a_measurement_of_one_s_own_rescales_a_service_too() -> None:
    plain_job = {name: value for name, value in SCENARIO.items() if name != "training"}
    variants = {"base": {}, "same": {"serving.max_num_seqs": 64}}
    service = {**plain_job, "workload": "serving", "variants": variants}
    given = {"tokens_per_second": 40_000, "with": {"serving.max_num_seqs": 64}}
    plain, made = (memreport.estimate(one) for one in (service, {**service, "measured": given}))
    assert made["tokens_per_second"]["same"] == pytest.approx(40_000)
    factor = plain["tokens_per_second"]["same"] / 40_000
    for figure in ("request_seconds", "time_to_first_token_seconds", "time_per_output_token_seconds"):
        assert made[figure]["base"] == pytest.approx(plain[figure]["base"] * factor), figure
    assert made["served_time_error"]["base"] < plain["served_time_error"]["base"]


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"tokens_per_second": 0}, "more than 0"),
        ({"tokens_per_second": "5 GB"}, "token/s"),
        ({"tokens_per_second": 5, "with": {"training.micro_batch_siz": 4}}, "micro_batch_size"),
        ({"with": {}}, "tokens_per_second"),
    ],
)
def test_a_wrong_measurement_is_a_fault(given: dict[str, object], word: str) -> None:
    with pytest.raises(InputError, match=word):
        memreport.estimate({**SCENARIO, "measured": given})
