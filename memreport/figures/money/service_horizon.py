"""Serving: how much a service uses of the years over which renting and buying are compared."""

from memreport.figures.constants import HOURS_PER_MONTH, HOURS_PER_YEAR
from memreport.figures.quantities import Count, Hours, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("s_mon", title="Billed by the month")
def billed_by_the_month(hours: Hours) -> Switch:
    """1 for a service whose hours are those of a month, so that it goes on.  Source: definition."""
    return where(hours < HOURS_PER_MONTH, 0, 1) * where(hours > HOURS_PER_MONTH, 0, 1)


@figure("y_b", source="the scenario")
def billed_years(billed_by_the_month: Switch, depreciation_years: Count, wall_hours: Hours) -> Count:
    """Years that are billed, or the life of the hardware of a service that is billed by the month, as it goes on."""
    return where(billed_by_the_month > 0, depreciation_years, wall_hours / HOURS_PER_YEAR)


@figure("u_h", source="the scenario")
def comparison_use(
    horizon_use: Share, billed_by_the_month: Switch, wall_hours: Hours, comparison_years: Count
) -> Share:
    """Share of these years' hours in which the hardware is used: stated, all of them, or the hours billed."""
    return where(
        horizon_use > 0,
        horizon_use,
        larger(billed_by_the_month, smaller(wall_hours / (comparison_years * HOURS_PER_YEAR), 1)),
    )
