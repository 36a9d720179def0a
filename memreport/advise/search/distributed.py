"""The search over a Dask cluster, for spaces past one machine: the same blocks, evaluated elsewhere."""

from __future__ import annotations

from typing import Any

from memreport.advise.search.search import BLOCK, Block, Runner, SearchLimits, SearchPart, blocks, evaluate
from memreport.advise.search.space import Space
from memreport.distributed import connected, need_address

BLOCKS_A_TASK = 8


def on_cluster(scheduler: str, block: int = BLOCK) -> Runner:
    """A runner on the cluster at the address.

    Raises InputError without an address; when run, MachineError where Dask is missing or nobody answers.
    """
    need_address(scheduler)

    def runner(space: Space, limits: SearchLimits) -> list[SearchPart]:
        client = connected(scheduler)
        try:
            return _gathered(client, space, limits, block)
        finally:
            client.close()

    return runner


def _gathered(client: Any, space: Space, limits: SearchLimits, limit: int) -> list[SearchPart]:
    """Parts of all blocks.  The space is a task too, so that whatever a lost worker held is computed again."""
    shared = client.submit(_same, space, pure=False)
    listed = list(blocks(space.shape, limit))
    tasks = [listed[index : index + BLOCKS_A_TASK] for index in range(0, len(listed), BLOCKS_A_TASK)]
    futures = client.map(_evaluated, tasks, space=shared, limits=limits, pure=False)
    return [part for parts in client.gather(futures) for part in parts]


def _same(space: Space) -> Space:
    return space


def _evaluated(task: list[Block], space: Space, limits: SearchLimits) -> list[SearchPart]:
    return [evaluate(space, block, limits) for block in task]
