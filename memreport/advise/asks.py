"""What a scenario's question asks for: stated, or found from the figures that answer it, or from its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memreport.catalogue.question import hardware
from memreport.catalogue.question import workload as job
from memreport.catalogue.question.changes import is_change
from memreport.catalogue.question.demand import requests_said, without_times
from memreport.catalogue.question.hardware import PARAMETERS_COUNTED
from memreport.catalogue.question.kinds import (
    A_SECOND,
    AFFORDED,
    ALONE,
    ASKED_BY,
    AT_ONCE,
    GIVEN_NUMBER,
    GPU_HOURS,
    HOST,
    LASTING,
    MEMORY,
    MFU,
    MORE,
    OF_A_MODEL,
    OFFLOADING,
    ON_DISK,
    PARTS,
    POOL,
    PRICE_OF_TOKENS,
    PROMPTS_READ,
    RUNS,
    WAIT_FOR_EACH,
    WITH_A_CACHE,
    WORDS,
)
from memreport.catalogue.question.lexer import PERSON, asking_first
from memreport.catalogue.question.numbers import BATCH_OF, COUNTED
from memreport.catalogue.question.run import hours_said, limits_said, watts_said
from memreport.catalogue.question.switches import is_weighed, saving_weighed
from memreport.catalogue.question.workload import COMPARED, COMPARES
from memreport.catalogue.scenario import Scenario
from memreport.catalogue.unstated.model import are_by_size, hires_gpus
from memreport.frozen import frozen

OF_WORKLOAD = {
    "how_many_gpus": "training",
    "how_large_a_batch": "training",
    "how_long": "training",
    "how_many_users": "serving",
}
OF_EACH = frozenset(
    {"which_fit", "which_gpu", "how_many_gpus", "how_many_users", "how_much_memory", "how_fast", "compare"}
    | {"how_large_a_model"}
)
"""Questions that are answered for every variant."""
OF_A_CHANGE = {"serving": ("how_many_users", "compare"), "training": ("how_much_memory", "compare")}
"""What is answered of both ends where a question changes something, and names nothing that it asks for."""
AMOUNTS = ("how_long", "what_cost")
"""Questions for one amount, which are answered together."""
MOST = 3
"""Kinds that are answered."""


FAILURE = re.compile(r"\b(oom|out of memory|crash|fail|too (large|big|much))\b")
ENOUGH = rf"((only|the|these|those|all) )*(\d|{'|'.join(COUNTED)})\b"
NEED = re.compile(rf"^(do|does|will|would|must) [\w .-]*\bneed (?!{ENOUGH})")
"""A question whether something more is needed; `Do we need eight GPUs?` asks whether these are enough."""


def _words(scenario: Scenario) -> str:
    """The question in small letters, what asks first."""
    return asking_first(scenario.question.lower())


@frozen
class Aspect:
    """What a question asks for beside its kind: the words that say so, and the workload that alone has it."""

    words: str
    workload: str = ""

    def is_asked(self, scenario: Scenario) -> bool:
        """Whether the question of a scenario says so."""
        has = not self.workload or scenario.workload == self.workload
        return has and self.stands_in(_words(scenario))

    def stands_in(self, question: str) -> bool:
        """Whether a question in small letters, of whatever workload, says so."""
        return bool(re.search(self.words, question))


THE_CHEAPEST = Aspect("cheap")
"""Cost decides."""
IN_GPU_HOURS = Aspect(GPU_HOURS)
"""The hours of all GPUs, not how long one waits."""
OF_A_GPU_HOUR = Aspect(hardware.A_GPU_HOUR)
"""What such an hour costs."""
OF_A_STEP = Aspect(r"\b(?:per|a|each|every|one) (?:training |optimi[sz]er )?step\b", "training")
"""The time of a step, not of the run."""
MILLION_TOKENS = r"(?:an?|1|one) ?(?:m|million) (?:(?:in|out)put )?tokens"
NO_COST = "".join(f"(?<!{each} )" for each in ("time", "times", "latency", "seconds", "milliseconds", "ms", "speed"))
"""What else is said of one token."""
COST_OF_A_TOKEN = Aspect(
    rf"(?<!\d )million tokens|{NO_COST}\b(?:per|a|each) (?:1m |thousand )?token"
    rf"|{PRICE_OF_TOKENS}|\b{MILLION_TOKENS} costs?\b|\bcosts? (?:of |for )?{MILLION_TOKENS}",
    "serving",
)
"""The cost of tokens, not of a month."""
A_QUOTE = Aspect(r"\b(which|what|whose)\b.*\b(quotes?|offers?|vendors?)\b")
"""Which of several vendors' offers is taken: `Which of the two quotes is cheaper?`"""
HOW_MUCH = Aspect(r"\bhow (?:much|many times)\b|\bspeed-?up\b|\b(?:twice|\d times) as\b|\bgain")
"""By how much one of two is better, not which alone."""
LATENCY = Aspect(rf"latency|first token|\b(ttft|tpot|itl)\b|{WAIT_FOR_EACH}")
"""The time that one user waits, not the speed of all."""
REQUESTS_IN_TIME = Aspect(rf"{GIVEN_NUMBER}\b(?:calls|{BATCH_OF})\b.{{0,25}}({A_SECOND}|\bqps\b)")
"""The requests that a service answers in a time, not the tokens."""
PREFILL = Aspect(
    rf"^(?!.*\b(?:latency|first token|ttft|how long|disaggregat\w+)\b).*(?:\bprefill(?! time)|{PROMPTS_READ})",
    "serving",
)
"""The speed at which prompts are read, not that of answers."""
AT_FULL_LOAD = Aspect(
    r"\bthroughput\b|\bfull load\b|\bsaturat|\b(?:mlperf|benchmark)\b.*\boffline\b|\boffline (?:batch|inference)\b"
    rf"|\bhow many (?:[\w-]+ ){{0,2}}?(?:tokens|calls|{BATCH_OF})\b[^?]*\b(?:can|could|will|would)\b[^?]*"
    r"\b(?:handle|process|sustain|manage|deliver|answer|ocr|do|serve)\b",
    "serving",
)
"""What GPUs do that never wait for requests."""
SPEED_OF_ONE = Aspect(rf"\b(one|a single|each|per|every|a) (user|request|{PERSON})\b")
"""The speed that one user sees, not that of all."""
POWER = Aspect(f"^(?!.*{hardware.OWNED}).*(?:{job.ENERGY})")
"""What is drawn: its cost, where a question names one, is that of electricity alone."""
DRAWN = Aspect(
    rf"^(?!.*\b(?:costs?|bills?)\b).*(?:{job.SUPPLIED}|\bpower\b.*\b(?:uses?|draws?|consum\w+)\b)"
    r"|\bwatts\b|\bkilowatts\b|\bkw\b"
)
"""The power that is drawn, not the energy of the whole."""
ENERGY_EACH = Aspect(job.ENERGY_EACH)
"""The energy of a token or a request, not of a month or a run."""
OF_A_MILLION = Aspect(r"\bmillion (?:output )?tokens\b")
"""The energy of a million of them."""
OF_EACH_GPU = Aspect(rf"(?:\b(?:per|each|every) |/ ?){hardware.ONE_GPU}\b(?![ -]?(?:hours?|/|h\b))")
"""The speed of one of all GPUs."""
COOLED = Aspect(r"\bpue\b|\bcool\w+|\bdata ?cent(?:er|re)s?\b|\bsites?\b|\bfacilit")
"""The power of a site, not of machines at a socket."""
OF_AN_API = Aspect(r"\bapis?\b", "serving")
"""What tokens cost that others make."""
OWNED = Aspect(hardware.OWNED)
"""The purchase with all that is paid besides, over a time."""
ON_ONE = Aspect(rf"\bon an? (?:single )?{hardware.MAKER}{hardware.NAME}(?![ -]?(?:hours?|nodes?|server|machine))")
"""A run on one GPU: `on an H100`."""
COUNTS_RUNS = Aspect(rf"^how many {RUNS}\b", "training")
"""How often an amount pays for a run, not for how many tokens."""
CARBON = Aspect(job.CARBON)
"""What the energy comes from, not how much it is."""
MODEL_FLOP_UTILIZATION = Aspect(MFU, "training")
"""The share of the peak that a training reaches."""


