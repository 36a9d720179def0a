"""Questions of a load without a GPU, of a budget, of power that is supplied, and of tokens in a time."""

from __future__ import annotations

import re

import pytest

from memreport.catalogue.load import catalogue_for
from tests.conftest import Asked

USD_A_MONTH = re.compile(r"\$([\d,]+) a month")
USERS = re.compile(r"✓ ([\d,]+) users? at once: ")
RATE = re.compile(r"Asked: ([\d.]+) requests/s")
README = {  # llama.cpp, tools/quantize/README.md: bits a weight of the file of Llama 3.1 8B
    "iq1_s": (2.0042, 84),
    "iq1_m": (2.1460, 84),
    "iq2_xxs": (2.3824, 84),
    "iq2_xs": (2.5882, 84),
    "iq2_s": (2.7403, 110),
    "iq2_m": (2.9294, 110),
    "iq3_xxs": (3.2548, 110),
    "iq3_xs": (3.4977, 110),
    "iq3_s": (3.6606, 110),
    "iq3_m": (3.7628, 110),
}
"""Bits a weight, and the bytes for 256 weights of its embedding."""
PARAMETERS, EMBEDDING = 8.0303e9, 128_256 * 4_096


def number(pattern: re.Pattern[str], said: str) -> float:
    found = pattern.search(said)
    assert found, said
    return float(found[1].replace(",", ""))


@pytest.mark.parametrize("load", ["100 users of Llama 3.1 8B", "20 requests per second of Llama 3.1 8B"])
def test_how_many_gpus_and_which_are_one_question_where_none_is_named(asked: Asked, load: str) -> None:
    many, which = asked(f"How many GPUs for {load}?"), asked(f"Which GPU for {load}?")
    assert many.partition("✓ ")[2].partition(" Assumed")[0] == which.partition("✓ ")[2].partition(" Assumed")[0]
    h100 = re.compile(r"It takes \d+ × H100 80 GB SXM5: \$([\d,]+) a month")
    assert number(USD_A_MONTH, many) <= number(h100, many)


def test_instances_are_paid_whole_where_any_gpu_may_be_taken(asked: Asked) -> None:
    said = asked("How many GPUs do I need to serve Llama 3.3 70B for 500 users?")
    assert re.search(r"It takes 12 × H100 80 GB SXM5: \$80,\d00 a month", said), "16 are rented: two servers of eight"


def test_more_money_pays_for_more_users_and_none_is_above_the_budget(asked: Asked) -> None:
    found = {}
    for budget in (2_000, 6_000):
        said = asked(f"We have ${budget:,} a month: how many users can we serve with Llama 3.1 8B?")
        found[budget] = number(USERS, said)
        assert number(USD_A_MONTH, said) <= budget
    assert found[6_000] >= 2 * found[2_000]
    nothing = asked("We have $100 a month: how many users can we serve with Llama 3.3 70B?")
    assert "✗ None: nothing that was tried carries it within the budget; the cheapest is " in nothing


def test_a_budget_holds_for_the_gpu_that_is_named(asked: Asked) -> None:
    said = asked("With a budget of $20,000 a month, how many users can Llama 3.3 70B serve on H100?")
    assert "× H100 80 GB SXM5, as 1 replica of TP 2 with FP8 weights" in said
    assert number(USD_A_MONTH, said) <= 20_000


@pytest.mark.parametrize(
    ("supplied", "enough"),
    [
        ("Is $500 a month enough for the electricity of 8 H100?", "✗ No, $500 is enough for 5 of 8 GPUs: "),
        ("Is $1000 a month enough for the electricity of 8 H100?", "✓ Yes: "),
        (
            "Is 2 kW enough for 4 RTX 4090?",
            "✗ No, 2 kW is enough for 3 of 4 GPUs, with hosts they draw 2.2 kW at most: ",
        ),
        (
            "Is 10 kW enough for a DGX H100?",
            "✗ No, 10 kW is enough for 7 of 8 GPUs, with hosts they draw 10.2 kW at most",
        ),
        ("Is 15 kW enough for 8 H100, cooling included?", "✗ No, 15 kW is enough for 7 of 8 GPUs"),
        ("Is a 1000 W power supply enough for 2 RTX 4090 serving Qwen3 8B?", "No, 1 kW is enough for 1 of 2 GPUs"),
        ("Is a 15 kW rack enough for 8 H100?", "✓ Yes, with hosts they draw 10.2 kW at most: "),
    ],
)
def test_power_is_weighed_against_what_is_supplied(asked: Asked, supplied: str, enough: str) -> None:
    said = asked(supplied)
    assert enough in said
    assert "nothing here takes into account" not in said


@pytest.mark.parametrize(
    ("question", "watts"),
    [
        ("Power draw of 8 H100 at 700 W each?", "700 w"),
        ("Power consumption of Llama 3.1 8B on a 350 W RTX 3090?", "350 w"),
        ("With 200 kW how many H100 can we run?", "200 kw"),
        ("Llama 3.1 8B at 350W limit on an RTX 3090", "350w"),
    ],
)
def test_power_that_is_only_named_is_no_limit_and_is_told(asked: Asked, question: str, watts: str) -> None:
    said = asked(question)
    assert "is enough for" not in said
    assert f"found '{watts}" in said


def test_carbon_without_a_country_is_that_of_the_world(asked: Asked) -> None:
    question = "What is the CO2 of training Llama 3 8B on 100B tokens with 64 H100"
    world, france = (asked(f"{question}{where}?") for where in ("", " in France"))
    kilograms = re.compile(r"([\d,]+) kg of CO2")
    assert "grid-world as grid" in world
    assert number(kilograms, world) > 5 * number(kilograms, france)


