"""The results of a gate as JUnit XML: one suite a rule, one case a scenario."""

from __future__ import annotations

from itertools import groupby

from memreport.escaping import html, one_line
from memreport.publish.text.changes.gate import place_of
from memreport.report.records.changes.gate import GateReport, GateResult

_FAILING = ("failed", "expired")


def gate_junit(report: GateReport) -> str:
    """XML as Jenkins and GitLab read it; a waived or advisory result counts as skipped, with its reason."""
    results = sorted(report.results, key=lambda result: result.finding.rule)
    suites = "".join(_suite(rule, list(group)) for rule, group in groupby(results, lambda result: result.finding.rule))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="memreport gate">\n{suites}</testsuites>\n'


def _suite(rule: str, results: list[GateResult]) -> str:
    failures = sum(result.status in _FAILING for result in results)
    skipped = sum(result.status in ("waived", "warned") for result in results)
    counts = f'tests="{len(results)}" failures="{failures}" errors="0" skipped="{skipped}"'
    return f'<testsuite name="{html(rule)}" {counts}>\n{"".join(map(_case, results))}</testsuite>\n'


def _case(result: GateResult) -> str:
    finding = result.finding
    place = f' file="{_text(finding.place.file)}" line="{finding.place.line}"' if finding.place.file else ""
    opened = f'<testcase classname="memreport.{html(finding.rule)}" name="{_text(finding.scenario)}"{place}'
    said = f"{finding.message}; allowed: {finding.limit}"
    if result.status in _FAILING:
        detail = " ".join(part for part in (place_of(result), result.note) if part)
        return (
            f'{opened}><failure type="{result.status}" message="{_text(said)}">{_text(detail)}</failure></testcase>\n'
        )
    if result.status != "passed":
        return f'{opened}><skipped message="{_text(f"{result.status}: {said} {result.note}".strip())}"/></testcase>\n'
    return f"{opened}/>\n"


def _text(text: str) -> str:
    return html(one_line(text))
