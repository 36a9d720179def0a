"""Measures training peaks on a GPU and writes them as rows of tests/truths.

    python tests/truths/measure.py --list                     every case that the choices make
    python tests/truths/measure.py --models llama-3.2-1b --methods full,lora --out tests/truths/own-h100.yaml

Weights are random, shapes are those of the model cards.  Needs torch and transformers; peft for LoRA, bitsandbytes for
QLoRA and 8-bit states.  Each case runs in a process of its own, so that none inherits another's memory.

    python tests/truths/measure.py --dry-run              every case without a GPU: built whole on the meta device, and
                                                          three steps of two layers on the CPU; says which cases fail

Not yet run on a GPU.  With torch 2.13, transformers 5.23, PEFT 0.21 and bitsandbytes 0.50 every combination of
choices ran dry for Qwen2.5 0.5B; the readings of the allocator and of the driver are what a dry run leaves out.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
CARDS = ROOT / "scenarios" / "models"
STEPS = 3
"""The first makes the optimizer's states, the second has them; the third tells whether the second was steady."""
PHASES = ("forward", "backward", "step")
MIB = 2**20
DEVICE = "cuda"
DRY = "cpu"
"""Where a dry run works: on two layers and few words, with a step as long as it takes to pass every line."""
SMALL = {"num_hidden_layers": 2, "n_layer": 2, "vocab_size": 512}
SHORT = 16
PREPARED_BYTES = 4
"""PEFT's `prepare_model_for_kbit_training` turns what is not quantised into FP32."""


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

    @property
    def id(self) -> str:
        """A name made of what differs."""
        parts = (self.model, self.method, self.precision, self.optimizer, self.attention, self.checkpointing)
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
        eight = self.optimizer == "8-bit"
        found = {
            "training.method": self.method,
            "training.precision": self.precision,
            "training.optimizer": "adamw-8bit" if eight else "adamw",
            "training.optimizer_implementation": "fused" if eight else self.optimizer,
            "training.attention": self.attention,
            "training.gradient_checkpointing": self.checkpointing,
            "training.micro_batch_size": self.batch,
            "training.sequence_length": self.sequence,
        }
        if self.method == "qlora":
            found["overrides.base_other_element_bytes"] = PREPARED_BYTES
        return found | ({} if self.method == "full" else {"training.target_modules": "all-linear"})


def cases(chosen: argparse.Namespace) -> Iterator[Case]:
    """Every combination that makes sense: no 8-bit states of adapters; a quantised base has its norms in FP32."""
    axes = (chosen.models, chosen.methods, chosen.precisions, chosen.optimizers, chosen.attentions,
            chosen.checkpointing, chosen.batches, chosen.sequences)  # fmt: skip
    for values in itertools.product(*axes):
        one = Case(*values)
        if one.method == "qlora" and one.precision != "bf16-autocast":
            continue
        if one.method != "full" and one.optimizer == "8-bit":
            continue
        yield one


def measure(case: Case) -> dict[str, int]:
    """Bytes of the steady step: allocated and reserved at most in each phase, and what the driver shows.

    Raises RuntimeError without a GPU.
    """
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("no GPU: measuring needs one; --list shows what would be measured, --dry-run tries it")
    found = _steady(case, DEVICE)
    return found | {"smi": _driver_bytes(), "card": torch.cuda.mem_get_info()[1]}


def rehearse(case: Case) -> dict[str, int]:
    """The same without a GPU: the whole model on the meta device, then the steps of a small one; readings are 0."""
    _built(case, "meta", {})
    return _steady(replace(case, batch=1, sequence=SHORT), DRY) | {"smi": 0, "card": 0}


def _steady(case: Case, device: str) -> dict[str, int]:
    step = _stepper(case, _model(case, device), device)
    return [step() for _ in range(STEPS)][-1]


def _built(case: Case, device: str, smaller: dict[str, int]) -> Any:
    """The model of the card in the case's type.  Raises ValueError where transformers does not know the attention."""
    import torch
    import transformers
    import yaml

    from tests.transformers_configs import configuration

    model_type, options = configuration(yaml.safe_load((CARDS / f"{case.model}.yaml").read_text(encoding="utf-8")))
    options |= {name: size for name, size in smaller.items() if name in options}
    config = transformers.AutoConfig.for_model(model_type, **options)
    dtype = torch.float32 if case.wide else torch.bfloat16
    with torch.device(device):
        return transformers.AutoModelForCausalLM.from_config(config, attn_implementation=case.attention, dtype=dtype)


