"""Texts on lines of a terminal; by itself, as an answer in five lines needs none of the kinds of blocks."""

from __future__ import annotations

import re
import textwrap

from memreport.publish.text.width import columns
from memreport.report.view import tied

MOST_DETAIL = 5
_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")
"""Between two sentences."""


def whole_sentences(detail: str, most: int = MOST_DETAIL) -> list[str]:
    """Lines of as many of the first sentences as there is room for, the first in any case."""
    sentences = _SENTENCE.split(detail)
    tries = (wrapped(" ".join(sentences[:count]), most + 1) for count in range(len(sentences), 1, -1))
    return next((lines for lines in tries if len(lines) <= most), wrapped(sentences[0], most))


def first_sentence(detail: str) -> str:
    """What a text begins with."""
    return _SENTENCE.split(detail)[0]


def wrapped(text: str, most: int) -> list[str]:
    """Lines of a text, none of which ends between a number and its unit."""
    lines = textwrap.wrap(tied(text), columns() - 2, max_lines=most, placeholder=" …") if text else []
    return [line.replace("\u00a0", " ") for line in lines]


def cut(text: str, width: int) -> str:
    """A text on one line of so many characters; an ellipsis where it goes on."""
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
