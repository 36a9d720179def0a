"""The wheel, installed alone into an empty folder, does everything that the README says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.test_stated_jobs import AXOLOTL

PLACES = {
    "before/my-job.yaml": "scenarios/my-job.yaml",
    "after/my-job.yaml": "newer/my-job.yaml",
    "out/x/x.xlsx": "out/my-job/my-job.xlsx",
    "my-job.yaml": "made/my-job.yaml",
}
"""What stands for the files that the README speaks of."""
DRIVER = """
import contextlib, io, json, sys
import memreport
from memreport.commands.main import main

said = {}
for line in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(line.split())
        except SystemExit as stop:
            code = stop.code
    said[line] = [code, len(out.getvalue()), err.getvalue()]
said["estimate"] = [0, len(memreport.estimate("scenarios/my-job.yaml")), memreport.__file__]
print(json.dumps(said))
"""
"""One process for all commands: each would import the same again."""


def readme_commands() -> list[str]:
    """The commands of the section Use, each alternative a command, without their remarks."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    memreport (.*?) *(?:#.*)?$", text, re.MULTILINE)
    return [part.strip() for line in lines for part in line.split(" | ")]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as pip unpacks it, beside nothing else of the project."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile",
           "--disable-pip-version-check", "--target", str(folder / "site"), str(wheel)]  # fmt: skip
    subprocess.run(pip, check=True, capture_output=True)
    return folder / "site"


def test_every_command_of_the_readme_runs(installed: Path, tmp_path: Path) -> None:
    commands = readme_commands()
    assert len(commands) > 12
    for folder in ("scenarios", "newer"):
        (tmp_path / folder).mkdir()
    shutil.copy(next((ROOT / "tests" / "data" / "configs").glob("*.json")), tmp_path / "config.json")
    (tmp_path / "axolotl.yaml").write_text(AXOLOTL, encoding="utf-8")
    first = ["new scenarios/my-job.yaml", "new newer/my-job.yaml"]
    asked = [*first, *(" ".join(PLACES.get(word, word) for word in one.split()) for one in commands)]
    env = {name: value for name, value in os.environ.items() if name != "MEMREPORT_DATA"}
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], cwd=tmp_path, env={**env, "PYTHONPATH": str(installed)},
        input=json.dumps(asked), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout)
    assert Path(said.pop("estimate")[2]).is_relative_to(installed)
    assert {one: (code, error) for one, (code, _, error) in said.items() if code != 0} == {}
    for name in ("out/my-job/my-job.pdf", "out/my-job/my-job.html", "out/index.html", "calculator.html"):
        assert (tmp_path / name).is_file(), name
