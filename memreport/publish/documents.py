"""What the documented figures say about the documents that a scenario follows, for its workbook and its sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from memreport.catalogue.scenario import Scenario
from memreport.publish.shown import DocumentedEntry
from memreport.verify.ledger import ARGUED, REPRODUCES, UNDER, Judged, Judgement, judge
from memreport.verify.steps import Steps, steps_of

WRONG = ("contradicts", "conflicts", "argued")
DOCUMENT_NAME = re.compile(r"\d{3}")


@lru_cache
def judged() -> Judged:
    """The packaged ledgers, judged once a process."""
    return judge()


@lru_cache
def steps() -> Mapping[str, Steps]:
    """The steps of all packaged statements, found once a process."""
    return steps_of(judged())


def entries_of(scenario: Scenario) -> tuple[DocumentedEntry, ...]:
    """Every judged statement of the documents that the scenario cites, wrong ones first; none where it cites none."""
    cited = set(DOCUMENT_NAME.findall(scenario.source.document)) if scenario.source else set()
    found = [one for one in judged().judgements if one.document in cited and one.kind != "qualitative"]
    ordered = sorted(found, key=lambda one: not one.verdict.startswith(WRONG))
    return tuple(entry(one, steps().get(one.id)) for one in ordered)


def errata(entries: Iterable[DocumentedEntry]) -> tuple[DocumentedEntry, ...]:
    """The statements that do not hold: what a reader of the document must know, without what is right in it."""
    return tuple(one for one in entries if one.verdict.startswith(WRONG))


def entry(one: Judgement, made: Steps | None = None) -> DocumentedEntry:
    """A judged statement as it is shown, with what it is computed from."""
    text = one.entry.text
    return DocumentedEntry(
        document=one.document,
        section=text.section,
        statement=text.says,
        printed=plain(one.documented),
        computed=plain(right_of(one)),
        verdict=one.verdict,
        note=one.reason,
        difference=one.difference,
        words=in_words(one),
        convention=one.entry.convention_meaning if one.kind == UNDER else "",
        id=one.id,
        judgement=one,
        steps=made,
    )


def right_of(one: Judgement) -> str:
    """The value that we find, as the ledger words it where the printed one is wrong."""
    recorded = one.entry.text.right
    return recorded if isinstance(recorded, str) else one.computed_text


def in_words(one: Judgement) -> str:
    """The verdict as a reader says it."""
    argued = one.entry.text.argued
    if one.kind == ARGUED and argued:
        return f"argued: {'right' if argued.as_ == REPRODUCES else argued.as_}"
    return {REPRODUCES: "right", UNDER: "right by its own way of counting"}.get(one.kind, one.verdict)


def plain(value: str) -> str:
    """A printed value for people: claims hold or do not."""
    return {"true": "holds", "false": "does not hold"}.get(value, value)
