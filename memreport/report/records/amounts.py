"""A number of a report, with the text that people read."""

from __future__ import annotations

from memreport.frozen import frozen


@frozen
class Amount:
    """A number in base units and as people read it."""

    value: float
    unit: str
    text: str

    @property
    def number(self) -> str:
        """The text without its unit, for a table or a pair that says it once."""
        return self.text.rpartition(" ")[0] or self.text

    @property
    def shown_unit(self) -> str:
        """The unit that the text says."""
        return self.text.rpartition(" ")[2]
