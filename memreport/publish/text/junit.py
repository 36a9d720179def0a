"""The results of a gate as JUnit XML: one suite a rule, one case a scenario."""

from __future__ import annotations

from itertools import groupby

from memreport.escaping import html, one_line
from memreport.publish.text.gate import place_of
from memreport.report.records.gate import GateReport, GateResult

_FAILING = ("failed", "expired")


def gate_junit(report: GateReport) -> str:
    """XML as Jenkins and GitLab read it; a waived or advisory result counts as skipped, with its reason."""
    results = sorted(report.results, key=lambda one: one.finding.rule)
    suites = "".join(_suite(rule, list(group)) for rule, group in groupby(results, lambda one: one.finding.rule))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="memreport gate">\n{suites}</testsuites>\n'


def _suite(rule: str, results: list[GateResult]) -> str:
    failures = sum(one.status in _FAILING for one in results)
    skipped = sum(one.status in ("waived", "warned") for one in results)
    counts = f'tests="{len(results)}" failures="{failures}" errors="0" skipped="{skipped}"'
    return f'<testsuite name="{html(rule)}" {counts}>\n{"".join(map(_case, results))}</testsuite>\n'


def _case(one: GateResult) -> str:
    finding = one.finding
    place = f' file="{_text(finding.file)}" line="{finding.line}"' if finding.file else ""
    opened = f'<testcase classname="memreport.{html(finding.rule)}" name="{_text(finding.scenario)}"{place}'
    said = f"{finding.message}; allowed: {finding.limit}"
    if one.status in _FAILING:
        detail = " ".join(part for part in (place_of(one), one.note) if part)
        return f'{opened}><failure type="{one.status}" message="{_text(said)}">{_text(detail)}</failure></testcase>\n'
    if one.status != "passed":
        return f'{opened}><skipped message="{_text(f"{one.status}: {said} {one.note}".strip())}"/></testcase>\n'
    return f"{opened}/>\n"


def _text(text: str) -> str:
    return html(one_line(text))
