"""Lengths of prompts, answers, contexts and sequences of a question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memreport.catalogue.question.lexer import PEOPLE
from memreport.catalogue.question.model import TEXTS_READ
from memreport.catalogue.question.numbers import (
    ABOUT,
    BATCH_OF,
    HALF,
    MOST_LENGTH,
    MOST_SAID,
    MOST_TOKENS,
    STATED,
    Said,
    Words,
)
from memreport.catalogue.question.stated import IS, beside_question, question_of
from memreport.catalogue.records import OUTPUT_TOKENS


def _length_of(adjectives: str, nouns: str, ending: str) -> str:
    """The words of a length: `1,500 input tokens`, `2k tokens in`, `prompts of 3,000 tokens`."""
    return (
        rf"<tokens> (?:{adjectives})[ -]tokens?|<tokens>[ -]?tokens? (?:{ending}|(?:of |as )?(?:{adjectives})s?\b)"
        rf"|\b(?:{nouns}) (?:of|with) {ABOUT}<tokens>[ -]?tokens?|<tokens>[ -]?token (?:[a-z]+ )?(?:{nouns})\b"
        rf"|\b<kilo>[ -](?:{adjectives})s?\b"
    )


OUT = r"(?:,|,? and|,? ?/)? ?"
"""What stands between both lengths: `1000 in / 200 out`."""
LENGTHS_SAID = {
    "prompt_tokens": _length_of(
        "input|prompt|prefill", f"inputs?|prompts?|(?<!answers )(?<!answers, )each|{BATCH_OF}", r"in\b(?! \w)"
    )
    + rf"|\b<tokens>(?: tokens?)? in(?:put)?(?={OUT}{STATED}k?(?: tokens?)? out(?:put)?\b(?! ?\d))"
    + rf"|\bin(?:put)? <tokens>(?=(?:,|,? and| ?/)? ?out(?:put)? {STATED})"
    + rf"|\bprefill(?:ing|s)?(?: time| latency)?(?: of| for)? {ABOUT}<tokens>[ -]?tokens?",
    "output_tokens": _length_of(
        "output|answer|completion|generated|new|decode",
        "outputs?|answers?(?:,? each)?|completions?|responses?|replies",
        r"out\b",
    )
    + rf"|(?<=in|ut|ns){OUT}<tokens>(?: tokens?)? out(?:put)?\b(?! ?\d)"
    + rf"|\bin(?:put)? {STATED}k?(?:,|,? and| ?/)? ?out(?:put)? <tokens>"
    + rf"|\b(?:summar|condens|shorten|compress)\w*\b[^?]*? (?:in)?to {ABOUT}<tokens>[ -]?tokens?\b"
    + rf"|\b(?:generat|writ|produc|return|output)\w* {ABOUT}<tokens>[ -]?tokens? (?:each|per (?:request|answer))\b",
}
WRITTEN = rf"\b(?:generat|writ|produc|creat)\w*\b[^?,;]*?\b(?:{BATCH_OF}) (?:of|with) {ABOUT}<tokens>[ -]?tokens?"
"""The length of what is written: `generate 1 million descriptions of 200 tokens`."""
DATA = r"(?:data ?set|corpus)\b"
BATCH_OF_LENGTH = r"batch(?= of \d{3,}\b(?! [a-z]+s\b))"
"""What stands between the sequences of a step and their length: `1536 batch of 2048`."""
OF_TEXTS = r"(?<!dataset )(?<!data set )(?<!corpus )\b(?:of|at|with"
EACH_SEQUENCE = (
    rf"{OF_TEXTS}|for) {ABOUT}<tokens>[ -]?tokens?\b(?! (?:(?:per|a) (?:second|minute)|{DATA}))"
    r"|\bat (?=\d{3,6}\b)<digits>\b(?! ?[\w%$/])"
    r"|, ?<tokens>[ -]tokens?(?= ?(?:[,.;?!)]|$|each\b))(?!.*\bepochs?\b)"
    r"|<tokens>[ -]tokens? (?:(?:per|a|each) )?(?:samples?|sequences?|examples?)\b"
    r"|\bbatch(?:[ -]size)? (?:of )?\d+(?:,|,? and| x| ×|,? at|,? with)? <tokens>[ -]tokens?\b"
    r"|<tokens>[ -]tokens?(?:,|,? and) (?:a )?(?:micro[ -]?)?batch\b"
)
"""The length of what a training reads: `with 4096 tokens`, `100k samples of 2048 tokens`, `with FSDP at 4096`."""
EACH_TEXT = rf"{OF_TEXTS}) {ABOUT}<tokens>[ -]tokens?\b"
"""The length of what a service of vectors reads: `pairs of 512 tokens`, `with 512 tokens each`."""
CONTEXT_SAID = (
    r"\b<length>(?:[ -]tokens?)?[ -](?:of )?context"
    r"|\b<kilo>(?:[ -]tokens?)?[ -](?:long )?(?:sequences?|seq)\b"
    rf"|\b<count>[ -]tokens?[ -](?:long )?sequences?\b|\b(?:context|sequence)s?(?: lengths?)?{IS}<length>\b"
    r"|(?<=\d batch of )<digits>\b(?<=\d{3})(?! [a-z]+s\b)"
    rf"|\bat <kilo>\b(?! ?(?:tokens?(?: (?:per|a)\b|/)|[a-z]+(?:/| per )|{PEOPLE}|requests|dollars|usd))"
    r"|(?<![\w.$])(?=(?:4|8|16|32|64|128|200|256|512|1000) ?k)<kilo>(?=[?,.;)]*$|[?,;]| (?:on|with|in|and)\b)"
)
LARGEST, SIZED = r"how (large|big)|largest|biggest|max(?![ _-](?:num|model[ _-]len))\w*", "(micro|global|per.device)"
LENGTH = r"(context|sequence)\b"
LONG_TEXT = rf"(what|which) ({SIZED} )?{LENGTH}|(how long an?|longest) ([\w-]+ )?(prompt|document|input|text)\b"
OF_ONE = r"how (much|many) [\w ]{0,20}(memory|v?ram)\b"
"""What is asked of one context, where nobody has it."""
OF_ENGINE = Words(r"\bmax[_ -]model[_ -]len(?:gth)?(?: ?[=:] ?| (?:of |to |from )?)<tokens>")
"""What an engine takes at most, by its option."""
CACHE_OF = rf"\bkv[ -]?cache\b[^?]*?\b(?:for|of|at|with) {ABOUT}<tokens>[ -]?tokens?\b"
"""Tokens whose cache is asked for: `How much does the KV cache take for 100k tokens?`"""
CACHE_ASKED = (
    r"(?:how (?:big|large) is|what(?: is|'s|s)|size of|^) ?(?:the |an? )?(?:(?:size|memory) of )?(?:the )?"
    r"kv[ -]?cache\b"
)
"""The size of a cache, of one sequence where nobody says of how many."""
CONTEXT_FITS = r"\b(?:context|prompt)\b.{0,20}\bfits?\b|\bfits?\b.{0,40}\bcontext\b"
"""Whether one sequence of that length has room: `Does a 128k context fit?`"""
LONGEST_ASKED = rf"({LARGEST}|how long|longest)\b.{{0,20}}\b{LENGTH}|{LONG_TEXT}"
"""How long a sequence may be: of a service that states no number of them, when it is alone."""


def lengths_asked(data: Mapping[str, Any], *, filled: bool = False) -> dict[str, Said[int]]:
    """Lengths of prompts, answers and contexts of a question, of fields that nothing states.

    `128k context` is what an engine takes at most, which prompts and answers fill, and the length of the sequences
    that a training reads; an option of an engine, `max-model-len`, is no length of prompts, unless it is `filled`.
    """
    question, rest, workload = SHARED_TOKENS.without(question_of(data)), beside_question(data), data.get("workload")
    if workload not in ("serving", "training"):
        return {}
    serves = workload == "serving"
    words = _words_of_serving(question) if serves else _WORDS_OF_TRAINING
    rest = rest.replace("context_length", WHOLE)
    said_of = {name: pattern.number(question) for name, pattern in words.items() if name not in rest}
    found = {
        name: said.as_(int(said.value))
        for name, said in said_of.items()
        if said
        and 1 <= said.value <= (MOST_SAID if OF_A_WHOLE.search(said.words) else MOST_TOKENS if serves else MOST_LENGTH)
    }
    whole, answer = (found[name].value if name in found else usual for name, usual in ENDS.items())
    fills = serves and whole > answer and (filled or not OF_ENGINE.search(question))
    if fills and "prompt_tokens" not in f"{[*found]}{rest}":
        found["prompt_tokens"] = found[WHOLE].as_(whole - answer)
    return found


OF_A_WHOLE = re.compile(r"context|sequence")
"""What says that a number is a length, however large: `at 1M context`."""
WHOLE = "max_model_len"
ENDS = {WHOLE: 0, "output_tokens": OUTPUT_TOKENS}
WRITES = Words(WRITTEN)
ONE_ANSWER = Words(
    rf"\b(?:generat|writ|produc)(?:e|es|ing) {ABOUT}"
    r"(?=(?:\d{1,2},\d{3}|\d{1,4}|\d{1,2}k)\b)<tokens>[ -]?tokens?\b"
    r"(?! ?(?:/|per|a|each|every|apiece)\b)"
)
"""So few tokens that one answer has them: `How long to generate 500 tokens?`"""
_WORDS_OF_TRAINING = {
    "rollout_tokens": Words(LENGTHS_SAID["output_tokens"]),
    "sequence_length": Words(f"{CONTEXT_SAID}|{EACH_SEQUENCE}"),
}
_WORDS_OF_SERVING = {
    **{name: Words(pattern) for name, pattern in LENGTHS_SAID.items()},
    "output_tokens": Words(f"{LENGTHS_SAID['output_tokens']}|{ONE_ANSWER.pattern}"),
    WHOLE: Words(f"{CONTEXT_SAID}|{CACHE_OF}|{OF_ENGINE.pattern}"),
}
_WORDS_OF_WRITING = {
    "output_tokens": Words(f"{WRITTEN}|{LENGTHS_SAID['output_tokens']}"),
    WHOLE: _WORDS_OF_SERVING[WHOLE],
}
_WORDS_OF_READING = {**_WORDS_OF_SERVING, "prompt_tokens": Words(f"{LENGTHS_SAID['prompt_tokens']}|{EACH_TEXT}")}


def _words_of_serving(question: str) -> dict[str, Words]:
    """The words of each length of a service: of what it writes, where `of 200 tokens` says so, and what it reads."""
    if WRITES.search(question):
        return _WORDS_OF_WRITING
    return _WORDS_OF_READING if re.search(TEXTS_READ, question) else _WORDS_OF_SERVING


SAME = "(?:shared|common|the same|cached|identical)"
PREFIX_CACHED = r"\bprefix(?:es)?[ -]cach\w*|\bprompt[ -]cach\w*|\bcach\w+ (?:of )?(?:the )?prefix(?:es)?\b"
SHARED_SHARE = Words(
    rf"(?:<share>|\bhalf)(?: of)? (?:the |each |every |our |all |an? |{STATED}k? )*(?:tokens? )?"
    r"(?:prompts?|tokens|input)\b"
    rf"(?= ?(?:is|are|being|stay\w*)? {SAME})"
    r"|<share> (?:prefix[ -])?(?:cache )?hit rate\b|\bhit rate of <share>"
)
SHARED_TOKENS = Words(
    rf"\b(?:shared|common|same|system)(?: system)? (?:prompts?|prefix) (?:of|with) {ABOUT}<tokens>[ -]?tokens?\b"
    rf"|<tokens>[ -]tokens?(?: long)? (?:shared |common |same )?(?:system prompt|prefix|shared prompt)\b"
    rf"|\b<tokens> of (?:the |all |our )?<tokens>[ -](?:prompt |input )?tokens?\b(?: ?(?:is|are|being))? {SAME}"
)
"""How much of all prompts is one: `half of the prompt is shared`, `a shared system prompt of 2,000 tokens`."""


def prefix_shared(question: str, prompt: int) -> Said[dict[str, float]] | None:
    """What a question in small letters says that prompts begin with alike, as fields of a service; or None.

    A prefix that it counts in tokens comes before prompts of the length that is stated or usual.
    """
    if tokens := SHARED_TOKENS.first(question):
        shared, whole = (*map(int, tokens.value), int(tokens.value[0]) + prompt)[:2]
        return tokens.as_({**as_prefix(shared / whole, shared), "prompt_tokens": whole}) if whole >= shared else None
    share = SHARED_SHARE.first(question)
    if share is None:
        return None
    part = share.value[0] if share.value else HALF
    return share.as_(as_prefix(part, int(part * prompt)))


def as_prefix(share: float, tokens: int) -> dict[str, float]:
    """A prefix as fields of a service: its share of each prompt, and its tokens."""
    return {"prefix_cached_share": round(share, 4), "shared_prefix_tokens": tokens}
