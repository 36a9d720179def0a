"""Whole workbooks are the same bytes on other machines: without lxml, with another order of sets, on another Python."""

from __future__ import annotations

import builtins
import hashlib
import math
import os
import subprocess
import sys
from collections.abc import Iterable
from functools import reduce
from operator import add

import pytest

from tests.publish.workbook_cases import book_of
from tests.support import ROOT, published

SCENARIO = "serving-mi300x"
"""Its workbook has sums of floats that Python 3.11 and 3.12 round differently."""
ELSEWHERE = """
import sys
sys.modules["lxml"] = None  # as on a machine that has no lxml
from tests.publish.test_same_bytes import hash_of_the_workbook
import openpyxl
print(openpyxl.LXML, hash_of_the_workbook())
"""


def hash_of_the_workbook() -> str:
    """SHA-256 of a published workbook."""
    computed = next(one for one in published() if one.resolved.loaded.scenario.id == SCENARIO)
    return hashlib.sha256(book_of(computed)).hexdigest()


@pytest.fixture(scope="module")
def here() -> str:
    """The workbook as this Python makes it, with lxml."""
    return hash_of_the_workbook()


def other_sum(values: Iterable[float], start: float = 0) -> float:
    """What `sum` gives from Python 3.12 on, where it compensates rounding; before 3.12, what it gave then, here."""
    listed = list(values)
    exact = sys.version_info < (3, 12) and any(isinstance(one, float) for one in listed)
    return start + math.fsum(listed) if exact else reduce(add, listed, start)


def test_another_python_adds_up_to_the_same_bytes(here: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "sum", other_sum)
    assert hash_of_the_workbook() == here


def test_a_machine_without_lxml_makes_the_same_bytes(here: str) -> None:
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", ELSEWHERE]
    run = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    assert run.stdout.split() == ["False", here]
