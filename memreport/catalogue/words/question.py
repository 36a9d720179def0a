"""What a question says in numbers: the times and the load of a service, and how many GPUs it asks for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.quantities import NUMBER_WORDS
from memreport.catalogue.records import MAX_NUM_SEQS, OUTPUT_TOKENS, PROMPT_TOKENS, SEQUENCE_LENGTH
from memreport.figures.constants import HOURS_PER_MONTH

COUNTED = {"a": 1, "an": 1, **{word: number for number, word in enumerate(NUMBER_WORDS) if number}}
NUMBER = rf"(\d[\d,]*(?:\.\d+)?|{'|'.join(COUNTED)})"
STATED = NUMBER.replace("|a|an|", "|")
"""A number and not an article: `for one user` says how many, `how long does a user wait` does not."""
OTHERS = (
    "users|people|requests|queries|sequences|tokens|texts|documents|images|adapters|hours|days|weeks|months"
    "|epochs|steps|samples|examples|layers|parameters"
)
OF_GPUS = r"(gpus|accelerators|cards|nodes|machines|rtx|[abhlv]\d+x?s?|\d{4}s?|mi\d+x?s?)\b"
FEWEST = r"(?:(?:number|count) of|fewest|minimum(?: number of)?)"
GPUS_COUNTED = rf"(?:how many ((?!({OTHERS})\b)[\w-]+ ){{0,3}}|\b{FEWEST} ([\w-]+ ){{0,2}}){OF_GPUS}"
WITHIN = r"(?:under|below|within|in|of|at most|(?:less|faster|no more|not more) than)"
SECONDS = r"(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|sec|seconds?)\b"
SECONDS_OF = {"m": 1e-3, "s": 1.0}
FIRST_TOKEN = re.compile(rf"\b(?:first token|ttft)\b[^,;?]{{0,25}}? {WITHIN} {SECONDS}")
LATER_TOKEN = re.compile(rf"(?:(?<!first )\btoken|\btpot|\bitl)\b[^,;?]{{0,25}}? {WITHIN} {SECONDS}")
A_USER = r"(?:each|(?:for|to) each|(?:per|a) (?:user|request))"
AT_ONCE = "concurrent|simultaneous|parallel"
USERS = re.compile(
    rf"\b{STATED} (?:[a-z-]+ ){{0,2}}(?:users?|people|chats|sessions|conversations)\b"
    rf"|\b{STATED} (?:{AT_ONCE}) (?:requests|sequences|queries|calls|streams)\b"
)
THOUSANDS = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9}
MANY = f"({'|'.join(THOUSANDS)})?"
WHOLE = r"(?![\d.,]*\d)"
"""A number is read to its end."""
DOLLARS = rf"(?:\$|usd) ?(\d[\d,]*(?:\.\d+)?){WHOLE} ?{MANY}\b|\b{NUMBER}{WHOLE} ?{MANY} ?(?:dollars|usd)\b"
NO_RATE = (
    r"(?! ?(?:each\b|apiece))(?! ?(?:/|per|an?|each|every) ?(?:h|hour|month|day|year|gpu|card|node|million|kwh)\w*)"
)
BUDGET = re.compile(
    rf"\b(?:under|below|within|less than|at most|no more than|not more than|up to|for|with|of|on|have|spend)"
    rf"(?: (?:a|our|the|only|just|total|budget|of|is))* (?:{DOLLARS}){NO_RATE}"
    rf"|(?:{DOLLARS}){NO_RATE} (?:enough|budget|suffice)"
)
BATCH_OF = (
    "documents|prompts|requests|texts|images|emails|articles|pages|records|rows|reviews|questions|answers"
    "|chunks|passages|sentences|files|tickets|transcripts|reports|summaries"
)
SECONDS_IN = {"s": 1, "sec": 1, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800.0}
SECONDS_IN["month"] = float(HOURS_PER_MONTH) * SECONDS_IN["hour"]
EACH_TIME = rf"(?: ?/ ?| per | a | each | every )({'|'.join(SECONDS_IN)})\b"
PACE = re.compile(rf"(?<![\d,.]){STATED} ?{MANY} ?(?:tokens?|tok){EACH_TIME}(?:,? ({A_USER}))?")
MOST_PACE = 300
"""Tokens a second up to which a rate is one user's, unless it is said to be of all."""
MOST_AT_ONCE = 1024
"""Users beyond whom no engine takes all at once by default.  Source: vLLM, engine/arg_utils.py."""
OF_ALL = re.compile(r"\b(total|together|overall|aggregate|in all|combined|throughput)\b")
REQUESTS = re.compile(
    rf"\b{NUMBER} ?{MANY} (?:[a-z-]+ ){{0,2}}(?:requests?|quer(?:y|ies)|calls?|messages?|{BATCH_OF}){EACH_TIME}"
    rf"|\b{NUMBER} ?(?:qps|rps)\b"
)

