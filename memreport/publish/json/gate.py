"""The results of a gate as plain data, and in SARIF 2.1.0."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import quote

from memreport import __version__
from memreport.publish.json.flat import flat
from memreport.report.records.changes.gate import GateReport, GateResult

SCHEMA = 1
SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 5_000
"""As many as GitHub shows of a run."""
_LEVELS = {"failed": "error", "expired": "error", "warned": "warning"}


def gate_data(report: GateReport) -> dict[str, Any]:
    """Every result with both numbers in base units."""
    return {
        "schema": SCHEMA,
        "base": report.base,
        "head": report.head,
        "policy": report.policy,
        "day": report.day,
        "fails": report.fails,
        "counts": report.counts,
        "results": [_result(result) for result in report.results],
        "notes": list(report.notes),
    }


def _result(result: GateResult) -> dict[str, Any]:
    return {"status": result.status, "level": result.level, "note": result.note, **flat(result.finding, "place")}


def gate_sarif(report: GateReport) -> dict[str, Any]:
    """What does not hold, as one run; a waived result is suppressed.  Rule ids and fingerprints never change."""
    shown = report.shown[:MOST_RESULTS]
    names = sorted({result.finding.rule for result in shown})
    driver = {"name": "memreport", "version": __version__, "rules": [{"id": f"memreport/{name}"} for name in names]}
    results = [_sarif(result, report) for result in shown]
    return {"$schema": SARIF, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _sarif(result: GateResult, report: GateReport) -> dict[str, Any]:
    finding = result.finding
    print_ = hashlib.sha256(f"{finding.rule}\0{finding.scenario}".encode()).hexdigest()
    file = {"uri": quote(finding.place.file or report.policy)}
    place = {"artifactLocation": file, "region": {"startLine": finding.place.line or 1}}
    suppressed = (
        {"suppressions": [{"kind": "external", "justification": result.note}]} if result.status == "waived" else {}
    )
    note = f" ({result.note})" if result.note else ""
    return {
        "ruleId": f"memreport/{finding.rule}",
        "level": _LEVELS.get(result.status, "note"),
        "message": {"text": f"{finding.scenario}: {finding.message}; allowed: {finding.limit}{note}"},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"memreport/v1": print_},
        **suppressed,
    }
