"""Traffic between GPUs that serve, each figure checked against arithmetic by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memreport.figures.registry import group
from memreport.figures.traffic import serving as serving_traffic
from tests.support import run, scenario_text, value

Values = Callable[..., dict[str, float]]


@pytest.mark.parametrize(
    ("width", "latency", "share"), [(1, 2, 0.6), (2, 2, 0.6), (4, 4, 0.7), (8, 8, 1.0), (16, 8, 1)]
)
def test_all_reduces_by_the_width_of_the_group(evaluate: Values, width: int, latency: float, share: float) -> None:
    given = {
        "tensor_parallel_size": width,
        "link_bytes_per_second": 450e9,
        "host_link_bytes_per_second": 63e9,
        "bridged_accelerators": 0,
        "peer_access": 0,
        **{f"host_reduce_{what}_{each}": 0 for what in ("latency_seconds", "link_share") for each in (2, 4, 8)},
        **{f"all_reduce_latency_seconds_{each}": each * 1e-6 for each in (2, 4, 8)},
        **{f"all_reduce_link_share_{each}": one for each, one in ((2, 0.6), (4, 0.7), (8, 1.0))},
    }
    values = evaluate(group("serving", "Traffic between GPUs").figures, given)
    assert values["all_reduce_latency_seconds"] == pytest.approx(latency * 1e-6)
    assert values["all_reduce_bytes_per_second"] == pytest.approx(share * 450e9)


def test_two_all_reduces_a_layer_and_none_alone() -> None:
    latency = serving_traffic.stage_latency_seconds.formula
    assert latency(8, 32, 5e-6, 0, 32e-6, 1e-5) == pytest.approx(2 * 32 * 5e-6)
    assert latency(1, 32, 5e-6, 0, 32e-6, 1e-5) == 0


def test_beyond_a_node_all_reduces_are_those_of_nccl() -> None:
    latency = serving_traffic.stage_latency_seconds.formula
    assert latency(16, 32, 5e-6, 0.1, 32e-6, 1e-5) == pytest.approx(2 * 32 * 42e-6)
    assert latency(16, 32, 50e-6, 0.1, 32e-6, 1e-5) == pytest.approx(2 * 32 * 60e-6), "where they are slower anyway"


def test_hidden_states_go_to_the_experts_and_back() -> None:
    sent = serving_traffic.exchange_bytes.formula
    assert sent(58, 16, 8, 4, 7168, 2) == 2 * 58 * 16 * 4 * 0.75 * 7168 * 2
    assert sent(58, 16, 8, 1, 7168, 2) == 0


@pytest.mark.parametrize(
    ("asked", "ranks", "tokens", "cut"), [(0, 16, 64, 0), (1, 1, 64, 0), (1, 16, 31, 0), (1, 16, 32, 1), (1, 16, 1, 0)]
)
def test_batches_are_cut_in_two_where_that_is_asked_for_and_they_are_long(
    asked: int, ranks: int, tokens: int, cut: int
) -> None:
    assert serving_traffic.in_halves.formula(asked, ranks, tokens, 32) == cut


def test_both_halves_read_the_weights() -> None:
    again = serving_traffic.reading_again_seconds.formula
    assert again(1, 0, 10e-3) == pytest.approx(10e-3), "bound by memory: as long again"
    assert again(1, 100e-3, 1e-3) == pytest.approx(0, abs=1e-6), "bound by arithmetic: nothing"
    assert again(0, 0, 10e-3) == 0


def test_exchanges_hide_behind_another_half_batch_and_take_from_it() -> None:
    waited = serving_traffic.waited_exchange_seconds.formula
    assert waited(0, 45e-3, 0, 28e-3) == 28e-3
    assert waited(1, 45e-3, 0, 28e-3) == pytest.approx(14e-3)
    assert waited(1, 20e-3, 4e-3, 28e-3) == pytest.approx(4e-3 + 4e-3 + 12e-3)


@pytest.mark.parametrize(("sequences", "prompt", "apart"), [(1, 128, "true"), (64, 128, "false"), (64, 2048, "true")])
def test_one_sequence_and_a_short_prompt_hide_nothing(tmp_path: Path, sequences: int, prompt: int, apart: str) -> None:
    """DeepSeek V3 on 128 H800, two experts on each, also where prefills run on GPUs of their own."""
    waited = {}
    for asked in ("false", "true"):
        given = f"max_num_seqs: {sequences}, prompt_tokens: {prompt}, disaggregated: {apart}, enable_dbo: {asked}"
        text = scenario_text(
            model="deepseek-v3", workload="serving", hardware="{accelerator: h800-80gb-sxm, count: 128}",
            serving=f"{{expert_parallel_size: 128, weight_dtype: fp8, max_model_len: 4096, {given}}}",
        )  # fmt: skip
        found = run(tmp_path, text)
        waited[asked] = {phase: value(found, f"waited_exchange_seconds.{phase}") for phase in ("prefill", "decode")}
    assert (waited["true"]["decode"] < waited["false"]["decode"]) == (sequences > 1)
    assert (waited["true"]["prefill"] < waited["false"]["prefill"]) == (prompt > 512)