REQUESTS_IN_ALL = re.compile(
    rf"\b{NUMBER} ?{MANY} (?:(?!token|of)[a-z-]+ )?(?:{BATCH_OF})\b(?! ?(?:/| per | a | each | every ))"
)


OBJECTIVES = "dpo|orpo|kto|grpo|ppo"
WORKLOADS_SAID = {
    "training": (
        r"\b(fsdp|deepspeed|zero-?[123]|megatron|adamw?|gradients?|checkpointing|micro-?batch(es)?)\b|"
        rf"\b(pre-?|post-?)?(train|trained|training)\b|fine-?tun|\bq?lora\b|\bepochs?\b|\b({OBJECTIVES}|sft|rlhf)\b"
    ),
    "serving": (
        r"\b(serv(e|es|ed|ing)|inference|infer|host(ed|ing)?|deploy\w*|embed\w*|users|requests?|chat|generat\w+)\b"
        rf"|\b(to run|run on an?)\b|\b(kv|latency|ttft|tpot|prompts?)\b|million tokens|\btokens?{EACH_TIME}"
        r"|\bgguf\b|\bi?q\d_\w+"
    ),
}
"""Words of titles and questions that say what is done, where no block does."""
METHODS_SAID = {"qlora": r"\bqlora\b", "lora": r"\blora\b"}
"""Words of titles and questions that say how a training is done, where no field does; the first that stands there."""


def workload_asked(data: Mapping[str, Any]) -> str:
    """The workload that title and question speak of, where they speak of one alone."""
    found = [name for name, words in WORKLOADS_SAID.items() if re.search(words, _said(data))]
    return found[0] if len(found) == 1 else ""


def is_stated(data: Mapping[str, Any], name: str) -> bool:
    """Whether the section of the workload, a variant, a table or the search of a scenario names a field."""
    return any(name in str(data.get(part, "")) for part in (str(data.get("workload")), "variants", "tables", "search"))


def method_asked(data: Mapping[str, Any]) -> str:
    """The method of training that title and question name, where no field of the scenario names any."""
    named = [name for name, words in {**METHODS_SAID, "full": r"\bfull\b"}.items() if re.search(words, _said(data))]
    several = len(named) > 1 and COMPARED.search(_said(data))
    other = several or named[:1] == ["full"] or data.get("workload") != "training" or is_stated(data, "method")
    return "" if other else next(iter(named), "")


OBJECTIVE_SAID = re.compile(rf"\b({OBJECTIVES})\b")
AS_FORMAT = re.compile(
    r"\b(?:in|with|at|as|to) (?:an? )?(?:gguf )?([a-z]+\d[\w-]*|awq|gptq|\d[ -]?bits?)\b(?! (?:kv|cache|optimi))"
)
BITS = {"4bit": "int4", "8bit": "int8", "16bit": "bf16"}
COMPARED = re.compile(r"\b(or|than|versus|vs|worth|instead)\b")
"""A question of two formats states none."""


def objective_asked(data: Mapping[str, Any]) -> str:
    """What a training learns from, by title and question, where nothing else says so."""
    said = OBJECTIVE_SAID.search(_said(data))
    return said[1] if said and data.get("workload") == "training" and not is_stated(data, "objective") else ""


def formats_asked(data: Mapping[str, Any]) -> Iterator[str]:
    """What may be the format of the weights that a service is asked of, where nothing states one: `in 4 bit`."""
    question, serves = str(data.get("question")).lower(), data.get("workload") == "serving"
    if serves and not COMPARED.search(question) and not is_stated(data, "weight_dtype"):
        words = (said[1] for said in AS_FORMAT.finditer(question))
        yield from (BITS.get(re.sub(r"[ -]|s$", "", word), word) for word in words)


