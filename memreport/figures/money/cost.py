"""Money: rented or bought GPUs, energy, site, staff, contingency, tax; each a line of its own.

A price that is not known is an input that is missing, never a zero: what reads the scenario has to refuse it.
"""

from memreport.figures.constants import (
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    SMALLEST_RATE,
    TOKENS_PER_MILLION,
    WATTS_PER_KILOWATT,
)
from memreport.figures.quantities import (
    Count,
    Hours,
    Kilograms,
    KilogramsPerKilowattHour,
    KilowattHours,
    Share,
    Switch,
    Tokens,
    Usd,
    UsdPerHour,
    UsdPerKilowattHour,
    UsdPerKilowattMonth,
    Watts,
)
from memreport.formula.recording import FigureRows, figure
from memreport.formula.words import larger, power, total, where


@figure("h_w", title="Hours by the clock", shown=("what is billed",))
def wall_hours(hours: Hours, goodput: Share) -> Hours:
    """Hours by the clock: the useful hours, and those lost to failures and restarts.  Source: arXiv:2407.21783, 3.3."""
    return hours / goodput


@figure("h_b", title="GPU-hours billed", shown=("what is billed",), source="cloud providers' terms of reservation")
def billed_accelerator_hours(accelerators: Count, wall_hours: Hours, reserved_hours: Hours) -> Hours:
    """GPU-hours on the bill; reserved hours are billed whether they are used or not."""
    return accelerators * larger(wall_hours, reserved_hours)


@figure("k_h", title="Agreed rental price", shown=("what is billed",))
def agreed_usd_per_accelerator_hour(
    usd_per_accelerator_hour: UsdPerHour, price_discount: Share, price_multiplier: Share
) -> UsdPerHour:
    """Rental price after the agreed discount, in the price case of this column.  Source: the price book."""
    return usd_per_accelerator_hour * (1 - price_discount) * price_multiplier


@figure("K_list", title="Rent at the list price", shown=("what is billed",))
def list_rent_usd(rents: Switch, billed_accelerator_hours: Hours, usd_per_accelerator_hour: UsdPerHour) -> Usd:
    """Rent at the list price, before any discount.  Source: the price book."""
    return rents * billed_accelerator_hours * usd_per_accelerator_hour


@figure("K_rent", shown=("bill",))
def rent_usd(list_rent_usd: Usd, price_discount: Share, price_multiplier: Share) -> Usd:
    """Rent after the agreed discount, in the price case of this column.  Source: the price book."""
    return list_rent_usd * (1 - price_discount) * price_multiplier


@figure("K_x", title="Extras on top of the rent", shown=("bill", "unstated when renting"))
def extras_usd(rent_usd: Usd, rent_extras_share: Share) -> Usd:
    """Storage, network and support on top of the rent.  Source: the scenario; 30 to 50 % are reported."""
    return rent_usd * rent_extras_share


@figure("K_p", title="Purchase", shown=("what is billed",))
def purchase_usd(
    accelerators: Count, usd_per_accelerator: Usd, purchase_discount: Share, price_multiplier: Share
) -> Usd:
    """All GPUs, or nodes by the GPU, at the agreed purchase price.  Source: the price book."""
    return accelerators * usd_per_accelerator * (1 - purchase_discount) * price_multiplier


@figure("K_add", title="Host, network and cabling", shown=("unstated when buying", "what is billed"))
def adders_usd(purchase_usd: Usd, adder_share: Share) -> Usd:
    """Network, cabling, storage and hosts that the purchase price lacks.  Source: the price book or the scenario."""
    return purchase_usd * adder_share


@figure("K_fr", title="Freight and import tax", shown=("unstated when buying", "what is billed"))
def freight_tax_usd(purchase_usd: Usd, adders_usd: Usd, freight_tax_share: Share) -> Usd:
    """Freight and import tax of the purchase.  Source: the scenario."""
    return (purchase_usd + adders_usd) * freight_tax_share


@figure("K_ins", shown=("unstated when buying", "what is billed"))
def installation_usd(accelerators: Count, installation_usd_per_accelerator: Usd) -> Usd:
    """Installation and commissioning.  Source: the scenario."""
    return accelerators * installation_usd_per_accelerator


@figure("K_cap", title="Purchase, installed", shown=("rent or buy", "what is billed"))
def capital_usd(purchase_usd: Usd, adders_usd: Usd, freight_tax_usd: Usd, installation_usd: Usd) -> Usd:
    """Everything that is paid before the first hour of owned hardware.  Source: sum."""
    return total(purchase_usd, adders_usd, freight_tax_usd, installation_usd)


@figure("r_a")
def finite_rate(discount_rate: Share) -> Share:
    """Interest rate, kept above zero so that annuities stay finite.  Source: definition."""
    return larger(discount_rate, SMALLEST_RATE)


@figure("g")
def growth_factor(finite_rate: Share, depreciation_years: Count) -> Share:
    """What 1 grows to over the life at that rate.  Source: compound interest."""
    return power(1 + finite_rate, depreciation_years)


