"""The answer is in the question's own terms, one sentence for every output."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.advise.asks import asks_of
from memreport.advise.decide import decide
from memreport.advise.verdict import FITS
from memreport.compute import compute
from memreport.report.answer.answered import answered
from memreport.report.answer.asking import listed
from memreport.resolve import resolve_all
from tests.built import KNOWN
from tests.report.answers import answer_to, asked
from tests.support import scenario_text


def test_a_question_of_size_is_answered_with_a_size(tmp_path: Path) -> None:
    assert "sequences at once" in asked(tmp_path, "[how_large_a_batch]").headline


def test_a_question_of_time_is_answered_with_a_time(tmp_path: Path) -> None:
    headline = asked(tmp_path, "[how_long]").headline
    assert any(f" {unit}" in headline for unit in ("h", "days", "min"))


def test_a_question_of_cost_is_answered_with_a_cost(tmp_path: Path) -> None:
    assert asked(tmp_path, "[what_cost]").headline.startswith("$")


def test_a_question_of_users_names_a_number_for_each_variant(tmp_path: Path) -> None:
    answer = asked(tmp_path, "[how_many_users]", "serving-mi300x")
    assert answer.headline.count(" with ") >= 2


@pytest.mark.parametrize(
    ("serving", "words"),
    [
        ("{prompt_tokens: 1500, output_tokens: 300}", "users at once with TP 2."),
        ("{prompt_tokens: 1500, output_tokens: 300, tensor_parallel_size: 1}", " on each of 2 replicas."),
        ("{prompt_tokens: 1500, output_tokens: 300, max_num_seqs: 8}", " on each of 2 replicas."),
    ],
)
def test_users_whose_number_nobody_stated_are_as_many_as_have_room_and_the_speed_is_theirs(
    tmp_path: Path, serving: str, words: str
) -> None:
    path = tmp_path / "users.yaml"
    hardware = "{accelerator: a100-80gb-sxm, count: 2}"
    text = scenario_text("users", hardware=hardware, workload="serving", serving=serving, asks="[how_many_users]")
    path.write_text(text, encoding="utf-8")
    decision = decide(compute(resolve_all([path]))[0])
    chosen, answer = decision.options.chosen, answered(decision)[0]
    assert answer.headline.endswith(words)
    assert (chosen.serves_most) is ("max_num_seqs" not in serving)
    planned = chosen.case.settings["max_num_seqs"] * chosen.case.settings["count"]
    said = int(answer.headline.partition(" ")[0].replace(",", ""))
    assert len(answer.options) <= (3 if "max_num_seqs" in serving else 2)
    assert said > 16 == planned if "max_num_seqs" in serving else said in (planned, planned / 2)


@pytest.mark.parametrize("name", ["serving-mi300x", "qlora-7b-rtx4070", "llama3-70b-8xa100"])
def test_a_question_of_speed_is_answered_with_the_speed_of_what_runs(tmp_path: Path, name: str) -> None:
    answer = asked(tmp_path, "[how_fast]", name)
    first, *others = re.findall(r"([0-9,]+ tokens/s \([0-9,.]+ to [0-9,.]+\)) with ([^;]+)", answer.headline)
    assert first[1] in (answer.chosen.name, listed(answer.chosen.changes.words))
    assert others
    assert "naive" not in answer.headline, "what does not run has no speed"


def test_a_figure_of_speed_among_the_answers_asks_for_it() -> None:
    scenario = KNOWN["serving-mi300x"].resolved.loaded.scenario
    asked = scenario.model_copy(update={"asks": [], "answers": ["time_to_first_token_seconds"]})
    assert asks_of(asked) == ("how_fast",)


@pytest.mark.parametrize(
    ("name", "question", "asks"),
    [
        ("llama3-70b-8xa100", "How long does it take and what does it cost?", ("how_long", "what_cost")),
        ("llama3-70b-8xa100", "Do eight A100 suffice, and what will it cost us?", ("fits",)),
        ("llama3-70b-8xa100", "How many H100 do we need?", ("how_many_gpus",)),
        ("llama3-70b-8xa100", "How large a batch can I use?", ("how_large_a_batch",)),
        ("serving-mi300x", "How many concurrent users, and how fast is it?", ("how_many_users", "how_fast")),
        ("serving-mi300x", "How many texts a second does it embed?", ("how_fast",)),
        ("serving-mi300x", "What shall the budget answer?", ("fits",)),
        ("serving-mi300x", "How many requests per second does it serve?", ("how_fast",)),
        ("serving-mi300x", "What throughput do we get?", ("how_fast",)),
        ("serving-mi300x", "How long a context fits?", ("how_long_a_context",)),
        ("llama3-70b-8xa100", "What is the longest sequence we can train?", ("how_long_a_context",)),
        ("llama3-70b-8xa100", "How long does a run with sequences of 8192 take?", ("how_long",)),
        ("llama3-70b-8xa100", "Which batch size can I use?", ("how_large_a_batch",)),
        ("llama3-70b-8xa100", "What does it cost at batch 8?", ("what_cost",)),
        ("llama3-70b-8xa100", "What is the maximum micro batch size?", ("how_large_a_batch",)),
        ("serving-mi300x", "What does a 32k context cost?", ("what_cost",)),
        ("serving-mi300x", "Which context length can we offer?", ("how_long_a_context",)),
        ("serving-mi300x", "What is the latency at 8k prompts?", ("how_fast",)),
        ("serving-mi300x", "How many requests can we handle per second?", ("how_fast",)),
        ("serving-mi300x", "What is the price per million tokens?", ("what_cost",)),
        ("llama3-70b-8xa100", "How many 4090s do we need?", ("how_many_gpus",)),
        ("llama3-70b-8xa100", "How many nodes do we need?", ("how_many_gpus",)),
        ("llama3-70b-8xa100", "What MFU do we reach?", ("how_fast",)),
        ("llama3-70b-8xa100", "When will it be finished?", ("how_long",)),
        ("llama2-7b-1xa100", "Which GPU do I need to train it?", ("which_gpu",)),
        ("llama2-7b-1xa100", "What is the cheapest GPU that fits?", ("which_gpu",)),
        ("llama3-70b-8xa100", "How do the variants compare?", ("compare",)),
        ("llama2-7b-1xa100", "Is LoRA cheaper than full fine-tuning?", ("compare",)),
        ("llama2-7b-1xa100", "Does checkpointing make it slower?", ("compare",)),
        ("llama2-7b-1xa100", "Is a cheaper GPU enough?", ("fits",)),
        ("llama2-7b-1xa100", "Is checkpointing worth it?", ("compare",)),
        ("llama2-7b-1xa100", "How much slower is checkpointing?", ("compare",)),
        ("llama2-7b-1xa100", "Is LoRA or full fine-tuning better?", ("compare",)),
        ("llama2-7b-1xa100", "How much energy does it use?", ("how_much_energy",)),
        ("serving-mi300x", "How long a prompt can we send?", ("how_long_a_context",)),
        ("serving-mi300x", "What is the longest document?", ("how_long_a_context",)),
        ("llama2-7b-1xa100", "Should we use LoRA or full fine-tuning?", ("compare",)),
        ("llama3-70b-8xa100", "What is the smallest number of GPUs?", ("how_many_gpus",)),
        ("llama3-70b-8xa100", "What are the fewest H100 GPUs that do?", ("how_many_gpus",)),
        ("llama2-7b-1xa100", "How much VRAM does it need?", ("how_much_memory",)),
        ("llama3-70b-8xa100", "How large are the optimizer states?", ("how_much_memory",)),
        ("serving-mi300x", "What is the memory footprint of the KV cache?", ("how_much_memory",)),
        ("serving-mi300x", "What does it cost to serve 10 million tokens a day?", ("what_cost",)),
        ("llama2-7b-1xa100", "Is it cheaper to rent or to buy?", ("rent_or_buy",)),
        ("llama3-70b-8xa100", "On which GPUs does it fit, and should we rent or buy?", ("which_fit", "rent_or_buy")),
    ],
)
def test_a_question_asks_what_its_words_say(name: str, question: str, asks: tuple[str, ...]) -> None:
    scenario = KNOWN[name].resolved.loaded.scenario
    assert asks_of(scenario.model_copy(update={"asks": [], "answers": [], "question": question})) == asks


@pytest.mark.parametrize(
    ("question", "training", "begins"),
    [
        ("Does it fit?", "{zero_stage: 3}", "Yes, as submitted: "),
        ("Will it OOM?", "{zero_stage: 3}", "No, as submitted: "),
        ("Does it fit?", "{zero_stage: 3, micro_batch_size: 64}", "Yes, with "),
        ("Will it run out of memory?", "{zero_stage: 3, micro_batch_size: 64}", "Yes, as submitted; not with "),
        ("Do we need more than eight GPUs?", "{zero_stage: 3}", "No, as submitted: "),
        ("Do I need checkpointing?", "{zero_stage: 3, micro_batch_size: 64}", "Yes, as submitted; not with "),
        ("Will we need all eight GPUs?", "{zero_stage: 3}", "Yes, as submitted: "),
    ],
)
def test_yes_is_said_to_the_question_that_was_asked(tmp_path: Path, question: str, training: str, begins: str) -> None:
    path = tmp_path / "asked.yaml"
    hardware = "{accelerator: a100-80gb-sxm, count: 8}"
    path.write_text(scenario_text("asked", question=question, hardware=hardware, training=training), encoding="utf-8")
    assert answer_to(path)[0].headline.startswith(begins)


def test_a_question_of_latency_is_answered_with_what_one_user_waits(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    text = scenario_text("asked", question="What is the latency?", workload="serving", serving="{max_num_seqs: 4}")
    path.write_text(text, encoding="utf-8")
    assert re.match(r"Time to first token: [0-9.]+ m?s .*\. Time per output token: ", answer_to(path)[0].headline)


def test_one_sequence_has_the_speed_at_which_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    serving = "{engine: llama.cpp, max_num_seqs: 1, weight_dtype: q4_k_m}"
    text = scenario_text("asked", question="How many tokens per second?", workload="serving", serving=serving)
    path.write_text(text, encoding="utf-8")
    answer = answer_to(path)[0]
    speed = answer.headline.partition(" as submitted")[0]
    assert re.fullmatch(r"[0-9,.]+ tokens/s \([0-9,.]+ to [0-9,.]+\)", speed)
    assert re.search(
        rf"answer to 2,048 tokens comes after [0-9.]+ m?s; the others at {re.escape(speed)}", answer.detail
    )


def test_the_largest_batch_is_said_of_the_settings_submitted(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    training = "{zero_stage: 3, gradient_checkpointing: full}"
    hardware = "{accelerator: a100-80gb-sxm, count: 8}"
    text = scenario_text("asked", question="How large a batch fits?", hardware=hardware, training=training)
    path.write_text(text, encoding="utf-8")
    answer = answer_to(path)[0]
    assert answer.headline.startswith("Up to ")
    assert not answer.chosen.changes.words


def test_two_questions_have_two_answers(tmp_path: Path) -> None:
    answer = asked(tmp_path, "[how_large_a_batch, how_long]")
    assert answer.asks == ("how_large_a_batch", "how_long")
    assert answer.headline.count(". ") == 1


def test_a_job_that_fits_nowhere_on_its_hardware_names_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    text = scenario_text(
        "small", model="llama-3-70b", hardware="{accelerator: rtx-4090, count: 1}", workload="training"
    )
    path.write_text(text, encoding="utf-8")
    answer = answer_to(path)[0]
    assert answer.word != FITS
    assert answer.headline.startswith("No, not on 1 × ")


def test_time_and_cost_are_one_sentence_that_says_what_they_are_as_submitted(tmp_path: Path) -> None:
    path = tmp_path / "both.yaml"
    given = "{zero_stage: 3, gradient_checkpointing: full, micro_batch_size: 1, gradient_accumulation_steps: 8}"
    cost = "{basis: rent, price: aws-p4de-on-demand}"
    text = scenario_text(
        "both",
        training=given,
        asks="[how_long, what_cost]",
        cost=cost,
        hardware="{accelerator: a100-80gb-sxm, count: 8}",
    )
    path.write_text(text, encoding="utf-8")
    answer = answer_to(path)[0]
    assert answer.headline.count(" with ") == 1
    submitted = answer.options[0]
    assert answer.headline.endswith(f"; as submitted {submitted.takes.time_text} and {submitted.takes.cost_text}.")
