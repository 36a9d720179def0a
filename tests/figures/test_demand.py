"""Demands against arithmetic by hand, and the load that is promised against a simulation of random arrivals."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from math import ceil, exp, log, sqrt

import numpy as np
import pytest

from memreport.figures.money import served_cost
from memreport.figures.serving import demand
from memreport.figures.time.serving import first_token as serving_first_token
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
REPLICA = {
    "first_token_service_seconds": 0.2,
    "time_per_output_token_seconds": 0.025,
    "sequence_tokens_per_second": 40,
    "decoding_sequences": 64,
    "max_num_seqs": 64,
    "server_seconds": 0,
    "prefill_work_seconds": 0.05,
    "output_tokens": 301,
    "prompt_tokens": 2000,
    "expert_parallel_size": 1,
    "model_parallel_size": 2,
    "sharding_size": 4,
    "accelerators": 8,
    "fits": 1,
    "users": 0,
    "requests_per_second": 0,
    "first_token_seconds": 1,
    "tokens_per_second_per_user": 30,
    "peak_to_mean": 1,
    "spare_replicas": 0,
    "disaggregated": 0,
}
SLOT = 0.2 + 300 * 0.025


def few(requests_per_second: float, slot: float = SLOT) -> float:
    """The load at which one request in twenty finds no free slot among all that the peak fills."""
    return float(0.05 ** (1 / (sqrt(2 * (max(64, requests_per_second * slot) + 1)) - 1)))


def prompts_limit(halves: float) -> float:
    """The load at which 95 in 100 wait at most so many halves of a prompt's time."""
    return float(0.05 ** (1 / (1 + halves**2 / (halves + 3))))


@pytest.fixture
def asked(evaluate: Values) -> Values:
    return lambda **changed: evaluate(
        [*figures_in(demand), serving_first_token.generation_seconds], {**REPLICA, **changed}
    )


def test_what_one_replica_carries_by_hand(asked: Values) -> None:
    values = asked(requests_per_second=10)
    assert values["slot_seconds"] == pytest.approx(SLOT)
    assert values["full_requests_per_second"] == pytest.approx(64 / SLOT)
    assert asked(requests_per_second=10, server_seconds=16)["full_requests_per_second"] == 64 / 16
    assert values["pooled_slots"] == pytest.approx(10 * SLOT) == 77
    assert values["load_at_which_few_wait"] == pytest.approx(few(10))
    slots = max(few(10), 1 - SLOT * log(20) / (77 * 0.4))
    assert values["slot_load_limit"] == pytest.approx(slots) == few(10)
    prefills = prompts_limit(2 * 0.8 / 0.05)
    assert values["prefill_load_limit"] == pytest.approx(prefills)
    assert values["replica_requests_per_second"] == pytest.approx(min(slots * 64 / SLOT, prefills / 0.05))


def test_prefills_on_replicas_of_their_own_by_hand(asked: Values) -> None:
    """40 prompts a second of 50 ms each are two seconds of work in one: at 91 % load three replicas."""
    values = asked(requests_per_second=40, disaggregated=1)
    carried = values["slot_load_limit"] * 64 / SLOT
    assert values["replica_requests_per_second"] == pytest.approx(carried)
    limit = prompts_limit(2 * 0.8 / 0.05)
    assert values["prefill_replicas"] == ceil(40 * 0.05 / limit) == 3
    assert values["needed_replicas"] == ceil(40 / carried) + 3
    assert values["mean_load"] == pytest.approx(40 / (ceil(40 / carried) * 64 / SLOT))


def test_requests_per_second_with_a_peak_and_a_spare(asked: Values) -> None:
    values = asked(requests_per_second=10, peak_to_mean=2, spare_replicas=1)
    each = few(20) * 64 / SLOT
    assert values["busy_replicas"] == ceil(20 / each) == 3
    assert values["needed_accelerators"] == (3 + 1) * 2
    assert values["mean_load"] == pytest.approx(10 / (4 * 64 / SLOT))
    assert values["meets_targets"] == 1
    assert values["meets_demand"] == 1


