"""What `measure.py` runs on a GPU: a model with random weights, its optimizer, steps whose memory and time are read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
CARDS = ROOT / "scenarios" / "models"
PUBLISHED = ROOT / "tests" / "data" / "architectures.json"
CONFIGS = ROOT / "tests" / "data" / "configs"
"""Configurations of models whose family has no reader of cards."""
STEPS = 3
"""The first makes the optimizer's states, the second has them; the third tells whether the second was steady."""
PHASES = ("forward", "backward", "step")
TIMED_SECONDS = 1.5
"""Steps are timed for about so long, five at least and forty at most."""
FEWEST, MOST = 5, 40
MILLISECONDS, MICROSECONDS = 1e3, 1e6
DEVICE = "cuda"
DRY = "cpu"
"""Where a dry run works: on two layers and few words, with a step as long as it takes to pass every line."""
SMALL = {"num_hidden_layers": 2, "n_layer": 2, "num_layers": 2, "num_decoder_layers": 2, "vocab_size": 512}
SHORT = 16
PREPARED_BYTES = 4
"""PEFT's `prepare_model_for_kbit_training` turns what is not quantised into FP32."""
ADAPTERS = ("lora", "dora", "qlora")


@dataclass(frozen=True)
class Case:
    """One job to measure, in the words of a scenario."""

    model: str
    method: str = "full"
    precision: str = "bf16-pure"
    optimizer: str = "fused"
    attention: str = "sdpa"
    checkpointing: str = "none"
    batch: int = 1
    sequence: int = 2048
    rank: int = 16
    torch_compile: bool = False
    liger: bool = False
    objective: str = "sft"

    @property
    def id(self) -> str:
        """A name made of what differs."""
        parts = [self.model, self.method, self.precision, self.optimizer, self.attention, self.checkpointing]
        parts += [f"r{self.rank}"] * (self.method in ADAPTERS and self.rank != Case.rank)
        parts += ["compiled"] * self.torch_compile + ["liger"] * self.liger
        return "-".join((*parts, f"{self.batch}x{self.sequence}"))

    @property
    def autocast(self) -> bool:
        """Products in 16 bits over weights of FP32, or over 4-bit weights with norms in FP32."""
        return self.precision == "bf16-autocast"

    @property
    def wide(self) -> bool:
        """Weights are made in FP32."""
        return self.precision == "fp32" or (self.autocast and self.method != "qlora")

    @property
    def settings(self) -> dict[str, Any]:
        """The same as settings of a row."""
        name, implementation = OPTIMIZERS[self.optimizer]
        found = {
            "training.method": self.method,
            "training.precision": self.precision,
            "training.optimizer": name,
            "training.optimizer_implementation": implementation,
            "training.attention": self.attention,
            "training.gradient_checkpointing": self.checkpointing,
            "training.micro_batch_size": self.batch,
            "training.sequence_length": self.sequence,
        }
        if self.method == "qlora":
            found["overrides.base_other_element_bytes"] = PREPARED_BYTES
        found |= {"training.torch_compile": True} if self.torch_compile else {}
        found |= {"training.use_liger_kernel": True} if self.liger else {}
        found |= {"training.objective": self.objective} if self.objective != Case.objective else {}
        adapters = {"training.target_modules": "all-linear", "training.lora_rank": self.rank}
        return found | (adapters if self.method in ADAPTERS else {})


OPTIMIZERS = {
    "fused": ("adamw", "fused"),
    "foreach": ("adamw", "foreach"),
    "for-loop": ("adamw", "for-loop"),
    "8-bit": ("adamw-8bit", "fused"),
    "sgd": ("sgd", "fused"),
    "adafactor": ("adafactor", "for-loop"),
}
"""Choices of a case: the optimizer and how it runs, as a scenario has them."""


def measure(case: Case, kernels: Path | None = None) -> dict[str, float]:
    """Bytes of the steady step: allocated and reserved at most in each phase, what the process holds; seconds a step.

    Where a folder for kernels is given, the kernels of one more step are written there.
    Raises RuntimeError without a GPU.
    """
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("no GPU: measuring needs one; --list shows what would be measured, --dry-run tries it")
    step = stepper(case, _model(case, DEVICE), DEVICE)
    found = [_marked(step) for _ in range(STEPS)][-1]
    held = {"process": _process_bytes(), "card": torch.cuda.mem_get_info()[1]}
    found |= held | {"seconds": _seconds(step)}
    if kernels is not None:
        (kernels / f"{case.id}.csv").write_text(profiled(lambda: step(_unmarked)), encoding="utf-8")
    return found


