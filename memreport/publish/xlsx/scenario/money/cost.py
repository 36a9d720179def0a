"""The Cost sheet: the lines of the bill, their shares, and what a unit costs, one column a variant."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from math import fsum

from memreport.catalogue.names import shown_with_inputs, title_of
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.figures.registry import group
from memreport.publish.xlsx.common.draft import FIRST, FROZEN, IN_WORDS, LINE_COLUMN, Draft
from memreport.publish.xlsx.common.lines import HERE, Block, Text, shown_unit
from memreport.publish.xlsx.common.titles import CALCULATION, COST
from memreport.publish.xlsx.file.cells import Value
from memreport.publish.xlsx.scenario.calculation import BOOK, OWN_QUOTE, PRICES
from memreport.publish.xlsx.sheet.book import FIRST_ROW, FOLDED, Formula, Sheet, letter, runs_of
from memreport.publish.xlsx.sheet.charts import Curve, Frame, stacked
from memreport.publish.xlsx.sheet.marks import mark_where
from memreport.publish.xlsx.sheet.styles import BAD, GOOD, HEADING, LABEL, PERCENT, TEXT_BARE, format_of
from memreport.report.money.bill import bill_lines, never_billed
from memreport.report.money.prices import CANNOT_START, COST_PARTS, DOES_NOT_RUN, NO_PRICE, RUNS

TOTAL, PRICE = "cost_total_usd", IN_WORDS.format("price")
TITLES = ("Name", "Cost", "Unit", "Part of", "Meaning")
CHART_ROWS = 20
LINE_PART = 0.44
"""Part of the words that the short titles of lines take; their meanings are longer."""
BESIDE = 3
"""The column of sentences behind their titles."""
OWNERSHIP = "Buy against rent"
MEANING_COLUMN = 5
RENTED = {True: "(MIN({})=1)", False: "(MAX({})=0)"}
"""That all variants still rent, or still buy, over the cells that say so."""
UNFOLD = "folded lines count now: open them"


def write(draft: Draft, sheet: Sheet) -> None:
    """Fill the sheet."""
    draft.set_widths(sheet, draft.count, line_part=LINE_PART)
    draft.open(sheet, COST, f"Every line of the bill; US dollars for the hours that Inputs states. {FOLDED}")
    draft.header(sheet, FIRST_ROW, TITLES)
    block = Block(draft, sheet, FIRST_ROW + 1, range(draft.count), lambda name: name, lambda _: None)
    _whether_it_runs(block)
    _which_price(block)
    _bill(block)
    printed = block.row - 1
    _shares(block)
    _ownership(block)
    _prices(block)
    _chart(block, block.row + 1)
    draft.close(sheet, printed, draft.last)
    sheet.keep_header(FIRST_ROW, letter(FROZEN))


def _bill(block: Block) -> None:
    """What is billed, the lines that add up to the total, and what follows from it."""
    workload = block.draft.view.workload
    lines = bill_lines(workload)
    _section(block, "What is billed", shown_with_inputs("what is billed", workload), "")
    started = block.row + 1
    _section(block, "Lines of the bill", [name for name in lines if name in COST_PARTS], "total")
    _total(block, started, block.row - 1)
    others = [name for name in lines if name not in COST_PARTS and name != TOTAL]
    _section(block, "Other figures of the bill", others, "")


def _ownership(block: Block) -> None:
    """What buying would cost against renting, or why that is not compared."""
    draft = block.draft
    _section(block, OWNERSHIP, [figure.name for figure in group(draft.view.workload, OWNERSHIP).figures], "")
    if draft.report.money.ownership_note:
        block.heading(OWNERSHIP)
        block.sheet.put(block.row, LINE_COLUMN, draft.report.money.ownership_note, TEXT_BARE)
        block.row += 1


def _whether_it_runs(block: Block) -> None:
    """Whether the costs below are those of a run that can start, by the verdict of each variant."""
    values: list[Value] = [RUNS if block.draft.view.value("fits", index) else DOES_NOT_RUN for index in block.cases]
    text = Text(IN_WORDS.format("fits"), "Does it run?", "", "", f"a variant that {CANNOT_START}")
    template = f'IF({CALCULATION}!{HERE}{block.draft.rows["fits"]}=1,"{RUNS}","{DOES_NOT_RUN}")'
    block.put(text, template, values)
    cells = f"{letter(FIRST)}{block.row - 1}:{letter(block.last_column)}{block.row - 1}"
    mark_where(block.sheet, cells, f'{letter(FIRST)}{block.row - 1}="{RUNS}"', GOOD)
    mark_where(block.sheet, cells, f'{letter(FIRST)}{block.row - 1}<>"{RUNS}"', BAD)


def _which_price(block: Block) -> None:
    """Where the price comes from that is billed, or that there is none of the GPU, so that there is no bill."""
    rows = [block.draft.rows.get(f"{choice} (stands for)") for choice in PRICES]
    if None in rows or "rents" not in block.draft.rows:
        return
    rented, bought = (f"{CALCULATION}!{HERE}{row}" for row in rows)
    view = block.draft.view
    words: list[Value] = [
        OWN_QUOTE if OWN_PRICES[int(view.value("buys", index))] in view.resolved.cases[index].overrides else BOOK
        for index in block.cases
    ]
    text = Text(PRICE, "Which price?", "", "", "of the GPU that is picked")
    block.put(text, f"IF({CALCULATION}!{HERE}{block.draft.rows['rents']}=1,{rented},{bought})", words)
    row = block.rows[PRICE]
    block.draft.cells.which_price = block.sheet.span(row, FIRST, row, block.last_column)


def _where_priced(block: Block, amount: str) -> str:
    """An amount of money, or that there is no price: 0 would read as free."""
    row = block.rows.get(PRICE)
    return f'IF({HERE}{row}="{NO_PRICE}","{NO_PRICE}",{amount})' if row else amount


def _section(block: Block, title: str, names: Sequence[str], part_of: str) -> None:
    view = block.draft.view
    known = [name for name in names if name in block.draft.rows]
    if not known:
        return
    heading = block.row
    block.heading(title)
    for name in known:
        unit = view.unit(name)
        text = Text(name, title_of(name), shown_unit(unit), part_of, view.meaning(name))
        values = block.values(name)
        place = f"{CALCULATION}!{HERE}{block.draft.rows[name]}"
        template = _where_priced(block, place) if unit.startswith("USD") else place
        block.put(text, template, values, format_of(unit, [float(value) for value in values]))
    zeros = {block.rows[name] for name in known if name in block.zeros}
    never, rented = never_billed(view)
    _fold(block, heading, zeros, {block.rows[name] for name in known if name in never}, rented=rented)


def _fold(
    block: Block, heading: int, zeros: AbstractSet[int], never: AbstractSet[int] = frozenset(), *, rented: bool = True
) -> None:
    """Lines that are zero in every variant, or never billed, are folded; the heading says so as long as it is true."""
    rows = sorted(zeros | never)
    if not rows:
        return
    sheet, first, last = block.sheet, letter(FIRST), letter(block.last_column)
    sheet.fold_rows(rows)
    kind = " or ".join([*(["of 0"] if zeros else []), *(["not billed"] if never else [])])
    text = f"{len(rows)} lines {kind} are folded" if rows[1:] else f"1 line {kind} is folded"
    ranges = ",".join(f"{first}{run[0]}:{last}{run[-1]}" for run in runs_of(sorted(zeros)))
    basis = f"{CALCULATION}!{first}{block.draft.rows['rents']}:{last}{block.draft.rows['rents']}"
    as_built = [f"(MAX({ranges})=0)"] if zeros else []
    as_built += [RENTED[rented].format(basis)] if never else []
    sheet.put(heading, MEANING_COLUMN, Formula(f'IF({"*".join(as_built)},"{text}","{UNFOLD}")', text), HEADING)
    mark_where(sheet, f"{letter(MEANING_COLUMN)}{heading}", f'${letter(MEANING_COLUMN)}{heading}="{UNFOLD}"', BAD)


def _total(block: Block, first: int, last: int) -> None:
    """The total of the lines above, which Checks compares with the engine's."""
    values = block.values(TOTAL)
    text = Text(TOTAL, title_of(TOTAL), "USD", "", "sum of the lines above")
    parts = [block.values(name) for name in COST_PARTS if name in block.rows]
    summed: list[Value] = [fsum(float(part[index]) for part in parts) for index in range(len(values))]
    template = _where_priced(block, f"SUM({HERE}{first}:{HERE}{last})")
    block.put(text, template, summed, format_of("USD"), bold=True)


