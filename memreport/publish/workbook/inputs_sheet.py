"""The Inputs sheet: one row a field of the data dictionary, one column a variant; the only cells that are typed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from openpyxl.worksheet.cell_range import CellRange, MultiCellRange
from openpyxl.worksheet.datavalidation import DataValidation

from memreport.catalogue.dictionary import Entry
from memreport.catalogue.scenario import dictionary
from memreport.publish.view import View
from memreport.publish.workbook.book import FIRST_ROW, Content, Formula, Sheet, letter
from memreport.publish.workbook.draft import FIRST, FROZEN, LINE_COLUMN, NAME_COLUMN, NOT_GIVEN, Draft
from memreport.publish.workbook.lines import read_by
from memreport.publish.workbook.styles import (
    HEADER,
    HEADER_NUMBER,
    HEADING,
    INHERITED_WORD,
    INPUT_WORD,
    LABEL,
    NAME,
    NOTE,
    WORD,
    Style,
    format_of,
    inherited,
    typed,
)

TITLES = ("Field", "Input", "Unit", "Allowed", "Origin in the first variant")
SECTION_TITLES = {
    "model": "Model",
    "hardware": "Hardware",
    "training": "Training",
    "serving": "Serving",
    "cost": "Cost",
}
OPEN_OVERRIDES = ("parameters", "capacity_bytes", "usd_per_accelerator_hour")
"""What reviewers most often replace: these rows are there even where the scenario does not."""
Kind = Literal["whole", "decimal"]
LONGEST_FAULT = 32  # characters that Excel keeps of a validation's title
LONGEST_PROMPT = 255
LEAST = "at least"
"""As prompts say it; the narrow column has a sign for it."""
ALLOWED_WIDTH = 11.5


@dataclass(frozen=True)
class Row:
    """A row of the sheet: what stands in each variant's cell, and how it may be changed."""

    name: str
    label: str
    unit: str
    allowed: str
    origin: str
    values: tuple[str | float, ...]
    changed: tuple[bool, ...]
    rule: DataValidation | None
    shown_as: str = ""
    optional: bool = False


def write(draft: Draft, sheet: Sheet) -> None:
    """Fill the sheet and note where each input stands."""
    draft.set_widths(sheet, draft.count, basis=ALLOWED_WIDTH)
    draft.open(sheet, "Inputs", "Type over any yellow cell; pale cells follow the first variant until typed over.")
    draft.inputs.header = FIRST_ROW
    sheet.row(FIRST_ROW, 1, list(TITLES), HEADER)
    for at, case in enumerate(draft.view.variants):
        sheet.put(FIRST_ROW, FIRST + at, case.name, HEADER_NUMBER)
    draft.book.name("list_variants", sheet.span(FIRST_ROW, FIRST, FIRST_ROW, draft.last))
    row = FIRST_ROW + 1
    for title, rows in _sections(draft):
        row = _heading(draft, sheet, row, title)
        for one in rows:
            _write_row(draft, sheet, row, one)
            row += 1
    draft.inputs.last = row - 1
    draft.close(sheet, row - 1, draft.last)
    sheet.worksheet.freeze_panes = f"{letter(FROZEN)}{FIRST_ROW + 1}"
    sheet.worksheet.print_title_rows = f"{FIRST_ROW}:{FIRST_ROW}"


def _sections(draft: Draft) -> Iterator[tuple[str, list[Row]]]:
    view = draft.view
    fields = dictionary(view.workload).values()
    for section, title in SECTION_TITLES.items():
        rows = [row for entry in fields if entry.section == section for row in _rows(draft, entry)]
        if rows and (section != "cost" or view.scenario.cost is not None):
            yield title, rows
    names = [name for name in _overridden(view) if name not in draft.inputs.overrides]
    draft.inputs.overrides.update(dict.fromkeys(names, 0))
    yield "Overrides: a number here replaces what is computed or looked up", [_override(view, name) for name in names]


def _overridden(view: View) -> list[str]:
    read = read_by(view.computed.lines)
    open_ones = [name for name in OPEN_OVERRIDES if name in view.lines or name in read]
    return list(dict.fromkeys([*open_ones, *view.resolved.overrides]))


