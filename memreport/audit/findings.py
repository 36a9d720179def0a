"""What an audit finds, and the rules it goes by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from memreport.frozen import frozen

RULES: Mapping[str, str] = {
    "sheets": "every sheet of the build is there, in its order, under its name, and no other; each name is valid",
    "title": "cell A1 holds the sheet's title in bold",
    "hidden": "no sheet, row, column or number is hidden",
    "merged": "no cells are merged",
    "outside": "nothing points to other workbooks, programs, queries or the local disk, and there are no macros",
    "properties": "the file states title, author and language",
    "print": "every sheet but a narrow front prints in landscape, fitted or scaled, with a footer, and has frozen panes"
    " where built so; a calculation's header is on every page",
    "link": "every link leads to a sheet of the workbook, a published file or an address on the web",
    "protection": "every sheet but Inputs is protected, and every formula locked; only yellow cells may be typed over",
    "contrast": "text stands out from its background by 4.5 to 1",
    "input": "every input is blue on yellow, with label, field, origin, what is allowed, and a validation with limits"
    " and words",
    "allowed": "every input holds a number or name that its validation allows",
    "unused": "every input is read by a formula",
    "text-number": "no number is stored as text",
    "unit": "every line of the calculation has the unit of its figure",
    "typed": "no number is typed where a formula belongs",
    "one-formula": "a line holds one formula, copied across",
    "literal": "formulas hold no other numbers than 0, 1 and the 9 digits of ROUND; all others have a name",
    "function": "formulas use old, plain, not volatile functions",
    "length": "a formula is short, on one line, and chooses at most twice in a row",
    "name": "every named range has a valid name, is used, and leads somewhere",
    "reference": "every reference leads to a sheet of this workbook",
    "value": "every formula has a value beside it, and none is an error",
    "chain": "a cell that only repeats another leads to it directly, not through a third and a fourth",
    "rounding": "counts are rounded after ROUND(x,9), so that every program finds the same",
    "sum": "a sum covers its whole block",
    "check": "every check compares two routes in proportion to their size, is counted by the master check, and passes",
    "chart": "every chart of the build is there, with a title, titled axes and a description without numbers",
    "formulas": "the formulas are those of the build",
    "words": "labels, units, sources and constants are those of the build",
    "record": "the workbook carries the record of its build",
    "recalculated": "an independent program computes the value that stands beside the formula",
}
SHOWN = 3


@frozen
class Finding:
    """One breach of a rule: where, what was found, what is expected; `others` are further cells alike."""

    rule: str
    sheet: str
    cell: str
    found: str
    expected: str
    others: tuple[str, ...] = ()


@frozen
class Changed:
    """An input that differs from the build."""

    sheet: str
    cell: str
    field: str
    variant: str
    was: object
    now: object


def grouped(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One finding for many cells of a sheet that say the same."""
    listed = sorted(findings, key=_alike)
    for _, group in groupby(listed, key=_alike):
        cells = list(dict.fromkeys(group))
        if len(cells) <= SHOWN:
            yield from cells
        else:
            yield replace(cells[0], others=tuple(cell.cell for cell in cells[1:]))


ORDER = {rule: index for index, rule in enumerate(RULES)}


def _alike(finding: Finding) -> tuple[int, str, str, str]:
    return ORDER[finding.rule], finding.sheet, finding.found, finding.expected
