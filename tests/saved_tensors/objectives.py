"""Runs a training step of TRL's own trainers, counts the tensors that are alive, and writes objectives.yaml.

Run it from the repository with torch, transformers, peft, datasets and trl installed:
python -m tests.saved_tensors.objectives
"""

from __future__ import annotations

import datetime as dt
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import datasets
import peft
import tokenizers
import torch
import transformers
import trl
import yaml
from trl.experimental.orpo import ORPOConfig, ORPOTrainer
from trl.kernels import chunked_logprob
from trl.trainer import utils

from tests.saved_tensors.alive import Alive
from tests.saved_tensors.counting import TYPES

TRITON: Any = ModuleType("triton")
TRITON.jit, TRITON.cdiv, TRITON.language = (
    lambda kernel: kernel,
    lambda whole, part: -(-whole // part),
    ModuleType("language"),
)
TRITON.language.constexpr = int
with mock.patch.dict(sys.modules, {"triton": TRITON, "triton.language": TRITON.language}):
    from trl.kernels import logprob_entropy  # its kernels are replaced: a build for CPUs has no Triton

OBJECTIVES = Path(__file__).with_name("objectives.yaml")
CARD: dict[str, Any] = {
    "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 16,
    "intermediate_size": 176, "vocab_size": 40_000, "max_position_embeddings": 1024, "tie_word_embeddings": False,
}  # fmt: skip
SEQUENCES, LENGTH, SAMPLES = 2, 256, 4
KINDS = {
    "sft": (trl.SFTTrainer, trl.SFTConfig),
    "dpo": (trl.DPOTrainer, trl.DPOConfig),
    "kto": (trl.KTOTrainer, trl.KTOConfig),
    "orpo": (ORPOTrainer, ORPOConfig),
    "reward": (trl.RewardTrainer, trl.RewardConfig),
    "grpo": (trl.GRPOTrainer, trl.GRPOConfig),
}
REFERENCES = {"dpo", "kto"}


class InPlace:
    """A kernel of Triton, which writes over what it is given and allocates nothing."""

    def __getitem__(self, grid: Any) -> Any:
        return lambda *_, **__: None


def as_on_a_gpu() -> ExitStack:
    """The choices that TRL makes on a GPU: rows without labels are left out, kernels write in place, sums are FP32."""
    stack = ExitStack()
    for owner, name, chosen in (
        (chunked_logprob, "_use_triton", lambda _: True),
        (utils, "_use_triton", lambda _: True),
        (chunked_logprob, "_forward_kernel", InPlace()),
        (chunked_logprob, "_backward_kernel", InPlace()),
        (chunked_logprob, "_addmm_fp32", lambda *_: None),
        (chunked_logprob, "triton", TRITON),
        (utils, "_fused_logprob_entropy", logprob_entropy.selective_log_softmax_and_entropy),
        (utils, "is_triton_available", lambda: True),
        (utils, "_supports_trl_loss_kernel", lambda *_: True),
        (logprob_entropy, "_forward_kernel", InPlace()),
        (logprob_entropy, "_backward_kernel", InPlace()),
    ):
        stack.enter_context(mock.patch.object(owner, name, chosen, create=True))
    return stack


@cache
def tokenizer() -> Any:
    """Words that are tokens."""
    ends = {f"{name}_token": f"<{name}>" for name in ("unk", "pad", "eos", "bos")}
    words = [*ends.values(), *(f"w{at}" for at in range(len(ends), CARD["vocab_size"]))]
    model = tokenizers.models.WordLevel({word: at for at, word in enumerate(words)}, unk_token=ends["unk_token"])
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **ends)


