"""A vendor's quote for the job of one variant: what is billed, what that is a token, from which use on it pays.

These figures are of a quote, not of a scenario, so they are no part of its table: inputs that begin with `quoted_` are
the quote's terms, every other one is the scenario's.
"""

from memreport.figures.constants import HOURS_PER_MONTH, ONE_HOUR, SMALLEST_PRICE, TOKENS_PER_MILLION
from memreport.figures.money.cost import (
    annuity_usd,
    energy_usd,
    facility_usd,
    hardware_usd,
    straight_line_usd,
    support_usd,
    yearly_capital_usd,
)
from memreport.figures.quantities import (
    Count,
    Hours,
    KilowattHours,
    Share,
    Switch,
    Tokens,
    Usd,
    UsdPerKilowattHour,
    UsdPerKilowattMonth,
    Watts,
)
from memreport.formula.recording import Figure, figure
from memreport.formula.words import larger, total, where


def float_of(figure_: Figure, *values: float) -> float:
    """What a figure of the bill gives for these: its formula stands there, and only there."""
    found: float = figure_.formula(*values)
    return found


@figure("p_q", title="Price in US dollars")
def quote_price_usd(quoted_price: Usd, quoted_exchange_rate: Share) -> Usd:
    """Price of a GPU and hour, or of a GPU, at the stated rate of exchange.  Source: the quote."""
    return quoted_price * quoted_exchange_rate


@figure("n_q", title="GPUs billed")
def quote_accelerators(accelerators: Count, quoted_minimum_accelerators: Count) -> Count:
    """GPUs on the invoice: those of the job, at least those of the minimum.  Source: the quote."""
    return larger(accelerators, quoted_minimum_accelerators)


@figure("h_q", title="Hours billed", source="the quote; for a purchase, the scenario's use of owned hardware")
def quote_hours(
    quoted_purchase: Switch,
    wall_hours: Hours,
    quoted_term_months: Count,
    quoted_runs_on: Switch,
    owned_utilisation: Share,
) -> Hours:
    """Hours that the job bears: rented, by the clock, at least the term if it ends; bought, with the idle time."""
    return where(
        quoted_purchase > 0,
        wall_hours / owned_utilisation,
        larger(wall_hours, (1 - quoted_runs_on) * quoted_term_months * HOURS_PER_MONTH),
    )


@figure("K_qr", title="Rent")
def quote_rent_usd(quoted_purchase: Switch, quote_price_usd: Usd, quote_accelerators: Count, quote_hours: Hours) -> Usd:
    """GPUs and hours billed, at the price of an hour.  Source: product."""
    return (1 - quoted_purchase) * quote_price_usd * quote_accelerators * (quote_hours / ONE_HOUR)


@figure("K_qp", title="Purchase")
def quote_purchase_usd(
    quoted_purchase: Switch,
    quote_price_usd: Usd,
    quote_accelerators: Count,
    quoted_lacks_hosts: Switch,
    adder_share: Share,
    freight_tax_share: Share,
) -> Usd:
    """The order; where the price is of GPUs alone, with the scenario's share for hosts and network.  Source: sum."""
    return (
        quoted_purchase
        * quote_price_usd
        * quote_accelerators
        * (1 + quoted_lacks_hosts * adder_share)
        * (1 + freight_tax_share)
    )


@figure("K_qh", title="Depreciation")
def quote_hardware_usd(
    quoted_purchase: Switch,
    quote_purchase_usd: Usd,
    annuity: Switch,
    finite_rate: Share,
    growth_factor: Share,
    residual_share: Share,
    depreciation_years: Count,
    wall_hours: Hours,
    owned_utilisation: Share,
) -> Usd:
    """Part of the purchase that the job bears, by the scenario's method.  Source: accounting practice."""
    return float_of(
        hardware_usd,
        quoted_purchase,
        yearly_capital_usd.formula(
            annuity,
            annuity_usd.formula(quote_purchase_usd, finite_rate, growth_factor, residual_share),
            straight_line_usd.formula(quote_purchase_usd, residual_share, depreciation_years),
        ),
        wall_hours,
        owned_utilisation,
    )


@figure("K_qe", title="Energy")
def quote_energy_usd(
    quoted_purchase: Switch,
    quoted_has_power: Switch,
    pays_energy: Switch,
    energy_kwh: KilowattHours,
    usd_per_kilowatt_hour: UsdPerKilowattHour,
) -> Usd:
    """Energy of bought hardware at the scenario's tariff, unless the quote contains it.  Source: the energy price."""
    return float_of(
        energy_usd, quoted_purchase, pays_energy * (1 - quoted_has_power), energy_kwh, usd_per_kilowatt_hour
    )


