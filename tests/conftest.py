"""Golden texts: kept beside the tests, compared as a diff that a person can read, renewed with --update-golden."""

from __future__ import annotations

import difflib
import gc
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hypothesis
import pytest
from openpyxl.cell.text import Text
from openpyxl.worksheet import _reader

os.environ["MEMREPORT_CACHE"] = "off"  # what is tested shall be computed
GOLDEN = Path(__file__).parent / "golden"
Golden = Callable[[str, str], None]
Asked = Callable[[str], str]

hypothesis.settings.register_profile("memreport", deadline=None)  # how busy a machine is says nothing of the code
hypothesis.settings.load_profile("memreport")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden texts anew instead of comparing them"
    )


LONGEST_FIRST = ("publish", "audit", "portfolio", "build", "report", "commands")
"""Folders whose files take long; a process that runs out of files would wait for the end of one that began late."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _rank(item.path.parent.name))  # files stay in order, as xdist hands them out


def _rank(folder: str) -> int:
    return LONGEST_FIRST.index(folder) if folder in LONGEST_FIRST else len(LONGEST_FIRST) + (folder != "tests")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden(place, text)`: the text must be the one kept at `place`."""
    update = bool(request.config.getoption("--update-golden"))

    def compare(place: str, text: str) -> None:
        path = GOLDEN / place
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        diff = difflib.unified_diff(
            kept.splitlines(), text.splitlines(), f"golden/{place}", "computed now", lineterm="", n=1
        )
        lines = list(diff)
        if lines:
            pytest.fail("\n".join([*lines, "renew with: pytest --update-golden"]), pytrace=False)

    return compare


@pytest.fixture(scope="session", autouse=True)
def _shared(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> None:
    from tests import built

    built.share(tmp_path_factory, several=hasattr(request.config, "workerinput"))


@pytest.fixture(scope="session", autouse=True)
def _no_collections() -> Iterator[None]:
    """What hundreds of tests share is not looked through after every build, which takes longer than the build.

    Between builds it is looked for rarely, or a sixth of the tests' time goes into that; but workbooks are garbage that
    refers to itself, so that a process would hold twice as much if it were looked for hardly ever.
    """
    gc.freeze()
    gc.set_threshold(200_000, 10, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda *_: 0)
        yield


@pytest.fixture(scope="session", autouse=True)
def _packaged_files_looked_at_once() -> Iterator[None]:
    """No test changes packaged files; each scenario that is read asks of two hundred of them whether somebody has."""
    from memreport.catalogue import cached_tables
    from memreport.paths import data_root

    plain, folders = cached_tables._files_in, tuple(f"{data_root()}/{name}" for name in ("scenarios/", "hardware"))
    once = cache(plain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cached_tables, "_files_in", lambda place: (once if place.startswith(folders) else plain)(place))
        yield


class _Text(Text):
    """A text of a cell; of one without formatting openpyxl makes four objects, a quarter of the time that it reads."""

    @classmethod
    def from_tree(cls, node: Any) -> Any:
        plain = len(node) == 1 and node[0].tag.endswith("}t")
        return SimpleNamespace(content=node[0].text or "") if plain else super().from_tree(node)


@pytest.fixture(scope="session", autouse=True)
def _plain_texts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_reader, "Text", _Text)
        yield


@pytest.fixture
def asked(capsys: pytest.CaptureFixture[str]) -> Asked:
    """What `memreport ask` prints, on one line."""

    def answer(question: str) -> str:
        from memreport.commands.main import main

        assert main(["ask", question]) == 0
        return " ".join(capsys.readouterr().out.split())

    return answer