def _prices(block: Block) -> None:
    """Which prices are billed at build, where and when they were read, and every warning about them."""
    report = block.draft.report
    block.heading("Prices at build")
    offers = [
        (price.id, f"{price.text}, {price.offer}, {price.date}, confidence {price.confidence}")
        for price in report.money.prices
    ]
    for title, words in (*offers, *(("Attention", flag.text) for flag in report.money.flags)):
        block.sheet.put(block.row, LINE_COLUMN, title, LABEL)
        block.sheet.put(block.row, BESIDE, words, TEXT_BARE)
        block.row += 1


def _shares(block: Block) -> None:
    """What part of the total each line is."""
    draft = block.draft
    names = [name for name in COST_PARTS if name in block.rows]
    block.heading("Shares of the total")
    start = block.row
    total = block.rows[TOTAL]
    for name in sorted(names, key=lambda each: block.rows[each]):
        values: list[Value] = [_share(draft, name, index) for index in block.cases]
        text = Text(f"share.{name}", title_of(name), "share", "", "line over total")
        share = f"IF({HERE}{total}>0,{HERE}{block.rows[name]}/{HERE}{total},0)"
        block.put(text, _where_priced(block, share), values, PERCENT)
    _fold(block, start - 1, {block.rows[f"share.{name}"] for name in names if f"share.{name}" in block.zeros})
    summed: list[Value] = [fsum(_share(draft, name, index) for name in names) for index in block.cases]
    text = Text("share.total", "All shares", "share", "", "sum")
    block.put(text, f"SUM({HERE}{start}:{HERE}{block.row - 1})", summed, PERCENT, bold=True)
    draft.cells.cost_shares_row = block.rows["share.total"]
    draft.cells.cost_total_row = total


def _share(draft: Draft, name: str, index: int) -> float:
    total = fsum(draft.value(part, index) for part in COST_PARTS if part in draft.rows)
    return draft.value(name, index) / total if total > 0 else 0.0


def _chart(block: Block, row: int) -> None:
    """The bill of every variant, stacked."""
    sheet = block.sheet
    last = block.last_column
    used = [name for name in COST_PARTS if name in block.rows and any(float(value) > 0 for value in block.values(name))]
    parts = [
        Curve(sheet.address(block.rows[name], LINE_COLUMN), sheet.span(block.rows[name], FIRST, block.rows[name], last))
        for name in used
    ]
    sheet.keep_together(row - 1, row + CHART_ROWS)
    described = "Stacked columns, one a variant, of the lines of its bill; the rows above hold the values."
    frame = Frame("Cost by variant", "Variant", "US dollars", described, f"{letter(LINE_COLUMN)}{row}", 26, 10)
    stacked(sheet, frame, sheet.span(FIRST_ROW, FIRST, FIRST_ROW, last), parts, None)
