"""The Inputs sheet: one row a field of the data dictionary, one column a variant; the only cells that are typed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from openpyxl.worksheet.datavalidation import DataValidation

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.names import of_accelerator, title_of
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.figures.registry import may_be_negative
from memreport.formula.printing import repr_number
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import FIRST, FROZEN, LINE_COLUMN, NAME_COLUMN, NOT_GIVEN, STATED_FOR, Draft
from memreport.publish.xlsx.common.titles import INPUTS
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Content, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import (
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
from memreport.publish.xlsx.sheet.validation import Kind, limits_of, list_rule, number_rule, switch_rule
from memreport.report.live.levers import OPEN_OVERRIDES, levers
from memreport.report.live.levers import TITLE as LEVERS_TITLE
from memreport.report.view import View
from memreport.resolve.following import ONLY_FOLLOWED

ABOUT = (
    "Type over yellow cells; pale ones follow the first variant until typed over. Groups below the levers are folded: "
    "+ at the left opens them."
)
TITLES = ("Field", "Input", "Unit", "Allowed", "Origin in the first variant")
SECTION_TITLES = {
    "model": "Model",
    "hardware": "Hardware",
    "training": "Training",
    "serving": "Serving",
    "demand": "Demand",
    "cost": "Cost",
}
ASKS, HORIZON, COMPARED_YEARS = "rent_or_buy", ("horizon_years", "horizon_use"), "comparison_years"
"""What asks for a comparison of renting and buying, what it spans, and the figure that is there where it is made."""
PRICES_TYPED = dict(zip(("price", "purchase_price"), OWN_PRICES, strict=True))
"""Choices of a price, each with the number that may be typed instead."""
OWN_QUOTE = ", a quote of one's own"
COMPUTED = "0 computes it"
"""What the meaning of a field says whose number takes the place of a computed one."""
LEAST = "at least"
"""As prompts say it; the narrow column has a sign for it."""
ALLOWED_WIDTH = 11.5
NOT_NEGATIVE = 0.0
"""The least number that may replace a figure which is no difference, as scenarios have it."""
TOO_LARGE = 1e5
"""From here on the highest number is none that anybody types."""


@frozen
class InputRow:
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
    sheet.is_protected = False
    draft.open(sheet, INPUTS, ABOUT)
    _header(draft, sheet)
    row = FIRST_ROW + 1
    for section in _sections(draft):
        top = row
        row = _heading(draft, sheet, row, section.title)
        for input_row in section.rows:
            _write_row(draft, sheet, row, input_row)
            row += 1
        if section.folded:
            sheet.fold(top + 1, row - 1)
    draft.inputs.last = row - 1
    draft.close(sheet, row - 1, draft.last)
    sheet.keep_header(FIRST_ROW, letter(FROZEN))


def _header(draft: Draft, sheet: Sheet) -> None:
    draft.inputs.header = FIRST_ROW
    sheet.row(FIRST_ROW, 1, list(TITLES), HEADER)
    for index, case in enumerate(draft.view.variants):
        sheet.put(FIRST_ROW, FIRST + index, case.name, HEADER_NUMBER)
    draft.book.name("list_variants", sheet.span(FIRST_ROW, FIRST, FIRST_ROW, draft.last))


@frozen
class InputSection:
    """Rows under one heading."""

    title: str
    rows: list[InputRow]
    folded: bool = True


def _sections(draft: Draft) -> Iterator[InputSection]:
    """The levers; then, folded, all other fields, and overrides, which stay open where the scenario states any."""
    view = draft.view
    fields = dictionary(view.workload)
    first = list(levers(view, fields))
    rows = [row for entry in first for row in (*_rows(draft, entry), *_own_price(draft, entry))]
    yield InputSection(LEVERS_TITLE, rows, folded=False)
    for section, title in SECTION_TITLES.items():
        left = [entry for entry in fields.values() if _is_read(view, entry, section) and entry not in first]
        rows = [row for entry in left for row in (*_rows(draft, entry), *_own_price(draft, entry))]
        if rows:
            yield InputSection(title, rows)
    names = [name for name in _overridden(view) if name not in draft.inputs.overrides]
    title = "Overrides: a number here replaces what is computed or looked up"
    yield InputSection(title, _override_rows(draft, names), folded=not set(names) & set(view.resolved.overrides))


def _own_price(draft: Draft, entry: Entry) -> list[InputRow]:
    """Below a choice of prices, a price of one's own."""
    own = PRICES_TYPED.get(entry.name)
    return _override_rows(draft, [own]) if own in _overridden(draft.view) else []


