"""Sentences as formulas: what a cell says is put together from words and from numbers that follow the inputs."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from memreport.publish.xlsx.common.draft import HUNDRED, Draft
from memreport.publish.xlsx.sheet.book import Formula

TIME_ERROR = {"training": "step_time_error", "serving": "served_time_error"}
"""By how much the times of a workload may be longer, or be divided by more."""
DIGITS = 15
"""Digits of a number that spreadsheet programs compute with, and round by."""


def said(*parts: str | Formula) -> Formula:
    """Words and formulas, one behind the other."""
    text = "&".join(part.text if isinstance(part, Formula) else quoted(part) for part in parts)
    return Formula(text, "".join(str(part.value) if isinstance(part, Formula) else part for part in parts))


def quoted(words: str) -> str:
    """Words as a formula writes them."""
    return '"' + words.replace('"', '""') + '"'


def fixed(amount: Formula, digits: int = 0) -> Formula:
    """A number as text with groups of three digits, `digits` of them, 0 or 1, behind the point."""
    value = amount.value
    return Formula(
        f"FIXED(ROUND({amount.text},{digits}),{digits})", value if isinstance(value, str) else as_fixed(value, digits)
    )


def as_fixed(value: float, digits: int) -> str:
    """What FIXED gives: halves are rounded away from zero, in the digits that such programs keep."""
    shown = Decimal(f"{value:.{DIGITS}g}").quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{shown or abs(shown):,.{digits}f}"


def spread_said(draft: Draft) -> Formula:
    """How far the times of a sheet may lie from what it shows: the widest of the variants' errors, live."""
    error = TIME_ERROR[draft.view.workload]
    most = max(draft.value(error, index) for index in range(draft.count))
    hundred, cell = draft.constants[HUNDRED.name], f"MAX({draft.calculated(error)})"
    less = Formula(f"{hundred}*(1-1/(1+{cell}))", float(HUNDRED) * (1 - 1 / (1 + most)))
    more = Formula(f"{hundred}*{cell}", float(HUNDRED) * most)
    return said("Times may be ", fixed(less), " % shorter to ", fixed(more), " % longer.")


NOTHING = Formula(quoted(""), "")


def where_number(cell: Formula, *parts: str | Formula, otherwise: Formula = NOTHING) -> Formula:
    """Words and formulas where a cell holds a number, else nothing or another formula."""
    whole = said(*parts)
    value = otherwise.value if isinstance(cell.value, str) else whole.value
    return Formula(f"IF(COUNT({cell.text})=1,{whole.text},{otherwise.text})", value)
