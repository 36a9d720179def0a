"""What questions were answered without: each is read now, or it is told that nothing reads it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.build.asking import NETWORK_NEEDED, NOT_COMPUTED
from memreport.build.asking import asked as answer_to
from memreport.build.stated.pasted import without_settings
from memreport.catalogue.question.demand import users_said
from memreport.catalogue.question.lengths import lengths_asked
from memreport.catalogue.question.lexer import asking_first
from memreport.catalogue.question.money import energy_price_said
from memreport.catalogue.question.settings import settings_named
from memreport.errors import InputError
from tests.conftest import Asked
from tests.support import run, scenario_text


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize(
    ("question", "rented"),
    [
        ("Buy 4 L40S or rent an H100 for 2 years?", 1),
        ("Rent an H100 or buy 2 RTX 4090 for 2 years?", 1),
        ("Buy 2 RTX 4090 or rent 2 H100 for 2 years?", 2),
    ],
)
def test_a_gpu_with_an_article_is_one(asked: Asked, question: str, rented: int) -> None:
    each = 121_000
    found = re.search(r"h100 costs \$([\d,]+) for 24 months|rent[^$]*\$([\d,]+) for 24 months", flat(asked(question)))
    assert found
    assert float(next(filter(None, found.groups())).replace(",", "")) == pytest.approx(rented * each, rel=0.01)


@pytest.mark.parametrize("said", ["I have $100k, how many", "We have $100k: how many", "We can spend $100k, how many"])
def test_what_somebody_has_stands_behind_what_is_asked(asked: Asked, said: str) -> None:
    assert asking_first(f"{said} tokens can I train?").startswith("how many")
    assert "trillion tokens" in asked(f"{said} tokens can I pretrain a 3B model on with H100 at $2/h?")


@pytest.mark.parametrize(
    "question",
    [
        "Cost per million output tokens of {} on an L4?",
        "Serve {} on an L4 at $2 per hour: cost per million tokens?",
        "$/M tokens for {} on an L4?",
        "What is the price per 1M tokens of {} on an L4?",
    ],
)
def test_a_million_tokens_have_a_cost(asked: Asked, question: str) -> None:
    assert "A million tokens cost" in asked(question.format("Llama 3.1 8B"))


@pytest.mark.parametrize(
    ("question", "price"),
    [
        ("what does the power cost per year at $0.12?", 0.12),
        ("what does the electricity cost at $0.30 per kwh?", 0.3),
        ("what do 8 h100 cost at $2?", 0),
    ],
)
def test_power_has_a_price_without_its_kilowatt_hour(question: str, price: float) -> None:
    said = energy_price_said(question)
    assert (said.value if said else 0) == price


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Does ReLoRA let me pretrain 7B on 24 GB?", "relora"),
        ("Fine-tune Qwen2.5 7B with ring attention on 16 H100?", "ring attention"),
        ("Groq vs H100 for Llama 70B?", "groq"),
    ],
)
def test_what_no_field_stands_for_is_told(asked: Asked, question: str, name: str) -> None:
    assert f"takes into account; the answer is of the rest (found '{name}')" in flat(asked(question))


def test_what_is_compiled_or_fused_is_read() -> None:
    named = dict(settings_named("full fine-tune with fsdp2, liger kernels and torch.compile", "training"))
    assert named["torch_compile"].value is True
    assert named["use_liger_kernel"].value is True
    assert "torch_compile" not in dict(settings_named("train without torch.compile", "training"))


@pytest.mark.parametrize("said", ["a single user", "single stream", "batch size 1", "one user"])
def test_one_alone_is_one(said: str) -> None:
    found = users_said(f"tokens/s for {said} on 8 h100?")
    assert found is not None
    assert found.value == 1


@pytest.mark.parametrize(
    ("question", "processor"),
    [
        ("What tokens/s with DeepSeek R1 Q4 on EPYC with 768GB RAM?", "epyc-9554"),
        ("How fast is Llama 70B on a dual Xeon CPU?", "xeon-8480"),
        ("How fast is Llama 8B on a CPU with 64 GB RAM?", "ryzen-7950x"),
    ],
)
def test_a_processor_is_of_the_family_that_is_named(asked: Asked, question: str, processor: str) -> None:
    assert processor in asked(question)


def test_the_ram_of_a_processor_is_its_peak(asked: Asked) -> None:
    said = asked("How much RAM do I need to run DeepSeek R1 671B in Q4 on CPU only with EPYC and 768 GB RAM?")
    assert "Host memory" not in said
    assert re.search(r"37\d GiB", said.splitlines()[0] + flat(said)[:300])


@pytest.mark.parametrize("draft", ["Llama 3.2 1B draft for 70B", "Llama 3.2 1B as a draft for Llama 3.3 70B"])
def test_a_model_that_drafts_is_not_the_one_that_is_served(asked: Asked, draft: str) -> None:
    said = flat(asked(f"Speculative decoding with {draft} on 4 H100, how much faster?"))
    assert re.search("llama-3.3-70b as model", said, re.IGNORECASE)
    assert "times as fast as no draft" in said


@pytest.mark.parametrize("said", ["in 1024 out 512", "1024 in / 512 out", "input 1024, output 512"])
def test_both_lengths_stand_before_or_behind(said: str) -> None:
    found = lengths_asked({"question": f"Throughput on A10G batch 32 {said} vLLM?", "workload": "serving"})
    assert {name: each.value for name, each in found.items()} == {"prompt_tokens": 1024, "output_tokens": 512}


def test_a_variant_with_a_kind_of_adapter_trains_adapters(tmp_path: Path) -> None:
    variants = "{full: {}, lora: {training.peft_type: lora}}"
    computed = run(tmp_path, scenario_text(variants=variants))
    assert [case.settings["method"] for case in computed.resolved.variants] == ["full", "lora"]


def test_the_efficiency_of_a_site_is_read(asked: Asked) -> None:
    question = "What is the total cost of ownership of 64 B200 over 4 years at 8 cents per kWh{}?"
    usual, lower = (flat(asked(question.format(said))) for said in ("", " and PUE 1.1"))
    assert "pue 1.1 as" in lower
    assert usual.partition("Read")[0] != lower.partition("Read")[0].replace(" and PUE 1.1", "")


@pytest.mark.parametrize(
    ("question", "left", "workload", "settings"),
    [
        (
            "TrainingArguments(per_device_train_batch_size=8, num_train_epochs=3, bf16=True), Mistral 7B, 9k samples",
            "TrainingArguments(3 epochs), Mistral 7B, 9k samples",
            "training",
            {"per_device_train_batch_size": 8, "bf16": True},
        ),
        (
            "QLoRA Llama 3 8B on a 3090, lora_r: 32, sequence_len 4096, gradient_checkpointing: true",
            "QLoRA Llama 3 8B on a 3090",
            "training",
            {"lora_r": 32, "sequence_len": 4096, "gradient_checkpointing": True},
        ),
        (
            "base_model: Llama-3.1-8B, adapter: qlora, num_epochs: 4, micro_batch_size: 2, on a 3090",
            "Llama-3.1-8B, 4 epochs, on a 3090",
            "training",
            {"adapter": "qlora", "micro_batch_size": 2},
        ),
        (
            "Llama 3.1 70B on 4 H100, gpu_memory_utilization=0.85, tensor_parallel_size=4",
            "Llama 3.1 70B on 4 H100",
            "serving",
            {"gpu_memory_utilization": 0.85, "tensor_parallel_size": 4},
        ),
        (
            "max_steps=500 and per_device_train_batch_size=4, fine-tune Llama 3.1 8B",
            "for 500 steps and, fine-tune Llama 3.1 8B",
            "training",
            {"per_device_train_batch_size": 4},
        ),
        (
            "LoRA of Llama 3.1 8B, max_train_samples: 10,000, lora_r=16, sequence_len 32,768",
            "LoRA of Llama 3.1 8B",
            "training",
            {"max_train_samples": 10000, "lora_r": 16, "sequence_len": 32768},
        ),
        ("lora_r=16 vs lora_r=64, bf16=True: memory?", "lora_r=16 vs lora_r=64: memory?", "training", {"bf16": True}),
        ("batch_size=4 or 8, bf16=True", "batch_size=4 or 8", "training", {"bf16": True}),
    ],
)
def test_settings_in_a_question_are_read_as_in_a_file(
    question: str, left: str, workload: str, settings: dict[str, object]
) -> None:
    said = without_settings(question)
    assert said
    assert (said.question, said.workload, said.settings) == (left, workload, settings)


@pytest.mark.parametrize(
    "question",
    [
        "What does it cost: 8 H100 at $2/h?",
        "Llama 3.1 8B with max_model_len=8192 on one H100",
        "foo_bar=7",
        "zero_stage 3 vs zero_stage 2",
        "lora_r=16 or 64: memory?",
    ],
)
def test_a_question_without_settings_stays_as_it_is(question: str) -> None:
    assert without_settings(question) is None


def test_a_question_with_settings_stands_alone_and_is_printed_as_it_was_asked(asked: Asked) -> None:
    """With a setting, a step had one sequence, and not the usual 64."""
    said = asked("Fine-tune Llama 3.1 8B on 8 H100 with 10M tokens, max_grad_norm=1.0, bf16=True")
    assert said.startswith("Fine-tune Llama 3.1 8B on 8 H100 with 10M tokens, max_grad_norm=1.0, bf16=True")
    assert "no batch as 64 sequences a step" in said
    assert "Read as fields of the training: " in said


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("do i need infiniband for training a 13b on 4 nodes?", True),
        ("is infiniband needed for 2 nodes?", True),
        ("is 400g infiniband worth it for 2 nodes?", True),
        ("does 70b on 2 nodes require a fast network?", True),
        ("we need 2 nodes with infiniband: how long for 70b?", False),
        ("how long does a 70b need on 2 nodes with infiniband?", False),
        ("how long does a checkpoint of llama 3.1 70b take to save?", True),
        ("how long does it take for a checkpoint to be written?", True),
        ("how long will a 70b checkpoint take to load?", True),
        ("how long does fine-tuning 7b take with checkpoints saved every 500 steps?", False),
        ("how long does it take to train 7b, checkpoints saved every 500 steps?", False),
    ],
)
def test_what_is_stated_is_not_what_is_asked(question: str, refused: bool) -> None:
    assert bool(NETWORK_NEEDED.search(question) or NOT_COMPUTED.search(question)) == refused


def test_checkpoints_on_disk_are_not_recomputed_layers(asked: Asked) -> None:
    said = asked(
        "How long does fine-tuning Mistral 7B on 8 H100 on 10M tokens take with checkpoints saved every 500 steps?"
    )
    assert "full checkpointing" not in said
    assert "64 sequences a step" in said


def test_an_amount_that_is_not_read_stands_before_the_answer(asked: Asked) -> None:
    assert "! Without '4 images', which is not read: " in asked(
        "Qwen2-VL 7B with 4 images per prompt on an A10G: users?"
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does sequence packing speed up fine-tuning of Llama 3 8B on 4 H100?", "'sequence packing'"),
        ("Does gradient accumulation slow down training of Llama 3 8B on 4 H100?", "'gradient accumulation'"),
        ("Do I need InfiniBand for training a 13B on 4 nodes of 8 A100?", "whether a network is needed"),
        ("How long does a checkpoint of Llama 3.1 70B take to save?", "'checkpoint'"),
        ("How many FLOPs to train Llama 3.1 8B on 15T tokens?", "'flops'"),
        ("Can an H100 run Flux?", "the question is of flux"),
        ("How many GPUs does GPT-4 need?", "the question is of gpt-4"),
    ],
)
def test_what_is_not_computed_is_refused_and_not_answered_with_a_yes(question: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        answer_to(question)
    assert said in str(caught.value)


@pytest.mark.parametrize("question", ["in Sweden", "in France or Poland", "in Texas"])
def test_a_grid_that_is_not_known_is_told_before_the_answer(asked: Asked, question: str) -> None:
    assert "! Without '" in asked(f"CO2 of fine-tuning Llama 3.1 8B with LoRA on one H100 {question}?")
