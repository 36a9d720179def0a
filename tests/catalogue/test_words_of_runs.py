"""How much is run, on what and at what price, in words of other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.errors import InputError
from tests.catalogue.test_other_words import job
from tests.support import run, scenario_text


def test_a_global_batch_holds_in_every_variant(tmp_path: Path) -> None:
    variants = "{a: {}, b: {training.micro_batch_size: 4}, c: {hardware.count: 4}, d: {training.global_batch_size: 8}}"
    found = job(tmp_path, "train_batch_size: 32", variants=variants)
    assert [case.settings["gradient_accumulation_steps"] for case in found.resolved.cases] == [4, 1, 8, 1]


def test_the_tokens_of_a_run_follow_from_its_steps_in_every_variant(tmp_path: Path) -> None:
    given = "train_batch_size: 32, sequence_length: 1024, train_iters: 100"
    variants = "{a: {}, b: {training.max_steps: 50}, c: {hardware.count: 4}, d: {training.train_batch_size: 8}}"
    found = job(tmp_path, given, variants=variants)
    assert [case.settings["training_tokens"] / 1024 for case in found.resolved.cases] == [3200, 1600, 3200, 800]
    own = "micro_batch_size: 2, gradient_accumulation_steps: 4, steps: 100"
    assert job(tmp_path, own).resolved.cases[0].settings["training_tokens"] == 8 * 8 * 100 * 2048
    assert job(tmp_path, "train_samples: 500").resolved.cases[0].settings["training_tokens"] == 500 * 2048
    assert job(tmp_path, "max_steps: -1, total_tokens: 3e9").resolved.cases[0].settings["training_tokens"] == 3e9


@pytest.mark.parametrize("price", ["2.5", "2.5 USD/h"])
def test_a_number_in_place_of_a_rental_price_is_ones_own(tmp_path: Path, price: str) -> None:
    found = job(tmp_path, "zero_stage: 3", cost=f"{{basis: rent, price: {price}}}")
    assert found.values["usd_per_accelerator_hour"][0] == 2.5
    read = ["is read as dollars for an hour of one GPU, not of an instance"] if price == "2.5" else []
    assert [said.message for said in found.resolved.warnings] == read
    with pytest.raises(InputError, match=r"^[^\n]*case.yaml:\d+:\d+: cost.price: 'EUR/h' is no known unit[^\n]*$"):
        job(tmp_path, "zero_stage: 3", cost="{basis: rent, price: 2.5 EUR/h}")


def test_a_price_that_is_not_known_is_answered_with_those_of_the_gpu(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"no such rental price .found 'on-demand'; allowed: aws-p5-on-demand, aws-p5-4xl"
    ):
        job(tmp_path, "zero_stage: 3", cost="{price: on-demand}")


def test_epochs_of_a_dataset_say_how_many_tokens_are_trained(tmp_path: Path) -> None:
    """50,000 samples of 1,024 tokens, three times; where steps are stated, these say it, as in TrainingArguments."""
    lengths = "num_train_epochs: 3, sequence_length: 1024"
    for given, tokens in (
        (f"{lengths}, num_samples: 50000", 3 * 50_000 * 1024),
        (f"{lengths}, dataset_tokens: 2e6", 6e6),
        (f"{lengths}, dataset_size: 50000, max_steps: 10, train_batch_size: 32", 10 * 32 * 1024),
        ("epochs: 0.5, dataset_samples: 1000", 500 * 2048),
    ):
        found = job(tmp_path, given).resolved
        assert found.cases[0].settings["training_tokens"] == tokens
        assert not found.warnings


@pytest.mark.parametrize(
    ("hardware", "found"),
    [
        ("8xH100-80GB-SXM", ("h100-80gb-sxm", 8, None)),
        ("RTX 4090", ("rtx-4090", 1, None)),
        ("{gpu: rtx-4090, num_gpus: 2}", ("rtx-4090", 2, None)),
        ("{gpu_type: A100-80GB-SXM, num_nodes: 2, gpus_per_node: 8}", ("a100-80gb-sxm", 16, 8)),
        ("{accelerator: a100-80gb-sxm, count: 8, nnodes: 4}", ("a100-80gb-sxm", 32, None)),
    ],
)
def test_hardware_is_read_as_people_write_it(tmp_path: Path, hardware: str, found: tuple[str, int, int | None]) -> None:
    settings = run(tmp_path, scenario_text(model="llama-3-8b", hardware=hardware)).resolved.cases[0].settings
    assert (settings["accelerator"], settings["count"], settings["per_node"] or None) == found


def test_nodes_that_contradict_the_gpus_are_a_fault(tmp_path: Path) -> None:
    hardware = "{gpu: rtx-4090, count: 8, nodes: 2, gpus_per_node: 8}"
    with pytest.raises(InputError, match=r"hardware.nodes: contradicts count, which it sets \(found 16 against 8\)"):
        run(tmp_path, scenario_text(model="llama-3-8b", hardware=hardware))


def test_epochs_of_no_dataset_leave_the_tokens_open(tmp_path: Path) -> None:
    """Memory does not ask for them, and the reader is told what to state."""
    (said,) = job(tmp_path, "num_train_epochs: 3").resolved.warnings
    assert said.message.startswith("says nothing of tokens: state dataset_samples or dataset_tokens")
