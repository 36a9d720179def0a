"""Time and cost with their ends, as people are told them."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.frozen import frozen


@frozen
class RangedAmount:
    """An amount, by the figures that are its value, its low and its high end."""

    title: str
    unit: str
    figures: tuple[str, str, str]


def with_ends(name: str) -> tuple[str, str, str]:
    """A figure, and those that are its ends."""
    stem = name.removesuffix("_usd").removesuffix("_total" if name == "cost_total_usd" else "")
    unit = "_usd" if name.endswith("_usd") else ""
    return name, f"{stem}_low{unit}", f"{stem}_high{unit}"


_COST = with_ends("whole_cost_usd")
TIME: Mapping[str, RangedAmount] = {
    "training": RangedAmount("Run time", "h", with_ends("run_hours")),
    "serving": RangedAmount("Time per token", "s", with_ends("time_per_output_token_seconds")),
}
"""By the clock: of the whole run, failures and restarts included; of a server, from one token to the next."""
COST: Mapping[str, RangedAmount] = {
    "training": RangedAmount("Cost of the run", "USD", _COST),
    "serving": RangedAmount("Cost of the service", "USD", _COST),
}
"""Of the whole run, of the service that is stated, or of what is bought for it."""
