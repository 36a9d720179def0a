"""Memory, speed and cost of training and serving large models, as a formula-live workbook and a budget sheet."""

from __future__ import annotations

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from memreport.notebook import Estimate

__version__ = "0.1.0"
__all__ = ["__version__", "estimate"]


def estimate(scenario: str | Path | Mapping[str, Any]) -> Estimate:
    """Every figure of a scenario as a table of pandas: one row a variant, one column a figure, in base units.

    `scenario` is a path, or the same content as a mapping.  The first columns are the answer, `.figures` is the rest;
    a notebook shows the decision page.  Raises memreport.errors.InputError with every mistake.
    """
    from memreport.notebook import estimated

    return estimated(scenario)
