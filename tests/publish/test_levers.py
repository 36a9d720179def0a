"""Each lever of a workbook, typed over, gives what a scenario with that value gives, in every line it computes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from memreport.publish.xlsx.file.cells import Place, Value
from tests.publish.workbook_cases import cells_of_lines, input_cell, same, saved
from tests.slim import slim
from tests.support import run, scenario_text
from tests.typed_workbook import recalculate_with

TRAINED = {
    "hardware": "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}",
    "training": "{framework: torchtitan, zero_stage: 3, micro_batch_size: 1}",
    "cost": "{basis: rent, price: aws-p5-on-demand, purchase_price: h100-street-low, rent_or_buy: true}",
}
SERVED = {
    "workload": "serving",
    "model": "llama-3-8b",
    "hardware": "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}",
    "serving": "{engine: vllm, max_num_seqs: 16, max_num_batched_tokens: 8192}",
    "cost": "{basis: buy, purchase_price: h100-street-low}",
}
PARTS = {"training": TRAINED, "serving": SERVED}
LEVERS: list[tuple[str, dict[str, Value], dict[str, float]]] = [
    ("training", {"model_flop_utilization": 0.41}, {}),
    ("training", {"owned_utilisation": 0.5}, {}),
    ("training", {"depreciation_years": 4.0}, {}),
    ("training", {"contingency": 0.2}, {}),
    ("training", {"training_tokens": 3e9}, {}),
    ("training", {"gradient_checkpointing": "full"}, {}),
    ("training", {"usd_per_accelerator (override)": 21000.0}, {"usd_per_accelerator": 21000}),
    ("training", {"usd_per_accelerator_hour (override)": 1.7}, {"usd_per_accelerator_hour": 1.7}),
    ("serving", {"months": 18.0}, {}),
    ("serving", {"owned_utilisation": 0.4}, {}),
    ("serving", {"depreciation_years": 3.0}, {}),
    ("serving", {"usd_per_accelerator (override)": 21000.0}, {"usd_per_accelerator": 21000}),
    ("serving", {"gpu_memory_utilization": 0.8}, {}),
]


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    found = {}
    for kind, parts in PARTS.items():
        folder = tmp_path_factory.mktemp(kind)
        found[kind] = saved(run(folder, scenario_text(**parts), catalogue=slim()), folder)
    return found


def differing(path: Path, folder: Path, found: Mapping[Place, Value], text: str) -> list[str]:
    """Lines that a workbook computes otherwise than the engine computes the scenario."""
    engine = run(folder, text, catalogue=slim())
    cells = [(name, place) for name, place, _ in cells_of_lines(path, engine)]
    assert len(cells) > 100
    return [
        f"{name}: {found[place]} is not {engine.values[name][0]}"
        for name, place in cells
        if not same(found[place], float(engine.values[name][0]))
    ]


@pytest.mark.parametrize(
    ("kind", "typed", "overrides"), LEVERS, ids=[f"{kind}-{next(iter(to))}" for kind, to, _ in LEVERS]
)
def test_a_lever_gives_what_a_scenario_with_it_gives(
    books: Mapping[str, Path], tmp_path: Path, kind: str, typed: dict[str, Value], overrides: dict[str, float]
) -> None:
    path = books[kind]
    found = recalculate_with(path, {input_cell(path, name): value for name, value in typed.items()})
    changes = overrides or typed
    stated = ", ".join(f"{'overrides.' if overrides else ''}{name}: {value}" for name, value in changes.items())
    assert not differing(path, tmp_path, found, scenario_text(**PARTS[kind], variants=f"{{base: {{{stated}}}}}"))


@pytest.mark.parametrize("price", ["usd_per_accelerator", "usd_per_accelerator_hour"])
def test_an_own_price_is_of_the_gpu_that_it_was_quoted_for(books: Mapping[str, Path], price: str) -> None:
    path, other = books["training"], {input_cell(books["training"], "accelerator"): "h200-141gb-sxm"}
    typed = recalculate_with(path, {**other, input_cell(path, f"{price} (override)"): 9.0})
    assert of_calculation(typed) == of_calculation(recalculate_with(path, other))


def of_calculation(found: Mapping[Place, Value]) -> dict[Place, Value]:
    return {place: value for place, value in found.items() if place[0] == "Calculation"}
