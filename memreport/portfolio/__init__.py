"""Many scenarios over a horizon: what they cost by month, what they need of owned GPUs, what to commit to."""

from __future__ import annotations

TYPE_CHECKING = False  # spares commands the import of pathlib
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def is_portfolio(path: Path) -> bool:
    """Whether a file is a portfolio, by its name: `portfolio.yaml`, or one that ends so."""
    return path.name.endswith("portfolio.yaml")


def portfolio_files(paths: Iterable[Path]) -> list[Path]:
    """The portfolios among the given files and directly in the given folders."""
    inside = (sorted(path.glob("*portfolio.yaml")) if path.is_dir() else [path] for path in paths)
    return list(dict.fromkeys(file for files in inside for file in files if is_portfolio(file)))
