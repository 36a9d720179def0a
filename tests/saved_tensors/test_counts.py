"""Saved tensors and peaks of a training step: the engine's predictions against counts of torch and transformers."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from memreport.compute import Computed
from tests.saved_tensors.architectures import ARCHITECTURES
from tests.support import run, scenario_text, value

HERE = Path(__file__).parent
TOLERANCE = 0.001
PEAK_TOLERANCE = 0.005
FIGURES = {"layer": "stored_activation_bytes", "head": "edge_activation_bytes", "loss": "loss_activation_bytes"}
Case = Mapping[str, Any]


def data(name: str) -> Any:
    return yaml.load((HERE / name).read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506


COUNTS = {one["architecture"]: one for one in data("counts.yaml")["counts"]}
PEAKS = data("peaks.yaml")["peaks"]


def flow(block: Mapping[str, Any]) -> str:
    text: str = yaml.safe_dump(dict(block), default_flow_style=True, sort_keys=False, width=1_000_000)
    return text.strip()


def training(case: Case) -> dict[str, Any]:
    """The counted settings in the words of a scenario."""
    found = {
        "attention": case.get("attention", "sdpa"),
        "gradient_checkpointing": case.get("checkpointing", "none"),
        "precision": case.get("precision", "bf16-pure"),
        "length_pattern": next((one for one in ("padded", "joined") if case.get(one)), "fixed"),
    }
    if not case.get("targets"):
        return found
    adapters = {"target_modules": case["targets"].split(), "adapter_dtype": case["adapter_dtype"]}
    adapters |= {name: case[name].split() for name in ("modules_to_save", "target_parameters") if name in case}
    adapters |= {"use_dora": case.get("use_dora", False)}
    return found | {"method": "lora", "lora_dropout": case.get("lora_dropout", 0)} | adapters


def predicted(folder: Path, one: Mapping[str, Any]) -> Computed:
    """All cases of an architecture as variants of one scenario."""
    variants = {
        f"case {at}": {f"training.{name}": given for name, given in training(case).items()}
        for at, case in enumerate(one["cases"])
    }
    text = scenario_text(model=flow(one["card"]), training=flow(one["training"]), variants=flow(variants))
    return run(folder, text)


def unsaved(computed: Computed, at: int) -> float:
    """What the first layer lacks; a layer in the middle is counted."""
    names = ("tokens_per_micro_batch", "trains_adapters", "unsaved_first_bytes_per_token")
    return math.prod(value(computed, name, at) for name in names)


@pytest.mark.parametrize("name", COUNTS)
def test_saved_tensors_are_predicted(tmp_path: Path, name: str) -> None:
    one = COUNTS[name]
    computed = predicted(tmp_path, one)
    layers = {"layer": one["card"]["num_hidden_layers"], "head": 1, "loss": 1}
    found = {
        (at, part): (value(computed, figure, at) + (part == "layer") * unsaved(computed, at)) / layers[part]
        for at in range(len(one["cases"]))
        for part, figure in FIGURES.items()
    }
    wrong = {
        (at, part): got / one["cases"][at][part] - 1
        for (at, part), got in found.items()
        if got != pytest.approx(one["cases"][at][part], rel=TOLERANCE)
    }
    assert not wrong, {key: (f"{error:+.3%}", one["cases"][key[0]]) for key, error in wrong.items()}


def test_the_counts_cover_what_they_are_meant_to() -> None:
    cases = [(name, case) for name, one in COUNTS.items() for case in one["cases"]]
    assert set(COUNTS) == set(ARCHITECTURES)
    assert {(case["attention"], case["checkpointing"]) for _, case in cases} == {
        (attention, mode) for attention in ("sdpa", "eager") for mode in ("none", "full")
    }
    assert len({name for name, case in cases if case["precision"] == "bf16-autocast" and not case["targets"]}) > 20
    assert len({name for name, case in cases if case["targets"]}) > 20


@pytest.mark.parametrize("name", COUNTS)
def test_the_card_is_the_one_that_was_counted(name: str) -> None:
    assert COUNTS[name]["card"] == dict(ARCHITECTURES[name].fields)


@pytest.mark.parametrize("case", PEAKS, ids=lambda case: f"{case['architecture']}-{case['made_by']}")
def test_peaks_are_predicted(tmp_path: Path, case: Case) -> None:
    sizes = {"num_hidden_layers": case["layers"], "vocab_size": case["vocab_size"]}
    card = dict(ARCHITECTURES[case["architecture"]].fields) | sizes | case.get("card", {})
    shape = {name: case[name] for name in ("micro_batch_size", "sequence_length")}
    text = scenario_text(model=flow(card), training=flow(training(case) | shape | {"optimizer": "sgd"}))
    computed = run(tmp_path, text)
    instants = ("forward_end_bytes", "backward_start_bytes", "backward_end_bytes")
    found = max(value(computed, name) for name in instants) - value(computed, "resident_bytes")
    assert found == pytest.approx(case["bytes"], rel=2 * PEAK_TOLERANCE)
    states = 3 * value(computed, "weight_bytes")  # weights and two moments, as in a step with AdamW
    assert found + states == pytest.approx(case["bytes"] + states, rel=PEAK_TOLERANCE)


RECOUNTED = (
    ("llama-gqa", {"attention": "sdpa", "checkpointing": "none", "precision": "bf16-autocast"}),
    ("gemma2", {"attention": "eager", "checkpointing": "none", "precision": "bf16-pure"}),
    ("gpt2", {"attention": "sdpa", "checkpointing": "full", "precision": "bf16-pure"}),
)


@pytest.mark.filterwarnings("ignore")  # those of torch and transformers are not ours
@pytest.mark.parametrize(("name", "given"), RECOUNTED)
def test_torch_still_counts_the_same(name: str, given: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    if not (torch.backends.cuda.is_built() or shutil.which("g++")):
        pytest.skip("needs torch with a GPU's code, or a C++ compiler to pretend one")
    from tests.saved_tensors import count, counting

    counting.pretend_device()
    recounted = count.counted(ARCHITECTURES[name], given)
    kept = next(case for case in COUNTS[name]["cases"] if given.items() <= case.items() and not case["targets"])
    assert {part: recounted[part] for part in FIGURES} == {part: kept[part] for part in FIGURES}


SHARDED = data("sharded.yaml")
SETTINGS = (
    "reduce_dtype", "reshard_after_forward", "gradient_accumulation_steps", "sync_each_batch", "gradient_checkpointing",
)  # fmt: skip
AT_WORK = ("forward_end_bytes", "backward_start_bytes", "backward_end_bytes")


@pytest.mark.parametrize("case", SHARDED["cases"], ids=lambda case: "-".join(map(str, case.values())))
def test_gradients_on_their_way_are_predicted(tmp_path: Path, case: Case) -> None:
    """What a process of FSDP2 holds in a backward pass beside its shards, from torch's own tensors."""
    shards, replicas = case.get("sharding_size", 2), case.get("replicas", 1)
    given = {"sequence_length": 4} | {name: case[name] for name in (*SETTINGS, "sequence_length") if name in case}
    given |= {"zero_stage": 3, "precision": "bf16-autocast", "attention": "sdpa", "data_parallel_shard_degree": shards}
    text = scenario_text(
        model=flow(SHARDED["card"] | {name: case[name] for name in SHARDED["card"] if name in case}),
        training=flow(given),
        hardware=f"{{accelerator: a100-80gb-sxm, count: {shards * replicas}, host: dgx-a100}}",
        overrides=f"{{separate_edge_units: {int(case.get('separate_edge_units', False))}}}",
    )
    computed = run(tmp_path, text)
    found = max(value(computed, name) for name in AT_WORK) + value(computed, "gathered_parameter_bytes")
    assert found - value(computed, "resident_bytes") == pytest.approx(case["bytes"], rel=0.05)


TENSOR_PARALLEL = data("tensor_parallel.yaml")


@pytest.mark.parametrize("case", TENSOR_PARALLEL["cases"], ids=lambda case: "-".join(map(str, case.values())))
def test_what_ranks_of_tensor_parallelism_keep_is_predicted(tmp_path: Path, case: Case) -> None:
    """What one of two processes of DTensor saves: inputs as they were gathered, logits whole unless the loss is cut."""
    shape = {"sequence_length": TENSOR_PARALLEL["tokens"], "micro_batch_size": 1, "tensor_parallel_size": 2}
    given = {name: given for name, given in case.items() if name != "bytes"} | {"attention": "sdpa"}
    text = scenario_text(
        model=flow(TENSOR_PARALLEL["card"]),
        training=flow(given | shape | {"precision": "bf16-pure"}),
        hardware="{accelerator: a100-80gb-sxm, count: 2, host: dgx-a100}",
    )
    computed = run(tmp_path, text)
    angles = 2 * TENSOR_PARALLEL["tokens"] * TENSOR_PARALLEL["card"]["head_dim"] * 2  # one table for all layers
    assert sum(value(computed, name) for name in FIGURES.values()) == pytest.approx(case["bytes"] - angles, rel=1e-6)
