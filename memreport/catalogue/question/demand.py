"""The load of a service that a question states, and how soon it has to answer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.question.hardware import ASKS_FOR_GPUS, GPUS_COUNTED, LEAST_MEMORY, ONE_GPU, without_names
from memreport.catalogue.question.kinds import WAIT_FOR_EACH
from memreport.catalogue.question.lengths import CACHE_ASKED, CACHE_OF, CONTEXT_FITS, LONGEST_ASKED, OF_ONE, ONE_ANSWER
from memreport.catalogue.question.lexer import BETWEEN, PEOPLE, PERSON, TALKS
from memreport.catalogue.question.model import leaves_model_open
from memreport.catalogue.question.numbers import (
    ABOUT,
    BATCH_OF,
    EACH_IN,
    EACH_TIME,
    HEARD,
    PER,
    SECONDS_IN,
    STATED,
    WITHIN,
    Said,
    Words,
    matched,
    numbers_in,
    places_of,
)
from memreport.catalogue.question.stated import IS, block_of, question_of
from memreport.catalogue.question.workload import FORMAT_ASKED
from memreport.catalogue.records import OUTPUT_TOKENS, PROMPT_TOKENS
from memreport.frozen import frozen

FIRST_TOKEN = Words(
    rf"\b(?:first token|ttft)\b[^,;?]{{0,25}}? {WITHIN} <seconds>"
    r"|(?<![\w.])<seconds> (?:to |for |until )?(?:the |a )?(?:time to )?(?:first token|ttft)\b"
)
LATER_TOKEN = Words(
    rf"(?:(?<!first )\btoken|\btpot|\bitl)\b[^,;?]{{0,25}}? (?:{WITHIN}|every) <seconds>"
    r"|(?<![\w.])<seconds> ?(?:/|a|per|each|for (?:each|every)) ?(?:output |generated |later )?token\b"
    r"|(?<![\w.])<seconds> (?:tpot|itl|(?:inter|per)-token latency|between tokens|(?:time )?per output token)\b"
)
A_USER = r"(?:each|(?:for|to) each|(?:per|a) (?:user|request))"
AT_ONCE = "concurrent|simultaneous|parallel"
USERS = Words(
    rf"\b<count> (?:(?!{BETWEEN})[a-z-]+ ){{0,2}}(?:{PEOPLE})\b"
    rf"|\b<count> (?:{AT_ONCE}) (?:requests|sequences|queries|calls|streams)\b"
    r"|\b<count> concurrency\b|\bconcurren(?:cy|t)(?: of| at| ?[:=])? ?<count>\b"
    rf"|\b<count> (?:(?:{AT_ONCE})(?:ly)?|at (?:once|a time|the same time)|in parallel)\b"
    rf"(?! (?:{ONE_GPU}|gpus|cards|nodes|models?|jobs?|runs?|(?:fine-?)?(?:train|tun)ings?|adapters?|[a-z]+  ))"
    rf"|\bmax[_ -]num[_ -]seqs{IS}<count>\b"
)
IN_A_DAY = re.compile(r"\b(?:daily|weekly|monthly|registered)\b")
"""What says of users that they come over a time, and not at once: `1,000 daily active users`."""
A_SINGLE = re.compile(
    r"\b(?:a |one |per )?single (?:user|stream|request|sequence|client|session)\b|\bbatch(?: size)? (?:of )?1\b"
)
PACE = Words(
    rf"(?<![\w,.$])<many>(?: ?(?:(?:output|input|generated|prompt) )?(?:tokens?|tok){EACH_TIME}| <daily> tokens?\b)"
    rf"(?:,? (?P<user>{A_USER}))?"
)
OF_PROMPTS, OF_ANSWERS = re.compile(r"\b(?:input|prompt)"), re.compile(r"\b(?:generat|produc|writ|output)")
"""What says of a rate, in it or before it, that it is of tokens that are read, or that are written, alone."""
READ_AND_WRITTEN = Words(
    rf"\b<many> (?:tokens? )?(?:in|input|prompt)(?: tokens?)?(?:,? and|,| ?/) <many> "
    rf"(?:tokens? )?(?:out|output|generated)(?: tokens?)?{EACH_TIME}"
)
"""What all prompts and all answers have in a time: `5M tokens in and 1M out per day`."""
OF_A_TEXT = Words(rf"\b(?:{BATCH_OF}) of <many> ?tokens?")
"""A length, whatever stands behind it: `How many pairs of 512 tokens per second?` states no rate."""
ALONE = 1
"""Users of a service of which it is asked on how many GPUs it runs, and nobody says for how many."""
CAN_RUN = (
    r"^(?:can|could|will|would|does|do)\b(?!.*\b(?:serv|host|deploy|how|what|fast|user|throughput))"
    r"[^?]*\b(?:run|fit)\b"
)
"""Whether it runs at all: `Can a T4 run Llama 3.1 8B?`"""
OF_ONE_SEQUENCE = Words(
    f"{OF_ONE}|{LEAST_MEMORY}|{LONGEST_ASKED}|{CONTEXT_FITS}|{CACHE_OF}|{CACHE_ASKED}|{FORMAT_ASKED}"
    f"|{ONE_ANSWER.pattern}|{CAN_RUN}"
)
"""What is asked of one sequence, where nobody says of how many."""
MOST_PACE = 300
"""Tokens a second up to which a rate is one user's, unless it is said to be of all."""
MOST_IN_A_SECOND = 10**8
"""Tokens a second beyond which a number is the size of a model: `Llama 3.1 70B tokens per second`."""
MOST_AT_ONCE = 1024
"""Users beyond whom no engine takes all at once by default.  Source: vLLM, engine/arg_utils.py."""
OF_ALL = re.compile(r"\b(total|together|overall|aggregate|in all|combined|throughput)\b")
EACH = rf"each(?! (?:{'|'.join(SECONDS_IN)})\b)(?! (?:[a-z]+ ){{0,3}}[\d,.]+ ?k?[ -](?:[a-z]+ )?tok)"
"""No `each` of a time, nor of what is sent: `1,000 requests each day`, `each with 500 tokens`."""
OF_EACH = rf"(?:{EACH}|apiece|(?:per|for each|for every|a) (?:user|{PERSON}|head))"
SENT = rf"(?:request|query|calls?|message|{TALKS}|{BATCH_OF})"
REQUESTS = Words(
    rf"\b<amount> (?:[a-z-]+ ){{0,2}}{SENT}(?:,? {OF_EACH}| ?/ ?user)?{EACH_TIME}"
    rf"|\b<amount> <daily> (?:[a-z-]+ )?{SENT}\b"
)
EACH_HAS_IT = re.compile(rf",? {OF_EACH}\b| ?/ ?user\b")
"""What says of a rate, in it or behind it, that every user has it."""
SENDS = (
    r"(?:send|mak|ask|do|issu|submit|writ|us|generat|produc|need|handl|answer|process|get|receiv)"
    r"(?:e|es|s|ing|ting)?"
)
EACH_SENDS = re.compile(
    rf"(?:\b(?:each|every) (?:of (?:our|the|my|these|those) )?(?:{STATED} )?(?:[a-z-]+ ){{0,2}}?(?:{PEOPLE}|{PERSON})"
    rf"|(?<!token )(?<!tokens )\beach)\b(?: (?:of them|who|that))? (?:{SENDS}|with) {ABOUT}$"
)
"""The same before it: `each of our 600 analysts asks`."""
THEY_SEND = re.compile(rf",? (?:who )?{SENDS} {ABOUT}")
"""What stands between users and what they send."""
REQUESTS_IN_ALL = Words(
    rf"\b<amount> (?:(?!token|of|{'|'.join(EACH_IN)})[a-z-]+ )?(?:{BATCH_OF})\b(?!{PER})"
    r"(?! (?:of \S+ )?(?:per|in (?:an?|each|every)|for each|each|an?) )"
)
OF_A_QUERY = Words(
    rf"\bre-?rank\w* <amount> (?:{BATCH_OF})\b(?= (?:per|a|for each|for every) (?:query|question|search))"
)
"""Texts that are weighed against one: `rerank 100 documents per query`."""
NOT_EACH = r"(?! ?(?:/|per|a|each|every)\b)"
WRITTEN = Words(rf"\b(?:generat|writ|produc)(?:e|es|ing) <amount> (?:[a-z]+ )?tokens\b{NOT_EACH}")
"""Tokens that are written in all, by answers of the usual length."""
WINDOW_SECONDS = 30
"""Sound that a model hears at once.  Source: arXiv:2212.04356 (Whisper), section 2.2."""
SOUND = Words(rf"\b<amount> (?:(?=hour|minute)<times>)s? of (?:[a-z]+ )?{HEARD}\b{NOT_EACH}")


