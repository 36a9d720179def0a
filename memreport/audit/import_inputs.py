"""`memreport import-inputs`: inputs that a reviewer typed into a workbook, as a change of the scenario it came from."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from openpyxl.utils import get_column_letter

from memreport.advise.deciding.options import ADDED
from memreport.audit.belonging import notes_on_origin
from memreport.audit.findings import Changed
from memreport.audit.opening import Opened, opened
from memreport.audit.origin import changed_inputs, follows
from memreport.audit.rules.inputs import TITLES_ROW, allows, told
from memreport.audit.rules.layouts import DOCUMENTED_SHEETS, PLANNED
from memreport.audit.yaml_edit import Edit, Scalar, whole_number, with_edits
from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.load import catalogue_for, read_scenario
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.words.names import same_field
from memreport.catalogue.yaml import strict as strict_yaml
from memreport.catalogue.yaml.scalars import as_whole
from memreport.errors import Fault, InputError
from memreport.files import MOST_YAML, read_text, write_whole
from memreport.frozen import frozen
from memreport.paths import down_to
from memreport.publish.xlsx.common.draft import FIRST, NAME_COLUMN, NOT_GIVEN, STATED_FOR, USUAL
from memreport.publish.xlsx.common.titles import INPUTS, QUOTES, RENT_OR_BUY
from memreport.publish.xlsx.scenario.inputs import rule_of
from memreport.publish.xlsx.sheet.validation import switch_rule
from memreport.resolve import resolve

OVERRIDE, STATED = " (override)", STATED_FOR.format("")
ACCELERATOR = dictionary()["accelerator"]
UNMERGED = (
    "stays as it is; without --scenario the changes alone are printed, each checked for itself, to be merged by hand"
)
ELSEWHERE = {
    **dict.fromkeys(DOCUMENTED_SHEETS, "documented figures are a ledger's, in a folder documented"),
    **dict.fromkeys(PLANNED, "it belongs into the portfolio's own file, or into those of its scenarios and quotes"),
    QUOTES: "a quote is a file beside the scenario, in a folder quotes",
    RENT_OR_BUY: "what is tried out there is no input of the scenario",
}
"""Why what is typed on a sheet is not brought back."""


@frozen
class EditedScenario:
    """What the edits must know of the scenario: its text and its blocks; both empty where no file is given."""

    text: str
    data: Mapping[str, Any]
    variants: Mapping[str, Mapping[str, Any]]


def run(path: Path, scenario: Path | None, copy: Path | None) -> tuple[str, tuple[str, ...]]:
    """What the command prints, and notes on what it cannot bring back.

    Without `scenario` the changes alone, as YAML; with it a unified diff; `copy` receives the changed scenario.
    Raises InputError for a workbook or scenario that cannot be read, for a workbook of another one, for a value that
    its field does not allow, and where the changed scenario would not be valid.
    """
    if copy is not None and scenario is None:
        raise InputError([Fault("--write needs --scenario, the file that is to be changed", file=str(copy))])
    book = opened(path)
    known = _scenario(scenario)
    origin = notes_on_origin(book, known.data, known.text, scenario) if scenario else []
    edits, notes = edits_of(book, known)
    if scenario is None:
        _check_each(book)
        return as_fragment(edits), (*notes, *_perhaps_added(edits))
    changed = with_edits(known.text, edits, str(scenario))
    if edits:
        _check(scenario, changed)
    if copy is not None:
        write_whole(copy, changed.encode())
    return _difference(known.text, changed, scenario), (*origin, *notes)


def _scenario(path: Path | None) -> EditedScenario:
    if path is None:
        return EditedScenario("", {}, {})
    document = strict_yaml.read(path)
    data = document.data if isinstance(document.data, dict) else {}
    variants = data.get("variants") or {}
    return EditedScenario(read_text(path, MOST_YAML), data, variants if isinstance(variants, dict) else {})


def _difference(before: str, after: str, path: Path) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path.name}", f"b/{path.name}"
    )
    return "".join(lines)


def edits_of(book: Opened, known: EditedScenario) -> tuple[list[Edit], list[str]]:
    """Edits of the scenario, one a changed input, and notes on inputs that cannot be brought back.

    Raises InputError for a number of a GPU that is not its column's.
    """
    if faults := list(_of_another(book)):
        raise InputError(faults)
    edits: list[Edit] = []
    notes: list[str] = []
    changes, added = changed_inputs(book), not_in_file(book, known)
    fields = dictionary()
    strange = [change for change in changes if change.variant in added]
    notes += [f"{change.sheet}!{change.cell} ({change.field}): {_no_variant(book, change)}" for change in strange]
    changes = [change for change in changes if change not in strange and not change.field.endswith(STATED)]
    for name, changed in _by_field(change for change in changes if change.sheet == INPUTS).items():
        entry = _entry(fields, name)
        if any(_blank(change.now) for change in changed) or (entry is None and not name.endswith(OVERRIDE)):
            notes += [f"{change.sheet}!{change.cell} ({name}): not brought back: {_why(change)}" for change in changed]
            continue
        edits += _field_edits(book, known, name, changed, entry)
    tables, more = _table_edits(book, known, [change for change in changes if change.sheet.startswith("Table ")])
    for change in (change for change in changes if change.sheet in ELSEWHERE):
        notes.append(f"{change.sheet}!{change.cell} ({change.field}): not brought back: {ELSEWHERE[change.sheet]}")
    return edits + tables, notes + more


def _of_another(book: Opened) -> Iterator[Fault]:
    """A fault for each number of another GPU than its column's: a scenario gives it beside its own."""
    if INPUTS not in book.formulas.sheetnames:  # a workbook of documented figures
        return
    sheet = book.formulas[INPUTS]
    rows = {str(sheet.cell(row, NAME_COLUMN).value): row for row in range(TITLES_ROW + 1, sheet.max_row + 1)}
    for name in (name.removesuffix(STATED) for name in rows if name.endswith(STATED)):
        typed, stated, gpus = (rows.get(key, 0) for key in (f"{name}{OVERRIDE}", f"{name}{STATED}", ACCELERATOR.name))
        for column in range(FIRST, sheet.max_column + 1) if typed and stated and gpus else ():
            cell = sheet.cell(typed, column)
            number, of, gpu = (_now(book, row, column) for row in (typed, stated, gpus))
            if not _blank(number) and of != gpu and (column == FIRST or not follows(book, cell)):
                yield _whose(f"{book.path.name}, {INPUTS}!{cell.coordinate}", name, of, gpu)


