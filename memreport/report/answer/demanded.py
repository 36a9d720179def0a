"""The answer to a demand: how many of which GPUs carry it within its targets, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from memreport.advise.asks import OF_AN_API, asks_of, asks_whether_it_carries
from memreport.advise.candidates import Candidate, Options
from memreport.advise.decide import Decision
from memreport.advise.search.demand import MONEY, WANTED, DemandOption, DemandPlan
from memreport.advise.verdict import DOES_NOT_FIT, FITS, Word
from memreport.catalogue.quantities import brief, with_ends
from memreport.catalogue.scenario import Scalar
from memreport.catalogue.unstated.hardware import leaves_gpu_open
from memreport.errors import plural
from memreport.figures.constants import HOURS_PER_MONTH
from memreport.report.answer.needs import rented_instances
from memreport.report.answer.rows import period_words, purchase_text, purchase_words
from memreport.report.answer.settings import accelerator_words
from memreport.report.records.decision import OptionRow, Range
from memreport.report.view import View

ASKED = {
    "users": "{} {users}",
    "requests_per_second": "{} requests/s",
    "prompt_tokens": "{} in",
    "output_tokens": "{} out",
    "first_token_seconds": "the first token within {} for 95 in 100",
    "tokens_per_second_per_user": "{} for each user",
}
"""Inputs of a demand and how a sentence states them."""
INPUT_USD, OUTPUT_USD = "usd_per_million_input_tokens", "usd_per_million_output_tokens"


def demand_headline(view: View, decision: Decision, cost: Range | None) -> tuple[Word, str]:
    """The verdict and the sentence on the option that a budget is about, with the range of its cost."""
    made, options = decision.plan.demand, decision.options
    if made is None:
        return FITS, ""
    chosen, most = options.chosen, decision.plan.job.search.most_cost_usd
    if not made.best:
        near = f" {_nearest(view, made.nearest)}" if made.nearest else ""
        return DOES_NOT_FIT, f"Nothing that was tried meets the targets of the demand.{near}"
    if len(made.of_each) > 1 and not asks_whether_it_carries(view.scenario):
        return FITS, _each_named(view, made)
    if chosen.beyond == "cost":
        return _by_budget(view, made.best[0], within=any(each.headroom_kept for each in options.candidates))
    if chosen.own and (chosen.word == DOES_NOT_FIT or not chosen.carries):
        without = f"without them {_named(view, made.best[0])}"
        return DOES_NOT_FIT, f"Nothing that meets the targets keeps the limits of `search:`; {without}."
    here = _none_here(view, made, options, within=" within the budget" if most is not None else "")
    return _carried(view, options, cost, here)


def _by_budget(view: View, cheapest: DemandOption, *, within: bool) -> tuple[Word, str]:
    """What carries the demand for least, where what was submitted costs more than may be spent."""
    asked, said = (
        asks_whether_it_carries(view.scenario),
        f"{_named(view, cheapest)}{_monthly(cheapest, cheapest.usd_range)}",
    )
    if within:
        return FITS, f"{'Yes, ' if asked else ''}{said}, within the budget."
    no = "No, nothing" if asked else "Nothing"
    return DOES_NOT_FIT, f"{no} that was tried carries it within the budget; the cheapest is {said}."


def _carried(view: View, options: Options, cost: Range | None, here: str) -> tuple[Word, str]:
    """What carries the demand: what was submitted, or what was found, after `here` on another GPU than submitted."""
    chosen, submitted = options.chosen, options.submitted
    option = _as_option(view, chosen)
    ends = _month_ends(view, chosen.column) if cost and cost.low_value is not None else option.usd_range
    costs = f"{_monthly(option, ends)}{_whole(view, chosen.column)}"
    asked = asks_whether_it_carries(view.scenario)
    yes, no = ("Yes, ", "No, it takes ") if asked else (here, "")
    if chosen.own and not options.asks_for_hardware:
        needed = f"{option.accelerators:,.0f} of {view.value('accelerators', chosen.column):,.0f} GPUs are needed"
        return FITS, f"{yes}{chosen.case.name} carries the demand as submitted: {needed}{costs}."
    if here and "how_many_users" in asks_of(view.scenario):
        return DOES_NOT_FIT, f"{here.removesuffix(': ')}; what does is {_named(view, option)}{costs}."
    enough = not no or _is_at_hand(view, option, submitted)
    return FITS if enough else DOES_NOT_FIT, f"{yes if enough else no}{_named(view, option)}{costs}."


def _each_named(view: View, made: DemandPlan) -> str:
    """What carries the demand on each GPU that is compared, and whether the cheapest, or fewest, is surely so."""
    paid = view.scenario.cost is not None
    each = made.of_each if paid else sorted(made.of_each, key=lambda option: option.accelerators)
    monthly = [_monthly(option, option.usd_range) if paid else "" for option in each]
    said = "; ".join(f"{_named(view, option)}{month}" for option, month in zip(each, monthly, strict=True))
    leads = (_costs_less if paid else _takes_fewer)(*each[:2])
    return f"{accelerator_words(view, str(each[0].settings['accelerator']))} {leads}: {said}." if leads else f"{said}."


def _costs_less(first: DemandOption, second: DemandOption) -> str:
    """That the first costs less, and whether that is sure."""
    sure = first.usd_range[1] < second.usd_per_month
    return "costs less" if sure else "costs less, within the error of the times"


def _takes_fewer(first: DemandOption, second: DemandOption) -> str:
    return "takes fewer GPUs" if first.accelerators < second.accelerators else ""


def _none_here(view: View, made: DemandPlan, options: Options, within: str) -> str:
    """That no number of the submitted GPU carries the demand, where another GPU is the answer to what names one."""
    own, weights = (options.submitted.case.settings[name] for name in ("accelerator", "weight_dtype"))
    any_gpu = "which_gpu" in asks_of(view.scenario) or leaves_gpu_open(view.resolved.loaded.words)
    if any_gpu or options.chosen.case.settings["accelerator"] == own:
        return ""
    kept = f" with {str(weights).upper()} weights" if made.here else ""
    return f"No number of {accelerator_words(view, own)} that was tried carries it{kept}{within}: "


def _is_at_hand(view: View, option: DemandOption, submitted: Candidate) -> bool:
    """Whether an option takes no other GPUs than those that were submitted."""
    same = option.settings["accelerator"] == submitted.case.settings["accelerator"]
    return same and option.accelerators <= view.value("accelerators", submitted.column)


def _whole(view: View, index: int) -> str:
    """What the service costs for the hours that the scenario states, where they are not a month."""
    hours, cost = (view.value(name, index) if view.has(name) else 0.0 for name in ("hours", "cost_total_usd"))
    stated = cost > 0 and hours != HOURS_PER_MONTH
    return f", {brief(cost, 'USD')} for {period_words(view, index)}" if stated else ""


def _as_option(view: View, candidate: Candidate) -> DemandOption:
    """A candidate as an option of the demand, from its computed figures."""
    return DemandOption(
        candidate.case.settings,
        {name: view.value(name, candidate.column) for name in (*WANTED, *MONEY) if view.has(name)},
    )


def demand_detail(view: View, made: DemandPlan, options: Options, row: OptionRow) -> Iterator[str]:
    """What the submitted job does, what is cheaper elsewhere, what tokens cost, and what was asked; `row` is chosen."""
    chosen, index = options.chosen, options.submitted.column
    if chosen is not options.submitted and not chosen.likeness.not_asked and not options.asks_for_hardware:
        carries = "carries" if view.value("meets_demand", index) > 0 else "does not carry"
        yield f"What was submitted {carries} the demand."
    if made.best and chosen.carries:
        if purchase := purchase_text(view, chosen.column):
            yield purchase_words(view, chosen.column, purchase)
        if chosen.likeness.not_asked:
            yield from rented_instances(view, row)
        yield from _beside_others(view, made, chosen)
        yield from _in_fewer_bits(view, made, chosen)
        yield from _on_the_usual(view, made, chosen)
        if view.has("api_usd_per_request"):
            yield from _beside_an_api(view, chosen.column)
        yield from million_tokens(view, chosen.column)
    yield f"Asked: {', '.join(_asked(view, index))}."


def million_tokens(view: View, index: int) -> Iterator[str]:
    """What a million tokens cost, of the prompt and of the answer, the latter with the range of its time."""
    if not view.has(INPUT_USD) or not view.value("service_usd_per_month", index) > 0:
        return
    if view.makes_tokens(index):
        first, low, high = (brief(view.value(f"{OUTPUT_USD}{end}", index), "USD") for end in ("", "_low", "_high"))
        read = brief(view.value(INPUT_USD, index), "USD")
        yield f"A million tokens cost {read} in the prompt and {first} ({low} to {high}) in the answer."
    else:
        yield f"A million tokens cost {brief(view.value(INPUT_USD, index), 'USD')}."


def _asked(view: View, index: int) -> Iterator[str]:
    """The demand in its own numbers, each that was stated."""
    encoder = {} if view.makes_tokens(index) else {"output_tokens": 0.0}
    values = {name: view.value(name, index) for name in ASKED} | encoder
    for name, value in values.items():
        if value > 0:
            said = brief(value, "1" if name == "requests_per_second" else view.unit(name))
            yield ASKED[name].format(said, users=plural("user", value))


def _on_the_usual(view: View, made: DemandPlan, chosen: Candidate) -> Iterator[str]:
    """How many of the GPU that stands in where nobody names one carry the demand, where another is the answer."""
    usual, gpu = made.here[:1], view.variants[0].settings["accelerator"]
    if leaves_gpu_open(view.resolved.loaded.words) and usual and gpu != chosen.case.settings["accelerator"]:
        yield f"It takes {_gpus_of(view, usual[0])}{_monthly(usual[0], usual[0].usd_range)}."


def _billed(view: View, candidate: Candidate) -> DemandOption:
    """A candidate as an option of the demand, its instances paid whole where any GPU may be taken."""
    option, index = _as_option(view, candidate), candidate.column
    if not candidate.likeness.not_asked or not view.has("rented_accelerators"):
        return option
    return option.billed_for(view.value("rented_accelerators", index))


def _beside_others(view: View, made: DemandPlan, candidate: Candidate) -> Iterator[str]:
    """Whether another GPU is cheaper by more than is known."""
    if candidate.word == DOES_NOT_FIT:
        return
    chosen = _billed(view, candidate)
    alike = (option for option in made.best if option.settings["weight_dtype"] == chosen.settings["weight_dtype"])
    first = next(alike, chosen)
    if first.settings["accelerator"] == chosen.settings["accelerator"] or math.isnan(first.usd_per_month):
        return
    if first.usd_range[1] < chosen.usd_per_month:
        yield f"Cheaper: {_gpus_of(view, first)}{_monthly(first, first.usd_range)}."
    else:
        yield "No other GPU is cheaper by more than the error of the times."


def _in_fewer_bits(view: View, made: DemandPlan, candidate: Candidate) -> Iterator[str]:
    """What carries the demand in weights of fewer bits, on the GPU that is stated where one is, if with less."""
    chosen, weights = _billed(view, candidate), "weight_dtype"
    pool = made.best if leaves_gpu_open(view.resolved.loaded.words) else made.here
    other = next((option for option in pool if option.settings[weights] != chosen.settings[weights]), None)
    if other is None or candidate.word == DOES_NOT_FIT:
        return
    paid = view.scenario.cost is not None
    less = other.usd_range[1] < chosen.usd_per_month if paid else other.accelerators < chosen.accelerators
    if less or other.settings["accelerator"] != chosen.settings["accelerator"]:
        costs = _monthly(other, other.usd_range) if paid else ""
        yield f"With {str(other.settings[weights]).upper()} weights {_gpus_of(view, other)} do{costs}."


def _gpus_of(view: View, option: DemandOption) -> str:
    return f"{option.accelerators:,.0f} × {accelerator_words(view, str(option.settings['accelerator']))}"


def api_words(view: View, cost: Range | None) -> str:
    """Whether the API costs less than the GPUs, where a question weighs both; "" where it does not or none is known."""
    month = view.value("api_usd_per_month", 0) if view.has("api_usd_per_month") else 0.0
    if not (month and cost and OF_AN_API.is_asked(view.scenario)):
        return ""
    less, more = ("API costs", "GPUs") if month < cost.amount.value else ("GPUs cost", "API")
    usd = brief(month, "USD")
    return f"The {less} less than the {more}: {_api_titled(view, 0)} is {usd} a month, GPUs {cost.amount.text}. "


def _api_titled(view: View, index: int) -> str:
    """The API whose prices are read, and their day."""
    apis, named = view.resolved.catalogue.tables["apis"], view.resolved.variants[index].settings["api_price"]
    return f"{apis.titles[apis.row(named)]} ({apis.columns['api_input_usd'].sources[apis.row(named)].date})"


def _beside_an_api(view: View, index: int) -> Iterator[str]:
    """What the same load costs at the API that the scenario names, and from which load the option is cheaper."""
    month, even = (view.value(f"api_{name}", index) for name in ("usd_per_month", "break_even_requests_per_second"))
    if month > 0 and even > 0:
        carried = view.beside("carried_requests_per_second", index)
        short = f", but carry {carried:.3g}" if even > carried else ""
        yield (
            f"The same load at {_api_titled(view, index)} is {brief(month, 'USD')} a month; "
            f"the GPUs are cheaper from {even:.3g} requests/s{short}."
        )


def _named(view: View, option: DemandOption) -> str:
    settings, widths = option.settings, width_words(option.settings, view.value("pipeline_parallel_size", 0))
    at_once = float(settings["max_num_seqs"])
    cache = f", {str(settings['kv_cache_dtype']).upper()} cache" if view.makes_tokens(0) else ""
    return (
        f"{option.accelerators:,.0f} × {accelerator_words(view, str(settings['accelerator']))}, as "
        f"{replica_words(option.figures['needed_replicas'])} of {widths} with "
        f"{str(settings['weight_dtype']).upper()} weights{cache} and "
        f"{at_once:.0f} {plural('sequence', at_once)} at once each"
        f"{_apart(option)}"
    )


def width_words(settings: Mapping[str, Scalar], stages: float = 1) -> str:
    """How a replica is cut: `TP 8`, with stages and ranks that share experts where there are several."""
    sizes = {"PP": stages, "EP": float(settings["expert_parallel_size"])}
    return f"TP {settings['tensor_parallel_size']:.0f}" + "".join(
        f" and {name} {size:.0f}" for name, size in sizes.items() if size > 1
    )


def _apart(option: DemandOption) -> str:
    """What is done in another way than a plain engine does: prefills of their own, drafted tokens."""
    prefills, drafted = option.figures["prefill_replicas"], option.settings.get("speculative_tokens", 0)
    parts = [f"{prefills:,.0f} of them for prefills alone"] if prefills else []
    parts += [f"{drafted:.0f} tokens drafted a step"] if drafted else []
    return f" ({', '.join(parts)})" if parts else ""


def _nearest(view: View, option: DemandOption) -> str:
    """What comes nearest to the targets, with what it reaches."""
    pace, first = (option.figures[name] for name in ("sequence_tokens_per_second", "first_token_service_seconds"))
    user, token = with_ends(pace, option.pace_range, "token/s"), with_ends(first, option.first_token_range, "s")
    gpu, width = str(option.settings["accelerator"]), option.settings["tensor_parallel_size"]
    weights = str(option.settings["weight_dtype"]).upper()
    where = f"TP {width:.0f} on {accelerator_words(view, gpu)} with {weights} weights"
    return f"The nearest, {where}, gives a user {user} and the first token after {token}."


def _month_ends(view: View, index: int) -> tuple[float, float]:
    """The ends of a month's cost, as far away as those of the whole cost."""
    return view.beside("service_usd_per_month.low", index), view.beside("service_usd_per_month.high", index)


def _monthly(option: DemandOption, ends: tuple[float, float]) -> str:
    """The cost of a month with its ends; nothing where no price is known."""
    if math.isnan(option.usd_per_month):
        return ""
    low, high = (brief(end, "USD") for end in ends)
    return f": {brief(option.usd_per_month, 'USD')} a month ({low} to {high})"


def replica_words(count: float) -> str:
    """`1 replica`, `2 replicas`."""
    return f"{count:,.0f} {plural('replica', count)}"
