"""A published workbook computed again by LibreOffice 7.4, which would show the values that it finds there.

Its profile here orders it to recalculate always.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from memreport.audit.recalculate import Values
from memreport.errors import MachineError
from memreport.publish.xlsx.file.evaluated import plain
from memreport.publish.xlsx.file.stored import stored_values
from tests.typed_workbook import parts_of

PATIENCE = 180  # seconds for one start of LibreOffice
INSTALL = "sudo apt-get install --no-install-recommends libreoffice-calc-nogui poppler-utils fonts-crosextra-carlito"
ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


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


def _stored_values(source: Path, recalculated: Path) -> Values:
    """The values beside the formulas of `source`, out of its recalculated copy."""
    found = stored_values(parts_of(recalculated))
    return {place: plain(found[place]) for place in stored_values(parts_of(source))}


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