def limits_asked(scenario: Scenario) -> dict[str, float]:
    """What the question says of the fields of `search:` that limit time and cost, where these are not stated."""
    stated = scenario.search.model_fields_set if scenario.search else ()
    said = limits_said(_words(scenario), scenario.workload, demand=scenario.demand is not None)
    return {name: limit.value for name, limit in said if limit.value and name not in stated}


def hours_to_fill(scenario: Scenario) -> float:
    """Hours of which it is asked how much can be trained in them; 0 for none."""
    return _hours(_words(scenario), scenario.workload)


def _hours(question: str, workload: str) -> float:
    said = hours_said(question) if workload == "training" else None
    return said.value if said else 0.0


def time_of_rate(scenario: Scenario, counted: str = "tokens") -> str:
    """The time in which a question counts what is made, where it is no second: `How many tokens per day?`"""
    said = re.search(rf"\b(?:{counted}) ?(?:per|an?|each|every|/) ?(minute|hour|day|week|month)\b", _words(scenario))
    return said[1] if said and scenario.workload == "serving" else ""


def watts_stated(scenario: Scenario) -> float:
    """Watts that a question states of what draws power: whether they are enough is asked; 0 for none."""
    said = watts_said(_words(scenario)) if DRAWN.is_asked(scenario) else None
    return said.value if said else 0.0


