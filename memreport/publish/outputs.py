"""The files of one scenario: bytes by name, each made from the same computed table."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memreport import __version__
from memreport.compute import Computed
from memreport.publish.changes import SinceThen
from memreport.publish.data import record, since_data, to_json
from memreport.publish.documents import documented_data, entries_of, errata
from memreport.publish.remedies import with_remedy
from memreport.publish.report import report_of
from memreport.publish.shown import Build, Report
from memreport.publish.ways_out import with_advice


@dataclass(frozen=True)
class Made:
    """What one scenario publishes: file contents by name, and the line that the catalogue shows of it."""

    id: str
    files: dict[str, bytes]
    summary: dict[str, object]


def make(computed: Computed, kinds: Sequence[str], since: SinceThen | None = None) -> Made:
    """Workbook, sheet and data of one scenario."""
    report = reported(computed, since)
    return Made(report.identity.id, files_of(computed, report, kinds), summary(report))


def reported(computed: Computed, since: SinceThen | None = None) -> Report:
    """All that is said of a scenario, its ways out and its documented figures too."""
    entries = entries_of(computed.resolved)
    return with_remedy(with_advice(report_of(computed, Build(__version__, entries, since=since)), computed))


def files_of(computed: Computed, report: Report, kinds: Sequence[str]) -> dict[str, bytes]:
    """The files of these kinds by name.  The sheet carries the other files, so they are made first."""
    name = report.identity.id
    documented = {"documented": documented_data(report.documented)}
    data = to_json(record(computed) | documented | since_data(report.since)).encode()
    book = _workbook(computed, report) if {"xlsx", "pdf"} & set(kinds) else b""
    files = {f"{name}.json": data, f"{name}.xlsx": book}
    if "pdf" in kinds:
        gc.collect()  # a workbook refers to itself, and would lie in memory until the sheet is done
        files[f"{name}.pdf"] = _sheet(computed, report, book, data)
    return {one: content for one, content in files.items() if one.rpartition(".")[2] in kinds}


def _workbook(computed: Computed, report: Report) -> bytes:
    from memreport.publish.workbook.assemble import workbook_bytes

    return workbook_bytes(computed, report)


def _sheet(computed: Computed, report: Report, book: bytes, data: bytes) -> bytes:
    from memreport.publish.sheet import Attached, sheet_pdf

    loaded = computed.resolved.loaded
    attached = [
        Attached(f"{loaded.scenario.id}.xlsx", book, "formula-live workbook"),
        Attached(f"{loaded.scenario.id}.json", data, "every figure in base units"),
        Attached(loaded.path.name, loaded.path.read_bytes(), "the scenario as written", "Source"),
    ]
    names = tuple(one.name for one in attached)
    identity = replace(report.identity, attachments=names)
    judged = sum(not one.own for one in report.documented)
    documented = errata(report.documented)
    return sheet_pdf(replace(report, identity=identity, documented=documented, documented_judged=judged), attached)


def summary(report: Report) -> dict[str, object]:
    """The scenario in the catalogue: verdict, peak against capacity and headline cost of every variant."""
    identity = report.identity
    cost = next((line.value for line in report.cost if line.name == "cost_total_usd"), None)
    return {
        "id": identity.id,
        "version": identity.version,
        "title": identity.title,
        "workload": identity.workload,
        "model": identity.model,
        "hardware": identity.hardware,
        "sha256": identity.sha256,
        "answer": report.headline.answer,
        "cost_total_usd": cost,
        "chosen": report.chosen,
        "variants": [
            {
                "name": verdict.variant,
                "fits": verdict.fits,
                "word": verdict.word,
                "peak_bytes": verdict.peak,
                "capacity_bytes": verdict.capacity,
                "headroom_share": verdict.headroom_share,
                "model": verdict.model,
                "hardware": verdict.hardware,
                "cost_total_usd": verdict.cost,
            }
            for verdict in report.verdicts
        ],
    }
