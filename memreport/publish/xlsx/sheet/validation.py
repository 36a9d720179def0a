"""What may be typed into cells: drop-downs, and numbers within limits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from openpyxl.worksheet.cell_range import CellRange, MultiCellRange
from openpyxl.worksheet.datavalidation import DataValidation

from memreport.formula.printing import repr_number
from memreport.publish.xlsx.sheet.book import Sheet

Kind = Literal["whole", "decimal"]


LONGEST_FAULT = 32  # characters that Excel keeps of a validation's title


LONGEST_PROMPT = 255
SWITCH, UNLIMITED = '"0,1"', 1e300
"""The list of a switch, and what stands for no limit."""


def list_rule(formula: str, prompt: str) -> DataValidation:
    """A drop-down of a named range."""
    return _with_words(DataValidation(type="list", formula1=formula, allow_blank=False), prompt, "Not in the list")


def switch_rule() -> DataValidation:
    """A drop-down of 0 and 1."""
    rule = DataValidation(type="list", formula1=SWITCH, allow_blank=False)
    return _with_words(rule, "1 for yes, 0 for no.", "0 or 1")


def number_rule(lowest: float | None, highest: float | None, kind: Kind, prompt: str) -> DataValidation:
    """Numbers within limits, where there are some."""
    low = "-1E+300" if lowest is None else repr_number(lowest)
    if highest is None:
        rule = DataValidation(type=kind, operator="greaterThanOrEqual", formula1=low, allow_blank=True)
    else:
        rule = DataValidation(
            type=kind, operator="between", formula1=low, formula2=repr_number(highest), allow_blank=True
        )
    return _with_words(rule, prompt[:1].upper() + prompt[1:], "Out of range")


def limits_of(rule: DataValidation) -> tuple[float, float] | None:
    """The least and the highest number that a rule lets pass; None for a list of words."""
    if rule.type == "list":
        return (0.0, 1.0) if rule.formula1 == SWITCH else None
    return float(rule.formula1 or -UNLIMITED), UNLIMITED if rule.formula2 is None else float(rule.formula2)


def apply_validation(sheet: Sheet, rule: DataValidation, cells: Iterable[tuple[int, int]]) -> None:
    """Lay one rule over many cells, given as (column, row); neighbours below each other become one range."""
    spans: list[list[int]] = []
    for column, row in sorted(cells):
        if spans and spans[-1][0] == column and spans[-1][2] == row - 1:
            spans[-1][2] = row
        else:
            spans.append([column, row, row])
    ranges = [CellRange(min_col=index, max_col=index, min_row=first, max_row=last) for index, first, last in spans]
    rule.sqref = MultiCellRange(ranges)  # one by one, each would be compared with all others
    if ranges:
        sheet.worksheet.add_data_validation(rule)


def _with_words(rule: DataValidation, prompt: str, fault: str) -> DataValidation:
    rule.showErrorMessage = rule.showInputMessage = True
    rule.promptTitle, rule.prompt = "Input", prompt[:LONGEST_PROMPT]
    rule.errorTitle, rule.error = fault[:LONGEST_FAULT], f"Allowed: {prompt}"[:LONGEST_PROMPT]
    return rule
