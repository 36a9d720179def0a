"""What a reader of the short answer must know besides: what was assumed, and what is doubtful."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.compute import Computed
from memreport.report.assumed import not_stated
from memreport.report.view import View


def notes_of(computed: Computed) -> tuple[str, ...]:
    """One line each; none where all is stated and nothing is doubtful."""
    return tuple(_notes(computed))


def _notes(computed: Computed) -> Iterator[str]:
    assumed = not_stated(View(computed))
    if assumed:
        yield assumed.sentence
    doubts = [one for one in computed.resolved.cautions if not one.in_table]
    if doubts:
        more = f" ({len(doubts) - 1} more warnings: --all)" if len(doubts) > 1 else ""
        yield f"Warning: {doubts[0].sentence}{more}"
