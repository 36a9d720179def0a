"""Vendors' quotes beside the budget: what each comes to for the job of every variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from memreport.advise.comparisons.offers import OF_THE_JOB, OffersWeighed, offers_weighed
from memreport.catalogue.quotes.reading import Quote
from memreport.catalogue.records import Numbers
from memreport.compute import Computed, calculate
from memreport.figures.constants import HOURS_PER_MONTH, ONE_HOUR
from memreport.figures.money.quotes import QUOTE_FIGURES
from memreport.formula.recording import plain_line, recorded, walk
from memreport.formula.words import Ref, where
from memreport.frozen import frozen

Columns = Mapping[str, Any]
Rule = Callable[[Columns], Any]
QUOTED = "quoted_"
"""What a quote's own terms begin with."""
TERMS: Mapping[str, tuple[str, str]] = {
    "quoted_purchase": ("Purchase? 1 yes, 0 rent", ""),
    "quoted_price": ("Price of a GPU and hour, or of a GPU", "its currency"),
    "quoted_exchange_rate": ("US dollars for one of its currency", "USD"),
    "quoted_term_months": ("Months billed at least", "months"),
    "quoted_runs_on": ("Service that goes on after these hours? 1 yes", ""),
    "quoted_minimum_accelerators": ("GPUs billed at least", ""),
    "quoted_extras": ("Network, storage, support beside, a GPU and month", "its currency"),
    "quoted_egress": ("Egress, a GB", "its currency"),
    "quoted_egress_gb": ("GB that leave during the job", "GB"),
    "quoted_lacks_hosts": ("Hosts and network lacking? 1 yes", ""),
    "quoted_has_power": ("Power included? 1 yes", ""),
    "quoted_has_support": ("Support included? 1 yes", ""),
    "quoted_has_storage": ("Storage included? 1 yes", ""),
}
"""The terms of a quote by name, with their titles and units."""


@frozen
class QuotedCosts:
    """`terms` and the `figures` that follow from them, by name, one value a variant."""

    terms: Mapping[str, Numbers]
    figures: Mapping[str, Numbers]

    def terms_at(self, index: int) -> dict[str, float]:
        """The terms for the job of one variant."""
        return {name: float(column[index]) for name, column in self.terms.items()}

    def figures_at(self, index: int) -> dict[str, float]:
        """The figures for the job of one variant."""
        return {name: float(column[index]) for name, column in self.figures.items()}


@frozen
class QuoteComparison:
    """The budget itself as if it were a quote, and every quote beside the scenario."""

    budget: QuotedCosts
    offers: tuple[tuple[Quote, QuotedCosts], ...]
    weighed: Mapping[tuple[str, str], OffersWeighed]
    """By the ids of an offer to rent and one to buy; empty where the scenario compares no rent with a purchase."""


def compared_quotes(computed: Computed) -> QuoteComparison | None:
    """All quotes for all variants; None where the scenario has no cost."""
    loaded, count = computed.resolved.loaded, len(computed.resolved.variants)
    if loaded.scenario.cost is None:
        return None
    values = {name: column[:count] for name, column in computed.values.items()}
    offers = tuple((quote, quoted_costs(terms_of(quote, runs_on=runs_on(computed)), values)) for quote in loaded.quotes)
    return QuoteComparison(quoted_costs(budgeted_terms(values), values), offers, _weighed(offers, values))


def _weighed(
    offers: Sequence[tuple[Quote, QuotedCosts]], values: Mapping[str, Numbers]
) -> dict[tuple[str, str], OffersWeighed]:
    """Every offer to rent beside every one to buy."""
    rented, bought = ([each for each in offers if each[0].buys == buys] for buys in (False, True))
    if any(name not in values for name in OF_THE_JOB):
        return {}
    return {
        (rent.given.id, buy.given.id): offers_weighed((cost.terms, cost.figures), (order.terms, order.figures), values)
        for rent, cost in rented
        for buy, order in bought
    }