def _override_rows(draft: Draft, names: Sequence[str]) -> list[InputRow]:
    draft.inputs.overrides.update(dict.fromkeys(names, 0))
    return [row for name in names for row in (_override(draft.view, name), *_stated_for(draft.view, name))]


def _is_read(view: View, entry: Entry, section: str) -> bool:
    """Whether a field belongs to the section and something reads it: a comparison's and a bill's where there is one."""
    return (
        entry.section == section
        and entry.name not in {ASKS, *ONLY_FOLLOWED}
        and (COMPARED_YEARS in view.lines or entry.name not in HORIZON)
        and (section != "cost" or view.scenario.cost is not None or entry.name in view.read)
    )


def _overridden(view: View) -> list[str]:
    open_ones = [name for name in OPEN_OVERRIDES if name in view.lines or name in view.read]
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


def _rows(draft: Draft, entry: Entry) -> Iterator[InputRow]:
    view = draft.view
    if entry.kind == "optional":
        draft.inputs.overrides[entry.name] = 0
        yield _override(view, entry.name, entry)
    elif entry.kind == "list":
        for name, member in entry.gives.items():
            yield _switch_row(view, entry, name, member)
    else:
        yield _plain_row(draft, entry)


def _plain_row(draft: Draft, entry: Entry) -> InputRow:
    view = draft.view
    values = tuple(draft.setting(case, entry.name) for case in view.variants)
    numeric = entry.kind in ("number", "whole", "switch")
    return InputRow(
        entry.name,
        title_of(entry.name) + (f" ({COMPUTED})" if COMPUTED in entry.meaning else ""),
        "" if entry.kind in ("choice", "text") else _unit(view, entry.name),
        _allowed(view, entry).replace(LEAST, "≥"),
        _origin(view, entry.name),
        values,
        _changed(view, entry.name, values),
        rule_of(entry),
        format_of(view.unit(entry.name)) if numeric else "",
    )


def _switch_row(view: View, entry: Entry, name: str, member: str) -> InputRow:
    values = tuple(float(member in case.settings[entry.name]) for case in view.variants)
    label = f"{title_of(entry.name)}: {member}"
    changed = _changed(view, entry.name, values)
    return InputRow(name, label, "", "0 or 1", _origin(view, entry.name), values, changed, switch_rule(), "0")


def _override(view: View, name: str, entry: Entry | None = None) -> InputRow:
    """A row that may hold no number."""
    given = tuple(case.overrides.get(name, NOT_GIVEN) for case in view.variants)
    lowest = None if may_be_negative(name) else NOT_NEGATIVE
    limits = (entry.lowest, entry.highest) if entry else (lowest, None)
    plain = "number or –" if lowest is None else f"≥ {repr_number(lowest)}, or –"
    allowed = plain if entry is None else f"{_limits(entry, 'number')}, or –".replace(LEAST, "≥")
    return InputRow(
        name if entry else f"{name} (override)",
        f"{title_of(name)}{OWN_QUOTE if name in OWN_PRICES else ''}",
        _unit(view, name),
        allowed,
        _origin(view, name) if name in view.variants[0].origins else "not given",
        given,
        tuple(value != given[0] or not _follows(view, name, index) for index, value in enumerate(given)),
        number_rule(*limits, "decimal", "A number; clear the cell to compute or look it up."),
        format_of(view.unit(name)),
        optional=True,
    )


def _stated_for(view: View, name: str) -> Iterator[InputRow]:
    """The GPU that a given price or attribute is of; it counts only while the column has this one."""
    if name in of_accelerator(view.resolved.catalogue):
        gpus = tuple(str(case.settings["accelerator"]) for case in view.variants)
        label = f"GPU that this is of: {title_of(name)}{OWN_QUOTE if name in OWN_PRICES else ''}"
        rule = list_rule("list_accelerators", "The GPU that the number above is of.")
        other = tuple(gpu != gpus[0] for gpu in gpus)
        yield InputRow(STATED_FOR.format(name), label, "", "the GPU", "as typed", gpus, other, rule)


