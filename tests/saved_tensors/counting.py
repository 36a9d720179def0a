"""What PyTorch saves for the backward pass of one training step, counted on fake tensors: no memory, no GPU."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from unittest import mock

import torch
import transformers
from torch._subclasses import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers import masking_utils
from transformers.integrations import moe

from tests.saved_tensors.mixers import with_kernels

DEVICE = "cuda"
SKIPS = ("_ignore_causal_mask_sdpa", "_ignore_bidirectional_mask_sdpa")
SCALARS = 64
"""Storages of so few bytes are seeds and scale factors, not activations."""
LAYER, SHARED, HEAD, LOSS, BEFORE = "layer", "shared", "head", "loss", "before"


def pretend_device() -> None:
    """Make fake tensors of a GPU possible where torch was built for CPUs alone.  Needs a C++ compiler."""
    if torch.backends.cuda.is_built():
        return
    root = Path(torch.__file__).parent
    source = Path(__file__).with_name("pretend_device.cpp")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "pretend_device.so"
        flags = ["-std=c++20", "-shared", "-fPIC", f"-I{root / 'include'}", f"-L{root / 'lib'}", "-lc10"]
        subprocess.run(["g++", str(source), "-o", str(library), *flags], check=True)
        ctypes.CDLL(str(library))


def storage_of(tensor: torch.Tensor) -> int:
    """What two tensors share when they are views of the same memory."""
    handle: int = tensor.untyped_storage()._cdata
    return handle


class Weights(TorchDispatchMode):
    """Knows the storages of parameters and buffers, and of whatever is made from those alone, such as cast copies."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.kept = [*model.parameters(), *model.buffers()]
        self.storages = {storage_of(tensor) for tensor in self.kept}
        self.own = frozenset(self.storages)

    def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = op(*args, **(kwargs or {}))
        read = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        if read and all(storage_of(tensor) in self.storages for tensor in read):
            for made in tree_leaves(result):
                if isinstance(made, torch.Tensor):
                    self.kept.append(made)
                    self.storages.add(storage_of(made))
        return result


@dataclass
class Ledger:
    """Saved storages by the part of the model that saved them first; a storage that two layers save is shared."""

    weights: Weights
    part: str = BEFORE
    first: dict[int, str] = field(default_factory=dict)
    sizes: dict[int, tuple[int, str]] = field(default_factory=dict)
    kept: list[torch.Tensor] = field(default_factory=list)
    copies: dict[int, int] = field(default_factory=dict)
    """Saved storages that were made from weights alone, as autocast casts them."""

    def pack(self, tensor: torch.Tensor) -> torch.Tensor:
        """Note the storage of a tensor that autograd saves."""
        storage, size = storage_of(tensor), tensor.untyped_storage().nbytes()
        if storage not in self.weights.storages and size > SCALARS:
            part = self.first.setdefault(storage, self.part)
            both = part.startswith(LAYER) and self.part.startswith(LAYER) and part != self.part
            self.first[storage] = SHARED if both else part
            self.sizes[storage] = (size, f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}")
            self.kept.append(tensor)
        elif storage in self.weights.storages - self.weights.own:
            self.copies[storage] = size
        return tensor

    def enter(self, part: str) -> Callable[..., None]:
        """A hook that runs before a module."""
        return lambda *_: setattr(self, "part", part)

    def bytes_of(self) -> dict[str, int]:
        """Bytes by part."""
        sums: dict[str, int] = defaultdict(int)
        for storage, part in self.first.items():
            sums[part] += self.sizes[storage][0]
        return sums

    def listing(self, part: str) -> list[str]:
        """Every storage of a part: bytes, and shape and type of the view that was saved last."""
        return [f"{size:>12} {words}" for s, (size, words) in self.sizes.items() if self.first[s] == part]


def fused_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, **options: Any) -> torch.Tensor:
    """`scaled_dot_product_attention` as a GPU runs it: the flash kernel, or with a mask the efficient one."""
    if torch.is_autocast_enabled(DEVICE):
        query, key, value = (one.to(torch.get_autocast_dtype(DEVICE)) for one in (query, key, value))
    dropout, scale = options.get("dropout_p", 0.0), options.get("scale")
    if attn_mask is None:
        flash = torch.ops.aten._scaled_dot_product_flash_attention
        return cast(torch.Tensor, flash(query, key, value, dropout, True, False, scale=scale)[0])
    bias = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill_(attn_mask.logical_not(), -torch.inf)
    bias = bias.expand(*query.shape[:2], *attn_mask.shape[2:])
    efficient = torch.ops.aten._scaled_dot_product_efficient_attention
    return cast(torch.Tensor, efficient(query, key, value, bias, True, dropout, False, scale=scale)[0])


def documents_of(position_ids: torch.Tensor) -> torch.Tensor:
    """To which sample of a row each token belongs: all that `find_packed_sequence_indices` would look up in values."""
    return torch.zeros_like(position_ids)


def on_an_accelerator(*, padded: bool = False, joined: bool = False) -> ExitStack:
    """Choices that are made by looking at the GPU or at values, made as a real step makes them.

    Attention goes to the flash kernel unless padded, experts to the grouped product; none are packed unless joined.
    """
    stack = ExitStack()
    for name in SKIPS if padded else ():
        stack.enter_context(mock.patch.object(masking_utils, name, return_value=False))
    for owner, name, chosen in (
        (torch.nn.functional, "scaled_dot_product_attention", fused_attention),
        (masking_utils, "find_packed_sequence_indices", documents_of if joined else lambda *_, **__: None),
        (moe, "_can_use_grouped_mm", lambda *_: True),
    ):
        stack.enter_context(mock.patch.object(owner, name, chosen))
    return stack


