"""Numbers, amounts and times as questions write them."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.quantities import NUMBER_WORDS
from memreport.figures.constants import HOURS_PER_MONTH

COUNTED = {"a": 1, "an": 1, **{word: number for number, word in enumerate(NUMBER_WORDS) if number}}
NUMBER = rf"(\d[\d,]*(?<!,)(?:\.\d+)?|{'|'.join(COUNTED)})"
STATED = NUMBER.replace("|a|an|", "|")
"""A number and not an article: `for one user` says how many, `how long does a user wait` does not."""
WITHIN = r"(?:under|below|within|in|of|at most|(?:less|faster|no more|not more) than)"
THOUSANDS = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9}
MANY = f"({'|'.join(THOUSANDS)})?"
WHOLE = r"(?![\d.,]*\d)"
"""A number is read to its end."""
BATCH_OF = (
    "documents|prompts|requests|texts|images|emails|articles|pages|records|rows|reviews|questions|answers"
    "|chunks|passages|sentences|files|tickets|transcripts|reports|summaries|descriptions|captions|comments|posts|stories"
    "|abstracts|papers|pdfs|contracts|items|entries|completions|outputs|responses|labels|translations|letters|messages|embeddings|vectors"
)
SECONDS_IN = {"s": 1, "sec": 1, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800.0}
SECONDS_IN["month"] = float(HOURS_PER_MONTH) * SECONDS_IN["hour"]
EACH_TIME = rf"(?: ?/ ?| per | an? | each | every )({'|'.join(SECONDS_IN)})\b"
MANY_TOKENS = rf"{STATED} ?(k|thousand)?"
ABOUT = "(?:about |around |up to )?"
MOST_TOKENS = 10**8
"""What is said beyond it is no length of a sequence."""
MOST_LENGTH = 2**18
"""Tokens up to which a bare number is the length of a sequence, and no amount to train on."""
MANY_IN_ALL = {**THOUSANDS, "mn": 1e6, "bn": 1e9, "t": 1e12, "trillion": 1e12}


def tokens_said(number: str, thousands: str = "") -> int:
    """Tokens as they are said: 128k of them are 131,072."""
    return int(number_said(number) * {"k": 1024, "thousand": 1000}.get(thousands, 1))


def amount_said(number: str, times: str | None, words: Mapping[str, float] = THOUSANDS) -> float:
    """A number with a word that multiplies it, or without."""
    return number_said(number) * words.get(times or "", 1)


def number_said(text: str) -> float:
    """A number as figures or as a word."""
    return float(COUNTED.get(text) or text.replace(",", ""))
