"""Constants put into the YAML files that hold them, each in its row and column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tests.calibrate_rows import FOLLOWERS

ROOT = Path(__file__).parents[1]
EFFICIENCY = ROOT / "hardware" / "efficiency.yaml"
FILES = (EFFICIENCY, *(ROOT / "scenarios" / "reference" / f"{name}.yaml" for name in ("engines", "frameworks")))
SAME: Mapping[str, tuple[str, ...]] = {
    "vllm-0.15": ("vllm", "vllm-0.19", "vllm-0.15"),
    "llama.cpp-bench": ("llama.cpp-bench", "llama.cpp", "llama.cpp-b9400"),
    "transformers-4.52": ("transformers-4.52", "transformers"),
}
"""Rows that share what is fitted for the first of them."""
NUMBER = r"[0-9.]+(?:e[+-]?[0-9]+)?(?: us| ms)?"


def constants_of(path: Path, values: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Those of the constants whose row the file has."""
    text = path.read_text(encoding="utf-8")
    found = {(name, column): value for (row, column), value in values.items() for name in SAME.get(row, (row,))}
    return {key: value for key, value in found.items() if re.search(_row(key[0]), text)}


def written(text: str, values: Mapping[tuple[str, str], float]) -> str:
    """The file with the constants in place; columns that follow one keep their ratio."""
    for (row, column), value in values.items():
        found = re.search(_row(row) + r".*?(?=\n\n|\n  - |\Z)", text, flags=re.DOTALL)
        if found is None:
            raise SystemExit(f"no row {row} for {column}")
        text = text.replace(found[0], _placed(found[0], column, value))
    return text


def _placed(block: str, column: str, value: float) -> str:
    old = re.search(rf"\b{column}: ({NUMBER})", block)
    if old is None:
        raise SystemExit(f"no column {column} in {block.splitlines()[0]}")
    made = re.sub(rf"\b{column}: {NUMBER}", f"{column}: {number_text(column, value)}", block)
    if other := FOLLOWERS.get(column):
        before = float(re.search(rf"\b{other}: ([0-9.]+)", block)[1])  # type: ignore[index]
        made = re.sub(rf"\b{other}: [0-9.]+", f"{other}: {before * value / float(old[1]):.2f}", made)
    return made


def number_text(column: str, value: float) -> str:
    """A constant with three digits; times in microseconds, those of an engine's row in milliseconds where longer."""
    if "_seconds" not in column:
        return f"{value:.3g}"
    if value >= 1e-4 and column.startswith(("host_", "first_", "request_")):
        return f"{value * 1e3:.3g} ms"
    return f"{value * 1e6:.3g} us" if value else "0"


def _row(name: str) -> str:
    return rf"  - (?:id: |{{id: ){re.escape(name)}(?=\n|,)"
