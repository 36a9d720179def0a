"""What the Summary says of money where inputs were changed: the bill, what it is billed at, whether buying pays."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memreport.catalogue.records import BILLED
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.figures.beside import idle_rent_usd
from memreport.figures.constants import MONTHS_PER_YEAR
from memreport.formula.printing import to_excel
from memreport.publish.xlsx.common.draft import FIRST, HUNDRED, NOT_GIVEN, STATED_FOR
from memreport.publish.xlsx.common.lines import code_of
from memreport.publish.xlsx.common.titles import INPUTS
from memreport.publish.xlsx.scenario.calculation import LOWEST
from memreport.publish.xlsx.scenario.front.amounts import TOTAL_COST, Picked
from memreport.publish.xlsx.scenario.front.said import NOTHING, fixed, quoted, said, where_number
from memreport.publish.xlsx.sheet.book import Formula
from memreport.report.money.rent_or_buy import NEVER_PAYS, can_be_compared, held_words, months_of, prices_words

Piece = tuple[str, Formula]
Kept = Callable[[str, Formula], Formula]
"""Writes what a piece is made of into a row of its own, under its title; gives where it stands."""
OF_RENT = ("rented_accelerators", "instance_accelerators", "accelerators")


def cost_said(picked: Picked, cost: Formula, kept: Kept) -> Iterator[Piece]:
    """The bill of a run or a service, or the purchase with what this use bears of it; at which price."""
    view = picked.draft.view
    amount = said("$", picked.in_words(cost))
    if view.buys(picked.column):
        used = said("; this use costs $", picked.in_words(picked.line(TOTAL_COST)), ". ")
        yield "its purchase", where_number(cost, "The hardware is bought for ", amount)
        yield "its use", where_number(cost, used)
    else:
        title = said(fixed(picked.line("hours")), " h cost ") if view.workload == "serving" else "Cost "
        ends = (said("$", picked.in_words(picked.cost(end))) for end in (1, 2))
        yield "its cost", where_number(cost, title, amount)
        yield "low end", where_number(cost, " (", next(ends))
        yield "high end", where_number(cost, " to ", next(ends), "). ")
        yield from _whole_instances(picked, cost, kept)
    yield from _at_which_price(picked)


def _whole_instances(picked: Picked, cost: Formula, kept: Kept) -> Iterator[Piece]:
    """What is rented beside the GPUs that the job uses, since clouds rent whole instances."""
    if not all(map(picked.has, OF_RENT)):
        return
    rented, held, used = (kept(name, picked.line(name)) for name in OF_RENT)
    rest = Formula(f"{rented.text}-{used.text}", float(rented.value) - float(used.value))
    known = {"rented": rented, "accelerators": used}
    read = {name: known.get(name) or kept(name, picked.line(name)) for name in idle_rent_usd.inputs}
    constants = picked.draft.constants
    idle = to_excel(idle_rent_usd.expression, lambda name: read[name].text if name in read else constants[name])
    whole = float(read["whole_cost_usd"].value) + picked.draft.view.beside("idle_rent_usd", picked.column)
    bill = kept("whole instances", Formula(f"{read['whole_cost_usd'].text}+{idle}", whole))
    amount = kept("their cost", said("$", picked.in_words(bill)))
    words = said("Rented ", fixed(held), " at a time: ", amount, " unless other jobs use the other ", fixed(rest), ". ")
    said_here = float(rest.value) > 0 and not isinstance(cost.value, str)
    text = f"IF(({rest.text}>0)*COUNT({cost.text})=1,{words.text},{NOTHING.text})"
    yield "its instances", Formula(text, words.value if said_here else "")


def price_of_another(picked: Picked, kept: Kept) -> Iterator[Piece]:
    """That a price is typed which is of another GPU than the one that is picked, and so is not counted."""
    draft, inputs = picked.draft, picked.draft.inputs
    name = OWN_PRICES[int(draft.view.buys(picked.column))]
    typed, stated = inputs.overrides.get(name), STATED_FOR.format(name)
    if not typed or stated not in inputs.rows:
        return
    case = draft.view.variants[picked.column]
    gpu = case.settings["accelerator"]
    cells = (
        ("price typed", typed, case.overrides.get(name, NOT_GIVEN)),
        ("its GPU", inputs.rows[stated], gpu),
        ("the GPU", inputs.rows["accelerator"], gpu),
    )
    own, of, now = (kept(title, Formula(_typed(picked, row), value)) for title, row, value in cells)
    words = said("The price on Inputs is of ", of, ": not counted. ")
    yield (
        "price of another",
        Formula(f"IF(COUNT({own.text})*({of.text}<>{now.text})>0,{words.text},{NOTHING.text})", ""),
    )


def _typed(picked: Picked, row: int) -> str:
    """What is typed in a row of Inputs for the variant."""
    draft = picked.draft
    return f"INDEX({draft.book.sheets[INPUTS].span(row, FIRST, row, draft.last)},{picked.place})"


def _at_which_price(picked: Picked) -> Iterator[Piece]:
    """That no price of the GPU is picked, and which one is billed instead."""
    draft, which = picked.draft, picked.draft.cells.which_price
    basis = "buy" if draft.view.buys(picked.column) else "rent"
    name, table = BILLED[basis]
    if not which or code_of(name) not in draft.rows:
        return
    billed = f"INDEX({draft.tables[table].ids},{picked.line_text(code_of(name))})"
    words = said(f"Billed at {_which_lowest(picked, basis)}: ", Formula(billed, ""), ". ")
    yield "its price", Formula(f"IF(INDEX({which},{picked.place})={quoted(LOWEST)},{words.text},{NOTHING.text})", "")


def _which_lowest(picked: Picked, basis: str) -> str:
    """Among which prices the one is lowest that is billed where nobody states one: see memreport/resolve/usual.py."""
    search = picked.draft.view.scenario.search
    if basis == "buy":
        return "the lowest purchase price of this GPU"
    if search and (search.price_tier or search.price_term or search.price_provider):
        return "the lowest price of this GPU at the stated provider or tier, on the stated term"
    return "the lowest on-demand price of this GPU at large clouds, elsewhere only where these have none"


def rent_or_buy_said(picked: Picked, kept: Kept) -> Iterator[Piece]:
    """Whether buying is cheaper, from when, at which use, and from which use it pays."""
    view, index = picked.draft.view, picked.column
    if not can_be_compared(view):
        return
    if whose := prices_words(view):
        yield "whose prices", Formula(quoted(whose), whose)
    months, hundred = picked.draft.constants[MONTHS_PER_YEAR.name], picked.draft.constants[HUNDRED.name]
    cross, years = picked.line("break_even_months"), picked.line("comparison_years")
    end = Formula(f"{years.text}*{months}", months_of(view, index)[-1])
    yield "rent or buy", _either(kept("crossing", cross), kept("horizon", end))
    use = picked.line("comparison_use")
    percent = Formula(f"{use.text}*{hundred}", float(use.value) * float(HUNDRED))
    yield "in use", said(", in use ", fixed(percent), " % of the hours; ")
    yield "pays", _pays(kept("pays", picked.line("break_even_utilisation")), hundred)
    yield "hosts", _hosts(picked, hundred)


def _hosts(picked: Picked, hundred: str) -> Formula:
    """What the purchase holds beside the GPUs: what is counted on top, else what its price held when this was built."""
    share = picked.line("adder_share")
    percent = Formula(f"{share.text}*{hundred}", float(share.value) * float(HUNDRED))
    counted = said("The purchase counts hosts and their network as ", fixed(percent, 1), " % on top of the GPUs. ")
    held = f"The purchase {held_words(picked.draft.view, picked.column)}. "
    value = counted.value if float(share.value) > 0 else held
    return Formula(f"IF({share.text}>0,{counted.text},{quoted(held)})", value)


def _either(cross: Formula, end: Formula) -> Formula:
    buy = said("Buy: buying is cheaper from month ", fixed(cross, 1))
    rent = said("Rent: buying does not pay by month ", fixed(end, 1))
    pays = float(cross.value) <= float(end.value)
    return Formula(f"IF({cross.text}<={end.text},{buy.text},{rent.text})", (buy if pays else rent).value)


def _pays(even: Formula, hundred: str) -> Formula:
    percent = Formula(f"{even.text}*{hundred}", float(even.value) * float(HUNDRED))
    some, never = said("it pays from ", fixed(percent, 1), " % of all hours. "), said(f"{NEVER_PAYS}. ")
    return Formula(f"IF({even.text}<=1,{some.text},{never.text})", (some if float(even.value) <= 1 else never).value)
