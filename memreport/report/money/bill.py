"""The bill of the variant that a report shows: its lines with shares, how each comes about, what is not in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from memreport.catalogue.names import in_sentence, title_of
from memreport.catalogue.quantities import brief, in_gpu_hours
from memreport.compute import needed_for
from memreport.errors import plural
from memreport.figures.registry import figures_by_name, shown_in
from memreport.report.inputs import Sources
from memreport.report.money.prices import (
    PRICED,
    PURCHASE,
    RENTAL,
    PriceUse,
    cost_caveat,
    cost_shares,
    prices_used,
    share_texts,
)
from memreport.report.records.money.bill import CostLine, PriceLine
from memreport.report.shares import share_of
from memreport.report.view import View, counted

UNSTATED = ("", "not stated")
COST_TOTALS = ("subtotal_usd", "cost_total_usd")
HOW: Mapping[str, str] = {
    "rent_usd": "{billed_accelerator_hours} × {agreed_usd_per_accelerator_hour}",
    "hardware_usd": "{yearly_capital_usd} a year, {wall_hours} of it, in use {owned_utilisation} of the time",
    "energy_usd": "{energy_kwh} × {usd_per_kilowatt_hour}",
    "support_usd": "{support_share} of the purchase a year",
    "staff_usd": "{staff_usd_per_month} a month",
    "storage_usd": "{storage_usd_per_month} a month",
    "extras_usd": "{rent_extras_share} of the rent",
    "contingency_usd": "{contingency} of the subtotal",
    "tax_usd": "{tax_share} of all above",
    "cost_total_usd": "for {wall_hours} by the clock",
    "cost_low_usd": "total × {price_low_multiplier} for prices",
    "cost_high_usd": "total × {price_high_multiplier} for prices",
}
"""The arithmetic of a line in numbers."""
MILLION = (
    "cost_per_million_tokens_usd",
    {"training": "of those trained", "serving": "of those generated at full load, prompts included"},
)
TEXTS = "of texts that are read at full load"
"""Of which tokens the cost of a million is; an encoder makes none."""
TIME_SHARES: Mapping[str, str] = {"cost_low_usd": "time_low_share", "cost_high_usd": "time_high_share"}
"""What an end of the cost is multiplied by besides, where the time has ends, too."""


@lru_cache
def bill_lines(workload: str) -> tuple[str, ...]:
    """The lines of the bill, money before quantities."""
    figures, shown_there = figures_by_name(workload), {"bill", "bill in the workbook"}
    found = [name for name, figure in figures.items() if shown_there & set(figure.shown)]
    return tuple(sorted(found, key=lambda name: not name.endswith("_usd")))


def never_billed(view: View) -> tuple[set[str], bool]:
    """What only a purchase is made of where every variant rents, or only rent where all buy; and whether all rent."""
    rents = {view.value("rents", index) > 0 for index in range(len(view.variants))}
    rented, bought = (
        {name for line in needed_for(view.computed.lines, [part]) for name in (line.name, *line.bound.values())}
        for part in ("rent_usd", "hardware_usd")
    )
    return set() if len(rents) > 1 else bought - rented if True in rents else rented - bought, True in rents


def how(view: View, index: int, name: str) -> str:
    """The arithmetic of a line with the texts of what it is made of; nothing where its meaning says enough."""
    million = TEXTS if _reads_texts(view, index) else MILLION[1][view.workload]
    template = million if name == MILLION[0] else HOW.get(name, "")
    names = [part.partition("}")[0] for part in template.split("{")[1:]]
    texts = {key: _brief(view, key, index) for key in names}
    return template.format(**texts) + _of_time(view, index, TIME_SHARES.get(name, ""))


def _brief(view: View, name: str, index: int) -> str:
    """In three digits."""
    return brief(view.value(name, index), in_gpu_hours(name, view.unit(name)))


def _of_time(view: View, index: int, share: str) -> str:
    """The factor of the time; nothing where the time has no ends."""
    factor = view.value(share, index) if view.has(share) else 1.0
    return f" × {brief(factor, '1')} for time" if factor != 1 else ""


def cost_lines(view: View, index: int) -> Iterator[CostLine]:
    """The lines of the cost table; those that are nothing are left out.  None without a cost block."""
    if view.scenario.cost is None:
        return
    parts = share_texts(cost_shares(view, index))
    shares = parts | {"cost_total_usd": "100 %"}
    for name in bill_lines(view.workload):
        if name in view.lines and view.value(name, index) > 0:
            yield CostLine(
                name,
                _title(view, index, name),
                view.value(name, index),
                view.unit(name),
                view.text(name, index),
                view.meaning(name),
                name in COST_TOTALS,
                shares.get(name, ""),
                how(view, index, name),
                brief(view.value(name, index), view.unit(name)),
            )


def _title(view: View, index: int, name: str) -> str:
    """What a line is called; encoders make no tokens, and are paid by the text."""
    title = title_of(name)
    return title.replace("tokens", "texts") if name == MILLION[0] and _reads_texts(view, index) else title


def _reads_texts(view: View, index: int) -> bool:
    return view.unit_in("tokens_per_second", index) == "text/s"


NOTICED = 0.001
"""Share by which hours may differ and be called the same."""


def price_lines(view: View, index: int, sources: Sources) -> Iterator[PriceLine]:
    """Which prices and conventions the cost rests on, where they were read, and how sure they are."""
    for use in prices_used(view, index):
        age = use.age_days if use.field in PRICED and not use.overridden else None
        number = sources.number(use.source, "cost")
        yield PriceLine(use.id, use.counted.text, _offer(use), use.offer.date, use.offer.confidence, number, age)


def _offer(use: PriceUse) -> str:
    """Who offers a price, where and how; what a convention is."""
    if use.field not in (RENTAL, PURCHASE):
        return use.title
    return ", ".join(
        part
        for part in (use.offer.provider, use.offer.region, use.offer.term, use.offer.accelerator)
        if part not in UNSTATED
    )


def cost_note(view: View, index: int) -> str:
    """What the cost covers, whether that is the whole training, and what nobody has stated."""
    hours, clock = view.text("hours", index), _by_the_clock(view, index)
    covered = f"The cost covers {hours} of useful work on {gpus_words(view, index)}{clock}"
    caveat = cost_caveat(view, index)
    before = f"Variant {view.variants[index].name} {caveat}. " if caveat else ""
    return f"{before}{_of_run(view, index, covered)}{_lacking(view, index)}"


def _of_run(view: View, index: int, covered: str) -> str:
    if not view.has("training_hours"):
        return f"{covered}."
    hours, needed = view.value("hours", index), view.value("training_hours", index)
    tokens = f"{covered}, {{}} the {counted(view.value('training_tokens', index), 'token')} of the scenario"
    if abs(share_of(needed, hours) - 1) < NOTICED:
        return f"{tokens.format('as long as')} take."
    whole = "more than" if needed < hours else "less than"
    return f"{tokens.format(whole)} take: {_brief(view, 'training_hours', index)}."


def _lacking(view: View, index: int) -> str:
    """What is not in the total because nobody stated it."""
    unstated = shown_in(f"unstated when {'renting' if view.value('rents', index) else 'buying'}", view.workload)
    names = [in_sentence(title_of(name)) for name in unstated if not view.value(name, index)]
    return f" Not in it, because nothing is stated: {', '.join(names)}." if names else ""


def gpus_words(view: View, index: int) -> str:
    """How many GPUs."""
    count = view.text("count", index)
    return f"{count} {plural('GPU', count)}"


def _by_the_clock(view: View, index: int) -> str:
    """The hours that are billed, where failures and restarts make them more."""
    if view.value("goodput", index) == 1:
        return ""
    return f", {_brief(view, 'wall_hours', index)} by the clock at a goodput of {view.text('goodput', index)}"
