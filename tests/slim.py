"""A catalogue of few GPUs and prices, for tests that make workbooks: half of what these hold is catalogue."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Any

from memreport.catalogue.load import Catalogue
from memreport.catalogue.records import Table
from tests.support import packaged

GPUS = frozenset(
    {
        "a100-40gb-sxm", "a100-80gb-sxm", "b200", "h100-80gb-sxm", "h200-141gb-sxm", "l40s", "mi300x", "rtx-3090",
        "rtx-4070", "rtx-4090", "v100-32gb-sxm",
    }
)  # fmt: skip


@cache
def slim() -> Catalogue:
    """The packaged catalogue with these GPUs and what they cost; everything else is whole."""
    made = copy.copy(packaged())
    made.__dict__["tables"] = {name: _with_gpus(table) for name, table in packaged().tables.items()}
    return made


def _with_gpus(table: Table) -> Table:
    """The rows of these GPUs, where a row is one or is of one."""
    of = table.ids if table.name == "accelerators" else table.texts.get("accelerator", ())
    kept = [index for index, gpu in enumerate(of) if not gpu or gpu in GPUS]
    if not of or len(kept) == len(of):
        return table
    columns = {name: _rows(column, kept) for name, column in table.columns.items()}
    texts = {name: tuple(words[index] for index in kept) for name, words in table.texts.items()}
    small: Table = _rows(table, kept, ("ids", "titles"))
    return replace(small, columns=columns, texts=texts)


def _rows(one: Any, kept: Sequence[int], names: Sequence[str] = ("values", "sources", "bases", "notes")) -> Any:
    given = {each.name: getattr(one, each.name) for each in fields(one) if each.name in names}
    return replace(one, **{name: tuple(rows[index] for index in kept) for name, rows in given.items()})
