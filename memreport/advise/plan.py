"""Everything that is advised on one variant of a scenario, in one frozen record."""

from __future__ import annotations

from pathlib import Path

from memreport.advise.moves import Stage
from memreport.advise.procedures.checklist import Procedure, each_alone, run_checklist
from memreport.advise.procedures.tree import run_tree
from memreport.advise.rerun import Job, every_variant, first_that_fits, job_of
from memreport.advise.search.combinations import SearchResult, find
from memreport.advise.search.demand import DemandPlan, demand_plan
from memreport.advise.search.search import Runner, in_process
from memreport.advise.sensitivity import Tornado, tornado
from memreport.advise.serving import ServingPlan, serving_plan
from memreport.compute import Computed
from memreport.errors import Fault, InputError
from memreport.frozen import frozen
from memreport.resolve import resolve_all

POLICIES = ("checklist", "tree", "search")


@frozen
class Plan:
    """The advice: procedures and single changes are of training only, `serving` of serving only."""

    job: Job
    checklist: Procedure | None
    tree: Procedure | None
    alone: tuple[Stage, ...]
    found: SearchResult | None
    serving: ServingPlan | None
    tornado: Tornado | None
    demand: DemandPlan | None = None
    asked: Computed | None = None
    """All variants, where the scenario's question names figures that answer it."""

    @property
    def way(self) -> bool:
        """Whether anything that was asked for found a way that fits with the margin left free."""
        procedures = [procedure.with_margin for procedure in (self.checklist, self.tree) if procedure]
        return any(procedures) or bool(self.found and self.found.counts.fitting)


def plan(
    job: Job, policy: str = "", runner: Runner = in_process, *, chosen: bool = False, sensitivity: bool = True
) -> Plan:
    """Advise on a job by one policy, or by all of them.  Raises InputError for names that do not exist.

    Sensitivity, where it is wanted, is of the job itself if a user has `chosen` it, else of the first that fits.
    """
    trains = job.workload == "training"
    if not trains and policy in ("checklist", "tree"):
        fault = Fault(
            "is a policy for training; a serving scenario has --policy search", str(job.loaded.path), found=policy
        )
        raise InputError([fault])
    wanted = (policy,) if policy else POLICIES
    found = find(job, runner) if "search" in wanted else None
    alone = each_alone(job) if trains and "checklist" in wanted else ()  # first, as procedures come by the same jobs
    return Plan(
        job=job,
        checklist=run_checklist(job) if trains and "checklist" in wanted else None,
        tree=run_tree(job) if trains and "tree" in wanted else None,
        alone=alone,
        found=found,
        serving=None if trains else serving_plan(job),
        demand=demand_plan(job),
        asked=every_variant(job) if job.loaded.scenario.answers else None,
        tornado=None if policy or not sensitivity else tornado(job if chosen else first_that_fits(job)),
    )


def job_at(path: Path, variant: str = "") -> Job:
    """One variant of a scenario file.  Raises InputError with every mistake of the file."""
    if path.is_dir():
        raise InputError([Fault("is a folder; name one scenario file", str(path))])
    resolved = resolve_all([path])[0]
    return job_of(resolved.loaded, resolved.catalogue, variant)