def _said(data: Mapping[str, Any]) -> str:
    return f"{data.get('title', '')} {data.get('question', '')}".lower()


MANY_TOKENS = rf"{STATED} ?(k|thousand)?"
ABOUT = "(?:about |around |up to )?"


def _length_of(adjectives: str, nouns: str, ending: str) -> str:
    """The words of a length: `1,500 input tokens`, `2k tokens in`, `prompts of 3,000 tokens`."""
    said = rf"{MANY_TOKENS}[ -]?tokens?"
    return (
        rf"{MANY_TOKENS} (?:{adjectives})[ -]tokens?|{said} (?:{ending}|(?:of |as )?(?:{adjectives})s?\b)"
        rf"|\b(?:{nouns}) (?:of|with) {ABOUT}{said}"
    )


LENGTHS_SAID = {
    "prompt_tokens": _length_of("input|prompt|prefill", f"inputs?|prompts?|{BATCH_OF}", r"in\b(?! \w)"),
    "output_tokens": _length_of(
        "output|answer|completion|generated|new|decode", "outputs?|answers?|completions?|responses?|replies", r"out\b"
    ),
}
CONTEXT_SAID = (
    rf"\b{STATED} ?(k)?(?:[ -]tokens?)?[ -](?:of )?context"
    rf"|\b{STATED} ?(k)(?:[ -]tokens?)?[ -](?:long )?(?:sequences?|seq)\b"
    rf"|\b{STATED}[ -]tokens?[ -](?:long )?sequences?\b|\b(?:context|sequence)s?(?: lengths?)? (?:of )?{STATED} ?(k)?\b"
)
MOST_TOKENS = 10**8
"""What is said beyond it is no length of a sequence."""
LARGEST, SIZED, LENGTH = r"how (large|big)|largest|biggest|max\w*", "(micro|global|per.device)", r"(context|sequence)\b"
LONG_TEXT = rf"(what|which) ({SIZED} )?{LENGTH}|(how long an?|longest) ([\w-]+ )?(prompt|document|input|text)\b"
LONGEST_ASKED = rf"({LARGEST}|how long|longest)\b.{{0,20}}\b{LENGTH}|{LONG_TEXT}"
"""How long a sequence may be: of a service that states no number of them, when it is alone."""


MANY_IN_ALL = {**THOUSANDS, "mn": 1e6, "bn": 1e9, "t": 1e12, "trillion": 1e12}
TRAINED_ON = re.compile(
    rf"\b(?:on|over|of|for|with) (?:about |around |our |a )*{STATED} ?({'|'.join(MANY_IN_ALL)})?"
    rf"[ -]?tokens?\b(?!{EACH_TIME})"
)
TRAINED_SAMPLES = re.compile(
    rf"\b(?:on|over|of|with) (?:about |around |our |a )*{STATED} ?{MANY} (?:[a-z-]+ )?"
    r"(?:samples|examples|rows|conversations|instructions|sequences)\b"
)
EPOCHS_SAID = re.compile(rf"\b{STATED} epochs?\b")
LENGTH_OF_RUN = (
    "training_tokens",
    "max_steps",
    "num_train_epochs",
    "train_samples",
    "dataset_tokens",
    "dataset_samples",
)


def tokens_asked(data: Mapping[str, Any]) -> float:
    """Tokens that a question trains on, all its epochs together, where no field says how long the run is; else 0.

    A sample is as long as the sequences.
    """
    question, rest = str(data.get("question")).lower(), str({**data, "question": "", "title": ""})
    if data.get("workload") != "training" or any(name in rest for name in LENGTH_OF_RUN):
        return 0.0
    epochs = EPOCHS_SAID.search(question)
    return _tokens_of_a_pass(question, data.get("training")) * (number_said(epochs[1]) if epochs else 1)


def _tokens_of_a_pass(question: str, training: Any) -> float:
    if said := TRAINED_ON.search(question):
        return number_said(said[1]) * MANY_IN_ALL.get(said[2], 1)
    said = TRAINED_SAMPLES.search(question)
    length = training.get("sequence_length", SEQUENCE_LENGTH) if isinstance(training, dict) else SEQUENCE_LENGTH
    whole = said and isinstance(length, int)
    return number_said(said[1]) * THOUSANDS.get(said[2], 1) * length if said and whole else 0.0


