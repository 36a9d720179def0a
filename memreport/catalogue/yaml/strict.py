"""YAML without surprises: scalars of the YAML 1.2 core schema, a mark for every value, and every mistake reported.

Refused: duplicate keys, aliases, anchors, tags, merge keys, directives, several documents, keys that are not text,
characters that nobody can see, numbers that a 64-bit float cannot hold, and files that are too large or too deep.
Lines and columns count from 1, in characters, as an editor shows them; a tab is one character.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from yaml import events, tokens
from yaml.error import MarkedYAMLError
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from memreport import errors
from memreport.catalogue.yaml.quick import plain
from memreport.catalogue.yaml.scalars import Scalar, is_text, plain_scalar
from memreport.files import MOST_YAML, UNSEEN, read_bytes
from memreport.frozen import frozen

MAX_BYTES = MOST_YAML
MAX_DEPTH = 64
MAX_NODES = 20_000
MAX_CHARACTER_FAULTS = 20
"""A file with more runs of characters that text may not hold is no text."""

Keys = tuple[str | int, ...]

# What PyYAML lets slip on hostile text: escapes beyond Unicode, endless numbers in directives, reads past the end.
_SCANNER_SLIPS = (ValueError, OverflowError, IndexError, AssertionError)
_FORBIDDEN: dict[type, str] = {
    tokens.AnchorToken: "anchors (&name) are not allowed; write the values out",
    tokens.AliasToken: "aliases (*name) are not allowed; write the value out",
    tokens.TagToken: "tags (!name) are not allowed",
    tokens.DirectiveToken: "directives (%NAME) are not allowed",
}


class _Syntax(NamedTuple):
    """PyYAML's wording, ours, and whether to point at the beginning of the broken thing, or to name its line."""

    problem: str
    message: str
    at_beginning: bool = False
    name_line: bool = False


_SYNTAX = (
    _Syntax(r"found character '\t'", "a tab may not indent or separate; use spaces"),
    _Syntax("cannot start any token", "no value begins with this character; put a text in quotes"),
    _Syntax("could not find expected ':'", "this key has no ':' after it", at_beginning=True),
    _Syntax("found unexpected end of stream", "this quotation mark is never closed", at_beginning=True),
    _Syntax("found unexpected document separator", "this quotation mark is not closed before '---'", at_beginning=True),
    _Syntax("unknown escape", r"unknown escape; write \\ for a backslash, or use single quotes"),
    _Syntax("escape sequence", "incomplete escape; use single quotes to keep a backslash as it is"),
    _Syntax("mapping values are", "no ':' is allowed here; mind the indentation, and put a text with ': ' in quotes"),
    _Syntax("sequence entries are", "no list item is allowed here; begin it on a line of its own"),
    _Syntax("got '<stream end>'", "this bracket is never closed", at_beginning=True),
    _Syntax("or ']'", "expected ',' or ']' in the list", name_line=True),
    _Syntax("or '}'", "expected ',' or '}' in the mapping", name_line=True),
    _Syntax("<block end>", "this does not line up with, or belong to, the block", name_line=True),
    _Syntax("content, but found '<stream end>'", "the file ends before a value or closing bracket"),
    _Syntax("expected the node content", "a value is missing before this"),
    _Syntax("'<document start>'", "nothing may follow the end of the value; a text may need quotes"),
    _Syntax("indentation indicators", "after | or > the text begins on a new line"),
    _Syntax("alphabetic or numeric", "a text that begins with & or * needs quotes", at_beginning=True),
)


class Mark(NamedTuple):
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int


@frozen
class Document:
    r"""One file as plain data, with the place of every value and key; `text` ends lines with \n and has no BOM."""

    file: str
    data: Any
    marks: Mapping[Keys, Mark]
    key_marks: Mapping[Keys, Mark]
    text: str

    def mark(self, path: Keys) -> Mark:
        """The place of the value at `path`, or of the nearest parent that exists."""
        return next(self.marks[path[:size]] for size in range(len(path), -1, -1) if path[:size] in self.marks)

    def without_lines(self) -> Document:
        """The same, where lines mean nothing to the reader of a fault."""
        nowhere = Mark(self.file, 0, 0)
        return replace(self, marks=dict.fromkeys(self.marks, nowhere), key_marks=dict.fromkeys(self.key_marks, nowhere))

    def fault(
        self, path: Keys, message: str, *, found: str = "", expected: str = "", nearest: str = "", at_key: bool = False
    ) -> errors.Fault:
        """A fault that points at the value at `path`, or at its key; `field` is the dotted path."""
        mark = self.key_marks.get(path) if at_key else None
        return _fault(mark or self.mark(path), message, path, found, expected=expected, nearest=nearest)


def read(path: Path, most_nodes: int = MAX_NODES) -> Document:
    """Read a YAML file; raises InputError with every fault that can be found in it."""
    document, faults = examine(path, most_nodes)
    if faults or document is None:
        raise errors.InputError(faults)
    return document


