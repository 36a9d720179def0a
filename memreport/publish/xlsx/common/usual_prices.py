"""The lowest price of each GPU, on Hardware: what is billed where the price that is picked is another GPU's."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memreport.catalogue.records import BILLED, Key, Table
from memreport.publish.xlsx.common.by_count import write_by_count
from memreport.publish.xlsx.common.draft import NOTHING, Draft, UsualPrices
from memreport.publish.xlsx.sheet.book import Sheet
from memreport.resolve.usual import usual_host, usual_price

NUMBERS_OF_GPUS = (1, 2, 4, 8)
"""For which a price is looked for, beside those of the scenario: instances hold as many."""
TITLE = "Lowest {}, by the number of GPUs: billed where the price that is picked is another GPU's"


def write_usual_prices(draft: Draft, sheet: Sheet, row: int) -> None:
    """A part for each table of prices that a scenario may be billed by; none where nothing is billed."""
    tables = draft.view.resolved.catalogue.tables
    for _, title in BILLED.values() if draft.view.scenario.cost else ():
        if title in draft.tables and "accelerators" in draft.tables:
            row = _part(draft, sheet, row, tables[title]) + 1


def _part(draft: Draft, sheet: Sheet, row: int, table: Table) -> int:
    """A row a GPU, in the order of the GPUs above, a column a number of GPUs; the next free row."""
    counts, gpus = _counts(draft), draft.view.resolved.catalogue.tables["accelerators"].ids
    lowest = {gpu: [*_prices(draft, table, gpu, counts)] for gpu in gpus}
    ids, heads = write_by_count(draft, sheet, row, TITLE.format(table.title.lower()), counts, lowest)
    draft.usual_prices[table.name] = UsualPrices(ids, heads, lambda gpu, count: lowest[gpu][_place(counts, count)])
    return row + 2 + len(gpus)


def _place(counts: Sequence[float], count: float) -> int:
    """The column of the largest number that is no larger."""
    return bisect_right(counts, count) - 1


def _counts(draft: Draft) -> list[float]:
    built = {float(case.settings["count"]) for case in draft.view.variants}
    return sorted({*map(float, NUMBERS_OF_GPUS), *built})


def _prices(draft: Draft, table: Table, gpu: Key, counts: list[float]) -> Iterator[str]:
    """The id of the lowest price of a GPU for each number; a price of none where the book has none of it."""
    sold = gpu in table.texts["accelerator"]
    for count in counts:
        settings = _job(draft, gpu, count)
        yield usual_price(draft.view.scenario, draft.view.resolved.catalogue, table, settings) if sold else NOTHING


def _job(draft: Draft, gpu: Key, count: float) -> Mapping[str, Any]:
    """So many of the GPU, in the host that the scenario states, else in the usual one."""
    first = draft.view.variants[0]
    stated = first.origins["host"].kind != "default"
    host = first.settings["host"] if stated else usual_host(draft.view.resolved.catalogue, gpu, count)
    return {"accelerator": gpu, "count": count, "host": host}
