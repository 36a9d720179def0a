"""What is on an invoice: hours that are used and unused, list and agreed prices, purchases; for cost teams' columns."""

from memreport.figures.quantities import Bytes, Count, Hours, KilowattHours, Switch, Usd, UsdPerHour
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, smaller, where


@figure("n_i", title="GPUs of the instances rented")
def rented_accelerators(rents: Switch, accelerators: Count, instance_accelerators: Count) -> Count:
    """GPUs of as many whole instances as the job needs; those beyond the job's stand idle or serve others.

    Source: cloud providers rent instances, not GPUs; the price book says how many one holds.
    """
    return rents * ceil(accelerators / larger(instance_accelerators, 1)) * larger(instance_accelerators, 1)


@figure("M_node")
def node_memory_bytes(
    host_memory_bytes: Bytes,
    rents: Switch,
    instance_memory_bytes: Bytes,
    instance_accelerators: Count,
    accelerators_per_node: Count,
) -> Bytes:
    """Host memory of a node: no more than comes with the instances that are rented for its GPUs, where that is known.

    Source: clouds' instance types, hardware/prices.yaml.
    """
    return where(
        rents * instance_memory_bytes > 0,
        smaller(
            host_memory_bytes, instance_memory_bytes * ceil(accelerators_per_node / larger(instance_accelerators, 1))
        ),
        host_memory_bytes,
    )


@figure("h_u")
def rented_used_hours(rents: Switch, accelerator_hours: Hours) -> Hours:
    """Rented GPU-hours in which the job runs.  Source: product."""
    return rents * accelerator_hours


@figure("h_x")
def rented_unused_hours(rents: Switch, billed_accelerator_hours: Hours, rented_used_hours: Hours) -> Hours:
    """Reserved GPU-hours that are billed and not used.  Source: cloud providers' terms of reservation."""
    return rents * billed_accelerator_hours - rented_used_hours


@figure("K_lu")
def used_list_usd(rented_used_hours: Hours, usd_per_accelerator_hour: UsdPerHour) -> Usd:
    """Used hours at the list price.  Source: FOCUS 1.2, ListCost."""
    return rented_used_hours * usd_per_accelerator_hour


@figure("K_lx")
def unused_list_usd(rented_unused_hours: Hours, usd_per_accelerator_hour: UsdPerHour) -> Usd:
    """Unused hours at the list price.  Source: FOCUS 1.2, ListCost."""
    return rented_unused_hours * usd_per_accelerator_hour


@figure("K_ru")
def used_rent_usd(rented_used_hours: Hours, agreed_usd_per_accelerator_hour: UsdPerHour) -> Usd:
    """Used hours at the agreed price.  Source: FOCUS 1.2, ContractedCost."""
    return rented_used_hours * agreed_usd_per_accelerator_hour


@figure("K_rx")
def unused_rent_usd(rented_unused_hours: Hours, agreed_usd_per_accelerator_hour: UsdPerHour) -> Usd:
    """Unused hours at the agreed price.  Source: FOCUS 1.2, ContractedCost."""
    return rented_unused_hours * agreed_usd_per_accelerator_hour


@figure("n_b")
def bought_accelerators(buys: Switch, accelerators: Count) -> Count:
    """GPUs on a purchase order.  Source: the scenario."""
    return buys * accelerators


@figure("K_each")
def installed_usd_per_accelerator(capital_usd: Usd, accelerators: Count) -> Usd:
    """One GPU with its part of node, network, freight and installation.  Source: division."""
    return capital_usd / accelerators


@figure("K_po", title="Purchase order")
def ordered_capital_usd(buys: Switch, capital_usd: Usd) -> Usd:
    """The purchase order, which is paid at once.  Source: FOCUS 1.2, BilledCost."""
    return buys * capital_usd


@figure("E_b")
def billed_kwh(buys: Switch, pays_energy: Switch, energy_kwh: KilowattHours) -> KilowattHours:
    """Energy that has a bill of its own.  Source: the contract."""
    return buys * pays_energy * energy_kwh
