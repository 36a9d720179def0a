"""What is published of every scenario of the repository, made once for all tests of a run and all of its processes."""

from __future__ import annotations

import fcntl
import io
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memreport.advise.decide import Decision, decide
from memreport.build.ledger_files import ledger_files
from memreport.build.outputs import files_of, reported
from memreport.compute import Computed
from memreport.figures.registry import figures_by_name
from memreport.formula.recording import Figure
from memreport.report.records.report import Report
from tests.support import published

KNOWN: dict[str, Computed] = {one.resolved.loaded.scenario.id: one for one in published()}
IDS = list(KNOWN)
_folder: list[Path] = []


@dataclass(frozen=True)
class Published:
    """The report of a scenario and the files that `build` writes of it."""

    report: Report
    workbook: Path
    sheet: bytes
    data: bytes


def share(factory: pytest.TempPathFactory, several: bool) -> None:
    """Say where the processes of this run keep what they share."""
    own = factory.getbasetemp()
    _folder[:] = [own.parent if several else own]


def shared_folder() -> Path:
    """Where that is."""
    return _folder[0]


@cache
def decided(id_: str) -> Decision:
    """What is advised on a scenario; it is read, never changed."""
    return decide(KNOWN[id_])


@cache
def told(id_: str) -> Report:
    """What is said of a scenario."""
    made: Report = once(f"{id_}.report", lambda: reported(decided(id_)))
    return made


@cache
def published_files(id_: str) -> Published:
    """All that is published of a scenario; the workbook stands at one place, so that it is read once."""
    report = told(id_)
    files: dict[str, bytes] = once(f"{id_}.files", lambda: files_of(decided(id_), report, ("json", "xlsx", "pdf")))
    workbook = _folder[0] / f"{id_}.xlsx"
    once(f"{id_}.written", lambda: workbook.write_bytes(files[workbook.name]))
    return Published(report, workbook, files[f"{id_}.pdf"], files[f"{id_}.json"])


def documented_file(kind: str) -> bytes:
    """The report on all documented figures, as one kind of file."""
    made: bytes = once(f"documented.{kind}", lambda: ledger_files((kind,))[f"documented.{kind}"])
    return made


@cache
def documented_book() -> Path:
    """The workbook of all documented figures, at one place, so that it is read once."""
    path = _folder[0] / "documented.xlsx"
    once("documented.written", lambda: path.write_bytes(documented_file("xlsx")))
    return path


def once(name: str, make: Callable[[], Any]) -> Any:
    """What `make` returns, made by the first process that asks and read by the others."""
    kept = _folder[0] / f"{name}.pickle"
    with (_folder[0] / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_bytes(_pickled(make()))
    return pickle.loads(kept.read_bytes())  # noqa: S301  # this run has written it


class _Pickler(pickle.Pickler):
    """A figure is pickled by its name: in its module or, where it is a row, in the register."""

    def reducer_override(self, one: Any) -> Any:
        if not isinstance(one, Figure):
            return NotImplemented
        module = one.formula.__module__
        return (_figure, (module, one.name)) if hasattr(sys.modules[module], one.name) else (_row, (one.name,))


def _figure(module: str, name: str) -> Any:
    return getattr(sys.modules[module], name)


def _row(name: str) -> Any:
    return next(found[name] for found in map(figures_by_name, ("training", "serving")) if name in found)


def _pickled(one: Any) -> bytes:
    out = io.BytesIO()
    _Pickler(out).dump(one)
    return out.getvalue()
