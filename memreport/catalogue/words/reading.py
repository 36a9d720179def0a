"""A scenario in words of other programs, read as the fields and choices that they stand for here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memreport.catalogue.words.following import with_followed
from memreport.catalogue.words.meaning import Meaning
from memreport.catalogue.words.names import IN_GIB, SAME_FIELD
from memreport.catalogue.words.tables import MEANINGS
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault

Keys = tuple[str | int, ...]
Known = Callable[[str, str], str]
"""The choice of a field that a word names, which then means itself, as its table spells it; "" where it has none."""
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
    data = with_followed(data, replace(document, marks=read.marks, key_marks=read.key_marks), faults)
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
        field, stated = SAME_FIELD.get((section, name.lower()), name), self._stated(section, block)
        meaning = self._meaning(section, field, value, stated)
        if meaning is None:
            yield _Setting(key, prefix + dot + field, self._own(section, name, field, value, stated))
            return
        self.words.append(WordRead(name, _word(value), meaning, (*keys, key)))
        open_ = {name_: given for name_, given in meaning.unless_stated.items() if name_ not in stated}
        for field_name, given in {**meaning.settings, **open_}.items():
            yield _Setting(key, prefix + dot + field_name, given, meaning)

    def _stated(self, section: str, block: Mapping[str, Any]) -> Mapping[str, str]:
        """Fields that the block and its section state by any name, with the words of their values."""
        whole = {**(self.document.data.get(section) or {}), **block}
        names = ((str(path).rpartition(".")[2], value) for path, value in whole.items())
        return {SAME_FIELD.get((section, name.lower()), name): _word(value) for name, value in names}

    def _own(self, section: str, name: str, field: str, value: Any, stated: Mapping[str, str]) -> Any:
        """A value of a field of this program: each of a list, a choice as its table spells it, a number in GiB."""
        if isinstance(value, list):
            return [self._single(section, field, item, stated) for item in value]
        if isinstance(value, dict) and "device" in value:
            value = _word(value)
        if isinstance(value, str):
            return self.known(field, value) or value
        return f"{value} GiB" if name in IN_GIB else value

    def _single(self, section: str, field: str, value: Any, stated: Mapping[str, str]) -> Any:
        """One value of a list, where its word stands for a choice of the same field alone."""
        meaning = self._meaning(section, field, value, stated)
        if meaning and set(meaning.settings) == {field}:
            return meaning.settings[field]
        return (isinstance(value, str) and self.known(field, value)) or value

    def _meaning(self, section: str, field: str, value: Any, stated: Mapping[str, str]) -> Meaning | None:
        word, program = _word(value), stated.get("framework", "deepspeed" if "deepspeed" in stated else "")
        if field in ("bf16", "fp16") and "precision" in stated:
            word = "false"
        tried = (f"{word}@{program}+{stated.get('method', '')}", f"{word}@{program}", word, "")
        found = next((MEANINGS[section, field, word] for word in tried if (section, field, word) in MEANINGS), None)
        return None if found is None or (isinstance(value, str) and self.known(field, value)) else found


def _word(value: Any) -> str:
    """A value as a table of words has it: in small letters, a list joined, of an object its device or switch."""
    if isinstance(value, dict):
        value = value.get("device", value.get("enabled", ""))
    parts = value if isinstance(value, list) else [value]
    return "_".join(str(part).lower().replace(" ", "_") for part in parts)
