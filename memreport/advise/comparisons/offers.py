"""An offer to rent beside one to buy, for the same job: from when and from which use the purchase has paid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.compute import calculate
from memreport.figures.constants import HOURS_PER_MONTH
from memreport.figures.money.ownership import (
    break_even_months,
    break_even_utilisation,
    rented_utilisation,
    yearly_full_rent_usd,
    yearly_operating_usd,
    yearly_owned_usd,
    yearly_rent_usd,
)
from memreport.formula.recording import plain_line
from memreport.frozen import frozen

FIGURES = (
    yearly_operating_usd, yearly_full_rent_usd, rented_utilisation, yearly_rent_usd, yearly_owned_usd,
    break_even_utilisation, break_even_months,
)  # fmt: skip
"""Those of the scenario's own comparison, in dependency order; here the prices are those of the offers."""
OF_THE_JOB = (
    "support_share", "yearly_energy_usd", "yearly_facility_usd", "residual_share", "comparison_years", "comparison_use",
)  # fmt: skip


Columns = Mapping[str, Any]


@frozen
class OffersWeighed:
    """Months until the bought offer has repaid itself, and the share of all hours from which it costs less.

    One value a variant.
    """

    months: Numbers
    use: Numbers


def offers_weighed(rented: tuple[Columns, Columns], bought: tuple[Columns, Columns], job: Columns) -> OffersWeighed:
    """Both offers, each by its terms and figures, for jobs with the scenario's figures `OF_THE_JOB`."""
    given = _rent(*rented) | _purchase(*bought, job)
    columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(value, dtype=np.float64)) for value in given.values()))
    made = calculate([plain_line(figure) for figure in FIGURES], dict(zip(given, columns, strict=True)))
    return OffersWeighed(made[break_even_months.name], made[break_even_utilisation.name])


def _rent(terms: Columns, figures: Columns) -> dict[str, Any]:
    """What is rented: its price with what is billed beside it by the month; a term is paid used or not."""
    return {
        "accelerators": figures["quote_accelerators"],
        "usd_per_accelerator_hour": figures["quote_price_usd"],
        "price_discount": 0.0,
        "price_multiplier": 1.0,
        "rent_extras_share": terms["quoted_extras"] / float(HOURS_PER_MONTH) / terms["quoted_price"],
        "committed": (terms["quoted_term_months"] > 0) * 1.0,
    }


def _purchase(terms: Columns, figures: Columns, job: Columns) -> dict[str, Any]:
    """What is bought: the order, and what running it costs the scenario beside what the offer contains."""
    return {
        **{name: job[name] for name in OF_THE_JOB},
        "capital_usd": figures["quote_purchase_usd"],
        "support_share": job["support_share"] * (1 - terms["quoted_has_support"]),
        "yearly_energy_usd": job["yearly_energy_usd"] * (1 - terms["quoted_has_power"]),
    }
