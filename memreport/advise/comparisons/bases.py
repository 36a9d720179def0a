"""Variants that rent beside variants that buy: after how many runs, or months of a service, the purchase has paid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memreport.advise.candidates import Candidate
from memreport.compute import Computed, calculate
from memreport.figures.beside import break_even_uses, owned_use_usd
from memreport.formula.recording import plain_line
from memreport.frozen import frozen

READ = ("cost_total_usd", "whole_cost_share", "hardware_usd", "subtotal_usd", "approval_total_usd")
"""What is read of the variant that buys."""


@frozen
class RentedAndBought:
    """The cheapest to rent and the cheapest to buy of the variants that run, and the uses after which buying pays."""

    rented: Candidate
    bought: Candidate
    owned_use_usd: float
    break_even_uses: float


def rented_and_bought(computed: Computed, running: Sequence[Candidate]) -> RentedAndBought | None:
    """Both, where variants of both kinds run and are billed."""
    if computed.resolved.loaded.scenario.cost is None:
        return None
    kinds = [[each for each in running if computed.values["buys"][each.column] == buys] for buys in (0, 1)]
    if not all(kinds):
        return None
    rented, bought = (min(kind, key=lambda each: each.cost) for kind in kinds)
    read = {name: np.asarray(computed.values[name][bought.column : bought.column + 1]) for name in READ}
    made = calculate(
        [plain_line(owned_use_usd), plain_line(break_even_uses)], {**read, "whole_cost_usd": np.asarray([rented.cost])}
    )
    return RentedAndBought(
        rented, bought, *(float(made[name][0]) for name in (owned_use_usd.name, break_even_uses.name))
    )
