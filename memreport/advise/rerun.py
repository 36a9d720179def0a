"""A scenario with other variants: every piece of advice is computed by the engine as a user's own variant would be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from memreport.advise.asks import IN_GPU_HOURS, ON_ONE, asks_of, counts_gpus, limits_asked
from memreport.advise.verdict import JUDGED, Word, deciding, verdict_of, words_of
from memreport.catalogue.constraints import broken
from memreport.catalogue.fields.rules import Constraint
from memreport.catalogue.fields.search import SearchFields
from memreport.catalogue.framework_rules import FRAMEWORK_WARNINGS
from memreport.catalogue.load import Catalogue, LoadedScenario
from memreport.catalogue.names import of_accelerator
from memreport.catalogue.question.run import pretrains
from memreport.catalogue.records import NO_UNITS
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.unstated.hardware import leaves_gpu_open
from memreport.compute import Computed, compute
from memreport.errors import Fault, InputError, nearest
from memreport.frozen import frozen
from memreport.resolve import BASE, Case, resolve, resolve_together

Changes = Mapping[str, Any]


FP8 = "fp8_flop_per_second"
"""The rate of GPUs that have units for FP8."""
PRETRAINED_HOURS = 90 * 24.0
"""In what time a model is pretrained on GPUs that nobody counts.  Source: published runs of 54 days (arXiv:2407.21783,
Llama 3 405B) to 118 (arXiv:2211.05100, BLOOM)."""


def has_units(catalogue: Catalogue, rate: str, gpu: str) -> bool:
    """Whether a GPU has units of its own for a rate, or other units do that work."""
    table = catalogue.tables["accelerators"]
    return table.columns[rate].bases[table.row(gpu)] != NO_UNITS


@frozen
class Job:
    """One variant of a scenario that is to be advised on, computed; `value` reads its figures and inputs."""

    loaded: LoadedScenario
    catalogue: Catalogue
    variant: str
    changes: Changes
    computed: Computed
    known: dict[str, Computed | InputError] = field(default_factory=dict, compare=False, repr=False)
    """What has been computed of the same variant with other changes: procedures come by the same ones."""

    @property
    def case(self) -> Case:
        """The variant's settings by field name."""
        return self.computed.resolved.cases[0]

    @cached_property
    def own_variants(self) -> tuple[Case, ...]:
        """The variants that the scenario itself states, resolved once."""
        if not self.loaded.scenario.variants:
            return ()
        scenario = self.loaded.scenario.model_copy(update={"tables": []})
        return resolve(replace(self.loaded, scenario=scenario), self.catalogue).variants

    @cached_property
    def prices(self) -> dict[tuple[str, float], Any]:
        """What GPUs are billed at, by id and number, as it is looked up: a search asks for it with every row."""
        return {}

    @property
    def workload(self) -> str:
        """`training` or `serving`."""
        return self.loaded.scenario.workload

    @cached_property
    def search(self) -> SearchFields:
        """The same, and where nobody counts the GPUs of a pretraining, the time in which it usually ends."""
        ends = self.stated_search.run_hours is None and self.pretrains and count_is_open(self)
        return self.stated_search.model_copy(update={"run_hours": PRETRAINED_HOURS} if ends else {})

    @cached_property
    def stated_search(self) -> SearchFields:
        """The scenario's `search:` block, or an empty one, with the limits that its question may state."""
        scenario = self.loaded.scenario
        return (scenario.search or SearchFields()).model_copy(update=limits_asked(scenario))

    @cached_property
    def pretrains(self) -> bool:
        """Whether it is a pretraining, whose result no adapters hold."""
        scenario = self.loaded.scenario
        if self.workload != "training" or self.case.settings["method"] != "full":
            return False
        return pretrains(f"{scenario.title} {scenario.question}".lower(), self.value("training_tokens"))

    def value(self, name: str) -> float:
        """A figure or an input of the variant, in its base unit."""
        return float(np.broadcast_to(self.computed.values[name], (1,))[0])

    @property
    def word(self) -> Word:
        """The verdict on the variant."""
        return verdict_of(*(self.value(name) for name in JUDGED))

    def has_units(self, rate: str) -> bool:
        """Whether the GPU has units of its own for a rate, or other units do that work."""
        return has_units(self.catalogue, rate, str(self.case.settings["accelerator"]))

    @property
    def rescaled_time(self) -> dict[str, Any]:
        """The fields by which a utilisation that is stated for the job's own settings holds for others; or none.

        Its time over the computed one rescales the computed time of any settings, as one's own run does.
        """
        if self.workload != "training" or not self.case.settings["model_flop_utilization"]:
            return {}
        factor = self.value("step_seconds_estimated") / self.value("step_seconds_computed")
        return {"training.model_flop_utilization": 0, "training.measured_time_factor": factor}

    def restated(self, changes: Changes) -> dict[str, Any]:
        """What has to be said of a stated utilisation beside changes that do not state their own."""
        return self.rescaled_time if changes and "training.model_flop_utilization" not in changes else {}

    def _kept(self, changes: Changes) -> Changes:
        """The variant's own changes, but for what is given of a GPU that is replaced."""
        own = self.case.settings["accelerator"]
        if changes.get("hardware.accelerator", own) == own:
            return self.changes
        belongs = of_accelerator(self.catalogue)
        return {key: value for key, value in self.changes.items() if key.rpartition(".")[2] not in belongs}

    def changed(self, changes: Changes) -> Job:
        """The job with fields changed on top.  Raises InputError where the result breaks a rule between fields."""
        [made] = changed_each([(self, changes)])
        if isinstance(made, InputError):
            raise made
        return made

    def merged(self, changes: Changes) -> dict[str, Any]:
        """All changes of the job with others on top."""
        return {**self._kept(changes), **changes, **self.restated(changes)}


