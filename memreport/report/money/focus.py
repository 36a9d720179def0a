"""The bill in the words of FOCUS, the FinOps Open Cost and Usage Specification 1.2, so that cost tools can load it.

Columns, allowed values and which may be null: tag v1.2 (2025-05-30) of
https://github.com/FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec, folder specification/columns, read 2026-11-20.
A plan has no invoice: columns of accounts, invoices and periods are left out; ours begin with `x_`, as FOCUS asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from memreport.catalogue.names import title_of
from memreport.compute import Computed
from memreport.frozen import frozen
from memreport.report.money.prices import PURCHASE, RENTAL, PriceUse, prices_used
from memreport.report.shares import share_of
from memreport.report.view import View

SOURCE = "FOCUS 1.2 of 2025-05-30, https://focus.finops.org, read 2026-11-20"
COLUMNS = (
    "ChargeDescription", "ChargeCategory", "SkuPriceId", "PricingQuantity", "PricingUnit", "ListUnitPrice", "ListCost",
    "ContractedUnitPrice", "ContractedCost", "EffectiveCost", "BilledCost", "BillingCurrency", "x_CostShare",
    "ServiceName", "ProviderName", "RegionName", "ServiceCategory", "ChargeFrequency", "PricingCategory",
    "PricingCurrency", "ConsumedQuantity", "ConsumedUnit", "CommitmentDiscountId", "CommitmentDiscountCategory",
    "CommitmentDiscountType", "CommitmentDiscountStatus", "CommitmentDiscountQuantity", "CommitmentDiscountUnit",
    "CapacityReservationId", "CapacityReservationStatus", "x_Scenario", "x_Variant", "x_Line", "x_PriceDate",
    "x_PriceSource",
)  # fmt: skip
"""The columns of a row as they are written, what people read first; None where a row has nothing to say."""

CURRENCY = "USD"
HOURS, ENERGY, PIECES, UNITS = "Accelerator-Hours", "kWh", "Accelerators", "Units"
OWN_QUOTE, OWN = "own quote", "own organisation"
STANDARD, DYNAMIC, COMMITTED = "Standard", "Dynamic", "Committed"
SPOT, RESERVATION, BY_USAGE = "spot", "Reservation", "Usage"
USED, UNUSED = "Used", "Unused"
UNUSED_WORDS = "; hours that are billed and not used"
ZERO, ONE = "0", "1"
"""Stand for a number of that size where the name of a figure could stand."""

Category = Literal["Usage", "Purchase", "Tax", "Adjustment"]


@frozen
class Charge:
    """A row: which figure each amount is, how FOCUS classes it, and which price it is billed at.

    `quantity` times either unit price is the cost at that price.  A charge that is worked out from others has none.
    """

    line: str
    service: str
    effective: str
    billed: str
    category: Category = "Usage"
    frequency: str = "Recurring"
    unit: str = UNITS
    quantity: str = ONE
    prices: tuple[str, str] = ("", "")
    costs: tuple[str, str] = ("", "")
    price: str = ""
    status: str = ""

    @property
    def is_counted(self) -> bool:
        """Whether it has quantity and unit price; taxes and adjustments are worked out from other charges."""
        return self.category in ("Usage", "Purchase")

    def figure(self, column: str) -> str:
        """The figure that a column of amounts holds: its name, `ZERO`, `ONE`, or nothing where it is null."""
        listed, agreed = self.costs if self.costs[0] else (self.effective, self.effective)
        each = self.prices if self.prices[0] else (listed, agreed)
        consumed = self.category == "Usage" and self.status != UNUSED
        known = {
            "PricingQuantity": self.quantity,
            "ListUnitPrice": each[0],
            "ContractedUnitPrice": each[1],
            "ConsumedQuantity": self.quantity if consumed else "",
        }
        costs = {
            "ListCost": listed,
            "ContractedCost": agreed,
            "EffectiveCost": self.effective,
            "BilledCost": self.billed,
        }
        return costs[column] if column in costs else known[column] if self.is_counted else ""


_RATES = ("usd_per_accelerator_hour", "agreed_usd_per_accelerator_hour")
_TARIFF = ("usd_per_kilowatt_hour", "usd_per_kilowatt_hour")


def _rent(status: str, word: str) -> Charge:
    cost = f"{word}_rent_usd"
    return Charge(
        "rent_usd", "Compute", cost, cost, frequency="Usage-Based", unit=HOURS, quantity=f"rented_{word}_hours",
        prices=_RATES, costs=(f"{word}_list_usd", cost), price=RENTAL, status=status,
    )  # fmt: skip


def _plain(line: str, service: str, **more: Any) -> Charge:
    return Charge(line, service, line, line, **more)


CHARGES = (
    _rent(USED, "used"),
    _rent(UNUSED, "unused"),
    _plain("extras_usd", "Other", frequency="Usage-Based"),
    Charge(
        "ordered_capital_usd", "Compute", ZERO, "ordered_capital_usd", "Purchase", "One-Time", PIECES,
        "bought_accelerators", ("installed_usd_per_accelerator",) * 2, ("ordered_capital_usd",) * 2, PURCHASE,
    ),
    Charge("hardware_usd", "Compute", "hardware_usd", ZERO, price=PURCHASE),
    _plain(
        "energy_usd", "Other", frequency="Usage-Based", unit=ENERGY, quantity="billed_kwh", prices=_TARIFF,
        price="energy_price",
    ),
    _plain("facility_usd", "Other", price="colocation"),
    _plain("support_usd", "Other"),
    _plain("staff_usd", "Other"),
    _plain("storage_usd", "Storage"),
    _plain("contingency_usd", "Other", category="Adjustment", frequency="One-Time"),
    _plain("tax_usd", "Other", category="Tax", frequency="One-Time"),
)  # fmt: skip
"""Every row that a bill may have; the effective costs add up to `cost_total_usd`."""

AMOUNTS = (
    "PricingQuantity", "ListUnitPrice", "ListCost", "ContractedUnitPrice", "ContractedCost", "EffectiveCost",
    "BilledCost", "ConsumedQuantity",
)  # fmt: skip
COSTS = ("ListCost", "ContractedCost", "EffectiveCost", "BilledCost")
UNITS_OF = {"PricingUnit": "PricingQuantity", "ConsumedUnit": "ConsumedQuantity"}


def focus_rows(computed: Computed, variant: str) -> list[dict[str, Any]]:
    """The lines of one variant's bill as FOCUS rows, without those that are nothing; none without a cost block.

    What is bought is billed once, in a row of its own, and its depreciation is an effective cost only.
    """
    view = View(computed)
    index = view.column_of(variant)
    if view.scenario.cost is None:
        return []
    rows = (charge_row(view, index, charge) for charge in CHARGES)
    return [row for row in rows if any(row[column] for column in COSTS)]


def amount(view: View, index: int, figure: str) -> float | None:
    """The number that a figure's name, `ZERO`, `ONE` or nothing stands for."""
    if figure in ("", ZERO, ONE):
        return {"": None, ZERO: 0.0, ONE: 1.0}[figure]
    return view.value(figure, index)


