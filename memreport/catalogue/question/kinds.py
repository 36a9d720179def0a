"""The words in which a question asks for something, by kind; a scenario that means something else states `asks`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memreport.catalogue.question.hardware import (
    GPU,
    GPUS_COUNTED,
    LEAST_MEMORY,
    MEMORY_COMPARED,
    MEMORY_OF,
    ONE_GPU,
    OWNED,
    PARAMETERS_COUNTED,
    RENT_OR_BUY,
    TAKEN,
    WHICH_GPU,
)
from memreport.catalogue.question.lengths import CACHE_ASKED, DATA, LARGEST, LONGEST_ASKED, SIZED
from memreport.catalogue.question.lexer import PEOPLE, PERSON, TALKS
from memreport.catalogue.question.model import ADAPTER_ASKED, FILES_ASKED, LARGEST_MODEL
from memreport.catalogue.question.money import COSTS_TOO
from memreport.catalogue.question.numbers import BATCH_OF, HEARD, Words
from memreport.catalogue.question.workload import CARBON, ENERGY, FORMAT_ASKED

HOST = "host_bytes_per_node"
POOL = "kv_pool_tokens"
"""Tokens that have room in the cache: `How many tokens in the KV cache of one H100?`"""
ON_DISK = ("saved_checkpoint_bytes", "weight_file_bytes")
"""What a training writes to go on from, and what a service reads."""
PARTS: Mapping[str, str] = {
    "weight_bytes": r"\bweights?\b|parameters",
    "gradient_bytes": r"gradients?\b(?! (?:checkpoint|accumul))",
    "optimizer_state_bytes": r"optimi[sz]er|\badam\w* (?:states?|moments?)\b",
    "activation_bytes": "activations?",
    "logits_bytes": "logits?",
    "kv_bytes_per_token": r"\bkv\b.*\b(?:per|each|every|one|a single) token\b",
    "kv_cache_bytes": r"\bkv\b|cache",
    POOL: r"^how many (?:[a-z]+ )?tokens\b(?! ?(?:/|per|a|each)).{0,30}\b(?:kv|cache)\b",
    "adapter_bytes": ADAPTER_ASKED,
    **dict.fromkeys(ON_DISK, FILES_ASKED),
    HOST: r"\b(host|system)\b|\bcpu\b(?!s?[ -]only| with)|\bram\b.*\boff-?load",
}
"""Figures of memory that are asked for by name, and the words that name them."""
OF_A_MODEL: Mapping[str, str] = {
    "parameters": r"(?<!active )(?<!activated )(?<!trainable )(?<!trained )\bparameters?\b",
    "active_parameters": r"\bactiv(?:e|ated)\b",
    "trainable_parameters": r"\btrain(?:able|ed) parameters",
}
"""Numbers of parameters, and the words that ask for each of them."""
ALONE = ("kv_bytes_per_token", "adapter_bytes", *ON_DISK)
"""Parts that are asked for alone, though other parts' words stand in the question: the same on whatever GPU."""
WITH_A_CACHE = re.compile(
    r"\b(?:with|using|and|plus) (?:an? |the )?(?:fp8|int8|bf16|fp16|q\d\w*|\d[ -]?bit) (?:kv[ -]?)?cache\b"
)
"""How the rest is asked for, and no part that is."""
OFFLOADING = re.compile(r"\boff-?load")
"""What is offloaded is named, and the memory of the host is asked for."""
ASKED_BY: Mapping[str, str] = {
    "max_concurrent_sequences": "how_many_users",
    "minimum_accelerators": "how_many_gpus",
    "minimum_accelerators_weights": "how_many_gpus",
    **dict.fromkeys(PARTS, "how_much_memory"),
    "energy_kwh": "how_much_energy",
    "carbon_kg": "how_much_energy",
    "training_hours": "how_long",
    "step_seconds": "how_long",
    "tokens_per_second": "how_fast",
    "time_to_first_token_seconds": "how_fast",
    "time_per_output_token_seconds": "how_fast",
    "cost_total_usd": "what_cost",
    "run_cost_usd": "what_cost",
    "cost_per_month_usd": "what_cost",
}
"""What a question asks for whose `answers:` names this figure."""
COUNTED_PEOPLE = ("users", "people", *(f"{person}s" for person in PERSON.split("|")), *TALKS.split("|"))
SIZED_NOUNS = ("batch", "size", "requests", "sequences", "context", "length", "sequence", *COUNTED_PEOPLE)
UNSIZED = "".join(f"(?<!{noun} )" for noun in SIZED_NOUNS)
"""No noun that is asked how large or how many: `How large a batch fits?` asks for no verdict."""
A_SECOND = r"( ?/ ?(s|sec|second|minute|min|hour|day)\b| (per|a|each|every) (second|sec|minute|hour|day))"
HOW_MANY, MORE = "(how many|number of)", re.compile(r"\b(double|halve|triple|raise|increase|lower|reduce)s?\b")
LASTING = "how many (hours|days|weeks)"
AT_ONCE = f"({PEOPLE}|sequences|requests)"
MOST_USERS = (
    rf"\b(?:max(?:imum)?|most|largest|highest)(?: number of| possible)? (?:(?:concurrent|simultaneous|parallel) )+"
    rf"(?:{PEOPLE}|sequences|requests|queries|streams|calls)\b(?! ?[:=]? ?\d)"
    r"|\bmax(?:imum)? concurrency\b(?! ?[:=]? ?\d)"
)
"""The users at once, without `how many`: `max concurrent requests with 32k context?`"""
COUNTABLE = rf"(tokens?|tok|request|{BATCH_OF}|(hours|minutes|seconds) of {HEARD})"
BATCH = (
    rf"({LARGEST})\b.*\bbatch(?:[ -]size)?(?! (?:of )?\d)\b|(what|which) ({SIZED} )?batch"
    r"|\b(best|right|optimal|ideal) (?:micro[ -]?)?batch"
)
MEMORY = r"(memory|vram|ram|hbm|gb|gib|gigabytes)\b"
DIFFERENCE = r"difference in (?:gpu |peak )?memory|memory difference|\bor\b.*\b(?:less|more) memory\b"
HOW_BIG = (
    rf"how (big|large|much)\b (is|are|do|does)?.{{0,12}}({'|'.join(PARTS.values())})"
    rf"|what(?: is| are|'s|s) the (?:(?:size|memory) of )?(?:the )?(?:{'|'.join(PARTS.values())})"
    rf"|{CACHE_ASKED}|{PARAMETERS_COUNTED}|{FILES_ASKED}|{ADAPTER_ASKED}"
    rf"|\bsize of (?:the )?(?:{'|'.join(PARTS.values())})|{PARTS[POOL]}"
)
GIVEN_NUMBER = r"(?<!\d )(?<!thousand )(?<!million )(?<!billion )"
"""No number before what is counted, which then is given: `10 million tokens a day`."""
COUNTED_IN_TIME = rf"{GIVEN_NUMBER}{COUNTABLE}\b.{{0,25}}{A_SECOND}"
BETTER = (
    r"\b(better|faster|cheaper|slower)\b.*\b(or|than)\b|\bor\b.*\b(better|faster|cheaper|slower|(less|more) memory)\b"
    r"|how much (faster|slower|cheaper|longer)\b|\bwhich\b[^?]*\b(is|are) (better|faster|cheaper|slower)\b"
)
EITHER = r"^(should|shall|do|which|what)\b.*\b(use|take|choose|pick|go with|prefer)\b.*\bor\b"
GAINS = r"(faster|slower|cheaper|quicker|worth|pay off|helps?)"
GAINED = rf"^(is|does|do|will|would|are)\b(?!.*\b(enough|fits?|suffice)\b).*\b{GAINS}\b(?! {GPU})"
"""Whether something gains, which needs a variant with it and one without: `Does a draft make it faster?`"""
MFU = r"(?<!% )\bmfu\b(?! (?:(?:of|is|at|=) )?\d)"
"""The share of the peak, where none is stated."""
RUNS = r"(?:[\w.-]+ ){0,4}?(?:fine-?tunes|fine-?tunings|trainings|runs)"
"""What a question counts that is done over and over."""
AFFORDED = (
    rf"^(what|how (much|far|many (tokens|epochs|steps|samples|{RUNS})|long))\b"
    r".*\b(train|trained|tunes?|tuned|tokens|pretrain|runs?)\b.*(\$|dollars|usd)"
)
"""How much can be done for an amount: `What can we train with $500?`"""
PRICE_OF_TOKENS = (
    r"(?:\bcosts?|\bprice|\$|\busd|\bdollars) ?(?:/|per) ?(?:1 ?)?m(?:illion)? (?:output |input )?tokens\b"
)
COST_BRIEFLY = (
    r"(?:[:,;.] |^)(?:(?:total|monthly|yearly|annual|the) )*costs?(?: (?:on|at|in|with|per|a|for) [\w -]{1,24})?\?"
    r"|\b(?:monthly|yearly|annual|total) costs?\?"
    r"|\bcosts? (?:on|at|in) (?:an? )?(?:aws|azure|gcp|lambda|runpod)\b[^?]{0,20}\?"
    r"|\btime and (?:money|costs?)\b|\b(?:money|costs?) and time\b|\bcost for (?:pre-?)?(?:train|fine|serv)\w*"
)
"""What is asked at the end in a word or two: `..., cost on AWS?`"""
A_MILLION = Words(
    rf"\b(?:per|an?|each|for) <amount> (?:input |output )?tokens?\b(?! {DATA})"
    r"|\bdo(?:es)? (?:1|one|a) million (?:input |output )?tokens\b"
)
"""Tokens of which a cost is asked."""
GPU_HOURS = rf"\b{ONE_GPU}[- ]?(?:hours|days)\b"
STEP_TIME = r"\b(?:time|seconds) (?:per|of|for|an?|each) (?:an? |each |one )?(?:training )?step\b"
WAIT_FOR_EACH = (
    r"\b(?:times?|ms|(?:milli)?seconds) (?:per|of|for|between) (?:an? |one |each )?(?:output )?tokens?\b"
    r"|\bprefill (?:time|latency)"
)
"""What one user waits for each token, or before the first."""
PROMPTS_READ = (
    r"\bprefill (?:speed|rate|throughput)|\bprompts? (?:(?:are|is|get) )?(?:read|processed)\b"
    r"|\bread(?:s|ing)? (?:the )?prompts?\b"
)
WORDS = {
    "which_gpu": WHICH_GPU,
    "which_fit": rf"\bwhich\b.*\bfits?\b|{FORMAT_ASKED}",
    "fits": rf"{UNSIZED}\bfits?\b|suffice|enough|^(can|could|do|does|is|are|will)\b",
    "how_many_gpus": GPUS_COUNTED,
    "how_large_a_batch": BATCH,
    "how_long_a_context": LONGEST_ASKED,
    "how_large_a_model": LARGEST_MODEL,
    "how_many_users": rf"{HOW_MANY} ([\w-]+ ){{0,2}}{AT_ONCE}\b(?!.*{A_SECOND})|{BATCH}|^real[- ]time streams\b"
    rf"|{MOST_USERS}",
    "how_fast": rf"how (fast|quick)|throughput|latency|first token|\b(ttft|tpot|itl)\b|{MFU}|{COUNTED_IN_TIME}"
    rf"|{WAIT_FOR_EACH}|{PROMPTS_READ}|\b(?:speed|lattency|latencies|tok/s)\?",
    "how_much_memory": (
        rf"{LEAST_MEMORY}|{MEMORY_OF}|{DIFFERENCE}|{MEMORY_COMPARED}"
        rf"|how (much|many) ([\w-]+ )?{MEMORY}|{HOW_BIG}|what\b.*\b{TAKEN}"
    ),
    "how_much_energy": rf"^(?!.*{OWNED}).*(?:{ENERGY}|{CARBON})",
    "how_long": (
        rf"{GPU_HOURS}|how long(?! an? | (can|may|could) (the|a|my|our) (context|sequence))|^when\b|{LASTING}"
        rf"|{STEP_TIME}|\btime (?:to|for|of) (?:(?:an?|the|full|our) )*(?:pre-?)?(?:train|fine|tun|lora|qlora|sft)"
        r"|\bre-?rank\w* [\d,]+ .*\blatency"
        r"|\btime (?:to|for) (?:[a-z]+ )?(?:\d[\d,.]*|an?) |[:,] (?:hours|days|time|duration)\b[^?]{0,20}\?"
        r"|\bdurations?\?|\btime and (?:money|costs?)\b|\b(?:money|costs?) and time\b"
    ),
    "compare": rf"\bcompar|\bversus\b|\bvs\b|\bbeats?\b|\boutperforms?\b|{BETTER}|{EITHER}|{GAINED}",
    "rent_or_buy": RENT_OR_BUY,
    "what_limits": r"\b(?:memory|bandwidth|compute|arithmetic)[ -]?(?:bound|limited)\b|\bbottlenecks?\b|\broofline\b",
    "what_cost": (
        rf"^(?:[\w-]+ ){{0,3}}(costs?|price) (of|per|for|to)\b|{PRICE_OF_TOKENS}"
        rf"|how much\b.*\b(cost|pay)|what\b.*\b(cost|bill|price)\b"
        rf"|how expensive|{OWNED}|{COSTS_TOO}|{COST_BRIEFLY}|cheapest way|{AFFORDED}"
    ),
}
"""What a question asks for in which these words stand; a scenario that means something else states `asks`."""
