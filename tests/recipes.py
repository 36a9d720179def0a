"""Recipes of CONTRIBUTING, followed in a copy of the program: what a recipe does not name may not be touched."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.house import LONGEST, MOST_MODULES
from tests.support import ROOT, scenario_text

CONTRIBUTING = ROOT / "CONTRIBUTING.md"
PLACE = re.compile(r"`((?:memreport|tests|scenarios|hardware|templates|docs)/[\w/.*<>-]*|[A-Z]+\.md)`")
COPIED = ("memreport", "hardware", "scenarios", "templates")


def sections() -> dict[str, str]:
    """Every section of CONTRIBUTING by its title."""
    found = (one.partition("\n") for one in CONTRIBUTING.read_text(encoding="utf-8").split("\n## ")[1:])
    return {title: text for title, _, text in found}


def copied(folder: Path) -> Path:
    """A folder with a copy of the program, its data, and the tests that say what is missing."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name)
    shutil.copytree(ROOT / "tests" / "figures", folder / "tests" / "figures")
    for path in (ROOT / "tests").glob("*.py"):
        shutil.copy2(path, folder / "tests" / path.name)
    shutil.copy2(ROOT / "pyproject.toml", folder / "pyproject.toml")
    return folder


@dataclass
class Recipe:
    """A recipe, followed in a copy of the program; a change of a place that it does not name is an error."""

    title: str
    folder: Path
    touched: set[str] = field(default_factory=set)

    @property
    def places(self) -> set[str]:
        """What it names, and what the recipe names that it builds on ("as above")."""
        text = sections()[self.title]
        return set(PLACE.findall(text + (sections()["Add an accelerator"] if "as above" in text else "")))

    def _named(self, place: str) -> bool:
        patterns = (re.sub(r"\\\*|<\w+>", "[^/]+", re.escape(one)) for one in self.places)
        return any(re.match(f"{one}{'' if one.endswith('/') else '$'}", place) for one in patterns)

    def path(self, place: str) -> Path:
        """A file of the copy that the recipe names."""
        assert self._named(place), f"{self.title!r} does not name {place}"
        self.touched.add(place)
        return self.folder / place

    def write(self, place: str, text: str) -> None:
        """A new file, where its folder has room for it."""
        path = self.path(place)
        assert not path.exists()
        assert len(list(path.parent.glob("*.py"))) < MOST_MODULES, f"{path.parent.name} is full"
        path.parent.mkdir(parents=True, exist_ok=True)
        self._written(path, text)

    def add(self, place: str, text: str) -> None:
        """Lines at the end of a file."""
        path = self.path(place)
        self._written(path, path.read_text(encoding="utf-8") + text)

    def edit(self, place: str, before: str, after: str) -> None:
        """A piece of a file, which stands there once, for another."""
        path = self.path(place)
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{place}: {text.count(before)} times {before!r}"
        self._written(path, text.replace(before, after))

    def _written(self, path: Path, text: str) -> None:
        """The text of a file, which has room for it."""
        short = len(text.splitlines()) <= LONGEST or path.suffix not in (".py", ".js", ".j2")
        assert short, f"{path.name} has more than {LONGEST} lines"
        path.write_text(text, encoding="utf-8")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """What a line of Python does in the copy."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        line = [sys.executable, *command]
        return subprocess.run(line, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def ran(self, *command: str) -> str:
        """What the program prints in the copy."""
        done = self.run("-m", "memreport", *command)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def failed(self, *tests: str) -> set[str]:
        """Names of those tests of the copy that fail."""
        done = self.run("-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", "--tb=no", *tests)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return set(re.findall(r"(?m)^FAILED [\w/.]+::(\w+)", done.stdout))

    def untouched(self) -> set[str]:
        """Files that the recipe names and that nothing was done to, but for tests and papers."""
        return {
            one
            for one in self.places - self.touched
            if not one.startswith(("tests/", "docs/")) and not one.endswith(("/", ".md")) and "*" not in one
        }


Followed = Callable[[str], Recipe]


@pytest.fixture
def recipe(tmp_path: Path) -> Followed:
    """`recipe(title)`: the section of CONTRIBUTING, and a copy of the program to follow it in."""
    return lambda title: Recipe(title, copied(tmp_path / "copy"))


def case(followed: Recipe, **blocks: str) -> Path:
    """A scenario of one's own beside the copy."""
    path = followed.folder.parent / "case.yaml"
    path.write_text(scenario_text(**blocks), encoding="utf-8")
    return path
