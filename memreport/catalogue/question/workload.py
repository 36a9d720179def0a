"""What a question is about: the workload, the method, the objective, the format of weights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.question.lexer import PEOPLE
from memreport.catalogue.question.numbers import PER, SECONDS_IN, Said, by_words, matched
from memreport.catalogue.question.stated import question_of

OBJECTIVES = "dpo|orpo|kto|grpo|ppo"
DONE_TO_IT = {
    "training": (
        r"\b(fsdp|deepspeed|zero-?([123]|infinity|offload)|megatron|adamw?|optimi[sz]ers?|gradients?|liger|checkpointing|micro-?batch(es)?)\b|"
        r"\b(pre-?|post-?|re-?)?(train|training)\b|\b(fine|re|prefix|prompt|p)[ -]?tun(e|ing)\b|"
        r"\btrainingarguments\b|\bepochs?\b|"
        r"\b(q|ada)?lora\b(?! adapters?\b)|\b(dora|ia3|vera|lokr|loha|bitfit|mezo)\b|"
        r"\bhow (big|large) (is|are)\b.*\badapters?\b|\bcheckpoints? every\b|"
        rf"\b({OBJECTIVES}|sft|rlhf)\b|\b(time|seconds|long) (per|an?|each) step\b|\b(a|one|each) step takes?\b"
    ),
    "serving": (
        r"\b(serv(e|es|ed|ing)|inference|infer|host(ed|ing|(?! (ram|memory)))|deploy\w*|users|latency|ttft|tpot|gguf)\b"
        r"|\bi?q\d_\w+"
    ),
}
"""Words of titles and questions that say what is done, where no block does."""
SPOKEN_OF = {
    "training": (
        r"\b(pre-?|post-?|re-?)?trained\b|fine-?tuned\b|\bmfu\b|\bhours (?:did|has|have)\b"
        r"|\b(?:on|for) \d[\d.,]* ?(billion|b|t|trillion) tokens\b(?! (per|a|each)\b)"
        r"|^(?=.*\b(?:days|weeks|months|hours|long)\b)(?!.*\b(?:generat|process|serv|translat|summar|classif|embed))"
        r".*\d ?(?:b|t|billion|trillion) tokens\b(?! ?(?:/|per|an?|each)\b)"
    ),
    "serving": (
        r"\b(requests?|chat\w*|generat\w+|embed\w*|summar\w+|translat\w+|transcri\w+|classif\w+|extract\w*|answer\w*"
        rf"|rag|agents?|assistants?|copilot|kv|prompts?|{PEOPLE}|vllm|sglang|ollama|llama\.cpp|tensorrt-llm)\b"
        rf"|\b(?<!a )(?<!the )(?<!one )run(s|ning)?\b|million tokens|\btokens?{PER}(?:{'|'.join(SECONDS_IN)})\b"
        r"|\b(fits?|hold|load|enough|faster|slower|fast|quick\w*)\b"
    ),
}
"""Words that say so where none of the others stands: a chat model is trained, and a trained one serves."""
WORDS_OF = (DONE_TO_IT, SPOKEN_OF)
METHODS_SAID = {
    "prefix-tuning": r"\bprefix[ -]?tun(?:e|ing)\b",
    "prompt-tuning": r"\bprompt[ -]?tun(?:e|ing)\b",
    "p-tuning": r"\bp-tun(?:e|ing)\b",
    "ia3": r"\bia3\b|\(ia\)\^?3",
    **{name: rf"\b{name}\b" for name in ("adalora", "dora", "vera", "loha", "lokr", "oft", "bitfit", "qlora", "lora")},
}
"""Words of titles and questions that say how a training is done, where no field does; the first that stands there."""


def workloads_said(data: Mapping[str, Any]) -> list[str]:
    """The workloads that title and question speak of: one, both, or none."""
    said = ([name for name, pattern in words.items() if re.search(pattern, _said(data))] for words in WORDS_OF)
    return next(filter(None, said), [])


def workload_asked(data: Mapping[str, Any]) -> str:
    """The workload that title and question speak of, where they speak of one alone."""
    found = workloads_said(data)
    return found[0] if len(found) == 1 else ""


def is_stated(data: Mapping[str, Any], name: str) -> bool:
    """Whether the section of the workload, a variant, a table or the search of a scenario names a field."""
    return any(name in str(data.get(part, "")) for part in (str(data.get("workload")), "variants", "tables", "search"))


def methods_said(text: str) -> list[str]:
    """The methods of training that a text in small letters names; `full` is said of other things, too."""
    return [name for name, words in {**METHODS_SAID, "full": r"\bfull\b"}.items() if re.search(words, text)]


def method_asked(data: Mapping[str, Any]) -> str:
    """The method of training that title and question name, where no field of the scenario names any."""
    named = methods_said(_said(data))
    several = len(named) > 1 and COMPARED.search(_said(data))
    other = several or named[:1] == ["full"] or data.get("workload") != "training" or is_stated(data, "method")
    return "" if other else next(iter(named), "")


WATTS, ENOUGH = r"\d[\d.,]* ?(?:k|kilo)?w(?:atts?)?\b", r"\b(?:enough|suffic\w+)\b"
SUPPLIED = (
    rf"{WATTS}.*{ENOUGH}|{ENOUGH}.*{WATTS}"
    rf"|\b(?:can|could|will|would) [^?]*{WATTS}[^?]* (?:power|supply|feed) (?:an? |the |my |our |\d)"
)
"""Power of which a question asks whether it is enough: `Is 2 kW enough for 4 RTX 4090?`"""
ENERGY_EACH = (
    r"\b(?:joules?|watt[- ]?hours?|m?wh)\b|\benergy (?:per|for an?|of an?|of each) |\btokens? (?:per|a) watt\b"
    r"|\b(?:energy|electricity|kwh|watts?) (?:per|for|of|a) (?:an? |one |each |a single )?"
    r"(?:(?:\d+ |thousand |million |output )*tokens?|answer|request|query|prompt|response)\b"
)
"""Energy of one token or request."""
ENERGY = (
    rf"{SUPPLIED}|{ENERGY_EACH}|"
    r"\benergy\b|\bkwh\b|\belectricity\b|\b(power|watts)\b.*\b(costs?|bills?|uses?|draws?|consum\w+)\b"
    r"|\b(costs?|bill|much) (of|for) (the )?power\b|(?<!per )(?<!/)\bkw\b|\bkilowatts\b"
)
"""What GPUs draw, and what that costs."""
CARBON = r"\bco2?\b|\bcarbon\b|\bemissions?\b|\bemits?\b"
"""What the energy comes from."""
OBJECTIVE_SAID = re.compile(rf"\b({OBJECTIVES}|rlhf)\b")
OBJECTIVES_SAID = re.compile(OBJECTIVE_SAID.pattern.replace("rlhf", "rlhf|sft"))
"""The same, with what is trained unless another is said."""
MEANT = {"rlhf": "ppo"}
"""Objectives under the name of the whole of what is done."""
CACHE_SIZED = (
    r"^(?!.*\bweights?\b)(?:(?:how (?:much|big|large)|what(?: is|'s)) (?:[\w-]+ ){0,5}?)?(?:size of )?kv[ -]?cache\b"
)
"""A question of nothing but a cache, of which the type that it names then is: `How much KV cache ... in FP8?`"""
OF_A_CACHE, OF_THAT_CACHE = r"\bcache (?:in|at|of|with|as|to) \S+", r"(?<!\d[bm]) in \S+"
AS_FORMAT = re.compile(r"(?<![\w/.])([a-z][\w-]*|\d{1,2}[ -]?bits?)(?![\w/])(?! (?:kv|cache|optimi|adam))")
"""A word that may name a format of weights, or their bits, and is of no cache: `in 4 bit`, `70B AWQ`, `Q4_K_M`."""
IN_A_FILE = re.compile(r"(?<=[\w-][-_.])(i?q\d_[a-z0-9]+(?:_[a-z0-9]+)*)(?=\.gguf\b|[\s,?!]|$)")
"""The same as the end of a file's name: `Llama-3.1-8B-Q4_K_M.gguf`."""
BITS = {
    "2bit": "q2_k",
    "3bit": "q3_k_m",
    "4bit": "int4",
    "5bit": "q5_k_m",
    "6bit": "q6_k",
    "8bit": "int8",
    "16bit": "bf16",
    "q2": "q2_k",
    "q3": "q3_k_m",
    "q4": "q4_k_m",
    "q5": "q5_k_m",
    "q6": "q6_k",
    "q8": "q8_0",
}
"""Formats that are named by their bits: those of llama.cpp are its usual ones."""
OF_GGUF = {"4bit": "q4_k_m", "8bit": "q8_0"}
"""The same where files of llama.cpp are named."""
FORMAT_ASKED = (
    r"\b(?:which|what|how many) (?:kind of |level of |gguf |llama\.cpp )?"
    r"(?:quanti[sz]ations?|quants?|precision|weight format|bits)\b"
)
"""What is asked of every usual format."""
COMPARED = re.compile(r"\b(or|than|versus|vs|worth|instead|beats?|outperforms?)\b")
"""A question of two formats states none."""
COMPARES = re.compile(
    rf"{COMPARED.pattern}|\b(which|compar\w*|cheap\w*|better|best|between|faster|slower|longer|fastest|saves?)\b"
    r"|\bfrom .* to\b|\bwith and without\b|\b(?:of|for) (?:each|both)\?|\bas (?:fast|quick|cheap|good) as\b"
)
"""A question of several things that names them."""


