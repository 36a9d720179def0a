"""What a question changes: `from 8k to 32k`, each end read as if it alone stood beside what it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.question.lengths import lengths_asked
from memreport.catalogue.question.numbers import MANY_TOKENS
from memreport.catalogue.question.settings import settings_asked
from memreport.catalogue.question.stated import question_of

END = re.sub(r"\((?!\?)", "(?:", MANY_TOKENS)
CHANGED = re.compile(rf"\bfrom ({END})(?:[ -]tokens?)? (?:to|up to|down to) ({END})\b")
"""Both ends of a change: `increase the context from 8k to 32k`, `a batch size from 4 to 8`."""
COUNTED = re.compile(r"\b(context|sequence|batch|rank|tp|adapters)\b")
"""What is changed; its number stands behind it where a question sets it, but for adapters."""


def changes_said(data: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each end of a change comes to: a name for it, and the fields of the workload that it sets."""
    question = question_of(data)
    ends, of = CHANGED.search(question), COUNTED.search(question)
    for end in map(str.strip, ends.groups() if ends and of else ()):
        name = f"{of[1]} {end}" if of and of[1] in ("batch", "rank", "tp") else f"{end} {of[1] if of else ''}"
        asked = {**data, "question": name, "title": ""}
        fields = {**{key: value for key, value, _ in settings_asked(asked)}, **lengths_asked(asked, filled=True)}
        if fields:
            yield name, fields


def is_change(question: str) -> bool:
    """Whether a question in small letters speaks of a change between two ends."""
    return bool(CHANGED.search(question))
