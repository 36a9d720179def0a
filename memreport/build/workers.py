"""The processes of a build: replaced in rounds, and none of them stopped by another's failure."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from memreport.catalogue.cached_tables import Folders
from memreport.catalogue.load import LoadedScenario, catalogue_of
from memreport.errors import BAD_INPUT, MACHINE_LACKS, OUR_MISTAKE, InputError, MemreportError
from memreport.files import sha256, write_whole
from memreport.frozen import frozen
from memreport.mistakes import said_of
from memreport.publish.memory import give_back

NEW_OBJECTS = 400_000
"""Objects that are made before the newest are looked through for garbage: Python's 700 take a fifth of a build."""
SCENARIOS_PER_WORKER = 100
"""A worker is replaced after about so many, because WeasyPrint's memory grows slowly."""


@frozen
class Task:
    """One scenario to publish, with the folders that its catalogue is read from."""

    loaded: LoadedScenario
    folders: Folders
    kinds: tuple[str, ...]
    out: Path

    @property
    def id(self) -> str:
        """The scenario's."""
        return self.loaded.scenario.id


@frozen
class Outcome:
    """What became of a task: hashes of its files by name and its line of the catalogue, or why there are none."""

    task: Task
    files: dict[str, str]
    summary: dict[str, Any]
    fault: str = ""
    code: int = 0


def publish(tasks: Sequence[Task], jobs: int) -> Generator[Outcome]:
    """Every task in turn, or several at once, in the order in which they are done; failures are outcomes too."""
    if min(jobs, len(tasks)) <= 1:
        yield from map(publish_one, sorted(tasks, key=_variants, reverse=True))
        return
    whole_round = jobs * SCENARIOS_PER_WORKER
    for start in range(0, len(tasks), whole_round):
        yield from _round(tasks[start : start + whole_round], jobs)


def _round(tasks: Sequence[Task], jobs: int) -> Generator[Outcome]:
    """Processes of their own for some tasks.  (An executor that replaces its workers itself may wait for ever.)"""
    with tempfile.TemporaryDirectory(prefix="memreport-", ignore_cleanup_errors=True) as folder:
        pool = ProcessPoolExecutor(min(jobs, len(tasks)), _context(), initializer=_begin, initargs=(folder,))
        try:
            asked = {pool.submit(publish_one, task): task for task in sorted(tasks, key=_variants, reverse=True)}
            for future in as_completed(asked):
                yield _answer(future, asked[future])
        except KeyboardInterrupt:
            _end(multiprocessing.active_children())  # what they write is whole or not there: nobody need wait for them
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _context() -> BaseContext:
    """Processes that begin with what this one has read; fresh ones where threads or the state of Pango would be copied.

    Forks are asked for on Linux alone: the frameworks of macOS do not bear them.
    """
    plain = sys.platform == "linux" and threading.active_count() == 1 and "weasyprint" not in sys.modules
    if not plain:
        return multiprocessing.get_context("spawn")
    _read_ahead()
    return multiprocessing.get_context("fork")


def _read_ahead() -> None:
    """What every process of a build needs, read once for all of them."""
    import memreport.build.versions.previous
    import memreport.publish.web.page.scenario_page
    import memreport.publish.xlsx.workbook  # noqa: F401
    from memreport.ledger.cited import judged

    judged()


def _variants(task: Task) -> int:
    """The largest workbooks are made first: what they leave in memory has room for those that follow."""
    return len(task.loaded.scenario.variants)


def _end(processes: Iterable[BaseProcess]) -> None:
    for process in processes:
        process.terminate()


def _begin(folder: str) -> None:
    """A process leaves interrupts to its parent, and so what it would remove at its end, which is sudden: typefaces."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = folder


def _answer(future: Future[Outcome], task: Task) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        return Outcome(
            task, {}, {}, "a process of the build ended without an answer; is there memory left?", MACHINE_LACKS
        )


def publish_one(task: Task) -> Outcome:
    """Steps 2 to 5 for one scenario; what goes wrong is said, and concerns no other."""
    try:
        return _published(task)
    except MemreportError as error:
        return Outcome(task, {}, {}, str(error), error.exit_code)
    except OSError as error:
        return Outcome(task, {}, {}, f"{error.filename or 'a file'}: {error.strerror or error}", BAD_INPUT)
    except Exception as error:  # noqa: BLE001  # a mistake of ours in one scenario must not cost the others
        return Outcome(task, {}, {}, said_of(error, ("build",)), OUR_MISTAKE)


@contextmanager
def rarely_collected() -> Iterator[None]:
    """What is there already is not looked through for garbage, and what is made is so rarely."""
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@rarely_collected()
def _published(task: Task) -> Outcome:
    from memreport.advise.comparisons.counts import on_enough_gpus
    from memreport.build.outputs import make
    from memreport.build.versions.previous import since_previous
    from memreport.compute import compute
    from memreport.resolve import resolve

    catalogue = catalogue_of(task.folders)
    computed = on_enough_gpus(compute([resolve(task.loaded, catalogue)])[0])
    if catalogue.faults:  # a file that could be read when the build was planned, and cannot now
        raise InputError(catalogue.faults)
    made = make(computed, task.kinds, since_previous(computed))
    give_back(cycles=True)  # pages refer to themselves: half of what a process holds
    files = {f"{made.id}/{name}": data for name, data in made.files.items()}
    for name, data in files.items():
        write_whole(task.out / name, data)
    return Outcome(task, {name: sha256(data) for name, data in files.items()}, made.summary)
