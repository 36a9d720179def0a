"""Engines that run modules of PyTorch one by one, each figure against arithmetic by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.time.serving import modules as serving_modules
from memreport.formula.recording import figures_in, plain_line

Values = Callable[..., dict[str, float]]
LLAMA = {"norms_per_layer": 2, "norm_bias": 0, "qk_norm_size": 0, "num_attention_heads": 32, "num_key_value_heads": 8}
STAGE = {
    **LLAMA,
    "repeats_cached_heads": 1,
    "launched_layers": 32,
    "mlp_matrices": 3,
    "plain_mlp_layers": 32,
    "router_module_kernels": 9,
    "expert_module_kernels": 10,
    "num_local_experts": 0,
    "rank_mixture_layers": 0,
    "packed_product_kernels": 2,
    "weight_element_bytes": 2,
    "decode_tokens": 1,
    "enforce_eager": 0,
    "runs_eager": 1,
    "host_thread_rating": 1465,
    "eager_layer_seconds": 0,
    "eager_kernel_seconds": 1e-5,
    "mean_sequence_bytes": 1e9,
    "copy_bytes_per_cycle": 4,
    "fp32_flop_per_second": 51.2e12,
    "fp32_issue_share": 1,
    "value_bytes_per_second": 2e12,
    "unpacked_weights_per_cycle": 1,
    "qkv_projection_weights": 1e9,
    "output_projection_weights": 1e9,
    "plain_mlp_weights": 2e9,
    "product_bytes_per_second": 1e12,
    "num_linear_attention_layers": 24,
    "stage_share": 0.5,
    "linear_attention_state_bytes": 2e6,
    "hidden_size": 1000,
    "linear_layer_kernels": 25,
    "runs_cuda": 1,
    "product_launch_seconds": 3e-6,
    "unit_bytes_per_cycle": 6,
    "vendor_products": 1,
    "memory_bytes_per_second": 3e12,
}


@pytest.fixture
def stage(evaluate: Values) -> Values:
    lines = [plain_line(one) for one in figures_in(serving_modules)]
    return lambda **given: evaluate(lines, {**STAGE, **given})


def test_kernels_of_a_layer_are_those_that_transformers_starts(stage: Values) -> None:
    assert stage()["attention_module_kernels"] + 5 == 42
    assert stage(repeats_cached_heads=0)["attention_module_kernels"] + 5 == 40
    assert stage(qk_norm_size=256)["attention_module_kernels"] + 5 == 58
    neox = stage(norm_bias=1, num_key_value_heads=32, mlp_matrices=2)
    assert neox["module_kernels"] == 24 * 32


def test_a_mixture_starts_kernels_of_every_expert(stage: Values) -> None:
    given = {"launched_layers": 1, "plain_mlp_layers": 0, "rank_mixture_layers": 1, "qk_norm_size": 256}
    mixture = stage(**given, num_local_experts=128)
    assert mixture["module_kernels"] == 53 + 9 + 1280


def test_packed_matrices_cost_the_host_more_and_more_in_a_batch(stage: Values) -> None:
    assert stage()["packed_module_kernels"] == 0
    assert stage(weight_element_bytes=0.5)["packed_module_kernels"] == 2 * 7 * 32
    assert stage(weight_element_bytes=0.5, decode_tokens=8)["packed_module_kernels"] == 6 * 7 * 32


def test_a_slow_host_takes_longer_to_start_them(stage: Values) -> None:
    assert stage()["host_launch_factor"] == pytest.approx(2)
    assert stage()["launching_seconds"] == pytest.approx(2 * 42 * 32 * 1e-5)
    assert stage(runs_eager=0)["launching_seconds"] == 0


def test_a_cache_that_grows_is_copied(stage: Values) -> None:
    assert stage()["copied_cache_passes"] == 2 + 2 * 4
    assert stage(repeats_cached_heads=0)["copied_cache_passes"] == 2
    assert stage(copy_bytes_per_cycle=0, repeats_cached_heads=0)["copied_cache_seconds"] == 0
    assert stage()["unit_cycle_seconds"] == pytest.approx(5e-12)
    assert stage()["copied_cache_seconds"] == pytest.approx(10 * 1e9 / 8e11)
    assert stage(copy_bytes_per_cycle=400)["copied_cache_seconds"] == pytest.approx(10 * 1e9 / 2e12)


def test_packed_weights_are_written_out_for_several_tokens(stage: Values) -> None:
    assert stage(weight_element_bytes=0.5)["spread_weight_seconds"] == 0
    some = stage(weight_element_bytes=0.5, decode_tokens=8)
    assert some["spread_weight_seconds"] == pytest.approx(4e9 * (1 / 2e11 + 1.5 / 1e12))
    fast = stage(weight_element_bytes=0.5, decode_tokens=8, unpacked_weights_per_cycle=100)
    assert fast["spread_weight_seconds"] == pytest.approx(4e9 * (2.5 / 2e12 + 1.5 / 1e12))


def test_recurrent_layers_run_small_kernels(stage: Values) -> None:
    """12 layers of 25 kernels; in a graph one takes 1.36 us, elsewhere what the start of a product takes."""
    assert stage()["recurrent_layers"] == 12
    assert stage()["recurrent_kernel_seconds"] == pytest.approx(300 * 1.36e-6)
    assert stage(runs_cuda=0)["recurrent_kernel_seconds"] == pytest.approx(300 * 3e-6)
    assert stage(linear_attention_state_bytes=16000)["recurrent_kernel_seconds"] == 0


def test_own_kernels_read_so_many_bytes_of_weights_in_a_cycle(stage: Values) -> None:
    """6 bytes in each of 2e11 cycles of all multiprocessors a second; Apple's GPUs read as their memory does."""
    assert stage()["cycle_limited_bytes_per_second"] == pytest.approx(1.2e12)
    assert stage(vendor_products=0)["cycle_limited_bytes_per_second"] == 3e12
    assert stage(unit_bytes_per_cycle=0)["cycle_limited_bytes_per_second"] == 3e12
