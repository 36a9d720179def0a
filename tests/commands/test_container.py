"""The container recipe: built and run where a builder is at hand, and always read by the rules of such recipes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from memreport.commands.doctor import LIBRARIES
from tests.support import ROOT

RECIPE = ROOT / "templates/ci/Containerfile"
KNOWN = {"FROM", "RUN", "COPY", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction with its arguments, continued lines joined."""
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    lines = (line.strip() for line in re.sub(r"\s*\\\n\s*", " ", plain).splitlines())
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines if line]


def complaints(text: str) -> Iterator[str]:
    """What a reviewer of recipes would find."""
    found = instructions(text)
    said = dict(found)
    yield from (f"unknown instruction {name}" for name, _ in found if name not in KNOWN)
    if found[0][0] != "FROM" or sum(name == "FROM" for name, _ in found) != 1:
        yield "does not begin with its one base image"
    if not re.fullmatch(r"[a-z]+:[a-z0-9.-]*\d[a-z0-9.-]*", found[0][1]):
        yield f"{found[0][1]} has no fixed tag"
    yield from (f"{run}: lacks {word}" for name, run in found if name == "RUN" for word in _lacking(run))
    yield from (f"{run}: not in the project" for name, run in found if name == "COPY" and not _is_there(run))
    if said.get("USER", "root") == "root":
        yield "runs as root"
    yield from (f"{name} is run by a shell" for name in ("ENTRYPOINT", "CMD") if not said.get(name, "").startswith("["))


NEEDED = {
    "apt-get install": ("apt-get update", "--yes", "--no-install-recommends", "rm -rf /var/lib/apt/lists/*"),
    "pip install": ("--no-cache-dir", "-c /src/requirements.lock"),
}
"""What stands in the same layer as a command."""


def _lacking(run: str) -> Iterator[str]:
    yield from (word for command, words in NEEDED.items() if command in run for word in words if word not in run)


def _is_there(run: str) -> bool:
    *sources, target = run.split()
    return all((ROOT / one).exists() for one in sources) and target.startswith("/")


def test_the_recipe_has_no_complaints() -> None:
    assert list(complaints(RECIPE.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (":3.12-slim-bookworm", ""), (":3.12-slim-bookworm", ":latest"), ("USER memreport", "USER root"),
        (" --no-install-recommends", ""), (" --no-cache-dir", ""), ("COPY scenarios", "COPY scenarioz"),
        ('ENTRYPOINT ["memreport"]', "ENTRYPOINT memreport"), ("RUN git", "RUNS git"),
        (" && rm -rf /var/lib/apt/lists/*", ""), (" -c /src/requirements.lock", ""),
    ],
)  # fmt: skip
def test_a_worse_recipe_has(old: str, new: str) -> None:
    text = re.sub(r"\s*\\\n\s*", " ", RECIPE.read_text(encoding="utf-8"))
    assert old in text
    assert list(complaints(text.replace(old, new, 1)))


def test_it_has_every_library_and_file_that_publishing_needs() -> None:
    text = RECIPE.read_text(encoding="utf-8")
    assert [package for _, package, _, _ in LIBRARIES if package not in text] == []
    copied = {word for name, run in instructions(text) if name == "COPY" for word in run.split()[:-1]}
    wheel = re.search(r"only-include = (\[.*\])", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert wheel is not None
    assert copied == {*json.loads(wheel[1]), "pyproject.toml", "requirements.lock", "README.md"}


def builder() -> str:
    """A program that can build here, now: one without its service cannot."""
    found = (shutil.which(name) for name in ("podman", "docker"))
    works = (
        one for one in found if one and subprocess.run([one, "info"], capture_output=True, check=False).returncode == 0
    )
    return next(works, "")


def test_it_is_built_and_runs() -> None:
    program = builder()
    if not program:
        pytest.skip("no builder of containers is at hand")
    base = instructions(RECIPE.read_text(encoding="utf-8"))[0][1]
    if subprocess.run([program, "pull", "-q", base], capture_output=True, check=False).returncode:
        pytest.skip(f"{base} cannot be had")
    subprocess.run([program, "build", "-q", "-f", str(RECIPE), "-t", "memreport-test", str(ROOT)], check=True)
    fit = ["run", "--rm", "memreport-test", "fit", "llama-3-8b", "rtx-4090", "--qlora"]
    assert "Yes" in subprocess.run([program, *fit], check=True, capture_output=True, text=True).stdout