def _whose(place: str, name: str, of: object, gpu: object) -> Fault:
    message = f"is of {of}, and its column has {gpu}: a scenario's number is of the GPU beside it"
    return Fault(message, place, field=name, expected=f"the number of {gpu}, with {gpu} below it; or no number")


def _now(book: Opened, row: int, column: int) -> object:
    """What stands in a cell of Inputs, or in the first variant's where the cell follows that."""
    sheet = book.formulas[INPUTS]
    followed = column > FIRST and follows(book, sheet.cell(row, column))
    return sheet.cell(row, FIRST if followed else column).value


def not_in_file(book: Opened, known: EditedScenario) -> frozenset[str]:
    """Columns of a workbook that are no variants of its scenario: what the build recommends, and what was renamed."""
    return frozenset(_variants(book)[1:]) - known.variants.keys() if known.text else frozenset()


def _no_variant(book: Opened, change: Changed) -> str:
    """Why an input of such a column is not brought back, and what the scenario needs first."""
    said = f"not brought back: {change.variant} is not a variant of the scenario"
    stated = ", ".join(f"{name}: {value}" for name, value in _as_built(book, change.variant))
    how = f"; to keep it, add {change.variant}: {{{stated}}} under variants, build again, and type there"
    return said + (how if stated else "")


def _perhaps_added(edits: Iterable[Edit]) -> Iterator[str]:
    """That a column may be no variant of the scenario, where no file says whether it is."""
    for name in sorted({str(edit.path[1]) for edit in edits if edit.path[0] == "variants"}):
        if name.partition(" ")[0] == ADDED:
            yield f"{name} is what the build recommends, unless the scenario has a variant of that name: see --scenario"


def _as_built(book: Opened, variant: str) -> Iterator[tuple[str, Scalar]]:
    """What the build stated in a column of Inputs that does not follow the first variant, by field."""
    sheet, fields = book.formulas[INPUTS], dictionary()
    column = get_column_letter(FIRST + _variants(book).index(variant))
    for row in range(TITLES_ROW + 1, sheet.max_row + 1):
        value = book.record.typed.get((INPUTS, f"{column}{row}")) if book.record else None
        entry = fields.get(str(sheet.cell(row, NAME_COLUMN).value))
        if entry is not None and entry.kind != "list" and not _blank(value):
            yield f"{entry.section}.{entry.name}", _plain(as_whole(value), entry)