def examine(path: Path, most_nodes: int = MAX_NODES) -> tuple[Document | None, list[errors.Fault]]:
    """A YAML file with its faults; its data too where it could be read to its end, to find what else is wrong."""
    file = str(path)
    try:
        raw = read_bytes(path, MAX_BYTES)
    except errors.InputError as error:
        return None, list(error.faults)
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None, [_fault(Mark(file, 1, 1), "the file is UTF-16 text", expected="UTF-8")]
    if b"\0" in raw:
        return None, [_fault(Mark(file, 1, 1), "the file is no text: it holds zero bytes", expected="UTF-8")]
    return _examined(raw.decode("utf-8", "surrogateescape"), file, most_nodes)


def parse(text: str, file: str) -> Document:
    """Read YAML text, naming `file` in faults; raises InputError with every fault that can be found in it."""
    document, faults = _examined(text, file)
    if faults or document is None:
        raise errors.InputError(faults)
    return document


def _examined(text: str, file: str, most_nodes: int = MAX_NODES) -> tuple[Document | None, list[errors.Fault]]:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return None, [_fault(Mark(file, 1, 1), "is too large, more than 1 MB")]
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    faults = _unseen_characters(text, file)
    if faults and "text file" in faults[0].message:
        return None, faults
    found = None if faults else plain(text, partial(Mark, file), MAX_DEPTH, most_nodes)
    if found and found.data is not None:
        return Document(file, found.data, found.marks, found.key_marks, text), []
    return _walked(text, file, faults, most_nodes)


def _walked(
    text: str, file: str, faults: list[errors.Fault], most_nodes: int
) -> tuple[Document | None, list[errors.Fault]]:
    """The reading that finds every mistake."""
    walk = _Walk(file, _Events(UNSEEN.sub(lambda run: "\ufffd" * len(run[0]), text)), faults, most_nodes)
    data = walk.document()
    document = Document(file, data, walk.marks, walk.key_marks, text) if walk.whole else None
    return document, walk.faults


def dotted(path: Keys) -> str:
    """A path as it is written in messages: `variants.zero3.training`, `changes.0.date`."""
    return ".".join(str(key) for key in path)


def _fault(
    mark: Mark, message: str, path: Keys = (), found: str = "", *, expected: str = "", nearest: str = ""
) -> errors.Fault:
    return errors.Fault(message, *mark, dotted(path), found, expected, nearest)


def _unseen_characters(text: str, file: str) -> list[errors.Fault]:
    """One fault for each run of characters that text may not hold; past the first twenty, one for all of them."""
    runs = list(UNSEEN.finditer(text))
    if len(runs) > MAX_CHARACTER_FAULTS:
        first = _fault(_mark_at(text, runs[0].start(), file), *_described(runs[0][0]))
        return [first.saying(f"{first.message}, and {len(runs) - 1:,} more like it follow; is this a text file?")]
    return [_fault(_mark_at(text, run.start(), file), *_described(run[0])) for run in runs]


def _described(run: str, path: Keys = ()) -> tuple[str, Keys, str]:
    """Message, path and what was found, for a run of characters that text may not hold."""
    first = ord(run[0])
    if 0xDC80 <= first <= 0xDCFF:  # how Python's decoder hands on a byte that is not UTF-8
        return "bytes that are not UTF-8 text are not allowed", path, f"byte 0x{first - 0xDC00:02X}"
    return "invisible and control characters are not allowed", path, f"U+{first:04X}"


def _mark_at(text: str, index: int, file: str) -> Mark:
    return Mark(file, text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))


class _StopReadingError(Exception):
    """Reading on would cost too much; the fault is already noted."""