def windows_said(question: str) -> Said[float] | None:
    """The pieces of sound of a question in small letters, each as long as a model hears at once."""
    heard = SOUND.first(question)
    return heard.as_(float(math.ceil(math.prod(heard.value) / WINDOW_SECONDS))) if heard else None


def requests_said(question: str) -> Said[float] | None:
    """How many requests are to be answered in all, by a question in small letters."""
    if heard := windows_said(question):
        return heard
    if one := ONE_ANSWER.first(question):
        return one.as_(1.0)
    if written := WRITTEN.number(question):
        return written.as_(math.ceil(written.value / OUTPUT_TOKENS))
    return OF_A_QUERY.number(question) or REQUESTS_IN_ALL.number(question)


def times_of_service(question: str) -> Iterator[tuple[str, Said[float]]]:
    """How soon a first token has to come, and how fast the others, as fields of `search:`; in small letters."""
    if said := FIRST_TOKEN.number(question):
        yield "time_to_first_token_seconds", said
    if (said := LATER_TOKEN.number(question)) and said.value:
        yield "sequence_tokens_per_second", said.as_(1 / said.value)
    rates = list(rates_of_tokens(question))
    yield from (("sequence_tokens_per_second", rate.as_(rate.value[0])) for rate, of_each in rates if of_each)