def _by_field(changes: Iterable[Changed]) -> dict[str, list[Changed]]:
    found: dict[str, list[Changed]] = {}
    for change in changes:
        found.setdefault(change.field, []).append(change)
    return found


def _blank(value: object) -> bool:
    """Whether a cell states nothing: no number, or the host that is usual."""
    return value in (None, "", NOT_GIVEN, USUAL)


def _why(change: Changed) -> str:
    return "a value was removed; remove its line from the scenario" if _blank(change.now) else "no field of a scenario"


def _entry(fields: Mapping[str, Entry], name: str) -> Entry | None:
    """The field, or the list of names that a switch belongs to."""
    lists = (entry for entry in fields.values() if entry.kind == "list" and name in entry.gives)
    return fields.get(name) or next(lists, None)


def _field_edits(
    book: Opened, known: EditedScenario, name: str, changed: list[Changed], entry: Entry | None
) -> Iterator[Edit]:
    """The first variant's value belongs to the scenario itself, unless that variant states it; others to variants."""
    names = _variants(book)
    if not names:
        raise InputError([Fault("names no variant in the header of Inputs", file=str(book.path))])
    now = {change.variant: change for change in changed}
    for variant, change in now.items():
        value = _member_list(book, entry, change) if entry and entry.kind == "list" else _plain(change.now, entry)
        yield Edit(_path(known, name, entry, variant, first=variant == names[0]), value)
    if names[0] in now and (entry is None or entry.kind != "list"):
        for variant in (other for other in names if other not in now and other not in not_in_file(book, known)):
            left = _left_behind(book, known, name, entry, now[names[0]], variant, names)
            if left is not None:
                yield Edit(_path(known, name, entry, variant, first=False), left)


def _left_behind(
    book: Opened, known: EditedScenario, name: str, entry: Entry | None, change: Changed, variant: str, names: list[str]
) -> Scalar | None:
    """What an untouched variant must state, so that it does, or does not, follow the first as in the workbook."""
    sheet = book.formulas[INPUTS]
    cell = sheet.cell(sheet[change.cell].row, FIRST + names.index(variant))
    common = _path(known, name, entry, names[0], first=True)[0] != "variants"
    if follows(book, cell):
        return None if common else _plain(change.now, entry)
    kept = not common or not known.text or _stated(known, name, entry, variant) or _blank(cell.value)
    return None if kept else _plain(cell.value, entry)


def _section(name: str, entry: Entry | None) -> tuple[str, str]:
    """The section and the field of a row; an override replaces a figure."""
    return (entry.section, entry.name) if entry else ("overrides", name.removesuffix(OVERRIDE))


def _stated(known: EditedScenario, name: str, entry: Entry | None, variant: str) -> str:
    """How a variant spells a field that it states, or an empty text."""
    section, field = _section(name, entry)
    stated = known.variants.get(variant) or {}
    elsewhere = [word for (of, word), key in same_field().items() if (of, key) == (section, field)]
    names = [name for key in (field, *elsewhere) for name in (f"{section}.{key}", key)]
    return next((spelled for spelled in names if spelled in stated), "")


def _as_in_file(known: EditedScenario, section: str, field: str) -> str:
    """The field by the name that the scenario gives it, as another program may call it."""
    block = known.data.get(section)
    named = (written for written in block or () if same_field().get((section, str(written).lower())) == field)
    return next(named, field) if isinstance(block, dict) else field


def _variants(book: Opened) -> list[str]:
    if INPUTS not in book.formulas.sheetnames:  # a workbook of documented figures, or of a portfolio
        return []
    sheet = book.formulas[INPUTS]
    found = (sheet.cell(TITLES_ROW, column).value for column in range(FIRST, sheet.max_column + 1))
    return [str(name) for name in found if name]


def _path(known: EditedScenario, name: str, entry: Entry | None, variant: str, *, first: bool) -> tuple[str | int, ...]:
    """Where a value belongs; a model is named as a whole, so its fields are changed in variants only.

    A variant that states its GPU states there too what is given of it.
    """
    section, field = _section(name, entry)
    spelled, field = _stated(known, name, entry, variant), _as_in_file(known, section, field)
    own = section == "overrides" and _stated(known, ACCELERATOR.name, ACCELERATOR, variant)
    if first and not spelled and not own and section != "model":
        return section, field
    return "variants", variant, spelled or f"{section}.{field}"


