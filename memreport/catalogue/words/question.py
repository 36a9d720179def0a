"""What a question says in numbers: the times and the load of a service, and how many GPUs it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.quantities import NUMBER_WORDS
from memreport.catalogue.records import MAX_NUM_SEQS, OUTPUT_TOKENS, PROMPT_TOKENS

COUNTED = {"a": 1, "an": 1, **{word: number for number, word in enumerate(NUMBER_WORDS) if number}}
NUMBER = rf"(\d[\d,]*(?:\.\d+)?|{'|'.join(COUNTED)})"
OTHERS = "users|people|requests|queries|sequences|tokens|texts|documents|images|adapters|hours|days|weeks"
OF_GPUS = r"(gpus|accelerators|cards|nodes|machines|rtx|[abhlv]?\d+x?s?|mi\d+x?s?)\b"
FEWEST = r"(?:(?:number|count) of|fewest|minimum(?: number of)?)"
GPUS_COUNTED = rf"(?:how many ((?!({OTHERS})\b)[\w-]+ ){{0,3}}|\b{FEWEST} ([\w-]+ ){{0,2}}){OF_GPUS}"
WITHIN = r"(?:under|below|within|in|of|at most|(?:less|faster|no more|not more) than)"
SECONDS = r"(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|sec|seconds?)\b"
SECONDS_OF = {"m": 1e-3, "s": 1.0}
FIRST_TOKEN = re.compile(rf"\b(?:first token|ttft)\b[^,;?]{{0,25}}? {WITHIN} {SECONDS}")
LATER_TOKEN = re.compile(rf"(?:(?<!first )\btoken|\btpot|\bitl)\b[^,;?]{{0,25}}? {WITHIN} {SECONDS}")
A_USER = r"(?:each|(?:for|to) each|(?:per|a) (?:user|request))"
PACE = re.compile(rf"(\d+(?:\.\d+)?) ?(?:tokens?|tok) ?(?:/|per |a )(?:s|sec|second)\b,? {A_USER}\b")
USERS = re.compile(rf"\b{NUMBER} (?:[a-z-]+ ){{0,2}}(?:users|people|chats|sessions|conversations)\b")
THOUSANDS = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6}
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
BATCH_OF = "documents|prompts|requests|texts|images|emails|articles|pages|records|rows|reviews|questions|answers"
SECONDS_IN = {"s": 1, "second": 1, "minute": 60, "hour": 3600, "day": 86400}
REQUESTS = re.compile(
    rf"\b{NUMBER} (?:[a-z-]+ ){{0,2}}(?:requests|queries|calls|{BATCH_OF})(?: ?/ ?| per | a | each | every )"
    rf"({'|'.join(SECONDS_IN)})\b"
)

REQUESTS_IN_ALL = re.compile(
    rf"\b{NUMBER} ?{MANY} (?:(?!token|of)[a-z-]+ )?(?:{BATCH_OF})\b(?! ?(?:/| per | a | each | every ))"
)


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
    if said := PACE.search(question):
        yield "sequence_tokens_per_second", float(said[1])


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


def demand_asked(data: Mapping[str, Any]) -> dict[str, Any]:
    """The demand of a service whose question is how many GPUs carry it, where it states none; else nothing.

    `How many H100 for 200 users, first token within 1 s?` asks for no verdict on the GPUs that are stated.
    """
    question, serving = str(data.get("question")).lower(), data.get("serving")
    states_another = any(data.get(part) for part in ("demand", "asks", "answers"))
    of_models = "model" in str(data.get("variants"))
    if data.get("workload") != "serving" or states_another or of_models or not re.search(GPUS_COUNTED, question):
        return {}
    stated = serving if isinstance(serving, dict) else {}
    lengths = _lengths(stated)
    load = dict(_load(question)) or {"users": stated.get("max_num_seqs", MAX_NUM_SEQS)}
    targets = {TARGETS[name]: value for name, value in times_of_service(question)}
    return {} if lengths is None else {**load, **targets, **lengths}


WHOLE_LENGTHS = ("max_model_len", "context_length")
"""What a service may state of prompt and answer together."""
USUAL_LENGTHS = {"prompt_tokens": PROMPT_TOKENS, "output_tokens": OUTPUT_TOKENS}


def _load(question: str) -> Iterator[tuple[str, float]]:
    if said := USERS.search(question):
        yield "users", number_said(said[1])
    if said := REQUESTS.search(question):
        yield "requests_per_second", number_said(said[1]) / SECONDS_IN[said[2]]


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
