"""The search on a cluster of two worker processes: identical, also when one of them dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memreport.advise.plan import job_at
from memreport.advise.rerun import Job
from memreport.advise.search import distributed as elsewhere
from memreport.advise.search.combinations import find
from memreport.advise.search.distributed import on_cluster
from memreport.catalogue.fields.search import SearchFields
from memreport.errors import InputError, MachineError
from tests.support import ROOT

LARGE = ROOT / "scenarios/llama3-70b-8xa100.yaml"
BLOCK = SearchFields(accelerator=["a100-80gb-sxm", "mi300x"], count=[8, 16], method=["full", "lora"])
distributed = pytest.importorskip("dask.distributed", reason="the dask extra is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")


def job_of_some_thousands() -> Job:
    job = job_at(LARGE)
    scenario = job.loaded.scenario.model_copy(update={"search": BLOCK})
    return replace(job, loaded=replace(job.loaded, scenario=scenario))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


def test_two_processes_give_the_identical_result(cluster: Any) -> None:
    job = job_of_some_thousands()
    assert find(job, on_cluster(cluster.scheduler_address, 1024)) == find(job)


class Killing:
    """A client that kills a worker once some of the work is done, and notes how much was not."""

    def __init__(self, client: Any, pid: int) -> None:
        self.client, self.pid, self.left = client, pid, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def gather(self, futures: list[Any]) -> list[Any]:
        """What `Client.gather` gives, with one worker gone."""
        while not any(future.done() for future in futures):
            time.sleep(0.005)
        os.kill(self.pid, signal.SIGKILL)
        self.left = sum(not future.done() for future in futures)
        return list(self.client.gather(futures))


def test_a_lost_worker_loses_nothing(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed while it works: whatever it held or was computing is computed again, and the answer is identical."""
    job, made = job_of_some_thousands(), []
    pid = next(iter(cluster.workers.values())).pid

    def killing(scheduler: str) -> Killing:
        made.append(Killing(connect(scheduler), pid))
        return made[0]

    connect = elsewhere._client  # a worker can only be killed from within a search
    monkeypatch.setattr(elsewhere, "_client", killing)
    found = find(job, on_cluster(cluster.scheduler_address, 256))
    assert made[0].left > 0, "nothing was left to do when the worker was killed"
    assert pid not in [worker.pid for worker in cluster.workers.values()]
    assert found == find(job)


def test_nobody_at_the_address_is_told_in_one_line(tmp_path: Path) -> None:
    code = (
        "import sys; from memreport.commands.main import main; "
        f"sys.exit(main(['plan', {str(LARGE)!r}, '--policy', 'search', '--engine', 'dask', '--scheduler', 'tcp://127.0.0.1:9']))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ran.returncode == MachineError.exit_code
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_an_address_is_needed() -> None:
    with pytest.raises(InputError, match="--scheduler: is needed with --engine dask"):
        on_cluster("")
