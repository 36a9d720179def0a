"""What a word of another program or of a question stands for, where that is documented, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from memreport.catalogue.question.numbers import Places
from memreport.catalogue.yaml.strict import Document
from memreport.frozen import frozen

ANY = "any"
"""What replaces whatever is stated beside it."""
THE_QUESTION = "the question"
"""Who says what is read in a question for a field that is open."""


@frozen
class Meaning:
    """The fields that a word sets: `settings` for certain, `unless_stated` where the scenario does not state them."""

    settings: Mapping[str, object]
    source: str
    unless_stated: Mapping[str, object] = field(default_factory=dict)
    assumes: str = ""
    """What is assumed with it, for the reader of the answer."""
    replaces: tuple[str, ...] = ()
    """Values stated beside it that it turns into its own, as an option of the same program does."""
    lacks: tuple[str, ...] = ()
    """What a program cannot do though the library can with which it trains, by that column of frameworks."""

    def turns(self, value: object) -> bool:
        """Whether it turns a value that is stated beside it into its own."""
        return ANY in self.replaces or value in self.replaces or str(value).lower() in self.replaces

    def left(self, replaced: bool) -> Meaning:  # one thing
        """What is left where another word replaces what it sets: its program still lacks what it lacks."""
        return Meaning(self.settings, self.source, lacks=self.lacks) if replaced else self


Keys = tuple[str | int, ...]


def _text(value: object) -> str:
    """A value in a sentence, several names as a list."""
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@frozen
class WordRead:
    """A word that is read as something else under an assumption, and where it stands."""

    field: str
    found: str
    meaning: Meaning
    place: Keys
    places: Places = ()
    """Letters of the question that are taken into account with it."""

    @property
    def message(self) -> str:
        """What is assumed, as the rest of a sentence about the field."""
        values = ", ".join(map(_text, self.meaning.settings.values()))
        return f"is read as {values}: {self.meaning.assumes}" if values else self.meaning.assumes


QUESTION = ("question",)


def said_in_question(
    found: str,
    assumes: str,
    settings: Mapping[str, object] | None = None,
    source: str = THE_QUESTION,
    places: Places = (),
) -> WordRead:
    """Words of the question that stand for what is stated nowhere."""
    return WordRead("question", found, Meaning(settings or {}, source, assumes=assumes), QUESTION, places)


Read = tuple[Document, tuple[WordRead, ...]]
"""A document as it is read, and the words that assume something."""
