"""The Checks sheet: totals by two routes, figures against their values at build, and whether inputs were changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from memreport.catalogue.constraints import CONSTRAINTS
from memreport.catalogue.fields.rules import Constraint
from memreport.catalogue.names import title_of
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.checks import SUMS
from memreport.figures.constants import TOLERANCE
from memreport.figures.registry import PHASES, shown_in
from memreport.formula.printing import to_excel
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import (
    BYTES_PER_GIB,
    FIRST,
    FROZEN,
    LEEWAY,
    LINE_COLUMN,
    NAME_COLUMN,
    NOT_GIVEN,
    NOTHING,
    STATED_FOR,
    Draft,
)
from memreport.publish.xlsx.common.lines import HERE, Block, Text
from memreport.publish.xlsx.common.titles import CALCULATION, CHECKS, INPUTS
from memreport.publish.xlsx.scenario.calculation import PRICES
from memreport.publish.xlsx.scenario.calculation import TOTAL as PARTS_TOTAL
from memreport.publish.xlsx.scenario.left_open import LeftOpen
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Content, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.marks import FAILS, PASSES, mark_where, mark_words
from memreport.publish.xlsx.sheet.styles import (
    BAD,
    GOOD,
    HEADING,
    LABEL,
    NAME,
    NOTE,
    NOTE_BARE,
    STRONG,
    WORD,
    Style,
    format_of,
    given,
    number,
)
from memreport.report.money.prices import COST_PARTS
from memreport.report.peak.parts import components
from memreport.resolve.rules import CAPACITIES, doubtful_capacity

TITLES = ("Name", "Check", "Unit", "Result", "How")
LIMIT_COLUMNS = ("C", "D")
"""Where the least and the highest number that an input may be stand, beside its value at build."""
CARRIED = "meets_demand"
"""Whether the GPUs carry the demand."""
ALL_WELL = "All checks pass"
"""Keys of `Draft.cells`: number of failed checks, number of inputs that differ from the build."""


@frozen
class Route:
    """One way to a number: a formula with `@` for the column, and its value in each variant."""

    meaning: str
    template: str
    values: tuple[float, ...]


@frozen
class Check:
    """Two routes that must meet within a relative tolerance; not compared where a guard is overridden."""

    name: str
    title: str
    first: Route
    second: Route
    guards: tuple[str, ...] = ()
    tolerance: str = TOLERANCE.name
    at_build_only: bool = False
    lost: bool = False
    """Whether it fails where the first route is less than the second, and not where it is more."""


def write(draft: Draft, sheet: Sheet) -> None:
    """Fill the sheet: summary, results, routes, values at build, inputs at build."""
    draft.set_widths(sheet, draft.count)
    said = "0 passes, 1 fails. Values at build are compared while inputs are as built; these stand below, not printed."
    draft.open(sheet, CHECKS, said)
    checks = [*_sums(draft), *_roofs(draft), *_capacity(draft), *_demand(draft), *_headlines(draft)]
    header = _warnings(draft, sheet, FIRST_ROW + 3) + 1
    flags = len(checks) + 1 + len(_priced(draft)) + len(_rules(draft))
    routes = header + flags + 5
    built = routes + 2 * len(checks) + 2
    _inputs_at_build(draft, sheet, built)
    draft.header(sheet, header, TITLES)
    results = header + 2
    cells = f"{letter(FIRST)}{results}:{letter(draft.last)}{results + flags}"
    _summary(draft, sheet, cells, built)
    _results(_block(draft, sheet, routes), checks, results, built)
    LeftOpen(_block(draft, sheet, built + draft.inputs.last - draft.inputs.header + 2), built).write()
    mark_words(sheet, f"D{results}:D{results + flags}")
    mark_where(sheet, cells, f"{letter(FIRST)}{results}<>0", BAD)
    draft.close(sheet, built - 1, draft.last)
    sheet.keep_header(header, letter(FROZEN))


def _block(draft: Draft, sheet: Sheet, row: int) -> Block:
    """Lines of all variants from a row on, which read nothing of their own."""
    return Block(draft, sheet, row, range(draft.count), str, lambda _: None)


def _results(block: Block, checks: Sequence[Check], first: int, built: int) -> None:
    """The routes of each check, and above them from row `first` on what came of it, and of rules."""
    block.heading("Routes")
    for check in checks:
        for letter_, route in (("A", check.first), ("B", check.second)):
            _route(block, Text(f"{check.name} {letter_}", f"{check.title}: {route.meaning}"), route)
    block.row = first - 1
    block.heading("Results")
    for check in checks:
        _result(block, check)
    _errors(block)
    _ranges(block, built)
    _prices(block)
    _kept_rules(block)


def _route(block: Block, text: Text, route: Route) -> None:
    """One route; a value at build is a constant, so that nothing typed elsewhere can move it."""
    shown_as = format_of("", route.values)
    if route.template:
        block.put(text, route.template, list(route.values), shown_as)
        return
    block.sheet.row(block.row, 1, [text.name, text.meaning, None, None, None], NAME)
    for index, value in enumerate(route.values):
        block.sheet.put(block.row, FIRST + index, value, given(shown_as))
    block.rows[text.name] = block.row
    block.row += 1


def _summary(draft: Draft, sheet: Sheet, flags: str, built: int) -> None:
    """Failed checks, changed inputs, and both in words."""
    row = FIRST_ROW
    draft.cells.master_check, draft.cells.changed_inputs = sheet.address(row, FIRST), sheet.address(row + 1, FIRST)
    for offset, title, content in (
        (0, "Checks that fail", Formula(f"SUM({flags})", 0.0)),
        (1, "Inputs that differ from the build", Formula(_differing(draft, sheet, built), 0.0)),
        (2, "In words", Formula(f'IF({draft.cells.master_check}=0,"{ALL_WELL}","CHECKS FAIL")', ALL_WELL)),
    ):
        sheet.put(row + offset, LINE_COLUMN, title, STRONG)
        sheet.put(row + offset, FIRST, content, number("0", bold=True) if offset < 2 else WORD)
    for sign, look in (("=", GOOD), ("<>", BAD)):
        mark_where(sheet, f"{letter(FIRST)}{row + 2}", f"${letter(FIRST)}${row}{sign}0", look)


def _differing(draft: Draft, sheet: Sheet, built: int) -> str:
    """How many inputs are not as built; a variant that follows the first in both is not counted a second time."""
    inputs, live = draft.inputs, draft.book.sheets[INPUTS]

    def spans(first: int, last: int) -> tuple[str, str]:
        kept_last = built + inputs.last - inputs.header
        return live.span(inputs.header + 1, first, inputs.last, last), sheet.span(built + 1, first, kept_last, last)

    now, then = spans(FIRST, FIRST)
    text = f"SUMPRODUCT(--({now}<>{then}))"
    if draft.count > 1:
        here, kept = spans(FIRST + 1, draft.last)
        text += f"+SUMPRODUCT(({here}<>{kept})*(1-({here}={now})*({kept}={then})))"
    return text


def _warnings(draft: Draft, sheet: Sheet, row: int) -> int:
    """What was doubtful of the inputs when the workbook was built; the row after it."""
    for warning in draft.report.warnings:
        sheet.put(
            row,
            LINE_COLUMN,
            f"Warning at build, not recomputed: {warning.sentence} Source: {warning.source}.",
            NOTE_BARE,
        )
        row += 1
    return row


def _sums(draft: Draft) -> list[Check]:
    """Totals against the sum of their parts."""
    sums = {whole: parts for whole, parts in SUMS.items() if whole in draft.rows}
    checks = [_sum_check(draft, whole, parts) for whole, parts in sums.items()]
    return [*checks, _parts_of_peak(draft), *_bill(draft)]


def _the_figure(draft: Draft, name: str) -> Route:
    return Route("the figure", _calculated(draft, name), _values(draft, name))


def _sum_check(draft: Draft, whole: str, parts: tuple[str, ...]) -> Check:
    terms = "+".join(_anywhere(draft, part) for part in parts)
    added = tuple(fsum(draft.value(part, index) for part in parts) for index in range(draft.count))
    summed = Route("sum of its parts", terms, added)
    return Check(f"{whole} sum", title_of(whole), _the_figure(draft, whole), summed, (whole, *parts))


def _parts_of_peak(draft: Draft) -> Check:
    parts = components(draft.view)
    values = tuple(fsum(part.value(draft.view, index) for part in parts) for index in range(draft.count))
    template = f"{CALCULATION}!{HERE}{draft.rows[PARTS_TOTAL]}*{draft.constants[BYTES_PER_GIB.name]}"
    summed = Route("sum of its parts at the worst instant", template, values)
    return Check("peak parts", "Peak memory", _the_figure(draft, "peak_bytes"), summed)


def _bill(draft: Draft) -> Iterator[Check]:
    """The bill against the total cost, and its shares; nothing where there is none."""
    if not draft.cells.cost_total_row:
        return
    total = f"SUM(Cost!{HERE}{draft.cells.cost_total_row})"
    bill = tuple(fsum(draft.value(part, index) for part in COST_PARTS) for index in range(draft.count))
    summed = Route("the bill on Cost", total, bill)
    yield Check("bill", "Total cost", _the_figure(draft, "cost_total_usd"), summed, ("cost_total_usd", "subtotal_usd"))
    shares = tuple(1.0 if usd > 0 else 0.0 for usd in bill)
    whole = Route("100 % where anything is paid", f"IF({total}>0,1,0)", shares)
    parts = Route("sum of all shares on Cost", f"Cost!{HERE}{draft.cells.cost_shares_row}", shares)
    yield Check("cost shares", "Shares of the cost", whole, parts)


def _roofs(draft: Draft) -> list[Check]:
    """Shares of a phase's time, in the variant that Roofline shows."""
    ones = tuple([1.0] * draft.count)
    return [
        Check(
            f"shares {phase.id}",
            f"Shares of the {phase.title} on Roofline",
            Route("100 %", "1", ones),
            Route("sum of all shares", draft.cells.kernel_shares[phase.id], ones),
        )
        for phase in PHASES[draft.view.workload]
    ]


