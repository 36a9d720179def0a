"""Numbers of a question that nothing takes into account: they are told, so that none is passed over in silence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memreport.catalogue.question.changes import ends_said
from memreport.catalogue.question.demand import AT_ONCE, requests_said
from memreport.catalogue.question.kinds import A_MILLION, WORDS
from memreport.catalogue.question.lexer import THINGS
from memreport.catalogue.question.numbers import SCALES, Places, places_of
from memreport.catalogue.question.run import WARM_UP, hours_said, limits_said, runs_said, watts_said
from memreport.catalogue.question.stated import question_of
from memreport.catalogue.words.meaning import Read, WordRead, said_in_question
from memreport.catalogue.yaml.strict import Document

TIMES = "|".join(sorted(SCALES, key=len, reverse=True))
VAGUE = re.compile(
    r"\b(?:(?:(?:a )?few|several|some|many|(?:a )?couple of) )?(?:dozens|hundreds|thousands|millions)(?: of)? [a-z]+"
    r"|\b(?:(?:a )?few|several|many) (?:dozen|hundred|thousand|million) [a-z]+",
    re.IGNORECASE,
)
"""A number that nobody can compute with: `a few hundred users`."""
SAID = re.compile(
    rf"(?<![\w.,/-])(\d+(?:,\d{{3}})*(?:\.\d+)*) ?({TIMES})?(?![\w.]*\d)(?:\b|(?=k?w\b))"
    r"(?P<unit>[ -]?[a-z%]+)?"
)
"""A number as a word of its own, what multiplies it, and what it counts."""
PIXELS = re.compile(r"(?<![\w.])\d{3,5} ?[x×] ?\d{3,5}\b")
"""The size of an image."""
NOT_COUNTED = re.compile(
    r"\b(?:q-galore|relora|flora|ring[ -]attention|ulysses|mlx(?! community)"
    r"|nv-?link bridges?"
    r"|pr(?:efix|ompt)[ -]cach\w+|freez\w+ (?:the )?(?:vision|audio)? ?(?:tower|encoder)s?|groq|openai|gpt-4\w*)\b"
)
"""Ways to train and services of others that no field stands for: the answer is of the rest."""
OF_THE_ANSWER = re.compile(
    rf"^p\d|^[a-z][^ ]*[a-z\d.]*$|^(?:an? )?(?:few|several|some|many|dozens|hundreds|thousands|millions|couple)\b"
    rf"|\d ?(?:(?:{TIMES})(?![a-z]))? ?-?(?:{THINGS}|{AT_ONCE}|epochs?|images?"
    r"|inputs?|outputs?|in|out|generations?|rollouts?|completions?"
    r"|gpus?|cards|nodes|replicas|servers|machines|experts|hours?|days?|weeks?|months?|years?|minutes?|times|pages|adapters|context|%)"
    r"(?![a-z])",
    re.IGNORECASE,
)
"""Numbers of what an answer grows or shrinks with."""
OF_IMAGES = re.compile(
    r"\b(?:sdxl|stable[ -]diffusion|sd ?[123](?:\.5)?|flux(?:\.1)?|diffusion models?|midjourney|dall-?e"
    r"|resnet\S*|vit-\S+|efficientnet\S*|yolo\S*|controlnet|wan ?2\.\d|hunyuanvideo|unet|convnext\S*|dinov2)\b"
)
"""Models that make or sort images, none of which is counted."""
PERCENTILE = re.compile(r"\bp(?:5|9)\d(?:\.\d+)?\b")
"""A time that so many of a hundred requests do not exceed, which is read with a demand alone."""
ALL_DAY = re.compile(r"\b24 ?[/x] ?7\b")
"""What is no number of anything."""
SCALED_BY = "has amounts that the answer depends on and that are not read; the answer is of the rest"
OF_A_BATCH = "|".join(WORDS[kind] for kind in ("how_long", "what_cost", "how_fast", "how_much_energy"))
"""What is asked of so many requests as are sent in all."""
PASSED_OVER = "has numbers that nothing here takes into account; the answer is of the rest"
NAMED = "names what nothing here takes into account; the answer is of the rest"


def with_unread(document: Document, words: tuple[WordRead, ...]) -> Read:
    """The scenario of a question alone, with what is passed over in it among the words."""
    unread = [*_unread(document.data, words)]
    found = {
        SCALED_BY: filter(OF_THE_ANSWER.search, unread),
        PASSED_OVER: (each for each in unread if not OF_THE_ANSWER.search(each)),
        NAMED: _not_counted(question_of(document.data), words),
    }
    told = ((", ".join(dict.fromkeys(each)), message) for message, each in found.items())
    return document, (*words, *(said_in_question(said, of, source="this program") for said, of in told if said))


def _not_counted(question: str, words: Sequence[WordRead]) -> Iterator[str]:
    """Names of what no field stands for, but for what others are read of."""
    stated = f"{[word.meaning.settings for word in words]}{[word.found for word in words]}".lower()
    cached = re.search(r"prefix[ _]cach", stated)
    for said in NOT_COUNTED.finditer(question):
        if said[0] not in stated and not (cached and "cach" in said[0]):
            yield said[0]


def _unread(data: Mapping[str, Any], words: Sequence[WordRead]) -> Iterator[str]:
    question = question_of(data)
    yield from (
        said[0] for said in (*VAGUE.finditer(question), *PERCENTILE.finditer(question), *OF_IMAGES.finditer(question))
    )
    read = [place for word in words for place in word.places] + [*_read_later(question, str(data.get("workload")))]
    read += [range(*each.span()) for each in ALL_DAY.finditer(question)]
    for said in (*SAID.finditer(question), *PIXELS.finditer(question)):
        if not any(said.start() in place for place in read):
            yield said[0].strip()


def _read_later(question: str, workload: str) -> Places:
    """What is read of a question where it is answered: limits, amounts that are given, the unit of a price."""
    limits = (limit for _, limit in limits_said(question, workload, demand=False))
    sent = requests_said(question) if re.search(OF_A_BATCH, question) else None
    given = hours_said(question) if workload == "training" else sent
    again = (runs_said(question), *WARM_UP.every(question)) if workload == "training" else ()
    return places_of((*limits, given, *again, watts_said(question), ends_said(question), *A_MILLION.every(question)))