def test_users_at_the_demanded_pace(asked: Values) -> None:
    values = asked(users=300)
    rate = 300 / (1 + 301 / 30)
    assert values["demanded_requests_per_second"] == pytest.approx(rate)
    assert values["concurrent_requests"] == pytest.approx(rate * SLOT)
    assert values["needed_replicas"] == ceil(rate / (few(rate) * 64 / SLOT)) == 4


def test_users_who_take_what_comes(asked: Values) -> None:
    values = asked(users=100, tokens_per_second_per_user=0, first_token_seconds=0)
    assert values["concurrent_requests"] == pytest.approx(100)
    assert values["prefill_load_limit"] == 1
    assert values["needed_replicas"] == ceil(100 / (few(100, 1) * 64)) == 2


def test_prompts_bind_where_they_are_long(asked: Values) -> None:
    values = asked(requests_per_second=5, prefill_work_seconds=0.2, output_tokens=11)
    assert values["slot_load_limit"] == pytest.approx(1 - 0.45 * log(20) / (64 * 0.4))
    limit = prompts_limit(0.8 / 0.2)
    assert values["prefill_load_limit"] == pytest.approx(limit)
    assert values["replica_requests_per_second"] == pytest.approx(limit / 0.2)
    assert values["needed_replicas"] == ceil(5 / (limit / 0.2)) == 3


def test_replicas_that_share_experts_come_in_whole_groups(asked: Values) -> None:
    values = asked(requests_per_second=10, expert_parallel_size=8, model_parallel_size=1)
    assert values["busy_replicas"] == 8
    assert values["needed_accelerators"] == 8


@pytest.mark.parametrize(
    ("target", "met"), [({"first_token_seconds": 0.19}, 0), ({"tokens_per_second_per_user": 41}, 0), ({}, 1)]
)
def test_a_target_that_one_request_alone_misses_is_met_by_no_number(
    asked: Values, target: dict[str, float], met: int
) -> None:
    values = asked(requests_per_second=1, **target)
    assert values["meets_targets"] == met
    assert np.isfinite(values["needed_accelerators"])


def test_percentiles_at_the_stated_accelerators(asked: Values) -> None:
    quiet = asked(requests_per_second=1)
    assert quiet["slot_wait_seconds"] == 0
    load = 1 / 4 / (64 / SLOT)
    assert quiet["replica_load"] == pytest.approx(load)
    assert quiet["first_token_p95_seconds"] == pytest.approx(0.2)
    busy = asked(requests_per_second=30)
    assert busy["replica_load"] == pytest.approx(30 / 4 / (64 / SLOT))
    assert busy["all_slots"] == 4 * 64
    wait = SLOT * max(log(busy["replica_load"] ** (sqrt(2 * 257) - 1) / 0.05), 0) / (256 * (1 - busy["replica_load"]))
    prompts = 0.05 * log(30 / 4 * 0.05 / 0.05) / (2 * (1 - 30 / 4 * 0.05))
    assert busy["first_token_p95_seconds"] == pytest.approx(0.2 + wait + prompts)


def test_replicas_for_prefills_alone_and_the_others_have_loads_of_their_own(asked: Values) -> None:
    values = asked(requests_per_second=60, disaggregated=1, sharding_size=8, spare_replicas=0)
    apart = values["prefill_replicas"]
    assert apart > 1
    assert values["prefill_load"] == pytest.approx(60 * 0.05 / apart)
    assert values["replica_load"] == pytest.approx(60 / (8 - apart) / (64 / SLOT))


