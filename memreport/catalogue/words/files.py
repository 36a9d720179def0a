"""The files of `scenarios/reference/words`: words of other programs as people write them down."""

from __future__ import annotations

from typing import Any

from memreport.catalogue.yaml import packaged
from memreport.paths import data_root


def words_file(name: str) -> dict[str, Any]:
    """One of them as plain data."""
    found: dict[str, Any] = packaged.read(data_root() / "scenarios" / "reference" / "words" / f"{name}.yaml").data
    return found