def changed_each(pairs: Sequence[tuple[Job, Changes]]) -> list[Job | InputError]:
    """Jobs of one variant, each with fields changed on top, computed as one table; or the rule that one breaks."""
    if not pairs:
        return []
    first = pairs[0][0]
    merged = {_key(made := job.merged(changes)): made for job, changes in pairs}
    missing = [key for key in merged if key not in first.known]
    wanted = [{first.variant: merged[key]} for key in missing]
    first.known.update(zip(missing, rerun_each(first.loaded, first.catalogue, wanted), strict=True))
    return [_with(job, job.merged(changes)) for job, changes in pairs]


def _with(job: Job, merged: Changes) -> Job | InputError:
    """The job with these changes, which have been computed; a fault where its framework lacks what they ask for."""
    computed = job.known[_key(merged)]
    if isinstance(computed, InputError):
        return computed
    if lacks := newly_lacking(job.computed, computed):
        return InputError([Fault(rule.message, str(job.loaded.path), field=rule.field) for rule in lacks])
    return replace(job, changes=merged, computed=computed)


def keeps_rules(job: Job, changes: Changes) -> bool:
    """Whether a job with these changes breaks no rule between fields."""
    try:
        rerun(job.loaded, job.catalogue, {"one": changes})
    except InputError:
        return False
    return True


def newly_lacking(before: Computed, after: Computed) -> list[Constraint]:
    """What the framework lacks of what is asked for after a change, and was not asked for before."""
    had = _lacked(before)
    return [rule for rule in _lacked(after) if rule not in had]


def _lacked(computed: Computed) -> list[Constraint]:
    """What the framework of a variant lacks of what the variant states."""
    resolved = computed.resolved
    return [rule for _, rule in broken(resolved.workload, resolved.inputs, FRAMEWORK_WARNINGS)]


def _key(changes: Changes) -> str:
    return repr(sorted(changes.items()))


def job_of(loaded: LoadedScenario, catalogue: Catalogue, variant: str = "") -> Job:
    """The named variant, or the first.  Raises InputError where there is none of that name."""
    known = list(loaded.scenario.variants) or [BASE]
    if variant and variant not in known:
        close = nearest(variant, known)
        raise InputError(
            [Fault("no such variant", str(loaded.path), found=repr(variant), expected=", ".join(known), nearest=close)]
        )
    name = variant or known[0]
    changes = full_names(loaded.scenario.variants.get(name, {}), loaded.scenario.workload)
    return Job(loaded, catalogue, name, changes, rerun(loaded, catalogue, {name: changes}))


def first_that_fits(job: Job) -> Job:
    """The job of the scenario's first variant that fits, as page 1 recommends it; the job itself where none does."""
    computed = every_variant(job)
    index = deciding(words_of(computed.values))
    name = job.variant if index is None else computed.resolved.cases[index].name
    return job if name == job.variant else job_of(job.loaded, job.catalogue, name)


def every_variant(job: Job) -> Computed:
    """All variants of the scenario that a job is one of."""
    return rerun(job.loaded, job.catalogue, job.loaded.scenario.variants or {BASE: {}})


def full_names(changes: Changes, workload: str) -> dict[str, Any]:
    """Fields as `section.name`, so that a later change of the same field replaces an earlier one."""
    fields = dictionary(workload)
    return {f"{fields[key].section}.{key}" if key in fields else key: value for key, value in changes.items()}


def rerun(loaded: LoadedScenario, catalogue: Catalogue, variants: Mapping[str, Changes]) -> Computed:
    """The scenario computed with these variants in place of its own.  Raises InputError as the file would."""
    [made] = rerun_each(loaded, catalogue, [variants])
    if isinstance(made, InputError):
        raise made
    return made


def rerun_each(
    loaded: LoadedScenario, catalogue: Catalogue, tries: Iterable[Mapping[str, Changes]]
) -> list[Computed | InputError]:
    """The same for several sets of variants, computed as one table; of a set with faults, these."""
    states = (loaded.scenario.model_copy(update={"variants": dict(settings), "tables": []}) for settings in tries)
    resolved = resolve_together([(replace(loaded, scenario=state), catalogue) for state in states])
    made = iter(compute([scenario for scenario in resolved if not isinstance(scenario, list)]))
    return [InputError(dict.fromkeys(found)) if isinstance(found, list) else next(made) for found in resolved]


def gpu_is_open(job: Job) -> bool:
    """Whether a cost is asked for and no GPU is named."""
    return job.loaded.scenario.cost is not None and leaves_gpu_open(job.loaded.words)


def count_is_open(job: Job) -> bool:
    """Whether the number of GPUs is asked for, or nobody says on how many a training runs whose cost or hours are.

    How long a fine-tuning takes is asked of one GPU.
    """
    scenario = job.loaded.scenario
    unsaid = job.workload == "training" and job.case.origins["count"].kind == "default"
    asked = {"what_cost", *(["how_long"] if job.pretrains else [])}.intersection(asks_of(scenario))
    hours = bool(asked) and not ON_ONE.is_asked(scenario)
    return counts_gpus(scenario) or (unsaid and (hours or IN_GPU_HOURS.is_asked(scenario)))


def asks_for_hardware(job: Job) -> bool:
    """Whether the GPUs are what is asked for, or what meets a demand, and nobody states how many there are."""
    scenario, unsaid = job.loaded.scenario, job.case.origins["count"].kind == "default"
    asked = count_is_open(job) or scenario.demand is not None or "which_gpu" in asks_of(scenario)
    return unsaid and asked and not scenario.variants
