"""Scenarios that reach every way a workbook can be made, and readers of what was written."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import ironcalc
import pandas as pd
from openpyxl import Workbook
from openpyxl.utils import coordinate_to_tuple, get_column_letter

from memreport.advise.comparisons import comparisons_of
from memreport.compute import Computed
from memreport.publish.xlsx.common.draft import FIRST, NAME_COLUMN
from memreport.publish.xlsx.file.cells import Place, Value
from memreport.publish.xlsx.file.stored import stored_values
from memreport.publish.xlsx.workbook import workbook_bytes
from memreport.report.build import report_of
from memreport.report.records.report import Build
from tests.lazily import lazily_read
from tests.slim import slim
from tests.support import run, scenario_text
from tests.typed_workbook import parts_of, recalculated

TRAINING: dict[str, str] = {
    "hardware": "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}",
    "training": """
  {precision: bf16-mixed, fp8_recipe: torchao-tensorwise, micro_batch_size: 2, sequence_length: 1024,
   gradient_checkpointing: full}""",
    "variants": """
  plain: {}
  zero3: {training.zero_stage: 3}
  given: {parameters: 7e9, training.optimizer: adamw-8bit}
  other model: {model: mixtral-8x7b, hardware.accelerator: h100-80gb-sxm}""",
    "tables": """
  - {title: Peak, figure: peak_bytes, rows: {training.sequence_length: [512, 4096]},
     columns: {hardware.accelerator: [a100-80gb-sxm, rtx-4070, mi300x]}}
  - {title: Models, figure: weight_bytes, rows: {model: [llama-2-7b, mixtral-8x7b]}, variant: zero3,
     columns: {training.zero_stage: [0, 3]}}
  - {title: Sizes, figure: optimizer_state_bytes, rows: {overrides.parameters: [1e9, 7e9, 70e9]}}""",
}
SERVING: dict[str, str] = {
    "workload": "serving",
    "model": "llama-3-8b",
    "serving": "{weight_dtype: bf16, kv_cache_dtype: bf16, context_length: 4096, max_model_len: 8192}",
    "variants": """
  plain: {}
  half: {serving.gpu_memory_utilization: 0.5, serving.kv_cache_dtype: fp8}
  4 bit: {serving.weight_dtype: int4, serving.engine: sglang}""",
    "tables": """
  - {title: Sequences, figure: max_concurrent_sequences, rows: {serving.context_length: [1024, 8192]},
     columns: {serving.kv_cache_dtype: [bf16, fp8]}}
  - {title: Shares, figure: kv_pool_bytes, rows: {serving.gpu_memory_utilization: [0.5, 0.9]}}""",
}
PRICED: dict[str, str] = {
    "hardware": "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}",
    "cost": "{basis: rent, price: aws-p5-on-demand, purchase_price: h100-street-low, goodput: 0.85, hours: 72}",
    "variants": """
  plain: {}
  bought: {cost.basis: buy}
  other card: {hardware.accelerator: h200-141gb-sxm, cost.price: aws-p5en-on-demand,
               cost.purchase_price: dgx-h200-loaded}""",
}
PARTS = {"training": TRAINING, "serving": SERVING, "priced": PRICED}


def case(folder: Path, kind: str, **replaced: str) -> Computed:
    """One of the scenarios above, with blocks replaced."""
    return run(folder, scenario_text(**PARTS[kind] | replaced), catalogue=slim())


def book_of(computed: Computed) -> bytes:
    """The workbook of a computed scenario, with what is compared beside its first variant."""
    found = comparisons_of(computed, computed, computed.resolved.variants[0].name)
    return workbook_bytes(computed, report_of(computed, Build("0.0", comparisons=found), derived=False))


@cache
def shared_case(kind: str) -> tuple[Computed, Path]:
    """One of the scenarios above and its workbook, made once for all tests of a run: it is read, never written."""
    from tests.built import once, shared_folder  # which resolves every scenario, where another process needs none

    given, folder = shared_folder() / f"{kind}-{os.getpid()}", shared_folder() / kind
    for one in (given, folder):
        one.mkdir(exist_ok=True)
    computed = case(given, kind)
    once(f"{kind}.case", lambda: saved(computed, folder))
    return computed, folder / "case.xlsx"


@cache
def opened(path: Path) -> Workbook:
    """A workbook with its formulas."""
    return lazily_read(path)


def saved(computed: Computed, folder: Path) -> Path:
    """The workbook as a file."""
    path = folder / f"{computed.resolved.loaded.scenario.id}.xlsx"
    path.write_bytes(book_of(computed))
    return path


@cache
def cached(path: Path) -> dict[Place, Value]:
    """What a reader sees who does not compute: the value beside every formula."""
    return {place: "" if value is None else value for place, value in stored_values(parts_of(path)).items()}


def ironcalc_values(path: Path, places: Iterable[Place]) -> dict[Place, Value]:
    """Those cells as IronCalc computes them."""
    model, sheets = ironcalc.load_from_xlsx(str(path)), opened(path).sheetnames
    model.evaluate()
    found = {}
    for sheet, cell in places:
        value = model.get_cell_value(sheets.index(sheet), *coordinate_to_tuple(cell))
        found[sheet, cell] = "" if value is None else value
    return found


def strangers_differ(path: Path) -> list[str]:
    """Formula cells whose value two programs compute otherwise, or that readers who compute nothing see otherwise."""
    seen = cached(path)
    told = {"formualizer": recalculated(path), "IronCalc": ironcalc_values(path, seen)}
    told |= {f"pandas with {engine}": pandas_values(path, engine, seen) for engine in ("openpyxl", "calamine")}
    return [f"{name}: {one}" for name, found in told.items() for one in differing(found, seen)]


def pandas_values(path: Path, engine: Literal["openpyxl", "calamine"], places: Iterable[Place]) -> dict[Place, Value]:
    """Those cells as pandas reads them."""
    frames = pd.read_excel(path, sheet_name=None, header=None, na_filter=False, engine=engine)
    grids = {sheet: frame.to_numpy(dtype=object) for sheet, frame in frames.items()}
    spots = ((sheet, cell, coordinate_to_tuple(cell)) for sheet, cell in places)
    return {(sheet, cell): grids[sheet][row - 1][column - 1] for sheet, cell, (row, column) in spots}


def differing(found: Mapping[Place, Value], expected: Mapping[Place, Value]) -> list[str]:
    """Places whose values part by more than 1e-9."""
    return [
        f"{place}: {found[place]!r} is not {value!r}"
        for place, value in expected.items()
        if not same(found[place], value)
    ]


def same(found: Value, expected: Value) -> bool:
    """Whether two values agree to 1e-9."""
    if isinstance(found, str) or isinstance(expected, str):
        return found == expected
    return math.isclose(float(found), float(expected), rel_tol=1e-9, abs_tol=1e-9)


def row_of(path: Path, sheet: str, name: str) -> int:
    """The row whose name, in column A or B, is this."""
    rows = opened(path)[sheet].iter_rows(min_row=5, max_col=2)
    return next(cell.row for row in rows for cell in row if cell.value == name)


def input_cell(path: Path, field: str, at: int = 0) -> Place:
    """Where an input of a variant is typed."""
    return "Inputs", f"{get_column_letter(FIRST + at)}{row_of(path, 'Inputs', field)}"


def lines(path: Path, computed: Computed) -> Iterator[tuple[str, Place, float]]:
    """Every line of the engine that a sheet computes: its name, its cell, the engine's value."""
    return ((name, place, float(computed.values[name][at])) for name, place, at in cells_of_lines(path, computed))


def cells_of_lines(path: Path, computed: Computed) -> Iterator[tuple[str, Place, int]]:
    """Every line of the engine that a sheet computes: its name, its cell, the engine's column."""
    book = opened(path)
    for title, cases in {title: _cases(title, computed) for title in book.sheetnames}.items():
        for (cell,) in book[title].iter_rows(min_col=NAME_COLUMN, max_col=NAME_COLUMN) if cases else ():
            if cell.value in computed.values and book[title].cell(cell.row or 0, FIRST).data_type == "f":
                for offset, at in enumerate(cases):
                    yield str(cell.value), (title, f"{get_column_letter(FIRST + offset)}{cell.row}"), at


def _cases(sheet: str, computed: Computed) -> Iterable[int]:
    if sheet == "Calculation":
        return range(len(computed.resolved.variants))
    return computed.resolved.points(int(sheet.split()[1]) - 1) if sheet.startswith("Table ") else ()
