"""Questions for money: which GPU carries a load for less, rent or buy, electricity, and for how long it is paid."""

from __future__ import annotations

import re

import pytest

from memreport.catalogue.question.kinds import WORDS
from memreport.catalogue.question.money import budget_said, lasting_said, prices_said, purchase_price_said
from memreport.commands.main import main
from tests.conftest import Asked


def test_gpus_that_are_weighed_under_a_load_each_carry_it(asked: Asked) -> None:
    """Four L40S beside four H100 would compare what carries a third of the load with what carries all of it."""
    said = asked("Which is cheaper for Llama 3 70B inference at 5000 requests per hour: L40S or H100?")
    assert "✓ H100 80 GB SXM5 costs less: 4 × H100 80 GB SXM5, as 1 replica of TP 4" in said
    assert "; 12 × L40S, as 3 replicas of TP 4" in said


def test_gpus_under_a_load_that_nobody_pays_for_are_counted(asked: Asked) -> None:
    """A T4 has no BF16: its own format carries the load, and no variant of two GPUs is said to carry it."""
    said = asked("Compare A10G and T4 for Mistral 7B at 2 requests per second")
    assert "✓ A10G (AWS G5) takes fewer GPUs: 4 × A10G" in said
    assert "; 6 × T4, as 3 replicas of TP 2 with FP16 weights" in said
    assert "as submitted:" not in said


def test_the_cheapest_provider_is_the_cheapest_of_the_price_book(asked: Asked) -> None:
    for question in (
        "Cheapest cloud for 8 H100 for one month?",
        "Which provider is cheapest to rent 8 H100 for a month?",
    ):
        assert "rented at $2.69 an hour each (runpod-h100-community-on" in asked(question)
    plain = asked("What does Llama 3.1 8B on one L40S cost a month?")
    assert "price of a large cloud, of others where none has the GPU, is assumed" in plain


def test_prices_of_several_providers_are_each_said_to_the_cent(asked: Asked) -> None:
    said = asked("What is the cost per GPU hour of an H100 on AWS, Azure and GCP?")
    assert "✓ $6.88 an hour each with AWS" in said
    assert "$11.06 an hour each with GCP" in said
    assert "$12.29 an hour each with Azure" in said


def test_contingency_tax_and_discount_are_paid(asked: Asked) -> None:
    """A month of one H100 at $6.88 an hour is $5,022: times 1.2 and 1.19, or less 30 %."""
    of = "What does Llama 3.1 8B on one H100 for a month cost"
    assert "✓ $7,170 (" in asked(f"{of} with 20% contingency and 19% VAT?")
    assert "✓ $3,520 (" in asked(f"{of} at a 30% discount?")


def test_a_budget_below_the_gpu_that_is_named_serves_nobody_on_it(asked: Asked) -> None:
    said = asked("Llama 3.1 8B on H100 with a budget of $1000 a month: how many users?")
    assert "✗ None: no number of H100 80 GB SXM5 that was tried carries it within the budget; what does is" in said


def test_what_depends_on_no_model_asks_for_none(asked: Asked) -> None:
    said = asked("When does buying 8 H100 pay off against renting?")
    assert "✓ Buy: buying is cheaper from month" in said
    assert "Read in the question: 8 h100 as hardware." in said


def test_power_is_paid_by_who_owns_the_gpus(asked: Asked) -> None:
    said = asked("How much does power cost for 8 H100 for a year?")
    assert "✓ 110 MWh at $9,480." in said


@pytest.mark.parametrize(
    ("question", "lasting"),
    [
        ("what does it cost for 6 months?", {"months": 6}),
        ("the annual cost of serving it?", {"months": 12}),
        ("what does a year cost?", {"months": 12}),
        ("what does it cost for two weeks?", {"hours": 336}),
        ("what do 10 million tokens a day cost?", {}),
        ("what does it cost at $2 per hour?", {}),
        ("what does it cost at 500 requests per hour?", {}),
        ("what does 1 hour of 8xh100 cost?", {"hours": 1}),
        ("how many a100 for 3 questions a day of llama 3 8b from 20k students?", {}),
        ("what does it cost per day?", {"hours": 24}),
        ("what do 8 h100 cost per hour?", {"hours": 1}),
        ("what does it cost to transcribe 100 hours of audio?", {}),
    ],
)
def test_a_service_is_paid_for_as_long_as_its_question_says(question: str, lasting: dict[str, float]) -> None:
    said = lasting_said(question)
    assert (said.value if said else {}) == lasting


