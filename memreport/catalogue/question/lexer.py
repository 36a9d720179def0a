"""A question cut into tokens: numbers in figures, words as they are usually spelt, what it asks first."""

from __future__ import annotations

import re
from functools import lru_cache

from memreport.catalogue.quantities import NUMBER_WORDS
from memreport.catalogue.question.numbers import BATCH_OF, HALF, SCALES

TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
IN_WORDS = {word: number for number, word in enumerate((*NUMBER_WORDS[1:], *TEENS), 1)}
IN_WORDS |= {word: 10 * number for number, word in enumerate(TENS, 2)}
MULTIPLES = {"hundreds": 100, "dozen": 12}
LARGE = rf"(?:(?:{'|'.join(TENS)})[ -](?:{'|'.join(NUMBER_WORDS[1:10])})|{'|'.join((*TENS, *TEENS))})"
"""Numbers beyond those that are read as words everywhere."""
ANY = rf"(?:{LARGE}|{'|'.join(NUMBER_WORDS[:0:-1])})"
PERSON = (
    "caller|stream|developer|engineer|employee|customer|coder|student|analyst|agent|colleague|person"
    "|client|visitor|subscriber|member"
)
TALKS = "chats|conversations|sessions"
PEOPLE = rf"users?|people|(?:{PERSON})s|{TALKS}"
"""Who sends requests, one and many, and what is counted in their place."""
BETWEEN = r"(?:for|on|with|in|of|and|or|at|to|per|by|from|does|do|can)\b"
"""What stands between a number and users that are not counted by it: `on an RTX 4090 for one user`."""
OF_PEOPLE = rf"(?= (?:(?!{BETWEEN}|(?:tokens?|models?|context)\b)[a-z-]+ ){{0,2}}(?:{PEOPLE})\b)"
SCALED = "(?:thousand|[mb]illion)"
SPELT_SCALES = {
    "thousand": "thousand(?= of )|thousands",
    "million": "million(?= of )|millions|mio|mln",
    "billion": "billion(?= of )|billions|milliards?|mrd|mia|bln",
    "trillion": "trillion(?= of )|trillions|tn",
}
"""How else what multiplies a number is written, in other languages and in finance."""
MULTIPLIERS = {"lakhs?|lacs?": 1e5, "crores?": 1e7, "quadrillions?": 1e15}
"""What multiplies a number and is none of the usual scales."""
ANY_SCALE = "|".join((*SCALES, *SPELT_SCALES.values(), *MULTIPLIERS))
THINGS = rf"(?:{PEOPLE}|{BATCH_OF}|tokens?|samples|examples|sequences|steps|conversations|instructions|dialog(?:ue)?s)"
OF_THINGS = rf"(?: (?!(?:{ANY_SCALE})\b)[a-z-]+){{0,2}} {THINGS}\b"
"""What is counted in whole numbers: `10.000 samples` are no ten."""
UNITS = (
    rf"{ANY_SCALE}|[kmgt]i?b|k?w|k?wh|%|years?|months?|weeks?|days?|hours?|h|minutes?|seconds?|m?s|epochs?"
    r"|usd|dollars?|cents?|eur|euros?|€|\$|£|per|an?"
)
GAP, DECIMALS = "[ \u00a0\u2009\u202f]", r"\d+(?:[.,]\d+)?"
FIGURES = re.compile(
    rf"(?<![\w.,'’^-])(?:(?:(?P<times>{DECIMALS}) ?[x×*·] ?)?10(?:\^|\*\*)(?P<power>\d{{1,2}})"
    rf"|(?P<mantissa>{DECIMALS})e\+?(?P<exponent>\d{{1,2}})"
    rf"|(?P<grouped>\d{{1,3}}(?:(?:\.\d{{3}}){{2,}}|(?:['’_]\d{{3}})+|"
    rf"(?:{GAP}\d{{3}}){{2,}}|[\u00a0\u2009\u202f]\d{{3}})"
    rf"|\d{{1,2}}(?:,\d\d)+,\d{{3}}"
    rf"|[1-9]\d{{0,2}}\.\d{{3}}(?=,\d{{1,2}}\b|{OF_THINGS}(?! ?(?:per|an?|each|every|/))))(?:,\d{{1,2}})?"
    r"|(?:(?<=\b(?:on|of|or|to|at|in) )|(?<=\b(?:for|and|say|are|has) )|(?<=\b(?:with|over|than|have|from) )"
    r"|(?<=[,;:] )|^)"
    rf"(?P<apart>[1-9]\d{{0,2}} \d{{3}})(?! token )(?={OF_THINGS})"
    rf"|(?P<fraction>0,\d+|\d+,(?:\d\d?|\d{{4,}})(?= ?/| ?(?:{UNITS})(?!\w))))(?![\w,.]*\d)",
    re.IGNORECASE,
)
"""Numbers as they are written elsewhere: `1,5 million`, `1.500.000`, `10 000 samples`, `1e12`, `5,00,000`."""
LISTED = re.compile(r"(?<=\d),(?=\d)(?!\d{3}(?!\d))")
"""A comma that parts no thousands, between the numbers of a list."""
NUMBER = (
    rf"(?<![\w.,$])(?:(?P<hundreds>an?|{ANY}|\d+) hundred(?:(?: and)? (?P<rest>{ANY}))?\b"
    rf"|(?P<dozen>an?|{ANY}|\d+) dozen\b|(?P<half>half an?)(?= [mb]illion\b)"
    rf"|(?P<whole>{ANY}|\d+) and (?:a |one )?half\b(?= {SCALED}\b)"
    rf"|(?P<small>{LARGE}\b|(?!one ){ANY}(?= {SCALED}\b))"
    rf"|(?P<figures>\d[\d,]*(?:\.\d+)?)|(?P<one>an?|one)(?= {SCALED}\b))"
    rf"(?: ?(?P<scale>{'|'.join(scale for scale in SCALES if scale not in ('b', 't'))}){OF_PEOPLE})?"
)
"""A number, and what multiplies one of people, for whom `b` and `t` do not: `70b users` are those of a model."""
SPELLINGS = {
    "sequence_length": r"seq(?:uence)?[_ -]len(?:gth)?s?"
    r"|(?:(?<!num[_ -])(?:max[_ -]?)?seq(?:uence)?(?:[_ -]?len(?:gth)?)?|(?:cutoff|max(?:imum)?)[_ -]len(?:gth)?)"
    r"(?=\b ?[=:]? ?\d)",
    "context": "ctx",
    "batch_size": r"(?:bs|(?:per[_ -]device[_ -](?:train[_ -])?)?(?:micro[_ -])?batch_size)(?=\b ?[=:]? ?\d)",
    "without": "w/o",
    "with_": r"w/ ?(?=\w)",
    "parameters": "params",
    "requests": r"reqs?(?= ?/| per\b)",
    "requests_per_second": "qps|rps",
    "requests_per_minute": "rpm",
    "tokens_per_second": "tps",
}
"""Words, `_` for a space between them, and how else they are written."""
SCALE_WORDS = "|".join(rf"(?P<{name}>{spelt})" for name, spelt in SPELT_SCALES.items())
OTHER_SCALES = re.compile(
    rf"(?<![\w.,$])(?P<number>\d[\d,]*(?:\.\d+)?|{ANY}|an?|half an?) ?"
    rf"(?:(?:{SCALE_WORDS})\.?|(?P<other>{'|'.join(MULTIPLIERS)}))"
    rf"(?: of(?={OF_THINGS}))?"
    r"(?![\w.]*\d)(?!\w)",
    re.IGNORECASE,
)
SPELT = "|".join(f"(?P<{words}>{spelt})" for words, spelt in SPELLINGS.items())
TOKEN = re.compile(rf"{NUMBER}|(?:\b|(?<=\d))(?:{SPELT})\b", re.IGNORECASE)
ENDED = re.compile(r"(?<=[.!?])\s+(?=[A-Za-z])")
"""Where a sentence ends; a number or a version goes on."""
ASKING_LAST = re.compile(
    r"^(?P<stated>[^?:]*[^?:\s](?=:)|(?:i|we) (?:have|got|can spend) [^?:]*?(?=,\s))[:,]\s+"
    r"(?P<asked>(?:how|what|which|when|does|do|is|are|can|could|will|would|should)\b[^?]*\?)",
    re.IGNORECASE,
)
"""What is asked behind a colon, or what somebody has: `We can spend $500: how many tokens ...?`"""