def _model(case: Case, device: str) -> Any:
    """The model with adapters and checkpointing as the case says."""
    model = _built(case, device, SMALL if device == DRY else {})
    if case.method == "qlora":
        _quantise(model, device)
    if case.checkpointing == "full":
        model.gradient_checkpointing_enable({"use_reentrant": False})
    return (model if case.method == "full" else _adapted(model, case)).train()


def _quantise(model: Any, device: str) -> None:
    """Every matrix of the layers as bitsandbytes holds it: NF4 with double quantisation, made on the card."""
    import bitsandbytes as bnb
    import torch

    linear = [name for name, one in model.named_modules() if isinstance(one, torch.nn.Linear) and "head" not in name]
    for name in linear:
        parent, _, leaf = name.rpartition(".")
        old = model.get_submodule(name)
        new = bnb.nn.Linear4bit(
            old.in_features, old.out_features, bias=old.bias is not None, compute_dtype=torch.bfloat16,
            compress_statistics=True, quant_type="nf4",
        )  # fmt: skip
        new.weight = bnb.nn.Params4bit(old.weight.data.cpu(), requires_grad=False, quant_type="nf4")
        setattr(model.get_submodule(parent), leaf, new.to(device))


def _adapted(model: Any, case: Case) -> Any:
    """Adapters of rank 16 on every linear layer, as PEFT makes them; a quantised base is prepared first."""
    import peft

    if case.method == "qlora":
        prepared = {"use_gradient_checkpointing": case.checkpointing == "full"}
        kept = {"gradient_checkpointing_kwargs": {"use_reentrant": False}}
        model = peft.prepare_model_for_kbit_training(model, **prepared, **kept)
    adapted = peft.get_peft_model(model, peft.LoraConfig(r=16, target_modules="all-linear", task_type="CAUSAL_LM"))
    adapted.enable_input_require_grads()
    return adapted


def _optimizer(case: Case, model: Any) -> Any:
    import torch

    trained = [one for one in model.parameters() if one.requires_grad]
    if case.optimizer == "8-bit":
        import bitsandbytes as bnb

        return bnb.optim.AdamW8bit(trained, lr=1e-5)
    choice: dict[str, bool] = {"fused": case.optimizer == "fused", "foreach": case.optimizer == "foreach"}
    return torch.optim.AdamW(trained, lr=1e-5, **choice)


def _stepper(case: Case, model: Any, device: str) -> Callable[[], dict[str, int]]:
    """A step that reads the allocator's marks after each phase."""
    import torch

    optimizer = _optimizer(case, model)
    tokens = torch.randint(0, 100, (case.batch, case.sequence), device=device)

    def step() -> dict[str, int]:
        _marks("before", device)
        with torch.autocast(device, torch.bfloat16, enabled=case.autocast):
            loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
        found = _marks("forward", device)
        loss.backward()
        found |= _marks("backward", device)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return found | _marks("step", device)

    return step


