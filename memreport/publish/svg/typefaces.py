"""The bundled typefaces: which characters they have, how wide they are, and which of them a text needs."""

from __future__ import annotations

import base64
import json
from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, cast

from memreport.files import MOST_KEPT, read_bytes, read_text
from memreport.frozen import frozen
from memreport.paths import data_root

FAMILY = "MRSans"
"""A name of our own: a font of the same name on the machine would win over the bundled one."""
FAMILIES = f"{FAMILY}, MRSansMath, MRSansHebrew, MRSansArabic, MRSansChinese, MRSansKorean"
_WIDE = 1.0  # a Chinese character is as wide as it is high


@frozen
class Face:
    """One font file, and the ranges of characters that it has."""

    file: str
    family: str
    weight: int
    style: str
    starts: tuple[int, ...]
    stops: tuple[int, ...]

    def has(self, character: str) -> bool:
        """Whether the face can draw a character."""
        index = bisect_right(self.starts, ord(character)) - 1
        return index >= 0 and ord(character) <= self.stops[index]

    @cached_property
    def rule(self) -> str:
        """Its @font-face rule, with the font inside, so that rendering reads no file."""
        data = base64.b64encode(read_bytes(data_root() / "templates" / "fonts" / self.file, MOST_KEPT)).decode()
        return (
            f"@font-face {{ font-family: {self.family}; font-weight: {self.weight}; font-style: {self.style}; "
            f"src: url(data:font/woff2;base64,{data}) }}"
        )


@lru_cache
def _table() -> Mapping[str, Any]:
    text = read_text(data_root() / "templates" / "fonts" / "faces.json", MOST_KEPT)
    return cast(Mapping[str, Any], json.loads(text))


@lru_cache
def faces() -> tuple[Face, ...]:
    """All bundled faces, in the order in which a character is looked for."""
    return tuple(_face(**face) for face in _table()["faces"])


def _face(file: str, family: str, weight: int, style: str, ranges: str) -> Face:
    ends = [[int(end, 16) for end in part.split("-")] for part in ranges.split(",")]
    return Face(file, family, weight, style, tuple(pair[0] for pair in ends), tuple(pair[-1] for pair in ends))


def readable(text: str) -> str:
    """The text with every character that no bundled face has written as its number, so that nothing turns to a box."""
    return "".join(character if _drawable(character) else f"[U+{ord(character):04X}]" for character in text)


@lru_cache(maxsize=4096)
def _drawable(character: str) -> bool:
    return character in "\n\t" or any(face.has(character) for face in faces())


def needed(text: str) -> tuple[Face, ...]:
    """The main faces, and those others that some character of the text needs."""
    main = faces()[0]
    others = {
        next((face for face in faces() if face.has(name)), main).family for name in set(text) if not main.has(name)
    }
    return tuple(face for face in faces() if face.family == FAMILY or face.family in others)


LEAST_LEFT, OPENED = 0.7, " ,;:([{`'\"-–"
"""Share of a text that is cut between words rather than in one; what may not stand before the ellipsis."""


def text_width(text: str, size: float, weight: int = 400) -> float:
    """About how wide a text is, in the unit of `size`; never much less than it is drawn."""
    widths = _table()["widths"]["600" if weight > 400 else "400"]
    bold = 1.03 if weight > 600 else 1
    ems: float = sum(widths.get(character, _WIDE) for character in text)
    return size * bold * ems


def fitted(text: str, width: float, size: float, weight: int = 400) -> str:
    """The text, cut with an ellipsis where it would be wider than `width`, between words where that leaves most."""
    if text_width(text, size, weight) <= width:
        return text
    whole = text
    while text and text_width(text + "…", size, weight) > width:
        text = text[:-1]
    words = text if whole[len(text) :].startswith(" ") else text.rpartition(" ")[0]
    return (words if len(words) >= LEAST_LEFT * len(text) else text).rstrip(OPENED) + "…"


def listed_within(text: str, width: float, size: float, weight: int = 400) -> str:
    """A list parted by semicolons: as many whole parts as there is room for, and how many more there are."""
    parts = text.split("; ")
    for count in range(len(parts), 0, -1):
        more = f"; and {len(parts) - count} more" if count < len(parts) else ""
        said = "; ".join(parts[:count]) + more
        if text_width(said, size, weight) <= width:
            return said
    return fitted(text, width, size, weight)
