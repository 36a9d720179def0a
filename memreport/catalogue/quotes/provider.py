"""Whose prices a question in small letters names, and on which terms: `on Azure`, `spot H100`, `3-year reserved`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memreport.catalogue.question.numbers import Said, matched
from memreport.catalogue.question.switches import SPOT, spot_weighed
from memreport.catalogue.question.workload import COMPARED
from memreport.catalogue.records import Table
from memreport.catalogue.tables.prices import ANY_TIER, ON_DEMAND, TERMS
from memreport.frozen import frozen

ALSO = {
    "aws": r"amazon|ec2|sagemaker",
    "azure": r"microsoft azure",
    "gcp": r"google cloud|gce",
    "oci": r"oracle cloud",
    "lambda": r"lambda ?labs|lambda cloud",
    "together": r"together ?ai|together\.ai",
    "verda": r"data ?crunch",
    "digitalocean": r"digital ocean",
    "runpod": r"run ?pod",
    "tensordock": r"tensor ?dock",
    "tensorwave": r"tensor ?wave",
    "jarvis labs": r"jarvis ?labs",
}
"""What providers are called, too."""
WORDS = frozenset({"lambda", "together", "modal"})
"""Names that mean something else, too: they name a provider after `on` and the like, or before `cloud` and the like."""
AFTER = r"(?:\b(?:on|at|from|via|through|rent(?:ing|ed)?|in) (?:a |an |the )?)"
BEFORE = r"(?= (?:cloud|prices?|rates?|spot|on-?demand|reserved|instances?|gpus?|[abhl]\d{1,3}\b))"
OR = r"(?:,| or| and| vs\.?| versus| against|/) ?"
"""What stands between providers."""
YEARS = re.compile(r"\b(?:(1|one|a|3|three)[ -]?(?:years?|yrs?|y)|(12|twelve|36)[ -]?months?)\b")
RESERVED = re.compile(
    r"\breserved (?:instances?|gpus?|prices?|rates?|capacity|terms?|\d|[abhl]\d|and\b|or\b)"
    r"|\breserved for (?:\d+|an?|one|three|twelve) (?:years?|months?)\b"
    r"|\b(?:years?|yr|on|at|aws|azure|gcp)[ -]reserved\b|\breservation\b|\bcommit(?:ted|ment)\b|\bsavings plans?\b"
)
ANY_TIME = re.compile(r"\bon[- ]?demand\b|\bpay[- ]as[- ]you[- ]go\b")
ONE, THREE = ("1", "one", "a", "12", "twelve"), ("3", "three", "36")
SELLER = r"(?:cloud|provider|vendor|hoster)"
ANYWHERE = re.compile(
    rf"\b(?:cheapest|lowest|least expensive) (?:\w+ )?(?:{SELLER}s?|hosting|place|offer|rental|rent|price)\b"
    r"(?! for (?:the )?(?:electricity|power))"
    rf"|\b(?:cheapest|least expensive) (?:way|option) to (?:rent|hire)\b|\bany {SELLER}\b"
    rf"|\b(?:which|what) {SELLER} (?:is|has|rents?|offers?|sells?)\b[^?.]*\b(?:cheap|least|lowest)[a-z]*"
    r"|\bwhere (?:can|do|could|should) (?:i|we|you) (?:rent|hire|get)\b[^?.]*\bcheap[a-z]*"
)
"""The cheapest of all providers is asked for, not that of a large cloud."""
MOST_NAMED = 4
"""Prices that a message names."""


@frozen
class PriceAsked:
    """Whose prices are asked for, and on which terms, the likeliest first; nothing for any."""

    provider: str = ""
    terms: tuple[str, ...] = ()
    tier: str = ""
    """Whose prices where no provider is named: `any` for the cheapest of all."""
    known: tuple[str, ...] = ()
    """Prices of these GPUs that there are instead, where there is none as asked."""

    @property
    def settings(self) -> Mapping[str, str]:
        """As fields of `search:`."""
        provider = {"price_provider": self.provider} if self.provider else {}
        tier = {"price_tier": self.tier} if self.tier else {}
        return {**provider, **tier, **({"price_term": self.terms[0]} if self.terms else {})}

    @property
    def called(self) -> str:
        """What it is called beside others."""
        return " ".join(filter(None, (self.provider, *self.terms[:1])))


def prices_asked(question: str, table: Table, gpus: Iterable[str]) -> list[Said[PriceAsked]]:
    """What a question asks of the prices of some GPUs, of any where none is named: each provider on each of the terms.

    Of several terms that are meant at once the first that every GPU has a price on; without one, `known` says what
    there is.
    """
    named = frozenset(gpus)
    providers = [*_providers(question, table)] or [_any_of_all(question)]
    terms = [*_terms(question)] or [Said[tuple[str, ...]]((), "")]
    both = ((whose, term, " ".join(filter(None, (whose.words, term.words)))) for whose in providers for term in terms)
    return [
        whose.as_(replace(_asked(whose.value, term.value, table, named), tier=_tier(whose)), words).with_(term)
        for whose, term, words in both
        if words
    ]


def _any_of_all(question: str) -> Said[str]:
    """No provider by name: the words that ask for the cheapest of all, if any do."""
    said = ANYWHERE.search(question)
    return matched(said, "") if said else Said("", "")


def _tier(whose: Said[str]) -> str:
    """Whose prices are meant by words that name no provider."""
    return ANY_TIER if whose.words and not whose.value else ""


def _asked(provider: str, terms: tuple[str, ...], table: Table, gpus: frozenset[str]) -> PriceAsked:
    for term in terms or (ON_DEMAND,):
        having = {table.texts["accelerator"][row] for row in _rows(table, provider, term)}
        if gpus <= having and having:
            return PriceAsked(provider, (term,) if terms else ())
    return PriceAsked(provider, terms, known=tuple(_instead(table, provider, gpus)))


def _rows(table: Table, provider: str, term: str = "") -> Iterator[int]:
    """Rows of a provider and a term, where these are named."""
    for row in range(1, len(table.ids)):
        if provider in ("", table.texts["provider"][row]) and term in ("", table.texts["term"][row]):
            yield row


def _instead(table: Table, provider: str, gpus: frozenset[str]) -> Sequence[str]:
    """Prices of these GPUs: of the provider that is named, else of all."""
    of = [str(table.ids[row]) for row in _rows(table, provider) if table.texts["accelerator"][row] in gpus]
    return of or [str(table.ids[row]) for row in _rows(table, "") if table.texts["accelerator"][row] in gpus]


def _providers(question: str, table: Table) -> list[Said[str]]:
    """The providers of the price book that are named, in the order of the question."""
    names = dict.fromkeys(filter(None, table.texts["provider"]))
    found = ((provider, re.search(_pattern(provider.lower(), names), question)) for provider in names)
    return sorted((matched(said, said_of) for said_of, said in found if said), key=lambda each: each.places[0].start)


def _pattern(provider: str, names: Iterable[str]) -> str:
    """What names a provider: of words that mean something else, too, what stands beside them."""
    plain, also = re.escape(provider), ALSO.get(provider, "(?!)")
    certain = rf"(?<![\w-])(?:{also if plain in WORDS else f'{plain}|{also}'})(?![\w-])"
    if plain not in WORDS:
        return certain
    alone, others = rf"(?<![\w-]){plain}(?![\w-])", "|".join(re.escape(name.lower()) for name in names)
    return rf"{certain}|{AFTER}{alone}|{alone}{BEFORE}|{alone}(?={OR}(?:{others})\b)|\b(?:{others}){OR}{alone}"


def _terms(question: str) -> Iterator[Said[tuple[str, ...]]]:
    """The terms that are meant, each with its words; the usual one alone asks for nothing and has none."""
    if spot := SPOT.search(question):
        yield matched(spot, ("spot",))
    if reserved := RESERVED.search(question):
        yield from _reserved(question, reserved)
    if usual := ANY_TIME.search(question):
        yield Said((ON_DEMAND,), usual[0] if spot or reserved else "")
    elif spot and not reserved and spot_weighed(question):
        yield Said((ON_DEMAND,), ON_DEMAND)


def _reserved(question: str, said: re.Match[str]) -> Iterator[Said[tuple[str, ...]]]:
    """The term for so many years; of several that are weighed each; either where no year is named."""
    every = [term for term in TERMS if term.startswith("reserved")]
    years = [(term, each) for each in YEARS.finditer(question) for term in every if _is_of(term, each[1] or each[2])]
    if not years:
        yield matched(said, tuple(every))
    for term, each in dict(years[: None if COMPARED.search(question) else 1]).items():
        yield matched(each, (term,), f"{each[0]} {said[0]}")


def _is_of(term: str, number: str) -> bool:
    """Whether a reserved term is for so many years, or months."""
    return (term.endswith("1y") and number in ONE) or (term.endswith("3y") and number in THREE)
