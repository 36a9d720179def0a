"""The files of one scenario: bytes by name, each made from the same computed table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from memreport import __version__
from memreport.advise.decide import Decision, decide
from memreport.build.ledger_files import documented_of
from memreport.build.run import CONFIDENTIAL
from memreport.catalogue.quantities import brief
from memreport.compute import Computed
from memreport.files import MOST_YAML, read_bytes
from memreport.frozen import frozen
from memreport.publish.json.answer import answer_data
from memreport.publish.json.scenario import record, since_data, to_json
from memreport.publish.memory import give_back
from memreport.report.advice.plan import with_advice
from memreport.report.answer.answered import answered
from memreport.report.build import report_of
from memreport.report.documented.documents import documented_data, errata
from memreport.report.records.answers import Verdict
from memreport.report.records.changes.versions import VersionComparison
from memreport.report.records.decision import Answer
from memreport.report.records.documented import DocumentedFigures
from memreport.report.records.report import Build, Report
from memreport.report.view import SIGNED

SAME = 1e-3
DERIVATION = "derivation"
"""The kind of file that holds every step of the option that the budget is about; made when it is asked for."""


@frozen
class PublishedFiles:
    """What one scenario publishes: file contents by name, and the line that the catalogue shows of it."""

    id: str
    files: dict[str, bytes]
    summary: dict[str, object]


def make(computed: Computed, kinds: Sequence[str], since: VersionComparison | None = None) -> PublishedFiles:
    """Workbook, sheet and data of one scenario: decided, reported, rendered, one after the other."""
    decision = decide(computed)
    give_back()  # a search holds more than all that is made of it
    report = reported(decision, since, derived=DERIVATION in kinds)
    return PublishedFiles(report.identity.id, files_of(decision, report, kinds), summary(report))


def reported(decision: Decision, since: VersionComparison | None = None, *, derived: bool = True) -> Report:
    """All that is said of a scenario, its other ways and its documented figures too."""
    computed = decision.computed
    built = Build(__version__, documented_of(computed.resolved), since=since, comparisons=decision.comparisons)
    return with_advice(report_of(computed, built, decision.chosen, derived=derived), decision)


def files_of(decision: Decision, report: Report, kinds: Sequence[str]) -> dict[str, bytes]:
    """The files of these kinds by name.  The sheet carries the other files, so they are made first."""
    name, computed = report.identity.id, decision.computed
    documented = {"documented": documented_data(report.documented.entries)}
    figures = record(decision.scenario, decision.comparisons.unstated)
    data = to_json(figures | answer_data(report) | documented | since_data(report.history.since)).encode()
    book = _workbook(computed, report) if {"xlsx", "pdf"} & set(kinds) else b""
    files = {f"{name}.json": data, f"{name}.xlsx": book}
    if "pdf" in kinds:
        files[f"{name}.pdf"] = _sheet(computed, report, book, data)
    if "html" in kinds:
        files[f"{name}.html"] = _page(decision, report, CONFIDENTIAL in kinds)
    asked = {key: content for key, content in files.items() if key.rpartition(".")[2] in kinds}
    return asked | ({f"{name}-{DERIVATION}.pdf": _derivation(report)} if DERIVATION in kinds else {})


def _page(decision: Decision, report: Report, confidential: bool) -> bytes:
    from memreport.build.confidential import without_prices

    if confidential:
        decision = decide(without_prices(decision.scenario))
        return answered_page(decision, answered(decision)[0]).encode()
    return answered_page(decision, report.answer or answered(decision)[0]).encode()


def answered_page(decision: Decision, answer: Answer) -> str:
    """The page for the browser, which may be asked about every model."""
    from memreport.publish.web.page.scenario_page import scenario_page

    return scenario_page(decision, answer, decision.computed.resolved.catalogue.models())


def _derivation(report: Report) -> bytes:
    from memreport.publish.pdf.derivation import derivation_pdf

    return derivation_pdf(report)


def _workbook(computed: Computed, report: Report) -> bytes:
    from memreport.publish.xlsx.workbook import workbook_bytes

    return workbook_bytes(computed, report)


def _sheet(computed: Computed, report: Report, book: bytes, data: bytes) -> bytes:
    from memreport.publish.pdf.render import Attached
    from memreport.publish.pdf.sheet import sheet_pdf

    loaded = computed.resolved.loaded
    attached = [
        Attached(f"{loaded.scenario.id}.xlsx", book, "formula-live workbook"),
        Attached(f"{loaded.scenario.id}.json", data, "every figure in base units"),
        Attached(loaded.path.name, read_bytes(loaded.path, MOST_YAML), "the scenario as written", "Source"),
    ]
    names = tuple(file.name for file in attached)
    identity = replace(report.identity, made=replace(report.identity.made, attachments=names))
    judged = sum(not entry.own for entry in report.documented.entries)
    documented = DocumentedFigures(errata(report.documented.entries), judged)
    return sheet_pdf(replace(report, identity=identity, documented=documented), attached)


def _answer_summary(report: Report) -> dict[str, object]:
    """The answer, the option that it is about, and what that takes; the verdict alone where no answer was made."""
    answer = report.answer
    if answer is None:
        return {"answer": report.verdicts[0].sentence}
    chosen = answer.chosen
    return {
        "question": answer.question,
        "answer": answer.headline,
        "answer_word": answer.word,
        "recommended": chosen.title,
        "recommended_hardware": chosen.gpus.hardware,
        "recommended_accelerator": chosen.gpus.accelerator,
        "recommended_count": chosen.gpus.count,
        "accelerator_hours": chosen.takes.accelerator_hours,
        "accelerator_hours_ends": chosen.takes.accelerator_hours_ends,
        "cost_text": chosen.takes.cost.text if chosen.takes.cost else "",
        "cost_usd": chosen.takes.cost.amount.value if chosen.takes.cost else None,
        "cost_ends_usd": chosen.takes.cost.end_values if chosen.takes.cost else None,
        "period": "the purchase" if _bought(report) else _period(report),
    }


def _period(report: Report) -> str:
    """What a cost covers: a run, or a service for as long as is stated, in months."""
    if report.identity.job.workload == "training":
        return "a run"
    costs = {line.name: line.value for line in report.money.lines}
    months = costs["cost_total_usd"] / costs["cost_per_month_usd"] if costs.get("cost_per_month_usd") else 1.0
    return "a month" if abs(months - 1) < SAME else f"{brief(months, '1')} months"


def _bought(report: Report) -> bool:
    """Whether what page 1 asks to sign is a purchase."""
    return report.budget is not None and any(fact.name == SIGNED for fact in report.budget.facts)


def summary(report: Report) -> dict[str, object]:
    """The scenario in the catalogue: verdict, peak against capacity and headline cost of every variant."""
    identity = report.identity
    ages = (line.age_days for line in report.money.prices if line.age_days is not None)
    return {
        **{name: getattr(identity, name) for name in ("id", "version", "title")},
        **asdict(identity.job),
        "sha256": identity.made.sha256,
        **_answer_summary(report),
        "owner": identity.owner,
        "approval": identity.standing.approval_state,
        "prices_as_of": identity.standing.prices_as_of,
        "price_age_days": max(ages, default=None),
        **_money_summary(report),
        "chosen": report.chosen,
        "variants": [_variant_summary(verdict) for verdict in report.verdicts],
    }


def _money_summary(report: Report) -> dict[str, float | None]:
    """The headline cost, what has to be signed, and what a service costs a month."""
    cost, signed, monthly = (
        next((line.value for line in report.money.lines if line.name == name), None)
        for name in ("cost_total_usd", SIGNED, "cost_per_month_usd")
    )
    a_month = monthly if report.identity.job.workload == "serving" else None
    return {"cost_total_usd": cost, "approval_total_usd": signed, "service_usd_per_month": a_month}


def _variant_summary(verdict: Verdict) -> dict[str, object]:
    """What the catalogue holds of a variant."""
    return {
        "name": verdict.variant,
        "fits": verdict.fits,
        "word": verdict.word,
        "peak_bytes": verdict.room.peak,
        "capacity_bytes": verdict.room.capacity,
        "headroom_share": verdict.room.headroom_share,
        "model": verdict.model,
        "hardware": verdict.hardware,
        "cost_total_usd": verdict.cost,
        "approval_total_usd": verdict.signed,
    }
