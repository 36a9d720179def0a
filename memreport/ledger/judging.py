"""Every documented figure, recomputed and judged: verdicts are computed here and compared with the recorded ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from memreport.catalogue.load import Catalogue, LoadedScenario, catalogue_for
from memreport.catalogue.quantities import display
from memreport.catalogue.records import Numbers
from memreport.compute import calculate
from memreport.errors import Fault, InputError
from memreport.formula.recording import replay
from memreport.frozen import frozen
from memreport.ledger import entries
from memreport.ledger.entries import Convention, LedgerFile, StartingPoints
from memreport.ledger.expressions import AGAINST
from memreport.ledger.names import Names
from memreport.ledger.pointing import variants_of, with_scenarios
from memreport.ledger.printed import Printed
from memreport.ledger.reading import LedgerCase, LedgerEntry, LedgerReader, Reading
from memreport.paths import data_root, down_to
from memreport.resolve import Resolved

Ends = tuple[float, float]
REPRODUCES, CONTRADICTS, ARGUED, QUALITATIVE = entries.JUDGEMENTS
UNDER, CONFLICTS = "reproduces under", "conflicts with"
KINDS = (REPRODUCES, UNDER, CONTRADICTS, CONFLICTS, ARGUED, QUALITATIVE)


@frozen
class Judgement:
    """What became of one statement: computed ends in base units, the verdict, and whether it is the recorded one."""

    entry: LedgerEntry
    own: Ends | None
    under: Ends | None
    other: Ends | None
    kind: str
    """The verdict without the name of a convention or source."""
    problem: str = ""
    also: Mapping[str, str] = field(default_factory=dict)
    also_ends: Mapping[str, Ends] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether verdict and right value are as recorded."""
        return not self.problem

    @property
    def id(self) -> str:
        """The statement's name."""
        return self.entry.text.id

    @property
    def document(self) -> str:
        """The document that it is taken from."""
        return self.entry.file.name

    @property
    def verdict(self) -> str:
        """The verdict, with the convention under which it holds or the source that says otherwise."""
        named = {UNDER: self.entry.converted.name, CONFLICTS: self.other_source}
        return f"{self.kind} {named[self.kind]}" if self.kind in named else self.kind

    @property
    def other_source(self) -> str:
        """Who says otherwise, where an entry names somebody."""
        return self.entry.text.other.source if self.entry.text.other else ""

    @property
    def contradicted_by(self) -> str:
        """The other source, where the verdict is that it says otherwise."""
        return self.other_source if self.kind == CONFLICTS else ""

    @property
    def is_wrong(self) -> bool:
        """Whether the document, another source or an argument speaks against it."""
        return self.kind in (CONTRADICTS, CONFLICTS, ARGUED)

    @property
    def documented(self) -> str:
        """The value as printed."""
        text = self.entry.text
        value = text.value
        return text.printed or ("" if value is None else str(value).lower() if isinstance(value, bool) else str(value))

    @property
    def computed(self) -> Ends | None:
        """The value that the verdict rests on: by the convention, by the other source, else the document's own."""
        if self.kind == UNDER:
            return self.under
        return self.other if self.kind == CONFLICTS else self.own if self.own is not None else self.under or self.other

    @property
    def computed_text(self) -> str:
        """The same in the printed unit."""
        value = self.entry.converted.value if self.kind == UNDER else self.entry.value
        return value.shown(*self.computed) if value and self.computed else ""

    @property
    def difference(self) -> str:
        """How far the computed value lies from the printed one, as a share of the printed one."""
        value = self.entry.converted.value if self.kind == UNDER else self.entry.value
        if value is None or value.truth or self.computed is None:
            return ""
        pairs = zip(self.computed, (value.low, value.high), strict=True)
        shares = [f"{(ours / theirs - 1) * 100:+.1f} %" for ours, theirs in pairs if theirs]
        return " to ".join(dict.fromkeys(shares))

    @property
    def reason(self) -> str:
        """Why: the recorded reason, the argument, what the program does, or the convention's meaning."""
        text = self.entry.text
        argument = text.argued.because if text.argued else ""
        return argument or text.why or text.used or (self.entry.converted.meaning if self.kind == UNDER else "")

    @property
    def right(self) -> str:
        """The right value, where the printed one is wrong."""
        return self.computed_text if self.kind in (CONTRADICTS, CONFLICTS) else ""


