"""Counts the tensors that are alive during a forward and backward pass, and writes peaks.yaml.

Run it from the repository with torch, transformers and peft installed: python -m tests.saved_tensors.alive
"""

from __future__ import annotations

import datetime as dt
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
import transformers
import yaml
from torch._subclasses import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tests.saved_tensors.architectures import ARCHITECTURES
from tests.saved_tensors.counting import Settings, build, on_an_accelerator, place, storage_of

PEAKS = Path(__file__).with_name("peaks.yaml")
CPU = "cpu"
"""Without autocast the same tensors are made on every device; a CPU build of torch runs no backward pass elsewhere."""
LISTS = ("targets", "modules_to_save", "target_parameters")
WHOLE = {"modules_to_save": "embed_tokens lm_head"}
SCALED: dict[str, Any] = {"targets": "gate_proj up_proj", "use_dora": True}
EXPERTS: dict[str, Any] = {
    "checkpointing": "none",
    "sequence_length": 64,
    "target_parameters": "mlp.experts.gate_up_proj mlp.experts.down_proj",
}


WRITES = (torch.ops.aten.add.Tensor, torch.ops.aten.index_put.default)
"""What autograd writes into its first operand where that is a plain tensor, no view, and nobody else holds it."""


class Alive(TorchDispatchMode):
    """Bytes of all storages that are alive, now and at most, and the operation that made the most.

    Autograd copies what it would write into a plain tensor where it sees a mode such as this one; such a copy counts
    only where the operand is still there when the next operation begins.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[int, int] = {}
        self.now = self.most = 0
        self.made_by = self.written_by = ""

    def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.settle()
        self.written_by = str(op) if op in WRITES and not torch.is_grad_enabled() and not args[0]._is_view() else ""
        result = op(*args, **(kwargs or {}))
        for made in tree_leaves(result):
            if isinstance(made, torch.Tensor):
                self.add(made, str(op))
        return result

    def settle(self) -> None:
        """What the last operation left."""
        if self.now > self.most:
            self.most, self.made_by = self.now, self.written_by

    def add(self, tensor: torch.Tensor, made_by: str = "") -> None:
        """Count a tensor's storage until it dies."""
        storage = storage_of(tensor)
        if storage in self.sizes:
            return
        self.sizes[storage] = tensor.untyped_storage().nbytes()
        self.now += self.sizes[storage]
        weakref.finalize(tensor.untyped_storage(), self.drop, storage)
        if self.now > self.most and not self.written_by:
            self.most, self.made_by = self.now, made_by

    def drop(self, storage: int) -> None:
        """A storage died."""
        self.now -= self.sizes.pop(storage, 0)


def peak(model_type: str, options: Mapping[str, Any], settings: Settings) -> tuple[int, str]:
    """Most bytes alive beside the weights in one step without optimizer, and the operation that made them."""
    with ExitStack() as stack:
        with torch.device("meta"):
            model = build(model_type, options, settings)
        stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        stack.enter_context(torch.device(CPU))
        place(model, CPU)
        alive = Alive()
        for tensor in (*model.parameters(), *model.buffers()):
            alive.add(tensor)
        weights = alive.now
        ids = torch.zeros(settings.micro_batch_size, settings.sequence_length, dtype=torch.int64)
        stack.enter_context(on_an_accelerator())
        stack.enter_context(alive)
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        return alive.most - weights, alive.made_by


