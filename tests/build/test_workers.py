"""How the processes of a build begin: with what the first has read, or fresh where that cannot be copied."""

from __future__ import annotations

import sys
import threading
from types import ModuleType

import pytest

from memreport.build import workers
from memreport.publish.memory import give_back


@pytest.mark.parametrize(
    ("threads", "rendered", "way"),
    [(1, False, "fork"), (2, False, "spawn"), (1, True, "spawn")],
    ids=["alone", "beside threads", "after a page was rendered"],
)
def test_processes_are_copies_where_no_thread_and_no_state_of_pango_would_be_copied(
    threads: int, rendered: bool, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: threads)
    monkeypatch.setattr(workers, "_read_ahead", lambda: None)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delitem(sys.modules, "weasyprint", raising=False)
    if rendered:
        monkeypatch.setitem(sys.modules, "weasyprint", ModuleType("weasyprint"))
    assert workers._context().get_start_method() == way


def test_large_tables_are_given_back_to_the_system() -> None:
    give_back()
    give_back(cycles=True)
