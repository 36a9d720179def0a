"""Amounts as people write them: numbers in words and scales, rates of each user, how a load is spread."""

from __future__ import annotations

import pytest

from memreport.catalogue.question.demand import users_said
from memreport.catalogue.question.lengths import lengths_asked
from memreport.catalogue.question.lexer import asking_first
from tests.conftest import Asked


@pytest.mark.parametrize(
    ("question", "users"),
    [
        ("ten thousand users", 10_000),
        ("a hundred users", 100),
        ("one hundred and twenty-five users", 125),
        ("5k users", 5_000),
        ("1.5K concurrent users", 1_500),
        ("1 billion users", 10**9),
        ("5k visitors", 5_000),
        ("64 clients", 64),
        ("with 4 workers", 0),
        ("half a million users", 500_000),
        ("a dozen users", 12),
        ("p99 latency at 64 concurrent", 64),
        ("50 concurrent: p95 TTFT", 50),
        ("concurrency=32", 32),
        ("100 at once", 100),
        ("8 in parallel", 8),
        ("2 parallel H100", 0),
        ("two hundred thousand employees", 200_000),
        ("1.2M users", 1_200_000),
        ("1.2M daily active users", 0),
        ("thirty-two people", 32),
        ("one thousand users", 1_000),
        ("a 70B for users", 0),
        ("I am serving users", 0),
    ],
)
def test_people_are_counted_in_words_and_scales(question: str, users: int) -> None:
    said = users_said(asking_first(question).lower())
    assert (said.value if said else 0) == users


@pytest.mark.parametrize(
    "question",
    [
        "a million tokens",
        "one million tokens",
        "two rtx 4090",
        "a four-bit 70b",
        "1 batch of 64 prompts",
        "batch size 512 examples",
        "I am serving users",
    ],
)
def test_what_is_read_as_it_stands_stays_so(question: str) -> None:
    assert asking_first(question) == question


@pytest.mark.parametrize(
    ("said", "usual"),
    [
        ("on 1,5 trillion tokens", "on 1.5 trillion tokens"),
        ("0,25 million rows", "0.25 million rows"),
        ("at 0,30 per kWh", "at 0.30 per kWh"),
        ("for $2,50/h", "for $2.50/h"),
        ("1,5 Mio. samples", "1.5 million samples"),
        ("2,2 Mrd tokens", "2.2 billion tokens"),
        ("3 millions of tokens", "3 million tokens"),
        ("1.5tn tokens", "1.5 trillion tokens"),
        ("on 5 lakh samples", "on 500000 samples"),
        ("half a crore tokens", "5000000 tokens"),
        ("2 lakhs of support tickets", "200000 support tickets"),
        ("10.000 samples", "10000 samples"),
        ("20.000 labelled support tickets", "20000 labelled support tickets"),
        ("1.500.000 rows", "1500000 rows"),
        ("on 10 000 samples", "on 10000 samples"),
        ("1 500 000 samples", "1500000 samples"),
        ("1'500'000 tokens", "1500000 tokens"),
        ("1_000_000 samples", "1000000 samples"),
        ("10,00,000 samples", "1000000 samples"),
        ("1.234,5 hours", "1234.5 hours"),
        ("1e12 tokens", "1000000000000 tokens"),
        ("2.5e11 tokens", "250000000000 tokens"),
        ("1.5 x 10^12 tokens", "1500000000000 tokens"),
        ("10**9 tokens", "1000000000 tokens"),
        ("batch sizes 1,2,4", "batch sizes 1, 2, 4"),
    ],
)
def test_numbers_are_read_as_they_are_written_elsewhere(said: str, usual: str) -> None:
    assert asking_first(said) == usual


@pytest.mark.parametrize(
    "said",
    [
        "1,500 requests",
        "$10,000",
        "10,000,000 tokens",
        "1.125 million tokens",
        "0.125 requests per second",
        "Llama 3 100 users",
        "an RTX 4090 512 tokens",
        "with learning rate 2e-5",
        "Gemma 3n E4B",
        "llama 3.1 405b 1,234 tokens",
        "with CUDA 12.100.3",
        "for 8 512-token prompts",
    ],
)
def test_numbers_in_english_stay_as_they_are(said: str) -> None:
    assert asking_first(said) == said