ASKED_HOW = Aspect(r"^(?:how|what) (?:do|can|could|would|to|should|must)\b")
"""By what something fits, where it does not as it is."""
ASKED_YES_OR_NO = re.compile(r"(can|could|do|does|did|is|are|will|would|has|have|should|shall|may)\b")
ASKED_OTHERWISE = re.compile(r"(?:^|[,.;:] |\band )(why|what|how|which|when|where)\b")


def asks_for_yes_or_no(scenario: Scenario) -> bool:
    """Whether yes is an answer: `Why does it fail, and what do we change?` asks for something else."""
    question = _words(scenario)
    return bool(ASKED_YES_OR_NO.match(question)) or not ASKED_OTHERWISE.search(question)


def asks_whether_it_carries(scenario: Scenario) -> bool:
    """Whether a question of a demand has yes or no as its answer."""
    return bool(scenario.question) and asks_for_yes_or_no(scenario) and asks_of(scenario)[:1] == ("fits",)


def asks_for_failure(scenario: Scenario) -> bool:
    """Whether yes means that the job fails: `Will it run out of memory?`, `Do we need checkpointing?`"""
    question = _words(scenario)
    return asks_for_yes_or_no(scenario) and bool(FAILURE.search(question) or NEED.search(question))


def asks_for_a_cost_beside(scenario: Scenario) -> bool:
    """Whether a cost is asked for beside what the headline answers: `Does it fit, and what does it cost?`"""
    asked = re.search(WORDS["what_cost"], _words(scenario))
    return bool(asked) and "what_cost" not in asks_of(scenario)


def asks_how_much_for_a_budget(scenario: Scenario) -> bool:
    """Whether an amount is stated and asked how much it pays for, not what something costs."""
    question = _words(scenario)
    asked = re.search(AFFORDED, question) and not re.search(r"\bcost", question)
    return scenario.workload == "training" and bool(asked)


def parts_asked(scenario: Scenario) -> tuple[str, ...]:
    """The parts of the memory that a question names, or that a scenario states among its answers."""
    question = WITH_A_CACHE.sub(" ", _words(scenario))
    stated = tuple(name for name in scenario.answers if name in PARTS)
    named = tuple(name for name, words in PARTS.items() if re.search(words, question))
    if counted := _parameters_asked(question):
        return stated or (*counted, *(name for name in named if name != "weight_bytes"))
    if POOL in named:
        return stated or (POOL,)
    if alone := [name for name in ALONE if name in named]:
        return stated or (*(alone if alone[0] in ON_DISK else alone[:1]),)
    return stated or ((HOST,) if HOST in named and OFFLOADING.search(question) else named)


