"""The sheet "Rent or buy": cash paid so far by month, renting and buying, for the variant that is picked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memreport.figures.money.ownership import bought_until_usd, drawn_months, rented_until_usd
from memreport.formula.printing import to_excel
from memreport.formula.recording import Figure
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import HUNDRED, MONTHS_DRAWN, NO_MONTHS, Draft
from memreport.publish.xlsx.common.titles import RENT_OR_BUY
from memreport.publish.xlsx.scenario.choice import ROWS, VariantChoice
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.charts import Curve, Frame, crossing
from memreport.publish.xlsx.sheet.styles import HEADER_NUMBER, LABEL, MONEY, NAME, STRONG, TEXT_BARE, format_of, number
from memreport.report.money.rent_or_buy import (
    CROSSING,
    NO_SAVING,
    POINTS,
    SCOPE,
    crossing_words,
    months_of,
    paid,
    scope_words,
)

BOLD_BARE = replace(TEXT_BARE, bold=True)
WIDTHS = (60, 26, 16, 3)
MONTHS, RENTED, BOUGHT = 1, 2, 3
PADDED = replace(NAME, indent=1)
BESIDE = 5
"""The column at which the chart begins."""
DESCRIBED = (
    "Two lines over the months of the horizon: rent so far, and purchase with running costs so far; a mark "
    "where they cross, or at the end where they do not.  The rows beside hold the values."
)

FACTS = (
    *SCOPE,
    "capital_usd",
    "yearly_rent_usd",
    "yearly_operating_usd",
    "yearly_owned_usd",
    "break_even_utilisation",
    "break_even_months",
    "owned_present_value_usd",
    "rented_present_value_usd",
    "present_value_saving_usd",
)


def write(draft: Draft, sheet: Sheet) -> None:
    """Fill the sheet: the choice, what the comparison rests on, the months, the crossing, the chart."""
    sheet.widths(*WIDTHS)
    subtitle = "Cash paid so far at the utilisation that Inputs states; staff and storage cost the same either way."
    head(sheet, RENT_OR_BUY, subtitle)
    choice = VariantChoice.of_report(draft, sheet, FIRST_ROW)
    first = FIRST_ROW + ROWS + 1
    sheet.put(first - 1, 1, _scope(choice, first), BOLD_BARE)
    _Months(choice, first).write(_facts(choice, first))


def _scope(choice: VariantChoice, first: int) -> Formula:
    """Over how long both are compared, at which use, and the time that is billed: the first facts, in words."""
    draft = choice.draft
    life, used, hours = (f"$B${first + index}" for index in range(len(SCOPE)))
    whole = (
        f'"Compared from year 0 to "&ROUND({life},1)&" with the hardware used in "'
        f'&ROUND({draft.constants[HUNDRED.name]}*{used},1)&" % of all hours; the bill is for "&ROUND({hours},1)&" h"'
    )
    one = f'"Compared over the "&ROUND({hours},1)&" h billed (no horizon)"'
    return Formula(_by_horizon(choice, one, whole), scope_words(draft.view, choice.shown))


def _by_horizon(choice: VariantChoice, one_run: str, otherwise: str) -> str:
    """What is said of one training run alone where no horizon is typed, and otherwise."""
    if choice.draft.view.workload != "training":
        return otherwise
    return f"IF({choice.stands('horizon_years')}=0,{one_run},{otherwise})"


def _facts(choice: VariantChoice, row: int) -> int:
    """The yearly amounts that the curves rise by; the next free row."""
    view = choice.draft.view
    for index, name in enumerate(FACTS):
        unit = view.unit(name)
        choice.sheet.put(row + index, 1, view.meaning(name), LABEL)
        content = Formula(choice.stands(name), view.value(name, choice.shown))
        choice.sheet.put(row + index, 2, content, number(format_of(unit)))
        choice.sheet.put(row + index, 3, "" if unit == "1" else unit, PADDED)
    return row + len(FACTS)


@frozen
class _Months:
    """The table of months and its chart."""

    choice: VariantChoice
    facts: int
    """The row of the first fact."""

    def write(self, row: int) -> None:
        """Both curves over the horizon, their crossing, the chart."""
        draft, sheet = self.choice.draft, self.choice.sheet
        sheet.row(row, MONTHS, ["Months since the purchase", "Rented, USD", "Bought, USD"], HEADER_NUMBER)
        first = row + 1
        for index, month in enumerate(months_of(draft.view, self.choice.shown)):
            self._month(first + index, index, month)
        last = first + int(MONTHS_DRAWN)
        self._crossing(last + 1)
        self._chart(first, last)

    def _month(self, row: int, index: int, month: float) -> None:
        """One point of both curves."""
        step = self._formula(drawn_months, {"parts": self.choice.draft.constants[MONTHS_DRAWN.name]})
        above = f"{letter(MONTHS)}{row - 1}"
        self.choice.sheet.put(
            row, MONTHS, Formula(f"{above}+{step}" if index else "0*" + step, month), number("#,##0.0")
        )
        self._paid(row, POINTS[index])

    def _paid(self, row: int, point: str) -> None:
        """Rented and bought so far, at the month that stands in the row."""
        given = {"months_owned": f"{letter(MONTHS)}{row}"}
        rented, bought = paid(self.choice.draft.view, self.choice.shown, point)
        self.choice.sheet.put(row, RENTED, Formula(self._formula(rented_until_usd, given), rented), number(MONEY))
        self.choice.sheet.put(row, BOUGHT, Formula(self._formula(bought_until_usd, given), bought), number(MONEY))

    def _formula(self, figure: Figure, given: Mapping[str, str]) -> str:
        """A figure of the picked variant, with cells of this sheet for what is given."""
        known = {**self.choice.draft.constants, **given}
        return to_excel(figure.expression, lambda name: known[name] if name in known else self.choice.text(name))

    def _crossing(self, row: int) -> None:
        """Where the curves cross, or the end of the horizon where they do not, with words that say which."""
        view, end = self.choice.draft.view, f"{letter(MONTHS)}{row - 1}"
        cross = f"$B${self.facts + FACTS.index('break_even_months')}"
        month = view.beside(f"month.{CROSSING}", self.choice.shown)
        words = crossing_words(view, self.choice.shown)
        never = self.choice.draft.constants[NO_MONTHS.name]
        one = f'IF({cross}<{never},"Buying pays after "&ROUND({cross},1)&" months of such use","{NO_SAVING}")'
        whole = (
            f'IF({cross}<={end},"Buying is cheaper from month "&ROUND({cross},1),'
            f'"Buying does not pay by month "&ROUND({end},1))'
        )
        self.choice.sheet.put(row, 1, "Where both have cost the same, or the end of the horizon", LABEL)
        self.choice.sheet.put(row + 2, 1, Formula(_by_horizon(self.choice, one, whole), words), STRONG)
        self.choice.sheet.put(row + 1, MONTHS, Formula(f"MIN({cross},{end})", month), number("#,##0.0"))
        self._paid(row + 1, CROSSING)

    def _chart(self, first: int, last: int) -> None:
        sheet = self.choice.sheet
        across = sheet.span(first, MONTHS, last, MONTHS)
        lines = [
            Curve(sheet.address(first - 1, column), sheet.span(first, column, last, column), across)
            for column in (RENTED, BOUGHT)
        ]
        here = [sheet.span(last + 2, column, last + 2, column) for column in (RENTED, MONTHS)]
        place = f"{letter(BESIDE)}{FIRST_ROW}"
        frame = Frame("Rent against purchase", "Months", "US dollars paid so far", DESCRIBED, place, 18, 11)
        crossing(sheet, frame, lines, Curve(sheet.address(last + 3, 1), *here))
