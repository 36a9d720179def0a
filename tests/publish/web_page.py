"""The page of a scenario in a browser, for tests: made once, opened from its file, read through its own object."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from memreport.advise.decide import Decision
from memreport.build.calculator import calculator_page
from memreport.build.outputs import answered_page
from memreport.publish.web.page.packed import PLACES, RUN
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
    """What a page's script reads, with the packed lists and the texts as they were."""
    text = html.split('<template id="data">')[1].split("</template>", maxsplit=1)[0]
    said, given = map(json.loads, text.split("\n"))
    found: dict[str, Any] = _unpacked(given, said["signs"], _spelled(said))
    return found


def _spelled(said: dict[str, str]) -> dict[str, str]:
    """What each sign stands for; a phrase is written in the signs of others."""
    signs = said["signs"][2:]
    words = dict(zip(signs, said["words"].split(said["signs"][0]), strict=False))

    @cache
    def whole(sign: str) -> str:
        return "".join(whole(letter) if letter in words else letter for letter in words[sign])

    return {sign: whole(sign) for sign in signs}


def _unpacked(one: Any, signs: str, words: dict[str, str]) -> Any:
    """A value as it was before it was packed."""
    if isinstance(one, str):
        return "".join(words.get(letter, letter) for letter in one)
    if isinstance(one, list):
        return [_unpacked(member, signs, words) for member in one]
    if not isinstance(one, dict):
        return one
    if set(one) == {"of", "at"}:
        held, at = _unpacked(one["of"], signs, words), one["at"]
        digits = re.sub(rf"(.){RUN}(.)", lambda found: found[1] * PLACES.index(found[2]), at)
        return [held[PLACES.index(digit)] for digit in digits]
    given = {name: _unpacked(member, signs, words) for name, member in one.items()}
    return _listed(given, *signs[:2])


def _listed(one: dict[str, Any], between: str, other: str) -> Any:
    if set(one) == {"down"}:
        return [list(row) for row in zip(*one["down"], strict=True)]
    if set(one) == {"named", "each"}:
        return dict(zip(one["named"], one["each"], strict=True))
    if set(one) == {"texts"} and isinstance(one["texts"], str):
        return [json.loads(text[1:]) if text[:1] == other else text for text in one["texts"].split(between)]
    return one


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
