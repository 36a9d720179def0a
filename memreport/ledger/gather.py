"""Which ledgers a path means: files, folders, scenarios with `documented` entries; without a path the packaged ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memreport.catalogue.load import Catalogue, LoadedScenario, catalogue_for, read_scenario, scenario_files
from memreport.errors import Fault, InputError
from memreport.files import MOST_YAML, read_bytes
from memreport.ledger import entries
from memreport.ledger.judging import Judged, judge_files, judge_scenarios
from memreport.paths import data_root, down_to
from memreport.resolve import Resolved, resolve

LEDGER_FOLDER = "documented"


def judge_all(paths: Sequence[Path] = ()) -> Judged:
    """Judge every ledger and every scenario's own entries that the paths hold; all packaged ones without a path."""
    given = list(paths) or [data_root() / "scenarios"]
    faults: list[Fault] = []
    ledgers, scenarios = _sorted([scenario for path in given for scenario in _files(path, faults)])
    catalogue = catalogue_for(near for path in dict.fromkeys((*given, *ledgers)) for near in down_to(path.parent))
    _ = catalogue.tables
    faults += catalogue.faults
    files = [file for path in ledgers if (file := entries.read_file(path, faults))]
    resolved = [scenario for path in scenarios if (scenario := _resolved(path, catalogue, faults))]
    judged = judge_files(files, catalogue, faults)
    if not resolved:
        return judged
    theirs = judge_scenarios(resolved, catalogue)
    return Judged((*judged.judgements, *theirs.judgements), (*judged.faults, *theirs.faults), judged.names)


def _files(path: Path, faults: list[Fault]) -> list[Path]:
    try:
        if not path.is_dir():
            return [path]
        inside = path / LEDGER_FOLDER
        if inside.is_dir():
            return [*entries.ledger_files(inside), *scenario_files([path])]
        return entries.ledger_files(path)
    except InputError as error:
        faults.extend(error.faults)
        return []


def _sorted(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Ledgers, and the scenarios that have entries; told apart by their top-level keys, before anything is parsed."""
    ledgers, scenarios = [], []
    for path in dict.fromkeys(files):
        keys = _top_keys(path)
        if "workload" in keys and "model" in keys:
            scenarios += [path] if "documented" in keys else []
        else:
            ledgers.append(path)
    return ledgers, scenarios


def _top_keys(path: Path) -> set[str]:
    try:
        lines = read_bytes(path, MOST_YAML).decode(errors="replace").splitlines()
    except InputError:  # said when it is read as a ledger
        return set()
    return {line.partition(":")[0] for line in lines if line[:1].isalpha()}


def _resolved(path: Path, catalogue: Catalogue, faults: list[Fault]) -> Resolved | None:
    loaded: LoadedScenario | None = read_scenario(path, faults)
    if loaded is None:
        return None
    try:
        return resolve(loaded, catalogue)
    except InputError as error:
        faults.extend(error.faults)
        return None
