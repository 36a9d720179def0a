"""Roofline: what limits a kernel, arithmetic or memory traffic, and how fast it can be at best.

A kernel is a row.  Its FLOP and bytes are given by three lines of its own; everything else is written once and applies
to every kernel by binding (see `lines`).  Time at the roof is a bound, not a promise.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memreport.figures.constants import FLOP_PER_MULTIPLY_ADD, ONE_BYTE
from memreport.figures.quantities import (
    Bytes,
    BytesPerSecond,
    Count,
    Flop,
    FlopPerByte,
    FlopPerSecond,
    Seconds,
    Share,
    Switch,
)
from memreport.formula.recording import Figure, Line, bound_line, figure, plain_line
from memreport.formula.units import Unit
from memreport.formula.words import larger, smaller, total, where

BOUNDS = ("memory", "compute")


@figure("F_16")
def half_precision_flop_per_second(
    computes_in_bf16: Switch,
    bf16_flop_per_second: FlopPerSecond,
    computes_in_fp16: Switch,
    fp16_flop_per_second: FlopPerSecond,
) -> FlopPerSecond:
    """Dense peak where the work runs in a 16-bit type, else nothing.  Source: the GPU's data sheet."""
    return computes_in_bf16 * bf16_flop_per_second + computes_in_fp16 * fp16_flop_per_second


@figure("F_8")
def eight_bit_flop_per_second(
    computes_in_fp8: Switch,
    fp8_flop_per_second: FlopPerSecond,
    computes_in_int8: Switch,
    int8_flop_per_second: FlopPerSecond,
) -> FlopPerSecond:
    """Dense peak where the work runs in an 8-bit type, else nothing.  Source: the GPU's data sheet."""
    return computes_in_fp8 * fp8_flop_per_second + computes_in_int8 * int8_flop_per_second


@figure("F_4")
def four_bit_flop_per_second(computes_in_fp4: Switch, fp4_flop_per_second: FlopPerSecond) -> FlopPerSecond:
    """Dense peak where the work runs in a 4-bit type, else nothing.  Source: the GPU's data sheet."""
    return computes_in_fp4 * fp4_flop_per_second


@figure("F_32")
def single_precision_flop_per_second(
    computes_in_tf32: Switch,
    tf32_flop_per_second: FlopPerSecond,
    computes_in_fp32: Switch,
    fp32_flop_per_second: FlopPerSecond,
) -> FlopPerSecond:
    """Dense peak where the work runs in TF32 or FP32, else nothing.  Source: the GPU's data sheet."""
    return computes_in_tf32 * tf32_flop_per_second + computes_in_fp32 * fp32_flop_per_second


@figure("v_peak")
def peak_flop_per_second(
    half_precision_flop_per_second: FlopPerSecond,
    eight_bit_flop_per_second: FlopPerSecond,
    four_bit_flop_per_second: FlopPerSecond,
    single_precision_flop_per_second: FlopPerSecond,
) -> FlopPerSecond:
    """Dense peak of one GPU in the type that the work runs in.  Source: the GPU's data sheet."""
    return (
        half_precision_flop_per_second
        + eight_bit_flop_per_second
        + four_bit_flop_per_second
        + single_precision_flop_per_second
    )


@figure("I*")
def ridge_flop_per_byte(peak_flop_per_second: FlopPerSecond, memory_bytes_per_second: BytesPerSecond) -> FlopPerByte:
    """Intensity from which arithmetic is the limit.  Source: 004 'Mental Model: The Roofline'."""
    return peak_flop_per_second / memory_bytes_per_second


@figure("I*_link")
def link_ridge_flop_per_byte(peak_flop_per_second: FlopPerSecond, link_bytes_per_second: BytesPerSecond) -> FlopPerByte:
    """FLOP that hide one byte over the scale-up link.  Source: 004 'Mental Model: The Roofline'."""
    return peak_flop_per_second / link_bytes_per_second


@figure("I*_host")
def host_link_ridge_flop_per_byte(
    peak_flop_per_second: FlopPerSecond, host_link_bytes_per_second: BytesPerSecond
) -> FlopPerByte:
    """FLOP that hide one byte over the host link.  Source: 004 'Mental Model: The Roofline'."""
    return peak_flop_per_second / host_link_bytes_per_second


