"""What is typed of a GPU into a workbook counts only while the column has that GPU."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from memreport.publish.xlsx.file.cells import Place, Value
from tests.publish.workbook_cases import input_cell, row_of, saved
from tests.slim import slim
from tests.support import run, scenario_text
from tests.typed_workbook import recalculate_with, recalculated

H100 = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"
VARIANTS = "{asked: {}, other: {hardware.accelerator: b200, cost.price: coreweave-b200-on-demand}}"
UNPRICED = "v100-32gb-sxm"
PRICE = "usd_per_accelerator_hour (override)"
QUOTED = "usd_per_accelerator_hour (stated for)"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("price")
    text = scenario_text(
        hardware=H100, cost="{basis: rent, hours: 100}", overrides="{usd_per_accelerator_hour: 2.1}", variants=VARIANTS
    )
    return saved(run(folder, text, catalogue=slim()), folder)


def totals(path: Path, found: Mapping[Place, Value]) -> list[float]:
    row = row_of(path, "Calculation", "cost_total_usd")
    return [float(found["Calculation", f"{column}{row}"]) for column in "FG"]


def test_a_typed_price_reaches_its_own_accelerator_alone(book: Path) -> None:
    found = recalculated(book)
    assert totals(book, found) == pytest.approx([1680, 6880])
    assert found["Checks", "F5"] == 0
    dearer = recalculate_with(book, {input_cell(book, PRICE): 3.0})
    assert totals(book, dearer) == pytest.approx([2400, 6880])


def test_another_gpu_is_billed_at_its_own_lowest_price(book: Path, tmp_path: Path) -> None:
    found = recalculate_with(book, {input_cell(book, "accelerator"): "h200-141gb-sxm"})
    text = scenario_text(hardware=H100.replace("h100-80gb-sxm", "h200-141gb-sxm"), cost="{basis: rent, hours: 100}")
    engine = run(tmp_path, text, catalogue=slim())
    assert totals(book, found)[0] == pytest.approx(float(engine.values["cost_total_usd"][0]))
    words = row_of(book, "Calculation", "price (stands for)")
    assert found["Calculation", f"F{words}"] == "lowest of this GPU"
    assert found["Checks", "F5"] == 0


def test_a_gpu_without_a_price_is_not_billed(book: Path) -> None:
    found = recalculate_with(book, {input_cell(book, "accelerator"): UNPRICED})
    assert totals(book, found)[0] == 0
    words = row_of(book, "Calculation", "price (stands for)")
    assert found["Calculation", f"F{words}"] == "no price"
    assert float(found["Checks", "F5"]) >= 1, "a bill without a price fails the checks"
    for name in ("cost_total_usd", "rent_usd", "cost_low_usd"):
        assert found["Cost", f"F{row_of(book, 'Cost', name)}"] == "no price", "0 would read as free"
    assert isinstance(found["Cost", f"G{row_of(book, 'Cost', 'cost_total_usd')}"], float)
    assert not [place for place, value in found.items() if str(value).startswith("#")]


def test_a_price_typed_for_the_new_gpu_counts(book: Path) -> None:
    new = {input_cell(book, "accelerator"): "h200-141gb-sxm", input_cell(book, QUOTED): "h200-141gb-sxm"}
    found = recalculate_with(book, {**new, input_cell(book, PRICE): 4.0})
    assert totals(book, found)[0] == pytest.approx(3200)


def test_a_capacity_of_ones_own_is_of_the_accelerator_beside_it(tmp_path: Path) -> None:
    """As the base's own is given: a variant on another GPU keeps that one's, unless it states it itself."""
    variants = (
        "{asked: {}, other: {hardware.accelerator: b200}, own: {hardware.accelerator: b200, capacity_bytes: 9e9}}"
    )
    table = "[{title: T, figure: headroom_bytes, rows: {hardware.accelerator: [h100-80gb-sxm, b200]}}]"
    text = scenario_text(hardware=H100, overrides="{capacity_bytes: 40e9}", variants=variants, tables=table)
    path = saved(run(tmp_path, text, catalogue=slim()), tmp_path)
    row, found = row_of(path, "Calculation", "capacity_bytes"), recalculated(path)
    book = float(found["Calculation", f"G{row}"])
    assert [float(found["Calculation", f"{column}{row}"]) for column in "FH"] == [40e9, 9e9]
    assert book > 180e9
    assert found["Checks", "F5"] == 0
    changed = recalculate_with(path, {input_cell(path, "accelerator"): "b200"})
    assert float(changed["Calculation", f"F{row}"]) == book
    both = {input_cell(path, "accelerator"): "b200", input_cell(path, "capacity_bytes (stated for)"): "b200"}
    assert float(recalculate_with(path, both)["Calculation", f"F{row}"]) == 40e9
