from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.time import roofline
from memreport.figures.time.roofline import GENERIC_KERNELS, Kernel, lines
from memreport.formula.printing import to_excel
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
A100 = {
    "bf16_flop_per_second": 312e12,
    "fp16_flop_per_second": 312e12,
    "fp8_flop_per_second": 312e12,
    "int8_flop_per_second": 624e12,
    "fp4_flop_per_second": 300e12,
    "tf32_flop_per_second": 156e12,
    "fp32_flop_per_second": 19.5e12,
    "memory_bytes_per_second": 2e12,
    "link_bytes_per_second": 300e9,
    "host_link_bytes_per_second": 31.5e9,
    "computes_in_bf16": 1,
    "computes_in_fp16": 0,
    "computes_in_fp8": 0,
    "computes_in_int8": 0,
    "computes_in_fp4": 0,
    "computes_in_tf32": 0,
    "computes_in_fp32": 0,
}


def test_ridge_of_the_a100_at_two_terabytes(evaluate: Values) -> None:
    values = evaluate(figures_in(roofline), A100)
    assert values["ridge_flop_per_byte"] == 156
    assert values["link_ridge_flop_per_byte"] == 1040
    assert values["host_link_ridge_flop_per_byte"] == pytest.approx(9904.76, abs=0.01)


PEAKS = [("bf16", 312e12), ("int8", 624e12), ("fp4", 300e12), ("tf32", 156e12), ("fp32", 19.5e12)]


@pytest.mark.parametrize(("kind", "peak"), PEAKS)
def test_the_peak_follows_the_type_that_the_work_runs_in(evaluate: Values, kind: str, peak: float) -> None:
    given = {**A100, "computes_in_bf16": 0, f"computes_in_{kind}": 1}
    assert evaluate(figures_in(roofline), given)["peak_flop_per_second"] == peak


GENERIC = {
    "matmul_rows": 4096,
    "matmul_inner": 4096,
    "matmul_columns": 4096,
    "matmul_element_bytes": 2,
    "elementwise_elements": 1e6,
    "elementwise_inputs": 1,
    "elementwise_work": 1,
    "elementwise_element_bytes": 2,
}


def test_a_square_product_of_4096_and_a_relu(evaluate: Values) -> None:
    values = evaluate([*figures_in(roofline), *lines(GENERIC_KERNELS)], {**A100, **GENERIC})
    assert values["intensity_loads.matmul"] == 2048
    assert values["intensity.matmul"] == pytest.approx(1365.333, abs=0.001)
    assert values["bound.matmul"] == 1 + roofline.BOUNDS.index("compute")
    assert values["attainable_flop_per_second.matmul"] == 312e12
    assert values["intensity_loads.elementwise"] == 0.5
    assert values["intensity.elementwise"] == 0.25
    assert values["bound.elementwise"] == 1 + roofline.BOUNDS.index("memory")
    assert values["attainable_flop_per_second.elementwise"] == 0.5e12


def test_intensity_three_reaches_six_teraflops(evaluate: Values) -> None:
    given = {**A100, "three_flop": 3e9, "three_load_bytes": 1e9, "three_store_bytes": 0}
    row = Kernel("three", "exercise", "three_flop", "three_load_bytes", "three_store_bytes")
    values = evaluate([*figures_in(roofline), *lines([row])], given)
    assert values["attainable_flop_per_second.three"] == 6e12
    assert values["seconds_at_roof.three"] == 1e9 / 2e12
    assert values["share_of_step.three"] == 1


def test_the_ridge_itself_counts_as_compute(evaluate: Values) -> None:
    given = {**A100, "k_flop": 156e9, "k_load_bytes": 1e9, "k_store_bytes": 0}
    row = Kernel("k", "at the ridge", "k_flop", "k_load_bytes", "k_store_bytes")
    assert evaluate([*figures_in(roofline), *lines([row])], given)["bound.k"] == 2


def test_a_kernel_that_is_not_launched_takes_no_time(evaluate: Values) -> None:
    given = {**A100, "no_flop": 0, "no_load_bytes": 0, "no_store_bytes": 0}
    row = Kernel("no", "not launched", "no_flop", "no_load_bytes", "no_store_bytes")
    rows = [line for line in lines([row]) if not line.name.startswith("share_of_step")]
    values = evaluate([*figures_in(roofline), *rows], given)
    assert (values["intensity.no"], values["seconds_at_roof.no"]) == (0, 0)


def test_the_whole_is_the_sum_of_its_kernels(evaluate: Values) -> None:
    values = evaluate([*figures_in(roofline), *lines(GENERIC_KERNELS, "step")], {**A100, **GENERIC})
    parts = [values[f"seconds_at_roof.{row.id}"] for row in GENERIC_KERNELS]
    assert values["step_seconds_at_roof"] == sum(parts)
    assert sum(values[f"share_of_step.{row.id}"] for row in GENERIC_KERNELS) == pytest.approx(1)
    assert values["step_kernel_flop"] == values["matmul_flop"] + values["elementwise_flop"]
    assert values["kernel_bytes.step"] == values["kernel_bytes.matmul"] + values["kernel_bytes.elementwise"]


def test_formulas_as_excel_shows_them() -> None:
    assert to_excel(roofline.bound.expression) == "1+IF(intensity<ridge_flop_per_byte,0,1)"
    whole = {line.name: line for line in lines(GENERIC_KERNELS)}["step_seconds_at_roof"]
    assert to_excel(whole.figure.expression, whole.bound.__getitem__) == (
        "SUM(seconds_at_roof.matmul,seconds_at_roof.elementwise)"
    )
