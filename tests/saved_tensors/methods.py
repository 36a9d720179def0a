"""Counts what PEFT's methods train and keep, and forward passes alone; writes methods.yaml.

Run it from the repository with torch, transformers and peft installed: python -m tests.saved_tensors.methods
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import peft
import torch
import transformers
import yaml
from torch._subclasses import FakeTensorMode

from tests.saved_tensors import alive, counting
from tests.saved_tensors.architectures import ARCHITECTURES
from tests.saved_tensors.counting import LAYER, Settings

METHODS = Path(__file__).with_name("methods.yaml")
ATTENTION, EVERY = "q_proj k_proj v_proj o_proj", "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj"
TYPES: Mapping[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "lora": ({"r": 16}, ("q_proj v_proj lm_head", "q_proj embed_tokens")),
    "adalora": ({"init_r": 12, "total_step": 100}, (ATTENTION, EVERY)),
    "ia3": ({}, ("k_proj v_proj down_proj", EVERY)),
    "vera": ({"r": 256}, ("q_proj v_proj", EVERY)),
    "loha": ({"r": 8}, (ATTENTION, EVERY)),
    "oft": ({"oft_block_size": 32}, (ATTENTION, EVERY)),
    "prompt-tuning": ({"num_virtual_tokens": 20}, ("",)),
    "p-tuning": ({"num_virtual_tokens": 20, "encoder_hidden_size": 128}, ("",)),
    "prefix-tuning": ({"num_virtual_tokens": 20}, ("",)),
}
LAYERS = ([2], [0], [1, 2])
SHAPE = {"micro_batch_size": 2, "sequence_length": 512}
shaped = partial(Settings, micro_batch_size=2, sequence_length=512)


def wanted() -> Iterator[dict[str, Any]]:
    """Every method under two types of adapters, with checkpoints and without, fused attention and unfused."""
    for name, attention in (("llama-gqa", "sdpa"), ("qwen3", "sdpa"), ("qwen2", "eager"), ("opt", "sdpa")):
        for method, (options, targets) in TYPES.items():
            for named, dtype in zip(targets * 2, ("bf16", "fp32", "fp32", "bf16"), strict=False):
                for checkpointing in ("none", "full")[: 2 - (method == "prefix-tuning")]:
                    case = {"architecture": name, "peft_type": method, "adapter_dtype": dtype, "targets": named}
                    yield case | {"options": options, "attention": attention, "checkpointing": checkpointing}
    for layers in LAYERS:
        few = {"architecture": "qwen3", "peft_type": "lora", "adapter_dtype": "fp32", "targets": "q_proj v_proj"}
        yield few | {"options": {"r": 16, "layers_to_transform": layers}, "attention": "sdpa", "checkpointing": "none"}


def adapted(case: Mapping[str, Any]) -> Any:
    """What builds the model with the method: a replacement of that of low-rank adapters."""

    def build(model: torch.nn.Module, settings: Settings) -> torch.nn.Module:
        named, targets = case["targets"].split(), ARCHITECTURES[case["architecture"]].targets
        modules = list(dict.fromkeys(targets.get(name, name) for name in named if name in (*targets, *EDGES)))
        given: dict[str, Any] = {"target_modules": modules} if modules else {}
        if case["peft_type"] == "ia3":
            given["feedforward_modules"] = [targets["down_proj"]] * ("down_proj" in named)
        kind = peft.PeftType[case["peft_type"].upper().replace("-", "_")]
        config = peft.mapping.PEFT_TYPE_TO_CONFIG_MAPPING[kind](task_type="CAUSAL_LM", **given, **case["options"])
        made: torch.nn.Module = peft.get_peft_model(model, config, autocast_adapter_dtype=False)
        _cast(made, counting.TYPES[settings.adapter_dtype])
        if settings.checkpointing == "full":
            made.enable_input_require_grads()
        return made

    return mock.patch.object(counting, "_adapted", build)


EDGES = ("lm_head", "embed_tokens")


def _cast(model: torch.nn.Module, dtype: torch.dtype) -> None:
    """Trained parameters, and matrices that adapters share, in the adapters' type."""
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.to(dtype)
    for module in model.modules():
        for shared in (getattr(module, "vera_A", {}), getattr(module, "vera_B", {})):
            for name in [*shared]:
                shared[name] = shared[name].to(dtype)


