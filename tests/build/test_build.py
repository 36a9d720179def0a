"""A build: what fails costs the others nothing, what is killed leaves whole files, what is unchanged is left alone."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memreport.build import outputs, workers
from memreport.build.stamps import GONE, stamp
from memreport.commands.main import main
from memreport.compute import Computed
from memreport.errors import PublishingError
from memreport.files import sole_writer
from tests.support import ROOT, scenario_text

KILLS = 3


def three(folder: Path) -> Path:
    given = folder / "given"
    given.mkdir()
    for id_ in ("first", "second", "third"):
        (given / f"{id_}.yaml").write_text(scenario_text(id_), encoding="utf-8")
    return given


def build(given: Path, *more: str, kinds: str = "json") -> int:
    return main(["build", str(given), "--out", str(given.parent / "out"), "--formats", kinds, "--jobs", "1", *more])


def made(given: Path) -> set[str]:
    return {path.parent.name for path in (given.parent / "out").glob("*/*.json")}


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_bad_input_publishes_nothing_unless_told_to_keep_going(tmp_path: Path, capsys: Any) -> None:
    given = three(tmp_path)
    (given / "second.yaml").write_text("id: [\n", encoding="utf-8")
    assert build(given) == 2
    assert made(given) == set()
    assert not (tmp_path / "out").exists()
    assert "second.yaml:2" in said(capsys)[-1]
    assert build(given, "--keep-going") == 2
    assert made(given) == {"first", "third"}
    *_, summary, last = said(capsys)
    assert "2 built, 0 unchanged" in summary
    assert last == "memreport: failed: second"


def failing(monkeypatch: pytest.MonkeyPatch, *names: str, error: BaseException) -> None:
    whole = outputs.make

    def make(computed: Computed, kinds: Any, since: Any) -> outputs.PublishedFiles:
        if computed.resolved.loaded.scenario.id in names:
            raise error
        return whole(computed, kinds, since)

    monkeypatch.setattr(outputs, "make", make)


@pytest.mark.parametrize(
    ("error", "text", "code"),
    [
        (PublishingError("too long"), "second: too long", 2),
        (KeyError("slip"), "second: internal error: KeyError: 'slip'", 70),
    ],
)
def test_a_scenario_that_cannot_be_published_stops_the_others_only_by_default(
    error: Exception, text: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    given = three(tmp_path)
    failing(monkeypatch, "second", error=error)
    assert build(given) == code
    assert made(given) == {"first"}
    *_, left, last = found = said(capsys)
    assert any(line.startswith(f"memreport: {text}") for line in found)
    assert left == "memreport: stopped there; not built: 1 (third)"
    assert last == "memreport: failed: second; --keep-going builds the others"
    assert build(given, "--keep-going", "--explain") == code
    assert made(given) == {"first", "third"}
    assert said(capsys)[-1] == "memreport: failed: second"
    monkeypatch.undo()
    assert build(given, "--explain") == 0
    assert "memreport: second: not built before" in said(capsys)


def test_an_interrupted_build_keeps_what_it_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = three(tmp_path)
    failing(monkeypatch, "second", error=KeyboardInterrupt())
    assert build(given) == 130
    monkeypatch.undo()
    said(capsys)
    assert build(given, "--explain") == 0
    assert "memreport: first: unchanged" in said(capsys)


def test_workers_are_replaced_in_rounds_and_all_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SCENARIOS_PER_WORKER", 1)
    given = three(tmp_path)
    assert build(given, "--jobs", "2") == 0
    assert made(given) == {"first", "second", "third"}


def test_only_one_build_writes_to_a_folder(tmp_path: Path, capsys: Any) -> None:
    given = three(tmp_path)
    with sole_writer(tmp_path / "out"):
        assert build(given) == 2
    assert "another build is writing there" in said(capsys)[-1]
    assert build(given) == 0


@pytest.mark.parametrize(
    ("out", "found"), [("three.yaml", "three.yaml, which is no folder"), ("/proc/xx", "cannot be made: No such file")]
)
def test_a_build_into_what_is_no_folder_names_the_option(out: str, found: str, tmp_path: Path, capsys: Any) -> None:
    given = three(tmp_path)
    (tmp_path / "three.yaml").write_text("kept", encoding="utf-8")
    assert main(["build", str(given), "--out", str(tmp_path / out)]) == 2
    (line,) = said(capsys)
    assert "--out: must be a folder, or the name of one that can be made (found /" in line
    assert found in line


def changed_text(given: Path) -> str:
    path = given / "first.yaml"
    times = path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace("a test's own case", "another's own case"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # the same size and date
    return "first: its file has changed"


def one_more(given: Path) -> str:
    (given / "fourth.yaml").write_text(scenario_text("fourth"), encoding="utf-8")
    return "fourth: not built before"


def one_gone(given: Path) -> str:
    (given.parent / "out" / "third" / "third.json").unlink()
    return "third: third/third.json is missing"


def one_spoilt(given: Path) -> str:
    (given.parent / "out" / "third" / "third.json").write_text("{}")
    return "third: third/third.json was changed by somebody else"


def a_card_of_ones_own(given: Path) -> str:
    (given / "models").mkdir()
    card = (ROOT / "scenarios/models/llama-2-7b.yaml").read_text(encoding="utf-8")
    (given / "models" / "llama-2-7b.yaml").write_text(card + "# mine\n", encoding="utf-8")
    return "second: what it is made from has changed"


@pytest.mark.parametrize("change", [changed_text, one_more, one_gone, one_spoilt, a_card_of_ones_own])
def test_a_change_is_noticed_and_said(change: Any, tmp_path: Path, capsys: Any) -> None:
    given = three(tmp_path)
    assert build(given) == 0
    expected = change(given)
    said(capsys)
    assert build(given, "--explain") == 0
    assert f"memreport: {expected}" in said(capsys)
    assert build(given, "--explain") == 0
    assert "memreport: first: unchanged" in said(capsys)


def test_a_model_s_configuration_is_part_of_what_a_scenario_is_made_from(tmp_path: Path, capsys: Any) -> None:
    given, config = three(tmp_path), next((ROOT / "tests/data/configs").glob("*lama*.json"))
    (given / "config.json").write_text(config.read_text(encoding="utf-8"), encoding="utf-8")
    (given / "first.yaml").write_text(scenario_text("first", model="config.json"), encoding="utf-8")
    assert build(given) == 0
    (given / "config.json").write_text(config.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    said(capsys)
    assert build(given, "--explain") == 0
    assert "memreport: first: what it is made from has changed" in said(capsys)


def test_what_has_not_changed_is_known_without_the_engine(tmp_path: Path) -> None:
    given = three(tmp_path)
    assert build(given) == 0
    code = (
        "import sys; from memreport.commands.main import main; code = main(sys.argv[1:]); "
        "sys.exit(code or bool({'numpy', 'pydantic', 'yaml', 'jinja2'} & set(sys.modules)))"
    )
    told = ("build", str(given), "--out", str(tmp_path / "out"), "--formats", "json")
    done = subprocess.run([sys.executable, "-c", code, *told], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "0 built, 3 unchanged" in done.stderr) == (0, True)


def test_stamps_of_what_is_not_there() -> None:
    assert stamp("/nowhere/at/all") == GONE


def test_a_writer_that_dies_leaves_the_old_file_and_the_next_build_tidies_up(tmp_path: Path) -> None:
    target = tmp_path / "x" / "x.json"
    target.parent.mkdir()
    target.write_text("old")
    code = (
        "import os, sys; from pathlib import Path; from memreport import files; "
        "os.fsync = lambda handle: os.kill(os.getpid(), 9); files.write_whole(Path(sys.argv[1]), b'new' * 1000)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(target)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert target.read_text() == "old"
    assert len(list(target.parent.iterdir())) == 2
    with sole_writer(tmp_path):
        assert list(target.parent.iterdir()) == [target]


def is_whole(path: Path) -> bool:
    data = path.read_bytes()
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            return book.testzip() is None
    if path.suffix == ".pdf":
        return data.startswith(b"%PDF") and data.rstrip().endswith(b"%%EOF")
    return data.rstrip().endswith(b"</html>") if path.suffix == ".html" else bool(json.loads(data))


def contents(out: Path) -> dict[str, bytes]:
    files = [path for path in out.rglob("*") if path.is_file() and path.name != ".stamps.json"]
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


MEMREPORT = ("-m", "memreport")
# A test run in the background ignores interrupts, and so would what it starts.
HEARING = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"
INTERRUPTIBLE = ("-c", f"{HEARING}; from memreport.commands.main import main; sys.exit(main(sys.argv[1:]))")


RENDERER = """
import shutil, tempfile
from memreport.publish.pdf import render

