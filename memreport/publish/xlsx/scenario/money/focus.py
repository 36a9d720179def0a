"""The sheet "FOCUS": the bill in the columns of the FinOps specification, live, for the variant that is picked."""

from __future__ import annotations

from dataclasses import replace

from memreport.catalogue.records import Table
from memreport.frozen import frozen
from memreport.publish.xlsx.common import titles
from memreport.publish.xlsx.common.draft import NO_COST, NOTHING, ONE_UNIT, STATED_FOR, Draft
from memreport.publish.xlsx.common.lines import code_of
from memreport.publish.xlsx.file.cells import Value
from memreport.publish.xlsx.scenario.choice import ROWS, VariantChoice
from memreport.publish.xlsx.scenario.reference import IS_COMMITTED, SOURCE_TEXT
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Content, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.styles import (
    HEADER,
    HEADER_NUMBER,
    LABEL,
    MONEY,
    NAME,
    NOTE,
    NOTE_BARE,
    PERCENT,
    STRONG,
    Style,
    number,
)
from memreport.report.money.focus import (
    AMOUNTS,
    BY_USAGE,
    CHARGES,
    COLUMNS,
    COMMITTED,
    COSTS,
    CURRENCY,
    DYNAMIC,
    HOURS,
    ONE,
    OWN_QUOTE,
    RESERVATION,
    SOURCE,
    SPOT,
    STANDARD,
    ZERO,
    Charge,
    charge_row,
)
from memreport.report.money.prices import CHOICES, RENTAL

SKU = "SkuPriceId"
TEXTS = {
    "ProviderName": "provider",
    "RegionName": "region",
    "PricingCurrency": "currency",
    "x_PriceDate": "date",
    "x_PriceSource": SOURCE_TEXT,
}
"""Columns of a priced row, with the text of the price book that each holds."""

QUANTITY = "CommitmentDiscountQuantity"
SHARE = "x_CostShare"
NUMBERS = (*AMOUNTS, QUANTITY, SHARE)
PADDED, PADDED_HEADER = replace(NOTE, indent=1), replace(HEADER, indent=1)
"""Words beside a column of numbers."""
WIDTHS = (36, 18, 22, 16, 19)
PRINTED = "x_CostShare"
"""The last column that is printed."""
OTHER_WIDTH = 11


def write(draft: Draft, sheet: Sheet) -> None:
    """Fill the sheet: the choice, then a row a charge and a column a column of FOCUS."""
    sheet.widths(*WIDTHS, *(max(0.95 * len(name) + 1, OTHER_WIDTH) for name in COLUMNS[len(WIDTHS) :]))
    said = "The bill for a cost team to copy; effective costs add up to the total on Cost. "
    head(sheet, titles.FOCUS, f"{said}Columns behind {PRINTED} are for programs, and not printed.")
    choice = VariantChoice.of_report(draft, sheet, FIRST_ROW)
    row = FIRST_ROW + ROWS
    words = f"{SOURCE}. What is bought is billed once and depreciated; rows that are nothing stay, so that they live."
    sheet.put(row, 1, words, NOTE_BARE)
    _Bill(choice).write(row + 1)
    last = letter(1 + COLUMNS.index(PRINTED))
    sheet.worksheet.print_area = f"A1:{last}{row + 2 + len(CHARGES)}"
    sheet.worksheet.freeze_panes = f"B{row + 2}"


