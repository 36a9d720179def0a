"""Providers and kinds of prices that a question names."""

from __future__ import annotations

import pytest

from memreport.catalogue.quotes.provider import PriceAsked, prices_asked
from tests.conftest import Asked
from tests.support import packaged

H100 = ("h100-80gb-sxm",)


def _first(question: str, gpus: tuple[str, ...]) -> PriceAsked | None:
    return next((said.value for said in prices_asked(question, packaged().tables["rental_prices"], gpus)), None)


@pytest.mark.parametrize(
    ("question", "provider", "terms"),
    [
        ("what does 8 h100 on azure cost for a week?", "Azure", ()),
        ("what does one h100 at lambda cost?", "Lambda", ()),
        ("lambda labs price of an h100", "Lambda", ()),
        ("8 spot h100 for a month", "", ("spot",)),
        ("h100 on aws, 3-year reserved", "AWS", ("reserved-3y",)),
        ("h100 on aws, reserved for 36 months", "AWS", ("reserved-3y",)),
        ("what does an h100 reserved for one year cost?", "", ("reserved-1y",)),
        ("h100 on demand at google cloud", "GCP", ("on-demand",)),
        ("an h100 together with dpo", None, ()),
        ("gae with lambda 0.95 on an h100", None, ()),
        ("a multi-modal model on an h100", None, ()),
        ("what does an h100 cost?", None, ()),
    ],
)
def test_whose_prices_and_which_terms(question: str, provider: str | None, terms: tuple[str, ...]) -> None:
    found = _first(question, H100)
    assert (found and found.provider) == provider
    assert (found.terms if found else ()) == terms


def test_what_the_book_does_not_have_is_said_with_what_it_has() -> None:
    found = _first("an l4 at runpod", ("l4",))
    assert found is not None
    assert "aws-g6-xlarge-on-demand" in found.known
    found = _first("a spot h100 at lambda", H100)
    assert found is not None
    assert found.known
    assert all(price.startswith("lambda") for price in found.known)


@pytest.mark.parametrize(
    ("question", "price"),
    [
        ("What do 8 H100 on Azure cost for a week, serving Llama 3 70B?", "azure-nd96isr-h100-v5-on-demand ($12.29/h"),
        ("AWS 3-year reserved: what do 8 H100 cost to serve Llama 3.3 70B?", "aws-p5-reserved-3y ($2.97/h"),
        ("Spot: what does it cost to serve Llama 3 8B on an H100?", "azure-nd96isr-h100-v5-spot ($2.27/h"),
        ("cheapest way to serve Llama 3.3 70B on Azure", "azure-nc24ads-a100-v4-on-demand ($3.67/h"),
    ],
)
def test_the_lowest_price_of_that_provider_and_kind_is_billed(asked: Asked, question: str, price: str) -> None:
    assert f"price {price}" in asked(question).replace("- ", "-")


def test_where_there_is_none_the_answer_says_so(asked: Asked) -> None:
    said = asked("What does it cost to serve Llama 3 8B on an L4 at RunPod?")
    assert "asks for prices that hardware/prices.yaml does not have for this GPU" in said
    assert "it has aws-g6-xlarge-on-demand" in said


@pytest.mark.parametrize(
    "question",
    [
        "is there a sweet spot for batch size on an h100?",
        "how much kv cache memory is reserved on an h100?",
        "what does google gemma 3 27b on 8 h100 cost?",
    ],
)
def test_words_that_mean_no_price_name_none(question: str) -> None:
    assert _first(question, H100) is None


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("is aws or azure cheaper for 8 h100?", ["AWS", "Azure"]),
        ("is lambda or runpod cheaper for an h100?", ["Lambda", "RunPod"]),
        ("an h100 on spot or on demand", ["spot", "on-demand"]),
        ("3-year reserved or 1-year reserved h100", ["reserved-3y", "reserved-1y"]),
        ("one month of h100 reserved for 3 years on aws", ["AWS reserved-3y"]),
        ("spot h100 on aws or gcp", ["AWS spot", "GCP spot"]),
    ],
)
def test_every_provider_and_term_is_read(question: str, called: list[str]) -> None:
    said = prices_asked(question, packaged().tables["rental_prices"], H100)
    assert [each.value.called for each in said] == called


def test_prices_of_several_are_compared(asked: Asked) -> None:
    said = asked("Is AWS or Azure cheaper for a month of 8 H100 serving Llama 3.3 70B?")
    assert "AWS costs least" in said
    assert "AWS, Azure as prices that are compared" in said
