"""`memreport audit`: every rule on one workbook, what it computes to, which inputs were changed; as text or JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from memreport.audit.computed import computed_values, value_findings
from memreport.audit.findings import RULES, Changed, Finding, grouped
from memreport.audit.opening import Opened, opened
from memreport.audit.origin import changed_inputs, origin_findings
from memreport.audit.rules.checks import chart_findings, check_findings, descriptions_lost
from memreport.audit.rules.formulas import formula_findings
from memreport.audit.rules.inputs import input_findings
from memreport.audit.rules.layouts import layout_findings
from memreport.errors import DONE, FINDING, plural
from memreport.frozen import frozen
from memreport.publish.text.table import table

SCHEMA = 1
LOST = "the program that saved this workbook left out the descriptions of its charts for those who cannot see"
TITLES = ("rule", "sheet", "cell", "found", "expected")
WIDEST = 70


@frozen
class Audit:
    """The outcome: findings, changed inputs, how many formulas were recomputed."""

    path: Path
    formulas: int
    findings: tuple[Finding, ...]
    changed: tuple[Changed, ...]
    notes: tuple[str, ...] = ()
    """What became of the workbook by the way it was saved: nobody's fault, and no finding."""

    @property
    def ours(self) -> bool:
        """Whether every formula is that of the build."""
        return not {"formulas", "record", "sheets"} & {finding.rule for finding in self.findings}


def audit(path: Path) -> Audit:
    """Look at one workbook.  Raises InputError for what is none of memreport's, MachineError without formualizer."""
    book = opened(path)
    return audit_opened(book)


def audit_opened(book: Opened) -> Audit:
    """As `audit`, of a workbook that is open already."""
    computed, found = computed_values(book)
    found += [
        *layout_findings(book),
        *input_findings(book, computed),
        *formula_findings(book),
        *value_findings(book, computed),
        *check_findings(book, computed),
        *chart_findings(book),
        *origin_findings(book),
    ]
    return Audit(book.path, len(computed), tuple(grouped(found)), tuple(changed_inputs(book)), tuple(_notes(book)))


def _notes(book: Opened) -> Iterator[str]:
    """What the program that saved the workbook left out."""
    lost = descriptions_lost(book)
    if lost:
        yield f"{LOST} ({lost} charts); a workbook that is built again has them"


def run(path: Path, style: str) -> tuple[str, int]:
    """The command: what it prints, and its exit code: 1 with findings, 0 where at most inputs were changed."""
    made = audit(path)
    text = as_json(made) if style == "json" else as_table(made)
    return text, FINDING if made.findings else DONE


def as_json(made: Audit) -> str:
    """For programs."""
    findings = [asdict(finding) | {"meaning": RULES[finding.rule]} for finding in made.findings]
    whole = {
        "schema": SCHEMA,
        "workbook": made.path.name,
        "formulas": made.formulas,
        "formulas_as_built": made.ours,
        "findings": findings,
        "notes": list(made.notes),
        "changed_inputs": [asdict(change) for change in made.changed],
    }
    return json.dumps(_finite(whole), indent=1, ensure_ascii=False, default=str, allow_nan=False) + "\n"


def _finite(data: object) -> object:
    """The same without numbers that JSON has no form for: what somebody typed may be infinite."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return str(data) if isinstance(data, float) and not math.isfinite(data) else data


def as_table(made: Audit) -> str:
    """For people."""
    blocks = [_sentence(made)]
    if made.findings:
        rows = [
            (finding.rule, finding.sheet, _cell(finding), _line(finding.found), _line(finding.expected))
            for finding in made.findings
        ]
        rules = dict.fromkeys(finding.rule for finding in made.findings)
        blocks += [_aligned([TITLES, *rows]), "\n".join(f"{rule}: {RULES[rule]}" for rule in rules)]
    if made.changed:
        rows = [
            (change.field, change.variant, f"{change.sheet}!{change.cell}", _told(change.was), _told(change.now))
            for change in made.changed
        ]
        blocks.append(_aligned([("changed input", "variant", "cell", "at build", "now"), *rows]))
    blocks += [f"note: {note}" for note in made.notes]
    return "\n\n".join(blocks) + "\n"


def _sentence(made: Audit) -> str:
    count, changed = len(made.findings), len(made.changed)
    findings = f"{count or 'no'} {plural('finding', count)}"
    ours = "formulas as built" if made.ours else "formulas NOT known to be those of the build"
    inputs = f"{changed or 'no'} {plural('input', changed)} changed"
    return f"{made.path.name}: {findings}; {made.formulas} formulas recomputed; {ours}; {inputs}."


def _cell(finding: Finding) -> str:
    return f"{finding.cell} and {len(finding.others)} more" if finding.others else finding.cell


def _line(text: str) -> str:
    """A text from a stranger on one line, without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _told(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "blank" if value in (None, "") else _line(str(value))


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side; what is wider than its column is shortened."""
    cut = [[part if len(part) <= WIDEST else part[: WIDEST - 1] + "…" for part in row] for row in rows]
    return table(cut, lefts=range(len(cut[0])))
