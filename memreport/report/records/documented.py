"""The records of a report that hold what source documents print, beside what is computed here."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memreport.frozen import frozen

if TYPE_CHECKING:
    from memreport.ledger.judging import Judgement
    from memreport.ledger.steps import LedgerSteps


@frozen
class DocumentedEntry:
    """A figure that a source document prints, beside the one computed here."""

    judgement: Judgement = field(repr=False, compare=False)
    printed: str
    computed: str
    words: str
    """The verdict as a reader says it."""
    convention: str
    engine: str
    listed: str
    """What the engine gives for a value of a listing, and the verdict on that value."""
    own: bool = False
    """Whether the scenario itself states it."""
    steps: LedgerSteps | None = field(default=None, repr=False, compare=False)
    """What it is computed from, for the workbook; none where nothing is computed."""

    @property
    def id(self) -> str:
        """Its name in the ledger."""
        return self.judgement.id

    @property
    def document(self) -> str:
        """The document that prints it."""
        return self.judgement.document

    @property
    def section(self) -> str:
        """Where it stands there."""
        return self.judgement.entry.text.section

    @property
    def statement(self) -> str:
        """What it says."""
        return self.judgement.entry.text.says

    @property
    def verdict(self) -> str:
        """The verdict as the ledger records it."""
        return self.judgement.verdict

    @property
    def note(self) -> str:
        """Why."""
        return self.judgement.reason

    @property
    def difference(self) -> str:
        """How far the computed value lies from the printed one."""
        return self.judgement.difference

    @property
    def other(self) -> str:
        """Who says otherwise, where another source does."""
        return self.judgement.contradicted_by

    @property
    def is_wrong(self) -> bool:
        """Whether the document, another source or an argument speaks against it."""
        return self.judgement.is_wrong


@frozen
class DocumentedFigures:
    """Statements of the cited documents, beside what is computed."""

    entries: tuple[DocumentedEntry, ...]
    judged: int = 0
    """How many were judged, where `entries` holds only those that do not hold."""