def _plain(value: object, entry: Entry | None) -> Scalar:
    if entry is not None and entry.kind == "switch":
        return bool(value)
    return value if isinstance(value, str | float | bool | int) else str(value)


def _member_list(book: Opened, entry: Entry, change: Changed) -> list[str]:
    """A list of names, from its switches in one variant's column."""
    sheet = book.formulas[INPUTS]
    column = sheet[change.cell].column
    found = []
    for row in range(TITLES_ROW + 1, sheet.max_row + 1):
        name = sheet.cell(row, NAME_COLUMN).value
        cell = sheet.cell(row, column)
        value = sheet.cell(row, FIRST).value if cell.data_type == "f" else cell.value
        if name in entry.gives and value in (1, True):
            found.append(entry.gives[str(name)])
    return found


def _table_edits(book: Opened, known: EditedScenario, changes: list[Changed]) -> tuple[list[Edit], list[str]]:
    """Axes of scaling tables are lists of the scenario; their single cells are items of those lists."""
    edits, notes = [], []
    for change in changes:
        cell = book.formulas[change.sheet][change.cell]
        across = cell.row == TITLES_ROW + 1
        index, axis = int(change.sheet.split()[1]) - 1, "columns" if across else "rows"
        item = cell.column - FIRST if across else cell.row - TITLES_ROW - 2
        key = _axis_key(known, index, axis)
        if _blank(change.now) or not key or (not across and cell.column >= FIRST):
            why = "needs --scenario" if not known.text else "only the axes of a grid are"
            notes.append(f"{change.sheet}!{change.cell}: not brought back: {why}")
        else:
            edits.append(Edit(("tables", index, axis, key, item), _plain(change.now, None)))
    return edits, notes


def _axis_key(known: EditedScenario, index: int, axis: str) -> str:
    """The field that an axis of a table runs over."""
    tables = known.data.get("tables") or []
    return next(iter(tables[index].get(axis) or {}), "") if index < len(tables) else ""


def as_fragment(edits: Iterable[Edit]) -> str:
    """The changes alone, as YAML that may be merged into a scenario by hand."""
    whole: dict[str | int, Any] = {}
    for edit in edits:
        block = whole
        for key in edit.path[:-1]:
            block = block.setdefault(key, {})
        block[edit.path[-1]] = whole_number(edit.value)
    text: str = yaml.safe_dump(whole, sort_keys=False, allow_unicode=True) if whole else ""
    return text


def _check_each(book: Opened) -> None:
    """Raise InputError for each typed value that its field does not allow, whatever became of the sheet's rules."""
    fields, faults = dictionary(), []
    for change in changed_inputs(book):
        entry = _entry(fields, change.field) if change.sheet == INPUTS else None
        rule = switch_rule() if entry and entry.kind == "list" else rule_of(entry) if entry else None
        if rule is not None and not _blank(change.now) and not allows(book, rule, change.now):
            place = f"{book.path.name}, {change.sheet}!{change.cell}"
            faults.append(
                Fault(
                    "not allowed",
                    file=place,
                    field=change.field,
                    found=repr(change.now)[:80],
                    expected=told(book, rule),
                )
            )
    if faults:
        raise InputError(faults)


def _check(scenario: Path, text: str) -> None:
    """Raise InputError where the changed scenario would not be valid."""
    faults: list[Fault] = []
    with tempfile.TemporaryDirectory(prefix="memreport-") as folder:
        copy = Path(folder) / scenario.name
        copy.write_text(text, encoding="utf-8")
        loaded = read_scenario(copy, faults)
    if loaded is not None and not faults:
        try:
            resolve(replace(loaded, path=scenario), catalogue_for(down_to(scenario.parent)))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError([*(_renamed(fault, scenario) for fault in faults), Fault(UNMERGED, file=str(scenario))])


def _renamed(fault: Fault, scenario: Path) -> Fault:
    """A fault of the changed text, under the scenario's name."""
    said = {name: getattr(fault, name) for name in fault.__slots__}
    return Fault(**said | {"file": f"{scenario}, as changed"})