def test_a_server_draws_power_and_what_stands_for_any_model_is_not_told(asked: Asked) -> None:
    said = asked("How much power does an 8xH100 server draw?")
    assert "✓ 12.6 kW in the mean, hosts and cooling included (PUE 1.54), 9.17 MWh a month." in said
    assert "Peak memory" not in said
    assert "vllm serve" not in said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much is the power for 8 H100 for a month at 12 cents per kWh?", "✓ 9.17 MWh at $1,100."),
        ("How much electricity do 8 H100 use for a month at $0.24/kWh?", "✓ 9.17 MWh at $2,200."),
    ],
)
def test_electricity_costs_what_the_question_says(asked: Asked, question: str, said: str) -> None:
    assert said in asked(question)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Is 500 euros enough to fine-tune Llama 3 8B on an H100?", "found 500 euros; allowed: US dollars"),
        ("8 H100 for a month at €2.10 per GPU hour", "found €2.10; allowed: US dollars"),
        ("what learning rate for llama 3 8b lora", "found 'learning rate'; allowed: memory, GPUs, time"),
    ],
)
def test_what_cannot_be_answered_is_said(capsys: pytest.CaptureFixture[str], question: str, found: str) -> None:
    assert main(["ask", question]) == 2
    assert found in capsys.readouterr().err


@pytest.mark.parametrize(
    ("question", "billed"),
    [
        ("What does it cost to train GPT-3 175B on A100?", "aws-p4de-on-demand ($3.43/h"),
        ("What does it cost to fine-tune a 7B on 100 million tokens?", "azure-nd96isr-mi300x-v5-on-demand ($6.00/h"),
    ],
)
def test_the_price_that_is_said_to_be_assumed_is_the_one_that_is_billed(
    asked: Asked, question: str, billed: str
) -> None:
    said = asked(question)
    assert f"price {billed}".replace(" ", "") in said.replace(" ", "")  # a line may end within a name
    assert "($5.07/h" not in said
    assert "($6.88/h" not in said


def test_one_gpu_that_is_named_is_what_its_cost_is_of(asked: Asked) -> None:
    """As many at once as have room, since 32 are an engine's default and no demand; not two GPUs of a machine of 8."""
    said = asked("What does one L4 24/7 for a month cost, serving Llama 3.1 8B?")
    assert "✓ $588 ($470 to $734) a month with 7 sequences at once." in said
    assert "Rented 8 at a time" not in said


def test_what_is_compared_is_the_whole_bill_over_the_tokens_of_answers(asked: Asked) -> None:
    said = asked("L4, A10G or L40S for 100 users of Llama 3.1 8B: which is cheapest?")
    amounts = re.findall(r"([\d,]+) tokens/s, \$([\d.]+) a million", said)
    months = {name: float(usd.replace(",", "")) for name, usd in re.findall(r"✓ \d × (\w+) █.*? ms \$([\d,]+)", said)}
    dollars = [float(usd) for _, usd in amounts]
    assert dollars == sorted(dollars)
    tokens = {
        name: float(speed.replace(",", "")) * 3600 * 730 / 1e6
        for name, (speed, _) in zip(("l40s", "a10g", "l4"), amounts, strict=True)
    }
    assert [months[name] / tokens[name] for name in tokens] == pytest.approx(dollars, rel=0.01)


def test_vectors_are_compared_by_texts(asked: Asked) -> None:
    assert "cost the same a text within the error" in (
        said := asked("Is bge-large-en-v1.5 cheaper to serve on L4 or A10G?")
    )
    assert "texts/s, $1.81 a million" in said


def test_hours_a_day_are_a_share_of_what_rent_and_purchase_are_compared_over(asked: Asked) -> None:
    said = asked("Should I rent or buy 4 A100 40GB for Gemma 3 27B for 3 hours a day?")
    assert "in use 12.5 % of the hours; it pays from 26.3 % of all hours" in said
    assert "$140 ($112 to $175)" in asked("What does Llama 3.1 8B on one L4 for 8 hours a day on weekdays cost?")


def test_the_number_of_a_gpu_is_no_pace(asked: Asked) -> None:
    assert "Too slow" not in asked("Llama 3.1 70B AWQ on an H100, tokens per second at $2 per GPU hour?")


