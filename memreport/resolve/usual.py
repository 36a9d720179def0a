"""The host that GPUs stand in where nobody stated one."""

from __future__ import annotations

import math
from collections.abc import Iterator

from memreport.catalogue.load import Catalogue
from memreport.catalogue.records import Key, Table
from memreport.catalogue.scenario import dictionary


def usual_host(catalogue: Catalogue, gpu: Key, count: float) -> str:
    """The host that GPUs are usually in, as their file says; a few may have another, which has less memory."""
    table = catalogue.tables["accelerators"]
    if gpu not in table.ids:
        return _default_host()
    few = _holding(catalogue.tables["hosts"], table.text("host_alone", gpu), count)
    return few or table.text("host", gpu) or _default_host()


def usual_hosts(catalogue: Catalogue, gpu: Key) -> Iterator[tuple[float | None, str]]:
    """Hosts of a GPU by how many stand in them at most, the smallest first; None is any number."""
    sizes = sorted({*map(float, catalogue.tables["hosts"].columns["host_accelerators"].values)})
    any_number = usual_host(catalogue, gpu, math.inf)
    for size in sizes:
        host = usual_host(catalogue, gpu, size)
        if host != any_number:
            yield size, host
    yield None, any_number


def _holding(hosts: Table, host: str, count: float) -> str:
    """The host, or the larger one that its row names, that holds so many GPUs; none where no such one does."""
    for _ in hosts.ids:  # a chain that leads back is a fault of its file, and is not followed
        if host not in hosts.ids or count <= hosts.columns["host_accelerators"].values[hosts.row(host)]:
            return host
        host = hosts.text("larger", host)
    return ""


def _default_host() -> str:
    return str(dictionary()["host"].default)
