"""Faults as people and programs put them into workbooks; each with the rule that must say so, and where."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font, Protection
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.worksheet import Worksheet

from memreport.audit.recalculate import Place, Value, recalculate
from memreport.publish import package
from memreport.publish.canonical import zip_bytes
from memreport.publish.workbook.draft import FIRST

Parts = dict[str, bytes]


@dataclass
class Book:
    """A workbook that is being spoiled: its sheets, values to lie beside formulas, and changes to its parts."""

    book: Workbook
    lies: dict[Place, Value] = field(default_factory=dict)
    later: list[Callable[[Parts], None]] = field(default_factory=list)

    def sheet(self, title: str) -> Worksheet:
        found = self.book[title]
        assert isinstance(found, Worksheet)
        return found

    def row(self, title: str, name: str, column: int = 2) -> int:
        rows = self.sheet(title).iter_rows(min_col=column, max_col=column)
        return next(cell.row or 0 for (cell,) in rows if cell.value == name)

    def put(self, title: str, place: str, value: object) -> Place:
        self.sheet(title)[place].value = value
        return title, place

    def line(self, name: str, content: object, title: str = "Calculation", at: int = 0) -> Place:
        """Another content in one variant's cell of a line; `{c}` is its column, `{r}` its row, `{r1}` the row above."""
        letter, row = get_column_letter(FIRST + at), self.row(title, name)
        text = content.format(c=letter, r=row, r1=row - 1, r2=row - 2) if isinstance(content, str) else content
        return self.put(title, f"{letter}{row}", text)

    def whole_line(self, name: str, old: str, new: str) -> Place:
        """A formula changed in all variants alike."""
        row, sheet = self.row("Calculation", name), self.sheet("Calculation")
        for cell in sheet[row][FIRST - 1 :]:
            if cell.data_type == "f":
                assert old in str(cell.value)
                cell.value = str(cell.value).replace(old, new)
        return "Calculation", f"A{row}"


def spoiled(path: Path, target: Path, *changes: Callable[[Book], object]) -> Path:
    """The workbook after the changes, saved as Excel saves it: with the values that its formulas now have."""
    made = Book(load_workbook(path))
    for change in changes:
        change(made)
    made.book.save(target)
    values = {place: "" if value is None else value for place, value in _values(target, path).items()} | made.lies
    texts = _alt_texts(path)
    titles = [title for _, title in _frames(target)]
    kept = {title: texts.get(title, "a chart") for title in titles}
    data = package.finish(target.read_bytes(), values, numbers={}, alt_texts=kept, created="2026-11-20")
    target.write_bytes(data)
    if made.later:
        parts = _parts(target)
        for change_ in made.later:
            change_(parts)
        target.write_bytes(zip_bytes(parts))
    return target


def _values(path: Path, original: Path) -> Mapping[Place, Value]:
    try:
        return recalculate(path)
    except Exception:  # noqa: BLE001  # some faults are more than the engine can take
        seen = load_workbook(original, data_only=True)
        book = load_workbook(path)
        return {
            (sheet.title, cell.coordinate): _seen(seen, sheet.title, cell.coordinate)
            for sheet in book.worksheets
            for row in sheet.iter_rows()
            for cell in row
            if cell.data_type == "f"
        }


def _seen(book: Workbook, title: str, place: str) -> Value:
    value = book[title][place].value if title in book.sheetnames else 0.0
    return value if isinstance(value, str | float | int) else 0.0


def _parts(path: Path) -> Parts:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _frames(path: Path) -> list[tuple[str, str]]:
    trees, _ = package._read(path.read_bytes())
    return [(frame.get("descr", ""), title) for part in sorted(trees) for frame, title in package._frames(trees, part)]


def _alt_texts(path: Path) -> dict[str, str]:
    return {title: text for text, title in _frames(path)}


@dataclass(frozen=True)
class Fault:
    """A fault, the batch of faults with which it is put into one workbook, and the rule that must find it."""

    name: str
    batch: str
    rule: str
    change: Callable[[Book], object]


TABLE = "Table 1 Peak memory"


def _hide(what: str, key: object) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        sheet = made.sheet("Reference")
        getattr(sheet, what)[key].hidden = True
        return "Reference", f"A{key}" if isinstance(key, int) else f"{key}1"

    return change


