"""Facts of GPUs: a workbook has what its formulas read, with the sources of its own GPUs; the catalogue has all."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.publish.xlsx.catalogue import catalogue_book
from memreport.publish.xlsx.common.titles import HARDWARE, SOURCES
from tests.built import IDS, published_files
from tests.lazily import lazily_read
from tests.part import part
from tests.publish.workbook_cases import opened
from tests.support import packaged

GPUS = packaged().tables["accelerators"]
HEADS, FIRST, TITLE, FIGURES, SOURCE = 5, 7, 2, 3, 6
"""Rows of the sheet Hardware and columns of Sources, from 1."""


def sourced(book: Path, sheet: str = SOURCES) -> set[tuple[str, str, str]]:
    """GPU, figure and source of every row of the sheet."""
    rows = lazily_read(book, data_only=True)[sheet].iter_rows(values_only=True, min_col=TITLE, max_col=SOURCE)
    return {
        (str(row[0]), name, str(row[SOURCE - TITLE] or ""))
        for row in rows
        if row[0] in GPUS.titles
        for name in str(row[FIGURES - TITLE]).split(", ")
    }


def stated(index: int, names: set[str]) -> set[tuple[str, str, str]]:
    columns = [column for column in GPUS.columns.values() if column.name in names]
    return {(GPUS.titles[index], column.name, column.sources[index].title) for column in columns}


def test_the_catalogue_has_every_fact_of_every_gpu_and_where_it_is_from(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.xlsx"
    path.write_bytes(catalogue_book([], "0.0", [GPUS, GPUS]))
    rows = list(lazily_read(path, data_only=True)[HARDWARE].iter_rows(values_only=True))
    heads = rows[HEADS - 1][2 : 2 + len(GPUS.columns)]
    found = {row[0]: row[2 : 2 + len(heads)] for row in rows[FIRST - 1 :]}
    assert list(found) == list(GPUS.ids), "each once, in order"
    for index, key in enumerate(GPUS.ids):
        assert found[key] == tuple(GPUS.columns[str(head).replace(" ", "_")].values[index] for head in heads)
    names = set(GPUS.columns)
    assert sourced(path) == set.union(*(stated(index, names) for index in range(len(GPUS.ids))))


@pytest.mark.parametrize("id_", part(IDS, 2))
def test_a_workbook_has_a_row_for_every_gpu_and_a_source_for_each_figure_of_its_own(id_: str) -> None:
    path = published_files(id_).workbook
    sheet = opened(path)[HARDWARE]
    first = next(row for row in range(1, sheet.max_row) if sheet.cell(row, 1).value == GPUS.ids[0])
    assert [sheet.cell(row, 1).value for row in range(first, first + len(GPUS.ids))] == list(GPUS.ids)
    heads = {str(cell.value).replace("\n", " ").replace(" ", "_") for cell in sheet[first - 2]} & set(GPUS.columns)
    used = {title for title, _, _ in sourced(path)}
    assert used
    assert sourced(path) == set.union(*(stated(GPUS.titles.index(title), heads) for title in used))
    assert all(sheet.cell(row, 3).value and sheet.cell(row, 4).value for row in range(first, first + len(GPUS.ids)))