def quoted_costs(terms: Mapping[str, Numbers | float], values: Mapping[str, Numbers]) -> QuotedCosts:
    """What quoted terms come to for jobs with these figures and inputs, one value a job."""
    job = {name: np.asarray(values[name], dtype=np.float64) for name in scenario_inputs()}
    shape = np.broadcast_shapes(*(column.shape for column in job.values()))
    whole = {name: np.broadcast_to(np.asarray(term, dtype=np.float64), shape) for name, term in terms.items()}
    lines = [plain_line(figure) for figure in QUOTE_FIGURES]
    made = calculate(lines, {**job, **whole})
    return QuotedCosts(whole, {figure.name: np.broadcast_to(made[figure.name], shape) for figure in QUOTE_FIGURES})


def scenario_inputs() -> tuple[str, ...]:
    """What the figures of a quote read of the scenario."""
    own = {figure.name for figure in QUOTE_FIGURES}
    every = dict.fromkeys(name for figure in QUOTE_FIGURES for name in figure.inputs)
    return tuple(name for name in every if name not in own and not name.startswith(QUOTED))


def runs_on(computed: Computed) -> bool:
    """Whether a service goes on after the hours that are counted: nobody stated any, so that they are a month's."""
    first = computed.resolved.cases[0]
    return computed.resolved.workload == "serving" and "hours" not in first.origins and first.settings["months"] == 1


def terms_of(quote: Quote, *, runs_on: bool) -> dict[str, float]:
    """What a quote states, as inputs of its figures; a term is no more than a job needs that `runs_on`."""
    given = quote.given
    return {
        "quoted_purchase": float(quote.buys),
        "quoted_price": given.price,
        "quoted_exchange_rate": quote.exchange_rate,
        "quoted_term_months": given.term_months,
        "quoted_runs_on": float(runs_on),
        "quoted_minimum_accelerators": float(given.minimum_accelerators),
        "quoted_extras": given.extras.whole,
        "quoted_egress": given.egress,
        "quoted_egress_gb": given.egress_gb,
        "quoted_lacks_hosts": float(quote.buys and "hosts" not in given.included),
        "quoted_has_power": float("power" in given.included),
        "quoted_has_support": float("support" in given.included),
        "quoted_has_storage": float("storage" in given.included),
    }


def _budgeted_price(columns: Columns) -> Any:
    """The agreed rent of an hour, or what a GPU of the purchase costs before hosts, network and freight."""
    onto = (1 + columns["adder_share"]) * (1 + columns["freight_tax_share"])
    bought = columns["capital_usd"] / columns["accelerators"] / onto
    return where(columns["buys"] > 0, bought, columns["agreed_usd_per_accelerator_hour"])


def _budgeted_extras(columns: Columns) -> Any:
    monthly = columns["agreed_usd_per_accelerator_hour"] * columns["rent_extras_share"] * HOURS_PER_MONTH
    return where(columns["buys"] > 0, 0, monthly / ONE_HOUR)


def _budgeted_term(columns: Columns) -> Any:
    return where(columns["buys"] > 0, 0, columns["reserved_hours"] / HOURS_PER_MONTH)


def _is_bought(columns: Columns) -> Any:
    return columns["buys"] * 1


BUDGETED: Mapping[str, Rule] = {
    "quoted_purchase": _is_bought,
    "quoted_price": _budgeted_price,
    "quoted_term_months": _budgeted_term,
    "quoted_extras": _budgeted_extras,
    "quoted_lacks_hosts": _is_bought,
}
"""What the budget itself counts with, in the terms of a quote: its total is the budget's."""
PLAIN_TERMS: Mapping[str, float] = {"quoted_exchange_rate": 1.0}
"""Terms that the budget has no word for, where they are not zero."""


def budgeted_terms(values: Columns) -> dict[str, Any]:
    """The budget of jobs with these figures and inputs as if it were a quote."""
    return {name: BUDGETED[name](values) if name in BUDGETED else PLAIN_TERMS.get(name, 0.0) for name in TERMS}


def budgeted_inputs() -> tuple[str, ...]:
    """What the budget's own terms are worked out from."""
    found = (
        expression.name
        for rule in BUDGETED.values()
        for expression in walk(recorded(rule))
        if isinstance(expression, Ref)
    )
    return tuple(dict.fromkeys(found))