def _font(made: Book) -> object:
    made.sheet("Cover")["B5"].font = Font(color="FFFFFF")
    return "Cover", "B5"


def _format(made: Book) -> object:
    place = f"F{made.row('Calculation', 'peak_bytes')}"
    made.sheet("Calculation")[place].number_format = ";;;"
    return "Calculation", place


def _unlock(title: str, name: str, column: str = "F") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        place = f"{column}{made.row(title, name)}"
        made.sheet(title)[place].protection = Protection(locked=False)
        return title, place

    return change


def _link(place: str, *, location: str = "", target: str = "") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        where = {"location": location} if location else {"target": target}
        made.sheet("Cover")[place].hyperlink = Hyperlink(ref=place, **where)
        made.sheet("Cover")[place].value = "here"
        return "Cover", place

    return change


def _no_validation(made: Book) -> object:
    row = made.row("Inputs", "sequence_length")
    rules = made.sheet("Inputs").data_validations
    rules.dataValidation = [one for one in rules.dataValidation if f"F{row}:" not in str(one.sqref)]
    return "Inputs", f"F{row}"


def _cleared_row(made: Book) -> object:
    row = made.row("Checks", "peak parts fails")
    for cell in made.sheet("Checks")[row]:
        cell.value = None
    return "Checks", ""


def _set(title: str, path: str, value: object) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        *parents, last = path.split(".")
        target: object = made.sheet(title)
        for name in parents:
            target = getattr(target, name)
        setattr(target, last, value)
        return title, ""

    return change


def _chart(title: str, spoil: Callable[[list[Any]], object]) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        spoil(made.sheet(title)._charts)  # type: ignore[attr-defined]
        return title, ""

    return change


def _name(name: str, target: str) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        made.book.defined_names[name] = DefinedName(name, attr_text=target)
        return "", ""

    return change


def _lie(title: str, name: str, value: Value, column: str = "F") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        place = (title, f"{column}{made.row(title, name)}")
        made.lies[place] = value
        return place

    return change


def _part(name: str, content: bytes = b"<x/>") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        made.later.append(lambda parts: parts.__setitem__(name, content))
        return "", ""

    return change


def _description(text: bytes) -> Callable[[Book], object]:
    def change(made: Book) -> object:
        def spoil(parts: Parts) -> None:
            name = "xl/drawings/drawing1.xml"
            before, _, after = parts[name].partition(b'descr="')
            parts[name] = before + b'descr="' + text + after[after.index(b'"') :]

        made.later.append(spoil)
        return "", ""

    return change


def _no_record(made: Book) -> object:
    properties = made.book.custom_doc_props  # type: ignore[attr-defined]
    for name in list(properties.names):
        del properties[name]
    return "", ""


def _renamed(made: Book) -> object:
    made.sheet("Sources").title = "Origins"
    return "Sources", ""


def _added(made: Book) -> object:
    made.book.create_sheet("Scratch")
    return "Scratch", ""


def _moved(made: Book) -> object:
    made.book.move_sheet("Checks", -3)
    return "", ""


def _typed(made: Book, name: str, value: object, column: str = "F") -> Place:
    return made.put("Inputs", f"{column}{made.row('Inputs', name)}", value)


def _words(made: Book, title: str, name: str, column: str, value: object, by: int = 2) -> Place:
    row = made.row(title, name, by)
    made.put(title, f"{column}{row}", value)
    return title, f"A{row}"


def _short_parts(made: Book) -> Place:
    row, first = made.row("Calculation", "part.total"), made.row("Calculation", "part.weights")
    return made.put("Calculation", f"F{row}", f"=SUM(F{first}:F{row - 2})")


def _short_master(made: Book) -> Place:
    first = made.row("Checks", "parameters sum fails")
    return made.put("Checks", "F5", f"=SUM(F{first}:G{first + 3})")


def _self_compared(made: Book) -> Place:
    a = made.row("Checks", "bill A")
    return made.line("bill fails", f"=(ABS({{c}}{a}-{{c}}{a})>0)*1", "Checks")


def _line(name: str, content: object, title: str = "Calculation", at: int = 0) -> Callable[[Book], object]:
    return lambda made: made.line(name, content, title, at)


def _whole(name: str, old: str, new: str) -> Callable[[Book], object]:
    return lambda made: made.whole_line(name, old, new)


