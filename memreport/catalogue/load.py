"""Step 1, load: YAML files to frozen records.  All mistakes of all files are collected and raised together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from memreport.catalogue.cached_tables import Folders, Seen, cached_or_read, files_seen
from memreport.catalogue.cards import draft_fields, model_names, read_model
from memreport.catalogue.fields.validation import validated
from memreport.catalogue.programs.job import OF_SCENARIOS, program_of
from memreport.catalogue.quotes.reading import Quote, any_quotes, quotes_beside
from memreport.catalogue.records import ModelCard, Table
from memreport.catalogue.repair import repaired
from memreport.catalogue.scenario import SCHEMA, WORKLOADS, Scenario, dictionary, scenario_model, switches
from memreport.catalogue.tables import prices
from memreport.catalogue.tables import reading as tables
from memreport.catalogue.tables.words import ROW_COLUMNS
from memreport.catalogue.terms.approval import (
    APPROVED,
    DRAFT,
    approval_faults,
    approval_words,
    inputs_changed,
    resting_changed,
    resting_faults,
    rests_on,
)
from memreport.catalogue.unstated.all import completed, is_alone
from memreport.catalogue.words.meaning import WordRead
from memreport.catalogue.words.options import in_all_words
from memreport.catalogue.yaml import strict as strict_yaml
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault, InputError, as_spelt
from memreport.files import lies
from memreport.frozen import frozen
from memreport.paths import data_root, down_to

NOT_SCENARIOS = ("models", "reference", "documented", "hardware", "previous", "quotes")
OTHER_FILES = ("policy.yaml", "portfolio.yaml")
"""Files beside scenarios that are none: the policy of a gate, what is planned together."""
MOST_KEPT = 8
"""Catalogues of a process; those that nobody has asked for the longest go first."""


@frozen
class LoadedScenario:
    """A valid scenario with its file, so that later faults can still point at a line."""

    scenario: Scenario
    document: Document
    path: Path
    approval: str = DRAFT
    """Its state in words, of the inputs as the file states them; an option that is computed as a variant keeps it."""
    lapsed: tuple[str, ...] = ()
    """What was otherwise when it was approved."""
    quotes: tuple[Quote, ...] = ()
    """What vendors offer, from the folders `quotes` beside it."""
    words: tuple[WordRead, ...] = ()
    """Words of other programs that were read under an assumption."""

    @property
    def sha256(self) -> str:
        """Hash of the file's text, printed on every page that is made from it."""
        return hashlib.sha256(self.document.text.encode()).hexdigest()


