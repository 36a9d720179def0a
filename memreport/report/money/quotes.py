"""Vendors' quotes side by side: what each comes to for the job of the variant that a report is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memreport.advise.comparisons.quotes import QuoteComparison, QuotedCosts, runs_on, terms_of
from memreport.catalogue.price_age import judged_on
from memreport.catalogue.quantities import brief
from memreport.catalogue.quotes.reading import Quote
from memreport.report.records.quotes import QuoteRow, QuotesShown
from memreport.report.view import View, shown

TOTAL, SIGNED_QUOTE, MILLION = "quote_total_usd", "quote_signed_usd", "quote_million_tokens_usd"
SWITCHES = (
    "quoted_purchase", "quoted_runs_on", "quoted_lacks_hosts", "quoted_has_power", "quoted_has_support",
    "quoted_has_storage",
)  # fmt: skip
NO_HOSTS = "a price of GPUs alone, and no share for hosts is stated: not ranked with whole nodes"
NOT_ON = "no variant runs on it"
EXPIRED = "expired"


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
    fitting = (at for at, name in enumerate(cases) if name == accelerator and view.value("fits", at))
    return next(fitting, None)


def quote_row(view: View, chosen: int, quote: Quote, costs: QuotedCosts) -> QuoteRow:
    """One quote for the job of the variant that it is for."""
    given, expired = quote.given, quote.is_expired(judged_on(view.scenario))
    unit = "a GPU" if quote.buys else "a GPU and hour"
    rate = "" if quote.exchange_rate == 1 else f"{quote.exchange_rate:g} USD per {given.currency} ({quote.rate_source})"
    row = QuoteRow(
        given.id, given.vendor, given.accelerator, "", f"{_whole(given.price)} {given.currency} {unit}",
        _term(quote), given.valid_until, expired, quote.lacking, rate,
        terms_of(quote, runs_on=runs_on(view.computed)), {},
        why=NOT_ON,
    )  # fmt: skip
    at = variant_for(view, chosen, given.accelerator)
    return row if at is None else _priced(row, view, at, costs.figures_at(at))


def _whole(price: float) -> str:
    """A price as it is written in an offer, without cents that are none."""
    return f"{price:,.2f}".removesuffix(".00")


def _priced(row: QuoteRow, view: View, at: int, figures: Mapping[str, float]) -> QuoteRow:
    alone = row.terms["quoted_lacks_hosts"] > 0 and view.value("adder_share", at) <= 0
    why = NO_HOSTS if alone else EXPIRED if row.is_expired else ""
    return replace(
        row,
        variant=view.variants[at].name,
        figures=figures,
        total=brief(figures[TOTAL], "USD"),
        million=brief(figures[MILLION], "USD"),
        signed=brief(figures[SIGNED_QUOTE], "USD"),
        pays=pays_words(figures, view.value("accelerator_hours", at)),
        why=why,
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
    months = f"{given.term_months:g} month{'' if given.term_months == 1 else 's'}"
    return f"{months if given.term_months else 'on demand'}{least}"


def ranked(rows: Sequence[QuoteRow]) -> tuple[QuoteRow, ...]:
    """Rented by their total, then bought likewise: a purchase is signed whole.  Those that cannot be compared last."""
    found: list[QuoteRow] = []
    for buys in (0.0, 1.0):
        same = (one for one in rows if not one.why and one.terms["quoted_purchase"] == buys)
        cheapest_first = sorted(same, key=lambda one: one.figures[TOTAL])
        found += [replace(one, rank=at, rivals=len(cheapest_first) - 1) for at, one in enumerate(cheapest_first, 1)]
    return (*found, *(one for one in rows if one.why))


def _sentences(rows: Sequence[QuoteRow], view: View, chosen: int) -> Iterator[str]:
    first = {one.terms["quoted_purchase"]: one for one in rows if one.rank == 1}
    if not first and any(one.why != NOT_ON for one in rows):
        yield f"No quote of {len(rows)} can be ranked."
    for buys, one in first.items():
        yield _bought(one) if buys else _rented(one, view.value("cost_total_usd", chosen))
    late = [one.id for one in rows if one.is_expired]
    if late:
        yield f"Expired: {', '.join(late)}."


def _rented(one: QuoteRow, budgeted: float) -> str:
    off = budgeted - one.figures[TOTAL]
    than = f"{brief(abs(off), 'USD')} {'less' if off > 0 else 'more'} than budgeted" if round(off, 2) else "as budgeted"
    term = f"; {one.signed} for {one.term.partition(',')[0]}" if one.signed != one.total else ""
    return f"Quotes: {one.vendor} ({one.id}) rents at {one.total}, {than}{term}{_without(one)}."


def _bought(one: QuoteRow) -> str:
    return f"{one.vendor} ({one.id}) sells at {one.signed}, pays {one.pays} of hours{_without(one)}."


def _without(one: QuoteRow) -> str:
    return f", without {one.missing}" if one.lacking else ""
