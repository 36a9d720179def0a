"""`memreport build`: every scenario through the five steps, whole files only, unchanged ones left alone."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memreport import __version__
from memreport.errors import DONE, FINDING, InputError, MemreportError
from memreport.files import sha256, sole_writer, write_whole
from memreport.paths import PACKAGE, data_root
from memreport.stamps import Stamp, Stamps, inside, stamp

if TYPE_CHECKING:  # a build of what has not changed needs none of these
    from memreport.catalogue.load import Catalogue
    from memreport.resolve import Resolved
    from memreport.workers import Outcome

SHAPING = ("numpy", "openpyxl", "jinja2", "weasyprint", "pydyf", "fonttools", "pydantic", "pyyaml")
"""Libraries that can change a published byte."""
JUDGED_BY = ("hardware", "scenarios/documented", "scenarios/models", "scenarios/reference")
"""Folders whose files decide what is said of the documents."""
STAMPS = ".stamps.json"
SECONDS_BETWEEN_MANIFESTS = 2.0
"""A build that is stopped loses no more than what it made in that time."""


@dataclass(frozen=True)
class Plan:
    """One scenario to publish: the key of everything that decides its bytes, and why it is built, or "" to leave it."""

    resolved: Resolved
    key: str
    reason: str

    @property
    def id(self) -> str:
        """The scenario's."""
        return self.resolved.loaded.scenario.id


@dataclass
class Run:
    """One call of `build`: what was asked, what there was before, and what has become of it so far."""

    options: Namespace
    stamps: Stamps
    before: Mapping[str, Any]
    began: float
    entries: dict[str, Any] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    built: int = 0

    @property
    def out(self) -> Path:
        """Where it publishes."""
        return Path(self.options.out)

    @property
    def known(self) -> dict[str, Any]:
        """Entries of all scenarios that are published there, without those that have just failed."""
        kept = {name: entry for name, entry in self.before["scenarios"].items() if name not in self.failed}
        return kept | self.entries


def build(options: Namespace) -> int:
    """Publish the scenarios.  Returns 1 where --fail-if-does-not-fit is given and a first variant does not fit.

    Raises InputError for bad input before anything is written.  A scenario that cannot be published stops the build
    after those under way.  With --keep-going neither stops the others; the code is then that of the worst failure.
    """
    began, asked = time.monotonic(), _asked(options)
    with sole_writer(Path(options.out)):
        stamps = Stamps(Path(options.out) / STAMPS)
        if not options.force and stamps.nothing_changed(asked):
            return _left_alone(stamps, options, began)
        run = Run(options, stamps, _read_manifest(options.out), began)
        return _built(run, asked, _looks(options))


def _built(run: Run, asked: str, seen: dict[str, Stamp]) -> int:
    plans = _planned(run)
    todo = [one for one in plans if one.reason]
    for one in plans:
        if run.options.explain:
            _say(f"{one.id}: {one.reason or 'unchanged'}")
        if not one.reason:
            run.entries[one.id] = run.before["scenarios"][one.id]
    _publish(run, todo)
    reports = _reports(run, plans)
    unchanged = len(plans) - len(todo)
    _say(f"{run.built} built, {unchanged} unchanged, in {time.monotonic() - run.began:.1f} s: {run.out}/")
    _say_failures(run, [one.id for one in todo if one.id not in run.entries and one.id not in run.failed])
    if not run.failed:
        _remember(run, asked, seen, [*reports, *(name for one in plans for name in run.entries[one.id]["files"])])
    return max([_verdict_code(run.entries, run.options), *run.failed.values()])


def _say_failures(run: Run, left: Sequence[str]) -> None:
    """The last lines of a build in which something failed."""
    if left:
        _say(f"stopped there; not built: {len(left)} ({', '.join(left[:5])}{', ...' if len(left) > 5 else ''})")
    if run.failed:
        _say(f"failed: {', '.join(run.failed)}{'' if run.options.keep_going else '; --keep-going builds the others'}")