def _parameters_asked(question: str) -> tuple[str, ...]:
    """The numbers of parameters that a question in small letters asks for."""
    asked = re.search(PARAMETERS_COUNTED, question)
    return tuple(name for name, words in OF_A_MODEL.items() if asked and re.search(words, question))


def asks_for_facts(scenario: Scenario) -> bool:
    """Whether nothing is asked but what a model has on whatever GPU: parameters, the cache of a token, files."""
    parts = parts_asked(scenario) if asks_of(scenario) == ("how_much_memory",) else ()
    return bool(parts) and {*parts} <= {*OF_A_MODEL, *ALONE}


def asks_for_offloading(scenario: Scenario) -> bool:
    """Whether the host's memory is asked for, of what has no room on the GPUs."""
    return parts_asked(scenario) == (HOST,) and bool(OFFLOADING.search(_words(scenario)))


def requests_asked(scenario: Scenario) -> float:
    """Requests of a batch whose time or cost is asked for: `How long do 1 million documents take?`; 0 for none."""
    return _requests(_words(scenario), scenario.workload)


def _requests(question: str, workload: str) -> float:
    lasts = re.search(rf"how long|{LASTING}|\btime\b|\bcost|\bcheap|\bre-?rank.*\blatency", question)
    said = requests_said(question) if lasts and workload == "serving" else None
    return said.value if said else 0.0


def never_lacks_requests(scenario: Scenario) -> bool:
    """Whether as many run at once as have room: of a batch, where throughput is asked, or what tokens cost."""
    of_tokens = COST_OF_A_TOKEN.is_asked(scenario) and "what_cost" in asks_of(scenario)
    return of_tokens or bool(requests_asked(scenario)) or AT_FULL_LOAD.is_asked(scenario)


def asks_for_the_first_token(scenario: Scenario) -> bool:
    """Whether of all times that one user waits that for the first token alone is asked."""
    if re.search(r"\bprefill time", _words(scenario)):
        return True
    others = r"latency|latencies|\b(tpot|itl)\b|(?<!first )\btokens?\b(?! prompt)"
    return LATENCY.is_asked(scenario) and not re.search(others, _words(scenario))


def counts_gpus(scenario: Scenario) -> bool:
    """Whether the number of GPUs is asked for, and no figure that the scenario names answers it."""
    kind = "how_many_gpus"
    return kind in asks_of(scenario) and kind not in {ASKED_BY.get(name) for name in scenario.answers}


def asks_for_a_gpu(scenario: Scenario) -> bool:
    """Whether the GPU is asked for, and not the number of one, or what meets a demand."""
    return "which_gpu" in asks_of(scenario) and scenario.demand is None


def asks_of_each(scenario: Scenario) -> bool:
    """Whether a scenario has several variants and its question is asked of every one; a demand is of none."""
    several = len(scenario.variants) > 1 and scenario.demand is None
    return several and not OF_EACH.isdisjoint(asks_of(scenario))


def asks_of_both(scenario: Scenario) -> bool:
    """Whether variants are weighed against each other: their times and costs, or what one of two saves of memory."""
    return "compare" in asks_of(scenario) or asks_for_a_saving(scenario)


def asks_for_a_saving(scenario: Scenario) -> bool:
    """Whether the memory of two variants is asked for, to see what one saves: `How much does FP8 cache save?`"""
    both = len(scenario.variants) == 2 and "how_much_memory" in asks_of(scenario)
    return both and saving_weighed(_words(scenario))


def asks_of(scenario: Scenario) -> tuple[str, ...]:
    """What the question asks for: stated, or found from the figures that answer it, or its words; else if it fits."""
    if scenario.asks:
        return tuple(scenario.asks)
    found = dict.fromkeys(ASKED_BY[name] for name in scenario.answers if name in ASKED_BY)
    if found:
        return tuple(found)
    return _in_words(_words(scenario), scenario.workload, str(scenario.model), tuple(scenario.variants)) or ("fits",)


