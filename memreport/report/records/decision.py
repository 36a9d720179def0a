"""The decision as records: the answer to the question, and the options that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memreport.advise.candidates import Role
from memreport.advise.verdict import FITS, TIGHT, Word
from memreport.catalogue.quantities import both_ends
from memreport.frozen import frozen
from memreport.report.records.amounts import Amount
from memreport.report.records.answers import MARKS
from memreport.report.shares import spread_words

NONE_KNOWN = "–"


@frozen
class Range:
    """An amount with its low and high end, each as text; the ends are empty where no range is known."""

    amount: Amount
    low: str = ""
    high: str = ""
    low_value: float | None = None
    high_value: float | None = None

    @property
    def text(self) -> str:
        """The amount, with its range in brackets."""
        return f"{self.amount.text} ({self.ends})" if self.low else self.amount.text

    @property
    def end_values(self) -> tuple[float, float]:
        """Both ends as numbers: the amount itself where no range is known."""
        low, high = self.low_value, self.high_value
        return self.amount.value if low is None else low, self.amount.value if high is None else high

    @property
    def ends(self) -> str:
        """Both ends of the range, their unit once where it is the same."""
        return both_ends(self.low, self.high) if self.low else ""


FEWEST_HOURS = {
    Role.CHEAPEST_SAME: "fewest GPU-hours on the same GPUs",
    Role.CHEAPEST_NUMBER: "fewest GPU-hours in another number",
    Role.CHEAPEST_ELSEWHERE: "fewest GPU-hours elsewhere",
}
"""What is cheapest where no price is stated: GPU-hours are compared, which is no cost."""


@frozen
class OptionGpus:
    """The GPUs of an option in words, which they are, and how many."""

    hardware: str
    accelerator: str
    count: int


@frozen
class OptionChanges:
    """What an option changes of the scenario, as fields and in words."""

    fields: Mapping[str, Any]
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it in one line."""
        return ", ".join(self.words)


@frozen
class OptionMemory:
    """The memory of an option, per GPU."""

    peak: Amount
    usable: Amount
    headroom: Amount

    @property
    def text(self) -> str:
        """The peak of what may be used, their unit once."""
        return f"{self.peak.number} of {self.usable.text}"


@frozen
class OptionSpending:
    """What an option takes in time and in money; neither is there where it does not run."""

    time: Range | None
    cost: Range | None
    accelerator_hours: float
    accelerator_hours_ends: tuple[float, float]
    """Low and high end of the same; equal for a service, whose hours are stated."""
    timed: str = "A token"
    """What a time in seconds is of, in a service."""
    period: str = ""
    """Of a service, the time that its cost is for: ` for 30 days`."""
    unpriced: str = ""
    """Its GPU-hours where the scenario states no price; empty where it does."""
    pays: str = ""
    """What its cost pays for, where a purchase and rent stand in one column: ` to buy`, ` to rent for 36 months`."""

    @property
    def billed(self) -> str:
        """What its cost is called."""
        return "Cost" if self.pays else f"Cost{self.period}"

    @property
    def time_text(self) -> str:
        """Its time, a dash where none is known."""
        return self.time.amount.text if self.time else NONE_KNOWN

    @property
    def cost_text(self) -> str:
        """Its cost, without a price its GPU-hours, a dash where it has neither."""
        return f"{self.cost.amount.text}{self.pays}" if self.cost else self.unpriced or NONE_KNOWN


@frozen
class OptionService:
    """What an option does for those who ask."""

    users: str
    """Sequences that have room at once on a replica; empty for training."""
    lacks: str = ""
    """What of a stated demand it does not do, though its memory fits; empty without a demand."""
    says: str = ""
    """The number that the question asks of every variant, where no column holds it."""


@frozen
class OptionRow:
    """An option as every output shows it."""

    role: Role
    name: str
    own: bool
    column: int
    word: Word
    gpus: OptionGpus
    changes: OptionChanges
    memory: OptionMemory
    takes: OptionSpending
    serves: OptionService

    @property
    def role_words(self) -> str:
        """What it is to the reader."""
        return FEWEST_HOURS.get(self.role, self.role.value) if self.takes.unpriced else self.role.value

    @property
    def mark(self) -> str:
        """The sign that stands beside the word: no tick where what fits does not do what is asked."""
        return MARKS[TIGHT if self.serves.lacks and self.word == FITS else self.word]

    @property
    def beside(self) -> str:
        """What stands under its name: what it changes, where the name does not say so already, and what it lacks."""
        changes = self.changes.text
        return "; ".join(name for name in (changes if changes != self.name else "", self.serves.lacks) if name)

    @property
    def title(self) -> str:
        """Its settings where advice made it, its name where the scenario has it, then what it answers or lacks."""
        named = self.name if self.own else (self.changes.text or self.name)
        return "; ".join(filter(None, (named, self.serves.says, self.serves.lacks)))


def time_title(rows: Iterable[OptionRow]) -> str:
    """What the times of some options are of: a token or a text that is served, or a whole run."""
    return next((row.takes.timed for row in rows if row.takes.time and row.takes.time.amount.unit == "s"), "Time")


def cost_title(rows: Iterable[OptionRow]) -> str:
    """What is said of the cost of some options, with the time that all are for; GPU-hours where no price is stated."""
    titles = {"GPU-hours" if row.takes.unpriced else row.takes.billed for row in rows}
    return "GPU-hours" if "GPU-hours" in titles else titles.pop() if len(titles) == 1 else "Cost"


def spread_of_times(rows: Iterable[OptionRow]) -> str:
    """How far the times of some options may lie from those shown, in a sentence: of the recommended, and the widest."""
    listed = [row for row in rows if row.takes.time and row.takes.time.low_value and row.takes.time.high_value]
    first = [row for row in listed if row.role is Role.RECOMMENDED][:1]
    own, widest = (spread_words(_ends(some)) for some in (first or listed, listed))
    return own if own == widest else f"{own.removesuffix('.')}, of others {widest.partition(' may be ')[2]}"


def _ends(rows: Iterable[OptionRow]) -> Iterator[tuple[float, float, float]]:
    """Low end, middle and high end of the times of some options."""
    for time in (row.takes.time for row in rows):
        if time and time.low_value and time.high_value:
            yield time.low_value, time.amount.value, time.high_value


@frozen
class Answer:
    """The question, what kind it is, the answer in one sentence, what it needs and gives, and the options."""

    question: str
    asks: tuple[str, ...]
    word: Word
    headline: str
    detail: str
    options: tuple[OptionRow, ...]
    chosen: OptionRow

    @property
    def counts_users(self) -> bool:
        """Whether readers ask how many users there is room for, so that rows have to say it."""
        return "how_many_users" in self.asks

    @property
    def mark(self) -> str:
        """The sign that stands beside the answer."""
        return MARKS[self.word]
