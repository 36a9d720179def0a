"""Counts what a quantised base saves under autocast, and copies of FP32 weights, frozen or not; writes quantised.yaml.

Run it from the repository with torch, transformers, peft and bitsandbytes installed: python -m
tests.saved_tensors.quantised
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import bitsandbytes
import peft
import torch
import transformers
import yaml

from tests.saved_tensors import counting
from tests.saved_tensors.counting import HEAD, LAYER, LOSS, SHARED, Settings, count, pretend_device

QUANTISED = Path(__file__).with_name("quantised.yaml")
SIZES = {"hidden_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2} | {
    "intermediate_size": 1536, "vocab_size": 2000, "head_dim": 64, "max_position_embeddings": 4096,
}  # fmt: skip
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
EVERY = (*ATTENTION, "gate_proj", "up_proj", "down_proj")


class _Product(torch.autograd.Function):
    """As `MatMul4Bit`: the weight alone is kept."""

    @staticmethod
    def forward(_: Any, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return x @ weight.T


class _FourBit(bitsandbytes.nn.Linear4bit):
    """A layer of bitsandbytes without its kernel: multiplies in 16 bit, answers in the type of its input."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = _Product.apply(x.to(torch.bfloat16), self.weight)
        return made.to(x.dtype)


def _quantised(model: torch.nn.Module) -> None:
    """Every matrix of the layers; the rest stays in the type that the precision has."""
    head = model.get_output_embeddings()
    linear = [name for name, one in model.named_modules() if isinstance(one, torch.nn.Linear) and one is not head]
    for name in linear:
        parent, _, leaf = name.rpartition(".")
        old = model.get_submodule(name)
        new = _FourBit(old.in_features, old.out_features, bias=False, device="meta")
        new.weight = torch.nn.Parameter(old.weight.data.to(torch.bfloat16), requires_grad=False)
        new.weight.compress_statistics, new.weight.quant_type = True, "nf4"
        setattr(model.get_submodule(parent), leaf, new)
    model.is_loaded_in_4bit = True


def _adapted(model: torch.nn.Module, settings: Settings) -> torch.nn.Module:
    """Adapters on a base whose embedding asks for a gradient, as PEFT has it with checkpoints."""
    config = peft.LoraConfig(
        r=16, target_modules=[*settings.targets], lora_dropout=settings.lora_dropout, task_type="CAUSAL_LM"
    )
    adapted: torch.nn.Module = peft.get_peft_model(model, config, autocast_adapter_dtype=False)
    for name, parameter in adapted.named_parameters():
        if "lora_" in name:
            parameter.data = parameter.data.to(counting.TYPES[settings.adapter_dtype])
    adapted.enable_input_require_grads()
    return adapted


def _on_quantised(model: torch.nn.Module, settings: Settings) -> torch.nn.Module:
    _quantised(model)
    return _adapted(model, settings)


BUILT = {"lora": _adapted, "qlora": _on_quantised}


def wanted() -> Iterator[dict[str, Any]]:
    """A base prepared in FP32 or left in 16 bit, adapters of either type; then FP32 weights that are not quantised."""
    for precision in ("bf16-autocast", "bf16-weights-autocast"):
        for dtype in ("fp32", "bf16"):
            case = {"method": "qlora", "precision": precision, "adapter_dtype": dtype, "checkpointing": "none"}
            yield case | {"targets": EVERY}
            yield case | {"targets": ATTENTION, "tied": True}
            yield case | {"targets": EVERY, "lora_dropout": 0.1}
            yield case | {"targets": EVERY, "checkpointing": "full"}
            yield case | {"method": "lora", "targets": EVERY}
        yield {"method": "full", "precision": precision, "checkpointing": "none"}


def counted(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings, and bytes that are saved by part."""
    given = dict(given)
    stated = {name: value for name, value in given.items() if name not in ("method", "tied")}
    settings = Settings(micro_batch_size=2, sequence_length=512, **stated)
    with mock.patch.object(counting, "_adapted", BUILT.get(given["method"])):
        ledger = count("llama", SIZES | {"tie_word_embeddings": given.get("tied", False)}, settings)
    found = ledger.bytes_of()
    layers = sum(size for part, size in found.items() if part.startswith(LAYER)) + found[SHARED]
    named = {"targets": " ".join(given["targets"])} if "targets" in given else {}
    return given | named | {"layer": layers, "head": found[HEAD], "loss": found[LOSS]} | {
        "copies": sum(ledger.copies.values())
    }  # fmt: skip


def main() -> None:
    """Count every case."""
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    pretend_device()
    versions = {one.__name__: one.__version__.split("+")[0] for one in (torch, transformers, peft, bitsandbytes)}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "sizes": SIZES}
    data |= {"cases": [counted(given) for given in wanted()]}
    QUANTISED.write_text(yaml.safe_dump(data, sort_keys=False, width=10000, default_flow_style=None), encoding="utf-8")


if __name__ == "__main__":
    main()