@figure("K_sl")
def straight_line_usd(capital_usd: Usd, residual_share: Share, depreciation_years: Count) -> Usd:
    """Yearly depreciation in equal parts down to the residual value.  Source: accounting practice."""
    return capital_usd * (1 - residual_share) / depreciation_years


@figure("K_an")
def annuity_usd(capital_usd: Usd, finite_rate: Share, growth_factor: Share, residual_share: Share) -> Usd:
    """Yearly charge that repays capital with interest and ends at the residual value.  Source: annuity formula."""
    return capital_usd * finite_rate * (growth_factor - residual_share) / (growth_factor - 1)


@figure("K_year", title="Depreciation or annuity, a year", shown=("rent or buy", "what is billed"))
def yearly_capital_usd(annuity: Switch, annuity_usd: Usd, straight_line_usd: Usd) -> Usd:
    """Yearly cost of the hardware by the chosen method.  Source: the scenario."""
    return where(annuity > 0, annuity_usd, straight_line_usd)


@figure("K_hw", title="Depreciation of hardware", shown=("bill",))
def hardware_usd(buys: Switch, yearly_capital_usd: Usd, wall_hours: Hours, owned_utilisation: Share) -> Usd:
    """Part of the hardware's yearly cost that this use bears, idle time included.  Source: accounting practice."""
    return buys * yearly_capital_usd * (wall_hours / HOURS_PER_YEAR) / owned_utilisation


@figure("P_each", source="the host's data sheet; fallback: the GPU's")
def watts_per_accelerator(
    node_power_watts: Watts, host_accelerators: Count, board_power_watts: Watts, host_power_share: Share
) -> Watts:
    """Node power per GPU; where none is stated, board power with an allowance for the host."""
    return where(node_power_watts > 0, node_power_watts / host_accelerators, board_power_watts * (1 + host_power_share))


@figure("P_site")
def site_watts(accelerators: Count, watts_per_accelerator: Watts, load_factor: Share, pue: Share) -> Watts:
    """Mean power drawn at the site's meter.  Source: Uptime Institute survey 2025 (PUE)."""
    return accelerators * watts_per_accelerator * load_factor * pue


@figure("E", title="Energy", shown=("main", "bill"))
def energy_kwh(site_watts: Watts, wall_hours: Hours) -> KilowattHours:
    """Energy of the whole use.  Source: product."""
    return site_watts * wall_hours / WATTS_PER_KILOWATT


@figure("s_e")
def pays_energy(power_included: Switch, colocation_has_power: Switch) -> Switch:
    """1 where owned hardware has an energy bill of its own, 0 where colocation contains it.  Source: the contract."""
    return (1 - power_included) * (1 - colocation_has_power)


@figure("K_e", shown=("bill",))
def energy_usd(
    buys: Switch, pays_energy: Switch, energy_kwh: KilowattHours, usd_per_kilowatt_hour: UsdPerKilowattHour
) -> Usd:
    """Energy on one's own bill; rent and all-inclusive colocation contain it.  Source: the energy price."""
    return buys * pays_energy * energy_kwh * usd_per_kilowatt_hour


@figure("K_site", title="Space or colocation", shown=("bill", "unstated when buying"))
def facility_usd(
    buys: Switch,
    accelerators: Count,
    watts_per_accelerator: Watts,
    usd_per_kilowatt_month: UsdPerKilowattMonth,
    wall_hours: Hours,
) -> Usd:
    """Space or colocation by contracted kilowatts.  Source: the scenario's contract."""
    return (
        buys
        * (accelerators * watts_per_accelerator / WATTS_PER_KILOWATT)
        * usd_per_kilowatt_month
        * (wall_hours / HOURS_PER_MONTH)
    )


@figure("K_sup", shown=("bill", "unstated when buying"))
def support_usd(buys: Switch, capital_usd: Usd, support_share: Share, wall_hours: Hours) -> Usd:
    """Support and maintenance as a yearly share of the purchase.  Source: the scenario's contract."""
    return buys * capital_usd * support_share * (wall_hours / HOURS_PER_YEAR)


@figure("K_st", shown=("bill", "unstated when renting", "unstated when buying"))
def staff_usd(staff_usd_per_month: Usd, wall_hours: Hours) -> Usd:
    """People who run it, over the time by the clock.  Source: the scenario."""
    return staff_usd_per_month * (wall_hours / HOURS_PER_MONTH)


@figure("K_sto", title="Storage and data transfer", shown=("bill", "unstated when renting", "unstated when buying"))
def storage_usd(storage_usd_per_month: Usd, wall_hours: Hours) -> Usd:
    """Storage and data transfer that are billed beside, over the time by the clock.  Source: the scenario."""
    return storage_usd_per_month * (wall_hours / HOURS_PER_MONTH)


