"""The page of a scenario in a browser, for tests: made once, opened from its file, read through its own object."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memreport.advise.decide import Decision
from memreport.build.calculator import calculator_page
from memreport.build.outputs import answered_page
from memreport.publish.web.page.render import PLACES, RUN
from memreport.report.answer.answered import answered
from tests.built import decided, once

VALUES = """() => {const {engine, state} = memreport, said = x => Number.isFinite(x) ? x : String(x);
  const values = engine.compute(state.job());
  return JSON.stringify(Object.fromEntries(engine.names.map((name, at) => [name, said(values[at])])))}"""
"""Every value of the job that the page is about, by name."""


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
    """What a page's script reads, with the packed lists as they were."""
    text = html.split('<template id="data">')[1].split("</template>", maxsplit=1)[0]
    found: dict[str, Any] = json.loads(text, object_hook=_unpacked)
    return found


def _unpacked(one: dict[str, Any]) -> Any:
    if "down" in one and set(one) <= {"down", "named"}:
        rows = [list(row) for row in zip(*one["down"], strict=True)]
        return dict(zip(one["named"], rows, strict=True)) if "named" in one else rows
    if set(one) == {"said", "words", "signs"}:
        word = dict(zip(one["signs"], one["words"], strict=True))
        return [
            "".join(word.get(letter, letter) for letter in text) if isinstance(text, str) else text
            for text in one["said"]
        ]
    if set(one) != {"of", "at"}:
        return one
    digits = re.sub(rf"(.){RUN}(.)", lambda found: found[1] * PLACES.index(found[2]), one["at"])
    return [one["of"][PLACES.index(digit)] for digit in digits]


def opened(browser: Any, folder: Path, html: str, name: str = "page.html", **options: Any) -> Any:
    """The page opened from its file; what goes wrong in it is kept as `faults`."""
    path = folder / name
    path.write_text(html, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900}, **options)
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("console", lambda said: page.faults.append(said.text) if said.type == "error" else None)
    page.goto(path.as_uri())
    return page


def values_of(page: Any) -> Mapping[str, float]:
    """What the page computes now, by name."""
    found = json.loads(page.evaluate(VALUES))
    return {name: float(str(value).replace("Infinity", "inf")) for name, value in found.items()}
