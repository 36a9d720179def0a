"""Counts what towers for images save of each layer, trained or adapted, and writes towers.yaml.

Run it from the repository with torch, transformers and peft installed: python -m tests.saved_tensors.towers
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
import transformers
import yaml
from torch._subclasses import FakeTensorMode

from tests.saved_tensors.counting import (
    DEVICE,
    LAYER,
    TYPES,
    Ledger,
    Weights,
    autocast,
    on_an_accelerator,
    place,
    pretend_device,
)

COUNTS = Path(__file__).with_name("towers.yaml")
LAYERS, SIDE = 3, 16
"""Layers of the tower; patches along either side of an image."""
SQUARE = {"hidden_size": 512, "num_hidden_layers": LAYERS, "num_attention_heads": 8, "intermediate_size": 1408} | {
    "image_size": 14 * SIDE, "patch_size": 14,
}  # fmt: skip
QWEN = {"hidden_size": 512, "depth": LAYERS, "num_heads": 8, "intermediate_size": 1408, "out_hidden_size": 512} | {
    "patch_size": 14
}
TOWERS: Mapping[str, Mapping[str, Any]] = {
    "clip_vision_model": SQUARE,
    "siglip_vision_model": SQUARE | {"vision_use_head": False},
    "internvl_vision": SQUARE | {"image_size": [14 * SIDE] * 2, "patch_size": [14] * 2},
    "pixtral": SQUARE,
    "qwen2_5_vl_vision": QWEN | {"fullatt_block_indexes": list(range(LAYERS))},
    "qwen3_vl_vision": QWEN | {"deepstack_visual_indexes": [], "num_position_embeddings": SIDE**2},
}
ON_CPU = ("qwen2_5_vl_vision", "qwen3_vl_vision")
"""Towers that look into their grid: they run for real, whose fused attention keeps the same, but no autocast does."""
MATRICES = [
    *("q_proj", "k_proj", "v_proj", "out_proj", "o_proj", "projection_layer", "fc1", "fc2", "qkv", "proj"),
    *("linear_fc1", "linear_fc2", "gate_proj", "up_proj", "down_proj"),
]


def wanted(kind: str) -> Iterator[dict[str, Any]]:
    """The settings that each is counted under."""
    yield {"method": "full", "precision": "bf16-pure"}
    yield {"method": "lora", "precision": "bf16-pure", "adapter_dtype": "bf16"}
    yield {"method": "lora", "precision": "bf16-pure", "adapter_dtype": "fp32"}
    if kind not in ON_CPU:
        yield {"method": "full", "precision": "bf16-autocast"}
        yield {"method": "lora", "precision": "bf16-weights-autocast", "adapter_dtype": "fp32"}


def built(kind: str, given: Mapping[str, Any]) -> torch.nn.Module:
    """A tower without memory, trained or with adapters on all matrices of its layers."""
    config = transformers.AutoConfig.for_model(kind, **TOWERS[kind])
    config._attn_implementation = "sdpa"
    dtype = torch.float32 if given["precision"] == "bf16-autocast" else torch.bfloat16
    with torch.device("meta"):
        model = transformers.AutoModel.from_config(config, dtype=dtype).train()
        return model if given["method"] == "full" else adapted(model, TYPES[given["adapter_dtype"]])


def adapted(model: torch.nn.Module, dtype: torch.dtype) -> torch.nn.Module:
    """The same with adapters of a type."""
    import peft

    found = peft.LoraConfig(r=16, target_modules=MATRICES, exclude_modules=r".*(embed|merger).*")
    made: torch.nn.Module = peft.get_peft_model(model, found)
    for name, parameter in made.named_parameters():
        if "lora_" in name:
            parameter.data = parameter.data.to(dtype)
    return made


def image(kind: str, dtype: torch.dtype, device: str) -> dict[str, torch.Tensor]:
    """One image as a tower is given it."""
    if kind in ON_CPU:
        rows = torch.zeros(SIDE**2, 3 * 2 * 14**2, dtype=dtype, device=device)
        return {"hidden_states": rows, "grid_thw": torch.tensor([[1, SIDE, SIDE]])}
    return {"pixel_values": torch.zeros(1, 3, SIDE * 14, SIDE * 14, dtype=dtype, device=device)}


def counted(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    """Settings, and bytes that the layer in the middle saves; not the mask, which every layer has from the first."""
    device = "cpu" if kind in ON_CPU else DEVICE
    with ExitStack() as stack:
        model = built(kind, given)
        if device == DEVICE:
            stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
            stack.enter_context(on_an_accelerator())
        place(model, device)
        ledger = Ledger(Weights(model))
        lists = [one for one in model.modules() if isinstance(one, torch.nn.ModuleList)]
        for at, layer in enumerate(next(found for found in lists if len(found) == LAYERS)):
            layer.register_forward_pre_hook(ledger.enter(f"{LAYER} {at}"))
        inputs = image(kind, next(model.parameters()).dtype, device)
        stack.enter_context(ledger.weights)
        if "autocast" in given["precision"]:
            stack.enter_context(autocast())
        stack.enter_context(torch.autograd.graph.saved_tensors_hooks(ledger.pack, lambda tensor: tensor))
        ledger.kept.append(model(**inputs))
    mask = SIDE**4 * 2 if kind == "pixtral" else 0
    return given | {"layer": ledger.bytes_of()[f"{LAYER} 1"] - mask}


def main() -> None:
    """Count every case."""
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    pretend_device()
    counts = [
        {"vision_config": {"model_type": kind} | dict(sizes), "cases": [counted(kind, one) for one in wanted(kind)]}
        for kind, sizes in TOWERS.items()
    ]
    versions = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "counts": counts}
    COUNTS.write_text(yaml.safe_dump(data, sort_keys=False, width=10000, default_flow_style=None), encoding="utf-8")


if __name__ == "__main__":
    main()