def _capacity(draft: Draft) -> list[Check]:
    """None where a variant's own GPU is further apart: that is warned of, and no mistake of the workbook."""
    gpus = draft.view.resolved.catalogue.tables["accelerators"]
    used = {case.settings["accelerator"] for case in draft.view.variants}
    if any(name not in draft.rows for name in CAPACITIES) or any(doubtful_capacity(gpus, gpu) for gpu in used):
        return []
    first, second = (Route(name, _calculated(draft, name), _values(draft, name)) for name in CAPACITIES)
    title = "Capacity that the driver reports against the marketed one"
    return [Check("capacity", title, first, second, CAPACITIES[:1], LEEWAY.name)]


def _demand(draft: Draft) -> Iterator[Check]:
    """A demand that was carried at build is carried with the inputs as they are."""
    if draft.view.scenario.demand is not None and CARRIED in draft.rows:
        values = _values(draft, CARRIED)
        here = Route("carried here", _calculated(draft, CARRIED), values)
        yield Check("demand", "The demand", here, Route("carried where it was at build", "", values), lost=True)


def _headlines(draft: Draft) -> list[Check]:
    """The published figures against what the engine computed when the workbook was built."""
    found = []
    for name in shown_in("main", draft.view.workload):
        if name in draft.rows:
            values = _values(draft, name)
            live = Route("here", _calculated(draft, name), values)
            found.append(Check(name, title_of(name), live, Route("value at build", "", values), at_build_only=True))
    return found


