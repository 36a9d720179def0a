"""Every figure of these subjects: its unit, its source, one workbook line, and a recording equal to its function."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from memreport.figures.money import cost, ownership
from memreport.figures.serving import beside_weights, kv_cache, kv_values
from memreport.figures.serving import memory as serving
from memreport.figures.time import kernel_shapes, roofline, throughput
from memreport.figures.time.roofline import GENERIC_KERNELS, lines
from memreport.figures.time.serving import kernels as serving_kernels
from memreport.figures.time.serving import speed as serving_speed
from memreport.figures.time.serving.kernels import DECODE_KERNELS, PREFILL_KERNELS
from memreport.figures.time.step import training_kernels
from memreport.figures.time.step.training_kernels import TRAINING_KERNELS
from memreport.figures.traffic import transfer
from memreport.formula.printing import to_excel
from memreport.formula.recording import Figure, FigureRows, figures_in, replay

MODULES = (
    cost,
    kernel_shapes,
    kv_cache,
    kv_values,
    ownership,
    roofline,
    beside_weights,
    serving,
    serving_kernels,
    serving_speed,
    throughput,
    training_kernels,
    transfer,
)
GENERATED = [
    line.figure
    for line in (
        *lines(TRAINING_KERNELS),
        *lines(PREFILL_KERNELS, "prefill"),
        *lines(DECODE_KERNELS, "decode_step"),
        *lines(GENERIC_KERNELS, "generic"),
    )
]


def _figures() -> list[Figure]:
    written = [each for module in MODULES for each in vars(module).values() if isinstance(each, Figure)]
    rows = [each for module in MODULES for each in figures_in(module)]
    return list({id(each): each for each in (*written, *rows, *GENERATED)}.values())


@pytest.mark.parametrize("figure", _figures(), ids=lambda figure: figure.name)
def test_each_figure_records_in_its_unit_with_source_on_one_line(figure: Figure) -> None:
    cells = {name: f"C{200 + position}" for position, name in enumerate(figure.inputs)}
    text = to_excel(figure.expression, lambda name: cells.get(name, name))
    assert len(text) <= 120, text
    assert figure.meaning
    assert figure.source
    assert len(figure.inputs) <= 10


@pytest.mark.parametrize("figure", _figures(), ids=lambda figure: figure.name)
def test_each_recording_gives_the_numbers_of_its_function(figure: Figure) -> None:
    generator = np.random.default_rng(7)
    given = {name: generator.uniform(0.1, 0.9, 20) for name in figure.inputs}
    direct = figure.formula(**given)
    assert np.array_equal(replay(figure.expression, given), direct)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_no_figure_is_left_out_of_its_module_s_lists(module: ModuleType) -> None:
    listed = {figure.name for figure in (*figures_in(module), *getattr(module, "FAMILY", ()))}
    bound = {figure.name for figure in GENERATED}
    has_rows = any(isinstance(each, FigureRows) for each in vars(module).values())
    own = {
        each.name
        for each in vars(module).values()
        if isinstance(each, Figure) and each.formula.__module__ == module.__name__
        if not (each.family and has_rows)  # a family of rows is listed as its rows
    }
    assert own <= listed | bound


def test_names_of_lines_are_unique_within_a_workload() -> None:
    rows = [*lines(PREFILL_KERNELS, "prefill"), *lines(DECODE_KERNELS, "decode_step")]
    assert len({line.name for line in rows}) == len(rows)