def rehearse(case: Case) -> dict[str, float]:
    """The same without a GPU: the whole model on the meta device, then the steps of a small one; readings are 0."""
    built(case, "meta", {})
    step = stepper(case, _model(case, DRY), DRY)
    for _ in range(STEPS):
        step(_unmarked)
    return dict.fromkeys((f"{kind}_{phase}" for kind in ("allocated", "reserved") for phase in PHASES), 0.0)


def _family(objective: str, encoder_decoder: bool) -> Any:
    import transformers

    if encoder_decoder:
        return transformers.AutoModelForSeq2SeqLM
    return transformers.AutoModelForMaskedLM if objective == "masked-lm" else transformers.AutoModelForCausalLM


def _configuration(model: str) -> tuple[str, dict[str, Any]]:
    """The transformers model type of a card and its options: read off the card, or as the family publishes them."""
    from tests.transformers_configs import READERS, configuration

    card = yaml.safe_load((CARDS / f"{model}.yaml").read_text(encoding="utf-8"))
    if card["model_type"] in READERS:
        return configuration(card)
    whole = CONFIGS / f"{model}.json"
    path = whole if whole.exists() else PUBLISHED
    found = json.loads(path.read_text(encoding="utf-8"))
    options = dict(found if path == whole else found[model]["config"]) | {"use_cache": False}
    options |= {"decoder_start_token_id": 0} if options.get("is_encoder_decoder") else {}
    return options.pop("model_type"), options


def built(case: Case, device: str, smaller: dict[str, int]) -> Any:
    """The model of the card in the case's type.  Raises ValueError where transformers does not know the attention."""
    import torch
    import transformers

    model_type, options = _configuration(case.model)
    options |= {name: size for name, size in smaller.items() if name in options}
    config = transformers.AutoConfig.for_model(model_type, **options)
    family = _family(case.objective, bool(getattr(config, "is_encoder_decoder", False)))
    dtype = torch.float32 if case.wide else torch.bfloat16
    with torch.device(device):
        return family.from_config(config, attn_implementation=case.attention, dtype=dtype)


def _model(case: Case, device: str) -> Any:
    """The model with kernels, adapters, checkpointing and compilation as the case says."""
    import torch

    model = built(case, device, SMALL if device == DRY else {})
    if case.liger:
        _with_liger(model)
    if case.method == "qlora":
        quantise(model, device)
    if case.checkpointing == "full":
        model.gradient_checkpointing_enable({"use_reentrant": False})
    model = (_adapted(model, case) if case.method in ADAPTERS else model).train()
    return torch.compile(model) if case.torch_compile else model


def _with_liger(model: Any) -> None:
    from liger_kernel.transformers.monkey_patch import _apply_liger_kernel_to_instance

    _apply_liger_kernel_to_instance(model=model)


def quantise(model: Any, device: str) -> None:
    """Every matrix of the layers as bitsandbytes holds it: NF4 with double quantisation, made on the card."""
    import bitsandbytes as bnb
    import torch

    linear = [name for name, one in model.named_modules() if isinstance(one, torch.nn.Linear) and "head" not in name]
    for name in linear:
        parent, _, leaf = name.rpartition(".")
        old = model.get_submodule(name)
        new = bnb.nn.Linear4bit(
            old.in_features, old.out_features, bias=old.bias is not None, compute_dtype=torch.bfloat16,
            compress_statistics=True, quant_type="nf4", device="meta",
        )  # fmt: skip
        new.weight = bnb.nn.Params4bit(old.weight.data, requires_grad=False, quant_type="nf4").to(device)
        if old.bias is not None:
            new.bias = torch.nn.Parameter(old.bias.data, requires_grad=False)
        setattr(model.get_submodule(parent), leaf, new)


