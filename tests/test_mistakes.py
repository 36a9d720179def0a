"""A mistake of ours is one line that can be reported, exit code 70, and nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.build import workers
from memreport.commands import list as listing
from memreport.commands.main import main
from tests.support import scenario_text


def fails(*_: object, **__: object) -> None:
    raise KeyError("not\n\x1bfound")


def test_what_nobody_foresaw_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(listing, "run", fails)
    assert main(["list"]) == 70
    said = capsys.readouterr()
    assert said.out == ""
    first, second = said.err.splitlines()
    assert first.startswith("memreport: internal error: KeyError: ")
    assert "main.py:" in first
    assert "memreport 0" in first
    assert "report" in second
    assert said.err.isprintable() or said.err.replace("\n", "").isprintable()


def test_the_traceback_can_be_asked_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(listing, "run", fails)
    monkeypatch.setenv("MEMREPORT_TRACEBACK", "1")
    assert main(["list"]) == 70
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("error", [MemoryError(), RecursionError("deep"), ZeroDivisionError()])
def test_every_kind_of_mistake_is_caught(
    monkeypatch: pytest.MonkeyPatch, error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    def raises(*_: object) -> None:
        raise error

    monkeypatch.setattr(listing, "run", raises)
    assert main(["list"]) == 70
    assert type(error).__name__ in capsys.readouterr().err


def test_a_build_that_fails_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "case.yaml").write_text(scenario_text(), encoding="utf-8")
    out = tmp_path / "out"
    monkeypatch.setattr(workers, "_published", fails)
    assert main(["build", str(tmp_path / "case.yaml"), "--out", str(out), "--formats", "json"]) == 70
    assert "internal error: KeyError" in capsys.readouterr().err
    assert not list(out.rglob("*.part"))
    assert not (out / "case").exists()


@pytest.mark.parametrize(
    "name", ["con", "nul", "aux", "prn", "com1", "lpt9", "con.a", "nul.b.c", "manifest.json", "a."]
)
def test_an_id_that_no_folder_can_have_is_refused(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"{name}.yaml"
    path.write_text(scenario_text(id=name), encoding="utf-8")
    assert main(["show", str(path)]) == 2
    assert ": id: " in capsys.readouterr().err
    path.unlink()
    assert main(["new", str(path)]) == 2


RECORDS = ("manifest.json", ".stamps.json")
DAMAGED = (
    b"{}",
    b"[]",
    b"null",
    b"7",
    b'"x"',
    b"",
    b"{",
    b"\xff",
    b"[" * 100_000,
    b'{"scenarios": []}',
    b'{"scenarios": {"case": 7}}',
    b'{"digest": "", "scenarios": {"case": {}}}',
)


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_record_of_a_build_counts_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "case.yaml").write_text(scenario_text(), encoding="utf-8")
    out = tmp_path / "out"
    out.mkdir()
    for name in RECORDS:
        (out / name).write_bytes(content)
    command = ["build", str(tmp_path / "case.yaml"), "--out", str(out), "--formats", "json", "--fail-if-does-not-fit"]
    assert main(command) in (0, 1)
    assert (out / "case" / "case.json").is_file()
    assert content not in [(out / name).read_bytes() for name in RECORDS]


@pytest.mark.parametrize("name", RECORDS)
def test_an_edited_record_of_a_build_counts_as_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "case.yaml").write_text(scenario_text(), encoding="utf-8")
    out = tmp_path / "out"
    command = ["build", str(tmp_path / "case.yaml"), "--out", str(out), "--formats", "json", "--fail-if-does-not-fit"]
    assert main(command) in (0, 1)
    whole, manifest = (out / name).read_bytes(), (out / "manifest.json").read_bytes()
    assert b"case" in whole
    (out / name).write_bytes(whole.replace(b"case", b"cas\xc3\xa9", 1))
    assert main(command) in (0, 1)
    assert (out / "manifest.json").read_bytes() == manifest


def test_a_manifest_that_is_no_file_stops_the_build_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "case.yaml").write_text(scenario_text(), encoding="utf-8")
    (tmp_path / "out" / "manifest.json").mkdir(parents=True)
    assert main(["build", str(tmp_path / "case.yaml"), "--out", str(tmp_path / "out"), "--formats", "json"]) == 2
    assert "manifest.json" in capsys.readouterr().err
    assert not (tmp_path / "out" / "case").exists()
