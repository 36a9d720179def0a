"""The Calculation sheet: every line of the engine as one formula, copied across the variants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from memreport.advise.verdict import JUDGED
from memreport.catalogue.constraints import CONSTRAINTS
from memreport.catalogue.names import title_of
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.figures.registry import GROUPS, PHASES
from memreport.formula.recording import Line
from memreport.publish.xlsx.common.draft import BYTES_PER_GIB, FROZEN, NOTHING, VERDICT, Draft
from memreport.publish.xlsx.common.lines import HERE, PICKED, Block, Text, code_of, read_by
from memreport.publish.xlsx.common.titles import CALCULATION, INPUTS
from memreport.publish.xlsx.file.cells import Value
from memreport.publish.xlsx.sheet.book import FIRST_ROW, FOLDED, Sheet, letter
from memreport.publish.xlsx.sheet.styles import GIBIBYTES
from memreport.report.money.prices import NO_PRICE
from memreport.report.peak.parts import possible_components
from memreport.report.verdicts import word_of
from memreport.report.view import View

ZEROS = f"What is looked up, and lines that are zero in every variant at build, are folded. {FOLDED}"
PRINTED = "Printed are the parts of the peak and the verdict."
TITLES = ("Name", "Line", "Unit", "Basis", "Source")
SHOWN_ON_ROOFLINE = ("intensity", "intensity_loads", "attainable_flop_per_second", "bound", "share_of_step")
"""Families of kernel lines that the Roofline sheet computes for the variant it shows."""
TOTAL = "part.total"
IN_GIBIBYTES = ("peak_bytes_low", "peak_bytes_high", "usable_bytes", "headroom_bytes")
"""Main figures of memory that stand below the parts in the unit in which people read them."""
OWN_QUOTE, BOOK, LOWEST = "own quote", "price book", "lowest of this GPU"
PRICES = {"price": "rents", "purchase_price": "buys"}
"""Choices of a price, each with the input that says whether it is on the bill."""


def write(draft: Draft, sheet: Sheet) -> None:
    """Fill the sheet and note where each line stands."""
    draft.set_widths(sheet, draft.count)
    draft.open(sheet, CALCULATION, f"One line a figure, one formula a line. {PRINTED} {ZEROS}")
    draft.header(sheet, FIRST_ROW, TITLES)
    block = _block(draft, sheet)
    draft.rows = block.rows
    block.heading("Looked up")
    first = block.row
    block.choices(looked_up(draft))
    _prices(block)
    computed = block.row
    block.figures(_groups(draft))
    printed = block.row
    _parts(block)
    _verdicts(block)
    zeros = {row for name, row in block.zeros.items() if name not in JUDGED}
    sheet.fold_rows(sorted(zeros | {*range(first, computed)}))
    draft.close(sheet, block.row - 1, draft.last, printed)
    sheet.keep_header(FIRST_ROW, letter(FROZEN))


def _block(draft: Draft, sheet: Sheet) -> Block:
    """Lines of all variants that read the inputs, and the overrides that are typed there."""
    inputs = draft.inputs
    return Block(
        draft,
        sheet,
        FIRST_ROW + 1,
        range(draft.count),
        lambda name: f"{INPUTS}!{HERE}{inputs.rows[name]}",
        lambda name: f"{INPUTS}!{HERE}{inputs.overrides[name]}" if name in inputs.overrides else None,
    )


def _prices(block: Block) -> None:
    """Of which GPU each picked price is; Checks compares it with the GPU that is picked."""
    view = block.draft.view
    for name in PRICES:
        if code_of(name) in block.rows:
            table = view.table_of(name)
            place = block.draft.tables[table.name].texts["accelerator"]
            of = table.texts["accelerator"]
            codes = [int(float(code)) for code in block.picked(view.resolved.codes[name])]
            text = Text(f"{name} (GPU)", f"GPU of the {view.fields[name].meaning}", "", "looked up", table.title)
            block.put(text, f"INDEX({place},{block.cell(code_of(name))})", [of[code - 1] or NOTHING for code in codes])
            _stands_for(block, name, [of[code - 1] for code in codes])


def _stands_for(block: Block, name: str, of: Sequence[str]) -> None:
    """In words, where a price comes from: typed for the GPU, the price book's of it, or no price."""
    view, column = block.draft.view, OWN_PRICES[list(PRICES).index(name)]
    if column not in block.rows:
        return
    cases = [view.resolved.cases[index] for index in block.cases]
    words: list[Value] = [
        OWN_QUOTE if column in case.overrides else BOOK if gpu == case.settings["accelerator"] else NO_PRICE
        for case, gpu in zip(cases, of, strict=True)
    ]
    of_gpu = f"({block.cell(f'{name} (GPU)')}={block.cell('accelerator')})"
    picked = f"({block.cell(code_of(name))}={block.cell(PICKED.format(name))})"
    book = f'CHOOSE(1+{of_gpu}*(1+{picked}),"{NO_PRICE}","{LOWEST}","{BOOK}")'
    place = block.override(column)
    template = f'IF({block.replaces(column, place)},"{OWN_QUOTE}",{book})' if place else book
    block.put(Text(f"{name} (stands for)", f"which {view.fields[name].meaning} this is"), template, words)


