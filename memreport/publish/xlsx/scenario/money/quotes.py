"""The sheet of quotes side by side: as budgeted, one that is typed, and those of files; terms may be typed."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.advise.comparisons.quotes import BUDGETED, TERMS, budgeted_inputs, scenario_inputs
from memreport.catalogue.names import title_of
from memreport.catalogue.quotes.fields import LONGEST_TERM
from memreport.catalogue.quotes.reading import USD
from memreport.figures.money.quotes import QUOTE_FIGURES
from memreport.formula.printing import to_excel
from memreport.formula.recording import Figure, recorded
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import FIRST, FROZEN, LINE_COLUMN, NAME_COLUMN, NO_COST, ONE_UNIT, Draft
from memreport.publish.xlsx.common.lines import Block, shown_unit
from memreport.publish.xlsx.common.titles import CALCULATION, INPUTS, QUOTES
from memreport.publish.xlsx.sheet.book import FIRST_ROW, FOLDED, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import (
    HEADER,
    HEADER_NUMBER,
    LABEL,
    NAME,
    NOTE,
    TEXT_BARE,
    WORD,
    format_of,
    number,
    typed,
)
from memreport.publish.xlsx.sheet.validation import apply_validation, number_rule, switch_rule
from memreport.report.money.quotes import SWITCHES
from memreport.report.records.money.quotes import QuotesShown

ABOUT = "Variant {}: the budget in the terms of a quote, a quote of your own, and those beside the scenario. {}"
TITLES = ("Name", "Quote", "Unit", "", "Meaning")
LEAST_WIDTH = 16
"""Characters of a column: dates and names of vendors stay whole."""
YES_NO = '[=0]"no";[=1]"yes";General'
NOT_COUNTED = "No quote can be counted, as this workbook lacks a number of it."
BUDGET, TYPED = "As budgeted", "Typed here"
TERM_SHOWN = "#,##0.00##"
TOTAL = "quote_total_usd"
LESS = "Less than budgeted"
READ = tuple(sorted({*scenario_inputs(), *budgeted_inputs()}))
"""What a quote is counted with beside its terms: lines and inputs of the variant that it is for."""
CURRENCY, FOR = "currency", "for which variant"
NAME_OF, PLACE_OF, GPU_OF, IS_OF = "variant", "place of the variant", "GPU of the quote", "is of the variant's GPU"
FOLDED_ROWS = {
    NAME_OF: "Variant as built", PLACE_OF: "Its place among the variants", GPU_OF: "GPU of the quote",
    IS_OF: "Is the variant's GPU? 1 yes",
}  # fmt: skip
WORDS = {CURRENCY: "Currency of the quote", FOR: "For which variant", LESS: LESS, **FOLDED_ROWS}
OTHER_GPU = "none: the quote is of another GPU"
ROWS = (CURRENCY, *TERMS, *(figure.name for figure in QUOTE_FIGURES), LESS, FOR, *FOLDED_ROWS, *READ)
"""The rows of the table, below its two heads."""
MOST_COLUMNS = 8
"""Quotes of files that stand side by side; the cheapest first."""


@frozen
class QuoteColumn:
    """One column of the table: its heads, the variant that it is for, its terms, and whether these may be typed."""

    vendor: str
    about: str
    variant: int
    terms: Mapping[str, float]
    figures: Mapping[str, float]
    follows: bool = False
    currency: str = USD
    accelerator: str = ""
    """Of a quote's file; what is typed is of the GPU that the variant has."""


@frozen
class QuoteTable:
    """Where the rows of the table stand."""

    draft: Draft
    row: int

    @property
    def is_known(self) -> bool:
        """Whether this workbook has every number that a quote is counted with."""
        return all(name in self.draft.rows or name in self.draft.inputs.rows for name in READ)

    def row_of(self, name: str) -> int:
        """The row of a term, a figure, or what is read of the variant."""
        return self.row + 2 + ROWS.index(name)

    def cell(self, name: str, column: str) -> str:
        """Where a term, a figure of the quote, a constant, or what is read of the variant stands."""
        return f"{column}{self.row_of(name)}" if name in ROWS else self.draft.constants[name]

    def where_priced(self, formula: str, column: str) -> str:
        """A formula of a quote, empty where the variant has another GPU than the quote is of."""
        return f'IF({column}{self.row_of(IS_OF)}=1,{formula},"")'

    def line(self, name: str) -> str:
        """A line or an input in all variants; their names where it is none."""
        rows, inputs = self.draft.rows, self.draft.inputs
        row = rows[name] if name in rows else inputs.rows.get(name, inputs.header)
        return self.draft.book.sheets[CALCULATION if name in rows else INPUTS].span(row, FIRST, row, self.draft.last)


