"""Tables too large for one machine, on a Dask cluster: the same rows, computed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.compute import Table, here
from memreport.errors import Fault, InputError, MachineError

SECONDS = 5
"""How long a scheduler may take to answer."""
ROWS = 20_000
"""Rows of a task: some hundred megabytes with all figures."""
INSTALL = 'python -m pip install "memreport[dask]"'
Columns = dict[str, Numbers]


def connected(scheduler: str) -> Any:
    """A client of the cluster at the address.  Raises MachineError where Dask is missing or nobody answers."""
    try:
        connect = import_module("dask.distributed").Client
    except ImportError:
        raise MachineError(f"a cluster needs Dask: {INSTALL}") from None
    try:
        return connect(scheduler, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise MachineError(f"no Dask scheduler answers at {scheduler}: {error}") from error


def need_address(scheduler: str) -> None:
    """Raises InputError without an address."""
    if not scheduler:
        raise InputError([Fault("is needed with --engine dask", field="--scheduler", expected="tcp://host:8786")])


def table_on(scheduler: str, rows: int = ROWS) -> Table:
    """What computes a table on the cluster at the address, so many rows a task.

    Raises InputError without an address; when run, MachineError, see `connected`.
    """
    need_address(scheduler)

    def table(workload: str, inputs: Mapping[str, Numbers], overrides: Mapping[str, Numbers]) -> Columns:
        client = connected(scheduler)
        try:
            futures = [client.submit(_part, workload, *part, pure=False) for part in _parts(inputs, overrides, rows)]
            return _joined(client.gather(futures))
        finally:
            client.close()

    return table


def _parts(inputs: Mapping[str, Numbers], overrides: Mapping[str, Numbers], rows: int) -> list[tuple[Columns, Columns]]:
    size = max(column.size for column in inputs.values())
    cuts = [slice(first, first + rows) for first in range(0, size, rows)]
    return [(_cut(inputs, cut), _cut(overrides, cut)) for cut in cuts]


def _cut(columns: Mapping[str, Numbers], rows: slice) -> Columns:
    return {name: column[rows] for name, column in columns.items()}


def _part(workload: str, inputs: Columns, overrides: Columns) -> Columns:
    """All lines over some of the rows; what is one value for all of them stands in each."""
    return {name: np.array(column) for name, column in here(workload, inputs, overrides).items()}


def _joined(parts: list[Columns]) -> Columns:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