def rates_of_tokens(question: str) -> Iterator[tuple[Said[tuple[float, float]], bool]]:
    """Rates of tokens in a question in small letters: number and seconds, and whether each user is to get it."""
    of_all = OF_ALL.search(question)
    text = without_names(OF_A_TEXT.without(question))
    for said in PACE.compiled.finditer(text):
        rate, seconds = numbers_in(said)
        if rate >= MOST_IN_A_SECOND * seconds:
            continue
        users = _senders(text, said, rate, seconds) if seconds > 1 else None
        of_one = seconds == 1 and bool(said["user"] or (rate <= MOST_PACE and not of_all))
        yield matched(said, (rate * (users.value if users else 1), seconds)).with_(users), of_one


def without_times(question: str) -> str:
    """A question in small letters without the times that a service has to keep: `at 30 tokens/s each` asks none."""
    times = [place for words in (FIRST_TOKEN, LATER_TOKEN) for said in words.every(question) for place in said.places]
    rates = [said.places[0] for said, _ in rates_of_tokens(question)]
    for place in sorted((*times, *rates), key=lambda each: -each.start):
        question = question[: place.start] + question[place.stop :]
    return question


def times_of_any(question: str) -> bool:
    """Whether a question asks for many, or states how soon a service has to answer."""
    return "how many" in question or any(True for _ in times_of_service(question))


TARGETS = {
    "time_to_first_token_seconds": "first_token_seconds",
    "sequence_tokens_per_second": "tokens_per_second_per_user",
}
"""What a time of a service is called in a demand."""


def demand_asked(data: Mapping[str, Any]) -> Said[dict[str, Any]] | None:
    """The demand that the question of a service states, where it has a rate or asks for GPUs.

    `How many H100 for 200 users, first token within 1 s?` asks for no verdict on the GPUs that are stated.  A demand
    that the scenario states takes the targets that its question names beside it.
    """
    question, serving = question_of(data), block_of(data, "serving")
    targets = {TARGETS[name]: said for name, said in times_of_service(question)}
    places, values = places_of(targets.values()), {name: said.value for name, said in targets.items()}
    if (stated := block_of(data, "demand")) and data.get("workload") == "serving":
        own = {name: value for name, value in values.items() if name not in stated}
        return Said(own, "", places) if own else None
    states_another = any(data.get(part) for part in ("demand", "asks", "answers"))
    lengths = None if states_another or "model" in str(data.get("variants")) else _lengths(serving)
    if lengths is None or data.get("workload") != "serving":
        return None
    compared = len(block_of(data, "variants")) > 1  # each of which is told how many it takes
    load = _rate(question, {**serving, **lengths}) or _load_of_gpus(question, serving, compared=compared)
    return Said({**load.value, **values, **lengths}, "", (*load.places, *places)) if load else None


def users_asked(data: Mapping[str, Any]) -> Said[int] | None:
    """Users at once of each replica, of those whom the question of a service states."""
    of_all = users_of_all(data)
    return of_all.as_(math.ceil(of_all.value / replicas_stated(data))) if of_all else None


def users_of_all(data: Mapping[str, Any]) -> Said[float] | None:
    """Users at once whom the question of a service states, where nothing else says how many.

    `Does it reach 30 tokens/s?` is of one user.
    """
    rest = str({name: value for name, value in data.items() if name not in ("question", "title")})
    stated = any(name in rest for name in ("max_num_seqs", "demand"))
    if stated or data.get("workload") != "serving":
        return None
    question = question_of(data)
    if users := users_said(question):
        return users if users.value <= MOST_AT_ONCE else None
    of_one = any(of_each for _, of_each in rates_of_tokens(question)) and "how many" not in question
    waits = re.search(rf"\b(latency|ttft|first token)\b|{WAIT_FOR_EACH}", question) and not times_of_any(question)
    of_one = of_one or bool(waits or OF_ONE_SEQUENCE.search(question))
    return Said(1.0, "") if of_one or leaves_model_open(question, stated="model" in data) else None


