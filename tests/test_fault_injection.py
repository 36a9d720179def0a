"""The n-th read, write, rename or fork of a build fails: it says so, leaves whole files or none, the next one works.

All calls that concern the job's own folders fail in turn; of those for packaged data, hundreds alike, a sample.
"""

from __future__ import annotations

import builtins
import errno
import io
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memreport.build import outputs
from memreport.catalogue import load
from memreport.catalogue.yaml import packaged
from memreport.commands.main import main
from memreport.compute import Computed
from memreport.files import sole_writer
from memreport.paths import data_root
from memreport.report.records.changes.versions import VersionComparison
from tests.part import WHOLE
from tests.support import scenario_text

EVERY, EVERY_OWN = (100, 1) if WHOLE else (300, 6)
"""Of the calls for packaged data and code, and of those in the job's own folders, one in so many fails."""
OLD, NEW = 2, 3
PARTS = 2
"""The loop over all calls, in parts that run side by side."""


class _Raw(io.FileIO):
    """A file whose reads and writes are counted, and may fail."""

    injector: _Injector
    place: str

    def readinto(self, buffer: Any, /) -> int | None:
        self.injector.count("read", self.place)
        return super().readinto(buffer)

    def readall(self) -> bytes:
        self.injector.count("read", self.place)
        return super().readall()

    def write(self, data: Any, /) -> int:
        try:
            self.injector.count("write", self.place)
        except OSError:
            super().write(bytes(data)[: len(data) // 2])  # a disk is full in the middle of a file
            raise
        return super().write(data)


class _Injector:
    """Counts the calls that concern these folders; the one that is asked for fails, and only once."""

    def __init__(self, folders: tuple[Path, ...], fails: int = -1) -> None:
        self.folders, self.fails, self.seen = tuple(map(str, folders)), fails, list[tuple[str, str]]()

    def count(self, kind: str, place: object) -> None:
        if isinstance(place, int) or not str(Path(str(place)).absolute()).startswith(self.folders):
            return
        self.seen.append((kind, str(place)))
        if len(self.seen) - 1 == self.fails:
            code = errno.EAGAIN if kind == "fork" else errno.ENOSPC if kind in ("write", "rename") else errno.EIO
            raise OSError(code, os.strerror(code), str(place))


@contextmanager
def injected(monkeypatch: pytest.MonkeyPatch, injector: _Injector) -> Iterator[None]:
    """Every way that the program has to a file or a process, as it finds it by name."""
    whole = {"open": io.open, "os.open": os.open, "fdopen": os.fdopen, "fork": subprocess._fork_exec}  # type: ignore[attr-defined]
    places: dict[int, str] = {}

    def opened(file: Any, mode: str = "r", *rest: Any, **words: Any) -> Any:
        if isinstance(file, int) or not str(Path(file).absolute()).startswith(injector.folders):
            return whole["open"](file, mode, *rest, **words)
        injector.count("open", file)
        return _stream(injector, os.fspath(file), str(file), mode, words.get("encoding"))

    def low(path: Any, *rest: Any, **words: Any) -> int:
        injector.count("open", path)
        handle: int = whole["os.open"](path, *rest, **words)
        places[handle] = str(path)
        return handle

    def from_handle(handle: int, mode: str = "r", *rest: Any, **words: Any) -> Any:
        if handle not in places:
            return whole["fdopen"](handle, mode, *rest, **words)
        return _stream(injector, handle, places.pop(handle), mode, words.get("encoding"))

    def counted(name: str, kind: str) -> Callable[..., Any]:
        plain = getattr(os, name)

        def call(path: Any, *rest: Any, **words: Any) -> Any:
            injector.count(kind, places.get(path, path) if isinstance(path, int) else path)
            return plain(path, *rest, **words)

        return call

    def forked(*arguments: Any) -> int:
        injector.count("fork", injector.folders[0])
        pid: int = whole["fork"](*arguments)
        return pid

    packaged._read.cache_clear()  # what was read for an earlier build would not be read, and not fail
    with monkeypatch.context() as patch:
        for name, kind in (
            ("rename", "rename"),
            ("replace", "rename"),
            ("fsync", "write"),
            ("chmod", "write"),
            ("mkdir", "write"),
        ):
            patch.setattr(os, name, counted(name, kind))
        patch.setattr(os, "open", low)
        patch.setattr(os, "fdopen", from_handle)
        patch.setattr(io, "open", opened)
        patch.setattr(builtins, "open", opened)
        patch.setattr(subprocess, "_fork_exec", forked)
        yield


def _stream(injector: _Injector, file: Any, place: str, mode: str, encoding: str | None) -> Any:
    raw = _Raw(file, mode.replace("b", "").replace("t", ""))
    raw.injector, raw.place = injector, place
    buffered: Any = io.BufferedReader(raw) if raw.readable() else io.BufferedWriter(raw)
    return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding=encoding or "utf-8")


@pytest.fixture(scope="module")
def made() -> dict[tuple[str, str], Any]:
    """What was made, by its inputs."""
    return {}


@pytest.fixture(autouse=True)
def _made_once(monkeypatch: pytest.MonkeyPatch, made: dict[tuple[str, str], Any]) -> None:
    """What is made of equal inputs is made once: reading, writing and starting fail here, not computing."""
    plain = outputs.make

    def make(computed: Computed, kinds: Sequence[str], since: VersionComparison | None = None) -> Any:
        key = computed.resolved.loaded.sha256, f"{kinds} {since}"
        if key not in made:
            made[key] = plain(computed, kinds, since)
        return made[key]

    monkeypatch.setattr(outputs, "make", make)
    monkeypatch.setattr(os, "fsync", lambda _: None)  # waiting for a disk shows nothing here


class Job:
    """One scenario with hardware, a table, a model and an older version of its own, and where it is published."""

    def __init__(self, folder: Path) -> None:
        self.given, self.out = folder / "given", folder / "out"
        for name in ("hardware", "previous", "models"):
            (self.given / name).mkdir(parents=True)
        price = (
            "schema: 1\nprices:\n  - {id: ours, kind: rent, accelerator: a100-80gb-sxm, usd_per_accelerator_hour: 2, "
            "currency: USD, date: 2026-11-01, source: {title: offer}}\n"
        )
        (self.given / "hardware" / "prices.yaml").write_text(price)
        (self.given / "previous" / "case.yaml").write_text(self.text(1))

    @staticmethod
    def text(version: int) -> str:
        cost = f"{{basis: rent, price: ours, hours: {10 * version}}}"
        return scenario_text(
            version=version, model="llama-3.2-1b", cost=cost, hardware="{accelerator: a100-80gb-sxm, count: 1}"
        )

    def written(self, version: int) -> None:
        """The scenario as it is to be built next."""
        (self.given / "case.yaml").write_text(self.text(version))

    def build(self, version: int = 0, jobs: int = 1) -> int:
        """One build, in this process, as if it had just begun; 0 is the version that is written already."""
        load._kept.cache_clear()
        if version:
            self.written(version)
        arguments = [str(self.given), "--out", str(self.out), "--formats", "json,html", "--jobs", str(jobs)]
        return main(["build", *arguments])

    def published(self) -> dict[str, bytes]:
        """Every file that a reader sees, by name."""
        files = [path for path in self.out.rglob("*") if path.is_file()] if self.out.exists() else []
        return {
            path.relative_to(self.out).as_posix(): path.read_bytes() for path in files if path.name != ".stamps.json"
        }


def whole(name: str, data: bytes, *builds: dict[str, bytes]) -> bool:
    """Whether a file is one of these builds; a list of what is there may also lack the scenario that failed."""
    if data in [one.get(name) for one in builds]:
        return True
    if name.endswith(".html"):
        return data.endswith(b"</html>\n")
    return "/" not in name and isinstance(json.loads(data), dict)


def _chosen(seen: list[tuple[str, str]], own: Path) -> list[int]:
    """Which calls fail: all in the job's own folders but the last read of a file, which finds its end; some others."""
    ours = [at for at, (_, place) in enumerate(seen) if place.startswith(str(own))]
    others = [at for at in range(len(seen)) if at not in set(ours)]
    ends = {at for at in ours if at and seen[at][0] == "read" and seen[at] == seen[at - 1]}
    return sorted([*[at for at in ours if at not in ends][::EVERY_OWN], *others[::EVERY]])


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_fails_files_are_whole_and_the_next_build_works(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    job, folders = (
        Job(tmp_path),
        (tmp_path, data_root() / "scenarios", data_root() / "hardware", data_root() / "templates"),
    )
    assert job.build(NEW) == job.build(OLD) == 0
    before = job.published()
    shutil.copytree(job.out, tmp_path / "kept")
    counting = _Injector(folders)
    job.written(NEW)
    with injected(monkeypatch, counting):
        assert job.build() == 0
    after = job.published()
    assert before.keys() == after.keys()
    assert before != after
    assert {kind for kind, _ in counting.seen} >= {"open", "read", "write", "rename"}
    failed = 0
    for at in _chosen(counting.seen, tmp_path)[part::PARTS]:
        shutil.rmtree(job.out)
        shutil.copytree(tmp_path / "kept", job.out)
        with injected(monkeypatch, _Injector(folders, at)):
            code = job.build()
        said, told = capsys.readouterr().err, f"call {at}, {counting.seen[at]}"
        failed += bool(code)
        assert code in (0, 2, 3), f"{told}: {said}"
        assert "Traceback" not in said, told
        assert "Error:" not in said, f"{told}: {said}"
        found = job.published()
        assert not [name for name, data in found.items() if not whole(name, data, before, after)], told
        assert found.keys() == before.keys(), told
        if not code:
            assert found == after, told
        assert job.build() == 0, told
        assert job.published() == after, told
        capsys.readouterr()
    assert failed > len(after) / PARTS / EVERY_OWN


def test_a_first_build_that_fails_leaves_no_part_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    job = Job(tmp_path)
    assert job.build(NEW) == 0
    after = job.published()
    counting = _Injector((job.out,))
    _emptied(job.out)
    with injected(monkeypatch, counting):
        assert job.build() == 0
    for at in _chosen(counting.seen, job.out):
        _emptied(job.out)
        with injected(monkeypatch, _Injector((job.out,), at)):
            job.build()
        assert "Traceback" not in capsys.readouterr().err
        found = job.published()
        assert not [name for name, data in found.items() if not whole(name, data, after)], counting.seen[at]
    assert job.build(NEW) == 0
    assert job.published() == after


def _emptied(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_process_that_cannot_be_started_is_said(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import _posixsubprocess

    job = Job(tmp_path)
    (job.given / "other.yaml").write_text(scenario_text("other", model="llama-3.2-1b"))
    forks, plain = iter(range(100)), _posixsubprocess.fork_exec

    def fork(*arguments: Any) -> int:
        if next(forks) == at:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return plain(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(_posixsubprocess, "fork_exec", fork)
        code = job.build(NEW, jobs=2)
    said = capsys.readouterr().err
    assert code in (0, 2, 3), said
    assert "Traceback" not in said
    assert job.build(NEW) == 0
    assert {"case/case.json", "other/other.json", "index.html"} <= job.published().keys()


def test_git_that_cannot_be_started_costs_no_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(tmp_path)
    (job.given / "previous" / "case.yaml").unlink()

    def fork(*_: Any) -> int:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(subprocess, "_fork_exec", fork)
    assert job.build(NEW) in (0, 2)


def test_two_builds_at_once_in_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = Job(tmp_path)
    assert job.build(NEW) == 0
    whole = job.published()
    with sole_writer(job.out):
        assert job.build(OLD) == 2
    assert "another build is writing there" in capsys.readouterr().err
    assert job.published() == whole
    assert job.build(NEW) == 0


def test_two_processes_build_into_one_folder_and_one_of_them_wins(tmp_path: Path) -> None:
    job = Job(tmp_path)
    (job.given / "case.yaml").write_text(job.text(NEW))
    command = [
        sys.executable,
        "-m",
        "memreport",
        "build",
        str(job.given),
        "--out",
        str(job.out),
        "--formats",
        "json,html",
    ]
    done: list[subprocess.CompletedProcess[str]] = []

    def run() -> None:
        done.append(subprocess.run([*command, "--jobs", "1"], capture_output=True, text=True, check=False))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert 0 in [each.returncode for each in done]
    for each in done:
        assert each.returncode == 0 or (each.returncode == 2 and "another build is writing there" in each.stderr)
    first = job.published()
    assert job.build(NEW) == 0
    assert job.published() == first
    assert not list(job.out.rglob(".*.part"))