def _follows(view: View, name: str, index: int) -> bool:
    """Whether a variant may follow what is typed for the first: what is of a GPU only on the same one."""
    gpus = (case.settings["accelerator"] for case in (view.variants[0], view.variants[index]))
    return name not in of_accelerator(view.resolved.catalogue) or len(set(gpus)) == 1


def _changed(view: View, name: str, values: tuple[str | float, ...]) -> tuple[bool, ...]:
    """Whether a variant states the value itself, instead of following the first column."""
    return tuple(
        index > 0 and (value != values[0] or view.variants[index].origins[name].kind == "variant")
        for index, value in enumerate(values)
    )


def _origin(view: View, name: str) -> str:
    """Where the first variant's value comes from; of the scenario itself its line alone."""
    origin = view.variants[0].origins[name]
    own = f"{view.resolved.loaded.path.name}:"
    return f"{origin.kind}, line {origin.place.removeprefix(own)}" if origin.place.startswith(own) else str(origin)


def _unit(view: View, name: str) -> str:
    unit = view.unit(name)
    return "" if unit == "1" else unit


def _write_row(draft: Draft, sheet: Sheet, row: int, input_row: InputRow) -> None:
    words = (input_row.name, input_row.label, input_row.unit, input_row.allowed, input_row.origin)
    for column, (word, look) in enumerate(zip(words, (NAME, LABEL, NAME, NOTE, NOTE), strict=True), 1):
        sheet.put(row, column, word or None, look)
    for index, value in enumerate(input_row.values):
        content, style = _cell(input_row, index, value, row)
        sheet.put(row, FIRST + index, content, style)
    sheet.allow(input_row.rule, f"{letter(FIRST)}{row}:{letter(FIRST + len(input_row.values) - 1)}{row}")
    _note_place(draft, input_row.name, row)
    draft.built[row, input_row.label, input_row.name] = input_row.values
    if input_row.rule and (limits := limits_of(input_row.rule)):
        draft.inputs.limits[row] = limits


def _note_place(draft: Draft, name: str, row: int) -> None:
    plain = name.removesuffix(" (override)")
    if plain in draft.inputs.overrides and draft.inputs.overrides[plain] == 0:
        draft.inputs.overrides[plain] = row
    else:
        draft.inputs.rows[plain] = row


def _cell(input_row: InputRow, index: int, value: str | float, row: int) -> tuple[Content, Style]:
    if index == 0 or input_row.changed[index]:
        return value, typed(input_row.shown_as) if input_row.shown_as else INPUT_WORD
    style = inherited(input_row.shown_as) if input_row.shown_as else INHERITED_WORD
    first = f"${letter(FIRST)}{row}"
    return Formula(f'IF(COUNT({first})=1,{first},"{NOT_GIVEN}")' if input_row.optional else first, value), style


def _allowed(view: View, entry: Entry) -> str:
    if entry.kind == "choice":
        return f"one of {len(view.table_of(entry.name).ids)}"
    if entry.kind == "switch":
        return "0 or 1"
    return _short_limits(entry) if entry.kind in ("number", "whole") else "any text"


def _short_limits(entry: Entry) -> str:
    """The limits that a narrow column has room for; prompts say the highest number too."""
    known = entry.highest is not None and entry.highest < TOO_LARGE
    return _limits(entry if known else replace(entry, highest=None), entry.kind)


def _limits(entry: Entry, kind: str) -> str:
    word = "whole, " if kind == "whole" else ""
    low = "" if entry.lowest is None else repr_number(entry.lowest)
    if entry.highest is not None:
        return f"{word}{low} to {repr_number(entry.highest)}"
    return f"{word}{LEAST} {low}" if low else f"{word}any"


def rule_of(entry: Entry) -> DataValidation | None:
    """What may be typed into a field's cells; None where anything may."""
    if entry.kind == "choice":
        return list_rule(f"list_{entry.table}", f"Choose from the list: {entry.meaning}.")
    if entry.kind == "switch":
        return switch_rule()
    if entry.kind in ("number", "whole"):
        kind: Kind = "whole" if entry.kind == "whole" else "decimal"
        return number_rule(entry.lowest, entry.highest, kind, f"{entry.meaning}: {_limits(entry, entry.kind)}.")
    return None