class Typefaces:
    folder = ""
    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)

typefaces = Typefaces()

def render_pdf(html, date, attachments=(), style=""):
    typefaces.folder = typefaces.folder or tempfile.mkdtemp(prefix="weasyprint-")
    return b"%PDF" + 20 * html.encode() + b"%%EOF"

render.render_pdf = render_pdf
"""
"""Stands in for the slow renderer in every process of a build, which keeps typefaces in a folder until deleted."""


def temporary(given: Path) -> Path:
    """Where the processes of a build put what they remove again."""
    folder = given.parent / "temporary"
    folder.mkdir(exist_ok=True)
    return folder


def started(given: Path, out: Path, program: Sequence[str] = MEMREPORT) -> subprocess.Popen[bytes]:
    (given.parent / "sitecustomize.py").write_text(RENDERER, encoding="utf-8")
    told = ("build", str(given), "--out", str(out), "--formats", "xlsx,pdf,json,html", "--jobs", "2")
    return subprocess.Popen(
        [sys.executable, *program, *told],
        cwd=ROOT,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join((str(given.parent), str(ROOT))), "TMPDIR": str(temporary(given))},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def test_a_build_that_is_killed_leaves_whole_files_and_the_next_one_is_right(tmp_path: Path) -> None:
    given, began = three(tmp_path), time.monotonic()
    (given / "third.yaml").unlink()
    assert started(given, tmp_path / "clean").wait() == 0
    assert not list(temporary(given).iterdir())
    whole, out = time.monotonic() - began, tmp_path / "out"
    assert all(b"</html>" in path.read_bytes() for path in (tmp_path / "clean").rglob("*.pdf")), "the stand-in draws"
    for share in random.sample(range(20, 100), KILLS):
        process = started(given, out)
        time.sleep(whole * share / 100)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        written = [path for path in out.rglob("*") if path.is_file() and not path.name.endswith(".part")]
        assert all(map(is_whole, written)), share
    assert started(given, out).wait() == 0
    assert contents(out) == contents(tmp_path / "clean")
    assert {Path(name).suffix for name in contents(out)} == {".xlsx", ".pdf", ".json", ".html"}


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_an_interrupt_ends_a_build_and_its_workers_at_once(tmp_path: Path) -> None:
    given, out = three(tmp_path), tmp_path / "out"
    process = started(given, out, INTERRUPTIBLE)
    while process.poll() is None and len(started_by_it := children(process.pid)) < 2:
        time.sleep(0.05)
    time.sleep(0.5)  # so that they have begun
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    until = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in started_by_it) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [pid for pid in started_by_it if Path(f"/proc/{pid}").exists()]
    assert not list(out.rglob("*.part"))
    assert not list(temporary(given).iterdir())
