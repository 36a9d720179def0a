"""The load of a service that a question states, and how soon it has to answer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.question.hardware import ASKS_FOR_GPUS, GPUS_COUNTED, LEAST_MEMORY
from memreport.catalogue.question.lengths import CACHE_ASKED, CACHE_OF, CONTEXT_FITS, LONGEST_ASKED, OF_ONE
from memreport.catalogue.question.model import leaves_model_open
from memreport.catalogue.question.numbers import (
    BATCH_OF,
    EACH_TIME,
    MANY,
    NUMBER,
    SECONDS_IN,
    STATED,
    WITHIN,
    amount_said,
    number_said,
)
from memreport.catalogue.question.stated import block_of, question_of
from memreport.catalogue.question.workload import FORMAT_ASKED
from memreport.catalogue.records import OUTPUT_TOKENS, PROMPT_TOKENS
from memreport.frozen import frozen

SECONDS = r"(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|sec|seconds?)\b"
SECONDS_OF = {"m": 1e-3, "s": 1.0}
FIRST_TOKEN = re.compile(
    rf"\b(?:first token|ttft)\b[^,;?]{{0,25}}? {WITHIN} {SECONDS}"
    rf"|\b(?:{WITHIN}|with) (?:an? )?{SECONDS} (?:to |for |until )?(?:the )?(?:time to )?(?:first token|ttft)\b"
)
LATER_TOKEN = re.compile(rf"(?:(?<!first )\btoken|\btpot|\bitl)\b[^,;?]{{0,25}}? {WITHIN} {SECONDS}")
A_USER = r"(?:each|(?:for|to) each|(?:per|a) (?:user|request))"
AT_ONCE = "concurrent|simultaneous|parallel"
BETWEEN = r"(?:for|on|with|in|of|and|or|at|to|per|by|from|does|do|can)\b"
"""What stands between a number and users that are not counted by it: `on an RTX 4090 for one user`."""
PERSONS = (
    "users?|people|persons|callers|streams|developers|engineers|employees|customers|coders|students|analysts|agents"
    "|colleagues"
)
TALKS = "chats|conversations|sessions"
USERS = re.compile(
    rf"(?<!rtx )(?<!gtx )\b{STATED} (?:(?!{BETWEEN})[a-z-]+ ){{0,2}}(?:{PERSONS}|{TALKS})\b"
    rf"|\b{STATED} (?:{AT_ONCE}) (?:requests|sequences|queries|calls|streams)\b"
    rf"|\b{STATED} concurrency\b|\bconcurrency (?:of |at )?{STATED}\b"
)
PACE = re.compile(rf"(?<![\w,.$]){STATED} ?{MANY} ?(?:tokens?|tok){EACH_TIME}(?:,? ({A_USER}))?")
OF_A_TEXT = rf"\b(?:{BATCH_OF}|pairs|embeddings|queries) of {STATED} ?{MANY} ?tokens?"
"""A length, whatever stands behind it: `How many pairs of 512 tokens per second?` states no rate."""
ALONE = 1
"""Users of a service of which it is asked on how many GPUs it runs, and nobody says for how many."""
OF_ONE_SEQUENCE = f"{OF_ONE}|{LEAST_MEMORY}|{LONGEST_ASKED}|{CONTEXT_FITS}|{CACHE_OF}|{CACHE_ASKED}|{FORMAT_ASKED}"
"""What is asked of one sequence, where nobody says of how many."""
MOST_PACE = 300
"""Tokens a second up to which a rate is one user's, unless it is said to be of all."""
MOST_AT_ONCE = 1024
"""Users beyond whom no engine takes all at once by default.  Source: vLLM, engine/arg_utils.py."""
OF_ALL = re.compile(r"\b(total|together|overall|aggregate|in all|combined|throughput)\b")
OF_EACH = rf"(?:each|apiece|(?:per|for each|for every|a) (?:user|person|head|{PERSONS.replace('s|', 's?|')}))"
REQUESTS = re.compile(
    rf"\b{NUMBER} ?{MANY} (?:[a-z-]+ ){{0,2}}(?:requests?|quer(?:y|ies)|calls?|messages?|{TALKS}|{BATCH_OF})"
    rf"(?:,? {OF_EACH}| ?/ ?user)?{EACH_TIME}"
    rf"|\b{NUMBER} ?(?:qps|rps)\b"
)
BEHIND_A_RATE, BEFORE_A_RATE = re.compile(rf",? {OF_EACH}\b|/ ?user\b"), re.compile(r"\b(?:each|every)\b[^.;?]*$")
"""What says of a rate that every user has it, beside what stands in it."""
REQUESTS_IN_ALL = re.compile(
    rf"\b{NUMBER} ?{MANY} (?:(?!token|of)[a-z-]+ )?(?:{BATCH_OF})\b(?! ?(?:/| per | a | each | every ))"
)


