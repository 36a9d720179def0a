"""Single changes of a workbook that is being spoiled; each returns the place at which it must be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openpyxl.styles import Font, Protection
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.hyperlink import Hyperlink

from memreport.audit.recalculate import Place, Value
from tests.audit.spoiling import Book, Parts

TABLE = "Table 1 Peak memory"


def hide(what: str, key: object) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        sheet = made.sheet("Reference")
        getattr(sheet, what)[key].hidden = True
        return "Reference", f"A{key}" if isinstance(key, int) else f"{key}1"

    return change


def font(made: Book) -> object:
    made.sheet("Summary")["B5"].font = Font(color="FFFFFF")
    return "Summary", "B5"


def hidden_number(made: Book) -> object:
    place = f"F{made.row('Calculation', 'peak_bytes')}"
    made.sheet("Calculation")[place].number_format = ";;;"
    return "Calculation", place


def unlock(title: str, name: str, column: str = "F") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        place = f"{column}{made.row(title, name)}"
        made.sheet(title)[place].protection = Protection(locked=False)
        return title, place

    return change


def link(place: str, *, location: str = "", target: str = "") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        where = {"location": location} if location else {"target": target}
        made.sheet("Summary")[place].hyperlink = Hyperlink(ref=place, **where)
        made.sheet("Summary")[place].value = "here"
        return "Summary", place

    return change


def no_validation(made: Book) -> object:
    row = made.row("Inputs", "sequence_length")
    rules = made.sheet("Inputs").data_validations
    rules.dataValidation = [one for one in rules.dataValidation if f"F{row}:" not in str(one.sqref)]
    return "Inputs", f"F{row}"


def no_limits(made: Book) -> object:
    row = made.row("Inputs", "gradient_accumulation_steps")
    for rule in made.sheet("Inputs").data_validations.dataValidation:
        if f"F{row}:" in str(rule.sqref):
            rule.formula1 = rule.formula2 = None
    return "Inputs", f"F{row}"


def black_input(made: Book) -> object:
    place = f"F{made.row('Inputs', 'sequence_length')}"
    made.sheet("Inputs")[place].font = Font(color="000000")
    return "Inputs", place


def chain(made: Book) -> object:
    """Four cells, each of which repeats the one before it."""
    for row in range(60, 64):
        made.put("Sources", f"K{row}", f"=K{row - 1}" if row > 60 else "=Inputs!$F$6")
    return "Sources", "K63"


def unscaled(made: Book) -> Place:
    a, b = (made.row("Checks", f"bill {route}") for route in "AB")
    return made.line("bill fails", f"=(ABS({{c}}{a}-{{c}}{b})>Reference!$E$7)*1", "Checks")


def cleared_row(made: Book) -> object:
    row = made.row("Checks", "peak parts fails")
    for cell in made.sheet("Checks")[row]:
        cell.value = None
    return "Checks", ""


def attribute(title: str, path: str, value: object) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        *parents, last = path.split(".")
        target: object = made.sheet(title)
        for name in parents:
            target = getattr(target, name)
        setattr(target, last, value)
        return title, ""

    return change


def chart(title: str, spoil: Callable[[list[Any]], object]) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        spoil(made.sheet(title)._charts)  # type: ignore[attr-defined]
        return title, ""

    return change


def name(name: str, target: str) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        made.book.defined_names[name] = DefinedName(name, attr_text=target)
        return "", ""

    return change


def lie(title: str, name: str, value: Value, column: str = "F") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        place = (title, f"{column}{made.row(title, name)}")
        made.lies[place] = value
        return place

    return change


def part(name: str, content: bytes = b"<x/>") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        made.later.append(lambda parts: parts.__setitem__(name, content))
        return "", ""

    return change


def description(text: bytes) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        def spoil(parts: Parts) -> None:
            name = "xl/drawings/drawing1.xml"
            before, _, after = parts[name].partition(b'descr="')
            parts[name] = before + b'descr="' + text + after[after.index(b'"') :]

        made.later.append(spoil)
        return "", ""

    return change


def no_record(made: Book) -> object:
    properties = made.book.custom_doc_props  # type: ignore[attr-defined]
    for name in list(properties.names):
        del properties[name]
    return "", ""


def renamed(made: Book) -> object:
    made.sheet("Sources").title = "Origins"
    return "Sources", ""


def reserved_name(made: Book) -> object:
    made.book.create_sheet("History")
    return "History", ""


def added(made: Book) -> object:
    made.book.create_sheet("Scratch")
    return "Scratch", ""


def moved(made: Book) -> object:
    made.book.move_sheet("Checks", -3)
    return "", ""


def typed(made: Book, name: str, value: object, column: str = "F") -> Place:
    return made.put("Inputs", f"{column}{made.row('Inputs', name)}", value)


def words(made: Book, title: str, name: str, column: str, value: object) -> Place:
    row = made.row(title, name)
    made.put(title, f"{column}{row}", value)
    return title, f"A{row}"


def short_parts(made: Book) -> Place:
    row, first = made.row("Calculation", "part.total"), made.row("Calculation", "part.weights")
    return made.put("Calculation", f"F{row}", f"=SUM(F{first}:F{row - 2})")


def short_master(made: Book) -> Place:
    first = made.row("Checks", "parameters sum fails")
    return made.put("Checks", "F5", f"=SUM(F{first}:G{first + 3})")


def self_compared(made: Book) -> Place:
    a = made.row("Checks", "bill A")
    return made.line("bill fails", f"=(ABS({{c}}{a}-{{c}}{a})>0)*1", "Checks")


def line(name: str, content: object, title: str = "Calculation", at: int = 0) -> Callable[[Book], object]:
    return lambda made: made.line(name, content, title, at)


def whole(name: str, old: str, new: str) -> Callable[[Book], object]:
    return lambda made: made.whole_line(name, old, new)


def put(title: str, place: str, content: object, said_at: str = "") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        made.put(title, place, content)
        return title, said_at or place

    return change


def unit(name: str, unit: str | None) -> Callable[[Book], object]:
    return lambda made: made.put("Calculation", f"C{made.row('Calculation', name)}", unit)


def word(title: str, name: str, column: str, value: object) -> Callable[[Book], object]:
    return lambda made: words(made, title, name, column, value)


def input_typed(name: str, value: object, column: str = "F") -> Callable[[Book], object]:
    return lambda made: typed(made, name, value, column)


def merged(made: Book) -> object:
    made.sheet("Sources").merge_cells("J1:K2")
    return "Sources", "J1:K2"


def untitled(made: Book) -> object:
    made.book.properties.title = None
    return "", ""


def no_charts(charts: list[object]) -> None:
    charts.clear()


def no_axis_title(charts: list[Any]) -> None:
    charts[0].x_axis.title = None
