"""How long the training of a question runs, in tokens, steps or hours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.question.demand import times_of_service, windows_said
from memreport.catalogue.question.lengths import BATCH_OF_LENGTH, DATA
from memreport.catalogue.question.money import budget_said
from memreport.catalogue.question.numbers import (
    ABOUT,
    BATCH_OF,
    EACH_TIME,
    MOST_LENGTH,
    SECONDS_IN,
    Said,
    Words,
    matched,
    numbers_in,
)
from memreport.catalogue.question.stated import IS, beside_question, block_of, question_of
from memreport.catalogue.question.workload import SUPPLIED
from memreport.catalogue.records import SEQUENCE_LENGTH

NO_BATCH = "".join(
    f"(?<!{word}{of} )" for word in ("batch", "size", "length", "context", "sequence") for of in ("", " of")
)
OF_A_SEQUENCE = (
    r"[ -](?:of )?(?:context|long|sequences?|prompts?|(?:global )?batch|windows?|per|each|an? (?:step|batch|sequence))"
    r"\b"
)
"""What has so many tokens at once, and is no amount to train on."""
TRAINED_ON = Words(
    rf"\b{DATA} (?:of|with) (?:about |around )?<many>[ -]?tokens?\b|\b<many>[ -]tokens? {DATA}"
    rf"|{NO_BATCH}\b(?P<before>on|over|of|for|with) (?:about |around |our |a )*<many>[ -]?tokens?\b"
    rf"(?!{EACH_TIME}| {DATA}|{OF_A_SEQUENCE})"
    rf"|{NO_BATCH}(?<!per )(?<![\w.,$/-])(?P<alone><many>)[ -]?tokens?\b(?!{EACH_TIME}|{OF_A_SEQUENCE})"
)
AVERAGE = Words(
    rf"\b(?:averag\w+|(?:mean|average) (?:\w+ )?length(?: is)?)(?: of)? {ABOUT}<tokens>[ -]?tokens?\b"
    r"|\b<tokens>[ -]?tokens? (?:each )?(?:on|in) average\b"
)
"""How long examples are: `20k conversations averaging 800 tokens`."""
SAMPLES = (
    "samples|examples|pairs|rows|conversations|instructions|sentences|texts|documents|records|dialogues|dialogs"
    "|articles|reviews|tickets|questions"
)
TRAINED_SAMPLES = Words(
    rf"(?:(?:\b(?:on|over|of|with|for)|[,:;]) (?:about |around |our |a )*<many> (?:[a-z-]+ )?"
    rf"(?:{SAMPLES})"
    rf"|{NO_BATCH}(?<![\w.,])(?=\d[\d,]{{2}}|[\d.]+ ?(?:k|m|thousand|million)\b)"
    rf"<many> (?:[a-z]+ )?(?:{SAMPLES}|{BATCH_OF})"
    rf"\b(?! ?(?:/|per|a|each)\b))\b"
    rf"(?: (?:of|with) {ABOUT}<tokens>[ -]?tokens?\b)?"
)
TOKENS_OF_SOUND = 1500
"""Positions of what a model hears at once.  Source: arXiv:2212.04356 (Whisper), section 2.2."""
PRETRAINED = re.compile(r"\bpre-?train(?!ed\b)|\bfrom scratch\b")
FINE_TUNED = re.compile(r"\bfine-?\s?tun|\bsft\b|\bq?lora\b")
TOKENS_OF_PRETRAINING = 1e11
"""From which on no training is fine-tuning: a choice, below the 300 billion of Pythia's 70M (arXiv:2304.01373)."""
OF_A_LENGTH = ("of", "for", "with")
"""What stands before the length of a sequence, too: `with 4096 tokens` trains on more than these."""
EPOCHS_SAID = Words(r"\b<count> epochs?\b")
WARM_UP = Words(
    r"\bwarm-?ups?\b(?: (?:of|for|over|steps?|is|takes)| ?[:=])* ?<many>(?: steps)?\b"
    r"|\b<many> (?:steps? of |steps? )?(?:lr |linear )?warm-?up(?: steps)?\b"
)
"""Steps among the others, in which a learning rate grows."""
PERIODS = {"day": 365.0, "week": 52.0, "month": 12.0, "quarter": 4.0, "year": 1.0}
ADVERBS = {"daily": "day", "nightly": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter"}
A_PERIOD = "|".join(PERIODS)
AGAIN = re.compile(
    r"\b(?:re-?(?:train|tun|fine)\w*|(?:we|i|to) (?:(?:pre|fine)-?)?(?:train|tune|run|repeat|do|refresh)\w*)\b"
    r"[^?.;]{0,60}$"
)
"""What is done again: no `daily news` that a model is trained on."""
REPEATED = Words(
    rf"\b(?:(?P<often>once|twice)|<count> ?(?:x|times|runs|trainings)) (?:an?|per|each|every) (?P<of>{A_PERIOD})\b"
    rf"|\b(?:every|each) (?:<count> )?(?P<each>{A_PERIOD})s?\b"
    rf"|\b(?P<adverb>{'|'.join(ADVERBS)})\b(?= ?(?:$|[,.?:;]|(?:on|for|with|and|at|using|how|what)\b))"
)
"""How often a training is done again: `every month`, `twelve times a year`, `we retrain weekly`."""
STEPS_SAID = Words(
    rf"\b(?:for|of|over|take|run|do|with|and|in) (?:about |around )?<many> (?:[a-z]+ )?steps\b(?!{EACH_TIME})"
    rf"|[,;:] <many> (?:(?:train\w*|optimi[sz]er|update|gradient) )?steps\b(?!{EACH_TIME})"
    rf"|\bmax[_-](?:train(?:ing)?[_-])?steps{IS}<count>\b"
)
GLOBAL_BATCH = Words(
    rf"\b(?:global|total|effective) batch(?:[ _-]size)?{IS}<count>\b(?! ?(?:k|m|million)?[ -]?tokens?)"
    rf"|\b<digits> {BATCH_OF_LENGTH}"
)
"""Sequences of a step over all GPUs."""
PROMPTS_OF_A_STEP = Words(r"\b<count> prompts\b")
ANSWERS_OF_A_PROMPT = Words(
    rf"\b<count> (?:rollouts|generations|completions|responses)\b|\bnum[_ ]generations{IS}<digits>\b"
)
"""What a step of reinforcement learning samples: `128 prompts with 8 rollouts` are 1,024 sequences."""
REWARDED = re.compile(r"\b(?:grpo|ppo|rloo|dapo|gspo|reinforce\w*|rl|rlhf|rlvr)\b")
"""Trainings that sample answers to prompts in each step."""
LENGTH_OF_RUN = (
    "training_tokens",
    "max_steps",
    "num_train_epochs",
    "train_samples",
    "dataset_tokens",
    "dataset_samples",
)
DEADLINE = Words(r"(?:within|in(?: less than| under| at most)?|no longer than) <time>s?\b")
LASTING_SO_LONG = Words(r"\b(?:for|over|during) <time>s?\b")
"""How long the GPUs are there: `Train it on 8 H100 for 24 hours: how many tokens?`"""
POWER_SAID = Words(r"\b<number> ?(?P<kilo>k|kilo)?w(?:atts?)?\b(?! ?(?:each|apiece|per|limit|rtx|gpu|card))")
"""What a rack or a socket supplies: `Is 2 kW enough for 4 RTX 4090?`"""
TRAINED_IN = re.compile(
    r"^(?:what|how (?:much|far)) (?:can|could) |\bhow (?:much data|many (?:[\w-]+ )?(?:tokens|samples|steps|epochs))\b"
    r"(?! (?:per|a|each) )"
)
"""How much is done, where a time is given: `How many tokens can we train on in two weeks?`"""


def sequences_asked(question: str) -> Said[int] | None:
    """Sequences of a step that a question in small letters states."""
    prompts, answers = PROMPTS_OF_A_STEP.number(question), ANSWERS_OF_A_PROMPT.number(question)
    if prompts and answers and REWARDED.search(question):
        return prompts.as_(int(prompts.value * answers.value)).with_(answers)
    return GLOBAL_BATCH.whole(question)


def tokens_asked(data: Mapping[str, Any]) -> Said[float] | None:
    """Tokens that a question trains on, all its epochs together, where no field says how long the run is.

    A sample is as long as the sequences.
    """
    question, rest = question_of(data), beside_question(data)
    if data.get("workload") != "training" or any(name in rest for name in LENGTH_OF_RUN):
        return None
    question = _once(question)
    once, epochs = _tokens_of_a_pass(question, block_of(data, "training")), EPOCHS_SAID.number(question)
    if not once or not epochs:
        return once
    return once.as_(once.value * epochs.value).with_(epochs)


def pretrains(text: str, tokens: float) -> bool:
    """Whether a text in small letters, or so many tokens, speak of a model that is made from the beginning."""
    return not FINE_TUNED.search(text) and (tokens >= TOKENS_OF_PRETRAINING or bool(PRETRAINED.search(text)))


def pretraining_asked(training: Mapping[str, Any], question: str) -> bool:
    """Whether a question in small letters trains all weights of a model from the beginning."""
    asked = tokens_asked({"workload": "training", "question": question})
    return training.get("method", "full") == "full" and pretrains(question, asked.value if asked else 0)


def steps_asked(data: Mapping[str, Any]) -> Said[int] | None:
    """Steps that a question trains for, where neither it nor a field says how long the run is otherwise."""
    stated = any(name in beside_question(data) for name in LENGTH_OF_RUN)
    if stated or data.get("workload") != "training" or tokens_asked(data):
        return None
    return STEPS_SAID.whole(WARM_UP.without(question_of(data)))


def _tokens_of_a_pass(question: str, training: Mapping[str, Any]) -> Said[float] | None:
    if heard := windows_said(question):
        return heard.as_(heard.value * TOKENS_OF_SOUND)
    if said := TRAINED_SAMPLES.first(question):
        average = AVERAGE.number(question)
        usual = average.value if average else training.get("sequence_length", SEQUENCE_LENGTH)
        samples, length = (*said.value, usual)[:2]
        return said.as_(samples * length).with_(average) if isinstance(length, int | float) else None
    for found in TRAINED_ON.compiled.finditer(question):
        tokens = numbers_in(found)[0]
        if tokens > MOST_LENGTH or not (found["alone"] or found["before"] in OF_A_LENGTH):
            return matched(found, tokens)
    return None


def tokens_in_whole_sequences(question: str, length: float) -> float:
    """Tokens of a pass over the examples of a question in small letters, where none is said to be shorter; else 0."""
    said = TRAINED_SAMPLES.first(question)
    return said.value[0] * length if said and len(said.value) == 1 and not AVERAGE.search(question) else 0.0


def deadline_said(question: str, words: Words = DEADLINE) -> Said[float] | None:
    """Hours within which something is done, of a question in small letters."""
    said = words.number(question)
    return said.as_(said.value / SECONDS_IN["hour"]) if said else None


def watts_said(question: str) -> Said[float] | None:
    """Watts of which a question in small letters asks whether they are enough."""
    said = POWER_SAID.search(question) if re.search(SUPPLIED, question) else None
    return matched(said, numbers_in(said)[0] * (1e3 if said["kilo"] else 1)) if said else None


def hours_said(question: str) -> Said[float] | None:
    """Hours of which a question in small letters asks how much can be trained in them."""
    if not TRAINED_IN.search(question):
        return None
    return deadline_said(question) or deadline_said(question, LASTING_SO_LONG)


def hours_of_run(data: Mapping[str, Any]) -> Said[float] | None:
    """Hours that a training goes on, whatever it reads: `on 8 H100 for 24 hours`."""
    question, rest = question_of(data), beside_question(data)
    stated = any(name in rest for name in (*LENGTH_OF_RUN, "training_hours")) or TRAINED_IN.search(question)
    if data.get("workload") != "training" or stated or tokens_asked(data) or steps_asked(data):
        return None
    return deadline_said(question, LASTING_SO_LONG)


def limits_said(question: str, workload: str, *, demand: bool) -> Iterator[tuple[str, Said[float]]]:
    """What a question in small letters limits, as fields of `search:`; the times of a `demand` are its own."""
    if workload == "training" and not TRAINED_IN.search(question) and (hours := deadline_said(question)):
        yield "run_hours", hours
    if workload == "serving" and not demand:
        yield from times_of_service(question)
    if budget := budget_said(question, workload):
        yield "most_cost_usd", budget


def _repeated(question: str) -> re.Match[str] | None:
    """How often something is done; a period that is no number of times belongs to what is done again."""
    every = REPEATED.compiled.finditer(question)
    return next((each for each in every if each["of"] or AGAIN.search(question[: each.start()])), None)


def _once(question: str) -> str:
    """A question without that, each letter where it was."""
    said = _repeated(question)
    return question[: said.start()] + " " * len(said[0]) + question[said.end() :] if said else question


def runs_said(question: str) -> Said[float] | None:
    """How often a year a training is done again, by a question in small letters; None where it is done once."""
    said = _repeated(question)
    if said is None:
        return None
    number = (*numbers_in(said), 2.0 if said["often"] == "twice" else 1.0)[0]
    if said["each"]:
        return matched(said, PERIODS[said["each"]] / number)  # `every two weeks`
    return matched(said, PERIODS[said["of"] or ADVERBS[said["adverb"]]] * number)
