"""What comes of a documented figure's steps: our value in the printed unit, whether it is printed so, the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memreport.formula.printing import to_excel
from memreport.formula.units import COUNT
from memreport.formula.words import Expr, Ref
from memreport.ledger.agreement import leeway
from memreport.ledger.judging import Judgement
from memreport.ledger.printed import Printed
from memreport.ledger.reading import Reading
from memreport.ledger.steps import BY_CONVENTION, OTHER, OWN
from memreport.publish.xlsx.common.draft import FIRST, Result
from memreport.publish.xlsx.ledger.calculation import Named, StepBlock, Steplist, counted, look
from memreport.publish.xlsx.ledger.shared import shared_by
from memreport.publish.xlsx.sheet.book import Content, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import Style, number, typed
from memreport.report.records.documented import DocumentedEntry

LOW, HIGH = "low", "high"
SHOWN_AS = {
    OWN: "as stated",
    BY_CONVENTION: "by convention",
    OTHER: "other source",
    LOW: "ours",
    HIGH: "ours, high end",
}
"""Names of results as people read them, by the words that they begin with."""
VERDICTS = "1 right, 2 right by its own way of counting, 3 neither"


def write_steps(
    sheet: Sheet, row: int, entries: Sequence[DocumentedEntry], printed: Mapping[str, tuple[str, str]], named: Named
) -> dict[str, Result]:
    """The steps of all entries that have some; `printed` is where both printed ends of each may be typed."""
    steplist = Steplist(sheet, row, named)
    steplist.begin()
    steplist.share(shared_by(entries))
    found = {}
    for entry in entries:
        value = entry.judgement.entry.value
        if entry.steps is not None and value is not None:
            block = StepBlock(steplist, entry, entry.steps)
            top = block.write(printed[entry.id][0].replace("$", ""))
            found[entry.id] = StatementOutcome(block, entry.judgement, value).write(printed[entry.id], top)
    steplist.end()
    return found


def as_printed(base: float, factor: float) -> float:
    """A value in its printed unit, without the last bits that dividing leaves."""
    return float(f"{base / factor:.12g}")


@dataclass
class StatementOutcome:
    """The results of one statement, each a line with its value in the first column of values."""

    block: StepBlock
    judgement: Judgement
    value: Printed
    cells: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)

    def write(self, printed: tuple[str, str], top: int) -> Result:
        """What is printed, our readings of it, the verdict and our value."""
        self._printed(printed)
        for word, reading in self.block.steps.readings.items():
            self._reading(word, reading)
        self._verdict()
        self._conflict()
        self._ours(LOW)
        words = self.block.steps.readings
        if any(self.cells[f"{word} {LOW}"] != self.cells[f"{word} {HIGH}"] for word in words):
            self._ours(HIGH)
        else:
            self._same(HIGH, LOW)
        sheet = self.block.steplist.sheet
        places = {name: f"{sheet.quoted}!{cell}" for name, cell in self.cells.items()}
        ours = self.numbers[LOW], self.numbers[HIGH]
        return Result(
            places[LOW], places[HIGH], places["verdict"], places.get("conflict", ""), f"{sheet.quoted}!A{top}", ours
        )

    def _put(self, name: str, said: str, content: Content, value: float, unit: str = "") -> None:
        """One line; what is no formula may be typed."""
        shown_as = look("", value)
        is_formula = isinstance(content, Formula)
        style: Style = number(shown_as) if is_formula else typed(shown_as)
        texts = (self.block.entry.id, _shown_name(name), unit, "result" if is_formula else "input", said)
        row = self.block.steplist.put(texts, [(content, style)])
        self.cells[name], self.numbers[name] = f"${letter(FIRST)}${row}", value

    def _recorded(self, name: str, said: str, expression: object, value: float) -> None:
        assert isinstance(expression, Expr)  # noqa: S101  # made of recorded names
        places = {**self.block.steplist.named.constants, **self.cells}
        text = counted(to_excel(expression, places.__getitem__), expression)
        self._put(name, said, Formula(text, value), value)

    def _same(self, name: str, as_name: str) -> None:
        """A high end that is the low one."""
        self.cells[name], self.numbers[name] = self.cells[as_name], self.numbers[as_name]

    def _printed(self, printed: tuple[str, str]) -> None:
        value, word = self.value, self.value.word
        low, high, half = (as_printed(number_, value.factor) for number_ in (value.low, value.high, value.half))
        self._put("printed low", "the printed value, or its low end", Formula(printed[0], low), low, word)
        self._same("printed high", "printed low")
        if high != low:
            self._put("printed high", "its high end", Formula(printed[1], high), high, word)
        self._put("half digit", "half of the last printed digit, or a stated tolerance", half, half, word)
        recorded = leeway(*_refs("printed low", "printed high", "half digit"))
        self._recorded("leeway", "by how much a value may differ and be printed so", recorded, leeway(low, high, half))

    def _reading(self, word: str, reading: Reading) -> None:
        """Our value by one reading, in the printed unit, and whether it agrees."""
        value = (self.judgement.entry.converted.value if word == BY_CONVENTION else None) or self.value
        ends = {OWN: self.judgement.own, BY_CONVENTION: self.judgement.under, OTHER: self.judgement.other}[word]
        assert ends is not None  # noqa: S101  # a reading has been computed
        many = len(reading.ends) > 1 or ends[0] != ends[1]
        for end, base in zip((LOW, HIGH) if many else (LOW,), ends, strict=False):
            self._end(word, end, reading, base, value)
        if f"{word} {HIGH}" not in self.cells:
            self._same(f"{word} {HIGH}", f"{word} {LOW}")
        names = (f"{word} {LOW}", f"{word} {HIGH}", "printed low", "printed high", "leeway")
        agrees = float(value.agrees(*ends))
        self._recorded(f"{word} agrees", "1 where it is printed so, else 0", value.test(*_refs(*names)), agrees)

    def _end(self, word: str, end: str, reading: Reading, base: float, value: Printed) -> None:
        said = f"{self._source(word)}: {reading.text}" if end == LOW else "its high end"
        ours = base / value.factor
        if reading.expression is None:
            self._put(f"{word} {end}", said, as_printed(base, value.factor), ours, value.word)
            return
        text = self.block.formula(reading.expression, reading.ends[0 if end == LOW else -1])
        if value.factor != 1:
            text = f"({text})/{self.block.steplist.named.units[value.word, value.factor]}"
        self._put(f"{word} {end}", said, Formula(text, ours), ours, value.word)

    def _source(self, word: str) -> str:
        """Who reads it so."""
        other = self.judgement.entry.text.other
        if word == OTHER:
            return other.source if other else ""
        return "as stated" if word == OWN else self.judgement.entry.converted.name

    def _flag(self, word: str) -> tuple[str, float]:
        """The cell that says whether a reading agrees, and its number; an impossible reading never does."""
        name = f"{word} agrees"
        return (self.cells[name], self.numbers[name]) if name in self.cells else ("0", 0.0)

    def _verdict(self) -> None:
        (own, a), (under, b) = self._flag(OWN), self._flag(BY_CONVENTION)
        held = own != "0" or under != "0"
        text, value = f"1+(1-{own})*(1+(1-{under}))", 1 + (1 - a) * (1 + (1 - b))
        self._put("verdict", VERDICTS, Formula(text, value) if held else Formula("1", 1.0), value if held else 1.0)

    def _conflict(self) -> None:
        """Whether another source differs from what is right so far."""
        (own, a), (under, b), (other, c) = map(self._flag, (OWN, BY_CONVENTION, OTHER))
        if other == "0":
            return
        held = own != "0" or under != "0"
        text, value = (f"({own}+{under}>0)*(1-{other})", (a + b > 0) * (1 - c)) if held else (f"1-{other}", 1 - c)
        self._put("conflict", "1 where another source differs from what is right so far", Formula(text, value), value)

    def _ours(self, end: str) -> None:
        """Our value: by the convention where that decides, by the other source where that differs."""
        base = next(word for word in (OWN, BY_CONVENTION, OTHER) if f"{word} agrees" in self.cells)
        text, value = self.cells[f"{base} {end}"], self.numbers[f"{base} {end}"]
        deciding = list(self._deciding(base))
        if not deciding:
            self._same(end, f"{base} {end}")
            return
        for decides, word in deciding:
            name = f"{word} {end}"
            text = f"IF({decides[0]},{self.cells[name]},{text})"
            value = self.numbers[name] if decides[1] else value
        said = "our value, or the other source's where that differs" if end == LOW else "its high end"
        self._put(end, said, Formula(text, value), value, self.value.word)

    def _deciding(self, base: str) -> Iterable[tuple[tuple[str, bool], str]]:
        """Conditions, as formula and as found, under which another reading than the first is the one that counts."""
        if base == OWN and f"{BY_CONVENTION} agrees" in self.cells:
            (own, a), (under, b) = self._flag(OWN), self._flag(BY_CONVENTION)
            yield (f"(1-{own})*{under}>0", (1 - a) * b > 0), BY_CONVENTION
        if base != OTHER and "conflict" in self.cells:
            yield (f"{self.cells['conflict']}>0", self.numbers["conflict"] > 0), OTHER


def _shown_name(name: str) -> str:
    """`own high` is "as stated, high end"."""
    first, _, rest = name.partition(" ")
    rest = {LOW: "", HIGH: ", high end"}.get(rest, f" {rest}" if rest else "")
    return SHOWN_AS.get(first, first) + rest


def _refs(*names: str) -> tuple[float, ...]:
    """Names to record with, in the place of numbers."""
    return tuple(Ref(name, COUNT) for name in names)  # type: ignore[misc]  # a recording stands where numbers do
