"""The usual host of each GPU, on Hardware: what is taken where nobody states one, whichever GPU is picked."""

from __future__ import annotations

import math

from memreport.publish.xlsx.common.draft import USUAL, Draft, UsualHosts
from memreport.publish.xlsx.sheet.book import Sheet
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER, HEADING, LABEL, WORD
from memreport.resolve.usual import usual_host

TITLE, CHOICES = (
    "Usual hosts, by the number of GPUs",
    "Choices of a host: the usual one of the GPU, or one of those above",
)
FIRST_COUNT, LAST = 3, 13
"""Column C: the first number of GPUs; the last column of the sheet."""


def write_usual_hosts(draft: Draft, sheet: Sheet, row: int) -> int:
    """A row a GPU, in the order of the GPUs above, a column a number of GPUs; then the choices; the next free row."""
    catalogue = draft.view.resolved.catalogue
    gpus, hosts = catalogue.tables["accelerators"].ids, catalogue.tables["hosts"]
    held = {math.floor(size) + 1.0 for size in hosts.columns["host_accelerators"].values}
    found = {gpu: {count: usual_host(catalogue, gpu, count) for count in (1.0, *sorted(held))} for gpu in gpus}
    counts = [count for count in (1.0, *sorted(held)) if any(_begins(each, count) for each in found.values())]
    last = FIRST_COUNT + len(counts) - 1
    sheet.row(row, 1, [TITLE, *[None] * (LAST - 1)], HEADING)
    sheet.row(row + 1, 1, ["id", "GPUs, at least"], HEADER)
    sheet.row(row + 1, FIRST_COUNT, [*counts], HEADER_NUMBER)
    for here, (gpu, each) in enumerate(found.items(), row + 2):
        sheet.row(here, 1, [str(gpu), None], LABEL)
        sheet.row(here, FIRST_COUNT, [each[count] for count in counts], WORD)
    used = {case.settings["accelerator"] for case in draft.view.resolved.cases}
    sheet.fold_rows(here for here, gpu in enumerate(gpus, row + 2) if gpu not in used)
    ids = sheet.span(row + 2, FIRST_COUNT, row + 1 + len(gpus), last)
    draft.usual_hosts = UsualHosts(ids, sheet.span(row + 1, FIRST_COUNT, row + 1, last))
    return _choices(draft, sheet, row + 3 + len(gpus))


def _begins(hosts: dict[float, str], count: float) -> bool:
    """Whether from this number on a GPU is usually in another host."""
    before = [host for least, host in hosts.items() if least < count]
    return not before or before[-1] != hosts[count]


def _choices(draft: Draft, sheet: Sheet, row: int) -> int:
    """What the drop-down of hosts offers; the next free row."""
    listed = [USUAL, *map(str, draft.view.resolved.catalogue.tables["hosts"].ids)]
    sheet.row(row, 1, [CHOICES, *[None] * (LAST - 1)], HEADING)
    for here, name in enumerate(listed, row + 1):
        sheet.put(here, 1, name, LABEL)
    sheet.fold_rows(range(row + 2, row + 1 + len(listed)))
    draft.book.name("list_hosts", sheet.span(row + 1, 1, row + len(listed), 1))
    return row + 2 + len(listed)
