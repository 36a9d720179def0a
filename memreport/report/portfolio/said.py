"""A planned portfolio in words: what it costs, what is short, what is over budget, what to commit to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.portfolio.commitment import Commitment
from memreport.portfolio.load import TypeUse
from memreport.portfolio.plan import Planned
from memreport.portfolio.quotes import QuotedPortfolio, unused_of_entries
from memreport.portfolio.spend import CENT, BudgetUse, SpendRange
from memreport.report.portfolio import tables
from memreport.report.portfolio.charts import cost_curve, load_bars, spend_bars
from memreport.report.portfolio.decisions import decisions_of, keys_of
from memreport.report.portfolio.money import Currency
from memreport.report.records.portfolio import PortfolioReport, PortfolioSentences, SaidTable
from memreport.report.shares import whole_percent
from memreport.report.view import shown

LOW_WORDS = (
    "Borne is what a month uses, with the depreciation of what is owned; billed is what is invoiced in it.",
    "Uncertain entries count with their probability; a price moves all of them, the error of a time only its own.",
)


def portfolio_report(planned: Planned) -> PortfolioReport:
    """Everything that is said; the first sentence is the answer."""
    given = planned.portfolio.given
    money = Currency(given.currency, planned.portfolio.rates[given.currency])
    return PortfolioReport(
        given.title,
        PortfolioSentences(
            tuple(_sentences(planned, money)),
            tuple(_unfit(planned)),
            tuple(_over(budget, money) for budget in planned.budgets if budget.over > 0),
            tuple(_commit(commitment, money) for commitment in planned.commitments),
            tuple(decisions_of(planned, money)),
            tuple(_rests_on(planned)),
        ),
        tuple(_tables(planned, money)),
        given.id,
        keys=tuple(keys_of(planned, money)),
        spend=spend_bars(planned, money),
        loads=tuple(load_bars(planned)),
        curves=tuple(cost_curve(commitment, money) for commitment in planned.commitments if len(commitment.costs) > 1),
        date=max((rate.date for rate in given.rates), default=f"{given.horizon.start}-01"),
    )


def _rests_on(planned: Planned) -> Iterator[str]:
    """Rates of exchange, and how the plan counts."""
    for rate in planned.portfolio.given.rates:
        yield f"1 {rate.currency} is {rate.usd:g} USD: {rate.source}, {rate.date}."
    low, high = LOW_WORDS
    yield f"{low} {high}"


def _sentences(planned: Planned, money: Currency) -> Iterator[str]:
    spend, found = planned.spend, planned.range
    months = planned.portfolio.calendar.months
    yield (
        f"{months[0]} to {months[-1]} costs {money.text(float(spend.effective.sum()))}"
        f"{_ends(found, money)}; {money.text(float(spend.billed.sum()))} is billed."
    )
    over = [budget for budget in planned.budgets if budget.over > 0]
    yield from (_over(use, money) for use in over)
    if planned.budgets and not over:
        yield "Every budget is kept."
    yield from _without_budget(planned, money)
    yield from (line for use in planned.uses for line in _use(use, months))
    yield from (_commit(commitment, money) for commitment in planned.commitments)
    yield from (_quoted(quote, money) for quote in planned.quotes if quote.more < 0 and not quote.is_expired)
    for name, hours in unused_of_entries(spend).items():
        if hours >= 1:
            yield f"{name} bills {hours:,.0f} GPU-hours that no entry works in: they are in the cost of its entries."
    yield from _causes(found, money)
    yield from _warnings(planned, money)


def _ends(found: SpendRange, money: Currency) -> str:
    """Both ends of the spend in brackets, where they differ."""
    low, high = money.bare(found.low), money.bare(found.high)
    return f" ({low} to {high})" if low != high else ""


def _causes(found: SpendRange, money: Currency) -> Iterator[str]:
    """How far each kind of cause moves the range; one that moves nothing is not spoken of."""
    causes = {
        "prices (one cause for all)": found.common,
        "times (each scenario's own, added as root of squares)": found.independent,
    }
    moved = [f"{name} move {money.bare(low)} to +{money.bare(high)}"
             for name, (low, high) in causes.items() if high - low >= CENT]  # fmt: skip
    if moved:
        yield f"Of the range, {', '.join(moved)}."


def _over(use: BudgetUse, money: Currency) -> str:
    without = f"; without {', '.join(use.without)} it is not" if use.without else ""
    return f"{use.owner} is over its budget of {use.quarter} by {money.text(use.over)}{without}."


def _without_budget(planned: Planned, money: Currency) -> Iterator[str]:
    """What owners spend who have no budget, where others have one."""
    spend, budgeted = planned.spend, {budget.owner for budget in planned.budgets}
    owners = np.array(spend.jobs.named.owners)
    for owner in dict.fromkeys(spend.jobs.named.owners) if budgeted else ():
        if owner not in budgeted:
            yield f"{owner or 'No owner'} has no budget: {money.text(float(spend.borne[owners == owner].sum()))}."


def _use(use: TypeUse, months: Sequence[str]) -> Iterator[str]:
    """What is short and when, and what is idle, of GPUs that are owned or reserved."""
    if not use.there.any():
        return
    if use.short.any():
        when = [month for month, hours in zip(months, use.short, strict=True) if hours > 0]
        span = when[0] if len(when) == 1 else f"{when[0]} to {when[-1]}"
        yield (
            f"{use.accelerator}: GPUs are short in {span}, up to {use.peak_short.max():,.0f} at once "
            f"({use.short.sum():,.0f} GPU-hours, rented)."
        )
    yield f"{use.accelerator}: {_percent(use.idle, use.there)} of the GPU-hours that are there are idle."


def _percent(part: Numbers, whole: Numbers) -> str:
    return whole_percent(float(part.sum()) / float(whole.sum()))


def _commit(commitment: Commitment, money: Currency) -> str:
    """The answer on an offer, with the last GPU that pays and the first that does not."""
    even = f"break-even is {_share(commitment.break_even)}"
    if not commitment.best:
        first = (
            f"the first one works {_share(float(commitment.shares[0]))} of the hours, "
            if len(commitment.shares)
            else ""
        )
        return f"Commit to no {commitment.accelerator} at {money.cents(commitment.committed)} an hour: {first}{even}."
    last = f"GPU {commitment.best} works {_share(float(commitment.shares[commitment.best - 1]))} of the hours"
    if commitment.best < len(commitment.shares):
        last += f", GPU {commitment.best + 1} {_share(float(commitment.shares[commitment.best]))}"
    return (
        f"Commit to {commitment.best} {commitment.accelerator} for {commitment.months} months "
        f"at {money.cents(commitment.committed)} an hour: "
        f"{last}; {even}. That saves {_share(commitment.savings)} of {money.text(float(commitment.costs[0]))}, which "
        f"what is neither owned nor reserved costs rented at {money.cents(commitment.on_demand)} an hour."
    )


def _quoted(quoted: QuotedPortfolio, money: Currency) -> str:
    """What a quote spares that costs less than what is planned."""
    given, lacking = quoted.quote.given, ", ".join(quoted.quote.lacking)
    without = f", without {lacking}" if lacking else ""
    return (
        f"Rented at {given.vendor} ({given.id}), {given.accelerator} costs {money.cents(quoted.hourly)} an hour "
        f"instead of {money.cents(quoted.planned)}: {money.text(-quoted.more)} less{_unused(quoted)}{without}."
    )


def _unused(quoted: QuotedPortfolio) -> str:
    """What of a term and a minimum nobody works in, though it is billed."""
    return f", with {quoted.unused:,.0f} GPU-hours billed and not used" if quoted.unused >= 1 else ""


def _share(value: float) -> str:
    return shown(value, "share")


def _unfit(planned: Planned) -> Iterator[str]:
    """Scenarios that are planned although their variant does not fit its GPUs."""
    jobs = planned.jobs
    lacking = dict.fromkeys(name for name, fits in zip(jobs.named.scenarios, jobs.named.fits, strict=True) if not fits)
    if lacking:
        yield f"Does not fit as submitted, yet is planned: {', '.join(lacking)}; memreport plan says what makes it fit."


def _warnings(planned: Planned, money: Currency) -> Iterator[str]:
    jobs = planned.jobs
    yield from _unfit(planned)
    if planned.spend.outside >= 1:
        yield f"{money.text(planned.spend.outside)} of runs, counted as rented, fall after the horizon."
    if said := tables.hours_words(planned):
        yield said
    if np.any(jobs.probability < 1):
        yield "Costs of uncertain entries are weighted with their probability; loads of GPUs count them whole."


def _tables(planned: Planned, money: Currency) -> Iterator[SaidTable]:
    yield tables.by_quarter(planned, money.bare, money.name)
    yield tables.by_month(planned, money.bare, money.name)
    jobs = planned.jobs
    yield tables.by_name(planned, "Owner", jobs.named.owners, money.bare, money.name)
    if any(jobs.named.cost_centres):
        yield tables.by_name(planned, "Cost centre", jobs.named.cost_centres, money.bare, money.name)
    yield from tables.gpu_hours(planned)
    if planned.budgets:
        yield tables.budgets(planned, money.bare, money.name)
    yield from tables.commitments(planned, money.bare, money.name)
    if planned.quotes:
        yield tables.quotes(planned, money.bare, money.name, money.cents)
    if planned.risks:
        yield tables.risks(planned, money.bare, money.name)
    yield tables.entries(planned, money.bare, money.name)
