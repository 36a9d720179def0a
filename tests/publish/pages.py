"""Pages of a PDF as another program reads them: their text, their words with boxes, and words that are out of place."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from pypdfium2 import raw

HYPHEN = "\ufffe"
"""What pdfium makes of a hyphen at the end of a line."""
SMALLEST = 2.0
"""Text of a smaller size, in points, is not meant to be read: the hidden text of formulas and drawings."""
WIDEST_GAP, FURTHEST_DOWN = 3.0, 1.0
"""Letters further apart than this, in points, belong to different words."""
FURTHEST_BACK = 0.2
"""How far a letter may reach into the one before it, as a share of its height."""
SIDES, TOP, BOTTOM = 30.0, 20.0, 15.0
"""Margins that no word may enter, in points."""


@dataclass
class Word:
    """Letters that stand beside each other; a box in points from the upper left corner of the page."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def text_of(pdf: bytes, *pages: int) -> str:
    """The text of these pages, or of all, a line each."""
    document = pypdfium2.PdfDocument(pdf)
    return "\n".join(_text(document[at]) for at in pages or range(len(document)))


def _text(page: Any) -> str:
    read = str(page.get_textpage().get_text_range())
    return read.replace("\r\n", "\n").replace(HYPHEN, "-")


def misplaced(pdf: bytes) -> list[str]:
    """Words outside the margins, and pairs of words that share a place."""
    found = []
    for number, page in enumerate(pypdfium2.PdfDocument(pdf), 1):
        words = list(words_of(page))
        found += [f"{number} outside: {word.text}" for word in words if not _inside(word, *page.get_size())]
        found += [f"{number} {words[a].text} on {words[b].text}" for a, b in _covering(words)]
    return found


def words_of(page: Any) -> Iterator[Word]:
    """The words of a page in the order in which they are drawn."""
    height, word = page.get_height(), None
    for letter in _letters(page.get_textpage(), height):
        if word is None or letter is None or not _continues(word, letter):
            if word:
                yield word
            word = letter
        else:
            word = Word(word.text + letter.text, word.left, min(word.top, letter.top), letter.right,
                        max(word.bottom, letter.bottom))  # fmt: skip
    if word:
        yield word


def _letters(text: Any, height: float) -> Iterator[Word | None]:
    """Every letter with its box; None for a blank, or for one that is not meant to be read."""
    box = raw.FS_RECTF()
    for at in range(text.count_chars()):
        letter = chr(raw.FPDFText_GetUnicode(text, at))
        if letter.isspace() or raw.FPDFText_IsGenerated(text, at) or raw.FPDFText_GetFontSize(text, at) <= SMALLEST:
            yield None
        else:
            raw.FPDFText_GetLooseCharBox(text, at, ctypes.byref(box))
            yield Word(letter, box.left, height - box.top, box.right, height - box.bottom)


def _continues(word: Word, letter: Word) -> bool:
    back = FURTHEST_BACK * (letter.bottom - letter.top)
    beside = -back <= letter.left - word.right <= WIDEST_GAP
    return beside and abs(letter.bottom - word.bottom) <= FURTHEST_DOWN


def _inside(word: Word, width: float, height: float) -> bool:
    across = word.left > SIDES and word.right < width - SIDES
    return across and word.top > TOP and word.bottom < height - BOTTOM


def _covering(words: list[Word]) -> NDArray[np.intp]:
    """Pairs of words that overlap by more than a point across and half the lower one's height."""
    if not words:
        return np.empty((0, 2), dtype=np.intp)
    left, top, right, bottom = np.array([(one.left, one.top, one.right, one.bottom) for one in words]).T
    across = np.minimum.outer(right, right) - np.maximum.outer(left, left)
    down = np.minimum.outer(bottom, bottom) - np.maximum.outer(top, top)
    lowest = np.minimum.outer(bottom - top, bottom - top)
    return np.argwhere(np.triu((across > 1) & (down > 0.5 * lowest), k=1))
