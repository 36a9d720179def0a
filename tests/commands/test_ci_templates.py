"""What continuous integration is given: its very commands run in a fresh clone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.build.test_diff import git, write
from tests.commands.forge import AUTHOR, FakeForge, github, gitlab, serving
from tests.support import ROOT

POLICY = "schema: 1\nrules: {cost: {share: 10 %}}\n"
RENT = "{basis: rent, price: aws-p4de-on-demand, hours: %s}"


def template(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def forge() -> Iterator[FakeForge]:
    with serving() as one:
        yield one


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a repository of one scenario, whose cost then rises by 30 %, with `memreport` on the path."""
    origin = tmp_path / "origin"
    write(origin / "scenarios", cost=RENT % 100)
    (origin / "policy.yaml").write_text(POLICY, encoding="utf-8")
    git(origin, "init", "-q", "-b", "main")
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "first")
    git(tmp_path, "clone", "-q", str(origin), str(tmp_path / "clone"))
    write(tmp_path / "clone" / "scenarios", cost=RENT % 130)
    program = tmp_path / "bin" / "memreport"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m memreport "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return tmp_path / "clone"


def run(clone: Path, script: str, **more: str) -> subprocess.CompletedProcess[str]:
    path = f"{clone.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **more}
    return subprocess.run(["bash", "-ec", script], cwd=clone, env=env, capture_output=True, text=True, check=False)


def test_the_action_of_github(clone: Path, forge: FakeForge) -> None:
    action = template("templates/ci/action.yml")
    steps = {one["name"]: one for one in action["runs"]["steps"]}
    given = {name: one["default"] for name, one in action["inputs"].items()} | {"base": "origin/main", "token": "t"}
    env = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda at: given[at[1]], text)
        for step in ("gate", "comment")
        for name, text in steps[step]["env"].items()
    }
    summary = clone.parent / "summary.md"
    env |= {"GITHUB_STEP_SUMMARY": str(summary), **github(forge)}
    done = run(clone, steps["gate"]["run"], **env)
    assert done.returncode == 1, done.stderr
    assert "::error file=scenarios/case.yaml,line=" in done.stdout
    assert "| failed | cost | case |" in summary.read_text(encoding="utf-8")
    assert {one.suffix for one in clone.glob("memreport-gate.*")} == {".md", ".sarif", ".json", ".xml"}
    assert run(clone, steps["comment"]["run"], **env).returncode == 0
    assert "| failed | cost | case |" in forge.comments[1]["body"]
    git(clone, "checkout", "-q", "scenarios")
    assert run(clone, steps["gate"]["run"], **env).returncode == 0
    assert run(clone, steps["comment"]["run"], **env).returncode == 0
    assert [*forge.comments] == [1]
    assert "All 1 checks pass." in forge.comments[1]["body"]


def test_the_job_of_gitlab(clone: Path, forge: FakeForge) -> None:
    job = template("templates/ci/gitlab.yml")["memreport-gate"]
    env = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD", "GATE_AUTHOR": AUTHOR, **gitlab(forge), **job["variables"]}
    done = run(clone, "\n".join(job["script"]), **env)
    assert done.returncode == 1, done.stderr
    assert {clone / name for name in job["artifacts"]["paths"]} <= set(clone.iterdir())
    assert (clone / job["artifacts"]["reports"]["junit"]).is_file()
    done = run(clone, "\n".join(job["after_script"]), **env)
    assert (done.returncode, len(forge.comments)) == (0, 1), done.stderr
    assert run(clone, "\n".join(job["after_script"]), **{**env, "GITLAB_TOKEN": ""}).returncode == 0


def test_the_hooks_of_pre_commit(clone: Path) -> None:
    hooks = {one["id"]: one for one in template(".pre-commit-hooks.yaml")}
    file = "scenarios/case.yaml"
    assert all(re.search(one["files"], file) for one in hooks.values())
    assert run(clone, f"{hooks['memreport-check']['entry']} {file}").returncode == 0
    assert run(clone, hooks["memreport-gate"]["entry"]).returncode == 1
    (clone / file).write_text("schema: 1\n", encoding="utf-8")
    assert run(clone, f"{hooks['memreport-check']['entry']} {file}").returncode == 2
