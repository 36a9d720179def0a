"""The page computes what the engine computes: every figure of every variant, and of whatever a reader makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memreport.catalogue.yaml import strict
from memreport.compute import Computed, compute
from memreport.errors import InputError
from memreport.resolve import resolve_given
from tests.browser import browser, browser_needed
from tests.built import IDS, KNOWN
from tests.publish.web_page import opened, page_of, values_of

__all__ = ["browser"]
SAME = 1e-12


def assert_same(found: Any, computed: Computed, at: int) -> None:
    names = [line.name for line in computed.lines]
    got = [found[name] for name in names]
    wanted = [float(computed.values[name][at]) for name in names]
    np.testing.assert_allclose(got, wanted, rtol=SAME, atol=0, err_msg=computed.resolved.cases[at].name)


@browser_needed
@pytest.mark.parametrize("id_", IDS)
def test_every_figure_of_every_variant(browser: Any, tmp_path: Path, id_: str) -> None:
    page, computed = opened(browser, tmp_path, page_of(id_)), KNOWN[id_]
    for at, _ in enumerate(computed.resolved.variants):
        page.evaluate("at => memreport.state.startFrom(at)", at)
        assert_same(values_of(page), computed, at)
    assert page.faults == []
    page.close()


DRIVER = (Path(__file__).parent / "page_edits.js").read_text(encoding="utf-8")
"""Edits through the page's own controls: random ones, four on top of each other; then every name of every drop-down."""
EDITED = {"llama3-70b-8xa100": (100, True), "llama2-13b-serving-batch32": (100, False), "serving-mi300x": (50, False)}


def whole(id_: str, found: list[Any]) -> Computed:
    """The scenario with what the page wrote of each edit as its variants, computed as one table."""
    text = "".join(one["yaml"].replace('"what if"', f'"edit {at}"', 1) for at, one in enumerate(found))
    document = KNOWN[id_].resolved.loaded.document.data
    variants = strict.parse(f"variants:\n{text}", "page").data["variants"]
    return compute([resolve_given({**document, "tables": [], "variants": variants})])[0]


@browser_needed
@pytest.mark.parametrize("id_", EDITED)
def test_whatever_is_changed_equals_the_scenario_that_the_page_writes(browser: Any, tmp_path: Path, id_: str) -> None:
    page = opened(browser, tmp_path, page_of(id_))
    made = json.loads(page.evaluate(DRIVER, [7, *EDITED[id_]]))
    assert page.faults == []
    sound = [one for one in made["found"] if not one["wrong"]]
    assert len(sound) > len(made["found"]) / 3
    computed = whole(id_, sound)
    known = {line.name for line in computed.lines}
    for at, name in enumerate(made["names"]):
        if name in known:
            got = [float(str(one["rows"][at]).replace("Infinity", "inf")) for one in sound]
            np.testing.assert_allclose(got, computed.values[name], rtol=SAME, atol=0, err_msg=name)
    for one in [one for one in made["found"] if one["wrong"]][:10]:
        with pytest.raises(InputError):
            whole(id_, [one])
    page.close()
