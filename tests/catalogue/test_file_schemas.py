"""A JSON Schema for each kind of file: takes every file of that kind, and refuses a wrong field and a wrong word."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.yaml import strict as strict_yaml
from memreport.commands.main import main
from memreport.commands.schema import KINDS
from tests.portfolio.test_portfolio import ENTRIES, PORTFOLIO
from tests.support import ROOT, SCENARIOS

HARDWARE, CATALOGUE = ROOT / "hardware", ROOT / "scenarios"
Said = pytest.CaptureFixture[str]
POLICY = """schema: 1
rules: {fits: {level: block}, cost: {share: 10 %, amount: 1000 USD}, budgets: {owners: {ml: 1e6}}, owner: {}}
waivers: [{rule: cost, scenario: a, reason: r, by: me, until: 2026-12-31, value: 12000 USD}]
"""
QUOTE = """schema: 1
id: offer
vendor: V
basis: rent
accelerator: l4
price: 0.5
currency: EUR
rate: {currency: EUR, usd: 1.1, date: 2026-11-20, source: bank}
quoted: 2026-11-01
valid_until: 2026-12-01
included: [network]
source: offer of November
"""
FILES: dict[str, list[Path] | str] = {
    "scenario": SCENARIOS,
    "policy": POLICY,
    "portfolio": PORTFOLIO + "".join(f"  - {json.dumps(one)}\n" for one in ENTRIES),
    "quote": QUOTE,
    "ledger": sorted(CATALOGUE.glob("documented/*.yaml")),
    "model": sorted(CATALOGUE.glob("models/*.yaml")),
    "accelerator": sorted(HARDWARE.glob("accelerators/*.yaml")),
    "hosts": [HARDWARE / "hosts.yaml"],
    "links": [HARDWARE / "links.yaml"],
    "prices": [HARDWARE / "prices.yaml"],
    "efficiency": [HARDWARE / "efficiency.yaml"],
    "reference": sorted(CATALOGUE.glob("reference/*.yaml")),
}


@cache
def schema(kind: str) -> Any:
    """A checker of what the command prints."""
    jsonschema = pytest.importorskip("jsonschema")
    from memreport.commands.schema import text_of

    made = json.loads(text_of(kind, ROOT))
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


@cache
def data(kind: str) -> list[Any]:
    found = FILES[kind]
    texts = [found] if isinstance(found, str) else [path.read_text(encoding="utf-8") for path in found]
    return [strict_yaml.parse(text, "file.yaml").data for text in texts]


def faults(kind: str, one: Any) -> list[str]:
    return [f"{'.'.join(map(str, each.absolute_path))}: {each.message[:150]}" for each in schema(kind).iter_errors(one)]


def test_every_kind_is_printed(capsys: Said) -> None:
    assert set(FILES) == set(KINDS)
    assert main(["schema", "--kind", "links"]) == 0
    assert json.loads(capsys.readouterr().out)["$schema"].startswith("https://json-schema.org/")


@pytest.mark.parametrize("kind", FILES)
def test_every_file_is_valid(kind: str) -> None:
    assert data(kind)
    assert [fault for one in data(kind) for fault in faults(kind, one)] == []


def put(*path: str | int, value: Any) -> Callable[[Any], None]:
    def change(one: Any) -> None:
        *outer, last = path
        for part in outer:
            one = one[part]
        one[last] = value

    return change


WRONG: dict[str, list[tuple[tuple[str | int, ...], Any]]] = {
    "scenario": [(("hardwear",), {}), (("schema",), 2)],
    "policy": [(("rules", "costs"), {}), (("rules", "cost", "share"), "much more"), (("waivers", 0, "rule"), "all")],
    "portfolio": [(("entries", 0, "owners"), "x"), (("horizon", "months"), 0), (("currency",), "euro")],
    "quote": [(("vendors",), "x"), (("basis",), "lease"), (("included",), ["coffee"])],
    "ledger": [(("entry",), []), (("entries", 0, "expects"), "x"), (("setups", "a"), {"input": {}})],
    "model": [(("hidden_sizes",), 1), (("hidden_size",), -1), (("published_parameters",), 5), (("attention_bias",), 3)],
    "accelerator": [
        (("figures", "capacity"), {}), (("figures", "capacity_bytes", "value"), "lots"), (("form_factor",), "card"),
        (("figures", "capacity_bytes", "basis"), "rumour"), (("colour",), "green"),
    ],
    "hosts": [(("hosts", 0, "host_accelerators"), 0), (("hosts", 0, "gpus"), 8), (("host",), [])],
    "links": [(("links", 0, "bytes_per_second"), "fast"), (("links", 0, "speed"), 1)],
    "prices": [
        (("prices", 0, "kind"), "lease"), (("prices", 0, "usd"), 1), (("conventions", 0, "kind"), "mood"),
        (("prices", 0, "term"), "forever"), (("currencies",), [{"id": "EUR", "usd": 1.1}]),
    ],
    "efficiency": [(("efficiency", 0, "luck_share"), 1), (("efficiency", 0, "grouped_rows"), "half of it")],
    "reference": [(("rows", 0, "width"), 1), (("columns", "x"), {"units": "byte"}), (("table",), "unknown")],
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_field_and_a_wrong_word_are_refused(kind: str) -> None:
    for path, value in WRONG[kind]:
        one = copy.deepcopy(data(kind)[0])
        put(*path, value=value)(one)
        assert faults(kind, one), f"{kind}: {path} = {value!r} passes"


def test_a_required_field_that_is_lacking_is_refused() -> None:
    for kind in KINDS:
        for name in schema(kind).schema.get("required", ()):
            one = {key: value for key, value in data(kind)[0].items() if key != name}
            assert faults(kind, one), f"{kind} without {name} passes"


def test_the_columns_of_a_table_of_choices_are_those_that_figures_read() -> None:
    one = next(copy.deepcopy(each) for each in data("reference") if each["table"] == "dtypes")
    one["rows"][0]["paged"] = 1  # a column of another table
    assert faults("reference", one)
