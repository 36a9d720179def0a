"""Words and phrases that the texts of a page repeat, with a sign in place of each: half of what the texts take.

A phrase is two symbols that stand beside each other again and again; a symbol is a word, or a phrase that has a sign.
What a sign saves is counted, the best get theirs, and what is left is counted again.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from memreport.frozen import frozen

Symbols = NDArray[np.int64]
SHORT_SIGNS = "~#@!$%*+=?|;_`"
"""Signs of one byte, for what is said most; none of them means anything in a class of a regular expression."""
SIGNS = "".join(
    letter
    for letter in map(chr, (*range(0xC0, 0x590), *range(0x10D0, 0x10FB), *range(0xAC00, 0xB000)))
    if unicodedata.category(letter).startswith("L") and unicodedata.bidirectional(letter) == "L"
)
"""Letters of two bytes in UTF-8, then of three, that are read from left to right; none joins with another."""
_WORD = re.compile(r"""[ _/-]?[^\s\"\\_/,.;:`()'-]+|.""", re.DOTALL)
"""A word of a text, or a part of a name or an address, with the sign that joins it to what is before it."""
_END = 0
"""The symbol after each text."""
_SHARE_OF_A_ROUND = 64
"""Of all that is worth a sign, one in so many may get one before the rest is counted again."""
_APART = 2**32
"""What parts the two symbols of a pair that is one number; there are never so many symbols."""


@frozen
class Signs:
    """Which sign stands for what, and how each text is written; two more signs part texts, and mark what is none."""

    between: str
    other: str
    signs: str
    words: tuple[str, ...]
    written: Mapping[str, str]


def signs_of(texts: Iterable[str]) -> Signs:
    """Signs that none of these texts has, for what they repeat."""
    wanted = [*dict.fromkeys(texts)]
    letters = set(chain.from_iterable(wanted))
    between, other, *free = (sign for sign in SHORT_SIGNS + SIGNS if sign not in letters)
    phrases = _Phrases.of(wanted)
    phrases.learn(free)
    signs = dict(zip(phrases.most_used(), free, strict=False))
    said = [*phrases.written(signs)]
    bodies = [*phrases.texts[: phrases.words], *said[len(wanted) :]]
    words = tuple(bodies[symbol] for symbol in signs)
    return Signs(between, other, "".join(signs.values()), words, dict(zip(wanted, said, strict=False)))


@dataclass
class _Beside:
    """Two different symbols that stand beside each other, as one number; how often, where that may be worth a sign.

    What a sign saves only ever shrinks: a pair of symbols that are there already comes never more often than before.
    """

    pairs: Symbols
    counts: Symbols

    @classmethod
    def of(cls, first: Symbols, second: Symbols) -> _Beside:
        """Those that come more than once; the end of a text is beside nothing."""
        beside = (first != _END) & (second != _END) & (first != second)
        pairs, counts = np.unique(first[beside] * _APART + second[beside], return_counts=True)
        often = counts > 1
        return cls(pairs[often], counts[often])

    def keep(self, worth: NDArray[np.bool_]) -> None:
        """Forget the others."""
        self.pairs, self.counts = self.pairs[worth], self.counts[worth]

    def less(self, first: Symbols, second: Symbols) -> None:
        """Each of these comes once less."""
        gone, counts = np.unique(first * _APART + second, return_counts=True)
        at: Symbols = np.asarray(np.searchsorted(self.pairs, gone))
        known = np.flatnonzero(np.append(self.pairs, -1)[at] == gone)  # what is larger than all of them is none of them
        self.counts[at[known]] -= counts[known]

    def more(self, others: _Beside) -> None:
        """Pairs that did not come before."""
        pairs = np.concatenate([self.pairs, others.pairs])
        order = np.argsort(pairs)
        self.pairs, self.counts = pairs[order], np.concatenate([self.counts, others.counts])[order]