def _result(block: Block, check: Check) -> None:
    """1 where the routes part."""
    draft = block.draft
    a, b = (f"{HERE}{block.rows[f'{check.name} {route}']}" for route in "AB")
    parted = f"{b}-{a}" if check.lost else f"ABS({a}-{b})"
    template = f"({parted}>{draft.constants[check.tolerance]}*MAX(ABS({a}),1))"
    guards = [
        f"{INPUTS}!{HERE}{draft.inputs.overrides[name]}" for name in check.guards if name in draft.inputs.overrides
    ]
    template += f"*(COUNT({','.join(guards)})=0)" if guards else "*1"
    template += f"*({draft.cells.changed_inputs}=0)" if check.at_build_only else ""
    how = "while inputs are as built" if check.at_build_only else f"route A against route B, within {check.tolerance}"
    met = "equals the value at build" if check.at_build_only else check.second.meaning
    _flag(block, check.name, f"{check.title}: {met}", how, template)


def _flag(block: Block, name: str, title: str, how: str, template: str) -> None:
    row = block.row
    block.draft.flags[row] = f"{name} ({title})"
    block.put(Text(f"{name} fails", title, "", "", how), template, [0.0] * len(block.cases), "0")
    span = f"{letter(FIRST)}{row}:{letter(block.last_column)}{row}"
    block.sheet.put(row, 4, Formula(f'IF(SUM({span})=0,"{PASSES}","{FAILS}")', PASSES), NAME)


