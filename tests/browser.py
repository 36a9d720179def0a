"""A real browser for tests: what is published runs where people open it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
browser_needed = pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="needs Chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A started Chromium; of one module, because its loop of events must not run beside another library's."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()
