"""Numbers of a question that nothing takes into account: they are told, so that none is passed over in silence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memreport.catalogue.question.demand import PACE, REQUESTS, REQUESTS_IN_ALL, SOUND, USERS, WRITTEN
from memreport.catalogue.question.money import A_KILOWATT_HOUR, AN_HOUR, BUDGET, BUDGET_A_TIME
from memreport.catalogue.question.numbers import MANY_IN_ALL, number_said
from memreport.catalogue.question.run import STEPS_SAID, TRAINED_ON, TRAINED_SAMPLES
from memreport.catalogue.question.stated import question_of
from memreport.catalogue.question.wording.numerals import VAGUE
from memreport.catalogue.words.reading import Read, WordRead, said_in_question
from memreport.catalogue.yaml.strict import Document

TIMES = "|".join(sorted(MANY_IN_ALL, key=len, reverse=True))
SAID = re.compile(
    rf"(?<![\w.,/-])(\d+(?:,\d{{3}})*(?:\.\d+)*) ?({TIMES})?(?![\w.]*\d)\b"
    r"(?P<unit>[ -]?[a-z%]+)?"
)
"""A number as a word of its own, what multiplies it, and what it counts."""
COUNTED_ELSEWHERE = re.compile(
    r"[ -]?(?:ms|s|sec|min|seconds?|minutes?|hours?|days?|weeks?|months?|years?|bits?|nodes?|servers?|machines?"
    r"|epochs?|%)$"
)
"""What is read by what stands around it, and kept in another unit."""
A_MILLION = re.compile(r"\b(?:per|an?|each|for) \d+ ?(?:m|million|k|thousand) (?:input |output )?tokens\b")
OF_A_GPU = re.compile(r"\b\d+[ -]?gi?b (?:of )?(?:the |an? )?(?:mi|[abhlvt]|rtx ?)\d")
READ_ELSEWHERE = (A_MILLION, OF_A_GPU, A_KILOWATT_HOUR, AN_HOUR, BUDGET, BUDGET_A_TIME)
READ_OF = {
    "serving": (PACE, REQUESTS, REQUESTS_IN_ALL, SOUND, USERS, WRITTEN),
    "training": (STEPS_SAID, TRAINED_ON, TRAINED_SAMPLES),
}
"""Words whose numbers are no values of fields: they are multiplied, or limit a search; some of one workload."""
VERSION, YEAR, ONE = re.compile(r"\d+\.\d+\.\d+"), re.compile(r"20[2-4]\d"), "1"
SIZE_OF_A_MODEL = ("m", "b", "billion")
MULTIPLES = (1.0, 1e-2, 1.024, 1024.0, 1e3, 1e6, 1e9, 2.0**30, 1 / 12)
"""What a number may be multiplied by in a field: shares, tokens in thousands, GB, months of a year."""
PASSED_OVER = "has numbers that nothing here takes into account; the answer is of the rest"


def with_unread(document: Document, words: tuple[WordRead, ...]) -> Read:
    """The scenario of a question alone, with what is passed over in it among the words."""
    unread = ", ".join(dict.fromkeys(_unread(document.data, words)))
    return document, (*words, said_in_question(unread, PASSED_OVER, source="this program")) if unread else words


def _unread(data: Mapping[str, Any], words: Sequence[WordRead]) -> Iterator[str]:
    question = question_of(data)
    rest = {name: value for name, value in data.items() if name not in ("question", "title", "id")}
    yield from (said[0] for said in VAGUE.finditer(question))
    text = f"{rest} {' '.join(word.found for word in words)}".lower()
    values = [*_leaves(rest)]
    patterns = (*READ_ELSEWHERE, *READ_OF.get(str(data.get("workload")), ()))
    read = [said.span() for pattern in patterns for said in pattern.finditer(question)]
    for said in SAID.finditer(question):
        inside = any(start <= said.start() < end for start, end in read)
        if not (
            inside or _is_no_amount(said) or (not said[2] and _stands_in(said[1], text)) or _is_value(said, values)
        ):
            yield said[0].strip()


def _is_no_amount(said: re.Match[str]) -> bool:
    """Whether it counts what is read by other words, or is a version, a year or one."""
    size = said[2] in SIZE_OF_A_MODEL and (said["unit"] or "").strip() not in ("token", "tokens")
    named = size or (said[1] == ONE and not said[2]) or VERSION.fullmatch(said[1]) or YEAR.fullmatch(said[1])
    return bool(named or COUNTED_ELSEWHERE.match(said["unit"] or ""))


def _stands_in(number: str, text: str) -> bool:
    """Whether it stands as a number of its own in what was read, as in the name of a model or of a GPU."""
    return bool(re.search(rf"(?<![\d.]){re.escape(number)}(?!\.?\d)", text.replace(",", "")))


def _is_value(said: re.Match[str], values: Sequence[float]) -> bool:
    """Whether a field has it, as it is said or in the field's own unit."""
    number = number_said(said[1]) * MANY_IN_ALL.get(said[2] or "", 1)
    return any(math.isclose(number * each, value, rel_tol=1e-3) for each in MULTIPLES for value in values)


def _leaves(block: object) -> Iterator[float]:
    """Every number of a document, however deep."""
    if isinstance(block, Mapping):
        for value in block.values():
            yield from _leaves(value)
    elif isinstance(block, list | tuple):
        for value in block:
            yield from _leaves(value)
    elif isinstance(block, int | float) and not isinstance(block, bool):
        yield float(block)
