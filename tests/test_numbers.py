"""The numbers that the project is judged by, each from a scenario's text through load, resolve and compute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memreport.compute import compute
from memreport.resolve import resolve
from tests.support import ROOT, packaged, published, run, scenario_text, value

MODELS = sorted(path.stem for path in (ROOT / "scenarios" / "models").glob("*.yaml"))
EIGHT = "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}"
GB = 1e9


def is_encoder_decoder(name: str) -> bool:
    card = packaged().model(name)
    return card is not None and bool(card.values["is_encoder_decoder"])


def figures(folder: Path, *names: str, **blocks: Any) -> list[float]:
    computed = run(folder, scenario_text(**blocks))
    return [value(computed, name) for name in names]


@pytest.mark.parametrize(
    ("precision", "optimizer", "gigabytes"),
    [
        ("bf16-no-master", "adamw", 84),
        ("bf16-mixed", "adamw", 112),
        ("fp16-mixed", "adamw", 112),
        ("fp32", "adamw", 112),
        ("bf16-autocast", "adamw", 112),
        ("fp16-autocast", "adamw", 112),
        ("bf16-mixed-fp32-gradients", "adamw", 126),
        ("bf16-pure", "adamw", 56),
        ("fp8", "adamw", 112),
        ("bf16-mixed", "adamw-8bit", 56 + 7 * 2 * 1.015625 + 2 * (4 - 1.015625) * 32_000 * 4096 / GB),
        ("bf16-pure", "sgd", 28),
        ("bf16-pure", "sgd-momentum", 42),
        ("bf16-mixed", "lion", 84),
        ("bf16-mixed", "paged-adamw", 56),
    ],
)
def test_states_of_7e9_parameters(tmp_path: Path, precision: str, optimizer: str, gigabytes: float) -> None:
    training = f"{{precision: {precision}, optimizer: {optimizer}}}"
    assert figures(tmp_path, "model_state_bytes", overrides="{parameters: 7e9}", training=training) == [gigabytes * GB]


def test_the_parts_of_16_bytes_a_parameter(tmp_path: Path) -> None:
    parts = ("weight_bytes", "gradient_bytes", "master_weight_bytes", "optimizer_state_bytes")
    assert figures(tmp_path, *parts, overrides="{parameters: 7e9}") == [14 * GB, 14 * GB, 28 * GB, 56 * GB]


@pytest.mark.parametrize(("stage", "gigabytes"), [(0, 112), (1, 38.5), (2, 26.25), (3, 14)])
def test_zero_stages_of_7e9_parameters_on_eight_cards(tmp_path: Path, stage: int, gigabytes: float) -> None:
    blocks = {"hardware": EIGHT, "overrides": "{parameters: 7e9}", "training": f"{{zero_stage: {stage}}}"}
    assert figures(tmp_path, "model_state_bytes", **blocks) == [gigabytes * GB]


def test_70e9_parameters_under_zero_3_do_not_fit_eight_cards(tmp_path: Path) -> None:
    blocks = {
        "model": "llama-3-70b",
        "hardware": EIGHT,
        "overrides": "{parameters: 70e9}",
        "training": "{zero_stage: 3}",
    }
    assert figures(tmp_path, "model_state_bytes", "fits", **blocks) == [140 * GB, 0]


@pytest.mark.parametrize(
    ("model", "cache"),
    [("llama-2-7b", 68_719_476_736), ("llama-3-8b", 17_179_869_184), ("llama-2-13b", 107_374_182_400)],
)
def test_cache_of_32_sequences_of_4096_tokens(tmp_path: Path, model: str, cache: int) -> None:
    serving = "{context_length: 4096, max_num_seqs: 32}"
    assert figures(tmp_path, "kv_cache_bytes", workload="serving", model=model, serving=serving) == [cache]


def test_adapters_of_rank_16_on_the_attention_of_7b(tmp_path: Path) -> None:
    training = "{method: lora, lora_rank: 16, target_modules: [q_proj, k_proj, v_proj, o_proj]}"
    assert figures(tmp_path, "trainable_parameters", training=training) == [16_777_216]


def test_a_pool_of_60_gigabytes_for_llama_3_8b(tmp_path: Path) -> None:
    blocks = {"workload": "serving", "model": "llama-3-8b", "overrides": "{kv_pool_bytes: 60 GB}"}
    assert figures(tmp_path, "kv_pool_blocks", "kv_pool_tokens", **blocks) == [28_610, 457_760]


def test_ridge_of_the_a100_at_the_rounded_bandwidth(tmp_path: Path) -> None:
    assert figures(tmp_path, "ridge_flop_per_byte", overrides="{memory_bytes_per_second: 2.0 TB/s}") == [156]
    assert figures(tmp_path, "ridge_flop_per_byte") == [312e12 / 2039e9]


@pytest.mark.parametrize(("parameters", "cards"), [(7e9, 1), (70e9, 2), (175e9, 5), (700e9, 18)])
def test_fewest_80_gb_cards_for_the_weights(tmp_path: Path, parameters: float, cards: int) -> None:
    overrides = f"{{parameters: {parameters:g}, capacity_bytes: 80 GB}}"
    assert figures(tmp_path, "minimum_accelerators_weights", workload="serving", overrides=overrides) == [cards]


def test_the_same_cards_in_the_published_scenario() -> None:
    scenario = next(one for one in published() if one.resolved.loaded.scenario.id == "min-gpus-7b-to-700b")
    found = [value(scenario, "minimum_accelerators_weights", at) for at in range(4)]
    assert found == [1, 2, 5, 18]


def test_the_70b_plan_for_eight_cards_does_not_fit_and_the_ways_out_do() -> None:
    scenario = next(one for one in published() if one.resolved.loaded.scenario.id == "llama3-70b-8xa100")
    fits = {case.name: value(scenario, "fits", at) for at, case in enumerate(scenario.resolved.variants)}
    assert not any(fits[name] for name in ("naive", "checkpointed", "zero1", "zero2", "zero3"))
    assert any(fits.values())


def test_capacity_is_what_the_driver_reports(tmp_path: Path) -> None:
    assert figures(tmp_path, "capacity_bytes") == [81_920 * 2**20]


@pytest.mark.parametrize(
    ("model", "parameters"),
    [("llama-2-7b", 6_738_415_616), ("llama-3-8b", 8_030_261_248), ("llama-3-70b", 70_553_706_496)],
)
def test_parameters_that_are_known_by_heart(tmp_path: Path, model: str, parameters: int) -> None:
    assert figures(tmp_path, "parameters", model=model) == [parameters]


def test_parameters_of_every_model_card_are_the_published_ones(tmp_path: Path) -> None:
    assert len(MODELS) >= 100
    variants = "".join(f"\n  {name}: {{model: {name}}}" for name in MODELS)
    computed = run(tmp_path, scenario_text(variants=variants))
    found = {case.name: value(computed, "parameters", at) for at, case in enumerate(computed.resolved.cases)}
    assert found == {case.name: case.card.published_parameters for case in computed.resolved.cases}


def test_parameters_are_the_same_where_a_model_serves(tmp_path: Path) -> None:
    decoders = (name for name in MODELS if not is_encoder_decoder(name))
    variants = "".join(f"\n  {name}: {{model: {name}}}" for name in decoders)
    computed = run(tmp_path, scenario_text(workload="serving", variants=variants))
    cards = [case.card.published_parameters for case in computed.resolved.cases]
    assert [value(computed, "parameters", at) for at in range(len(cards))] == cards
    assert all(value(computed, "active_parameters", at) <= count for at, count in enumerate(cards) if count)


def test_mixtures_pass_a_token_through_part_of_their_parameters(tmp_path: Path) -> None:
    # 45.1e9 inactive expert parameters: 32 layers, 6 of 8 experts, 3 matrices of 4096 x 14336
    assert figures(tmp_path, "active_parameters", model="mixtral-8x7b") == [46_702_792_704 - 32 * 6 * 3 * 4096 * 14336]


def test_computing_again_gives_the_same_numbers() -> None:
    again = compute([resolve(one.resolved.loaded, one.resolved.catalogue) for one in published()])
    for first, second in zip(published(), again, strict=True):
        assert all((first.values[line.name] == second.values[line.name]).all() for line in first.lines)
