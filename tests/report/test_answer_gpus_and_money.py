"""Questions of GPUs, of prices, and of renting or buying are answered in their own terms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.advise.decide import decide
from memreport.advise.verdict import FITS, TIGHT
from memreport.build.outputs import reported
from memreport.compute import compute
from memreport.errors import InputError
from memreport.resolve import resolve_all
from tests.report.answers import answer_to, asked
from tests.support import scenario_text


def test_a_job_that_leaves_gpus_of_its_instance_idle_says_what_the_bill_is_for(tmp_path: Path) -> None:
    path = tmp_path / "rented.yaml"
    host, cost = "accelerator: a100-80gb-sxm, host: dgx-a100", "{basis: rent, price: aws-p4de-on-demand}"
    said = {1: " unless other jobs use the other 7.", 8: "", 12: " unless other jobs use the other 4."}
    for count, sentence in said.items():
        hardware = f"{{{host}, count: {count}}}"
        path.write_text(scenario_text("rented", hardware=hardware, training="{method: lora}", cost=cost))
        detail = answer_to(path)[0].detail
        assert sentence in detail
        assert ("Rented" in detail) is bool(sentence)


def test_a_service_says_what_its_hours_cost_and_how_fast_it_is(tmp_path: Path) -> None:
    path = tmp_path / "served.yaml"
    for hours, words in (("", "month of service costs $"), (", hours: 100", "4.17 days of service costs $")):
        cost = f"{{basis: rent, price: aws-p4de-on-demand{hours}}}"
        path.write_text(scenario_text("served", workload="serving", serving="{max_num_seqs: 4}", cost=cost))
        detail = answer_to(path)[0].detail
        assert words in detail
        number = r"[0-9,.]+"
        ends = rf"\({number} to {number}\)"
        fast = rf"At full load, 4 at once, it gives {number} tokens/s {ends}, {number} {ends} to each user\."
        assert re.search(fast, detail)


RENTED_L4 = {
    "model": "qwen3-8b", "hardware": "{accelerator: l4, count: 1, host: server}", "training": "{method: lora}",
    "question": "Does it fit?", "search": "{accelerator: [l4], count: [1, 2]}",
}  # fmt: skip


def test_weights_are_not_offloaded_into_memory_that_a_rented_instance_lacks(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(scenario_text("small", **RENTED_L4), encoding="utf-8")
    assert "weight offload to host memory" in answer_to(path)[0].headline
    text = scenario_text("small", cost="{price: aws-g6-xlarge-on-demand}", **RENTED_L4)
    path.write_text(text, encoding="utf-8")
    answer = answer_to(path)[0]
    assert answer.headline.startswith("Only just, with full checkpointing: 20.5 of 22.5 GiB per GPU; the nearest with ")
    assert answer.word == TIGHT


def test_a_question_of_the_cost_of_tokens_is_answered_with_it(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    question, cost = "What does it cost per million tokens?", "{price: aws-p4de-on-demand}"
    for demand in (None, "{requests_per_second: 1}"):
        text = scenario_text("asked", question=question, workload="serving", cost=cost, demand=demand)
        path.write_text(text, encoding="utf-8")
        answer = answer_to(path)[0]
        said = answer.detail if demand else answer.headline
        assert re.search(r"A million tokens cost \$[0-9.]+ in the prompt and \$[0-9.]+ \(", said)


def test_a_demand_that_asks_for_rent_or_purchase_is_answered_with_it(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    text = scenario_text(
        "asked", question="Should we rent or buy?", workload="serving", demand="{requests_per_second: 1}",
        cost="{price: aws-p4de-on-demand, purchase_price: none}",
    )  # fmt: skip
    path.write_text(text, encoding="utf-8")
    assert " Rent or buy? Not known: no purchase price is stated" in answer_to(path)[0].headline


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
    assert report.answer.chosen.takes.cost
    assert report.answer.chosen.takes.cost.amount.text == fact.text
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
    answer = answer_to(path)[0]
    submitted, altered = (
        answer.chosen.gpus.count,
        int(re.findall(r"; (\d+) with 8-bit AdamW$", answer.headline[:-1])[0]),
    )
    assert answer.headline.startswith(f"{submitted} × GeForce RTX 4090; ")
    assert 1 <= altered < submitted < 16
    fewer = "\n".join(f"  n{n}: {{hardware.count: {n}}}" for n in range(1, submitted + 1))
    path.write_text(
        text.replace("variants:", f"variants:\n{fewer}") if "variants:" in text else f"{text}\nvariants:\n{fewer}\n",
        encoding="utf-8",
    )
    kept = [
        one.word == FITS and one.memory.headroom.value >= 0.05 * one.memory.usable.value for one in answer_to(path)[1]
    ]
    assert kept[:submitted] == [False] * (submitted - 1) + [True]


def test_what_nothing_that_was_searched_holds_is_given_a_number_of_gpus(tmp_path: Path) -> None:
    path = tmp_path / "far.yaml"
    path.write_text(scenario_text("far", model="gpt3-175b", hardware="{accelerator: t4, count: 1}"), encoding="utf-8")
    answer = answer_to(path)[0]
    assert re.search(r"the nearest that fits is \d+ × ", answer.headline)
    assert answer.chosen.word == FITS


PRICED = "cost: {basis: rent, price: none}\noverrides: {usd_per_accelerator_hour: 2.5}\n"


@pytest.mark.parametrize(("price", "saved"), [("", "% fewer GPU-hours"), (PRICED, "% cheaper")])
def test_what_an_option_saves_is_money_only_where_a_price_is_known(tmp_path: Path, price: str, saved: str) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        scenario_text(
            model="llama-3.2-1b",
            hardware="{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}",
            training="{micro_batch_size: 1, sequence_length: 512, gradient_accumulation_steps: 32}",
        )
        + price,
        encoding="utf-8",
    )
    answer, _ = answer_to(path)
    assert answer.headline.startswith("Yes, as submitted; ")
    assert saved in answer.headline
    assert answer.detail.startswith("With that, the peak memory is ")
    low, high = answer.chosen.takes.accelerator_hours_ends
    assert low < answer.chosen.takes.accelerator_hours < high


@pytest.mark.parametrize(
    ("cost", "said", "chosen"),
    [
        ("{price: aws-p4de-on-demand}", "; the job costs least on 1 × L40S.", "l40s"),
        ("", " is the smallest that holds it (16.9 of 20 GiB).", "rtx-a4500"),
    ],
)
def test_a_question_which_gpu_names_the_smallest_and_the_cheapest(
    tmp_path: Path, cost: str, said: str, chosen: str
) -> None:
    path = tmp_path / "which.yaml"
    text = scenario_text(
        "which",
        question='"Which GPU do I need?"',
        training="{method: lora, sequence_length: 512, gradient_checkpointing: none}",
    )
    path.write_text(f"{text}\n{f'cost: {cost}' if cost else ''}\n", encoding="utf-8")
    answer, _ = answer_to(path)
    assert "RTX A4500 20 GB is the smallest " in answer.headline
    assert answer.headline.endswith(said)
    assert chosen in str(answer.chosen)


@pytest.mark.parametrize(
    ("question", "gpu", "said"),
    [
        ("What is the cheapest GPU?", "h800-80gb-sxm", r"; no price is stated\.$"),
        ("What is the cheapest GPU?", "a100-80gb-sxm", r"costs? (least|less)"),
        ("What does a run cost?", "a100-80gb-sxm", r"^\$[\d,.]+ \(\$"),
        ("What does a run cost?", "rtx-4090", r"^It does not fit on 1 × GeForce RTX 4090\. \$[\d,.]+ \(\$.*\) with"),
        (
            "What does a run cost?",
            "rtx-5080",
            r"^It does not fit on .*\. \$[\d,.]+ of hardware bought for \$[\d,]+ with",
        ),
        (
            "Can we train it for under $1?",
            "a100-80gb-sxm",
            r"^No, not on .*; nothing that was searched fits within the budget\.$",
        ),
        ("Does it fit the memory budget?", "a100-80gb-sxm", r"^Yes, with one setting: 8-bit AdamW\.$"),
    ],
)
def test_a_cost_that_is_asked_for_is_at_the_lowest_price_that_is_known(
    tmp_path: Path, question: str, gpu: str, said: str
) -> None:
    path = tmp_path / "which.yaml"
    hardware = f"{{accelerator: {gpu}, count: 1}}"
    path.write_text(scenario_text("which", question=f'"{question}"', hardware=hardware), encoding="utf-8")
    assert re.search(said, answer_to(path)[0].headline)
    computed = compute(resolve_all([path]))[0]
    assumed = [warning.message for warning in computed.resolved.warnings if "none is stated" in warning.message]
    assert len(assumed) == (computed.resolved.loaded.scenario.cost is not None)


def test_a_question_which_way_fits_names_those_that_do(tmp_path: Path) -> None:
    answer = asked(tmp_path, "[which_fit]", "qlora-7b-rtx4070")
    assert answer.headline == (
        "QLoRA r=16 (5.03 of 12 GiB); QLoRA, 4 sequences (6.98 of 12 GiB); "
        "1 with less than the planned headroom; 2 would not fit."
    )
    assert answer.detail.startswith("With QLoRA r=16, the peak memory is ")


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (
            "{price: tensorwave-mi300x-on-demand, purchase_price: mi300x-street-high, rent_or_buy: true}",
            r"^Buy: buying is cheaper from month 15.7, in use 100 % of the hours; it pays from 35.7 % of all hours",
        ),
        (
            "{price: azure-nd96isr-mi300x-v5-on-demand, purchase_price: none}",
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
    assert re.search(said, answer_to(path)[0].headline)


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
    assert re.search(said, answer_to(path)[0].headline)


def test_rent_or_buy_is_answered_at_prices_that_are_known_where_none_is_stated(tmp_path: Path) -> None:
    path, eight = tmp_path / "bases.yaml", "{accelerator: h100-80gb-sxm, count: 8}"
    path.write_text(scenario_text("bases", question="Is it cheaper to buy eight H100 or rent them?", hardware=eight))
    answer = answer_to(path)[0]
    assert answer.asks == ("rent_or_buy",)
    assert re.match(r"(Buy|Rent): ", answer.headline)
    assert answer.word == FITS


def test_variants_that_the_question_names_are_compared(tmp_path: Path) -> None:
    path, variants = tmp_path / "named.yaml", "{vllm: {serving: {engine: vllm}}, sglang: {serving: {engine: sglang}}}"
    for question, asks in (("vLLM or SGLang?", ("compare",)), ("Does vLLM fit?", ("fits",))):
        text = scenario_text("named", question=f'"{question}"', workload="serving", variants=variants)
        path.write_text(text, encoding="utf-8")
        assert answer_to(path)[0].asks == asks


@pytest.mark.parametrize(
    ("hardware", "read"), [("H100", "h100-80gb-sxm"), ("h100 sxm", "h100-80gb-sxm"), ("rtx4090", "rtx-4090")]
)
def test_a_gpu_whose_form_is_open_is_the_one_that_most_prices_rent(tmp_path: Path, hardware: str, read: str) -> None:
    path, variants = tmp_path / "form.yaml", f"{{one: {{}}, two: {{hardware: {{gpu: {hardware}, count: 2}}}}}}"
    path.write_text(scenario_text("form", hardware=f'"8x{hardware}"', variants=variants), encoding="utf-8")
    one, two = resolve_all([path])[0].variants
    assert {one.settings["accelerator"], two.settings["accelerator"]} == {read}
    assert (one.settings["count"], two.settings["count"]) == (8, 2)


def test_a_gpu_of_two_forms_that_are_rented_alike_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "form.yaml"
    path.write_text(scenario_text("form", hardware='"8xA100"'), encoding="utf-8")
    with pytest.raises(InputError, match="did you mean 'a100-40gb-"):
        resolve_all([path])


def test_a_question_of_cost_without_a_price_says_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "unpriced.yaml"
    path.write_text(scenario_text("unpriced", workload="training") + "asks: [what_cost]\n")
    said = r"^[0-9.]+ \([0-9.]+ to [0-9.]+\) GPU-hours .*; no price is stated, such as cost: {price: [a-z0-9-]+}\.$"
    assert re.search(said, answer_to(path)[0].headline)


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
    answer, _ = answer_to(path)
    assert re.match(said, answer.headline), answer.headline


def test_gpus_of_which_none_holds_the_job_as_submitted_are_compared_with_what_lets_one(tmp_path: Path) -> None:
    path = tmp_path / "either.yaml"
    variants = "{H100: {hardware: 8xH100}, A100: {hardware: 8xA100-80GB}}"
    path.write_text(scenario_text("either", model="llama-3-8b", variants=variants, question="8xH100 or 8xA100?"))
    answer = answer_to(path)[0]
    said = re.fullmatch(
        r"None of 2 fits as submitted; with (.+), H100 is fastest: ([\d.]+) h \(.+\); A100 ([\d.]+) h \(.+\)\.",
        answer.headline,
    )
    assert said, answer.headline
    assert float(said[2]) < float(said[3])
    assert said[2] == answer.chosen.takes.time.amount.text.removesuffix(" h") if answer.chosen.takes.time else False


def test_the_smallest_gpu_of_a_training_may_need_checkpointing(tmp_path: Path) -> None:
    path, said = tmp_path / "least.yaml", {}
    for checkpointing in ("", ", gradient_checkpointing: none"):
        training = f"{{method: qlora{checkpointing}}}"
        path.write_text(
            scenario_text("least", model="qwen2.5-14b", training=training, question="What is the smallest GPU for it?")
        )
        answer = answer_to(path)[0]
        said[checkpointing] = answer.chosen.memory.usable.value
        assert ("with full checkpointing" in answer.headline) == (not checkpointing), answer.headline
    open_, stated = said.values()
    assert open_ < stated / 2


def test_the_cheapest_gpu_for_a_load_is_any(tmp_path: Path) -> None:
    path, costs = tmp_path / "load.yaml", {}
    for asked_, question in (
        ("which", "Which GPU is the cheapest for 50 users?"),
        ("many", "How many H100 for 50 users?"),
    ):
        blocks = {"model": "qwen3-32b", "hardware": "h100", "workload": "serving", "cost": "{basis: rent}"}
        path.write_text(scenario_text("load", **blocks, question=question))
        answer = answer_to(path)[0]
        costs[asked_] = answer.chosen.takes.cost.amount.value if answer.chosen.takes.cost else 0.0
        assert ("H100" in answer.headline) is (asked_ == "many"), answer.headline
    assert 0 < costs["which"] < costs["many"]


def test_what_is_known_of_rent_or_purchase_comes_before_what_carries_a_demand(tmp_path: Path) -> None:
    path = tmp_path / "asked.yaml"
    text = scenario_text(
        "asked", question="Should we rent or buy?", workload="serving", demand="{requests_per_second: 1}",
        cost="{price: aws-p4de-on-demand, purchase_price: a100-80gb-new-high}",
    )  # fmt: skip
    path.write_text(text, encoding="utf-8")
    answer = answer_to(path)[0]
    assert answer.headline.startswith(("Rent: ", "Buy: "))
    assert answer.asks == ("demand", "rent_or_buy")
