"""The answer to a demand: how many of which GPUs carry it within its targets, and what a month of them costs."""

from __future__ import annotations

import math
from collections.abc import Iterator

from memreport.advise.search.demand import DemandOption, DemandPlan
from memreport.advise.verdict import DOES_NOT_FIT, FITS, Word
from memreport.catalogue.quantities import brief
from memreport.figures.constants import HOURS_PER_MONTH, SECONDS_PER_HOUR
from memreport.report.answer.settings import accelerator_words
from memreport.report.view import View


def demand_headline(view: View, made: DemandPlan) -> tuple[Word, str]:
    """The verdict and the sentence."""
    if not made.best:
        near = f" {_nearest(view, made.nearest)}" if made.nearest else ""
        return DOES_NOT_FIT, f"Nothing that was tried meets the targets of the demand.{near}"
    first = made.best[0]
    return FITS, f"{_named(view, first)}{_monthly(first)}."


def demand_detail(view: View, made: DemandPlan, at: int) -> Iterator[str]:
    """What the reader needs besides: ties, the fewest, and whether what was submitted does."""
    if made.ties > 1:
        others = "one other" if made.ties == 2 else f"{made.ties - 1} others"
        yield f"It ties with {others}, by less than the error of the times."
    if made.best and view.has("api_usd_per_request"):
        yield from _beside_an_api(view, made.best[0], at)
    if made.fewest is not None and made.best and made.fewest.accelerators < made.best[0].accelerators:
        yield f"Fewest: {_named(view, made.fewest)}{_monthly(made.fewest)}."
    if made.smaller:
        yield f"Fewer do not do: {made.smaller}."
    enough = view.value("meets_demand", at) > 0
    yield f"What was submitted {'carries' if enough else 'does not carry'} the demand."


def _beside_an_api(view: View, first: DemandOption, at: int) -> Iterator[str]:
    """What the same load costs at the API that the scenario names, and from which load the first option is cheaper."""
    each, asked = view.value("api_usd_per_request", at), view.value("demanded_requests_per_second", at)
    month = float(each * asked * SECONDS_PER_HOUR * HOURS_PER_MONTH)
    if month > 0 and not math.isnan(first.usd_per_month):
        yield (
            f"The same load at {view.setting('api_price', at)} is {brief(month, 'USD')} a month; the GPUs are cheaper "
            f"from {asked * first.usd_per_month / month:.3g} requests/s."
        )


def _named(view: View, option: DemandOption) -> str:
    figures, settings = option.figures, option.settings
    return (
        f"{option.accelerators:,.0f} × {accelerator_words(view, str(settings['accelerator']))}, as "
        f"{figures['needed_replicas']:,.0f} replicas of TP {settings['tensor_parallel_size']:.0f} with "
        f"{str(settings['weight_dtype']).upper()} weights and {settings['max_num_seqs']:.0f} sequences at once each"
        f"{_apart(option)}"
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
    gpu, width = str(option.settings["accelerator"]), option.settings["tensor_parallel_size"]
    where = f"TP {width:.0f} on {accelerator_words(view, gpu)}"
    return f"The nearest, {where}, gives a user {brief(pace, 'token/s')} and the first token after {brief(first, 's')}."


def _monthly(option: DemandOption) -> str:
    if math.isnan(option.usd_per_month):
        return ""
    low, high = (brief(end, "USD") for end in option.usd_range)
    return f": {brief(option.usd_per_month, 'USD')} a month ({low} to {high})"