@dataclass(frozen=True)
class Settings:
    """How the step is run.  `precision` names a policy of scenarios/reference/precisions.yaml."""

    attention: str = "sdpa"
    checkpointing: str = "none"
    precision: str = "bf16-pure"
    targets: tuple[str, ...] = ()
    adapter_dtype: str = "bf16"
    lora_dropout: float = 0.0
    use_dora: bool = False
    modules_to_save: tuple[str, ...] = ()
    target_parameters: tuple[str, ...] = ()
    micro_batch_size: int = 2
    sequence_length: int = 128
    padded: bool = False
    joined: bool = False
    """The batch is one row, whose samples attention tells apart."""


TYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


def build(model_type: str, options: Mapping[str, Any], settings: Settings) -> torch.nn.Module:
    """The model without memory, with adapters and checkpointing as set."""
    config = transformers.AutoConfig.for_model(model_type, **options)
    config._attn_implementation = settings.attention
    config.use_cache = False
    wide = settings.precision in {"bf16-autocast", "fp32"}
    dtype = torch.float32 if wide else torch.bfloat16
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation=settings.attention, dtype=dtype)
    model.train()
    if settings.targets or settings.target_parameters:
        model = _adapted(model, settings)
    if settings.checkpointing == "full":
        model.gradient_checkpointing_enable({"use_reentrant": False})
    return model


def _adapted(model: torch.nn.Module, settings: Settings) -> torch.nn.Module:
    import peft

    config = peft.LoraConfig(
        r=16,
        target_modules=list(settings.targets),
        target_parameters=list(settings.target_parameters) or None,
        modules_to_save=list(settings.modules_to_save) or None,
        use_dora=settings.use_dora,
        lora_dropout=settings.lora_dropout,
        task_type="CAUSAL_LM",
    )
    adapted: torch.nn.Module = peft.get_peft_model(model, config, autocast_adapter_dtype=False)
    for name, parameter in adapted.named_parameters():
        if "lora_" in name:
            parameter.data = parameter.data.to(TYPES[settings.adapter_dtype])
    if settings.checkpointing == "full":
        adapted.enable_input_require_grads()  # as PEFT does for models with checkpoints, and for no others
    return adapted


def place(model: torch.nn.Module, device: str = DEVICE) -> None:
    """Move a model without memory to a fake device; what was tied stays tied.  Call it under fake tensors."""
    moved: dict[int, torch.Tensor] = {}
    for module in model.modules():
        for name, one in module._parameters.items():
            if one is not None:
                empty = torch.empty_like(one, device=device)
                module._parameters[name] = moved.setdefault(id(one), torch.nn.Parameter(empty, one.requires_grad))
        for name, one in module._buffers.items():
            if one is not None:
                module._buffers[name] = torch.empty_like(one, device=device)


def _landmarks(model: torch.nn.Module) -> tuple[list[torch.nn.Module], torch.nn.Module, torch.nn.Module]:
    """Decoder layers, what follows them, and the head."""
    core = model.get_base_model() if hasattr(model, "get_base_model") else model
    lists = [module for module in core.modules() if isinstance(module, torch.nn.ModuleList)]
    layers = next(found for found in lists if len(found) == core.config.num_hidden_layers)
    inside = {id(module) for layer in layers for module in layer.modules()}
    norms = [module for module in core.modules() if "Norm" in type(module).__name__ and id(module) not in inside]
    return list(layers), norms[-1], core.get_output_embeddings()


def count(model_type: str, options: Mapping[str, Any], settings: Settings) -> Ledger:
    """One forward pass with labels; returns what it saved."""
    with ExitStack() as stack:
        with torch.device("meta"):
            model = build(model_type, options, settings)
        stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        stack.enter_context(torch.device(DEVICE))
        place(model)
        ledger = Ledger(Weights(model))
        layers, norm, head = _landmarks(model)
        for at, layer in enumerate(layers):
            layer.register_forward_pre_hook(ledger.enter(f"{LAYER} {at}"))
        norm.register_forward_pre_hook(ledger.enter(HEAD))
        head.register_forward_hook(ledger.enter(LOSS))
        ids = torch.zeros(settings.micro_batch_size, settings.sequence_length, dtype=torch.int64)
        ids = ids.view(1, -1) if settings.joined else ids
        mask = {"attention_mask": torch.ones_like(ids)} if settings.padded else {}
        mask |= {"position_ids": ids} if settings.joined else {}
        stack.enter_context(on_an_accelerator(padded=settings.padded, joined=settings.joined))
        stack.enter_context(with_kernels())
        stack.enter_context(ledger.weights)
        if settings.precision in {"bf16-autocast", "bf16-weights-autocast"}:
            stack.enter_context(autocast())
        stack.enter_context(torch.autograd.graph.saved_tensors_hooks(ledger.pack, lambda tensor: tensor))
        ledger.kept.append(model(input_ids=ids, labels=ids, **mask).loss)
    return ledger


@contextmanager
def autocast() -> Iterator[None]:
    """Mixed precision as on a GPU; `torch.autocast` itself would look for one."""
    torch.set_autocast_dtype(DEVICE, torch.bfloat16)
    torch.set_autocast_enabled(DEVICE, True)
    torch.set_autocast_cache_enabled(True)
    torch.autocast_increment_nesting()
    try:
        yield
    finally:
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
        torch.set_autocast_enabled(DEVICE, False)
