"""From ledger text to readings: expressions with units, and the cases in which they are computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

from memreport.errors import Fault, FormulaError, UnitError, nearest
from memreport.formula.words import Expr, Ref
from memreport.frozen import frozen
from memreport.ledger.entries import JUDGEMENTS, Convention, EntryText, Key, LedgerFile, Other, ReadingText, Under
from memreport.ledger.expressions import AGAINST, names_in, recorded
from memreport.ledger.names import NameFault, Names
from memreport.ledger.printed import EntryError, Printed, PrintedError, plain_digits, printed

Place = tuple[Key, ...]
_State = tuple[str, dict[str, Any]]
GIVEN = "given"
MAX_SETUPS = 20


class LedgerCase(NamedTuple):
    """One column of a workload's table: what differs from the defaults, in base units."""

    workload: str
    changes: tuple[tuple[str, Any], ...]


@frozen
class Reading:
    """One way to compute a value: an expression over one case, or over two for a low and a high end.

    Each end holds the case itself and, where the expression says `against.`, the case that it is compared with.
    `value` stands where another source prints the number and nothing is computed.
    """

    text: str
    expression: Expr | None
    ends: tuple[tuple[LedgerCase, LedgerCase], ...]
    value: Printed | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names that the expression reads."""
        return () if self.expression is None else names_in(self.expression)


@frozen
class UnderConvention:
    """A statement as a named convention reads it; without a reading where none does."""

    reading: Reading | None
    value: Printed | None
    name: str
    meaning: str


@frozen
class LedgerEntry:
    """A statement that is ready to be judged."""

    file: LedgerFile
    place: Place
    text: EntryText
    value: Printed | None
    own: Reading | None
    converted: UnderConvention
    other: Reading | None
    right: Printed | None
    also: Mapping[str, Reading]


class _StopError(Exception):
    """A fault was noted and this entry cannot be read any further."""


@dataclass
class LedgerReader:
    """Reads the entries of one file; faults are added to `faults`, and an entry with a fault is left out."""

    file: LedgerFile
    conventions: Mapping[str, Convention]
    names: Mapping[str, Names]
    faults: list[Fault]

    def entries(self) -> Iterator[LedgerEntry]:
        """The entries without a fault."""
        self._check_setups()
        for place, text in self.file.entries:
            try:
                yield self._entry(place, text)
            except _StopError:
                continue

    def _check_setups(self) -> None:
        for name, setup in self.file.setups.items():
            place: Place = ("setups", name, "inputs")
            try:
                self._cases(name, [(place, setup.inputs)], ("setups", name))
            except _StopError:
                continue

    def _entry(self, place: Place, text: EntryText) -> LedgerEntry:
        self._check_words(place, text)
        value = self._printed(text.value, (*place, "value"))
        convention, under_text = self._under(place, text)
        reads = convention.reads if convention else {}
        own = self._reading(place, text, text.value is not None and bool(text.figure))
        under = self._below(place, "under", text, under_text, convention)
        other = self._below(place, "other", text, text.other, None)
        entry = LedgerEntry(
            file=self.file,
            place=place,
            text=text,
            value=self._widened(value, text, place, {}),
            own=own,
            converted=UnderConvention(
                under,
                self._widened(self._printed(text.value, (*place, "value"), reads), text, place, reads),
                under_text.convention if under_text else "",
                convention.meaning if convention else "",
            ),
            other=other,
            right=self._printed(text.right, (*place, "right")),
            also={label: self._also(place, label, text, reading) for label, reading in text.also.items()},
        )
        self._check_units(entry)
        return entry

    def _check_words(self, place: Place, text: EntryText) -> None:
        prefixes = (*JUDGEMENTS, "reproduces under ", "conflicts with ")
        if text.expect not in JUDGEMENTS and not text.expect.startswith(prefixes[-2:]):
            self._stop((*place, "expect"), "is no verdict", text.expect, ", ".join(map(str.strip, prefixes)))
        judged = text.figure or text.under or text.other
        if text.argued is None and judged and text.value is None:
            self._stop((*place, "id"), "has no value to judge; give one, or leave the figure out", text.id)
        if text.argued is None and not judged and not text.used:
            self._stop((*place, "id"), "names no figure; a statement without one needs `argued` or `used`", text.id)
        if text.expect.startswith(("contradicts", "conflicts")) and not text.why:
            self._stop((*place, "expect"), "needs a `why`", text.expect)

    def _under(self, place: Place, text: EntryText) -> tuple[Convention | None, Under | None]:
        if text.under is None:
            return None, None
        under = Under(convention=text.under) if isinstance(text.under, str) else text.under
        if under.convention not in self.conventions:
            where = (*place, "under") if isinstance(text.under, str) else (*place, "under", "convention")
            known = ", ".join(self.conventions) if len(self.conventions) <= 30 else ""
            self._stop(
                where, "no such convention", under.convention, known, nearest(under.convention, self.conventions)
            )
        return self.conventions[under.convention], under

    def _reading(self, place: Place, text: EntryText, wanted: bool) -> Reading | None:
        return self._made(place, [(place, text)], text.figure) if wanted else None

    def _below(
        self, place: Place, word: str, text: EntryText, below: Under | Other | None, convention: Convention | None
    ) -> Reading | None:
        """The reading of a convention or of another source: it starts from the entry's own and changes it."""
        if below is None:
            return None
        where = (*place, word)
        if isinstance(below, Other) and below.value is not None:
            return Reading(str(below.value), None, (), self._printed(below.value, (*where, "value")))
        layers: list[tuple[Place, ReadingText]] = [(place, text)]
        if convention and isinstance(below, Under):
            layers.append((("conventions", below.convention), ReadingText(inputs=convention.inputs)))
        figure = below.figure or text.figure
        if not figure:
            self._stop((*where, "figure"), "names no figure", text.id)
        return self._made(where, [*layers, (where, below)], figure)

    def _also(self, place: Place, label: str, text: EntryText, reading: ReadingText) -> Reading:
        where = (*place, "also", label)
        return self._made(where, [(place, text), (where, reading)], reading.figure or text.figure)

    def _made(self, place: Place, layers: list[tuple[Place, ReadingText]], figure: str) -> Reading:
        given = next((reading.given for _, reading in reversed(layers) if reading.given), self.file.given)
        shared = [((*where, "inputs"), reading.inputs) for where, reading in layers]
        ends = []
        bounds = [(word, self._end(layers, word)) for word in ("low", "high")]
        for word, changes in bounds if any(found is not None for _, found in bounds) else [("", None)]:
            extra = [((*place, word), changes)] if changes is not None else []
            ends.append(self._cases(given, [*shared, *extra], place))
        expression = self._expression(place, figure, ends[0])
        self._check_needs(place, figure, expression, ends)
        return Reading(figure, expression, tuple(ends))

    @staticmethod
    def _end(layers: Iterable[tuple[Place, ReadingText]], word: str) -> Mapping[str, Any] | None:
        """The innermost layer that gives low or high ends decides both."""
        for _, reading in reversed(list(layers)):
            if reading.low is not None or reading.high is not None:
                return reading.low if word == "low" else reading.high
        return None

    def _cases(
        self, given: str, layers: Iterable[tuple[Place, Mapping[str, Any]]], place: Place
    ) -> tuple[LedgerCase, LedgerCase]:
        main = self._start(given, place)
        against: list[tuple[Place, str, Any]] = []
        for where, changes in layers:
            for key, value in changes.items():
                if key.startswith(AGAINST):
                    against.append(((*where, key), key.removeprefix(AGAINST), value))
                else:
                    main = self._changed(main, (*where, key), key, value)
        second = main
        for where, key, value in against:
            second = self._changed(second, where, key, value)
        return _frozen(main), _frozen(second)

    def _start(self, given: str, place: Place) -> _State:
        chain: list[str] = []
        name = given
        while name and name not in self.file.starts.inputs:
            if name not in self.file.setups or len(chain) > MAX_SETUPS:
                known = [*self.file.setups, *self.file.starts.inputs]
                self._stop((*place, GIVEN), "no such set-up", name, ", ".join(known), nearest(name, known))
            chain.append(name)
            name = self.file.setups[name].given
        workloads = [self.file.setups[setup].workload for setup in chain]
        own = self.file.starts.workloads.get(name, self.file.workload)
        state = next((workload for workload in workloads if workload), own), dict(self.file.starts.inputs.get(name, {}))
        for text in reversed(chain):
            for key, value in self.file.setups[text].inputs.items():
                state = self._changed(state, ("setups", text, "inputs", key), key, value)
        return state

    def _changed(self, state: _State, place: Place, key: str, value: Any) -> _State:
        workload, changes = state
        if key == GIVEN:
            return self._start(str(value), place[:-1])
        try:
            return workload, {**changes, key: self.names[workload].read(key, value)}
        except NameFault as fault:
            self._refuse(place, fault, value)

    def _refuse(self, place: Place, fault: EntryError, value: Any) -> NoReturn:
        """Stop at a value that cannot be read, as it is written."""
        found = plain_digits(value) if isinstance(value, float) else repr(value)
        self._stop(place, str(fault), found, fault.expected, fault.near)

    def _expression(self, place: Place, figure: str, cases: tuple[LedgerCase, LedgerCase]) -> Expr:
        def look_up(name: str) -> Ref:
            case = cases[1] if name.startswith(AGAINST) else cases[0]
            return Ref(name, self.names[case.workload].unit(name.removeprefix(AGAINST)))

        try:
            return recorded(figure, look_up)
        except NameFault as fault:
            self._stop((*place, "figure"), str(fault), figure, fault.expected, fault.near)
        except (FormulaError, UnitError) as fault:
            self._stop((*place, "figure"), str(fault), figure)

    def _check_needs(
        self, place: Place, figure: str, expression: Expr, ends: Iterable[tuple[LedgerCase, LedgerCase]]
    ) -> None:
        for cases in ends:
            for index, prefix in enumerate(("", AGAINST)):
                read = [name for name in names_in(expression) if name.startswith(AGAINST) == bool(index)]
                wanted = [name.removeprefix(AGAINST) for name in read]
                missing = (
                    self.names[cases[index].workload].missing(wanted, dict(cases[index].changes)) if wanted else []
                )
                if missing:
                    listed = ", ".join(prefix + name for name in missing)
                    self._stop((*place, "figure"), f"needs inputs that are not given: {listed}", figure)

    def _printed(self, value: Any, place: Place, reads: Mapping[str, str] | None = None) -> Printed | None:
        if value is None:
            return None
        try:
            return printed(value, reads)
        except PrintedError as fault:
            self._refuse(place, fault, value)

    def _widened(
        self, value: Printed | None, text: EntryText, place: Place, reads: Mapping[str, str]
    ) -> Printed | None:
        if value is None or text.within is None:
            return value
        where = (*place, "within", "by")
        by = self._printed(text.within.by, where, reads)
        assert by is not None  # noqa: S101  # a written value is read or stops the entry
        if value.relation or value.truth:
            self._stop(where, "a bound or a claim is held or not; it has no tolerance", str(text.within.by))
        if by.unit != value.unit:
            self._stop(where, f"the tolerance is in {by.unit}, the value in {value.unit}", str(text.within.by))
        return replace(value, half=by.low)

    def _check_units(self, entry: LedgerEntry) -> None:
        for word, reading in (("own", entry.own), ("under", entry.converted.reading), ("other", entry.other)):
            expression = reading.expression if reading else None
            if expression is not None and entry.value is not None and expression.unit != entry.value.unit:
                message = f"{word}: the figure is in {expression.unit}, the value in {entry.value.unit}"
                self._stop((*entry.place, "value"), message, str(entry.text.value))

    def _stop(self, place: Place, message: str, found: object = "", expected: str = "", near: str = "") -> NoReturn:
        fault = self.file.document.fault(place, message, found=str(found), expected=expected, nearest=near)
        if fault not in self.faults:
            self.faults.append(fault)
        raise _StopError


def _frozen(state: _State) -> LedgerCase:
    workload, changes = state
    return LedgerCase(workload, tuple(sorted(changes.items())))
