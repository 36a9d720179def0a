"""Quotes side by side, on the sheet Cost: as budgeted, one that is typed, and those of files; terms may be typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memreport.advise.comparisons.quotes import BUDGETED, TERMS, budgeted_inputs, scenario_inputs
from memreport.catalogue.quotes.fields import LONGEST_TERM
from memreport.figures.money.quotes import QUOTE_FIGURES
from memreport.formula.printing import to_excel
from memreport.formula.recording import Figure, recorded
from memreport.publish.xlsx.common.draft import FIRST, LINE_COLUMN, NO_COST, ONE_UNIT, Draft
from memreport.publish.xlsx.common.lines import Block
from memreport.publish.xlsx.sheet.book import Formula, letter
from memreport.publish.xlsx.sheet.styles import HEADER_NUMBER, LABEL, NAME, NOTE, WORD, format_of, number, typed
from memreport.publish.xlsx.sheet.validation import apply_validation, number_rule, switch_rule
from memreport.report.money.quotes import SWITCHES
from memreport.report.records.quotes import QuotesShown

TITLE = "Quotes side by side"
BUDGET, TYPED = "As budgeted", "Typed here"
TERM_SHOWN = "#,##0.00##"
TOTAL = "quote_total_usd"
LESS = "Less than budgeted"
MOST_COLUMNS = 8
"""Quotes of files that stand side by side; the cheapest first."""


@dataclass(frozen=True)
class QuoteColumn:
    """One column of the table: its heads, the variant that it is for, its terms, and whether these may be typed."""

    vendor: str
    about: str
    at: int
    terms: Mapping[str, float]
    figures: Mapping[str, float]
    follows: bool = False


@dataclass(frozen=True)
class QuoteTable:
    """Where the rows of the table stand."""

    draft: Draft
    row: int

    @property
    def is_known(self) -> bool:
        """Whether this workbook has every number that a quote is counted with."""
        names = {*scenario_inputs(), *budgeted_inputs()}
        return all(name in self.draft.rows or name in self.draft.inputs.rows for name in names)

    def row_of(self, name: str) -> int:
        """The row of a term or a figure."""
        return self.row + 2 + [*TERMS, *(figure.name for figure in QUOTE_FIGURES)].index(name)

    def cell(self, name: str, column: str, index: int) -> str:
        """Where a term, a figure of the quote, a constant, or a line or input of the variant stands."""
        if name in TERMS or any(name == figure.name for figure in QUOTE_FIGURES):
            return f"{column}{self.row_of(name)}"
        draft = self.draft
        if name in draft.constants:
            return draft.constants[name]
        sheet, row = ("Calculation", draft.rows[name]) if name in draft.rows else ("Inputs", draft.inputs.rows[name])
        return f"{sheet}!${letter(FIRST + index)}${row}"


def write_quotes(block: Block, variant: str) -> int:
    """The table of one variant; nothing where no price is billed, or a number of it is not in the workbook.

    Returns its last column, 0 where there is none.
    """
    draft, table = block.draft, QuoteTable(block.draft, block.row + 1)
    index = draft.view.column_of(variant)
    if draft.report.money.quotes is None or not table.is_known:
        return 0
    block.heading(f"{TITLE}: {variant}")
    _titles(block, table)
    columns = _columns(draft, draft.report.money.quotes, index)
    for place, column in enumerate(columns, FIRST):
        _column(block, table, place, column, draft.report.money.quotes.budget_figures[TOTAL])
    block.row = table.row_of(QUOTE_FIGURES[-1].name) + 2
    return FIRST + len(columns) - 1


def _columns(draft: Draft, quotes: QuotesShown, index: int) -> list[QuoteColumn]:
    """The budget, a quote to type that begins like it, and the quotes of files."""
    budget = quotes.budget_terms, quotes.budget_figures
    names = [case.name for case in draft.view.variants]
    files = [
        QuoteColumn(row.vendor, f"{row.id}, {row.state}", names.index(row.variant), row.terms, row.figures)
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
    sheet.put(table.row + 1, LINE_COLUMN, "Which", LABEL)
    for name, (title, unit) in TERMS.items():
        for column, text, style in ((LINE_COLUMN, title, LABEL), (3, unit, NAME)):
            sheet.put(table.row_of(name), column, text, style)
    for figure in QUOTE_FIGURES:
        texts = (LINE_COLUMN, figure.title, LABEL), (3, _unit(figure), NAME), (5, figure.meaning, NOTE)
        for column, text, style in texts:
            sheet.put(table.row_of(figure.name), column, text, style)
    sheet.put(table.row_of(QUOTE_FIGURES[-1].name) + 1, LINE_COLUMN, LESS, LABEL)


def _unit(figure: Figure) -> str:
    return "share" if figure.name.endswith("share") else str(figure.unit)


def _column(block: Block, table: QuoteTable, place: int, quote_column: QuoteColumn, budget_total: float) -> None:
    """Terms, then what follows from them, then what it spares of the budget."""
    sheet, here = block.sheet, letter(place)
    sheet.put(table.row, place, quote_column.vendor, HEADER_NUMBER)
    sheet.put(table.row + 1, place, quote_column.about, WORD)
    _terms(block, table, place, quote_column)
    for each in QUOTE_FIGURES:
        formula = to_excel(each.expression, lambda name: table.cell(name, here, quote_column.at))
        shown = number(format_of(_unit(each), [quote_column.figures[each.name]]), bold=each.name == TOTAL)
        sheet.put(table.row_of(each.name), place, Formula(formula, quote_column.figures[each.name]), shown)
    total, budget = (f"{column}{table.row_of(TOTAL)}" for column in (here, f"${letter(FIRST)}"))
    spared = budget_total - quote_column.figures[TOTAL]
    row = table.row_of(QUOTE_FIGURES[-1].name) + 1
    sheet.put(row, place, Formula(f"{budget}-{total}", spared), number(format_of("USD", [spared])))


def _terms(block: Block, table: QuoteTable, place: int, column: QuoteColumn) -> None:
    sheet, here = block.sheet, letter(place)
    for name, value in column.terms.items():
        row = table.row_of(name)
        if column.follows:
            sheet.put(row, place, Formula(_followed(table, name, here, column), value), number(TERM_SHOWN))
        else:
            sheet.put(row, place, value, typed(TERM_SHOWN))
    if not column.follows:
        _limits(block, table, place)


def _followed(table: QuoteTable, name: str, here: str, column: QuoteColumn) -> str:
    """A term of the budget as a formula; what it has no word for is the number that changes nothing."""
    if name in BUDGETED:
        return to_excel(recorded(BUDGETED[name]), lambda each: table.cell(each, here, column.at))
    return table.draft.constants[(ONE_UNIT if column.terms[name] else NO_COST).name]


def _limits(block: Block, table: QuoteTable, place: int) -> None:
    """What may be typed."""
    for name, (title, _) in TERMS.items():
        cells = [(place, table.row_of(name))]
        if name in SWITCHES:
            apply_validation(block.sheet, switch_rule(), cells)
        else:
            highest = float(LONGEST_TERM) if name == "quoted_term_months" else None
            apply_validation(block.sheet, number_rule(0, highest, "decimal", title), cells)