def _put(title: str, place: str, content: object, said_at: str = "") -> Callable[[Book], object]:
    def change(made: Book) -> object:
        made.put(title, place, content)
        return title, said_at or place

    return change


def _unit(name: str, unit: str | None) -> Callable[[Book], object]:
    return lambda made: made.put("Calculation", f"C{made.row('Calculation', name)}", unit)


def _word(title: str, name: str, column: str, value: object, by: int = 2) -> Callable[[Book], object]:
    return lambda made: _words(made, title, name, column, value, by)


def _input(name: str, value: object, column: str = "F") -> Callable[[Book], object]:
    return lambda made: _typed(made, name, value, column)


def _merged(made: Book) -> object:
    made.sheet("Sources").merge_cells("J1:K2")
    return "Sources", "J1:K2"


def _untitled(made: Book) -> object:
    made.book.properties.title = None
    return "", ""


def _no_charts(charts: list[object]) -> None:
    charts.clear()


def _no_axis_title(charts: list[Any]) -> None:
    charts[0].x_axis.title = None


FAULTS = (
    Fault("wrong column in every variant", "lines", "formulas", _whole("memory_bytes_per_second", "$G$", "$H$")),
    Fault("wrong sign in every variant", "lines", "formulas", _whole("headroom_bytes", "-", "+")),
    Fault("wrong sign in one variant", "lines", "one-formula", _line("peak_bytes_low", "={c}{r2}+{c}{r1}", at=1)),
    Fault("a constant for a formula", "lines", "typed", _line("weight_bytes", 1e9)),
    Fault("a constant on Cost", "lines", "typed", _line("cost_total_usd", 42, "Cost")),
    Fault("a constant on Roofline", "lines", "typed", _put("Roofline", "C14", 5e15)),
    Fault("a constant in a table's calculation", "lines", "typed", _line("layers_per_stage", 1, TABLE)),
    Fault("a sum one row short", "lines", "sum", _short_parts),
    Fault("a number typed into a formula", "lines", "literal", _line("usable_bytes", "={c}6*0.9")),
    Fault("a volatile function", "lines", "function", _put("Cover", "E5", "=NOW()")),
    Fault("OFFSET", "lines", "function", _line("gradient_bytes", "=OFFSET({c}{r},-1,0)")),
    Fault("a function of newer programs", "lines", "function", _line("fits", "=XLOOKUP(1,{c}6:{c}7,{c}8:{c}9)")),
    Fault("a count rounded up without ROUND", "lines", "rounding", _line("layers_per_stage", "=ROUNDUP({c}{r1}/3,0)")),
    Fault("three choices in a row", "lines", "length", _line("edge_parameters", "=IF(1>0,IF(1>0,IF(1>0,1,0),0),0)")),
    Fault("a formula too long to read", "lines", "length", _line("optimizer_shards", "=1" + "+{c}6" * 100)),
    Fault("a number as text over a formula", "lines", "text-number", _line("logits_bytes", "123")),
    Fault("a formula unlocked", "lines", "protection", _unlock("Calculation", "optimizer_state_bytes")),
    Fault("a formula among a table's axes", "lines", "formulas", _put(TABLE, "E7", "=1+1")),
    Fault("division by nought", "lines", "value", _line("step_seconds", "=1/(0*{c}6)")),
    Fault("a formula added", "lines", "formulas", _put("Sources", "K7", "=1", "A7")),
    Fault("a missing unit", "words", "unit", _unit("peak_bytes", None)),
    Fault("a wrong unit", "words", "unit", _unit("usable_bytes", "GB")),
    Fault("a changed label", "words", "words", _word("Calculation", "headroom_bytes", "A", "What is needed")),
    Fault("a changed data sheet number", "words", "words", _word("Hardware", "h100-80gb-sxm", "F", 9e12, 1)),
    Fault("a tolerance made large", "words", "words", _word("Reference", "TOLERANCE", "E", 1, 1)),
    Fault("a value at build changed", "words", "words", _word("Checks", "peak_bytes B", "F", 1e9)),
    Fault("a source removed", "words", "words", _word("Calculation", "weight_bytes", "E", None)),
    Fault("another answer on the cover", "words", "words", _word("Cover", "Answer as built", "C", "It fits.")),
    Fault("a title removed", "words", "title", _put("Hardware", "A1", None)),
    Fault("an input's number as text", "inputs", "text-number", _input("micro_batch_size", "4")),
    Fault("an input out of range", "inputs", "allowed", _input("count", -1)),
    Fault("half an adapter rank", "inputs", "allowed", _input("lora_rank", 1.5)),
    Fault("a name that is not in the list", "inputs", "allowed", _input("optimizer", "adamz")),
    Fault("an input left empty", "inputs", "allowed", _input("precision", None)),
    Fault("a calculation among the inputs", "inputs", "input", _input("hidden_size", "=2048*2")),
    Fault("a variant that follows another row", "inputs", "input", _input("vocab_size", "=$F8", "G")),
    Fault("an input without a label", "inputs", "input", _input("num_hidden_layers", None, "A")),
    Fault("an input without an origin", "inputs", "input", _input("head_dim", None, "E")),
    Fault("a validation removed", "inputs", "input", _no_validation),
    Fault("a hidden row", "looks", "hidden", _hide("row_dimensions", 7)),
    Fault("a hidden column", "looks", "hidden", _hide("column_dimensions", "E")),
    Fault("a number format that hides", "looks", "hidden", _format),
    Fault("white text on white", "looks", "contrast", _font),
    Fault("merged cells", "looks", "merged", _merged),
    Fault("protection removed", "looks", "protection", _set("Checks", "protection.sheet", value=False)),
    Fault("a label unlocked", "looks", "protection", _unlock("Inputs", "hidden_size", "A")),
    Fault("a link to nowhere", "looks", "link", _link("M1", location="Gone!A1")),
    Fault("a link to the disk", "looks", "outside", _link("M2", target="file:///etc/passwd")),
    Fault("upright paper", "looks", "print", _set("Calculation", "page_setup.orientation", value="portrait")),
    Fault("no footer", "looks", "print", _set("Cost", "oddFooter.left.text", value=None)),
    Fault("panes not frozen", "looks", "print", _set("Inputs", "freeze_panes", value=None)),
    Fault("no title in the file", "looks", "properties", _untitled),
    Fault("a master check that counts a part", "guards", "check", _short_master),
    Fault("a check that compares a route with itself", "guards", "check", _self_compared),
    Fault("a check taken out", "guards", "check", _cleared_row),
    Fault("a chart taken out", "guards", "chart", _chart("Cost", _no_charts)),
    Fault("a chart without axis titles", "guards", "chart", _chart(TABLE, _no_axis_title)),
    Fault("a description that states a result", "guards", "chart", _description(b"It needs 80 GiB")),
    Fault("a wrong value beside a formula", "guards", "recalculated", _lie("Calculation", "weight_bytes", 123.0)),
    Fault("a value a little off", "guards", "recalculated", _lie("Calculation", "usable_bytes", 85899346200.0)),
    Fault("a wrong word beside one", "guards", "recalculated", _lie("Calculation", "verdict (words)", "Splendid")),
    Fault("a reference to a missing sheet", "references", "reference", _line("weight_bytes", "=Gone!A1")),
    Fault("a broken reference", "references", "reference", _line("logits_bytes", "=#REF!*1")),
    Fault("a name that nobody defined", "references", "reference", _line("gradient_bytes", "=in_nothing*1")),
    Fault("a cell of another workbook", "references", "outside", _line("usable_bytes", "='[1]Sheet1'!A1")),
    Fault("a name that reads as a cell", "references", "name", _name("H100", "Hardware!$A$8")),
    Fault("a name that leads nowhere", "references", "name", _name("list_hosts", "#REF!")),
    Fault("a name that nobody uses", "references", "name", _name("spare", "Hardware!$A$8")),
    Fault("a renamed sheet", "sheets", "sheets", _renamed),
    Fault("a further sheet", "sheets", "sheets", _added),
    Fault("sheets in another order", "sheets", "sheets", _moved),
    Fault("a hidden sheet", "sheets", "hidden", _set("Reference", "sheet_state", value="veryHidden")),
    Fault("a link to another workbook", "sheets", "outside", _part("xl/externalLinks/externalLink1.xml")),
    Fault("macros", "sheets", "outside", _part("xl/vbaProject.bin")),
    Fault("a data connection", "sheets", "outside", _part("xl/connections.xml")),
    Fault("no record of the build", "record", "record", _no_record),
)
