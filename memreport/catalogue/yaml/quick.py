"""YAML of the plainest kind, read with libyaml's events: a quarter of the time that the strict reading takes.

Whatever is not beyond doubt is left to `strict`, which finds every fault and knows its place: a text that may be
scanned otherwise there, and everything that is no mapping, list or scalar without tag, anchor or fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import yaml
from yaml import events

from memreport.catalogue.yaml.scalars import plain_scalar

Keys = tuple[str | int, ...]
Place = TypeVar("Place")
DOUBTFUL = re.compile(
    r"""[\t\\\x85\xa0]|^\ufeff|^(?:---|\.\.\.)|(?:^|[-:,\[{?]) *\?(?:\s|$)"""
    r"""|(?:^|[:,\[{?"']|(?<!\S)-(?= )) *(?!(?<=: )[|>]-?\n)[%&*!|>@`]""",
    re.MULTILINE,
)
"""What PyYAML and libyaml might read in two ways, or is refused: tabs, escapes, explicit keys, and signs of
anchors, tags, directives and block texts where a value may begin, but for the plainest of block texts; inside a text
these signs mean nothing to either."""
DOUBTFUL_INSIDE = re.compile(r"\?|:\Z")
"""The same of what stands without quotes between brackets."""
_Parser: Any = getattr(getattr(yaml, "cyaml", None), "CParser", None)
_NODES: Any = (events.ScalarEvent, events.SequenceStartEvent, events.MappingStartEvent)


class _LeftError(Exception):
    """The text is not beyond doubt."""


@dataclass
class Plain(Generic[Place]):
    """What is read: the data, and by path where each value and key begins."""

    data: Any = None
    marks: dict[Keys, Place] = field(default_factory=dict)
    key_marks: dict[Keys, Place] = field(default_factory=dict)


def plain(text: str, place: Callable[[int, int], Place], most_depth: int, most_nodes: int) -> Plain[Place] | None:
    """A text that is beyond doubt, else None; `place` makes what is kept of a line and a column, which count from 1."""
    if _Parser is None or DOUBTFUL.search(text):
        return None
    try:
        return _Reader(_Parser(text), place, most_depth, most_nodes).document()
    except (_LeftError, yaml.YAMLError, ValueError):
        return None


class _Reader(Generic[Place]):
    """One pass over libyaml's events, which it makes without recursion."""

    def __init__(self, parser: Any, place: Callable[[int, int], Place], most_depth: int, most_nodes: int) -> None:
        self.take, self.place, self.most_depth, self.left = parser.get_event, place, most_depth, most_nodes
        self.found = Plain[Place]()

    def document(self) -> Plain[Place]:
        """The only document of the text.  Raises _LeftError."""
        self._expect(events.StreamStartEvent)
        self._expect(events.DocumentStartEvent)
        self.found.data = self._value((), self.take())
        self._expect(events.DocumentEndEvent)
        self._expect(events.StreamEndEvent)
        return self.found

    def _expect(self, kind: type) -> None:
        if not isinstance(self.take(), kind):
            raise _LeftError

    def _value(self, path: Keys, event: Any, *, inside: bool = False) -> Any:
        """A value; `inside` brackets or not."""
        self.found.marks[path] = self._place(event)
        if isinstance(event, events.ScalarEvent):
            return self._scalar(event, inside)
        if len(path) >= self.most_depth:
            raise _LeftError
        inside = inside or bool(event.flow_style)
        return self._list(path, inside) if isinstance(event, events.SequenceStartEvent) else self._mapping(path, inside)

    def _place(self, event: Any) -> Place:
        """Where a key or value begins; each is counted."""
        self.left -= 1
        if self.left < 0 or not isinstance(event, _NODES) or event.tag is not None or event.anchor is not None:
            raise _LeftError
        mark = event.start_mark
        return self.place(mark.line + 1, mark.column + 1)

    @staticmethod
    def _scalar(event: Any, inside: bool) -> Any:
        if event.style:
            return event.value
        if not event.value or (inside and DOUBTFUL_INSIDE.search(event.value)):
            raise _LeftError
        return plain_scalar(event.value)

    def _list(self, path: Keys, inside: bool) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := self.take(), events.SequenceEndEvent):
            items.append(self._value((*path, len(items)), event, inside=inside))
        return items

    def _mapping(self, path: Keys, inside: bool) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while not isinstance(event := self.take(), events.MappingEndEvent):
            mark, key = self._place(event), self._key(event, inside)
            if key in items:
                raise _LeftError
            self.found.key_marks[(*path, key)] = mark
            items[key] = self._value((*path, key), self.take(), inside=inside)
        return items

    def _key(self, event: Any, inside: bool) -> str:
        """A key that is text beyond doubt."""
        if not isinstance(event, events.ScalarEvent):
            raise _LeftError
        key = self._scalar(event, inside)
        if not isinstance(key, str) or (not event.style and key == "<<"):
            raise _LeftError
        return key
