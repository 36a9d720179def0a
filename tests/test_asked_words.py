"""Short forms, numbers that are not read, networks, other languages: the words of questions as people write them."""

from __future__ import annotations

import pytest

from memreport.catalogue.question.lengths import lengths_asked
from memreport.catalogue.question.lexer import asking_first
from memreport.catalogue.question.settings import network_said, settings_named
from memreport.commands.main import main
from tests.conftest import Asked


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("bs 4, seq len 8192", "batch size 4, sequence length 8192"),
        ("max_seq_length=8192 w/ batch=4", "sequence length=8192 with batch=4"),
        ("at seq 4096 w/o checkpointing", "at sequence length 4096 without checkpointing"),
        ("Max ctx of 70B params", "Max context of 70B parameters"),
    ],
)
def test_words_are_spelt_in_the_usual_way(written: str, read: str) -> None:
    assert asking_first(written) == read


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ("8000 input and 500 output tokens", {"prompt_tokens": 8000, "output_tokens": 500}),
        ("1000 in and 200 out", {"prompt_tokens": 1000, "output_tokens": 200}),
        ("500 tokens in, 2k out", {"prompt_tokens": 500, "output_tokens": 2048}),
        ("2k input 200 output", {"prompt_tokens": 2048, "output_tokens": 200}),
        ("with 1m context", {"max_model_len": 1048576, "prompt_tokens": 1048320}),
    ],
)
def test_lengths_are_said_in_short_forms(said: str, fields: dict[str, int]) -> None:
    found = lengths_asked({"workload": "serving", "question": f"Llama 3.1 8B on an L4, {said}"})
    assert {name: length.value for name, length in found.items()} == fields


@pytest.mark.parametrize(
    ("said", "workload", "field", "number"),
    [
        ("grad accum 8", "training", "gradient_accumulation_steps", 8),
        ("16 accumulation steps", "training", "gradient_accumulation_steps", 16),
        ("95% gpu memory utilization", "serving", "gpu_memory_utilization", 0.95),
        ("gpu_memory_utilization=0.9", "serving", "gpu_memory_utilization", 0.9),
        ("with 5 drafted tokens", "serving", "speculative_tokens", 5),
        ("--tensor-parallel-size 4", "serving", "tensor_parallel_size", 4),
        ("lora r 64", "training", "lora_rank", 64),
    ],
)
def test_settings_are_said_as_programs_call_them(said: str, workload: str, field: str, number: float) -> None:
    found = dict(settings_named(said, workload))[field]
    assert found.value == number
    assert [said[place.start : place.stop] for place in found.places] == [found.words]


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
    assert (said and round(said.value / 1e9, 6)) == (gigabytes and round(gigabytes, 6))


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
        ("Train a 7B, 1T tokens, on 256 H100: how long?", ""),
        ("Does Llama 3.1 8B with 4096 context and 4096 hidden size fit on an A100?", "4096 hidden"),
        ("Serve Llama 3.1 8B on 8 H100 with 8 replicas", "8 replicas"),
        ("We have $500. How long does LoRA of Llama 3 8B for 2 epochs take on 2 A100?", "2 epochs"),
    ],
)
def test_numbers_that_nothing_takes_into_account_are_told(asked: Asked, question: str, passed_over: str) -> None:
    beside = f"takes into account; the answer is of the rest (found '{passed_over}')"
    before = f"! Without '{passed_over}', which is not read: "
    said = asked(question)
    assert (beside in said or before in said) == bool(passed_over)
    assert passed_over or "which is not read" not in said
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
