"""Many scenarios over a horizon: what they cost by month, what they need of owned GPUs, what to commit to."""

from __future__ import annotations

TYPE_CHECKING = False  # spares commands the import of pathlib
if TYPE_CHECKING:
    from pathlib import Path


def is_portfolio(path: Path) -> bool:
    """Whether a file is a portfolio, by its name: `portfolio.yaml`, or one that ends so."""
    return path.name.endswith("portfolio.yaml")