def _errors(block: Block) -> None:
    """No line of the calculation may be an error."""
    last = max(block.draft.rows.values())
    template = f"IF(ISERROR(SUM({CALCULATION}!{HERE}{FIRST_ROW + 1}:{HERE}{last})),1,0)"
    _flag(block, "errors", "No line of Calculation is an error", "sum of all lines", template)


def _ranges(block: Block, built: int) -> None:
    """Every number that is typed lies in the range of its field; what is pasted passes no validation."""
    inputs = block.draft.inputs
    first, last = inputs.header + 1, inputs.last
    low, high = (f"${column}${built + 1}:${column}${built + last - inputs.header}" for column in LIMIT_COLUMNS)
    typed = f"{INPUTS}!{HERE}${first}:{HERE}${last}"
    within = f"({typed}>={low})*({typed}<={high})"  # words are more than any number
    template = f'SUMPRODUCT(({low}<>"")*({typed}<>"")*({typed}<>"{NOT_GIVEN}")*(1-{within}))'
    _flag(block, "ranges", "Every number of Inputs lies in its range", "limits below, beside the inputs", template)


def _prices(block: Block) -> None:
    """A price must be that of the GPU, where it is on the bill or stated at all."""
    draft = block.draft
    for name, billed in _priced(draft).items():
        of, used = (f"{CALCULATION}!{HERE}{draft.rows[each]}" for each in (f"{name} (GPU)", billed))
        accelerator = f"{INPUTS}!{HERE}{draft.inputs.rows['accelerator']}"
        own = _own_price(draft, name, accelerator)
        template = f'IF(({of}<>{accelerator})*(({of}<>"{NOTHING}")+{used})*(1-{own})>0,1,0)'
        meaning = draft.view.fields[name].meaning
        _flag(block, name, f"The {meaning} is that of the GPU", "the price book's GPU", template)


def _own_price(draft: Draft, choice: str, accelerator: str) -> str:
    """1 where a price is typed that was quoted for the column's GPU."""
    column = OWN_PRICES[list(PRICES).index(choice)]
    row, quoted = draft.inputs.overrides.get(column), draft.inputs.rows.get(STATED_FOR.format(column))
    return f"(COUNT({INPUTS}!{HERE}{row})=1)*({INPUTS}!{HERE}{quoted}={accelerator})" if row and quoted else "0"


def _priced(draft: Draft) -> dict[str, str]:
    return {name: billed for name, billed in PRICES.items() if f"{name} (GPU)" in draft.rows}


def _kept_rules(block: Block) -> None:
    """What a scenario may not say, a workbook may not either."""
    for rank, rule in enumerate(_rules(block.draft), 1):
        template = to_excel(rule.expression, lambda name: _anywhere(block.draft, name))
        _flag(block, f"rule {rank}", f"{rule.field} {rule.message}", "a rule of every scenario", f"1-({template})")


def _rules(draft: Draft) -> list[Constraint]:
    return [rule for rule in CONSTRAINTS if draft.view.workload in rule.workloads]


def _inputs_at_build(draft: Draft, sheet: Sheet, row: int) -> None:
    """Every input as it was when the workbook was built, in the shape of the Inputs sheet."""
    sheet.row(row, NAME_COLUMN, [None, "Inputs at build", *[None] * (draft.last - LINE_COLUMN)], HEADING)
    for (live_row, label, name), contents in draft.built.items():
        here = row + live_row - draft.inputs.header
        sheet.put(here, NAME_COLUMN, name, NAME)
        sheet.put(here, LINE_COLUMN, label, LABEL)
        sheet.put(here, 5, "value at build", NOTE)
        sheet.row(here, 3, list(draft.inputs.limits.get(live_row, ())), NAME)
        for index, content in enumerate(contents):
            sheet.put(here, FIRST + index, content, _look(draft, name, content))


def _look(draft: Draft, name: str, content: Content) -> Style:
    return WORD if isinstance(content, str) else given(format_of(draft.view.unit(name.removesuffix(" (override)"))))


def _values(draft: Draft, name: str) -> tuple[float, ...]:
    return tuple(draft.value(name, index) for index in range(draft.count))


def _calculated(draft: Draft, name: str) -> str:
    return f"{CALCULATION}!{HERE}{draft.rows[name]}"


def _anywhere(draft: Draft, name: str) -> str:
    return _calculated(draft, name) if name in draft.rows else f"{INPUTS}!{HERE}{draft.inputs.rows[name]}"