@lru_cache(maxsize=256)
def asking_first(question: str) -> str:
    """A question in usual words, its sentences that ask before those that state: `We have $500. What ...?`"""
    usual = TOKEN.sub(_usual, with_usual_figures(question))
    stated = (ASKING_LAST.sub(r"\g<asked> \g<stated>.", each) for each in ENDED.split(usual))
    return " ".join(sorted(ENDED.split(" ".join(stated)), key=lambda sentence: not sentence.endswith("?")))


def with_usual_figures(question: str) -> str:
    """A question whose numbers have commas for thousands, a point for decimals, and the usual scales."""
    return OTHER_SCALES.sub(_scaled, LISTED.sub(", ", FIGURES.sub(_figures, question)))


def _figures(said: re.Match[str]) -> str:
    """A number that is written as it is elsewhere."""
    if power := said["power"] or said["exponent"]:
        return _plain(_decimal(said["times"] or said["mantissa"] or "1") * 10.0 ** int(power))
    if said["fraction"]:
        return said["fraction"].replace(",", ".")
    whole = said["grouped"] or said["apart"]
    return re.sub(r"\D", "", whole) + said[0][len(whole) :].replace(",", ".")


def _scaled(said: re.Match[str]) -> str:
    """A number with a scale under its usual name, or what it comes to."""
    number = said["number"].lower()
    if not said["other"]:
        return f"{number} {said.lastgroup}"
    factor = next(each for word, each in MULTIPLIERS.items() if re.fullmatch(word, said["other"].lower()))
    return _plain((HALF if number.startswith("half") else _small(number)) * factor)


def _decimal(figures: str) -> float:
    return float(figures.replace(",", "."))


def _plain(number: float) -> str:
    """A number in figures alone."""
    return f"{number:.0f}" if number.is_integer() else f"{number:.15g}"


def _usual(token: re.Match[str]) -> str:
    """A token as it is usually written."""
    if token.lastgroup in SPELLINGS:
        apart = " " if token.string[token.start() - 1 : token.start()].isdigit() else ""
        return apart + str(token.lastgroup).replace("_", " ")
    if token["scale"]:
        return f"{_number(token) * SCALES[token['scale'].lower()]:.15g}"
    return token[0] if token["figures"] or token["one"] else f"{_number(token):.15g}"


def _number(said: re.Match[str]) -> float:
    """A number without what multiplies it."""
    if said["half"] or said["whole"]:
        return _small(said["whole"] or "0") + HALF
    large = sum(_small(said[part]) * each for part, each in MULTIPLES.items() if said[part])
    return large + sum(_small(said[part]) for part in ("rest", "small", "figures", "one") if said[part])


def _small(words: str) -> float:
    """A number in figures, or below a hundred in words; an article is one."""
    if words[0].isdigit():
        return float(words.replace(",", ""))
    return sum(IN_WORDS.get(word, 1) for word in re.split("[ -]", words.lower()))