def _names_variants(variants: Iterable[str], question: str) -> bool:
    """Whether a question leaves the choice between two variants by name: `vLLM or SGLang?`"""
    numbered = r"(?<!\w)(?:\d+ ?[x×*] ?)?"
    found = r"^\d+ × |(?<=\w) (?:with .*|on \d+ gpus.*)"  # GPUs of which a number was found, settings that let it fit
    called = [re.sub(found, "", name.lower()) for name in variants]
    named = [name for name in called if re.search(rf"{numbered}{re.escape(name)}(?!\w)", question)]
    return len(named) > 1 and bool(COMPARES.search(question))


@lru_cache(maxsize=1000)
def _in_words(words: str, workload: str, model: str, variants: tuple[str, ...]) -> tuple[str, ...]:
    """What the words of a question ask for, as far as the workload has it, but for what stands beside an answer."""
    question, several = without_times(words) if workload == "serving" else words, len(variants) > 1
    batch = ("how_long",) if _requests(words, workload) else ()
    kinds = [kind for kind in WORDS if OF_WORKLOAD.get(kind, workload) == workload or kind in batch]
    counted = {"how_fast": hardware.without_names(question)}  # `RTX 4090 tokens/s`: what is counted, and not so many
    found = [kind for kind in kinds if re.search(WORDS[kind], counted.get(kind, question))]
    found = _of_gpus_alone(found) if hires_gpus(question, model) else found
    found = ["how_large_a_model"] if are_by_size(variants) else found
    found = ["how_fast"] if _hours(words, workload) and "what_cost" not in found else found
    saves = len(variants) == 2 and saving_weighed(question)
    found = ["how_much_memory", *found] if saves and "how_much_memory" not in found else found
    weighed = is_weighed(question) and ("how_much_memory" not in found or not re.search(MEMORY, question))
    either = weighed or (several and not found and COMPARED.search(question))
    found += ["compare"] if "compare" not in found and (either or _names_variants(variants, question)) else []
    if not several or "rent_or_buy" in found:
        found = [kind for kind in found if kind != "compare"]
    of_users = bool(weighed and MORE.search(question) and re.search(rf"\b{AT_ONCE}\b", question))
    if several and (of_users or (is_change(question) and {*found} <= {"fits"})):
        return OF_A_CHANGE[workload]
    return _without_beside(found, question, several=several)


def _of_gpus_alone(found: Sequence[str]) -> list[str]:
    """The kinds that were found of GPUs of which nobody says what they do: what they cost, not how many it takes."""
    return [*dict.fromkeys((*(kind for kind in found if kind != "how_many_gpus"), "what_cost"))]


def _without_beside(found: Sequence[str], question: str, *, several: bool) -> tuple[str, ...]:
    """The kinds that were found, but for what stands beside the answer to another."""
    found = [kind for kind in found if kind != "fits" or len(found) < 2 or not MORE.search(question)]
    own, all_known = (("which_gpu",), ()) if several else ((), ("which_fit",))
    said = {"which_gpu": ("fits", "what_cost", *all_known), "which_fit": ("fits", *own), "fits": AMOUNTS}
    said["compare"] = ("fits", "which_gpu", "how_fast", *AMOUNTS)
    said["how_large_a_model"] = ("fits", "which_fit", "compare", "how_much_memory", *AMOUNTS)
    said["rent_or_buy"] = ("fits", "what_cost")
    said["what_limits"] = ("fits", "compare", "how_fast", "how_large_a_batch", "how_many_users")
    of_gpus_alone = () if re.search(f"{hardware.WORKING}|fit", question) else ("fits",)
    said["how_much_energy"] = ("what_cost", *of_gpus_alone) if POWER.stands_in(question) else ()
    said["how_much_memory"] = ("fits",) if re.search(PARTS[POOL], question) else ()
    beside = {kind for name in found for kind in said.get(name, ())}
    return tuple(kind for kind in found if kind not in beside)[:MOST]
