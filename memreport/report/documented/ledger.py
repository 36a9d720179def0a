"""The whole ledger as a report for readers of the documents: what is wrong, the right value, what is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memreport.files import sha256
from memreport.frozen import frozen
from memreport.ledger.judging import ARGUED, CONFLICTS, CONTRADICTS, KINDS, QUALITATIVE, REPRODUCES, UNDER, Judged
from memreport.ledger.steps import LedgerSteps
from memreport.report.documented.documents import SAID, entry
from memreport.report.records.documented import DocumentedEntry
from memreport.report.records.portfolio import CellKind, ColumnForm, SaidTable

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


Columns = tuple[tuple[str, int, CellKind, str], ...]
"""Of each column of a table of statements its head, its width, the kind of its cells, and what it holds."""
_WRONG: Columns = (
    ("Where", 19, "text", "place"), ("Statement", 23, "text", "statement"), ("Printed", 14, "number", "printed"),
    ("Right", 13, "wrong", "computed"), ("Why", 0, "text", "note"),
)  # fmt: skip
_CONFLICTING: Columns = (
    ("Where", 19, "text", "place"), ("Statement", 21, "text", "statement"), ("Printed", 13, "number", "printed"),
    ("Other source", 14, "text", "other"), ("It says", 12, "number", "computed"),
    ("Which is right, and why", 0, "text", "note"),
)  # fmt: skip
_LISTED: Columns = (
    ("Line", 8, "number", "line"), ("Value", 34, "text", "statement"), ("It gives", 15, "number", "printed"),
    ("Engine", 15, "number", "engine"), ("Verdict", 0, "text", "listed_note"),
)  # fmt: skip
_RIGHT: Columns = (
    ("Where", 19, "text", "place"), ("Statement", 24, "text", "statement"), ("Printed", 14, "number", "printed"),
    ("Computed", 17, "number", "computed"), ("Counted so", 0, "aside", "convention"),
)  # fmt: skip
_ARGUED: Columns = (
    ("Where", 19, "text", "place"), ("Statement", 27, "text", "statement"), ("Verdict", 15, "text", "words"),
    ("Argument", 0, "text", "note"),
)  # fmt: skip
_QUALITATIVE: Columns = (
    ("Where", 20, "text", "place"), ("Statement", 36, "text", "statement"),
    ("What memreport does with it", 0, "aside", "note"),
)  # fmt: skip


@frozen
class Statement:
    """A judged statement with its place and its kind of verdict."""

    id: str
    line: int
    listing: str
    kind: str
    shown: DocumentedEntry

    def text(self, name: str) -> str:
        """What a column holds of it: its place, its line, its verdict in a listing, or a text of its entry."""
        own, line = self.shown, f"line {self.line}" if self.line else ""
        parts = {
            "place": ", ".join(part for part in (own.section, line) if part),
            "line": str(self.line),
            "listed_note": ". ".join(part for part in (own.listed, own.note) if part),
        }
        return parts[name] if name in parts else str(getattr(own, name))


def _table(title: str, columns: Columns, statements: Iterable[Statement], caption: str = "") -> SaidTable:
    heads, widths, kinds, names = zip(*columns, strict=True)
    rows = tuple(tuple(map(statement.text, names)) for statement in statements)
    return SaidTable(title, heads, rows, forms=tuple(map(ColumnForm, widths, kinds)), caption=caption)


@frozen
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
    def tables(self) -> list[SaidTable]:
        """What there is, worst first; tables of listings have one heading."""
        wrong, conflicting = self.of(CONTRADICTS), self.of(CONFLICTS)
        besides = ", besides the listings" if self.listings else ""
        found = [
            _table("What contradicts the document itself, and what is right instead", _WRONG, wrong),
            _table("What another source says otherwise", _CONFLICTING, conflicting),
            *(
                _table(
                    "" if index else "What the listings print when they are run",
                    _LISTED,
                    own,
                    f"{name}: {len(own)} values",
                )
                for index, (name, own) in enumerate(self.listings.items())
            ),
            _table(f"What is right{besides}", _RIGHT, self.right),
            _table("What is argued", _ARGUED, self.of(ARGUED)),
            _table("What states no number", _QUALITATIVE, self.of(QUALITATIVE)),
        ]
        return [table for table in found if table.rows]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many statements there are of each kind, and in all."""
        return (*(len(self.of(kind)) for kind in KINDS), len(self.statements))


VERDICTS = SaidTable(
    "What the verdicts say",
    ("Verdict", "Meaning"),
    tuple((KIND_TITLES[kind], KIND_MEANINGS[kind]) for kind in KINDS),
    forms=(ColumnForm(28), ColumnForm()),
)


@frozen
class LedgerReport:
    """All documents."""

    documents: tuple[JudgedDocument, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """Sums of the documents' counts."""
        return tuple(map(sum, zip(*(document.counts for document in self.documents), strict=True)))

    @property
    def counts_table(self) -> SaidTable:
        """Statements by document and verdict."""
        heads = ("Document", *(KIND_TITLES[kind] for kind in KINDS), "All")
        rows = [(f"{document.name}: {document.title}", *map(str, document.counts)) for document in self.documents]
        forms = (ColumnForm(31), *(ColumnForm(kind="number") for _ in heads[1:]))
        links = (*(f"#document-{document.name}" for document in self.documents), "")
        return SaidTable(
            "Statements by document and verdict",
            heads,
            (*rows, ("All", *map(str, self.totals))),
            sums=(len(rows),),
            forms=forms,
            links=links,
        )

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
    shown = [statement.shown for document in made.documents for statement in document.statements]
    said = [[getattr(entry, name) for name in (*SAID, "difference", "other")] for entry in shown]
    steps = (entry.steps for entry in shown if entry.steps)
    values = [(row.name, [cell and cell.value for cell in row.cells]) for each in steps for row in each.rows]
    return sha256(repr((made, said, values)).encode())