WRITTEN = re.compile(rf"\b(?:generat|writ|produc)(?:e|es|ing) {NUMBER} ?{MANY} tokens\b(?! ?(?:/|per|a|each|every)\b)")
"""Tokens that are written in all, by answers of the usual length."""
WINDOW_SECONDS = 30
"""Sound that a model hears at once.  Source: arXiv:2212.04356 (Whisper), section 2.2."""
HEARD = r"(?:audio|sound|speech|calls?|recordings?|podcasts?|video)"
SOUND = re.compile(rf"\b{NUMBER} ?{MANY} (hour|minute)s? of (?:[a-z]+ )?{HEARD}\b(?! ?(?:/|per|a|each|every)\b)")


def requests_said(question: str) -> float:
    """How many requests are to be answered in all, by a question in small letters; 0 where it says none."""
    if heard := SOUND.search(question):
        return math.ceil(amount_said(heard[1], heard[2]) * SECONDS_IN[heard[3]] / WINDOW_SECONDS)
    if written := WRITTEN.search(question):
        return math.ceil(amount_said(written[1], written[2]) / OUTPUT_TOKENS)
    said = REQUESTS_IN_ALL.search(question)
    return amount_said(said[1], said[2]) if said else 0.0


def times_of_service(question: str) -> Iterator[tuple[str, float]]:
    """How soon a first token has to come, and how fast the others, as fields of `search:`; in small letters."""
    if said := FIRST_TOKEN.search(question):
        number, unit = (part for part in said.groups() if part)
        yield "time_to_first_token_seconds", float(number) * SECONDS_OF[unit[0]]
    if (said := LATER_TOKEN.search(question)) and float(said[1]):
        yield "sequence_tokens_per_second", 1 / (float(said[1]) * SECONDS_OF[said[2][0]])
    rates = list(rates_of_tokens(question))
    yield from (("sequence_tokens_per_second", rate) for rate, period, of_each in rates if of_each)


def rates_of_tokens(question: str) -> Iterator[tuple[float, str, bool]]:
    """Rates of tokens in a question in small letters: the number, its time, and whether each user is to get it."""
    of_all = OF_ALL.search(question)
    text = re.sub(OF_A_TEXT, "", question)
    for said in PACE.finditer(text):
        rate, period = amount_said(said[1], said[2]), said[3]
        if SECONDS_IN[period] == 1:
            yield rate, period, bool(said[4] or (rate <= MOST_PACE and not of_all))
        else:
            yield rate * _senders(text, said, rate, period), period, False


def times_of_any(question: str) -> bool:
    """Whether a question asks for many, or states how soon a service has to answer."""
    return "how many" in question or any(True for _ in times_of_service(question))


TARGETS = {
    "time_to_first_token_seconds": "first_token_seconds",
    "sequence_tokens_per_second": "tokens_per_second_per_user",
}
"""What a time of a service is called in a demand."""


def demand_asked(data: Mapping[str, Any]) -> dict[str, Any]:
    """The demand that the question of a service states, where it has a rate or asks for GPUs; else nothing.

    `How many H100 for 200 users, first token within 1 s?` asks for no verdict on the GPUs that are stated.  A demand
    that the scenario states takes the targets that its question names beside it.
    """
    question, serving = question_of(data), block_of(data, "serving")
    targets = {TARGETS[name]: value for name, value in times_of_service(question)}
    if (stated := block_of(data, "demand")) and data.get("workload") == "serving":
        return {name: value for name, value in targets.items() if name not in stated}
    states_another = any(data.get(part) for part in ("demand", "asks", "answers"))
    lengths = None if states_another or "model" in str(data.get("variants")) else _lengths(serving)
    if lengths is None or data.get("workload") != "serving":
        return {}
    load = _rate(question, {**serving, **lengths}) or _load_of_gpus(question, serving)
    return {**load, **targets, **lengths} if load else {}


