"""How much can be trained for an amount that may be spent."""

from __future__ import annotations

import numpy as np

from memreport.compute import Computed, calculate
from memreport.figures.beside import affordable_tokens
from memreport.formula.recording import plain_line

TOKENS, COST = "training_tokens", "whole_cost_usd"


def tokens_for(computed: Computed, column: int, most_usd: float | None) -> tuple[float, ...]:
    """Tokens of one option that the amount pays for, and their ends; nothing without an amount or a price."""
    ends = [name for name in (COST, "whole_cost_high_usd", "whole_cost_low_usd") if name in computed.values]
    if most_usd is None or TOKENS not in computed.values or len(ends) < 3 or computed.values["buys"][column]:
        return ()
    costs = np.asarray([computed.values[name][column] for name in ends])
    read = {TOKENS: computed.values[TOKENS][column : column + 1], "most_cost_usd": np.asarray([most_usd])}
    made = calculate([plain_line(affordable_tokens)], {**read, COST: costs})
    return tuple(made[affordable_tokens.name].tolist())
