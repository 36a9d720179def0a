"""What the prompts of others cost an answer, each figure against arithmetic by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.serving import prompts as serving_prompts
from memreport.formula.recording import figures_in, plain_line

Values = Callable[..., dict[str, float]]
LAYERS = {
    "qkv_launches": 48,
    "output_projection_launches": 48,
    "mlp_launches": 0,
    "norm_launches": 96,
    "pointwise_launches": 144,
    "rank_attention_layers": 12,
    "rank_mixture_layers": 48,
    "recurrent_layers": 36,
    "layers_per_stage": 48,
    "tensor_parallel_size": 1,
}
ANSWER = {
    **LAYERS,
    "launching_seconds": 0,
    "host_launch_factor": 1,
    "prompt_kernel_seconds": 1e-4,
    "prefill_chunks": 1,
    "decoding_sequences": 51,
    "prompts_together": 1,
    "output_tokens": 500,
    "decode_step_seconds": 0.02,
    "accepted_tokens": 1,
    "prompts_alone": 1,
    "prefill_seconds": 0.1,
    "joined_prefill_seconds": 0.02,
    "prompts_per_answer": 1,
    "scheduler_recv_interval": 1,
    "disaggregated": 0,
    "first_token_service_seconds": 0,
}


@pytest.fixture
def answered(evaluate: Values) -> Values:
    lines = [plain_line(one) for one in (*figures_in(serving_prompts), serving_prompts.plain_prompt_kernels)]
    return lambda **given: evaluate(lines, {**ANSWER, **given})


def test_kernels_of_a_prompt_are_those_of_its_layers_and_of_all_reduces(answered: Values) -> None:
    plain = 48 + 48 + 96 + 144 + 12 + 6 * 48 + 12 * 36
    assert answered()["prompt_kernels"] == plain
    assert answered(tensor_parallel_size=8)["prompt_kernels"] == plain + 2 * 48


def test_the_host_starts_them_anew_for_every_chunk(answered: Values) -> None:
    once = answered()["prompt_launching_seconds"]
    assert once == pytest.approx(1068e-4)
    assert answered(prefill_chunks=3, host_launch_factor=2)["prompt_launching_seconds"] == pytest.approx(6 * once)
    assert answered(launching_seconds=9)["prompt_launching_seconds"] == 9


def test_a_prompt_with_a_step_of_its_own_holds_up_the_others(answered: Values) -> None:
    assert answered()["held_up_seconds"] == pytest.approx(0.08)
    assert answered(prompts_alone=0)["held_up_seconds"] == 0
    assert answered(joined_prefill_seconds=0.2)["held_up_seconds"] == 0


def test_prompts_that_come_while_one_is_held_up_are_taken_together(answered: Values) -> None:
    # 50 others in 10 s, 0.08 s each: J = 0.4, x = J / (1 + J / (1 + x)).
    share = answered()["held_share"]
    assert share == pytest.approx(0.4 / (1 + 0.4 / (1 + share)))
    # Requests are looked for every eleventh step: those of 0.2 s more are together.
    rarely = answered(scheduler_recv_interval=11)["held_share"]
    assert rarely == pytest.approx(0.4 / (1 + (0.4 + 50 * 0.2 / 10) / (1 + rarely)))


def test_an_answer_is_slowed_by_work_and_by_what_holds_it_up(answered: Values) -> None:
    values = answered()
    assert values["joined_share"] == pytest.approx(50 * 0.02 / 10 + values["held_share"])
    assert values["interference_seconds"] == pytest.approx(values["joined_share"] * 0.02)
    assert answered(disaggregated=1)["interference_seconds"] == 0