@pytest.mark.parametrize(
    ("question", "context"),
    [
        ("at a 2 million token context", 2_000_000),
        ("at 1e9 tokens context", 10**9),
        ("a context of 3 million tokens", 3 * 10**6),
    ],
)
def test_a_context_is_as_long_as_it_is_said_in_words_and_powers(question: str, context: int) -> None:
    said = lengths_asked({"workload": "serving", "question": question})
    assert said["max_model_len"].value == context


@pytest.mark.parametrize(
    ("question", "load"),
    [
        ("2,000 employees send 30 prompts a day each to {}: what does it cost on H100?", "0.694444 (2,000 users × 30"),
        ("500 users asking 20 questions a day of {}: is one L4 enough?", "0.115741 (500 users × 20 a day, evenly"),
        ("3,000 employees each send 25 requests per day to {}: how many L4?", "0.868056 (3,000 users × 25 a day"),
        (
            "100 users send 2 requests per minute each to {} on one H100: is it enough?",
            "3.33333 (100 users × 2 a minute)",
        ),
        ("Can 200 users with 10 requests per hour each be served by one H100 with {}?", "0.555556 (200 users × 10 an"),
        ("How many L40S for {} with 800 customers, 15 chats per customer per day?", "0.138889 (800 users × 15 a day"),
        (
            "Each of our 600 analysts asks 12 questions an hour. Is one H100 enough for {}?",
            "2 (600 users × 12 an hour)",
        ),
        ("3M daily active users send 30 prompts a day each to {}: how many L4?", "1041.67 (3,000,000 users × 30 a day"),
        ("20 users, 43,200 daily requests: how many L4 for {}?", "0.5 (43,200 a day, evenly"),
        ("100 developers use 200,000 tokens a day each with {}: how many A100?", "0.100469"),
        ("100 users, 5 requests per second, 2,000 tokens each: is one H100 enough for {}?", "5 as demand"),
        ("300 users send 500 requests per hour to {}: is one L4 enough?", "0.138889 as demand"),
        ("How many L40S for {} with 800 colleagues, 15 chats per colleague per day?", "0.138889 (800 users × 15 a day"),
        ("Each user asks 12 questions an hour of {}: is one L4 enough for 600 users?", "2 (600 users × 12 an hour)"),
        ("50 users, 1000 requests each day: how many H100 for {}?", "0.0115741 (1,000 a day, evenly"),
        ("Can 200 users at 50 requests a minute be served by one H100 with {}?", "0.833333 as demand"),
        (
            "Prompts of 1000 tokens each, 500 users and 10000 requests a day: how many L4 for {}?",
            "0.115741 (10,000 a day, evenly",
        ),
        ("100 users, 5,000 requests a day, each with 3,000 tokens: how many L4 for {}?", "0.0578704 (5,000 a day"),
        ("Each GPU has 80 GB, 300 users and 200 requests a minute: how many H100 for {}?", "3.33333 as demand"),
        ("Can {} on one H100 handle 5,000 requests a day?", "0.0578704 (5,000 a day, evenly over all hours)"),
    ],
)
def test_what_each_user_sends_is_sent_by_all(asked: Asked, question: str, load: str) -> None:
    said = " ".join(asked(question.format("Llama 3.1 8B")).split())
    assert f"requests_per_second {load}" in said


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("Qwen2.5-VL 7B with 4 images of 1280x720 per request: how many users on one L40S?", "'1280x720'"),
        ("How many pages per day can Qwen2.5-VL 7B read on one L40S at 1024x1024?", "'1024x1024'"),
    ],
)
def test_the_size_of_images_is_told_to_be_passed_over(asked: Asked, question: str, number: str) -> None:
    assert f"the answer is of the rest (found {number})" in " ".join(asked(question).split())


def test_a_number_that_nobody_can_compute_with_is_told(asked: Asked) -> None:
    said = " ".join(asked("How many H100 for a few hundred users of Llama 3.1 8B?").split())
    assert "! Without 'a few hundred users', which is not read: " in said


@pytest.mark.parametrize(
    ("question", "lengths"),
    [
        (
            "Prefill 100k tokens with Llama 3.1 8B on one H100: time to first token?",
            ["102,400 tokens as prompt_tokens"],
        ),
        (
            "5,000 requests a day, each with 3,000 tokens and producing 500 tokens each: what does Llama 3.1 8B cost?",
            ["3,000 tokens as prompt_tokens", "500 tokens as output_tokens"],
        ),
    ],
)
def test_lengths_stand_behind_what_is_done(asked: Asked, question: str, lengths: list[str]) -> None:
    said = " ".join(asked(question).split())
    assert all(length in said for length in lengths)