@figure("Q", family=True)
def kernel_bytes(kernel_load_bytes: Bytes, kernel_store_bytes: Bytes) -> Bytes:
    """Bytes that a kernel reads and writes.  Source: 001 'Compute vs Memory Bound Regimes'."""
    return kernel_load_bytes + kernel_store_bytes


@figure("I", family=True)
def intensity(kernel_flop: Flop, kernel_bytes: Bytes) -> FlopPerByte:
    """FLOP per byte, loads and stores counted; 0 for a kernel that is not launched.  Source: 001, same section."""
    return kernel_flop / larger(kernel_bytes, ONE_BYTE)


@figure("I_l", family=True)
def intensity_loads(kernel_flop: Flop, kernel_load_bytes: Bytes) -> FlopPerByte:
    """FLOP per byte with loads alone counted.  Source: 004 'Mental Model: The Roofline'."""
    return kernel_flop / larger(kernel_load_bytes, ONE_BYTE)


@figure("F_a", family=True)
def attainable_flop_per_second(
    peak_flop_per_second: FlopPerSecond, intensity: FlopPerByte, memory_bytes_per_second: BytesPerSecond
) -> FlopPerSecond:
    """Fastest rate that traffic and arithmetic both allow.  Source: 004 'Mental Model: The Roofline'."""
    return smaller(peak_flop_per_second, intensity * memory_bytes_per_second)


@figure("n_b", labels=BOUNDS, family=True)
def bound(intensity: FlopPerByte, ridge_flop_per_byte: FlopPerByte) -> Count:
    """What limits the kernel; at the ridge itself, compute.  Source: 004 'Mental Model: The Roofline'."""
    return 1 + where(intensity < ridge_flop_per_byte, 0, 1)


@figure("t", family=True)
def seconds_at_roof(
    kernel_flop: Flop, peak_flop_per_second: FlopPerSecond, kernel_bytes: Bytes, memory_bytes_per_second: BytesPerSecond
) -> Seconds:
    """Shortest time of a kernel: a lower bound.  Source: 004 'Mental Model: The Roofline'."""
    return larger(kernel_flop / peak_flop_per_second, kernel_bytes / memory_bytes_per_second)


@figure("s", family=True)
def share_of_step(kernel_seconds: Seconds, whole_seconds: Seconds) -> Share:
    """Part of the step's time at the roof.  Source: division."""
    return kernel_seconds / whole_seconds


@figure("W", family=True)
def matmul_flop(matmul_rows: Count, matmul_inner: Count, matmul_columns: Count) -> Flop:
    """Work of one matrix product.  Source: 004 'Mental Model: The Roofline'."""
    return FLOP_PER_MULTIPLY_ADD * matmul_rows * matmul_inner * matmul_columns


@figure("Q_l", family=True)
def matmul_load_bytes(
    matmul_rows: Count, matmul_inner: Count, matmul_columns: Count, matmul_element_bytes: Bytes
) -> Bytes:
    """Both factors of a matrix product, each read once.  Source: 004 'Mental Model: The Roofline'."""
    return (matmul_rows + matmul_columns) * matmul_inner * matmul_element_bytes


@figure("Q_s", family=True)
def matmul_store_bytes(matmul_rows: Count, matmul_columns: Count, matmul_element_bytes: Bytes) -> Bytes:
    """The product, written once.  Source: 001 'Compute vs Memory Bound Regimes'."""
    return matmul_rows * matmul_columns * matmul_element_bytes


@figure("W", family=True)
def elementwise_flop(elementwise_elements: Count, elementwise_work: Flop) -> Flop:
    """Work of a kernel that treats each element alone.  Source: 004 'Mental Model: The Roofline'."""
    return elementwise_elements * elementwise_work


@figure("Q_l", family=True)
def elementwise_load_bytes(
    elementwise_elements: Count, elementwise_inputs: Count, elementwise_element_bytes: Bytes
) -> Bytes:
    """Inputs of such a kernel.  Source: 004 'Mental Model: The Roofline'."""
    return elementwise_elements * elementwise_inputs * elementwise_element_bytes