@frozen
class Catalogue:
    """Hardware, reference tables and model cards: the packaged ones, then a user's own, which win."""

    scenario_folders: tuple[Path, ...]
    hardware_folders: tuple[Path, ...]
    faults: list[Fault] = field(default_factory=list)

    @property
    def folders(self) -> Folders:
        """What it is read from: equal folders make an equal catalogue."""
        return self.scenario_folders, self.hardware_folders

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """Every table by name, kept between processes where none is faulty.  Faults are added to `faults`."""
        return cached_or_read(tuple(files_seen(self.folders)), self._read_tables, lambda: bool(self.faults))

    def _read_tables(self) -> dict[str, Table]:
        from memreport.catalogue.tables import conventions, lists  # what reads them is loaded where none are kept
        from memreport.catalogue.tables.required import last_reference

        of = self._packaged_or_read
        made = {
            name: of(name, files, partial(last_reference, files, self.faults))
            for name, files in self._reference_files().items()
        }
        devices = [*self._device_files(), *self._every("efficiency.yaml")]
        made["accelerators"] = of("accelerators", devices, self._devices)
        for name, title, columns in _ROW_TABLES:
            files = self._every(f"{name}.yaml")
            made[name] = of(name, files, partial(lists.rows_table, name, title, files, name, columns, self.faults))
        book = self._every("prices.yaml")
        made["apis"] = lists.rows_table("apis", "List prices of APIs", book, "apis", lists.API_COLUMNS, self.faults)
        return made | prices.price_tables(book, self.faults) | conventions.convention_tables(book, self.faults)

    def _packaged_or_read(self, name: str, files: Sequence[Path], read: Callable[[], Table]) -> Table:
        """The packaged table, where no file of one's own adds to it."""
        there = self._packaged.get(name)
        return there if there and set(there.files) == set(map(str, files)) else read()

    @cached_property
    def _packaged(self) -> Mapping[str, Table]:
        """The packaged tables; none where these are they."""
        packaged = catalogue_for()
        return {} if packaged.folders == self.folders else packaged.tables

    def _devices(self) -> Table:
        """Accelerators, with their efficiency."""
        from memreport.catalogue.tables.efficiency import with_efficiency

        read = tables.accelerators(self._device_folders, self.faults)
        return with_efficiency(*read, self._every("efficiency.yaml"), self.faults)

    def _device_files(self) -> Iterator[Path]:
        for folder in self._device_folders:
            yield from folder.glob("*.yaml")

    @property
    def _device_folders(self) -> list[Path]:
        return [folder / "accelerators" for folder in self.hardware_folders]

    @cached_property
    def usd_by_currency(self) -> Mapping[str, float]:
        """US dollars for a unit of each currency that the price book states."""
        return prices.usd_by_currency(self._every("prices.yaml"))

    @property
    def reference_names(self) -> list[str]:
        """Tables of choices, each a file of its own."""
        return [*self._reference_files()]

    def _reference_files(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for folder in self.scenario_folders:
            for path in sorted((folder / "reference").glob("*.yaml")):
                found.setdefault(path.stem, []).append(path)
        return found

    def _every(self, name: str) -> list[Path]:
        """The packaged file of that name, then a user's own."""
        return [folder / name for folder in self.hardware_folders if lies(folder / name)]

    @cached_property
    def model_files(self) -> Mapping[str, Path]:
        """Model cards by name."""
        return {
            path.stem: path for folder in self.scenario_folders for path in sorted((folder / "models").glob("*.yaml"))
        }

    @cached_property
    def model_names(self) -> Mapping[str, str]:
        """The card of every name that one answers to."""
        return model_names(self.model_files)

    def model(self, name: str) -> ModelCard | None:
        """A model card by name; None where it is broken."""
        if name not in self._cards:
            faults: list[Fault] = []
            self._cards[name] = read_model(self.model_files[name], faults), tuple(faults)
        return self._cards[name][0]

    def models(self) -> list[ModelCard]:
        """Every model card that can be read."""
        return [card for name in self.model_files if (card := self.model(name))]

    def model_faults(self, name: str) -> tuple[Fault, ...]:
        """What is wrong with a model card."""
        return () if self.model(name) else self._cards[name][1]

    @cached_property
    def _cards(self) -> dict[str, tuple[ModelCard | None, tuple[Fault, ...]]]:
        return {}


_ROW_TABLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("hosts", "Hosts", ROW_COLUMNS["hosts"]),
    ("links", "Links", ROW_COLUMNS["links"]),
)


def catalogue_for(paths: Iterable[Path] = ()) -> Catalogue:
    """The packaged catalogue, with what lies in the given folders; a lower one wins over those that hold it."""
    root = data_root()
    folders = [path.resolve() for path in paths]
    own = (folder for folder in folders if any((folder / name).is_dir() for name in ("models", "reference")))
    hardware = _distinct(
        [root / "hardware", *(near / "hardware" for folder in folders for near in (folder.parent, folder))]
    )
    return catalogue_of((_distinct([root / "scenarios", *own]), hardware))


def catalogue_of(folders: Folders) -> Catalogue:
    """The catalogue of these folders: one a process, until a file changes; one with faults is read anew."""
    made = _kept(folders, tuple(files_seen(folders)))
    return Catalogue(*folders) if made.faults else made


@lru_cache(maxsize=MOST_KEPT)
def _kept(folders: Folders, seen: Seen) -> Catalogue:  # noqa: ARG001  # part of the key
    return Catalogue(*folders)


def _distinct(folders: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))


