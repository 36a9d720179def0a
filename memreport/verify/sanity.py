"""Step 4, verify: every figure is finite and, but for differences, not negative; sums agree with their parts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from memreport.compute import Computed
from memreport.errors import Fault, VerificationError

MAY_BE_NEGATIVE = ("headroom", "_break_even", "net_present", "saving", "_minus_", "surplus")
SUMS = {
    "parameters": (
        "embedding_parameters",
        "position_parameters",
        "attention_parameters",
        "mlp_parameters",
        "norm_parameters",
        "head_parameters",
        "extra_parameters",
    ),
    "cost_total_usd": ("subtotal_usd", "contingency_usd", "tax_usd"),
}
TOLERANCE = 1e-9


def check(computed: Computed) -> None:
    """Raise VerificationError with every figure of every case that is not a sound number."""
    faults = [*_unsound(computed), *_wrong_sums(computed)]
    if faults:
        raise VerificationError("\n".join(str(fault) for fault in faults))


def _unsound(computed: Computed) -> Iterable[Fault]:
    for line in computed.lines:
        column = np.broadcast_to(computed.values[line.name], len(computed.resolved.cases))
        bad = ~np.isfinite(column)
        if not any(word in line.name for word in MAY_BE_NEGATIVE):
            bad |= column < 0
        for at in np.flatnonzero(bad):
            yield _fault(computed, int(at), line.name, "is no sound number", repr(float(column[at])))


def _wrong_sums(computed: Computed) -> Iterable[Fault]:
    for whole, parts in SUMS.items():
        if whole in computed.resolved.overrides or set(parts) & set(computed.resolved.overrides):
            continue
        added = np.sum([computed.values[part] for part in parts], axis=0)
        wrong = np.abs(added - computed.values[whole]) > TOLERANCE * np.abs(added)
        for at in np.flatnonzero(wrong):
            yield _fault(computed, int(at), whole, "differs from the sum of its parts", repr(float(added[at])))


def _fault(computed: Computed, at: int, name: str, message: str, found: str) -> Fault:
    case = computed.resolved.cases[at]
    point = f", table {case.table + 1} row {case.row + 1} column {case.column + 1}" if case.table >= 0 else ""
    file = str(computed.resolved.loaded.path)
    return Fault(f"{message} in variant {case.name}{point}", file, field=name, found=found)