@pytest.mark.parametrize(
    ("question", "dollars", "prices"),
    [
        ("is $10,000 a month enough?", 10_000, []),
        ("we have a budget of $10k a month", 10_000, []),
        ("under 500 dollars per month", 500, []),
        ("for less than $3 per hour", 3 * 730, []),
        ("at $2.50 per gpu hour", 0, [2.5]),
        ("under $50,000 a year", 50_000, []),
        ("for under $20 a day for 3 months", 20 / 24 * 730 * 3, []),
        ("an h100 costs $2,000 a month", 0, []),
        ("is a $500 a month electricity bill right for 8 h100?", 0, []),
        ("we pay $10,000 a month for 4 h100", 0, []),
        ("we rent 4 h100 for $10,000 a month", 0, []),
        ("can i serve it for $500 a month?", 500, []),
        ("does $700/month cover it?", 700, []),
        ("is $2 an hour enough?", 2 * 730, []),
    ],
)
def test_an_amount_for_a_time_is_a_limit(question: str, dollars: float, prices: list[float]) -> None:
    said = budget_said(question, "serving")
    assert (said.value if said else 0) == pytest.approx(dollars)
    assert [said.value for said in prices_said(question)] == prices


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is $10,000 a month enough for Llama 3.3 70B on 4 H100?", "✗ No, not on 4 × H100 80 GB SXM5"),
        (
            "Is $30,000 a month enough for Llama 3.3 70B on 4 H100?",
            "✓ Yes, with one setting: TP 4; $20,100 of $30,000.",
        ),
        ("Budget of $700 per month: which GPU for Mistral 7B with 10 users?", "✓ 1 × L4"),
        (
            "Budget of $100 per month: which GPU for Mistral 7B with 10 users?",
            "carries it within the budget; the cheapest",
        ),
        ("What is the cheapest GPU to serve Mistral 7B for 10 users under $700 a month?", "✓ 1 × L4"),
        ("Can we serve Llama 3.1 8B for under $2 an hour?", "1 × L4; $588 of $1,460."),
    ],
)
def test_what_may_be_spent_a_month_decides(asked: Asked, question: str, said: str) -> None:
    assert said in " ".join(asked(question).split())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "8 H100 for 3 months on Lambda",
            "✓ $75,200 ($60,100 to $94,000) for 3 months, rented at $4.29 an hour each (lambda-h100-on-demand, ",
        ),
        (
            "1 hour of 8 H100 on RunPod",
            "✓ $21.50 ($17.20 to $26.90) for an hour, rented at $2.69 an hour each (runpod-h100-community-on- demand, ",
        ),
        ("AWS or Azure for 8 H100 for a month?", "✓ AWS costs least"),
        ("Total cost of ownership of 8 H100 over 3 years at 15 cents per kWh?", "the purchase, $282,000,"),
    ],
)
def test_gpus_are_paid_for_a_time_without_a_model(asked: Asked, question: str, said: str) -> None:
    assert said in " ".join(asked(question).split())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which GPU for Qwen2.5 32B under $3 per hour?", "nothing that was searched fits within the budget"),
        ("Which GPU for Mistral 7B under $1 an hour?", "✓ 1 × L4 is the least that was found to hold it"),
    ],
)
def test_a_gpu_that_is_asked_for_keeps_within_the_budget(asked: Asked, question: str, said: str) -> None:
    assert said in " ".join(asked(question).split())


@pytest.mark.parametrize(
    ("question", "dollars"),
    [
        ("should i buy an h100 or rent at $2 an hour?", 0),
        ("should i rent an h100 at $2.50 per gpu hour or buy one?", 0),
        ("should i buy an h100 or rent one for $1,500 a month?", 0),
        ("should i buy an h100 or rent one for $1,500 monthly?", 0),
        ("should i rent an h100 at $2 a gpu or buy it at $25,000?", 25_000),
        ("rent an h100 at $2 each an hour or buy it?", 0),
        ("rent or buy 2 h100 for $50,000?", 25_000),
        ("should i buy an h100 for $25,000 or rent at $2.49 an hour?", 25_000),
        ("two rtx 3090 at $700 each versus renting at $0.22?", 700),
    ],
)
def test_what_is_paid_for_a_time_is_no_purchase_price(question: str, dollars: float) -> None:
    count = 2 if re.search("2 h100|two", question) else 1
    said = purchase_price_said(question, count)
    assert (said.value if said else 0) == dollars


