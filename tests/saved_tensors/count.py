"""Counts every case and writes counts.yaml.

Run it from the repository with torch, transformers and peft installed: python -m tests.saved_tensors.count
"""

from __future__ import annotations

import datetime as dt
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import transformers
import yaml

from tests.saved_tensors.architectures import ARCHITECTURES, Architecture
from tests.saved_tensors.counting import HEAD, LAYER, LOSS, Settings, count, pretend_device

COUNTS = Path(__file__).with_name("counts.yaml")
FEW = ("q_proj", "v_proj")
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
WHOLE_IN_16_BIT = {"apertus", "nemotron"}
"""Adapters beside xIELU were compared by whole steps, and Nemotron's norms in 16 bit are not predicted."""
POSITIONS_OF_THEIR_OWN = {"bert", "opt"}
"""Models that are not told where a sample of a row begins."""
EVERY = (*ATTENTION, "gate_proj", "up_proj", "down_proj")


def wanted(one: Architecture) -> Iterator[dict[str, Any]]:
    """The settings that an architecture is counted under."""
    fused = one.card.get("fused_qkv", False)
    for attention in one.attentions:
        for checkpointing in ("none", "full"):
            base = {"attention": attention, "checkpointing": checkpointing}
            yield base | {"precision": "bf16-pure"}
            if one.lengths[0] > 1 and one.model_type not in POSITIONS_OF_THEIR_OWN:
                yield base | {"precision": "bf16-pure", "joined": True}
            if attention == "sdpa" and one.lengths[0] > 1:  # a sequence by itself has no padding
                yield base | {"precision": "bf16-pure", "padded": True}
            if "num_local_experts" in one.card or one.model_type in WHOLE_IN_16_BIT:
                continue
            yield base | {"precision": "bf16-autocast"}
            if attention == "eager":  # fused kernels take 16-bit types
                yield base | {"precision": "fp32"}
            for targets in (FEW, ATTENTION, EVERY):
                widened = tuple(name for name in EVERY if name in targets or (fused and name in ATTENTION[:3]))
                for adapter in ("bf16", "fp32"):
                    yield base | {"precision": "bf16-pure", "targets": widened, "adapter_dtype": adapter}
            yield base | {
                "precision": "bf16-pure", "targets": widened, "adapter_dtype": "fp32", "lora_dropout": 0.05
            }  # fmt: skip
            if one.model_type == "bert" and checkpointing == "full":
                continue  # the stored input is a norm's result, which autocast makes FP32: this is not predicted
            yield base | {"precision": "bf16-weights-autocast", "targets": ATTENTION, "adapter_dtype": "fp32"}


def settings_of(one: Architecture, given: dict[str, Any]) -> Settings:
    """The same for `count`: adapters under the names that the architecture's modules have."""
    named = tuple(dict.fromkeys(one.targets[name] for name in given.get("targets", ()) if name in one.targets))
    batch, length = one.lengths
    return Settings(**(given | {"targets": named}), micro_batch_size=batch, sequence_length=length)


def counted(one: Architecture, given: dict[str, Any]) -> dict[str, Any]:
    """Settings and bytes of one case."""
    ledger = count(one.model_type, one.configuration, settings_of(one, given))
    found = ledger.bytes_of()
    parts = {"layer": found[f"{LAYER} 1"], "head": found[HEAD], "loss": found[LOSS]}
    return given | {"targets": " ".join(given.get("targets", ()))} | parts


def main(names: list[str]) -> None:
    """Count the named architectures, or all of them."""
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    pretend_device()
    counts = []
    for name in names or ARCHITECTURES:
        one = ARCHITECTURES[name]
        batch, length = one.lengths
        training = {"micro_batch_size": batch, "sequence_length": length} | dict(one.training)
        told = {"architecture": name, "model_type": one.model_type, "card": dict(one.fields), "training": training}
        counts.append(told | {"cases": [counted(one, given) for given in wanted(one)]})
        sys.stderr.write(f"{name}\n")
    versions = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "counts": counts}
    COUNTS.write_text(dumped(data), encoding="utf-8")


def dumped(data: dict[str, Any]) -> str:
    """One line a case, so that a change of a count is a change of a line."""
    return yaml.safe_dump(data, sort_keys=False, width=10000, default_flow_style=None)


if __name__ == "__main__":
    main(sys.argv[1:])
