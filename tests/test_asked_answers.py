"""Answers in the unit, at the load and of the job that a question speaks of, with their numbers."""

from __future__ import annotations

import pytest

from memreport.commands.main import main
from memreport.errors import BAD_INPUT
from tests.conftest import Asked

COMPARED = [
    ("Should I use TP 2 or TP 4 for Llama 3.3 70B on 4 H100?", "with 32 at once; TP 2 356 tokens/s with 6 at once on"),
    ("What is cheaper for Llama 3.1 8B: L4 or H100?", "105 at once, $0.669 a million; l4 84 tokens/s with 7 at once"),
    ("B200 vs H100 for training 70B, how much faster?", "32 × b200 is 1.26 times as fast as 32 × h100"),
    ("How much faster is an H200 than an H100 for Llama 3.3 70B decode?", "4 × h200 is 1.13 times as fast as 4 × h100"),
    (
        "FP8 vs INT4 vs BF16 for Llama 3.1 70B on H100: throughput and number of GPUs?",
        "fp8 on 2 GPUs 829 tokens/s with 50 at once; int4 on 2 GPUs 796 tokens/s with 75 at once",
    ),
    ("KTO vs DPO memory for 7B?", "43.2 of 79.6 GiB per GPU with kto with ZeRO-3; 56.1 of 79.6 GiB per GPU with dpo"),
    ("How much memory does DPO of Llama 3.1 8B take compared to SFT?", "47.9 of 79.6 GiB per GPU with sft"),
    ("EAGLE-3 for Llama 3.3 70B on 2 H200, speedup?", "3 drafted tokens is 1.3 times as fast as no draft"),
    ("How much memory does Liger save for Llama 3 8B on 8 H100?", "Liger kernels save 5.86 GiB"),
    (
        "How much do activations take for 7B at 8k with and without checkpointing?",
        "Activations 49 GiB, at a peak of 69.5 of 79.6 GiB per GPU with no checkpointing",
    ),
]
IN_THEIR_UNIT = [
    ("What is the energy per request of Llama 3.1 8B on an L4?", "978 J a request and 3.82 J a token"),
    ("How many tokens per joule for Llama 3.1 70B on 8 H100?", "(0.118 tokens a joule)"),
    ("How many tokens in KV cache on one H100 for Llama 3.1 8B?", "450,720 tokens in the KV cache of a replica"),
    ("Llama 3.1 70B on 8 H100: tokens per second per GPU?", "186 tokens/s per GPU"),
    ("How many requests per hour can one L4 serve with Llama 3.1 8B?", "1,890 requests an hour"),
    ("How many tokens a second can I prefill with Llama 3.1 70B on 8 H100?", "25,100 tokens/s of prompts"),
    ("How much is an A100 80GB per hour?", "Rented at $5.07 an hour each"),
    ("cost of 1M output tokens of Llama 3.1 8B on 4 L4?", "$0.705 ($0.528 to $0.942) in the answer"),
    ("How many 70B LoRA fine-tunes of 10M tokens can I do with $1000", "✓ 60 runs (36 to 101) for $1,000"),
    ("Real-time streams of whisper medium on one T4?", "✓ 218 streams in real time"),
]
OF_THE_JOB = [
    ("Time to process 1 million documents of 500 tokens with Qwen3 8B on 8 H100?", "✓ 63.4 min"),
    ("How long to generate 500 tokens with Llama 3.1 8B on an L4?", "✓ 32.1 s (24 to 42.9 s) for 1 request"),
    ("Generate 100M synthetic tokens with Llama 3.1 70B on 8 H100: time, cost?", "✓ 11.6 h (9.09 to 14.9 h) and $641"),
    ("Rerank 100 documents per query with bge-reranker-v2-m3 on an L4, latency?", "3.8 s (2.85 to 5.08 s) for 100"),
    ("Train 3B on two and a half million tokens on an H100, how long?", "✓ 2.48 min"),
    ("Fine-tune whisper large-v3 on a RTX 3090 with 1000 hours of audio, how long?", "✓ 15.7 h"),
    ("What does GPT-2 1.5B cost to train on 8 H100 for 24 hours?", "✓ $1,320 ($1,060 to $1,650)"),
    ("What does it cost to train on 8 H100 for 24 hours?", "✓ $1,320 ($1,060 to $1,650)"),
    ("How long to train a 7B on 2T tokens on 1024 A100 at 40% MFU?", "✓ 8.52 days"),
    ("Cost per million output tokens of Qwen2.5 72B on 4 A100 at $1.29 per GPU hour at batch 64?", "$0.916"),
    ("If half of a 4k prompt is shared, how many users of Llama 3.1 8B on an H100?", "✓ 184 users at once"),
    ("7,000 of 8,000 prompt tokens shared: how many users of Llama 3.1 8B on an H100?", "✓ 330 users at once"),
    ("KV cache of Qwen3 32B for 64 users at 8k in FP8?", "✓ KV cache 64 GiB (1 GiB of each)"),
    ("PUE 1.3, 32 H100, 3 years at 9 cents: total cost of ownership?", "$0.09 a kWh as usd_per_kilowatt_hour"),
    ("How much is a 3-year TCO of a DGX H100?", "✓ $353,000 to own over 3 years"),
    ("How long until an RTX 4090 pays off vs renting at $0.34/h?", "✓ Buy: buying is cheaper from month 8.7"),
    ("What does 1 H100 cost per month at Lambda?", "rented at $4.29 an hour each"),
    ("How much would we save with spot instead of on-demand for 8 H100 for 3 weeks?", "spot $9,160 for 21 days"),
    ("Is it cheaper to use the API or to host gpt-oss-120b for 50 million tokens per day?", "✓ The API costs less"),
    ("What would training Llama 2 7B on 2T tokens with 64 A100 emit in the US?", "grid-us as grid"),
    ("Does Llama 4 Scout in INT4 fit on one H100 with 10M context?", "8 × H100 80 GB SXM5 with FP8 cache and TP 8"),
]
ON_WHAT_IS_NAMED = [
    ("How do I fit 70B in 48 GB?", "✓ It fits with AWQ weights and one sequence at once: 39.2 of 41 GiB per GPU"),
    ("How long to fine-tune Llama 3 70B on 2 T4?", "✗ It does not fit on 2 × T4. 58.6 days"),
    ("Kimi K2 Q4 on 512 GB RAM and one RTX 4090 tokens per second?", "✗ It does not fit on 1 × GeForce RTX 4090."),
    ("GB200 NVL72 for DeepSeek R1?", "4 at once on each of 9 replicas"),
    ("QLoRA Llama 3.1 70B on 4 RTX 4090?", "✓ Yes, with three settings: full checkpointing, ZeRO-3 and weight offload"),
    ("Unsloth gpt-oss-20b finetune on 16GB T4?", "! Only just on 1 × T4"),
    ("Full fine-tune 8B on 2x RTX 4090 with FSDP and CPU offload?", "the nearest that fits is 4 × GeForce RTX 4090"),
    ("Llama 3.1 8B on RTX 4060 8GB tokens/s", "✓ 45.6 tokens/s"),
    ("How many embeddings per second does bge-large give on a T4?", "vllm serve BAAI/bge-large-en "),
    ("Which RTX GPU should I buy for 70B Q4?", "1 × RTX PRO 5000 Blackwell 48 GB is the smallest that holds it"),
]


@pytest.mark.parametrize(("question", "said"), [*COMPARED, *IN_THEIR_UNIT, *OF_THE_JOB, *ON_WHAT_IS_NAMED])
def test_the_answer_has_its_number(asked: Asked, question: str, said: str) -> None:
    assert said in asked(question)


def test_the_memory_of_other_gpus_is_not_told_where_what_is_named_holds_the_job(asked: Asked) -> None:
    said = asked("How much RAM do I need to run DeepSeek R1 671B in Q4 on CPU only with EPYC 9654?")
    assert "✓ 375 of 384 GiB per GPU" in said
    assert "On 4 × Instinct MI300X the peak memory" not in said


def test_a_layout_that_is_named_is_kept(asked: Asked) -> None:
    said = asked("Llama 3.1 8B training with context parallel 4 on 8 H100 at 128k sequence length?")
    assert "✓ Yes, with three settings: full checkpointing, ZeRO-3 and optimizer offload to host memory" in said
    assert "CP 8" not in said


def test_a_negative_number_of_a_gpu_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "Can I run Llama 3.1 8B on -3 H100?"]) == BAD_INPUT
    assert "a number that cannot be" in capsys.readouterr().err
