"""The results of a gate in each of its formats."""

from __future__ import annotations

from memreport.publish.json.gate import gate_data, gate_sarif
from memreport.publish.json.scenario import to_json
from memreport.publish.text.changes.gate import gate_annotations, gate_markdown, gate_text
from memreport.publish.text.changes.junit import gate_junit
from memreport.report.records.changes.gate import GateReport


def written(report: GateReport, style: str, tag: str, began: str) -> str:
    """The results in one format; `tag` and the time at which the job began mark a comment."""
    if style == "markdown":
        return gate_markdown(report, tag, began)
    if style in ("json", "sarif"):
        return to_json(gate_data(report) if style == "json" else gate_sarif(report))
    if style == "junit":
        return gate_junit(report)
    return gate_annotations(report) if style == "github" else gate_text(report)
