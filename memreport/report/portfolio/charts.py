"""What a portfolio's drawings show: spend by month, GPUs in use against those that are there, cost of a commitment."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.catalogue.records import Numbers
from memreport.portfolio.commitment import Commitment
from memreport.portfolio.load import TypeUse
from memreport.portfolio.plan import Planned
from memreport.report.portfolio.money import Currency
from memreport.report.portfolio.tables import PARTS, SMALLEST
from memreport.report.records.portfolio import CountedCost, MonthBars, MonthPart

THOUSAND = 1000.0


def spend_bars(planned: Planned, money: Currency) -> MonthBars:
    """What each month bears, part by part, in the portfolio's currency."""
    spend, months = planned.spend, planned.portfolio.calendar.months
    parts = tuple(
        MonthPart(title, tuple(float(part) / money.usd / THOUSAND for part in spend.parts[name]))
        for name, title in PARTS.items()
        if spend.parts[name].max() >= SMALLEST
    )
    texts = tuple(_thousands(float(usd) / money.usd) for usd in spend.effective)
    most = int(spend.effective.argmax())
    said = f"{months[most]} is the most expensive month: {money.text(float(spend.effective[most]))}."
    return MonthBars("What each month bears", f"thousand {money.name}", months, parts, texts, said)


def _thousands(amount: float) -> str:
    """An amount over a bar: `12.3` thousand."""
    return f"{amount / THOUSAND:,.1f}" if amount < 100 * THOUSAND else f"{amount / THOUSAND:,.0f}"


def load_bars(planned: Planned) -> Iterator[MonthBars]:
    """Of each type, mean GPUs in use by month: on those that are there, which are the line, and rented."""
    widths = _month_hours(planned)
    for use in planned.uses:
        on_own, rented, there = ((use.used - use.short) / widths, use.short / widths, use.there / widths)
        parts = (MonthPart("on GPUs that are there", _plain(on_own)), MonthPart("rented", _plain(rented)))
        shown = tuple(part for part in parts if max(part.values, default=0) > 0)
        texts = tuple(f"{value:,.1f}" for value in (use.used / widths).tolist())
        limit = MonthPart("owned or reserved", _plain(there)) if use.there.any() else None
        yield MonthBars(use.accelerator, "GPUs in use, mean of the month", planned.portfolio.calendar.months, shown,
                        texts, _load_words(use), limit)  # fmt: skip


def _load_words(use: TypeUse) -> str:
    used, short, idle = (float(part.sum()) for part in (use.used, use.short, use.idle))
    if not use.there.any():
        return f"{used:,.0f} GPU-hours, all rented; at most {use.peak_short.max():,.0f} at once."
    most = f", at most {use.peak_short.max():,.0f} at once" if short else ""
    return f"{used:,.0f} GPU-hours; {short:,.0f} of them rented{most}; {idle:,.0f} that are there are idle."


def _month_hours(planned: Planned) -> Numbers:
    edges = planned.portfolio.calendar.edges
    return edges[1:] - edges[:-1]


def _plain(values: Numbers) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def cost_curve(commitment: Commitment, money: Currency) -> CountedCost:
    """What the load costs by how many GPUs are committed to."""
    costs = tuple(float(cost) / money.usd / THOUSAND for cost in commitment.costs)
    text = f"{commitment.best} GPUs: {money.text(float(commitment.costs[commitment.best]))}"
    said = f"None committed: {money.text(float(commitment.costs[0]))}; {text}."
    title = f"Cost of {commitment.months} months of {commitment.accelerator}"
    return CountedCost(title, f"thousand {money.name}", costs, commitment.best, text, said)
