"""Completion and manual: made of every option that the parser has, and understood by the programs that read them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memreport.commands.completion.words import CommandWords, commands_of
from memreport.commands.main import main
from memreport.commands.parser import COMMANDS, parser_of

Said = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def commands() -> tuple[CommandWords, ...]:
    return commands_of(parser_of(tuple(COMMANDS)))


def said(capsys: Said, *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_option_is_completed(shell: str, commands: tuple[CommandWords, ...], capsys: Said) -> None:
    text = said(capsys, "completion", shell)
    assert {one.name for one in commands} == set(COMMANDS)
    for one in commands:
        for flag in (one.name, *one.flags):
            wanted = flag if shell != "fish" else flag.lstrip("-")
            assert wanted in text, (one.name, flag)
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=text, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("memreport", "gat"), {"gate"}),
        (("memreport", "build", "--form"), {"--formats"}),
        (("memreport", "schema", "--kind", "p"), {"policy", "portfolio", "prices"}),
        (("memreport", "completion", "b"), {"bash"}),
        (("memreport", "show", "--format", ""), {"table", "json", "markdown"}),
    ],
)
def test_bash_answers(words: tuple[str, ...], expected: set[str], capsys: Said, tmp_path: Path) -> None:
    if shutil.which("bash") is None and not os.environ.get("CI"):
        pytest.skip("bash is not installed")
    script = tmp_path / "completion.bash"
    script.write_text(said(capsys, "completion", "bash"), encoding="utf-8")
    array = " ".join(f"'{word}'" for word in words)
    asked = f". {script}; COMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; _memreport; echo ${{COMPREPLY[@]}}"
    found = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True).stdout
    assert set(found.split()) == expected


def test_the_manual_names_every_option_and_can_be_read(commands: tuple[CommandWords, ...], capsys: Said) -> None:
    text = said(capsys, "man")
    for one in commands:
        assert f".SS {one.name}\n" in text
        for flag in one.flags:
            escaped = flag.replace("-", "\\-")
            assert f"\\fB{escaped}\\fR" in text, (one.name, flag)
    if shutil.which("man"):
        asked = ["man", "--warnings", "-l", "-"]
        made = subprocess.run(asked, input=text, capture_output=True, text=True, check=False)
        assert "warning" not in made.stderr, made.stderr
