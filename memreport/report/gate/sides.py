"""A scenario before and after a change, as the rules of a gate ask it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from memreport.catalogue.yaml.strict import Keys
from memreport.frozen import frozen
from memreport.report.changes.words import deciding
from memreport.report.live.ranges import with_ends
from memreport.report.records.answers import Verdict
from memreport.report.verdicts import verdict
from memreport.report.view import View

CASES = ("likely", "low", "high")
_SHARE: Mapping[str, str] = {"low": "headroom_share_high", "likely": "headroom_share", "high": "headroom_share_low"}
"""The higher the peak, the lower what is left."""


@frozen
class Sided:
    """A scenario as it is now, as it was before (None where it is new), and the file that people know it by."""

    after: View
    before: View | None
    file: str

    @property
    def id(self) -> str:
        """The scenario's id."""
        return self.after.scenario.id

    @cached_property
    def column(self) -> int:
        """The variant that decides now."""
        return deciding(self.after)

    @cached_property
    def then(self) -> int:
        """The variant that decided before."""
        return deciding(self.before) if self.before else 0

    def verdicts(self, view: View) -> dict[str, Verdict]:
        """The verdicts of one side by variant."""
        return {case.name: verdict(view, index) for index, case in enumerate(view.variants)}

    def line(self, *paths: Keys) -> int:
        """The line of the first of these fields that the file states, else of the file's beginning."""
        document = self.after.resolved.loaded.document
        found = next((path for path in paths if path in document.marks), ())
        mark = document.key_marks.get(found) or document.mark(found)
        return mark.line

    @property
    def variant_path(self) -> Keys:
        """Where the deciding variant stands."""
        return ("variants", self.after.variants[self.column].name)


def cost_of(view: View, index: int, name: str, case: str) -> float | None:
    """A cost at one end of its range; None where none is stated.  A purchase has no range of its own."""
    if view.scenario.cost is None or name not in view.lines:
        return None
    return view.value(with_ends(name)[CASES.index(case)], index)


def peak_share(view: View, index: int, case: str) -> float:
    """Headroom over usable memory, at one end of the estimated peak."""
    return view.value(_SHARE[case], index)
