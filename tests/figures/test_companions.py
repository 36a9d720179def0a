"""Models beside the one that is trained, by hand: a model of 100 parameters, half of it on each of two cards."""

from __future__ import annotations

import pytest

from memreport.figures.model import companions as c
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

STATES = {"weight_bytes": 2, "master_weight_bytes": 4, "gradient_bytes": 2, "optimizer_state_bytes": 8}
AWAKE = {"resident_bytes": 10e9, "rollout_memory_share": 0.3, "capacity_bytes": 80e9}
INSTANTS = {"forward_end_bytes": 30e9, "backward_start_bytes": 20e9, "backward_end_bytes": 25e9} | {
    "optimizer_instant_without_gathered_bytes": 15e9,
}  # fmt: skip
TRUTHS = [
    truth(c.frozen_models, 2, frozen_copies=2, frozen_rewards=1, trains_base=1),
    truth(c.frozen_models, 1, frozen_copies=2, frozen_rewards=1, trains_base=0),
    truth(
        c.frozen_model_bytes,
        (2 * 100 + 50) * 2 * 0.5 / 5,
        frozen_models=2,
        parameters=100,
        frozen_parameters=50,
        frozen_element_bytes=2,
        rank_share=0.5,
        parameter_shards=5,
    ),
    truth(c.critic_bytes, 16, trained_copies=1, **STATES),
    truth(c.critic_bytes, 0, trained_copies=0, **STATES),
    truth(c.rollout_bytes, 24e9, rollout_memory_share=0.3, rollout_sleeps=0, capacity_bytes=80e9),
    truth(c.rollout_bytes, 0, rollout_memory_share=0.3, rollout_sleeps=1, capacity_bytes=80e9),
    truth(c.generating_bytes, 34e9, rollout_sleeps=1, **AWAKE),
    truth(c.generating_bytes, 0, rollout_sleeps=0, **AWAKE),
    truth(c.generating_excess_bytes, 34e9 - 30e9, generating_bytes=34e9, **INSTANTS),
    truth(c.generating_excess_bytes, 0, generating_bytes=20e9, **INSTANTS),
    truth(c.companion_bytes, 6, frozen_model_bytes=1, critic_bytes=2, rollout_bytes=3),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_models_beside_the_trained_one(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected, rel=1e-12)


def test_every_figure_of_other_models_has_a_truth() -> None:
    assert {one.name for one in figures_in(c)} == {one.name for one, _, _ in TRUTHS}