def _heading(draft: Draft, sheet: Sheet, row: int, title: str) -> int:
    sheet.row(row, NAME_COLUMN, [None, title, *[None] * (draft.last - LINE_COLUMN)], HEADING)
    if title != SECTION_TITLES["model"]:
        return row + 1
    titles = [case.card.title for case in draft.view.variants]
    sheet.row(row + 1, 1, ["model", "model card", None, None, "the fields below are the card's"], LABEL)
    sheet.row(row + 1, FIRST, [*titles], WORD)
    draft.built[row + 1, "model card", "model"] = tuple(titles)
    return row + 2


def _rows(draft: Draft, entry: Entry) -> Iterator[Row]:
    view = draft.view
    if entry.kind == "optional":
        draft.inputs.overrides[entry.name] = 0
        yield _override(view, entry.name, entry)
    elif entry.kind == "list":
        for name, member in entry.gives.items():
            yield _switch_row(view, entry, name, member)
    else:
        yield _plain_row(draft, entry)


def _plain_row(draft: Draft, entry: Entry) -> Row:
    view = draft.view
    values = tuple(_setting(case.settings[entry.name]) for case in view.variants)
    numeric = entry.kind in ("number", "whole", "switch")
    return Row(
        entry.name,
        entry.meaning,
        "" if entry.kind in ("choice", "text") else _unit(view, entry.name),
        _allowed(view, entry).replace(LEAST, "≥"),
        _origin(view, entry.name),
        values,
        _changed(view, entry.name, values),
        rule_of(entry),
        format_of(view.unit(entry.name)) if numeric else "",
    )


def _switch_row(view: View, entry: Entry, name: str, member: str) -> Row:
    values = tuple(float(member in case.settings[entry.name]) for case in view.variants)
    label = f"{entry.meaning}: {member}"
    changed = _changed(view, entry.name, values)
    return Row(name, label, "", "0 or 1", _origin(view, entry.name), values, changed, switch_rule(), "0")


def _override(view: View, name: str, entry: Entry | None = None) -> Row:
    """A row that may hold no number."""
    given = tuple(case.overrides.get(name, NOT_GIVEN) for case in view.variants)
    allowed = "a number, or –" if entry is None else f"{_limits(entry, 'number')}, or –".replace(LEAST, "≥")
    limits = (entry.lowest, entry.highest) if entry else (None, None)
    return Row(
        name if entry else f"{name} (override)",
        entry.meaning if entry else view.meaning(name),
        _unit(view, name),
        allowed,
        _origin(view, name) if name in view.variants[0].origins else "not given",
        given,
        tuple(value != given[0] for value in given),
        number_rule(*limits, "decimal", "A number; clear the cell to compute or look it up."),
        format_of(view.unit(name)),
        optional=True,
    )


def _changed(view: View, name: str, values: tuple[str | float, ...]) -> tuple[bool, ...]:
    """Whether a variant states the value itself, instead of following the first column."""
    return tuple(
        at > 0 and (value != values[0] or view.variants[at].origins[name].kind == "variant")
        for at, value in enumerate(values)
    )


def _setting(value: object) -> str | float:
    return value if isinstance(value, str) else float(value)  # type: ignore[arg-type]  # fields hold nothing else


def _origin(view: View, name: str) -> str:
    return str(view.variants[0].origins[name])


def _unit(view: View, name: str) -> str:
    unit = view.unit(name)
    return "" if unit == "1" else unit


def _write_row(draft: Draft, sheet: Sheet, row: int, one: Row) -> None:
    words = (one.name, one.label, one.unit, one.allowed, one.origin)
    for column, (word, look) in enumerate(zip(words, (NAME, LABEL, NAME, NOTE, NOTE), strict=True), 1):
        sheet.put(row, column, word or None, look)
    for at, value in enumerate(one.values):
        content, style = _cell(one, at, value, row)
        sheet.put(row, FIRST + at, content, style)
    if one.rule is not None:
        one.rule.add(f"{letter(FIRST)}{row}:{letter(FIRST + len(one.values) - 1)}{row}")
        sheet.worksheet.add_data_validation(one.rule)
    _note_place(draft, one.name, row)
    draft.built[row, one.label, one.name] = one.values


