"""What is made of all scenarios together: the documented figures, the catalogue, the front page, the manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from memreport import __version__
from memreport.build.planning import PlannedBuild
from memreport.build.run import REPORTS, Run, damage, key_of, say, write_manifest
from memreport.files import sha256, write_whole
from memreport.paths import data_root

CALCULATOR = "calculator.html"
JUDGED_BY = ("hardware", "scenarios/documented", "scenarios/models", "scenarios/reference")
"""Folders whose files decide what is said of the documents."""


def documented_first(run: Run, plans: Sequence[PlannedBuild], tasks: int) -> Mapping[str, Any] | None:
    """The report on documented figures ahead of scenarios, where one process makes all: it is larger than they are.

    What it leaves in memory has room for them.  Processes for scenarios are better begun while this one is small.
    """
    return None if min(run.processes, tasks) > 1 else _documented_if_cited(run, plans)


def _documented_if_cited(run: Run, plans: Sequence[PlannedBuild]) -> Mapping[str, Any]:
    cites = any(plan.resolved.loaded.scenario.source for plan in plans)
    return _documented(run) if cites else _kept(run, "documented")


def made_together(run: Run, plans: Sequence[PlannedBuild], documented: Mapping[str, Any] | None) -> list[str]:
    """Everything that is made of all scenarios together; the manifest last.  Returns the names of the files."""
    documented = documented or _documented_if_cited(run, plans)
    reports = {"documented": documented, "catalogue": _side_by_side(run, plans), "calculator": _calculator(run)}
    summaries = [run.known[name]["summary"] for name in sorted(run.known)]
    catalogue = json.dumps({"schema": 1, "scenarios": summaries}, indent=1, ensure_ascii=False) + "\n"
    write_whole(run.out / "catalogue.json", catalogue.encode())
    if "html" in run.options.formats:
        _front_page(run, reports)
    write_manifest(run, reports)
    pages = ["index.html"] if "html" in run.options.formats else []
    return [
        *pages,
        "catalogue.json",
        "manifest.json",
        *(name for report in reports.values() for name in report["files"]),
    ]


def _kept(run: Run, name: str) -> dict[str, Any]:
    """What is noted of a report as it was published before."""
    return {"key": "", "files": {}, **run.before[name]}


def _front_page(run: Run, reports: Mapping[str, Mapping[str, Any]]) -> None:
    from memreport.publish.web.index import index_html

    files = {name: sorted(reports[name]["files"]) for name in REPORTS}
    page = index_html([run.known[name] for name in sorted(run.known)], __version__, **files)
    write_whole(run.out / "index.html", page.encode())


def _calculator(run: Run) -> Mapping[str, Any]:
    """The page without a scenario, made anew where code or catalogue have changed; its files and key."""
    before, key = _kept(run, "calculator"), _documented_key(run, ["html"])
    if "html" not in run.options.formats or (before["key"] == key and not damage(run, before["files"])):
        return before
    write_whole(run.out / CALCULATOR, _calculator_page())
    return {"key": key, "files": {CALCULATOR: sha256(_calculator_page())}}


@lru_cache
def _calculator_page() -> bytes:
    """Made once a process, as it depends on nothing that a build is told."""
    from memreport.build.calculator import calculator_page

    return calculator_page().encode()


def _documented(run: Run) -> Mapping[str, Any]:
    """The report on all documented figures, made anew where anything that decides it has changed; its files and key."""
    kinds = [kind for kind in ("pdf", "xlsx") if kind in run.options.formats]
    key, before = _documented_key(run, kinds), _kept(run, "documented")
    if not kinds or (before["key"] == key and not run.options.force and not damage(run, before["files"])):
        return before
    from memreport.build.ledger_files import ledger_files
    from memreport.build.workers import rarely_collected

    with rarely_collected():
        files = ledger_files(kinds)
    for name, data in files.items():
        write_whole(run.out / name, data)
    say(f"documented figures: {', '.join(files)}")
    return {"key": key, "files": {name: sha256(data) for name, data in files.items()}}


def _documented_key(run: Run, kinds: Sequence[str]) -> str:
    """Hash of ledgers, tables, models, code and libraries."""
    return key_of(run, kinds, (path for part in JUDGED_BY for path in (data_root() / part).rglob("*.yaml")))


def _side_by_side(run: Run, plans: Sequence[PlannedBuild]) -> Mapping[str, Any]:
    """The workbook of all variants and of all GPUs, made anew where a scenario was; its files and key."""
    entries, before = run.known, _kept(run, "catalogue")
    key = sha256("\n".join([__version__, *(entries[name]["key"] for name in sorted(entries))]).encode())
    if "xlsx" not in run.options.formats or (before["key"] == key and not damage(run, before["files"])):
        return before
    from memreport.publish.xlsx.catalogue import catalogue_book
    from memreport.publish.xlsx.common.titles import CATALOGUE

    catalogues = {plan.resolved.catalogue.folders: plan.resolved.catalogue for plan in plans}
    gpus = [catalogue.tables["accelerators"] for catalogue in catalogues.values()]
    data = catalogue_book([entries[name] for name in sorted(entries)], __version__, gpus)
    write_whole(run.out / CATALOGUE, data)
    return {"key": key, "files": {CATALOGUE: sha256(data)}}
