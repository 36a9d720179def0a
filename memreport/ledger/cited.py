"""What the ledgers say of one scenario: its own entries, and the documents that it cites."""

from __future__ import annotations

import re
from functools import lru_cache

from memreport.catalogue.scenario import Scenario
from memreport.errors import InputError
from memreport.ledger.judging import QUALITATIVE, Judged, Judgement, judge, judge_scenarios
from memreport.resolve import Resolved

DOCUMENT_NAME = re.compile(r"\d{3}")


@lru_cache
def judged() -> Judged:
    """The packaged ledgers, judged once a process."""
    return judge()


def own_judged(resolved: Resolved) -> Judged:
    """The scenario's own entries.  Raises InputError where one cannot be judged."""
    found = judge_scenarios([resolved], resolved.catalogue)
    if found.faults:
        raise InputError(found.faults)
    return found


def judged_of_cited(scenario: Scenario) -> tuple[Judgement, ...]:
    """Every judged statement of the documents that a scenario cites."""
    cited = set(DOCUMENT_NAME.findall(scenario.source.document)) if scenario.source else set()
    if not cited:
        return ()
    return tuple(
        judgement for judgement in judged().judgements if judgement.document in cited and judgement.kind != QUALITATIVE
    )
