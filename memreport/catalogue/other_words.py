"""A scenario in words of other programs, read as the fields and choices that they stand for here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memreport.catalogue.fields.other_words import MEANINGS, SAME_FIELD, Meaning
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault

Keys = tuple[str | int, ...]
Known = Callable[[str, str], bool]
"""Whether a field has a choice of that name, which then means itself."""
WORKLOADS = ("training", "serving")
AXES = ("rows", "columns")


@dataclass(frozen=True)
class WordRead:
    """A word that is read as something else under an assumption, and where it stands."""

    field: str
    found: str
    meaning: Meaning
    place: Keys

    @property
    def message(self) -> str:
        """What is assumed, as the rest of a sentence about the field."""
        values = ", ".join(str(value) for value in self.meaning.settings.values())
        return f"is read as {values}: {self.meaning.assumes}" if values else self.meaning.assumes


def in_own_words(document: Document, known: Known, faults: list[Fault]) -> tuple[Document, tuple[WordRead, ...]]:
    """The document with words replaced, each field where its word stands; and the words that assume something."""
    read = _Reading(document, known, faults)
    data = {key: read.part(key, value) for key, value in document.data.items()}
    if data == document.data and not read.words:
        return document, ()
    made = replace(document, data=data, marks=read.marks, key_marks=read.key_marks)
    return made, tuple(word for word in read.words if word.meaning.assumes)


@dataclass(frozen=True)
class _Setting:
    """A field and its value, and the key that says it, by a word of its own or by one with a meaning."""

    key: str
    name: str
    value: Any
    meaning: Meaning | None = None


class _Reading:
    """The blocks of one document, one after the other."""

    def __init__(self, document: Document, known: Known, faults: list[Fault]) -> None:
        self.document, self.known, self.faults = document, known, faults
        self.marks, self.key_marks = dict(document.marks), dict(document.key_marks)
        self.workload = str(document.data.get("workload"))
        self.words: list[WordRead] = []

    def part(self, key: str, value: Any) -> Any:
        """One top-level key of a scenario."""
        if key in (*WORKLOADS, "search"):
            return self._block(value, (key,))
        if key in ("variants", "measured") and isinstance(value, dict):
            return {name: self._block(one, (key, name)) for name, one in value.items()}
        if key == "tables" and isinstance(value, list):
            return [self._table(one, (key, index)) for index, one in enumerate(value)]
        return value

    def _table(self, table: Any, keys: Keys) -> Any:
        whole = table if isinstance(table, dict) else {}
        axes = {axis: self._block(whole[axis], (*keys, axis)) for axis in AXES if axis in whole}
        return {**whole, **axes} if axes else table

    def _block(self, block: Any, keys: Keys) -> Any:
        """Fields with values, or with lists of values of which each is tried."""
        if not isinstance(block, dict) or not all(isinstance(key, str) for key in block):
            return block
        made: dict[str, Any] = {}
        found = [setting for key, value in block.items() for setting in self._read(key, value, keys, block)]
        for word in sorted(found, key=lambda setting: setting.meaning is not None):
            self._put(made, word, keys)
        return made

    def _put(self, made: dict[str, Any], word: _Setting, keys: Keys) -> None:
        """One field, with the place of its word; a fault where another value of it is stated."""
        name, given, place = word.name, word.value, (*keys, word.key)
        other = made.get(name, given)
        if other != given and not (word.meaning and other in word.meaning.replaces):
            found = f"{given} against {other}"
            self.faults.append(self.document.fault(place, f"contradicts {name}, which it sets", found=found))
        if other != given:
            self.words = [read for read in self.words if read.place != (*keys, name)]
        made[name] = given
        if name != word.key:
            for marks in (self.marks, self.key_marks):
                under = [(path, mark) for path, mark in marks.items() if path[: len(place)] == place]
                marks.update(((*keys, name, *path[len(place) :]), mark) for path, mark in under)

    def _read(self, key: str, value: Any, keys: Keys, block: Mapping[str, Any]) -> Iterator[_Setting]:
        """What a key says in fields of this program."""
        prefix, dot, name = key.rpartition(".")
        section = prefix or (str(keys[0]) if keys[0] in WORKLOADS else self.workload)
        if section not in WORKLOADS:
            yield _Setting(key, key, value)
            return
        field = SAME_FIELD.get((section, name), name)
        if isinstance(value, list):
            value = [self._single(field, one) for one in value]
        meaning = self._meaning(field, value) if section == "training" else None
        if meaning is None:
            yield _Setting(key, prefix + dot + field, value)
            return
        self.words.append(WordRead(name, str(value), meaning, (*keys, key)))
        stated = {one.rpartition(".")[2] for one in (*block, *(self.document.data.get(section) or ()))}
        open_ = {one: given for one, given in meaning.unless_stated.items() if one not in stated}
        for text, given in {**meaning.settings, **open_}.items():
            yield _Setting(key, prefix + dot + text, given, meaning)

    def _single(self, field: str, value: Any) -> Any:
        """One value of a list, where its word stands for a choice of the same field alone."""
        meaning = self._meaning(field, value)
        return meaning.settings[field] if meaning and set(meaning.settings) == {field} else value

    def _meaning(self, field: str, value: Any) -> Meaning | None:
        word = str(value).lower() if isinstance(value, (str, bool)) else ""
        meaning = MEANINGS.get((field, word), MEANINGS.get((field, "")))
        return None if meaning is None or self.known(field, str(value)) else meaning