def test_prompts_and_answers_share_the_cost_by_the_time_they_take(evaluate: Values) -> None:
    given = {
        "demanded_requests_per_second": 10, "full_load_requests_per_second": 0, "output_tokens": 300,
        "prompt_tokens": 2000,
        "needed_accelerators": 8, "accelerators": 2, "cost_per_accelerator_hour_usd": 3.6,
        "joined_prefill_seconds": 0.04,
        "answer_decode_seconds": 300 * 0.02, "decoding_sequences": 50, "served_time_error": 0.3,
        "api_input_usd": 0.5, "api_output_usd": 1, "makes_tokens": 1,
    }  # fmt: skip
    values = evaluate(figures_in(served_cost), given)
    share = 0.04 / (0.04 + 300 * 0.02 / 50)
    assert values["input_cost_share"] == pytest.approx(share)
    second = 8 * 3.6 / 3600
    assert values["usd_per_million_input_tokens"] == pytest.approx(second * share / 10 / 2000 * 1e6)
    assert values["usd_per_million_output_tokens"] == pytest.approx(second * (1 - share) / 10 / 300 * 1e6)
    spent = values["usd_per_million_input_tokens"] * 2000 * 10 + values["usd_per_million_output_tokens"] * 300 * 10
    assert spent / 1e6 == pytest.approx(second)
    request = (0.5 * 2000 + 1 * 300) / 1e6
    assert values["api_usd_per_request"] == pytest.approx(request)
    assert values["api_break_even_requests_per_second"] == pytest.approx(second / request)
    assert values["api_usd_per_month"] == pytest.approx(request * 10 * 3600 * 730)
    assert values["service_usd_per_month"] == pytest.approx(8 * 3.6 * 730)


@pytest.mark.parametrize("halves", [0.1, 0.5, 1, 2, 4, 8, 20, 100])
def test_the_load_of_prompts_is_that_of_their_queue_or_a_little_less(halves: float) -> None:
    load = prompts_limit(halves)
    late = load * exp(-halves * (1 - load))
    assert late < 0.05001
    assert late > 0.035


@pytest.mark.parametrize(
    ("slots", "prefill", "answer"), [(64, 0.05, 7.7), (8, 0.05, 4.0), (128, 0.02, 15.0), (64, 0.4, 7.7), (64, 0.7, 7.7)]
)
def test_the_promised_load_keeps_95_in_100_within_the_target(
    asked: Values, slots: int, prefill: float, answer: float
) -> None:
    tokens = (answer - 0.2) / 300
    values = asked(
        requests_per_second=1,
        decoding_sequences=slots,
        prefill_work_seconds=prefill,
        time_per_output_token_seconds=tokens,
    )
    rate = values["replica_requests_per_second"]
    late = np.quantile(waits(rate, slots, prefill, answer), 0.95)
    assert late <= 1 - 0.2
    overloaded = np.quantile(waits(1.05 * slots / answer, slots, prefill, answer), 0.95)
    assert overloaded > 1 - 0.2


def test_the_promised_load_of_several_replicas_keeps_95_in_100_within_the_target(asked: Values) -> None:
    """Eight slots each, and prompts that take no time: all slots are one pool, as a router makes of them."""
    values = asked(requests_per_second=20, decoding_sequences=8, prefill_work_seconds=1e-6, first_token_seconds=0)
    replicas = values["busy_replicas"]
    assert replicas == ceil(20 * SLOT / (8 * few(20)))
    assert np.quantile(waits(20, int(replicas) * 8, 0, SLOT), 0.95) == 0
    assert np.quantile(waits(20, int(20 * SLOT), 0, SLOT), 0.95) > 1


def waits(rate: float, slots: int, prefill: float, answer: float, requests: int = 40_000) -> np.ndarray:
    """Waits of random arrivals for a slot and then behind other prompts; answers last exponentially long."""
    random = np.random.default_rng(7)
    arrivals = np.cumsum(random.exponential(1 / rate, requests))
    lasting = random.exponential(answer, requests)
    free_at = [0.0] * slots
    prompts_done, found = 0.0, []
    for arrival, length in zip(arrivals, lasting, strict=True):
        begins = max(arrival, heapq.heappop(free_at), prompts_done)
        prompts_done = begins + prefill
        heapq.heappush(free_at, begins + length)
        found.append(begins - arrival)
    return np.asarray(found[requests // 10 :])
