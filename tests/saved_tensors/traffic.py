"""Counts the bytes that single operations of a layer read and write, and writes traffic.yaml.

Products and attention are left out, and views.  A backward pass is seen operation by operation.
Run it from the repository with torch and transformers installed: python -m tests.saved_tensors.traffic
"""

import datetime as dt
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
import transformers
import yaml
from torch._subclasses import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tests.saved_tensors.architectures import ARCHITECTURES, Architecture
from tests.saved_tensors.counting import Settings, build, on_an_accelerator, place, storage_of

TRAFFIC = Path(__file__).with_name("traffic.yaml")
DENSE = (
    "llama-mha", "llama-gqa", "qwen2", "qwen3", "gemma", "gemma3", "olmo", "olmo2", "phi3", "gpt2", "opt", "gpt-neox",
    "starcoder2",
)  # fmt: skip
LAYERS = (3, 5)
PRODUCTS = ("mm", "bmm", "addmm", "baddbmm", "_scaled_dot_product", "_grouped_mm", "prim", "empty", "new_empty")
CPU = "cpu"


def size_of(tensor: torch.Tensor) -> int:
    """Bytes that a kernel reads or writes of a tensor; an expanded dimension is read once."""
    size: int = tensor.element_size()
    for length, stride in zip(tensor.shape, tensor.stride(), strict=True):
        size *= length if stride or length < 2 else 1
    return size


class Traffic(TorchDispatchMode):
    """Bytes in and out of every operation, forward and backward."""

    def __init__(self) -> None:
        super().__init__()
        self.moved: dict[str, int] = {"forward": 0, "backward": 0}
        self.phase = "forward"

    def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = op(*args, **(kwargs or {}))
        read, made = (
            [one for one in tree_leaves(tree) if isinstance(one, torch.Tensor)] for tree in ((args, kwargs), result)
        )
        name = str(op).removeprefix("aten.").split(".")[0]
        known = {storage_of(one) for one in read}
        if not name.startswith(PRODUCTS) and (name.endswith("_") or any(storage_of(one) not in known for one in made)):
            self.moved[self.phase] += sum(map(size_of, (*read, *made)))
        return result


def moved(one: Architecture, layers: int) -> dict[str, int]:
    """Bytes of a step of so many layers, in 16 bit."""
    settings = Settings()
    named = {"n_layer" if one.model_type == "gpt2" else "num_hidden_layers": layers}
    with ExitStack() as stack:
        with torch.device("meta"):
            model = build(one.model_type, dict(one.configuration) | named, settings)
        stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        stack.enter_context(torch.device(CPU))
        place(model, CPU)
        ids = torch.zeros(settings.micro_batch_size, settings.sequence_length, dtype=torch.int64)
        stack.enter_context(on_an_accelerator())
        traffic = Traffic()
        stack.enter_context(traffic)
        loss = model(input_ids=ids, labels=ids).loss
        traffic.phase = "backward"
        loss.backward()
        return dict(traffic.moved)


def counted() -> Iterator[dict[str, Any]]:
    """Bytes of one layer in the middle."""
    for name in DENSE:
        few, many = (moved(ARCHITECTURES[name], layers) for layers in LAYERS)
        layers = LAYERS[1] - LAYERS[0]
        sizes = {phase: (many[phase] - few[phase]) // layers for phase in few}
        yield {"architecture": name} | sizes | {"card": dict(ARCHITECTURES[name].fields)}


def main() -> None:
    """Count every architecture."""
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    versions = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "counts": [*counted()]}
    TRAFFIC.write_text(yaml.safe_dump(data, sort_keys=False, width=10000, default_flow_style=None), encoding="utf-8")


if __name__ == "__main__":
    main()
