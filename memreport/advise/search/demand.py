"""Which GPUs meet a demand: arrangements of a replica, how many of it the peak needs, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from memreport.advise.rerun import Job, gpu_is_open
from memreport.advise.search.combinations import as_variant
from memreport.advise.search.demand_axes import WEIGHTS, demand_axes
from memreport.advise.search.prices import price_of
from memreport.advise.search.ranking import Index
from memreport.advise.search.rules import OF_ITS_OWN, OWN_CHOICES, Flags, allowed
from memreport.advise.search.search import rented_share
from memreport.advise.search.space import PAYS_WHOLE, Axis, billed_of, hosts_of
from memreport.advise.verdict import KEPT, keeps_margin
from memreport.catalogue.quotes.lowest import NO_PRICE
from memreport.catalogue.records import BILLED, Numbers
from memreport.catalogue.scenario import Scalar
from memreport.compute import calculate, needed_for
from memreport.errors import InputError
from memreport.figures.constants import HOURS_PER_MONTH
from memreport.figures.registry import lines_in_order
from memreport.frozen import frozen

MOST_BEST = 10
READ_TOKENS_PER_SECOND = 5
"""What a reader takes in: 238 words a minute (Brysbaert 2019), at about 0.75 words a token."""
RANKS = ("tensor_parallel_size", "expert_parallel_size")
WANTED = (
    *KEPT["serving"],
    "meets_targets",
    "first_token_service_seconds",
    "sequence_tokens_per_second",
    "replica_requests_per_second",
    "peak_requests_per_second",
    "busy_replicas",
    "prefill_replicas",
    "needed_replicas",
    "needed_accelerators",
    "mean_load",
    "concurrent_requests",
    "served_time_error",
    "first_token_error",
    "first_token_error_low",
)
PACE = "sequence_tokens_per_second"
MONEY = ("service_usd_per_month", "usd_per_million_input_tokens", "usd_per_million_output_tokens")


@frozen
class DemandOption:
    """One arrangement: what it sets, and what it comes to; amounts in base units, no price as nan."""

    settings: Mapping[str, Scalar]
    figures: Mapping[str, float]

    @property
    def accelerators(self) -> float:
        """GPUs in all."""
        return self.figures["needed_accelerators"]

    @property
    def usd_per_month(self) -> float:
        """Cost of a month, of whole instances where any GPU may be taken; nan without a price."""
        return self.figures.get("service_usd_per_month") or np.nan

    @property
    def usd_range(self) -> tuple[float, float]:
        """The cost where all times are as short or as long as the measured errors allow."""
        error = 1 + self.figures["served_time_error"]
        return self.usd_per_month / error, self.usd_per_month * error

    def billed_for(self, rented: float) -> DemandOption:
        """The same where so many GPUs are paid for, as instances are rented whole."""
        month = self.usd_per_month * max(rented / self.accelerators, 1)
        return replace(self, figures={**self.figures, MONEY[0]: month})

    @property
    def pace_range(self) -> tuple[float, float]:
        """Tokens a second of one user, at worst and at best."""
        pace, error = self.figures["sequence_tokens_per_second"], 1 + self.figures["served_time_error"]
        return pace / error, pace * error

    @property
    def first_token_range(self) -> tuple[float, float]:
        """Seconds to the first token, at best and at worst."""
        first = self.figures["first_token_service_seconds"]
        return first / (1 + self.figures["first_token_error_low"]), first * (1 + self.figures["first_token_error"])


@frozen
class DemandPlan:
    """Options that meet the demand, cheapest first; ties of the first; the fewest; and the nearest where none does.

    `here` are the cheapest on the GPU that the scenario states, with its weights and with any; each says in
    `here_smaller` why fewer of it do not do.
    """

    tried: int
    meeting: int
    best: tuple[DemandOption, ...]
    here: tuple[DemandOption, ...]
    here_smaller: str
    of_each: tuple[DemandOption, ...]
    """The cheapest on each GPU of the variants, with the stated weights, cheapest first, where these differ."""
    ties: int
    fewest: DemandOption | None
    smaller: str
    nearest: DemandOption | None


def demand_plan(job: Job) -> DemandPlan | None:
    """Advice on a demand; nothing where none is stated."""
    if job.workload != "serving" or not (job.value("users") or job.value("requests_per_second")):
        return None
    axes = demand_axes(job)
    shape = tuple(len(axis.values) for axis in axes)
    keeps, found = _evaluated(job, axes, shape)
    _check_users(job, found["concurrent_requests"][keeps])
    meets = _readable(_paid(job, keeps, found), found)
    best, fewest = (
        _ranked(axes, found, np.flatnonzero(meets), by) for by in (_cost(found), found["needed_accelerators"])
    )
    here = tuple(_on_stated(axes, found, meets))
    return DemandPlan(
        tried=int(np.count_nonzero(keeps)),
        meeting=int(np.count_nonzero(meets)),
        best=_few(best, str(job.case.settings["weight_dtype"])),
        here=here,
        here_smaller=_why_not_smaller(job, axes, found, keeps, here[0]) if here else "",
        of_each=tuple(_of_each(job, axes, found, meets)),
        ties=_ties(best),
        fewest=fewest[0] if fewest else None,
        smaller=_why_not_smaller(job, axes, found, keeps, fewest[0]) if fewest else "",
        nearest=None if best else _nearest(job, axes, found, keeps & (found["fits"] > 0)),
    )


def _paid(job: Job, keeps: Flags, found: Mapping[str, Numbers]) -> Flags:
    """Those that meet the demand, of these those within a budget where some are; what has no price is in none."""
    meets: Flags = keeps & keeps_margin(found, job.search.safety_margin) & (found["meets_targets"] > 0)
    most = job.search.most_cost_usd
    if most is None:
        return meets
    within: Flags = meets & (found["service_usd_per_month"] <= most / months_paid(job))
    return within if within.any() else meets


def months_paid(job: Job) -> float:
    """Months of service that are paid for."""
    hours = job.loaded.scenario.cost.hours if job.loaded.scenario.cost else None
    return hours / float(HOURS_PER_MONTH) if hours else job.value("months")


def _readable(meets: Flags, found: Mapping[str, Numbers]) -> Flags:
    """Those that write to each user as fast as one reads, where some do: the least cost alone ends with the slowest."""
    paced = meets & (found["sequence_tokens_per_second"] >= READ_TOKENS_PER_SECOND)
    return paced if paced.any() else meets


def _few(best: tuple[DemandOption, ...], weights: str) -> tuple[DemandOption, ...]:
    """The cheapest, and the cheapest with the weights that are stated."""
    same = [option for option in best if option.settings["weight_dtype"] == weights]
    return tuple(option for place, option in enumerate(best) if place < MOST_BEST or option in same[:1])


def _check_users(job: Job, under_way: Numbers) -> None:
    """A fault where even the quickest arrangement has more requests under way than there are users."""
    users = job.value("users")
    if job.value("requests_per_second") and users and under_way.size and under_way.min() > users:
        message = (
            "contradicts users: more requests than users would be under way at once, however fast they are answered"
        )
        found = f"{under_way.min():.3g} of {users:.15g} users at best"
        raise InputError([job.loaded.document.fault(("demand", "requests_per_second"), message, found=found)])


def _of_each(job: Job, axes: tuple[Axis, ...], found: Mapping[str, Numbers], meets: Flags) -> list[DemandOption]:
    """The cheapest on each GPU of the scenario's variants, cheapest first, where these compare several."""
    gpus = {str(each.settings["accelerator"]): str(each.settings[WEIGHTS]) for each in reversed(job.own_variants)}
    each = [_cheapest(axes, found, meets, gpu, own)[:1] for gpu, own in gpus.items()] if len(gpus) > 1 else []
    return sorted((option for options in each for option in options), key=_amount)


