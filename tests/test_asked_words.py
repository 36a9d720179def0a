"""Short forms, numbers that are not read, networks, other languages: the words of questions as people write them."""

from __future__ import annotations

import pytest

from memreport.catalogue.question.settings import network_said
from memreport.catalogue.question.stated import in_usual_words
from memreport.commands.main import main
from tests.conftest import Asked


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("8000 input and 500 output tokens", "8000 input tokens and 500 output tokens"),
        ("1000 in and 200 out", "1000 input tokens and 200 output tokens"),
        ("500 tokens in, 2k out", "500 input tokens and 2k output tokens"),
        ("bs 4, seq len 8192, grad accum 8", "batch size 4, sequence length 8192, gradient accumulation 8"),
        ("max_seq_length=8192 batch=4", "sequence length 8192 batch 4"),
        ("at seq 4096 w/o checkpointing", "at sequence length 4096 without checkpointing"),
        ("16 accumulation steps", "gradient accumulation 16"),
        ("max ctx with 1m context", "max context with 1000k context"),
        ("with max-num-seqs 64", "with 64 concurrent requests"),
    ],
)
def test_short_forms_are_read_as_the_usual_words(written: str, read: str) -> None:
    assert in_usual_words(written) == read


@pytest.mark.parametrize(
    ("question", "gigabytes"),
    [
        ("2 nodes of 8 h100 with 10 gbit ethernet", 10 / 8 / 8),
        ("over 25gbe", 25 / 8 / 8),
        ("400g infiniband", 50),
        ("100 gbit/s network per gpu", 12.5),
        ("8x400g infiniband", 50),
        ("a 24 gb gpu", None),
        ("2 nodes of 8 h100 80gb infiniband", None),
        ("4 nodes of 4 h100 with 100 gbit ethernet", 12.5 / 4),
    ],
)
def test_a_network_is_that_of_a_node_unless_it_is_of_each_gpu(question: str, gigabytes: float | None) -> None:
    said = network_said(question, 16)
    assert (said and round(said[0] / 1e9, 6)) == (gigabytes and round(gigabytes, 6))


def test_a_slow_network_takes_its_time(asked: Asked) -> None:
    said = asked("Does 10 Gbit ethernet suffice for 2 nodes of 8 H100 training Llama 3.1 8B?")
    assert "10 gbit ethernet as 0.156 GB/s of network for each GPU" in said
    assert "takes 36." in said or "takes 37." in said


@pytest.mark.parametrize(
    ("question", "passed_over"),
    [
        ("How many users of Qwen2.5-VL 7B on an L4 with 10 images per prompt?", "10 images"),
        ("How many users of Llama 3.1 8B on an L4 with 3 retries?", "3 retries"),
        ("How long does QLoRA of Llama 3 8B on 10k samples take on a 4090 with 10 images?", "10 images"),
        ("How many users of Llama 3.1 8B on 2 L4 with 8k context?", ""),
        ("How long does QLoRA of Llama 3 70B on 10,000 samples take on 2 H100?", ""),
        ("What does Llama 3.1 8B on an L4 at $0.50 per GPU hour cost for 6 months?", ""),
        ("Is 192 GB of MI300X enough for Mixtral 8x7B, and what does it cost per 1M tokens?", ""),
        ("Train a 7B, 1T tokens, on 256 H100: how long?", "1t tokens"),
    ],
)
def test_numbers_that_nothing_takes_into_account_are_told(asked: Asked, question: str, passed_over: str) -> None:
    told = f"takes into account; the answer is of the rest (found '{passed_over}')"
    assert (told in asked(question)) == bool(passed_over)
    assert passed_over or "takes into account" not in asked(question)


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet das Training von Llama 3.1 8B auf 8 H100?",
        "¿Cuánta memoria necesita Llama 3.1 8B para una RTX 4090?",
        "Combien de GPU H100 faut-il pour entraîner Llama 3 70B ?",
        "Сколько памяти нужно для Llama 3 8B на H100?",
    ],
)
def test_another_language_is_refused_as_such(capsys: pytest.CaptureFixture[str], question: str) -> None:
    assert main(["ask", question]) == 2
    assert "not in English" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Llama 3.1 8B on one H100 for 100 hours: what does it cost?", "✓ $688 ($550 to $860) for 4.17 days"),
        ("What do 2 L4 at $0.50 per GPU hour cost for 6 months serving Llama 3.1 8B?", "✓ $4,380 ($3,500 to $5,480)"),
        ("How long would GPT-2 124M on 10B tokens take on 8 A100?", "as submitted 12.6 h."),
        ("Train Llama 3.1 8B on 8 H100 for 24 hours: how many tokens?", " billion tokens ("),
        ("Will it OOM: Qwen2.5-72B bf16 on 2 A100 80GB vLLM 32k?", "✗ Yes, on 2 × A100"),
    ],
)
def test_times_and_lengths_in_sloppy_words_count(asked: Asked, question: str, said: str) -> None:
    assert said in asked(question)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many 80 GB GPUs do I need to train Llama 3.1 70B?", " × H100 80 GB SXM5"),
        ("Is there a sweet spot for the batch size of QLoRA of Llama 3 8B on an H100?", "GiB per GPU"),
        ("What does it cost per month to serve Google Gemma 3 27B on 8 H100?", "$40,200"),
        ("What MFU does inference of Llama 3.1 8B reach on an H100?", "tokens/s"),
        ("LoRA of Llama 3.1 8B with α=32 on an H100, how much memory?", "GiB per GPU"),
        ("Serve Llama 3.3 70B and a 1B draft on 4 H100", "GiB per GPU"),
        ("What does Llama 3.1 8B on one L4 for 24 hours a day for 7 days cost?", "$135"),
        ("How many parameters does Mixtral 8x7B have, and how much activation memory on 2 H100?", "ctivations"),
    ],
)
def test_words_that_also_mean_something_else_are_read_by_what_stands_beside_them(
    asked: Asked, question: str, said: str
) -> None:
    answer = asked(question)
    assert said in answer
    assert "spot as" not in answer


def test_the_memory_of_another_device_is_no_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "Can a Raspberry Pi with 8 GB run Llama 3.2 1B?"]) == 2
    assert "names no GPU that is known" in capsys.readouterr().err