@figure("K_qf", title="Space or colocation")
def quote_facility_usd(
    quoted_purchase: Switch,
    accelerators: Count,
    watts_per_accelerator: Watts,
    usd_per_kilowatt_month: UsdPerKilowattMonth,
    wall_hours: Hours,
) -> Usd:
    """Space or colocation of bought hardware, as the scenario counts it.  Source: the scenario's contract."""
    return float_of(
        facility_usd, quoted_purchase, accelerators, watts_per_accelerator, usd_per_kilowatt_month, wall_hours
    )


@figure("K_qu", title="Support")
def quote_support_usd(
    quoted_purchase: Switch,
    quote_purchase_usd: Usd,
    support_share: Share,
    quoted_has_support: Switch,
    wall_hours: Hours,
) -> Usd:
    """Support of bought hardware by the scenario's share, unless the quote contains it.  Source: the scenario."""
    return float_of(
        support_usd, quoted_purchase, quote_purchase_usd, support_share * (1 - quoted_has_support), wall_hours
    )


@figure("K_qx", title="Extras and egress")
def quote_extras_usd(
    quoted_extras: Usd,
    quoted_exchange_rate: Share,
    quote_accelerators: Count,
    quote_hours: Hours,
    quoted_egress: Usd,
    quoted_egress_gb: Count,
) -> Usd:
    """Network, storage and support beside the price by month, and what leaves by GB.  Source: the quote."""
    return (
        quoted_extras * quote_accelerators * (quote_hours / HOURS_PER_MONTH) + quoted_egress * quoted_egress_gb
    ) * quoted_exchange_rate


@figure("K_q", title="Total for this job")
def quote_total_usd(
    quote_rent_usd: Usd,
    quote_hardware_usd: Usd,
    quote_energy_usd: Usd,
    quote_facility_usd: Usd,
    quote_support_usd: Usd,
    quote_extras_usd: Usd,
    staff_usd: Usd,
    quoted_has_storage: Switch,
    storage_usd: Usd,
    contingency: Share,
    tax_share: Share,
) -> Usd:
    """What the job costs by this quote, with the scenario's staff, storage, contingency and tax.  Source: sum."""
    return (
        total(
            quote_rent_usd,
            quote_hardware_usd,
            quote_energy_usd,
            quote_facility_usd,
            quote_support_usd,
            quote_extras_usd,
            staff_usd,
            (1 - quoted_has_storage) * storage_usd,
        )
        * (1 + contingency)
        * (1 + tax_share)
    )


@figure("K_qs", title="To sign")
def quote_signed_usd(
    quoted_purchase: Switch,
    quote_purchase_usd: Usd,
    contingency: Share,
    tax_share: Share,
    quote_total_usd: Usd,
    quote_hours: Hours,
    quoted_term_months: Count,
) -> Usd:
    """What has to be signed: the whole purchase, else the total with its whole term and minimum.  Source: sum."""
    return where(
        quoted_purchase > 0,
        quote_purchase_usd * (1 + contingency) * (1 + tax_share),
        quote_total_usd * (larger(quote_hours, quoted_term_months * HOURS_PER_MONTH) / quote_hours),
    )


@figure("K_qM", title="A million tokens")
def quote_million_tokens_usd(quote_total_usd: Usd, delivered_tokens: Tokens) -> Usd:
    """Cost of a million tokens, trained or served.  Source: division."""
    return quote_total_usd / (delivered_tokens / TOKENS_PER_MILLION)


@figure("u_q", title="Pays from a use of")
def quote_break_even_share(
    quote_total_usd: Usd,
    cost_total_usd: Usd,
    accelerators: Count,
    wall_hours: Hours,
    quote_accelerators: Count,
    quote_hours: Hours,
) -> Share:
    """Share of the billed hours that GPUs must work to cost as budgeted; above 1 it never does.  Source: division."""
    return quote_total_usd / larger(
        cost_total_usd * (quote_accelerators * quote_hours / (accelerators * wall_hours)), SMALLEST_PRICE
    )


QUOTE_FIGURES = (
    quote_price_usd, quote_accelerators, quote_hours, quote_rent_usd, quote_purchase_usd, quote_hardware_usd,
    quote_energy_usd, quote_facility_usd, quote_support_usd, quote_extras_usd, quote_total_usd, quote_signed_usd,
    quote_million_tokens_usd, quote_break_even_share,
)  # fmt: skip
"""In dependency order."""
