from __future__ import annotations

import pytest

from memreport.figures import beside
from memreport.formula.recording import Figure


@pytest.mark.parametrize(
    ("figure", "given", "wanted"),
    [
        (beside.encoded_tokens_per_second, (30, 512), 15_360),
        (beside.reached_flop_per_second, (3e12, 2), 1.5e12),
        (beside.context_tokens_in_all, (8192, 4), 32_768),
        (beside.counted_over_ranks, (2, 8), 16),
        (beside.sequences_on_all_replicas, (237, 2), 474),
        (beside.replica_nodes, (8, 2, 8), 2),
        (beside.replica_nodes, (8, 1, 16), 1),
        (beside.carried_requests_per_second, (3, 5, 2), 7.5),
        (beside.part_usd, (4_000, 0.1), 400),
        (beside.proportional_usd, (100, 30, 60), 50),
        (beside.owned_use_usd, (200, 1.5, 80, 100), 60),
        (beside.break_even_uses, (9_000, 10, 4), 1_500),
        (beside.break_even_uses, (9_000, 4, 10), 9e15),
        (beside.batch_hours, (1e6, 100, 250), 1e8 / 250 / 3600),
        (beside.batch_usd, (730, 730, 40), 40),
        (beside.affordable_tokens, (1e9, 200, 500), 2.5e9),
        (beside.tokens_in_time, (1e9, 4, 12), 3e9),
        (beside.idle_rent_usd, (90, 0, 100, 110, 1, 8), 693),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_figures_beside_the_calculation(figure: Figure, given: tuple[float, ...], wanted: float) -> None:
    assert figure.formula(*given) == pytest.approx(wanted)
    assert figure.expression.unit == figure.unit