def looked_up(draft: Draft) -> dict[str, None]:
    """Looked-up inputs that a line or rule reads or a row of Inputs may replace, where their choice has a row there."""
    view, inputs = draft.view, draft.inputs
    ruled = (name for rule in CONSTRAINTS if view.workload in rule.workloads for name in rule.reads)
    names = read_by(view.computed.lines) | dict.fromkeys([*inputs.overrides, "marketed_capacity_bytes", *ruled])
    return {name: None for name in names if name in view.attributes and view.attributes[name][0].name in inputs.rows}


def _groups(draft: Draft) -> list[tuple[str, list[Line]]]:
    """The registry's groups, then each phase's kernels, then the whole of the phase."""
    view = draft.view
    left = {line.name: line for line in view.computed.lines if not _shown_elsewhere(draft, line)}
    found: list[tuple[str, list[Line]]] = []
    for group in GROUPS[view.workload]:
        members = [left.pop(figure.name) for figure in group.figures if figure.name in left]
        found += [(group.title, members)] if members else []
    for phase in PHASES[view.workload]:
        names = [
            name for kernel in phase.kernels for name in _names_of(kernel.id, [line.name for line in kernel.own], left)
        ]
        found.append((f"Kernels of the {phase.title}", [left.pop(name) for name in dict.fromkeys(names)]))
    return [*found, ("Rooflines as a whole", list(left.values()))]


def _names_of(kernel: str, own: Sequence[str], left: dict[str, Line]) -> Iterator[str]:
    return (name for name in left if name in own or name.endswith(f".{kernel}"))


def _shown_elsewhere(draft: Draft, line: Line) -> bool:
    family, _, member = line.name.partition(".")
    kernels = {kernel.id for phase in PHASES[draft.view.workload] for kernel in phase.kernels}
    return family in SHOWN_ON_ROOFLINE and member in kernels and line.name not in draft.inputs.overrides


def _parts(block: Block) -> None:
    """The peak in parts that add up to it, by the instant at which it occurs."""
    block.heading("The peak in parts")
    view = block.draft.view
    parts = possible_components(view)
    gib = block.draft.constants[BYTES_PER_GIB.name]
    for part in parts:
        values: list[Value] = [part.value(view, index) / BYTES_PER_GIB for index in block.cases]
        text = Text(f"part.{part.id}", part.title, "GiB", "exact", "the figure above")
        block.put(text, f"{block.cell(part.figure)}/{gib}", values, GIBIBYTES)
    first, last = block.rows[f"part.{parts[0].id}"], block.rows[f"part.{parts[-1].id}"]
    summed: list[Value] = [fsum(part.value(view, index) / BYTES_PER_GIB for part in parts) for index in block.cases]
    text = Text(TOTAL, "All parts", "GiB", "exact", "sum")
    block.put(text, f"SUM({HERE}{first}:{HERE}{last})", summed, GIBIBYTES, bold=True)
    for name in IN_GIBIBYTES:
        values = [float(value) / BYTES_PER_GIB for value in block.values(name)]
        text = Text(f"{name} in GiB", title_of(name), "GiB", "exact", "the figure above")
        block.put(text, f"{block.cell(name)}/{gib}", values, GIBIBYTES)


def _verdicts(block: Block) -> None:
    """The verdict as a number and in words."""
    block.heading("Verdict")
    view: View = block.draft.view
    words = [word_of(view, index) for index in block.cases]
    block.verdict(words)
    template = f"INDEX({block.draft.words[VERDICT]},{block.cell(VERDICT)})"
    block.put_words(VERDICT, template, list(words))
