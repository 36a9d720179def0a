"""Quotes read strictly: the GPU must be known, the currency must have a rate, the dates must follow each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from memreport.catalogue.fields.validation import unknown_name, validated
from memreport.catalogue.quotes.fields import QuoteFile
from memreport.catalogue.terms.price_age import is_past
from memreport.catalogue.yaml import strict as strict_yaml
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault, InputError
from memreport.frozen import frozen

USD = "USD"
FOLDER = "quotes"
RENTED_PARTS = ("network", "storage", "support", "egress")
BOUGHT_PARTS = ("hosts", "network")
"""What a price may lack; energy, space and support of bought hardware are counted as the scenario states them."""


@frozen
class Quote:
    """A valid quote with its file, and what a unit of its currency is in USD by which source."""

    given: QuoteFile
    document: Document
    path: Path
    exchange_rate: float
    rate_source: str

    @property
    def buys(self) -> bool:
        """Whether its price is of a GPU, not of its hour."""
        return self.given.basis == "buy"

    @property
    def lacking(self) -> tuple[str, ...]:
        """What the price does not contain, and the quote states no price of."""
        given, parts = self.given, BOUGHT_PARTS if self.buys else RENTED_PARTS
        priced = {name for name in ("network", "storage", "support") if getattr(given.extras, name)}
        priced |= {"egress"} if given.egress else set()
        return tuple(name for name in parts if name not in {*given.included, *priced})

    def is_expired(self, day: str) -> bool:
        """Whether its last day lies behind."""
        return is_past(self.given.valid_until, day)


def any_quotes(folders: Sequence[Path]) -> bool:
    """Whether one of the folders has quotes."""
    return any((folder / FOLDER).is_dir() for folder in folders)


def quotes_beside(
    folders: Sequence[Path], accelerators: Collection[object], rates: Mapping[str, float], faults: list[Fault]
) -> tuple[Quote, ...]:
    """Every quote of the folders `quotes` in these, by id; a later folder wins.  Faults are added to `faults`."""
    files = {file.stem: file for folder in folders for file in sorted((folder / FOLDER).glob("*.yaml"))}
    found = (read_quote(file, accelerators, rates, faults) for _, file in sorted(files.items()))
    return tuple(quote for quote in found if quote is not None)


def read_quote(
    path: Path, accelerators: Collection[object], rates: Mapping[str, float], faults: list[Fault]
) -> Quote | None:
    """The quote of a file; None, with every fault added to `faults`, where it has any."""
    try:
        document = strict_yaml.read(path)
    except InputError as error:
        faults += error.faults
        return None
    given = validated(document, QuoteFile, faults)
    if given is None:
        return None
    own = {given.rate.currency: given.rate.usd} if given.rate else {}
    known = {USD: 1.0, **rates, **own}
    wrong = list(_faults(document, given, path, accelerators, known))
    faults += wrong
    source = f"{given.rate.source}, {given.rate.date}" if given.rate else "price book"
    return None if wrong else Quote(given, document, path, known[given.currency], source)


def _faults(
    document: Document, given: QuoteFile, path: Path, accelerators: Collection[object], rates: Mapping[str, float]
) -> Iterator[Fault]:
    if given.id != path.stem:
        yield document.fault(("id",), "must be the file's name", found=repr(given.id), expected=path.stem)
    if given.accelerator not in accelerators:
        yield unknown_name(document, ("accelerator",), given.accelerator, map(str, accelerators), "accelerator")
    if given.currency not in rates:
        message = f"{given.currency} has no rate; state one: rate: {{currency: {given.currency}, usd: ..., ...}}"
        yield document.fault(("currency",), message, found=given.currency, expected=", ".join(rates))
    if given.rate and given.rate.currency != given.currency:
        yield document.fault(("rate", "currency"), "is not the quote's currency", found=given.rate.currency,
                             expected=given.currency)  # fmt: skip
    if given.valid_until < given.quoted:
        yield document.fault(("valid_until",), "is before the day of the quote", found=given.valid_until,
                             expected=f"{given.quoted} or later")  # fmt: skip
    if given.basis == "buy" and given.term_months:
        yield document.fault(("term_months",), "is of rented GPUs", found=f"{given.term_months:g}", expected="0")
    for name in given.included:
        if getattr(given.extras, name, 0) or (name == "egress" and given.egress):
            yield document.fault(("included",), f"{name} is included, and billed beside the price", found=name)
