"""Vendors' quotes side by side: what each comes to for the job of the variant that a report is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memreport.advise.asks import A_QUOTE
from memreport.advise.comparisons.quotes import QuoteComparison, QuotedCosts, runs_on, terms_of
from memreport.catalogue.quantities import brief
from memreport.catalogue.quotes.reading import Quote
from memreport.catalogue.terms.price_age import judged_on
from memreport.errors import plural
from memreport.report.records.money.quotes import QuotedAmounts, QuotedOffer, QuoteRank, QuoteRow, QuotesShown
from memreport.report.view import View, shown

TOTAL, SIGNED_QUOTE, MILLION = "quote_total_usd", "quote_signed_usd", "quote_million_tokens_usd"
SWITCHES = (
    "quoted_purchase", "quoted_runs_on", "quoted_lacks_hosts", "quoted_has_power", "quoted_has_support",
    "quoted_has_storage",
)  # fmt: skip
NO_HOSTS = "a price of GPUs alone, and no share for hosts is stated: not ranked with whole nodes"
NOT_ON = "no variant runs on it"
EXPIRED = "expired"
NOT_JUDGED = "whether quotes are still valid, which is not judged as no date is stated (price_terms.as_of)"
"""What is not known without a day at which the scenario judges its prices."""


def quotes_shown(view: View, found: QuoteComparison | None, chosen: int) -> QuotesShown | None:
    """The budget as a quote and every quote, the cheapest first; None where nothing is priced to compare them with."""
    if found is None or view.value("cost_total_usd", chosen) <= 0:
        return None
    rows = ranked([quote_row(view, chosen, *offer) for offer in found.offers])
    sentence = " ".join(_sentences(rows, view, chosen)) if rows else ""
    return QuotesShown(sentence, rows, found.budget.terms_at(chosen), found.budget.figures_at(chosen))


def variant_for(view: View, chosen: int, accelerator: str) -> int | None:
    """The variant that a quote is for: the chosen one on its own GPU, else the first that fits on the quote's."""
    cases = [case.settings["accelerator"] for case in view.variants]
    if cases[chosen] == accelerator:
        return chosen
    fitting = (index for index, name in enumerate(cases) if name == accelerator and view.value("fits", index))
    return next(fitting, None)


def quote_row(view: View, chosen: int, quote: Quote, costs: QuotedCosts) -> QuoteRow:
    """One quote for the job of the variant that it is for."""
    given, expired = quote.given, quote.is_expired(judged_on(view.scenario))
    unit = "a GPU" if quote.buys else "a GPU and hour"
    rate = "" if quote.exchange_rate == 1 else f"{quote.exchange_rate:g} USD per {given.currency} ({quote.rate_source})"
    price = f"{_whole(given.price)} {given.currency} {unit}"
    offer = QuotedOffer(price, _term(quote), given.valid_until, expired, quote.lacking, rate)
    terms = terms_of(quote, runs_on=runs_on(view.computed))
    row = QuoteRow(
        given.id, given.vendor, given.accelerator, "", offer, terms, {}, QuotedAmounts(), QuoteRank(why=NOT_ON)
    )
    index = variant_for(view, chosen, given.accelerator)
    return row if index is None else _priced(row, view, index, costs.figures_at(index))


def _whole(price: float) -> str:
    """A price as it is written in an offer, without cents that are none."""
    return f"{price:,.2f}".removesuffix(".00")


def _priced(row: QuoteRow, view: View, index: int, figures: Mapping[str, float]) -> QuoteRow:
    alone = row.terms["quoted_lacks_hosts"] > 0 and view.value("adder_share", index) <= 0
    why = NO_HOSTS if alone else EXPIRED if row.offer.is_expired else ""
    return replace(
        row,
        variant=view.variants[index].name,
        figures=figures,
        amounts=QuotedAmounts(
            total=brief(figures[TOTAL], "USD"),
            million=brief(figures[MILLION], "USD"),
            signed=brief(figures[SIGNED_QUOTE], "USD"),
            pays=pays_words(figures, view.value("accelerator_hours", index)),
        ),
        standing=QuoteRank(why=why),
    )