@frozen
class Judged:
    """All judgements of all ledgers, and the faults of entries that could not be judged."""

    judgements: tuple[Judgement, ...]
    faults: tuple[Fault, ...]
    names: Mapping[str, Names] = field(default_factory=dict, repr=False, compare=False)
    """What may be named, by workload: what a judgement's steps are found with."""

    @property
    def failed(self) -> tuple[Judgement, ...]:
        """Those whose verdict or right value differs from the recorded one."""
        return tuple(judgement for judgement in self.judgements if not judgement.ok)

    def of(self, document: str) -> tuple[Judgement, ...]:
        """The judgements of one document."""
        return tuple(judgement for judgement in self.judgements if judgement.document == document)

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Numbers of statements by document and kind of verdict."""
        counted = Counter((judgement.document, judgement.kind) for judgement in self.judgements)
        documents = dict.fromkeys(judgement.document for judgement in self.judgements)
        return {document: {kind: counted[document, kind] for kind in KINDS} for document in documents}


def documented_folder() -> Path:
    """Where the packaged ledgers lie."""
    return data_root() / "scenarios" / "documented"


def judge(paths: Path | Sequence[Path] | None = None) -> Judged:
    """Judge the ledgers of files or folders; the packaged ones where none are given."""
    given = [documented_folder()] if paths is None else [paths] if isinstance(paths, Path) else list(paths)
    faults: list[Fault] = []
    files = [
        file for path in dict.fromkeys(file_path for path in given for file_path in _files(path, faults))
        if (file := entries.read_file(path, faults))
    ]  # fmt: skip
    catalogue = catalogue_for(near for path in given for near in down_to(path.parent))
    _ = catalogue.tables
    return judge_files(files, catalogue, [*faults, *catalogue.faults])


def judge_scenarios(resolved: Iterable[Resolved], catalogue: Catalogue) -> Judged:
    """Judge the `documented` entries of scenarios; `given` names a variant, the first where it is left out."""
    faults: list[Fault] = []
    files = [_scenario_file(scenario, faults) for scenario in resolved if scenario.loaded.scenario.documented]
    return judge_files(files, catalogue, faults)


def judge_files(files: Sequence[LedgerFile], catalogue: Catalogue, faults: Sequence[Fault] = ()) -> Judged:
    """Judge ledgers that have been read: one table a workload, every statement a column or more of it."""
    found = list(faults)
    files = [with_scenarios(file, found) for file in files]
    conventions = _conventions(files, found)
    names = {workload: Names(workload, catalogue) for workload in ("training", "serving")}
    readers = [LedgerReader(file, conventions | dict(file.conventions), names, found) for file in files]
    ready = _distinct((entry for reader in readers for entry in reader.entries()), found)
    values = _Values(names, ready)
    ordered = tuple(sorted(found, key=lambda fault: fault.order))
    return Judged(tuple(_judgement(entry, values) for entry in ready), ordered, names)


def _files(path: Path, faults: list[Fault]) -> list[Path]:
    try:
        return entries.ledger_files(path)
    except InputError as error:
        faults.extend(error.faults)
        return []


def _conventions(files: Iterable[LedgerFile], faults: list[Fault]) -> dict[str, Convention]:
    """The packaged conventions, and those of a `conventions.yaml` among the files."""
    packaged = documented_folder() / entries.CONVENTIONS
    shared = [file for file in files if file.path.name == entries.CONVENTIONS]
    if packaged.is_file() and all(file.path.resolve() != packaged.resolve() for file in shared):
        shared = [ledger_file for ledger_file in (entries.read_file(packaged, faults), *shared) if ledger_file]
    return {name: convention for file in shared for name, convention in file.conventions.items()}


def _distinct(ready: Iterable[LedgerEntry], faults: list[Fault]) -> list[LedgerEntry]:
    first: dict[str, LedgerEntry] = {}
    for entry in ready:
        other = first.setdefault(entry.text.id, entry)
        if other is not entry:
            mark = other.file.document.mark((*other.place, "id"))
            message = f"is already the id of {mark.file}:{mark.line}"
            faults.append(entry.file.document.fault((*entry.place, "id"), message, found=entry.text.id))
    return list(first.values())


def _scenario_file(resolved: Resolved, faults: list[Fault]) -> LedgerFile:
    """A scenario's own `documented` entries, with its variants as set-ups."""
    loaded: LoadedScenario = resolved.loaded
    read = entries.read_entries(loaded.document, loaded.document.data["documented"], faults, "documented")
    variants = variants_of(resolved)
    first = next(iter(variants))
    scenario = loaded.scenario
    return LedgerFile(
        loaded.path,
        loaded.document,
        scenario.id,
        scenario.title,
        first,
        scenario.workload,
        {},
        {},
        read,
        StartingPoints(variants),
    )


