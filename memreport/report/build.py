"""What is shown of a scenario, decided once for workbook, sheet, web page and JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memreport.advise.asked import answer_sentence
from memreport.advise.verdict import QUEUES, WHOLE
from memreport.catalogue.fields.search import SearchFields
from memreport.catalogue.names import title_of
from memreport.compute import Computed
from memreport.report.assumed import not_stated
from memreport.report.inputs import Sources, assumptions, main_figures, side_by_side
from memreport.report.money.bill import cards, cost_lines, cost_note, price_lines, price_words
from memreport.report.money.rent_or_buy import ownership_note, rent_or_buy
from memreport.report.peak.monitor import monitor_sentence
from memreport.report.peak.parts import bar, instants, parts
from memreport.report.prices import NO_PRICE, as_of, cost_caveat, flags, valid_until
from memreport.report.records.answers import Verdict
from memreport.report.records.report import Build, Identity, KeyFigure, Report
from memreport.report.scaling import grids
from memreport.report.speed import bound_words, rooflines, speed_words
from memreport.report.verdicts import hardware_of, headline, outcomes, recommended_variant, verdict
from memreport.report.view import View, counted, in_gib, shown
from memreport.report.worked import symbols, worked_groups

NO_DATE = "2026-01-01"
"""The date of a scenario that states no change: fixed, so that equal input gives equal bytes."""

KEY_FIGURES = {
    "training": ("training_hours", "cost_total_usd", "tokens_per_second", "parameters"),
    "serving": ("max_concurrent_sequences", "cost_total_usd", "cost_per_million_tokens_usd", "tokens_per_second"),
}
"""Candidates for the third and fourth key figure: the first two that the scenario has."""

MOST_BENEATH = 4
"""Variants for which there is room under a key figure."""


def report_of(computed: Computed, built: Build, about: str = "", *, derived: bool = True) -> Report:
    """Everything that is published of one scenario; the first variant is the one that its question asks about.

    `about` names the variant that the budget is about, where that is decided already; `derived` asks for its steps.
    """
    view, sources = View(computed), Sources()
    verdicts = tuple(verdict(view, at) for at in range(len(view.variants)))
    chosen = [one.variant for one in verdicts].index(about) if about else recommended_variant(verdicts) or 0
    assumed = assumptions(view, 0, sources)
    cost = tuple(cost_lines(view, chosen))
    priced = price_words(view, chosen, sources) if cost else ("", 0)
    return Report(
        identity=_identity(view, built),
        headline=headline(verdicts, view.costs, answer_sentence(computed)),
        verdicts=verdicts,
        key_figures=_key_figures(view, verdicts[chosen], chosen, priced),
        key_words=_key_words(verdicts, chosen),
        bars=tuple(bar(view, at) for at in range(len(view.variants))),
        instants=instants(view, 0),
        parts=parts(view, 0),
        assumptions=assumed,
        outcomes=outcomes(verdicts),
        side_by_side=side_by_side(view),
        chosen=verdicts[chosen].variant,
        symbols=symbols(view, chosen) if derived else (),
        worked=worked_groups(view, chosen, main_figures(view)) if derived else (),
        grids=grids(view),
        rooflines=rooflines(view, chosen),
        speed_words=speed_words(view, chosen),
        cost=cost,
        cost_note=cost_note(view, chosen) if cost else "",
        prices=tuple(price_lines(view, chosen, sources)),
        price_flags=flags(view) if cost else (),
        rent_or_buy=rent_or_buy(view, chosen) if cost else None,
        ownership_note=ownership_note(view, chosen),
        since=built.since,
        documented=built.documented,
        sources=sources.listed(),
        changes=tuple(sorted(view.scenario.changes, key=lambda change: -change.version)),
        cautions=view.resolved.cautions,
        not_stated=not_stated(view),
        monitor=monitor_sentence(view, chosen),
    )


def _identity(view: View, built: Build) -> Identity:
    scenario, loaded = view.scenario, view.resolved.loaded
    cited = scenario.source
    return Identity(
        id=scenario.id,
        version=scenario.version,
        title=scenario.title,
        question=scenario.question,
        owner=scenario.owner,
        citation=", ".join(part for part in (f"document {cited.document}", cited.section) if part) if cited else "",
        workload=scenario.workload,
        model=view.variants[0].card.title,
        hardware=hardware_of(view, 0),
        file=loaded.path.name,
        sha256=loaded.sha256,
        memreport=built.version,
        date=max((change.date for change in scenario.changes), default=NO_DATE),
        approval=scenario.approval,
        prices_as_of=as_of(view) if scenario.cost else "",
        prices_valid_until=valid_until(view),
        attachments=built.attachments,
    )


def _key_words(verdicts: Sequence[Verdict], chosen: int) -> str:
    """Of which variant the key figures are, and why of that one; nothing where there is but one."""
    if len(verdicts) == 1:
        return ""
    first = "the first that fits" if verdicts[chosen].word in WHOLE else "the first that starts"
    why = first if chosen else "the one asked about" if verdicts[0].fits else "as none fits"
    return f"Key figures of variant {verdicts[chosen].variant}, {why}"


def _key_figures(view: View, of: Verdict, chosen: int, priced: tuple[str, int]) -> tuple[KeyFigure, ...]:
    """Peak, headroom, time and money of the chosen variant, or that there is no price."""
    names = [name for name in KEY_FIGURES[view.workload] if name in view.lines and _is_known(view, name, chosen)]
    asked = [_asked(view, name, chosen) for name in view.scenario.answers if name in view.lines]
    wanted = names[:2] if not asked else [name for name in names if name == "cost_total_usd"]
    figures = [_key_figure(view, _to_approve(view, name, chosen), chosen, priced) for name in wanted]
    if view.scenario.cost is None:
        figures[1:] = [KeyFigure(title_of("cost_total_usd"), NO_PRICE, "the scenario states none", "", 0.0, "")]
    memory = (_peak(of),) if len(asked) > 1 else (_peak(of), _headroom(of))
    return (*asked, *memory, *figures)


def _to_approve(view: View, name: str, at: int) -> str:
    """Where hardware is bought, the total that is signed stands in place of the part that the use bears."""
    return "approval_total_usd" if name == "cost_total_usd" and view.value("buys", at) else name


def _asked(view: View, name: str, chosen: int) -> KeyFigure:
    """What the question asks for, of the chosen variant; beneath, what is always said of it, or that of the others."""
    if name in KEY_NOTES:
        return _key_figure(view, name, chosen, ("", 0))
    others = [f"{case.name}: {view.text(name, at)}" for at, case in enumerate(view.variants) if at != chosen]
    note = "; ".join([f"for {view.variants[chosen].name}", *others[:MOST_BENEATH]]) if others else view.meaning(name)
    return KeyFigure(title_of(name), view.text(name, chosen), note, name, view.value(name, chosen), view.unit(name))


def _peak(of: Verdict) -> KeyFigure:
    note = f"of {of.capacity_text} usable; estimate {of.range_text}"
    return KeyFigure("Peak per accelerator", of.peak_text, note, "peak_bytes", of.peak, "byte")


def _headroom(of: Verdict) -> KeyFigure:
    title = "Headroom" if of.headroom >= 0 else "Shortfall"
    queued = ", for all requests at once" if of.word == QUEUES else ""
    note = f"{shown(abs(of.headroom_share), 'share')} of what is usable{queued}"
    return KeyFigure(title, in_gib(abs(of.headroom)), note, "headroom_bytes", of.headroom, "byte")


def _is_known(view: View, name: str, at: int) -> bool:
    value = view.value(name, at)
    return value > 0 and (view.scenario.cost is not None or "usd" not in name)


def _key_figure(view: View, name: str, at: int, priced: tuple[str, int]) -> KeyFigure:
    note = view.meaning(name) if name not in KEY_NOTES else KEY_NOTES[name](view, at)
    words, source = priced if name in ("cost_total_usd", "approval_total_usd") else ("", 0)
    text = "; ".join(part for part in (note, words) if part)
    return KeyFigure(title_of(name), view.text(name, at), text, name, view.value(name, at), view.unit(name), source)


def _margin(view: View) -> str:
    """That the count fills the memory, where a plan leaves some free."""
    margin = (view.scenario.search or SearchFields()).safety_margin
    return f", with no margin: a plan leaves {shown(margin, 'share')} free, and so counts fewer" if margin else ""


def _of_total(view: View, at: int) -> str:
    low, high = view.text("cost_low_usd", at), view.text("cost_high_usd", at)
    caveat = cost_caveat(view, at)
    return f"{f'{caveat}: ' if caveat else ''}{cards(view, at)}, {view.text('wall_hours', at)}; range {low} to {high}"


KEY_NOTES: Mapping[str, Callable[[View, int], str]] = {
    "training_hours": lambda view, at: (
        f"for {counted(view.value('training_tokens', at), 'token')} at {view.text('tokens_per_second', at)}"
        + (f"; bound by {view.text('step_limit', at)}" if bound_words(view, at) else "")
    ),
    "tokens_per_second": lambda view, at: (
        f"all GPUs together at full load; {view.text('tokens_per_second_low', at)} to "
        f"{view.text('tokens_per_second_high', at)}"
        if view.workload == "serving"
        else "all GPUs together"
    ),
    "cost_total_usd": _of_total,
    "approval_total_usd": lambda view, at: (
        f"the whole purchase; this use bears {view.text('cost_total_usd', at)} of it: {_of_total(view, at)}"
    ),
    "cost_per_million_tokens_usd": lambda view, at: f"at {view.text('tokens_per_second', at)}",
    "max_concurrent_sequences": lambda view, at: (
        f"of {view.text('context_length', at)} each{_margin(view)}; {view.text('max_num_seqs', at)} planned"
    ),
    "parameters": lambda view, at: view.variants[at].card.title,
}
"""What is said under a key figure."""