def _adapted(model: Any, case: Case) -> Any:
    """Adapters on every linear layer, as PEFT makes them; a quantised base is prepared first."""
    import peft

    if case.method == "qlora":
        prepared = {"use_gradient_checkpointing": case.checkpointing == "full"}
        kept = {"gradient_checkpointing_kwargs": {"use_reentrant": False}}
        model = peft.prepare_model_for_kbit_training(model, **prepared, **kept)
    options = {"r": case.rank, "target_modules": "all-linear", "use_dora": case.method == "dora"}
    adapted = peft.get_peft_model(model, peft.LoraConfig(task_type="CAUSAL_LM", **options))
    adapted.enable_input_require_grads()
    return adapted


def _optimizer(case: Case, model: Any) -> Any:
    import torch

    trained = [one for one in model.parameters() if one.requires_grad]
    if case.optimizer == "8-bit":
        import bitsandbytes as bnb

        return bnb.optim.AdamW8bit(trained, lr=1e-5)
    if case.optimizer == "adafactor":
        import transformers

        return transformers.optimization.Adafactor(trained, lr=1e-5, scale_parameter=False, relative_step=False)
    choice: dict[str, bool] = {"fused": case.optimizer in ("fused", "sgd"), "foreach": case.optimizer == "foreach"}
    return (torch.optim.SGD if case.optimizer == "sgd" else torch.optim.AdamW)(trained, lr=1e-5, **choice)


def stepper(case: Case, model: Any, device: str) -> Callable[[Callable[[str], None]], None]:
    """A step that says after each phase that it has ended."""
    import torch

    optimizer = _optimizer(case, model)
    batch, sequence = (1, SHORT) if device == DRY else (case.batch, case.sequence)
    tokens = torch.randint(0, 100, (batch, sequence), device=device)

    def step(ended: Callable[[str], None]) -> None:
        with torch.autocast(device, torch.bfloat16, enabled=case.autocast):
            loss = model(input_ids=tokens, labels=tokens).loss
        ended("forward")
        loss.backward()
        ended("backward")
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        ended("step")

    return step


def _unmarked(phase: str) -> None:
    """Where no mark is read: steps follow each other without a wait."""


def _marked(step: Callable[[Callable[[str], None]], None]) -> dict[str, float]:
    """The allocator's peaks of each phase, which are then set back to what is alive."""
    import torch

    found: dict[str, float] = {}

    def ended(phase: str) -> None:
        torch.cuda.synchronize()
        found[f"allocated_{phase}"] = torch.cuda.max_memory_allocated()
        found[f"reserved_{phase}"] = torch.cuda.max_memory_reserved()
        torch.cuda.reset_peak_memory_stats()

    torch.cuda.reset_peak_memory_stats()
    step(ended)
    return found


def _seconds(step: Callable[[Callable[[str], None]], None]) -> float:
    """Median time of a step, read by events of the device, so that steps follow each other without a wait."""
    import torch

    began = time.perf_counter()
    step(_unmarked)
    torch.cuda.synchronize()
    count = int(min(MOST, max(FEWEST, TIMED_SECONDS / (time.perf_counter() - began))))
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    marks[0].record()
    for mark in marks[1:]:
        step(_unmarked)
        mark.record()
    torch.cuda.synchronize()
    return float(median(first.elapsed_time(last) for first, last in pairwise(marks))) / MILLISECONDS


def profiled(work: Callable[[], None]) -> str:
    """Kernels of one run as CSV: their seconds, how many there were, their name; the longest first."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as found:
        work()
        torch.cuda.synchronize()
    rows = [one for one in found.key_averages() if one.self_device_time_total > 0]
    rows.sort(key=lambda one: -one.self_device_time_total)
    lines = (f'{one.self_device_time_total / MICROSECONDS:.6g},{one.count},"{one.key[:120]}"' for one in rows)
    return "\n".join(["seconds,count,kernel", *lines, ""])


def _process_bytes() -> int:
    """What nvidia-smi shows for this process on the first card; 0 where the driver does not say."""
    import os

    import pynvml

    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    held = {one.pid: one.usedGpuMemory or 0 for one in pynvml.nvmlDeviceGetComputeRunningProcesses(handle)}
    return int(held.get(os.getpid(), 0))
