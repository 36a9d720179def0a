"""Which scenarios have to be built, and why: everything is resolved, computed and checked before a file is written."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memreport import __version__
from memreport.build.run import CONFIDENTIAL, Run, code_files, damage, failed, key_of, say, versions
from memreport.build.stamps import Stamp, inside, stamp
from memreport.errors import InputError, MemreportError
from memreport.files import sha256
from memreport.frozen import frozen
from memreport.paths import data_root, down_to

if TYPE_CHECKING:  # a build of what has not changed needs none of these
    from memreport.catalogue.load import Catalogue
    from memreport.resolve import Resolved


@frozen
class PlannedBuild:
    """One scenario to publish: the key of everything that decides its bytes, and why it is built, or "" to leave it."""

    resolved: Resolved
    key: str
    reason: str

    @property
    def id(self) -> str:
        """The scenario's."""
        return self.resolved.loaded.scenario.id


def planned(run: Run) -> list[PlannedBuild]:
    """Every scenario resolved, computed and checked before the first file is written, with what has to be built."""
    resolved = _checked(run)
    run.warnings += [f"warning: {warning}" for scenario in resolved for warning in scenario.warnings]
    for warning in run.warnings:
        say(warning)
    catalogues = {scenario.catalogue.folders: scenario.catalogue for scenario in resolved}
    shared = {folders: _shared_key(run, catalogue) for folders, catalogue in catalogues.items()}
    return [_plan_one(run, scenario, shared[scenario.catalogue.folders]) for scenario in resolved]


def _checked(run: Run) -> list[Resolved]:
    """All scenarios; with --keep-going the sound ones, the others being said and counted as failed."""
    from memreport.resolve import resolve_all

    try:
        resolved = resolve_all(run.options.paths)
    except InputError as error:
        if not run.options.keep_going:
            raise
        resolved = _sound(run.options.paths, error)
        say(str(error))
        run.failed |= {Path(fault.file).stem: error.exit_code for fault in error.faults}
    return _computable(run, resolved)


def _sound(paths: Sequence[Path], error: InputError) -> list[Resolved]:
    """The scenarios in which no fault was found.  Raises the error where it lies in what all of them share."""
    from memreport.catalogue.load import load, scenario_files
    from memreport.resolve import resolve

    broken = {fault.file for fault in error.faults}
    if not broken <= set(map(str, scenario_files(paths))):
        raise error
    return [resolve(loaded, catalogue) for loaded, catalogue in load(paths)[0] if str(loaded.path) not in broken]


def _computable(run: Run, resolved: Sequence[Resolved]) -> list[Resolved]:
    """Those whose figures are all sound numbers."""
    from memreport.checks import check_all
    from memreport.compute import compute

    try:
        check_all(compute(resolved))
        return list(resolved)
    except MemreportError as error:
        if not run.options.keep_going:
            raise
        if len(resolved) == 1:
            failed(run, resolved[0].loaded.scenario.id, str(error), error.exit_code)
            return []
    return [sound for scenario in resolved for sound in _computable(run, [scenario])]


def _plan_one(run: Run, resolved: Resolved, shared: str) -> PlannedBuild:
    from memreport.build.versions.previous import previous_key

    cards = dict.fromkeys(
        Path(case.card.file) for case in resolved.cases if Path(case.card.file) != resolved.loaded.path
    )
    offers = [quote.path for quote in resolved.loaded.quotes]
    made_from = [
        shared,
        resolved.loaded.sha256,
        previous_key(resolved.loaded),
        *map(run.stamps.sha256, [*cards, *offers]),
    ]
    key = sha256("\n".join(made_from).encode())
    entry = run.before["scenarios"].get(resolved.loaded.scenario.id)
    return PlannedBuild(resolved, key, _reason(run, resolved, entry, key))


def _reason(run: Run, resolved: Resolved, entry: Mapping[str, Any] | None, key: str) -> str:
    if run.options.force or entry is None:
        return "asked for by --force" if run.options.force else "not built before"
    changed = what_changed(entry, resolved.loaded.sha256, run.options.formats)
    return changed if entry["key"] != key else damage(run, entry["files"])


def what_changed(entry: Mapping[str, Any], digest: str, formats: Sequence[str]) -> str:
    """Why a published scenario no longer stands for what is asked: its file, the formats, or what it is made from."""
    if entry["sha256"] != digest:
        return "its file has changed"
    before = {name.rpartition(".")[2] for name in entry["files"]}
    if before != set(formats) - {CONFIDENTIAL}:
        return f"other formats are asked for, it has {', '.join(sorted(before)) or 'none'}"
    return "what it is made from has changed"


def _shared_key(run: Run, catalogue: Catalogue) -> str:
    """Hash of what all scenarios share: code, templates, tables, versions of libraries, what is asked for."""
    tables = (Path(file) for table in catalogue.tables.values() for file in table.files)
    return key_of(run, sorted(run.options.formats), tables)


def asked_for(options: Namespace) -> str:
    """Everything but files that decides what is published."""
    return "\n".join([*versions(), said_in(options)])


def said_in(options: Namespace) -> str:
    """The same but for the libraries: this program and its Python, what is asked for, and of which folders."""
    paths = [str(Path(path).resolve()) for path in options.paths]
    tops = [str(_near(path, options)[0]) for path in map(Path, options.paths)]
    return "\n".join([__version__, sys.version, *sorted(options.formats), *paths, *tops])


def _near(path: Path, options: Namespace) -> list[Path]:
    """The folders in which what a scenario of that path is made from may lie, but for those below it."""
    return down_to(path if path.is_dir() else path.parent, [file for file in map(Path, options.paths) if file.is_dir()])


def file_stamps(options: Namespace) -> dict[str, Stamp]:
    """How every file and folder looks that a scenario may be made from, before any of them is read."""
    folders = [data_root() / "scenarios", data_root() / "hardware"]
    for path in map(Path, options.paths):
        near = _near(path, options)
        folders += [path, near[-1] / "previous", near[0].parent / "hardware"]
        folders += [file / name for file in near for name in ("models", "reference", "hardware", "quotes")]
    found = inside(folders, (".yaml", ".yml", ".json"), Path(options.out))
    return {path: stamp(path) for path in (*map(str, folders), *found, *code_files())}
