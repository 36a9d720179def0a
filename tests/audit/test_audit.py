"""The audit finds what people and programs do to workbooks, and nothing in a workbook that nobody touched."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import cast

import pytest
from openpyxl import Workbook, load_workbook

from memreport.audit import parts
from memreport.audit.opening import opened
from memreport.audit.recalculate import Place
from memreport.audit.report import LOST, Audit, as_table, audit, run
from memreport.commands.main import main
from memreport.errors import InputError
from tests.audit.faults import FAULTS, Fault
from tests.audit.spoiling import Book, spoiled
from tests.built import IDS, published_files
from tests.libreoffice import libreoffice_recalculate
from tests.part import WHOLE, part
from tests.publish.workbook_cases import input_cell, row_of, saved
from tests.slim import slim
from tests.support import run as computed_from
from tests.support import scenario_text

SMALL: dict[str, str] = {
    "training": "{micro_batch_size: 4, sequence_length: 1024, gradient_checkpointing: full}",
    "cost": "{basis: rent, price: coreweave-a100-80gb-on-demand, hours: 24}",
    "variants": "{plain: {}, none: {training.gradient_checkpointing: none}}",
    "tables": """
  - {title: Peak, figure: peak_bytes, rows: {training.sequence_length: [512, 4096]},
     columns: {training.micro_batch_size: [1, 2]}}""",
}


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workbook with every kind of sheet that is typed on."""
    folder = tmp_path_factory.mktemp("small")
    return saved(computed_from(folder, scenario_text(**SMALL), catalogue=slim()), folder)


@pytest.fixture(scope="session")
def batch(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Audit, dict[str, Place]]]:
    """All faults of a batch in one workbook: its audit, and the place that each fault is at."""

    @cache
    def audited(name: str) -> tuple[Audit, dict[str, Place]]:
        places: dict[str, Place] = {}

        def put(fault: Fault) -> Callable[[Book], object]:
            return lambda made: places.update({fault.name: cast(Place, fault.change(made))})

        target = tmp_path_factory.mktemp(name) / "case.xlsx"
        path = spoiled(small, target, *(put(fault) for fault in FAULTS if fault.batch == name))
        return audit(path), places

    return audited


USUAL = ("lines", "inputs", "words")
"""Batches of every run; each is one workbook that is spoiled and looked through."""
SEEDED = [fault for fault in FAULTS if WHOLE or fault.batch in USUAL]


@pytest.mark.parametrize("fault", SEEDED, ids=lambda fault: fault.name)
def test_a_seeded_fault_is_found(fault: Fault, batch: Callable[[str], tuple[Audit, dict[str, Place]]]) -> None:
    made, places = batch(fault.batch)
    sheet, cell = places[fault.name]
    assert [
        one
        for one in made.findings
        if one.rule == fault.rule and one.sheet == sheet and cell in ("", one.cell, *one.others)
    ], [(one.rule, one.sheet, one.cell, one.found) for one in made.findings if one.rule == fault.rule]


def test_spoiling_nothing_spoils_nothing(small: Path, tmp_path: Path) -> None:
    made = audit(spoiled(small, tmp_path / "case.xlsx"))
    assert made.findings == ()
    assert "no findings" in as_table(made)
    assert made.ours
    assert made.changed == ()


LOGIC: dict[str, Callable[[Book], object]] = {
    "wrong column": lambda b: b.whole_line("capacity_bytes", "$H$", "$I$"),
    "wrong sign": lambda b: b.whole_line("headroom_bytes", "-", "+"),
    "a term left out": lambda b: b.whole_line("peak_high_share", "1+", "1*"),
}


@pytest.mark.parametrize("name", part([*LOGIC], 3))
def test_faults_of_logic_fail_the_checks_even_without_the_record(name: str, small: Path, tmp_path: Path) -> None:
    def without_record(made: Book) -> None:
        properties = made.book.custom_doc_props  # type: ignore[attr-defined]
        for each in list(properties.names):
            del properties[each]

    made = audit(spoiled(small, tmp_path / "case.xlsx", LOGIC[name], without_record))
    assert {"check", "record"} <= {one.rule for one in made.findings}
    assert not made.ours


@pytest.mark.parametrize("name", part(IDS, 6, 1))
def test_an_untouched_workbook_has_no_finding(name: str) -> None:
    made = audit(published_files(name).workbook)
    assert made.findings == ()
    assert made.changed == ()
    assert made.ours
    assert made.formulas > 1000