def scenario_files(paths: Iterable[Path]) -> list[Path]:
    """The scenario files that the given files and folders hold.  Raises InputError where there are none."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.rglob("*.yaml")) + sorted(path.rglob("*.yml"))
            own = (file for file in inside if not set(file.relative_to(path).parts[:-1]) & set(NOT_SCENARIOS))
            found += [file for file in own if not file.name.endswith(OTHER_FILES)]
        else:
            found.append(path)
    if not found:
        shown = ", ".join(map(str, paths))
        raise InputError([Fault("holds no scenario (*.yaml)", file=shown)])
    return list(dict.fromkeys(found))


GIVEN = "the mapping"
OF_PROGRAM = "is a configuration of {}, no scenario; what reads it is: memreport fit {} GPU --save job.yaml"
OF_MODEL = "is a configuration of a model, no scenario: memreport fit {} GPU, or name it in a scenario as its model"
OF_MODELS = {"model_type", "architectures"}
"""What a configuration of Hugging Face has, and no scenario."""
UPGRADES: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""From each old version of the file format to the next; version 1 is the first."""


def read_scenario(path: Path, faults: list[Fault]) -> LoadedScenario | None:
    """One scenario file, without its invalid parts; None where nothing is left.  Every fault is added to `faults`."""
    document, broken = strict_yaml.examine(path)
    faults += broken
    if document is None:
        return None
    further: list[Fault] = []
    loaded = _scenario_of(document, path, further)
    places = {(fault.line, fault.column) for fault in broken}
    faults += [fault for fault in further if (fault.line, fault.column) not in places]
    return loaded


def _scenario_of(document: Document, path: Path, faults: list[Fault]) -> LoadedScenario | None:
    if none := _no_scenario(document, path):
        faults.append(none)
        return None
    found = cache(partial(catalogue_for, [path.parent]))  # which is looked for once
    known, alone = partial(_choice, found), is_alone(document)
    document, words = in_all_words(document, switches(), known, lambda name: draft_fields(name, found()), faults)
    document, words = completed(document, words, found, alone=alone)
    data = _upgraded(document, faults)
    if data is None:
        return None
    whole = validated(document, scenario_model(), faults, data=data)
    scenario = whole or repaired(data)
    if scenario is None:
        return None
    faults += _unread_sections(document, data)
    faults += approval_faults(document, whole) if whole else ()
    if whole and scenario.id != path.stem:
        faults.append(document.fault(("id",), "must be the file's name", found=repr(scenario.id), expected=path.stem))
    changed = inputs_changed(scenario)
    return LoadedScenario(scenario, document, path, approval_words(scenario, changed), changed, words=words)


def _no_scenario(document: Document, path: Path) -> Fault | None:
    """The fault of a file that is something else: no block of fields, or a configuration of another program."""
    if not isinstance(document.data, dict):
        return document.fault((), "a scenario is a block of fields", found=type(document.data).__name__)
    if OF_MODELS & document.data.keys() and not OF_SCENARIOS & document.data.keys():
        return document.fault((), OF_MODEL.format(path))
    program = "" if OF_SCENARIOS & document.data.keys() else program_of(document.data)
    return document.fault((), OF_PROGRAM.format(program, path)) if program else None


def _choice(catalogue: Callable[[], Catalogue], field: str, name: str) -> str:
    """The row of a field that a user's own tables, or the packaged ones, have by that name, as they spell it."""
    entry = dictionary("").get(field)
    ids = catalogue().tables[entry.table].ids if entry and entry.table else ()
    return as_spelt(name, map(str, ids))


def _unread_sections(document: Document, data: Mapping[str, Any]) -> Iterator[Fault]:
    """The section of the other workload, which nothing would read."""
    workload = data.get("workload")
    for name in WORKLOADS if workload in WORKLOADS else ():
        if name != workload and name in data:
            message = f"is not read, because the workload is {workload}; delete this section, or change workload"
            yield document.fault((name,), message, expected=str(workload), at_key=True)