def objective_asked(data: Mapping[str, Any]) -> str:
    """What a training learns from, by title and question, where nothing else says so."""
    said = OBJECTIVE_SAID.search(_said(data))
    return (
        MEANT.get(said[1], said[1])
        if said and data.get("workload") == "training" and not is_stated(data, "objective")
        else ""
    )


def objectives_said(question: str) -> dict[str, Said[str]]:
    """Each objective that a question in small letters names."""
    return by_words(matched(said, MEANT.get(said[1], said[1])) for said in OBJECTIVES_SAID.finditer(question))


def formats_asked(data: Mapping[str, Any]) -> Iterator[Said[str]]:
    """What may be the format of the weights that a service is asked of, where nothing states one: `in 4 bit`."""
    question, serves = question_of(data), data.get("workload") == "serving"
    if serves and not is_stated(data, "weight_dtype"):
        bits = {**BITS, **(OF_GGUF if "gguf" in question else {})}
        of_caches = f"{OF_A_CACHE}|{OF_THAT_CACHE}" if re.search(CACHE_SIZED, question) else OF_A_CACHE
        beside = re.sub(of_caches, lambda each: " " * len(each[0]), question)
        for said in (*AS_FORMAT.finditer(beside), *IN_A_FILE.finditer(question)):
            yield matched(said, bits.get(re.sub(r"[ -]|s$", "", said[1]), said[1]))


def _said(data: Mapping[str, Any]) -> str:
    return f"{data.get('title', '')} {data.get('question', '')}".lower()
