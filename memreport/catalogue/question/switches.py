"""What a question weighs by itself, with it and without: `How much does an FP8 cache save?`, `Is FP8 worth it?`"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from memreport.catalogue.question.hardware import MEMORY_ASKED
from memreport.catalogue.question.lexer import PEOPLE
from memreport.catalogue.question.numbers import Said, matched
from memreport.catalogue.question.settings import (
    CACHED,
    DISAGGREGATED,
    DRAFTED,
    DRAFTED_TOKENS,
    OFFLOADED,
    OPTIMIZERS,
    PRECISIONS,
    STAGES,
)
from memreport.frozen import frozen

WEIGHED = re.compile(
    r"\bwith (?:and|or|vs\.?|versus) without\b|\b(?:save[sd]?|saving|worth|helps?|matters?|pay off|benefits?)\b"
    r"|\b(?:impact|effect|overhead|advantage|speed-?up) (?:of|from)\b|\bspeed-?up\?|\bgains?\b"
    r"|\bhow much (?:faster|slower|longer|more|less|cheaper)\b|\bhow much (?:time|speed)\b.*\bcosts?\b"
    r"|^(?:does|do|will|would|is|should)\b.*\b(?:faster|slower|reduce|cut|shrink|speed up|slow down|less memory"
    rf"|(?:doubles?|halves?|halve|triples?) (?:the |our |my )?(?:number of )?(?:{PEOPLE}))\b"
    r"|^should (?:i|we) (?:use|enable|turn on)\b"
)
"""What is asked of one thing: what it saves, gains or costs."""
SAVED = re.compile(
    r"^(?!.*\b(?:time|money|hours|costs?|dollars|cheaper|spot|on-demand|rent\w*)\b|.*\$).*\b(?:save[sd]?|saving|reduces?|cuts?|shrinks?)\b"
)
"""What is asked of the memory, unless a time or money is named."""
WITHOUT = re.compile(r"\b(?:do|does|will|would) (?:i|we|you|it) (?:really )?need\b")
"""What is asked of one thing that a job can do without."""

SPOT = re.compile(r"(?<!sweet )\bspot\b(?! on\b)|\bpreemptible\b|\binterruptible\b")
"""Terms of rent, which are weighed against the usual ones."""


@frozen
class Switched:
    """A field, by its section and name, with what is weighed and without it, each under a title."""

    name: str
    without: tuple[str, Any]
    given: tuple[str, Any]
    beside: Mapping[str, Any] = field(default_factory=dict)
    """What either goes with, where a question names nothing else."""
    off: Mapping[str, Any] = field(default_factory=dict)
    """What is not there either without it."""


def _of(workload: str, name: str, off: tuple[str, Any], on: tuple[str, Any]) -> Switched:
    return Switched(f"{workload}.{name}", off, on)


NVLINK = r"\bnv-?link\b"
"""A link of some GPUs, which others lack: what it is without depends on the GPU."""
CHECKPOINTED = r"\bcheckpoint\w*\b(?! (?:(?:are|is|being) )?(?:saved|written|stored|uploaded)\b)|\brecomput\w+"
KEPT_ANYWAY = r"\b(?:weights?|gradients?|optimi[sz]ers?|master (?:copy|weights))\b(?! (?:checkpoint|decay))"
"""Parts of the memory that recomputed layers leave as they are."""
CHECKPOINTING = _of("training", "gradient_checkpointing", ("no checkpointing", "none"), ("full checkpointing", "full"))
"""What moves the memory of a training most, and what most programs turn on and some do not."""
MOST_APART = 16
"""Letters between what asks and what it asks of."""
IN_TRAINING: Mapping[str, Switched] = {
    CHECKPOINTED: CHECKPOINTING,
    r"\bflash[ -]?attention(?:[ -]?[23])?\b|\bflash[ -]attn\b": _of(
        "training", "attention", ("eager attention", "eager"), ("FlashAttention", "flash")
    ),
    r"\b(?:torch[. ])?compil(?:e|ing|ation)\b": _of(
        "training", "torch_compile", ("no torch.compile", False), ("torch.compile", True)
    ),
    r"\bliger\b": _of("training", "use_liger_kernel", ("no Liger kernels", False), ("Liger kernels", True)),
    r"\bactivation[ -]off-?load\w*": _of(
        "training", "activation_offload", ("activations on the GPU", False), ("activation offload", True)
    ),
    OFFLOADED: replace(
        _of("training", "optimizer_offload", ("optimizer on the GPU", "none"), ("optimizer offload", "cpu")),
        beside={"training.zero_stage": 2},
    ),
    **{
        words: _of("training", "zero_stage", ("no sharding", 0), (f"ZeRO-{stage}", stage))
        for words, stage in STAGES.items()
        if stage
    },
    **{
        words: _of("training", "optimizer", ("AdamW", "adamw"), (name, name))
        for words, name in OPTIMIZERS.items()
        if name != "adamw"
    },
    **{
        words: _of("training", "precision", ("BF16 training", "bf16-mixed"), (f"{name.upper()} training", name))
        for words, name in PRECISIONS.items()
        if name in ("fp8", "mxfp8", "nvfp4")
    },
    r"\bq-?lora\b": _of("training", "method", ("LoRA", "lora"), ("QLoRA", "qlora")),
    r"(?<!q-)\blora\b": _of("training", "method", ("full fine-tuning", "full"), ("LoRA", "lora")),
}
QUANTISED_CACHE = r"\bquanti[sz](?:e|ed|ing|ation of) (?:the |my |our |a )?(?:kv[ -]?)?cache\b"
IN_SERVING: Mapping[str, Switched] = {
    QUANTISED_CACHE: _of("serving", "kv_cache_dtype", ("BF16 cache", "bf16"), ("FP8 cache", "fp8")),
    **{
        words: _of("serving", "kv_cache_dtype", ("BF16 cache", "bf16"), (f"{known.upper()} cache", known))
        for words, known in CACHED.items()
        if known not in ("bf16", "fp16")
    },
    rf"{DRAFTED}|\bdraft model\b": replace(
        _of("serving", "speculative_tokens", ("no draft", 0), (f"{DRAFTED_TOKENS} drafted tokens", DRAFTED_TOKENS)),
        off={"serving.draft_parameters": 0, "serving.draft_num_hidden_layers": 0},
    ),
    r"\bcuda graphs?\b": _of("serving", "enforce_eager", ("no CUDA graphs", True), ("CUDA graphs", False)),
    DISAGGREGATED: _of(
        "serving", "disaggregated", ("prefills on the same GPUs", False), ("prefills on GPUs of their own", True)
    ),
}
SWITCHES: Mapping[str, Mapping[str, Switched]] = {"training": IN_TRAINING, "serving": IN_SERVING}
"""What may be weighed by itself, by workload: the words that name it, in small letters."""


def is_weighed(question: str) -> bool:
    """Whether a question in small letters asks what one thing saves, gains or costs."""
    return bool(WEIGHED.search(question)) or link_weighed(question)


def saving_weighed(question: str) -> bool:
    """Whether a question in small letters asks what one thing saves of the memory."""
    return bool(SAVED.search(question)) and is_weighed(question)


def link_weighed(question: str) -> bool:
    """Whether a question in small letters weighs the link between GPUs: `Do I need NVLink?`"""
    return bool(re.search(NVLINK, question)) and bool(WEIGHED.search(question) or WITHOUT.search(question))


def memory_of_a_training(question: str, workload: str) -> bool:
    """Whether a question in small letters asks what a training takes, and not whether its layers are recomputed."""
    asked = workload == "training" and re.search(MEMORY_ASKED, question)
    return bool(asked) and not re.search(f"{CHECKPOINTED}|{KEPT_ANYWAY}", question)


def spot_weighed(question: str) -> bool:
    """Whether a question in small letters weighs spot prices, before any setting that it names."""
    asked = WEIGHED.search(question)
    return bool(asked and (spot := SPOT.search(question)) and _apart(spot, asked) < MOST_APART)


def switch_weighed(question: str, workload: str) -> dict[str, Said[dict[str, Any]]]:
    """A variant without what a question in small letters weighs and one with it; none where it weighs nothing alone.

    Of several that it names, the one that stands nearest to what is asked.
    """
    asked = WEIGHED.search(question)
    found = ((re.search(words, question), switch) for words, switch in SWITCHES.get(workload, {}).items())
    named = [(_apart(said, asked), matched(said, switch)) for said, switch in found if said and asked]
    if not named or link_weighed(question) or spot_weighed(question):
        return {}
    return both_of(min(named, key=lambda each: (each[0], each[1].places[0].start))[1])


def both_of(switch: Said[Switched]) -> dict[str, Said[dict[str, Any]]]:
    """A variant without what is switched, and one with it."""
    of = switch.value
    (without, off), (title, on) = of.without, of.given
    return {without: switch.as_({**of.beside, **of.off, of.name: off}), title: switch.as_({**of.beside, of.name: on})}


def _apart(said: re.Match[str], asked: re.Match[str]) -> int:
    """Letters between two parts of a question; 0 where they overlap."""
    return max(0, said.start() - asked.end(), asked.start() - said.end())
