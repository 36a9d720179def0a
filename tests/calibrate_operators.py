"""Constants of single operators, from tests/calibration/operators alone: the median over engines and their versions.

A row is dropped where its own fit failed or its rates are impossible: see `possible`.  What is known of an architecture
is the median of its GPUs, and what is known of any the median of the architectures.  All-reduces over PCIe are no
matter of the GPU: their two rows are medians over machines.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from memreport.catalogue.quantities import parse_quantity
from memreport.catalogue.yaml import strict as strict_yaml

TABLE = Path(__file__).parent / "calibration" / "operators" / "fitted-constants.csv"
PCIE_TABLE = TABLE.with_name("pcie-all-reduces.csv")
PCIE_ROWS: Mapping[str, tuple[str, str]] = {"1": ("pcie", "all_reduce"), "0": ("any", "host_reduce")}
"""Row and columns of all-reduces over PCIe, by whether GPUs read each other's memory."""
WIDTHS = (2, 4, 8)
SYSTEMS: Mapping[str, str] = {
    "a100_sxm": "a100-80gb-sxm",
    "h100_sxm": "h100-80gb-sxm",
    "h200_sxm": "h200-141gb-sxm",
    "b200_sxm": "b200",
    "b300_sxm": "b300",
    "gb200": "gb200",
    "l40s": "l40s",
    "mi300x": "cdna3",
    "mi355x": "cdna4",
}
"""GPUs by the name that the table has for them; AMD's tables tell them by compute units, which is the architecture."""
CLASSES: Mapping[str, Sequence[str]] = {
    "ampere": ("a100-80gb-sxm",),
    "hopper": ("h100-80gb-sxm", "h200-141gb-sxm"),
    "blackwell": ("b200", "b300", "gb200"),
    "ada": ("l40s",),
    "any": ("ampere", "hopper", "blackwell", "ada"),
}
"""Rows that are the median of others."""
US, DIGITS = 1e-6, 6
ELEMENT_BYTES = 2
ACCELERATORS = Path(__file__).parents[1] / "hardware" / "accelerators"
LEAST_BANDWIDTH, MOST_BANDWIDTH = 0.3, 1.1
LEAST_LAUNCH = 0.5
"""Microseconds: no GPU launches sooner."""


@dataclass(frozen=True)
class Column:
    """Where a column comes from: the operator, its data types (none: all), and the field of the table."""

    name: str
    operator: str
    field: str
    types: tuple[str, ...] = ()

    def value(self, row: Mapping[str, str]) -> float:
        """What a row of the table says, in base units."""
        return round(float(row[self.field]), DIGITS) * (US if self.name.endswith("_seconds") else 1)


EIGHT, FOUR = ("fp8", "fp8_block"), ("nvfp4", "w4a16_mxfp4", "mxfp4")
COLUMNS = (
    Column("product_share_16bit", "gemm", "share_of_peak", ("bfloat16",)),
    Column("product_share_8bit", "gemm", "share_of_peak", ("fp8",)),
    Column("product_share_4bit", "gemm", "share_of_peak", ("nvfp4", "mxfp4")),
    Column("product_bandwidth_share", "gemm", "share_of_bandwidth", ("bfloat16",)),
    Column("product_launch_seconds", "gemm", "launch_us", ("bfloat16",)),
    Column("wave_weight", "gemm", "wave_weight", ("bfloat16",)),
    Column("prefill_attention_share", "ctx", "value"),
    Column("decode_attention_bandwidth_share", "gen", "value"),
    Column("decode_attention_seconds", "gen0", "value"),
    Column("expert_share_16bit", "moe", "share_of_peak", ("bfloat16",)),
    Column("expert_share_8bit", "moe", "share_of_peak", EIGHT),
    Column("expert_share_4bit", "moe", "share_of_peak", FOUR),
    Column("expert_bandwidth_share", "moe", "share_of_bandwidth", ("bfloat16",)),
    Column("expert_launch_seconds", "moe", "launch_us", ("bfloat16",)),
)


def operator_constants() -> dict[tuple[str, str], float]:
    """Every constant by row and column: of GPUs first, then of what is the median of others."""
    found = {key: median(values) for key, values in _measured().items()} | dict(_all_reduces())
    columns = dict.fromkeys(column for _, column in found)
    for row, members in CLASSES.items():
        for column in columns:
            known = [found[each, column] for each in members if (each, column) in found]
            if known:
                found[row, column] = median(known)
    return found | {key: median(values) for key, values in _over_pcie().items()}


def _all_reduces() -> Iterator[tuple[tuple[str, str], float]]:
    """Latency of a small all-reduce, and the share of the link that the ring traffic of a large one takes.

    Not of a GPU that PCIe alone joins: the table's kernel, which sends a message to every other GPU, is not what
    engines run there from four GPUs on.
    """
    for row in _table():
        if row["operator"] == "ar" and _link(SYSTEMS[row["system"]]) > _link(SYSTEMS[row["system"]], "host_link"):
            gpu, width = SYSTEMS[row["system"]], int(row["value"])
            sent = float(row["giga_elements_per_second"]) * 1e9 * ELEMENT_BYTES * 2 * (width - 1) / width
            yield (gpu, f"all_reduce_latency_seconds_{width}"), float(row["latency_us"]) * US
            yield (gpu, f"all_reduce_link_share_{width}"), sent / _link(gpu)


def _over_pcie() -> dict[tuple[str, str], list[float]]:
    """What machines reach over PCIe, by row and column."""
    found: dict[tuple[str, str], list[float]] = {}
    with PCIE_TABLE.open(encoding="utf-8", newline="") as file:
        for each in csv.DictReader(file):
            (row, kind), width = PCIE_ROWS[each["direct"]], _column_width(int(each["accelerators"]))
            if taken := each["latency_us"]:
                found.setdefault((row, f"{kind}_latency_seconds_{width}"), []).append(float(taken) * US)
            if reached := each["bus_gigabytes_per_second"]:
                share = float(reached) / float(each["pcie_gigabytes_per_second"])
                found.setdefault((row, f"{kind}_link_share_{width}"), []).append(share)
    return found


def _column_width(group: int) -> int:
    """The width whose column a group of so many takes."""
    return next((width for width in WIDTHS if group <= width), WIDTHS[-1])


def _link(gpu: str, which: str = "link") -> float:
    figures = strict_yaml.read(ACCELERATORS / f"{gpu}.yaml").data["figures"]
    return parse_quantity(figures[f"{which}_bytes_per_second"]["value"], "byte/s")


def possible(row: Mapping[str, str]) -> bool:
    """The fit of this row has an error of its own, and neither its bandwidth nor its launch is beyond physics."""
    if row["operator"] not in ("gemm", "moe"):
        return bool(row["value"])
    bandwidth, launch = float(row["share_of_bandwidth"]), float(row["launch_us"])
    return (
        row["median_error"] not in ("", "nan")
        and LEAST_BANDWIDTH <= bandwidth <= MOST_BANDWIDTH
        and launch >= LEAST_LAUNCH
    )


def _measured() -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    for row in filter(possible, _table()):
        for column in _columns_of(row):
            found.setdefault((SYSTEMS[row["system"]], column.name), []).append(column.value(row))
    return found


def _columns_of(row: Mapping[str, str]) -> Iterator[Column]:
    for column in COLUMNS:
        of_type = row["operator"] == column.operator and (not column.types or row["dtype"] in column.types)
        if of_type and row[column.field]:
            yield column


@cache
def _table() -> tuple[dict[str, str], ...]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