def users_asked(data: Mapping[str, Any]) -> int:
    """Users at once of each replica, of those whom the question of a service states; 0 for none."""
    return math.ceil(users_of_all(data) / _replicas(data))


def users_of_all(data: Mapping[str, Any]) -> float:
    """Users at once whom the question of a service states, where nothing else says how many; 0 for none.

    `Does it reach 30 tokens/s?` is of one user.
    """
    rest = str({name: value for name, value in data.items() if name not in ("question", "title")})
    stated = any(name in rest for name in ("max_num_seqs", "demand"))
    if stated or data.get("workload") != "serving":
        return 0
    question = question_of(data)
    of_one = any(of_each for _, _, of_each in rates_of_tokens(question)) and not re.search("how many", question)
    waits = re.search(r"\b(latency|ttft|first token)\b", question) and not times_of_any(question)
    of_one = (
        of_one
        or bool(waits or re.search(OF_ONE_SEQUENCE, question))
        or leaves_model_open(question, stated="model" in data)
    )
    users = users_said(question)
    return (users or float(of_one)) if users <= MOST_AT_ONCE else 0


def _replicas(data: Mapping[str, Any]) -> float:
    """Replicas among which the users are shared out, as far as the scenario states them."""
    serving, count = block_of(data, "serving"), block_of(data, "hardware").get("count", 1)
    ranks = [serving.get(f"{kind}_parallel_size", 1) for kind in ("tensor", "pipeline", "expert")]
    sizes = (count, *ranks)
    stated = all(isinstance(size, int) and size > 0 for size in sizes)
    return max(count / math.prod(ranks), 1) if stated else 1


def _load_of_gpus(question: str, serving: Mapping[str, Any]) -> dict[str, float]:
    """Users for whom GPUs are asked, or too many for one replica; one where the question names none."""
    counted, users = re.search(GPUS_COUNTED, question), users_said(question)
    if users <= MOST_AT_ONCE and not re.search(ASKS_FOR_GPUS, question):
        return {}
    users = users or (serving.get("max_num_seqs", ALONE) if counted else 0.0)
    return {"users": users} if users else {}


def users_said(question: str) -> float:
    """Users at once of a question in small letters; 0 where it says none."""
    said = USERS.search(question)
    return _number_of(said) if said else 0.0


def _number_of(said: re.Match[str]) -> float:
    return number_said(next(filter(None, said.groups())))


def _rate(question: str, lengths: Mapping[str, Any]) -> dict[str, float]:
    """Requests per second, as they are said or as tokens: by the second of answers, by the day of prompts too."""
    if sent := requests_sent(question):
        return {"requests_per_second": sent.number * sent.senders / SECONDS_IN[sent.period]}
    prompt, answer = (_count(lengths.get(name), usual) for name, usual in USUAL_LENGTHS.items())
    for rate, period, of_each in rates_of_tokens(question):
        if not of_each:
            return {
                "requests_per_second": rate
                / SECONDS_IN[period]
                / (answer if period.startswith("s") else prompt + answer)
            }
    return {}


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
        return f"{of_all}{self.number:,g} {article} {self.period}{evenly}" if of_all or evenly else ""


def requests_sent(question: str) -> Sent | None:
    """The requests in a time that a question in small letters states."""
    said = REQUESTS.search(question)
    if said is None:
        return None
    number, period = amount_said(said[1] or said[4], said[2]), said[3] or "s"
    return Sent(number, period, _senders(question, said, number, period))


def _senders(question: str, rate: re.Match[str], number: float, period: str) -> float:
    """Users each of whom has a rate: where a question says so, or has more of them than the rate of a long time."""
    users = max(map(_number_of, USERS.finditer(question)), default=0.0)
    before, within, behind = question[: rate.start()], rate[0], question[rate.end() :]
    said = BEFORE_A_RATE.search(before) or re.search(rf"{OF_EACH}\b", within) or BEHIND_A_RATE.match(behind)
    return users if users and (said or (number < users and SECONDS_IN[period] > 1)) else 1.0


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