def _note_place(draft: Draft, name: str, row: int) -> None:
    plain = name.removesuffix(" (override)")
    if plain in draft.inputs.overrides and draft.inputs.overrides[plain] == 0:
        draft.inputs.overrides[plain] = row
    else:
        draft.inputs.rows[plain] = row


def _cell(one: Row, at: int, value: str | float, row: int) -> tuple[Content, Style]:
    if at == 0 or one.changed[at]:
        return value, typed(one.shown_as) if one.shown_as else INPUT_WORD
    style = inherited(one.shown_as) if one.shown_as else INHERITED_WORD
    first = f"${letter(FIRST)}{row}"
    return Formula(f'IF(COUNT({first})=1,{first},"{NOT_GIVEN}")' if one.optional else first, value), style


def _allowed(view: View, entry: Entry) -> str:
    if entry.kind == "choice":
        return f"one of {len(view.table_of(entry.name).ids)}"
    if entry.kind == "switch":
        return "0 or 1"
    return _limits(entry, entry.kind) if entry.kind in ("number", "whole") else "any text"


def _limits(entry: Entry, kind: str) -> str:
    word = "whole, " if kind == "whole" else ""
    low = "" if entry.lowest is None else _plain(entry.lowest)
    if entry.highest is not None:
        return f"{word}{low} to {_plain(entry.highest)}"
    return f"{word}{LEAST} {low}" if low else f"{word}any"


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def rule_of(entry: Entry) -> DataValidation | None:
    """What may be typed into a field's cells; None where anything may."""
    if entry.kind == "choice":
        return list_rule(f"list_{entry.table}", f"Choose from the list: {entry.meaning}.")
    if entry.kind == "switch":
        return switch_rule()
    if entry.kind in ("number", "whole"):
        kind: Kind = "whole" if entry.kind == "whole" else "decimal"
        return number_rule(entry.lowest, entry.highest, kind, f"{_limits(entry, entry.kind)}.")
    return None


def list_rule(formula: str, prompt: str) -> DataValidation:
    """A drop-down of a named range."""
    return _with_words(DataValidation(type="list", formula1=formula, allow_blank=False), prompt, "Not in the list")


def switch_rule() -> DataValidation:
    """A drop-down of 0 and 1."""
    rule = DataValidation(type="list", formula1='"0,1"', allow_blank=False)
    return _with_words(rule, "1 for yes, 0 for no.", "0 or 1")


def number_rule(lowest: float | None, highest: float | None, kind: Kind, prompt: str) -> DataValidation:
    """Numbers within limits, where there are some."""
    low = "-1E+300" if lowest is None else _plain(lowest)
    if highest is None:
        rule = DataValidation(type=kind, operator="greaterThanOrEqual", formula1=low, allow_blank=True)
    else:
        rule = DataValidation(type=kind, operator="between", formula1=low, formula2=_plain(highest), allow_blank=True)
    return _with_words(rule, prompt[:1].upper() + prompt[1:], "Out of range")


def lay_over(sheet: Sheet, rule: DataValidation, cells: Iterable[tuple[int, int]]) -> None:
    """Lay one rule over many cells, given as (column, row); neighbours below each other become one range."""
    spans: list[list[int]] = []
    for column, row in sorted(cells):
        if spans and spans[-1][0] == column and spans[-1][2] == row - 1:
            spans[-1][2] = row
        else:
            spans.append([column, row, row])
    ranges = [CellRange(min_col=at, max_col=at, min_row=first, max_row=last) for at, first, last in spans]
    rule.sqref = MultiCellRange(ranges)  # one by one, each would be compared with all others
    if ranges:
        sheet.worksheet.add_data_validation(rule)


def _with_words(rule: DataValidation, prompt: str, fault: str) -> DataValidation:
    rule.showErrorMessage = rule.showInputMessage = True
    rule.promptTitle, rule.prompt = "Input", prompt[:LONGEST_PROMPT]
    rule.errorTitle, rule.error = fault[:LONGEST_FAULT], f"Allowed: {prompt}"[:LONGEST_PROMPT]
    return rule