@dataclass
class _Phrases:
    """Texts as symbols, words before phrases; of every symbol its text and its bytes, and which have a sign.

    `places` holds the symbols of each text, then those of each phrase, with `_END` after each.
    """

    places: Symbols
    texts: list[str]
    sizes: Symbols
    words: int
    signed: list[int]
    beside: _Beside

    @classmethod
    def of(cls, texts: Iterable[str]) -> _Phrases:
        """The words of some texts, none with a sign yet."""
        numbers = {"": _END}
        words = (word for text in texts for word in (*_WORD.findall(text), ""))
        places = np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int64)
        sizes = np.array([len(json.dumps(word, ensure_ascii=False).encode()) - 2 for word in numbers], dtype=np.int64)
        return cls(places, list(numbers), sizes, len(numbers), [], _Beside.of(places[:-1], places[1:]))

    def learn(self, free: Sequence[str]) -> None:
        """Give these signs, first where they save most, as long as one saves anything."""
        while len(self.signed) < len(free):
            size = len(free[len(self.signed)].encode())
            worth = self._worth_a_sign(size)
            if not len(worth):
                return
            self._give(self._apart(worth, len(free) - len(self.signed)), size)

    def _worth_a_sign(self, size: int) -> Symbols:
        """Pairs of symbols by what a sign of so many bytes saves; a word alone is a pair with the end."""
        self.beside.keep(self._saved(self.beside.pairs, self.beside.counts, size) > 0)
        alone = np.arange(len(self.sizes)) * _APART
        pairs = np.concatenate([alone, self.beside.pairs])
        counts = np.concatenate([np.bincount(self.places, minlength=len(alone)), self.beside.counts])
        saved = self._saved(pairs, counts, size)
        worth = np.flatnonzero(saved > 0)
        return pairs[worth[np.lexsort((pairs[worth], -saved[worth]))]]

    def _saved(self, pairs: Symbols, counts: Symbols, size: int) -> Symbols:
        """What signs save: once more both symbols stand in the list of words, and the sign with what parts two."""
        first, second = np.divmod(pairs, _APART)
        bytes_ = self.sizes[first] + self.sizes[second]
        saved: Symbols = counts * (bytes_ - size) - bytes_ - size - 1
        return saved

    def _apart(self, pairs: Symbols, most: int) -> list[tuple[int, int]]:
        """The best of these pairs that share no symbol, so that each saves what was counted."""
        taken = {_END}
        found = []
        for pair in pairs[: max(len(pairs) // _SHARE_OF_A_ROUND, 1)]:
            first, second = divmod(int(pair), _APART)
            if first not in taken and (second == _END or second not in taken):
                taken |= {first, second}
                found.append((first, second))
        return found[:most]

    def _give(self, pairs: Iterable[tuple[int, int]], size: int) -> None:
        """A sign of so many bytes to each of these."""
        alone = [first for first, second in pairs if second == _END]
        self.sizes[alone] = size
        self.signed += alone
        if phrases := sorted(pair for pair in pairs if pair[1] != _END):
            self._join(phrases, size)

    def _join(self, phrases: Sequence[tuple[int, int]], size: int) -> None:
        """A symbol for each of these pairs, in its place everywhere, and the pair itself after all texts."""
        known = len(self.sizes)
        made = np.arange(known, known + len(phrases))
        self._put(np.array(phrases), made)
        alone = np.array([[*pair, _END] for pair in phrases]).ravel()
        self.places = np.concatenate([self.places, alone])
        self.sizes = np.concatenate([self.sizes, np.full(len(phrases), size)])
        self.texts += [self.texts[first] + self.texts[second] for first, second in phrases]
        self.signed += made.tolist()

    def _put(self, pairs: Symbols, made: Symbols) -> None:
        """Each of these symbols for each of these pairs, and what stands beside what, counted where that changes."""
        known = len(self.sizes)
        follows, joins = np.full(known, -1), np.zeros(known, dtype=np.int64)
        follows[pairs[:, 0]], joins[pairs[:, 0]] = pairs[:, 1], made
        places = self.places
        joined = np.flatnonzero(follows[places[:-1]] == places[1:])
        around = _near(joined, (-1, 0, 1))
        self.beside.less(places[around], places[around + 1])
        places[joined] = joins[places[joined]]
        self.places = places = np.delete(places, joined + 1)
        around = _near(joined - np.arange(len(joined)), (-1, 0))
        self.beside.more(_Beside.of(places[around], places[around + 1]))

    def most_used(self) -> list[int]:
        """Symbols that have a sign, the most used first."""
        counts = np.bincount(self.places, minlength=len(self.sizes))
        return sorted(self.signed, key=lambda symbol: (-counts[symbol], symbol))

    def written(self, signs: Mapping[int, str]) -> Iterator[str]:
        """Each text, then each phrase, in the signs of its symbols."""
        parts: list[str] = []
        for symbol in self.places.tolist():
            if symbol == _END:
                yield "".join(parts)
                parts.clear()
            else:
                parts.append(signs.get(symbol, self.texts[symbol]))


def _near(places: Symbols, steps: Iterable[int]) -> Symbols:
    """The places so many steps from these, each once."""
    near = np.unique(np.concatenate([places + step for step in steps]))
    return near[near >= 0]