def wanted() -> Iterator[dict[str, Any]]:
    """Cases whose peaks lie at different instants: many logits, many tokens, stored scores, checkpoints, adapters."""
    lora = {"targets": "q_proj v_proj", "adapter_dtype": "fp32"}
    small: dict[str, Any] = {"layers": 8, "vocab_size": 1000, "sequence_length": 2048}
    for checkpointing in ("none", "full"):
        llama = {"architecture": "llama-2-7b", "checkpointing": checkpointing}
        gpt = {"architecture": "gpt2-124m", "checkpointing": checkpointing, "layers": 12, "sequence_length": 1024}
        yield llama | {"layers": 32, "vocab_size": 32000, "micro_batch_size": 1, "sequence_length": 2048}
        yield llama | small | {"micro_batch_size": 16}
        yield llama | small | {"micro_batch_size": 4}
        yield llama | small | {"micro_batch_size": 4, "attention": "eager"}
        yield llama | small | {"micro_batch_size": 16} | lora
        yield llama | small | {"vocab_size": 32000, "micro_batch_size": 4} | lora
        large = {"architecture": "llama-3-8b", "layers": 8, "vocab_size": 128256, "sequence_length": 4096}
        yield llama | large | {"micro_batch_size": 8}
        yield gpt | {"vocab_size": 50257, "micro_batch_size": 8}
        yield gpt | {"vocab_size": 1000, "micro_batch_size": 16}
        yield gpt | {"vocab_size": 1000, "micro_batch_size": 16, "attention": "eager"}
        few = {"architecture": "llama-gqa", "layers": 4, "checkpointing": checkpointing} | lora
        yield few | {"vocab_size": 256000, "micro_batch_size": 1, "sequence_length": 64} | WHOLE
        yield llama | small | {"micro_batch_size": 4, "use_dora": True} | lora
    yield few | {"vocab_size": 100, "micro_batch_size": 8, "sequence_length": 512} | SCALED
    mlp = few | {"vocab_size": 100, "micro_batch_size": 8, "sequence_length": 512}
    mlp |= {"targets": "gate_proj up_proj down_proj", "layers": 8}
    for checkpointing in ("none", "full"):
        yield mlp | {"checkpointing": checkpointing}
        yield mlp | {"checkpointing": checkpointing, "adapter_dtype": "bf16"}
    yield few | {"vocab_size": 4000, "micro_batch_size": 8, "sequence_length": 256, "modules_to_save": "lm_head"}
    routed = few | {"architecture": "mixtral", "vocab_size": 2000, "micro_batch_size": 2}
    yield routed | EXPERTS
    named = routed | {"checkpointing": "none", "targets": "q_proj v_proj w1 w2 w3"}
    yield named | {"sequence_length": 64, "adapter_dtype": "bf16"}
    yield named | {"micro_batch_size": 8, "sequence_length": 256}
    for checkpointing in ("none", "full"):
        routed = {"checkpointing": checkpointing, "vocab_size": 100, "layers": 4, "micro_batch_size": 8}
        yield {"architecture": "glm4-moe", "sequence_length": 256} | routed
    yield {"architecture": "llama4", "sequence_length": 256} | routed | {"checkpointing": "none"}
    yield from two_kinds()
    yield {"architecture": "gemma2", "attention": "eager", "layers": 3, "vocab_size": 256000} | {
        "micro_batch_size": 2, "sequence_length": 512,
    }  # fmt: skip


def two_kinds() -> Iterator[dict[str, Any]]:
    """Dense layers before mixtures or between them, each kind in turn the larger; `options` and `card` say so."""
    shape: dict[str, Any] = {"vocab_size": 100, "micro_batch_size": 4, "sequence_length": 1024}
    for checkpointing in ("none", "full"):
        for width in (512, 8192):
            first = {"options": {"first_k_dense_replace": 2, "intermediate_size": width}} | {
                "card": {"num_dense_layers": 2, "intermediate_size": width}
            }
            yield {"architecture": "glm4-moe", "checkpointing": checkpointing, "layers": 5} | shape | first
            between = {"options": {"interleave_moe_layer_step": 2, "intermediate_size_mlp": width}} | {
                "card": {"num_dense_layers": 3, "num_interleaved_dense_layers": 2, "intermediate_size": width}
                | {"num_unweighted_qk_norm_layers": 5}
            }
            yield {"architecture": "llama4", "checkpointing": checkpointing, "layers": 6} | shape | between
            listed = {"options": {"mlp_only_layers": [0, 2], "intermediate_size": width}} | {
                "card": {"num_dense_layers": 2, "num_interleaved_dense_layers": 1, "intermediate_size": width}
            }
            yield {"architecture": "qwen2-moe", "checkpointing": checkpointing, "layers": 5} | shape | listed


def counted(case: Mapping[str, Any]) -> dict[str, Any]:
    """The case with its peak."""
    one = ARCHITECTURES[case["architecture"]]
    names = ("n_layer" if one.model_type == "gpt2" else "num_hidden_layers", "vocab_size")
    sizes = dict(zip(names, (case["layers"], case["vocab_size"]), strict=True))
    own = {"architecture", "layers", "vocab_size", "options", "card"}
    given = {name: value for name, value in case.items() if name not in own}
    settings = Settings(**(given | {name: tuple(given.get(name, "").split()) for name in LISTS}))
    most, made_by = peak(one.model_type, dict(one.configuration) | sizes | case.get("options", {}), settings)
    return dict(case) | {"bytes": most, "made_by": made_by.removeprefix("aten.").split(".")[0].strip("_")}


def main() -> None:
    """Count every case."""
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    versions = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions}
    text = yaml.safe_dump(
        data | {"peaks": [counted(case) for case in wanted()]}, sort_keys=False, width=10000, default_flow_style=None
    )
    PEAKS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