class _Torch:
    """torch for LyCORIS's layers, which compare a random number with their dropout: never dropped."""

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)

    @staticmethod
    def rand(*_: Any, **__: Any) -> float:
        return 1.0


def counted(case: Mapping[str, Any]) -> dict[str, Any]:
    """Trained parameters, saved bytes of a middle layer and of the head, and the peak beside the weights."""
    one = ARCHITECTURES[case["architecture"]]
    kernel, checkpointing, dtype = (case[name] for name in ("attention", "checkpointing", "adapter_dtype"))
    settings = shaped(attention=kernel, checkpointing=checkpointing, adapter_dtype=dtype, targets=("any",))
    with adapted(case), mock.patch.object(peft.tuners.loha.layer, "torch", _Torch()):
        with torch.device("meta"):
            model = counting.build(one.model_type, one.configuration, settings)
        trained = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
        saved = counting.count(one.model_type, one.configuration, settings).bytes_of()
        most, _ = alive.peak(one.model_type, one.configuration, settings)
    layers = {"layer": saved.get(f"{LAYER} 1", 0)} if "layers_to_transform" not in case["options"] else {}
    whole = sum(size for part, size in saved.items() if part.startswith(LAYER))
    return dict(case) | {"trained": trained, **layers, "layers": whole, "head": saved[counting.HEAD], "peak": most}


def forward(name: str, attention: str, vocabulary: int) -> dict[str, Any]:
    """Most bytes beside the weights in a forward pass with labels and without gradients."""
    one = ARCHITECTURES[name]
    settings = shaped(attention=attention)
    with ExitStack() as stack:
        with torch.device("meta"):
            model = counting.build(one.model_type, dict(one.configuration) | {"vocab_size": vocabulary}, settings)
        stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        stack.enter_context(torch.device("cpu"))
        counting.place(model, "cpu")
        held = alive.Alive()
        for tensor in (*model.parameters(), *model.buffers()):
            held.add(tensor)
        weights, ids = held.now, torch.zeros(*SHAPE.values(), dtype=torch.int64)
        stack.enter_context(counting.on_an_accelerator())
        stack.enter_context(held)
        stack.enter_context(torch.no_grad())
        model.eval()(input_ids=ids, labels=ids)
        held.settle()
    return {"architecture": name, "attention": attention, "vocab_size": vocabulary, "peak": held.most - weights}


def main() -> None:
    """Count every case."""
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    counting.pretend_device()
    versions = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    versions |= {"peft": peft.__version__}
    shapes = [(name, kernel) for name in ("llama-gqa", "qwen3", "opt", "mixtral") for kernel in ("sdpa", "eager")]
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "shape": SHAPE} | {
        "cases": [counted(case) for case in wanted()],
        "forward": [forward(*one, size) for one in shapes for size in (100, 50_000)],
    }
    METHODS.write_text(dumped(data), encoding="utf-8")


def dumped(data: Mapping[str, Any]) -> str:
    """One line a case, so that a change of a count is a change of a line."""
    lines = {name: given for name, given in data.items() if isinstance(given, list)}
    told = yaml.safe_dump({name: data[name] for name in data if name not in lines}, sort_keys=False)
    return told + "".join(f"{name}:\n" + "".join(map(_line, cases)) for name, cases in lines.items())


def _line(case: Mapping[str, Any]) -> str:
    flow: str = yaml.safe_dump(dict(case), sort_keys=False, width=100_000, default_flow_style=True)
    return f"- {flow}"


if __name__ == "__main__":
    main()