def _planned(run: Run) -> list[Plan]:
    """Every scenario resolved, computed and checked before the first file is written, with what has to be built."""
    resolved = _checked(run)
    run.warnings += [f"warning: {caution}" for one in resolved for caution in one.cautions]
    for warning in run.warnings:
        _say(warning)
    catalogues = {one.catalogue.folders: one.catalogue for one in resolved}
    shared = {folders: _shared_key(run, one) for folders, one in catalogues.items()}
    return [_plan_one(run, one, shared[one.catalogue.folders]) for one in resolved]


def _checked(run: Run) -> list[Resolved]:
    """All scenarios; with --keep-going the sound ones, the others being said and counted as failed."""
    from memreport.resolve import resolve_all

    try:
        resolved = resolve_all(run.options.paths)
    except InputError as error:
        if not run.options.keep_going:
            raise
        resolved = _sound(run.options.paths, error)
        _say(str(error))
        run.failed |= {Path(fault.file).stem: error.exit_code for fault in error.faults}
    return _computable(run, resolved)


def _sound(paths: Sequence[Path], error: InputError) -> list[Resolved]:
    """The scenarios in which no fault was found.  Raises the error where it lies in what all of them share."""
    from memreport.catalogue.load import load, scenario_files
    from memreport.resolve import resolve

    broken = {fault.file for fault in error.faults}
    if not broken <= set(map(str, scenario_files(paths))):
        raise error
    return [resolve(one, catalogue) for one, catalogue in load(paths)[0] if str(one.path) not in broken]


def _computable(run: Run, resolved: Sequence[Resolved]) -> list[Resolved]:
    """Those whose figures are all sound numbers."""
    from memreport.compute import compute
    from memreport.verify.sanity import check

    try:
        for computed in compute(resolved):
            check(computed)
        return list(resolved)
    except MemreportError as error:
        if not run.options.keep_going:
            raise
        if len(resolved) == 1:
            return _failed(run, resolved[0].loaded.scenario.id, str(error), error.exit_code)
    return [sound for one in resolved for sound in _computable(run, [one])]


def _failed(run: Run, name: str, fault: str, code: int) -> list[Resolved]:
    _say(f"{name}: {fault}")
    run.failed[name] = code
    return []


def _plan_one(run: Run, one: Resolved, shared: str) -> Plan:
    from memreport.previous import previous_key

    cards = dict.fromkeys(Path(case.card.file) for case in one.cases if Path(case.card.file) != one.loaded.path)
    made_from = [shared, one.loaded.sha256, previous_key(one.loaded), *map(run.stamps.sha256, cards)]
    key = sha256("\n".join(made_from).encode())
    entry = run.before["scenarios"].get(one.loaded.scenario.id)
    return Plan(one, key, _reason(run, one, entry, key))


def _reason(run: Run, one: Resolved, entry: Mapping[str, Any] | None, key: str) -> str:
    if run.options.force or entry is None:
        return "asked for by --force" if run.options.force else "not built before"
    changed = _what_changed(entry, one.loaded.sha256, run.options.formats)
    return changed if entry["key"] != key else _damage(run, entry["files"])


def _what_changed(entry: Mapping[str, Any], digest: str, formats: Sequence[str]) -> str:
    if entry["sha256"] != digest:
        return "its file has changed"
    before = {name.rpartition(".")[2] for name in entry["files"]}
    if before != set(formats) - {"html"}:
        return f"other formats are asked for, it has {', '.join(sorted(before)) or 'none'}"
    return "what it is made from has changed"


def _damage(run: Run, files: Mapping[str, str]) -> str:
    for name, digest in files.items():
        path = run.out / name
        if not path.is_file():
            return f"{name} is missing"
        if run.stamps.sha256(path) != digest:
            return f"{name} was changed by somebody else"
    return ""


def _shared_key(run: Run, catalogue: Catalogue) -> str:
    """Hash of what all scenarios share: code, templates, tables, versions of libraries, what is asked for."""
    tables = (Path(file) for table in catalogue.tables.values() for file in table.files)
    hashes = [run.stamps.sha256(path) for path in sorted({*_code_files(), *tables})]
    return sha256("\n".join([__version__, *sorted(run.options.formats), *_versions(), *hashes]).encode())


@lru_cache
def _versions() -> tuple[str, ...]:
    return tuple(f"{name} {metadata.version(name)}" for name in SHAPING)