class _Values:
    """The numbers of every case: one table a workload."""

    def __init__(self, names: Mapping[str, Names], ready: Sequence[LedgerEntry]) -> None:
        wanted: dict[str, set[str]] = {workload: set() for workload in names}
        self.columns: dict[str, dict[LedgerCase, int]] = {workload: {} for workload in names}
        for reading in (found for entry in ready for found in _readings(entry)):
            for name in reading.names:
                for cases in reading.ends:
                    case = cases[name.startswith(AGAINST)]
                    wanted[case.workload].add(name.removeprefix(AGAINST))
                    self.columns[case.workload].setdefault(case, len(self.columns[case.workload]))
        self.values = {key: _computed(names[key], list(self.columns[key]), wanted[key]) for key in names}

    def of(self, reading: Reading | None) -> Ends | None:
        """Low and high end of a reading."""
        if reading is None:
            return None
        if reading.expression is None:
            return (reading.value.low, reading.value.high) if reading.value else None
        ends = [float(replay(reading.expression, self._at(reading, cases))) for cases in reading.ends]
        return ends[0], ends[-1]

    def _at(self, reading: Reading, cases: tuple[LedgerCase, LedgerCase]) -> dict[str, float]:
        found = {}
        for name in reading.names:
            case = cases[name.startswith(AGAINST)]
            column = self.columns[case.workload][case]
            found[name] = float(self.values[case.workload][name.removeprefix(AGAINST)][column])
        return found


def _computed(names: Names, cases: list[LedgerCase], wanted: set[str]) -> dict[str, Numbers]:
    if not cases:
        return {}
    inputs, overrides = names.table([dict(case.changes) for case in cases])
    values = calculate(names.lines, inputs, overrides, wanted)
    return {name: values[name] for name in wanted}


def _readings(entry: LedgerEntry) -> list[Reading]:
    return [
        reading
        for reading in (entry.own, entry.converted.reading, entry.other, *entry.also.values())
        if reading is not None
    ]


def _judgement(entry: LedgerEntry, values: _Values) -> Judgement:
    own, under, other = values.of(entry.own), values.of(entry.converted.reading), values.of(entry.other)
    kind = _kind(entry, own, under, other)
    ends = {label: found for label, reading in entry.also.items() if (found := values.of(reading))}
    also = {label: _shown(entry, reading, ends.get(label)) for label, reading in entry.also.items()}
    judgement = Judgement(entry, own, under, other, kind, also=also, also_ends=ends)
    return replace(judgement, problem=_problem(judgement))


def _shown(entry: LedgerEntry, reading: Reading, ends: Ends | None) -> str:
    """An additional value in the printed unit where it is of the same kind, else as people read it."""
    if ends is None or reading.expression is None:
        return ""
    if entry.value and not entry.value.truth and entry.value.unit == reading.expression.unit:
        return entry.value.shown(*ends)
    unit = str(reading.expression.unit)
    return " to ".join(display(end, unit, decimal=True) for end in dict.fromkeys(ends))


def _kind(entry: LedgerEntry, own: Ends | None, under: Ends | None, other: Ends | None) -> str:
    if entry.text.argued is not None:
        return ARGUED
    if entry.value is None or (own is None and under is None and other is None):
        return QUALITATIVE
    kind = CONTRADICTS
    if _agrees(entry.value, own) or (own is None and under is None):
        kind = REPRODUCES
    elif _agrees(entry.converted.value, under):
        kind = UNDER
    return CONFLICTS if kind != CONTRADICTS and other is not None and not _agrees(entry.value, other) else kind


def _agrees(value: Printed | None, ends: Ends | None) -> bool:
    return value is not None and ends is not None and value.agrees(*ends)


def _problem(judgement: Judgement) -> str:
    """What differs from the record: the verdict, or the recorded right value."""
    entry, text = judgement.entry, judgement.entry.text
    if judgement.verdict != text.expect:
        now = f" ({judgement.computed_text})" if judgement.computed_text else ""
        return f"recorded as '{text.expect}', now '{judgement.verdict}'{now}"
    if entry.right is not None and judgement.computed is not None and not entry.right.agrees(*judgement.computed):
        return f"the right value was recorded as {text.right}, now {entry.right.shown(*judgement.computed)}"
    return ""