@frozen
class _Bill:
    """The rows of the bill."""

    choice: VariantChoice

    def write(self, row: int) -> None:
        """Header, charges, sums."""
        for column, name in enumerate(COLUMNS, 1):
            titled = HEADER if column == 1 else PADDED_HEADER
            self.choice.sheet.put(row, column, name, HEADER_NUMBER if name in NUMBERS else titled)
        for rank, charge in enumerate(CHARGES, 1):
            self._charge(row + rank, charge)
        self._sum(row + 1 + len(CHARGES), row + 1)

    def _charge(self, row: int, charge: Charge) -> None:
        values = charge_row(self.choice.draft.view, self.choice.shown, charge)
        for column, name in enumerate(COLUMNS, 1):
            value = values[name]
            content = self._content(charge, name, value, row)
            numeric = name in NUMBERS
            style = number(PERCENT if name == SHARE else MONEY) if numeric else _words(column)
            self.choice.sheet.put(row, column, content, style)

    def _content(self, charge: Charge, name: str, value: Value | None, row: int) -> Content:
        """A cell by formula where the workbook can change it, else as it is."""
        if name in AMOUNTS:
            return self._amount(charge.figure(name))
        if name == SHARE:
            total = self.choice.text("cost_total_usd")
            cost = f"{letter(1 + COLUMNS.index('EffectiveCost'))}{row}"
            return Formula(f"IF({total}>0,{cost}/{total},0)", float(value or 0))
        if name == "x_Variant":
            return Formula(self.choice.name, str(value))
        if charge.price and name in (SKU, *TEXTS):
            return self._of_price(charge, name)
        live = self._live(charge, name, row)
        if name == QUANTITY and live is not None:
            return Formula(live, value or 0.0)
        return value if live is None else Formula(live, NOTHING if value is None else value)

    def _amount(self, figure: str) -> Content:
        """A figure of the engine, or a named number; nothing where FOCUS wants a null."""
        if not figure:
            return None
        if figure in (ZERO, ONE):
            constant = NO_COST if figure == ZERO else ONE_UNIT
            return Formula(self.choice.draft.constants[constant.name], float(constant))
        return Formula(self.choice.text(figure), self.choice.draft.value(figure, self.choice.shown))

    def _live(self, charge: Charge, name: str, row: int) -> str | None:
        """The formula of a text that follows the chosen price; None where nothing changes it."""
        if not charge.status:
            return None
        return (self._commitment(charge, row) | self._reservation(charge)).get(name)

    @property
    def _committed(self) -> str:
        """Whether the hours of the chosen price are paid, used or not."""
        column = self.choice.draft.tables[self.choice.draft.view.fields[RENTAL].table].columns[IS_COMMITTED]
        return f"INDEX({column},{self.choice.text(code_of(RENTAL))})>0"

    def _commitment(self, charge: Charge, row: int) -> dict[str, str]:
        """What a commitment says, where the chosen price is one."""
        committed = self._committed
        sku, quantity = (f"{letter(1 + COLUMNS.index(key))}{row}" for key in (SKU, "PricingQuantity"))
        return {
            "PricingCategory": f'IF({committed},"{COMMITTED}",IF({self._text(charge, "term")}="{SPOT}",'
            f'"{DYNAMIC}","{STANDARD}"))',
            "ChargeFrequency": f'IF({committed},"Recurring","{charge.frequency}")',
            "CommitmentDiscountId": f'IF({committed},{sku},"{NOTHING}")',
            "CommitmentDiscountCategory": f'IF({committed},"{BY_USAGE}","{NOTHING}")',
            "CommitmentDiscountType": f'IF({committed},"{RESERVATION}","{NOTHING}")',
            "CommitmentDiscountStatus": f'IF({committed},"{charge.status}","{NOTHING}")',
            QUANTITY: f"IF({committed},{quantity},0)",
            "CommitmentDiscountUnit": f'IF({committed},"{HOURS}","{NOTHING}")',
        }

    def _reservation(self, charge: Charge) -> dict[str, str]:
        """What a reservation says, where hours are reserved and the chosen price is no commitment."""
        hours = self.choice.typed(self.choice.draft.inputs.rows["reserved_hours"])
        reserved = f"IF({self._committed},0,{hours})>0"
        return {
            "CapacityReservationId": f'IF({reserved},"{self.choice.draft.view.scenario.id}","{NOTHING}")',
            "CapacityReservationStatus": f'IF({reserved},"{charge.status}","{NOTHING}")',
        }

    def _text(self, charge: Charge, word: str) -> str:
        """A word of the price book about the price that is picked; its id where no word is asked for."""
        table = self.choice.draft.tables[self.choice.draft.view.fields[charge.price].table]
        return f"INDEX({table.texts[word] if word else table.ids},{self.choice.text(code_of(charge.price))})"

    def _of_price(self, charge: Charge, name: str) -> Formula:
        """A text of the price that is picked, or that the quote is the scenario's own."""
        view, field = self.choice.draft.view, charge.price
        table, index = view.table_of(field), int(view.resolved.codes[field][self.choice.shown]) - 1
        text, value = self._text(charge, TEXTS.get(name, "")), _word_of(table, TEXTS.get(name, ""), index)
        place = self.choice.draft.inputs.overrides.get(CHOICES[field])
        if place is None:
            return Formula(text, value)
        own = {SKU: OWN_QUOTE, "ProviderName": OWN_QUOTE, "PricingCurrency": CURRENCY}.get(name, NOTHING)
        stated = CHOICES[field] in view.resolved.cases[self.choice.shown].overrides
        return Formula(f'IF({self._is_own(CHOICES[field], place)},"{own}",{text})', own if stated else value)

    def _is_own(self, name: str, place: int) -> str:
        """Whether a typed price stands for the GPU of the picked variant."""
        rows = self.choice.draft.inputs.rows
        quoted, counted = rows.get(STATED_FOR.format(name)), f"COUNT({self.choice.typed(place)})=1"
        same = f"({self.choice.typed(quoted)}={self.choice.typed(rows['accelerator'])})" if quoted else ""
        return f"({counted})*{same}" if same else counted

    def _sum(self, row: int, first: int) -> None:
        """Sums of the four costs and of the shares."""
        self.choice.sheet.put(row, 1, "All charges", STRONG)
        rows = [charge_row(self.choice.draft.view, self.choice.shown, charge) for charge in CHARGES]
        for column, name in enumerate(COLUMNS, 1):
            if name in (*COSTS, SHARE):
                place = letter(column)
                summed = sum(float(row_[name]) for row_ in rows)
                style = number(PERCENT if name == SHARE else MONEY, bold=True)
                self.choice.sheet.put(row, column, Formula(f"SUM({place}{first}:{place}{row - 1})", summed), style)


def _words(column: int) -> Style:
    """Words as they stand in a column; where they are not printed, no row grows by them."""
    if column == 1:
        return LABEL
    return PADDED if column <= 1 + COLUMNS.index(PRINTED) else NAME


def _word_of(table: Table, word: str, index: int) -> str:
    """What the sheet of tables says there: of a row's source, of a text, or its id."""
    if not word:
        return str(table.ids[index])
    if word == SOURCE_TEXT:
        return str(next(iter(table.columns.values())).sources[index])
    return table.texts[word][index] or NOTHING
