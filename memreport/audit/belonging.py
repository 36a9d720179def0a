"""Whether a workbook is of the scenario into which its inputs are brought back, as it was when the book was built."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memreport.audit.opening import Opened
from memreport.catalogue.scenario import WORKLOADS, dictionary
from memreport.errors import Fault, InputError
from memreport.publish.xlsx.common.draft import NAME_COLUMN
from memreport.publish.xlsx.common.titles import INPUTS

OF, VERSION, DIGEST = "Scenario", ", version ", "SHA-256 of the scenario"
"""What stands on the first sheet beside whose book it is, within that, and beside the digest of its file."""
CHANGED = "the scenario changed since this workbook was built: look at each change, which may undo a later one"


def notes_on_origin(book: Opened, data: Mapping[str, Any], text: str, file: Path) -> list[str]:
    """That the scenario is no more as the workbook has it.  Raises InputError where the book is of another one."""
    if faults := list(_of_another(book, data, file)):
        raise InputError(faults)
    built = _beside(book, DIGEST)
    return [CHANGED] if built and built != hashlib.sha256(text.encode()).hexdigest() else []


def _of_another(book: Opened, data: Mapping[str, Any], file: Path) -> Iterator[Fault]:
    named, workload = _beside(book, OF).partition(VERSION)[0], data.get("workload")
    if named and data.get("id") not in (None, named):
        message = f"is not the scenario of {book.path.name}"
        yield Fault(message, str(file), field="id", found=repr(data["id"]), expected=named)
    elif workload in WORKLOADS and (has := _workloads(book)) and workload not in has:
        message = f"is not the workload of {book.path.name}"
        yield Fault(message, str(file), field="workload", found=repr(workload), expected=", ".join(sorted(has)))


def _beside(book: Opened, label: str) -> str:
    """The text beside a label of the first sheet."""
    cells = book.cells[book.formulas.sheetnames[0]]
    rows = {cell.row for cell in cells if cell.value == label}
    return next((str(cell.value) for cell in cells if cell.row in rows and cell.value != label), "")


def _workloads(book: Opened) -> set[str]:
    """The workloads whose fields stand on the sheet of inputs."""
    of = {name: {key for key, entry in dictionary(name).items() if entry.section == name} for name in WORKLOADS}
    shared = set.intersection(*of.values())
    there = {str(cell.value) for cell in book.cells[INPUTS] if cell.column == NAME_COLUMN} - shared
    return {name for name, fields in of.items() if fields & there}
