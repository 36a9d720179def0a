"""Counts what a process of a tensor-parallel job saves for its backward pass, and writes tensor_parallel.yaml.

Run it from the repository with torch and transformers installed: python -m tests.saved_tensors.tensor_parallel
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
import yaml
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

from tests.saved_tensors.processes import PROCESSES, counted_by_first

COUNTS = Path(__file__).with_name("tensor_parallel.yaml")
CARD: dict[str, Any] = {
    "hidden_size": 256, "num_hidden_layers": 3, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 32,
    "intermediate_size": 704, "vocab_size": 4096, "max_position_embeddings": 256, "tie_word_embeddings": False,
}  # fmt: skip
TOKENS = 256
SCALARS = 64
COLUMNS = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "mlp.gate_proj", "mlp.up_proj")
ROWS = ("self_attn.o_proj", "mlp.down_proj")


def parallelise(model: Any, mesh: DeviceMesh, case: Mapping[str, Any]) -> None:
    """Cut the model as torchtitan does, with sequences cut or whole and the loss cut or over gathered logits."""
    cut = Shard(1) if case["sequence_parallel"] else Replicate()
    head = ColwiseParallel(input_layouts=cut, output_layouts=Replicate())
    if case["loss"] == "loss-parallel":
        head = ColwiseParallel(input_layouts=cut, output_layouts=Shard(-1), use_local_output=False)
    embedding = RowwiseParallel(input_layouts=Replicate(), output_layouts=cut)
    plan: dict[str, Any] = {"model.embed_tokens": embedding, "lm_head": head}
    plan |= {f"model.layers.*.{name}": ColwiseParallel() for name in COLUMNS}
    plan |= {f"model.layers.*.{name}": RowwiseParallel(output_layouts=cut) for name in ROWS}
    if case["sequence_parallel"]:
        norms = ("norm", "layers.*.input_layernorm", "layers.*.post_attention_layernorm")
        plan |= {f"model.{name}": SequenceParallel() for name in norms}
        whole = {"hidden_states": Replicate()}
        plan["model.layers.*.self_attn"] = PrepareModuleInput(
            input_kwarg_layouts={"hidden_states": cut}, desired_input_kwarg_layouts=whole
        )
        plan["model.layers.*.mlp"] = PrepareModuleInput(input_layouts=cut, desired_input_layouts=Replicate())
    parallelize_module(model, mesh, plan)


def local(tensor: torch.Tensor) -> torch.Tensor:
    """This process's part of a distributed tensor, or what a collective has handed out."""
    inner: torch.Tensor = getattr(tensor, "_local_tensor", tensor)
    return getattr(inner, "elem", inner)


def saved(model: Any, case: Mapping[str, Any]) -> int:
    """Bytes of all storages that one forward pass saves, weights left out."""
    found: dict[int, torch.Tensor] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        found.setdefault(local(tensor).untyped_storage()._cdata, local(tensor))
        return tensor

    ids = torch.zeros(1, TOKENS, dtype=torch.int64)
    places = torch.arange(TOKENS).unsqueeze(0)
    context = loss_parallel() if case["loss"] == "loss-parallel" else contextlib.nullcontext()
    with context, torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        logits = model(input_ids=ids, position_ids=places).logits
        kept = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), ids.flatten())
        weights = {local(one).untyped_storage()._cdata for one in (*model.parameters(), *model.buffers())}
        sizes = [one.untyped_storage().nbytes() for at, one in found.items() if at not in weights]
        assert kept.requires_grad
    return sum(size for size in sizes if size > SCALARS)


def counted(case: Mapping[str, Any]) -> int:
    """Bytes that one process of the job saves."""
    config = transformers.LlamaConfig(**CARD, attn_implementation="sdpa", use_cache=False)
    model = transformers.LlamaForCausalLM(config).to(torch.bfloat16)
    parallelise(model, init_device_mesh("cpu", (PROCESSES,)), case)
    return saved(model, case)


def wanted() -> Iterator[dict[str, Any]]:
    """Sequences cut and whole, the loss cut and whole."""
    for sequence_parallel in (True, False):
        for loss in ("framework", "loss-parallel"):
            yield {"sequence_parallel": sequence_parallel, "loss": loss}


def main() -> None:
    """Count every case."""
    transformers.logging.set_verbosity_error()
    cases = [case | {"bytes": counted_by_first(counted, case)} for case in wanted()]
    versions = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "tokens": TOKENS, "card": CARD}
    text = yaml.safe_dump(data | {"cases": cases}, sort_keys=False, width=10000, default_flow_style=None)
    COUNTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
