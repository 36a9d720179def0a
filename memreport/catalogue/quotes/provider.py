"""Whose prices a question in small letters names, and on which terms: `on Azure`, `spot H100`, `3-year reserved`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from memreport.catalogue.question.numbers import COUNTED
from memreport.catalogue.records import Table
from memreport.catalogue.tables.prices import ON_DEMAND, TERMS
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
YEARS = rf"(1|3|12|36|{'|'.join(COUNTED)})[ -]?(y|year|yr|month)s?\b"
RESERVED = re.compile(
    r"\breserved (?:instances?|gpus?|prices?|rates?|capacity|terms?|\d|[abhl]\d|and\b|or\b)"
    r"|\breserved for (?:\d+|an?|one|three|twelve) (?:years?|months?)\b"
    r"|\b(?:years?|yr|on|at|aws|azure|gcp)[ -]reserved\b|\breservation\b|\bcommit(?:ted|ment)\b|\bsavings plans?\b"
)
SPOT = re.compile(r"(?<!sweet )\bspot\b(?! on\b)|\bpreemptible\b|\binterruptible\b")
ANY_TIME = re.compile(r"\bon[- ]?demand\b|\bpay[- ]as[- ]you[- ]go\b")
ONE, THREE = frozenset({"1", "one", "a", "12", "twelve"}), frozenset({"3", "three", "36"})
MOST_NAMED = 4
"""Prices that a message names."""


@frozen
class PriceAsked:
    """Whose prices are asked for, and on which terms, the likeliest first; nothing for any."""

    provider: str = ""
    terms: tuple[str, ...] = ()
    words: str = ""
    known: tuple[str, ...] = field(default=())
    """Prices of these GPUs that there are instead, where there is none as asked."""

    @property
    def settings(self) -> Mapping[str, str]:
        """As fields of `search:`."""
        provider = {"price_provider": self.provider} if self.provider else {}
        return {**provider, **({"price_term": self.terms[0]} if self.terms else {})}


def price_asked(question: str, table: Table, gpus: Iterable[str]) -> PriceAsked | None:
    """What a question asks of the prices of some GPUs, of any where none is named; None where it asks nothing.

    Of several terms that are meant the first that every GPU has a price on; without one, `known` says what there is.
    """
    provider, named = _provider(question, table)
    terms, term_words = _terms(question)
    words = " ".join(filter(None, (named, term_words)))
    if not words:
        return None
    named_gpus = frozenset(gpus)
    for term in terms or (ON_DEMAND,):
        having = {table.texts["accelerator"][row] for row in _rows(table, provider, term)}
        if named_gpus <= having and having:
            return PriceAsked(provider, (term,) if terms else (), words)
    return PriceAsked(provider, terms, words, tuple(_instead(table, provider, named_gpus)))


def _rows(table: Table, provider: str, term: str = "") -> Iterator[int]:
    """Rows of a provider and a term, where these are named."""
    for row in range(1, len(table.ids)):
        if provider in ("", table.texts["provider"][row]) and term in ("", table.texts["term"][row]):
            yield row


def _instead(table: Table, provider: str, gpus: frozenset[str]) -> Sequence[str]:
    """Prices of these GPUs: of the provider that is named, else of all."""
    of = [str(table.ids[row]) for row in _rows(table, provider) if table.texts["accelerator"][row] in gpus]
    return of or [str(table.ids[row]) for row in _rows(table, "") if table.texts["accelerator"][row] in gpus]


def _provider(question: str, table: Table) -> tuple[str, str]:
    """The first provider of the price book that is named, with the words; nothing where none is."""
    for provider in dict.fromkeys(filter(None, table.texts["provider"])):
        plain = re.escape(provider.lower())
        also = ALSO.get(provider.lower(), "(?!)")
        certain = also if plain in WORDS else rf"{plain}|{also}"
        if said := re.search(rf"(?<![\w-])(?:{certain})(?![\w-])", question):
            return provider, said[0]
        alone = rf"(?<![\w-]){plain}(?![\w-])"
        if plain in WORDS and re.search(rf"{AFTER}{alone}|{alone}{BEFORE}", question):
            return provider, plain
    return "", ""


def _terms(question: str) -> tuple[tuple[str, ...], str]:
    """The terms that are meant, with the words; nothing where none is said."""
    if said := SPOT.search(question):
        return ("spot",), said[0]
    if said := RESERVED.search(question):
        years = re.search(YEARS, question)
        reserved = [term for term in TERMS if term.startswith("reserved")]
        meant = [term for term in reserved if years and _is_of(term, years[1])]
        return tuple(meant or reserved), f"{years[0]} {said[0]}" if years and meant else said[0]
    return ((ON_DEMAND,) if ANY_TIME.search(question) else ()), ""  # the usual way, which alone asks for nothing


def _is_of(term: str, number: str) -> bool:
    """Whether a reserved term is for so many years, or months."""
    return (term.endswith("1y") and number in ONE) or (term.endswith("3y") and number in THREE)
