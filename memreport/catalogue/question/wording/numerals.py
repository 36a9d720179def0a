"""Numbers in words and with scales as figures: `two hundred users`, `5k users`, `half a million tokens`."""

from __future__ import annotations

import re
from collections.abc import Mapping

UNITS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
IN_WORDS: Mapping[str, int] = {
    **{word: number for number, word in enumerate(UNITS, 1)},
    **{word: 10 * number for number, word in enumerate(TENS, 2)},
    "dozen": 12,
}
LARGE = rf"(?:(?:{'|'.join(TENS)})[ -](?:{'|'.join(UNITS[:9])})|{'|'.join([*TENS, *UNITS[:11:-1]])})"
"""Numbers beyond those that are read as words everywhere."""
ANY = rf"(?:{LARGE}|{'|'.join(UNITS[11::-1])})"
SPELT_OUT = re.compile(
    rf"\b(?:(?P<hundreds>an?|{ANY}|\d+) hundred(?:(?: and)? (?P<rest>{ANY}))?|(?:an?|one) (?P<dozen>dozen)"
    rf"|(?P<half>half an?)(?= [mb]illion\b)|(?P<small>{LARGE}|(?!one ){ANY}(?= (?:thousand|[mb]illion)\b)))\b",
    re.IGNORECASE,
)
"""A number in words; what multiplies it further stays as it is."""
SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
"""What multiplies a number of people; `70b users` are those of a model."""
PERSON = (
    "caller|stream|developer|engineer|employee|customer|coder|student|analyst|agent|colleague|person"
    "|client|visitor|subscriber|member"
)
PEOPLE = rf"users?|people|(?:{PERSON})s"
TALKS = "chats|conversations|sessions"
"""Who sends requests, one and many, and what is counted in their place."""
OTHERWISE = "for|on|with|in|of|and|or|at|to|per|by|from|does|do|can|tokens?|models?|context"
IN_SCALES = re.compile(
    rf"(?<![\w.,$])(?:(?P<number>\d[\d,]*(?:\.\d+)?) ?(?P<scale>{'|'.join(SCALES)})"
    r"|an? (?P<one>thousand|million|billion))"
    rf"(?= (?:(?!(?:{OTHERWISE})\b)[a-z-]+ ){{0,2}}(?:{PEOPLE}|{TALKS})\b)",
    re.IGNORECASE,
)
"""A number of people in thousands or millions."""
VAGUE = re.compile(
    r"\b(?:(?:(?:a )?few|several|some|many|(?:a )?couple of) )?(?:dozens|hundreds|thousands|millions)(?: of)? [a-z]+"
    r"|\b(?:(?:a )?few|several|many) (?:dozen|hundred|thousand|million) [a-z]+",
    re.IGNORECASE,
)
"""A number that nobody can compute with: `a few hundred users`."""


def in_figures(question: str) -> str:
    """A question with its numbers in figures."""
    return IN_SCALES.sub(_scaled, SPELT_OUT.sub(_spelt_out, question))


def _spelt_out(said: re.Match[str]) -> str:
    """A number in words as figures."""
    if said["half"]:
        return "0.5"
    hundreds = _small(said["hundreds"]) * 100 if said["hundreds"] else 0
    return str(hundreds + sum(_small(said[part]) for part in ("rest", "dozen", "small") if said[part]))


def _small(words: str) -> int:
    """A number below a hundred; an article is one."""
    return int(words) if words.isdigit() else sum(IN_WORDS.get(word, 1) for word in re.split("[ -]", words.lower()))


def _scaled(said: re.Match[str]) -> str:
    """A number of people as figures."""
    number = float((said["number"] or "1").replace(",", ""))
    return str(round(number * SCALES[(said["scale"] or said["one"]).lower()]))
