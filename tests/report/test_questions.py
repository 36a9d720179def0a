"""The page of questions: every kind is on it, and every question that it gives as an example is read so."""

from __future__ import annotations

import re
from typing import Any, get_args

import pytest

from memreport.advise.asks import asks_of
from memreport.catalogue.question.kinds import WORDS
from memreport.catalogue.scenario import Asks, Scenario
from memreport.resolve import resolve_given
from tests.support import ROOT

ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \|", re.MULTILINE)
EXAMPLES = [
    (kind, question)
    for kind, said in ROW.findall((ROOT / "docs/questions.md").read_text(encoding="utf-8"))
    for question in re.findall(r"[^?]+\?", said)
]
SERVED = {"how_many_users", "how_long_a_context"}
BLOCKS = {"model": "llama-3-8b", "hardware": {"accelerator": "a100-80gb-sxm", "count": 8}}


def test_every_kind_is_on_the_page() -> None:
    assert list(dict.fromkeys(kind for kind, _ in EXAMPLES)) == list(get_args(Asks))
    assert set(WORDS) == set(get_args(Asks))


@pytest.mark.parametrize(("kind", "question"), EXAMPLES)
def test_every_example_is_read_as_its_kind(kind: str, question: str) -> None:
    serves = kind in SERVED or re.search("token|documents|KV|latency", question)
    given = {"schema": 1, "id": "case", "version": 1, "title": "Case", "question": question.strip(), **BLOCKS}
    variants: dict[str, Any] = {"variants": {"one": {}, "two": {}}} if kind in {"compare", "which_fit"} else {}
    given |= {"workload": "serving" if serves else "training", **variants}
    scenario: Scenario = resolve_given(given).loaded.scenario
    assert asks_of(scenario) == (kind,)
