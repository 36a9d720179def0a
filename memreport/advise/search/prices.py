"""Which price a GPU is billed at, one policy for all outputs of a scenario.

What the scenario itself says of a GPU, in whichever variant, wins.  Another GPU is billed on the same basis, at the
lowest price of the tier and term that the scenario buys in: on demand from a major cloud unless it says otherwise.
Clouds rent instances: the lowest is what the job's own number of GPUs costs in whole ones, none of which holds fewer
GPUs than talk to each other in a node.  A price over the scenario's age limit is taken only where there is no other,
and is warned of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import partial

from memreport.advise.rerun import Job
from memreport.advise.search.hosts import host_of
from memreport.catalogue.quotes.lowest import NO_PRICE, Bought, lowest_price
from memreport.catalogue.records import BILLED, Table
from memreport.catalogue.scenario import Scalar
from memreport.catalogue.tables.prices import COMMUNITY, MAJOR, ON_DEMAND, OWN_PRICES
from memreport.catalogue.terms.price_age import age_warnings, judged_on
from memreport.frozen import frozen
from memreport.resolve import Case
from memreport.resolve.usual import is_stale_row, words_of

MOST_ON_A_MARKETPLACE = 8
"""GPUs of one machine, which is all that a marketplace rents; source: HGX and OAM boards hold eight."""


@frozen
class GpuPrice:
    """How a GPU is billed: fields of `cost:`, numbers typed in place of a price, and what one machine may hold."""

    fields: Mapping[str, Scalar]
    typed: Mapping[str, float] = field(default_factory=dict)
    most_accelerators: float = float("inf")

    @property
    def is_known(self) -> bool:
        """Whether the basis has the price that it bills."""
        name, _ = BILLED[str(self.fields["basis"])]
        return self.fields[name] != NO_PRICE or _column(str(self.fields["basis"])) in self.typed


def price_of(job: Job, gpu: str, count: float = 0) -> GpuPrice:
    """What each of so many of a GPU, or of as many as the job has, is billed at.

    Its price is `none` where nothing of the right tier and term is known.
    """
    known: dict[tuple[str, float], GpuPrice] = job.prices
    several = count or float(job.case.settings["count"])
    if (gpu, several) not in known:
        known[gpu, several] = _looked_up(job, gpu, several)
    return known[gpu, several]


def _looked_up(job: Job, gpu: str, count: float) -> GpuPrice:
    own, basis = own_prices(job).get(gpu), str(job.case.settings["basis"])
    billed, table = BILLED[basis]
    if own is not None and (own.typed or not _is_looked_up(job, gpu, billed)):
        return own
    found = _lowest(job, job.catalogue.tables[table], gpu, count)
    plain = own.fields if own else {"basis": basis, **{name: NO_PRICE for name, _ in BILLED.values()}}
    return GpuPrice({**plain, billed: found}, most_accelerators=_most(job, found))


def _is_looked_up(job: Job, gpu: str, billed: str) -> bool:
    """Whether the price of the job's own GPU is the lowest for as many as it has, of which others are not billed."""
    return gpu == job.case.settings["accelerator"] and job.case.origins[billed].kind == "default"


def own_prices(job: Job) -> dict[str, GpuPrice]:
    """By GPU, the price that the scenario states, the job's own before those of the other variants."""
    found: dict[str, GpuPrice] = {}
    for case in (job.case, *job.own_variants):
        price = _stated(case)
        if price.is_known:
            found.setdefault(str(case.settings["accelerator"]), price)
    return found


def _stated(case: Case) -> GpuPrice:
    fields = {name: case.settings[name] for name in ("basis", "price", "purchase_price")}
    return GpuPrice(fields, {name: case.overrides[name] for name in OWN_PRICES if name in case.overrides})


def tier_and_term(job: Job) -> tuple[str, str]:
    """Where and how the scenario buys: as its search says, else as the price is that it names, else the plain way."""
    table = job.catalogue.tables["rental_prices"]
    index = table.row(job.case.settings["price"])
    tier, term = table.texts["tier"][index] or MAJOR, table.texts["term"][index] or ON_DEMAND
    return job.search.price_tier or tier, job.search.price_term or term


def _lowest(job: Job, table: Table, gpu: str, count: float) -> str:
    """The lowest price of so many of the GPU, by id, as the scenario buys."""
    hosts = job.catalogue.tables["hosts"]
    node = float(hosts.columns["host_accelerators"].values[hosts.row(host_of(job, gpu, count))])
    bought = Bought(gpu, count, node, *tier_and_term(job), job.search.price_provider or "")
    return lowest_price(table, bought, partial(is_stale_row, job.loaded.scenario, table))


def _most(job: Job, price: str) -> float:
    table = job.catalogue.tables["rental_prices"]
    community = price in table.ids and table.texts["tier"][table.row(price)] == COMMUNITY
    return MOST_ON_A_MARKETPLACE if community else float("inf")


def _column(basis: str) -> str:
    return OWN_PRICES[0] if basis == "rent" else OWN_PRICES[1]


def price_words(job: Job, price: GpuPrice) -> str:
    """The price in words: its id, what it is, its date and how well it is founded."""
    basis = str(price.fields["basis"])
    name, of = BILLED[basis]
    column, per = _column(basis), "/h" if basis == "rent" else ""
    if column in price.typed:
        return f"the scenario's own quote: ${price.typed[column]:,.2f}{per}"
    if not price.is_known:
        return "no price known"
    table, key = job.catalogue.tables[of], str(price.fields[name])
    words, amount = words_of(table, key), table.columns[column].values[table.row(key)]
    confidence = words["confidence"] or "not stated"
    return f"{key}: ${amount:,.2f}{per}, {words['date']}, confidence {confidence}"


def price_warnings(job: Job, price: GpuPrice) -> tuple[str, ...]:
    """What every output has to say of a price that is too old."""
    basis = str(price.fields["basis"])
    name, of = BILLED[basis]
    if not price.is_known or _column(basis) in price.typed:
        return ()
    if not judged_on(job.loaded.scenario):
        return ()
    return tuple(age_warnings(job.loaded.scenario, words_of(job.catalogue.tables[of], str(price.fields[name]))))
