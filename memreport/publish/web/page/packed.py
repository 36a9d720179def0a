"""The data of a page as short JSON: each list in the shortest of the ways in which the page reads them."""

from __future__ import annotations

import json
import math
import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from memreport.publish.web.page.repeated import Signs, signs_of

RUN = "~"
"""Stands in a packed list between a digit and, as a digit too, how often it comes."""
_SIGNS = string.punctuation.translate(dict.fromkeys(map(ord, f'"\\<>&{RUN}')))
PLACES = string.digits + string.ascii_letters + _SIGNS
"""Digits of a packed list: the place of a member among what the list holds."""
LEAST_PACKED = 8
_NUMBERS = frozenset((float, int))
_REPEATED = re.compile(rf"(.)\1{{3,{len(PLACES) - 2}}}")
_WHOLE = re.compile(r"^(?P<digits>-?\d+?)(?P<zeros>0*)(?:\.0)?$")
_ENCODED = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_INERT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def inert_json(data: Mapping[str, Any]) -> str:
    """Signs and words in a line, then the data: JSON that no reader of HTML or JavaScript takes for more than text."""
    signs = signs_of(texts_in(data))
    listed = {"signs": signs.between + signs.other + signs.signs, "words": signs.between.join(signs.words)}
    return f"{_ENCODED.encode(listed)}\n{_Packing(signs).of(data)}".translate(_INERT)


def texts_in(data: Any) -> list[str]:
    """Every text and every name of some data."""
    found: list[str] = []
    open_ones = [data]
    while open_ones:
        one = open_ones.pop()
        if type(one) in _NUMBERS:  # most are
            continue
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, list | tuple):
            open_ones += one
        elif isinstance(one, dict):
            open_ones += [*one, *one.values()]
    return found


@lru_cache(1 << 14)
def _number(text: str) -> str:
    """A number as Python writes it, without the zeros that an exponent says; a page has the same ones many times."""
    if not math.isfinite(float(text)):
        raise ValueError(f"JSON has no {text}")
    return _WHOLE.sub(_shortened, text)


def _shortened(found: re.Match[str]) -> str:
    """Of a whole number its digits, with an exponent where many zeros end it."""
    digits, zeros = found["digits"], found["zeros"]
    return f"{digits}e{len(zeros)}" if len(zeros) > len("e99") else f"{digits}{zeros}"


class _Packing:
    """Data as the shortest JSON that the page reads, its texts in signs."""

    def __init__(self, signs: Signs) -> None:
        self.signs = signs
        self.texts = {text: _ENCODED.encode(written) for text, written in signs.written.items()}

    def of(self, data: Any) -> str:
        """A text, a number, a list, or names with values."""
        if type(data) in _NUMBERS:
            return _number(repr(data))
        if isinstance(data, str):
            return self.texts[data]
        if isinstance(data, list | tuple):
            return self._listed(data, self._each(data))
        if isinstance(data, dict):
            return self._mapped(list(data), self._each(data.values()), list(data.values()))
        return _ENCODED.encode(data) if data is None or isinstance(data, bool) else _number(repr(data))

    def _each(self, members: Collection[Any]) -> list[str]:
        """Each of these; numbers and texts, as most lists have them, without asking what each of them is."""
        kinds = set(map(type, members))
        if kinds <= _NUMBERS:
            return list(map(_number, map(repr, members)))
        return list(map(self.texts.__getitem__ if kinds == {str} else self.of, members))

    def _mapped(self, names: Sequence[str], said: Sequence[str], values: Sequence[Any]) -> str:
        """Names beside their values, or a list of names before a list of values."""
        pairs = ",".join(f"{_ENCODED.encode(name)}:{value}" for name, value in zip(names, said, strict=True))
        if len(names) < LEAST_PACKED:
            return f"{{{pairs}}}"
        return min(f"{{{pairs}}}", f'{{"named":{self.of(names)},"each":{self._listed(values, said)}}}', key=_size)

    def _listed(self, members: Sequence[Any], said: Sequence[str]) -> str:
        ways = (f"[{','.join(said)}]", *_as_digits(said), *self._as_columns(members), *self._as_one_text(members, said))
        return min(ways, key=_size)

    def _as_columns(self, rows: Sequence[Any]) -> Iterator[str]:
        """Rows of one length as columns, whose members repeat each other more than those of a row."""
        lengths = {len(row) if type(row) in (list, tuple) else 0 for row in rows} if len(rows) >= LEAST_PACKED else {0}
        if len(lengths) == 1 and 0 not in lengths:
            yield f'{{"down":[{",".join(map(self.of, zip(*rows, strict=True)))}]}}'

    def _as_one_text(self, members: Sequence[Any], said: Sequence[str]) -> Iterator[str]:
        """Texts as one, with a sign between each two; what is no text is its JSON after another sign."""
        kinds = set(map(type, members))
        if str in kinds and kinds <= {str, int, float, bool, type(None)}:
            written, other = self.signs.written, self.signs.other
            pairs = zip(members, said, strict=True)
            texts = (written[one] if isinstance(one, str) else f"{other}{text}" for one, text in pairs)
            yield f'{{"texts":{_ENCODED.encode(self.signs.between.join(texts))}}}'


def _size(text: str) -> int:
    """Bytes of it in the page."""
    return len(text) if text.isascii() else len(text.encode())


def _as_digits(texts: Sequence[str]) -> Iterator[str]:
    """A list that says little as what it holds, and a digit for each member, all of which are given as JSON."""
    if len(texts) < LEAST_PACKED:
        return
    held = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    if len(held) <= len(PLACES):
        digits = "".join(PLACES[held[text]] for text in texts)
        runs = _REPEATED.sub(lambda found: f"{found[1]}{RUN}{PLACES[len(found[0])]}", digits)
        yield f'{{"of":[{",".join(held)}],"at":{_ENCODED.encode(runs)}}}'