def _code_files() -> Iterator[Path]:
    yield from PACKAGE.rglob("*.py")
    yield from (path for path in (data_root() / "templates").rglob("*") if path.is_file())


def _asked(options: Namespace) -> str:
    """Everything but files that decides what is published."""
    paths = [str(Path(path).resolve()) for path in options.paths]
    return "\n".join([__version__, sys.version, *_versions(), *sorted(options.formats), *paths])


def _looks(options: Namespace) -> dict[str, Stamp]:
    """How every file and folder looks that a scenario may be made from, before any of them is read."""
    folders = [data_root() / "scenarios", data_root() / "hardware"]
    for path in map(Path, options.paths):
        near = path if path.is_dir() else path.parent
        folders += [
            path,
            *(near / name for name in ("models", "reference", "hardware", "previous")),
            near.parent / "hardware",
        ]
    found = inside(folders, (".yaml", ".yml", ".json"), Path(options.out))
    return {path: stamp(path) for path in (*map(str, folders), *found, *map(str, _code_files()))}


def _remember(run: Run, asked: str, seen: dict[str, Stamp], outputs: Sequence[str]) -> None:
    """Note how inputs looked and outputs look, so that the next build can tell at a glance that nothing has changed."""
    made = [run.out / name for name in outputs]
    inputs = {path: was for path, (was, _) in run.stamps.hashes.items() if not path.startswith(f"{run.out}{os.sep}")}
    folders = {path.parent for path in made} - {run.out}
    now = {str(path): stamp(path) for path in (*made, *folders)}
    run.stamps.keep(asked, inputs | seen | now, list(run.entries), run.warnings)


def _left_alone(stamps: Stamps, options: Namespace, began: float) -> int:
    """What is said of a build that has nothing to do."""
    for line in (*stamps.warnings, *(f"{name}: unchanged" for name in stamps.names if options.explain)):
        _say(line)
    _say(f"0 built, {len(stamps.names)} unchanged, in {time.monotonic() - began:.1f} s: {options.out}/")
    known = _read_manifest(options.out)["scenarios"] if options.fail_if_does_not_fit else {}
    return _verdict_code({name: known[name] for name in stamps.names if name in known}, options)


def _publish(run: Run, todo: Sequence[Plan]) -> None:
    """Publish what has to be; a manifest is written now and then, so that little is lost when the build is stopped."""
    from memreport import workers

    kinds = tuple(run.options.formats)
    tasks = [workers.Task(one.resolved.loaded, one.resolved.catalogue.folders, kinds, run.out) for one in todo]
    keys = {one.id: one.key for one in todo}
    written = time.monotonic()
    with closing(workers.publish(tasks, run.options.jobs or os.cpu_count() or 1)) as outcomes:
        _progress(0, len(todo), "", time.monotonic())
        for at, done in enumerate(outcomes, 1):
            _progress(at, len(todo), done.task.id, run.began)
            if done.fault:
                _failed(run, done.task.id, done.fault, done.code)
                if not run.options.keep_going:
                    return
                continue
            _note(run, done, keys[done.task.id])
            if time.monotonic() - written > SECONDS_BETWEEN_MANIFESTS:
                _write_manifest(run, {name: run.before[name] for name in REPORTS})
                written = time.monotonic()


def _note(run: Run, done: Outcome, key: str) -> None:
    for name, digest in done.files.items():
        run.stamps.made(run.out / name, digest)
    sha = done.task.loaded.sha256
    run.entries[done.task.id] = {"key": key, "sha256": sha, "files": done.files, "summary": done.summary}
    run.built += 1


REPORTS = ("documented", "catalogue")
"""What is made of all scenarios together, beside the scenarios."""


def _reports(run: Run, plans: Sequence[Plan]) -> list[str]:
    """Everything that is made of all scenarios together; the manifest last.  Returns the names of the files."""
    cites = any(one.resolved.loaded.scenario.source for one in plans)
    documented = _documented(run) if cites else _kept(run, "documented")
    reports = {"documented": documented, "catalogue": _side_by_side(run)}
    summaries = [run.known[name]["summary"] for name in sorted(run.known)]
    catalogue = json.dumps({"schema": 1, "scenarios": summaries}, indent=1, ensure_ascii=False) + "\n"
    write_whole(run.out / "catalogue.json", catalogue.encode())
    if "html" in run.options.formats:
        _front_page(run, sorted(documented["files"]))
    _write_manifest(run, reports)
    pages = ["index.html"] if "html" in run.options.formats else []
    return [*pages, "catalogue.json", "manifest.json", *(name for one in reports.values() for name in one["files"])]


