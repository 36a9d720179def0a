"""What the documented figures say about the documents that a scenario follows, for its workbook and its sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memreport.catalogue.scenario import Scenario
from memreport.publish.shown import DocumentedEntry
from memreport.verify.ledger import Judgement, judge

WRONG = ("contradicts", "conflicts", "argued")
DOCUMENT_NAME = re.compile(r"\d{3}")


@lru_cache
def _judged() -> tuple[Judgement, ...]:
    """The packaged ledgers, judged once a process."""
    return judge().judgements


def entries_of(scenario: Scenario) -> tuple[DocumentedEntry, ...]:
    """Every judged statement of the documents that the scenario cites, wrong ones first; none where it cites none."""
    cited = set(DOCUMENT_NAME.findall(scenario.source.document)) if scenario.source else set()
    found = [one for one in _judged() if one.document in cited and one.kind != "qualitative"]
    return tuple(_entry(one) for one in sorted(found, key=lambda one: not one.verdict.startswith(WRONG)))


def errata(entries: Iterable[DocumentedEntry]) -> tuple[DocumentedEntry, ...]:
    """The statements that do not hold: what a reader of the document must know, without what is right in it."""
    return tuple(one for one in entries if one.verdict.startswith(WRONG))


def _entry(one: Judgement) -> DocumentedEntry:
    text = one.entry.text
    return DocumentedEntry(
        document=one.document,
        section=text.section,
        statement=text.says,
        printed=one.documented,
        computed=one.computed_text,
        verdict=one.verdict,
        note=one.reason,
    )
