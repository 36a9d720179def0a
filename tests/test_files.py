"""One reader for every file: regular, bounded, text; one writer: whole, with the mode that the user's umask leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memreport import strict_json
from memreport.commands.main import main
from memreport.errors import InputError
from memreport.files import MOST_YAML, digest_of, read_bytes, read_text, sha256, write_whole
from tests.support import ROOT, scenario_text

LLAMA = ROOT / "tests/data/configs/llama-3-8b.json"


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def huge(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(3 << 30)


STRANGE: tuple[Callable[[Path], None], ...] = (pipe, device, dangling, loop, huge, Path.mkdir)
OWN = ("hardware/prices.yaml", "hardware/hosts.yaml", "hardware/accelerators/mine.yaml")
BESIDE = ("reference/optimizers.yaml", "models/mine.yaml", "previous/case.yaml", "config.json")


@pytest.mark.parametrize("make", STRANGE)
def test_nothing_but_a_bounded_regular_file_is_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "strange")
    with pytest.raises(InputError, match=r"strange: (cannot be read|is too large)"):
        read_bytes(tmp_path / "strange", 1000)


@pytest.mark.parametrize("make", STRANGE)
@pytest.mark.parametrize("command", ["show", "verify", "import-model", "audit", "plan"])
def test_no_command_waits_for_a_strange_file(
    tmp_path: Path, make: Callable[[Path], None], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path / "strange.yaml")
    assert main([command, str(tmp_path / "strange.yaml")]) == 2
    assert "strange.yaml" in "".join(capsys.readouterr())


@pytest.mark.parametrize("make", [pipe, dangling])
@pytest.mark.parametrize("name", [*OWN, *BESIDE])
def test_a_strange_file_beside_a_scenario_is_not_skipped(
    tmp_path: Path, make: Callable[[Path], None], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"models/mine.yaml": "mine", "config.json": "config.json"}
    model = {"model": given[name]} if name in given else {}
    (tmp_path / "case.yaml").write_text(scenario_text(version="2", **model), encoding="utf-8")
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    command = ["build", "--out", str(tmp_path / "out"), "--formats", "json"] if "previous" in name else ["show"]
    assert main([*command, str(tmp_path / "case.yaml")]) == 2
    error = capsys.readouterr().err
    assert name in error
    assert "cannot be read" in error


@pytest.mark.parametrize(
    ("data", "place"), [(b"a\nb\xff", "2:2: is not UTF-8 text (found byte 0xFF at offset 3"), (b"\xc3", "1:1: ")]
)
def test_bytes_that_are_no_text_are_named_with_their_place(tmp_path: Path, data: bytes, place: str) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_text(tmp_path / "f", 100)
    assert str(caught.value).removeprefix(f"{tmp_path}/f:").startswith(place)


def test_a_previous_version_that_is_no_text_is_a_fault_with_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "case.yaml").write_text(scenario_text(version="2"), encoding="utf-8")
    (tmp_path / "previous").mkdir()
    (tmp_path / "previous" / "case.yaml").write_bytes(b"version: 1\ntitle: \xff\n")
    assert main(["build", "--out", str(tmp_path / "out"), "--formats", "json", str(tmp_path / "case.yaml")]) == 2
    assert "previous/case.yaml:2:8: is not UTF-8 text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 65 + "]" * 65, "nested more than 64 deep"),
        ('{"a": {"b": [1, ' + "9" * 401 + "]}}", "a.b.1: is a number that is too long (found 401 digits)"),
        ('{"a": [{"x": 1, "x": 2}]}', "a.0.x: is given twice"),
        (r'{"a": "\u001b[2J"}', "a: invisible and control characters are not allowed (found U+001B)"),
        (r'{"a\u202e": 1}', "found U+202E"),
        (r'{"a": "\ud800"}', "found U+D800"),
        ('{"a": 1,}', "f:1:9: is not JSON"),
    ],
)
def test_json_is_read_strictly(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        strict_json.parse(text, "f")
    assert said in str(caught.value)


def test_brackets_in_texts_are_not_deep() -> None:
    assert strict_json.parse('{"a": "' + r"\"[" * 100 + '"}', "f") == {"a": '"[' * 100}


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o027])
def test_a_published_file_has_the_mode_that_the_umask_leaves(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "f", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o666 & ~umask
    assert [one.name for one in tmp_path.iterdir()] == ["f"]


def test_a_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * (MOST_YAML * 3))
    assert digest_of(tmp_path / "f") == sha256(b"x" * (MOST_YAML * 3))


def started(line: str) -> subprocess.CompletedProcess[str]:
    command = f"exec {sys.executable} -m memreport {line}"
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.parametrize("closed", [">&-", "> /dev/full", "<&- >&-"])
@pytest.mark.parametrize("command", ["list", "--version", "--help"])
def test_an_output_that_takes_nothing_is_one_line(command: str, closed: str) -> None:
    done = started(f"{command} {closed}")
    assert done.returncode == 2
    assert done.stderr.startswith("memreport: the output: ")
    assert done.stderr.count("\n") == 1


def test_a_closed_stderr_moves_no_message_to_the_output() -> None:
    done = started("show nowhere.yaml 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_a_reader_that_leaves_is_no_error() -> None:
    done = started("list accelerators | true")
    assert (done.returncode, done.stderr) == (0, "")
