"""Texts of a long list with a sign in place of each word that they repeat: a third less of the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

LEAST_TEXT = 200
"""Characters of a list below which nothing is gained."""
SIGNS = "".join(map(chr, [*range(0x100, 0x2B0), *range(0x400, 0x530)]))
"""Latin and Cyrillic letters, two bytes each in UTF-8, which English texts do not have; none joins with another."""
SIGN_BYTES = 2
LISTED_BYTES = 5
"""What a word in the list of words takes besides its own bytes: quotes, comma and its sign."""
_WORD = re.compile(r"""[ _/-]?[^\s\"\\_/,.;:`()'-]+""")
"""A word of a text, or a part of a name or an address, with the sign that joins it to what is before it."""


def in_signs(members: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The list with signs for words, the words, and the signs in their order; nothing where that is not shorter."""
    texts = [member for member in members if isinstance(member, str)]
    if sum(map(len, texts)) < LEAST_TEXT:
        return
    written = set("".join(texts))
    signs = [sign for sign in SIGNS if sign not in written]
    word_signs = dict(zip(_worth_a_sign(texts), signs, strict=False))
    said = [_signed(member, word_signs) if isinstance(member, str) else member for member in members]
    yield {"said": said, "words": list(word_signs), "signs": "".join(word_signs.values())}


def _worth_a_sign(texts: Sequence[str]) -> list[str]:
    """Words by what their signs save, the most first."""
    counted = Counter(word for text in texts for word in _WORD.findall(text))
    saved = {word: _saved(word, count) for word, count in counted.items()}
    return sorted((word for word in saved if saved[word] > 0), key=lambda word: (-saved[word], word))


def _saved(word: str, count: int) -> int:
    size = len(word.encode())
    return count * (size - SIGN_BYTES) - size - LISTED_BYTES


def _signed(text: str, word_signs: dict[str, str]) -> str:
    return _WORD.sub(lambda found: word_signs.get(found[0], found[0]), text)