class _Events(Reader, Scanner, Parser):
    """PyYAML's pure Python scanner and parser (the C one crashes on deep nesting), noting forbidden tokens."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        self.forbidden: list[tuple[str, Any]] = []

    def get_token(self) -> Any:
        """The next token; where PyYAML could stop the reading at an unknown tag, the tag is made harmless."""
        token = super().get_token()  # type: ignore[no-untyped-call]  # PyYAML's own code has no types
        if message := _FORBIDDEN.get(type(token)):
            self.forbidden.append((message, token.start_mark))
        if isinstance(token, tokens.TagToken):
            token.value = (None, "!")
        if len(self.forbidden) > MAX_NODES:
            raise _StopReadingError
        return token

    def take(self) -> Any:
        """The next event, which is then gone."""
        return self.get_event()  # type: ignore[no-untyped-call]  # as above

    def upcoming(self) -> Any:
        """The next event, which stays."""
        return self.peek_event()  # type: ignore[no-untyped-call]  # as above


@dataclass
class _Walk:
    """One pass over the events of a file: builds plain data, marks and faults."""

    file: str
    stream: _Events
    faults: list[errors.Fault]
    most_nodes: int
    marks: dict[Keys, Mark] = field(default_factory=dict)
    key_marks: dict[Keys, Mark] = field(default_factory=dict)
    nodes: int = 0
    whole: bool = False
    """Whether the file was read to its end, and holds something."""

    def document(self) -> Any:
        """The data of the only document; afterwards `faults` holds every mistake that was found."""
        data = None
        try:
            data = self._only_document()
            self.whole = () in self.marks
        except MarkedYAMLError as error:
            self._note_syntax(error)
        except _SCANNER_SLIPS:
            self._note(self._mark(self.stream.get_mark()), "not valid YAML: this number or escape is out of range")
        except _StopReadingError:
            pass
        for message, mark in self.stream.forbidden:
            self._note(self._mark(mark), message)
        return data

    def _only_document(self) -> Any:
        self.stream.take()
        opening, first = self.stream.take(), self.stream.upcoming()
        if isinstance(opening, events.StreamEndEvent):
            return self._note(Mark(self.file, 1, 1), "the file is empty")
        data = self._value(())
        self.stream.take()
        following = self.stream.take()
        if not isinstance(following, events.StreamEndEvent):
            self._note(self._mark(following.start_mark), "a second document is not allowed; use another file")
        elif _is_plain(first) and not first.value:
            self.marks[()] = Mark(self.file, 1, 1)
            self._note(self.marks[()], "the file is empty")
        return data

    def _value(self, path: Keys) -> Any:
        """The next value as plain data; `path` says where it stands."""
        event = self.stream.take()
        mark = self.marks[path] = self._mark(event.start_mark)
        self._count(mark, path, event)
        if isinstance(event, events.ScalarEvent):
            return self._scalar(event, mark, path)
        if isinstance(event, events.SequenceStartEvent):
            return self._sequence(path)
        return self._mapping(path) if isinstance(event, events.MappingStartEvent) else None

    def _sequence(self, path: Keys) -> list[Any]:
        items: list[Any] = []
        while not self.stream.check_event(events.SequenceEndEvent):
            items.append(self._value((*path, len(items))))
        self.stream.take()
        return items

    def _mapping(self, path: Keys) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while not self.stream.check_event(events.MappingEndEvent):
            key, mark = self._key(path)
            inner = (*path, key)
            if key in items:
                self._note(mark, f"duplicate key; it first stands on line {self.key_marks[inner].line}", inner)
            self.key_marks.setdefault(inner, mark)
            items[key] = self._value(inner)
        self.stream.take()
        return items

    def _key(self, path: Keys) -> tuple[str, Mark]:
        """The next key, with a text put for one that is none, so that the values below it are read as well."""
        event = self.stream.upcoming()
        mark = self._mark(event.start_mark)
        if not isinstance(event, events.ScalarEvent):
            self._value((*path, ""))
            if not isinstance(event, events.AliasEvent):
                self._note(mark, "a key must be text", path, "a list or mapping")
            return f"line {mark.line} column {mark.column}", mark
        self.stream.take()
        self._count(mark, path, event)
        self._check_key(event, mark, path)
        return event.value, mark

    def _check_key(self, event: events.ScalarEvent, mark: Mark, path: Keys) -> None:
        if unseen := UNSEEN.search(event.value):
            self._note(mark, *_described(unseen[0], path))
        elif _is_plain(event) and event.value == "<<":
            self._note(mark, "merge keys (<<) are not allowed; write the values out", path)
        elif _is_plain(event) and not is_text(event.value):
            self._note(mark, "a key must be text; put it in quotes", path, _shortened(event.value) or "nothing")

    def _scalar(self, event: events.ScalarEvent, mark: Mark, path: Keys) -> Scalar:
        if unseen := UNSEEN.search(event.value):
            self._note(mark, *_described(unseen[0], path))
        if not _is_plain(event):
            return str(event.value)
        try:
            return plain_scalar(event.value)
        except ValueError as error:
            self._note(mark, str(error), path, _shortened(event.value))
            return None

    def _count(self, mark: Mark, path: Keys, event: events.Event) -> None:
        """Stop before a file costs too much time or stack."""
        self.nodes += 1
        if len(path) >= MAX_DEPTH and isinstance(event, events.CollectionStartEvent):
            message = f"lists and mappings are nested more than {MAX_DEPTH} deep"
        elif self.nodes > self.most_nodes:
            message = f"the file holds more than {self.most_nodes:,} keys and values"
        else:
            return
        self._note(mark, message)
        raise _StopReadingError

    def _note_syntax(self, error: MarkedYAMLError) -> None:
        problem = error.problem or ""
        rule = next((rule for rule in _SYNTAX if rule.problem in problem), _Syntax("", f"not valid YAML: {problem}"))
        place = error.context_mark if rule.at_beginning else None
        mark = self._mark(place or error.problem_mark or self.stream.get_mark())
        begun = f" begun on line {error.context_mark.line + 1}" if rule.name_line and error.context_mark else ""
        if all(mark != self._mark(forbidden) for _, forbidden in self.stream.forbidden):
            self._note(mark, rule.message + begun)

    def _mark(self, mark: Any) -> Mark:
        return Mark(self.file, mark.line + 1, mark.column + 1)

    def _note(self, mark: Mark, message: str, path: Keys = (), found: str = "") -> None:
        self.faults.append(_fault(mark, message, path, found))


def _is_plain(event: Any) -> bool:
    return isinstance(event, events.ScalarEvent) and event.style is None


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
