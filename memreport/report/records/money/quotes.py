"""Records of vendors' quotes for a job: numbers by name, and the texts that people read."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.frozen import frozen


@frozen
class QuotedOffer:
    """A quote as its vendor states it."""

    price: str
    term: str
    valid_until: str
    is_expired: bool
    lacking: tuple[str, ...]
    rate: str

    @property
    def missing(self) -> str:
        """What the price does not contain, in words."""
        return ", ".join(self.lacking) or "nothing"

    @property
    def state(self) -> str:
        """Until when it is valid, or that it is not any more."""
        return f"expired {self.valid_until}" if self.is_expired else f"until {self.valid_until}"


@frozen
class QuotedAmounts:
    """What a quote comes to, as people read it; nothing of one for which no variant runs."""

    total: str = ""
    million: str = ""
    signed: str = ""
    pays: str = ""


@frozen
class QuoteRank:
    """How a quote stands beside the others: `rank` counts from 1, the cheapest; 0 where it cannot be, for the `why`."""

    rank: int = 0
    rivals: int = 0
    """Others that it is ranked with."""
    why: str = ""


@frozen
class QuoteRow:
    """A quote for the job of one variant.

    `terms` are its inputs and `figures` what follows, by name; both are empty where no variant runs on its GPU.
    """

    id: str
    vendor: str
    accelerator: str
    variant: str
    offer: QuotedOffer
    terms: Mapping[str, float]
    figures: Mapping[str, float]
    amounts: QuotedAmounts
    standing: QuoteRank


@frozen
class QuotesShown:
    """All quotes of a scenario, the cheapest first, and what they come to in one sentence; both empty without any.

    The budget itself in the terms of a quote, and what follows from them, stand beside.
    """

    sentence: str
    rows: tuple[QuoteRow, ...]
    budget_terms: Mapping[str, float]
    budget_figures: Mapping[str, float]