def write(draft: Draft, sheet: Sheet) -> None:
    """The table of the variant that the report shows, vendors at the head of each page."""
    draft.open(sheet, QUOTES, ABOUT.format(draft.report.chosen, FOLDED))
    table, quotes = QuoteTable(draft, FIRST_ROW), draft.report.money.quotes
    if quotes is None or not table.is_known:
        sheet.put(FIRST_ROW, LINE_COLUMN, NOT_COUNTED, TEXT_BARE)
        return
    columns = _columns(draft, quotes, draft.view.column_of(draft.report.chosen))
    draft.set_widths(sheet, len(columns))
    for place in range(FIRST, FIRST + len(columns)):
        sheet.width(place, max(sheet.width_of(place), LEAST_WIDTH))
    block = Block(draft, sheet, FIRST_ROW, (), lambda name: name, lambda _: None)
    _titles(block, table)
    for place, column in enumerate(columns, FIRST):
        _column(block, table, place, column, quotes.budget_figures[TOTAL])
    sheet.fold_rows(map(table.row_of, (*FOLDED_ROWS, *READ)))
    draft.close(sheet, table.row_of(FOR), FIRST + len(columns) - 1)
    sheet.keep_header(FIRST_ROW, letter(FROZEN))


def _columns(draft: Draft, quotes: QuotesShown, index: int) -> list[QuoteColumn]:
    """The budget, a quote to type that begins like it, and the quotes of files."""
    budget = quotes.budget_terms, quotes.budget_figures
    names = [case.name for case in draft.view.variants]
    currencies = {quote.given.id: quote.given.currency for quote in draft.view.resolved.loaded.quotes}
    files = [
        QuoteColumn(
            row.vendor,
            f"{row.id}, {row.offer.state}",
            names.index(row.variant),
            row.terms,
            row.figures,
            currency=currencies[row.id],
            accelerator=row.accelerator,
        )
        for row in quotes.rows
        if row.figures
    ]
    return [
        QuoteColumn(BUDGET, "follows the inputs", index, *budget, follows=True),
        QuoteColumn(TYPED, "terms may be typed", index, *budget),
        *files[:MOST_COLUMNS],
    ]


def _titles(block: Block, table: QuoteTable) -> None:
    sheet = block.sheet
    sheet.row(table.row, NAME_COLUMN, list(TITLES), HEADER)
    sheet.put(table.row + 1, LINE_COLUMN, "Which", LABEL)
    for name, (title, unit) in TERMS.items():
        for column, text, style in ((LINE_COLUMN, title, LABEL), (3, unit, NAME)):
            sheet.put(table.row_of(name), column, text, style)
    for figure in QUOTE_FIGURES:
        texts = (LINE_COLUMN, figure.title, LABEL), (3, _unit(figure), NAME), (5, figure.meaning, NOTE)
        for column, text, style in texts:
            sheet.put(table.row_of(figure.name), column, text, style)
    view = block.draft.view
    for name, text in WORDS.items():
        sheet.put(table.row_of(name), LINE_COLUMN, text, LABEL)
    for name in READ:
        sheet.put(table.row_of(name), LINE_COLUMN, title_of(name), LABEL)
        sheet.put(table.row_of(name), 3, shown_unit(view.unit(name)), NAME)


def _unit(figure: Figure) -> str:
    return "share" if figure.name.endswith("share") else str(figure.unit)


