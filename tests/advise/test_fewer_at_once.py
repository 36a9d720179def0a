"""A service of which nobody says how many it serves: as many as have room, over all GPUs that are stated."""

from __future__ import annotations

import re
from pathlib import Path

from memreport.advise.decide import Decision, decide
from memreport.report.answer.answered import answered
from tests.support import run, scenario_text


def decided(folder: Path, question: str, **stated: str) -> Decision:
    text = scenario_text(model=None, hardware=None, workload=None, question=f'"{question}"', **stated)
    return decide(run(folder, text), sensitivity=False)


def test_it_runs_with_fewer_than_an_engine_takes_by_default(tmp_path: Path) -> None:
    made = decided(tmp_path, "Can we serve Llama 3.1 70B on 4 L40S?")
    settings = made.options.chosen.case.settings
    assert made.options.recommended is made.options.chosen
    assert (settings["count"], settings["tensor_parallel_size"]) == (4, 4)
    assert 0 < settings["max_num_seqs"] < 32
    assert f"TP 4 and {settings['max_num_seqs']:.0f} sequences at once" in answered(made)[0].headline


def test_few_run_with_what_is_smaller_where_there_is_room_for_no_more(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "Can I run a 70B model on two 24 GB cards in 8-bit?"))[0]
    assert answer.headline.startswith("No, not on 2 × GeForce RTX 4090; ")
    answer = answered(decided(tmp_path, "Can I run a 70B model on two 24 GB cards in 4-bit?"))[0]
    assert re.fullmatch(r"Yes, with one setting: TP 2\.", answer.headline)


def test_what_starts_with_fewer_is_a_yes(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "Can one L4 serve Llama 3.1 8B?"))[0]
    assert re.fullmatch(r"Yes, with one setting: \d+ sequences at once\.", answer.headline)


def test_users_that_are_stated_are_not_fewer(tmp_path: Path) -> None:
    made = decided(tmp_path, "Can we serve Llama 3.1 70B to 64 users on 4 L40S?")
    assert made.options.recommended is None


def test_weights_of_fewer_bits_are_named_where_the_same_gpus_hold_them(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "Does Llama 3.3 70B fit on an A100 80GB?"))[0]
    assert answer.headline.startswith("No, not on 1 × A100 80 GB SXM4; the nearest that fits is ")
    assert re.search("; on the same GPUs it fits with (AWQ|FP8) weights, a different job.", answer.headline)


def test_on_a_gpu_of_one_s_own_weights_of_fewer_bits_are_no_different_job(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "Does Llama 3.1 8B fit on an RTX 4070?"))[0]
    assert answer.headline == "Yes, with two settings: FP8 weights and FP8 cache."


def test_a_queue_answers_how_fast(tmp_path: Path) -> None:
    """What waits is served, too: fewer at once would be no answer to it."""
    answer = answered(decided(tmp_path, "How fast will gpt-oss-120b be on an H100?"))[0]
    assert "sequences at once" not in answer.headline


def test_most_users_have_a_layout_of_their_own_where_the_usual_number_has_none(tmp_path: Path) -> None:
    made = decided(tmp_path, "How many users can 8 H100 serve with Llama 3.1 70B at 32k context?")
    settings = made.options.chosen.case.settings
    assert made.options.chosen.serves_most
    assert settings["tensor_parallel_size"] == 8
    assert 32 < settings["max_num_seqs"] < 64


def test_a_gpu_of_which_no_number_carries_the_demand_is_said_to(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "How many RTX 4090 do we need to run Llama 3.1 405B in 4-bit?"))[0]
    assert answer.headline.startswith("No number of GeForce RTX 4090 that was tried carries it: ")


def test_few_users_are_told_beside_those_of_fewer_bits(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "How many users can 2 H100 serve with Llama 3 70B?"))[0]
    found = re.fullmatch(r"(\d+) users at once with PP 2; (\d+) with FP8 weights and TP 2\.", answer.headline)
    assert found
    few, more = map(int, found.groups())
    assert 0 < few < 32 < more


def test_many_users_are_told_beside_those_of_a_smaller_cache(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "How many users can 4 H100 serve with Llama 3 70B?"))[0]
    assert re.fullmatch(r"\d+ users at once with TP 4; \d+ with FP8 cache\.", answer.headline)


def test_numbers_that_no_tensor_parallelism_fills_hold_replicas(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "How many users can 10 H100 serve with Llama 3.3 70B FP8 at 8k context?"))[0]
    on_each = r"\d+ users at once, \d+ on each of 5 replicas with TP 2; \d+ with FP8 cache\."
    assert re.fullmatch(on_each, answer.headline)


def test_odd_numbers_of_gpus_hold_stages(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "Can 3 RTX 3090 run Llama 3.3 70B in 4-bit?"))[0]
    assert re.fullmatch(r"Yes, with one setting: PP 3\.", answer.headline)


def test_a_cache_in_fp8_is_for_gpus_that_compute_in_it(tmp_path: Path) -> None:
    answer = answered(decided(tmp_path, "How many users can an A100 serve with Llama 3.1 8B?"))[0]
    assert re.fullmatch(r"\d+ users at once\.", answer.headline)
    tried = decided(tmp_path, "How many A100 for 100 users of Llama 3.1 8B at 8k?").options.candidates
    settings = [each.case.settings for each in tried if str(each.case.settings["accelerator"]).startswith("a100")]
    assert settings
    assert {str(each["kv_cache_dtype"]) for each in settings} == {"bf16"}
