"""What a question says of fields that a scenario leaves open, and what it does not say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memreport.errors import InputError
from tests.support import run, scenario_text

SERVING, TRAINING = {"workload": "serving"}, {"workload": "training"}
CASES: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"hardware": None}, "Can we train it on 2 x RTX 4090?", {"accelerator": "rtx-4090", "count": 2}),
    ({"hardware": None}, "Does training fit eight A100 80GB SXM?", {"accelerator": "a100-80gb-sxm", "count": 8}),
    ({"hardware": None} | SERVING, "How fast is it on a Mac with M4 Max?", {"accelerator": "m4-max", "count": 1}),
    ({"hardware": None} | SERVING, "How fast is it on an M4 Max?", {"engine": "llama.cpp", "max_num_seqs": 1}),
    ({"hardware": None}, "What is the smallest GPU?", {"accelerator": "h100-80gb-sxm", "count": 1}),
    ({}, "Does it fit one H200?", {"accelerator": "a100-80gb-sxm"}),
    ({"workload": None}, "Can we fine-tune it?", {"micro_batch_size": 1}),
    ({"workload": None}, "Can it serve 12 users?", {"max_num_seqs": 12}),
    (TRAINING, "Can we fine-tune it with QLoRA?", {"method": "qlora"}),
    (TRAINING, "Can we fine-tune it with prefix tuning?", {"method": "lora", "peft_type": "prefix-tuning"}),
    (TRAINING, "Does IA3 fit?", {"peft_type": "ia3", "target_modules": ("k_proj", "v_proj", "down_proj")}),
    (TRAINING, "Can we fine-tune it with MeZO?", {"optimizer": "mezo"}),
    ({"title": "LoRA of a 7B"}, "Does it fit?", {"method": "lora"}),
    ({"training": "{method: full}"}, "Does it fit, or do we need LoRA?", {"method": "full"}),
    (TRAINING, "How long does it take on 1.5 trillion tokens?", {"training_tokens": 1.5e12}),
    (TRAINING, "What do 3 epochs over our 50M tokens cost?", {"training_tokens": 150e6}),
    (TRAINING, "How many tokens can we train on in 3 days?", {"training_tokens": 1e9}),
    ({"training": "{training_tokens: 2e9}"}, "How long on 1 billion tokens?", {"training_tokens": 2e9}),
    (TRAINING, "Does it fit with an 8k context?", {"sequence_length": 8192}),
    (SERVING, "Does it fit with 4k context?", {"max_model_len": 4096}),
    (TRAINING, "Does it fit with 64k sequences?", {"sequence_length": 65_536}),
    (TRAINING, "Does it fit with a sequence length of 3,000?", {"sequence_length": 3000}),
    (TRAINING, "Does it fit with 64 sequences?", {"sequence_length": 2048}),
    (SERVING, "What is the maximum context?", {"max_num_seqs": 1}),
    (SERVING, "Is it enough for 0 users with prompts of 0 tokens?", {"max_num_seqs": 32, "prompt_tokens": 2048}),
    (TRAINING, "Does it fit with a 99999999999999999999k context?", {"sequence_length": 2048}),
    ({"workload": None, "variants": "{a: {training: {zero_stage: 3}}}"}, "Does it fit?", {"zero_stage": 3}),
    ({"workload": None}, "How much memory does DPO need?", {"objective": "dpo"}),
    ({"workload": None}, "How much VRAM do I need to run it in Q4_K_M?",
     {"weight_dtype": "q4_k_m", "engine": "llama.cpp"}),
    ({"hardware": None} | SERVING, "How much VRAM does it need in 4-bit?", {"weight_dtype": "int4", "engine": "vllm"}),
    (SERVING, "Does it fit with FP8 KV cache?", {"weight_dtype": "bf16"}),
    ({"workload": None}, "What is the cost per million tokens?", {"max_num_seqs": 32}),
    ({"hardware": None}, "How long does LoRA on 10,000 samples take on a 4090?",
     {"accelerator": "rtx-4090", "method": "lora", "training_tokens": 10_000 * 2048}),
    (TRAINING, "Does FSDP with rank 64 and batch size 4 fit with gradient checkpointing?",
     {"zero_stage": 3, "lora_rank": 64, "micro_batch_size": 4, "gradient_checkpointing": "full"}),
    (TRAINING, "Does ZeRO-2 with 8-bit Adam and a global batch of 512 fit?",
     {"zero_stage": 2, "optimizer": "adamw-8bit", "micro_batch_size": 1}),
    (TRAINING, "Is ZeRO-2 enough, or ZeRO-3?", {"zero_stage": 2}),
    ({"training": "{zero_stage: 1}"}, "Does it fit with FSDP?", {"zero_stage": 1}),
    ({"workload": None}, "Can we serve 10 LoRA adapters at once?", {"max_loras": 10}),
    (TRAINING, "Does it fit with 4k sequences?", {"sequence_length": 4096, "training_tokens": 1e9}),
    (SERVING, "How fast is it at batch size 8?", {"max_num_seqs": 8}),
    (TRAINING, "How long does it take on 10k examples of 1,000 tokens?", {"training_tokens": 10_000 * 1_000}),
    ({"training": "{sequence_length: 512}"}, "How long do 2 epochs on 5k examples take?",
     {"training_tokens": 5_000 * 2 * 512}),
    (SERVING, "How fast is it with 1,500 input tokens and 300 output tokens?",
     {"prompt_tokens": 1500, "output_tokens": 300}),
    (SERVING, "How long do 1 million documents of 500 tokens take?", {"prompt_tokens": 500}),
    (SERVING, "Does it fit with prompts of 2k tokens and answers of about 400 tokens?",
     {"prompt_tokens": 2048, "output_tokens": 400}),
    ({"serving": "{prompt_tokens: 700}"} | SERVING, "Does it fit with prompts of 2k tokens?", {"prompt_tokens": 700}),
    ({"hardware": "{accelerator: l40s, count: 4}", "serving": "{tensor_parallel_size: 2}"} | SERVING,
     "Can it serve 64 users?", {"max_num_seqs": 32}),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "question", "read"), CASES, ids=lambda part: part if isinstance(part, str) else "")
def test_what_a_scenario_leaves_open_its_question_says(
    tmp_path: Path, stated: dict[str, Any], question: str, read: dict[str, Any]
) -> None:
    settings = run(tmp_path, scenario_text(**stated, question=f'"{question}"')).resolved.cases[0].settings
    assert {name: settings[name] for name in read} == read


def test_model_and_hardware_of_all_variants_need_no_others(tmp_path: Path) -> None:
    variants = "{small: {model: llama-3.2-1b, hardware: l4}, large: {model: llama-3-8b, hardware: 2xL40S}}"
    text = scenario_text(model=None, hardware=None, workload="serving", variants=variants)
    cases = run(tmp_path, text).resolved.cases
    assert [(case.card.id, case.settings["accelerator"], case.settings["count"]) for case in cases] == [
        ("llama-3.2-1b", "l4", 1),
        ("llama-3-8b", "l40s", 2),
    ]


@pytest.mark.parametrize(
    ("blocks", "field"),
    [
        ({"hardware": None, "question": '"Does it fit?"'}, "hardware"),
        ({"hardware": None, "question": '"Does it fit 0 H100?"'}, "hardware"),
        ({"hardware": None, "question": '"Does it fit 99999999 H100?"'}, "hardware"),
        ({"workload": None, "question": '"Can we train it and serve it?"'}, "workload"),
        ({"model": None, "variants": "{a: {model: llama-3-8b}, b: {hardware.count: 2}}"}, "model"),
    ],
)
def test_what_nobody_says_is_required(tmp_path: Path, blocks: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        run(tmp_path, scenario_text(**blocks))
    assert (field, "is required") in [(fault.field, fault.message) for fault in caught.value.faults]
