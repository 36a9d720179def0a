"""Numbers, amounts and times as questions write them, and words that stand around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any, Generic, TypeVar

from memreport.catalogue.quantities import NUMBER_WORDS
from memreport.figures.constants import HOURS_PER_MONTH
from memreport.frozen import frozen

Value = TypeVar("Value")
Other = TypeVar("Other")
Own_co = TypeVar("Own_co", covariant=True)
Places = tuple[range, ...]
COUNTED = {"a": 1, "an": 1, **{word: number for number, word in enumerate(NUMBER_WORDS) if number}}
FIGURES = r"\d[\d,]*(?<!,)(?:\.\d+)?"
NUMBER = rf"(?:{FIGURES}|{'|'.join(COUNTED)})"
STATED = rf"(?:{FIGURES}|{'|'.join(NUMBER_WORDS[1:])})"
"""A number and not an article: `for one user` says how many, `how long does a user wait` does not."""
WITHIN = r"(?:under|below|within|in|of|at most|(?:less|faster|no more|not more) than)"
SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
SCALES |= {"t": 1e12, "trillion": 1e12}
HALF = 0.5
"""What multiplies a number."""
BATCH_OF = (
    "documents|prompts|requests|texts|images|emails|articles|pages|records|rows|reviews|questions|answers"
    "|chunks|passages|sentences|files|tickets|transcripts|reports|summaries|descriptions|captions|comments|posts|stories"
    "|abstracts|papers|pdfs|contracts|items|entries|completions|outputs|responses|labels|translations|letters|messages|embeddings|vectors|pairs|queries"
)
"""What a service is sent or writes, one of them with each request."""
HEARD = r"(?:audio|sound|speech|calls?|recordings?|podcasts?|video)"
"""What it hears, for a time."""
SECONDS_IN = {"s": 1, "sec": 1, "second": 1, "minute": 60, "min": 60, "hour": 3600, "day": 86400, "week": 604800.0}
SECONDS_IN["month"] = float(HOURS_PER_MONTH) * SECONDS_IN["hour"]
EACH_IN = {"hourly": SECONDS_IN["hour"], "daily": SECONDS_IN["day"], "weekly": SECONDS_IN["week"]}
EACH_IN["monthly"] = SECONDS_IN["month"]
"""Times of rates that stand before what is counted: `5,000 daily requests`."""
KILO = {"k": 1024.0}
"""128k tokens are 131,072."""
IN_WORDS = {word: SCALES[word] for word in ("thousand", "million", "billion")}
"""What multiplies lengths in words, by no powers of two."""
OF_SECONDS = {"ms": 1e-3, "milliseconds?": 1e-3, "s": 1.0, "sec": 1.0, "seconds?": 1.0}


def _either(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(words)})"


SCALE = rf"(?:(?<=\d) ?{_either(SCALES)}| {_either(word for word in SCALES if len(word) > len('bn'))})"
"""What multiplies a number; one in words by no single letters, as `at` is not a trillion."""
WHOLE = r"(?![\d.,]*\d)"
"""A number is read to its end."""
_DOLLARS = (
    rf"(?:\$|usd) ?\d[\d,]*(?:\.\d+)?{WHOLE}{SCALE}?\b"
    rf"|\b{NUMBER}{WHOLE}{SCALE}? ?(?:(?:dollars|usd)\b|\$(?! ?\d))"
)
SLOTS: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "digits": (r"\d+", {}),
    "number": (NUMBER, {}),
    "share": (r"(?:\d+(?:\.\d+)? ?%|0\.\d+)", {"%": 1e-2}),
    "count": (STATED, {}),
    "amount": (f"{NUMBER}{SCALE}?", SCALES),
    "many": (f"{STATED}{SCALE}?", SCALES),
    "kilo": (f"{STATED} ?k", KILO),
    "tokens": (f"{STATED}(?: ?(?:k|thousand))?", {**KILO, "thousand": 1e3}),
    "length": (f"{STATED}(?: ?(?:[km]|thousand|million|billion))?", {**KILO, "m": KILO["k"] ** 2, **IN_WORDS}),
    "seconds": (rf"\d+(?:\.\d+)? ?{_either(OF_SECONDS)}\b", OF_SECONDS),
    "times": (_either(SECONDS_IN), SECONDS_IN),
    "daily": (_either(EACH_IN), EACH_IN),
    "time": (f"{NUMBER} (?:hour|day|week|month)", SECONDS_IN),
    "dollars": (_DOLLARS, SCALES),
}
"""What may stand in place of `<name>`: its pattern, and words by which the number in it is multiplied."""
SLOT = re.compile(r"(?<!P)<([a-z]+)>")
FIRST_NUMBER = re.compile(rf"(?<![a-z]){NUMBER}")
PER = "(?: ?/ ?| per | an? | each | every )"
EACH_TIME = rf"{PER}<times>\b"
ABOUT = "(?:about |around |up to )?"
MOST_SAID = 10**15
"""Beyond it no number is meant."""
MOST_TOKENS = 10**8
"""What is said beyond it is no length of a sequence."""
MOST_LENGTH = 2**18
"""Tokens up to which a bare number is the length of a sequence, and no amount to train on."""


@frozen
class Said(Generic[Own_co]):
    """What a question says: what it comes to, in which words, and which letters of the question these are."""

    value: Own_co
    words: str
    places: Places = ()

    def as_(self, value: Other, words: str = "") -> Said[Other]:
        """The same, taken for something else."""
        return Said(value, words or self.words, self.places)

    def moved(self, letters: int) -> Said[Own_co]:
        """What is said in a part of a question that begins so far in it."""
        return replace(self, places=tuple(range(each.start + letters, each.stop + letters) for each in self.places))

    def with_(self, *others: Said[Any] | None) -> Said[Own_co]:
        """With the places of others that it rests on, too."""
        return replace(self, places=(*self.places, *places_of(others)))


def places_of(said: Iterable[Said[Any] | None]) -> Places:
    """The places of all that is said."""
    return tuple(place for each in said if each for place in each.places)


def matched(match: re.Match[str], value: Value, words: str = "") -> Said[Value]:
    """What a match says."""
    return Said(value, words or match[0], (range(*match.span()),))


def by_words(said: Iterable[Said[Value]]) -> dict[str, Said[Value]]:
    """Each by its words; what is said twice at all its places."""
    found: dict[str, Said[Value]] = {}
    for each in said:
        found[each.words] = found[each.words].with_(each) if each.words in found else each
    return found


class Words:
    """A pattern of words in small letters, in which `<amount>` and the other slots stand for numbers."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, each slot as a group of its own; compiled where a question is read."""
        number = count()
        return re.compile(SLOT.sub(lambda slot: f"(?P<{slot[1]}_{next(number)}>{SLOTS[slot[1]][0]})", self.pattern))

    def search(self, question: str) -> re.Match[str] | None:
        """Where they stand first."""
        return self.compiled.search(question)

    def first(self, question: str) -> Said[tuple[float, ...]] | None:
        """The numbers in the words, where these stand first."""
        return next(self.every(question), None)

    def every(self, question: str) -> Iterator[Said[tuple[float, ...]]]:
        """The same wherever they stand."""
        return (matched(each, numbers_in(each)) for each in self.compiled.finditer(question))

    def number(self, question: str) -> Said[float] | None:
        """The number in the words, the first of several, where these stand first."""
        return next(self.numbers(question), None)

    def numbers(self, question: str) -> Iterator[Said[float]]:
        """The same wherever they stand."""
        return (said.as_(said.value[0]) for said in self.every(question))

    def whole(self, question: str) -> Said[int] | None:
        """The same as a whole number, where they stand first."""
        said = self.number(question)
        return said.as_(int(said.value)) if said else None

    def without(self, question: str) -> str:
        """A question without these words, each letter where it was."""
        return self.compiled.sub(lambda each: " " * len(each[0]), question)


def numbers_in(match: re.Match[str]) -> tuple[float, ...]:
    """The numbers of all slots that stand in a match, in their order."""
    named = ((name.partition("_"), text) for name, text in match.groupdict().items())
    return tuple(_value(name, text) for (name, slot, _), text in named if slot and text is not None)


def _value(slot: str, text: str) -> float:
    found = FIRST_NUMBER.search(text)
    word = text[found.end() if found else 0 :].strip()
    factors = SLOTS[slot][1]
    factor = next((value for words, value in factors.items() if re.match(rf"(?:{words})(?!\w)", word)), 1.0)
    return (number_said(found[0]) if found else 1.0) * factor


def number_said(text: str) -> float:
    """A number as figures or as a word."""
    return float(COUNTED.get(text) or text.replace(",", ""))
