"""Tables of a portfolio: spend by quarter, month, owner; GPU-hours; budgets; commitments; risks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from memreport.catalogue.quotes.reading import Quote
from memreport.catalogue.records import Numbers
from memreport.portfolio.commitment import Commitment
from memreport.portfolio.plan import Planned
from memreport.report.records.portfolio import ColumnForm, SaidTable
from memreport.report.shares import spread_words, whole_percent

MOST_RISKS = 10
SMALLEST = 0.01
"""A cent: what never comes to one in a month is no line."""
Money = Callable[[float], str]
PARTS: Mapping[str, str] = {
    "rent": "Rent",
    "other_costs_of_jobs": "Operating costs of jobs",
    "reserved": "Reserved GPUs",
    "running": "Running owned GPUs",
    "depreciation_of_jobs": "Depreciation in jobs",
    "depreciation": "Depreciation of owned GPUs",
}
"""Parts of the spend with their titles: what operates first, then what is capital."""
CAPITAL = ("depreciation_of_jobs", "depreciation")
QUOTE_FORMS = (
    *(ColumnForm(25), ColumnForm(12), *(ColumnForm(kind="number") for _ in range(4))),
    *(ColumnForm(15), ColumnForm(15, "aside"), ColumnForm(kind="number")),
)
"""How the table of quotes is set: words, four amounts, words, and hours."""
CAUSES: Mapping[str, str] = {
    "prices": "prices at their high case, {}",
    "time": "time at its high end (utilisation at its low), {}",
    "tokens": "10 % more tokens, {}",
}


def by_quarter(planned: Planned, money: Money, currency: str) -> SaidTable:
    """Parts by quarter, what each quarter bears, and what is billed in it."""
    spend = planned.spend
    masks = [mask for _, mask in spend.quarters]

    def row(title: str, amounts: Numbers) -> tuple[str, ...]:
        return _row(title, [amounts[mask].sum() for mask in masks], money)

    operating, capital = sides(planned)
    rows = [row(PARTS[name], amounts) for name, amounts in _parts(planned) if name not in CAPITAL]
    owned = [row(PARTS[name], amounts) for name, amounts in _parts(planned) if name in CAPITAL]
    rows += [row("Operating", operating), *owned, row("Capital", capital)] if owned else []
    rows += [row("Borne by the quarter", spend.effective)]
    rows += [row("Billed in the quarter", spend.billed)]
    heads = ("", *(name for name, _ in spend.quarters), "all")
    sums = tuple(index for index, pair in enumerate(rows) if pair[0] not in PARTS.values())
    return SaidTable(f"Spend by quarter, {currency}", heads, tuple(rows), id="quarter", sums=sums)


def sides(planned: Planned) -> tuple[Numbers, Numbers]:
    """Operating and capital cost by month; they add up to what the months bear."""
    parts = planned.spend.parts
    capital = np.sum([parts[name] for name in CAPITAL], axis=0)
    return planned.spend.effective - capital, capital


def _parts(planned: Planned) -> Iterator[tuple[str, Numbers]]:
    """Parts that are anything, in the order of their titles."""
    return ((name, planned.spend.parts[name]) for name in PARTS if planned.spend.parts[name].max() >= SMALLEST)


def _row(title: str, amounts: Sequence[float], text: Money) -> tuple[str, ...]:
    return (title, *(text(float(amount)) for amount in amounts), text(float(sum(amounts))))


def by_month(planned: Planned, money: Money, currency: str) -> SaidTable:
    """One line a month."""
    parts = list(_parts(planned))
    heads = ("month", *(PARTS[name] for name, _ in parts), "borne", "billed")
    columns = [*(row for _, row in parts), planned.spend.effective, planned.spend.billed]
    months = planned.portfolio.calendar.months
    rows = tuple((month, *(money(float(column[index])) for column in columns)) for index, month in enumerate(months))
    return SaidTable(f"Spend by month, {currency}", heads, rows, id="month")


def by_name(planned: Planned, what: str, names: Sequence[str], money: Money, currency: str) -> SaidTable:
    """Spend by quarter of every owner or cost centre, with their part of GPUs that are there; idle ones apart."""
    masks = planned.spend.quarters
    found = planned.spend.by(names)
    rows = tuple(_row(name or "none", [row[mask].sum() for _, mask in masks], money) for name, row in found.items())
    heads = (what.lower(), *(name for name, _ in masks), "all")
    return SaidTable(f"Spend by {what.lower()}, {currency}", heads, rows, id=what.lower())


def hours_words(planned: Planned) -> str:
    """How far GPU-hours may lie from those planned, at most over all entries; nothing where all are stated."""
    low, high = float(planned.jobs.ranges.time_low.min(initial=1)), float(planned.jobs.ranges.time_high.max(initial=1))
    return spread_words([(low, 1, high)], "GPU-hours of a run") if low < high else ""


def gpu_hours(planned: Planned) -> Iterator[SaidTable]:
    """By type of GPU and month: hours that are there, used, short, idle; most GPUs short at once."""
    months = planned.portfolio.calendar.months
    for use in planned.uses:
        columns = (use.there, use.used, use.short, use.idle, use.reserved_idle, use.peak_short)
        rows = tuple((month, *(f"{column[index]:,.0f}" for column in columns)) for index, month in enumerate(months))
        heads = ("month", "there", "used", "short", "idle", "of it reserved", "most GPUs short")
        title = f"GPU-hours of {use.accelerator}"
        yield SaidTable(title, heads, rows, hours_words(planned), id=f"hours of {use.accelerator}")


def budgets(planned: Planned, money: Money, currency: str) -> SaidTable:
    """Every budget, the farthest over first, and what would bring it under."""
    rows = tuple(
        (
            f"{budget.owner}, {budget.quarter}",
            money(budget.budget),
            money(budget.spend),
            money(budget.over),
            ", ".join(budget.without),
        )
        for budget in planned.budgets
    )
    heads = ("owner, quarter", "budget", "spend", "over", "not over without")
    return SaidTable(f"Budgets, {currency}", heads, rows, id="budgets")


def commitments(planned: Planned, money: Money, currency: str) -> Iterator[SaidTable]:
    """Three candidates of every offer, with what each misses at a low, likely and high load."""
    for commitment in planned.commitments:
        rows = tuple(
            (each.name, str(each.count), money(each.cost), *(money(miss) for miss in each.regret))
            for each in commitment.candidates
        )
        heads = ("candidate", "GPUs", "cost", "regret, certain load", "likely load", "whole load")
        about = f"Cost by GPUs committed: {', '.join(_curve(commitment, money))}." if len(commitment.costs) > 1 else ""
        yield SaidTable(
            f"Commitment to {commitment.accelerator}, {currency}",
            heads,
            rows,
            about,
            id=f"commitment {commitment.accelerator}",
        )


def _curve(commitment: Commitment, money: Money) -> Iterator[str]:
    """The cost at a few counts around the best, so that its slope is seen."""
    last = len(commitment.costs) - 1
    counts = sorted(
        {0, commitment.best // 2, max(commitment.best - 1, 0), commitment.best, min(commitment.best + 1, last), last}
    )
    return (f"{count}: {money(float(commitment.costs[count]))}" for count in counts)


def quotes(planned: Planned, money: Money, currency: str, cents: Money) -> SaidTable:
    """Of every quote until when it is valid, the whole spend with it, and its price of an hour beside the planned.

    Hours that are billed and not used are a column where there are any.
    """
    unused = any(quote.unused >= 1 for quote in planned.quotes)
    rows = tuple(
        (
            f"{quote.quote.given.vendor} ({quote.quote.given.id})",
            valid_words(quote.quote, planned.portfolio.given.horizon.start),
            money(quote.more),
            money(quote.total),
            cents(quote.hourly),
            cents(quote.planned),
            quote.quote.given.accelerator,
            lacking_words(quote.quote),
            *([f"{quote.unused:,.0f}"] if unused else []),
        )
        for quote in planned.quotes
    )
    heads = (
        *("quote", "valid", "more", "spend with it", "an hour", "planned", "GPU", "not included"),
        *(["unused GPU-hours"] if unused else []),
    )
    title = f"Quotes for all that is rented, {currency}"
    return SaidTable(title, heads, rows, id="quotes", forms=QUOTE_FORMS[: len(heads)])


def valid_words(quote: Quote, month: str) -> str:
    """Until when a quote is valid, or that it expires before a horizon begins."""
    return f"{'expired' if quote.is_expired(f'{month}-01') else 'until'} {quote.given.valid_until}"


def lacking_words(quote: Quote) -> str:
    """What the price of a quote does not include."""
    return ", ".join(quote.lacking) or "nothing"


def risks(planned: Planned, money: Money, currency: str) -> SaidTable:
    """What could make it dearer, the largest first."""
    rows = tuple(
        (CAUSES[risk.cause].format(risk.scenario), f"+{money(risk.usd)}") for risk in planned.risks[:MOST_RISKS]
    )
    return SaidTable(f"Largest risks, {currency}", ("if", "more"), rows, id="risks")


def entries(planned: Planned, money: Money, currency: str) -> SaidTable:
    """What is planned, the largest cost first: when, on what, whose, how sure."""
    jobs, cost, given = planned.jobs, planned.spend.borne.sum(axis=1), planned.portfolio.given.entries
    rows = tuple(
        (
            f"{jobs.named.scenarios[index]}, {jobs.named.variants[index]}",
            given[index].start,
            f"{jobs.gpus[index]:,.0f} x {jobs.named.accelerators[index]}",
            jobs.named.owners[index],
            whole_percent(jobs.probability[index]),
            money(float(cost[index])),
        )
        for index in np.argsort(-cost, kind="stable").tolist()
    )
    heads = ("scenario, variant", "from", "GPUs", "owner", "probable", "cost")
    return SaidTable(f"What is planned, {currency}", heads, rows, id="entries")