def given_scenario(data: Mapping[str, Any], faults: list[Fault]) -> LoadedScenario | None:
    """A scenario that is no file, checked as one in the current folder would be; None where nothing is left of it."""
    try:
        text = json.dumps(dict(data), default=_plain, ensure_ascii=False)
        document = strict_yaml.parse(text, GIVEN).without_lines()
    except (TypeError, ValueError) as error:
        faults.append(Fault(f"cannot be written as YAML: {error}", GIVEN))
        return None
    except InputError as error:
        faults += error.faults
        return None
    return _scenario_of(document, Path.cwd() / f"{str(data.get('id')).replace('/', '-')}.yaml", faults)


def _plain(value: Any) -> Any:
    """Numbers of numpy, days and paths, which JSON does not know."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, (date, Path)):
        return str(value)
    raise TypeError(f"{value!r:.60} is no number, text, list or mapping")


def _upgraded(document: Document, faults: list[Fault]) -> dict[str, Any] | None:
    data: dict[str, Any] = dict(document.data)
    version = data.get("schema")
    if isinstance(version, int) and version > SCHEMA:
        faults.append(
            document.fault(("schema",), "is newer than this memreport", found=str(version), expected=str(SCHEMA))
        )
        return None
    while isinstance(version, int) and version in UPGRADES:
        data = UPGRADES[version](data)
        version = data["schema"]
    return data


def load(paths: Sequence[Path]) -> tuple[list[tuple[LoadedScenario, Catalogue]], list[Fault]]:
    """All scenarios of the given files and folders, each with the catalogue it draws on, and every fault of every file.

    Where there are faults, the scenarios are only good for finding more of them.  Raises InputError where there is no
    scenario at all.
    """
    faults: list[Fault] = []
    loaded = [scenario for path in scenario_files(paths) if (scenario := read_scenario(path, faults))]
    faults += _repeated_ids(loaded)
    catalogues: dict[Folders, Catalogue] = {}
    homes = {home: catalogue_for(down_to(home, paths)) for home in dict.fromkeys(each.path.parent for each in loaded)}
    pairs = [
        (loaded_scenario, catalogues.setdefault((made := homes[loaded_scenario.path.parent]).folders, made))
        for loaded_scenario in loaded
    ]
    for catalogue in catalogues.values():
        _ = catalogue.tables
        faults += catalogue.faults
    offers = {home: _quotes(down_to(home, paths), made, faults) for home, made in homes.items()}
    pairs = [(_quoted(loaded_scenario, offers[loaded_scenario.path.parent]), made) for loaded_scenario, made in pairs]
    return [(_approved(loaded_scenario, made, faults), made) for loaded_scenario, made in pairs], faults


def _approved(loaded: LoadedScenario, catalogue: Catalogue, faults: list[Fault]) -> LoadedScenario:
    """With what has changed, since it was approved, of the card, GPU and prices that it names."""
    scenario = loaded.scenario
    if scenario.approval.status != APPROVED:
        return loaded
    now = rests_on(
        scenario, catalogue.tables, lambda name: catalogue.model(name) if name in catalogue.model_files else None
    )
    faults += resting_faults(loaded.document, scenario, now)
    changed = (*loaded.lapsed, *resting_changed(scenario, now))
    return replace(loaded, approval=approval_words(scenario, changed), lapsed=changed)


def _quotes(folders: Sequence[Path], catalogue: Catalogue, faults: list[Fault]) -> tuple[Quote, ...]:
    known = catalogue.tables["accelerators"].ids
    return quotes_beside(folders, known, catalogue.usd_by_currency, faults) if any_quotes(folders) else ()


def _quoted(loaded: LoadedScenario, quotes: tuple[Quote, ...]) -> LoadedScenario:
    return replace(loaded, quotes=quotes) if quotes else loaded


def _repeated_ids(loaded: Iterable[LoadedScenario]) -> list[Fault]:
    first: dict[str, Path] = {}
    faults = []
    for scenario in loaded:
        other = first.setdefault(scenario.scenario.id, scenario.path)
        if other is not scenario.path:
            faults.append(
                scenario.document.fault(("id",), f"is already the id of {other}", found=repr(scenario.scenario.id))
            )
    return faults
