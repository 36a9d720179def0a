"""The whole ledger as a report for readers of the documents: what is wrong, the right value, what is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memreport.files import sha256
from memreport.ledger.judging import ARGUED, CONFLICTS, CONTRADICTS, KINDS, QUALITATIVE, REPRODUCES, UNDER, Judged
from memreport.ledger.steps import LedgerSteps
from memreport.report.documented.documents import entry
from memreport.report.records.report import DocumentedEntry

NAME = "documented"
TITLE = "Documented figures, recomputed"
KIND_TITLES: Mapping[str, str] = {
    REPRODUCES: "Right",
    UNDER: "Right by a way of counting",
    CONTRADICTS: "Contradicts itself",
    CONFLICTS: "Conflicts with a source",
    ARGUED: "Argued",
    QUALITATIVE: "Qualitative",
}
KIND_MEANINGS: Mapping[str, str] = {
    REPRODUCES: "the document's own formula gives the value, to the digits that it prints",
    UNDER: "the value comes out by a way of counting that the document uses without saying so; it is named",
    CONTRADICTS: "the document's own formula and inputs give another value",
    CONFLICTS: "another document, a data sheet or the same document elsewhere gives another value",
    ARGUED: "no arithmetic can judge it; the argument is given",
    QUALITATIVE: "states no number; named so that nothing is left out",
}


@dataclass(frozen=True)
class Statement:
    """A judged statement with its place and its kind of verdict."""

    id: str
    line: int
    listing: str
    kind: str
    shown: DocumentedEntry


@dataclass(frozen=True)
class JudgedDocument:
    """One document: its statements in their order."""

    name: str
    title: str
    statements: tuple[Statement, ...]

    def of(self, *kinds: str) -> tuple[Statement, ...]:
        """The statements of some kinds of verdict."""
        return tuple(statement for statement in self.statements if statement.kind in kinds)

    @property
    def right(self) -> tuple[Statement, ...]:
        """What is right, but for what listings print, which stands by itself."""
        return tuple(statement for statement in self.of(REPRODUCES, UNDER) if not statement.listing)

    @property
    def listings(self) -> dict[str, tuple[Statement, ...]]:
        """What is judged of each listing, in the order of its lines."""
        judged = sorted(
            (statement for statement in self.statements if statement.kind != QUALITATIVE),
            key=lambda statement: statement.line,
        )
        names = dict.fromkeys(statement.listing for statement in self.statements if statement.listing)
        return {name: tuple(statement for statement in judged if statement.listing == name) for name in names}

    @property
    def counts(self) -> tuple[int, ...]:
        """How many statements there are of each kind, and in all."""
        return (*(len(self.of(kind)) for kind in KINDS), len(self.statements))


@dataclass(frozen=True)
class LedgerReport:
    """All documents."""

    documents: tuple[JudgedDocument, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """Sums of the documents' counts."""
        return tuple(map(sum, zip(*(document.counts for document in self.documents), strict=True)))

    @property
    def sentence(self) -> str:
        """What the counts come to."""
        counts = dict(zip((*KINDS, "all"), self.totals, strict=True))
        right, wrong = counts[REPRODUCES] + counts[UNDER], counts[CONTRADICTS] + counts[CONFLICTS]
        return (
            f"Of {counts['all']} statements, {counts['all'] - counts[QUALITATIVE]} can be judged. {right} are right, "
            f"{counts[UNDER]} of them only by a way of counting that is named with them; {wrong} are not: "
            f"{counts[CONTRADICTS]} contradict their own document, {counts[CONFLICTS]} conflict with another source. "
            f"{counts[ARGUED]} are argued."
        )


def ledger_report(found: Judged, made: Mapping[str, LedgerSteps]) -> LedgerReport:
    """Judgements by document, with their steps by name."""
    return LedgerReport(tuple(_document(name, found, made) for name in found.counts))


def _document(name: str, found: Judged, made: Mapping[str, LedgerSteps]) -> JudgedDocument:
    own = found.of(name)
    statements = tuple(
        Statement(
            judgement.id,
            judgement.entry.text.line,
            judgement.entry.text.listing,
            judgement.kind,
            entry(judgement, made.get(judgement.id)),
        )
        for judgement in own
    )
    return JudgedDocument(name, own[0].entry.file.title, statements)


def digest(made: LedgerReport) -> str:
    """A hash of everything that the report says, and of every value that it is computed from."""
    steps = [
        statement.shown.steps
        for document in made.documents
        for statement in document.statements
        if statement.shown.steps
    ]
    values = [(row.name, [cell and cell.value for cell in row.cells]) for each in steps for row in each.rows]
    return sha256(repr((made, values)).encode())
