"""The parts of a scenario as it is written, before anything of it is checked: whatever stands in place of a block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memreport.catalogue.question.wording.numerals import in_figures

ENDED = re.compile(r"(?<=[.!?])\s+(?=[A-Za-z])")
"""Where a sentence ends; a number or a version goes on."""


LENGTH_NOUN = "sequence length"
MANY = r"(\d[\d,]*k?)(?: tokens?)?"
OTHER_WORDINGS = (
    (r"\bmax[_ -]num[_ -]seqs ?[=:]? ?(\d+)\b", r"\1 concurrent requests"),
    (r"(?<!num[_ -])\b(?:max[_ -]?)?seq(?:uence)?(?:[_ -]?len(?:gth)?)?\b ?[=:]? ?(?=\d)", f"{LENGTH_NOUN} "),
    (r"\bseq(?:uence)?[_ -]len(?:gth)?s?\b", LENGTH_NOUN),
    (r"\b(?:cutoff|max(?:imum)?)[_ -]len(?:gth)?\b ?[=:]? ?(?=\d)", f"{LENGTH_NOUN} "),
    (r"\bctx\b", "context"),
    (r"\b(\d+) ?m(?=[ -]context)", r"\g<1>000k"),
    (r"\b(?:per[_ -]device[_ -](?:train[_ -])?)?(?:micro[_ -])?batch_size\b ?[=:]? ?(?=\d)", "batch size "),
    (r"\bbs ?[=:]? ?(?=\d)", "batch size "),
    (r"\b(batch(?:[ _-]size)?) ?[=:] ?(?=\d)", r"\1 "),
    (
        rf"\b{MANY} in(?:put)?(?:,|,? and|,? ?/) ?{MANY} out(?:put)?\b(?: tokens?)?",
        r"\1 input tokens and \2 output tokens",
    ),
    (r"\bw/o\b", "without"),
    (r"\bw/ ?(?=\w)", "with "),
    (
        r"\bgrad(?:ient)?[ _-]?acc(?:um(?:ulation)?)?(?:[ _-]steps)?(?: of)? ?[=:]? ?(\d+)\b",
        r"gradient accumulation \1",
    ),
    (r"\b(\d+) (?:gradient )?accumulation steps\b", r"gradient accumulation \1"),
    (r"\bparams\b", "parameters"),
)
"""Short forms and spellings of options, in small letters, and the words that are looked for everywhere else."""


def in_usual_words(question: str) -> str:
    """A question in small letters with its short forms spelt out: `bs 4, seq len 8192, 1000 in and 200 out`."""
    question = in_figures(question)
    for pattern, words in OTHER_WORDINGS:
        question = re.sub(pattern, words, question)
    return question


def question_of(data: Mapping[str, Any]) -> str:
    """The question in small letters, what asks first; empty where there is none."""
    return asking_first(str(data.get("question") or ""))


def asking_first(question: str) -> str:
    """A question in small letters, the sentences that ask before those that state: `We have $500. What ...?`"""
    sentences = ENDED.split(in_usual_words(question.lower()))
    return " ".join(sorted(sentences, key=lambda sentence: not sentence.endswith("?")))


def beside_question(data: Mapping[str, Any]) -> str:
    """All that a scenario states beside its title and its question, in one text."""
    return str({**data, "question": "", "title": ""})


def block_of(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A block of fields; empty where none is stated."""
    block = data.get(name)
    return block if isinstance(block, dict) else {}


def variants_of(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What each variant changes, of those that are blocks of fields."""
    return {str(name): block for name, block in block_of(data, "variants").items() if isinstance(block, dict)}
