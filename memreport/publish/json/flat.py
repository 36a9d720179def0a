"""A record as one object of JSON, whatever records it consists of."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def flat(record: DataclassInstance, *parts: str) -> dict[str, Any]:
    """Its fields by name, those of its `parts` as if they were its own."""
    made: dict[str, Any] = {}
    for name, value in asdict(record).items():
        made |= value if name in parts else {name: value}
    return made