def charge_row(view: View, index: int, charge: Charge) -> dict[str, Any]:
    """One row in full, whatever it costs."""
    price = next((use for use in prices_used(view, index) if use.field == charge.price), None)
    total = view.value("cost_total_usd", index)
    found = dict(_words(view, charge), x_Variant=view.resolved.cases[index].name)
    found |= {column: amount(view, index, charge.figure(column)) for column in AMOUNTS}
    found |= {column: charge.unit if charge.figure(of) else None for column, of in UNITS_OF.items()}
    found |= _of_price(charge, price) | _commitment(view, index, charge, found)
    found["x_CostShare"] = share_of(found["EffectiveCost"], total)
    return {column: found.get(column) for column in COLUMNS}


def _words(view: View, charge: Charge) -> Iterator[tuple[str, Any]]:
    """What a row says whatever the prices are."""
    yield "ChargeDescription", f"{view.meaning(charge.line)}{UNUSED_WORDS if charge.status == UNUSED else ''}"
    yield "ServiceName", title_of(charge.line)
    yield "ServiceCategory", charge.service
    yield "ChargeCategory", charge.category
    yield "ChargeFrequency", charge.frequency
    yield "BillingCurrency", CURRENCY
    yield "x_Scenario", view.scenario.id
    yield "x_Line", charge.line


def _of_price(charge: Charge, price: PriceUse | None) -> dict[str, Any]:
    """What a row of the price book adds; nothing of it where the scenario has a quote of its own."""
    category = {"PricingCategory": STANDARD} if charge.is_counted else {}
    nobody = {"ProviderName": OWN, "PricingCurrency": CURRENCY, **category}
    if not charge.price:
        return nobody
    if price is None or price.overridden:
        return nobody | {"ProviderName": OWN_QUOTE, "SkuPriceId": OWN_QUOTE}
    return category | {
        "PricingCategory": DYNAMIC if price.offer.term == SPOT else STANDARD,
        "ProviderName": price.offer.provider or OWN,
        "RegionName": price.offer.region or None,
        "SkuPriceId": price.id,
        "PricingCurrency": price.offer.currency,
        "x_PriceDate": price.offer.date,
        "x_PriceSource": str(price.source),
    }


def _commitment(view: View, index: int, charge: Charge, row: Mapping[str, Any]) -> dict[str, Any]:
    """Reserved hours: a commitment discount where the price is reserved, else a reservation of capacity."""
    if not charge.status:
        return {}
    if not view.value("committed", index):
        reserved = view.value("reserved_hours", index) > 0
        return (
            {"CapacityReservationId": view.scenario.id, "CapacityReservationStatus": charge.status} if reserved else {}
        )
    return {
        "PricingCategory": COMMITTED,
        "ChargeFrequency": "Recurring",
        "CommitmentDiscountId": view.resolved.cases[index].settings[RENTAL],
        "CommitmentDiscountCategory": BY_USAGE,
        "CommitmentDiscountType": RESERVATION,
        "CommitmentDiscountStatus": charge.status,
        "CommitmentDiscountQuantity": row["PricingQuantity"],
        "CommitmentDiscountUnit": HOURS,
    }