def replicas_stated(data: Mapping[str, Any]) -> float:
    """Replicas among which the users are shared out, as far as the scenario states them."""
    serving, count = block_of(data, "serving"), block_of(data, "hardware").get("count", 1)
    ranks = [serving.get(f"{kind}_parallel_size", 1) for kind in ("tensor", "pipeline", "expert")]
    sizes = (count, *ranks)
    stated = all(isinstance(size, int) and size > 0 for size in sizes)
    return max(count / math.prod(ranks), 1) if stated else 1


def _load_of_gpus(question: str, serving: Mapping[str, Any], *, compared: bool) -> Said[dict[str, float]] | None:
    """Users for whom GPUs are asked, or too many for one replica; one where the question names none."""
    counted, users = re.search(GPUS_COUNTED, question), users_said(question)
    if not (users and users.value > MOST_AT_ONCE) and not re.search(ASKS_FOR_GPUS, question):
        return None
    users = users or (Said(serving.get("max_num_seqs", ALONE), "") if counted and not compared else None)
    return users.as_({"users": users.value}) if users and users.value else None


def users_said(question: str) -> Said[float] | None:
    """Users at once of a question in small letters."""
    if one := A_SINGLE.search(question):
        return matched(one, 1.0)
    named = (said for said in USERS.numbers(without_names(question)) if not IN_A_DAY.search(said.words))
    users = next(named, None)
    return users if users and users.value else None


def _rate(question: str, lengths: Mapping[str, Any]) -> Said[dict[str, float]] | None:
    """Requests per second, as they are said or as tokens: by the second of answers, by the day of prompts too."""
    if sent := requests_sent(question):
        return sent.as_({"requests_per_second": sent.value.number * sent.value.senders / SECONDS_IN[sent.value.period]})
    prompt, answer = (_count(lengths.get(name), usual) for name, usual in USUAL_LENGTHS.items())
    if both := READ_AND_WRITTEN.first(question):
        read, written, seconds = both.value
        each = (
            {"output_tokens": max(round(prompt * written / read), 1)} if read and "output_tokens" not in lengths else {}
        )
        return both.as_({"requests_per_second": (read / prompt or written / answer) / seconds, **each})
    for rate, of_each in rates_of_tokens(question):
        if not of_each:
            tokens, seconds = rate.value
            return rate.as_({"requests_per_second": tokens / seconds / _tokens_of_one(question, rate, prompt, answer)})
    return None


def _tokens_of_one(question: str, rate: Said[tuple[float, float]], prompt: float, answer: float) -> float:
    """Tokens of a request that a rate counts: of the answer by the second or where it says so, else of both."""
    said = f"{' '.join(question[: rate.places[0].start].split()[-1:])} {rate.words}"
    if OF_PROMPTS.search(said):
        return prompt
    return answer if rate.value[1] == SECONDS_IN["s"] or OF_ANSWERS.search(said) else prompt + answer


@frozen
class Sent:
    """Requests in a time, of how many users each."""

    number: float
    period: str
    senders: float

    @property
    def words(self) -> str:
        """How it is read: for whom, and how it is spread."""
        of_all = f"{self.senders:,.0f} users × " if self.senders > 1 else ""
        evenly = ", evenly over all hours" if SECONDS_IN[self.period] > SECONDS_IN["hour"] else ""
        article = "an" if self.period == "hour" else "a"
        return f"{of_all}{self.number:,.10g} {article} {self.period}{evenly}" if of_all or evenly else ""


def requests_sent(question: str) -> Said[Sent] | None:
    """The requests in a time that a question in small letters states."""
    said = REQUESTS.search(question)
    if said is None:
        return None
    number, seconds = (*numbers_in(said), 1.0)[:2]
    users = _senders(question, said, number, seconds)
    period = next(name for name, each in SECONDS_IN.items() if each == seconds)
    return matched(said, Sent(number, period, users.value if users else 1.0)).with_(users)


def _senders(question: str, rate: re.Match[str], number: float, seconds: float) -> Said[float] | None:
    """Users each of whom has a rate: where a question says so, or that they send less in days than they are."""
    named = (said for said in USERS.numbers(question) if said.value)
    users = max(named, key=lambda said: said.value, default=None)
    if users is None:
        return None
    of_each = any(said.start() <= rate.end() for said in EACH_HAS_IT.finditer(question, rate.start()))
    sent = number < users.value and seconds >= SECONDS_IN["day"]
    sent = sent and bool(THEY_SEND.fullmatch(question[users.places[0].stop : rate.start()]))
    return users if of_each or sent or EACH_SENDS.search(question[: rate.start()]) else None


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
