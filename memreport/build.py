"""`memreport build`: every scenario through the five steps, whole files only, unchanged ones left alone."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memreport import __version__
from memreport.catalogue.load import Catalogue, Folders, LoadedScenario
from memreport.errors import DONE, FINDING
from memreport.files import sha256, write_whole
from memreport.paths import PACKAGE, data_root

if TYPE_CHECKING:
    from memreport.resolve import Resolved

SHAPING = ("numpy", "openpyxl", "jinja2", "weasyprint", "pydyf", "fonttools", "pydantic", "pyyaml")
"""Libraries that can change a published byte."""
JUDGED_BY = ("hardware", "scenarios/documented", "scenarios/models", "scenarios/reference")
"""Folders whose files decide what is said of the documents."""
SCENARIOS_PER_WORKER = 200
"""A worker is replaced after so many, because WeasyPrint's memory grows slowly."""


@dataclass(frozen=True)
class Plan:
    """One scenario to publish: the key of everything that decides its bytes, and why it is built, or "" to leave it."""

    loaded: LoadedScenario
    folders: Folders
    key: str
    reason: str


def build(options: Namespace) -> int:
    """Publish the scenarios; 1 where --fail-if-does-not-fit is given and a first variant does not fit."""
    began = time.monotonic()
    resolved = _checked(options.paths)
    before = _read_manifest(options.out)
    manifest = before["scenarios"]
    plans = plan(resolved, manifest, options)
    if options.explain:
        for one in plans:
            _say(f"{one.loaded.scenario.id}: {one.reason or 'unchanged'}")
    entries = {one.loaded.scenario.id: manifest[one.loaded.scenario.id] for one in plans if not one.reason}
    todo = [one for one in plans if one.reason]
    for at, (one, entry) in enumerate(_publish(todo, options), 1):
        entries[one.loaded.scenario.id] = entry
        _progress(at, len(todo), one.loaded.scenario.id, began)
    ordered = {one.loaded.scenario.id: entries[one.loaded.scenario.id] for one in plans}
    cites = any(one.loaded.scenario.source for one in plans)
    documented = _documented(before["documented"], options) if cites else before["documented"]
    side_by_side = _side_by_side(before["catalogue"], manifest | ordered, options)
    _finish(options.out, manifest | ordered, {"documented": documented, "catalogue": side_by_side}, options.formats)
    _say(f"{len(todo)} built, {len(plans) - len(todo)} unchanged, in {time.monotonic() - began:.1f} s: {options.out}/")
    return _verdict_code(ordered, options)


def _checked(paths: Sequence[Path]) -> list[Resolved]:
    """Resolve, compute and check everything before the first file is written: bad input publishes nothing."""
    from memreport.compute import compute
    from memreport.resolve import resolve_all
    from memreport.verify.sanity import check

    resolved = resolve_all(paths)
    for computed in compute(resolved):
        check(computed)
    for caution in (caution for one in resolved for caution in one.cautions):
        _say(f"warning: {caution}")
    return resolved


def plan(resolved: Iterable[Resolved], manifest: Mapping[str, Any], options: Namespace) -> list[Plan]:
    """What has to be built, and why."""
    listed = list(resolved)
    catalogues = {one.catalogue.folders: one.catalogue for one in listed}
    shared = {folders: _shared_key(one, options.formats) for folders, one in catalogues.items()}
    return [
        _plan_one(one, shared[one.catalogue.folders], manifest.get(one.loaded.scenario.id), options) for one in listed
    ]


def _plan_one(resolved: Resolved, shared: str, entry: Mapping[str, Any] | None, options: Namespace) -> Plan:
    one = resolved.loaded
    models = dict.fromkeys(case.card.file for case in resolved.cases)
    key = sha256("\n".join([shared, one.sha256, *(sha256(Path(file).read_bytes()) for file in models)]).encode())
    if options.force:
        reason = "asked for by --force"
    elif entry is None:
        reason = "not built before"
    elif entry["key"] != key:
        reason = "its file has changed" if entry["sha256"] != one.sha256 else "what it is made from has changed"
    else:
        reason = _damage(entry["files"], options.out)
    return Plan(one, resolved.catalogue.folders, key, reason)


def _damage(files: Mapping[str, str], out: Path) -> str:
    for name, digest in files.items():
        path = out / name
        if not path.is_file():
            return f"{name} is missing"
        if sha256(path.read_bytes()) != digest:
            return f"{name} was changed by somebody else"
    return ""


def _shared_key(catalogue: Catalogue, formats: Sequence[str]) -> str:
    """Hash of what all scenarios share: code, templates, tables, versions of libraries, what is asked for."""
    files = sorted({*_code_files(), *(Path(file) for table in catalogue.tables.values() for file in table.files)})
    hashes = [sha256(path.read_bytes()) for path in files]
    versions = [f"{name} {metadata.version(name)}" for name in SHAPING]
    return sha256("\n".join([__version__, *sorted(formats), *versions, *hashes]).encode())


def _code_files() -> Iterator[Path]:
    yield from PACKAGE.rglob("*.py")
    yield from (path for path in (data_root() / "templates").rglob("*") if path.is_file())


