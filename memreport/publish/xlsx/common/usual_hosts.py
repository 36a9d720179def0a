"""The usual host of each GPU, on Hardware: what is taken where nobody states one, whichever GPU is picked."""

from __future__ import annotations

import math

from memreport.publish.xlsx.common.by_count import LAST, write_by_count
from memreport.publish.xlsx.common.draft import USUAL, Draft, UsualHosts
from memreport.publish.xlsx.sheet.book import Sheet
from memreport.publish.xlsx.sheet.styles import LABEL
from memreport.resolve.usual import usual_host

TITLE, CHOICES = (
    "Usual hosts, by the number of GPUs",
    "Choices of a host: the usual one of the GPU, or one of those above",
)


def write_usual_hosts(draft: Draft, sheet: Sheet, row: int) -> int:
    """A row a GPU, in the order of the GPUs above, a column a number of GPUs; then the choices; the next free row."""
    catalogue = draft.view.resolved.catalogue
    gpus, hosts = catalogue.tables["accelerators"].ids, catalogue.tables["hosts"]
    held = {math.floor(size) + 1.0 for size in hosts.columns["host_accelerators"].values}
    found = {gpu: {count: usual_host(catalogue, gpu, count) for count in (1.0, *sorted(held))} for gpu in gpus}
    counts = [count for count in (1.0, *sorted(held)) if any(_begins(each, count) for each in found.values())]
    shown = {gpu: [each[count] for count in counts] for gpu, each in found.items()}
    draft.usual_hosts = UsualHosts(*write_by_count(draft, sheet, row, TITLE, counts, shown))
    return _choices(draft, sheet, row + 3 + len(gpus))


def _begins(hosts: dict[float, str], count: float) -> bool:
    """Whether from this number on a GPU is usually in another host."""
    before = [host for least, host in hosts.items() if least < count]
    return not before or before[-1] != hosts[count]


def _choices(draft: Draft, sheet: Sheet, row: int) -> int:
    """What the drop-down of hosts offers; the next free row."""
    listed = [USUAL, *map(str, draft.view.resolved.catalogue.tables["hosts"].ids)]
    sheet.band(row, CHOICES, LAST)
    for here, name in enumerate(listed, row + 1):
        sheet.put(here, 1, name, LABEL)
    sheet.fold_rows(range(row + 2, row + 1 + len(listed)))
    draft.book.name("list_hosts", sheet.span(row + 1, 1, row + len(listed), 1))
    return row + 2 + len(listed)
