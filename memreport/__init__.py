"""Memory, speed and cost of training and serving large models, as a formula-live workbook and a budget sheet."""

from __future__ import annotations

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    import pandas as pd

__version__ = "0.1.0"
__all__ = ["__version__", "estimate"]


def estimate(scenario: str | Path | Mapping[str, Any]) -> pd.DataFrame:
    """Every figure of a scenario: one row a variant, one column a figure, in base units.

    `scenario` is a path, or the same content as a mapping.  Raises memreport.errors.InputError with every mistake.
    """
    from memreport.frame import frame

    return frame(scenario)
