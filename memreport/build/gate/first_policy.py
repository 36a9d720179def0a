"""The first policy of a gate: what the scenarios cost now, a quarter more as the limit."""

from __future__ import annotations

from math import ceil, log10
from pathlib import Path

from memreport.build.gate.gating import amounts_of
from memreport.build.versions.sides import side
from memreport.catalogue.terms.policy import read_policy
from memreport.errors import Fault, InputError
from memreport.files import lies, write_whole
from memreport.report.gate.amounts import Amounts
from memreport.report.gate.sides import Sided
from memreport.report.view import View

ROOM = 1.25
"""A limit over what is measured now, as size-limit's guide advises for a first one."""
PRICE_DAYS = 180


def first_policy(scenarios: str, file: Path, day: str) -> tuple[str, str]:
    """Write the policy and return it, and what to say of it.  Raises InputError where there is one already."""
    if lies(file):
        raise InputError([Fault("is there already; delete it, or name another with --policy", str(file))])
    now = side(scenarios)
    sides = [Sided(View(scenario), None, "") for scenario in now.scenarios.values()]
    text = _policy(sides, amounts_of(None, now, sides, scenarios)[1], scenarios, day)
    write_whole(file, text.encode())
    read_policy(file, day)
    return text, f"wrote {file}; commit it, and the next change is judged by it"


def _policy(sides: list[Sided], measured: Amounts, scenarios: str, day: str) -> str:
    total, names = measured.total["likely"], [sided.after.scenario.owner for sided in sides]
    lines = [f"# Limits of {scenarios} as measured on {day}, {ROOM - 1:.0%} above.", "schema: 1", "rules:"]
    lines += ["  fits: {level: block}  # no variant turns from fits to does not"]
    lines += ["  cost: {share: 10 %, amount: 1000 USD}  # a rise fails past both"]
    lines += [f"  total_cost: {{at_most: {_limit(total)} USD}}  # measured {total:.0f}"] if total else []
    budgets = {owner: _limit(amount) for owner, amount in sorted(measured.owners.items()) if owner and amount}
    if budgets:
        lines += [
            "  budgets:",
            "    owners:",
            *(f"      {_quoted(name)}: {limit} USD" for name, limit in budgets.items()),
        ]
    lines += [f"  price_age: {{level: advisory, days: {PRICE_DAYS}}}"]
    lines += ["  owner: {}"] if all(names) else ["  owner: {level: advisory}"]
    return "\n".join([*lines, "waivers: []"]) + "\n"


def _limit(amount: float) -> int:
    """A quarter more, rounded up to two digits."""
    step: int = 10 ** max(0, int(log10(amount * ROOM)) - 1)
    return ceil(amount * ROOM / step) * step


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
