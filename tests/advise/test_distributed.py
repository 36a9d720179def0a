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

import numpy as np
import pytest

from memreport import distributed as tables
from memreport.advise.plan import job_at
from memreport.advise.rerun import Job
from memreport.advise.search import distributed as elsewhere
from memreport.advise.search.combinations import find
from memreport.advise.search.distributed import on_cluster
from memreport.catalogue.fields.search import SearchFields
from memreport.commands.main import main
from memreport.compute import compute
from memreport.errors import DONE, InputError, MachineError
from memreport.resolve import resolve_all
from tests.portfolio.test_portfolio import written as portfolio_file
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

    connect = tables.connected  # a worker can only be killed from within a search
    monkeypatch.setattr(elsewhere, "connected", killing)
    found = find(job, on_cluster(cluster.scheduler_address, 256))
    assert made[0].left > 0, "nothing was left to do when the worker was killed"
    assert pid not in [worker.pid for worker in cluster.workers.values()]
    assert found == find(job)


def test_a_portfolio_computed_elsewhere_is_the_same_in_every_byte(
    cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, said = str(portfolio_file(tmp_path)), []
    for where in ([], ["--engine", "dask", "--scheduler", cluster.scheduler_address]):
        assert main(["show", file, "--format", "json", *where]) == DONE
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_tasks_of_a_few_rows_give_the_identical_table(cluster: Any) -> None:
    resolved = resolve_all([ROOT / "scenarios"])
    whole, parts = compute(resolved), compute(resolved, tables.table_on(cluster.scheduler_address, 29))
    for one, other in zip(whole, parts, strict=True):
        assert one.values.keys() == other.values.keys()
        assert all(np.array_equal(one.values[name], other.values[name], equal_nan=True) for name in one.values)


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
    for wanted in (on_cluster, tables.table_on):
        with pytest.raises(InputError, match="--scheduler: is needed with --engine dask"):
            wanted("")