def test_electricity_alone_is_no_matter_of_what_fits(asked: Asked) -> None:
    assert "✓ 9.17 MWh at $790." in asked("Is a $500 a month electricity bill right for 8 H100?")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Finetune Llama 3 8B on 8 H100 for a day", "✓ Yes, with one setting: ZeRO-2."),
        ("DPO of Llama 3 8B on 8 H100 for 3 days", "✓ Yes, with one setting: ZeRO-3."),
        ("Pretrain Llama 3 8B on 32 H100 for a week", "✓ Yes"),
        ("Transcribe 100 hours of audio with Whisper large v3 on an L4, how long?", "for 12,000 requests"),
        ("GPT-2 on an L4 for a week", "✓ Yes"),
    ],
)
def test_work_for_a_time_is_no_bill(asked: Asked, question: str, said: str) -> None:
    answer = asked(question)
    assert said in answer
    assert "$" not in answer


def test_gpus_for_training_are_rented_or_bought_without_a_model(asked: Asked) -> None:
    said = asked("Should we rent or buy 8 H100 for a year of training?")
    assert "✓ Buy: buying is cheaper from month 7.4, in use 100 % of the hours" in said


@pytest.mark.parametrize(
    "gpu", ["h100", "mi300x", "rtx 4090", "3090", "jetson orin", "dgx spark", "w7900", "a100 80gb"]
)
def test_one_name_of_a_gpu_is_read_in_counts_hours_and_prices(gpu: str) -> None:
    asked = {kind for kind, words in WORDS.items() if re.search(words, f"how many {gpu} does it take?")}
    assert asked == {"how_many_gpus"}
    assert {kind for kind, words in WORDS.items() if re.search(words, f"how many {gpu} hours?")} == {"how_long"}
    assert [said.value for said in prices_said(f"at $2 per {gpu} hour")] == [2]
    assert budget_said(f"with $500 per {gpu}", "serving") is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much is an A100 80GB per hour?", "✓ Rented at $5.07 an hour each (gcp-a2-ultragpu-1g-on-demand, "),
        (
            "How many H100 hours for $10,000?",
            "✓ 1,453 GPU-hours for $10,000, rented at $6.88 an hour each (aws-p5-4xlarge-on-demand, ",
        ),
        ("Budget 500k USD: how many H200 can we buy?", "✓ 10 for $500,000: 1 for $50,000, which includes hosts."),
        ("We have $2M for 3 years, how many H100 can we rent?", "✓ 11 for $2,000,000 for 36 months, rented at"),
        ("1-year reserved vs on-demand 8 H100", "✓ reserved-1y costs least, 53 % less than on-demand"),
        ("How many kW do 32 H200 draw and what does the power cost per year at $0.12?", "✓ 50.3 kW in the mean"),
    ],
)
def test_what_an_amount_pays_for_needs_no_model(question: str, answer: str, asked: Asked) -> None:
    assert answer in asked(question)


def test_dollars_for_gpus_are_a_purchase(asked: Asked) -> None:
    """Of 32 for $1.2M over 4 years the purchase alone is $1.53 for each hour that 70 % of all are."""
    offers = asked("Vendor A $310,000 for 8 H200, vendor B $2.10 per GPU hour for 36 months, which is cheaper?")
    assert "✓ Buy: buying is cheaper from month 30.4" in offers
    assert "$38,750 as purchase price of one GPU, 36 months" in offers
    said = asked("$1.2M for 32 H100 incl. network, 4 years, 70% used: what is the cost per GPU-hour?")
    assert "✓ $1.97 for each GPU-hour that is used, 70 % of all" in said
    assert asked("How much is 8 H100 for a month at $2 per hour?").count("purchase") == 0


def test_spot_is_weighed_against_on_demand(asked: Asked) -> None:
    """It was `Yes`, that the training fits."""
    said = asked("Should I use spot instances for fine-tuning 70B with LoRA on 16 H100?")
    assert "costs least" in said
    assert "; on-demand " in said or ": on-demand " in said
    counted = asked("Should I use spot or on-demand H100 for a fine-tune of 70B LoRA on 8 GPUs?")
    assert "8 GPUs" in counted or "8 × H100" in counted or "8 h100" in counted
    assert "instances paid whole" in asked("H100 spot price vs on-demand for QLoRA of 8B on 1B tokens?")
