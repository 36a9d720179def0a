"""SARIF and JUnit of a gate: what their standards require of the parts that are written, and nothing beside these.

Sources: OASIS SARIF 2.1.0, sections 3.13 to 3.35; the JUnit report format as Jenkins and GitLab read it.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from memreport.publish.json.gate import gate_sarif
from memreport.publish.text.changes.gate import MOST_CHARACTERS, gate_annotations, gate_markdown, gate_text
from memreport.publish.text.changes.junit import gate_junit
from memreport.report.records.changes.gate import STATUSES, GateFinding, GatePlace, GateReport, GateResult

HOSTILE = "<b>&\"'\x1b[31m ]]> -->\nnext | % :: 100 %"


def block(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required.split(), "properties": properties, "additionalProperties": False}


def array(items: Any, least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


TEXT = {"type": "string", "minLength": 1}
PLACE = block(
    "artifactLocation",
    artifactLocation=block("uri", uri={"type": "string", "pattern": r"^[!#-;=?-\[\]_a-z~]+$"}),  # RFC 3986
    region=block("startLine", startLine={"type": "integer", "minimum": 1}),
)
RESULT = block(
    "message ruleId level",
    ruleId={"type": "string", "pattern": "^memreport/[a-z_]+$"},
    level={"enum": ["none", "note", "warning", "error"]},
    message=block("text", text=TEXT),
    locations=array(block("physicalLocation", physicalLocation=PLACE), 1),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    suppressions=array(block("kind", kind={"enum": ["inSource", "external"]}, justification=TEXT)),
)
DRIVER = block("name", name=TEXT, version=TEXT, rules={**array(block("id", id=TEXT)), "uniqueItems": True})
SARIF = block(
    "version runs $schema",
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"const": "2.1.0"},
    runs=array(block("tool", tool=block("driver", driver=DRIVER), results=array(RESULT)), 1),
)


def report(count: int = 1) -> GateReport:
    """One result of each status, with texts that no format may take for its own marks."""
    finding = GateFinding(
        "cost", HOSTILE, False, HOSTILE, "less", 1.0, 2.0, "USD", place=GatePlace("a b/\u00e4#.yaml", 3)
    )
    whole = GateFinding("total_cost", "all", False, "more", "less", 1.0, 2.0, "USD")
    results = [GateResult(one, "approve", status, HOSTILE) for status in STATUSES for one in (finding, whole)]
    return GateReport("a", "b", "policy.yaml", "2026-11-22", tuple(results) * count, (HOSTILE,), ())


def test_sarif_has_the_structure_that_its_standard_requires() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    data = json.loads(json.dumps(gate_sarif(report())))
    jsonschema.Draft202012Validator.check_schema(SARIF)
    jsonschema.validate(data, SARIF)
    (one,) = data["runs"]
    assert {rule["id"] for rule in one["tool"]["driver"]["rules"]} == {each["ruleId"] for each in one["results"]}
    levels = [each["level"] for each in one["results"]]
    assert levels == ["warning", "warning", "error", "error", "note", "note", "error", "error"]
    assert [bool(each.get("suppressions")) for each in one["results"]] == [level == "note" for level in levels]


def test_sarif_is_cut_where_github_stops_reading() -> None:
    assert len(gate_sarif(report(1000))["runs"][0]["results"]) == 5_000


JUNIT = {
    "testsuites": ({"name"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"testcase"}),
    "testcase": ({"classname", "name", "file", "line"}, {"failure", "skipped"}),
    "failure": ({"type", "message"}, set[str]()),
    "skipped": ({"message"}, set[str]()),
}
"""Attributes and children of each element."""


def test_junit_has_the_structure_that_its_readers_expect() -> None:
    root = ET.fromstring(gate_junit(report()))  # noqa: S314  # written a moment ago
    for one in root.iter():
        attributes, children = JUNIT[one.tag]
        assert set(one.attrib) <= attributes, one.tag
        assert {child.tag for child in one} <= children, one.tag
    for suite in root:
        cases = list(suite)
        assert suite.get("tests") == str(len(cases)) == "5"
        counted = {name: sum(case.find(name) is not None for case in cases) for name in ("failure", "skipped")}
        assert (suite.get("failures"), suite.get("skipped")) == (str(counted["failure"]), str(counted["skipped"]))


def test_no_text_of_a_stranger_ends_a_line_or_a_mark() -> None:
    for text in (gate_text(report()), gate_annotations(report())):
        assert "\x1b" not in text
        assert not any(line.startswith("next") for line in text.splitlines())
    comment = gate_markdown(report(), "gate", "2026-11-22T10:00:00Z")
    assert comment.count("-->") == 1
    assert "<b>" not in comment


def test_a_comment_of_very_many_results_is_cut() -> None:
    text = gate_markdown(report(500), "gate", "2026-11-22T10:00:00Z")
    assert len(text) < MOST_CHARACTERS
    assert text.rstrip().endswith("500 passed, 500 warned, 500 failed, 500 waived, 500 expired".replace("500", "1000"))
