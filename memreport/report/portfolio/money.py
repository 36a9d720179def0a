"""Amounts of a portfolio as people read them."""

from __future__ import annotations

from memreport.frozen import frozen


@frozen
class Currency:
    """Amounts in USD as people read them in the portfolio's currency, without cents."""

    name: str
    usd: float

    def text(self, usd: float) -> str:
        """`12,300 EUR`."""
        return f"{self.bare(usd)} {self.name}"

    def bare(self, usd: float) -> str:
        """`12,300`, for a table whose head states the currency; with a true minus sign."""
        text = f"{usd / self.usd:,.0f}"
        return "0" if text == "-0" else text.replace("-", "\N{MINUS SIGN}")

    def cents(self, usd: float) -> str:
        """`2.20 EUR`, for prices of an hour."""
        return f"{usd / self.usd:,.2f} {self.name}"
