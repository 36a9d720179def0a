"""What a word of another program stands for, and where that is documented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from memreport.frozen import frozen

TRAINER = "transformers 5.23, training_args.py and trainer_optimizer.py, read 2026-11-23"
ATTENTION = "transformers 5.23, modeling_utils.py, attn_implementation, read 2026-11-23"
PEFT = "PEFT 0.21, LoraConfig, 2026-11-23"
TRL = "TRL 0.24 and 1.16, trainers and their configurations, 2026-11-25"
MEGATRON = "Megatron-LM, training/arguments.py, 2026-11-23"
FACTORY = "LLaMA-Factory, hparams, 2026-11-23"
LITGPT = "LitGPT, finetune options, 2026-11-23"
TITAN = "torchtitan, config/job_config.py, 2026-11-23"
AXOLOTL = "Axolotl, documentation of integrations, 2026-11-23"
HQQ = "one 16-bit scale and a zero for 128 weights"
TUNE = "torchtune 0.6, recipes/configs, 2026-11-23"
OPTIMIZERS = (
    "state of each in its authors' code: schedule_free (z, exp_avg_sq), Sophia (exp_avg, hessian), LAMB, Adan (four), "
    "GrokAdamW and MARS (three), PyTorch, 2026-11-23"
)
THE_QUESTION = "the question"
"""Who says what is read in a question for a field that is open."""
OPTIONS = (
    "documented options of DeepSpeed, Megatron-LM, torchtitan, torchtune, PEFT, TRL, Axolotl, LLaMA-Factory, vLLM, "
    "SGLang, TensorRT-LLM and llama.cpp, 2026-11-23"
)


@frozen
class Meaning:
    """The fields that a word sets: `settings` for certain, `unless_stated` where the scenario does not state them."""

    settings: Mapping[str, object]
    source: str
    unless_stated: Mapping[str, object] = field(default_factory=dict)
    assumes: str = ""
    """What is assumed with it, for the reader of the answer."""
    replaces: tuple[str, ...] = ()
    """Values stated beside it that it turns into its own, as an option of the same program does."""

    def turns(self, value: object) -> bool:
        """Whether it turns a value that is stated beside it into its own."""
        return (value in self.replaces) or str(value).lower() in self.replaces


def runs(optimizer: str, implementation: str, source: str = TRAINER, assumes: str = "") -> Meaning:
    """An optimizer, and how its step runs where the scenario does not say."""
    return Meaning({"optimizer": optimizer}, source, {"optimizer_implementation": implementation}, assumes)


def stands(of: str, name: object, source: str, assumes: str = "") -> Meaning:
    """One value of one field."""
    return Meaning({of: name}, source, {}, assumes)


Choices = tuple[tuple[str, str, Meaning], ...]
"""Fields, or names elsewhere, with words in small letters and what each stands for; no words stand for any."""

BLOCKS = "arXiv:2404.02827 (BAdam), section 2; arXiv:2403.17919 (LISA), section 3; read 2026-11-26"
ZEROTH = "arXiv:2305.17333 (MeZO), algorithm 1; github.com/princeton-nlp/MeZO, read 2026-11-26"
IN_TURN: Mapping[str, object] = {"trained_layers_move": True}
SOME_LAYERS: Choices = (
    ("full_finetuning", "true", Meaning({"method": "full"}, "Unsloth, documentation, 2026-11-23")),
    ("method", "freeze", Meaning(
        {"method": "full"}, FACTORY, {"trained_layers": 2},
        "the last two layers are trained unless freeze_trainable_layers says how many")),
    ("method", "lisa", Meaning(
        {"method": "full"}, BLOCKS, {"trained_layers": 2, "trains_embeddings": True, **IN_TURN},
        "two layers at a time unless lisa_activated_layers says how many, beside embedding and head")),
    ("use_badam", "true", Meaning(
        {"method": "full"}, BLOCKS, {"trained_layers": 1, **IN_TURN},
        "one layer at a time; state precision: bf16-mixed, as it keeps an FP32 copy of that")),
    ("optimizer", "zo zo-sgd zo_sgd zosgd zeroth-order zeroth_order", stands("optimizer", "mezo", ZEROTH)),
    ("method trainer", "mezo zo", Meaning({"method": "full", "optimizer": "mezo"}, ZEROTH)),
)  # fmt: skip
"""Ways to train all of the base, or some layers at a time."""