def lengths_asked(data: Mapping[str, Any]) -> dict[str, int]:
    """Lengths of prompts, answers and contexts of a question, of fields that nothing states.

    `128k context` is what an engine takes at most, and the length of the sequences that a training reads.
    """
    question, rest = str(data.get("question")).lower(), str({**data, "question": "", "title": ""})
    serves = data.get("workload") == "serving"
    words = {**(LENGTHS_SAID if serves else {}), "max_model_len" if serves else "sequence_length": CONTEXT_SAID}
    found = {name: re.search(pattern, question) for name, pattern in words.items() if name not in rest}
    context = "context_length" in rest
    lengths = {
        name: _tokens(*(part for part in said.groups() if part))
        for name, said in found.items()
        if said and not (context and name == "max_model_len")
    }
    return {name: tokens for name, tokens in lengths.items() if 0 < tokens <= MOST_TOKENS}


def _tokens(number: str, thousands: str = "") -> int:
    """Tokens as they are said: 128k of them are 131,072."""
    return int(number_said(number) * {"k": 1024, "thousand": 1000}.get(thousands, 1))


def requests_said(question: str) -> float:
    """How many requests are to be answered in all, by a question in small letters; 0 where it says none."""
    said = REQUESTS_IN_ALL.search(question)
    return number_said(said[1]) * THOUSANDS.get(said[2], 1) if said else 0.0


def number_said(text: str) -> float:
    """A number as figures or as a word."""
    return float(COUNTED.get(text) or text.replace(",", ""))


def times_of_service(question: str) -> Iterator[tuple[str, float]]:
    """How soon a first token has to come, and how fast the others, as fields of `search:`; in small letters."""
    if said := FIRST_TOKEN.search(question):
        yield "time_to_first_token_seconds", float(said[1]) * SECONDS_OF[said[2][0]]
    if (said := LATER_TOKEN.search(question)) and float(said[1]):
        yield "sequence_tokens_per_second", 1 / (float(said[1]) * SECONDS_OF[said[2][0]])
    rates = list(rates_of_tokens(question))
    yield from (("sequence_tokens_per_second", rate) for rate, period, of_each in rates if of_each)


def rates_of_tokens(question: str) -> Iterator[tuple[float, str, bool]]:
    """Rates of tokens in a question in small letters: the number, its time, and whether each user is to get it."""
    of_all = OF_ALL.search(question)
    for said in PACE.finditer(question):
        rate = number_said(said[1]) * THOUSANDS.get(said[2], 1)
        of_one = rate <= MOST_PACE and not of_all
        yield rate, said[3], said[3].startswith("s") and bool(said[4] or of_one)


def budget_said(question: str) -> float:
    """Dollars that may be spent by a question in small letters; 0 where it says none: a price an hour is no budget."""
    said = BUDGET.search(question)
    parts = [part for part in said.groups() if part] if said else []
    return number_said(parts[0]) * (THOUSANDS[parts[1]] if len(parts) > 1 else 1) if parts else 0.0


TARGETS = {
    "time_to_first_token_seconds": "first_token_seconds",
    "sequence_tokens_per_second": "tokens_per_second_per_user",
}
"""What a time of a service is called in a demand."""


RENT_OR_BUY = r"\b(rent|buy|own)(ing)?\b.*\bor\b.*\b(rent|buy|own)(ing)?\b"
GPU = r"(gpus?|cards?|graphics cards?|accelerators?|hardware)\b"
WHICH_GPU = rf"\b(which|what|smallest|cheapest|best) ((nvidia|amd|kind of|type of|consumer|single) )*{GPU}"
ASKS_FOR_GPUS = rf"{GPUS_COUNTED}|{WHICH_GPU}"
"""A question whose answer is hardware that carries a load, not what the stated hardware does under it."""


def demand_asked(data: Mapping[str, Any]) -> dict[str, Any]:
    """The demand that the question of a service states, where it has a rate or asks for GPUs; else nothing.

    `How many H100 for 200 users, first token within 1 s?` asks for no verdict on the GPUs that are stated.
    """
    question = str(data.get("question")).lower()
    states_another = any(data.get(part) for part in ("demand", "asks", "answers"))
    lengths = None if states_another or "model" in str(data.get("variants")) else _lengths(_serving(data))
    if lengths is None or data.get("workload") != "serving":
        return {}
    load = _rate(question, {**_serving(data), **lengths}) or _load_of_gpus(question, _serving(data))
    targets = {TARGETS[name]: value for name, value in times_of_service(question)}
    return {**load, **targets, **lengths} if load else {}


