"""The results of a gate as text for a terminal, as a comment in Markdown, and as annotations of GitHub Actions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memreport.escaping import markdown, one_line
from memreport.publish.markdown.table import piped
from memreport.publish.text.changes.difference import as_markdown
from memreport.report.changes.rows import summary
from memreport.report.records.changes.gate import GateReport, GateResult

MOST_CHARACTERS = 65_536
"""Of a comment on GitHub."""
MOST_LISTED = 100
_STAMP = re.compile(r"<!-- memreport-gate:(?P<tag>[\w.-]+) valid-at=(?P<at>[\d-]{10}T[\d:]{8}Z) -->")
HEADS = ("status", "rule", "scenario", "line", "found; allowed")
CUT = "\n\n*cut: the whole is longer than a comment may be; `memreport gate --format json` has all of it*\n"


def gate_text(report: GateReport) -> str:
    """The sentence, what does not hold with both numbers and the line of the file, notes, then five counts."""
    lines = [f"{report.sentence} {report.base} → {report.head}, policy {report.policy}, {report.day} (UTC)"]
    lines += [line for result in report.shown for line in _lines(result)]
    lines += [f"note: {one_line(note)}" for note in report.notes]
    return "\n".join([*lines, report.last_line]) + "\n"


def _lines(result: GateResult) -> Iterator[str]:
    finding = result.finding
    place = place_of(result)
    yield f"{result.status}: {finding.rule} of {one_line(finding.scenario)}{f', {one_line(place)}' if place else ''}"
    yield f"  {one_line(finding.message)}; allowed: {finding.limit}"
    if result.note:
        yield f"  {one_line(result.note)}"


def place_of(result: GateResult) -> str:
    """`scenarios/job.yaml:26`; nothing where a finding is on several files."""
    return f"{result.finding.place.file}:{result.finding.place.line}" if result.finding.place.file else ""


def gate_markdown(report: GateReport, tag: str, valid_at: str) -> str:
    """One comment, with a mark by which the next one finds and replaces it; what failed stands before what changed."""
    mark = f"<!-- memreport-gate:{tag} valid-at={valid_at} -->"
    head = f"{mark}\n**{markdown(report.sentence)}** {markdown(f'{report.base} → {report.head}')}"
    listed = _table(report.shown)
    notes = "\n".join(f"* {markdown(note)}" for note in report.notes)
    whole = [part for part in (head, listed, notes, _changes(report)) if part]
    return _within_limit([*whole, report.last_line])


def _table(shown: Iterable[GateResult]) -> str:
    rows = [*shown]
    if not rows:
        return ""
    cells = ((row.status, row.finding.rule, row.finding.scenario, place_of(row), _said(row)) for row in rows)
    more = f"\n\n... and {len(rows) - MOST_LISTED} more" if len(rows) > MOST_LISTED else ""
    return piped([HEADS, *list(cells)[:MOST_LISTED]], lefts=range(len(HEADS))) + more


def _said(result: GateResult) -> str:
    note = f"; {result.note}" if result.note else ""
    return f"{result.finding.message}; allowed: {result.finding.limit}{note}"


def _changes(report: GateReport) -> str:
    """What differs between the revisions, folded; nothing where nothing does."""
    if all(change.is_empty for change in report.changes):
        return ""
    text = as_markdown(report.changes, summary(report.changes, (), ()), {})
    return f"<details><summary>What changes</summary>\n\n{text}\n</details>"


def _within_limit(parts: list[str]) -> str:
    """The parts as one text; where it is too long, what changed is left out first, then the middle."""
    whole = "\n\n".join(parts) + "\n"
    if len(whole) < MOST_CHARACTERS:
        return whole
    *first, last = [part for part in parts if not part.startswith("<details>")]
    short = "\n\n".join(first)[: MOST_CHARACTERS - len(CUT) - len(last) - 4]
    return f"{short}{CUT}\n{last}\n"


def is_same_comment(body: str, other: str) -> bool:
    """Whether another comment begins with the mark of this one, whenever it was written."""
    ours, theirs = _STAMP.match(body), _STAMP.match(other)
    return bool(ours and theirs and ours["tag"] == theirs["tag"])


def replacement(body: str, previous: str) -> tuple[str, str]:
    """What is to be written in place of an earlier comment, and why nothing is: it is the same, or it is newer."""
    ours, theirs = _STAMP.match(body), _STAMP.match(previous)
    if not (ours and theirs and is_same_comment(body, previous)):
        return body, ""
    if theirs["at"] > ours["at"]:
        return "", f"the comment there is newer ({theirs['at']}) than this one ({ours['at']}); it is left"
    if _STAMP.sub("", body).split() == _STAMP.sub("", previous).split():
        return "", "the comment there says the same; it is left"
    return body, ""


def gate_annotations(report: GateReport) -> str:
    """Lines that GitHub Actions shows beside the file."""
    lines = [
        f"::{_level(result)} {_place(result)}title={_property(_title(result))}::{_data(_said(result))}"
        for result in report.shown
    ]
    return "\n".join([*lines, report.last_line]) + "\n"


def _title(result: GateResult) -> str:
    return _property(f"memreport {result.finding.rule}: {result.finding.scenario}")


def _level(result: GateResult) -> str:
    return {"failed": "error", "expired": "error", "warned": "warning"}.get(result.status, "notice")


def _place(result: GateResult) -> str:
    finding = result.finding
    return f"file={_property(finding.place.file)},line={finding.place.line}," if finding.place.file else ""


def _data(text: str) -> str:
    """A text as the runner reads it back."""
    return one_line(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
