"""A portfolio file: what a user writes.  Amounts of money are numbers in USD, or text with a currency."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from memreport.catalogue.fields.blocks import StrictBlock, real_day
from memreport.catalogue.quotes.fields import Currency, DayOrMonth, ExchangeRate, Probability
from memreport.catalogue.scenario import Identifier, Line, Name

IDLE = "idle GPUs"
"""Who bears what nobody uses."""
LONGEST = 120
"""Months that a horizon may have."""


Month = Annotated[str, Field(pattern=r"^\d{4}-\d{2}$"), AfterValidator(real_day)]
Quarter = Annotated[str, Field(pattern=r"^\d{4}-Q[1-4]$")]
Money = float | str
"""An amount in USD, or text such as `100000 EUR`."""


class Horizon(StrictBlock):
    """Which months are planned."""

    start: Month = Field(description="its first month, such as 2027-01")
    months: int = Field(ge=1, le=LONGEST, description="how many")


class Capacity(StrictBlock):
    """GPUs that are there whether they are used or not."""

    accelerator: Name = Field(description="as in memreport list accelerators")
    count: int = Field(ge=1, description="how many")
    first: Month | None = Field(default=None, description="the first month; that of the horizon unless given")
    last: Month | None = Field(default=None, description="the last month; that of the horizon unless given")


class OwnedCapacity(Capacity):
    """GPUs that are owned: bought once and depreciated, with what running them costs."""

    purchase: Money = Field(default=0, description="price of one GPU with its share of the node, paid in `first`")
    life_years: float = Field(default=5, gt=0, le=20, description="years over which the purchase is depreciated")
    running: Money = Field(default=0, description="power, colocation, network and staff of one GPU a month")


class ReservedCapacity(Capacity):
    """GPUs that are reserved: every hour is billed."""

    price: Money = Field(description="price of one GPU for an hour")


class OwnerBudget(StrictBlock):
    """What an owner may spend in a quarter."""

    owner: Name = Field(description="whose budget")
    quarter: Quarter = Field(description="such as 2027-Q1")
    amount: Money = Field(description="the budget")


class CommitmentOffer(StrictBlock):
    """An offer of reserved GPUs that is judged against the load."""

    accelerator: Name = Field(description="as in memreport list accelerators")
    committed: Money = Field(description="price of a committed GPU for an hour, used or not")
    on_demand: Money = Field(description="price of a GPU for an hour on demand")
    term_months: int = Field(default=12, ge=1, le=LONGEST, description="months, from the beginning of the horizon")


class PlannedEntry(StrictBlock):
    """A scenario that is planned: how often, when, by whom."""

    scenario: Annotated[str, Field(min_length=1, max_length=400)] = Field(description="its file, from this file")
    variant: Name = Field(default="recommended", description="a variant, or recommended: the one its budget is about")
    times: int = Field(default=1, ge=1, le=10_000, description="runs one after another; services side by side")
    start: DayOrMonth = Field(description="when it begins, such as 2027-02 or 2027-02-15")
    months: int | None = Field(default=None, ge=1, le=LONGEST, description="of a service; to the end unless given")
    owner: Line = Field(default="", description="who pays; the scenario's owner unless given")
    cost_centre: Line = Field(default="", description="where it is booked")
    priority: int = Field(default=1, ge=1, le=1000, description="1 gets owned GPUs first")
    quote: Name = Field(default="", description="rented at this quote's price: its id in the folder quotes")
    probability: Probability = Field(default=1.0, description="how likely it is to happen")


class PortfolioFile(StrictBlock):
    """A whole portfolio."""

    schema_: Literal[1] = Field(alias="schema", description="version of this file format")
    id: Identifier = Field(description="name of what is published")
    title: Annotated[str, Field(min_length=1, max_length=160)] = Field(description="heading")
    horizon: Horizon
    currency: Currency = Field(default="USD", description="in which amounts are shown")
    rates: list[ExchangeRate] = Field(default_factory=list, description="of every other currency than USD")
    owned: list[OwnedCapacity] = Field(default_factory=list, description="GPUs that are owned")
    reserved: list[ReservedCapacity] = Field(default_factory=list, description="GPUs that are reserved")
    budgets: list[OwnerBudget] = Field(default_factory=list, description="by owner and quarter")
    commitments: list[CommitmentOffer] = Field(default_factory=list, description="offers to judge")
    entries: list[PlannedEntry] = Field(min_length=1, description="what is planned")