def _on_stated(axes: tuple[Axis, ...], found: Mapping[str, Numbers], meets: Flags) -> Iterator[DemandOption]:
    """The cheapest of what meets the demand on the stated accelerator: with the stated weights, then with any."""
    gpu = str(next(axis.values[axis.own] for axis in axes if axis.name == "accelerator"))
    weights = next(axis.values[axis.own] for axis in axes if axis.name == WEIGHTS)
    for each in (str(weights), ""):
        yield from _cheapest(axes, found, meets, gpu, each)[:1]


def _cheapest(
    axes: tuple[Axis, ...], found: Mapping[str, Numbers], meets: Flags, gpu: str, weights: str
) -> tuple[DemandOption, ...]:
    """What meets the demand on one accelerator, with such weights, "" for any, cheapest first."""
    index, pool = np.indices(meets.shape), meets
    for place, axis in zip(index, axes, strict=True):
        if axis.name == "accelerator":
            pool = pool & (place == (axis.values.index(gpu) if gpu in axis.values else -1))
        elif axis.name == WEIGHTS and weights:
            pool = pool & (place == axis.values.index(weights))
    return _ranked(axes, found, np.flatnonzero(pool), _cost(found))


def demand_variant(job: Job, option: DemandOption) -> dict[str, Any]:
    """What a variant states to be this option: its settings, and as many GPUs as the demand needs."""
    running, gpu = option.settings["max_num_seqs"], str(option.settings["accelerator"])
    batched = {"max_num_batched_tokens": running} if float(running) > job.value("max_num_batched_tokens") else {}
    ranks = job.value("pipeline_parallel_size") * math.prod(float(option.settings[name]) for name in RANKS)
    billed = price_of(job, gpu, ranks).fields
    always = {**batched, **_of_a_replica(job, billed)}
    return as_variant(job, {**option.settings, **billed, "count": option.accelerators}, always)


