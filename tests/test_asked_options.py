"""What a question says of memory as people who know a framework say it: options, techniques, sizes side by side."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from memreport.catalogue.question.settings import layouts_said, settings_named
from memreport.catalogue.scenario import switches
from memreport.catalogue.words.options import with_options
from memreport.catalogue.yaml.strict import parse
from tests.conftest import Asked

SAID: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("training", "with chunked cross-entropy", {"loss": "chunked"}),
    ("training", "with Liger fused linear cross entropy", {"loss": "fused-linear"}),
    ("training", "with logits in bf16", {"loss": "bf16-logits"}),
    ("training", "with loss parallel", {"loss": "loss-parallel"}),
    ("training", "selective recompute", {"gradient_checkpointing": "selective"}),
    ("training", "torchtitan, selective activation checkpointing", {"gradient_checkpointing": "selective-op"}),
    ("training", "checkpointing every third layer", {"gradient_checkpointing": "every-nth", "checkpoint_interval": 3}),
    ("training", "with activation offloading", {"activation_offload": True}),
    ("training", "optimizer in backward", {"optimizer_in_backward": True}),
    ("training", "float8 in torchtitan, rowwise", {"precision": "fp8-autocast", "fp8_recipe": "torchao-rowwise"}),
    ("training", "fp8 delayed scaling", {"precision": "fp8", "fp8_recipe": "te-delayed"}),
    ("training", "hsdp, 8 shards", {"zero_stage": 3, "hybrid_shard": True, "data_parallel_shard_degree": 8}),
    ("training", "fp32 reduce", {"reduce_dtype": "fp32"}),
    (
        "training",
        "zero-infinity with nvme",
        {"zero_stage": 3, "optimizer_offload": "nvme", "parameter_offload": "nvme"},
    ),
    ("training", "tp 4 pp 4, 2 virtual stages", {"virtual_pipeline_parallel_size": 2, "pipeline_parallel_size": 4}),
    ("training", "zero bubble", {"pipeline_schedule": "zb-h1"}),
    ("training", "dualpipe", {"pipeline_schedule": "dualpipe"}),
    ("training", "etp 1", {"expert_tensor_parallel_size": 1}),
    ("training", "capacity factor 1.25", {"moe_expert_capacity_factor": 1.25}),
    ("training", "galore rank 1024", {"optimizer": "galore-adamw", "galore_rank": 1024}),
    ("training", "with paged 8-bit adamw", {"optimizer": "paged-adamw-8bit"}),
    ("training", "with lion 8-bit", {"optimizer": "lion-8bit"}),
    ("training", "with adam-mini", {"optimizer": "adam-mini"}),
    ("training", "lora on all linear layers", {"target_modules": "all-linear"}),
    ("training", "prefix tuning, 30 virtual tokens", {"num_virtual_tokens": 30}),
    ("serving", "with dcp 8", {"decode_context_parallel_size": 8}),
    ("serving", "with 32 loras of rank 64", {"max_loras": 32, "max_lora_rank": 64}),
    ("serving", "without flash attention", {"flash_attention": False}),
    ("serving", "with experts on the cpu", {"n_cpu_moe": 1000}),
    ("serving", "with enforce eager", {"enforce_eager": True}),
    ("serving", "with an nvfp4 cache", {"kv_cache_dtype": "nvfp4"}),
)


@pytest.mark.parametrize(("workload", "question", "fields"), SAID)
def test_techniques_are_fields(workload: str, question: str, fields: dict[str, Any]) -> None:
    named = {name: said.value for name, said in settings_named(question, workload)}
    assert {name: named.get(name) for name in fields} == fields


def test_sizes_of_several_kinds_go_together() -> None:
    assert not layouts_said("how much memory does 70b take on 64 h100 with tp 4 and pp 2?", 64)
    assert [*layouts_said("tp 4 or pp 2 for a 70b?", 64)] == ["TP 4", "PP 2"]
    assert [*layouts_said("memory of a 70b with tp 4, tp 8?", 64)] == ["TP 4", "TP 8"]


def test_an_option_is_read_as_its_program_writes_it(asked: Asked) -> None:
    """32,768 tokens of a pass are not told as a number that nothing takes into account."""
    said = re.sub(
        r"\s+", " ", asked("How much memory does Llama 3.1 8B take on an H100 with max_num_batched_tokens 32768?")
    )
    assert "Read as fields of the serving: max_num_batched_tokens 32768." in said
    assert "nothing here takes into account" not in said


def options_read(question: str, **stated: object) -> dict[str, object]:
    data = {"question": question, "workload": "training", **stated}
    text = json.dumps(data)
    document, _ = with_options(parse(text, ""), switches(), lambda _field, _name: "")
    return dict(document.data.get("training", {}))


def test_on_is_a_value_behind_a_sign_alone() -> None:
    assert "zero_stage" not in options_read("zero_stage on 8 H100")
    assert options_read("torch_compile on 8 H100") == {"torch_compile": True}
    assert options_read("torch_compile=on, 8 H100") == {"torch_compile": True}


def test_an_option_is_open_unless_it_is_stated() -> None:
    assert options_read("zero_stage 2", training={"framework": "zero_stage"})["zero_stage"] == 2
    assert options_read("zero_stage 2", training={"zero_stage": 3})["zero_stage"] == 3


def test_the_version_of_a_model_is_no_gpu(asked: Asked) -> None:
    """`V4` of DeepSeek-V4-Flash was read as a TPU v4."""
    said = asked("How big is the KV cache of DeepSeek-V4-Flash at 4096 tokens?")
    assert "TPU" not in said
