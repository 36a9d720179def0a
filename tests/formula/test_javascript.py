"""For every figure of both workloads: a browser computes from the recording what the function computes."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np
import pytest

from memreport.catalogue.records import Numbers
from memreport.figures.registry import lines_of
from memreport.formula.printing import to_javascript
from memreport.formula.recording import Figure, walk
from memreport.formula.words import JAVASCRIPT, ROUNDING_DIGITS, WORDS, Num, Op
from tests.browser import browser, browser_needed

__all__ = ["browser"]
FIGURES = list({line.figure.name: line.figure for name in ("training", "serving") for line in lines_of(name)}.values())
ROWS = 40
SAME = 1e-12
EDGES = np.asarray([0.0, 1.0, 2.0, 3.0, 0.1, 0.3, 128.0, 4096.0, 1e9, 2e12])
HALVES = [
    2.5,
    3.5,
    -2.5,
    0.5,
    -0.5,
    1.5,
    2.5e-9,
    3.5e-9,
    -3.5e-9,
    0.3 / 0.1,
    (0.1 * 3) / 0.1,
    1e-8,
    1e-10,
    2.0**53,
    1e300,
]


def columns(figure: Figure) -> dict[str, Numbers]:
    """Edges, small counts, and numbers of every magnitude: always the same of a figure."""
    rng = np.random.default_rng(zlib.crc32(figure.name.encode()))
    drawn = {name: 10.0 ** rng.uniform(-3, 15, ROWS) for name in figure.inputs}
    edged = {name: rng.choice(EDGES, ROWS) for name in figure.inputs}
    return {name: np.where(rng.random(ROWS) < 0.5, drawn[name], edged[name]) for name in figure.inputs}


def function(figure: Figure) -> str:
    """The figure as a function of an object that holds its inputs; named constants are put in as numbers."""
    constants = {node.name: repr(node.value) for node in walk(figure.expression) if isinstance(node, Num) and node.name}
    return f"v=>+({to_javascript(figure.expression, lambda name: constants.get(name, f'v.{name}'))})"


def computed(page: Any, functions: list[str], given: list[dict[str, list[float]]]) -> list[list[float]]:
    """What the page computes of columns; infinities and what is no number are text, which JSON has not."""
    source = f"""text=>{{{JAVASCRIPT}const said=x=>Number.isFinite(x)?x:String(x),all=[{",".join(functions)}];
      const row=(columns,at)=>Object.fromEntries(Object.entries(columns).map(([name,column])=>[name,column[at]]));
      const rows=columns=>Object.values(columns)[0].map((_,at)=>row(columns,at));
      return JSON.stringify(JSON.parse(text).map((columns,i)=>rows(columns).map(v=>said(all[i](v)))))}}"""
    found = json.loads(page.evaluate(source, json.dumps(given)))
    return [[float(str(one).replace("Infinity", "inf")) for one in row] for row in found]


def is_inexact(figure: Figure) -> bool:
    return any(isinstance(node, Op) and node.word in {"power", "log"} for node in walk(figure.expression))


@browser_needed
def test_a_browser_computes_every_recording(browser: Any) -> None:
    """To the last bit; but powers and logarithms may differ in it, which stays behind where 1 is taken away."""
    read = [figure for figure in FIGURES if figure.inputs]
    given = [columns(figure) for figure in read]
    plain = [{name: column.tolist() for name, column in one.items()} for one in given]
    found = computed(browser.new_page(), [function(figure) for figure in read], plain)
    with np.errstate(all="ignore"):
        for figure, inputs, got in zip(read, given, found, strict=True):
            wanted = np.broadcast_to(np.asarray(figure.formula(**inputs), dtype=np.float64), ROWS)
            same = SAME if is_inexact(figure) else 0.0
            np.testing.assert_allclose(got, wanted, rtol=same, atol=same, err_msg=figure.name)


@browser_needed
def test_it_finds_the_same_powers_of_two(browser: Any) -> None:
    sizes = [0.0, 0.5, 1.0, 3.0, 2.0**30, 2.0**30 + 1, 2.0**43 + 2.0**20, 4e9]
    (found,) = computed(browser.new_page(), ["v=>next(v.x,2)"], [{"x": sizes}])
    assert found == WORDS["next_power"].numbers(np.asarray(sizes), 2.0).tolist()


@browser_needed
def test_it_rounds_halves_as_the_engine_does(browser: Any) -> None:
    rows = [{"x": HALVES}] * 2
    up, down = computed(browser.new_page(), ["v=>up(v.x)", "v=>down(v.x)"], rows)
    with np.errstate(all="ignore"):
        assert up == WORDS["ceil"].numbers(np.asarray(HALVES)).tolist()
        assert down == WORDS["floor"].numbers(np.asarray(HALVES)).tolist()


def test_every_word_is_used_by_a_figure_and_written_with_its_arguments() -> None:
    used = {node.word for figure in FIGURES for node in walk(figure.expression) if isinstance(node, Op)}
    assert used == set(WORDS)
    assert all("{0}" in word.javascript for word in WORDS.values())


@pytest.mark.parametrize(("word", "said"), [("ceil", "up"), ("floor", "down")])
def test_the_browser_rounds_to_the_same_digits_first(word: str, said: str) -> None:
    assert WORDS[word].javascript == f"{said}({{0}})"
    assert f"{said}=x=>{word}(near(x))" in JAVASCRIPT
    assert f"scale=1e{ROUNDING_DIGITS};" in JAVASCRIPT