def _kept(run: Run, name: str) -> dict[str, Any]:
    """What is noted of a report as it was published before."""
    return {"key": "", "files": {}, **run.before[name]}


def _front_page(run: Run, documented: Sequence[str]) -> None:
    from memreport.publish.web import index_html

    page = index_html([run.known[name] for name in sorted(run.known)], __version__, documented)
    write_whole(run.out / "index.html", page.encode())


def _documented(run: Run) -> Mapping[str, Any]:
    """The report on all documented figures, made anew where anything that decides it has changed; its files and key."""
    kinds = [kind for kind in ("pdf", "xlsx") if kind in run.options.formats]
    key, before = _documented_key(run, kinds), _kept(run, "documented")
    if not kinds or (before["key"] == key and not run.options.force and not _damage(run, before["files"])):
        return before
    from memreport.publish.ledger_report import ledger_files

    files = ledger_files(kinds)
    for name, data in files.items():
        write_whole(run.out / name, data)
    _say(f"documented figures: {', '.join(files)}")
    return {"key": key, "files": {name: sha256(data) for name, data in files.items()}}


def _documented_key(run: Run, kinds: Sequence[str]) -> str:
    """Hash of ledgers, tables, models, code and libraries."""
    given = [path for part in JUDGED_BY for path in (data_root() / part).rglob("*.yaml")]
    hashes = [run.stamps.sha256(path) for path in sorted({*_code_files(), *given})]
    return sha256("\n".join([__version__, *kinds, *_versions(), *hashes]).encode())


def _read_manifest(out: Path) -> dict[str, Any]:
    """What was published before: entries of scenarios, of the documented figures, of the catalogue's workbook."""
    try:
        data = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        return {"scenarios": dict(data["scenarios"]), **{name: dict(data.get(name, {})) for name in REPORTS}}
    except (OSError, ValueError, KeyError, TypeError):
        return {"scenarios": {}, **{name: {} for name in REPORTS}}  # none yet, or not ours: everything is built


def _side_by_side(run: Run) -> Mapping[str, Any]:
    """The workbook of all variants, made anew where a scenario was; its files and key."""
    entries, before = run.known, _kept(run, "catalogue")
    key = sha256("\n".join([__version__, *(entries[name]["key"] for name in sorted(entries))]).encode())
    if "xlsx" not in run.options.formats or (before["key"] == key and not _damage(run, before["files"])):
        return before
    from memreport.publish.workbook.catalogue_book import FILE, catalogue_book

    data = catalogue_book([entries[name] for name in sorted(entries)], __version__)
    write_whole(run.out / FILE, data)
    return {"key": key, "files": {FILE: sha256(data)}}


def _write_manifest(run: Run, reports: Mapping[str, Any]) -> None:
    """Written last, so that the next build notices an interrupted one."""
    entries = dict(sorted(run.known.items()))
    manifest = {"schema": 1, "memreport": __version__, **reports, "scenarios": entries}
    write_whole(run.out / "manifest.json", (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode())


def _verdict_code(entries: Mapping[str, Any], options: Namespace) -> int:
    misfits = [name for name, entry in entries.items() if not entry["summary"]["variants"][0]["fits"]]
    if options.fail_if_does_not_fit and misfits:
        _say(f"does not fit: {', '.join(misfits)}")
        return FINDING
    return DONE


def _progress(at: int, whole: int, name: str, began: float) -> None:
    """One line that is written over, on terminals only: how many are done, the latest, and the time left."""
    if not sys.stderr.isatty():
        return
    left = f" {name}, about {(time.monotonic() - began) / at * (whole - at):.0f} s left" if at else ""
    sys.stderr.write(f"\r\x1b[K{at}/{whole}{left}" if at < whole else "\r\x1b[K")
    sys.stderr.flush()


def _say(text: str) -> None:
    print(f"memreport: {text}", file=sys.stderr)
