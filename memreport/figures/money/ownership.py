"""Buying against renting over the scenario's own horizon and use.  Staff is the same either way: left out."""

from memreport.figures.constants import HOURS_PER_YEAR, MONTHS_PER_YEAR, ONE_USD, SMALLEST_PRICE, WATTS_PER_KILOWATT
from memreport.figures.quantities import (
    Count,
    Hours,
    Share,
    Switch,
    Usd,
    UsdPerHour,
    UsdPerKilowattHour,
    UsdPerKilowattMonth,
    Watts,
)
from memreport.formula.recording import figure
from memreport.formula.words import larger, power, smaller, where


@figure("y_b", workload="training")
def billed_years(wall_hours: Hours) -> Count:
    """Years that are billed.  Source: the scenario."""
    return wall_hours / HOURS_PER_YEAR


@figure("y_h")
def comparison_years(horizon_years: Count, billed_years: Count) -> Count:
    """Years over which renting and buying are compared: stated, or those that are billed.  Source: the scenario."""
    return where(horizon_years > 0, horizon_years, billed_years)


@figure("u_h", workload="training")
def comparison_use(horizon_use: Share, wall_hours: Hours, comparison_years: Count) -> Share:
    """Share of these years' hours in which the hardware is used: stated, or the hours billed.  Source: the scenario."""
    return where(horizon_use > 0, horizon_use, smaller(wall_hours / (comparison_years * HOURS_PER_YEAR), 1))


@figure("K_op", title="Running what is owned, a year", shown=("rent or buy",))
def yearly_operating_usd(
    capital_usd: Usd, support_share: Share, yearly_energy_usd: Usd, yearly_facility_usd: Usd
) -> Usd:
    """Running costs of an owned cluster for a year, but for the staff.  Source: sum."""
    return capital_usd * support_share + yearly_energy_usd + yearly_facility_usd


@figure("K_ey")
def yearly_energy_usd(
    pays_energy: Switch, site_watts: Watts, comparison_use: Share, usd_per_kilowatt_hour: UsdPerKilowattHour
) -> Usd:
    """Energy of an owned cluster for a year at its utilisation.  Source: product."""
    return pays_energy * (site_watts * HOURS_PER_YEAR / WATTS_PER_KILOWATT) * comparison_use * usd_per_kilowatt_hour


@figure("K_fy")
def yearly_facility_usd(
    accelerators: Count, watts_per_accelerator: Watts, usd_per_kilowatt_month: UsdPerKilowattMonth
) -> Usd:
    """Space or colocation of an owned cluster for a year.  Source: product."""
    return (
        (accelerators * watts_per_accelerator / WATTS_PER_KILOWATT)
        * usd_per_kilowatt_month
        * MONTHS_PER_YEAR
    )  # fmt: skip


@figure("K_own", title="Owning, a year", shown=("rent or buy",))
def yearly_owned_usd(
    capital_usd: Usd, residual_share: Share, comparison_years: Count, yearly_operating_usd: Usd
) -> Usd:
    """Owning for a year of the horizon, used or not, with what is left at its end taken off.  Source: sum."""
    return capital_usd * (1 - residual_share) / comparison_years + yearly_operating_usd


@figure("K_full", title="Renting every hour, a year")
def yearly_full_rent_usd(
    accelerators: Count,
    usd_per_accelerator_hour: UsdPerHour,
    price_discount: Share,
    price_multiplier: Share,
    rent_extras_share: Share,
) -> Usd:
    """Renting the same GPUs for every hour of a year.  Source: product."""
    return (
        accelerators
        * usd_per_accelerator_hour
        * HOURS_PER_YEAR
        * ((1 - price_discount) * price_multiplier * (1 + rent_extras_share))
    )


@figure("u_r", title="Share of the hours that rent is paid for", source="cloud providers' terms of reservation")
def rented_utilisation(committed: Switch, comparison_use: Share) -> Share:
    """Share of the hours for which rent is paid: those used, or all of them where the price is reserved."""
    return larger(committed, comparison_use)


