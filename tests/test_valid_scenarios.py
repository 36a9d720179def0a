"""Random valid scenarios: whatever may be asked has finite figures in their order, parts that sum, and states that only
shrink when more GPUs share them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memreport.checks import check
from memreport.compute import Computed
from memreport.report.peak.parts import AT_TIMES, COMPONENTS
from tests.support import run, scenario_text

CLOSE = 1e-9
STATES = ("weight_bytes", "master_weight_bytes", "gradient_bytes", "optimizer_state_bytes")
DENSE = ("llama-3.2-1b", "qwen2.5-7b", "gpt2", "gemma-2-2b", "llama-3-70b")
GPUS = ("l4", "a100-80gb-sxm", "h100-80gb-sxm", "b200", "mi300x")
SLOW = settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def powers(most: int) -> st.SearchStrategy[int]:
    return st.integers(0, most).map(lambda power: 2**power)


@st.composite
def models(draw: st.DrawFn) -> object:
    """A card, or fields of a model of any shape that holds together."""
    if draw(st.booleans()):
        return draw(st.sampled_from(DENSE))
    heads, groups, width = draw(powers(6)), draw(powers(3)), draw(st.sampled_from((1, 3, 64, 80, 128, 256)))
    experts = draw(st.sampled_from((0, 0, 8, 64)))
    routed = {"num_local_experts": experts, "num_experts_per_tok": 2, "moe_intermediate_size": draw(powers(12))}
    return {
        "hidden_size": draw(st.integers(1, 16384)),
        "num_hidden_layers": draw(st.integers(1, 200)),
        "num_attention_heads": heads * groups,
        "num_key_value_heads": groups,
        "head_dim": width,
        "intermediate_size": draw(st.integers(1, 65536)),
        "vocab_size": draw(st.integers(1, 300_000)),
        "max_position_embeddings": 10**6,
        "tie_word_embeddings": draw(st.booleans()),
        "parallel_residual": draw(st.booleans()),
    } | (routed if experts else {})


@st.composite
def trainings(draw: st.DrawFn) -> dict[str, Any]:
    """Training on up to 1,024 GPUs that share the states in every way that goes with a choice."""
    method = draw(st.sampled_from(("full", "lora", "qlora")))
    return {
        "method": method,
        "optimizer": draw(st.sampled_from(("adamw", "adamw-8bit", "sgd", "adafactor"))),
        "precision": draw(st.sampled_from(("bf16-mixed", "fp16-mixed", "bf16-autocast"))),
        "micro_batch_size": draw(st.integers(1, 64)),
        "sequence_length": draw(st.integers(1, 131072)),
        "gradient_accumulation_steps": draw(powers(8)),
        "gradient_checkpointing": draw(st.sampled_from(("none", "full", "selective", "every-k"))),
        "framework": draw(st.sampled_from(("huggingface", "deepspeed", "megatron"))),
        "attention": draw(st.sampled_from(("flash", "eager", "sdpa"))),
        "attention_dropout": draw(st.sampled_from((0, 0.1, 1))),
        "training_tokens": draw(st.sampled_from((1, 10**6, 10**13))),
        "model_flop_utilization": draw(st.sampled_from((0.01, 0.4, 1))),
    }


@st.composite
def servings(draw: st.DrawFn) -> dict[str, Any]:
    """Serving of any number of sequences of any length."""
    longest = draw(st.integers(16, 10**6))
    sequences = draw(st.integers(1, 4096))
    return {
        "weight_dtype": draw(st.sampled_from(("bf16", "fp8", "int4"))),
        "max_model_len": longest,
        "context_length": draw(st.integers(1, longest)),
        "prompt_tokens": draw(st.integers(1, longest)),
        "output_tokens": draw(st.integers(1, 4096)),
        "max_num_seqs": sequences,
        "max_num_batched_tokens": max(sequences, draw(powers(16))),
        "gpu_memory_utilization": draw(st.sampled_from((0.1, 0.9, 1))),
    }


def written(**blocks: object) -> str:
    return scenario_text(**{name: json.dumps(block) for name, block in blocks.items()})


def computed_of(text: str) -> Computed:
    with tempfile.TemporaryDirectory() as folder:
        return run(Path(folder), text)


def holds(computed: Computed) -> None:
    """What must hold of every case, said here again without the engine's own checks, and then by these."""
    values = {name: np.broadcast_to(one, len(computed.resolved.cases)) for name, one in computed.values.items()}
    assert not [line.name for line in computed.lines if not np.isfinite(values[line.name]).all()]
    low, expected, high = (values[name] for name in ("peak_bytes_low", "peak_bytes", "peak_bytes_high"))
    assert (low <= expected * (1 + CLOSE)).all()
    assert (expected <= high * (1 + CLOSE)).all()
    shown = [
        *COMPONENTS[computed.resolved.loaded.scenario.workload],
        *(one for one in AT_TIMES if one.figure in values),
    ]
    assert np.allclose(sum(values[one.figure] for one in shown), expected, rtol=CLOSE, atol=0)
    check(computed)


@SLOW
@given(models(), trainings(), st.sampled_from(GPUS), powers(10))
def test_training(model: object, training: dict[str, Any], accelerator: str, count: int) -> None:
    stages = {f"zero {stage}": {"training.zero_stage": stage} for stage in range(4)}
    hardware = {"accelerator": accelerator, "count": count}
    computed = computed_of(written(model=model, hardware=hardware, training=training, variants=stages))
    holds(computed)
    states = np.asarray([np.broadcast_to(computed.values[name], 4) for name in STATES])
    assert (np.diff(states, axis=1) <= CLOSE * states[:, :-1]).all(), "more is sharded, and a state is larger"


@SLOW
@given(models(), trainings(), st.sampled_from((1, 2, 3)))
def test_more_accelerators_never_hold_more_of_the_states(model: object, training: dict[str, Any], stage: int) -> None:
    counts = {f"{2**power} of them": {"hardware.count": 2**power} for power in range(0, 11, 2)}
    job = training | {"zero_stage": stage}
    hardware = {"accelerator": "h100-80gb-sxm", "count": 1}
    computed = computed_of(written(model=model, hardware=hardware, training=job, variants=counts))
    holds(computed)
    states = np.asarray([np.broadcast_to(computed.values[name], len(counts)) for name in STATES])
    assert (np.diff(states, axis=1) <= CLOSE * states[:, :-1]).all()


@SLOW
@given(models(), servings(), st.sampled_from(GPUS), st.integers(1, 16))
def test_serving(model: object, serving: dict[str, Any], accelerator: str, count: int) -> None:
    hardware = {"accelerator": accelerator, "count": count}
    holds(computed_of(written(model=model, hardware=hardware, workload="serving", serving=serving)))