@figure("Q_s", family=True)
def elementwise_store_bytes(elementwise_elements: Count, elementwise_element_bytes: Bytes) -> Bytes:
    """Output of such a kernel.  Source: 001 'Compute vs Memory Bound Regimes'."""
    return elementwise_elements * elementwise_element_bytes


@dataclass(frozen=True)
class Kernel:
    """A row of the roofline: three lines give its FLOP, the bytes it loads and the bytes it stores, per GPU.

    `own` are the lines that the kernel brings along, where its FLOP and bytes come from a family of their own.
    """

    id: str
    title: str
    flop: str
    load: str
    store: str
    own: tuple[Line, ...] = ()


def kernel(id_: str, title: str, own: tuple[Line, ...] = ()) -> Kernel:
    """A kernel whose three lines are called `<id>_flop`, `<id>_load_bytes` and `<id>_store_bytes`."""
    return Kernel(id_, title, f"{id_}_flop", f"{id_}_load_bytes", f"{id_}_store_bytes", own)


def lines(kernels: Sequence[Kernel], whole: str = "step") -> list[Line]:
    """The roofline's lines of all kernels, then of the whole: `intensity.<kernel>`, `<whole>_seconds_at_roof`, ..."""
    phase = whole.removesuffix("_step")
    summed = Kernel(whole, "whole", f"{whole}_kernel_flop", f"{whole}_load_bytes", f"{whole}_store_bytes")
    return [
        *(line for row in kernels for line in (*row.own, *_row_lines(row), _share_line(row, whole))),
        sum_line(summed.flop, f"ΣW_{phase}", "FLOP", "Work of all kernels", [row.flop for row in kernels]),
        sum_line(summed.load, f"ΣQin_{phase}", "byte", "Loads of all kernels", [row.load for row in kernels]),
        sum_line(summed.store, f"ΣQout_{phase}", "byte", "Stores of all kernels", [row.store for row in kernels]),
        *(line for line in _row_lines(summed) if line.figure is not seconds_at_roof),
        sum_line(
            f"{whole}_seconds_at_roof",
            f"Σt_{phase}",
            "s",
            "Shortest time of all kernels one after the other: a lower bound",
            [f"seconds_at_roof.{row.id}" for row in kernels],
        ),
    ]


def _row_lines(row: Kernel) -> list[Line]:
    bound_to = {
        "kernel_flop": row.flop,
        "kernel_load_bytes": row.load,
        "kernel_store_bytes": row.store,
        "kernel_bytes": f"kernel_bytes.{row.id}",
        "intensity": f"intensity.{row.id}",
    }
    return [bound_line(f"{family.name}.{row.id}", family, bound_to) for family in FAMILY]


def _share_line(row: Kernel, whole: str) -> Line:
    reads = {"kernel_seconds": f"seconds_at_roof.{row.id}", "whole_seconds": f"{whole}_seconds_at_roof"}
    return Line(f"share_of_step.{row.id}", share_of_step, reads)


def sum_line(name: str, symbol: str, unit: str, meaning: str, parts: Iterable[str]) -> Line:
    """A line that adds others up."""
    bound_to = {f"part_{position}": part for position, part in enumerate(parts, 1)}

    def added(**part: float) -> float:
        return total(*part.values())

    units = dict.fromkeys(bound_to, Unit.parse(unit))
    return Line(name, Figure(name, added, Unit.parse(unit), units, symbol, meaning + ".", "sum"), bound_to)


FAMILY = (kernel_bytes, intensity, intensity_loads, attainable_flop_per_second, bound, seconds_at_roof)
GENERIC_KERNELS = (
    kernel(
        "matmul",
        "matrix product of given shape",
        tuple(plain_line(each) for each in (matmul_flop, matmul_load_bytes, matmul_store_bytes)),
    ),
    kernel(
        "elementwise",
        "element-wise kernel of given size",
        tuple(plain_line(each) for each in (elementwise_flop, elementwise_load_bytes, elementwise_store_bytes)),
    ),
)
