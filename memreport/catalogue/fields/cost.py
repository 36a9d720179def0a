"""The fields that a cost is made of: prices and conventions by name, or numbers of one's own in their place."""

from __future__ import annotations

from memreport.catalogue.fields.dictionary import Section, choice, number, optional, share, switch

BOOK = "hardware/prices.yaml"


class CostFields(Section):
    """What the job costs, and on what basis."""

    basis: str = choice("rent", "cost_bases", "rented or bought", source="the scenario")
    price: str = choice("none", "rental_prices", "rental price", source=BOOK)
    purchase_price: str = choice("none", "purchase_prices", "purchase price", source=BOOK)
    energy_price: str = choice("electricity-us-industrial", "energy_prices", "electricity tariff", source=BOOK)
    colocation: str = choice("none", "colocation_prices", "where the hardware is, if not on own premises", source=BOOK)
    site: str = choice(
        "pue-survey-average", "sites", "efficiency of the site: energy drawn over energy used", source=BOOK
    )
    grid: str = choice("none", "grids", "grid whose carbon dioxide is counted", source=BOOK)
    depreciation: str = choice(
        "life-amazon", "depreciation_lives", "whose useful life of hardware is followed", source=BOOK
    )
    residual: str = choice("none", "residual_values", "residual value at the end of the life", source=BOOK)
    adders: str = choice("none", "hardware_adders", "network and cabling that the hardware's price lacks", source=BOOK)
    extras: str = choice("none", "rent_extras", "storage, egress and support that the rent lacks", source=BOOK)
    api_price: str = choice(
        "none", "apis", "list price of an API with the same model, to compare with", source=BOOK, workload="serving"
    )
    hours: float | None = optional("h", "useful hours; unless given, those of the run or of a month of service", gt=0)
    months: float = number(
        1, "", "months of service that are billed, of 730 hours each, unless hours are given", gt=0, workload="serving"
    )
    goodput: float = share(
        1, "useful share of the hours by the clock", gt=0, source="0.84 for Llama 3.1 405B: published hours against 6ND"
    )
    contingency: float = number(0, "", "allowance for what is not known yet", le=5)
    price_discount: float = share(0, "discount agreed on the rental list price")
    purchase_discount: float = share(0, "discount agreed on the purchase price")
    price_multiplier: float = number(1, "", "factor on all prices of this column", gt=0)
    price_low_multiplier: float = share(
        0.8, "low case of all prices", gt=0, source="spread of rental prices of one GPU, hardware/prices.yaml"
    )
    price_high_multiplier: float = number(
        1.25, "", "high case of all prices", ge=1, source="spread of rental prices of one GPU, hardware/prices.yaml"
    )
    reserved_hours: float = number(0, "h", "hours that are billed whether used or not")
    rent_extras_share: float | None = optional("", "storage, network and support on top of the rent, as a share", le=5)
    tax_share: float = share(0, "tax that cannot be reclaimed")
    usd_per_kilowatt_hour: float | None = optional("USD/kWh", "own electricity tariff")
    pue: float | None = optional("", "power usage effectiveness of the own site", ge=1, le=4)
    load_factor: float = share(0.8, "mean power over maximum power", gt=0)
    host_power_share: float = number(0.5, "", "host's power over the GPU's, where the node's is not stated", le=3)
    power_included: bool = switch(False, "colocation includes the energy")
    usd_per_kilowatt_month: float | None = optional(
        "USD*h/kWh", "own colocation price per contracted kilowatt and month"
    )
    adder_share: float | None = optional(
        "", "network, cabling and other hardware that the price lacks, as a share", le=5
    )
    freight_tax_share: float = share(0, "freight and import tax on top of the purchase")
    installation_usd_per_accelerator: float = number(0, "USD", "installation of one GPU")
    depreciation_years: float | None = optional("", "useful life of the hardware in years", gt=0, le=20)
    residual_share: float | None = optional("", "residual value over purchase", le=1)
    rent_or_buy: bool = switch(False, "renting and buying are compared over the horizon")
    horizon_years: float = number(
        0,
        "",
        "years over which renting and buying are compared; 0 for the time that is billed, of a monthly service for the "
        "useful life of the hardware",
        le=20,
    )
    horizon_use: float = share(
        0, "share of the horizon in which the hardware is used; 0 for the hours billed, or all of a monthly service"
    )
    annuity: bool = switch(False, "annuity with interest instead of straight-line depreciation")
    discount_rate: float = share(0.08, "interest rate of annuities and present values")
    support_share: float = share(0.05, "support and maintenance a year over purchase")
    owned_utilisation: float = share(0.7, "share of the hours in which owned hardware is used", gt=0)
    staff_usd_per_month: float = number(0, "USD", "people who run it")
    storage_usd_per_month: float = number(0, "USD", "storage and data transfer that are billed beside")
    grid_kg_per_kwh: float | None = optional("kg/kWh", "carbon dioxide of the own grid")