def _column(block: Block, table: QuoteTable, place: int, quote_column: QuoteColumn, budget_total: float) -> None:
    """Terms, then what follows from them, then what it spares of the budget."""
    sheet, here = block.sheet, letter(place)
    sheet.put(table.row, place, quote_column.vendor, HEADER_NUMBER)
    sheet.put(table.row + 1, place, quote_column.about, WORD)
    sheet.put(table.row_of(CURRENCY), place, quote_column.currency, WORD)
    _terms(block, table, place, quote_column)
    for each in QUOTE_FIGURES:
        formula = table.where_priced(to_excel(each.expression, lambda name: table.cell(name, here)), here)
        shown = number(format_of(_unit(each), [quote_column.figures[each.name]]), bold=each.name == TOTAL)
        sheet.put(table.row_of(each.name), place, Formula(formula, quote_column.figures[each.name]), shown)
    total, budget = (f"{column}{table.row_of(TOTAL)}" for column in (here, f"${letter(FIRST)}"))
    spared = budget_total - quote_column.figures[TOTAL]
    less = table.where_priced(f"{budget}-{total}", here)
    sheet.put(table.row_of(LESS), place, Formula(less, spared), number(format_of("USD", [spared])))
    _of_variant(block, table, place, quote_column)


def _of_variant(block: Block, table: QuoteTable, place: int, quote_column: QuoteColumn) -> None:
    """What is read of the variant that a quote is for: by its place, so that one formula serves all quotes."""
    sheet, view, variant = block.sheet, block.draft.view, quote_column.variant
    name, of = (f"{letter(place)}{table.row_of(row)}" for row in (NAME_OF, PLACE_OF))
    sheet.put(table.row_of(NAME_OF), place, view.variants[variant].name, WORD)
    found = Formula(f"MATCH({name},{table.line(NAME_OF)},0)", variant + 1)
    sheet.put(table.row_of(PLACE_OF), place, found, number("0"))
    case = view.variants[variant]
    _of_gpu(block, table, place, case.name, quote_column.accelerator or str(case.settings["accelerator"]))
    for line in READ:
        value = view.value(line, variant)
        shown = number(format_of(view.unit(line), [value]))
        sheet.put(table.row_of(line), place, Formula(f"INDEX({table.line(line)},{of})", value), shown)


def _of_gpu(block: Block, table: QuoteTable, place: int, variant: str, accelerator: str) -> None:
    """Whether the variant still has the GPU that the quote is of: no job is priced on another."""
    sheet, draft = block.sheet, block.draft
    name, of, gpu, same = (f"{letter(place)}{table.row_of(row)}" for row in FOLDED_ROWS)
    row = draft.inputs.rows["accelerator"]
    now = f"INDEX({draft.book.sheets[INPUTS].span(row, FIRST, row, draft.last)},{of})"
    is_of_file = place >= FIRST + len((BUDGET, TYPED))
    sheet.put(table.row_of(GPU_OF), place, accelerator if is_of_file else Formula(now, accelerator), WORD)
    sheet.put(table.row_of(IS_OF), place, Formula(f"IF({gpu}={now},1,0)", 1.0), number("0"))
    said = Formula(f'IF({same}=1,{name},"{OTHER_GPU}")', variant)
    sheet.put(table.row_of(FOR), place, said, WORD)


def _terms(block: Block, table: QuoteTable, place: int, column: QuoteColumn) -> None:
    sheet, here = block.sheet, letter(place)
    for name, value in column.terms.items():
        row, said = table.row_of(name), YES_NO if name in SWITCHES else TERM_SHOWN
        if column.follows:
            sheet.put(row, place, Formula(_followed(table, name, here, value), value), number(said))
        else:
            sheet.put(row, place, value, typed(said))
    if not column.follows:
        _limits(block, table, place)


def _followed(table: QuoteTable, name: str, here: str, value: float) -> str:
    """A term of the budget as a formula; what it has no word for is the number that changes nothing."""
    if name in BUDGETED:
        return to_excel(recorded(BUDGETED[name]), lambda each: table.cell(each, here))
    return table.draft.constants[(ONE_UNIT if value else NO_COST).name]


def _limits(block: Block, table: QuoteTable, place: int) -> None:
    """What may be typed."""
    for name, (title, _) in TERMS.items():
        cells = [(place, table.row_of(name))]
        if name in SWITCHES:
            apply_validation(block.sheet, switch_rule(), cells)
        else:
            highest = float(LONGEST_TERM) if name == "quoted_term_months" else None
            apply_validation(block.sheet, number_rule(0, highest, "decimal", title), cells)
