"""Tables of Hardware with a row a GPU and a column a number of GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memreport.catalogue.records import Key
from memreport.publish.xlsx.common.draft import Draft
from memreport.publish.xlsx.sheet.book import Sheet
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER, LABEL, WORD

FIRST_COUNT, LAST = 3, 13
"""Column C: the first number of GPUs; the last column of the sheet."""


def write_by_count(
    draft: Draft, sheet: Sheet, row: int, title: str, counts: Sequence[float], found: Mapping[Key, Sequence[str]]
) -> tuple[str, str]:
    """A row a GPU, in the order of the GPUs above, those that no variant has folded; the ranges of cells and heads."""
    last = FIRST_COUNT + len(counts) - 1
    sheet.band(row, title, LAST)
    sheet.row(row + 1, 1, ["id", "GPUs, at least"], HEADER)
    sheet.row(row + 1, FIRST_COUNT, [*counts], HEADER_NUMBER)
    for here, (gpu, words) in enumerate(found.items(), row + 2):
        sheet.row(here, 1, [str(gpu), None], LABEL)
        sheet.row(here, FIRST_COUNT, [*words], WORD)
    used = {case.settings["accelerator"] for case in draft.view.resolved.cases}
    sheet.fold_rows(here for here, gpu in enumerate(found, row + 2) if gpu not in used)
    cells = sheet.span(row + 2, FIRST_COUNT, row + 1 + len(found), last)
    return cells, sheet.span(row + 1, FIRST_COUNT, row + 1, last)
