"""A published workbook computed again by a program that knows nothing of memreport.

formualizer 0.13 reads the formulas, ignores the values that lie beside them, and computes its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memreport.publish.xlsx.file.evaluated import computed_cells, engine

Place = tuple[str, str]
Value = float | str | bool
Values = dict[Place, Value]


def recalculate(path: Path, places: Iterable[Place]) -> Values:
    """These cells of the workbook, (sheet, cell), computed by formualizer.  Raises MachineError without it."""
    return computed_cells(engine().load_workbook(str(path)), places)
