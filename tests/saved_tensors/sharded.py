"""Counts what a process of a sharded job holds during a backward pass, and writes sharded.yaml.

Run it from the repository with torch and transformers installed: python -m tests.saved_tensors.sharded
"""

from __future__ import annotations

import datetime as dt
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
import yaml
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tests.saved_tensors.processes import PROCESSES, counted_by_first

SHARDED = Path(__file__).with_name("sharded.yaml")
CARD: dict[str, Any] = {
    "hidden_size": 256, "num_hidden_layers": 6, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 64,
    "intermediate_size": 704, "vocab_size": 512, "max_position_embeddings": 64, "tie_word_embeddings": False,
}  # fmt: skip
TOKENS = 4
ONLY_HERE = ("aten.split.Tensor", "aten.add.Tensor")
"""Gloo has no reduce-scatter of one tensor: torch copies its input there, which no GPU's library does; and
while operations are watched, autograd adds the two gradients of a tied matrix into a third."""
TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


class Held(TorchDispatchMode):
    """Bytes of all storages that are alive and not set free by resizing, at most."""

    def __init__(self) -> None:
        super().__init__()
        self.storages: dict[int, weakref.ref[Any]] = {}
        self.most = 0

    def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = op(*args, **(kwargs or {}))
        if str(op) not in ONLY_HERE:
            for made in tree_leaves(result):
                if isinstance(made, torch.Tensor):
                    self.hold(made)
            self.most = max(self.most, self.now())
        return result

    def hold(self, tensor: torch.Tensor) -> None:
        """Count a tensor's storage for as long as it is alive."""
        storage = getattr(tensor, "_local_tensor", tensor).untyped_storage()
        at = storage._cdata
        if at not in self.storages:
            self.storages[at] = weakref.ref(storage, lambda _: self.storages.pop(at, None))

    def now(self) -> int:
        """Bytes that are held at this moment."""
        found = (one() for one in list(self.storages.values()))
        return sum(storage.nbytes() for storage in found if storage is not None)


def model_of(case: Mapping[str, Any]) -> Any:
    """A sharded Llama: every layer a unit and the rest the root's, or embedding and head units of their own."""
    card = CARD | {name: case[name] for name in ("vocab_size", "tie_word_embeddings") if name in case}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**card, attn_implementation="sdpa"))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=TYPES[case["reduce_dtype"]])
    options: dict[str, Any] = {"mesh": init_device_mesh("cpu", (PROCESSES,)), "mp_policy": policy}
    for layer in model.model.layers:
        fully_shard(layer, reshard_after_forward=case.get("reshard_after_forward", True), **options)
    if case.get("separate_edge_units"):
        fully_shard(model.model.embed_tokens, **options)
        fully_shard([model.model.norm, model.lm_head], reshard_after_forward=False, **options)
    fully_shard(model, **options)
    return model


def step(model: Any, case: Mapping[str, Any]) -> int:
    """Most bytes beside the sharded weights during the backward passes of one step."""
    held = Held()
    for parameter in model.parameters():
        held.hold(parameter)
    weights, most, ids = held.now(), 0, torch.zeros(1, TOKENS, dtype=torch.int64)
    steps = case.get("gradient_accumulation_steps", 1)
    for at in range(steps):
        model.set_requires_gradient_sync(at == steps - 1)
        with held:
            loss = model(input_ids=ids, labels=ids).loss
            held.most = 0
            loss.backward()
        most = max(most, held.most)
    return most - weights


def counted(case: Mapping[str, Any]) -> int:
    """Bytes that one process of the job holds at most beside its weights."""
    model = model_of(case)
    step(model, case)  # the first step sets up what later ones use
    model.zero_grad(set_to_none=True)
    return step(model, case)


def wanted() -> Iterator[dict[str, Any]]:
    """Gradients reduced in either width, with a small and a large head, tied, gathered for long, accumulated."""
    for reduce_dtype in ("bf16", "fp32"):
        base = {"reduce_dtype": reduce_dtype}
        yield base
        yield base | {"vocab_size": 8192}
        yield base | {"vocab_size": 8192, "tie_word_embeddings": True}
        yield base | {"vocab_size": 8192, "separate_edge_units": True}
        yield base | {"reshard_after_forward": False}
        yield base | {"gradient_accumulation_steps": 2}


def main() -> None:
    """Count every case."""
    transformers.logging.set_verbosity_error()
    cases = [case | {"bytes": counted_by_first(counted, case)} for case in wanted()]
    versions = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "card": CARD, "cases": cases}
    SHARDED.write_text(yaml.safe_dump(data, sort_keys=False, width=10000, default_flow_style=None), encoding="utf-8")


if __name__ == "__main__":
    main()
