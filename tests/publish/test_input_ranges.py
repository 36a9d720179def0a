"""Inputs of a workbook outside their range: refused where they are typed, counted on Checks where they are pasted."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl.utils import get_column_letter

from memreport.audit.opening import opened as safely_opened
from memreport.audit.rules.inputs import allows, ruled
from memreport.publish.xlsx.common.draft import FIRST
from memreport.publish.xlsx.file.cells import Value
from tests.publish.workbook_cases import cached, input_cell, opened, row_of, saved
from tests.slim import slim
from tests.support import run, scenario_text
from tests.typed_workbook import recalculate_with

OWN_PRICE = "usd_per_accelerator_hour (override)"
COLUMN = get_column_letter(FIRST)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranges")
    text = scenario_text(
        hardware="{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}",
        training="{framework: torchtitan, zero_stage: 3, micro_batch_size: 1}",
        cost="{basis: rent, price: aws-p5-on-demand}",
    )
    return saved(run(folder, text, catalogue=slim()), folder)


@pytest.mark.parametrize(
    ("field", "value", "failing"),
    [
        ("contingency", 50.0, 1),
        ("contingency", 0.2, 0),
        ("contingency", "a tenth", 1),
        (OWN_PRICE, -2.0, 1),
        (OWN_PRICE, "two", 1),
        (OWN_PRICE, 2.0, 0),
    ],
)
def test_what_is_out_of_range_is_counted(path: Path, field: str, value: Value, failing: int) -> None:
    place = "Checks", f"{COLUMN}{row_of(path, 'Checks', 'ranges fails')}"
    assert cached(path)[place] == 0
    assert recalculate_with(path, {input_cell(path, field): value})[place] == failing


def test_a_price_below_zero_is_refused(path: Path) -> None:
    book, row = safely_opened(path), row_of(path, "Inputs", OWN_PRICE)
    rule = ruled(opened(path)["Inputs"])[row]
    assert [allows(book, rule, value) for value in (-2.0, 0.0, 2.0, None)] == [False, True, True, True]