@pytest.fixture(scope="session")
def edited(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workbook after a person typed into four cells, and a program saved it that computes nothing."""
    book = load_workbook(small)
    for field, at, value in (("micro_batch_size", 0, 8), ("optimizer", 1, "lion"), ("parameters (override)", 0, 7e9)):
        sheet, place = input_cell(small, field, at)
        book[sheet][place] = value
    book["Table 1 Peak memory"]["E7"] = 777
    path = tmp_path_factory.mktemp("edited") / "case.xlsx"
    book.save(path)
    return path


def test_changed_inputs_are_named_with_what_they_were(edited: Path) -> None:
    made = audit(edited)
    changes = {(one.field, one.variant): (one.was, one.now) for one in made.changed}
    assert changes == {
        ("micro_batch_size", "plain"): (4, 8),
        ("optimizer", "none"): ("adamw", "lion"),
        ("parameters (override)", "plain"): ("–", 7e9),
        ("axis of the grid", ""): (512, 777),
    }
    assert made.ours
    assert {one.rule for one in made.findings} == {"value"}, "openpyxl keeps no values"
    assert [note.partition(" (")[0] for note in made.notes] == [LOST], "nor descriptions, which is no finding"


def test_a_change_of_an_input_alone_is_no_finding(small: Path, tmp_path: Path) -> None:
    path = spoiled(small, tmp_path / "case.xlsx", lambda made: made.put(*input_cell(small, "micro_batch_size"), 8))
    text, code = run(path, "table")
    assert code == 0
    assert "1 input changed" in text
    assert "micro_batch_size" in text


@pytest.mark.skipif(
    shutil.which("soffice") is None and os.environ.get("CI") != "true", reason="LibreOffice is not installed"
)
def test_a_workbook_saved_by_libreoffice_is_still_ours(small: Path, tmp_path: Path) -> None:
    libreoffice_recalculate(small, tmp_path)
    made = audit(tmp_path / "recalculated" / small.name)
    assert made.findings == ()
    assert made.changed == ()
    assert as_table(made).endswith(f"note: {made.notes[0]}\n")


def test_the_command_prints_findings_and_returns_1(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = spoiled(small, tmp_path / "case.xlsx", lambda made: made.line("weight_bytes", 1e9))
    assert main(["audit", str(path), "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["formulas_as_built"] is False
    place = f"F{row_of(small, 'Calculation', 'weight_bytes')}"
    assert ("typed", "Calculation", place) in {(one["rule"], one["sheet"], one["cell"]) for one in said["findings"]}


def zipped(*parts: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts:
            archive.writestr(name, data)
    return out.getvalue()


def changed_part(path: Path, name: str, change: Callable[[bytes], bytes]) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return zipped(
            *((one, change(archive.read(one)) if one == name else archive.read(one)) for one in archive.namelist())
        )


BOMB = b"<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
SHEET = "xl/worksheets/sheet1.xml"
HOSTILE: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "nothing": (lambda _: b"", "is no workbook"),
    "a text": (lambda _: b"peak,usable\n1,2\n", "is no workbook"),
    "cut short": (lambda path: path.read_bytes()[:5000], "is no workbook"),
    "an encrypted file": (lambda _: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(5000), "is encrypted"),
    "an archive of something else": (lambda _: zipped(("a.txt", b"a")), "is a zip archive, but no workbook"),
    "bytes turned round": (lambda path: path.read_bytes()[:400] + bytes(300) + path.read_bytes()[700:], "is damaged"),
    "a zip bomb": (
        lambda _: zipped(("[Content_Types].xml", b"<x/>"), ("xl/workbook.xml", bytes(30_000_000))),
        "unpacks to suspiciously much",
    ),
    "too many parts": (lambda _: zipped(*((f"{at}.xml", b"") for at in range(2001))), "has too many parts"),
    "an entity bomb": (
        lambda path: changed_part(path, SHEET, lambda data: data.replace(b"<worksheet", BOMB + b"<worksheet", 1)),
        "a document type or entities",
    ),
    "an entity bomb in other letters": (
        lambda path: changed_part(path, "xl/styles.xml", lambda _: BOMB.decode().encode("utf-16")),
        "a document type or entities",
    ),
    "a cell in the last corner": (
        lambda path: changed_part(
            path,
            SHEET,
            lambda data: data.replace(b"</sheetData>", b'<row r="1048576"><c r="XFD1048576"/></row></sheetData>'),
        ),
        "holds more than a workbook may",
    ),
    "everything merged": (
        lambda path: changed_part(
            path,
            SHEET,
            lambda data: data.replace(
                b"</sheetData>", b'</sheetData><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>'
            ),
        ),
        "holds more than a workbook may",
    ),
    "a sheet that is no XML": (lambda path: changed_part(path, SHEET, lambda data: data[:-40]), "cannot be read"),
    "somebody else's workbook": (lambda _: strangers(), "was not made by memreport"),
}


def strangers() -> bytes:
    out = io.BytesIO()
    Workbook().save(out)
    return out.getvalue()


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_sound_workbook_is_refused_with_one_fault(
    name: str, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, said = HOSTILE[name]
    path = tmp_path / "book.xlsx"
    path.write_bytes(made(small))
    assert main(["audit", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("book.xlsx") == 1
    assert "Traceback" not in error


def test_a_missing_or_a_huge_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["audit", str(tmp_path / "none.xlsx")]) == 2
    assert "no such file" in capsys.readouterr().err
    assert main(["audit", str(tmp_path)]) == 2
    assert "it is a folder" in capsys.readouterr().err
    (tmp_path / "large.xlsx").write_bytes(bytes(200))
    monkeypatch.setattr(parts, "MOST_WORKBOOK", 100)
    with pytest.raises(InputError, match=r"is too large"):
        opened(tmp_path / "large.xlsx")
