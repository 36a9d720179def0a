"""The page of a scenario in a browser, for tests: made once, opened from its file, read through its own object."""

from __future__ import annotations

import base64
import json
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memreport.advise.decide import Decision
from memreport.build.calculator import calculator_page
from memreport.build.outputs import answered_page
from memreport.publish.web.page.deflated import SCRIPT, deflated
from memreport.report.answer.answered import answered
from tests.built import decided, once

VALUES = """() => {const {engine, state} = memreport, said = x => Number.isFinite(x) ? x : String(x);
  const values = engine.compute(state.job());
  return JSON.stringify(Object.fromEntries(engine.names.map((name, at) => [name, said(values[at])])))}"""
"""Every value of the job that the page is about, by name."""
STARTED = "#live:not([hidden]), #stopped:not([hidden])"
"""What is seen of a page that has inflated what it is made of."""


def page_of(id_: str) -> str:
    """The page of a scenario of the repository."""
    made: str = once(f"{id_}.html", lambda: made_page(decided(id_)))
    return made


def calculator() -> str:
    """The page for any job."""
    made: str = once("calculator.html", calculator_page)
    return made


def made_page(decision: Decision) -> str:
    return answered_page(decision, answered(decision)[0])


def data_of(html: str) -> dict[str, Any]:
    """What a page's script reads, and that script."""
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(_data_text(html))))
    return found


def with_data(html: str, change: Callable[[dict[str, Any]], Any]) -> str:
    """A page whose data are changed; its script, and so its policy, are as they were."""
    data = data_of(html)
    change(data)
    return html.replace(_data_text(html), deflated(data, data[SCRIPT]))


def _data_text(html: str) -> str:
    return html.split('<template id="data">')[1].split("</template>", maxsplit=1)[0]


def opened(browser: Any, folder: Path, html: str, name: str = "page.html", **options: Any) -> Any:
    """The page opened from its file; what goes wrong in it is kept as `faults`."""
    path = folder / name
    path.write_text(html, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900}, **options)
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("console", lambda said: page.faults.append(said.text) if said.type == "error" else None)
    page.goto(path.as_uri())
    page.locator(STARTED).first.wait_for()
    return page


def values_of(page: Any) -> Mapping[str, float]:
    """What the page computes now, by name."""
    found = json.loads(page.evaluate(VALUES))
    return {name: float(str(value).replace("Infinity", "inf")) for name, value in found.items()}


def until(page: Any, holds: str, seconds: float = 30) -> None:
    """Waits until an expression holds. The page's policy forbids eval, by which Playwright's own waiting asks again."""
    end = time.monotonic() + seconds
    while not page.evaluate(holds):
        assert time.monotonic() < end, holds
        page.wait_for_timeout(50)