def _of_a_replica(job: Job, billed: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The price of a replica, stated though it is the job's own: of all GPUs another one would be looked up."""
    name, _ = BILLED[str(billed["basis"])]
    looked_up = job.loaded.scenario.cost is not None and job.case.origins[name].kind == "default"
    return {name: billed[name]} if looked_up and billed[name] != NO_PRICE else {}


def _evaluated(job: Job, axes: tuple[Axis, ...], shape: tuple[int, ...]) -> tuple[Flags, dict[str, Numbers]]:
    """Which arrangements the rules allow, and their figures, each axis a dimension."""
    columns = {name: np.asarray(column[0]) for name, column in job.computed.resolved.inputs.items()}
    for index, axis in enumerate(axes):
        placed = [len(axis.values) if other == index else 1 for other in range(len(axes))]
        columns |= {name: column.reshape(placed) for name, column in axis.columns.items()}
    ranks = columns["tensor_parallel_size"] * columns["pipeline_parallel_size"] * columns["expert_parallel_size"]
    columns["count"] = ranks
    columns |= _hosted(job, axes, ranks)
    columns |= dict.fromkeys((OWN_CHOICES[name] for name in OF_ITS_OWN), np.ones(1))  # a service shares with no host
    columns["max_num_batched_tokens"] = np.maximum(columns["max_num_batched_tokens"], columns["max_num_seqs"])
    keeps, _ = allowed("serving", columns, shape)
    wanted = (*WANTED, *MONEY)
    overrides = {name: np.asarray(column[0]) for name, column in job.computed.resolved.overrides.items()}
    made = calculate(needed_for(lines_in_order("serving"), wanted), columns, overrides, wanted)
    full = {name: np.array(np.broadcast_to(made[name], shape), order="C") for name in wanted}  # read as one row
    priced = np.where(columns["rents"] > 0, columns["usd_per_accelerator_hour"], columns["usd_per_accelerator"]) > 0
    paid = {**columns, "count": full["needed_accelerators"], PAYS_WHOLE: np.asarray(float(gpu_is_open(job)))}
    bill = full["service_usd_per_month"] * rented_share(paid)
    full["service_usd_per_month"] = np.where(np.broadcast_to(priced, shape), bill, np.nan)
    return keeps, full


def _hosted(job: Job, axes: tuple[Axis, ...], ranks: Numbers) -> dict[str, Numbers]:
    """What hosts and prices of a replica of so many of each GPU supply: two are not rented as one alone is."""
    gpus = next(axis.values for axis in axes if axis.name == "accelerator")  # the first axis
    counts, place = np.unique(ranks, return_inverse=True)
    asked = job, gpus, counts.tolist(), job.computed.resolved.overrides
    found = hosts_of(*asked) | billed_of(*asked)
    of_gpu = np.arange(len(gpus)).reshape(-1, *[1] * (len(axes) - 1))
    return {name: column[of_gpu, place.reshape(ranks.shape)] for name, column in found.items()}


def _cost(found: Mapping[str, Numbers]) -> Numbers:
    """What options are ranked by: the cost of a month; where no price is known it is none, and GPUs decide."""
    return found["service_usd_per_month"]


def _ranked(
    axes: tuple[Axis, ...], found: Mapping[str, Numbers], index: Index, by: Numbers
) -> tuple[DemandOption, ...]:
    """The best concurrency of each arrangement of the given places, lowest first; no price comes last."""
    keys = (by, found["needed_accelerators"], found["prefill_replicas"] > 0, _other_cache(axes), -found[PACE])
    columns = [np.nan_to_num(np.broadcast_to(key, by.shape).reshape(-1)[index], nan=np.inf) for key in keys]
    seen: dict[tuple[Scalar, ...], DemandOption] = {}
    known = {axis.name for axis in axes}
    for place in _first_of_each(axes, np.asarray(index)[np.lexsort(columns[::-1])]):
        option = _option(axes, found, int(place))
        own = tuple(value for name, value in option.settings.items() if name in known and name != "max_num_seqs")
        seen.setdefault(own, option)
    return tuple(seen.values())


def _other_cache(axes: tuple[Axis, ...]) -> Flags:
    """Where the cache has another type than the scenario's: where that saves no GPU, it stays as it is."""
    place = next(at for at, axis in enumerate(axes) if axis.name == "kv_cache_dtype")
    other = np.arange(len(axes[place].values)) != axes[place].own
    return np.asarray(other.reshape([-1 if at == place else 1 for at in range(len(axes))]))


def _first_of_each(axes: tuple[Axis, ...], places: Index) -> Index:
    """Of places that differ in concurrency alone the first, in their order: a hundredth of them."""
    sizes = [len(axis.values) for axis in axes]
    own = [at for at, axis in enumerate(axes) if axis.name != "max_num_seqs"]
    index = np.unravel_index(places, sizes)
    arrangement = np.ravel_multi_index([index[at] for at in own], [sizes[at] for at in own])
    return places[np.sort(np.unique(arrangement, return_index=True)[1])]


def _option(axes: tuple[Axis, ...], found: Mapping[str, Numbers], place: int) -> DemandOption:
    index = np.unravel_index(place, tuple(len(axis.values) for axis in axes))
    settings: dict[str, Scalar] = {}
    for axis, position in zip(axes, index, strict=True):
        settings |= axis.settings[int(position)]
    return DemandOption(settings, {name: float(column.reshape(-1)[place]) for name, column in found.items()})


def _ties(best: tuple[DemandOption, ...]) -> int:
    """How many options cost as little as the first, as far as it is known: differences below the error of the times."""
    if not best:
        return 0
    most = _amount(best[0]) * (1 + best[0].figures["served_time_error"])
    return sum(1 for option in best if _amount(option) <= most)


def _amount(option: DemandOption) -> float:
    return option.accelerators if np.isnan(option.usd_per_month) else option.usd_per_month


def _why_not_smaller(
    job: Job, axes: tuple[Axis, ...], found: Mapping[str, Numbers], keeps: Flags, fewest: DemandOption
) -> str:
    """What stops one replica less, and a replica of half the width."""
    each, peak = fewest.figures["replica_requests_per_second"], fewest.figures["peak_requests_per_second"]
    fewer = fewest.figures["busy_replicas"] - float(fewest.settings["expert_parallel_size"])
    carry = "replica carries" if fewer == 1 else "replicas carry"
    carried = f"{fewer:.0f} busy {carry} {fewer * each:.3g} of {peak:.3g} requests/s at the peak"
    return "; ".join([*([carried] if fewer > 0 else []), *_narrower(job, axes, found, keeps, fewest)])


def _narrower(
    job: Job, axes: tuple[Axis, ...], found: Mapping[str, Numbers], keeps: Flags, fewest: DemandOption
) -> Iterator[str]:
    """Why replicas of the next smaller width do not do, on the same GPU and with the same weights."""
    wide = float(fewest.settings["tensor_parallel_size"])
    gpu = fewest.settings["accelerator"]
    names = [axis.name for axis in axes]
    widths = [float(value) for value in axes[names.index("tensor_parallel_size")].values if float(value) < wide]
    if not widths:
        return
    index = np.unravel_index(np.arange(keeps.size), keeps.shape)
    same = np.ones(keeps.size, dtype=bool)
    for name, value in (("accelerator", gpu), ("weight_dtype", fewest.settings["weight_dtype"])):
        same &= np.asarray(axes[names.index(name)].values, dtype=object)[index[names.index(name)]] == value
    width = np.asarray(axes[names.index("tensor_parallel_size")].values)[index[names.index("tensor_parallel_size")]]
    rows = np.flatnonzero(same & (width == max(widths)) & keeps.reshape(-1))
    yield f"replicas of TP {max(widths):.0f}: {_lacking(job, found, rows, fewest.accelerators)}"


def _lacking(job: Job, found: Mapping[str, Numbers], index: Index, fewest: float) -> str:
    """What the best of some arrangements lacks: memory, the first token, the pace, or nothing but numbers.

    `fewest` GPUs are what they are compared with.
    """
    flat = {name: column.reshape(-1)[index] for name, column in found.items()}
    fits = keeps_margin(flat, job.search.safety_margin)
    if not fits.any():
        return "no arrangement of them fits in memory"
    first, pace = flat["first_token_service_seconds"][fits].min(), flat["sequence_tokens_per_second"][fits].max()
    wait, rate = job.value("first_token_seconds"), job.value("tokens_per_second_per_user")
    if wait and first > wait:
        return f"the first token takes {first:.3g} s at best, {wait:.3g} s are wanted"
    if pace < rate:
        return f"a user sees {pace:.3g} tokens/s at best, {rate:.3g} are wanted"
    meets = fits & (flat["meets_targets"] > 0)
    if not meets.any():
        return "no concurrency meets both targets"
    needed = flat["needed_accelerators"][meets].min()
    return f"they need {needed:.0f} GPUs in all" if needed > fewest else f"they need {needed:.0f} GPUs, too"


def _nearest(job: Job, axes: tuple[Axis, ...], found: Mapping[str, Numbers], fits: Flags) -> DemandOption | None:
    """The arrangement that misses the targets by the smallest factor."""
    wait, rate = job.value("first_token_seconds"), job.value("tokens_per_second_per_user")
    late = found["first_token_service_seconds"] / wait if wait else np.zeros(fits.shape)
    slow = rate / found["sequence_tokens_per_second"]
    missed = np.where(fits, np.maximum(late, slow), np.inf).reshape(-1)
    place = int(np.argmin(missed))
    return _option(axes, found, place) if np.isfinite(missed[place]) else None