def samples(kind: str) -> Any:
    """Answers that with their end and a prompt of one word are as long as a sequence."""
    answer = "".join(f" w{4 + at}" for at in range(LENGTH - 2))
    columns: dict[str, list[Any]] = {"prompt": ["w4"] * SAMPLES}
    if kind == "sft":
        columns = {"text": ["w4" + answer] * SAMPLES}
    elif kind == "kto":
        columns |= {"completion": [answer] * SAMPLES, "label": [True, False] * (SAMPLES // 2)}
    elif kind != "grpo":
        columns |= {"chosen": [answer] * SAMPLES, "rejected": [answer] * SAMPLES}
    return datasets.Dataset.from_dict(columns)


def model_of(kind: str, case: Mapping[str, Any]) -> Any:
    """A Llama in the type of its weights, with one score in place of its head for a reward."""
    config = transformers.LlamaConfig(**CARD, pad_token_id=1, eos_token_id=2, bos_token_id=3, num_labels=1)
    family = transformers.LlamaForSequenceClassification if kind == "reward" else transformers.LlamaForCausalLM
    return family(config).to(TYPES[case["weights"]])


def trainer_of(case: Mapping[str, Any], folder: str) -> Any:
    """The trainer of a case, with a reference model where it takes one and adapters do not stand for it."""
    kind = case["objective"]
    trainer, config = KINDS[kind]
    options: dict[str, Any] = {"processing_class": tokenizer(), "train_dataset": samples(kind)}
    if case.get("target_modules"):
        task = "SEQ_CLS" if kind == "reward" else "CAUSAL_LM"
        options["peft_config"] = peft.LoraConfig(r=16, target_modules=list(case["target_modules"]), task_type=task)
    elif kind in REFERENCES and not case.get("precompute_ref_log_probs"):
        options["ref_model"] = model_of(kind, case)
    if kind == "grpo":
        options["reward_funcs"] = lambda completions, **_: [0.0] * len(completions)
    given = {name: case[name] for name in ("precompute_ref_log_probs", "beta") if name in case}
    given |= {"num_generations": SEQUENCES} if kind == "grpo" else {"max_length": LENGTH}
    args = config(
        output_dir=folder, use_cpu=True, bf16=case["bf16"], per_device_train_batch_size=SEQUENCES, report_to=[],
        gradient_checkpointing=case["gradient_checkpointing"], disable_tqdm=True, dataloader_pin_memory=False, **given,
    )  # fmt: skip
    return trainer(model_of(kind, case), args=args, **options)


def batch_of(trainer: Any, kind: str) -> Any:
    """A batch of the trainer's own; for GRPO answers as generation hands them over, whole sequences but for a word."""
    if kind != "grpo":
        return next(iter(trainer.get_train_dataloader()))
    rows = {"prompt": 1, "completion": LENGTH - 1}
    ids = {f"{part}_ids": torch.full((SEQUENCES, length), 7) for part, length in rows.items()}
    masks = {f"{part}_mask": torch.ones(SEQUENCES, length, dtype=torch.int64) for part, length in rows.items()}
    tensors = {"advantages": torch.ones(SEQUENCES), "num_items_in_batch": torch.tensor(SEQUENCES * LENGTH)}
    beside = {"ref_per_token_logps": torch.zeros(SEQUENCES, LENGTH - 1)} if trainer.beta else {}
    return ids | masks | tensors | beside


def counted(case: Mapping[str, Any]) -> int:
    """Most bytes alive beside all weights in a forward and backward pass."""
    with tempfile.TemporaryDirectory() as folder:
        trainer = trainer_of(case, folder)
        batch = batch_of(trainer, case["objective"])
    if case["gradient_checkpointing"]:
        trainer.model.gradient_checkpointing_enable({"use_reentrant": False})  # as `train` does
    model = trainer.accelerator.prepare_model(trainer.model)
    trainer._prepare_inputs = lambda inputs: inputs
    trainer.current_gradient_accumulation_steps = 1
    alive = Alive()
    for held in filter(None, (model, getattr(trainer, "ref_model", None))):
        for tensor in (*held.parameters(), *held.buffers()):
            alive.add(tensor)
    weights = alive.now
    with as_on_a_gpu(), alive:
        trainer.training_step(model, batch, None)
    alive.settle()
    return alive.most - weights


def wanted() -> Iterator[dict[str, Any]]:
    """Every objective with 16-bit weights alone, with FP32 weights under autocast, and with adapters."""
    ways: tuple[dict[str, Any], ...] = (
        {"weights": "bf16", "bf16": False},
        {"weights": "fp32", "bf16": True},
        {"weights": "bf16", "bf16": True, "target_modules": ["q_proj", "v_proj"]},
    )
    for kind in KINDS:
        for way in ways:
            for checkpointing in (False, True):
                yield {"objective": kind, "gradient_checkpointing": checkpointing} | way
    yield {"objective": "dpo", "gradient_checkpointing": True, "precompute_ref_log_probs": True} | ways[0]
    yield {"objective": "grpo", "gradient_checkpointing": True, "beta": 0.04} | ways[2]


def main(kinds: list[str]) -> None:
    """Count every case, or those of the named objectives."""
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    datasets.disable_progress_bars()
    cases = []
    for case in (one for one in wanted() if one["objective"] in (kinds or KINDS)):
        cases.append(case | {"bytes": counted(case)})
        sys.stderr.write(f"{cases[-1]}\n")
    versions = {one.__name__: one.__version__.split("+")[0] for one in (torch, transformers, peft, trl)}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "card": CARD}
    shape = {"micro_batch_size": SEQUENCES, "sequence_length": LENGTH}
    text = yaml.safe_dump(data | shape | {"cases": cases}, sort_keys=False, width=10000, default_flow_style=None)
    OBJECTIVES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