@figure("K_ry", title="Renting, a year", shown=("rent or buy",))
def yearly_rent_usd(yearly_full_rent_usd: Usd, rented_utilisation: Share) -> Usd:
    """Renting the same GPUs for a year at that utilisation.  Source: product."""
    return yearly_full_rent_usd * rented_utilisation


@figure("u*", title="Utilisation at which both cost the same", shown=("rent or buy",))
def break_even_utilisation(yearly_owned_usd: Usd, yearly_full_rent_usd: Usd) -> Share:
    """Utilisation from which owning is cheaper than renting by the hour; above 1 it never is.  Source: division."""
    return yearly_owned_usd / larger(yearly_full_rent_usd, SMALLEST_PRICE)


@figure("m*", title="Months until buying is cheaper", shown=("rent or buy",), source="division")
def break_even_months(capital_usd: Usd, yearly_rent_usd: Usd, yearly_operating_usd: Usd) -> Count:
    """Months until the rent saved has repaid the purchase; beyond any life where nothing is saved."""
    return capital_usd * MONTHS_PER_YEAR / larger(yearly_rent_usd - yearly_operating_usd, ONE_USD)


@figure("g_h")
def comparison_growth(finite_rate: Share, comparison_years: Count) -> Share:
    """What 1 grows to over the horizon at the interest rate.  Source: compound interest."""
    return power(1 + finite_rate, comparison_years)


@figure("a_r")
def present_value_factor(finite_rate: Share, comparison_growth: Share) -> Count:
    """Present value of 1 paid at the end of every year of the horizon.  Source: annuity formula."""
    return (1 - 1 / comparison_growth) / finite_rate


@figure("NPV_b", title="Owning over the horizon, in today's money", shown=("rent or buy",))
def owned_present_value_usd(
    capital_usd: Usd,
    yearly_operating_usd: Usd,
    present_value_factor: Count,
    residual_share: Share,
    comparison_growth: Share,
) -> Usd:
    """Cost of owning over the horizon, in today's money, less the residual value.  Source: net present value."""
    return capital_usd * (1 - residual_share / comparison_growth) + yearly_operating_usd * present_value_factor


@figure("NPV_r", title="Renting over the horizon, in today's money", shown=("rent or buy",))
def rented_present_value_usd(yearly_rent_usd: Usd, present_value_factor: Count) -> Usd:
    """Cost of renting the paid hours over the same horizon, in today's money.  Source: net present value."""
    return yearly_rent_usd * present_value_factor


@figure("K_save", title="Buying saves, in today's money", shown=("rent or buy",))
def present_value_saving_usd(rented_present_value_usd: Usd, owned_present_value_usd: Usd) -> Usd:
    """What buying saves over the horizon, in today's money; negative where renting is cheaper.  Source: difference."""
    return rented_present_value_usd - owned_present_value_usd


@figure("d_m", family=True)
def drawn_months(comparison_years: Count, parts: Count) -> Count:
    """Months between two points of the curves of rent and purchase.  Source: division."""
    return comparison_years * MONTHS_PER_YEAR / parts


@figure("C_r", family=True)
def rented_until_usd(yearly_rent_usd: Usd, months_owned: Count) -> Usd:
    """Rent that is paid until a month.  Source: multiplication."""
    return yearly_rent_usd * months_owned / MONTHS_PER_YEAR


@figure("C_b", family=True)
def bought_until_usd(capital_usd: Usd, yearly_operating_usd: Usd, months_owned: Count) -> Usd:
    """Purchase and running costs that are paid until a month.  Source: addition."""
    return capital_usd + yearly_operating_usd * months_owned / MONTHS_PER_YEAR


@figure("m_next", family=True)
def later_month(months_owned: Count, drawn_months: Count) -> Count:
    """The month of the next point of the curves.  Source: addition."""
    return months_owned + drawn_months


@figure("m_x", family=True)
def crossing_month(break_even_months: Count, last_month: Count) -> Count:
    """Where both have cost the same, or the end of the horizon.  Source: the smaller of both."""
    return smaller(break_even_months, last_month)


FAMILY = (drawn_months, rented_until_usd, bought_until_usd, later_month, crossing_month)
"""Points of the curves, which are no lines of the calculation."""
