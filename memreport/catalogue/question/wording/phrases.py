"""Phrases whose numbers stand where none is looked for, in the order in which they are read."""

from __future__ import annotations

import re

NUMBER = r"\d[\d,]*(?:\.\d+)?(?: ?(?:k|m|b|t|bn|mn|thousand|million|billion|trillion)\b)?"
SAMPLES = "samples|examples|pairs|rows|conversations|instructions"
BEFORE = ("batch", "size", "on", "over", "of", "with", "for", "about", "around", "our")
NOT_BEHIND = "".join(f"(?<!{word} )" for word in BEFORE) + r"(?<![\w.,])"
MANY = r"\d[\d,]{2,}|\d[\d.]* ?(?:k|m|thousand|million)"
PHRASES = (
    (rf"\b(?P<n>{NUMBER})[ -]tokens? (?:data ?set|corpus)\b", r"data on \g<n> tokens"),
    (rf"\b(?:data ?set|corpus) (?:of|with) (?:about |around )?(?P<n>{NUMBER})[ -]?tokens?\b", r"data on \g<n> tokens"),
    (rf"{NOT_BEHIND}(?P<n>{MANY})(?= (?:[a-z]+ )?(?:{SAMPLES})\b(?! ?(?:/|per|a|each)\b))", r"on \g<n>"),
    (
        r"\b(?P<n>\d+) batch of (?P<length>\d{3,})\b(?! [a-z]+s\b)",
        r"global batch \g<n> with sequence length \g<length>",
    ),
    (r"\b(?P<n>\d[\d,]*) daily (?P<what>[a-z]+)\b(?! (?:active )?users)", r"\g<n> \g<what> a day"),
)
"""Patterns in small letters, and what they are read as."""


def rephrased(question: str) -> str:
    """A question with such phrases as others have them: `a 1.5M token dataset`, `1536 batch of 2048`."""
    for pattern, phrase in PHRASES:
        question = re.sub(pattern, phrase, question, flags=re.IGNORECASE)
    return question


ASKING_LAST = re.compile(
    r"^(?P<stated>[^?:]*[^?:\s]):\s+(?P<asked>(?:how|what|which|when|does|do|is|are|can|could|will|would|should)\b[^?]*\?)",
    re.IGNORECASE,
)
"""What is asked behind a colon: `We can spend $500: how many tokens ...?`"""


def asked_first(sentence: str) -> str:
    """A sentence with what it asks before what it states."""
    return ASKING_LAST.sub(r"\g<asked> \g<stated>.", sentence)
