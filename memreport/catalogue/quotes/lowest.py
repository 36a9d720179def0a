"""The lowest price of a GPU, by whom and on which term it is offered."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container

from memreport.catalogue.fields.blocks import first_day
from memreport.catalogue.records import Table
from memreport.catalogue.tables.prices import ANY_TIER, INSTANCE, MAJOR, ON_DEMAND, SOLD
from memreport.frozen import frozen

NO_PRICE = "none"
OF_A_MONTH = re.compile(r"-20\d\d-\d\d$")
"""What a price has behind its id that was another month's: the one without it is the newer one."""


@frozen
class Bought:
    """What is bought and how: the GPU, how many of it, how many of them in a node, tier and term of a rent.

    A provider that is named decides, of whichever tier it is.
    """

    gpu: str
    count: float
    in_a_node: float
    tier: str = MAJOR
    term: str = ON_DEMAND
    provider: str = ""


def lowest_price(table: Table, bought: Bought, stale: Callable[[int], bool] = lambda _: False) -> str:
    """The lowest price of the GPU, by id; rows of no tier are the user's own, and rows that are `stale` come last."""
    tiers = SOLD if bought.tier == ANY_TIER else (bought.tier,)
    whose = {"provider": (bought.provider,)} if bought.provider else {"tier": (*tiers, "")}
    fits = {**whose, "term": (bought.term,)} if INSTANCE in table.columns else {}
    known = {str(id_) for id_ in table.ids}
    rows = [
        (stale(index), *_bill(table, index, bought), -_day(table, index), str(table.ids[index]))
        for index in table.rows_where("accelerator", bought.gpu)
        if not _has_newer(str(table.ids[index]), known)
        and all(table.texts[word][index] in allowed for word, allowed in fits.items())
    ]
    return min(rows)[-1] if rows else NO_PRICE


def _has_newer(id_: str, known: Container[str]) -> bool:
    later = OF_A_MONTH.sub("", id_)
    return later != id_ and later in known


def _bill(table: Table, index: int, bought: Bought) -> tuple[bool, float, float]:
    """Whether an instance is too small for a node of the job, what the job costs in whole ones, and each GPU."""
    usd = float(table.columns[next(iter(table.columns))].values[index])
    if INSTANCE not in table.columns:
        return False, usd, usd
    held = float(table.columns[INSTANCE].values[index])
    each = max(held, 1.0)
    small = 0 < held < min(bought.count, bought.in_a_node)
    return small, usd * math.ceil(bought.count / each) * each, usd


def _day(table: Table, index: int) -> int:
    """The day of a price as a number: of equal prices the newer one is taken."""
    day = first_day(table.texts["date"][index])
    return day.toordinal() if day else 0
