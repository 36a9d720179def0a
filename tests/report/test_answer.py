"""The answer is in the question's own terms, one sentence for every output, and fits its room."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memreport.advise.asks import asks_of
from memreport.advise.decide import decide
from memreport.advise.verdict import FITS, TIGHT
from memreport.build.outputs import reported
from memreport.compute import compute
from memreport.publish.text.answer import LINES, blocks_text, coloured, options_text
from memreport.publish.text.width import WIDTH
from memreport.report.answer.answered import answered
from memreport.report.answer.notes import notes_of
from memreport.report.records.amounts import Amount
from memreport.report.records.blocks import Notes, OptionTable
from memreport.report.records.decision import Answer, OptionRow, Range
from memreport.resolve import resolve_all
from tests.built import IDS, KNOWN
from tests.built import decided as decided_on
from tests.support import ROOT, scenario_text

FOLDER = ROOT / "scenarios"
NOTES = ("memreport plan x", "memreport build x")


def _decided(path: Path) -> tuple[Answer, tuple[OptionRow, ...]]:
    return answered(decide(compute(resolve_all([path]))[0]))


@pytest.fixture(scope="module", params=IDS)
def decided(request: pytest.FixtureRequest) -> tuple[Answer, tuple[OptionRow, ...]]:
    return answered(decided_on(request.param))


@pytest.mark.parametrize("width", [80, WIDTH])
def test_show_and_plan_fit_a_screen(
    decided: tuple[Answer, tuple[OptionRow, ...]], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memreport.publish.text.answer.columns", lambda: width)
    answer, rows = decided
    for text, most in (
        (blocks_text((answer, OptionTable(rows), Notes(NOTES))), LINES),
        (options_text(answer, NOTES), 25),
    ):
        assert len(text.splitlines()) <= most
        assert max(map(len, text.splitlines())) <= width


def test_the_answer_ends_as_a_sentence_and_shows_no_raw_number(decided: tuple[Answer, tuple[OptionRow, ...]]) -> None:
    answer, _ = decided
    assert answer.headline.endswith(".")
    assert answer.headline[0] in "YNO" or answer.headline[0].isdigit() or answer.headline[0].isupper()
    assert "e+" not in answer.headline + answer.detail


def test_colour_is_never_the_only_sign(decided: tuple[Answer, tuple[OptionRow, ...]]) -> None:
    answer, rows = decided
    plain = blocks_text((answer, OptionTable(rows), Notes(NOTES)))
    painted = coloured(plain)
    assert "\033" not in plain
    assert painted.count("\033[0m") >= 1 + len(rows[:5])
    for row in rows[:5]:
        assert f"{row.mark} " in plain
    for code in ("31", "32", "33", "0"):
        painted = painted.replace(f"\033[{code}m", "")
    assert painted == plain


def _asked(folder: Path, asks: str, name: str = "gpt2-760m-mi300x") -> Answer:
    path = folder / "asked.yaml"
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").replace(f"id: {name}", "id: asked")
    lines = [line for line in text.splitlines() if not line.startswith(("answers:", "asks:"))]
    path.write_text("\n".join([*lines, f"asks: {asks}"]) + "\n", encoding="utf-8")
    return _decided(path)[0]


def test_a_job_that_leaves_gpus_of_its_instance_idle_says_what_the_bill_is_for(tmp_path: Path) -> None:
    path = tmp_path / "rented.yaml"
    host, cost = "accelerator: a100-80gb-sxm, host: dgx-a100", "{basis: rent, price: aws-p4de-on-demand}"
    said = {1: " unless other jobs use the other 7.", 8: "", 12: " unless other jobs use the other 4."}
    for count, sentence in said.items():
        hardware = f"{{{host}, count: {count}}}"
        path.write_text(scenario_text("rented", hardware=hardware, training="{method: lora}", cost=cost))
        detail = _decided(path)[0].detail
        assert sentence in detail
        assert ("Rented" in detail) is bool(sentence)


def test_a_service_says_what_its_hours_cost_and_how_fast_it_is(tmp_path: Path) -> None:
    path = tmp_path / "served.yaml"
    for hours, words in (("", "month of service costs $"), (", hours: 100", "4.17 days of service costs $")):
        cost = f"{{basis: rent, price: aws-p4de-on-demand{hours}}}"
        path.write_text(scenario_text("served", workload="serving", serving="{max_num_seqs: 4}", cost=cost))
        detail = _decided(path)[0].detail
        assert words in detail
        number = r"[0-9,.]+"
        ends = rf"\({number} to {number}\)"
        fast = rf"At full load it gives {number} tokens/s {ends}, {number} {ends} to each user\."
        assert re.search(fast, detail)


def test_a_question_of_size_is_answered_with_a_size(tmp_path: Path) -> None:
    assert "sequences at once" in _asked(tmp_path, "[how_large_a_batch]").headline


def test_a_question_of_time_is_answered_with_a_time(tmp_path: Path) -> None:
    headline = _asked(tmp_path, "[how_long]").headline
    assert any(f" {unit}" in headline for unit in ("h", "days", "min"))


def test_a_question_of_cost_is_answered_with_a_cost(tmp_path: Path) -> None:
    assert _asked(tmp_path, "[what_cost]").headline.startswith("$")


def test_a_question_of_users_names_a_number_for_each_variant(tmp_path: Path) -> None:
    answer = _asked(tmp_path, "[how_many_users]", "serving-mi300x")
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
    answer = _asked(tmp_path, "[how_fast]", name)
    first, *others = re.findall(r"([0-9,]+ tokens/s \([0-9,.]+ to [0-9,.]+\)) with ([^;]+)", answer.headline)
    assert first[1] in (answer.chosen.name, " and ".join(answer.chosen.settings))
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
        ("llama2-7b-1xa100", "Is it cheaper to rent or to buy?", ("fits", "rent_or_buy")),
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
    assert _decided(path)[0].headline.startswith(begins)


RENTED_L4 = {
    "model": "qwen3-8b", "hardware": "{accelerator: l4, count: 1, host: server}", "training": "{method: lora}",
    "question": "Does it fit?", "search": "{accelerator: [l4], count: [1, 2]}",
}  # fmt: skip


def test_weights_are_not_offloaded_into_memory_that_a_rented_instance_lacks(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(scenario_text("small", **RENTED_L4), encoding="utf-8")
    assert "weight offload to host memory" in _decided(path)[0].headline
    text = scenario_text("small", cost="{price: aws-g6-xlarge-on-demand}", **RENTED_L4)
    path.write_text(text, encoding="utf-8")
    answer = _decided(path)[0]
    assert answer.headline.startswith("Only just, with full checkpointing: 20.6 of 22.5 GiB per GPU; the nearest with ")
    assert answer.word == TIGHT


def test_a_question_of_latency_is_answered_with_what_one_user_waits(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    text = scenario_text("asked", question="What is the latency?", workload="serving", serving="{max_num_seqs: 4}")
    path.write_text(text, encoding="utf-8")
    assert re.match(r"Time to first token: [0-9.]+ m?s .*\. Time per output token: ", _decided(path)[0].headline)


def test_a_question_of_the_cost_of_tokens_is_answered_with_it(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    question, cost = "What does it cost per million tokens?", "{price: aws-p4de-on-demand}"
    for demand in (None, "{requests_per_second: 1}"):
        text = scenario_text("asked", question=question, workload="serving", cost=cost, demand=demand)
        path.write_text(text, encoding="utf-8")
        answer = _decided(path)[0]
        said = answer.detail if demand else answer.headline
        assert re.search(r"A million tokens cost \$[0-9.]+ in the prompt and \$[0-9.]+ \(", said)


def test_a_demand_that_asks_for_rent_or_purchase_is_answered_with_it(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    text = scenario_text(
        "asked", question="Should we rent or buy?", workload="serving", demand="{requests_per_second: 1}",
        cost="{price: aws-p4de-on-demand}",
    )  # fmt: skip
    path.write_text(text, encoding="utf-8")
    assert " Rent or buy? Not known: no purchase price is stated" in _decided(path)[0].headline


def test_one_sequence_has_the_speed_at_which_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    serving = "{engine: llama.cpp, max_num_seqs: 1, weight_dtype: q4_k_m}"
    text = scenario_text("asked", question="How many tokens per second?", workload="serving", serving=serving)
    path.write_text(text, encoding="utf-8")
    answer = _decided(path)[0]
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
    answer = _decided(path)[0]
    assert answer.headline.startswith("Up to ")
    assert not answer.chosen.settings


def test_two_questions_have_two_answers(tmp_path: Path) -> None:
    answer = _asked(tmp_path, "[how_large_a_batch, how_long]")
    assert answer.asks == ("how_large_a_batch", "how_long")
    assert answer.headline.count(". ") == 1


def test_a_job_that_fits_nowhere_on_its_hardware_names_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    text = scenario_text(
        "small", model="llama-3-70b", hardware="{accelerator: rtx-4090, count: 1}", workload="training"
    )
    path.write_text(text, encoding="utf-8")
    answer = _decided(path)[0]
    assert answer.word != FITS
    assert answer.headline.startswith("No, not on 1 × ")


def test_what_is_bought_is_signed_as_a_whole_with_the_share_that_this_use_bears(tmp_path: Path) -> None:
    path = tmp_path / "bought.yaml"
    cost = "{basis: buy, purchase_price: a100-80gb-new-high}"
    path.write_text(scenario_text("bought", training="{method: lora}", cost=cost), encoding="utf-8")
    report = reported(decide(compute(resolve_all([path]))[0]), derived=False)
    assert report.answer
    assert report.budget
    (fact,) = [one for one in report.budget.facts if one.name == "approval_total_usd"]
    assert fact.text in report.budget.decisions[0]
    assert "purchase" in report.budget.decisions[0]
    assert fact.text in report.answer.detail
    assert report.answer.chosen.cost
    assert report.answer.chosen.cost.amount.text == fact.text
    (bears,) = re.findall(r"this use costs (\$[\d,.]+)", fact.note)
    assert bears in report.budget.decisions[0]
    assert bears in report.answer.detail


def test_a_question_how_many_gpus_is_answered_with_the_fewest_that_hold_it(tmp_path: Path) -> None:
    path = tmp_path / "count.yaml"
    sharded = "{zero_stage: 3, gradient_checkpointing: full, micro_batch_size: 1}"
    text = scenario_text(
        "count", training=sharded, asks="[how_many_gpus]", hardware="{accelerator: rtx-4090, count: 16}"
    )
    path.write_text(text, encoding="utf-8")
    answer = _decided(path)[0]
    count, submitted = answer.chosen.count, int(re.findall(r"; (\d+) with the settings submitted", answer.headline)[0])
    assert answer.headline.startswith(f"{count} × GeForce RTX 4090 with ")
    assert 1 <= count < submitted < 16
    fewer = "\n".join(f"  n{n}: {{hardware.count: {n}}}" for n in range(1, submitted + 1))
    path.write_text(
        text.replace("variants:", f"variants:\n{fewer}") if "variants:" in text else f"{text}\nvariants:\n{fewer}\n",
        encoding="utf-8",
    )
    kept = [one.word == FITS and one.headroom.value >= 0.05 * one.usable.value for one in _decided(path)[1]]
    assert kept[:submitted] == [False] * (submitted - 1) + [True]


def test_what_nothing_that_was_searched_holds_is_given_a_number_of_gpus(tmp_path: Path) -> None:
    path = tmp_path / "far.yaml"
    path.write_text(scenario_text("far", model="gpt3-175b", hardware="{accelerator: t4, count: 1}"), encoding="utf-8")
    answer = _decided(path)[0]
    assert re.search(r"the nearest that fits is \d+ × ", answer.headline)
    assert answer.chosen.word == FITS


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
    answer = _decided(path)[0]
    assert answer.headline.count(" with ") == 1
    submitted = answer.options[0]
    assert answer.headline.endswith(f"; as submitted {submitted.time_text} and {submitted.cost_text}.")


def test_a_plan_never_cuts_an_amount(decided: tuple[Answer, tuple[OptionRow, ...]]) -> None:
    answer, _ = decided
    long = Range(Amount(1.19e7, "USD", "$11,900,000"), "$7,470,000", "$18,800,000", 7.47e6, 1.88e7)
    rows = tuple(replace(one, cost=one.cost and long) for one in answer.options)
    facts = [line for line in options_text(replace(answer, options=rows), NOTES).splitlines() if "headroom" in line]
    assert not any("…" in line for line in facts)
    assert all(line.rstrip(")").endswith(("$11,900,000", "$18,800,000")) for line in facts if "$" in line)


def test_a_risk_is_another_value_than_the_planned_one(tmp_path: Path) -> None:
    path = tmp_path / "short.yaml"
    longest = "{sequence_length: 1024, micro_batch_size: 4}"
    path.write_text(scenario_text("short", model="gpt2", training=longest), encoding="utf-8")
    report = reported(decide(compute(resolve_all([path]))[0]), derived=False)
    assert report.budget
    assert report.budget.risks
    for risk in report.budget.risks:
        given = re.search(r"(\S+(?: \S+)?) \((.+) planned\)$", risk.title)
        assert not given or not risk.title.removesuffix(f" ({given[2]} planned)").endswith(f" {given[2]}")


def test_a_service_is_shown_with_the_time_of_a_token() -> None:
    answer, rows = _decided(FOLDER / "serving-mi300x.yaml")
    assert "a token" in blocks_text((answer, OptionTable(rows), Notes(NOTES)))


def test_a_choice_that_no_measurement_judges_is_said(tmp_path: Path) -> None:
    def notes(served: str) -> tuple[str, ...]:
        path = tmp_path / "prefix.yaml"
        path.write_text(scenario_text("prefix", workload="serving", serving=served))
        return notes_of(decide(compute(resolve_all([path]))[0], sensitivity=False))

    said = "No published measurement judges the memory: the range of its peak is 5 % wider to each side."
    assert said in notes("{max_num_seqs: 4, shared_prefix_tokens: 512}")
    assert said not in notes("{max_num_seqs: 4}")


PRICED = "cost: {basis: rent, price: none}\noverrides: {usd_per_accelerator_hour: 2.5}\n"


@pytest.mark.parametrize(("price", "saved"), [("", "% fewer GPU-hours"), (PRICED, "% cheaper")])
def test_what_an_option_saves_is_money_only_where_a_price_is_known(tmp_path: Path, price: str, saved: str) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        scenario_text(
            model="llama-3.1-8b",
            hardware="{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}",
            training="{zero_stage: 3, gradient_checkpointing: full}",
            variants="{base: {}, fp8: {training.precision: fp8}}",
        )
        + price,
        encoding="utf-8",
    )
    answer, _ = _decided(path)
    assert answer.headline.startswith("Yes, as submitted; ")
    assert saved in answer.headline
    assert answer.detail.startswith("With that, the peak memory is ")
    low, high = answer.chosen.accelerator_hours_ends
    assert low < answer.chosen.accelerator_hours < high


@pytest.mark.parametrize(
    ("cost", "said", "chosen"),
    [
        ("{price: aws-p4de-on-demand}", "; the job costs least on 1 × L40S.", "l40s"),
        ("", " is the smallest that holds it (16.9 of 20 GiB).", "rtx-4000-ada"),
    ],
)
def test_a_question_which_gpu_names_the_smallest_and_the_cheapest(
    tmp_path: Path, cost: str, said: str, chosen: str
) -> None:
    path = tmp_path / "which.yaml"
    text = scenario_text("which", question='"Which GPU do I need?"', training="{method: lora, sequence_length: 512}")
    path.write_text(f"{text}\n{f'cost: {cost}' if cost else ''}\n", encoding="utf-8")
    answer, _ = _decided(path)
    assert "RTX 4000 Ada Generation is the smallest " in answer.headline
    assert answer.headline.endswith(said)
    assert chosen in str(answer.chosen)


def test_a_question_for_the_cheapest_gpu_says_that_no_price_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "which.yaml"
    path.write_text(scenario_text("which", question='"What is the cheapest GPU?"'), encoding="utf-8")
    assert "; no price is stated, such as cost: {price: " in _decided(path)[0].headline


def test_a_question_which_way_fits_names_those_that_do(tmp_path: Path) -> None:
    answer = _asked(tmp_path, "[which_fit]", "qlora-7b-rtx4070")
    assert answer.headline == (
        "QLoRA r=16 (5.05 of 12 GiB); QLoRA, 4 sequences (7 of 12 GiB); "
        "1 with less than the planned headroom; 2 would not fit."
    )
    assert answer.detail.startswith("With QLoRA r=16, the peak memory is ")


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (
            "{price: tensorwave-mi300x-on-demand, purchase_price: mi300x-street-high, rent_or_buy: true}",
            r"^Rent: buying does not pay by month 1, in use 100 % of the hours; it pays at no utilisation",
        ),
        (
            "{price: azure-nd96isr-mi300x-v5-on-demand}",
            "^Not known: no purchase price is stated; the price book has some of this GPU for cost.purchase_price",
        ),
    ],
)
def test_rent_or_buy_is_answered_with_one_of_both(tmp_path: Path, cost: str, said: str) -> None:
    path = tmp_path / "bought.yaml"
    path.write_text(
        scenario_text("bought", hardware="{accelerator: mi300x, count: 1}", workload="serving")
        + f"question: Should we rent or buy?\ncost: {cost}\n"
    )
    assert re.search(said, _decided(path)[0].headline)


@pytest.mark.parametrize(
    ("price", "said"),
    [
        (
            9_000,
            r"^Rent for up to ([\d,.]+) runs, buy for more: rented costs (\$[\d.]+) a run, bought \$9,000 once and ",
        ),
        (9e9, r"^Rent: buying never pays, as rented costs (\$[\d.]+) a run, bought \$9,000,000,000 once and "),
    ],
)
def test_one_variant_that_rents_and_one_that_buys_are_compared(tmp_path: Path, price: float, said: str) -> None:
    path = tmp_path / "bases.yaml"
    variants = (
        "{rented: {}, bought: {hardware: {accelerator: l40s}, cost: {basis: buy, price: none}, "
        f"overrides: {{usd_per_accelerator: {price}}}}}}}"
    )
    job = {"training": "{method: lora, training_tokens: 50e6}", "cost": "{price: lambda-h100-on-demand}"}
    hardware = "{accelerator: h100-80gb-sxm, count: 1}"
    text = scenario_text("bases", question="Should we rent or buy?", hardware=hardware, variants=variants, **job)
    path.write_text(text, encoding="utf-8")
    assert re.search(said, _decided(path)[0].headline)


def test_a_question_of_cost_without_a_price_says_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "unpriced.yaml"
    path.write_text(scenario_text("unpriced", workload="training") + "asks: [what_cost]\n")
    said = r"^[0-9.]+ \([0-9.]+ to [0-9.]+\) GPU-hours .*; no price is stated, such as cost: {price: [a-z0-9-]+}\.$"
    assert re.search(said, _decided(path)[0].headline)


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (None, r"^B is fastest: \d\S* \w+ \(.*\); A .*; C does not fit\.$"),
        (
            "{price: aws-p4de-on-demand}",
            r"^(A and B|B and A) cost the same within the error of the times: .*\$.*; C does not fit\.$",
        ),
    ],
)
def test_variants_are_compared_by_cost_or_by_time_and_by_what_is_sure(
    tmp_path: Path, cost: str | None, said: str
) -> None:
    path = tmp_path / "sides.yaml"
    variants = "{A: {}, B: {hardware.count: 16}, C: {training.zero_stage: 0}}"
    given = {"cost": cost, "variants": variants, "question": "Which is faster, a or b? Compare."}
    blocks = {"training": "{zero_stage: 3, training_tokens: 1e9}", "hardware": "{accelerator: a100-80gb-sxm, count: 8}"}
    path.write_text(scenario_text("sides", **blocks, **given), encoding="utf-8")
    answer, _ = _decided(path)
    assert re.match(said, answer.headline), answer.headline


SERVED = {"workload": "serving", "model": "llama-3-8b", "training": None}


@pytest.mark.parametrize(
    ("given", "headline", "detail"),
    [
        ({"question": "Does it fit?", "training": "{zero_stage: 3}"}, "", "A run of 1 billion tokens takes "),
        ({"question": "Does it fit?", "training": "{zero_stage: 3, training_tokens: 5e8}"}, "", "The run takes "),
        ({"question": "How long does it take?", "training": "{zero_stage: 3}"}, " for a run of 1 billion tokens ", ""),
        (
            SERVED | {"question": "How long a context fits?", "serving": "{max_num_seqs: 2, max_model_len: 4096}"},
            "p to 8,192 tokens a sequence, 2 at once (4,096 in the figures below; all that the model reads).",
            "",
        ),
        (
            SERVED
            | {
                "question": "How fast is it?",
                "model": "gpt-oss-120b",
                "hardware": "{accelerator: h100-80gb-sxm, count: 1}",
                "serving": "{max_num_seqs: 64, prompt_tokens: 1024, output_tokens: 1024}",
            },
            " as submitted; ",
            "",
        ),
    ],
)
def test_what_was_not_stated_is_not_said_as_if_it_were(
    tmp_path: Path, given: dict[str, Any], headline: str, detail: str
) -> None:
    path = tmp_path / "open.yaml"
    blocks = {"hardware": "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}", **given}
    path.write_text(scenario_text("open", **blocks), encoding="utf-8")
    answer, _ = _decided(path)
    assert headline in answer.headline
    assert detail in answer.detail
