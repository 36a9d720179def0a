"""The sheet Commitments: of each offer, how often the first, second and every further GPU works, and what to take."""

from __future__ import annotations

from memreport.portfolio.commitment import Commitment
from memreport.publish.xlsx.planned.places import OFFERS, PortfolioDraft
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import (
    HEADER,
    HEADER_NUMBER,
    LABEL,
    MONEY,
    PERCENT,
    WHOLE,
    given,
    number,
    typed,
)

FIRST_GPU = FIRST_ROW + 8
MOST_GPUS = 100
"""GPUs of an offer up to which the workbook holds its table."""
ABOUT = (
    "USD. A GPU is committed to where it works at least as often as committed over rented price, the lower of the "
    "offer's and the entries'; the load, as built, is what entries at least half probable rent beside GPUs there."
)


def write_offers(made: PortfolioDraft) -> None:
    """A table an offer, side by side; prices may be typed."""
    sheet = made.sheet(OFFERS, ABOUT)
    found = [commitment for commitment in made.planned.commitments if len(commitment.shares) <= MOST_GPUS]
    for index, commitment in enumerate(found):
        _offer(sheet, 1 + 4 * index, commitment)


def _offer(sheet: Sheet, column: int, commitment: Commitment) -> None:
    """Prices, what to take, and the use and cost of each count."""
    value = letter(column + 1)
    sheet.width(column, 26)
    sheet.put(FIRST_ROW, column, f"{commitment.accelerator}, {commitment.months} months", HEADER)
    rows = (("Committed, an hour", commitment.committed), ("Rented otherwise, an hour", commitment.on_demand))
    for index, (title, price) in enumerate(rows, FIRST_ROW + 1):
        sheet.put(index, column, title, LABEL)
        sheet.put(index, column + 1, price, typed(MONEY))
    committed, on_demand = f"${value}${FIRST_ROW + 1}", f"${value}${FIRST_ROW + 2}"
    shares = f"${value}${FIRST_GPU}:${value}${FIRST_GPU + max(len(commitment.shares), 1) - 1}"
    _results(sheet, column, commitment, (committed, on_demand, shares))
    _counts(sheet, column, commitment, (committed, on_demand, shares))
    sheet.width(column + 2, 16)


def _counts(sheet: Sheet, column: int, commitment: Commitment, places: tuple[str, str, str]) -> None:
    """How often each further GPU works, and what so many cost."""
    committed, on_demand, shares = places
    value, more, hours = letter(column + 1), letter(column + 2), f"${letter(column + 1)}${FIRST_ROW + 5}"
    sheet.row(FIRST_GPU - 1, column, ["GPU"], HEADER)
    sheet.row(FIRST_GPU - 1, column + 1, ["works", "cost of so many"], HEADER_NUMBER)
    for index, share in enumerate(commitment.shares.tolist()):
        row = FIRST_GPU + index
        sheet.put(row, column, float(index + 1), given(WHOLE))
        sheet.put(row, column + 1, share, given(PERCENT))
        before = f"{more}{row - 1}" if index else f"{hours}*{on_demand}*SUM({shares})"
        cost = f"{before}+{hours}*({committed}-{on_demand}*{value}{row})"
        sheet.put(row, column + 2, Formula(cost, float(commitment.costs[index + 1])), number(WHOLE))


def _results(sheet: Sheet, column: int, commitment: Commitment, places: tuple[str, str, str]) -> None:
    committed, on_demand, shares = places
    even = f"{committed}/{on_demand}"
    lines = (
        ("Break-even, share of hours", Formula(even, commitment.break_even), PERCENT),
        (
            "Commit to so many GPUs",
            Formula(f"SUMPRODUCT(1*({shares}>={committed}/{on_demand}))", float(commitment.best)),
            WHOLE,
        ),
    )
    for row, (title, formula, shown) in enumerate(lines, FIRST_ROW + 3):
        sheet.put(row, column, title, LABEL)
        sheet.put(row, column + 1, formula, number(shown))
    sheet.put(FIRST_ROW + 5, column, "Hours of the term", LABEL)
    sheet.put(FIRST_ROW + 5, column + 1, commitment.hours, given(WHOLE))