def _publish(todo: Sequence[Plan], options: Namespace) -> Iterator[tuple[Plan, dict[str, Any]]]:
    jobs = min(options.jobs or os.cpu_count() or 1, len(todo))
    arguments = [(one, options.formats, options.out) for one in todo]
    if jobs <= 1:
        yield from map(_publish_one, arguments)
        return
    context = multiprocessing.get_context("spawn")  # Pango's state must not be forked
    with ProcessPoolExecutor(jobs, context, max_tasks_per_child=SCENARIOS_PER_WORKER) as pool:
        for done in as_completed([pool.submit(_publish_one, one) for one in arguments]):
            yield done.result()


def _publish_one(arguments: tuple[Plan, Sequence[str], Path]) -> tuple[Plan, dict[str, Any]]:
    """Steps 2 to 5 for one scenario, in a process of its own where there are several."""
    from memreport.compute import compute
    from memreport.publish.outputs import make
    from memreport.resolve import resolve

    one, kinds, out = arguments
    made = make(compute([resolve(one.loaded, _catalogue(one.folders))])[0], kinds)
    files = {f"{made.id}/{name}": data for name, data in made.files.items()}
    for name, data in files.items():
        write_whole(out / name, data)
    digests = {name: sha256(data) for name, data in files.items()}
    return one, {"key": one.key, "sha256": one.loaded.sha256, "files": digests, "summary": made.summary}


@lru_cache
def _catalogue(folders: Folders) -> Catalogue:
    """One catalogue a process, however many scenarios it publishes."""
    return Catalogue(*folders)


def _documented(before: Mapping[str, Any], options: Namespace) -> Mapping[str, Any]:
    """The report on all documented figures, made anew where anything that decides it has changed; its files and key."""
    kinds = [kind for kind in ("pdf", "xlsx") if kind in options.formats]
    key = _documented_key(kinds)
    if not kinds or (before.get("key") == key and not options.force and not _damage(before["files"], options.out)):
        return before
    from memreport.publish.ledger_report import ledger_files

    files = ledger_files(kinds)
    for name, data in files.items():
        write_whole(options.out / name, data)
    _say(f"documented figures: {', '.join(files)}")
    return {"key": key, "files": {name: sha256(data) for name, data in files.items()}}


def _documented_key(kinds: Sequence[str]) -> str:
    """Hash of ledgers, tables, models, code and libraries."""
    given = [path for part in JUDGED_BY for path in (data_root() / part).rglob("*.yaml")]
    hashes = [sha256(path.read_bytes()) for path in sorted({*_code_files(), *given})]
    versions = [f"{name} {metadata.version(name)}" for name in SHAPING]
    return sha256("\n".join([__version__, *kinds, *versions, *hashes]).encode())


def _read_manifest(out: Path) -> dict[str, Any]:
    """What was published before: entries of scenarios, of the documented figures, of the catalogue's workbook."""
    try:
        data = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        reports = {name: dict(data.get(name, {})) for name in ("documented", "catalogue")}
        return {"scenarios": dict(data["scenarios"]), **reports}
    except (OSError, ValueError, KeyError, TypeError):
        return {"scenarios": {}, "documented": {}, "catalogue": {}}  # none yet, or not ours: everything is built


def _side_by_side(before: Mapping[str, Any], entries: Mapping[str, Any], options: Namespace) -> Mapping[str, Any]:
    """The workbook of all variants, made anew where a scenario was; its files and key."""
    key = sha256("\n".join([__version__, *(entries[name]["key"] for name in sorted(entries))]).encode())
    if "xlsx" not in options.formats or (before.get("key") == key and not _damage(before["files"], options.out)):
        return before
    from memreport.publish.workbook.catalogue_book import FILE, catalogue_book

    data = catalogue_book([entries[name] for name in sorted(entries)], __version__)
    write_whole(options.out / FILE, data)
    return {"key": key, "files": {FILE: sha256(data)}}


def _finish(out: Path, entries: Mapping[str, Any], reports: Mapping[str, Any], kinds: Sequence[str]) -> None:
    """Catalogue, front page and manifest; the manifest last, so that the next build notices an interrupted one."""
    summaries = [entries[name]["summary"] for name in sorted(entries)]
    catalogue = json.dumps({"schema": 1, "scenarios": summaries}, indent=1, ensure_ascii=False) + "\n"
    write_whole(out / "catalogue.json", catalogue.encode())
    if "html" in kinds:
        from memreport.publish.web import index_html

        files = sorted(reports["documented"].get("files", ()))
        page = index_html([entries[name] for name in sorted(entries)], __version__, files)
        write_whole(out / "index.html", page.encode())
    manifest = {
        "schema": 1,
        "memreport": __version__,
        **reports,
        "scenarios": dict(sorted(entries.items())),
    }
    write_whole(out / "manifest.json", (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode())


def _verdict_code(entries: Mapping[str, Any], options: Namespace) -> int:
    misfits = [name for name, entry in entries.items() if not entry["summary"]["variants"][0]["fits"]]
    if options.fail_if_does_not_fit and misfits:
        _say(f"does not fit: {', '.join(misfits)}")
        return FINDING
    return DONE


def _progress(at: int, whole: int, name: str, began: float) -> None:
    left = (time.monotonic() - began) / at * (whole - at)
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{at}/{whole} {name}, about {left:.0f} s left" if at < whole else "\r\x1b[K")
        sys.stderr.flush()


def _say(text: str) -> None:
    print(f"memreport: {text}", file=sys.stderr)