def test_tokens_a_day_are_counted_as_what_is_said_of_them(asked: Asked) -> None:
    both, written, read = (
        number(RATE, asked(f"We {verb} 50M {what}tokens per day with Llama 3.3 70B. How many H100?"))
        for verb, what in (("process", ""), ("generate", ""), ("process", "input "))
    )
    assert written == pytest.approx(both * (2048 + 256) / 256, rel=0.01)
    assert read == pytest.approx(both * (2048 + 256) / 2048, rel=0.01)


def test_tokens_in_and_out_say_how_long_an_answer_is(asked: Asked) -> None:
    said = asked("5M tokens in and 1M out per day with Llama 3.1 8B: what does it cost?")
    assert number(RATE, said) == pytest.approx(5e6 / 86_400 / 2048, rel=0.01)
    assert "2,048 tokens in, 410 tokens out." in said


@pytest.mark.parametrize(
    "question", ["H100 or H200 for Llama 3.3 70B {} 32k context?", "How fast is Qwen3 8B on one H100 {} 32k?"]
)
def test_a_context_is_filled_whatever_stands_before_it(asked: Asked, question: str) -> None:
    said = asked(question.format("at"))
    assert "32,512 tokens as prompt_tokens" in said
    assert "32k context" not in question or "32,512 tokens as prompt_tokens" in asked(question.format("with"))


def test_an_option_of_an_engine_fills_no_context(asked: Asked) -> None:
    said = asked("What if I lower max-model-len to 16k for Llama 3.1 8B on one L4?")
    assert "Read in the question: Llama-3.1-8B as model, one l4 as hardware, 16,384 tokens as max_model_len." in said
    assert "--max-model-len 16384" in said


@pytest.mark.parametrize("name", README)
def test_formats_of_llama_cpp_have_the_bits_that_it_prints(name: str) -> None:
    """The file of Llama 3.1 8B comes out of its matrices, its head and its embedding."""
    table = catalogue_for().tables["weight_formats"]
    row = table.row(name)
    matrix, head = (float(table.columns[column].values[row]) for column in ("matrix_bytes", "other_bytes"))
    bits, embedding = README[name]
    counted = (PARAMETERS - 2 * EMBEDDING) * matrix + EMBEDDING * (head + embedding / 256)
    assert counted * 8 / PARAMETERS == pytest.approx(bits, rel=1e-3)


def test_a_question_for_a_quantization_tries_the_smallest_of_a_workstation(asked: Asked) -> None:
    said = asked("Which quantization of Llama 3.3 70B fits a single RTX 4090?")
    assert "✓ iq2_xxs (" in said
    assert "--model Llama-3.3-70B-Instruct-IQ2_XXS.gguf" in said
    assert "✗ None of 8 fits as submitted" in asked("Which GGUF quant of DeepSeek R1 fits 4 RTX 3090?")


def test_a_prefix_that_prompts_share_is_cached_once(asked: Asked) -> None:
    with_it = "How many users can one H100 serve with Llama 3.1 8B"
    users = re.compile(r"✓ ([\d,]+) users at once")
    plain, shared = (asked(f"{with_it}{end}?") for end in ("", " if half of the prompt is shared"))
    assert number(users, shared) > 1.2 * number(users, plain)
    asks = "How much does prefix caching help Llama 3.1 8B on one L4 with 50 users if half of the prompt is shared?"
    assert "50% of prompts cached is 1." in asked(asks)


def test_a_draft_by_its_size_has_the_cache_of_a_usual_model(asked: Asked) -> None:
    """32 layers of 8 heads of 128 in 16 bits: half a GiB for 4,096 tokens beside the 1.25 GiB of the model."""
    said = asked("Llama 3.3 70B with speculative decoding and an 8B draft on 4 H100: how much memory?")
    assert "1.75 GiB more for each further one" in said
    weighed = asked("Is speculative decoding with an 8B draft worth it for Llama 3.3 70B on 4 H100?")
    of_four = [re.compile(rf"[✓…] {name} +\S+ ([\d.]+) of") for name in ("3 drafted tokens", "no draft")]
    with_it, without = (number(pattern, weighed) for pattern in of_four)
    assert with_it - without > 16 / 4 / 1.074 - 0.1, "its weights are on four GPUs"


@pytest.mark.parametrize(
    ("question", "host"),
    [
        ("How much RAM do I need to offload DeepSeek R1 with a 4090?", "✓ Host memory of a node 366 GiB, "),
        ("Can I run DeepSeek R1 on one RTX 4090 with 512 GB of RAM?", "✓ Yes, with one setting: experts of 58 layers"),
    ],
)
def test_experts_of_a_mixture_go_to_the_host(asked: Asked, question: str, host: str) -> None:
    """58 layers of 256 experts of 3 x 7168 x 2048 weights in Q4_K_M: 391 GB."""
    said = asked(question)
    assert host in said
    assert "--n-cpu-moe 58" in said


def test_a_million_tokens_of_answers_has_a_cost(asked: Asked) -> None:
    said = asked("What does 1 million output tokens cost with Llama 3.1 8B on an L4?")
    assert "✓ A million tokens cost $" in said


def test_a_context_beyond_what_the_model_reads_is_no_plain_yes(asked: Asked) -> None:
    said = asked("Does Llama 3.1 8B with 1M context fit on 8 H100?")
    assert "✓ Only with rope scaling beyond the 131,072 tokens that the model reads, with one setting: TP 8." in said
    assert "✓ Yes, as submitted" in asked("Does Llama 3.1 8B with 32k context fit on one H100?")
