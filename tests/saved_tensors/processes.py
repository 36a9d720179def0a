"""Two processes of a distributed job on one machine, which talk by gloo."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

PROCESSES = 2
Counted = Callable[[Mapping[str, Any]], int]
"""What one process counts of a case."""


@contextlib.contextmanager
def _joined(rank: int, port: int) -> Iterator[None]:
    """A process that is one of the job for as long."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=PROCESSES)
    yield
    dist.barrier()
    dist.destroy_process_group()


def _count(rank: int, counted: Counted, port: int, case: Mapping[str, Any], found: Any) -> None:
    with _joined(rank, port):
        found[rank] = counted(case)


def counted_by_first(counted: Counted, case: Mapping[str, Any]) -> int:
    """What the first of the processes counts of a case."""
    with contextlib.closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = mp.get_context("spawn").Manager().dict()
    mp.spawn(_count, (counted, port, case, found), nprocs=PROCESSES)
    return int(found[0])
