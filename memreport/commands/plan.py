"""`memreport plan`: what to do, in a few options; how they were found where it is asked for."""

from __future__ import annotations

from memreport.commands import emit, engines, formats, path
from memreport.errors import DONE, FINDING

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from pathlib import Path

    from memreport.advise.decide import Decision
    from memreport.advise.plan import Plan
    from memreport.advise.search.search import Runner


POLICIES = ("checklist", "tree", "search")


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("scenario", type=path, nargs="+", help="scenario files or folders")
    parser.add_argument("--variant", default="", help="the variant to plan for (default: the first)")
    parser.add_argument("--why", action="store_true", help="how it was found: checklist, decision tree, search")
    parser.add_argument("--policy", choices=POLICIES, default="", help="only this way of finding out (default: all)")
    engines(parser, "to search")
    formats(parser, "table", "json", "csv")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport.advise.search.distributed import on_cluster
    from memreport.advise.search.search import in_process

    runner = on_cluster(given.scheduler) if given.engine == "dask" else in_process
    if given.why or given.policy or given.format != "table":
        return _in_full(given, runner)
    return _in_short(given.scenario, given.variant, runner)


def _in_full(given: argparse.Namespace, runner: Runner) -> int:
    codes = []
    for file in _files(given.scenario):
        text, code = planned(file, given.variant, given.policy, given.format, runner)
        emit(text)
        codes.append(code)
    return max(codes, default=DONE)


def _files(paths: Iterable[Path]) -> list[Path]:
    """The scenario files that paths mean."""
    from memreport.frame import computed_in

    listed = list(paths)
    if not any(file.is_dir() for file in listed):
        return listed
    return [computed.resolved.loaded.path for computed in computed_in(listed)]


def _in_short(paths: list[Path], variant: str, runner: Runner) -> int:
    """The options of every scenario; a finding where one of them has none that fits."""
    from memreport.advise.decide import decide
    from memreport.frame import computed_in

    decisions = [decide(computed, variant, runner, sensitivity=False) for computed in computed_in(paths)]
    emit("\n".join(_said(decision) for decision in decisions), colour=True)
    return DONE if all(decision.options.chosen.headroom_kept for decision in decisions) else FINDING


def _said(decision: Decision) -> str:
    from memreport.publish.text.answer import options_text
    from memreport.report.answer.answered import answered
    from memreport.report.answer.notes import notes_of

    answer, _ = answered(decision)
    file = decision.scenario.resolved.loaded.path
    notes = [*notes_of(decision), f"How it was found: memreport plan {file} --why"]
    return options_text(answer, notes)


def planned(
    path: Path, variant: str = "", policy: str = "", format_: str = "table", runner: Runner | None = None
) -> tuple[str, int]:
    """The plan of one variant in words, and 0, or 1 where nothing that was asked for finds a way."""
    from memreport.advise.plan import job_at, plan
    from memreport.advise.search.search import in_process
    from memreport.publish.json.plan import as_csv, as_json

    made = plan(job_at(path, variant), policy, runner or in_process, chosen=bool(variant))
    text = {"json": as_json, "csv": as_csv, "table": _in_words}[format_](made)
    return text, DONE if made.way else FINDING


def _in_words(made: Plan) -> str:
    from memreport.publish.text.plan import as_text
    from memreport.report.advice.plan import sensitivity, shown_plan
    from memreport.report.view import View

    return as_text(shown_plan(made), sensitivity(made, View(made.job.computed)), _demand(made))


def _demand(made: Plan) -> list[str]:
    """The block on what meets a demand; none where none is stated."""
    from memreport.publish.text.plan import demand_block
    from memreport.report.advice.demand import demand_rows, demand_words

    return [demand_block(demand_rows(made.demand), demand_words(made.job, made.demand))] if made.demand else []