def pays_words(figures: Mapping[str, float], budgeted_hours: float) -> str:
    """From which share of the billed hours a quote costs less than the budget's own price of its GPU-hours."""
    share = figures["quote_break_even_share"]
    billed = figures["quote_accelerators"] * figures["quote_hours"]
    if share > 1:
        return "never"
    committed = billed > budgeted_hours or figures[SIGNED_QUOTE] > figures[TOTAL]
    return f"from {shown(share, 'share')}" if committed else "at any use"


def _term(quote: Quote) -> str:
    given = quote.given
    least = f", at least {given.minimum_accelerators} GPUs" if given.minimum_accelerators else ""
    if quote.buys:
        return f"purchase{least}"
    months = f"{given.term_months:g} {plural('month', given.term_months)}"
    return f"{months if given.term_months else 'on demand'}{least}"


def ranked(rows: Sequence[QuoteRow]) -> tuple[QuoteRow, ...]:
    """Rented by their total, then bought likewise: a purchase is signed whole.  Those that cannot be compared last."""
    found: list[QuoteRow] = []
    for buys in (0.0, 1.0):
        same = (row for row in rows if not row.standing.why and row.terms["quoted_purchase"] == buys)
        cheapest_first = sorted(same, key=lambda quote: quote.figures[TOTAL])
        found += [
            replace(quote, standing=QuoteRank(number, len(cheapest_first) - 1))
            for number, quote in enumerate(cheapest_first, 1)
        ]
    return (*found, *(row for row in rows if row.standing.why))


def _sentences(rows: Sequence[QuoteRow], view: View, chosen: int) -> Iterator[str]:
    first = {row.terms["quoted_purchase"]: row for row in rows if row.standing.rank == 1}
    spoken_of = any(row.standing.why != NOT_ON for row in rows) or A_QUOTE.is_asked(view.scenario)
    if not first and spoken_of:
        yield f"No quote of {len(rows)} can be ranked."
    for buys, quote in first.items():
        yield _bought(quote) if buys else _rented(quote, view.value("cost_total_usd", chosen))
    late = [row.id for row in rows if row.offer.is_expired]
    if late:
        yield f"Expired: {', '.join(late)}."
    if unranked := [
        f"{row.id} ({row.standing.why})" for row in rows if row.standing.why and not row.offer.is_expired and spoken_of
    ]:
        yield f"Not ranked: {', '.join(unranked)}."
    if first and not judged_on(view.scenario):
        yield f"Not known: {NOT_JUDGED}."


def _rented(quote: QuoteRow, budgeted: float) -> str:
    than = against_budget(quote, budgeted)
    term = (
        f"; {quote.amounts.signed} for {quote.offer.term.partition(',')[0]}"
        if quote.amounts.signed != quote.amounts.total
        else ""
    )
    of = f", cheapest of {quote.standing.rivals + 1}," if quote.standing.rivals else ""
    return f"Quotes: {quote.vendor} ({quote.id}){of} rents at {quote.amounts.total}, {than}{term}{_without(quote)}."


def against_budget(quote: QuoteRow, budgeted: float) -> str:
    """What the job costs less or more by a quote than the budget."""
    off = budgeted - quote.figures[TOTAL]
    return f"{brief(abs(off), 'USD')} {'less' if off > 0 else 'more'} than budgeted" if round(off, 2) else "as budgeted"


def _bought(quote: QuoteRow) -> str:
    pays = f"pays {quote.amounts.pays} of hours beside this budget"
    return f"{quote.vendor} ({quote.id}) sells at {quote.amounts.signed}, {pays}{_without(quote)}."


def _without(quote: QuoteRow) -> str:
    return f", without {quote.offer.missing}" if quote.offer.lacking else ""
