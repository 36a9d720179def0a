"""The values of a workbook recomputed, against those that stand beside its formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator

from memreport.audit.findings import Finding
from memreport.audit.opening import Opened
from memreport.audit.recalculate import Place, Value, Values, recalculate
from memreport.errors import InputError, MachineError

TOLERANCE = 1e-9
PANIC = "PanicException"
"""What a library written in Rust raises where it gives up; it is no Exception."""


def computed_values(book: Opened) -> tuple[Values, list[Finding]]:
    """What formualizer computes for every formula, or the finding that it cannot.  Raises MachineError without it."""
    try:
        return recalculate(book.path, book.values), []
    except (MachineError, InputError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        said = f"{type(error).__name__}: {error}"[:200]
        return {}, [Finding("recalculated", "", "", said, "a workbook that formualizer can compute")]


def value_findings(book: Opened, computed: Values) -> Iterator[Finding]:
    """Formulas without a value, with an error, or with another value than is computed."""
    missing = [place for place, value in computed.items() if value != "" and _beside(book, place) is None]
    if missing and len(missing) > len(computed) / 2:
        found = f"no formula of {len(computed)} has a value: another program saved it without computing"
        yield Finding("value", "", "", found, "open it in a spreadsheet program and save it there")
        missing = list(computed)
    skipped = set(missing)
    for place, value in computed.items():
        if _is_error(value):
            yield Finding("value", *place, str(value), "a number or a text")
        elif place not in skipped and not same(_beside(book, place), value):
            yield Finding("recalculated", *place, f"{_beside(book, place)!r}", f"{value!r}")
    if len(skipped) < len(computed):
        for place in missing:
            yield Finding("value", *place, "no value beside the formula", f"{computed[place]!r}")


def _beside(book: Opened, place: Place) -> object:
    return book.value(*place)


def _is_error(value: object) -> bool:
    return isinstance(value, str) and value.startswith("#") and value.endswith(("!", "?", "/A"))


def same(found: object, expected: Value) -> bool:
    """Whether two values agree: numbers within 1e-9, nothing and an empty text are the same."""
    if isinstance(found, bool) or isinstance(expected, bool):
        return isinstance(found, bool | int | float) and not isinstance(expected, str) and float(found) == expected
    if isinstance(found, int | float) and isinstance(expected, int | float):
        return math.isclose(found, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return ("" if found is None else found) == expected
