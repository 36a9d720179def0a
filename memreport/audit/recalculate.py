"""A published workbook computed again by programs that know nothing of memreport.

formualizer 0.13 and LibreOffice 7.4 each read the formulas, ignore the values that lie beside them, and compute their
own.  LibreOffice would show the values it finds; its profile here orders it to recalculate always.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.utils import coordinate_to_tuple

from memreport.errors import Fault, InputError, MachineError, nearest
from memreport.publish.xlsx.file.evaluated import engine, plain

Place = tuple[str, str]
Value = float | str | bool
Values = dict[Place, Value]

PATIENCE = 180  # seconds for one start of LibreOffice
INSTALL = "sudo apt-get install --no-install-recommends libreoffice-calc-nogui poppler-utils fonts-crosextra-carlito"
ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


class Live:
    """A workbook open in formualizer, to be typed into again and again; its file stays as it is."""

    def __init__(self, path: Path, formulas: Workbook | None = None) -> None:
        """`formulas` spares reading the file twice, where it was read.  Raises MachineError without formualizer."""
        self._book = engine().load_workbook(str(path))
        self._book.set_temporal_egress("serial")
        self._formulas, self._sheets = _formula_places(formulas or load_workbook(path))
        self._known = frozenset(self._formulas)
        self._cells = [(sheet, *coordinate_to_tuple(cell)) for sheet, cell in self._formulas]

    def computed(self, edits: Mapping[Place, Value]) -> Values:
        """Every formula cell with the edits typed into their cells, which are then put back.

        Raises InputError for an edit of a formula or of a sheet that is not there.
        """
        _check_edits(edits, self._known, self._sheets)
        cells = {(sheet, *coordinate_to_tuple(cell)): value for (sheet, cell), value in edits.items()}
        before = {cell: self._book.get_value(*cell) for cell in cells}
        self._type(cells)
        self._book.evaluate_all()
        found = map(plain, (self._book.get_value(*cell) for cell in self._cells))
        values = dict(zip(self._formulas, found, strict=True))
        self._type(before)
        return values

    def _type(self, cells: Mapping[tuple[str, int, int], object]) -> None:
        for cell, value in cells.items():
            self._book.set_value(*cell, value)


def recalculate(path: Path, formulas: Workbook | None = None) -> Values:
    """Every formula cell of the workbook, computed by formualizer: {(sheet, cell): value}."""
    return Live(path, formulas).computed({})


def recalculate_with(path: Path, edits: Mapping[Place, Value]) -> Values:
    """As `recalculate`, after typing the edits into their cells, as `Live.computed` does."""
    return Live(path).computed(edits)


def libreoffice_recalculate(path: Path, outdir: Path) -> Values:
    """Every formula cell of the workbook, computed by LibreOffice, which keeps 15 digits.

    `outdir` receives the recalculated file and a profile.  Raises MachineError where LibreOffice is missing.
    """
    return libreoffice_recalculate_all([path], outdir)[path]


def libreoffice_recalculate_all(paths: Iterable[Path], outdir: Path) -> dict[Path, Values]:
    """As `libreoffice_recalculate`, for many workbooks of different names in one start of the program."""
    sources = list(paths)
    _convert(sources, "xlsx:Calc MS Excel 2007 XML", outdir / "recalculated")
    return {source: _stored_values(source, outdir / "recalculated" / source.name) for source in sources}


def render_pngs(path: Path, outdir: Path, dots_per_inch: int = 80) -> list[Path]:
    """The workbook as LibreOffice prints it, one picture a page, in order; MachineError where a program is missing."""
    _convert([path], "pdf", outdir)
    printed = outdir / f"{path.stem}.pdf"
    _start([_program("pdftoppm"), "-r", str(dots_per_inch), "-png", str(printed), str(outdir / path.stem)])
    return sorted(outdir.glob(f"{path.stem}-*.png"))


def _formula_places(book: Workbook) -> tuple[list[Place], list[str]]:
    """Where the workbook has formulas, and the names of its sheets."""
    cells = ((sheet.title, cell) for sheet in book.worksheets for row in sheet.iter_rows() for cell in row)
    return [(title, cell.coordinate) for title, cell in cells if cell.data_type == "f"], book.sheetnames


def _check_edits(edits: Iterable[Place], computed: Collection[Place], sheets: list[str]) -> None:
    """A typed value over a formula would hide what the audit looks for."""
    faults = [Fault("holds a formula, takes no input", field="!".join(place)) for place in edits if place in computed]
    faults += [
        Fault("no such sheet", field=sheet, nearest=nearest(sheet, sheets)) for sheet, _ in edits if sheet not in sheets
    ]
    if faults:
        raise InputError(faults)


def _stored_values(source: Path, recalculated: Path) -> Values:
    """The values beside the formulas of `source`, out of its recalculated copy."""
    book = load_workbook(recalculated, data_only=True)
    return {(sheet, cell): plain(book[sheet][cell].value) for sheet, cell in _formula_places(load_workbook(source))[0]}


def _convert(sources: list[Path], kind: str, outdir: Path) -> None:
    """Write every source into `outdir` as another kind of file; LibreOffice reports success even when it does not."""
    targets = [outdir / f"{source.stem}.{kind.partition(':')[0]}" for source in sources]
    for target in targets:
        target.unlink(missing_ok=True)
    options = [f"-env:UserInstallation={_profile(outdir)}", "--headless", "--convert-to", kind, "--outdir", str(outdir)]
    said = _start([_program("soffice"), *options, *map(str, sources)])
    for target in targets:
        if not target.is_file():
            raise MachineError(f"soffice wrote no {target.name}: {said.strip()}")


def _profile(outdir: Path) -> str:
    """A LibreOffice profile of our own, that recalculates whatever it loads."""
    profile = outdir.resolve() / "profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE, encoding="utf-8")
    return profile.as_uri()


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise MachineError(f"{name} is missing; run: {INSTALL}")
    return found


def _start(arguments: list[str]) -> str:
    """Run a program and return what it complained of."""
    try:
        done = subprocess.run(arguments, check=True, capture_output=True, timeout=PATIENCE)
    except subprocess.SubprocessError as fault:
        raise MachineError(f"{Path(arguments[0]).name} failed: {fault}") from fault
    return done.stderr.decode(errors="replace")
