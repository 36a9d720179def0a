"""What a question changes: `from 8k to 32k`, each end read as if it alone stood beside what it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.question.hardware import MAKER, OF_GPUS, gpus_said
from memreport.catalogue.question.lengths import lengths_asked
from memreport.catalogue.question.numbers import Said, Words, matched
from memreport.catalogue.question.settings import settings_asked
from memreport.catalogue.question.stated import question_of
from memreport.catalogue.records import SEQUENCE_LENGTH

CHANGED = Words(r"\bfrom <tokens>(?:[ -]tokens?)? (?:to|up to|down to) <tokens>\b")
"""Both ends of a change: `increase the context from 8k to 32k`, `a batch size from 4 to 8`."""
BEFORE = ("batch", "rank", "tp", "sequence")
"""What stands before its number."""
COUNTED = re.compile(r"\b(context|sequence|batch|rank|tp|adapters)\b")
"""What is changed; its number stands behind it where a question sets it, but for adapters."""


TIMES = {"doubl": 2, "tripl": 3, "quadrupl": 4}
MULTIPLIED = re.compile(rf"\b({'|'.join(TIMES)})\w* (?:the |our |my |its )?(context|sequence|batch)")
"""A change of what nobody states: `if we double the sequence length`."""
UNSTATED = {"context": 2 * SEQUENCE_LENGTH, "sequence": SEQUENCE_LENGTH, "batch": 1}
"""From which it is changed, where the question names none."""


A_GPU = rf"(?:{MAKER}(?:gpu|card|accelerator)s?\b|{OF_GPUS})"
MORE_GPUS = re.compile(
    r"\b(?:add(?:ing)?|buy(?:ing)?|with|need|us(?:e|ing)|get(?:ting)?|would|does) (?:a |an |one )?"
    rf"(?P<one>second|another|more) {A_GPU}|\b(?:doubl\w+|twice) (?:the )?(?:number of )?{A_GPU}"
)
"""More GPUs than there are: `Does adding a second GPU double throughput?`"""


FROM_TO = re.compile(
    rf"\bfrom (?P<first>\d+) ?(?:[x×] ?)?{A_GPU}s? (?:down |up )?to (?P<then>\d+)\b(?! ?[km]\b|[ -]?token)"
)
"""Another number of them: `if I drop from 8 H100 to 4`."""


def gpus_changed(question: str, count: int) -> tuple[int, ...]:
    """How many GPUs a question in small letters weighs against how many; nothing where it changes none."""
    if ends := FROM_TO.search(question):
        return int(ends["first"]), int(ends["then"])
    said = MORE_GPUS.search(question)
    return (count, count + 1 if said["one"] else 2 * count) if said else ()


def ends_said(question: str) -> Said[str] | None:
    """Where a question in small letters names two numbers of GPUs between which it changes."""
    ends = FROM_TO.search(question)
    return matched(ends, ends[0]) if ends else None


def without_more(question: str) -> str:
    """A question in small letters without the GPUs that come on top of others that it names."""
    rest = MORE_GPUS.sub(lambda each: " " * len(each[0]), question)
    return rest if next(gpus_said(rest), None) else question


def changes_said(data: Mapping[str, Any]) -> Iterator[Said[dict[str, Any]]]:
    """What each end of a change comes to, under a name for it: the fields of the workload that it sets."""
    question = question_of(data)
    ends, of = CHANGED.search(question), COUNTED.search(question)
    said, place = ([*_ends(ends)], ends) if ends and of else _multiplied(question)
    for end in said:
        name = f"{of[1]} {end}" if of and of[1] in BEFORE else f"{end} {of[1] if of else ''}"
        asked = {**data, "question": name, "title": ""}
        found = {**dict(settings_asked(asked)), **lengths_asked(asked, filled=True)}
        if found and place:
            yield matched(place, {key: each.value for key, each in found.items()}, name)


def _ends(ends: re.Match[str]) -> Iterator[str]:
    return (text.strip() for name, text in ends.groupdict().items() if name.startswith("tokens"))


def _multiplied(question: str) -> tuple[list[str], re.Match[str] | None]:
    """Both ends of what is doubled, as a question would name them, and where it says so."""
    said = MULTIPLIED.search(question)
    return [str(UNSTATED[said[2]] * times) for times in (1, TIMES[said[1]])] if said else [], said


def is_change(question: str) -> bool:
    """Whether a question in small letters speaks of a change between two ends."""
    return any(change.search(question) for change in (CHANGED, MULTIPLIED, MORE_GPUS, FROM_TO))
