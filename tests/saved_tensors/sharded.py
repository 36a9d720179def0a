"""Counts what a process of a sharded job holds during a backward pass, and writes sharded.yaml.

Run it from the repository with torch and transformers installed: python -m tests.saved_tensors.sharded
"""

from __future__ import annotations

import datetime as dt
import math
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import transformers
import yaml
from torch._subclasses import FakeTensorMode
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

SHARDED = Path(__file__).with_name("sharded.yaml")
CARD: dict[str, Any] = {
    "hidden_size": 256, "num_hidden_layers": 6, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 64,
    "intermediate_size": 704, "vocab_size": 512, "max_position_embeddings": 512, "tie_word_embeddings": False,
}  # fmt: skip
PROCESSES = 2
TOKENS = 4
WRITES = ("aten.add.Tensor", "aten.index_put.default")
"""What autograd writes into its first operand unless it sees a mode such as this one, for which it makes a third."""
TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


class Held(TorchDispatchMode):
    """Bytes of all storages that are alive and not set free by resizing, at most."""

    def __init__(self) -> None:
        super().__init__()
        self.storages: dict[int, weakref.ref[Any]] = {}
        self.most = 0

    def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.most = max(self.most, self.now())
        result = op(*args, **(kwargs or {}))
        for made in tree_leaves(result):
            if isinstance(made, torch.Tensor):
                self.hold(made)
        if torch.is_grad_enabled() or str(op) not in WRITES:
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


def model_of(case: Mapping[str, Any], mesh: DeviceMesh) -> Any:
    """A sharded Llama: every layer a unit and the rest the root's, or embedding and head units of their own."""
    card = CARD | {name: case[name] for name in CARD if name in case}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**card, attn_implementation="sdpa"))
    if case.get("gradient_checkpointing") == "full":
        model.gradient_checkpointing_enable({"use_reentrant": False})
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=TYPES[case["reduce_dtype"]])
    options: dict[str, Any] = {"mesh": mesh, "mp_policy": policy}
    for layer in model.model.layers:
        fully_shard(layer, reshard_after_forward=case.get("reshard_after_forward", True), **options)
    if case.get("separate_edge_units"):
        fully_shard(model.model.embed_tokens, **options)
        fully_shard([model.model.norm, model.lm_head], reshard_after_forward=False, **options)
    fully_shard(model, **options)
    return model


def step(model: Any, case: Mapping[str, Any], held: Held) -> int:
    """Most bytes beside the sharded weights during the backward passes of one step."""
    for parameter in model.parameters():
        held.hold(parameter)
    weights, most = held.now(), 0
    ids = torch.zeros(1, case.get("sequence_length", TOKENS), dtype=torch.int64)
    steps = case.get("gradient_accumulation_steps", 1)
    for at in range(steps):
        model.set_requires_gradient_sync(case.get("sync_each_batch", False) or at == steps - 1)
        with held:
            loss = model(input_ids=ids, labels=ids).loss
            held.most = 0
            loss.backward()
        most = max(most, held.most)
    return most - weights


def counted(case: Mapping[str, Any]) -> int:
    """Bytes that one process of the job holds at most beside its weights."""
    shape = (case.get("replicas", 1), case.get("sharding_size", PROCESSES))
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=math.prod(shape))
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=("replicas", "shards"))
    with FakeTensorMode():
        model = model_of(case, mesh if "replicas" in case else mesh["shards"])
        ids = torch.zeros(1, 1, dtype=torch.int64)
        model(input_ids=ids, labels=ids).loss.backward()  # the first step sets up what later ones use
        model.zero_grad(set_to_none=True)
        found = step(model, case, Held())
    dist.destroy_process_group()
    return found


def wanted() -> Iterator[dict[str, Any]]:
    """Gradients reduced in either width, with a small and a large head, tied, gathered for long, accumulated."""
    large, long, whole = {"vocab_size": 8192}, {"sequence_length": 512}, {"reduce_dtype": "fp32"}
    accumulated = {"gradient_accumulation_steps": 2}
    for more in ({}, accumulated, accumulated | {"sync_each_batch": True}):
        for base in ({"reduce_dtype": "bf16"} | more, whole | more):
            yield base
            yield base | large
            yield base | large | {"tie_word_embeddings": True}
            yield base | large | {"sharding_size": 8}
        yield whole | more | large | {"separate_edge_units": True}
        yield whole | more | large | {"reshard_after_forward": False}
        yield whole | more | large | long
        yield whole | more | long | {"gradient_checkpointing": "full"}
    yield whole | long
    yield whole | large | {"replicas": 2}


def main() -> None:
    """Count every case."""
    transformers.logging.set_verbosity_error()
    cases = [case | {"bytes": counted(case)} for case in wanted()]
    versions = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "card": CARD, "cases": cases}
    SHARDED.write_text(yaml.safe_dump(data, sort_keys=False, width=10000, default_flow_style=None), encoding="utf-8")


if __name__ == "__main__":
    main()
