"""The options of a demand: each as the engine computes it, ranked by cost, with the reason why fewer do not do."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memreport.advise.plan import job_at
from memreport.advise.search.demand import READ_TOKENS_PER_SECOND, DemandPlan, demand_plan
from memreport.commands.main import main
from memreport.errors import InputError
from memreport.report.advice.demand import demand_words

CHAT = """schema: 1
id: chat
version: 1
title: Chat
model: llama-3.3-70b
hardware: {{accelerator: h100-80gb-sxm, count: 4, host: dgx-h100}}
workload: serving
serving: {{engine: vllm, weight_dtype: fp8, kv_cache_dtype: fp8, tensor_parallel_size: 2, max_num_seqs: 64}}
demand: {{users: 300, prompt_tokens: 2000, output_tokens: 300, {targets}, peak_to_mean: 1.5, spare_replicas: 1}}
search: {{accelerator: [h100-80gb-sxm, b200]}}
"""
TARGETS = "first_token_seconds: 1, tokens_per_second_per_user: 30"
COST = "cost: {basis: rent, price: aws-p5-on-demand}\n"


def planned(folder: Path, targets: str = TARGETS, cost: str = COST) -> tuple[Any, DemandPlan]:
    path = folder / "chat.yaml"
    text = CHAT.format(targets=targets)
    text = text[: text.index("search:")] if "search:" in cost else text
    path.write_text(text + cost, encoding="utf-8")
    job = job_at(path)
    made = demand_plan(job)
    assert made is not None
    return job, made


@cache
def usual(folder: Path) -> tuple[Any, DemandPlan]:
    return planned(folder)


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, DemandPlan]:
    return usual(tmp_path_factory.mktemp("chat"))


def test_options_meet_the_demand_and_the_cheapest_comes_first(chat: tuple[Any, DemandPlan]) -> None:
    _, made = chat
    costs = [one.usd_per_month for one in made.best]
    assert costs == sorted(costs)
    assert all(one.figures["meets_targets"] and one.figures["fits"] for one in made.best)
    assert all(one.figures["sequence_tokens_per_second"] >= 30 for one in made.best)
    assert made.fewest is not None
    assert made.fewest.accelerators == min(one.accelerators for one in made.best)
    error = made.best[0].figures["served_time_error"]
    assert made.ties >= sum(cost <= costs[0] * (1 + error) for cost in costs)


def test_an_option_is_what_the_engine_computes_for_its_settings(chat: tuple[Any, DemandPlan]) -> None:
    job, made = chat
    for option in made.best[:3]:
        sections = dict.fromkeys(option.settings, "serving") | {"accelerator": "hardware", "host": "hardware"}
        changes = {
            f"{sections[name]}.{name}": value
            for name, value in option.settings.items()
            if name in ("accelerator", "host") or name in memreport_serving()
        }
        changed = job.changed(changes | {"hardware.count": changes["serving.tensor_parallel_size"]} | priced(option))
        for name in ("needed_accelerators", "replica_requests_per_second", "service_usd_per_month"):
            assert changed.value(name) == pytest.approx(option.figures[name]), name


def memreport_serving() -> set[str]:
    return {
        "weight_dtype",
        "kv_cache_dtype",
        "tensor_parallel_size",
        "expert_parallel_size",
        "max_num_seqs",
        "disaggregated",
    }


def priced(option: Any) -> dict[str, Any]:
    return {f"cost.{name}": option.settings[name] for name in ("price", "purchase_price") if name in option.settings}


def test_the_range_is_that_of_the_times(chat: tuple[Any, DemandPlan]) -> None:
    first = chat[1].best[0]
    low, high = first.usd_range
    assert low == pytest.approx(first.usd_per_month / (1 + first.figures["served_time_error"]))
    assert high == pytest.approx(first.usd_per_month * (1 + first.figures["served_time_error"]))


def test_fewer_do_not_do_and_the_reason_is_a_number(chat: tuple[Any, DemandPlan]) -> None:
    _, made = chat
    assert made.fewest is not None
    figures = made.fewest.figures
    assert (figures["busy_replicas"] - 1) * figures["replica_requests_per_second"] < figures["peak_requests_per_second"]
    assert "requests/s at the peak" in made.smaller
    assert f"of {figures['peak_requests_per_second']:.3g}" in made.smaller


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ("first_token_seconds: 1, tokens_per_second_per_user: 3000", "wanted 3,000 tokens/s"),
        ("first_token_seconds: 0.001", "wanted 1 ms"),
    ],
)
def test_a_target_that_nothing_meets_names_the_nearest(tmp_path: Path, targets: str, words: str) -> None:
    job, made = planned(tmp_path, targets)
    assert not made.best
    assert made.nearest is not None
    said = " ".join(demand_words(job, made))
    assert said.startswith("No arrangement meets the targets")
    assert "The nearest is" in said
    assert words in said


def test_without_a_cost_section_gpus_are_billed_at_the_prices_of_the_catalogue(tmp_path: Path) -> None:
    _, made = planned(tmp_path, cost="")
    costs = [one.usd_per_month for one in made.best]
    assert costs[0] > 0
    assert costs == sorted(costs)


def test_without_a_price_the_fewest_accelerators_come_first(tmp_path: Path) -> None:
    _, made = planned(tmp_path, cost="search: {accelerator: [gb300, gaudi3]}\n")
    counts = [one.accelerators for one in made.best if math.isnan(one.usd_per_month)]
    assert counts
    assert counts == sorted(counts)


def test_a_rate_that_the_users_cannot_ask_for_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contradicts users: more requests than users would be under way"):
        planned(tmp_path, "requests_per_second: 900")


def test_a_scenario_without_a_demand_has_no_such_plan(tmp_path: Path) -> None:
    path = tmp_path / "chat.yaml"
    lines = CHAT.format(targets=TARGETS).splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith("demand")) + "\n", encoding="utf-8")
    assert demand_plan(job_at(path)) is None


def test_plan_answers_a_demand_on_a_screen_and_lists_the_options_where_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "chat.yaml"
    path.write_text(CHAT.format(targets=TARGETS) + COST, encoding="utf-8")
    main(["plan", str(path)])
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) <= 25
    assert max(map(len, printed)) <= 100
    assert not any(line.startswith("Cheapest: ") for line in printed)
    main(["plan", str(path), "--why"])
    printed_all = capsys.readouterr().out
    assert "DEMAND, options that meet it" in printed_all
    assert "Fewer do not do" in printed_all
    assert "Cheapest: " in printed_all


SMALL = """\
schema: 1
id: chat
version: 1
title: Chat
question: What does it cost to serve Llama 3.1 8B for {load}?
"""


def small(folder: Path, load: str) -> DemandPlan:
    path = folder / "chat.yaml"
    path.write_text(SMALL.format(load=load), encoding="utf-8")
    made = demand_plan(job_at(path))
    assert made is not None
    return made


def test_every_gpu_with_a_price_is_tried(tmp_path: Path) -> None:
    first = small(tmp_path, "1 million requests a month").best[0]
    assert first.settings["accelerator"] in {"t4", "l4", "a10g"}
    assert first.usd_per_month < 1000


def test_what_writes_slower_than_one_reads_comes_last(tmp_path: Path) -> None:
    made = small(tmp_path, "20 requests per second")
    assert all(one.figures["sequence_tokens_per_second"] >= READ_TOKENS_PER_SECOND for one in made.best)
    assert any(one.settings["weight_dtype"] == "bf16" for one in made.best)


def test_a_cache_of_fewer_bits_is_taken_only_where_it_saves_something(tmp_path: Path) -> None:
    """As many GPUs at the same cost keep the cache as it is stated, though the other reads less and is faster."""
    text = CHAT.format(targets="tokens_per_second_per_user: 5").replace("kv_cache_dtype: fp8", "kv_cache_dtype: bf16")
    path = tmp_path / "chat.yaml"
    path.write_text(text.replace("users: 300", "users: 1") + COST, encoding="utf-8")
    made = demand_plan(job_at(path))
    assert made
    assert made.here[0].settings["kv_cache_dtype"] == "bf16"
