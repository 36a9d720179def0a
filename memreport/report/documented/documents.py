"""What the documented figures say about the documents that a scenario follows, for its workbook and its sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from memreport.ledger.entries import EntryText
from memreport.ledger.expressions import AGAINST
from memreport.ledger.judging import ARGUED, REPRODUCES, UNDER, Judgement
from memreport.ledger.printed import plain_digits
from memreport.ledger.steps import LedgerSteps
from memreport.report.records.documented import DocumentedEntry

ENGINE = "the engine"
"""Label of what the engine gives where a listing gives its own."""
OPEN_CASES = ("chosen_case", "ckpt_inputs_only", "act_c")
"""Ways of counting that hold for a case which the document leaves open and the ledger chooses."""
CLAIMS = {"true": "yes", "false": "no", "true in a part of the range only": "in a part of the range"}
LONG_NUMBER = re.compile(r"(?<![\d.,])\d{5,}(?![\d.,e])")
ONE = re.compile(r"^1 ([A-Za-z]+)s$")
READ_DIGITS = 4
SAID = ("id", "document", "section", "statement", "printed", "computed", "verdict", "note")


def entries_of(
    own: Iterable[Judgement], cited: Iterable[Judgement], made: Mapping[str, LedgerSteps]
) -> tuple[DocumentedEntry, ...]:
    """A scenario's own entries with their steps, then statements of documents that it cites, wrong ones first."""
    ordered = sorted(cited, key=lambda judgement: not judgement.is_wrong)
    return *(replace(entry(judgement, made.get(judgement.id)), own=True) for judgement in own), *(
        entry(judgement) for judgement in ordered
    )


def errata(entries: Iterable[DocumentedEntry]) -> tuple[DocumentedEntry, ...]:
    """A scenario's own statements, and those of documents that do not hold, without what is right in them."""
    return tuple(documented_entry for documented_entry in entries if documented_entry.own or documented_entry.is_wrong)


def cited_sentence(entries: Iterable[DocumentedEntry], file: str, judged: int = 0) -> str:
    """One line on the figures of the cited documents, all of which stand in a file of their own; empty without any.

    `judged` is how many there are, where `entries` holds only those that do not hold.
    """
    cited = [documented_entry for documented_entry in entries if not documented_entry.own]
    count, wrong = judged or len(cited), sum(documented_entry.is_wrong for documented_entry in cited)
    if not count:
        return ""
    return (
        f"Of {count} figures that the cited document prints and that can be recomputed, {wrong} are "
        f"not right as printed: {file} has each, with the right value."
    )


def documented_data(entries: Iterable[DocumentedEntry]) -> list[dict[str, str]]:
    """Every statement as plain data, in words."""
    return [{name: str(getattr(documented_entry, name)) for name in SAID} for documented_entry in entries]


def entry(judgement: Judgement, made: LedgerSteps | None = None) -> DocumentedEntry:
    """A judged statement as it is shown, with what it is computed from."""
    return DocumentedEntry(
        judgement,
        printed=plain(judgement.documented),
        computed=plain(right_of(judgement)),
        words=in_words(judgement),
        listed=listed(judgement),
        convention=counted_so(judgement) if judgement.kind == UNDER else "",
        engine=plain(_engine(judgement)),
        steps=made,
    )


def right_of(judgement: Judgement) -> str:
    """The value that we find, as the ledger words it where the printed one is wrong, with digits to compare."""
    recorded = judgement.entry.text.right
    value = judgement.entry.converted.value if judgement.kind == UNDER else judgement.entry.value
    if isinstance(recorded, str) or value is None or judgement.computed is None:
        return recorded if isinstance(recorded, str) else ""
    return value.shown(*judgement.computed, digits=READ_DIGITS)


def _engine(judgement: Judgement) -> str:
    """What the engine gives for a value of a listing."""
    value, ends = judgement.entry.value, judgement.also_ends.get(ENGINE)
    return value.shown(*ends, digits=READ_DIGITS) if value and ends else right_of(judgement)


def listed(judgement: Judgement) -> str:
    """The verdict on a value that a listing prints: that it prints so says nothing of whether it is right."""
    value, ends = judgement.entry.value, judgement.also_ends.get(ENGINE)
    if judgement.kind in (REPRODUCES, UNDER) and value and ends and not value.agrees(*ends):
        return "it prints this; the engine differs"
    return in_words(judgement)


def counted_so(judgement: Judgement) -> str:
    """The way of counting, and the case for which it holds where the document leaves one open."""
    meaning, case = judgement.entry.converted.meaning, case_of(judgement.entry.text)
    return f"{meaning}: {case}" if judgement.entry.converted.name in OPEN_CASES and case else meaning


def case_of(text: EntryText) -> str:
    """The inputs that the ledger chose for a way of counting: `context length 10000 to 26600`."""
    under = text.under
    if under is None or isinstance(under, str):
        return ""
    low, high = under.low or {}, under.high or {}
    ends = {name: (low.get(name), high.get(name)) for name in {**low, **high}}
    given = {**{name: (value, value) for name, value in under.inputs.items()}, **ends}
    return ", ".join(f"{name.replace('_', ' ')} {_span(pair)}" for name, pair in given.items() if AGAINST not in name)


def _span(pair: tuple[object, object]) -> str:
    texts = dict.fromkeys(_scalar(value) for value in pair if value is not None)
    return " to ".join(texts)


def _scalar(value: object) -> str:
    return plain_digits(value) if isinstance(value, float) else str(value)


def in_words(judgement: Judgement) -> str:
    """The verdict as a reader says it."""
    argued = judgement.entry.text.argued
    if judgement.kind == ARGUED and argued:
        return f"argued: {'right' if argued.as_ == REPRODUCES else argued.as_}"
    return {REPRODUCES: "right", UNDER: "right by its own way of counting"}.get(judgement.kind, judgement.verdict)


def plain(value: str) -> str:
    """A value for people: claims hold or do not, long numbers are grouped, one is one."""
    said = CLAIMS.get(value)
    return said or ONE.sub(r"1 \1", LONG_NUMBER.sub(lambda found: f"{int(found[0]):,}", value))