def _marks(phase: str, device: str) -> dict[str, int]:
    """The allocator's peaks of a phase, which are then set back to what is alive; nothing on the CPU."""
    import torch

    names = (f"allocated_{phase}", f"reserved_{phase}")
    if device == DRY:
        return dict.fromkeys(names, 0)
    torch.cuda.synchronize()
    found = (torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
    torch.cuda.reset_peak_memory_stats()
    return dict(zip(names, found, strict=True))


def _driver_bytes() -> int:
    """What nvidia-smi shows for the first card."""
    query = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0"]
    return int(subprocess.run(query, check=True, capture_output=True, text=True).stdout) * MIB


def rows(case: Case, found: dict[str, int]) -> Iterator[str]:
    """The truths of one case: tensors at the worst phase, what was reserved, what the driver shows."""
    most = {kind: max(found[f"{kind}_{phase}"] for phase in PHASES) for kind in ("allocated", "reserved")}
    by_phase = ", ".join(f"{phase} {found[f'allocated_{phase}'] / MIB:.0f} MiB" for phase in PHASES)
    figures = (
        ("", "allocated_peak_bytes", most["allocated"]),
        ("-reserved", "allocated_peak_bytes + fragmentation_bytes", most["reserved"]),
        ("-smi", "peak_bytes", found["smi"]),
    )
    for suffix, figure, value in figures:
        settings = "{" + ", ".join(f"{name}: {one}" for name, one in case.settings.items()) + "}"
        settings = settings.replace("target_modules: all-linear", "target_modules: [all-linear]")
        yield (
            f"  - {{id: {case.id}{suffix}, model: {case.model}, settings: {settings}, figure: {figure}, "
            f'value: {value} byte, source: OWN, trust: high, notes: "peaks by phase: {by_phase}"}}'
        )


def text(group: str, accelerator: str, versions: str, day: str, lines: Sequence[str]) -> str:
    """A file of truths."""
    source = f'{{title: "tests/truths/measure.py, {versions}", address: "https://example.org/own", date: "{day}"}}'
    head = [
        "schema: 1", f"group: {group}", "title: Measured by tests/truths/measure.py", "workload: training",
        "notes: Random weights; the third step of three; LoRA of rank 16 on every linear layer.",
        "sources:", f"  OWN: {source}", "defaults:", f"  hardware.accelerator: {accelerator}", "  hardware.count: 1",
        "  training.framework: huggingface", "  training.adapter_dtype: fp32", "rows:",
    ]  # fmt: skip
    return "\n".join([*head, *lines, ""])


def _names(given: str) -> list[str]:
    return [name for name in given.split(",") if name]


def _counts(given: str) -> list[int]:
    return [int(name) for name in _names(given)]


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line; every axis is a list with commas."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, kind, default in (
        ("models", _names, "llama-3.2-1b,qwen2.5-0.5b"),
        ("methods", _names, "full,lora,qlora"),
        ("precisions", _names, "bf16-pure,bf16-autocast"),
        ("optimizers", _names, "fused,foreach"),
        ("attentions", _names, "sdpa,eager"),
        ("checkpointing", _names, "none,full"),
        ("batches", _counts, "1,4"),
        ("sequences", _counts, "2048"),
    ):
        parser.add_argument(f"--{name}", type=kind, default=default, metavar="A,B")
    parser.add_argument("--accelerator", default="h100-80gb-sxm", help="id of the card, as `memreport list` has it")
    parser.add_argument("--group", default="own")
    parser.add_argument("--day", default="", metavar="YYYY-MM-DD", help="the day of the measurement")
    parser.add_argument("--out", type=Path, default=Path("own.yaml"))
    parser.add_argument("--list", action="store_true", help="print the cases; measure nothing")
    parser.add_argument("--dry-run", action="store_true", help="try the cases without a GPU; write nothing")
    parser.add_argument("--case", default="", help=argparse.SUPPRESS)
    return parser.parse_args(given)


def apart(case: Case, dry: bool = False) -> dict[str, int] | None:
    """The case in a process of its own; None where it fails, out of memory included, with the reason on stderr."""
    command = [sys.executable, __file__, "--case", json.dumps(asdict(case)), *["--dry-run"] * dry]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines()
        print(f"{case.id}: {reason[-1] if reason else 'failed'}", file=sys.stderr)
        return None
    found: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(given: Sequence[str] | None = None) -> int:
    """Measure all cases; 1 where none could be measured."""
    chosen = arguments(given)
    if chosen.case:
        print(json.dumps((rehearse if chosen.dry_run else measure)(Case(**json.loads(chosen.case)))))
        return 0
    listed = list(cases(chosen))
    if chosen.list:
        print("\n".join(one.id for one in listed))
        return 0
    if chosen.dry_run:
        tried = [apart(case, dry=True) for case in listed]
        return int(None in tried)
    import torch
    import transformers

    lines = [line for case in listed if (found := apart(case)) for line in rows(case, found)]
    versions = f"torch {torch.__version__}, transformers {transformers.__version__}"
    if lines:
        chosen.out.write_text(text(chosen.group, chosen.accelerator, versions, chosen.day, lines), encoding="utf-8")
    return int(not lines)


if __name__ == "__main__":
    sys.exit(main())
