"""What is too large is refused while it is read, however it is written; a process of its own bounds the rest."""

from __future__ import annotations

import io
import json
import math
import resource
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from xml.parsers.expat import ExpatError

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.packaging.custom import StringProperty
from openpyxl.worksheet.datavalidation import DataValidation

from memreport.audit import contained as process
from memreport.audit.bounds import DEEPEST, MOST_CELLS, MOST_LISTED, Extent, OutOfBoundsError, area
from memreport.audit.contained import contained
from memreport.audit.opening import opened
from memreport.audit.report import audit
from memreport.audit.rules.inputs import NUMBER_LIKE, allows, listed
from memreport.errors import InputError
from memreport.publish.xlsx.sheet.record import PREFIX, read_record
from tests.publish.workbook_cases import saved
from tests.slim import slim
from tests.support import run, scenario_text

NAMESPACE = 'xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
TOO_LARGE = {
    "single quotes": "<worksheet><sheetData><row r='1048576'><c r='XFD1048576'/></row></sheetData></worksheet>",
    "no reference of the cell": "<worksheet><row r='1048576'>" + "<c/>" * 9 + "</row></worksheet>",
    "a prefix": f"<x:worksheet {NAMESPACE}><x:row><x:c x:y='' r='XFD99999'/></x:row></x:worksheet>",
    "small letters and dollars": "<worksheet><row><c r='$xfd$99999'/></row></worksheet>",
    "an entity in the reference": "<worksheet><row><c r='&#88;FD99999'/></row></worksheet>",
    "a comment between": "<worksheet><row><c <!-- r='A1' -->r='A1'/></row></worksheet>",
    "merged": "<worksheet><mergeCells><mergeCell ref = 'XFD1048576:A1'/></mergeCells></worksheet>",
    "merged columns": "<worksheet><mergeCells><mergeCell ref='A:XFD'/></mergeCells></worksheet>",
    "merged often": "<worksheet>" + "<mergeCell ref='A1:B2'/>" * (MOST_LISTED + 1) + "</worksheet>",
    "deep": "<a>" * (DEEPEST + 1) + "</a>" * (DEEPEST + 1),
    "attributes": "<a " + " ".join(f"a{at}=''" for at in range(201)) + "/>",
    "many sheets' worth of cells": f"<worksheet><row r='{MOST_CELLS // 2}'><c/><c/><c/></row></worksheet>",
    "a drawing twice": "<worksheet><drawing id='rId1'/><drawing id='rId1'/></worksheet>",
    "a part as two sheets": "<workbook xmlns:r='r'><sheet r:id='rId1'/><sheet r:id='rId1'/></workbook>",
    "a part under one name twice": "<Relationships><Relationship Id='a'/><Relationship Id='a'/></Relationships>",
    "a part under two names": "<Relationships><Relationship Id='a' Type='x/worksheet' Target='s'/>"
    "<Relationship Id='b' Type='x/worksheet' Target='s'/></Relationships>",
    "many charts": "<wsDr>" + "<graphicFrame/>" * 101 + "</wsDr>",
    "a document type": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_out_of_bounds_is_refused(name: str) -> None:
    with pytest.raises((OutOfBoundsError, ExpatError)):
        Extent().read(TOO_LARGE[name].encode())


def test_a_document_type_is_refused_in_every_encoding() -> None:
    for encoding in ("utf-8", "utf-16"):
        with pytest.raises(OutOfBoundsError, match="document type"):
            Extent().read(TOO_LARGE["a document type"].encode(encoding))


def test_areas() -> None:
    assert area("A1:B2") == area("b2:$A$1") == 4
    assert area("C3") == 1
    assert area("A:B") > MOST_CELLS


def bomb(path: Path, sheet: bytes) -> Path:
    """A workbook of the smallest kind, with this for its sheet."""
    out = io.BytesIO()
    Workbook().save(out)
    with zipfile.ZipFile(out) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()} | {"xl/worksheets/sheet1.xml": sheet}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def test_a_bomb_gives_one_message_quickly_and_in_little_memory(tmp_path: Path) -> None:
    path = bomb(
        tmp_path / "bomb.xlsx",
        b"<worksheet><sheetData><row r='1048576'><c r='XFD1048576'/></row></sheetData></worksheet>",
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with pytest.raises(InputError, match="holds more than a workbook may") as caught:
        contained("audit", path, style="table")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert len(caught.value.faults) == 1
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1


def test_the_process_ends_where_it_takes_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bomb(tmp_path / "book.xlsx", b"<worksheet/>")
    greedy = tmp_path / "greedy.py"
    greedy.write_text(
        "import sys\nfrom memreport.audit import contained\n"
        "contained.MOST_MEMORY = 2**27\ncontained._done = lambda asked: bytearray(2**28)\ncontained.main()\n"
    )
    monkeypatch.setattr(process, "PROGRAM", (sys.executable, str(greedy)))
    began = time.monotonic()
    with pytest.raises(InputError, match="MiB of memory in"):
        contained("audit", path, style="table")
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("place", ["A", "!!", "A1:B2", "", "A0", "1", "XFDA1", "$A$1", "Inputs!A1"])
def test_a_record_of_places_that_are_none_is_no_record(place: str) -> None:
    whole = {"schema": 1, "sheets": {}, "names": [], "typed": {"Inputs": {place: 1}}}
    assert read_record(recorded(json.dumps(whole))) is None
    assert read_record(recorded(json.dumps(whole | {"typed": {"Inputs": {"F7": 1}}}))) is not None


@pytest.mark.parametrize("text", ["1" + " " * 30_000 + "x", "1" * 30_000 + "x"])
def test_a_long_text_is_told_from_a_number_at_once(text: str) -> None:
    began = time.process_time()
    assert NUMBER_LIKE.fullmatch(text) is None
    assert time.process_time() - began < 0.5


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbook as it is built."""
    folder = tmp_path_factory.mktemp("sound")
    return saved(run(folder, scenario_text(), catalogue=slim()), folder)


def test_a_number_that_is_none_is_not_allowed(sound: Path) -> None:
    book = opened(sound)
    rule = DataValidation(type="whole", formula1="1", formula2="9")
    assert allows(book, rule, 5.0)
    assert not [value for value in (math.inf, -math.inf, math.nan) if allows(book, rule, value)]
    assert listed(book, DataValidation(type="list", formula1='"1.2.3,5%,7"')) == ["1.2.3", "5%", 7.0]
    assert listed(book, DataValidation(type="list", formula1="Inputs!$A$0:$XFD$1048576")) == []
    assert not book.within("Inputs", "XFD1048576")


def test_a_deep_record_is_no_record() -> None:
    assert read_record(recorded("[" * 100_000)) is None


def recorded(text: str) -> Workbook:
    """A workbook with that record."""
    book = Workbook()
    book.custom_doc_props.append(StringProperty(name=f"{PREFIX} 0001", value=text))  # type: ignore[attr-defined]
    return book


def test_checks_without_any_column_are_a_finding_not_an_end(sound: Path, tmp_path: Path) -> None:
    book = load_workbook(sound)
    book["Checks"].delete_cols(6, 50)
    book.save(tmp_path / "spoiled.xlsx")
    assert "check" in {one.rule for one in audit(tmp_path / "spoiled.xlsx").findings}


def test_a_fuzzed_workbook_gives_an_answer_or_one_message() -> None:
    """In a process of its own: what a child takes of memory begins with what its parent holds."""
    asked = [sys.executable, "-m", "tests.fuzz_workbooks", "3", "3"]
    done = subprocess.run(asked, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
