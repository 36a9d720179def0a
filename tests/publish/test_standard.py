"""Workbooks keep to the published schemas of their file format: sheets, charts, drawings, styles, properties.

openxml-audit holds each part against the schemas and rules that Microsoft publishes with its Open XML SDK for
ISO/IEC 29500; what the schemas leave out (content types, limits of Excel) is looked at here.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from unittest.mock import patch

import pytest
from openxml_audit import OpenXmlValidator

from memreport.publish.xlsx.catalogue import catalogue_book
from memreport.publish.xlsx.file.canonical import zip_bytes
from tests.built import documented_file
from tests.part import WHOLE
from tests.publish.workbook_cases import case, saved, shared_case

IN_CELLS = "inline-string"
"""A remark, not a fault: texts stand in their cells, as openpyxl writes them, and not in a table of their own."""
TABLE = "[{title: Peak, figure: peak_bytes, rows: {training.sequence_length: [512, 4096]}}]"
ROW = re.compile(r"<row [^>]*?(?:/>|>.*?</row>)", re.DOTALL)
FIRST_ROWS, EVERY = 40, 8
LONGEST = {"prompt": 255, "error": 255, "promptTitle": 32, "errorTitle": 32}
"""Characters of a validation's words.  Source: Microsoft, DataValidation of the Open XML SDK, read 2026-11-20."""


def faults(path: Path) -> list[str]:
    """What the schemas, the rules between parts and Excel's limits say against a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    thin = path.with_name(f"thin-{path.name}")
    thin.write_bytes(zip_bytes({name: _thinned(text).encode() for name, text in parts.items()}))
    with patch("openxml_audit.context._sibling_position", return_value=1):  # only said in messages; quadratic
        found = OpenXmlValidator().validate(thin).errors
    thin.unlink()
    told = [f"{one.part_uri}: {one.description}" for one in found if IN_CELLS not in one.description]
    return told + _untyped(parts) + _too_long(parts) + _unstyled(parts)


def _thinned(text: str) -> str:
    """A sheet with its first rows and a part of the others, which the same few lines write; `make sweep` takes all."""
    rows = ROW.findall(text)
    if WHOLE or len(rows) <= FIRST_ROWS:
        return text
    before, _, rest = text.partition("<sheetData>")
    kept = [*rows[:FIRST_ROWS], *rows[FIRST_ROWS::EVERY]]
    return f"{before}<sheetData>{''.join(kept)}</sheetData>{rest.partition('</sheetData>')[2]}"


def _untyped(parts: dict[str, str]) -> list[str]:
    typed = re.findall(r'PartName="/([^"]+)"', parts["[Content_Types].xml"])
    bare = [name for name in parts if name not in typed and not name.endswith((".rels", "[Content_Types].xml"))]
    return [f"{name}: has no content type" for name in bare] + [
        f"{name}: has a content type, but is not there" for name in typed if name not in parts
    ]


def _too_long(parts: dict[str, str]) -> list[str]:
    return [
        f"{name}: a validation's {word} is too long"
        for name, text in parts.items()
        for word, most in LONGEST.items()
        for said in re.findall(rf'<dataValidation[^>]*? {word}="([^"]*)"', text)
        if len(said.replace("&amp;", "&").replace("&quot;", '"')) > most
    ]


def _unstyled(parts: dict[str, str]) -> list[str]:
    known = int(re.findall(r'<cellXfs count="(\d+)"', parts["xl/styles.xml"])[0])
    return [
        f"{name}: style {style} of {known}"
        for name, text in parts.items()
        for style in set(re.findall(r'<c [^>]*?s="(\d+)"', text))
        if int(style) >= known
    ]


@pytest.fixture(scope="session")
def priced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbook with every kind of chart."""
    folder = tmp_path_factory.mktemp("standard")
    return saved(case(folder, "priced", tables=TABLE), folder)


def test_a_workbook_of_training_keeps_to_the_schemas(priced: Path) -> None:
    with zipfile.ZipFile(priced) as archive:
        names = archive.namelist()
    assert sum(name.startswith("xl/charts/chart") for name in names) >= 4, "charts and drawings are looked at too"
    assert faults(priced) == []


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbook of serving, in a folder of its own for what is made of it."""
    path = tmp_path_factory.mktemp("served") / "case.xlsx"
    path.write_bytes(shared_case("serving")[1].read_bytes())
    return path


def test_a_workbook_of_serving_keeps_to_the_schemas(serving: Path) -> None:
    assert faults(serving) == []


def test_the_workbooks_over_all_scenarios_keep_to_the_schemas(tmp_path: Path) -> None:
    (tmp_path / "catalogue.xlsx").write_bytes(catalogue_book([], "0.0"))
    if WHOLE:
        (tmp_path / "documented.xlsx").write_bytes(documented_file("xlsx"))
    assert not [fault for path in tmp_path.iterdir() for fault in faults(path)]


SPOILT = (
    ("xl/drawings/drawing1.xml", "<xdr:row>", "<xdr:rows>1</xdr:rows><xdr:row>", "Unexpected element 'rows'"),
    ("xl/charts/chart1.xml", r'<c:grouping val="\w+"', '<c:grouping val="piled"', "Value 'piled' is not in allowed"),
    ("xl/worksheets/sheet2.xml", "<dataValidation ", '<dataValidation wrong="1" ', "The 'wrong' attribute"),
    ("xl/worksheets/sheet3.xml", "<sheetData>", "<sheetRow></sheetRow><sheetData>", "Unexpected element 'sheetRow'"),
    ("xl/styles.xml", "(<font>)(.*?)(<name [^>]*/>)", r"\1\3\2", "xl/styles.xml: Unexpected element"),
    ("xl/_rels/workbook.xml.rels", r"sheet4\.xml", "sheet99.xml", "target not found: /xl/worksheets/sheet99.xml"),
    ("[Content_Types].xml", r"<Override [^>]*chart1\.xml[^>]*/>", "", "chart1.xml: has no content type"),
    ("xl/worksheets/sheet2.xml", ' prompt="', f' prompt="{"x" * 256}', "a validation's prompt is too long"),
    ("xl/worksheets/sheet2.xml", r' s="\d+"', ' s="9999"', "sheet2.xml: style 9999 of"),
)  # fmt: skip
"""What is put into which part of one workbook, and what must be said of it."""


@pytest.fixture(scope="session")
def breaches(serving: Path) -> list[str]:
    """Everything that is said of a workbook with all breaches in it."""
    with zipfile.ZipFile(serving) as archive:
        parts = {one: archive.read(one).decode() for one in archive.namelist()}
    for part, found, put, _ in SPOILT:
        assert re.search(found, parts[part], re.DOTALL), found
        parts[part] = re.sub(found, put, parts[part], count=1, flags=re.DOTALL)
    path = serving.with_name("spoilt.xlsx")
    path.write_bytes(zip_bytes({name: text.encode() for name, text in parts.items()}))
    return faults(path)


@pytest.mark.parametrize("said", [one[-1] for one in SPOILT])
def test_a_breach_is_seen(said: str, breaches: list[str]) -> None:
    assert [one for one in breaches if said in one], breaches