@figure("K_sub", shown=("bill",))
def subtotal_usd(
    rent_usd: Usd,
    extras_usd: Usd,
    hardware_usd: Usd,
    energy_usd: Usd,
    facility_usd: Usd,
    support_usd: Usd,
    staff_usd: Usd,
    storage_usd: Usd,
) -> Usd:
    """All lines before contingency and tax.  Source: sum."""
    return total(rent_usd, extras_usd, hardware_usd, energy_usd, facility_usd, support_usd, staff_usd, storage_usd)


@figure("K_con", shown=("bill",))
def contingency_usd(subtotal_usd: Usd, contingency: Share) -> Usd:
    """Allowance for what is not known yet, as a line of its own.  Source: the scenario."""
    return subtotal_usd * contingency


@figure("K_tax", shown=("bill", "unstated when renting", "unstated when buying"))
def tax_usd(subtotal_usd: Usd, contingency_usd: Usd, tax_share: Share) -> Usd:
    """Sales tax or VAT that cannot be reclaimed.  Source: the scenario."""
    return (subtotal_usd + contingency_usd) * tax_share


@figure("K_total", title="Total cost", shown=("main", "in short", "bill"))
def cost_total_usd(subtotal_usd: Usd, contingency_usd: Usd, tax_usd: Usd) -> Usd:
    """The cost of the scenario: the sum of all its lines.  Source: sum."""
    return total(subtotal_usd, contingency_usd, tax_usd)


@figure("K_sign", title="To be approved", shown=("in short", "bill"))
def approval_total_usd(
    buys: Switch, capital_usd: Usd, contingency: Share, tax_share: Share, cost_total_usd: Usd
) -> Usd:
    """What has to be approved: the whole purchase where hardware is bought, else the cost.  Source: sum."""
    return where(buys > 0, capital_usd * (1 + contingency) * (1 + tax_share), cost_total_usd)


@figure("K_low", basis="rule of thumb", title="Total cost, low case", shown=("in short", "bill"))
def cost_low_usd(cost_total_usd: Usd, price_low_multiplier: Share, time_low_share: Share) -> Usd:
    """Low case: all prices lower by the stated factor, and the low end of the time.  Source: product."""
    return cost_total_usd * price_low_multiplier * time_low_share


@figure("K_high", basis="rule of thumb", title="Total cost, high case", shown=("in short", "bill"))
def cost_high_usd(cost_total_usd: Usd, price_high_multiplier: Share, time_high_share: Share) -> Usd:
    """High case: all prices higher by the stated factor, and the high end of the time.  Source: product."""
    return cost_total_usd * price_high_multiplier * time_high_share


@figure("K_whole", basis="rule of thumb")
def whole_cost_usd(buys: Switch, approval_total_usd: Usd, cost_total_usd: Usd, whole_cost_share: Share) -> Usd:
    """Cost of the whole run or service; of the whole purchase where hardware is bought.  Source: product."""
    return where(buys > 0, approval_total_usd, cost_total_usd * whole_cost_share)


@figure("K_mon", title="Cost per month", shown=("main of serving", "bill in the workbook"))
def cost_per_month_usd(cost_total_usd: Usd, wall_hours: Hours) -> Usd:
    """What a month of this use costs.  Source: division."""
    return cost_total_usd / (wall_hours / HOURS_PER_MONTH)


@figure("h_g", title="GPU-hours used")
def accelerator_hours(accelerators: Count, wall_hours: Hours) -> Hours:
    """Hours of all GPUs by the clock in which the job runs.  Source: product."""
    return accelerators * wall_hours


@figure("K_h", title="Cost per GPU-hour, all in", shown=("bill in the workbook",))
def cost_per_accelerator_hour_usd(cost_total_usd: Usd, accelerator_hours: Hours) -> UsdPerHour:
    """All-in cost of one GPU for one hour by the clock.  Source: division."""
    return cost_total_usd / accelerator_hours


@figure("K_M", title="Cost per million tokens", shown=("main", "bill"), source="division")
def cost_per_million_tokens_usd(cost_total_usd: Usd, delivered_tokens: Tokens) -> Usd:
    """The bill over a million tokens: those trained, or those of answers at full load, prompts included."""
    return cost_total_usd / (delivered_tokens / TOKENS_PER_MILLION)


@figure("m_CO2", title="Carbon dioxide", shown=("bill",))
def carbon_kg(energy_kwh: KilowattHours, grid_kg_per_kwh: KilogramsPerKilowattHour) -> Kilograms:
    """Carbon dioxide of the energy, by the grid's mean; 0 where no grid is named.  Source: the price book."""
    return energy_kwh * grid_kg_per_kwh


ENDS = FigureRows(
    amount.row(
        f"{amount.name.removesuffix('_usd')}_{end}_usd",
        f"{amount.symbol}{sign}",
        f"{end.capitalize()} end of the same; a purchase has none: it is what was offered.  Source: {amount.source}",
        {"cost_total_usd": f"cost_{end}_usd"},
        shown=(),
        title="",
    )
    for amount in (approval_total_usd, whole_cost_usd, cost_per_month_usd)
    for end, sign in (("low", "-"), ("high", "+"))
)
