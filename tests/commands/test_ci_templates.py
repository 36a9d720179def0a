"""What continuous integration is given: its very commands run in a fresh clone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.build.test_diff import git, write
from tests.support import ROOT

POLICY = "schema: 1\nrules: {cost: {share: 10 %}}\n"
RENT = "{basis: rent, price: aws-p4de-on-demand, hours: %s}"


def template(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


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


def test_the_action_of_github(clone: Path) -> None:
    action = template("templates/ci/action.yml")
    step = next(one for one in action["runs"]["steps"] if one["name"] == "gate")
    given = {name: one["default"] for name, one in action["inputs"].items()} | {"base": "origin/main"}
    env = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda at: given[at[1]], text) for name, text in step["env"].items()
    }
    summary = clone.parent / "summary.md"
    done = run(clone, step["run"], GITHUB_STEP_SUMMARY=str(summary), **env)
    assert done.returncode == 1, done.stderr
    assert "| failed | cost | case |" in summary.read_text(encoding="utf-8")
    assert {one.suffix for one in clone.glob("memreport-gate.*")} == {".sarif", ".json", ".xml"}
    git(clone, "checkout", "-q", "scenarios")
    assert run(clone, step["run"], GITHUB_STEP_SUMMARY=str(summary), **env).returncode == 0


def test_the_job_of_gitlab(clone: Path) -> None:
    job = template("templates/ci/gitlab.yml")["memreport-gate"]
    done = run(clone, "\n".join(job["script"]), CI_MERGE_REQUEST_DIFF_BASE_SHA="HEAD", **job["variables"])
    assert done.returncode == 1, done.stderr
    assert {clone / name for name in job["artifacts"]["paths"]} <= set(clone.iterdir())
    assert (clone / job["artifacts"]["reports"]["junit"]).is_file()


def test_the_hooks_of_pre_commit(clone: Path) -> None:
    hooks = {one["id"]: one for one in template(".pre-commit-hooks.yaml")}
    file = "scenarios/case.yaml"
    assert all(re.search(one["files"], file) for one in hooks.values())
    assert run(clone, f"{hooks['memreport-check']['entry']} {file}").returncode == 0
    assert run(clone, hooks["memreport-gate"]["entry"]).returncode == 1
    (clone / file).write_text("schema: 1\n", encoding="utf-8")
    assert run(clone, f"{hooks['memreport-check']['entry']} {file}").returncode == 2
