"""An offer to rent beside one to buy, for the same job: from when and from which use the purchase has paid."""

from __future__ import annotations

from collections.abc import Mapping

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


@frozen
class OffersWeighed:
    """Months until the bought offer has repaid itself, and the share of all hours from which it costs less."""

    months: float
    use: float


def offers_weighed(
    rented: tuple[Mapping[str, float], Mapping[str, float]],
    bought: tuple[Mapping[str, float], Mapping[str, float]],
    job: Mapping[str, float],
) -> OffersWeighed:
    """Both offers, each by its terms and figures, for a job with the scenario's figures `OF_THE_JOB`."""
    inputs = {name: np.asarray([value]) for name, value in (_rent(*rented) | _purchase(*bought, job)).items()}
    made: Mapping[str, Numbers] = calculate([plain_line(figure) for figure in FIGURES], inputs)
    months, use = (float(made[figure.name][0]) for figure in (break_even_months, break_even_utilisation))
    return OffersWeighed(months, use)


def _rent(terms: Mapping[str, float], figures: Mapping[str, float]) -> dict[str, float]:
    """What is rented: its price with what is billed beside it by the month; a term is paid used or not."""
    return {
        "accelerators": figures["quote_accelerators"],
        "usd_per_accelerator_hour": figures["quote_price_usd"],
        "price_discount": 0.0,
        "price_multiplier": 1.0,
        "rent_extras_share": terms["quoted_extras"] / float(HOURS_PER_MONTH) / terms["quoted_price"],
        "committed": float(terms["quoted_term_months"] > 0),
    }


def _purchase(
    terms: Mapping[str, float], figures: Mapping[str, float], job: Mapping[str, float]
) -> dict[str, float]:  # fmt: skip
    """What is bought: the order, and what running it costs the scenario beside what the offer contains."""
    return {
        **job,
        "capital_usd": figures["quote_purchase_usd"],
        "support_share": job["support_share"] * (1 - terms["quoted_has_support"]),
        "yearly_energy_usd": job["yearly_energy_usd"] * (1 - terms["quoted_has_power"]),
    }
