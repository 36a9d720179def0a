"""What a portfolio spends by month: its jobs where they fall, the GPUs that are there anyway, each part apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.frozen import frozen
from memreport.portfolio.calendar import MONTHS, quarter_of
from memreport.portfolio.fields import IDLE, Capacity, OwnedCapacity, ReservedCapacity
from memreport.portfolio.jobs import PlannedJobs
from memreport.portfolio.load import TypeUse
from memreport.portfolio.read import Portfolio, span

CENT = 0.01
TOKENS_MORE = 0.1
"""By how much more tokens a risk is said: a round share, no estimate."""


@frozen
class CapacityCost:
    """What GPUs cost that are there anyway, USD by month; purchases are billed, their depreciation is borne."""

    depreciation: Numbers
    running: Numbers
    reserved: Numbers
    purchases: Numbers

    @property
    def effective(self) -> Numbers:
        """What the months bear: no purchase, but its depreciation."""
        return self.depreciation + self.running + self.reserved


@frozen
class Spend:
    """Everything that is spent, in USD; job costs are weighted with their probability.

    `hours`, `net` and `capacity_share` are tables of (entry, month): hours that it runs, what it costs beside GPUs that
    are there, and what it bears of those.
    """

    portfolio: Portfolio
    jobs: PlannedJobs
    uses: tuple[TypeUse, ...]
    capacity: Mapping[str, CapacityCost]
    hours: Numbers
    rent: Numbers
    capital: Numbers
    net: Numbers
    capacity_share: Numbers

    @cached_property
    def effective(self) -> Numbers:
        """USD by month as the months bear it."""
        whole: Numbers = self.net.sum(axis=0) + self._of_capacity("effective")
        return whole

    @cached_property
    def billed(self) -> Numbers:
        """USD by month as they are invoiced: a purchase in its month, no depreciation of what the portfolio owns."""
        return self.effective + self._of_capacity("purchases") - self._of_capacity("depreciation")

    @cached_property
    def parts(self) -> dict[str, Numbers]:
        """USD by month of each part; they add up to `effective`."""
        jobs, weighted = self.jobs, self.hours * self.jobs.probability[:, None]
        operating = (weighted * np.maximum(jobs.hourly.usd - jobs.hourly.rent - jobs.hourly.capital, 0.0)[:, None]).sum(
            axis=0
        )
        return {
            "rent": self.rent.sum(axis=0),
            "depreciation_of_jobs": self.capital.sum(axis=0),
            "other_costs_of_jobs": operating,
            "reserved": self._of_capacity("reserved"),
            "depreciation": self._of_capacity("depreciation"),
            "running": self._of_capacity("running"),
        }

    def _of_capacity(self, name: str) -> Numbers:
        found = (np.asarray(getattr(cost, name)) for cost in self.capacity.values())
        whole: Numbers = np.sum([np.zeros(self.portfolio.calendar.count), *found], axis=0, dtype=np.float64)
        return whole

    @cached_property
    def borne(self) -> Numbers:
        """USD by entry and month, with its part of the GPUs that are there."""
        return self.net + self.capacity_share

    def by(self, names: Sequence[str]) -> dict[str, Numbers]:
        """USD by month of every name, such as owners; what nobody uses is a row of its own."""
        found = {name: np.zeros(self.portfolio.calendar.count) for name in dict.fromkeys(names)}
        for name, row in zip(names, self.borne, strict=True):
            found[name] = found[name] + row
        idle = self.effective - self.borne.sum(axis=0)
        return found | ({IDLE: idle} if self.capacity else {})

    @cached_property
    def quarters(self) -> tuple[tuple[str, Numbers], ...]:
        """Each quarter with which months it holds."""
        of = [quarter_of(month) for month in self.portfolio.calendar.months]
        return tuple((name, np.array([key == name for key in of])) for name in self.portfolio.calendar.quarters)

    @cached_property
    def outside(self) -> float:
        """USD of runs that end after the horizon, which no month of it bears."""
        jobs = self.jobs
        whole = (jobs.stop - jobs.start) * jobs.hourly.usd * jobs.probability
        inside = (self.hours * (jobs.hourly.usd * jobs.probability)[:, None]).sum()
        return max(float(whole.sum() - inside), 0.0)


def spend_of(portfolio: Portfolio, jobs: PlannedJobs, uses: tuple[TypeUse, ...]) -> Spend:
    """All tables of what is spent."""
    edges = portfolio.calendar.edges
    begin, end = np.maximum(jobs.start[:, None], edges[:-1]), np.minimum(jobs.stop[:, None], edges[1:])
    hours = np.maximum(end - begin, 0.0)
    needed = hours * jobs.gpus[:, None]
    covered = _by_entry(hours, {index: row for use in uses for index, row in use.covered.items()})
    share = np.divide(covered, needed, out=np.zeros_like(needed), where=needed > 0)
    weighted = hours * jobs.probability[:, None]
    rent = weighted * (1 - share) * jobs.hourly.rent[:, None]
    net = weighted * (jobs.hourly.usd - jobs.hourly.rent)[:, None] + rent
    capacity = {use.accelerator: _capacity(portfolio, use.accelerator) for use in uses if use.there.any()}
    borne = _by_entry(hours, _borne([use for use in uses if use.accelerator in capacity], capacity))
    return Spend(portfolio, jobs, uses, capacity, hours, rent, weighted * jobs.hourly.capital[:, None], net, borne)


def _by_entry(shape: Numbers, rows: Mapping[int, Numbers]) -> Numbers:
    """A row an entry, of zeros where none is given."""
    found = np.zeros_like(shape)
    for index, row in rows.items():
        found[index] = row
    return found


def _borne(uses: Iterable[TypeUse], capacity: Mapping[str, CapacityCost]) -> dict[int, Numbers]:
    """What each entry bears of the GPUs that are there anyway, by the hours in which it uses them."""
    found: dict[int, Numbers] = {}
    for use in uses:
        cost = capacity[use.accelerator].effective
        rate = np.divide(cost, use.there, out=np.zeros_like(cost), where=use.there > 0)
        found |= {index: row * rate for index, row in use.covered.items()}
    return found


def _capacity(portfolio: Portfolio, name: str) -> CapacityCost:
    """What GPUs of one type cost that are there anyway."""
    owned = [row for row in portfolio.given.owned if row.accelerator == name]
    return capacity_cost(portfolio, owned, [row for row in portfolio.given.reserved if row.accelerator == name])


def capacity_cost(
    portfolio: Portfolio, owned: Sequence[OwnedCapacity], reserved: Sequence[ReservedCapacity]
) -> CapacityCost:
    """Depreciation, running and reserved hours by month of these rows; purchases in the month in which they begin."""
    depreciation, running, purchases, hourly = (np.zeros(portfolio.calendar.count) for _ in range(4))
    for row in owned:
        there = _months_there(portfolio, row)
        price = portfolio.usd(row.purchase) * row.count
        depreciation += there * price / (row.life_years * MONTHS)
        running += there * portfolio.usd(row.running) * row.count
        purchases[int(np.argmax(there))] += price if row.first else 0.0
    for offer in reserved:
        widths = np.diff(portfolio.calendar.edges)
        hourly += _months_there(portfolio, offer) * widths * portfolio.usd(offer.price) * offer.count
    return CapacityCost(depreciation, running, hourly, purchases)


def _months_there(portfolio: Portfolio, row: Capacity) -> Numbers:
    start, stop = span(portfolio, row)
    edges = portfolio.calendar.edges
    return np.asarray((edges[:-1] >= start) & (edges[:-1] < stop), dtype=np.float64)


@frozen
class SpendRange:
    """The low and high end of the spend, and how far each kind of cause moves it.

    Prices move together (one cause for all jobs), so their parts add up; the error of a time is a scenario's own, so
    these add up as the root of the sum of squares.
    """

    low: float
    high: float
    common: tuple[float, float]
    independent: tuple[float, float]


def range_of(spend: Spend) -> SpendRange:
    """The range of the whole spend of the horizon."""
    jobs, cost = spend.jobs, spend.net.sum(axis=1)
    common = tuple(float((cost * (factor - 1)).sum()) for factor in (jobs.ranges.price_low, jobs.ranges.price_high))
    own = tuple(
        _root(jobs.named.scenarios, cost * (factor - 1)) for factor in (jobs.ranges.time_low, jobs.ranges.time_high)
    )
    total = float(spend.effective.sum())
    return SpendRange(total + common[0] - own[0], total + common[1] + own[1], (common[0], common[1]), (-own[0], own[1]))


def _root(names: Iterable[str], parts: Numbers) -> float:
    """Parts of the same scenario share its error; scenarios do not."""
    together: dict[str, float] = {}
    for name, part in zip(names, parts.tolist(), strict=True):
        together[name] = together.get(name, 0.0) + part
    return float(np.sqrt(sum(part * part for part in together.values())))


@frozen
class SpendRisk:
    """What could make the portfolio dearer, and by how many USD."""

    cause: str
    scenario: str
    usd: float


def every_risk(spend: Spend) -> dict[tuple[str, str], float]:
    """USD by cause and name: prices of a type of GPU, the time (utilisation) of a scenario, a tenth more tokens."""
    jobs, cost, found = spend.jobs, spend.net.sum(axis=1), dict[tuple[str, str], float]()
    for index, name in enumerate(jobs.named.scenarios):
        for key, usd in (
            (("prices", jobs.named.accelerators[index]), cost[index] * (jobs.ranges.price_high[index] - 1)),
            (("time", name), cost[index] * (jobs.ranges.time_high[index] - 1)),
            (("tokens", name), cost[index] * TOKENS_MORE * jobs.named.trains[index]),
        ):
            found[key] = found.get(key, 0.0) + float(usd)
    return found


def risks_of(spend: Spend) -> tuple[SpendRisk, ...]:
    """What could make it dearer, the largest first."""
    risks = (SpendRisk(cause, name, usd) for (cause, name), usd in every_risk(spend).items() if usd >= CENT)
    return tuple(sorted(risks, key=lambda risk: -risk.usd))


@frozen
class BudgetUse:
    """An owner's quarter against its budget, in USD; `without` names entries without which it is not over."""

    owner: str
    quarter: str
    budget: float
    spend: float
    without: tuple[str, ...]

    @property
    def over(self) -> float:
        """By how much it is over; negative is room."""
        return self.spend - self.budget


def budgets_of(spend: Spend) -> tuple[BudgetUse, ...]:
    """Every budget, the farthest over first."""
    made = [_budget(spend, row.owner, row.quarter, row.amount) for row in spend.portfolio.given.budgets]
    return tuple(sorted(made, key=lambda use: -use.over))


def _budget(spend: Spend, owner: str, quarter: str, amount: float | str) -> BudgetUse:
    months = dict(spend.quarters)[quarter]
    cost = spend.borne[:, months].sum(axis=1)
    own = [position for position, name in enumerate(spend.jobs.named.owners) if name == owner]
    total, budget = float(cost[own].sum()), spend.portfolio.usd(amount)
    left, without = total - budget, list[str]()
    for index in sorted(own, key=lambda each: (-spend.jobs.priority[each], -cost[each])):
        if left > 0 and cost[index] > 0:
            without.append(f"{spend.jobs.named.scenarios[index]} ({spend.portfolio.given.entries[index].start})")
            left -= float(cost[index])
    return BudgetUse(owner, quarter, budget, total, tuple(without))