def users_asked(data: Mapping[str, Any]) -> int:
    """Users at once whom the question of a service states, where nothing else says how many; 0 for none.

    `Does it reach 30 tokens/s?` is of one user.
    """
    rest = str({name: value for name, value in data.items() if name not in ("question", "title")})
    stated = any(name in rest for name in ("max_num_seqs", "demand"))
    if stated or data.get("workload") != "serving":
        return 0
    question = str(data.get("question")).lower()
    of_one = any(of_each for _, _, of_each in rates_of_tokens(question)) and not re.search("how many", question)
    users, of_one = users_said(question), of_one or bool(re.search(LONGEST_ASKED, question))
    return math.ceil((users or of_one) / _replicas(data)) if users <= MOST_AT_ONCE else 0


def _replicas(data: Mapping[str, Any]) -> float:
    """Replicas among which the users are shared out, as far as the scenario states them."""
    hardware, serving = data.get("hardware"), _serving(data)
    count = hardware.get("count", 1) if isinstance(hardware, dict) else 1
    ranks = [serving.get(f"{kind}_parallel_size", 1) for kind in ("tensor", "pipeline", "expert")]
    sizes = (count, *ranks)
    stated = all(isinstance(size, int) and size > 0 for size in sizes)
    return max(count / math.prod(ranks), 1) if stated else 1


def _serving(data: Mapping[str, Any]) -> Mapping[str, Any]:
    stated = data.get("serving")
    return stated if isinstance(stated, dict) else {}


def _load_of_gpus(question: str, serving: Mapping[str, Any]) -> dict[str, float]:
    """Users for whom GPUs are asked, or too many for one replica; of the service where the question names none."""
    counted, users = re.search(GPUS_COUNTED, question), users_said(question)
    if users <= MOST_AT_ONCE and not re.search(ASKS_FOR_GPUS, question):
        return {}
    users = users or (serving.get("max_num_seqs", MAX_NUM_SEQS) if counted else 0.0)
    return {"users": users} if users else {}


def users_said(question: str) -> float:
    """Users at once of a question in small letters; 0 where it says none."""
    said = USERS.search(question)
    return number_said(said[1] or said[2]) if said else 0.0


def _rate(question: str, lengths: Mapping[str, Any]) -> dict[str, float]:
    """Requests per second, as they are said or as tokens: by the second of answers, by the day of prompts too."""
    if said := REQUESTS.search(question):
        number = number_said(said[1] or said[4]) * THOUSANDS.get(said[2], 1)
        return {"requests_per_second": number / SECONDS_IN[said[3] or "s"]}
    prompt, answer = (_count(lengths.get(name), usual) for name, usual in USUAL_LENGTHS.items())
    for rate, period, of_each in rates_of_tokens(question):
        if not of_each:
            return {
                "requests_per_second": rate
                / SECONDS_IN[period]
                / (answer if period.startswith("s") else prompt + answer)
            }
    return {}


def _count(value: Any, usual: int) -> float:
    """A number of tokens as it is stated; the usual one where nobody states any, or what is no number of them."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else usual


WHOLE_LENGTHS = ("max_model_len", "context_length")
"""What a service may state of prompt and answer together."""
USUAL_LENGTHS = {"prompt_tokens": PROMPT_TOKENS, "output_tokens": OUTPUT_TOKENS}


def _lengths(serving: Mapping[str, Any]) -> dict[str, Any] | None:
    """A prompt that leaves room for its answer where a service states the length of both; None where it has none."""
    held = [serving[name] for name in WHOLE_LENGTHS if name in serving]
    if not held:
        return {}
    prompt, answer = (serving.get(name, usual) for name, usual in USUAL_LENGTHS.items())
    if not all(isinstance(length, int) for length in (*held, prompt, answer)):
        return None
    room = min(held) - answer
    if "prompt_tokens" in serving or room < 1:
        return {} if prompt <= room else None
    return {"prompt_tokens": min(prompt, room)}
