"""A quote file: what a vendor offers.  Amounts are in the quote's own currency; the rate that turns them is stated."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from memreport.catalogue.fields.blocks import StrictBlock, in_unit, real_day
from memreport.catalogue.scenario import Identifier, Line, Name

LONGEST_TERM = 240
"""Months: twenty years."""
MOST_GB = 1e12


Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(real_day)]
DayOrMonth = Annotated[str, Field(pattern=r"^\d{4}-\d{2}(-\d{2})?$"), AfterValidator(real_day)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Probability = Annotated[float, in_unit("share"), Field(gt=0, le=1)]
QuotedPart = Literal["network", "storage", "support", "egress", "power", "hosts"]
"""What may be in a price besides the GPU itself; rented GPUs come with power and hosts."""
Amount = Annotated[float, Field(ge=0, le=1e12)]


class ExchangeRate(StrictBlock):
    """What one unit of a currency is in USD, on which day, by whom."""

    currency: Currency = Field(description="such as EUR")
    usd: float = Field(gt=0, description="USD for one unit of it")
    date: DayOrMonth = Field(description="the day of the rate")
    source: Line = Field(min_length=1, description="who says so")


class QuoteExtras(StrictBlock):
    """What is billed beside the price, for a GPU and month."""

    network: Amount = Field(default=0, description="network, for a GPU and month")
    storage: Amount = Field(default=0, description="storage, for a GPU and month")
    support: Amount = Field(default=0, description="support, for a GPU and month")

    @property
    def whole(self) -> float:
        """All of it."""
        return self.network + self.storage + self.support


class QuoteFile(StrictBlock):
    """A vendor's offer for one type of GPU."""

    schema_: Literal[1] = Field(alias="schema", description="version of this file format")
    id: Identifier = Field(description="its name: that of the file")
    vendor: Name = Field(description="who offers it")
    accelerator: Name = Field(description="as in memreport list accelerators")
    basis: Literal["rent", "buy"] = Field(description="whether the price is of a GPU for an hour, or of a GPU")
    price: float = Field(gt=0, le=1e12, description="of one GPU for an hour, or of one GPU; discounts taken off")
    currency: Currency = Field(default="USD", description="of every amount in this file")
    rate: ExchangeRate | None = Field(default=None, description="of the currency, unless the price book states it")
    term_months: float = Field(
        default=0, ge=0, le=LONGEST_TERM, description="months that are billed whether used or not; 0 on demand"
    )
    minimum_accelerators: int = Field(default=0, ge=0, le=10_000_000, description="GPUs billed, used or not")
    included: list[QuotedPart] = Field(default_factory=list, description="what the price contains besides the GPU")
    extras: QuoteExtras = Field(default_factory=QuoteExtras, description="what is billed beside, for a GPU and month")
    egress: Amount = Field(default=0, description="of a GB that leaves")
    egress_gb: float = Field(default=0, ge=0, le=MOST_GB, description="GB that leave during the job")
    quoted: Day = Field(description="the day of the quote")
    valid_until: Day = Field(description="its last day")
    source: Line = Field(min_length=1, description="where it can be read again, such as offer 2026-118")
